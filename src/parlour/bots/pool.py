"""Worker processes that think for the engines, so that the event loop never does.

A worker holds at most one task, so its pipe is never full and sending never blocks. Tasks wait in one line, first come
first served. That is fair between tables, because a table has one seat on turn, and so at most one task: a table that
asks again stands behind all others. Where many wait, each thinks for less time. Nothing waits for ever: a line that
is too long or too slow, a worker that dies, takes too long or too much memory all end in a `Failure`, and the asker
makes do with a simpler level.

What no game waits for, hints and the like, has a line of its own: one such study at a time, and only while no task
waits.

Workers take tasks as soon as they are there, and play without machine code until they have it. What has been compiled
before they load between two tasks. What has not, a process that does nothing else compiles, one game after the other.
"""

import asyncio
import os
import subprocess
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any, assert_never

import structlog

from parlour.bots.place import Ticket, Worker
from parlour.bots.stock import Stock
from parlour.bots.trouble import Failure, Trouble
from parlour.bots.worker import (
    BUILT_IN,
    Answer,
    Chosen,
    Failed,
    Hurry,
    Load,
    Loaded,
    Order,
    Prepare,
    Prepared,
    Ready,
    Studied,
    Study,
    Task,
    packed,
)
from parlour.core.game import Verdict

log = structlog.get_logger()

_LARGEST = 60_000
"""Bytes of a task at most: what fits into an empty pipe on every system, so that sending does not block."""
_SOONEST, _LATEST = 0.25, 30.0
"""Seconds before a lost worker is replaced: doubled with each loss in a row."""
_NICENESS, _NICEST = 5, 15
"""Of a worker, and of the process that compiles."""
_CALM = 1.0
"""Seconds before compiling begins: a host who starts a server wants to use it first."""
_WEIGHING = 1.0
"""Seconds between two looks at the workers' memory."""

MEGABYTE = 1 << 20
BARE = 210 * MEGABYTE
"""What a worker with all its machine code takes before it begins to remember positions."""
LEAST = 340 * MEGABYTE
"""With less than this no worker can play all games, one after the other: not every engine lets its table be cut."""
_TABLE = 64 * MEGABYTE
"""More than this no engine needs for its table of positions."""
_TABLES = 2
"""Engines with a big table."""
MOST_STUDIES = 32
"""Studies that may wait."""


