"""`parlour compact`: what goes, what stays, and that what stays is read as before."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.archive import fill
from parlour.cli import main
from parlour.core.words import Leave, Seek, Vote
from parlour.store import schema
from parlour.store.base import StoredComing, StoredGame, StoredMove
from parlour.store.compacting import Keep, compact, plan
from parlour.store.library import SqliteLibrary
from parlour.store.sqlite import SqliteStore
from tests.processes import started
from tests.unit.core.people import Person
from tests.unit.store.club import Club, live_it_up, open_club
from tests.unit.store.test_opening import HOLDER
from tests.unit.store.test_ratings import rated_game, witnessed

DAY = 24 * 3600 * 1000
TWO_ROWS = ("a1", "b1", "a2", "b2", "a3")
Whole = tuple[StoredGame, list[StoredMove], list[StoredComing]]


def whole(directory: Path) -> dict[str, Whole]:
    """Every game of the log with all there is to read of it."""
    with closing(SqliteLibrary(directory)) as library:
        ids = [game.id for game in library.games()]
        return {name: (*library.game(name), library.comings(name)) for name in ids}


def rows(directory: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(directory / schema.FILE)) as connection:
        return connection.execute(query).fetchall()


def series(club: Club, games: int) -> list[str]:
    """So many games one after the other at one table, a day apart; the table is closed then."""
    people = club.pair()
    table = people[0].here
    played = []
    for number in range(games):
        if number:
            club.pass_time(DAY)
            for person in people:
                person.do(Vote(True))
        club.play_at(table, *TWO_ROWS)
        played.append(table.game_id)
    for person in people:
        person.do(Leave())
    assert club.settle() is None
    return played


def test_games_that_ended_before_the_time_are_gone_and_the_others_read_as_before(tmp_path: Path) -> None:
    club = open_club(tmp_path)
    old, new = series(club, 3), series(club, 2)
    cut = club.hub.at - 1.5 * DAY / 1000
    club.store.close()
    before = whole(tmp_path)
    done = compact(tmp_path, Keep(since=cut))
    assert (done.games, done.removed) == (5, 2)
    assert whole(tmp_path) == {name: before[name] for name in (old[2], *new)}


@pytest.mark.parametrize("kept", range(6))
def test_so_many_of_the_latest_stay(tmp_path: Path, kept: int) -> None:
    club = open_club(tmp_path)
    played = series(club, 3) + series(club, 2)
    club.store.close()
    before = whole(tmp_path)
    compact(tmp_path, Keep(games=kept))
    assert whole(tmp_path) == {name: before[name] for name in played[5 - kept :]}


def test_nothing_is_left_of_a_table_of_which_no_game_stays(tmp_path: Path) -> None:
    club = open_club(tmp_path)
    live_it_up(club, Random(1), 400)
    for table in list(club.hub.tables.values()):
        club.hub.shut(table, "host")
    assert club.settle() is None
    club.store.close()
    assert rows(tmp_path, "SELECT count(*) FROM record")[0][0] > 100
    compact(tmp_path, Keep(games=0))
    for name in ("record", "game", "trail"):
        assert rows(tmp_path, f"SELECT count(*) FROM {name}") == [(0,)]
    SqliteStore(tmp_path).close()


def test_rated_games_standings_and_ratings_stay(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        club, _ = witnessed(store)
        rated_game(club, "Ann", "Ben")
        guest, ann = Person(club.hub, "Guest"), Person(club.hub, "Ann")
        ann.account = "Ann"
        for person in (guest, ann):
            person.do(Seek("noughts", {}))
        club.play_at(ann.here, *TWO_ROWS)
        for person in (guest, ann):
            person.do(Leave())
        assert club.settle() is None
        standings, ratings = sorted(store.standings()), store.ratings()
        assert len(ratings[1]) == 1
    done = compact(tmp_path, Keep(games=0))
    assert (done.games, done.removed, done.rated) == (2, 1, 1)
    with closing(SqliteStore(tmp_path)) as store, closing(SqliteLibrary(tmp_path)) as library:
        assert sorted(store.standings()) == standings
        assert store.ratings() == ratings
        assert [result.id for result in library.results("Ann", 9)] == [next(library.games()).id]


def test_games_at_a_table_that_is_open_stay_and_it_goes_on(tmp_path: Path) -> None:
    club = open_club(tmp_path)
    people = club.pair()
    club.play(*TWO_ROWS)
    for person in people:
        person.do(Vote(True))
    club.play("a1")
    assert club.settle() is None
    club.store.close()
    before = whole(tmp_path)
    assert compact(tmp_path, Keep(games=0)).open == 2
    assert whole(tmp_path) == before
    with closing(SqliteStore(tmp_path)) as store:
        ((_, records),) = store.unfinished()
        assert records[0].seq == 1


def test_space_is_given_back(tmp_path: Path) -> None:
    club = open_club(tmp_path)
    for _ in range(40):
        series(club, 5)
    club.store.close()
    file = tmp_path / schema.FILE
    before = file.stat().st_size
    compact(tmp_path, Keep(games=1))
    assert file.stat().st_size < before / 2


def test_old_games_that_need_their_tables_past_keep_it(tmp_path: Path) -> None:
    club = open_club(tmp_path)
    series(club, 3)
    club.store.close()
    with closing(sqlite3.connect(tmp_path / schema.FILE)) as connection:
        connection.execute("""UPDATE record SET event = '{' || substr(event, 8) WHERE event LIKE '{"v":2,%'""")
        connection.commit()
    assert plan(tmp_path, Keep(games=1)).removed == 0
    assert plan(tmp_path, Keep(games=0)).removed == 3


def test_command_says_what_it_would_remove_and_changes_nothing_without_yes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    club = open_club(tmp_path)
    series(club, 3)
    club.store.close()
    words = ["compact", "--data", str(tmp_path), "--keep", "30"]
    before = (tmp_path / schema.FILE).read_bytes()
    assert main(words) == 0
    said = capsys.readouterr().out
    assert said.startswith("3 of 3 games would be removed: unrated ones that ended before ")
    assert "--yes" in said
    assert (tmp_path / schema.FILE).read_bytes() == before
    assert main([*words, "--yes"]) == 0
    assert "Removed 3 games" in capsys.readouterr().out
    assert whole(tmp_path) == {}


def test_nothing_is_removed_unless_it_is_said_what_to_keep(tmp_path: Path) -> None:
    club = open_club(tmp_path)
    series(club, 2)
    club.store.close()
    assert main(["compact", "--data", str(tmp_path), "--yes"]) == 0
    assert len(whole(tmp_path)) == 2


def test_log_of_a_running_server_is_planned_for_but_not_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with started(command, stdin=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "open\n"
        words = ["compact", "--data", str(tmp_path), "--keep-games", "0"]
        assert main(words) == 0
        assert main([*words, "--yes"]) == 2
        assert f"in use by another Parlour server (process {server.pid})" in capsys.readouterr().err
        server.kill()


@pytest.mark.parametrize("words", [["--keep", "-1"], ["--keep", "nan"], ["--keep-games", "-1"], ["--keep", "soon"]])
def test_nonsense_is_refused(tmp_path: Path, words: list[str]) -> None:
    assert main(["compact", "--data", str(tmp_path), *words]) == 2


def test_damaged_log_of_any_size_is_refused_before_anything_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(schema, "SMALL", 0)  # as if it were too big to be looked through by every command
    fill(tmp_path, 40)
    path = tmp_path / schema.FILE
    ((page,),) = rows(tmp_path, "SELECT rootpage FROM sqlite_schema WHERE name = 'account'")  # read by the last step
    with path.open("r+b") as log:
        log.seek((page - 1) * 4096)
        log.write(b"\xa5" * 4096)
    assert main(["compact", "--keep-games", "3", "--yes", "--data", str(tmp_path)]) == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert f"the log {path} is damaged" in sentence
    assert rows(tmp_path, "SELECT count(*) FROM game") == [(40,)]
