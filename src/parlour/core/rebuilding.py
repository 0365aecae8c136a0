"""A room read from the log: who was playing in it is away now, and has a while to come back."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlour.core import absence
from parlour.core.lobby import Room
from parlour.core.pair import Pair
from parlour.core.users import User
from parlour.core.vocab import Arranged, Gone, Joined, Kind, Leaving, Left, Seated

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.roomwords import RoomWish
    from parlour.core.table import Table
    from parlour.core.vocab import Record

MOST = 50
"""Dots in a row that whoever can come back can say."""


def rebuild(hub: "Hub", wish: "RoomWish", table: "Table", records: "Sequence[Record]") -> Room:
    """The room around this table, with its chairs and engines, and everybody away who can come back."""
    room = Room(hub, wish, table)
    room.size = room.next_size
    room.dealt, everybody = _cast(records)
    for joined in everybody:
        _bring(room, hub, joined)
    if table.policy.leaving is Leaving.OPENS:
        _set_chairs(room, hub)
    return room


def settle(room: Room, hub: "Hub") -> None:
    """Give up what nobody can return to, hold the rest, and let the engines look at the board."""
    table = room.table
    for number, seat in enumerate(table.seats):
        if seat is not None and seat.who is None:
            hub.happen(table, Left(number, Gone.RESTARTED))
    for user in tuple(room.users.values()):
        if user.is_person:
            absence.hold(room, hub, user)
    hub.settle(table)
    for user in tuple(room.users.values()):
        if not user.is_person:
            user.who.tell(Seated(table, user.seat))


def _cast(records: "Sequence[Record]") -> tuple[int, list[Joined]]:
    """How many the running or last game was dealt to, and by seat who has had a part in it last."""
    dealt, everybody = 0, list[Joined]()
    for record in records:
        event = record.event
        if isinstance(event, Arranged):
            dealt, everybody = len(event.seats), list(event.seats)
        elif isinstance(event, Joined):
            everybody[event.seat : event.seat + 1] = [event]
    return dealt, everybody


def _bring(room: Room, hub: "Hub", joined: Joined) -> None:
    """Make a user of whoever has had this seat; one who is still in it is in the room."""
    room.arrivals += 1
    seat = room.table.seats[joined.seat]
    if joined.kind is Kind.ENGINE:
        who = hub.engines.hire(room.table.game, joined.level, joined.name)
    else:
        who = absence.stand_in(joined)
        if seat is not None:  # they may have gone on in another program
            who.wire, who.caps = seat.wire, seat.caps
    user = User(room.arrivals, who, joined.name, None, ready=True, votes=False)
    room.seated.append(user)
    if seat is not None and (seat.key or seat.kind is Kind.ENGINE):
        user.key = seat.key
        room.users[who] = user
        room.table.attach(who, joined.seat)


def _set_chairs(room: Room, hub: "Hub") -> None:
    """The last game was one for two, and the next one is for whoever of them comes back."""
    room.pair = Pair(room, hub, MOST)
    room.pair.board = room.size
    for user in room.users.values():
        assert user.seat is not None
        room.pair.chairs[user.seat] = user
        user.renews = user.is_person