def places(memory: int | None) -> int:
    """How many workers there are: one for each core but one, as far as there is memory, and at least one."""
    cores = max(1, (os.cpu_count() or 1) - 1)
    return cores if memory is None else max(1, min(cores, memory // LEAST))


class Pool:
    """So many workers, started on first need and kept until `stop`. Everything happens on the event loop."""

    def __init__(
        self,
        keys: Iterable[str],
        workers: int | None = None,
        *,
        loader: str = BUILT_IN,
        limit: int = 1000,
        grace: float = 2.0,
        patience: float = 5.0,
        warming: float = 60.0,
        compiling: float = 600.0,
        kernels: str | None = None,
        memory: int | None = None,
    ) -> None:
        self.keys = tuple(keys)
        self.loader = loader
        self.limit = limit
        """Tasks that may wait."""
        self.grace = grace
        """Seconds beyond its budget after which a worker is given up."""
        self.patience = patience
        """Seconds a task may wait for a worker."""
        self.warming = warming
        """Seconds a worker may take to start, and to load one game's machine code."""
        self.compiling = compiling
        """Seconds that making it may take."""
        self.kernels = kernels
        """The directory of the machine code; None: the engines do without."""
        self.memory = memory
        """Bytes for all processes together; None: no limit."""
        self.counters: Counter[str] = Counter()
        self.given: Counter[str] = Counter()
        """Tasks that workers were given, by game."""
        self.seconds: dict[str, float] = defaultdict(float)
        """How long they thought about them."""
        self.workers = [Worker() for _ in range(workers or places(memory))]
        self.stock = Stock()
        self._compiler = Worker()
        self._idle: deque[Worker] = deque()
        self._line: OrderedDict[Ticket, None] = OrderedDict()
        self._studies: OrderedDict[Ticket, None] = OrderedDict()
        """Those who want to know something that no game waits for."""
        self._nudge: asyncio.TimerHandle | None = None
        """When the head of a line has waited too long."""
        self._scales: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    # --- asking ----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the workers, if that has not been done; they warm up in the background."""
        if self._loop is not None or self._closed:
            return
        self._loop = asyncio.get_running_loop()
        for worker in self.workers:
            self._loop.call_soon(self._launch, worker)
        if self.memory is not None:
            self._weigh()

    def ask(self, task: Task, done: Callable[[str | Failure], None]) -> Ticket | Failure:
        """Put a task in the line. `done` gets the move or the failure later, never during this call."""
        return self._queue(task, self._line, self.limit, done)

    def study(self, study: Study, done: Callable[[Verdict | Failure], None]) -> Ticket | Failure:
        """Like `ask`, for what no game waits for."""
        return self._queue(study, self._studies, MOST_STUDIES, done)

    def _queue(
        self, task: Task | Study, line: OrderedDict[Ticket, None], limit: int, done: Callable[[Any], None]
    ) -> Ticket | Failure:
        if self._closed:
            return Failure(Trouble.CLOSED)
        self.start()
        assert self._loop is not None
        if len(line) >= limit:
            return Failure(Trouble.CROWDED)
        try:
            data = packed(task)
        except ValueError as error:
            return Failure(Trouble.FAILED, str(error))
        if len(data) > _LARGEST:
            return Failure(Trouble.FAILED, f"the position takes {len(data)} bytes")
        due = self._loop.time() + self.patience
        ticket = Ticket(data, task.budget.seconds, due, done, task.game, isinstance(task, Study))
        line[ticket] = None
        self._hand_out()
        return ticket

    def cancel(self, ticket: Ticket) -> None:
        """The caller does not want this answer any more. A worker that thinks about it already finishes its thought."""
        ticket.done = None
        self._line.pop(ticket, None)
        self._studies.pop(ticket, None)

    @property
    def waiting(self) -> int:
        """Tasks that no worker has begun."""
        return len(self._line)

    @property
    def thinking(self) -> int:
        """Workers with a task."""
        return sum(worker.ticket is not None for worker in self.workers)

    @property
    def warm(self) -> int:
        """Workers that have all the machine code there is for them."""
        games = self.stock.games
        return sum(bool(games) and games == worker.warm for worker in self.workers)

    @property
    def resident(self) -> int:
        """Bytes of memory in use by all processes."""
        return sum(worker.resident() for worker in (*self.workers, self._compiler))

    def _hand_out(self) -> None:
        assert self._loop is not None
        self._warm_up()
        while self._idle and (line := self._next_line()):
            ticket, _ = line.popitem(last=False)
            worker = next((each for each in self._idle if ticket.game in each.warm), self._idle[0])
            self._idle.remove(worker)
            worker.ticket, worker.began = ticket, self._loop.time()
            self.given[ticket.game] += 1
            allowed = ticket.seconds + self.grace
            worker.set_alarm(self._loop.call_later(allowed, self._lose, worker, Trouble.OVERRAN))
            if self._line:
                # Half of what would do, so that no task that waits has waited too long.
                share = (next(reversed(self._line)).due - worker.began) / 2 * len(self.workers) / (1 + len(self._line))
                if share < ticket.seconds:
                    self._send(worker, Hurry(max(0.0, share)))
            self._send(worker, ticket.data)
        if self._nudge is None and (heads := [next(iter(line)).due for line in (self._line, self._studies) if line]):
            self._nudge = self._loop.call_at(min(heads), self._expire)

    def _next_line(self) -> OrderedDict[Ticket, None]:
        """The line to serve next: no study while a game waits, and no two at a time."""
        busy = any(worker.ticket is not None and worker.ticket.study for worker in self.workers)
        return self._line if self._line or busy else self._studies

    def _send(self, worker: Worker, order: Order | bytes) -> None:
        assert self._loop is not None
        assert worker.connection is not None
        try:
            if isinstance(order, bytes):
                worker.connection.send_bytes(order)
            else:
                worker.connection.send(order)
        except OSError:  # it died idle; its ticket goes the way of those whose worker dies at work
            self._loop.call_soon(self._lose, worker, Trouble.CRASHED)

    def _expire(self) -> None:
        """Send those away who have waited too long."""
        assert self._loop is not None
        self._nudge = None
        now = self._loop.time()
        late = [ticket for line in (self._line, self._studies) for ticket in line if ticket.due <= now]
        for ticket in late:
            self._line.pop(ticket, None)
            self._studies.pop(ticket, None)
        self._hand_out()
        for ticket in late:
            ticket.answer(Failure(Trouble.IMPATIENT))

    # --- workers ---------------------------------------------------------------------------------------------------

    def _launch(self, worker: Worker) -> None:
        if self._closed:
            return
        assert self._loop is not None
        if worker.lingers:
            worker.set_alarm(self._loop.call_later(_SOONEST, self._launch, worker))
            return
        niceness = _NICEST if worker is self._compiler else _NICENESS
        worker.launch([self.loader, str(niceness), self.kernels or "", str(self._table()), *self.keys])
        assert worker.connection is not None
        self._loop.add_reader(worker.connection.fileno(), self._read, worker)
        worker.set_alarm(self._loop.call_later(self.warming, self._lose, worker, Trouble.OVERRAN))

    def _table(self) -> int:
        """Bytes for an engine's table of positions; 0 if it may decide for itself."""
        if self.memory is None:
            return 0
        return max(MEGABYTE, min(_TABLE, (self.memory // len(self.workers) - BARE) // _TABLES))

    def _read(self, worker: Worker) -> None:
        assert worker.connection is not None
        try:
            answer: Answer = worker.connection.recv()
        except (EOFError, OSError):
            self._lose(worker, Trouble.CRASHED)
            return
        if isinstance(answer, Prepared):
            worker.prepared = True
            self._hand_out()
            return
        worker.set_alarm(None)
        if worker is self._compiler:
            self._compiled(answer)
            return
        ticket = self._take_back(worker)
        self._idle.append(worker)
        match answer:
            case Ready(kernels=kernels):
                self._learn(kernels)
                self._hand_out()
            case Loaded(game=game, trouble=trouble):
                worker.loading = None
                if trouble:
                    self.stock.fails(game, trouble)
                else:
                    worker.warm.add(game)
                self._hand_out()
            case Chosen(move=move):
                self._done(worker, ticket, move)
            case Studied(verdict=verdict):
                self._done(worker, ticket, verdict)
            case Failed(why=why):
                self._done(worker, ticket, Failure(Trouble.FAILED, why))
            case _:
                assert_never(answer)

    def _done(self, worker: Worker, ticket: Ticket | None, answer: str | Verdict | Failure) -> None:
        worker.losses = 0
        self._hand_out()
        if ticket is not None:
            ticket.answer(answer)

    def _take_back(self, worker: Worker) -> Ticket | None:
        """A worker's ticket, with its time accounted for."""
        assert self._loop is not None
        ticket, worker.ticket = worker.ticket, None
        if ticket is not None:
            self.seconds[ticket.game] += self._loop.time() - worker.began
        return ticket

    def _lose(self, worker: Worker, why: Trouble) -> None:
        """A worker died, or has to: another takes its place after a while."""
        if self._closed or worker.connection is None:
            return
        assert self._loop is not None
        ticket = self._take_back(worker)
        loading = worker.loading
        self._dismiss(worker)
        worker.losses += 1
        self.counters["lost"] += 1
        if loading is not None:
            self.stock.fails(loading, why.value)
        delay = min(_LATEST, _SOONEST * 2 ** (worker.losses - 1))
        log.warning("engine process lost", why=why.value, again_in=delay)
        if worker is not self._compiler:
            worker.set_alarm(self._loop.call_later(delay, self._launch, worker))
        else:
            self._compile(delay)
        if ticket is not None:
            ticket.answer(Failure(why))

    def _dismiss(self, worker: Worker) -> None:
        assert self._loop is not None
        if worker in self._idle:
            self._idle.remove(worker)
        if worker.connection is not None:
            self._loop.remove_reader(worker.connection.fileno())
        worker.dismiss()
        self._reap(worker.process)

    def _reap(self, process: "subprocess.Popen[bytes] | None") -> None:
        """Let the system forget a process that was ended: no one may ever look at its place again."""
        assert self._loop is not None
        if process is not None and process.poll() is None:
            self._loop.call_later(_SOONEST, self._reap, process)

    def _weigh(self) -> None:
        """Part with processes that take more than their share of the memory."""
        assert self._loop is not None
        assert self.memory is not None
        self._scales = self._loop.call_later(_WEIGHING, self._weigh)
        for worker in self.workers:
            if worker.resident() > self.memory // len(self.workers):
                self._lose(worker, Trouble.GREEDY)
        if self._compiler.resident() > self.memory:
            self._lose(self._compiler, Trouble.GREEDY)

    # --- machine code ----------------------------------------------------------------------------------------------

    def _learn(self, kernels: dict[str, bool]) -> None:
        """What a new worker has found in the directory."""
        self.stock.learn(kernels)
        if self._compiler.connection is None and self._compiler.alarm is None:
            self._compile(_CALM)

    def _warm_up(self) -> None:
        """Let idle workers load code, one after the other so that most answer at any time.

        While some is being compiled, which takes much memory, only the first worker has any.
        """
        assert self._loop is not None
        able = self.workers[:1] if self.stock.unmade else self.workers
        for worker in [each for each in able if each in self._idle]:
            lacking = [game for game in self.stock.made if game not in worker.warm]
            if lacking and worker.prepared is None:
                worker.prepared = False
                self._send(worker, Prepare())
            elif lacking and worker.prepared and not any(each.loading for each in self.workers):
                self._idle.remove(worker)
                worker.loading = lacking[0]
                worker.set_alarm(self._loop.call_later(self.warming, self._lose, worker, Trouble.OVERRAN))
                self._send(worker, Load(lacking[0]))

    def _compile(self, delay: float) -> None:
        """Start the process that compiles, if there is anything to compile."""
        if self.stock.unmade:
            assert self._loop is not None
            self._compiler.set_alarm(self._loop.call_later(delay, self._launch, self._compiler))

    def _compiled(self, answer: Answer) -> None:
        assert self._loop is not None
        match answer:
            case Ready():
                alarm = self._loop.call_later(self.compiling, self._lose, self._compiler, Trouble.OVERRAN)
                self._compiler.set_alarm(alarm)
                # What is played most comes first.
                self._compiler.loading = max(self.stock.unmade, key=lambda game: self.given[game])
                self._send(self._compiler, Load(self._compiler.loading))
            case Loaded(game=game, trouble=trouble):
                # A new process for each: what a compiler has taken it does not give back.
                self._dismiss(self._compiler)
                if trouble:
                    self.stock.fails(game, trouble)
                else:
                    self.stock.works(game)
                self._compile(0.0)
                self._hand_out()
            case _:
                raise AssertionError(f"{answer} from a process that compiles")

    # --- the end ---------------------------------------------------------------------------------------------------

    async def stop(self) -> None:
        """End every process and wait until it is gone. What was asked stays unanswered."""
        self._closed = True
        if self._loop is None:
            return
        self._line.clear()
        self._studies.clear()
        for timer in (self._nudge, self._scales):
            if timer is not None:
                timer.cancel()
        processes = (*self.workers, self._compiler)
        for worker in processes:
            self._dismiss(worker)
            worker.ticket = None
        for worker in processes:
            if worker.process is not None:
                await asyncio.to_thread(worker.process.wait)
                worker.process = None
