"""A place in the pool: a process, the pipe to it, and what it is busy with."""

import asyncio
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

import structlog

from parlour.bots.worker import Answer, Order

log = structlog.get_logger()

_PROGRAM = "from parlour.bots.worker import main; main()"
_MODEST = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
"""A worker thinks with one thread; libraries that prepare for more only take memory."""


class Ticket:
    """One task or study on its way."""

    __slots__ = ("data", "done", "due", "game", "seconds", "study")

    def __init__(
        self,
        data: bytes,
        seconds: float,
        due: float,
        done: Callable[[Any], None],
        game: str = "",
        study: bool = False,
    ) -> None:
        self.data = data
        self.seconds = seconds
        self.due = due
        """When it has waited too long for a worker."""
        self.done: Callable[[Any], None] | None = done
        """Takes the answer; None once the caller does not want it any more."""
        self.game = game
        self.study = study
        """Whether no game waits for it."""

    def answer(self, answer: object) -> None:
        if self.done is not None:
            done, self.done = self.done, None
            done(answer)


class Worker:
    """One place in the pool, and the process that fills it at the moment."""

    __slots__ = ("alarm", "began", "connection", "loading", "losses", "prepared", "process", "ticket", "warm")

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.connection: Connection[Order, Answer] | None = None
        self.ticket: Ticket | None = None
        self.began = 0.0
        """When it was given its ticket."""
        self.alarm: asyncio.TimerHandle | None = None
        """The deadline of its present task, or the time to start it again."""
        self.losses = 0
        """Processes lost here since the last answer."""
        self.warm: set[str] = set()
        """The games whose machine code it has."""
        self.loading: str | None = None
        """The game whose machine code it is loading."""
        self.prepared: bool | None = None
        """Whether it can load machine code without keeping its tasks waiting; None: it was not asked to."""

    def launch(self, words: Sequence[str]) -> None:
        """Start a process. If that does not work, the other end of the pipe is closed, and reading says so."""
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = _spawn(theirs.fileno(), words)
        self.connection = Connection(ours.detach())
        self.warm = set()
        self.loading = self.prepared = None

    @property
    def lingers(self) -> bool:
        """Whether the process that was here is still going away."""
        return self.process is not None and self.process.poll() is None

    def dismiss(self) -> None:
        """End the process."""
        self.set_alarm(None)
        if self.connection is not None:
            self.connection.close()
            self.connection = None
        if self.process is not None:
            self.process.kill()
        self.warm = set()
        self.loading = None

    def set_alarm(self, alarm: asyncio.TimerHandle | None) -> None:
        if self.alarm is not None:
            self.alarm.cancel()
        self.alarm = alarm

    def resident(self) -> int:
        """Bytes of memory in use, where the system tells: on Linux."""
        if self.process is None or self.connection is None:
            return 0
        try:
            with open(f"/proc/{self.process.pid}/statm", "rb") as figures:
                return int(figures.read().split()[1]) * resource.getpagesize()
        except (OSError, IndexError):
            return 0


def _spawn(descriptor: int, words: Sequence[str]) -> "subprocess.Popen[bytes] | None":
    """Not `multiprocessing`: that would import the main program once more, and everything it does at the top."""
    path = {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
    try:
        return subprocess.Popen(  # noqa: S603 - our own interpreter and our own words
            [sys.executable, "-P", "-c", _PROGRAM, str(descriptor), *words],
            stdin=subprocess.DEVNULL,
            pass_fds=(descriptor,),
            env=os.environ | _MODEST | path,
            start_new_session=True,  # Ctrl-C is for the server alone
        )
    except OSError as error:
        log.warning("engine process not started", error=str(error))
        return None
