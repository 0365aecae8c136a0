"""The log in an SQLite file: written by one writer, a batch at a time; acknowledged means written."""

import itertools
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import msgspec

from parlour.core.erasing import Erasure
from parlour.core.errors import LocalError
from parlour.core.rated import Rating
from parlour.core.standings import Tally
from parlour.core.words import Record
from parlour.store import erasing, files, lock, schema
from parlour.store.base import Batch, RatingsKept, Standing, StoredAccount
from parlour.store.ledger import GameRow, Ledger, Live
from parlour.store.library import read_accounts
from parlour.store.ratings import read_ratings
from parlour.store.spelling import Reading
from parlour.store.trail import KNOWN, Numbers, Trails, records_of
from parlour.store.writer import Writer, checkpoint

if TYPE_CHECKING:
    from parlour.store.base import Store

DURABILITY = {"kill": "NORMAL", "power": "FULL"}
"""`kill`: the kernel has it before anyone is told. `power`: the disk has it."""


_LIVE = "game INDEXED BY game_live WHERE live = 1"
"""Rows of `game`. SQLite would else look through all of them when they are to be in order: it does not know how few
these are."""


class SqliteStore:
    """The log of one server, which alone may write to it."""

    def __init__(self, directory: Path, durability: str = "kill") -> None:
        path = directory / schema.FILE
        self._path = path
        self.waits = durability == "power"
        try:
            files.make_directory(directory)
            schema.require_writable(directory)
            if path.is_file():
                schema.require_writable(path)
        except OSError as error:
            raise LocalError(f"the data directory {directory} cannot be used: {error.strerror}") from error
        self._lock = lock.take(directory)
        try:
            self._connection = schema.open_for_writing(path, DURABILITY[durability])
            self._recover()
        except BaseException:
            lock.release(self._lock)
            raise
        self._closed = False
        self._writer.start()

    def _recover(self) -> None:
        """Take up where the last server stopped, however it did."""
        try:
            last_record, last_game, last_table, rated = _ends(self._connection)
            live = _live(self._connection)
        except (sqlite3.Error, msgspec.MsgspecError) as error:
            self._connection.close()
            raise schema.trouble(self._path, error) from error
        ledger, trails = Ledger(last_game + 1, rated), Trails()
        for row in live.games:
            ledger.adopt(row)
        for tbl, numbers in live.loose.items():
            trails.adopt(tbl, numbers)
        self._found: Live | None = live
        """What was there on opening, until it is asked for or changes."""
        self._tables = itertools.count(last_table + 1)
        self._writer = Writer(self._path, self._connection, ledger, trails, last_record)

    def next_table(self) -> int:
        """A table number never used before."""
        return next(self._tables)

    def batch(self) -> Batch:
        return Batch()

    def commit(self, batch: Batch, done: Callable[[LocalError | None], None]) -> None:
        """Let the writer write the batch; it calls `done` before this returns, or later from its own thread."""
        if self._closed:
            done(self._is_closed())
        elif not batch.rows:
            done(None)
        else:
            self._found = None
            self._writer.take(batch, done)

    def probe(self, done: Callable[[LocalError | None], None]) -> None:
        """Let the writer try whether anything can be written."""
        self._writer.line_up(partial(self._writer.probe, done))

    def check(self, done: Callable[[LocalError | None], None]) -> None:
        """Let the writer write something, and see that its files are still those that have the names."""
        self._order(partial(self._writer.check, done), done)

    def unfinished(self) -> Iterator[tuple[int, list[Record]]]:
        """The tables that are not closed, each with every record.

        Asking again while the server runs takes those up again that lost records to a failed commit: they go on
        from what the log has. Whatever was batched for them before must not be committed any more.
        """
        live, self._found = self._found, None
        if live is None:
            live = self._read_live()
            self._writer.line_up(partial(self._writer.mend, live))
        yield from live.records.items()

    def _read_live(self) -> Live:
        with self._reading() as connection:
            return _live(connection)

    def records(self, tbl: int, after: int) -> list[Record]:
        """What happened at a table behind this record, also at one that is closed."""
        with self._reading() as connection:
            rows, reading = records_of(connection, tbl, 0, None), Reading()
        found = [Record(seq, at / 1000, reading.event(event)) for seq, (_, at, event) in enumerate(rows, 1)]
        return found[after:]

    def away(self) -> None:
        """It is in this process."""

    def accounts(self) -> Iterator[StoredAccount]:
        """Every registered name."""
        with self._reading() as connection:
            return iter(read_accounts(connection))

    def standings(self) -> Iterator[Standing]:
        """What the log knows of every account's games."""
        with self._reading() as connection:
            rows = connection.execute("SELECT game, account, wins, losses, ties, forfeits FROM standing").fetchall()
        return ((game, account, Tally(*counts)) for game, account, *counts in rows)

    def ratings(self) -> RatingsKept:
        """The last rating of every account, and the rated games since."""
        with self._reading() as connection:
            return read_ratings(connection)

    def keep_ratings(self, ratings: Sequence[Rating], done: Callable[[LocalError | None], None]) -> None:
        """Let the writer write what is believed of players at the end of rating periods."""
        self._order(partial(self._writer.keep_ratings, ratings, done), done)

    def keep_account(self, account: StoredAccount, done: Callable[[LocalError | None], None]) -> None:
        """Let the writer write an account, new or with a new password."""
        self._order(partial(self._writer.keep_account, account, done), done)

    def drop_account(self, erasure: Erasure, done: Callable[[LocalError | None], None]) -> None:
        """Let the writer forget an account; a thread of its own looks first for what the log says of it."""

        def look() -> None:
            try:
                with self._reading() as connection:
                    found = erasing.mentions(connection, erasure)
            except LocalError as error:
                done(error)
            else:
                self._order(partial(self._writer.drop_account, erasure, found, done), done)

        Thread(target=look, name="parlour-erasing", daemon=True).start()

    def _order(self, order: Callable[[], None], done: Callable[[LocalError | None], None]) -> None:
        if self._closed:
            done(self._is_closed())
        else:
            self._writer.line_up(order)

    def _is_closed(self) -> LocalError:
        return LocalError(f"the log {self._path} is closed")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own, for the writer's may be busy."""
        try:
            with closing(schema.connect(self._path)) as connection:
                yield connection
        except (sqlite3.Error, msgspec.MsgspecError) as error:
            raise schema.trouble(self._path, error) from error

    def close(self) -> None:
        """Write what is queued, leave one tidy file, and let the next server in."""
        if self._closed:
            return
        self._closed = True
        self._writer.line_up(self._writer.stop)
        self._writer.join()
        self._connection.execute("PRAGMA busy_timeout=200")  # a reader need not hold us up
        checkpoint(self._connection, "TRUNCATE")
        self._connection.close()
        lock.release(self._lock)


