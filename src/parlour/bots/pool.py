"""Worker processes that think for the engines, so that the event loop never does.

A worker holds at most one task, so its pipe is never full and sending never blocks. Tasks wait in one line, first come
first served, which is fair because every seat has at most one. Nothing waits for ever: a line that is too long or too
slow, a worker that dies or takes too long all end in a `Failure`, and the asker makes do with a simpler level.
"""

import asyncio
import enum
import os
import pickle
import socket
import subprocess
import sys
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from typing import assert_never

import msgspec
import structlog

from parlour.bots.worker import BUILT_IN, Answer, Chosen, Failed, Task, Warm

log = structlog.get_logger()

_LARGEST = 60_000
"""Bytes of a task at most: what fits into an empty pipe on every system, so that sending does not block."""
_SOONEST, _LATEST = 0.25, 30.0
"""Seconds before a lost worker is replaced: doubled with each loss in a row."""
_PROGRAM = "from parlour.bots.worker import main; main()"


class Trouble(enum.Enum):
    """What went wrong."""

    FAILED = "the engine failed"
    CRASHED = "its process died"
    OVERRAN = "it thought too long"
    CROWDED = "too many are waiting"
    IMPATIENT = "no process was free in time"
    CLOSED = "the pool is closed"


class Failure(msgspec.Struct, frozen=True):
    """Why there is no move."""

    trouble: Trouble
    detail: str = ""

    @property
    def text(self) -> str:
        """One line for the log."""
        return f"{self.trouble.value}: {self.detail}" if self.detail else self.trouble.value


class Ticket:
    """One task on its way."""

    __slots__ = ("data", "done", "due", "seconds")

    def __init__(self, data: bytes, seconds: float, due: float, done: Callable[[str | Failure], None]) -> None:
        self.data = data
        self.seconds = seconds
        self.due = due
        """When it has waited too long for a worker."""
        self.done: Callable[[str | Failure], None] | None = done
        """Whom to tell; None once nobody wants to know any more."""


