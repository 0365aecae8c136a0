"""Taking a place in a room's game and giving it up: in a game for many, or on one of two chairs."""

from typing import TYPE_CHECKING, assert_never

from parlour.core.asking import Wishes
from parlour.core.errors import Refusal, Refused
from parlour.core.game import Joinable
from parlour.core.pair import Pair
from parlour.core.roomwords import Entitle, LeaveChair, SetBoard, SetChair, TakeChair
from parlour.core.vocab import Left

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.lobby import Room
    from parlour.core.seating import Participant
    from parlour.core.users import User

SEATS_IN_ALL = 26
"""The most who have a part in one game, with those who left it."""


# --- in a running game --------------------------------------------------------------------------------------------


def stand_up(room: "Room", hub: "Hub", user: "User") -> None:
    """Leave the running game, and stay in the room."""
    table = room.table
    if not table.running:
        raise Refused(Refusal.NOT_PLAYING)
    seat = user.seat
    if seat is None:
        raise Refused(Refusal.NOT_SEATED)
    if room.pair is not None:
        room.pair.stand_up(user)
    else:
        table.detach(user.who)
        table.attach(user.who, None)
        room.wishes.drop(user)
        hub.happen(table, Left(seat))
    hub.settle(table)


def take_part(room: "Room", hub: "Hub", user: "User") -> None:
    """Take the place of somebody who has left the running game; without one, be ready for the next."""
    table = room.table
    if not table.running:
        room.set_ready(user, True)
        return
    if user.seat is not None:
        raise Refused(Refusal.ALREADY_SEATED)
    if room.pair is not None:
        room.pair.move(user, None)
        room.set_ready(user, True)
        return
    seat = _vacancy(room, user)
    if seat is None:
        raise Refused(Refusal.TABLE_FULL)
    if seat == len(room.seated):
        room.seated.append(user)
    play_from(room, hub, user, seat)


def play_from(room: "Room", hub: "Hub", user: "User", seat: int) -> None:
    """A spectator plays from now on, in an empty seat that is this user's already or a new one."""
    room.table.watchers.remove(user.who)
    user.who.seat = seat
    hub.happen(room.table, user.joined(seat))
    room.table.attach(user.who, seat)


def _vacancy(room: "Room", user: "User") -> int | None:
    """A seat for one more player, where somebody has left: one's own, or a new one, for boxes keep their owner."""
    seats = room.table.seats
    if not has_gap(room):
        return None
    if user in room.seated:
        return room.seated.index(user)
    return len(seats) if len(seats) < SEATS_IN_ALL else None


def has_gap(room: "Room") -> bool:
    """Whether somebody has left the running game whose place nobody has taken."""
    seats = room.table.seats
    return sum(seat is not None for seat in seats) < room.dealt and isinstance(room.table.position, Joinable)


def sit_down(room: "Room", hub: "Hub", user: "User", wanted: int | None) -> None:
    """Play, now or in the next game, whatever kind of room this is."""
    hub.require_clock(user.who, room.table.policy)
    if room.pair is not None:
        change_chair(room, hub, user, TakeChair(room.table.id, wanted))
        return
    if room.table.running and user.seat is not None:
        raise Refused(Refusal.ALREADY_SEATED)
    user.watches = False
    if room.table.running and _vacancy(room, user) is not None:
        take_part(room, hub, user)
    room.set_ready(user, True)


def come_to_play(room: "Room", hub: "Hub", who: "Participant", wanted: int | None) -> None:
    """Come in, on a chair if the room has chairs, and ready to play if not."""
    hub.require_clock(who, room.table.policy)
    if room.pair is not None:
        take_chair(room, hub, who, TakeChair(room.table.id, wanted))
    else:
        room.enter(who, name=who.name)


# --- on two chairs ------------------------------------------------------------------------------------------------


def may_pair(room: "Room", most: int) -> bool:
    """Whether this is, or can become, a table for two for somebody whose wire goes up to so many dots."""
    if max(*room.size, *room.next_size) > most:
        return False
    return room.pair is not None or (not room.table.running and sum(user.ready for user in room.users.values()) <= 1)


def chair_for(room: "Room", hub: "Hub", name: str, most: int) -> int:
    """Where somebody of this name would sit."""
    return _pair(room, hub, most).require_chair(name, None)


def take_chair(room: "Room", hub: "Hub", who: "Participant", command: TakeChair) -> None:
    """Somebody from outside sits down."""
    hub.require_free(who)
    hub.require_open_house()
    hub.require_clock(who, room.table.policy)
    pair = _pair(room, hub, command.most)
    chair = pair.require_chair(who.name, command.seat)
    _bring_in(room, pair, command.most)
    room.enter(who, name=who.name, renews=True, chair=chair)


def change_chair(room: "Room", hub: "Hub", user: "User", command: TakeChair) -> None:
    """Somebody who is here sits down, or moves."""
    hub.require_clock(user.who, room.table.policy)
    pair = _pair(room, hub, command.most)
    pair.move(user, command.seat)
    _bring_in(room, pair, command.most)
    user.renews, user.watches, room.resting = True, False, False
    room.note_ready(user, True)
    room.settle()


def change_pair(room: "Room", user: "User", command: LeaveChair | SetChair | SetBoard | Entitle) -> None:
    """Whatever else can be done about a table for two."""
    if room.pair is None:
        raise Refused(Refusal.NO_ROOM)
    match command:
        case LeaveChair():
            room.pair.stand_up(user)
            user.watches = user.renews
        case SetChair(seat=seat, chair=chair):
            room.pair.furnish(seat, chair)
        case SetBoard(width=width, height=height):
            room.pair.choose_board(user, width, height)
        case Entitle(title=title):
            room.title = title
        case _:
            assert_never(command)
    room.settle()


def _pair(room: "Room", hub: "Hub", most: int) -> Pair:
    """The chairs, or those that can be brought in, on which whoever is ready here sits already."""
    if not may_pair(room, most):
        raise Refused(Refusal.TABLE_FULL if max(*room.size, *room.next_size) <= most else Refusal.BAD_OPTIONS)
    if room.pair is not None:
        return room.pair
    pair = Pair(room, hub, most)
    pair.fill()
    return pair


def _bring_in(room: "Room", pair: Pair, most: int) -> None:
    """These are the room's chairs from now on, and somebody sits there who can say so many dots."""
    pair.most = min(pair.most, most)
    if room.pair is None:
        room.pair = pair
        room.wishes = Wishes()  # they were for a game of any number
        room.lay_out(*room.next_size)
