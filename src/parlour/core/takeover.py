"""Taking over one's own place in a room from elsewhere, by a code short enough to be read off one screen and typed.

It is for people whose program has no word for coming back: whoever shows them their code lets them go on in another
program, with the first one still there or gone. Who has seen the code and vanishes from a game is waited for like
somebody with a token, and may return even later where the seat is still empty. Codes are not journaled.
"""

import base64
import hashlib
from typing import TYPE_CHECKING

from parlour.core import absence, places
from parlour.core.errors import Refusal, Refused
from parlour.core.news import Announced, Entered

if TYPE_CHECKING:
    from parlour.core.hub import Hub
    from parlour.core.lobby import Room
    from parlour.core.roomwords import TakeOver
    from parlour.core.seating import Participant
    from parlour.core.users import User

LENGTH = 6


def code_of(user: "User", hub: "Hub") -> str:
    """The user's code: letters, and digits that cannot be taken for letters."""
    if not user.code:
        secret = hashlib.blake2b(hub.new_secret(32).encode()).digest()
        user.code = base64.b32encode(secret).decode()[:LENGTH].lower()
    return user.code


def show_code(user: "User", hub: "Hub") -> None:
    """Tell the user alone."""
    user.who.tell(seat_code(user, hub))


def seat_code(user: "User", hub: "Hub") -> Announced:
    """How the user can go on in another program."""
    assert user.who.table is not None  # a user is in a room, and that is around a table
    return Announced("seat-code", {"table": user.who.table.id, "code": code_of(user, hub)})


def take_over(hub: "Hub", who: "Participant", command: "TakeOver") -> None:
    """Let somebody into the place of the user with this code. Raises Refused."""
    hub.require_free(who)
    room = hub.require_room(command.table)
    code = command.code.strip().lower()
    user = next((user for user in (*room.users.values(), *room.seated) if code and user.code == code), None)
    if user is None:
        raise Refused(Refusal.BAD_TOKEN)
    if room.users.get(user.who) is user:
        token, user.key = room.new_key(who)
        absence.replace(room, hub, user, who, user.key)
        who.tell(Entered(room, user, token))
        absence.ask_again(room, user)
        room.settle()
    else:
        _return(room, hub, who, user)


def _return(room: "Room", hub: "Hub", who: "Participant", was: "User") -> None:
    """Somebody comes in who was here, and has the seat again that nobody has taken since."""
    seat = room.seated.index(was)
    if not room.table.running:
        raise Refused(Refusal.BAD_TOKEN)
    if room.pair is not None:
        room.pair.require_chair(was.name, seat)
    elif not places.has_gap(room):
        raise Refused(Refusal.TABLE_FULL)
    chairs = room.pair is not None
    room.enter(who, name=was.name, colour=was.colour, renews=chairs, chair=seat if chairs else None, settle=False)
    user = room.users[who]
    user.code = was.code
    if not chairs:
        room.seated[seat] = user
        places.play_from(room, hub, user, seat)
    room.settle()
