"""What must follow at a table from its state alone: a full one starts, a finished game is settled, a vote decided."""

from random import Random
from typing import TYPE_CHECKING

from parlour.core import offers
from parlour.core.ballot import OFFERS, REMATCH
from parlour.core.game import NOBODY
from parlour.core.vocab import (
    AnyEvent,
    Cap,
    Closed,
    Decided,
    Finished,
    Kind,
    Leaving,
    Proposed,
    Reason,
    Started,
    Starting,
    TakenBack,
)

if TYPE_CHECKING:
    from parlour.core.table import Table


def may_start(table: "Table") -> bool:
    """Whether everybody is there, and ready where that is asked for."""
    if None in table.seats:
        return False
    return table.policy.starting is Starting.FULL or all(seat is not None and seat.ready for seat in table.seats)


def start(table: "Table", rng: Random) -> Started:
    """The next game."""
    first = 0
    if table.policy.toss and table.game.any_first:
        players = len(table.seats)
        first = rng.randrange(players) if table.starter == NOBODY else (table.starter + 1) % players
    return table.next_game(table.game.settle(table.options, rng), first)


def finish_if_over(table: "Table") -> Finished | None:
    """The end of the running game, if it has come."""
    position = table.position
    assert position is not None
    walked_out = table.ending is Reason.ABANDONED and len(table.seats) == 2
    if _deserted(table) or (walked_out and table.policy.starting is not Starting.LOBBY):
        return table.end((), Reason.ABANDONED)
    if table.ending is Reason.AGREED:
        return table.end((), Reason.AGREED)
    if position.turn != NOBODY:
        return None
    return table.end(position.winners(), table.ending)


def verdict(table: "Table") -> Decided | TakenBack | None:
    """What becomes of the question that is open, or was just agreed on."""
    if table.owed is not None:
        return TakenBack(table.owed, offers.undone(table, table.owed))
    if table.ballot is None:
        return None
    if table.ballot.what in OFFERS and table.ballot.made != len(table.moves):  # somebody has played on
        return Decided(table.ballot.what, False)
    passed = table.ballot.verdict()
    return None if passed is None else Decided(table.ballot.what, passed)


def after_game(table: "Table", rng: Random) -> AnyEvent | None:
    """Another game, the question for it, or the end of the table."""
    if table.again is True and None not in table.seats:
        return start(table, rng)
    if table.again is False and table.policy.leaving is Leaving.ENDS:
        return Closed()
    if table.ballot is not None:
        return verdict(table)
    if table.policy.leaving is Leaving.ENDS and not _may_go_on(table):
        return Closed()
    if table.again is None and _may_go_on(table):
        return Proposed(REMATCH, tuple(range(len(table.seats))))
    return close_if_deserted(table)


def _may_go_on(table: "Table") -> bool:
    """Whether everybody is still there and can say yes or no to another game."""
    return all(seat is not None and (Cap.REMATCH in seat.caps or seat.kind is Kind.ENGINE) for seat in table.seats)


def _deserted(table: "Table") -> bool:
    """Engines alone do not keep a table."""
    return not any(seat is not None and seat.kind is Kind.PERSON for seat in table.seats)


def close_if_deserted(table: "Table") -> Closed | None:
    """The end of a table that nobody keeps."""
    return Closed("deserted") if _deserted(table) else None
