"""Every room of the house, and the way into them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from parlour.core import asking, places, rebuilding
from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS
from parlour.core.lobby import POLICY, Room
from parlour.core.pair import Pair, check_chair
from parlour.core.roomwords import Pace, RoomWish, TakeChair, read_wish, spelled
from parlour.core.seating import ANON
from parlour.core.users import clean_name
from parlour.core.vocab import Opened, Policy

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.roomwords import Chair, Enter, EnterTable, FindPair, OpenPair
    from parlour.core.seating import Participant
    from parlour.core.table import Table
    from parlour.core.vocab import Record


PAIRS = "two chairs "
"""Before the key of rooms that were opened with them."""


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
            asking.set_bots(room, self._hub, command.wish.bots)

    def enter_table(self, who: "Participant", command: "EnterTable") -> None:
        """Lead somebody, out of another room perhaps, to the room around this table."""
        self._hub.require_open_house()
        room = self._hub.require_room(command.table)
        self._hub.require_clock(who, room.table.policy)
        colour = None
        if who.table is not None and (old := who.table.lobby) is not None and old is not room:
            colour = old.users[who].colour
            old.leave(who)
        if any(user.colour == colour for user in room.users.values()):
            colour = None  # two who look alike could not be told apart
        self._hub.require_free(who)
        room.enter(who, name=who.name, colour=colour, ready=command.ready, votes=command.votes)

    def open_pair(self, who: "Participant", command: "OpenPair") -> Room:
        """Open a table for two, furnish it, and let somebody sit down there."""
        self._hub.require_free(who)
        self._hub.require_open_house()
        for chair in command.chairs:
            check_chair(chair)
        if all(chair.kind == "engine" for chair in command.chairs):
            raise Refused(Refusal.BAD_OPTIONS)
        names = [chair.name if chair.kind == "reserved" else "" for chair in command.chairs]
        mine = _own_chair(command.chairs, who.name)
        room = self._new_pair(_wish_for_two(self._hub.new_secret(12), command), command.most)
        room.title = command.title
        assert room.pair is not None
        room.pair.reserved = names
        other = command.chairs[1 - mine]
        if other.kind == "engine":  # first, so that whoever opens the table hears of it once
            room.pair.seat_engine(1 - mine, other.name, other.level, settle=False)
        room.enter(who, name=who.name, renews=True, chair=mine)
        return room

    def find_pair(self, who: "Participant", command: "FindPair") -> None:
        """Lead somebody to a table for two of this kind; who has no name yet is called after the chair."""
        self._hub.require_free(who)
        self._hub.require_open_house()
        if command.level not in LEVELS:
            raise Refused(Refusal.BAD_OPTIONS)
        room = None if command.opponent == "engine" else self._half_empty(command, who.name)
        if room is not None:
            if who.name == ANON:
                who.name = f"Player {1 + places.chair_for(room, self._hub, who.name, command.most)}"
            places.take_chair(room, self._hub, who, TakeChair(room.table.id, most=command.most))
            return
        if who.name == ANON:
            who.name = "Player 1"
        room = self._new_pair(_wish_for_two(command.key, command), command.most, command.wait, command.level)
        assert room.pair is not None
        if command.opponent == "engine":
            room.pair.seat_engine(1, "", command.level, settle=False)
        room.enter(who, name=who.name, renews=True, chair=0)

    def _new_pair(self, wish: RoomWish, most: int, wait: float = 0.0, level: str = "medium") -> Room:
        room = self._open(wish)
        room.pair = Pair(room, self._hub, most, wait, level)
        return room

    def _half_empty(self, command: "FindPair", name: str) -> Room | None:
        """A table for two of this key where somebody of this name could sit down."""
        rooms = self._by_wish.get(_wish_for_two(command.key, command), [])
        return next((room for room in rooms if places.may_pair(room, command.most) and _has_chair(room, name)), None)

    def forget(self, room: Room) -> None:
        """The room's table is no more."""
        room.close()
        rooms = self._by_wish[room.wish]
        rooms.remove(room)
        if not rooms:
            del self._by_wish[room.wish]

    def put_back(self, table: "Table", records: "Sequence[Record]") -> bool:
        """Open the room around a table from the log again, for those who can come back; False when nobody can."""
        opened = records[0].event
        assert isinstance(opened, Opened)
        if not opened.wish or not any(seat is not None and seat.key for seat in table.seats):
            return False
        wish = read_wish(opened.wish)
        room = rebuilding.rebuild(self._hub, wish, table, records)
        self._by_wish.setdefault(wish, []).append(room)
        rebuilding.settle(room, self._hub)
        return True

    def _free(self, wish: "RoomWish") -> Room | None:
        rooms = self._by_wish.get(wish, [])
        return next((room for room in rooms if wish.full != "room" or _has_place(room)), None)

    def _open(self, wish: "RoomWish") -> Room:
        options = self._hub.game(wish.game).options({"width": wish.width, "height": wish.height})
        room = Room(self._hub, wish, self._hub.open(wish.game, options, _policy(wish.pace), spelled(wish)))
        self._by_wish.setdefault(wish, []).append(room)
        return room


def _wish_for_two(key: str, command: "OpenPair | FindPair") -> RoomWish:
    return RoomWish(f"{PAIRS}{key}", players=2, game=command.game, pace=command.pace, turns=command.turns)


def _policy(pace: Pace) -> Policy:
    if not pace.seconds:
        return POLICY
    return msgspec.structs.replace(POLICY, clock=float(pace.seconds), increment=float(pace.increment))


def _own_chair(chairs: "tuple[Chair, Chair]", name: str) -> int:
    """Where somebody sits who opens a table so: in the chair kept for them, or in an open one."""
    for number in sorted((0, 1), key=lambda number: chairs[number].kind != "reserved"):
        chair = chairs[number]
        if chair.kind == "open" or (chair.kind == "reserved" and chair.name in ("", name)):
            return number
    raise Refused(Refusal.TABLE_FULL)


def _has_chair(room: Room, name: str) -> bool:
    """Whether a chair is free, or would be if there were two here."""
    return room.pair is None or room.pair.free_chair(name) is not None


def _has_place(room: Room) -> bool:
    """Whether one more could play here."""
    return len(room.users) < room.limit if room.pair is None else _has_chair(room, "")
