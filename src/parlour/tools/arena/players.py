"""Contenders come to life: every one a process, save for chance."""

import os
import sys
from pathlib import Path
from random import Random
from threading import Event
from typing import Protocol

import msgspec

from parlour.tools.arena.lines import Question, encode
from parlour.tools.arena.match import PROGRAM, RANDOM, Contender, words_of
from parlour.tools.arena.program import Program

_WARMING = 900.0
"""Seconds for a built-in player to start: its kernel may have to be compiled, after those of others."""


class Player(Protocol):
    """A player that can be asked for a move."""

    @property
    def fresh(self) -> bool:
        """Whether it has just been started, so that the time of its next answer says nothing."""
        ...

    def move(self, question: Question, deadline: float) -> str:
        """What it answers, legal or not. Raises Forfeit."""
        ...

    def dismiss(self) -> None:
        """It is out of its mind: the next question is for a new one."""
        ...

    def close(self) -> None: ...


class Chance:
    """Plays any legal move."""

    fresh = False

    def move(self, question: Question, deadline: float) -> str:  # noqa: ARG002 - it never thinks
        """One of them, by the seed."""
        return Random(question.seed).choice(question.legal)

    def dismiss(self) -> None:
        """Nothing is left of the last move anyway."""

    def close(self) -> None:
        """There is nothing to close."""


class Speaker:
    """A program that gets lines and answers with lines; `brief` leaves out what a player of ours knows by itself."""

    def __init__(self, program: Program, brief: bool) -> None:
        self._program = program
        self._brief = brief
        self.dismiss = program.dismiss
        self.close = program.close

    @property
    def fresh(self) -> bool:
        return self._program.fresh

    def move(self, question: Question, deadline: float) -> str:
        """The program's line."""
        if self._brief:
            question = msgspec.structs.replace(question, legal=[])
        return self._program.ask(encode(question), deadline)


def hire(game: str, contender: Contender, cache: Path, stopping: Event) -> Player:
    """A player of this game for one contender, who starts when first asked. `cache` is where kernels are kept."""
    if contender.kind == RANDOM:
        return Chance()
    if contender.kind == PROGRAM:
        return Speaker(Program(words_of(contender), stopping), brief=False)
    words = [sys.executable, "-P", "-m", "parlour.tools.arena.engine", str(cache), game, contender.kind]
    path = os.pathsep.join(each or os.getcwd() for each in sys.path)
    program = Program(
        [*words, contender.place] if contender.place else words,
        stopping,
        starting=_WARMING,
        environment=os.environ | {"PYTHONPATH": path},
    )
    return Speaker(program, brief=True)
