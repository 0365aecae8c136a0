"""The log of a node in a house on several machines: its own shelf, and those that it has adopted."""

import asyncio
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import msgspec

from parlour.core.erasing import Erasure
from parlour.core.errors import LocalError
from parlour.core.words import Closed, Opened, Played, Record
from parlour.store.base import Batch, Done, Fenced
from parlour.store.shelf import BITS, Message, Shelf, kept_by, shelf_of
from parlour.store.spelling import Reading, spelled, spelled_move

if TYPE_CHECKING:
    from parlour.store.base import Log

TIDY_SECONDS = 10.0
"""How often shelves are trimmed."""
REOPEN_SECONDS = 1.0
ERASURES_SECONDS = 0.5
"""How long an adoption waits to hear which accounts were deleted."""
LATELY = 60.0
OLD = 86_400.0
"""Seconds after which a table that is still open is carried forward, so that its shelf does not grow for ever."""

ENDS = re.compile(rb'^(\d+)\t\d+\t\d+\t\{"v":\d+,"type":"closed"', re.MULTILINE)
LINES = re.compile(rb"^(\d+)\t(\d+)\t(\d+)\t(.*)$", re.MULTILINE)


class Archiving(Protocol):
    """Who carries what is on a shelf into the archive, after the fact."""

    def take(self, messages: list[Message]) -> None:
        """These were written."""
        ...

    @property
    def upto(self) -> int:
        """The last message that is in the archive."""
        ...

    async def catch_up(self) -> None:
        """Bring everything there that is on the shelf, and go on from then on. Raises LocalError."""
        ...

    def start(self) -> None:
        """Do the same, as soon as it can be done."""
        ...

    async def erasures(self) -> list[tuple[Erasure, float]]:
        """The accounts that were deleted, and when. Raises LocalError."""
        ...

    async def records(self, table: int) -> tuple[int, bytes]:
        """Up to which message the archive is, and the lines of all records of a table up to there."""
        ...

    def close(self) -> None: ...


class Lines:
    """What goes into one shelf: a line a record, as PostgreSQL's COPY takes them but for backslashes."""

    __slots__ = ("closed", "opened", "text")

    def __init__(self) -> None:
        self.text: list[str] = []
        self.opened: list[tuple[int, float]] = []
        self.closed: list[int] = []


def by_shelf(batch: Batch) -> dict[int, Lines]:
    """What goes into the shelf of each table."""
    found: dict[int, Lines] = {}
    last, milliseconds = -1.0, 0
    for table, record in batch.rows:
        no, event, at = table.no, record.event, record.at
        lines = found.get(no >> BITS)
        if lines is None:
            lines = found[no >> BITS] = Lines()
        if at is not last:
            last, milliseconds = at, int(at * 1000 + 0.5)
        if type(event) is Played:
            text = spelled_move(event)
        else:
            text = spelled(event)
            if type(event) is Opened:
                lines.opened.append((no, at))
            elif type(event) is Closed:
                lines.closed.append(no)
        lines.text.append(f"{no}\t{record.seq}\t{milliseconds}\t{text}\n")
    return found


class Contents:
    """What a shelf comes to: the tables on it that are not closed."""

    def __init__(self) -> None:
        self.count = 0
        self.counted = 0
        self.first: dict[int, int] = {}
        """By table, the message with which its records begin."""
        self._lines: dict[int, dict[int, tuple[int, bytes]]] = {}
        """By table and number, time and event of every record."""
        self._parts: list[Message] = []
        self.closed: dict[int, dict[int, tuple[int, bytes]]] = {}
        """The same of tables that are closed."""

    def add(self, message: Message) -> None:
        if message.count:
            self.count, self.counted = max(self.count, message.count), message.sequence
        if self._parts and self._parts[0].mark != message.mark:  # the rest of that batch never came
            self._parts.clear()
        self._parts.append(message)
        if not message.more:
            for part in self._parts:
                self._enter(part, self._parts[0].sequence)
            self._parts.clear()

    def _enter(self, message: Message, sequence: int) -> None:
        for line in LINES.finditer(message.payload):
            table, number = int(line[1]), int(line[2])
            records = self._lines.setdefault(table, {})
            records[number] = int(line[3]), line[4]
            self.first.setdefault(table, sequence)
        for line in ENDS.finditer(message.payload):
            table = int(line[1])
            if table in self._lines:
                self.closed[table] = self._lines.pop(table)
            self.first.pop(table, None)

    def closed_lately(self) -> dict[int, list[Record]]:
        """The records of those that were closed within the last minute: people may be there who do not know."""
        ends = {table: max(at for at, _ in lines.values()) for table, lines in self.closed.items()}
        last = max(ends.values(), default=0)
        found = {}
        for table in [table for table, at in ends.items() if at >= last - LATELY * 1000]:
            reading = Reading()
            with suppress(msgspec.MsgspecError):
                found[table] = [
                    Record(number, at / 1000, reading.event(text.decode()))
                    for number, (at, text) in sorted(self.closed[table].items())
                ]
        return found

    def records(self) -> dict[int, list[Record]]:
        """By table, its records in order. Raises LocalError for those that cannot be read."""
        found = {}
        for table, lines in sorted(self._lines.items()):
            reading = Reading()
            try:
                found[table] = [
                    Record(number, at / 1000, reading.event(text.decode()))
                    for number, (at, text) in sorted(lines.items())
                ]
            except msgspec.MsgspecError as error:
                raise LocalError(f"table {table:x} on shelf {shelf_of(table)} is damaged: {error}") from error
            if lines.keys() != set(range(1, len(lines) + 1)):
                raise LocalError(f"table {table:x} on shelf {shelf_of(table)} lacks records")
        return found


