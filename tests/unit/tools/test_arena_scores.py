"""What the results of a match mean."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.game import Options
from parlour.core.words import Reason
from parlour.tools.arena.match import Contender, Match, bouts, planned
from parlour.tools.arena.program import Fault
from parlour.tools.arena.referee import Failing, Outcome, Thought
from parlour.tools.arena.scores import Tally, bounds, elo, report

COUNTS = st.integers(0, 200)
TALLIES = st.builds(Tally, COUNTS, COUNTS, COUNTS).filter(lambda tally: tally.games > 0)

KNOWN = [  # wins, draws, losses; what a pocket calculator says
    (3, 0, 1, 190.8),
    (1, 2, 1, 0.0),
    (10, 0, 1, 400.0),
    (0, 1, 3, -338.0),
]


def match(*names: str, games: int = 2, options: Options | None = None) -> Match:
    people = tuple(Contender(name, "random") for name in names)
    return Match("m", "dots", options or {}, people, games, seed=1, seconds=None, grace=1.0, opening=0)


def outcome(seats: tuple[int, ...], winners: tuple[int, ...], scores: tuple[int, ...], *failing: int) -> Outcome:
    failings = tuple(Failing(seat, Fault.CRASH, 1, "") for seat in failing)
    return Outcome(0, 0, seats, winners, scores, Reason.PLAYED_OUT, 9, failings, (Thought(2, 1.0, 0.75),) * len(seats))


@pytest.mark.parametrize(("wins", "draws", "losses", "difference"), KNOWN)
def test_elo_difference_of_known_scores(wins: int, draws: int, losses: int, difference: float) -> None:
    tally = Tally(wins, draws, losses)
    assert elo(tally.points / tally.games) == pytest.approx(difference, abs=0.1)


@given(TALLIES)
def test_bounds_surround_the_score_and_mirror_when_sides_are_swapped(tally: Tally) -> None:
    low, high = bounds(tally)
    assert 0 <= low <= tally.points / tally.games <= high <= 1
    assert high - low > 0
    mirrored = bounds(Tally(tally.losses, tally.draws, tally.wins))
    assert mirrored == pytest.approx((1 - high, 1 - low))


@given(TALLIES)
def test_more_games_with_the_same_score_say_more(tally: Tally) -> None:
    low, high = bounds(tally)
    twice_low, twice_high = bounds(Tally(2 * tally.wins, 2 * tally.draws, 2 * tally.losses))
    assert twice_high - twice_low < high - low


def test_draws_say_more_than_wins_and_losses() -> None:
    drawn, fought = bounds(Tally(0, 40, 0)), bounds(Tally(20, 0, 20))
    assert drawn[1] - drawn[0] < (fought[1] - fought[0]) / 2


def test_nothing_but_wins_has_no_upper_bound() -> None:
    low, high = bounds(Tally(10, 0, 0))
    assert (elo(high), elo(1.0)) == (None, None)
    assert elo(low) == pytest.approx(166, abs=2)


@pytest.mark.parametrize(("win", "draw"), [(0.5, 0.0), (0.3, 0.4), (0.7, 0.2)])
def test_bounds_hold_in_about_95_of_100_matches(win: float, draw: float) -> None:
    rng = Random(5)
    true, held, matches = win + draw / 2, 0, 600
    for _ in range(matches):
        tally = Tally()
        for _ in range(60):
            dice = rng.random()
            tally.count(1 if dice < win else 0 if dice < win + draw else -1)
        low, high = bounds(tally)
        held += low <= true <= high
    assert math.isclose(held / matches, 0.95, abs_tol=0.03)


def test_report_counts_a_pairing_from_both_sides() -> None:
    games = [outcome((0, 1), (0,), (3, 1)), outcome((1, 0), (), (2, 2)), outcome((1, 0), (0,), (4, 0))]
    whole = report(match("ann", "bob"), games, 4)
    assert (whole.played, whole.planned) == (3, 4)
    (pairing,) = whole.pairings
    assert (pairing.players, pairing.wins, pairing.draws, pairing.losses) == (("ann", "bob"), 1, 1, 1)
    assert pairing.seats == (Tally(1, 0, 0), Tally(0, 1, 1))
    assert [(each.name, each.points, each.games) for each in whole.players] == [("ann", 1.5, 3), ("bob", 1.5, 3)]
    assert (whole.players[0].moves, whole.players[0].mean_seconds, whole.players[0].slowest_seconds) == (6, 0.5, 0.75)


def test_at_a_big_table_everyone_is_compared_with_everyone() -> None:
    whole = report(match("a", "b", "c", options={"players": 3}), [outcome((2, 0, 1), (0,), (3, 1, 0))], 3)
    assert [(each.name, each.wins, each.losses) for each in whole.players] == [("c", 2, 0), ("a", 1, 1), ("b", 0, 2)]


def test_who_failed_is_behind_everyone_whatever_they_had_won() -> None:
    whole = report(match("a", "b", "c", options={"players": 3}), [outcome((0, 1, 2), (1,), (9, 1, 0), 0)], 3)
    assert [each.name for each in whole.players] == ["b", "c", "a"]
    assert [(each.player, each.verdict) for each in whole.errors] == [("a", Fault.CRASH)]
    assert whole.players[-1].crashes == 1


def test_report_of_no_games_is_possible() -> None:
    whole = report(match("a", "b"), [], 2)
    assert (whole.pairings, [each.points for each in whole.players]) == ([], [0, 0])


@given(st.integers(2, 5), st.integers(2, 5), st.integers(1, 12))
def test_everybody_meets_everybody_and_sits_everywhere(people: int, seats: int, rounds: int) -> None:
    if people < seats:
        return
    whole = match(*map(str, range(people)), games=rounds * seats)
    games = list(bouts(whole, seats))
    assert len(games) == planned(whole, seats) == len({(bout.group, bout.game) for bout in games})
    sat = [(number, seat) for bout in games for seat, number in enumerate(bout.seats)]
    assert {sat.count(place) for place in sat} == {len(games) // people}
    assert len({bout.seed for bout in games}) == len(games) // seats  # whoever meets begins alike in every seat
