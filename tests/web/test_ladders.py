"""Leaderboards and players' pages, over HTTP and in a browser: what registered people have made of their games."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from websockets.sync.client import ClientConnection

from parlour.core.rated import Outcome
from parlour.ratings.book import DAY
from parlour.web import ladders
from tests.web.browsers import chromium
from tests.web.house import HERE, WebHouse, hear, say, web_house

PASSWORD = "open sesame"
numbers = itertools.count(1)


def register(house: WebHouse) -> tuple[str, str]:
    """A new name and its token."""
    name = f"Rater {next(numbers)}"
    told = house.post("/api/register", {"name": name, "password": PASSWORD}).json
    return name, told["token"]


def noughts(house: WebHouse, loser: str, winner: str) -> None:
    """A short game by WebSocket between the owners of these tokens, which the first gives up."""
    with house.browse() as one, house.browse() as other:
        for page, token in ((one, loser), (other, winner)):
            say(page, type="hello", token=token)
            hear(page, "welcome")
            say(page, type="open", game="noughts", opponent="human")
        tables = [hear(page, "table") for page in (one, other)]
        table = tables[0]["table"]
        by_seat = {told["you"]: page for told, page in zip(tables, (one, other), strict=True)}
        first = event(one, "started").get("first", 0)
        for seat, move in ((first, "a1"), (1 - first, "b2")):
            say(by_seat[seat], type="play", table=table, move=move, id=move)
            for page in (one, other):
                event(page, "played")
        say(one, type="resign", table=table)
        event(other, "finished")


def event(page: ClientConnection, kind: str) -> dict[str, Any]:
    """The next event of this kind."""
    while True:
        told: dict[str, Any] = hear(page, "record")["event"]
        if told["type"] == kind:
            return told


def leaders(house: WebHouse, query: str = "game=noughts") -> dict[str, Any]:
    answer = house.get(f"/api/leaderboard?{query}")
    assert answer.status == 200
    told: dict[str, Any] = answer.json
    return told


def place(house: WebHouse, name: str) -> dict[str, Any]:
    (row,) = [row for row in leaders(house)["rows"] if row["name"] == name]
    told: dict[str, Any] = row
    return told


def test_a_game_of_two_registered_people_moves_both_on_the_ladder(house: WebHouse) -> None:
    (ann, key), (ben, other) = register(house), register(house)
    noughts(house, key, other)
    up, down = place(house, ben), place(house, ann)
    assert up["rank"] < down["rank"]
    assert up["rating"] > 1500 > down["rating"]
    assert up["provisional"]
    assert (up["wins"], up["losses"], down["wins"], down["losses"]) == (1, 0, 0, 1)


def test_a_profile_has_results_ratings_and_the_last_games(house: WebHouse) -> None:
    (ann, key), (ben, other) = register(house), register(house)
    noughts(house, key, other)
    told = house.get(f"/api/players/{ann.lower().replace(' ', '%20')}").json
    assert told["name"] == ann
    assert told["results"] == [{"game": "noughts", "wins": 0, "losses": 1, "ties": 0, "forfeits": 1}]
    (rating,) = told["ratings"]
    assert (rating["game"], rating["players"]) == ("noughts", "two")
    assert rating["place"] == place(house, ann)
    assert [point["rating"] for point in rating["curve"]] == [rating["place"]["rating"]]
    (game,) = told["games"]
    assert (game["outcome"], game["rated"], game["moves"]) == ("loss", True, 2)
    assert {player["name"] for player in game["players"]} == {ann, ben}
    assert house.get(f"/api/games/{game['id']}").status == 200


def test_a_game_with_a_guest_is_a_result_and_no_rating(house: WebHouse) -> None:
    ann, key = register(house)
    guest = house.get("/api/me").json["token"]
    noughts(house, guest, key)
    told = house.get(f"/api/players/{ann.replace(' ', '%20')}").json
    assert told["ratings"] == []
    assert [(game["outcome"], game["rated"]) for game in told["games"]] == [("win", False)]


@pytest.mark.parametrize("path", ["/api/players/Nobody", "/api/players/" + 70 * "x", "/players/Nobody"])
def test_nobody_has_no_page(house: WebHouse, path: str) -> None:
    assert house.get(path).status == 404


def test_somebody_has_a_page(house: WebHouse) -> None:
    name, _ = register(house)
    answer = house.get(f"/players/{name.replace(' ', '%20')}")
    assert answer.status == 200
    assert b"<main" in answer.body


@pytest.mark.parametrize(
    ("query", "status", "why"),
    [
        ("game=chess", 404, "no-such-game"),
        ("players=1", 400, "no-such-ladder"),
        ("after=x", 400, "no-such-rank"),
        ("after=-1", 400, "no-such-rank"),
    ],
)
def test_a_ladder_that_is_not_there_is_refused(house: WebHouse, query: str, status: int, why: str) -> None:
    answer = house.get(f"/api/leaderboard?{query}")
    assert (answer.status, answer.json["why"]) == (status, why)


def test_games_of_more_than_two_have_their_own_ladder(house: WebHouse) -> None:
    names = tuple(register(house)[0] for _ in range(3))
    house.inside(lambda: house.house.book.note(Outcome("dots", house.hub.at, names, (2, 1, 3))))
    assert names[0] not in [row["name"] for row in leaders(house, "game=dots")["rows"]]
    many = leaders(house, "game=dots&players=many")
    assert [row["name"] for row in many["rows"] if row["name"] in names] == [names[1], names[0], names[2]]
    told = house.get(f"/api/players/{names[1].replace(' ', '%20')}").json
    assert [(rating["players"], len(rating["curve"])) for rating in told["ratings"]] == [("many", 1)]


def test_ladder_is_told_in_parts(house: WebHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        noughts(house, register(house)[1], register(house)[1])
    whole = leaders(house)["rows"]
    monkeypatch.setattr(ladders, "MOST_RANKED", 4)
    parts, after = [], 0
    while after is not None:
        told = leaders(house, f"game=noughts&after={after}")
        assert (len(told["rows"]) <= 4, told["total"]) == (True, len(whole))
        parts += told["rows"]
        after = told["next"]
    assert parts == whole
    assert leaders(house, f"game=noughts&after={len(whole)}")["rows"] == []


# --- in a browser ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page(house: WebHouse) -> Iterator[Page]:
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 360, "height": 740}, locale="en")
        page.goto(f"http://{HERE}:{house.port}/")
        yield page


def test_more_of_a_ladder_is_shown_on_demand(house: WebHouse, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    noughts(house, register(house)[1], register(house)[1])
    monkeypatch.setattr(ladders, "MOST_RANKED", 1)
    total = leaders(house)["total"]
    page.goto(f"http://{HERE}:{house.port}/leaderboard?game=noughts")
    rows = page.locator(".ranking tbody tr")
    expect(rows).to_have_count(1)
    for count in range(2, total + 1):
        page.get_by_role("button", name="More players").click()
        expect(rows).to_have_count(count)
        expect(rows.last.get_by_role("link")).to_be_focused()
    expect(page.get_by_role("button", name="More players")).to_have_count(0)
    page.goto(f"http://{HERE}:{house.port}/")


def test_from_the_header_to_the_ladder_and_on_to_a_player(house: WebHouse, page: Page) -> None:
    (_, key), (ben, other) = register(house), register(house)
    noughts(house, key, other)
    page.get_by_role("link", name="Leaderboard").click()
    page.get_by_role("combobox", name="Game").select_option("noughts")
    page.get_by_role("link", name=ben, exact=True).click()
    expect(page).to_have_url(re.compile(r"/players/"))
    expect(page.get_by_role("heading", level=1)).to_have_text(ben)
    expect(page.get_by_role("img", name=re.compile("Rating from"))).to_be_visible()
    page.get_by_label("Recent games").get_by_role("link", name="Tic-tac-toe").click()
    expect(page).to_have_url(re.compile(r"/game/"))


def test_page_of_nobody_says_so_and_leads_on(house: WebHouse, page: Page) -> None:
    page.goto(f"http://{HERE}:{house.port}/players/%3Cb%3ENobody")
    expect(page.get_by_role("heading", level=1)).to_have_text("No one called <b>Nobody is registered here.")
    page.get_by_role("main").get_by_role("link", name="Leaderboard").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Leaderboard")


# --- after a restart -------------------------------------------------------------------------------------------------


def test_ratings_survive_a_restart_and_a_night(tmp_path: Path) -> None:
    with web_house(tmp_path) as house:
        (ann, key), (ben, other) = register(house), register(house)
        noughts(house, key, other)
        before = leaders(house)
    with web_house(tmp_path) as house:
        assert leaders(house) == before
        house.hasten(2 * DAY)
        noughts(house, key, other)
        after = house.get(f"/api/players/{ben.replace(' ', '%20')}").json
    (rating,) = after["ratings"]
    assert [point["rating"] for point in rating["curve"]] == [before["rows"][0]["rating"], rating["place"]["rating"]]
    assert (rating["place"]["wins"], rating["total"]) == (2, 2)
    with web_house(tmp_path) as house:
        house.hasten(2 * DAY)
        again = house.get(f"/api/players/{ben.replace(' ', '%20')}").json
        assert again == after
        assert place(house, ann)["losses"] == 2
