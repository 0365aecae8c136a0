"""What the log keeps of ratings: those at the end of each period, and the rated games that came after them."""

import itertools
import sqlite3
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from parlour.core.rated import Outcome, Rating
from parlour.store.base import RatingsKept

_COLUMNS = ", ".join(Rating.__struct_fields__)


def ratings_of(connection: sqlite3.Connection, account: str) -> list[Rating]:
    """A player's rating at the end of each period, in order."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM rating WHERE account = ? ORDER BY period, ladder",  # noqa: S608 - names of ours
        (account,),
    )
    return [Rating(*row) for row in rows.fetchall()]


def read_ratings(connection: sqlite3.Connection) -> RatingsKept:
    """The last rating of every account on every ladder, and the rated games since."""
    connection.execute("BEGIN")
    ratings = [
        # Of an aggregate's other columns SQLite takes those of the row with the maximum.
        Rating(*row[:-1])
        for row in connection.execute(f"SELECT {_COLUMNS}, max(period) FROM rating GROUP BY account, ladder")  # noqa: S608
    ]
    rows = connection.execute(
        "SELECT rated, game, at, account, place FROM result WHERE rated > ? ORDER BY rated, seat",
        (max((row.upto for row in ratings), default=0),),
    ).fetchall()
    connection.execute("COMMIT")
    return ratings, outcomes_of(rows)


def outcomes_of(rows: Iterable[Sequence[Any]]) -> list[Outcome]:
    """Rated games of rows in their order, one a seat: number, game, time, account and place."""
    outcomes = []
    for _, group in itertools.groupby(rows, key=itemgetter(0)):
        seats = list(group)
        _, game, at, _, _ = seats[0]
        accounts, places = tuple(row[3] for row in seats), tuple(row[4] for row in seats)
        outcomes.append(Outcome(game, at / 1000, accounts, places))
    return outcomes
