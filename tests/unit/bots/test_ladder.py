"""The ladder of levels: what has been measured is even, and its picture shows it."""

import pytest

from bench.engines import ladder

STEPS = [step for step in ladder.read(ladder.KEPT) if sum(step.games)]


@pytest.mark.parametrize("step", STEPS, ids=[f"{step.game} {step.upper}" for step in STEPS])
def test_every_measured_step_is_neither_flat_nor_steep(step: ladder.Step) -> None:
    """As far as so many games can tell."""
    assert step.games[0] - step.games[1] in (0, 1)
    assert ladder.FEWEST - step.error <= step.score <= ladder.MOST + step.error


def test_a_score_of_three_quarters_is_two_hundred_elo() -> None:
    step = ladder.Step("noughts", "easy", "beginner", [75.0, 76.0], [100, 100])
    assert 185 < step.elo < 205
    assert 0.05 < step.error < 0.07


def test_levels_stand_on_each_other_in_the_picture() -> None:
    steps = [
        ladder.Step("noughts", "easy", "beginner", [7.0, 7.0], [10, 10]),
        ladder.Step("noughts", "medium", "easy", [7.0, 7.0], [10, 10]),
        ladder.Step("noughts", "hard", "medium"),
        ladder.Step("noughts", "master", "hard", [7.0, 7.0], [10, 10]),
    ]
    names = [name for name, _ in ladder.ratings(steps, "noughts")]
    heights = [elo for _, elo in ladder.ratings(steps, "noughts")]
    assert names == ["beginner", "easy", "medium"]
    assert heights[2] == pytest.approx(2 * heights[1])
    assert "medium 70%" in ladder.picture(steps)


def test_games_are_played_from_both_seats() -> None:
    step = ladder.Step("noughts", "master", "beginner")
    assert [sum(each.games) for each in ladder.play(step, 6)] == [1, 2, 3, 4, 5, 6]
    assert step.games == [3, 3]
    assert step.score >= 0.5
