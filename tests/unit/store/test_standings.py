"""What registered players have come to is what the log says: at any time, and after every restart."""

from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from parlour.core.standings import Tally
from parlour.core.words import Leave, Opened, Play, Record, Resign, Resume, Seek, SetBoard, TakeChair
from parlour.store.base import Archive
from parlour.store.sqlite import SqliteStore
from tests.unit.core.people import Person, open_pair
from tests.unit.store.club import Club, live_it_up, watched_connection
from tests.unit.store.model import standings_of
from tests.unit.store.places import Place, seeds

LINES = ("h 0 0", "h 0 1", "v 0 0", "v 1 0")
"""Of the smallest board; whoever draws the last one has the box."""


def standings(store: Archive) -> dict[tuple[str, str], Tally]:
    return {(game, account): tally for game, account, tally in store.standings()}


def expected(told: dict[int, list[Record]]) -> dict[tuple[str, str], Tally]:
    tables = []
    for records in told.values():
        opened = records[0].event
        assert isinstance(opened, Opened)
        tables.append((opened.game, records))
    return standings_of(tables)


def in_memory(club: Club) -> dict[tuple[str, str], Tally]:
    return {(game, who): tally for game in club.hub.games for who, tally in club.hub.standings.ranking(game)}


def registered(club: Club, name: str) -> Person:
    person = Person(club.hub, name)
    person.account = name
    return person


def sit_down(club: Club, *names: str) -> list[Person]:
    """Registered people who play noughts against each other."""
    return [registered(club, name).do(Seek("noughts", {})) for name in names]


def draw(*people: Person) -> None:
    """One line after the other, by whoever is on turn."""
    for line in LINES:
        for person in people:
            position = person.table.position if person.table is not None else None
            if position is not None and position.turn == person.seat and position.check(line) is None:
                person.do(Play(line))


@pytest.mark.parametrize(("place", "seed"), seeds(10, 2), indirect=["place"])
def test_standings_are_the_fold_of_the_log_over_restarts_too(place: Place, seed: int) -> None:
    told: dict[int, list[Record]] = {}
    dice = Random(seed)
    for evening in range(3):
        with closing(place.store()) as store:
            club = Club(store, 10 * seed + evening)
            club.told = told
            club.hub.standings.reset(store.standings())
            for number, records in store.unfinished():
                club.hub.restore(number, records)
            live_it_up(club, dice, 3000, registered=5)
            assert standings(store) == expected(told) == in_memory(club)
    with closing(place.store()) as store:
        assert standings(store) == expected(told)
        assert sum(tally.wins + tally.losses + tally.ties for tally in standings(store).values()) > 20


def test_whoever_sits_there_at_the_end_has_played_the_game(place: Place) -> None:
    with closing(place.store()) as store:
        club = Club(store)
        ann, ben, cid = (registered(club, name) for name in ("Ann", "Ben", "Cid"))
        ann.do(open_pair(most=25))
        table = ann.here
        ben.do(TakeChair(table.id, most=25))
        ann.do(SetBoard({"width": 2, "height": 2}))
        assert table.running
        ann.do(Play(LINES[0]))
        ann.do(Leave())
        assert club.settle() is None
        cid.do(TakeChair(table.id, most=25))
        draw(ben, cid)
        assert club.settle() is None
        assert standings(store) == {("dots", "Ben"): Tally(wins=1), ("dots", "Cid"): Tally(losses=1)}
        assert in_memory(club) == standings(store)


def test_game_taken_up_after_a_restart_counts_for_those_who_sat_down_before(place: Place) -> None:
    with closing(place.store()) as store:
        club = Club(store)
        ann, _ = sit_down(club, "Ann", "Ben")
        table, token = ann.here.id, ann.token
        assert club.settle() is None
    with closing(place.store()) as store:
        club = Club(store, 1)
        for number, records in store.unfinished():
            club.hub.restore(number, records)
        Person(club.hub, "Ann").do(Resume(table, token)).do(Resign())
        assert club.settle() is None
        assert standings(store) == {
            ("noughts", "Ann"): Tally(losses=1, forfeits=1),
            ("noughts", "Ben"): Tally(wins=1),
        }


def test_nobody_registered_leaves_no_standing(place: Place) -> None:
    with closing(place.store()) as store:
        live_it_up(Club(store), Random(1), 200)
        assert standings(store) == {}


def test_batch_that_fails_counts_for_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with watched_connection(monkeypatch) as opened, closing(SqliteStore(tmp_path)) as store:
        club = Club(store)
        ann, _ = sit_down(club, "Ann", "Ben")
        assert club.settle() is None
        opened[0].execute("PRAGMA query_only=1")
        ann.do(Resign())
        assert club.settle() is not None
        opened[0].execute("PRAGMA query_only=0")
        assert standings(store) == {}
        sit_down(club, "Cid", "Dan")[0].do(Resign())
        assert club.settle() is None
        assert sorted(account for _, account in standings(store)) == ["Cid", "Dan"]
