"""A person at a telnet door in memory: writes lines, and reads those of the server. Also a game from elsewhere."""

import re
from collections.abc import Mapping
from typing import Self

from parlour.core.description import Description, Notation, Option, Scene, Spelling
from parlour.core.errors import Refusal
from parlour.core.game import NOBODY, Budget, Engine, Options, Position, Verdict
from parlour.games.base import BaseGame, only
from tests.world import World

SOON = 0.15
"""Longer than a prompt takes."""
_FIT = re.compile(r"(?:[^\x00-\x1f\x7f]*\r?\n)*(> )?")


class Terminal:
    """One connection. What it hears is held to the shape of the wire: whole lines, then perhaps a prompt."""

    def __init__(self, world: World, name: str = "", /, **keys: str) -> None:
        self.world = world
        self.wire = world.connect("telnet", **keys)
        self.greeting = self.heard()
        if name:
            self.write(f"name {name}")

    def write(self, *lines: str) -> list[str]:
        """Write these, and read what comes back."""
        self.wire.send("".join(f"{line}\n" for line in lines).encode())
        return self.heard()

    def heard(self) -> list[str]:
        """The lines since the last time, without prompts and the ends of their lines."""
        self.world.advance(SOON)
        text = self.wire.take().decode()
        assert _FIT.fullmatch(text), text
        assert text.endswith("> ") or not text or self.wire.closed, "no prompt"
        return [line for line in text.splitlines() if line not in ("", "> ")]

    def told(self) -> list[str]:
        """What has happened since the last time."""
        return [line[2:] for line in self.heard() if line.startswith("* ")]

    def refused(self, line: str) -> str:
        """Why a line was refused: that is one line, and nothing else."""
        (answer,) = self.write(line)
        assert answer.startswith("? "), answer
        return answer[2:]


class Heap:
    """A heap of stones; who takes the last one wins. Its moves look like words of the wire."""

    MOVES = ("no", "yes", "back")

    def __init__(self, stones: int) -> None:
        self.stones = stones
        self.turn = 0
        self.winner = NOBODY

    def check(self, move: str) -> Refusal | None:
        if self.turn == NOBODY:
            return Refusal.NOT_PLAYING
        if move not in self.MOVES:
            return Refusal.NO_SUCH_MOVE
        return None if self.MOVES.index(move) < self.stones else Refusal.OUT_OF_BOUNDS

    def play(self, move: str) -> None:
        self.stones -= self.MOVES.index(move) + 1
        if not self.stones:
            self.winner = self.turn
        self.turn = 1 - self.turn if self.stones else NOBODY

    def leave(self, seat: int) -> None:
        self.turn, self.winner = NOBODY, 1 - seat

    def legal(self) -> list[str]:
        return list(self.MOVES[: self.stones]) if self.turn != NOBODY else []

    def scores(self) -> tuple[int, ...]:
        return int(self.winner == 0), int(self.winner == 1)

    def winners(self) -> tuple[int, ...]:
        return (self.winner,) if self.winner >= 0 else ()

    def text(self) -> str:
        return f"* {'o' * self.stones}\n? no\n> yes"

    def copy(self) -> Self:
        twin = type(self)(self.stones)
        twin.turn, twin.winner = self.turn, self.winner
        return twin


class Nim(BaseGame):
    """The game around it, as another package would bring it."""

    description = Description(
        key="nim",
        name="Nim",
        about="Take the last stone.",
        notation=Notation(
            ("no", "back"), "no, yes and back take one, two and three stones.", (Spelling("([a-z]+)", "{0}"),)
        ),
        scene=Scene({}, ()),
        options=(Option("seat", "Seat", "soft"),),
        draws=False,
    )

    def options(self, given: Mapping[str, object]) -> Options:
        only(given, ("seat",))
        return {"seat": str(given.get("seat", "soft"))}

    def start(self, options: Options, first: int = 0, players: int | None = None) -> Heap:
        assert (options, first) == (self.options(options), 0)
        assert players in (None, 2)
        return Heap(7)

    def engine(self) -> Engine:
        return First()


class First:
    """Its engine."""

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        return position.legal()[0]

    def analyse(self, position: Position, budget: Budget) -> Verdict:
        return Verdict(position.legal()[0], 0, False, (), 0)
