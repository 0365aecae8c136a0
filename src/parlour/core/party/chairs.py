"""Sitting down and standing up; and two chairs in a room: for people whose wire names their seat before the game.

A plain table has its chairs from the beginning. A room gets them from the member who opens it so, or when such a
person sits down in it; it loses them when the last one has gone and no game is left. While it has them a game is for
two, a leaver's seat stays open with the board as it is, and nothing begins before both are seated and have said yes: by
sitting down the first time, anew after every game.
"""

from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS, Options
from parlour.core.party.coming import bring_engine, enter, leave, require_clock
from parlour.core.party.games import follow, give_up, lay_out, start, vacancy
from parlour.core.party.lineup import agreed, renewing
from parlour.core.party.seating import beside_engine, eligible, fill, lament
from parlour.core.party.steps import House, Steps
from parlour.core.table.people import Member, Participant
from parlour.core.table.table import Table
from parlour.core.updates import ChairsChanged
from parlour.core.words import (
    Asked,
    Chair,
    Furnished,
    Left,
    Readied,
    Rotation,
    SetChair,
    Sit,
    TakeChair,
    Watched,
)

CHAIRS = 2
KINDS = frozenset({"open", "engine", "reserved"})


# --- sitting down -------------------------------------------------------------------------------------------------


def may_pair(table: Table, most: int) -> bool:
    """Whether this is, or can become, a table for two for a wire that goes up to so long a side."""
    if not table.has_lobby or table.policy.rotation is not Rotation.ARRIVAL or _too_long(table, most):
        return False
    ready = sum(member.ready for member in table.party.members.values())
    return bool(table.party.chairs) or (not table.running and ready <= 1)


def chair_for(table: Table, name: str, command: Sit, me: Member | None = None) -> int | None:
    """Where one of this name would sit; None where seats are dealt, and no chair is asked for. Raises Refused."""
    on_chairs, wanted = bool(table.party.chairs), command.seat
    if not on_chairs and not isinstance(command, TakeChair):
        return None
    if table.has_lobby and _too_long(table, command.most):
        raise Refused(Refusal.BAD_OPTIONS)
    if on_chairs:
        return table.require_chair(name, wanted)
    if not may_pair(table, command.most):
        raise Refused(Refusal.TABLE_FULL)
    taken = 0 if any(eligible(member) for member in table.party.members.values() if member is not me) else None
    free = [number for number in range(CHAIRS) if number != taken]
    if wanted is not None and wanted not in free:
        raise Refused(Refusal.SEAT_TAKEN)
    return free[0] if wanted is None else wanted


def sit(table: Table, house: House, who: Participant, command: Sit) -> Steps:
    """A newcomer sits down; where seats are dealt, they only come, unless they need a chair."""
    require_clock(who.caps, table.policy)
    chair = chair_for(table, who.name, command)
    if chair is not None:
        yield from _bring_in(table)
    yield from enter(table, house, who, name=who.name, confirms=chair is not None, chair=chair, most=command.most)


def change_place(table: Table, member: Member, command: Sit) -> Steps:
    """A member sits down, or moves between games; where seats are dealt, they play now or in the next game."""
    require_clock(member.caps, table.policy)
    chair = chair_for(table, member.name, command, member)
    if chair is None:
        if table.running and member.seat is not None:
            raise Refused(Refusal.ALREADY_SEATED)
        if member.watches:
            yield Watched(member.id, watches=False, confirms=member.confirms)
        if table.running and (seat := vacancy(table, member)) is not None:
            yield member.joined(seat)
    else:
        if table.party.chairs and member.seat is not None:
            if table.running:
                raise Refused(Refusal.ALREADY_PLAYING)
            yield Left(member.seat, member.id, stays=True)
        yield from _bring_in(table)
        if member.seat is None:  # bringing in the chairs seats those who are ready
            yield member.joined(chair)
        yield Watched(member.id, watches=False, confirms=True)
    if not member.ready:
        yield Readied(member.id)


def stand_up(table: Table, member: Member) -> Steps:
    """Leave the running game, or the chair, and stay to look on; only one who leaves a chair is ready no longer."""
    on_chair = bool(table.party.chairs)
    if not on_chair and not table.running:
        raise Refused(Refusal.NOT_PLAYING)
    if member.seat is None:
        raise Refused(Refusal.NOT_SEATED)
    yield from give_up(table, member, stays=True)
    if on_chair and member.ready:
        yield Readied(member.id, False)
    if member.confirms != member.watches:
        yield Watched(member.id, member.confirms, member.confirms)
    yield from fill(table)
    yield from follow(table)
    yield from lament(table, member)


def _bring_in(table: Table) -> Steps:
    """The room has chairs from now on, on which those who are ready sit already."""
    if not table.party.chairs:
        yield Furnished(("",) * CHAIRS)
        yield from fill(table)
        yield from lay_out(table, table.options)


