"""Games of the log over HTTP: pictures, films, and how they stood; and hints at a live table."""

import json
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from PIL import Image

from parlour.core.errors import Limit
from parlour.core.game import NOBODY, Game, Position, Rated, Verdict
from parlour.core.house.advice import Adviser
from parlour.registry import games
from parlour.web import evaluating, films
from tests.web.house import WebHouse, hear, narrowed, say, web_house
from tests.web.test_api import start_game


class Oracle:
    """Gives every move the value of how many moves there are, at once but not during the question."""

    def __init__(self, house: WebHouse) -> None:
        self._house = house
        self.silent = 0
        """How often it has nothing to say."""
        self.questions: list[int] = []

    def study(
        self, game: Game, position: Position, seconds: float, done: Callable[[Verdict | None], None]
    ) -> object | None:
        moves = position.legal()
        self.questions.append(len(moves))
        verdict = Verdict(moves[-1], len(moves), True, (Rated(moves[-1], len(moves), True),), 1)
        if self.silent:
            self.silent -= 1
            self._house.loop.call_soon(done, None)
        else:
            self._house.loop.call_soon(self._house.house.enter, lambda: done(verdict))
        return object()

    def forget(self, question: object) -> None:
        pass


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WebHouse, Oracle]]:
    with web_house(tmp_path_factory.mktemp("games")) as house:
        oracle = Oracle(house)
        house.inside(lambda: setattr(house.hub.service(Adviser), "thinker", oracle))
        yield house, oracle


def finished(house: WebHouse, game: str = "noughts") -> tuple[str, list[str]]:
    """A game to the end, against an engine that plays the first legal move; its name, and its moves."""
    with house.browse() as page:
        told = start_game(page, game)
        table = house.inside(lambda: house.hub.tables[told["table"]])

        def next_move() -> str | None:
            position = table.position
            mine = table.running and position is not None and position.turn == told["you"]
            return position.legal()[-1] if mine and position is not None else None

        while True:
            house.wait(lambda: next_move() is not None or not table.running)
            move = house.inside(next_move)
            if move is None:
                break
            say(page, type="play", table=table.id, move=move, id=move)
            while hear(page, "record").get("id") != move:
                pass
        moves = house.inside(lambda: list(table.moves))
        house.wait(lambda: house.house.at_rest)
    return f"{table.id}-1", moves


def lines(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in body.splitlines()]


def test_picture_of_any_move_can_be_had(club: tuple[WebHouse, Oracle]) -> None:
    house, _ = club
    game, moves = finished(house)
    last = house.get(f"/api/games/{game}?format=svg")
    assert last.headers["content-type"] == "image/svg+xml"
    assert last.headers["content-disposition"] == f'inline; filename="{game}.svg"'
    for number in (0, 2, len(moves)):
        told = house.get(f"/api/games/{game}?format=svg&move={number}")
        text = "".join(ElementTree.fromstring(told.body).itertext())
        assert f"{number} / {len(moves)}" in text
    assert told.body == last.body
    assert house.get(f"/api/games/{game}?format=svg&move={len(moves) + 1}").status == 400


@pytest.mark.parametrize(
    "query", ["format=svg&move=-1", "format=svg&move=x", "format=json&move=1", "format=svg&move=٣"]
)
def test_what_is_no_move_is_refused(club: tuple[WebHouse, Oracle], query: str) -> None:
    told = club[0].get(f"/api/games/any?{quote(query, safe='=&')}")
    assert (told.status, told.json["why"]) == (400, "no-such-move")


