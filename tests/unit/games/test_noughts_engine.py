"""The levels of tic-tac-toe: what they may get wrong, and by how much each beats the one below, to the last decimal."""

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from parlour.core.game import LEVELS, Budget
from parlour.games.noughts import GAME, NoughtsPosition
from parlour.games.noughts.engine import likely, outcome
from parlour.games.noughts.rules import BITS, FULL, ROWS_OF_THREE


def won(marks: int) -> bool:
    return any(marks & three == three for three in ROWS_OF_THREE)


def expected_score(upper: str, lower: str) -> float:
    """What `upper` makes on average of a game against `lower`, a draw being half, each beginning half of the games."""

    @cache
    def score(own: int, other: int, mover: str) -> float:
        """What the side to move makes of it."""
        total = 0.0
        for cell, chance in likely(own, other, mover).items():
            marks = own | cell
            if won(marks):
                total += chance
            elif marks | other == FULL:
                total += chance / 2
            else:
                total += chance * (1 - score(other, marks, lower if mover == upper else upper))
        return total

    return (score(0, 0, upper) + 1 - score(0, 0, lower)) / 2


@pytest.mark.parametrize(("lower", "upper"), list(pairwise(LEVELS)))
def test_every_level_beats_the_one_below(lower: str, upper: str) -> None:
    assert expected_score(upper, lower) > 0.64


def unfinished() -> list[tuple[int, int]]:
    """Every position in which somebody is to move, as own and other marks."""
    seen, todo = set(), [(0, 0)]
    while todo:
        own, other = todo.pop()
        if (own, other) not in seen and own | other != FULL and not won(other):
            seen.add((own, other))
            todo += [(other, own | cell) for cell in BITS.values() if not (own | other) & cell]
    return sorted(seen)


POSITIONS = unfinished()


def test_chances_are_chances_of_legal_moves() -> None:
    assert len(POSITIONS) == 4520
    for own, other in POSITIONS[::7]:
        for level in LEVELS:
            chances = likely(own, other, level)
            assert sum(chances.values()) == pytest.approx(1)
            assert all(chance > 0 and not (own | other) & cell for cell, chance in chances.items())


def test_masters_make_only_moves_that_keep_the_value() -> None:
    for own, other in POSITIONS:
        best = max(outcome(own | cell, other) for cell in BITS.values() if not (own | other) & cell)
        if not any(won(own | cell) for cell in BITS.values() if not (own | other) & cell):
            assert {outcome(own | cell, other) for cell in likely(own, other, "master")} == {best}


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_takes_a_win_and_only_the_lowest_miss_a_block(level: str) -> None:
    for own, other in POSITIONS:
        free = [cell for cell in BITS.values() if not (own | other) & cell]
        wins, blocks = ({cell for cell in free if won(side | cell)} for side in (own, other))
        if wins:
            assert set(likely(own, other, level)) == wins
        elif blocks and level not in ("beginner", "easy"):
            assert set(likely(own, other, level)) == blocks


def test_a_child_who_only_looks_for_a_win_beats_a_beginner_as_often_as_not() -> None:
    assert 0.4 < expected_score("beginner", "beginner") < 0.6
    assert expected_score("easy", "beginner") < 0.8


def test_the_seed_decides() -> None:
    engine, position = GAME.engine(), GAME.start({})
    assert isinstance(position, NoughtsPosition)
    chosen = Counter(engine.choose(position, "easy", Budget(0.0, seed)) for seed in range(200))
    assert len(chosen) == 9
    assert engine.choose(position, "easy", Budget(0.0, 5)) == engine.choose(position, "easy", Budget(9.0, 5))
