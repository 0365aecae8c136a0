"""One game is read by the index: whatever else is in the log, and whatever happened while it was written."""

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from parlour.core.words import Closed, Leave, Play, Record
from parlour.store import schema, trail
from parlour.store.library import SqliteLibrary
from parlour.store.sqlite import SqliteStore
from parlour.store.trail import BLOCK, SLICE, Trails, records_of
from tests.unit.core.people import Person
from tests.unit.store.club import Club, commit, live_it_up, open_club, watched_connection
from tests.unit.store.model import games_of


def database(directory: Path) -> sqlite3.Connection:
    return sqlite3.connect(directory / schema.FILE)


def check(directory: Path) -> int:
    """The index finds the same records of every game as a look through the whole log; how many games there are."""
    with closing(database(directory)) as connection:
        games = connection.execute("SELECT tbl, first, last FROM game WHERE started IS NOT NULL").fetchall()
        for tbl, first, last in games:
            everything = connection.execute(
                "SELECT no, at, event FROM record WHERE tbl = ? AND no BETWEEN ? AND ? ORDER BY no",
                (tbl, first, last or 1 << 62),
            ).fetchall()
            assert records_of(connection, tbl, first, last) == everything
        return len(games)


@pytest.mark.parametrize("behind", [5, 200, trail.BEHIND])
@pytest.mark.parametrize("seed", range(4))
def test_index_finds_every_record_of_every_game_also_over_restarts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, behind: int
) -> None:
    monkeypatch.setattr(trail, "BEHIND", behind)
    dice = Random(seed)
    for evening in range(3):
        with closing(SqliteStore(tmp_path)) as store:
            club = Club(store, 10 * seed + evening)
            for number, records in store.unfinished():
                club.hub.restore(number, records)
            live_it_up(club, dice, 400)
            check(tmp_path)
    assert check(tmp_path) > 8


@pytest.mark.parametrize("behind", [5, trail.BEHIND])
def test_index_knows_nothing_of_records_that_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behind: int
) -> None:
    monkeypatch.setattr(trail, "BEHIND", behind)
    dice = Random(behind)
    with watched_connection(monkeypatch) as opened, closing(SqliteStore(tmp_path)) as store:
        for evening in range(8):
            club = Club(store, evening)
            for number, records in store.unfinished():
                club.hub.restore(number, records)
            live_it_up(club, dice, 200)
            opened[0].execute("PRAGMA query_only=1")
            for table in list(club.hub.tables.values()):
                turn = None if table.position is None else table.position.turn
                for who in table.present():
                    if isinstance(who, Person) and table.running and who.seat == turn:
                        assert table.position is not None
                        who.do(Play(dice.choice(table.position.legal())))
                    elif isinstance(who, Person):
                        who.do(Leave())
            assert club.settle() is not None
            opened[0].execute("PRAGMA query_only=0")
    assert check(tmp_path) > 20


def test_games_under_way_are_counted_by_the_index_and_what_is_not_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for behind in (3, 40, trail.BEHIND):
        monkeypatch.setattr(trail, "BEHIND", behind)
        (directory := tmp_path / str(behind)).mkdir()
        with closing(SqliteStore(directory)) as store:
            club = Club(store, 1)
            live_it_up(club, Random(5), 800)
            with closing(SqliteLibrary(directory)) as library:
                found = {game.id: game.moves for game in library.games()}
            expected = {game.id: game.moves for records in club.told.values() for game in games_of(records)}
            assert found == expected


def steps(directory: Path, tbl: int, first: int, last: int | None) -> int:
    """How much SQLite has to do to read these records."""
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    with closing(database(directory)) as connection:
        connection.set_progress_handler(step, 1)
        assert records_of(connection, tbl, first, last)
    return count


