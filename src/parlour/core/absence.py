"""Users of a room whose connection is gone: they keep their place for a while, and come back by their token or code.

Meanwhile somebody stands in for them who hears nothing and says nothing, so to the rest of the room they are users
like any other, but for their say: it is neither waited for nor counted. A game waits for them when it is their turn.
"""

from typing import TYPE_CHECKING

from parlour.core.errors import Refusal, Refused
from parlour.core.game import NOBODY
from parlour.core.news import BoardWanted, UserAway, UserBack
from parlour.core.seating import Participant, Seat
from parlour.core.stream import records_since
from parlour.core.vanished import Lost
from parlour.core.vocab import Cap, CaughtUp, Evicted, Gone, Held, Joined, Resumed, Told

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.lobby import Room
    from parlour.core.users import User


def may_return(room: "Room", user: "User") -> bool:
    """Whether a place is kept for this user: by token or, in a game, by code. Who only watches can come anew."""
    return bool(user.key or (user.code and user.playing)) and user.keeps_room and room.table.policy.hold > 0


def step_out(room: "Room", hub: "Hub", user: "User") -> None:
    """The user's connection is gone, and another may come."""
    _connect(room, user, stand_in(user.joined(NOBODY)))
    room.wishes.drop(user)
    room.voting.drop(user)
    if room.pair is not None:
        room.pair.excuse(user)
    hold(room, hub, user)
    room.tell(UserAway(user))
    room.announce(f"{user.name} has lost the connection, and may come back.")
    room.settle()


def hold(room: "Room", hub: "Hub", user: "User") -> None:
    """Keep the place of a user for whom somebody stands in, but not for ever."""
    absence = user.absence = object()
    if user.seat is not None:
        hub.happen(room.table, Held(user.seat))

    def give_up() -> None:
        if user.absence is absence and room.users.get(user.who) is user:
            hub.annex(Lost).note(user.key, Refusal.SEAT_GIVEN_UP)
            room.leave(user.who, why=Gone.GIVEN_UP)

    hub.alarm(room.table.policy.hold, give_up)


def come_back(room: "Room", hub: "Hub", who: Participant, key: str, since: int) -> None:
    """Somebody has the token of a user: they are the same. A connection that is still there is cut off."""
    user = next((user for user in room.users.values() if user.key == key), None)
    if user is None:
        raise Refused(hub.annex(Lost).why(key, Refusal.BAD_TOKEN))
    replace(room, hub, user, who)
    who.tell(CaughtUp(room.table, user.seat, records_since(room.table.ring, since), user))
    ask_again(room, user)
    room.settle()


def replace(room: "Room", hub: "Hub", user: "User", who: Participant, key: str = "") -> None:
    """Another connection is the user's from now on; the old one, if it is still there, is told so."""
    if not user.absent:
        old = user.who
        _connect(room, user, stand_in(user.joined(NOBODY)))
        old.tell(Evicted(Refusal.SEAT_TAKEN))
    was_away, user.absence = user.absent, None
    seat = None if user.seat is None else room.table.seats[user.seat]
    if user.seat is not None and seat is not None:
        hub.happen(room.table, back_by(who, seat, user.seat, key))
    if was_away:
        room.tell(UserBack(user))
        room.announce(f"{user.name} is back.")
    _connect(room, user, who)


def ask_again(room: "Room", user: "User") -> None:
    """What the user was asked on another connection is asked on this one, too."""
    if room.pair is not None and room.pair.board is None and room.pair.chooser is user:
        user.who.tell(BoardWanted())


def back_by(who: Participant, seat: Seat, number: int, key: str = "") -> Resumed:
    """Somebody is back in this seat; by another wire, perhaps, than they left it by."""
    if (who.wire, who.caps) == (seat.wire, seat.caps):
        return Resumed(number, key)
    return Resumed(number, key, who.wire, int(who.caps))


def stand_in(was: Joined) -> Participant:
    """Somebody in the place of a person who was in this seat, or would be."""
    who = Participant(_hear_nothing, was.name, was.wire, Cap(was.caps), was.kind, was.level)
    who.account = was.account
    return who


def _hear_nothing(_: Told) -> None:
    pass


def _connect(room: "Room", user: "User", who: Participant) -> None:
    """From now on this is who speaks for the user, and is told what the user is told."""
    old, seat = user.who, user.seat
    room.table.detach(old)
    user.who = who
    room.users = {other.who: other for other in room.users.values()}
    room.table.attach(who, seat)
