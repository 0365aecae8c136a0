"""Carries what is on a shelf into the archive: behind the commit, in its order, and exactly once.

A stretch of messages goes in one transaction together with the number of the last of them. A second archivist of the
same shelf, on a node that was replaced and has not noticed, finds that number and begins behind it.
"""

import asyncio
import json
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVarTuple

import msgspec
import psycopg
from psycopg import ClientCursor
from psycopg.errors import LockNotAvailable

from parlour.core.erasing import Erasure
from parlour.core.errors import LocalError
from parlour.core.standings import Tally
from parlour.store.backlog import Backlog
from parlour.store.base import Batch, Done
from parlour.store.jetstream import Lines, by_shelf
from parlour.store.ledger import Cell, GameRow, Ledger, ResultRow, json_text
from parlour.store.postgres import Answer, Pool
from parlour.store.shelf import BITS, Message, Shelf
from parlour.store.spelling import Reading

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

    from parlour.store.base import Journal
    from parlour.store.jetstream import Archiving

PAUSE = 0.2
"""Seconds between two stretches: what comes in meanwhile is one transaction."""
LONGEST_PAUSE = 1.0
SHARE = 20
"""At most one part in so many of the time is spent on stretches, unless that took a pause longer than the longest.
Their thread and the loop's take the interpreter lock from each other, and that costs both."""
RETRY = 1.0
"""Seconds before a database that is away is tried again."""
IN_MIND = 32 << 20
"""Bytes of messages that are kept in memory; what is older is read from the shelf again."""
STRETCH = 4 << 20
"""Bytes that go in one transaction, at least the first message."""
IMPORTS = 0
"""The shelf of what never was on one: imported games."""

_BEGIN = (
    "BEGIN; SET LOCAL application_name = 'parlour archivist'; SET LOCAL lock_timeout = '1s';"
    " SELECT FROM tally FOR UPDATE; INSERT INTO shelf VALUES (%(shelf)s, 0) ON CONFLICT DO NOTHING;"
    " SELECT sequence, game, rated, erased FROM shelf, tally WHERE shelf = %(shelf)s"
)
"""What others have written while the lock was waited for is seen by the last of these alone."""
_END = (
    "UPDATE shelf SET sequence = %s WHERE shelf = %s",
    "UPDATE tally SET game = %s, rated = %s",
    "COMMIT",
)
_END_STANDING = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'parlour archivist'"
    " AND wait_event = 'ClientRead' AND xact_start < clock_timestamp() - interval '3s'"
)
"""Transactions whose node has sent nothing more: it stands still, or is cut off. It will begin anew if it goes on."""

BEHIND = 0
"""The sequence of a message that is on no shelf: it follows whatever is there."""

_NO_MOVE = re.compile(rb'"type":"(?!played")')


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _insert(table: str, columns: Iterable[str], conflict: str = "") -> str:
    """The statement that puts rows there, all of them in one piece of JSON: it costs a node the least."""
    names = _quoted(columns)
    rows = f"json_populate_recordset(NULL::{table}, %s)"
    return f"INSERT INTO {table} ({names}) SELECT {names} FROM {rows} {conflict}"  # noqa: S608 - names of ours


_GAME = GameRow.__struct_fields__
_FIXED = {"no", "id", "tbl", "table", "game", "opened"}
_CHANGES = ", ".join(f'"{name}" = excluded."{name}"' for name in _GAME if name not in _FIXED)
_PUT_GAMES = _insert("game", _GAME, f"ON CONFLICT (no) DO UPDATE SET {_CHANGES}")
_LISTED = ("name", "game", "no")
_PUT_LISTED = _insert("listed", _LISTED, "ON CONFLICT DO NOTHING")
_TALLY = Tally.__struct_fields__
_SUMS = ", ".join(f"{name} = standing.{name} + excluded.{name}" for name in _TALLY)
_STANDING = ("game", "account", *_TALLY)
_ADD_TO_STANDINGS = _insert("standing", _STANDING, f"ON CONFLICT (game, account) DO UPDATE SET {_SUMS}")
_RESULT = [name for name in ResultRow.__struct_fields__ if name != "no"]
_PUT_RESULTS = _insert("result", _RESULT)


Given = TypeVarTuple("Given")


class Ends(NamedTuple):
    """How far the archive is."""

    sequence: int
    """The last message of a shelf that is there."""
    games: int
    rated: int
    erased: int
    """How many games, rated ones and erased accounts there are, of all shelves."""


