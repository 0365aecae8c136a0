"""What the others can do about a player who has been away for long: take the game as won, or let an engine play on."""

from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS
from parlour.core.party.coming import bring_engine, leave
from parlour.core.party.games import after
from parlour.core.party.steps import House, Steps
from parlour.core.table.table import Status, Table
from parlour.core.updates import Announced
from parlour.core.words import Gone, Leaving, Left, Reason, Substitute


def claimable_at(table: Table, number: int) -> float | None:
    """When the absent player of this seat need not be waited for any longer; None while none is absent there."""
    if not table.running or not 0 <= number < len(table.seats):
        return None
    member = table.seats[number]
    if member is not None:
        return member.since + table.policy.claim if member.away else None
    if table.leaving is not Leaving.OPENS:
        return None  # the game does without that seat
    # No move is made while a seat is empty, so its end is among the last records, or very long ago.
    left = (record.at for record in reversed(table.ring) if type(record.event) is Left and record.event.seat == number)
    return next(left, 0.0) + table.policy.claim


def claim(table: Table, house: House, mine: int) -> Steps:
    """The game is won against an absent opponent; one of more than two goes on without the absent."""
    _require_running(table)
    waits = {seat: at for seat in range(len(table.seats)) if (at := claimable_at(table, seat)) is not None}
    gone = [seat for seat, at in waits.items() if seat != mine and at <= house.at]
    if not gone:
        raise Refused(Refusal.TOO_EARLY if waits else Refusal.NOT_AWAY)
    if len(table.seats) == 2:
        yield table.ended((mine,), Reason.ABANDONED)
        yield from after(table)
    for seat in gone:
        member = table.seats[seat]
        if member is not None and table.status is not Status.CLOSED:
            yield from leave(table, member, Gone.CLAIMED)


def substitute(table: Table, house: House, command: Substitute) -> Steps:
    """An engine plays on in the seat of an absent player."""
    _require_running(table)
    number, level = command.seat, command.level
    if level not in LEVELS:
        raise Refused(Refusal.BAD_OPTIONS)
    at = claimable_at(table, number)
    if at is None:
        raise Refused(Refusal.NOT_AWAY)
    if house.at < at:
        raise Refused(Refusal.TOO_EARLY)
    member = table.seats[number]
    if member is not None and member.entered and table.leaving is Leaving.OPENS:
        yield from leave(table, member, Gone.SUBSTITUTED, heirs=False)
        member = None
    # Else the seat changes hands at once: empty, it might end the game for want of players.
    yield from bring_engine(table, level, number, colour=0 if member is None else member.colour)
    if member is not None and member.id in table.party.members:
        engine = table.party.members[table.party.arrivals]
        yield Announced("plays-on", {"name": engine.name, "away": member.name})
        yield from leave(table, member, Gone.SUBSTITUTED)


def _require_running(table: Table) -> None:
    if not table.running:
        raise Refused(Refusal.NOT_PLAYING)
