"""Ratings are a fold of the rated games, whether in one go, day by day, or taken up again from what was kept."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.rated import Outcome, Rating
from parlour.ratings import glicko
from parlour.ratings.book import DAY, MANY, Book, Grade
from parlour.ratings.glicko import Skill
from parlour.ratings.plackett_luce import ranked

NAMES = ("Ann", "Ben", "Cid", "Dan", "Eve")
WON, LOST, DRAWN = (1, 2), (2, 1), (1, 1)


def game(day: float, *names: str, places: tuple[int, ...] = WON) -> Outcome:
    return Outcome("dots", day * DAY, names, places)


@st.composite
def seasons(draw: st.DrawFn) -> list[Outcome]:
    """Games of two and more on some days, with a clock that is set back now and then."""
    outcomes, day = [], 1000.0
    for _ in range(draw(st.integers(1, 30))):
        day += draw(st.sampled_from((0.0, 0.01, 0.4, 1.0, 30.0, -2.0)))
        players = draw(st.sampled_from((2, 2, 2, 3, 4)))
        names = draw(st.permutations(NAMES))[:players]
        places = tuple(draw(st.permutations(range(1, players + 1)))) if draw(st.booleans()) else (1,) * players
        outcomes.append(game(day, *names, places=places))
    return outcomes


def fold(outcomes: list[Outcome]) -> Book:
    book = Book()
    book.reset([], outcomes)
    return book


def everybody(book: Book, at: float) -> list[list[Grade]]:
    return [book.ranking("dots", at), book.ranking("dots" + MANY, at)]


def last_ratings(ratings: list[Rating]) -> list[Rating]:
    return list({(row.ladder, row.account): row for row in ratings}.values())


@given(seasons(), st.data())
def test_taking_up_from_what_was_kept_is_the_same_as_never_having_stopped(
    season: list[Outcome], data: st.DataObject
) -> None:
    book, kept = Book(), list[Rating]()
    for number, outcome in enumerate(season):
        book.note(outcome)
        kept += book.closed
        book.closed = []
        if data.draw(st.booleans()):
            upto = max((row.upto for row in kept), default=0)
            book = Book()
            book.reset(last_ratings(kept), season[upto : number + 1])
            assert book.closed == []
    whole = fold(season)
    assert kept == whole.closed
    at = season[-1].at + 3 * DAY
    assert everybody(book, at) == everybody(whole, at)


@given(seasons())
def test_what_is_shown_during_a_period_is_what_it_comes_to(season: list[Outcome]) -> None:
    book = fold(season)
    shown = {(ladder, grade.account): grade for ladder in ("dots", "dots" + MANY) for grade in book.ranking(ladder, 0)}
    season.append(game(9999, "Xan", "Yve"))
    for row in last_ratings(fold(season).closed):
        grade = shown[row.ladder, row.account]
        assert (grade.rating, grade.deviation) == (row.rating, row.deviation)
        assert (grade.wins, grade.losses, grade.ties) == (row.wins, row.losses, row.ties)


def test_opponents_count_as_they_were_when_the_period_began() -> None:
    book = fold([game(1, "Ann", "Ben"), game(1.1, "Ann", "Cid"), game(1.2, "Ben", "Ann", places=DRAWN)])
    expected = glicko.rated(Skill(), [(Skill(), 1.0), (Skill(), 1.0), (Skill(), 0.5)])
    ann = book.grade("dots", "Ann", 1.5 * DAY)
    assert ann == Grade("Ann", expected.rating, expected.deviation, 2, 0, 1)


def test_the_next_period_begins_where_the_last_one_ended() -> None:
    book = fold([game(1, "Ann", "Ben"), game(2, "Ann", "Ben")])
    won, lost = glicko.rated(Skill(), [(Skill(), 1.0)]), glicko.rated(Skill(), [(Skill(), 0.0)])
    ann = book.grade("dots", "Ann", 2 * DAY)
    assert ann is not None
    assert ann.rating == glicko.rated(won, [(lost, 1.0)]).rating
    assert [(row.account, row.period, row.upto) for row in book.closed] == [("Ann", 1, 1), ("Ben", 1, 1)]


def test_who_rests_is_known_less_surely_and_is_no_worse() -> None:
    book = fold([game(1 + day, "Ann", "Ben", places=WON if day % 2 else LOST) for day in range(60)])
    then, now = book.grade("dots", "Ann", 60 * DAY), book.grade("dots", "Ann", 800 * DAY)
    assert then is not None
    assert now is not None
    assert then.rating == now.rating
    assert not then.provisional
    assert now.provisional


def test_games_of_more_than_two_have_a_ladder_of_their_own() -> None:
    book = fold([game(1, "Ann", "Ben", "Cid", places=(2, 1, 2))])
    assert book.ranking("dots", DAY) == []
    assert [grade.account for grade in book.ranking("dots" + MANY, DAY)] == ["Ben", "Ann", "Cid"]
    ben = book.grade("dots" + MANY, "Ben", DAY)
    assert ben is not None
    assert ben.rating == ranked([Skill()] * 3, (2, 1, 2))[1].rating > 1500
    assert (ben.wins, ben.losses, ben.ties) == (1, 0, 0)


def test_established_ratings_come_before_guesses() -> None:
    games = [game(1 + day, "Ann", "Ben", places=DRAWN) for day in range(40)] + [game(41, "Eve", "Dan")]
    ranking = fold(games).ranking("dots", 41 * DAY)
    assert [grade.account for grade in ranking] == ["Ann", "Ben", "Eve", "Dan"]
    assert [grade.provisional for grade in ranking] == [False, False, True, True]


def test_the_running_period_can_be_seen_game_by_game() -> None:
    book = fold([game(1, "Ann", "Ben"), game(2, "Ann", "Ben"), game(2.5, "Ann", "Ben", places=LOST)])
    (first, second) = book.lately("dots", "Ann")
    assert [first[0], second[0]] == [2 * DAY, 2.5 * DAY]
    assert first[1] > second[1]
    ann = book.grade("dots", "Ann", 2.5 * DAY)
    assert ann is not None
    assert second[1:] == (ann.rating, ann.deviation)
    assert list(book.lately("dots", "Cid")) == []


def test_the_better_player_ends_above_the_worse() -> None:
    dice = Random(1)
    chances = {"Ann": 4.0, "Ben": 2.0, "Cid": 1.0}
    games = []
    for number in range(600):
        one, other = dice.sample(list(chances), 2)
        won = dice.random() < chances[one] / (chances[one] + chances[other])
        games.append(game(1 + number / 20, one, other, places=WON if won else LOST))
    ranking = fold(games).ranking("dots", 31 * DAY)
    assert [grade.account for grade in ranking] == ["Ann", "Ben", "Cid"]
    # Odds of two to one are 120 points on the scale of ratings.
    assert ranking[0].rating - ranking[1].rating == pytest.approx(120, abs=70)


@given(seasons(), st.data())
def test_a_ranking_that_was_looked_at_before_is_the_same_as_a_new_one(
    season: list[Outcome], data: st.DataObject
) -> None:
    book = Book()
    for number, outcome in enumerate(season):
        book.note(outcome)
        if data.draw(st.booleans()):
            at = outcome.at + data.draw(st.sampled_from((0.0, DAY)))
            assert everybody(book, at) == everybody(fold(season[: number + 1]), at)
