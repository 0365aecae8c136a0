"""Lists of games: what is on them, page by page, and that no page takes longer for all the games that are not."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest

from bench.archive import fill
from parlour.core.words import AnyEvent, Closed, Finished, Joined, Leave, Seek, Started
from parlour.store import library as library_module
from parlour.store import schema
from parlour.store.base import NoSuchGame
from parlour.store.library import SqliteLibrary
from parlour.store.spelling import Reading
from parlour.store.sqlite import SqliteStore
from tests.unit.core.people import Person
from tests.unit.store.club import Club, live_it_up, watched_connection
from tests.unit.store.places import Place

Filters = dict[str, str]


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with some thousand games."""
    directory = tmp_path_factory.mktemp("archive")
    fill(directory, 2000)
    return directory


def appearances(directory: Path) -> dict[str, set[str]]:
    """By game that has begun, everyone who ever sat in it, from the records alone."""
    found: dict[str, set[str]] = {}
    running: dict[int, str] = {}
    readings: dict[int, Reading] = {}
    with closing(sqlite3.connect(directory / schema.FILE)) as connection:
        for tbl, text in connection.execute("SELECT tbl, event FROM record ORDER BY no"):
            event: AnyEvent = readings.setdefault(tbl, Reading()).event(text)
            match event:
                case Started(game=game, players=players):
                    running[tbl] = game
                    found[game] = {player.name for player in players}
                case Joined(name=name) if tbl in running:
                    found[running[tbl]].add(name)
                case Finished() | Closed():
                    running.pop(tbl, None)
                case _:
                    pass
    return found


def pages(library: SqliteLibrary, most: int, **filters: str) -> list[str]:
    """Every id of a list, read page by page."""
    found: list[str] = []
    while page := library.latest(most, found[-1] if found else "", **filters):
        assert len(page) <= most
        found += [game.id for game in page]
    return found


def check(directory: Path) -> int:
    """Every list has what the records say; returns how many games have begun."""
    sat = appearances(directory)
    with closing(SqliteLibrary(directory)) as library:
        begun = [game for game in library.games() if game.started is not None]
        begun.reverse()
        assert {game.id for game in begun} == sat.keys()
        assert library.latest(10_000) == begun
        kinds = {game.game for game in begun}
        names = {name for one in sat.values() for name in one}
        for kind in ("", *kinds):
            of_kind = [game.id for game in begun if kind in ("", game.game)]
            assert pages(library, 3, game=kind) == of_kind
            for name in names:
                theirs = [game for game in of_kind if name in sat[game]]
                assert pages(library, 2, game=kind, player=name) == theirs
                assert pages(library, 50, game=kind, player=name.upper()) == theirs
    return len(begun)


@pytest.mark.parametrize("seed", range(3))
def test_lists_have_every_game_that_has_begun_also_over_restarts(tmp_path: Path, seed: int) -> None:
    for evening in range(2):
        with closing(SqliteStore(tmp_path)) as store:
            club = Club(store, 10 * seed + evening)
            for number, records in store.unfinished():
                club.hub.restore(number, records)
            live_it_up(club, Random(seed), 500)
    assert check(tmp_path) > 5


def test_game_whose_beginning_could_not_be_written_is_on_no_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watched_connection(monkeypatch) as opened, closing(SqliteStore(tmp_path)) as store:
        club = Club(store)
        opened[0].execute("PRAGMA query_only=1")
        club.pair(names=("Ann", "Ben"))
        assert club.settle() is not None
        opened[0].execute("PRAGMA query_only=0")
        club.pair(names=("Cat", "Dan"))
        assert club.settle() is None
    assert check(tmp_path) == 1