class Filing:
    """Writes stretches of one shelf; used by one thread at a time. Knows the games of its open tables."""

    def __init__(self, pool: Pool, shelf: int) -> None:
        self._pool = pool
        self._shelf = shelf
        self._ledger: Ledger | None = None
        self._at = (-1, -1)
        """The last message, and how many accounts had been erased, when the ledger was true."""
        self._erasures: list[tuple[Erasure, int]] = []

    def upto(self) -> int:
        """The last message that is in the archive. Raises LocalError."""
        query = "SELECT sequence FROM shelf WHERE shelf = %s"
        row = self._pool.ask(lambda connection: connection.execute(query, (self._shelf,)).fetchone())
        return 0 if row is None else int(row[0])

    def file(self, messages: Sequence[Message]) -> int:
        """Write these whole batches, or those of them that are not there yet; up to which message all is there."""
        return self._pool.ask(partial(self._file, messages))

    def _file(self, messages: Sequence[Message], connection: "Connection[Any]") -> int:
        try:
            with self._alone(connection) as (cursor, ends):
                if self._ledger is None or self._at != (ends.sequence, ends.erased):
                    self._load(cursor)
                assert self._ledger is not None
                self._ledger.go_on_from(ends.games, ends.rated)
                upto = ends.sequence
                fresh = [message for message in messages if message.sequence > upto or message.sequence == BEHIND]
                if fresh:
                    upto = max(fresh[-1].sequence, upto + 1)
                    lines = b"".join(message.payload for message in whole(fresh) if not message.carry)
                    self._write(cursor, lines, upto)
        except msgspec.MsgspecError as error:
            self._ledger = None
            raise LocalError(f"shelf {self._shelf} has a record that is none: {error}") from error
        except BaseException:
            self._ledger = None  # it is ahead of what was written
            raise
        self._ledger.written()
        self._at = upto, ends.erased
        return upto

    @contextmanager
    def _alone(self, connection: "Connection[Any]") -> "Iterator[tuple[ClientCursor[Any], Ends]]":
        """One transaction in which no one else writes games, and where the archive is, by its own word.

        Several statements are sent as one wherever none needs the answer to another: each wait for the database is a
        fight for the interpreter lock with the loop.
        """
        with ClientCursor(connection) as cursor:
            try:
                while True:
                    try:
                        cursor.execute(_BEGIN, {"shelf": self._shelf})
                        break
                    except LockNotAvailable:
                        connection.rollback()
                        cursor.execute(_END_STANDING)
                while cursor.nextset():  # the last answer is the one that counts
                    pass
                yield cursor, Ends(*cursor.fetchall()[0])
                connection.commit()
            except BaseException:
                with suppress(psycopg.Error):  # it is lost, or terminated
                    connection.rollback()
                raise

    def _load(self, cursor: "ClientCursor[Any]") -> None:
        """Know of the shelf's open tables what the archive does, and which accounts are no more."""
        self._ledger = Ledger(1)
        rows = cursor.execute(
            f"SELECT {_quoted(_GAME)} FROM game WHERE live = 1 AND tbl BETWEEN %s AND %s ORDER BY no",  # noqa: S608
            (self._shelf << BITS, (self._shelf + 1 << BITS) - 1),
        )
        for row in rows.fetchall():
            self._ledger.adopt(GameRow.read(row))
        self._erasures = _erasures(cursor)

    def _write(self, cursor: "ClientCursor[Any]", lines: bytes, upto: int) -> None:
        for erasure, at in self._erasures:
            if json_text(erasure.account).encode() in lines:
                lines = _without(erasure, at, lines)
        with cursor.copy("COPY record (tbl, seq, at, event) FROM STDIN") as copy:
            copy.write(lines.replace(b"\\", b"\\\\"))
        ledger = self._ledger
        assert ledger is not None
        readings: dict[int, Reading] = {}
        for line in _not_moves(lines):
            tbl, seq, told, text = line.split(b"\t", 3)
            reading = readings.setdefault(int(tbl), Reading())
            ledger.enter(int(seq), int(tbl), int(told), reading.event(text.decode()))
        earned = [(*whose, *msgspec.structs.astuple(tally)) for whose, tally in ledger.earned.items()]
        puts = (
            (_PUT_GAMES, _GAME, [row.cells() for row in ledger.changed.values()]),
            (_PUT_LISTED, _LISTED, ledger.listed),
            (_ADD_TO_STANDINGS, _STANDING, earned),
            (_PUT_RESULTS, _RESULT, [[getattr(one, name) for name in _RESULT] for one in ledger.results]),
        )
        statements = [statement for statement, _, rows in puts if rows]
        cells: list[Cell] = [_in_json(columns, rows) for _, columns, rows in puts if rows]
        cursor.execute("; ".join((*statements, *_END)), (*cells, upto, self._shelf, *ledger.ends))

    def erasures(self) -> list[tuple[Erasure, float]]:
        """The accounts that were deleted, and when, in order."""

        def look(connection: "Connection[Any]") -> list[tuple[Erasure, float]]:
            with connection.cursor() as cursor:
                return [(erasure, at / 1000) for erasure, at in _erasures(cursor)]

        return self._pool.ask(look)

    def records(self, table: int) -> tuple[int, bytes]:
        """Up to which message the archive is, and the lines of a table's records."""

        def look(connection: "Connection[Any]") -> tuple[int, bytes]:
            with self._alone(connection) as (cursor, ends):
                query = "SELECT tbl, seq, at, event FROM record WHERE tbl = %s ORDER BY seq"
                rows = cursor.execute(query, (table,)).fetchall()
            return ends.sequence, "".join(f"{tbl}\t{seq}\t{at}\t{event}\n" for tbl, seq, at, event in rows).encode()

        return self._pool.ask(look)


