"""The list of games over HTTP: pages, filters, what is refused; and readers that do not wait for each other."""

import asyncio
import csv
import io
import json
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest

from bench.archive import fill
from parlour.core.house.gate import Gate
from parlour.store import schema
from parlour.store.base import Library
from parlour.store.library import SqliteLibrary
from parlour.tools.scoresheet import line
from parlour.web import results
from parlour.web.reading import READERS, Reading
from tests.web.house import WebHouse, say, web_house
from tests.web.test_api import legal_move, resign, start_game

GAMES = 120
LISTS = [{}, {"game": "dots"}, {"player": "MEMBER1"}, {"player": "easy engine", "game": "noughts"}, {"player": "x"}]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("archive")
    fill(directory, GAMES)
    return directory


@pytest.fixture(scope="module")
def old_house(directory: Path) -> Iterator[WebHouse]:
    with web_house(directory) as house:
        yield house


def listed(house: WebHouse, **query: object) -> dict[str, Any]:
    told = house.get(f"/api/games?{urlencode(query)}")
    assert told.status == 200
    found: dict[str, Any] = told.json
    return found


@pytest.mark.parametrize("filters", LISTS)
def test_pages_of_a_list_make_the_whole_list(old_house: WebHouse, directory: Path, filters: dict[str, str]) -> None:
    with closing(SqliteLibrary(directory)) as library:
        expected = [json.loads(msgspec.json.encode(line(game))) for game in library.latest(GAMES, **filters)]
    found: list[Any] = []
    page = listed(old_house, limit=7, **filters)
    while page["next"] is not None:
        assert len(page["games"]) == 7
        assert page["next"] == page["games"][-1]["id"]
        found += page["games"]
        page = listed(old_house, limit=7, before=page["next"], **filters)
    assert found + page["games"] == expected
    assert bool(expected) == (filters != {"player": "x"})


def test_page_that_ends_with_the_last_game_is_the_last(old_house: WebHouse) -> None:
    assert listed(old_house, limit=GAMES)["next"] is None
    assert listed(old_house, limit=GAMES - 1)["next"] is not None
    assert len(listed(old_house)["games"]) == 50


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "limit=-1", "limit=x", "limit=", "limit=%C2%B2", "before=none-1", "player=" + "x" * 65],
)
def test_what_makes_no_sense_is_refused(old_house: WebHouse, query: str) -> None:
    told = old_house.get(f"/api/games?{query}")
    assert (told.status, bool(told.json["why"])) == (400, True)


def test_running_game_is_at_the_top_until_and_after_its_end(house: WebHouse) -> None:
    with house.browse() as page:
        table = start_game(page)["table"]
        say(page, type="play", table=table, move=house.inside(lambda: legal_move(house, table)), id="m")
        house.wait(lambda: len(house.hub.tables[table].moves) >= 2)
        house.wait(lambda: house.house.at_rest)
        top = listed(house, game="noughts", limit=1)["games"][0]
        moves = house.inside(lambda: len(house.hub.tables[table].moves))
        assert (top["table"], top["status"], top["moves"], top["result"]) == (table, "playing", moves, None)
        resign(page, table)
        top = listed(house, player=top["players"][0]["name"], limit=1)["games"][0]
        assert (top["table"], top["status"], top["result"]["reason"]) == (table, "finished", "resigned")


def test_house_without_a_log_has_an_empty_list(house: WebHouse) -> None:
    site = house.website._site
    log, site.log = site.log, None
    try:
        assert listed(house) == {"games": [], "next": None, "registered": []}
    finally:
        site.log = log


# --- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["{", '{"type":"nothing"}', b"\xff"])
def test_damaged_game_is_an_error_of_the_server_and_others_are_fine(
    directory: Path, tmp_path: Path, event: str | bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(directory, tmp_path, dirs_exist_ok=True)
    told: list[str] = []
    monkeypatch.setattr(WebHouse, "_complain", lambda _, sentence: told.append(sentence))
    with web_house(tmp_path) as house:
        bad, good = (game["id"] for game in listed(house, limit=2)["games"])
        with closing(sqlite3.connect(tmp_path / schema.FILE, isolation_level=None)) as log:
            log.execute("UPDATE record SET event = ? WHERE tbl = (SELECT tbl FROM game WHERE id = ?)", (event, bad))
        for form in ("json", "text", "svg"):
            answer = house.get(f"/api/games/{bad}?format={form}")
            assert (answer.status, answer.json["why"]) == (503, "unreadable")
            assert str(tmp_path) not in answer.json["text"]
            assert house.get(f"/api/games/{good}?format={form}").status == 200
    (sentence,) = told  # for the host, once
    assert f"the log {tmp_path / schema.FILE} is damaged" in sentence


# --- readers ----------------------------------------------------------------------------------------------------------


def test_long_question_keeps_no_other_from_being_answered(directory: Path) -> None:
    go_on = threading.Event()

    def long(library: Library) -> int:
        assert go_on.wait(20)
        return len(library.latest(5))

    async def ask() -> None:
        log = Reading(directory, Gate(lambda: 0.0), pytest.fail)
        busy = [asyncio.ensure_future(log.read(long)) for _ in range(READERS - 1)]
        for _ in range(3):
            assert len(await asyncio.wait_for(log.read(lambda library: library.latest(2)), 20)) == 2
        go_on.set()
        assert await asyncio.gather(*busy) == [5] * (READERS - 1)
        log.close()

    asyncio.run(ask())


def test_results_are_read_in_slices_by_any_reader(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "AT_A_TIME", 9)

    async def read() -> str:
        log = Reading(directory, Gate(lambda: 0.0), pytest.fail)
        text = "".join([chunk async for chunk in results.chunks(log)])
        log.close()
        return text

    rows = list(csv.DictReader(io.StringIO(asyncio.run(read()))))
    with closing(SqliteLibrary(directory)) as library:
        assert [row["id"] for row in rows] == [game.id for game in library.games() for _ in game.players]