@pytest.mark.parametrize(("form", "kind", "format"), [("gif", "image/gif", "GIF"), ("apng", "image/apng", "PNG")])
def test_film_of_a_game_is_made_once(
    club: tuple[WebHouse, Oracle], monkeypatch: pytest.MonkeyPatch, form: str, kind: str, format: str
) -> None:
    house, _ = club
    game, moves = finished(house)
    made: list[films.FilmKey] = []
    make = films.Films._made

    async def counted(self: films.Films, key: films.FilmKey) -> bytes:
        made.append(key)
        return await make(self, key)

    monkeypatch.setattr(films.Films, "_made", counted)
    told = [house.get(f"/api/games/{game}?format={form}") for _ in range(2)]
    assert [each.status for each in told] == [200, 200]
    assert told[0].headers["content-type"] == kind
    film = Image.open(BytesIO(told[0].body))
    assert (film.format, film.n_frames) == (format, len(moves) + 1)  # type: ignore[attr-defined]
    assert told[0].body == told[1].body
    assert len(made) == 1


def test_too_many_films_are_refused_with_the_limit(club: tuple[WebHouse, Oracle]) -> None:
    house, _ = club
    game, _ = finished(house)
    for what, seconds in (("filming", 10), ("films", 30)):
        with narrowed(house, Limit(what, "house", 0, 30 if what == "films" else 0)):
            told = house.get(f"/api/games/{game}?format=gif")
        assert (told.status, told.json["seconds"]) == (429, seconds)
        assert "films" in told.json["limit"]
    assert house.get(f"/api/games/{game}?format=gif").status == 200


def test_film_that_takes_too_long_is_none(club: tuple[WebHouse, Oracle], monkeypatch: pytest.MonkeyPatch) -> None:
    house, _ = club
    game, _ = finished(house)
    monkeypatch.setattr(films, "SECONDS", 0.01)
    told = house.get(f"/api/games/{game}?format=gif")
    assert (told.status, told.json["why"]) == (409, "unfit")


