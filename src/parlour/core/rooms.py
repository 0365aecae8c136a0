"""Every room of the house, and the way into them."""

from typing import TYPE_CHECKING

from parlour.core import places
from parlour.core.errors import Refusal, Refused
from parlour.core.lobby import POLICY, Room
from parlour.core.pair import Pair
from parlour.core.roomwords import RoomWish, TakeChair
from parlour.core.seating import ANON
from parlour.core.users import clean_name

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.roomwords import Enter, EnterTable, FindPair, OpenPair
    from parlour.core.seating import Participant


PAIRS = "two chairs "
"""Before the key of rooms that were opened with them."""
CHAIR_KINDS = {"open", "engine", "reserved"}


class Rooms:
    """Rooms by what people wish for; a room is there for as long as there is a person in it."""

    def __init__(self, hub: "Hub") -> None:
        self._hub = hub
        self._by_wish: dict[RoomWish, list[Room]] = {}

    def enter(self, who: "Participant", command: "Enter") -> None:
        """Lead somebody to the room they wish for."""
        self._hub.require_free(who)
        self._hub.require_open_house()
        name = clean_name(command.name) if command.name else ""
        room = self._free(command.wish) or self._open(command.wish)
        first = not room.users
        room.enter(who, name=name, colour=command.colour, ready=command.ready, votes=command.votes)
        if first:
            places.set_bots(room, self._hub, command.wish.bots)

    def enter_table(self, who: "Participant", command: "EnterTable") -> None:
        """Lead somebody, out of another room perhaps, to the room around this table."""
        self._hub.require_open_house()
        room = self._hub.require_room(command.table)
        colour = None
        if who.table is not None and (old := who.table.lobby) is not None and old is not room:
            colour = old.users[who].colour
            old.leave(who)
        self._hub.require_free(who)
        room.enter(who, name=who.name, colour=colour, ready=command.ready, votes=command.votes)

    def open_pair(self, who: "Participant", command: "OpenPair") -> Room:
        """Open a table for two, furnish it, and let somebody sit down there."""
        self._hub.require_free(who)
        self._hub.require_open_house()
        kinds = [chair.kind for chair in command.chairs]
        if not set(kinds) <= CHAIR_KINDS or kinds.count("engine") > 1:
            raise Refused(Refusal.BAD_OPTIONS)
        names = [chair.name if chair.kind == "reserved" else "" for chair in command.chairs]
        mine = next(
            (
                n
                for n in sorted((0, 1), key=lambda n: not names[n])
                if names[n] in ("", who.name) and kinds[n] != "engine"
            ),
            None,
        )
        if mine is None:
            raise Refused(Refusal.TABLE_FULL)
        room = self._new_pair(command.game, command.most, "")
        room.title = command.title
        assert room.pair is not None
        room.pair.reserved = names
        room.enter(who, name=who.name, renews=True, chair=mine)
        other = command.chairs[1 - mine]
        if other.kind == "engine":
            room.pair.seat_engine(1 - mine, other.name, other.level)
        return room

    def find_pair(self, who: "Participant", command: "FindPair") -> None:
        """Lead somebody to a table for two of this kind; who has no name yet is called after the chair."""
        self._hub.require_free(who)
        self._hub.require_open_house()
        room = None if command.opponent == "engine" else self._half_empty(command.key, who.name)
        if room is not None and room.pair is not None:
            if who.name == ANON:
                who.name = f"Player {1 + room.pair.require_chair(who.name, None)}"
            places.take_chair(room, self._hub, who, TakeChair(room.table.id, most=command.most))
            return
        if who.name == ANON:
            who.name = "Player 1"
        room = self._new_pair(command.game, command.most, command.key)
        assert room.pair is not None
        room.enter(who, name=who.name, renews=True, chair=0)
        if command.opponent == "engine":
            room.pair.seat_engine(1, "", command.level)
        elif command.wait > 0:
            self._hub.alarm(command.wait, lambda: _fill(room, command.level))

    def _new_pair(self, game: str, most: int, key: str) -> Room:
        wish = RoomWish(f"{PAIRS}{key or self._hub.new_secret(12)}", players=2, game=game)
        room = self._open(wish)
        room.pair = Pair(room, self._hub, most)
        return room

    def _half_empty(self, key: str, name: str) -> Room | None:
        """A table for two of this key where somebody of this name could sit down."""
        rooms = (room for wish, rooms in self._by_wish.items() if wish.key == f"{PAIRS}{key}" for room in rooms)
        return next((room for room in rooms if room.pair and room.pair.free_chair(name) is not None), None)

    def forget(self, room: Room) -> None:
        """The room's table is no more."""
        room.close()
        rooms = self._by_wish[room.wish]
        rooms.remove(room)
        if not rooms:
            del self._by_wish[room.wish]

    def _free(self, wish: "RoomWish") -> Room | None:
        rooms = self._by_wish.get(wish, [])
        return next((room for room in rooms if wish.full != "room" or len(room.users) < room.limit), None)

    def _open(self, wish: "RoomWish") -> Room:
        options = self._hub.game(wish.game).options({"width": wish.width, "height": wish.height})
        room = Room(self._hub, wish, self._hub.open(wish.game, options, POLICY))
        self._by_wish.setdefault(wish, []).append(room)
        return room


def _fill(room: Room, level: str) -> None:
    """Nobody has come: an engine takes the empty chair."""
    pair = room.pair
    if pair is not None and (chair := pair.free_chair("")) is not None and pair.chairs[1 - chair] is not None:
        pair.seat_engine(chair, "", level)
