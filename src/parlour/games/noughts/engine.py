"""A player of tic-tac-toe that knows the whole game."""

from functools import cache
from random import Random

from parlour.core.game import Budget, Position, Rated, Verdict
from parlour.games.noughts.rules import BITS, FULL, ROWS_OF_THREE, NoughtsPosition

_SLIPS = {"beginner": 1.0, "easy": 1.0, "medium": 0.3, "hard": 0.0, "master": 0.0}
"""How often a level forgets to look further than one move ahead."""


def _won(marks: int) -> bool:
    return any(marks & three == three for three in ROWS_OF_THREE)


@cache
def value(own: int, other: int) -> int:
    """1, 0 or -1 for the side to move, with best play of both; nobody has won yet."""
    best = -1
    for cell in BITS.values():
        if (own | other) & cell:
            continue
        best = max(best, outcome(own | cell, other))
    return best


def outcome(own: int, other: int) -> int:
    """What a position is worth to the side that has just moved."""
    if _won(own):
        return 1
    return 0 if own | other == FULL else -value(other, own)


def _sides(position: Position) -> tuple[int, int]:
    """The marks of the side to move, and of the other."""
    assert isinstance(position, NoughtsPosition)
    return position.marks[position.turn], position.marks[1 - position.turn]


def _forced(own: int, other: int, moves: list[str], blocks: bool) -> list[str]:
    """Moves that win at once; failing that, moves that keep the other from it."""
    wins = [move for move in moves if _won(own | BITS[move])]
    if wins or not blocks:
        return wins
    return [move for move in moves if _won(other | BITS[move])]


class NoughtsEngine:
    """Plays from the solved game, less so at the lower levels."""

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        """A legal move for the side on turn."""
        own, other = _sides(position)
        moves = position.legal()
        rng = Random(f"{budget.seed} {own} {other}")
        forced = _forced(own, other, moves, blocks=level != "beginner")
        if forced:
            return rng.choice(forced)
        if rng.random() < _SLIPS[level]:
            return rng.choice(moves)
        worth = {move: outcome(own | BITS[move], other) for move in moves}
        best = max(worth.values())
        return rng.choice([move for move in moves if worth[move] == best])

    def analyse(self, position: Position, budget: Budget) -> Verdict:  # noqa: ARG002 - the game is solved at once
        """The exact value of every move."""
        own, other = _sides(position)
        before = value.cache_info().misses
        rated = [Rated(move, outcome(own | BITS[move], other), True) for move in position.legal()]
        best = max(rated, key=lambda each: each.value)
        return Verdict(best.move, best.value, True, rated, value.cache_info().misses - before + len(rated))


ENGINE = NoughtsEngine()
