"""Every room of the house, and the way into them."""

from typing import TYPE_CHECKING

from parlour.core.errors import Refusal, Refused
from parlour.core.lobby import POLICY, Room
from parlour.core.users import clean_name

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.roomwords import Enter, EnterTable, RoomWish
    from parlour.core.seating import Participant


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
            room.set_bots(command.wish.bots)

    def enter_table(self, who: "Participant", command: "EnterTable") -> None:
        """Lead somebody, out of another room perhaps, to the room around this table."""
        self._hub.require_open_house()
        room = self._hub.table(command.table).lobby
        if room is None:
            raise Refused(Refusal.NO_ROOM)
        colour = None
        if who.table is not None and (old := who.table.lobby) is not None and old is not room:
            colour = old.users[who].colour
            old.leave(who)
        self._hub.require_free(who)
        room.enter(who, name=who.name, colour=colour, ready=command.ready, votes=command.votes)

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
