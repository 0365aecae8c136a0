"""The writer of the log, and the thread that keeps its write-ahead file small.

Every step of a statement gives the interpreter lock away and has to win it back from a busy loop thread, so the
writer makes few and big ones: a batch of moves is a single statement, and that its own transaction.
"""

import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from math import inf
from operator import attrgetter
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import cast

import msgspec

from parlour.core.accounts import folded
from parlour.core.erasing import Erasure
from parlour.core.errors import LocalError
from parlour.core.rated import Rating
from parlour.core.table.table import Table
from parlour.core.words import AnyEvent, Played, Record
from parlour.store import files, schema
from parlour.store.base import Batch, StoredAccount
from parlour.store.erasing import Mentions, erase
from parlour.store.ledger import CONCERNED, INSERT_RESULT, Cell, GameRow, Ledger, Live
from parlour.store.lists import INSERT as INSERT_LISTED
from parlour.store.spelling import MOVES, spelled, spelled_move
from parlour.store.trail import INSERT as INSERT_TRAIL
from parlour.store.trail import Row, Trails

Done = Callable[[LocalError | None], None]

ROWS = 64
"""Rows of one statement at most: beyond this a row costs the same however many there are."""
GAMES = 16
"""The same of games, or one: a statement for every number of them would be a megabyte of prepared ones."""
SMALL = 4096
"""Rows that are written on the spot at most: two milliseconds."""
PAGES = 8192
"""Pages written, by estimate, after which the write-ahead file is emptied: 32 MB."""
SLOW = 0.02
"""Seconds that a commit on the spot may take before the disk counts as slow. The thread's own are no measure of the
disk: they wait for the interpreter lock as well."""
THREAD_SECONDS = 10.0
"""How long it does then."""
RECORD_COLUMNS = ("tbl", "seq", "at", "event")

KEEP_ACCOUNT = (
    "INSERT INTO account (folded, name, password, email, created) VALUES (?,?,?,?,?)"
    " ON CONFLICT (folded) DO UPDATE SET password = excluded.password"
)
ADD_TO_STANDING = (
    "INSERT INTO standing (game, account, wins, losses, ties, forfeits) VALUES (?,?,?,?,?,?)"
    " ON CONFLICT (game, account) DO UPDATE SET wins = wins + excluded.wins, losses = losses + excluded.losses,"
    " ties = ties + excluded.ties, forfeits = forfeits + excluded.forfeits"
)
KEEP_RATING = f"INSERT OR REPLACE INTO rating VALUES ({','.join('?' * len(Rating.__struct_fields__))})"  # noqa: S608

_live = attrgetter("live")

Rare = tuple[int, int, int, AnyEvent]
"""Place in the batch, table number, time in milliseconds and event, for the ledger."""