def without(records: dict[int, list[Record]], erasures: Sequence[tuple[Erasure, float]]) -> dict[int, list[Record]]:
    """These records, without accounts that were deleted after they were written."""
    for erasure, at in erasures:
        records = {
            table: [
                msgspec.structs.replace(record, event=erasure.event(record.event)) if record.at <= at else record
                for record in told
            ]
            for table, told in records.items()
        }
    return records


class Kept:
    """A shelf of ours, with what we know of it."""

    def __init__(self, shelf: Shelf, archiving: Archiving) -> None:
        self.shelf = shelf
        self.archiving = archiving
        self.first: dict[int, int] = {}
        """By open table, the message with which its records begin."""
        self.since: dict[int, float] = {}
        """By open table, when it was opened or last carried forward."""
        self.closed: dict[int, list[Record]] = {}
        """By number, tables that had just been closed when the shelf was read."""
        self.torn = False
        """Whether a batch may be there or not: no other may be written before that is looked at."""

    async def take(self) -> dict[int, list[Record]]:
        """Seal it and read it: what is open on it, by number.

        Raises LocalError, and Fenced of a torn one that another has sealed meanwhile.
        """
        shelf, contents = self.shelf, Contents()
        async for message in shelf.read(1, await (shelf.seal_again() if self.torn else shelf.seal())):
            contents.add(message)
        records = contents.records()
        shelf.count, shelf.counted = max(shelf.count, contents.count), contents.counted
        self.first = {table: contents.first[table] for table in records}
        self.since = {table: found[0].at for table, found in records.items()}
        self.closed = contents.closed_lately()
        self.torn = False
        return records

    async def write(self, lines: Lines) -> None:
        """Raises LocalError, and Fenced."""
        written = await self._put("".join(lines.text).encode())
        for table, at in lines.opened:
            self.first[table], self.since[table] = written[0].sequence, at
        for table in lines.closed:
            self.first.pop(table, None)
            self.since.pop(table, None)

    async def _put(self, payload: bytes, carry: bool = False) -> list[Message]:
        if self.torn:
            raise LocalError(f"shelf {self.shelf.number} may lack earlier records")
        try:
            written = await self.shelf.write(payload, carry)
        except LocalError:
            self.torn = True
            raise
        self.archiving.take(written)
        return written

    async def tidy(self, now: float) -> None:
        """Carry old tables forward, and forget what is in the archive and no table needs."""
        for table in [table for table, since in self.since.items() if since < now - OLD]:
            upto, text = await self.archiving.records(table)
            if table in self.first and self.first[table] <= upto:
                await self._put(text, carry=True)
                self.first[table], self.since[table] = upto + 1, now
        await self.shelf.trim(min([self.archiving.upto + 1, *self.first.values()]))


