"""What the log keeps of ratings: the marks of closed periods, and the rated games that came after them."""

import itertools
import sqlite3
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from parlour.core.rated import Mark, Outcome
from parlour.store.base import RatingsKept

_COLUMNS = ", ".join(Mark.__struct_fields__)


def read_marks(connection: sqlite3.Connection, account: str) -> list[Mark]:
    """Every rating mark of a player, in the order of the periods."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM rating WHERE account = ? ORDER BY period, ladder",  # noqa: S608 - names of ours
        (account,),
    )
    return [Mark(*row) for row in rows.fetchall()]


def read_ratings(connection: sqlite3.Connection) -> RatingsKept:
    """The last rating mark of every account on every ladder, and the rated games since."""
    connection.execute("BEGIN")
    marks = [
        # Of an aggregate's other columns SQLite takes those of the row with the maximum.
        Mark(*row[:-1])
        for row in connection.execute(f"SELECT {_COLUMNS}, max(period) FROM rating GROUP BY account, ladder")  # noqa: S608
    ]
    rows = connection.execute(
        "SELECT rated, game, at, account, place FROM result WHERE rated > ? ORDER BY rated, seat",
        (max((mark.upto for mark in marks), default=0),),
    ).fetchall()
    connection.execute("COMMIT")
    return marks, outcomes_of(rows)


def outcomes_of(rows: Iterable[Sequence[Any]]) -> list[Outcome]:
    """Rated games of rows in their order, one a seat: number, game, time, account and place."""
    outcomes = []
    for _, group in itertools.groupby(rows, key=itemgetter(0)):
        seats = list(group)
        _, game, at, _, _ = seats[0]
        accounts, places = tuple(row[3] for row in seats), tuple(row[4] for row in seats)
        outcomes.append(Outcome(game, at / 1000, accounts, places))
    return outcomes
