"""Logs of every schema so far open, say what they always said, and go on (see tests/data/logs/README.md)."""

import json
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from parlour.core.house.hub import Hub
from parlour.core.table.ballot import START
from parlour.core.table.people import ANON, Participant, digest
from parlour.core.table.table import Status, Table
from parlour.core.updates import CaughtUp, Update
from parlour.core.words import Cap, Opened, Play, Ready, Record, Resume, SetBoard, Sit, Vote, Wish
from parlour.ratings.book import Book
from parlour.registry import GAMES, PROTOCOLS, games
from parlour.server.house import House
from parlour.store import schema
from parlour.store.library import SqliteLibrary
from parlour.store.spelling import VERSION
from parlour.store.sqlite import SqliteStore
from parlour.tools import scoresheet
from tests.unit.store.corpus import LOGS, Json, dump, plain, write
from tests.unit.store.evenings import Waiting
from tests.world import FirstLegal

SCHEMAS = sorted(int(path.stem.removeprefix("schema-")) for path in LOGS.glob("schema-*.sql"))


def said(number: int) -> Json:
    """What the code of that time said about the log."""
    found: Json = json.loads((LOGS / f"schema-{number}.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(params=SCHEMAS)
def number(request: pytest.FixtureRequest) -> int:
    """Of a schema."""
    found: int = request.param
    return found


@pytest.fixture
def log(number: int, tmp_path: Path) -> Path:
    """The folder of a log of that schema."""
    with closing(sqlite3.connect(tmp_path / schema.FILE)) as connection:
        connection.executescript((LOGS / f"schema-{number}.sql").read_text(encoding="utf-8"))
    return tmp_path


@pytest.fixture
def upgraded(log: Path) -> Path:
    SqliteStore(log).close()
    return log


# --- the log says what it said -------------------------------------------------------------------------------------


def test_there_is_a_log_of_every_schema_before_this_one() -> None:
    assert set(range(1, len(schema.STEPS))) <= set(SCHEMAS)


def test_an_older_log_is_upgraded_in_place_and_a_copy_kept(log: Path, number: int) -> None:
    SqliteStore(log).close()
    with closing(sqlite3.connect(log / schema.FILE)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(schema.STEPS),)
    copy = log / f"{schema.FILE}.bak-v{number}"
    assert copy.exists() == (number < len(schema.STEPS))
    if copy.exists():
        assert dump(copy) == (LOGS / f"schema-{number}.sql").read_text(encoding="utf-8")


def test_every_record_is_still_there_as_it_was_spelled(upgraded: Path, number: int) -> None:
    records = "SELECT no, tbl, seq, at, event FROM record ORDER BY no"
    with closing(sqlite3.connect(":memory:")) as old, closing(sqlite3.connect(upgraded / schema.FILE)) as new:
        old.executescript((LOGS / f"schema-{number}.sql").read_text(encoding="utf-8"))
        assert new.execute(records).fetchall() == old.execute(records).fetchall()


def test_every_game_is_listed_and_exported_as_it_was(upgraded: Path, number: int) -> None:
    with closing(SqliteLibrary(upgraded)) as library:
        found = []
        for listed in library.games():
            game, moves = library.game(listed.id)
            assert (game, len(moves)) == (listed, listed.moves)
            found.append({**plain(scoresheet.sheet(game, moves)), "status": game.status})
    expected = [{key: value for key, value in game.items() if key != "comings"} for game in said(number)["games"]]
    assert found == expected


def test_every_game_that_has_begun_is_on_the_lists_of_its_players(upgraded: Path, number: int) -> None:
    begun = [game for game in reversed(said(number)["games"]) if game["started"] is not None]
    names = {player["name"] for game in begun for player in game["players"]} - {ANON}  # whom no list is for
    with closing(SqliteLibrary(upgraded)) as library:
        assert [game.id for game in library.latest(1000)] == [game["id"] for game in begun]
        for name in names:
            theirs = [game["id"] for game in begun if name in [player["name"] for player in game["players"]]]
            spelled = [game.id for game in library.latest(1000, player=name.swapcase())]
            assert [game for game in spelled if game in theirs] == theirs


def test_who_came_and_went_is_what_it_was(upgraded: Path, number: int) -> None:
    with closing(SqliteLibrary(upgraded)) as library:
        for game in said(number)["games"]:
            if "comings" in game:
                assert plain(library.comings(game["id"])) == game["comings"]


def test_every_game_follows_its_rules_move_by_move(upgraded: Path, number: int) -> None:
    with closing(SqliteLibrary(upgraded)) as library:
        for exported in said(number)["games"]:
            game, moves = library.game(exported["id"])
            steps = list(scoresheet.replay(games()[game.game], game.options, moves, len(game.players)))
            assert len(steps) == len(exported["moves"])
            if game.result is not None and game.result.reason.value == "played-out" and steps:
                scores = steps[-1].position.scores()
                unmoved = (0,) * (len(game.players) - len(scores))  # they came in late, and made no move
                assert scores + unmoved == tuple(exported["result"]["scores"])


def test_standings_results_and_ratings_are_what_they_were(upgraded: Path, number: int) -> None:
    expected = said(number)
    with closing(SqliteStore(upgraded)) as store:
        assert sorted(plain(list(store.standings()))) == expected["standings"]
        book = Book()
        book.reset(*store.ratings())
        assert plain(store.ratings()[0]) == expected["marks"]
    for ladder, ranking in expected["rankings"].items():
        assert plain(book.ranking(ladder, expected["at"])) == ranking
    with closing(sqlite3.connect(upgraded / schema.FILE)) as connection:
        rows = "SELECT account, no, id, game, at, seat, outcome, rated, place FROM result ORDER BY no, seat"
        assert [list(row) for row in connection.execute(rows)] == expected["results"]


def test_every_open_table_folds_to_the_moves_of_its_last_game(upgraded: Path, number: int) -> None:
    exported = {game["id"]: game for game in said(number)["games"]}
    with closing(SqliteStore(upgraded)) as store:
        for no, records in store.unfinished():
            table = folded(no, records)
            if table.number:
                moves = [move["move"] for move in exported[table.game_id]["moves"]]
                assert (table.moves, list(table.by)) == (
                    moves,
                    [move["seat"] for move in exported[table.game_id]["moves"]],
                )
            assert [seat.name for seat in table.seats if seat is not None] == names_in(records)


def folded(no: int, records: list[Record]) -> Table:
    opened = records[0].event
    assert isinstance(opened, Opened)
    table = Table(no, games()[opened.game], opened)
    for record in records:
        table.apply(record)
    return table


def names_in(records: list[Record]) -> list[str]:
    """Who sits at a table, the slow way."""
    seats: dict[int, str] = {}
    has_chairs = False
    for record in records:
        event = plain(record.event)
        if event["type"] == "arranged":
            seats = {one["seat"]: one["name"] for one in event["seats"]}
        if event["type"] == "joined":
            seats[event["seat"]] = event["name"]
        if event["type"] == "renamed" and event["seat"] in seats:
            seats[event["seat"]] = event["name"]
        if event["type"] == "left":
            seats.pop(event["seat"], None)
        if event["type"] == "furnished":
            seats = seats if has_chairs else {}
            has_chairs = bool(event["chairs"])
    return [seats[seat] for seat in sorted(seats)]


# --- and goes on ----------------------------------------------------------------------------------------------------


class Reopened:
    """A house that has taken up every open table of a log."""

    def __init__(self, store: SqliteStore, now: float) -> None:
        self._soon: deque[Callable[[], None]] = deque()
        self.complaints: list[str] = []
        self.house = House(Waiting(store), store, self._soon.append, lambda: now, self.complaints.append)
        engines = FirstLegal()
        dice = Random(7)
        self.hub = Hub(games(), self.house, engines, Random(7), lambda length: dice.randbytes(length).hex()[:length])
        engines.submit = self.hub.submit
        self.house.connect(self.hub)
        self.house.count()
        self.restored = self.house.restore()
        self.run()

    def run(self) -> None:
        while self._soon:
            self._soon.popleft()()

    def person(self, name: str) -> "Returning":
        return Returning(self, name)


class Returning(Participant):
    """Somebody who comes, perhaps with the token of a seat."""

    __slots__ = ("heard", "reopened")

    def __init__(self, reopened: Reopened, name: str) -> None:
        self.heard: list[Update] = []
        super().__init__(self.heard.append, name, "test", Cap.ALL)
        self.reopened = reopened

    def do(self, command: Any) -> None:
        self.reopened.house.enter(lambda: self.reopened.hub.submit(self, command))
        self.reopened.run()


def come_back(reopened: Reopened, tokens: list[Json]) -> Iterator[tuple[Table, list[Returning]]]:
    """By table, those who are let back in."""
    for table in list(reopened.hub.tables.values()):
        back = []
        for token in tokens:
            if token["table"] == table.id:
                back.append(reopened.person(token["name"]))
                back[-1].do(Resume(table.id, token["token"], 0))
                known = digest(token["token"]) in {member.token_digest for member in table.party.members.values()}
                assert isinstance(back[-1].heard[0], CaughtUp) == known  # who only looked on is not in the log
        yield table, back


def test_open_tables_are_taken_up_and_go_on(upgraded: Path, number: int) -> None:
    expected = said(number)
    with closing(SqliteStore(upgraded)) as store:
        before = dict(store.unfinished())
        reopened = Reopened(store, expected["at"] + 10)
        assert reopened.restored == len(before)
        went_on = [
            play_on(upgraded, table, back, reopened) for table, back in come_back(reopened, expected["tokens"]) if back
        ]
        assert reopened.complaints == []
        still_open = {no for no, _ in store.unfinished()}
    assert set(went_on) == {token["table"] for token in expected["tokens"]}
    assert {table.no for table in reopened.hub.tables.values()} == still_open < before.keys()


def play_on(log: Path, table: Table, back: list[Returning], reopened: Reopened) -> str:
    """Bring the table to a game, if none runs, and make a move there; it is in the log."""
    if table.status is Status.WAITING:
        back.append(reopened.person("Newcomer"))
        back[-1].do(Sit(table.id))
    for who in back:
        for command in (Ready(), SetBoard({}), Wish(START)) if table.has_lobby else (Vote(True),):
            if not table.running:
                who.do(command)
    assert table.running
    assert table.position is not None
    turn, made = table.position.turn, len(table.moves)
    (mover,) = [who for who in back if who.seat == turn]
    move = table.position.legal()[0]
    mover.do(Play(move, "afterwards"))
    assert table.moves[made] == move
    with closing(SqliteLibrary(log)) as library:
        _, moves = library.game(table.game_id)
        assert [one.move for one in moves] == table.moves
        assert (moves[made].seat, moves[made].move) == (turn, move)
    return table.id


KINDS_OF_VERSION_1 = (
    *("opened", "joined", "held", "resumed", "left", "arranged", "started", "played", "takenback", "interrupted"),
    *("resigned", "flagged", "finished", "proposed", "voted", "decided", "closed"),
)


def test_the_logs_have_every_event_of_their_time() -> None:
    texts = "".join((LOGS / f"schema-{number}.sql").read_text(encoding="utf-8") for number in SCHEMAS)
    assert {kind for kind in KINDS_OF_VERSION_1 if f'{{"type":"{kind}"' not in texts} == set()


def test_the_log_of_schema_4_has_every_event_of_version_2() -> None:
    vocabulary = json.loads((LOGS / "vocabulary-2.json").read_text(encoding="utf-8"))
    kinds = vocabulary["discriminator"]["mapping"]
    text = (LOGS / "schema-4.sql").read_text(encoding="utf-8")
    assert [kind for kind in kinds if f'{{"v":2,"type":"{kind}"' not in text] == []


def test_the_next_log_will_have_every_event_wire_and_game_of_today(tmp_path: Path) -> None:
    vocabulary = json.loads((LOGS / f"vocabulary-{VERSION}.json").read_text(encoding="utf-8"))
    written = write(tmp_path)
    with closing(sqlite3.connect(tmp_path / schema.FILE)) as connection:
        events = [json.loads(event)["type"] for (event,) in connection.execute("SELECT event FROM record")]
    assert [kind for kind in vocabulary["discriminator"]["mapping"] if kind not in events] == []
    wires = {player["wire"] for game in written["games"] for player in game["players"]}
    assert PROTOCOLS.keys() <= wires
    assert GAMES.keys() == {game["game"] for game in written["games"]}
    with closing(SqliteStore(tmp_path)) as store:
        still_open = {folded(no, records).id for no, records in store.unfinished()}
    assert still_open >= {token["table"] for token in written["tokens"]}