def test_game_is_listed_from_its_first_moment_with_the_moves_so_far(place: Place) -> None:
    club = Club(place.store())
    Person(club.hub, "Ann").do(Seek("connect4", {}))
    assert club.settle() is None
    with closing(place.library()) as library:
        assert library.latest(9) == []
        Person(club.hub, "Ben").do(Seek("connect4", {}))
        club.play("3", "3", "3")
        assert club.settle() is None
        (game,) = library.latest(9, player="ann")
        assert (game.status, game.moves, [player.name for player in game.players]) == ("playing", 3, ["Ann", "Ben"])
        (table,) = club.hub.tables.values()
        for who in table.present():
            assert isinstance(who, Person)
            who.do(Leave())
        assert club.settle() is None
        (game,) = library.latest(9, game="connect4")
        assert (game.status, game.moves) == ("abandoned", 3)
    club.store.close()


def test_list_cannot_go_on_from_a_game_that_is_not_there(full: Path) -> None:
    with closing(SqliteLibrary(full)) as library:
        with pytest.raises(NoSuchGame):
            library.latest(9, "abc-1")
        with pytest.raises(NoSuchGame):
            next(library.games("abc-1"))


def test_games_go_on_after_the_one_that_is_named(full: Path) -> None:
    with closing(SqliteLibrary(full)) as library:
        everything = [game.id for game in library.games()]
        assert [game.id for game in library.games(everything[700])] == everything[701:]


# --- how they are found -----------------------------------------------------------------------------------------------

ALL: list[Filters] = [{}, {"game": "dots"}, {"player": "member1"}, {"player": "easy engine", "game": "glenda"}]


@contextmanager
def traced(monkeypatch: pytest.MonkeyPatch, where: object, name: str) -> Iterator[list[str]]:
    """The statements that run on connections which are opened meanwhile by this function."""
    statements: list[str] = []
    connect: Callable[[Path], sqlite3.Connection] = getattr(where, name)

    def connect_and_tell(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        connection.set_trace_callback(statements.append)
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(where, name, connect_and_tell)
        yield statements


def plans(directory: Path, statements: list[str]) -> list[str]:
    """How SQLite goes about the queries among these."""
    with closing(sqlite3.connect(directory / schema.FILE)) as connection:
        queries = [one for one in statements if one.startswith(("SELECT", "WITH"))]
        assert queries
        return [
            f"{step} in {query}"
            for query in queries
            for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {query}", (None,) * query.count("?"))
        ]


@pytest.mark.parametrize("filters", ALL)
def test_page_of_any_list_is_found_by_keys_alone(full: Path, monkeypatch: pytest.MonkeyPatch, filters: Filters) -> None:
    with traced(monkeypatch, library_module, "open_for_reading") as statements, closing(SqliteLibrary(full)) as library:
        (game,) = library.latest(1, **filters)
        assert library.latest(20, game.id, **filters)
    assert [plan for plan in plans(full, statements) if not plan.startswith(("SEARCH", "SCAN sqlite_schema"))] == []


def test_server_starts_without_looking_through_any_table_of_games(full: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with traced(monkeypatch, schema, "connect") as statements, closing(SqliteStore(full)) as store:
        assert list(store.unfinished()) == []
        assert list(store.standings())
        assert store.ratings()[0]
    scans = [plan for plan in plans(full, statements) if plan.startswith("SCAN")]
    assert [plan for plan in scans if "game_live" not in plan.split(" in ")[0]] == [
        plan
        for plan in scans
        if plan.startswith(("SCAN CONSTANT", "SCAN standing", "SCAN rating", "SCAN block", "SCAN sqlite_schema"))
    ]


def effort(directory: Path, filters: Filters) -> int:
    """How much SQLite has to do for a page in the middle of a list."""
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    with closing(SqliteLibrary(directory)) as library:
        games = pages(library, 200, **filters)
        library._connection.set_progress_handler(step, 1)
        assert len(library.latest(3, games[len(games) // 2], **filters)) == 3
    return count


@pytest.mark.parametrize("filters", ALL)
def test_page_takes_no_longer_however_many_games_there_are(full: Path, tmp_path: Path, filters: Filters) -> None:
    fill(tmp_path, 400)
    assert effort(full, filters) < effort(tmp_path, filters) * 1.5
