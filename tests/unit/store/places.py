"""Where games and accounts are kept: in SQLite or in PostgreSQL, to be asked the same."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Protocol

from parlour.core.words import Record
from parlour.store.archivist import Intake
from parlour.store.base import Done, Library, Store
from parlour.store.library import SqliteLibrary
from parlour.store.pglibrary import PostgresLibrary
from parlour.store.postgres import PostgresArchive
from parlour.store.spelling import Reading
from parlour.store.sqlite import SqliteStore


def seeds(sqlite: int, postgres: int) -> list[tuple[str, int]]:
    """Values of `place` and `seed`: fewer where a commit takes longer, and what is folded is the same."""
    return [("sqlite", seed) for seed in range(sqlite)] + [("postgres", seed) for seed in range(postgres)]


class Place(Protocol):
    """A place that can be opened again and again."""

    def store(self) -> Store: ...

    def library(self) -> Library: ...


class SqlitePlace:
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def store(self) -> Store:
        return SqliteStore(self._directory)

    def library(self) -> Library:
        return SqliteLibrary(self._directory)


class DirectStore(PostgresArchive):
    """The archive as if it were a log, too: what a shelf would bring later is written at once."""

    waits = True

    def __init__(self, url: str) -> None:
        super().__init__(url)
        intake = Intake(self.pool)
        self.next_table, self.batch, self.commit = intake.next_table, intake.batch, intake.commit

    def probe(self, done: Done) -> None:
        done(None)

    def check(self, done: Done) -> None:
        done(None)

    def unfinished(self) -> Iterator[tuple[int, list[Record]]]:
        live = "SELECT tbl FROM game WHERE live = 1"
        query = f"SELECT tbl, seq, at, event FROM record WHERE tbl IN ({live}) ORDER BY tbl, seq"
        found: dict[int, list[Record]] = {}
        readings: dict[int, Reading] = {}
        for tbl, seq, at, text in self.pool.ask(lambda connection: connection.execute(query).fetchall()):
            event = readings.setdefault(tbl, Reading()).event(text)
            found.setdefault(tbl, []).append(Record(seq, at / 1000, event))
        return iter(found.items())


class PostgresPlace:
    def __init__(self, url: str) -> None:
        self.url = url
        with closing(PostgresArchive(url)):
            pass  # now its tables are there

    def store(self) -> Store:
        return DirectStore(self.url)

    def library(self) -> Library:
        return PostgresLibrary(self.url)