class Worker:
    """One place in the pool, and the process that fills it at the moment."""

    __slots__ = ("alarm", "connection", "losses", "process", "ticket")

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.connection: Connection[Task, Answer] | None = None
        self.ticket: Ticket | None = None
        self.alarm: asyncio.TimerHandle | None = None
        """The deadline for whatever it does now, or the time to start it again."""
        self.losses = 0
        """Processes lost here since the last answer."""

    def set_alarm(self, alarm: asyncio.TimerHandle | None) -> None:
        if self.alarm is not None:
            self.alarm.cancel()
        self.alarm = alarm


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
        """Seconds a worker may take to start."""
        self.counters: Counter[str] = Counter()
        self.workers = [Worker() for _ in range(workers or max(1, (os.cpu_count() or 1) - 1))]
        self._idle: deque[Worker] = deque()
        self._line: OrderedDict[Ticket, None] = OrderedDict()
        self._nudge: asyncio.TimerHandle | None = None
        """When the head of the line has waited too long."""
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

    def ask(self, task: Task, done: Callable[[str | Failure], None]) -> Ticket | Failure:
        """Put a task in the line. `done` gets the move or the failure later, never during this call."""
        if self._closed:
            return Failure(Trouble.CLOSED)
        self.start()
        assert self._loop is not None
        if len(self._line) >= self.limit:
            return Failure(Trouble.CROWDED)
        try:
            data = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            return Failure(Trouble.FAILED, f"the position does not travel: {error}")
        if len(data) > _LARGEST:
            return Failure(Trouble.FAILED, f"the position takes {len(data)} bytes")
        ticket = Ticket(data, task.budget.seconds, self._loop.time() + self.patience, done)
        self._line[ticket] = None
        self._hand_out()
        return ticket

    def cancel(self, ticket: Ticket) -> None:
        """Nobody wants this answer any more. A worker that thinks about it already finishes its thought."""
        ticket.done = None
        self._line.pop(ticket, None)

    @property
    def waiting(self) -> int:
        """Tasks that no worker has begun."""
        return len(self._line)

    @property
    def thinking(self) -> int:
        """Workers with a task."""
        return sum(worker.ticket is not None for worker in self.workers)

    def _hand_out(self) -> None:
        assert self._loop is not None
        while self._line and self._idle:
            worker = self._idle.popleft()
            ticket, _ = self._line.popitem(last=False)
            worker.ticket = ticket
            allowed = ticket.seconds + self.grace
            worker.set_alarm(self._loop.call_later(allowed, self._lose, worker, Trouble.OVERRAN))
            assert worker.connection is not None
            try:
                worker.connection.send_bytes(ticket.data)
            except OSError:  # it died idle; its ticket goes the way of those whose worker dies at work
                self._loop.call_soon(self._lose, worker, Trouble.CRASHED)
        if self._line and self._nudge is None:
            self._nudge = self._loop.call_at(next(iter(self._line)).due, self._expire)

    def _expire(self) -> None:
        """Send those away who have waited too long."""
        assert self._loop is not None
        self._nudge = None
        now = self._loop.time()
        late = [ticket for ticket in self._line if ticket.due <= now]
        for ticket in late:
            del self._line[ticket]
        self._hand_out()
        for ticket in late:
            _tell(ticket, Failure(Trouble.IMPATIENT))

    # --- workers ---------------------------------------------------------------------------------------------------

    def _launch(self, worker: Worker) -> None:
        if self._closed:
            return
        assert self._loop is not None
        if worker.process is not None and worker.process.poll() is None:  # killed, but not gone yet
            worker.set_alarm(self._loop.call_later(_SOONEST, self._launch, worker))
            return
        ours, theirs = socket.socketpair()
        with theirs:
            worker.process = self._spawn(theirs.fileno())
        worker.connection = Connection(ours.detach())
        # If the process could not be started, the other end is closed now, and reading says so.
        self._loop.add_reader(worker.connection.fileno(), self._read, worker)
        worker.set_alarm(self._loop.call_later(self.warming, self._lose, worker, Trouble.OVERRAN))

    def _spawn(self, descriptor: int) -> "subprocess.Popen[bytes] | None":
        """Not `multiprocessing`: that would import the main program once more, and everything it does at the top."""
        try:
            return subprocess.Popen(  # noqa: S603 - our own interpreter and our own words
                [sys.executable, "-P", "-c", _PROGRAM, str(descriptor), self.loader, *self.keys],
                stdin=subprocess.DEVNULL,
                pass_fds=(descriptor,),
                env=os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
                start_new_session=True,  # Ctrl-C is for the server alone
            )
        except OSError as error:
            log.warning("engine process not started", error=str(error))
            return None

    def _read(self, worker: Worker) -> None:
        assert worker.connection is not None
        try:
            answer: Answer = worker.connection.recv()
        except (EOFError, OSError):
            self._lose(worker, Trouble.CRASHED)
            return
        worker.set_alarm(None)
        ticket, worker.ticket = worker.ticket, None
        self._idle.append(worker)
        self._hand_out()
        match answer:
            case Warm():
                pass
            case Chosen(move=move):
                worker.losses = 0
                _tell(ticket, move)
            case Failed(why=why):
                worker.losses = 0
                _tell(ticket, Failure(Trouble.FAILED, why))
            case _:
                assert_never(answer)

    def _lose(self, worker: Worker, why: Trouble) -> None:
        """A worker died, or has to: another takes its place after a while."""
        if self._closed or worker.connection is None:
            return
        assert self._loop is not None
        ticket, worker.ticket = worker.ticket, None
        self._dismiss(worker)
        worker.losses += 1
        delay = min(_LATEST, _SOONEST * 2 ** (worker.losses - 1))
        worker.set_alarm(self._loop.call_later(delay, self._launch, worker))
        self.counters["lost"] += 1
        log.warning("engine process lost", why=why.value, again_in=delay)
        _tell(ticket, Failure(why))

    def _dismiss(self, worker: Worker) -> None:
        assert self._loop is not None
        worker.set_alarm(None)
        if worker in self._idle:
            self._idle.remove(worker)
        if worker.connection is not None:
            self._loop.remove_reader(worker.connection.fileno())
            worker.connection.close()
            worker.connection = None
        if worker.process is not None:
            worker.process.kill()

    # --- the end ---------------------------------------------------------------------------------------------------

    async def stop(self) -> None:
        """End every process and wait until it is gone. What was asked stays unanswered."""
        self._closed = True
        if self._loop is None:
            return
        self._line.clear()
        if self._nudge is not None:
            self._nudge.cancel()
        for worker in self.workers:
            self._dismiss(worker)
            worker.ticket = None
        for worker in self.workers:
            if worker.process is not None:
                await asyncio.to_thread(worker.process.wait)
                worker.process = None


def _tell(ticket: Ticket | None, answer: str | Failure) -> None:
    if ticket is not None and ticket.done is not None:
        done, ticket.done = ticket.done, None
        done(answer)
