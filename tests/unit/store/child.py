"""A server to be killed: it writes records whose content follows from their number, and tells what was acknowledged.

Run as `python -m tests.unit.store.child DIRECTORY SEED`; it goes on until something ends it. Every line of its output
is a batch that the log has acknowledged: table and record numbers, as in `3:17 5:4`.
"""

import os
import sys
from pathlib import Path
from random import Random
from threading import Semaphore

from parlour.core.errors import LocalError
from parlour.core.table.table import Table
from parlour.core.words import AnyEvent, Closed, Opened, Played, Record, Started
from parlour.registry import games
from parlour.store.sqlite import SqliteStore

IN_FLIGHT = 3
TABLES = 20
LAST = 60
"""The number of a table's last record, with which it is closed."""


def content(tbl: int, seq: int) -> AnyEvent:
    """What record `seq` of a table says."""
    match seq:
        case 1:
            return Opened(f"table{tbl}", "noughts", {})
        case 2:
            return Started(f"table{tbl}-1", {})
        case 60:
            return Closed()
        case _:
            return Played(seq % 2, f"{tbl} {seq}")


def main(directory: Path, dice: Random) -> None:
    store = SqliteStore(directory)
    tables: dict[int, Table] = {}
    for number, records in store.unfinished():
        tables[number] = _table(number)
        tables[number].seq = records[-1].seq
    room = Semaphore(IN_FLIGHT)
    while True:
        while len(tables) < TABLES:
            number = store.next_table()
            tables[number] = _table(number)
        room.acquire()
        batch, names = store.batch(), []
        for number in dice.sample(sorted(tables), dice.randint(1, TABLES)):
            table = tables[number]
            table.seq += 1
            batch.append(table, Record(table.seq, table.seq / 1000, content(number, table.seq)))
            names.append(f"{number}:{table.seq}")
            if table.seq == LAST:
                del tables[number]

        def done(error: LocalError | None, line: str = " ".join(names)) -> None:
            assert error is None
            os.write(1, f"{line}\n".encode())
            room.release()

        store.commit(batch, done)


def _table(number: int) -> Table:
    opened = content(number, 1)
    assert isinstance(opened, Opened)
    return Table(number, games()["noughts"], opened)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Random(sys.argv[2]))
