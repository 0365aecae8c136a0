"""When the disk is full a commit fails whole, the log has no holes, and things go on once there is room again."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue

import pytest

from parlour.core.errors import LocalError
from parlour.core.table.table import Table
from parlour.core.words import Played, Record
from parlour.store.base import Batch, Log
from parlour.store.library import SqliteLibrary
from parlour.store.sqlite import SqliteStore
from tests.unit.store.club import Club, commit, watched_connection

MANY = 5000
LIMITED = """
import resource, sys
from pathlib import Path
from parlour.core.errors import LocalError
from parlour.store.sqlite import SqliteStore
from tests.unit.store.club import Club
from tests.unit.store.test_full_disk import moves, probe
from tests.unit.store.club import commit

store = SqliteStore(Path(sys.argv[1]))
club = Club(store)
table = club.pair()[0].table
assert club.settle() is None
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
print(commit(store, moves(store, table, 6, 5000)))
print(probe(store))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(probe(store))
print([len(records) for _, records in store.unfinished()])
print(commit(store, moves(store, table, 6, 5000)))
store.close()
"""


class Disk:
    """A log whose file can be kept from growing."""

    def __init__(self, store: SqliteStore, connection: sqlite3.Connection) -> None:
        self.store = store
        self._connection = connection

    def fill(self) -> None:
        self._connection.execute("PRAGMA max_page_count=1")  # never less than it has already

    def clear(self) -> None:
        self._connection.execute("PRAGMA max_page_count=1000000")


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    with watched_connection(monkeypatch) as opened, closing(SqliteStore(tmp_path)) as store:
        yield Disk(store, opened[0])


def table_of(club: Club) -> Table:
    table = club.pair()[0].here
    assert club.settle() is None
    return table


def moves(store: Log, table: Table, first: int, count: int) -> Batch:
    batch = store.batch()
    for seq in range(first, first + count):
        batch.append(table, Record(seq, 1.0, Played(0, "a1")))
    return batch


def probe(store: Log) -> LocalError | None:
    outcome: SimpleQueue[LocalError | None] = SimpleQueue()
    store.probe(outcome.put)
    return outcome.get(timeout=60)


def logged(tmp_path: Path) -> list[tuple[int, int]]:
    with closing(sqlite3.connect(tmp_path / "parlour.db")) as connection:
        return connection.execute("SELECT tbl, count(*) FROM record GROUP BY tbl ORDER BY tbl").fetchall()


def test_batch_that_does_not_fit_fails_whole_with_the_reason(disk: Disk, tmp_path: Path) -> None:
    table = table_of(Club(disk.store))
    before = logged(tmp_path)
    disk.fill()
    error = commit(disk.store, moves(disk.store, table, 6, MANY))
    assert str(error) == f"the log {tmp_path / 'parlour.db'} cannot be written: database or disk is full"
    assert logged(tmp_path) == before


def test_another_table_goes_on_once_there_is_room_but_a_torn_one_gets_no_hole(disk: Disk, tmp_path: Path) -> None:
    club = Club(disk.store)
    torn, other = table_of(club), table_of(club)
    disk.fill()
    assert commit(disk.store, moves(disk.store, torn, 6, MANY)) is not None
    disk.clear()
    assert "lacks earlier records" in str(commit(disk.store, moves(disk.store, torn, 6 + MANY, 1)))
    assert commit(disk.store, moves(disk.store, other, 6, MANY)) is None
    assert logged(tmp_path) == [(torn.no, 4), (other.no, 4 + MANY)]


def test_torn_table_goes_on_from_what_the_log_has_once_it_was_taken_up_again(disk: Disk, tmp_path: Path) -> None:
    club = Club(disk.store)
    table = table_of(club)
    disk.fill()
    assert commit(disk.store, moves(disk.store, table, 5, MANY)) is not None
    disk.clear()
    assert dict(disk.store.unfinished()) == club.told
    assert commit(disk.store, moves(disk.store, table, 5, 3)) is None
    with closing(SqliteLibrary(tmp_path)) as library:
        assert [(game.status, game.moves) for game in library.games()] == [("playing", 3)]


def test_probe_tells_a_full_disk_from_one_with_room(disk: Disk) -> None:
    assert probe(disk.store) is None
    disk.fill()
    for _ in range(40):  # what is free inside the file does not count as room for long
        if probe(disk.store) is not None:
            break
        commit(disk.store, moves(disk.store, table_of(Club(disk.store)), 5, 500))
    assert "full" in str(probe(disk.store))
    disk.clear()
    assert probe(disk.store) is None


def test_file_that_may_not_grow_is_the_same_trouble(tmp_path: Path, root: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], cwd=root, capture_output=True, text=True, timeout=60, check=True
    )
    failure, still, room, found, success = child.stdout.splitlines()
    assert failure.startswith(f"the log {tmp_path / 'parlour.db'} cannot be written: ")
    assert still == failure
    assert (room, success) == ("None", "None")
    assert found == "[4]"
    assert logged(tmp_path) == [(1, 5004)]
