"""Which records belong to which table: the index by which one game is read without looking through the log.

Records of one table lie scattered among those of all others. Their numbers are kept in memory while a game runs and
written as one row of `trail` when it is over, together with the row of the game. A table whose records lie far behind
gets a row before that, so that no reader ever has to look through more than the last BEHIND records.
"""

import sqlite3
from collections.abc import Iterable, Set

BEHIND = 200_000
"""Records. What is not in the index is looked for among the last ones: some 20 milliseconds."""
SLICE = 16
"""Tables that are written before their game is over, in one transaction at most."""

INSERT = "INSERT INTO trail VALUES (?,?,?,?)"
KNOWN = (
    "SELECT record.no, record.tbl, record.seq, record.at, record.event FROM trail"
    " CROSS JOIN json_each(trail.records) AS part CROSS JOIN record ON record.no = part.value"
)
"""The records that are in the index. SQLite must not try any other order: it does not know how few these are."""

Numbers = list[int]
Row = tuple[int, int, int, str]


class Trails:
    """The numbers of records that are not in the index yet, by table; the table that waits longest comes first."""

    def __init__(self) -> None:
        self._open: dict[int, Numbers] = {}

    def adopt(self, tbl: int, numbers: Numbers | None) -> None:
        """Continue with a table of the log, which has these records that are not in the index."""
        if numbers is not None:
            self._open[tbl] = numbers

    def note(self, tables: Iterable[int], no: int) -> None:
        """Records of these tables follow one another from this number on."""
        waiting = self._open
        for tbl in tables:
            numbers = waiting.get(tbl)
            if numbers is None:
                waiting[tbl] = [no]
            else:
                numbers.append(no)
            no += 1

    def due(self, over: Set[int], last: int) -> list[Row]:
        """What is to be written: the tables whose game is over, and some whose records lie far behind the last one."""
        found = [_row(tbl, self._open[tbl]) for tbl in over]
        for tbl, numbers in self._open.items():
            if numbers[0] > last - BEHIND or len(found) >= len(over) + SLICE:
                break
            if tbl not in over:
                found.append(_row(tbl, numbers))
        return found

    def forget(self, tables: Iterable[int]) -> None:
        """These tables are in the index, or closed, or their records could not be written."""
        for tbl in tables:
            self._open.pop(tbl, None)


def _row(tbl: int, numbers: Numbers) -> Row:
    return tbl, numbers[0], numbers[-1], f"[{','.join(map(str, numbers))}]"


def records_of(connection: sqlite3.Connection, tbl: int, first: int, last: int | None) -> list[tuple[int, int, str]]:
    """Number, time and event of the records of a table between these two, or up to the end of the log."""
    end = (1 << 62) if last is None else last
    rows = connection.execute(
        f"SELECT no, at, event FROM ({KNOWN} WHERE trail.tbl = ? AND trail.last >= ? AND trail.first <= ?)"  # noqa: S608
        " WHERE no BETWEEN ? AND ? ORDER BY no",
        (tbl, first, end, first, end),
    ).fetchall()
    if last is None:
        (known,) = connection.execute("SELECT max(last) FROM trail WHERE tbl = ?", (tbl,)).fetchone()
        rows += connection.execute(
            "SELECT no, at, event FROM record WHERE no > ? AND tbl = ? ORDER BY no",
            (max(first - 1, known or 0), tbl),
        ).fetchall()
    return rows
