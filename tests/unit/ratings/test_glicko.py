"""Glicko-2 says what its author says, and what anybody would expect of it."""

import math
import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.ratings.glicko import UNSURE, Skill, rated, rested
from tests.conftest import ROOT

skills = st.builds(Skill, st.floats(0, 3500), st.floats(30, UNSURE), st.floats(0.03, 0.1))
results = st.lists(st.tuples(skills, st.sampled_from((0.0, 0.5, 1.0))), min_size=1, max_size=12)


def test_the_worked_example_of_the_paper_comes_out() -> None:
    opponents = [(Skill(1400, 30), 1.0), (Skill(1550, 100), 0.0), (Skill(1700, 300), 0.0)]
    after = rated(Skill(1500, 200, 0.06), opponents)
    assert after.rating == pytest.approx(1464.06, abs=0.02)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_somebody_who_wins_against_all_expectation_becomes_more_volatile() -> None:
    steady = Skill(1500, 50, 0.06)
    assert rated(steady, [(Skill(2400, 30), 1.0)] * 5).volatility > steady.volatility


def volatility_by_halving(skill: Skill, games: list[tuple[Skill, float]], tau: float) -> float:
    """Step 5 of the paper as an equation, solved without its algorithm: f falls, so its zero is found by halving."""
    scale = 173.7178
    mu, phi = (skill.rating - 1500) / scale, skill.deviation / scale
    weights = [1 / math.sqrt(1 + 3 * (who.deviation / scale) ** 2 / math.pi**2) for who, _ in games]
    expected = [
        1 / (1 + math.exp(-weight * (mu - (who.rating - 1500) / scale)))
        for weight, (who, _) in zip(weights, games, strict=True)
    ]
    v = 1 / sum(weight**2 * e * (1 - e) for weight, e in zip(weights, expected, strict=True))
    delta = v * sum(weight * (score - e) for weight, e, (_, score) in zip(weights, expected, games, strict=True))
    a = math.log(skill.volatility**2)

    def f(x: float) -> float:
        rest = phi**2 + v + math.exp(x)
        return math.exp(x) * (delta**2 - rest) / (2 * rest**2) - (x - a) / tau**2

    low, high = a - 50, a + 50
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return math.exp(low / 2)


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_volatility_changes_as_freely_as_the_documents_say(score: float) -> None:
    told = re.search(r"τ is ([0-9.]+)\.", (ROOT / "docs" / "ratings.md").read_text(encoding="utf-8"))
    assert told is not None
    skill, games = Skill(1500, 50, 0.06), [(Skill(1000 + 1000 * score, 30), score)] * 8
    assert float(told[1]) == 0.5
    assert rated(skill, games).volatility == pytest.approx(volatility_by_halving(skill, games, 0.5), rel=1e-6)


@given(skills)
def test_a_period_without_games_changes_nothing_but_how_sure_we_are(skill: Skill) -> None:
    assert rated(skill, []) == rested(skill, 1)
    later = rested(skill, 1)
    assert (later.rating, later.volatility) == (skill.rating, skill.volatility)
    assert skill.deviation <= later.deviation <= UNSURE


@given(skills, st.integers(0, 50), st.integers(0, 50))
def test_resting_for_a_while_and_then_for_another_is_resting_for_both(skill: Skill, some: int, more: int) -> None:
    assert rested(rested(skill, some), more).deviation == pytest.approx(rested(skill, some + more).deviation)


@given(skills, results)
def test_a_better_result_never_makes_a_worse_rating(skill: Skill, games: list[tuple[Skill, float]]) -> None:
    assert rated(skill, [(who, 1.0) for who, _ in games]).rating > skill.rating
    assert rated(skill, [(who, 0.0) for who, _ in games]).rating < skill.rating
    assert 0 < rated(skill, games).deviation <= UNSURE


@given(skills, results, st.randoms(use_true_random=False))
def test_the_order_of_games_in_a_period_does_not_matter(
    skill: Skill, games: list[tuple[Skill, float]], dice: Random
) -> None:
    shuffled = list(games)
    dice.shuffle(shuffled)
    one, other = rated(skill, games), rated(skill, shuffled)
    assert one.rating == pytest.approx(other.rating, abs=1e-3)
    assert one.deviation == pytest.approx(other.deviation, abs=1e-3)
