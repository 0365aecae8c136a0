"""What runs in a worker process: one request at a time, until the server closes the pipe."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection

import msgspec

from parlour.bots.levels import EngineFailed, attempt
from parlour.core.game import Budget, Engine, Position

Loader = Callable[[str], Engine]
"""Finds the engine of a game by its key."""

BUILT_IN = "parlour.bots.worker:built_in"
"""The loader for everyday use, as the workers are told of it."""

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


def main() -> None:
    """The whole life of a worker: `FILE-DESCRIPTOR LOADER GAME…` are its arguments."""
    from parlour.registry import load

    # A service manager sends this to every process of a server; while it drains, its engines play on.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.nice(_NICENESS)
    descriptor, place, *keys = sys.argv[1:]
    work(Connection(int(descriptor)), load(place), keys)


def work(connection: "Connection[Answer, Task]", find: Loader, keys: Iterable[str]) -> None:
    """Answer tasks until the other end is closed, by a stop or by the server's death."""
    for key in keys:
        # An engine that cannot be imported fails its own tasks later; the others play on.
        with contextlib.suppress(ImportError):
            find(key)
    with contextlib.suppress(EOFError, OSError):
        connection.send(Warm())
        while True:
            connection.send(_answer(connection.recv(), find))


def _answer(task: Task, find: Loader) -> Answer:
    try:
        return Chosen(attempt(lambda: find(task.game), task.position, task.level, task.budget))
    except EngineFailed as failed:
        return Failed(str(failed))
