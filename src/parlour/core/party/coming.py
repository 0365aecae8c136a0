"""Coming to a table and leaving it; going away for a while, and coming back by token or by code.

A member whose connection is gone keeps the place for a while: in the party, in the seat and on the chair. Their say is
neither waited for nor counted, and a game waits for them when it is their turn. People whose program has no word for
coming back may ask for a code, short enough to be read off one screen and typed into another program.
"""

import base64
import hashlib

from parlour.core.errors import Refusal, Refused
from parlour.core.party.games import follow, give_up, has_gap, shut
from parlour.core.party.seating import fill, lament
from parlour.core.party.steps import Attach, Detach, House, Steps, Tell
from parlour.core.table.people import Member, Participant, digest, opaque
from parlour.core.table.stream import records_since
from parlour.core.table.table import Table
from parlour.core.updates import Announced, CaughtUp, Evicted, Kicked, Seated
from parlour.core.words import Asked, Cap, Entered, Gone, Held, Joined, Kind, Policy, Resumed, Went

CODE_LENGTH = 6
_RESUME = int(Cap.RESUME)

Known = tuple[str, str, Kind, int, str, str, str]
"""What `Entered` and `Joined` both say of a newcomer: the name, the wire and so on."""
Manners = tuple[int, bool, bool, bool, int]
"""What `Entered` says beyond that."""


def require_clock(caps: Cap, policy: Policy) -> None:
    """Refuse a wire that cannot show the table's clock."""
    if policy.clock and Cap.CLOCK not in caps:
        raise Refused(Refusal.NO_CLOCK)


# --- coming -------------------------------------------------------------------------------------------------------


def enter(
    table: Table,
    house: House,
    who: Participant,
    *,
    name: str = "",
    colour: int | None = None,
    ready: bool = True,
    votes: bool = False,
    confirms: bool = False,
    chair: int | None = None,
    most: int = 50,
    code: str = "",
) -> Steps:
    """A newcomer comes, and looks on until the next game begins, or sits down at once.

    One who was in the audience hears of it by the snapshot, as others do.
    """
    if who.table is table:
        yield Detach(who)
    number = table.party.arrivals + 1
    caps = int(who.caps)
    token, token_digest = _new_token(house, caps, who.place_token)
    if colour and any(member.shown_colour == opaque(colour) for member in table.party.members.values()):
        colour = None  # two who look alike could not be told apart
    known = (name or f"User {number}", who.wire, who.kind, caps, token_digest, who.level, who.account)
    yield _arrival(table, chair, number, known, (colour or 0, ready, votes, confirms, most))
    yield Attach(who, number, token, code=code)
    member = table.party.members[number]
    if chair is not None and member.seat is None:
        yield member.joined(chair)


def bring_engine(table: Table, level: str, chair: int | None = None, name: str = "", colour: int = 0) -> Steps:
    """An engine comes, and sits down if there is a chair for it; the hub hires it."""
    number = table.party.arrivals + 1
    known = (name or engine_name(level, table), "engine", Kind.ENGINE, int(Cap.ALL & ~Cap.RESUME), "", level, "")
    yield _arrival(table, chair, number, known, (colour, True, False, False, 50))
    member = table.party.members[number]
    if chair is not None and member.seat is None:
        yield member.joined(chair)


def engine_name(level: str, table: Table | None = None) -> str:
    """What an engine is called that has no other name; told apart where there are several."""
    name = f"Parlour ({level})"
    taken = set() if table is None else {member.name for member in table.party.members.values()}
    if name not in taken:
        return name
    return next(f"{name} {n}" for n in range(2, len(taken) + 3) if f"{name} {n}" not in taken)


def _arrival(table: Table, chair: int | None, number: int, known: Known, manners: Manners) -> Entered | Joined:
    """How it is written that a newcomer is here: come to the lobby, or come with a seat."""
    return Entered(number, *known, *manners) if chair is None or table.has_lobby else Joined(chair, *known, number)


def _new_token(house: House, caps: int, known: str = "") -> tuple[str, str]:
    """A token for a participant who can come back with it, and what is kept of it; nothing for others.

    A token that the participant's process knows is kept in any case.
    """
    token = known or (house.new_secret(32) if caps & _RESUME else "")
    return token if caps & _RESUME else "", digest(token) if token else ""


# --- leaving ------------------------------------------------------------------------------------------------------


