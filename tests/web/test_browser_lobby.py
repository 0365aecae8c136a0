"""The lobby and the pages around it in a real browser: live boards, one's own games, messages that are read."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from parlour.core.rated import Outcome
from tests.web.browsers import people
from tests.web.house import HERE, WebHouse, web_house
from tests.web.test_browser_axe import PHONE, barriers


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebHouse]:
    """For tests that look at all there is."""
    with web_house(tmp_path_factory.mktemp("lobby")) as house:
        yield house


def at(server: WebHouse) -> str:
    return f"http://{HERE}:{server.port}"


def row_of(page: Page, path: str) -> Any:
    return page.locator(f".table-row[data-table='{path.rsplit('/')[-1]}']")


# --- tables -----------------------------------------------------------------------------------------------------------


def test_row_counts_and_draws_moves_as_they_are_made(browser: Browser, server: WebHouse) -> None:
    with people(browser, at(server), 2) as (ada, eve):
        ada.open("noughts", "invite")
        way = ada.invitation().partition("?")[0]
        page = eve.come()
        row = row_of(page, way)
        expect(row).to_contain_text("waiting")
        expect(row.locator(".preview.scene")).to_be_visible()
        with people(browser, at(server)) as (bob,):
            bob.come(f"{way}?join")
            bob.page.wait_for_selector(".players")
            expect(row).to_contain_text("playing")
            expect(row.locator(".preview:not(.scene)")).to_be_visible()
            for number, (person, move) in enumerate([(ada, "b2"), (bob, "a1"), (ada, "c3")], 1):
                before = row.locator(".preview").inner_html()
                person.play(move)
                expect(row).to_contain_text(f"{number} move")
                page.wait_for_function(
                    "([row, before]) => document.querySelector(row + ' .preview').innerHTML !== before",
                    arg=[f".table-row[data-table='{way.rsplit('/')[-1]}']", before],
                )
                assert row.locator(".preview .cells").count() == 0


def test_own_table_comes_first_and_what_is_over_is_gone(browser: Browser, server: WebHouse) -> None:
    with people(browser, at(server), 3) as (ada, bob, eve):
        ada.open("noughts")
        bob.open("connect4")
        eve.open("dots")
        rows = ada.come().locator(".table-row")
        expect(rows).to_have_count(3)
        expect(rows.first).to_contain_text("Tic-tac-toe")
        expect(rows.first.get_by_role("link", name="Back to your game")).to_be_visible()
        bob.page.get_by_role("button", name="Resign").click()
        bob.page.get_by_role("button", name="Really resign?").click()
        expect(rows).to_have_count(2)
        expect(ada.page.locator(".tables")).not_to_contain_text("Connect Four")


def test_registered_name_in_the_lobby_leads_to_its_page(browser: Browser, server: WebHouse) -> None:
    with people(browser, at(server), 2) as (ada, eve):
        eve.context.request.post(f"{at(server)}/api/register", data={"name": "Evelyn", "password": "open sesame"})
        eve.open("noughts")
        ada.come().locator(".table-row").get_by_role("link", name="Evelyn").click()
        expect(ada.page.get_by_role("heading", level=1)).to_have_text("Evelyn")
        ada.page.get_by_role("link", name="All games by Evelyn").click()
        expect(ada.page.locator(".game-list [data-game]")).to_have_count(1)
        expect(ada.page.locator(".game-list").get_by_role("link", name="Evelyn")).to_have_attribute(
            "href", "/players/Evelyn"
        )


# --- games ------------------------------------------------------------------------------------------------------------


def give_up(person: Any, game: str) -> None:
    page = person.open(game)
    person.targets().first.click()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    page.get_by_role("link", name="Replay this game").wait_for()


def test_games_are_found_by_game_by_player_and_as_ones_own(browser: Browser, server: WebHouse) -> None:
    with people(browser, at(server), 2) as (ada, eve):
        give_up(ada, "noughts")
        give_up(ada, "connect4")
        give_up(eve, "noughts")
        page = ada.come()
        page.get_by_role("link", name="All games played here").click()
        lines = page.locator(".game-list [data-game]")
        expect(lines).to_have_count(3)
        page.get_by_role("combobox", name="Game").select_option("noughts")
        expect(lines).to_have_count(2)
        page.get_by_label("Mine").check()
        expect(lines).to_have_count(1)
        page.get_by_role("combobox", name="Game").select_option("")
        expect(lines).to_have_count(2)
        page.reload()
        expect(lines).to_have_count(2)
        page.get_by_label("Everyone").check()
        expect(lines).to_have_count(3)
        name = eve.page.locator(".who-name").inner_text()
        page.get_by_label("Player", exact=True).fill(name.upper())
        page.keyboard.press("Enter")
        expect(lines).to_have_count(1)
        assert "player=" in page.url
        lines.get_by_role("link", name="Tic-tac-toe").click()
        page.wait_for_url("**/game/*")


def test_long_list_goes_on_when_asked(browser: Browser, server: WebHouse) -> None:
    with people(browser, at(server)) as (ada,):
        for _ in range(3):
            give_up(ada, "noughts")
        page = ada.page
        page.route("**/api/games?*limit=30*", lambda route: route.continue_(url=route.request.url.replace("30", "2")))
        page.goto(f"{at(server)}/games")
        lines = page.locator(".game-list [data-game]")
        expect(lines).to_have_count(2)
        page.get_by_role("button", name="Older games").click()
        expect(lines).to_have_count(3)
        expect(page.get_by_role("button", name="Older games")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [{}, PHONE], ids=["wide", "phone"])
def test_games_and_the_big_screen_keep_nobody_out(
    browser: Browser, address: str, scheme: str, size: dict[str, Any]
) -> None:
    with people(browser, address, color_scheme=scheme, **size) as (ada,):
        ada.open("noughts")
        page = ada.page
        page.goto(f"{address}/games")
        page.wait_for_selector("[data-game]")
        assert barriers(page) == []
        page.goto(f"{address}/watch")
        page.wait_for_selector(".poster svg")
        assert barriers(page) == []
        page.goto(f"{address}/offline")
        assert barriers(page) == []


# --- messages ---------------------------------------------------------------------------------------------------------


def test_announcement_stays_until_it_was_read(browser: Browser, server: WebHouse) -> None:
    token = {"authorization": f"Bearer {server.website.invitation().partition('#')[2]}"}
    with people(browser, at(server)) as (ada,):
        page = ada.come()
        page.clock.install()
        server.post("/api/host/announce", {"text": "Tea at four"}, token)
        toast = page.locator(".toast", has_text="The host says: Tea at four")
        toast.wait_for()
        page.clock.run_for(600_000)
        expect(toast).to_be_visible()
        assert barriers(page) == []
        toast.get_by_role("button", name="Got it").click()
        expect(toast).to_have_count(0)


def test_whoever_is_kicked_reads_why(browser: Browser, server: WebHouse) -> None:
    token = {"authorization": f"Bearer {server.website.invitation().partition('#')[2]}"}
    with people(browser, at(server)) as (ada,):
        ada.open("noughts")
        [person] = server.get("/api/host", token).json["people"]
        server.post("/api/host/kick", {"person": person["id"], "reason": "Please be kind"}, token)
        expect(ada.page.locator(".toast.stays")).to_contain_text("The host has kicked you: Please be kind")


# --- other pages ------------------------------------------------------------------------------------------------------


def test_leaderboard_opens_where_there_are_players(browser: Browser, server: WebHouse) -> None:
    for name in ("Ann", "Ben"):
        server.post("/api/register", {"name": name, "password": "open sesame"})
    server.inside(lambda: server.house.book.note(Outcome("glenda", 1e9, ("Ann", "Ben"), (1, 2))))
    assert server.get("/api/leaderboard").json["game"] == "glenda"
    assert server.get("/api/leaderboard?players=many").json["players"] == "many"
    with people(browser, at(server)) as (ada,):
        page = ada.come("/leaderboard")
        expect(page.get_by_role("table")).to_contain_text("Ann")
        expect(page.get_by_role("combobox", name="Game")).to_have_value("glenda")


def test_address_that_means_nothing_has_a_page(browser: Browser, server: WebHouse) -> None:
    with people(browser, at(server)) as (ada,):
        page = ada.come("/table/%E0%A4%A")
        expect(page.get_by_role("heading", level=1)).to_have_text("There is no such page.")


def test_big_screen_needs_no_token(browser: Browser, server: WebHouse) -> None:
    with people(browser, at(server), 2) as (ada, eve):
        ada.open("connect4")
        page = eve.come()
        page.get_by_role("link", name="Watch full screen").click()
        page.wait_for_selector(".poster svg")


def test_spanish_is_in_the_menu_and_comes_with_the_next_page(browser: Browser, server: WebHouse) -> None:
    with people(browser, at(server)) as (ada,):
        page = ada.come()
        page.click(".settings summary")
        page.get_by_label("Language").select_option(label="Español")
        expect(page.get_by_role("heading", level=1)).to_have_text("Jugar ahora")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Jugar ahora")
        assert not [url for url in asked if "/api/texts" in url]