# --- what chairs are meant for --------------------------------------------------------------------------------------


def check_chair(chair: Chair) -> None:
    """Refuse what no chair can be meant for."""
    if chair.kind not in KINDS or (chair.kind == "engine" and chair.level not in LEVELS):
        raise Refused(Refusal.BAD_OPTIONS)


def own_chair(chairs: tuple[Chair, ...], name: str) -> int:
    """Where the member sits who opens a table so: in the chair kept for them, or in an open one. Raises Refused."""
    for chair in chairs:
        check_chair(chair)
    if all(chair.kind == "engine" for chair in chairs):
        raise Refused(Refusal.BAD_OPTIONS)
    for number in sorted(range(len(chairs)), key=lambda number: chairs[number].kind != "reserved"):
        chair = chairs[number]
        if chair.kind == "open" or (chair.kind == "reserved" and chair.name in ("", name)):
            return number
    raise Refused(Refusal.TABLE_FULL)


def furnish(table: Table, chairs: tuple[Chair, ...], mine: int | None = None) -> Steps:
    """Set up the chairs of a new table; the engine sits down first, so that its opener hears of it once."""
    yield Furnished(tuple(chair.name if chair.kind == "reserved" else "" for chair in chairs))
    for number, chair in enumerate(chairs):
        if chair.kind == "engine" and number != mine:
            yield from bring_engine(table, chair.level, number, chair.name)


def set_chair(table: Table, command: SetChair) -> Steps:
    """What a chair is meant for from now on."""
    number, chair = command.seat, command.chair
    check_chair(chair)
    if not 0 <= number < len(table.party.chairs):
        raise Refused(Refusal.BAD_OPTIONS)
    holder = table.seats[number]
    if holder is not None and holder.is_person:
        raise Refused(Refusal.SEAT_TAKEN)
    if chair.kind == "engine" and beside_engine(table, number):
        raise Refused(Refusal.BAD_OPTIONS)
    kept = chair.name if chair.kind == "reserved" else ""
    yield Furnished(tuple(kept if n == number else old for n, old in enumerate(table.party.chairs)))
    if holder is not None:
        yield from leave(table, holder, heirs=False)  # or a member who has waited would be faster
    if chair.kind == "engine":
        yield from bring_engine(table, chair.level, number, chair.name)


# --- the board ------------------------------------------------------------------------------------------------------


def choose_board(table: Table, member: Member, options: Options) -> Steps:
    """The member who was asked may choose, and think again until the game begins."""
    if not table.party.chairs:
        raise Refused(Refusal.NO_ROOM)
    if member.seat is None:
        raise Refused(Refusal.NOT_SEATED)
    if table.running:
        raise Refused(Refusal.ALREADY_PLAYING)
    if table.party.chosen and table.party.chooser != member.id:
        raise Refused(Refusal.NOT_YOUR_TURN)
    options = table.game.options({**table.options, **options})  # refuses what is no board
    if max(table.game.board(options)) > longest_side(table):
        raise Refused(Refusal.BAD_OPTIONS)
    yield from lay_out(table, options, member.id)


def longest_side(table: Table) -> int:
    """Of a board that every member who confirms games can say."""
    return min((member.most for member in table.party.members.values() if member.confirms), default=50)


def _too_long(table: Table, most: int) -> bool:
    return max(*table.game.board(table.party.board), *table.game.board(table.options)) > most


# --- what follows -----------------------------------------------------------------------------------------------------


def settle(table: Table, house: House) -> Steps:
    """Everything that follows from who sits on the chairs and who is ready."""
    if not table.running and not any(member.confirms for member in table.party.members.values()):
        yield Furnished(())  # no member needs chairs any more
        yield from tell_chairs(table)
        return
    if not table.running:
        for member in table.seats:
            if member is not None and not member.ready and not member.confirms:
                assert member.seat is not None
                yield Left(member.seat, member.id, stays=True)
    yield from fill(table)
    yield from tell_chairs(table)
    if not table.running:
        yield from _ask_for_board(table)
        if renewing(table) and agreed(table) and house.refusing is None:
            yield from start(table, house)


def tell_chairs(table: Table) -> Steps:
    if table.told_chairs != (now := (*table.seats, *table.party.chairs)):
        yield ChairsChanged(now)


def _ask_for_board(table: Table) -> Steps:
    party = table.party
    seated = [member for member in table.seats if member is not None]
    if party.chosen or any(member.id == party.chooser for member in seated):
        return
    chooser = next((member for member in seated if member.confirms and member.willing), None)
    if chooser is not None:
        yield Asked(chooser.id)
    elif not renewing(table) and any(member.is_person for member in seated):  # no one to ask
        yield from lay_out(table, table.options)
