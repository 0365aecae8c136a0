"""Rated games and ratings are what the log says: live, after a restart, and read again from the records alone."""

import sqlite3
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from random import Random

import pytest

from parlour.core.errors import LocalError
from parlour.core.rated import Outcome, Rating
from parlour.core.words import Leave, Play, Played, Resign, Seek
from parlour.ratings.book import DAY, Book
from parlour.store import schema
from parlour.store.base import Archive, Store
from parlour.store.ledger import Ledger
from parlour.store.spelling import Reading
from parlour.store.sqlite import SqliteStore
from tests.unit.core.people import Person
from tests.unit.store.club import Club, live_it_up, watched_connection
from tests.unit.store.places import Place

ROWS = "SELECT account, no, id, game, at, seat, outcome, rated, place FROM result ORDER BY no, seat"


class Witness(Book):
    """Ratings that remember what they were made of."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[Outcome] = []

    def note(self, outcome: Outcome) -> None:
        self.noted.append(outcome)
        super().note(outcome)


def witnessed(store: Store, seed: int = 0) -> tuple[Club, Witness]:
    """A club with ratings, which begin with what the log has."""
    club, book = Club(store, seed), Witness()
    book.reset(*store.ratings())
    club.hub.ratings = book
    return club, book


def keep(store: Archive, ratings: list[Rating]) -> LocalError | None:
    kept: SimpleQueue[LocalError | None] = SimpleQueue()
    store.keep_ratings(ratings, kept.put)
    return kept.get(timeout=60)


def rated_game(club: Club, loser: str, winner: str) -> None:
    """A short one of noughts, which the first gives up."""
    people = [Person(club.hub, name) for name in (loser, winner)]
    for person in people:
        person.account = person.name
        person.do(Seek("noughts", {}))
    table = people[0].here
    assert table.position is not None
    for move in ("a1", "b2"):
        people[table.position.turn].do(Play(move))
    people[0].do(Resign())
    for person in people:
        person.do(Leave())


def rows(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path / schema.FILE)) as connection:
        return connection.execute(ROWS).fetchall()


def read_again(path: Path) -> list[tuple[object, ...]]:
    """What the records alone say about rated games."""
    ledger, readings = Ledger(1), dict[int, Reading]()
    with closing(sqlite3.connect(path / schema.FILE)) as connection:
        for no, tbl, at, text in connection.execute("SELECT no, tbl, at, event FROM record ORDER BY no"):
            event = readings.setdefault(tbl, Reading()).event(text)
            if not isinstance(event, Played):
                ledger.enter(no, tbl, at, event)
    return sorted((row.cells() for row in ledger.results), key=lambda cells: (cells[1], cells[5]))


@pytest.mark.parametrize("seed", range(5))
def test_what_is_rated_is_the_same_live_in_the_log_and_read_again_from_the_records(tmp_path: Path, seed: int) -> None:
    dice, noted = Random(seed), list[Outcome]()
    for evening in range(3):
        with closing(SqliteStore(tmp_path)) as store:
            club, book = witnessed(store, 10 * seed + evening)
            assert book.noted == noted
            for number, records in store.unfinished():
                club.hub.restore(number, records)
            live_it_up(club, dice, 2500, registered=7)
            noted = book.noted
            assert store.ratings() == ([], noted)
    assert len(noted) > 5
    assert rows(tmp_path) == read_again(tmp_path)


def test_ratings_go_on_after_a_restart_from_what_was_kept(place: Place) -> None:
    expected = Book()
    for day in range(4):
        with closing(place.store()) as store:
            club, book = witnessed(store)
            club.pass_time(int(day * DAY * 1000))
            assert len(book.noted) == (2 if day else 0)  # those of the day before
            for loser, winner in (("Ann", "Ben"), ("Ann", "Cid")):
                rated_game(club, loser, winner)
            assert club.settle() is None
            for outcome in book.noted[-2:]:
                expected.note(outcome)
            assert keep(store, book.closed) is None
            at = club.hub.at
            assert book.ranking("noughts", at) == expected.ranking("noughts", at)
    with closing(place.library()) as library:
        ratings = library.ratings_of("Ben")
        assert [row.period for row in ratings] == sorted({row.period for row in expected.closed})
        assert [row for row in expected.closed if row.account == "Ben"] == ratings


def test_a_game_whose_end_is_lost_leaves_no_gap_in_the_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with watched_connection(monkeypatch) as opened, closing(SqliteStore(tmp_path)) as store:
        club, _ = witnessed(store)
        rated_game(club, "Ann", "Ben")
        assert club.settle() is None
        opened[0].execute("PRAGMA query_only=1")
        rated_game(club, "Ann", "Ben")
        assert club.settle() is not None
        opened[0].execute("PRAGMA query_only=0")
        rated_game(club, "Cid", "Dan")
        assert club.settle() is None
    assert [row[7] for row in rows(tmp_path)] == [1, 1, 2, 2]


def test_marks_that_cannot_be_written_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = Rating("dots", "Ann", 7, 1, 1600.0, 200.0, 0.06, 1, 0, 0)
    with watched_connection(monkeypatch) as opened, closing(SqliteStore(tmp_path)) as store:
        opened[0].execute("PRAGMA query_only=1")
        assert keep(store, [row]) is not None
        opened[0].execute("PRAGMA query_only=0")
        assert keep(store, [row]) is None
        assert store.ratings() == ([row], [])


def test_last_games_of_a_player_are_those_that_ended_last(place: Place) -> None:
    with closing(place.store()) as store:
        club, _ = witnessed(store)
        for winner in ("Ben", "Cid", "Dan"):
            club.pass_time(1000)
            rated_game(club, "Ann", winner)
        guest, ann = Person(club.hub, "Guest"), Person(club.hub, "Ann")
        ann.account = "Ann"
        for person in (guest, ann):
            person.do(Seek("noughts", {}))
        guest.do(Resign())
        assert club.settle() is None
    with closing(place.library()) as library:
        last = library.results("Ann", 3)
        assert [(game.outcome, game.rated) for game in last] == [("win", False), ("loss", True), ("loss", True)]
        assert [player.name for player in last[1].players] == ["Ann", "Dan"]
        assert [game.moves for game in last] == [0, 2, 2]
        assert library.results("Guest", 3) == []
