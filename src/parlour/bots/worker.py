"""What runs in a worker process: one request at a time, until the server closes the pipe."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection

import msgspec

from parlour.bots.levels import EngineFailed, attempt
from parlour.core.game import Budget, Engine, Position

Loader = Callable[[str], Engine]
"""Finds the engine of a game by its key. It travels to the workers, so it is a function of a module."""

SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM})
"""Sent to the whole process group when a server is told to stop; while it drains, its engines play on."""

_NICENESS = 5


class Task(msgspec.Struct, frozen=True):
    """One question. The position travels whole: moves alone would not tell who has left the game, and when."""

    game: str
    position: Position
    level: str
    budget: Budget


class Warm(msgspec.Struct, frozen=True):
    """The worker has its engines and takes tasks from now on."""


class Chosen(msgspec.Struct, frozen=True):
    """The move."""

    move: str


class Failed(msgspec.Struct, frozen=True):
    """The engine gave no legal move."""

    why: str


Answer = Warm | Chosen | Failed


def built_in(key: str) -> Engine:
    """The engine that comes with a game."""
    from parlour.registry import games

    return games()[key].engine()


def work(connection: "Connection[Answer, Task]", load: Loader, keys: Iterable[str]) -> None:
    """Answer tasks until the other end is closed, by a stop or by the server's death."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    os.nice(_NICENESS)
    for key in keys:
        # An engine that cannot be imported fails its own tasks later; the others play on.
        with contextlib.suppress(ImportError):
            load(key)
    with contextlib.suppress(EOFError, OSError):
        connection.send(Warm())
        while True:
            connection.send(_answer(connection.recv(), load))


def _answer(task: Task, load: Loader) -> Answer:
    try:
        return Chosen(attempt(lambda: load(task.game), task.position, task.level, task.budget))
    except EngineFailed as failed:
        return Failed(str(failed))
