"""An account is deleted by its owner: games stay as those of "deleted", and nothing leads back to the name."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from parlour.cli import main
from parlour.store.library import SqliteLibrary
from tests.web.browsers import chromium
from tests.web.house import HERE, Answer, WebHouse, hear, say, web_house
from tests.web.test_ladders import PASSWORD, event, leaders, noughts, register


def delete(house: WebHouse, token: str, password: str = PASSWORD) -> Answer:
    headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
    return house.get("/api/me", headers, "DELETE", b'{"password":"%s"}' % password.encode())


def everything(directory: Path) -> str:
    """All that the log has, as text."""
    with closing(sqlite3.connect(directory / "parlour.db")) as connection:
        return "\n".join(connection.iterdump())


def sheets(directory: Path) -> list[Any]:
    with closing(SqliteLibrary(directory)) as library:
        return [(*library.game(game.id), library.comings(game.id)) for game in library.games()]


def test_games_stay_without_the_name_and_the_opponents_rating_stays_what_it_was(tmp_path: Path) -> None:
    with web_house(tmp_path) as house:
        (rita, token), (otto, other) = register(house), register(house)
        noughts(house, other, token)
        before = [row for row in leaders(house)["rows"] if row["name"] == otto]
        assert delete(house, token).json["account"] == ""
        told = leaders(house)
        assert [row["name"] for row in told["rows"]] == [otto]
        assert told["rows"] == [dict(before[0], rank=1)]
        (game,) = house.get(f"/api/players/{otto.replace(' ', '%20')}").json["games"]
        assert {player["name"] for player in game["players"]} == {otto, "deleted"}
        assert {player["name"] for player in house.get(f"/api/games/{game['id']}").json["players"]} == {otto, "deleted"}
        assert house.get(f"/api/players/{rita.replace(' ', '%20')}").status == 404
        assert house.get(f"/players/{rita.replace(' ', '%20')}").status == 404
    assert rita not in everything(tmp_path)
    with web_house(tmp_path) as house:
        assert leaders(house)["rows"] == told["rows"]


def test_next_owner_of_the_name_inherits_nothing(tmp_path: Path) -> None:
    with web_house(tmp_path) as house:
        (rita, token), (_, other) = register(house), register(house)
        noughts(house, other, token)
        assert delete(house, token).status == 200
        fresh = house.post("/api/register", {"name": rita, "password": "another one"})
        assert fresh.status == 200
        profile = house.get(f"/api/players/{rita.replace(' ', '%20')}").json
        assert (profile["results"], profile["ratings"], profile["games"]) == ([], [], [])
        assert house.get("/api/me", {"authorization": f"Bearer {token}"}).json["account"] == ""
    with web_house(tmp_path) as house:
        profile = house.get(f"/api/players/{rita.replace(' ', '%20')}").json
        assert (profile["results"], profile["ratings"], profile["games"]) == ([], [], [])


def test_open_sessions_end_and_a_running_game_is_lost(tmp_path: Path) -> None:
    with web_house(tmp_path) as house:
        (rita, token), (_, other) = register(house), register(house)
        with house.browse() as hers, house.browse() as his:
            table = seated(hers, token, his, other)
            assert delete(house, token).status == 200
            assert event(his, "finished")["reason"] in ("abandoned", "resigned")
            with suppress(ConnectionClosed):
                while True:
                    hers.recv(timeout=20)  # a TimeoutError when nothing ends it
            say(his, type="rematch", table=table, yes=False)
        assert "deleted" in str(sheets(tmp_path))
        assert rita not in everything(tmp_path)


def seated(first: ClientConnection, token: str, second: ClientConnection, other: str) -> str:
    """Two members in a game of noughts in which both have moved; the table's id."""
    told = []
    for page, shown in ((first, token), (second, other)):
        say(page, type="hello", token=shown)
        hear(page, "welcome")
        say(page, type="open", game="noughts", opponent="human")
    told = [hear(page, "table") for page in (first, second)]
    by_seat = {view["you"]: page for view, page in zip(told, (first, second), strict=True)}
    begins = event(first, "started").get("first", 0)
    for seat, move in ((begins, "a1"), (1 - begins, "b2")):
        say(by_seat[seat], type="play", table=told[0]["table"], move=move, id=move)
        for page in (first, second):
            event(page, "played")
    name: str = told[0]["table"]
    return name


def test_only_the_password_deletes(tmp_path: Path) -> None:
    with web_house(tmp_path) as house:
        _, token = register(house)
        assert delete(house, token, "wrong password").status == 401
        assert delete(house, "").status == 401
        assert house.get("/api/me", {"authorization": f"Bearer {token}"}).json["account"]


def test_both_players_of_a_game_can_go(tmp_path: Path) -> None:
    with web_house(tmp_path) as house:
        (_, token), (_, other) = register(house), register(house)
        noughts(house, other, token)
        for one in (token, other):
            assert delete(house, one).status == 200
        assert leaders(house)["rows"] == []
    with web_house(tmp_path) as house:
        assert house.inside(lambda: len(house.house.book.ranking("noughts", house.hub.at))) == 2


@pytest.mark.parametrize("read", [lambda name: ["export", name], lambda name: ["replay", name], lambda _: ["tables"]])
def test_every_reader_of_the_log_tells_the_same(
    tmp_path: Path, read: Callable[[str], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    with web_house(tmp_path) as house:
        (rita, token), (otto, other) = register(house), register(house)
        noughts(house, other, token)
        assert delete(house, token).status == 200
    ((game, _, comings),) = sheets(tmp_path)
    assert {one.name for one in comings} == {otto, "deleted"}
    assert main([*read(game.id), "--data", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "deleted" in said
    assert rita not in said


def test_host_can_remove_an_account_with_the_same_effect(tmp_path: Path) -> None:
    with web_house(tmp_path) as house:
        (rita, token), (_, other) = register(house), register(house)
        noughts(house, other, token)
    assert main(["accounts", "remove", rita, "--data", str(tmp_path)]) == 0
    assert rita not in everything(tmp_path)


def test_page_deletes_the_account_and_is_a_guests_again(tmp_path: Path) -> None:
    with web_house(tmp_path) as house, chromium() as browser:
        page = browser.new_page(base_url=f"http://{HERE}:{house.port}")
        page.goto("/")
        page.get_by_role("button", name="Log in").click()
        page.click("dialog button:text-is('Register')")
        page.fill("dialog input[name=username]", "Rita")
        page.fill("dialog input[name=password]", PASSWORD)
        page.locator("dialog form button[type=submit]").click()
        page.locator("button.who").click()
        page.get_by_text("Delete account").first.click()
        page.locator("form[action='/api/me'] input[type=password]").fill(PASSWORD)
        page.locator("form[action='/api/me'] button[type=submit]").click()
        expect(page.get_by_text("Account Rita deleted.")).to_be_visible()
        expect(page.locator("button.who")).to_contain_text("Guest")
        assert house.get("/players/Rita").status == 404