def _not_moves(lines: bytes) -> Iterator[bytes]:
    """The lines of records other than moves, of which there are few."""
    end = -1
    while (found := _NO_MOVE.search(lines, end + 1)) is not None:
        start, end = lines.rfind(b"\n", 0, found.start()) + 1, lines.find(b"\n", found.end())
        yield lines[start:end]


def _in_json(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    return json_text([dict(zip(columns, row, strict=True)) for row in rows])


def _erasures(cursor: "Cursor[Any]") -> list[tuple[Erasure, int]]:
    """With their time in milliseconds."""
    rows = cursor.execute("SELECT account, alias, at FROM erasure ORDER BY no").fetchall()
    return [(Erasure(account, alias), at) for account, alias, at in rows]


def whole(messages: Iterable[Message]) -> list[Message]:
    """Without the parts of batches whose rest never came."""
    found: list[Message] = []
    parts: list[Message] = []
    for message in messages:
        if parts and parts[0].mark != message.mark:
            parts.clear()
        parts.append(message)
        if not message.more:
            found += parts
            parts.clear()
    return found


def _without(erasure: Erasure, at: int, lines: bytes) -> bytes:
    """These lines, without an account that was erased at this time."""
    kept = []
    for line in lines.splitlines(keepends=True):
        tbl, seq, told, text = line.rstrip(b"\n").split(b"\t", 3)
        if int(told) <= at and json_text(erasure.account).encode() in text:
            text = json_text(erasure.apply(json.loads(text))).encode()
            line = b"\t".join((tbl, seq, told, text)) + b"\n"
        kept.append(line)
    return b"".join(kept)


class Archivist:
    """Does it for one shelf of a node, as long as the node keeps it."""

    def __init__(self, pool: Pool, shelf: Shelf) -> None:
        self._shelf = shelf
        self._filing = Filing(pool, shelf.number)
        self._thread = ThreadPoolExecutor(1, f"parlour-archive-{shelf.number}")
        self._upto = 0
        self._begun = False
        self._in_mind: deque[Message] = deque()
        self._bytes = 0
        self.backlog = Backlog()
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self._due = asyncio.Event()

    @property
    def upto(self) -> int:
        """The last message that is in the archive."""
        return self._upto

    @property
    def lag(self) -> int:
        """How many messages are not."""
        return max(0, self._shelf.settled - self._upto)

    async def catch_up(self) -> None:
        """Bring everything there that is on the shelf; then go on by ourselves. Raises LocalError."""
        await self._begin()
        while self._upto < self._shelf.settled:
            await self._file_some()
        self.start()

    def start(self) -> None:
        """Do it by ourselves, as soon as the archive answers."""
        self._due.set()
        self._task = asyncio.get_running_loop().create_task(self._work())

    async def _begin(self) -> None:
        """Find out where to go on. Raises LocalError when shelf and archive do not fit together."""
        upto, number = await self._in_thread(self._filing.upto), self._shelf.number
        if upto > self._shelf.settled:
            raise LocalError(
                f"shelf {number} ends at message {self._shelf.settled}, but the archive has {upto}:"
                " the brokers have lost messages"
            )
        backlog, expected, last = Backlog(), upto + 1, self._shelf.settled
        async for message in self._shelf.read(upto + 1, last):
            if message.sequence > expected:
                raise LocalError(
                    f"the archive has shelf {number} up to message {upto}, but the shelf begins at {message.sequence}:"
                    " this is not its archive, or an old copy of it"
                )
            expected = message.sequence + 1
            backlog.add(message, time.time())
        for message in self._in_mind:
            if message.sequence > last:
                backlog.add(message, time.time())
        self._upto, self._begun, self.backlog = upto, True, backlog

    def take(self, messages: list[Message]) -> None:
        """These were written."""
        for message in messages:
            self._in_mind.append(message)
            self._bytes += len(message.payload)
            self.backlog.add(message, time.time())
        while self._bytes > IN_MIND:
            self._bytes -= len(self._in_mind.popleft().payload)
        self._due.set()

    async def erasures(self) -> list[tuple[Erasure, float]]:
        return await self._in_thread(self._filing.erasures)

    async def records(self, table: int) -> tuple[int, bytes]:
        return await self._in_thread(self._filing.records, table)

    def close(self) -> None:
        """Stops at the present message: the shelf's next keeper goes on from there."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
        self._thread.shutdown(wait=False)

    async def finish(self) -> None:
        """Bring the rest there, if the archive answers; then stop."""
        if self._task is not None:
            self._task.cancel()
        with suppress(LocalError):
            while self._begun and self._upto < self._shelf.settled:
                await self._file_some()

    async def _work(self) -> None:
        pause = PAUSE
        while not self._closed:  # a connection that is closed meanwhile swallows the cancellation
            await self._due.wait()
            self._due.clear()
            await asyncio.sleep(pause)
            began = time.monotonic()
            try:
                if not self._begun:
                    await self._begin()
                while self._upto < self._shelf.settled:
                    await self._file_some()
            except LocalError:
                self._due.set()
                await asyncio.sleep(RETRY)
            pause = max(PAUSE, min(SHARE * (time.monotonic() - began), LONGEST_PAUSE))

    async def _file_some(self) -> None:
        messages = await self._next()
        self._upto = await self._in_thread(self._filing.file, messages)
        self.backlog.drop(self._upto)

    async def _next(self) -> list[Message]:
        """The messages that come next, as many as one transaction takes: whole batches."""
        while self._in_mind and self._in_mind[0].sequence <= self._upto:
            self._bytes -= len(self._in_mind.popleft().payload)
        last = self._shelf.settled
        if self._in_mind and self._in_mind[0].sequence == self._upto + 1:
            return _stretch(self._in_mind)
        if self._in_mind:
            last = self._in_mind[0].sequence - 1
        found: list[Message] = []
        size = 0
        async for message in self._shelf.read(self._upto + 1, last):
            found.append(message)
            size += len(message.payload)
            if size > STRETCH and not message.more:
                break
        return found

    async def _in_thread(self, work: Callable[[*Given], Answer], *arguments: *Given) -> Answer:
        if self._closed:
            raise LocalError(f"shelf {self._shelf.number} is another's now")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)


def _stretch(messages: Iterable[Message]) -> list[Message]:
    found: list[Message] = []
    size = 0
    for message in messages:
        found.append(message)
        size += len(message.payload)
        if size > STRETCH and not message.more:
            break
    return found


class Intake:
    """Whole tables straight into the archive: games that are imported. One process at a time."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._filing = Filing(pool, IMPORTS)

    def next_table(self) -> int:
        """A table number never used before."""
        query = "UPDATE tally SET tbl = tbl + 1 RETURNING tbl"
        ((number,),) = self._pool.ask(lambda connection: connection.execute(query).fetchall())
        return int(number)

    def batch(self) -> Batch:
        return Batch()

    def commit(self, batch: Batch, done: Done) -> None:
        """Write it, and call `done`."""
        lines = by_shelf(batch).get(IMPORTS, Lines())
        try:
            self._filing.file([Message(BEHIND, "", "".join(lines.text).encode(), more=False, carry=False, count=0)])
        except LocalError as error:
            done(error)
        else:
            done(None)


if TYPE_CHECKING:

    def _archives(archivist: Archivist) -> Archiving:
        return archivist

    def _is_a_journal(intake: Intake) -> Journal:
        return intake