def leave(table: Table, member: Member, why: Gone = Gone.LEFT, heirs: bool = True) -> Steps:
    """A member goes. A table that no one keeps is closed."""
    if member.who is not None:
        yield Detach(member.who)
    had_seat = member.seat is not None
    if had_seat:
        yield from give_up(table, member, stays=False, why=why)
    if member.id not in table.party.members:
        return  # who came with a seat has gone with it
    if had_seat and heirs:
        yield from fill(table)
    yield from follow(table)
    if not any(other.keeps_table for other in table.party.members.values() if other is not member):
        yield from shut(table)
        return
    if had_seat:
        yield from lament(table, member)
    yield Went(member.id, why)


def kick(table: Table, member: Member, reason: str) -> Steps:
    """Send a member away."""
    return send_away(table, member, Kicked(reason))


def send_away(table: Table, member: Member, told: Kicked) -> Steps:
    """The same, with what they are told."""
    if member.who is not None:
        yield Tell(member.who, told)
    if table.party.members.get(member.id) is member:  # it may have left on hearing that
        yield from leave(table, member, Gone.KICKED)


def vanish(table: Table, member: Member) -> Steps:
    """The member's connection is gone: the place is kept for one who can come back."""
    if not _may_return(table, member):
        yield from leave(table, member)
        return
    if member.who is not None:
        yield Detach(member.who)
    yield Held(-1 if member.seat is None else member.seat, member.id)
    yield Announced("lost-connection", {"name": member.name})


def _may_return(table: Table, member: Member) -> bool:
    """By token or, in a game, by code. A member who only looks on can come anew."""
    by_code = member.code and member.seat is not None and table.running
    return bool(member.returns or by_code) and member.keeps_table and table.policy.hold > 0


# --- coming back ----------------------------------------------------------------------------------------------------


def come_back(table: Table, house: House, who: Participant, member: Member, since: int) -> Steps:
    """A participant has the token of a member: they are the same. A connection that is still there is cut off."""
    yield from _replace(member, who)
    missed = records_since(table.ring, since)
    yield Tell(who, CaughtUp(table, member.seat, missed, member, house.at))
    yield from _ask_again(table, member)


def take_over(table: Table, house: House, who: Participant, code: str) -> Steps:
    """A participant takes the place of the member with this code. Raises Refused."""
    code = code.strip().lower()
    known = (*table.party.members.values(), *table.party.cast)
    member = next((member for member in known if code and member.code == code), None)
    if member is None:
        raise Refused(Refusal.BAD_TOKEN)
    if table.party.members.get(member.id) is not member:
        yield from _return(table, house, who, member)
        return
    token, token_digest = _new_token(house, int(who.caps))
    yield from _replace(member, who, token_digest)
    yield Tell(who, Seated(table, member.seat, token, member, house.at))
    yield from _ask_again(table, member)


def _replace(member: Member, who: Participant, token_digest: str = "") -> Steps:
    """Another connection is the member's from now on; the old one, if it is still there, is told so."""
    old, was_away = member.who, member.away
    if old is not None:
        yield Detach(old)
        yield Tell(old, Evicted(Refusal.SEAT_TAKEN))
    seat = -1 if member.seat is None else member.seat
    if (who.wire, who.caps) == (member.wire, member.caps):
        yield Resumed(seat, token_digest, member=member.id)
    else:
        yield Resumed(seat, token_digest, who.wire, int(who.caps), member.id)
    if was_away:
        yield Announced("back", {"name": member.name})
    yield Attach(who, member.id, welcome=False)


def _return(table: Table, house: House, who: Participant, was: Member) -> Steps:
    """A person comes in who was here, and has the seat again that no one has taken since."""
    seat = table.party.cast.index(was)
    if not table.running:
        raise Refused(Refusal.BAD_TOKEN)
    on_chairs = bool(table.party.chairs)
    if on_chairs:
        table.require_chair(was.name, seat)
    elif not has_gap(table):
        raise Refused(Refusal.TABLE_FULL)
    yield from enter(table, house, who, name=was.name, colour=was.colour, confirms=on_chairs, chair=seat, code=was.code)


def _ask_again(table: Table, member: Member) -> Steps:
    """What the member was asked on another connection is asked on this one, too."""
    if table.party.chooser == member.id and not table.party.chosen:
        yield Asked(member.id)


# --- codes --------------------------------------------------------------------------------------------------------


def new_code(house: House) -> str:
    """Letters, and digits that cannot be taken for letters."""
    secret = hashlib.blake2b(house.new_secret(32).encode()).digest()
    return base64.b32encode(secret).decode()[:CODE_LENGTH].lower()


def code_told(table: Table, code: str) -> Announced:
    """What a member is told who asks for the code, on one line."""
    return Announced("seat-code", {"table": table.id, "code": code})