def fill(directory: Path, records: int) -> None:
    """The log of others."""
    with closing(database(directory)) as connection:
        event = '{"v":2,"type":"played","seat":0,"move":"a1","id":""}'
        connection.executemany(
            "INSERT INTO record (tbl, seq, at, event) VALUES (?, 1, 0, ?)",
            ((1000 + number % 500, event) for number in range(records)),
        )
        connection.commit()


def test_reading_one_game_takes_no_longer_however_much_else_is_in_the_log(tmp_path: Path) -> None:
    spent = []
    for others in (2 * BLOCK, 10_000):
        (directory := tmp_path / str(others)).mkdir()
        club = open_club(directory)
        ann, _ = club.pair()
        table = ann.table
        assert table is not None
        for number, moves in enumerate((("a1", "b1"), ("a2", "b2"), ("a3",))):
            club.play(*moves)
            assert club.settle() is None
            if number < 2:
                club.store.close()
                fill(directory, others)
                club = open_club(directory)
                ((no, records),) = club.store.unfinished()
                back = club.hub.restore(no, records)
                for seat, who in enumerate((Person(club.hub, "Ann"), Person(club.hub, "Ben"))):
                    back.attach(who, back.seats[seat])
        club.store.close()
        with closing(database(directory)) as connection:
            ((tbl, first, last),) = connection.execute("SELECT tbl, first, last FROM game").fetchall()
        assert last - first > 2 * others
        spent.append(steps(directory, tbl, first, last))
    assert spent[1] < spent[0] * 1.5


def test_game_that_is_never_finished_but_closed_is_found_as_well(tmp_path: Path) -> None:
    club = open_club(tmp_path)
    ann, _ = club.pair()
    table = ann.table
    assert table is not None
    club.play("a1", "b1")
    assert club.settle() is None
    batch = club.store.batch()
    batch.append(table, Record(table.seq + 1, 2.0, Closed()))
    assert commit(club.store, batch) is None
    club.store.close()
    with closing(SqliteLibrary(tmp_path)) as library:
        assert [move.move for move in library.game(table.game_id)[1]] == ["a1", "b1"]
        assert [coming.name for coming in library.comings(table.game_id)] == ["Ann", "Ben"]
    check(tmp_path)


def test_tables_far_behind_are_written_before_their_game_is_over_a_few_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trail, "BEHIND", 100)
    trails = Trails()
    trails.note(range(1, 51), 1)  # fifty tables, a record each
    assert trails.due({7}, 60) == [(7, 1, 60, "[0]")]
    rows = trails.due({7}, 500)
    assert [row[0] for row in rows] == [7, *[tbl for tbl in range(1, SLICE + 2) if tbl != 7]]
    trails.forget(row[0] for row in rows)
    trails.note([3, 3, 7], 501)
    assert trails.due(set(), 120) == [(tbl, 1, 120, "[0]") for tbl in range(18, 18 + SLICE)]
    assert trails.due({3, 7}, 90) == [(3, 501, 90, "[1]"), (7, 501, 90, "[1]")]


def test_blocks_of_a_table_are_named_once_each_however_its_records_came() -> None:
    trails = Trails()
    trails.adopt(1, [3, 5, BLOCK + 1])
    trails.note([1, 2, 1], BLOCK + 2)
    trails.note([1] * BLOCK, 2 * BLOCK - 1)  # over the end of a block
    trails.note([2], 5 * BLOCK)
    assert sorted(trails.due({1, 2}, 5 * BLOCK)) == [
        (1, 3, 5 * BLOCK, "[0,1,2]"),
        (2, BLOCK + 2, 5 * BLOCK, "[1,5]"),
    ]


def test_numbers_of_records_that_could_not_be_written_are_given_again() -> None:
    trails = Trails()
    trails.note([1, 2], 1)
    trails.note([3], BLOCK)
    trails.forget([3])  # its commit has failed
    trails.note([1], 3)
    trails.note([2], BLOCK)
    assert sorted(trails.due({1, 2}, BLOCK)) == [(1, 1, BLOCK, "[0]"), (2, 1, BLOCK, "[0,1]")]