def test_save_game_of_ggz_is_text(club: tuple[WebHouse, Oracle]) -> None:
    house, _ = club
    with house.browse() as page:
        say(page, type="hello", name="<b>Ann")
        say(page, type="open", game="dots", opponent="engine", options={"width": 3, "height": 2})
        table = hear(page, "table")["table"]
        house.wait(lambda: house.hub.tables[table].running)
        say(page, type="resign", table=table)
        house.wait(lambda: not house.hub.tables[table].running)
        house.wait(lambda: house.house.at_rest)
    told = house.get(f"/api/games/{table}-1?format=ggz")
    assert (told.status, told.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert told.headers["content-disposition"] == f'inline; filename="{table}-1.ggz"'
    assert "join <b>Ann" in told.body.decode()


# --- how it stood ----------------------------------------------------------------------------------------------------


def test_evaluation_has_every_move_from_the_side_of_the_first_seat(club: tuple[WebHouse, Oracle]) -> None:
    house, oracle = club
    game, moves = finished(house)
    told = house.get(f"/api/games/{game}/evaluation")
    assert told.headers["content-type"] == "application/x-ndjson"
    standings = lines(told.body)
    assert [standing["move"] for standing in standings] == list(range(len(moves), -1, -1))
    sheet = house.get(f"/api/games/{game}").json
    first = sheet["moves"][0]["seat"]
    for standing in standings[1:]:
        to_move = (first + standing["move"]) % 2
        assert standing["value"] == (9 - standing["move"]) * (-1 if to_move else 1)
        assert standing["exact"]
    winners = sheet["result"]["winners"]
    assert standings[0]["value"] == (0 if not winners else 1 if winners == [0] else -1)
    asked = len(oracle.questions)
    assert lines(house.get(f"/api/games/{game}/evaluation").body) == standings
    assert len(oracle.questions) == asked


def test_evaluation_that_breaks_off_goes_on_when_asked_again(
    club: tuple[WebHouse, Oracle], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluating, "MOST_SECONDS", 0.001)
    house, oracle = club
    game, moves = finished(house)
    house.inside(lambda: setattr(oracle, "silent", evaluating.TRIES))
    assert len(lines(house.get(f"/api/games/{game}/evaluation").body)) == 1
    assert len(lines(house.get(f"/api/games/{game}/evaluation").body)) == len(moves) + 1


def test_running_game_is_not_evaluated(club: tuple[WebHouse, Oracle]) -> None:
    house, _ = club
    with house.browse() as page:
        table = start_game(page)["table"]
        told = house.get(f"/api/games/{table}-1/evaluation")
        assert (told.status, told.json["text"]) == (409, "This game is not over.")
    assert house.get("/api/games/none/evaluation").status == 404


def test_too_many_evaluations_are_refused_with_the_limit(club: tuple[WebHouse, Oracle]) -> None:
    house, _ = club
    game, _ = finished(house)
    for what, seconds in (("evaluating", "10"), ("evaluations", "30")):
        with narrowed(house, Limit(what, "house", 0, 30 if what == "evaluations" else 0)):
            told = house.get(f"/api/games/{game}/evaluation")
        assert (told.status, told.headers["retry-after"]) == (429, seconds)


def test_without_engines_there_is_no_evaluation(tmp_path: Path) -> None:
    with web_house(tmp_path) as house:
        game, _ = finished(house)
        assert house.get(f"/api/games/{game}/evaluation").status == 409


# --- hints -----------------------------------------------------------------------------------------------------------


def test_best_play_is_a_line_of_legal_moves_from_there_on(club: tuple[WebHouse, Oracle]) -> None:
    house, oracle = club
    game, moves = finished(house)
    told = house.get(f"/api/games/{game}/best?move=2").json
    rules = games()["noughts"]
    position = rules.start({})
    for move in moves[:2]:
        position.play(move)
    assert (told["move"], told["seat"], told["value"], told["exact"]) == (2, position.turn, 7, True)
    assert told["good"] == [told["line"][0]] == [position.legal()[-1]]
    for move in told["line"]:
        assert position.check(move) is None
        position.play(move)
    assert len(told["line"]) == evaluating.LINE or position.turn == NOBODY
    for query, status in (("move=x", 400), ("", 400), (f"move={len(moves)}", 409), ("move=99", 409)):
        assert house.get(f"/api/games/{game}/best?{query}").status == status
    oracle.silent = 1
    assert house.get(f"/api/games/{game}/best?move=0").status == 429  # nothing to say just now
    assert house.get("/api/games/none/best?move=0").status == 404


def test_moves_as_good_as_the_best_keep_its_outcome_or_its_points() -> None:
    rated = tuple(Rated(str(value), value, True) for value in (3, 1, 0, -2))
    verdict = Verdict("3", 3, True, rated, 1)
    assert evaluating._as_good(games()["connect4"], verdict) == ("3", "1")
    assert evaluating._as_good(games()["dots"], verdict) == ("3",)


@pytest.mark.parametrize("game", ["noughts", "dots"])
def test_hint_is_what_the_engine_thinks_of_the_table_as_it_is(club: tuple[WebHouse, Oracle], game: str) -> None:
    house, _ = club
    with house.browse() as page, house.browse() as other:
        name = start_game(page, game)["table"]
        table = house.inside(lambda: house.hub.tables[name])
        house.wait(lambda: table.running)
        say(other, type="hello", name="Eve")
        say(other, type="watch", table=name)
        for who, mark in ((page, "h1"), (other, "h2")):
            say(who, type="hint", table=name, id=mark)
            hint = hear(who, "hint")
            legal = house.inside(lambda: table.position.legal() if table.position else [])
            assert (hint["table"], hint["id"], hint["best"], hint["exact"]) == (name, mark, legal[-1], True)
            assert hint["seq"] == house.inside(lambda: table.seq)
            assert hint["moves"] == [{"move": legal[-1], "value": len(legal), "exact": True}]


def test_hint_that_comes_to_nothing_is_refused_with_its_id(club: tuple[WebHouse, Oracle]) -> None:
    house, oracle = club
    with house.browse() as page:
        table = start_game(page)["table"]
        house.inside(lambda: setattr(oracle, "silent", 1))
        say(page, type="hint", table=table, id="h2")
        refused = hear(page, "refused")
        assert (refused["why"], refused["id"]) == ("no-hint", "h2")
