"""What a game is to the rest of the program: options in, positions out, moves by their notation."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Protocol, Self, runtime_checkable

import msgspec

from parlour.core.description import Description
from parlour.core.description import Options as Options
from parlour.core.errors import Refusal

NOBODY = -1
"""The seat to move when the game is over."""


class Position(Protocol):
    """One game in progress. A table owns its position and changes it in place; everyone else gets a copy.

    A move is its notation everywhere; `check` says whether the seat on turn may make it, `play` makes it.
    """

    turn: int
    """The seat to move, NOBODY once the game is over."""

    def check(self, move: str) -> Refusal | None:
        """Why the seat on turn may not make this move; None when it may. Changes nothing."""
        ...

    def play(self, move: str) -> None:
        """Make a move that `check` let through."""
        ...

    def leave(self, seat: int) -> None:
        """Skip this seat from now on; with fewer than two seats left the game is over."""
        ...

    def legal(self) -> list[str]:
        """Every move the seat on turn may make, in a fixed order; empty when the game is over."""
        ...

    def scores(self) -> tuple[int, ...]:
        """Points by seat: boxes in dots; 1 for the winner and 0 else where a game has no points."""
        ...

    def winners(self) -> tuple[int, ...]:
        """The seats that won, once the game is over: none in a draw."""
        ...

    def text(self) -> str:
        """The board as lines of plain text, for terminals and screen readers."""
        ...

    def copy(self) -> Self:
        """An independent position."""
        ...


@runtime_checkable
class Joinable(Protocol):
    """A position of a game that players may join, or come back to, while it runs."""

    def join(self, seat: int) -> None:
        """Bring back a seat that has left, or add the next one; it moves last in the order."""
        ...

    def order(self) -> tuple[int, ...]:
        """The seats that have not left, as they take turns."""
        ...


class Rated(msgspec.Struct, frozen=True):
    """One move as an engine sees it; the value is from the side to move."""

    move: str
    value: int
    exact: bool


class Verdict(msgspec.Struct, frozen=True):
    """What an engine thinks of a position: its best move, and every move it looked at."""

    best: str
    value: int
    exact: bool
    moves: Sequence[Rated]
    nodes: int


class Budget(msgspec.Struct, frozen=True):
    """What an engine may spend on one move. `seed` settles choices among equals and a level's mistakes."""

    seconds: float
    seed: int


class Engine(Protocol):
    """A player of one game. Stateless: everything it needs is in the position."""

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        """A legal move for the seat on turn, as good as the level allows."""
        ...

    def analyse(self, position: Position, budget: Budget) -> Verdict:
        """The best this engine knows about the position."""
        ...


@runtime_checkable
class Warmable(Protocol):
    """An engine with machine code to load. Until that is done it plays without, and less well."""

    def warm(self, cache_dir: str) -> bool:
        """Load the code from this directory, or compile it and keep it there; False if this machine cannot."""
        ...


@runtime_checkable
class Prompt(Protocol):
    """An engine that knows some of its moves without thinking."""

    def knows(self, position: Position, level: str) -> bool:
        """Whether `choose` answers within a millisecond: from a book, or because the game is solved."""
        ...


class Level(msgspec.Struct, frozen=True):
    """How strong an engine plays."""

    name: str
    seconds: float
    """The limit for one move. An engine bounds its search by nodes, so that a busy machine plays as well as an idle
    one, and mostly needs much less. Without any time it answers within a millisecond, in the server's own process.
    """
    like: str = ""
    """The level whose strength it has in the engines' own tables; its own name when empty."""


STRENGTHS = {
    level.name: level
    for level in (
        Level("beginner", 0.0),
        Level("easy", 0.0),
        Level("medium", 0.5),
        Level("hard", 1.5),
        Level("master", 3.0),
    )
}
"""From the weakest to the strongest."""
LEVELS = tuple(STRENGTHS)
QUICK_LEVELS = frozenset(level.name for level in STRENGTHS.values() if not level.seconds)


def choose_at(level: str, engine: Engine, position: Position, budget: Budget) -> str:
    """Returns what an engine plays at a level, whether its tables know that level or the one that it is like."""
    return engine.choose(position, STRENGTHS[level].like or level, budget)


def knows_at(level: str, engine: Engine, position: Position) -> bool:
    """Whether an engine need not think about its move at a level."""
    return isinstance(engine, Prompt) and engine.knows(position, STRENGTHS[level].like or level)


class Game(Protocol):
    """The rules of one game: what it tells about itself, and two constructors. `games/base.py` has what most share."""

    @property
    def description(self) -> Description: ...

    @property
    def key(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def sides(self) -> tuple[str, ...]:
        """The keys of the seats' names, as far as they have names: ("black", "white")."""
        ...

    @property
    def any_first(self) -> bool:
        """Whether any seat may begin; otherwise seat 0 always does."""
        ...

    @property
    def swaps(self) -> bool:
        """Whether the players change seats for a rematch: where seat 0 always begins, and the sides are alike else."""
        ...

    @property
    def draws(self) -> bool:
        """Whether a game can end without a winner, and so by agreement, too."""
        ...

    @property
    def loose(self) -> frozenset[str]:
        """Options on which two people need not agree to be paired: those of the person who waited longest count."""
        ...

    def options(self, given: Mapping[str, object]) -> Options:
        """Returns the canonical options for those that are given. Raises Refused(BAD_OPTIONS)."""
        ...

    def players(self, options: Options) -> int:
        """Returns how many seats a game with these options has."""
        ...

    @property
    def seats(self) -> tuple[int, int]:
        """The fewest and the most who can play a game."""
        ...

    def seated(self, options: Options, players: int) -> Options:
        """These options for a game of so many, where the game leaves that open."""
        ...

    def board(self, options: Options) -> tuple[int, int]:
        """The width and height of the board; 0, 0 where it has one size."""
        ...

    def settle(self, options: Options, rng: Random) -> Options:
        """Options with every random choice made (walls placed), so that `start` needs no dice."""
        ...

    def start(self, options: Options, first: int = 0, players: int | None = None) -> Position:
        """The opening position for settled options; `first` moves first."""
        ...

    def final_value(self, position: Position) -> int:
        """What a finished game is worth, as the engine counts, to the side that did not make the last move."""
        ...

    def engine(self) -> Engine:
        """The built-in player, imported only on demand."""
        ...