def spell(rows: list[tuple[Table, Record]]) -> tuple[list[int | str], list[Rare]]:
    """The columns of row after row, as one statement takes them, and what changes the index of games."""
    cells: list[int | str] = []
    rare: list[Rare] = []
    last, milliseconds = -1.0, 0  # nearly all are of the same time: the clock is looked at once a wake-up
    for table, record in rows:
        event, at = record.event, record.at
        if at is not last:
            last, milliseconds = at, int(at * 1000 + 0.5)
        if type(event) is Played:
            text = (None if event.id else MOVES[event.seat].get(event.move)) or spelled_move(event)
        else:
            text = spelled(event)
            if type(event) in CONCERNED:
                rare.append((len(cells) // 4, table.no, milliseconds, event))
        cells += (table.no, record.seq, milliseconds, text)
    return cells, rare


Order = Callable[[], None]
"""Something else for the writer to do, between two transactions."""


class Writer(Thread):
    """Writes batches in the order they come, each whole or not at all, and says so.

    A small write into the page cache takes less time than waking another thread, so the caller that hands in a batch
    writes it on the spot, also where every commit waits for a quick disk: two threads that both run Python spend more
    on the interpreter lock than the wait is worth. As soon as the disk keeps a caller waiting for long, the thread does
    it instead. What waits for the thread stays in line until the holder of the lock takes it, so a caller that finds
    the line empty and the lock free overtakes nothing.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        ledger: Ledger,
        trails: Trails,
        last_record: int,
    ) -> None:
        super().__init__(name="parlour-log", daemon=True)
        self._line: deque[tuple[Batch, Done] | Order] = deque()
        self._bell: SimpleQueue[None] = SimpleQueue()
        """Rung once for each in line."""
        self._thread_until = 0.0
        """Until when the disk counts as slow."""
        self._slow_at = -inf
        """When a commit on the spot last took too long."""
        self._lock = Lock()
        """Its holder may write, and change everything below."""
        self._path = path
        self._files = files.identity(path)
        self._connection = connection
        cursor = connection.cursor()  # always the same: one that needs no making
        self._execute, self._execute_many = cursor.execute, cursor.executemany
        self._ledger = ledger
        self._trails = trails
        self._last_record = last_record
        self._torn: set[int] = set()
        """Tables with records that could not be written. No later one of theirs may be: the log has no holes."""
        self._pages = 0
        self._emptying = False
        """Whether the checkpointer has been called, and the file is not empty yet."""
        self._checkpointer = Checkpointer(path, lambda: self.line_up(self.empty_wal))
        self._going_on = True

    # --- orders ----------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        self._going_on = False

    def probe(self, done: Done) -> None:
        """Write a megabyte and delete it: less might fit into what the file has left, and the next batch not."""
        checkpoint(self._connection)
        try:
            self._execute("INSERT INTO room VALUES (zeroblob(1 << 20))")
            self._execute("DELETE FROM room")
        except sqlite3.Error as error:
            done(self._unwritable(error))
        else:
            done(None)

    def check(self, done: Done) -> None:
        """Write something that changes nothing, into files that have not been moved or removed under us."""
        try:
            schema.touch(self._connection)
        except sqlite3.Error as error:
            done(self._unwritable(error))
            return
        moved = files.identity(self._path) != self._files
        done(LocalError(f"the log {self._path} was moved, removed or replaced") if moved else None)

    def keep_account(self, account: StoredAccount, done: Done) -> None:
        """A new account, or one with a new password."""
        created = int(account.created * 1000 + 0.5)
        self._alter(KEEP_ACCOUNT, (folded(account.name), account.name, account.password, account.email, created), done)

    def drop_account(self, erasure: Erasure, found: Mentions, done: Done) -> None:
        """Forget an account, in one transaction with everything that the log says of it."""
        try:
            self._execute("BEGIN IMMEDIATE")
            tables = erase(self._connection, erasure, found)
            self._execute("COMMIT")
        except (sqlite3.Error, ValueError) as error:  # a record that is no JSON
            self._roll_back()
            done(self._unwritable(error))
        else:
            self._ledger.erase(erasure.account, tables)
            self._count_pages(len(found.records), len(tables))
            done(None)

    def keep_ratings(self, ratings: Sequence[Rating], done: Done) -> None:
        """What is believed of players at the end of rating periods; the same, if it is there already."""
        try:
            self._execute("BEGIN IMMEDIATE")
            for row in ratings:
                self._execute(KEEP_RATING, msgspec.structs.astuple(row))
            self._execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            done(self._unwritable(error))
        else:
            self._count_pages(len(ratings), 0)
            done(None)

    def _alter(self, statement: str, cells: tuple[Cell, ...], done: Done) -> None:
        """One statement that is a transaction by itself."""
        try:
            self._execute(statement, cells)
        except sqlite3.Error as error:
            done(self._unwritable(error))
        else:
            self._count_pages(1, 0)
            done(None)

    def mend(self, live: Live) -> None:
        """Torn tables that the server takes up again, as the log has them, may go on."""
        mended = {row.tbl: row for row in live.games if row.tbl in self._torn}
        self._torn -= mended.keys()
        for tbl, row in mended.items():
            self._ledger.adopt(row)
            self._trails.adopt(tbl, live.loose.get(tbl))

    def empty_wal(self) -> None:
        """No batch is written meanwhile, so this gets to the end of the file, and the next write starts it afresh."""
        checkpoint(self._connection)
        with suppress(sqlite3.Error):  # the next batch will tell
            schema.touch(self._connection)
        self._pages = 0
        self._emptying = False

    # --- batches ---------------------------------------------------------------------------------------------------

    def take(self, batch: Batch, done: Done) -> None:
        """Write this batch here and now, or let the thread do it; `done` is called in either case.

        Never waits for the lock: the thread may be at a checkpoint.
        """
        began = monotonic()
        if (
            self._line
            or began < self._thread_until
            or len(batch.rows) > SMALL
            or not self._lock.acquire(blocking=False)
        ):
            self.line_up((batch, done))
            return
        try:
            error = self._write(batch)
        finally:
            self._lock.release()
        ended = monotonic()
        if ended - began > SLOW:
            if ended - self._slow_at < THREAD_SECONDS:  # once may be a crowded processor's fault
                self._thread_until = ended + THREAD_SECONDS
            self._slow_at = ended
        done(error)  # may hand in the next batch

    def line_up(self, item: tuple[Batch, Done] | Order) -> None:
        """Let the thread deal with this."""
        self._line.append(item)
        self._bell.put(None)

    def run(self) -> None:
        self._checkpointer.start()
        while self._going_on:
            self._bell.get()
            with self._lock:
                item = self._line.popleft()
                if not isinstance(item, tuple):
                    item()
                    continue
                batch, done = item
                error = self._write(batch)
            done(error)  # its caller finds the lock free again
        self._checkpointer.stop()
        self._checkpointer.join()

    def _write(self, batch: Batch) -> LocalError | None:
        """One transaction; a batch that touches a torn table fails, and tears the rest of its tables."""
        cells, rare = spell(batch.rows)
        tables = cast(list[int], cells[::4])
        if self._torn and not self._torn.isdisjoint(tables):
            self._tear(tables)
            return LocalError(f"the log {self._path} lacks earlier records of these tables")
        first, rows, ledger = self._last_record + 1, len(tables), self._ledger
        self._trails.note(tables, first)
        for place, tbl, at, event in rare:
            ledger.enter(first + place, tbl, at, event)
        trails = self._trails.due(ledger.over, first + rows - 1)
        try:
            if rows <= ROWS and not ledger.changed and not trails:
                self._execute(insert_records(rows), cells)
            else:
                self._write_all(cells, list(ledger.changed.values()), trails)
        except sqlite3.Error as error:
            self._roll_back()
            self._tear(tables)
            return self._unwritable(error)
        self._last_record += rows
        self._count_pages(rows, len(ledger.changed) + len(trails))
        if trails or ledger.closed:
            self._trails.forget([*(tbl for tbl, *_ in trails), *ledger.closed])
        if rare:
            ledger.written()
        return None

    def _tear(self, tables: list[int]) -> None:
        self._torn.update(tables)
        self._ledger.forget(tables)
        self._trails.forget(tables)

    def _write_all(self, cells: list[int | str], games: list[GameRow], trails: list[Row]) -> None:
        self._execute("BEGIN IMMEDIATE")
        for start in range(0, len(cells), ROWS * 4):
            chunk = cells[start : start + ROWS * 4]
            self._execute(insert_records(len(chunk) // 4), chunk)
        games.sort(key=_live)
        while games:
            live = games[0].live  # the next ones that are like it, as many as a statement takes
            rows = GAMES if len(games) >= GAMES and games[GAMES - 1].live == live else 1
            changed, games = games[:rows], games[rows:]
            self._execute(upsert_games(rows, live), [cell for game in changed for cell in game.cells()])
        if self._ledger.listed:
            self._execute_many(INSERT_LISTED, self._ledger.listed)
        if trails:
            self._execute_many(INSERT_TRAIL, trails)
        for whose, tally in self._ledger.earned.items():
            self._execute(ADD_TO_STANDING, (*whose, *msgspec.structs.astuple(tally)))
        for result in self._ledger.results:
            self._execute(INSERT_RESULT, result.cells())
        self._execute("COMMIT")

    def _unwritable(self, error: sqlite3.Error | ValueError) -> LocalError:
        return LocalError(f"the log {self._path} cannot be written: {error}")

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            with suppress(sqlite3.Error):  # the next BEGIN fails then, and comes here again
                self._execute("ROLLBACK")

    def _count_pages(self, records: int, games: int) -> None:
        """Guess how far the write-ahead file has grown: two pages a commit, some more for many rows."""
        self._pages += 2 + records // 32 + games
        if self._pages > PAGES and not self._emptying:
            self._emptying = True
            self._checkpointer.wake()


class Checkpointer(Thread):
    """Carries the write-ahead file into the database while the writer goes on writing.

    It copies the bulk; what came in meanwhile is left to the writer, which has to stand still for it only briefly.
    Under constant load the end of the file would else never be reached, and it would grow without bounds.
    """

    def __init__(self, path: Path, finish: Callable[[], None]) -> None:
        super().__init__(name="parlour-checkpoint", daemon=True)
        self._path = path
        self._finish = finish
        self._calls: SimpleQueue[bool] = SimpleQueue()

    def wake(self) -> None:
        self._calls.put(True)

    def stop(self) -> None:
        self._calls.put(False)

    def run(self) -> None:
        connection = schema.connect(self._path)
        while self._calls.get():
            checkpoint(connection)
            checkpoint(connection)  # what came in during the first, longer one
            self._finish()
        connection.close()


def checkpoint(connection: sqlite3.Connection, mode: str = "PASSIVE") -> None:
    """Copy what is in the write-ahead file into the database. If that fails nothing is lost: it is tried again."""
    with suppress(sqlite3.Error):
        connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()


@cache
def insert_records(rows: int) -> str:
    """The numbers of the records follow by themselves."""
    places = ",".join(["(?,?,?,?)"] * rows)
    return f"INSERT INTO record ({','.join(RECORD_COLUMNS)}) VALUES {places}"  # noqa: S608 - names of ours


@cache
def upsert_games(rows: int, live: int) -> str:
    """New games, and what has changed of those there are.

    The columns in an index never do, save for `live` at the end; naming it would write that index anew for every row.
    """
    columns = GameRow.__struct_fields__
    one = f"({','.join('?' * len(columns))})"
    fixed = {"no", "id", "tbl", "table", "game", "opened", *(("live",) if live else ())}
    changes = ",".join(f"{name}=excluded.{name}" for name in columns if name not in fixed)
    names = ",".join(f'"{name}"' for name in columns)
    return (
        f"INSERT INTO game ({names}) VALUES {','.join([one] * rows)} "  # noqa: S608 - names of ours
        f"ON CONFLICT (no) DO UPDATE SET {changes}"
    )