def _ends(connection: sqlite3.Connection) -> tuple[int, int, int, int]:
    """The highest numbers of a record, a game, a table and a rated game so far."""
    row = connection.execute(
        "SELECT (SELECT coalesce(max(no), 0) FROM record),"
        " (SELECT coalesce(max(no), 0) FROM game), (SELECT coalesce(max(tbl), 0) FROM game),"
        " (SELECT coalesce(max(rated), 0) FROM result WHERE rated IS NOT NULL)"
    ).fetchone()
    return int(row[0]), int(row[1]), int(row[2]), int(row[3])


def _live(connection: sqlite3.Connection) -> Live:
    """What is not closed: by the index, and one pass over the records that are not in it yet."""
    connection.execute("BEGIN")
    games = [GameRow.read(row) for row in connection.execute(f"SELECT * FROM {_LIVE} ORDER BY no")]  # noqa: S608
    indexed = connection.execute(
        f"SELECT record.no, record.tbl, seq, at, event FROM {KNOWN} WHERE trail.tbl IN (SELECT tbl FROM {_LIVE})"  # noqa: S608
        " ORDER BY record.no"
    ).fetchall()
    upto = {game.tbl: game.opened - 1 for game in games} | {tbl: no for no, tbl, *_ in indexed}
    others = connection.execute(
        f"SELECT no, tbl, seq, at, event FROM record WHERE no > ? AND tbl IN (SELECT tbl FROM {_LIVE}) ORDER BY no",  # noqa: S608
        (min(upto.values(), default=1 << 62),),
    ).fetchall()
    connection.execute("COMMIT")
    readings = {tbl: Reading() for tbl in upto}
    records: dict[int, list[Record]] = {tbl: [] for tbl in upto}
    loose: dict[int, Numbers] = {}
    for no, tbl, seq, at, event in itertools.chain(indexed, (row for row in others if row[0] > upto[row[1]])):
        records[tbl].append(Record(seq, at / 1000, readings[tbl].event(event)))
        if no > upto[tbl]:
            loose.setdefault(tbl, []).append(no)
    return Live(games, records, loose)


if TYPE_CHECKING:

    def _is_a_store(store: SqliteStore) -> Store:
        return store
