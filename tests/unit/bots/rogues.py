"""Engines that misbehave, and one that does not, as worker processes load them."""

import os
import signal
from pathlib import Path

from parlour.core.game import Budget, Engine, Position, Verdict


class Plain:
    """Plays the first legal move, at once."""

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        return position.legal()[0]

    def analyse(self, position: Position, budget: Budget) -> Verdict:
        return Verdict(position.legal()[0], 0, False, (), 0)


class Raises(Plain):
    def choose(self, position: Position, level: str, budget: Budget) -> str:
        raise ZeroDivisionError("no idea")


class Cheats(Plain):
    def choose(self, position: Position, level: str, budget: Budget) -> str:
        return "d4"


class Dies(Plain):
    """Takes the process with it at the highest level."""

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        if level == "master":
            os._exit(3)
        return super().choose(position, level, budget)


class Hangs(Plain):
    """Never answers at the highest level."""

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        while level == "master":
            signal.pause()
        return super().choose(position, level, budget)


def plain(key: str) -> Engine:
    return Plain()


def raises(key: str) -> Engine:
    return Raises()


def cheats(key: str) -> Engine:
    return Cheats()


def dies(key: str) -> Engine:
    return Dies()


def hangs(key: str) -> Engine:
    return Hangs()


def absent(key: str) -> Engine:
    raise ImportError(f"no engine for {key}")


def never_warm(key: str) -> Engine:
    while True:
        signal.pause()


class Slow(Plain):
    """Has machine code that a test makes and breaks: `made` in its directory, and `broken` beside it."""

    def __init__(self) -> None:
        self.tables = 0
        self.quick = False

    def warm(self, cache_dir: str, memory: int = 0) -> bool:
        directory = Path(cache_dir)
        directory.mkdir(exist_ok=True)
        (directory / f"warmed-{os.getpid()}").touch()
        if (directory / "fatal").exists():
            os._exit(4)
        if (directory / "broken").exists():
            raise ZeroDivisionError("no code today")
        self.tables = memory
        self.quick = not (directory / "useless").exists()
        return self.quick

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        """The last legal move with machine code, the first without."""
        return position.legal()[-1 if self.quick else 0]


class Fat(Plain):
    """Takes much memory at the highest level, and thinks on."""

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        eaten = bytearray(b"x" * (64 << 20)) if level == "master" else b""
        while eaten:
            signal.pause()
        return super().choose(position, level, budget)


SLOW = Slow()


def slow(key: str) -> Engine:
    return SLOW


def fat(key: str) -> Engine:
    return Fat()


class Stuck(Slow):
    """Compiles for ever, and looks at nothing meanwhile."""

    def warm(self, cache_dir: str, memory: int = 0) -> bool:
        while True:
            signal.pause()


def stuck(key: str) -> Engine:
    return Stuck()
