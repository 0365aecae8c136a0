"""What runs in a worker process: one order at a time, until the server closes the pipe.

An engine plays without its machine code until that is loaded. What takes long about loading, importing the compiler,
happens beside the tasks; the rest, which changes what the engine is thinking with, between two of them.
"""

import contextlib
import ctypes
import importlib
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from typing import assert_never

import msgspec

from parlour.bots import kernels
from parlour.bots.levels import EngineFailed, attempt, consult
from parlour.core.game import Budget, Engine, Position, Verdict, Warmable

Loader = Callable[[str], Engine]
"""Finds the engine of a game by its key."""

BUILT_IN = "parlour.bots.worker:built_in"
"""The loader for everyday use, as the workers are told of it."""


class Task(msgspec.Struct, frozen=True):
    """One question. The position travels whole: moves alone would not tell who has left the game, and when."""

    game: str
    position: Position
    level: str
    budget: Budget


class Study(msgspec.Struct, frozen=True):
    """What is there to say about a position? No game waits for the answer."""

    game: str
    position: Position
    budget: Budget


class Hurry(msgspec.Struct, frozen=True):
    """Others are waiting: the next task may take only so long."""

    seconds: float


class Prepare(msgspec.Struct, frozen=True):
    """Import, beside the tasks, what all machine code needs."""


class Load(msgspec.Struct, frozen=True):
    """Load the machine code of a game, or make it."""

    game: str


Order = Task | Study | Hurry | Prepare | Load


class Ready(msgspec.Struct, frozen=True):
    """The worker has its engines and takes orders from now on."""

    kernels: dict[str, bool] = {}
    """The games with machine code to load, and whether it has been made already."""


class Prepared(msgspec.Struct, frozen=True):
    """What all machine code needs is there. Comes at any time."""


class Loaded(msgspec.Struct, frozen=True):
    """The machine code of a game works from now on; or not, and why."""

    game: str
    trouble: str = ""


class Chosen(msgspec.Struct, frozen=True):
    """The move."""

    move: str


class Studied(msgspec.Struct, frozen=True):
    """What the engine thinks of a position."""

    verdict: Verdict


class Failed(msgspec.Struct, frozen=True):
    """The engine gave no legal move, or no verdict."""

    why: str


Answer = Ready | Prepared | Loaded | Chosen | Studied | Failed


def built_in(key: str) -> Engine:
    """The engine that comes with a game."""
    from parlour.registry import games

    return games()[key].engine()


def main() -> None:
    """The whole life of a worker: `FILE-DESCRIPTOR LOADER NICENESS KERNELS MEMORY GAME…` are its arguments."""
    from parlour.registry import load

    # A service manager sends this to every process of a server; while it drains, its engines play on.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _die_with(os.getppid())
    descriptor, place, niceness, directory, memory, *keys = sys.argv[1:]
    os.nice(int(niceness))
    worker = Worker(Connection(int(descriptor)), load(place), directory or None, int(memory) or None)
    worker.work(keys)


def _die_with(parent: int) -> None:
    """End with the server, even in the middle of compiling, when the pipe is not looked at for a long time.

    A server that is gone before this is noticed by the pipe: nothing has been ordered yet.
    """
    if sys.platform == "linux":
        prctl, set_death_signal = ctypes.CDLL(None).prctl, 1
        if prctl(set_death_signal, signal.SIGKILL) == 0:
            return
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGKILL)


class Worker:
    """The loop of a worker process: its pipe, its engines, and the directory of their machine code, if there is one."""

    def __init__(
        self,
        connection: "Connection[Answer, Order]",
        find: Loader,
        directory: str | None = None,
        memory: int | None = None,
    ) -> None:
        self._connection = connection
        self._find = find
        self._directory = directory
        self._memory = memory
        """Bytes for the tables of one engine."""
        self._speaking = threading.Lock()

    def work(self, keys: Iterable[str]) -> None:
        """Do as told until the other end is closed, by a stop or by the server's death."""
        state = self._look_around(keys)
        with contextlib.suppress(EOFError, OSError):
            self._say(Ready(state))
            seconds: float | None = None
            while True:
                order = self._connection.recv()
                match order:
                    case Task():
                        self._say(self._answer(order, seconds))
                        seconds = None
                    case Study():
                        self._say(self._study(order))
                    case Hurry():
                        seconds = order.seconds
                    case Prepare():
                        threading.Thread(target=self._prepare, daemon=True).start()
                    case Load(game=key):
                        self._say(self._load(key))
                    case _:
                        assert_never(order)

    def _look_around(self, keys: Iterable[str]) -> dict[str, bool]:
        """Import the engines; returns those with machine code, and whether it has been made."""
        state = {}
        for key in keys:
            # An engine that cannot be imported fails its own tasks later; the others play on.
            with contextlib.suppress(ImportError):
                engine = self._find(key)
                if self._directory is not None and isinstance(engine, Warmable) and kernels.compiler():
                    state[key] = kernels.is_kept(self._directory, key, engine)
        return state

    def _say(self, answer: Answer) -> None:
        with self._speaking:
            self._connection.send(answer)

    def _answer(self, task: Task, seconds: float | None) -> Answer:
        budget = task.budget if seconds is None else Budget(min(seconds, task.budget.seconds), task.budget.seed)
        try:
            return Chosen(attempt(lambda: self._find(task.game), task.position, task.level, budget))
        except EngineFailed as failed:
            return Failed(str(failed))

    def _study(self, study: Study) -> Answer:
        try:
            return Studied(consult(lambda: self._find(study.game), study.position, study.budget))
        except EngineFailed as failed:
            return Failed(str(failed))

    def _prepare(self) -> None:
        with contextlib.suppress(ImportError):  # loading will say so
            importlib.import_module(kernels.COMPILER)
        with contextlib.suppress(OSError):
            self._say(Prepared())

    def _load(self, key: str) -> Answer:
        assert self._directory is not None
        try:
            works = kernels.load(self._directory, key, self._find(key), self._memory)
        except (EngineFailed, ImportError) as failed:
            return Loaded(key, str(failed))
        return Loaded(key, "" if works else "this machine cannot")


def packed(task: Task | Study) -> bytes:
    """A task or a study as it travels. Raises ValueError for one that does not."""
    try:
        return pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ValueError(f"the position does not travel: {error}") from error
