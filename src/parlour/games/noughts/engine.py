"""A player of tic-tac-toe that knows the whole game, and at the lower levels forgets some of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from types import MappingProxyType

from parlour.core.game import Budget, Position, Rated, Verdict
from parlour.games.noughts.rules import BITS, FULL, ROWS_OF_THREE, NoughtsPosition

_LIKED = {"a1": 1, "a2": 4, "a3": 1, "b1": 4, "b2": 1, "b3": 4, "c1": 1, "c2": 4, "c3": 1}
"""A player without a plan marks cells beside those taken, seldom where many lines cross."""


@dataclass(frozen=True)
class Habits:
    """What a level overlooks, as probabilities for each move."""

    no_block: float = 0.0
    """It misses that the other side is about to win."""
    no_plan: float = 0.0
    """It looks no further than the next move, so that it walks into forks and misses its own."""
    sly: bool = True
    """Among equally good moves it takes those after which others go wrong most often."""


HABITS = {
    "beginner": Habits(no_block=0.8, no_plan=1.0, sly=False),
    "easy": Habits(no_block=0.25, no_plan=1.0, sly=False),
    "medium": Habits(no_plan=0.8),
    "hard": Habits(no_plan=0.42),
    "master": Habits(),
}


def _won(marks: int) -> bool:
    return any(marks & three == three for three in ROWS_OF_THREE)


def _free(own: int, other: int) -> list[int]:
    return [cell for cell in BITS.values() if not (own | other) & cell]


@cache
def value(own: int, other: int) -> int:
    """1, 0 or -1 for the side to move, with best play of both; the game is not won yet."""
    return max(outcome(own | cell, other) for cell in _free(own, other))


def outcome(own: int, other: int) -> int:
    """What a position is worth to the side that has just moved."""
    if _won(own):
        return 1
    return 0 if own | other == FULL else -value(other, own)


@cache
def hope(own: int, other: int) -> float:
    """What a position is worth on average to the side that has just moved, against someone who thinks like `easy`."""
    if _won(own):
        return 1.0
    if own | other == FULL:
        return 0.0
    return sum(chance * -_best_hope(own, other | cell) for cell, chance in likely(other, own, "easy").items())


def _best_hope(own: int, other: int) -> float:
    """The other way round: what the answer of `easy` is worth to it, if we go on as well as we can."""
    if _won(other):
        return 1.0
    if own | other == FULL:
        return 0.0
    best = max(outcome(own | cell, other) for cell in _free(own, other))
    return -max(hope(own | cell, other) for cell in _free(own, other) if outcome(own | cell, other) == best)


def _shares(weights: Mapping[int, float], whole: float = 1.0) -> dict[int, float]:
    total = sum(weights.values())
    return {cell: whole * weight / total for cell, weight in weights.items()}


def _mixed(some: Mapping[int, float], others: Mapping[int, float], chance: float) -> dict[int, float]:
    """Returns `some` with this chance, and `others` with the rest of it."""
    cells = some.keys() | others.keys()
    return {cell: chance * some.get(cell, 0) + (1 - chance) * others.get(cell, 0) for cell in sorted(cells)}


@cache
def likely(own: int, other: int, level: str) -> Mapping[int, float]:
    """How likely this level is to mark each cell, when it is to move."""
    habits = HABITS[level]
    cells = _free(own, other)
    wins = {cell: 1.0 for cell in cells if _won(own | cell)}
    if wins:
        return MappingProxyType(_shares(wins))
    liked = _shares({BITS[move]: weight for move, weight in _LIKED.items() if BITS[move] in cells})
    best = max(outcome(own | cell, other) for cell in cells)
    good = [cell for cell in cells if outcome(own | cell, other) == best]
    if habits.sly:
        hopes = {cell: hope(own | cell, other) for cell in good}
        good = [cell for cell in good if hopes[cell] > max(hopes.values()) - 1e-9]
    chances = _mixed(liked, _shares(dict.fromkeys(good, 1.0)), habits.no_plan)
    blocks = {cell: 1.0 for cell in cells if _won(other | cell)}
    if blocks:
        chances = _mixed(liked, _shares(blocks), habits.no_block)
    return MappingProxyType({cell: chance for cell, chance in chances.items() if chance > 0})


def _sides(position: Position) -> tuple[int, int]:
    """The marks of the side to move, and of the other."""
    assert isinstance(position, NoughtsPosition)
    return position.marks[position.turn], position.marks[1 - position.turn]


class NoughtsEngine:
    """Plays from the solved game, less so at the lower levels."""

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        """A legal move for the side on turn."""
        own, other = _sides(position)
        chances = likely(own, other, level)
        [cell] = Random(f"{budget.seed} {own} {other}").choices(list(chances), list(chances.values()))
        return next(move for move, bit in BITS.items() if bit == cell)

    def knows(self, position: Position, level: str) -> bool:
        """All of the game. The first question fills the memory that later ones look into."""
        return bool(likely(*_sides(position), level))

    def analyse(self, position: Position, budget: Budget) -> Verdict:  # noqa: ARG002 - the game is solved at once
        """The exact value of every move."""
        own, other = _sides(position)
        before = value.cache_info().misses
        rated = [Rated(move, outcome(own | BITS[move], other), True) for move in position.legal()]
        best = max(rated, key=lambda each: each.value)
        return Verdict(best.move, best.value, True, rated, value.cache_info().misses - before + len(rated))


ENGINE = NoughtsEngine()
