"""Engines that misbehave, and one that does not, as worker processes load them."""

import os
import signal

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
