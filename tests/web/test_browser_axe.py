"""Pages for everyone: axe looks at each of them, in light and dark, and finds nothing that keeps anybody out."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from parlour.core.rated import Outcome
from parlour.registry import games
from tests.web.browsers import MAY_MOVE, people
from tests.web.house import WebHouse

SERIOUS = ("serious", "critical")
SCHEMES = ("light", "dark")
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def barriers(page: Page) -> list[str]:
    """What axe finds that matters, with the places."""
    found: Any = Axe().run(page).response["violations"]
    return [
        f"{broken['id']}: {node['target']} {node.get('failureSummary', '')}"
        for broken in found
        if broken["impact"] in SERIOUS
        for node in broken["nodes"]
    ]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_lobby_keeps_nobody_out(browser: Browser, address: str, scheme: str) -> None:
    with people(browser, address, 2, color_scheme=scheme) as (ada, bob):
        bob.open("dots")
        page = ada.come()
        page.locator(".table-row").first.wait_for()
        page.click(".settings summary")
        assert barriers(page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("path", ["/games", "/leaderboard", "/players/nobody", "/host", "/game/none", "/table/none"])
def test_pages_with_nothing_to_show_keep_nobody_out(browser: Browser, address: str, path: str, scheme: str) -> None:
    with people(browser, address, color_scheme=scheme) as (ada,):
        page = ada.come(path)
        page.wait_for_selector("main :is(h1, p)")
        assert barriers(page) == []
        ada.errors.clear()  # the browser itself complains about what is not there


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("game", [*games()])
def test_table_keeps_nobody_out(browser: Browser, address: str, game: str, scheme: str) -> None:
    with people(browser, address, color_scheme=scheme) as (ada,):
        page = ada.open(game)
        page.wait_for_selector(MAY_MOVE)
        assert barriers(page) == []
        ada.targets().first.click()
        page.wait_for_selector(MAY_MOVE)
        assert barriers(page) == []


def test_room_on_a_telephone_keeps_nobody_out(browser: Browser, address: str, house: WebHouse) -> None:
    with people(browser, address, 2, **PHONE) as (ada, bob), house.still():
        page = ada.come()
        page.locator("label:has(input[value=room])").click()
        assert barriers(page) == []
        page.click("[data-go=noughts]")
        page.wait_for_selector(".invite input")
        bob.come(ada.invitation())
        bob.page.get_by_label("I am ready").uncheck()
        page.locator(".room .users li").nth(1).wait_for()
        assert barriers(page) == []


def test_sixteen_players_keep_nobody_out(browser: Browser, address: str) -> None:
    with people(browser, address) as (ada,):
        page = ada.come()
        page.locator(".card.dots select").nth(1).select_option("16")
        page.click("[data-go=dots]")
        page.wait_for_selector(MAY_MOVE)
        assert barriers(page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_invitation_and_an_absence_keep_nobody_out(browser: Browser, address: str, scheme: str) -> None:
    with people(browser, address, 2, color_scheme=scheme) as (ada, bob):
        page = ada.open("noughts", "invite")
        page.wait_for_selector(".invite input")
        assert barriers(page) == []
        bob.come(ada.invitation())
        ada.play("b2")
        bob.page.goto("about:blank")
        page.get_by_role("button", name="Wait").wait_for()
        assert barriers(page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_replay_and_phone_keep_nobody_out(browser: Browser, address: str, scheme: str) -> None:
    with people(browser, address, color_scheme=scheme, **PHONE) as (ada,):
        page = ada.open("noughts")
        ada.targets().first.tap()
        page.wait_for_selector(MAY_MOVE)
        assert barriers(page) == []
        page.get_by_role("button", name="Resign").tap()
        page.get_by_role("button", name="Really resign?").tap()
        page.get_by_role("link", name="Replay this game").tap()
        page.locator(".where").wait_for()
        assert barriers(page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", [{}, PHONE], ids=["wide", "phone"])
def test_ladder_and_players_keep_nobody_out(
    house: WebHouse, browser: Browser, address: str, scheme: str, size: dict[str, Any]
) -> None:
    for name in ("Axel", "Axelle"):
        house.post("/api/register", {"name": name, "password": "open sesame"})
    won = Outcome("connect4", 1e9, ("Axel", "Axelle"), (1, 2))
    house.inside(lambda: house.house.book.note(won))
    with people(browser, address, color_scheme=scheme, **size) as (ada,):
        page = ada.come("/leaderboard?game=connect4")
        page.get_by_role("table").wait_for()
        page.get_by_text("How ratings work").click()
        assert barriers(page) == []
        page.get_by_role("link", name="Axel", exact=True).click()
        page.locator(".rating-curve").wait_for()
        assert barriers(page) == []
        page.goto(f"{address}/players/Nobody")
        page.get_by_role("heading", level=1).wait_for()
        assert barriers(page) == []
        ada.errors.clear()  # that the page has the status 404 is one, to the browser
