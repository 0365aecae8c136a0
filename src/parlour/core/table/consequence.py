"""What must follow from the state of a game alone: its end, the answer to an offer, the next game on full seats."""

from random import Random

from parlour.core.game import NOBODY
from parlour.core.table.ballot import OFFERS, REMATCH
from parlour.core.table.table import Status, Table
from parlour.core.words import (
    AnyEvent,
    Arranged,
    Cap,
    Closed,
    Decided,
    Finished,
    First,
    Kind,
    Leaving,
    Proposed,
    Reason,
    Started,
    Starting,
    TakenBack,
)


def consequence(table: Table) -> AnyEvent | None:
    """The next event that follows in the running game; None while it only waits for its players."""
    return finish_if_over(table) or verdict(table) if table.running else None


def when_full(table: Table, rng: Random) -> AnyEvent | None:
    """What follows between games where one begins as soon as every seat is taken."""
    if table.status is Status.OVER:
        return _after_game(table, rng)
    waits = None in table.seats or table.policy.starting is Starting.TOLD
    return _close_if_deserted(table) if waits else start(table, rng)


def start(table: Table, rng: Random) -> Started:
    """The next game on these seats."""
    players = len(table.seats)
    options = table.game.settle(table.game.seated(table.options, players), rng)
    return table.begun(options, _first(table, rng, players))


def _first(table: Table, rng: Random, players: int) -> int:
    """Who begins: a toss or the choice of seats in the first game, then the seats take turns."""
    if not table.game.any_first:
        return 0
    if not table.party.chairs and "random-start" in table.party.features:
        return rng.randrange(players)
    if table.policy.first is First.SEAT_0:
        return 0
    if table.starter == NOBODY:
        return rng.randrange(players) if table.policy.first is First.TOSS else 0
    return (table.starter + 1) % players


def _swapped(table: Table) -> Arranged | None:
    """The seats in another order, where that is the way to take turns at beginning."""
    if not table.game.swaps or table.policy.first is First.SEAT_0:
        return None
    order = [*table.seats[1:], table.seats[0]]
    seats = tuple(member.joined(seat) for seat, member in enumerate(order) if member is not None)
    return Arranged(table.options, seats, table.leaving)


def finish_if_over(table: Table) -> Finished | None:
    """The end of the running game, if it has come."""
    position = table.position
    assert position is not None
    if table.deserted():
        return table.ended((), Reason.ABANDONED)
    if position.turn == NOBODY:
        return None if _awaits_verdict(table) else table.ended(position.winners(), table.ending)
    return None if table.ending is Reason.PLAYED_OUT else table.ended((), table.ending)


def _awaits_verdict(table: Table) -> bool:
    """Whether the board is played out and the server that is visited has yet to say what came of it."""
    told = table.policy.starting is Starting.TOLD and table.ending is Reason.PLAYED_OUT
    return told and None not in table.seats


def verdict(table: Table) -> Decided | TakenBack | None:
    """What becomes of the question that is open among the seats, or was just agreed on."""
    if table.owed is not None:
        return TakenBack(table.owed, len(table.by) - table.by.rindex(table.owed))
    if table.ballot is None:
        return None
    if table.ballot.what in OFFERS and table.ballot.made != len(table.moves):  # a move declines
        return Decided(table.ballot.what, False)
    passed = table.ballot.verdict()
    return None if passed is None else Decided(table.ballot.what, passed)


def _after_game(table: Table, rng: Random) -> AnyEvent | None:
    """Another game, the question for it, or the end of the table."""
    ends = table.leaving is Leaving.ENDS
    if table.again is True and None not in table.seats:
        return None if table.policy.starting is Starting.TOLD else _swapped(table) or start(table, rng)
    if table.again is False and ends:
        return Closed()
    if table.ballot is not None:
        return verdict(table)
    if _may_go_on(table):
        return Proposed(REMATCH, tuple(range(len(table.seats)))) if table.again is None else _close_if_deserted(table)
    return Closed() if ends else _close_if_deserted(table)


def _may_go_on(table: Table) -> bool:
    """Whether every player is still there and can say yes or no to another game."""
    return all(seat is not None and (Cap.REMATCH in seat.caps or seat.kind is Kind.ENGINE) for seat in table.seats)


def _close_if_deserted(table: Table) -> Closed | None:
    return Closed("deserted") if table.deserted() else None
