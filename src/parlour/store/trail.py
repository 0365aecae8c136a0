"""Which blocks of the log have records of which table: the index by which one game is read without looking through all.

Records of one table lie scattered among those of all others. A block is BLOCK of them, one after another. In which
blocks a table has records is kept in memory while a game runs and written as one row of `trail` when it is over,
together with the row of the game. A table whose records lie far behind gets a row before that, so that no reader ever
has to look through more than the last BEHIND records.
"""

import sqlite3
from collections.abc import Iterable, Sequence, Set

BLOCK = 256
"""Records. Fixed by the rows that are in the file; SQLite looks through a block in some 30 microseconds."""
BEHIND = 200_000
"""Records. What is not in the index is looked for among the last ones: some 20 milliseconds."""
SLICE = 16
"""Tables that are written before their game is over, in one transaction at most."""

INSERT = "INSERT INTO trail VALUES (?,?,?,?)"
KNOWN = (
    "trail CROSS JOIN json_each(trail.blocks) AS block CROSS JOIN record"
    f" ON record.no BETWEEN block.value * {BLOCK} AND block.value * {BLOCK} + {BLOCK - 1}"
    " AND +record.no BETWEEN trail.first AND trail.last AND record.tbl = trail.tbl"
)
"""The records that are in the index. SQLite must not try any other order: it does not know how few these are."""

Numbers = list[int]
Row = tuple[int, int, int, str]


class Trails:
    """Where the records are that are not in the index yet, by table; the table that waits longest comes first."""

    def __init__(self) -> None:
        self._first: dict[int, int] = {}
        """The number at or before the first of them."""
        self._blocks: dict[int, Numbers] = {}
        """The blocks they lie in, without the one that is being filled."""
        self._block = 0
        self._here: set[int] = set()
        """The tables that have records in the block that is being filled."""

    def adopt(self, tbl: int, numbers: Numbers | None) -> None:
        """Continue with a table of the log, which has these records that are not in the index."""
        if numbers is not None:
            self._first[tbl] = numbers[0]
            self._blocks[tbl] = sorted({no // BLOCK for no in numbers})

    def note(self, tables: Sequence[int], no: int) -> None:
        """Records of these tables follow one another from this number on."""
        while tables:
            if no // BLOCK != self._block:
                self._turn_to(no // BLOCK)
            room = BLOCK - no % BLOCK
            known = len(self._here)
            self._here.update(tables[:room])
            for tbl in self._here.difference(self._first) if len(self._here) > known else ():
                self._first[tbl] = no
            tables, no = tables[room:], no + room

    def _turn_to(self, block: int) -> None:
        for tbl in self._here:
            blocks = self._blocks.get(tbl)
            if blocks is None:
                self._blocks[tbl] = [self._block]
            elif blocks[-1] != self._block:
                blocks.append(self._block)
        self._here.clear()
        self._block = block

    def _blocks_of(self, tbl: int) -> Numbers:
        blocks = self._blocks.get(tbl, [])
        return [*blocks, self._block] if tbl in self._here and self._block not in blocks[-1:] else blocks

    def due(self, over: Set[int], last: int) -> list[Row]:
        """What is to be written: the tables whose game is over, and some whose records lie far behind the last one."""
        found = [self._row(tbl, last) for tbl in over]
        for tbl, first in self._first.items():
            if first > last - BEHIND or len(found) >= len(over) + SLICE:
                break
            if tbl not in over:
                found.append(self._row(tbl, last))
        return found

    def _row(self, tbl: int, last: int) -> Row:
        return tbl, self._first[tbl], last, f"[{','.join(map(str, self._blocks_of(tbl)))}]"

    def forget(self, tables: Iterable[int]) -> None:
        """These tables are in the index, or closed, or their records could not be written."""
        for tbl in tables:
            self._first.pop(tbl, None)
            self._blocks.pop(tbl, None)
            self._here.discard(tbl)


def records_of(connection: sqlite3.Connection, tbl: int, first: int, last: int | None) -> list[tuple[int, int, str]]:
    """Number, time and event of the records of a table between these two, or up to the end of the log."""
    end = (1 << 62) if last is None else last
    rows = connection.execute(
        f"SELECT record.no, at, event FROM {KNOWN}"  # noqa: S608
        " WHERE trail.tbl = ? AND trail.last >= ? AND trail.first <= ? AND +record.no BETWEEN ? AND ?"
        " ORDER BY record.no",
        (tbl, first, end, first, end),
    ).fetchall()
    if last is None:
        (known,) = connection.execute("SELECT max(last) FROM trail WHERE tbl = ?", (tbl,)).fetchone()
        rows += connection.execute(
            "SELECT no, at, event FROM record WHERE no > ? AND tbl = ? ORDER BY no",
            (max(first - 1, known or 0), tbl),
        ).fetchall()
    return rows
