"""Glicko-2 says what its author says, and what anybody would expect of it."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.ratings.glicko import UNSURE, Skill, rated, rested

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