class JetstreamLog:
    """Writes each table to its shelf. Everything here runs on the loop that it was made on."""

    waits = True

    def __init__(
        self,
        open_own: "Callable[[], Opening]",
        lost: Callable[[int, Fenced], None] = lambda *_: None,
        found: "Callable[[Tables], None]" = lambda _: None,
    ) -> None:
        """`lost` is told of a shelf of ours that another keeps, `found` what is open on the one that follows it."""
        self._open_own = open_own
        self._lost = lost
        self._found_open = found
        self._kept: dict[int, Kept] = {}
        self._own: Kept
        self._found: dict[int, list[Record]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._tidying: asyncio.Task[None] | None = None
        self._begun: dict[int, float] = {}
        """Of the commits that wait for the brokers, when they were begun."""
        self._closed = False

    async def open(self) -> None:
        """Take a shelf for the tables that are opened here. Raises LocalError."""
        kept = await self._open_own()
        records = await kept.take()
        await kept.archiving.catch_up()  # what games came to is counted from there
        self._found |= without(records, await kept.archiving.erasures())
        self._own = self._kept[kept.shelf.number] = kept
        if self._tidying is None:
            self._tidying = self._run(self._tidy())

    async def adopt(self, kept: Kept) -> "Tables":
        """Keep another shelf from now on; its open tables. Raises LocalError. The archive may be away."""
        records = await kept.take()
        self._kept[kept.shelf.number] = kept
        kept.archiving.start()
        with suppress(LocalError, TimeoutError):
            async with asyncio.timeout(ERASURES_SECONDS):
                records = without(records, await kept.archiving.erasures())
        return list(records.items())

    @property
    def own(self) -> int:
        """The number of the shelf on which tables are opened."""
        return self._own.shelf.number

    @property
    def owns(self) -> bool:
        """Whether that shelf is still ours; if not, another is about to be, or the same again."""
        return self._kept.get(self.own) is self._own

    @property
    def shelves(self) -> list[Kept]:
        return list(self._kept.values())

    def _run(self, work: "Coroutine[None, None, None]") -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # --- what a house asks -------------------------------------------------------------------------------------------

    def next_table(self) -> int:
        """A table number never used before."""
        return self._own.shelf.next_table()

    def batch(self) -> Batch:
        return Batch()

    def commit(self, batch: Batch, done: Done) -> None:
        """One message to each shelf; `done` is called when all of them are there, or one cannot be."""
        if self._closed:
            done(LocalError("the log is closed"))
        elif not batch.rows:
            done(None)
        else:
            self._run(self._commit(batch, done))

    def waiting(self) -> tuple[int, float]:
        """How many commits wait for the brokers, and for how many seconds the longest does."""
        now = time.monotonic()
        return len(self._begun), now - min(self._begun.values(), default=now)

    async def _commit(self, batch: Batch, done: Done) -> None:
        self._begun[id(batch)] = time.monotonic()
        try:
            outcome = await self._write_all(batch)
        finally:
            del self._begun[id(batch)]
        done(outcome)

    async def _write_all(self, batch: Batch) -> LocalError | None:
        found = by_shelf(batch)
        if len(found) == 1:
            ((number, lines),) = found.items()
            return await self._write(number, lines)
        outcomes = await asyncio.gather(*(self._write(number, lines) for number, lines in found.items()))
        troubles = [error for error in outcomes if error is not None]
        fences = [error for error in troubles if isinstance(error, Fenced)]
        return _together(fences) if len(fences) == len(troubles) else troubles[0]

    async def _write(self, number: int, lines: Lines) -> LocalError | None:
        kept = self._kept.get(number)
        if kept is None:
            return kept_by("another server", number)
        try:
            await kept.write(lines)
        except Fenced as fence:
            self.lose(number, fence)
            return fence
        except LocalError as error:
            return error
        return None

    def past(self, table: int, after: int) -> list[Record]:
        """The records after this one of a table that had just been closed when its shelf was read."""
        kept = self._kept.get(shelf_of(table))
        return [] if kept is None else [record for record in kept.closed.get(table, ()) if record.seq > after]

    async def confirm(self) -> None:
        """See whether our shelves are still ours; those that are not are lost."""
        await asyncio.gather(*(self._write(number, Lines()) for number in list(self._kept)))

    def lose(self, number: int, fence: Fenced) -> None:
        """Another has this shelf: nothing is written there any more."""
        if number in self._kept:
            self.drop(number)
            self._lost(number, fence)
            if number == self.own:
                self._run(self._open_another())

    def drop(self, number: int) -> None:
        """Another keeps this shelf now, or its tables are over."""
        self._kept.pop(number).archiving.close()

    async def _open_another(self) -> None:
        """Ours is another's now: tables that are opened from here on need a new one."""
        while not self.owns:
            try:
                kept = await self._open_own()
                tables = await self.adopt(kept)
                self._own = kept
                self._found_open(tables)
            except LocalError:
                await asyncio.sleep(REOPEN_SECONDS)

    def probe(self, done: Done) -> None:
        """See that every shelf can be written, and read again those that may lack something."""
        self._run(self._probe(done))

    async def _probe(self, done: Done) -> None:
        fences = []
        try:
            for kept in [kept for kept in self.shelves if kept.torn]:
                try:
                    self._found |= await kept.take()
                except Fenced as fence:
                    self.lose(kept.shelf.number, fence)
                    fences.append(fence)
        except LocalError as error:
            done(error)
        else:
            done(_together([fence for fence in fences if fence.shelves.isdisjoint(self._kept)]))

    def check(self, done: Done) -> None:
        """Write something that changes nothing."""
        self._run(self._check(done))

    async def _check(self, done: Done) -> None:
        done(await self._write(self._own.shelf.number, Lines()))

    def unfinished(self) -> Iterator[tuple[int, list[Record]]]:
        """The tables that are not closed, as they were when the shelves were last read."""
        found, self._found = self._found, {}
        return iter(found.items())

    async def _tidy(self) -> None:
        while True:
            await asyncio.sleep(TIDY_SECONDS)
            for kept in self.shelves:
                with suppress(LocalError):  # the next write reports it
                    await kept.tidy(time.time())

    def close(self) -> None:
        """No batch is taken any more."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        for kept in self.shelves:
            kept.archiving.close()


def _together(fences: Sequence[Fenced]) -> Fenced | None:
    return Fenced(str(fences[0]), frozenset().union(*(fence.shelves for fence in fences))) if fences else None


if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine

    Opening = Awaitable[Kept]
    Tables = list[tuple[int, list[Record]]]

    def _is_a_log(log: JetstreamLog) -> Log:
        return log
