"""A level is one row: its name, its time, and which strength of the engines it has."""

from random import Random

import pytest

from parlour.bots.levels import attempt
from parlour.core.game import LEVELS, STRENGTHS, Budget, Level
from parlour.registry import games
from parlour.tools.arena.engine import choose


@pytest.mark.parametrize("key", sorted(games()))
def test_level_that_no_engine_knows_plays_like_another(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRENGTHS, "relaxed", Level("relaxed", 0.0, like="easy"))
    game = games()[key]
    position = game.start(game.settle(game.options({}), Random(1)))
    budget = Budget(0.0, 5)
    engine = game.engine()
    expected = engine.choose(position.copy(), "easy", budget)
    assert attempt(game.engine, position, "relaxed", budget) == expected
    assert choose(engine, "relaxed", position, budget) == expected


def test_levels_think_longer_the_stronger_they_are() -> None:
    seconds = [STRENGTHS[level].seconds for level in LEVELS]
    assert seconds == sorted(seconds)
    assert all(not STRENGTHS[level].like or STRENGTHS[level].like in LEVELS for level in LEVELS)
