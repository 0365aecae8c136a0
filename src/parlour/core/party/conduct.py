"""What a member's command leads to at a table, whatever kind of table it is."""

from parlour.core.errors import Refusal, Refused
from parlour.core.names import one_line
from parlour.core.party import absent, chairs, coming, consent, games
from parlour.core.party.steps import House, Steps, Tell
from parlour.core.table.ballot import START
from parlour.core.table.deciding import decide
from parlour.core.table.people import Member, opaque
from parlour.core.table.table import Table
from parlour.core.words import (
    Claim,
    Command,
    Entitle,
    Kick,
    Leave,
    Propose,
    Readied,
    Ready,
    Recolour,
    Recoloured,
    Rename,
    Renamed,
    Resign,
    SetBoard,
    SetChair,
    ShowCode,
    Sit,
    StandUp,
    Substitute,
    TakePart,
    Titled,
    Vanish,
    Vote,
    Voted,
    Wish,
)


def conduct(table: Table, house: House, member: Member, command: Command) -> Steps:
    """The steps that a member's command leads to. Raises Refused before the first, or not at all."""
    if type(command) is Vanish:
        return coming.vanish(table, member)
    if type(command) is Leave:
        return coming.leave(table, member)
    if type(command) is Claim:
        return absent.claim(table, house, _seat(member))
    if type(command) is Substitute:
        _seat(member)
        return absent.substitute(table, house, command)
    if type(command) is ShowCode:
        return _show_code(table, house, member)
    if not table.has_lobby:
        return _decided(table, _seat(member), command)
    return _in_lobby(table, house, member, command)


def _in_lobby(table: Table, house: House, member: Member, command: Command) -> Steps:
    match command:
        case Ready(yes=yes):
            return _set_ready(table, member, yes)
        case Wish():
            return consent.wish(table, house, member, command)
        case Sit():
            return chairs.change_place(table, member, command)
        case TakePart():
            return _take_part(table, member)
        case StandUp():
            return chairs.stand_up(table, member)
        case Resign() if len(table.seats) > 2:
            return chairs.stand_up(table, member)
        case Rename(name=name):
            wanted = house.name_for(name, member.account)
            return iter((Renamed(member.id, wanted, -1 if member.seat is None else member.seat),))
        case Recolour(value=value):
            return iter((Recoloured(member.id, opaque(value)),))
        case Propose():
            return consent.propose(table, member, command)
        case Vote(yes=yes):
            return consent.vote(table, member, yes)
        case SetChair():
            return chairs.set_chair(table, command)
        case SetBoard(options=options):
            return chairs.choose_board(table, member, options)
        case Entitle(title=title):
            return iter((Titled(one_line(title)),))
        case Kick(member=number, reason=reason) if number in table.party.members:
            return coming.kick(table, table.party.members[number], reason)
        case Kick():
            raise Refused(Refusal.NO_SUCH_USER)
    return _decided(table, _seat(member), command)


def _decided(table: Table, seat: int, command: Command) -> Steps:
    event = decide(table, seat, command)
    if event is not None:
        yield event


def _seat(member: Member) -> int:
    if member.seat is None:
        raise Refused(Refusal.NOT_SEATED)
    return member.seat


def _show_code(table: Table, house: House, member: Member) -> Steps:
    """Tell the member alone, in words that any wire with a line of text can show."""
    if member.who is not None:
        code = member.code or member.learn_code(coming.new_code(house))
        yield Tell(member.who, coming.code_told(table, code))


def _set_ready(table: Table, member: Member, yes: bool) -> Steps:
    if member.ready != yes:
        yield Readied(member.id, yes)
    if table.policy.start == "ask" and "vote" not in table.party.features and not table.running:
        # Being ready is the only way to ask that every wire with readiness has.
        wants = table.party.wanted(START, member.id) is not None
        if wants != yes:
            yield Voted(member.id, yes, START)


def _take_part(table: Table, member: Member) -> Steps:
    """Take the place of a player who has left the running game; without one, be ready for the next."""
    if table.running:
        if member.seat is not None:
            raise Refused(Refusal.ALREADY_SEATED)
        yield member.joined(games.require_vacancy(table, member))
    if not member.ready:
        yield Readied(member.id)
