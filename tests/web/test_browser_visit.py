"""Visits in a real browser: few requests, few bytes, none of them twice; and a page of ours when we are away."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.server.child import PATIENCE
from tests.web.browsers import people
from tests.web.house import HERE, web_house

FIRST_BYTES = 300_000
FIRST_REQUESTS = 12
LATER_REQUESTS = 5
FAR_AWAY: dict[str, Any] = {"offline": False, "latency": 100, "downloadThroughput": -1, "uploadThroughput": -1}
"""A hundred milliseconds for every way there and back."""


class Wiretap:
    """Counts what a page asks for, whether or not the browser has it already, and what comes over the wire."""

    def __init__(self, page: Page) -> None:
        self.asked: list[str] = []
        self.bytes = 0
        self.kept: set[str] = set()
        self._known: dict[str, str] = {}
        session = page.context.new_cdp_session(page)
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.requestServedFromCache", lambda told: self.kept.add(self._known.get(told["requestId"], "")))
        session.on("Network.responseReceived", self._came)
        session.on("Network.loadingFinished", self._loaded)
        session.on("Network.webSocketCreated", lambda told: self.asked.append(told["url"]))
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", FAR_AWAY)

    def _sent(self, told: dict[str, Any]) -> None:
        if told["request"]["url"].startswith("data:"):
            return
        self._known[told["requestId"]] = told["request"]["url"]
        self.asked.append(told["request"]["url"])

    def _came(self, told: dict[str, Any]) -> None:
        if told["response"].get("fromDiskCache"):
            self.kept.add(told["response"]["url"])

    def _loaded(self, told: dict[str, Any]) -> None:
        self.bytes += told["encodedDataLength"]


def visit(context: BrowserContext, address: str) -> Wiretap:
    """Until the lobby can be used: its cards are there, and the connection is."""
    page = context.new_page()
    tap = Wiretap(page)
    page.goto(address)
    page.wait_for_selector("[data-link=online]")
    page.wait_for_selector("[data-go=connect4]")
    page.wait_for_selector(".tables .none, .table-row")
    page.close()
    return tap


@pytest.fixture
def context(browser: Browser) -> Any:
    context = browser.new_context(locale="en-GB", service_workers="block")
    context.set_default_timeout(1000 * PATIENCE)
    yield context
    context.close()


def test_first_visit_is_small_and_the_second_asks_for_almost_nothing(
    context: BrowserContext, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with web_house(tmp_path_factory.mktemp("visited")) as house:
        address = f"http://{HERE}:{house.port}/"
        first = visit(context, address)
        assert first.bytes < FIRST_BYTES
        assert len(first.asked) <= FIRST_REQUESTS, first.asked
        second = visit(context, address)
        sent = [asked for asked in second.asked if asked not in second.kept]
        assert len(sent) <= LATER_REQUESTS, sent
        assert not [asked for asked in sent if "/static/" in asked]
        assert second.bytes < 20_000


def test_whoever_is_offline_sees_a_page_of_ours_and_then_the_real_one(browser: Browser, tmp_path: Path) -> None:
    with web_house(tmp_path) as house, people(browser, f"http://{HERE}:{house.port}") as (ada,):
        page = ada.come()
        page.evaluate("() => navigator.serviceWorker.ready.then(() => undefined)")
        page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        ada.context.set_offline(True)
        page.goto(f"{ada.address}/leaderboard")
        expect(page.get_by_role("heading", level=1)).to_have_text("Parlour cannot be reached")
        background = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert background == "rgb(247, 243, 236)", "the style sheet is there"
        ada.context.set_offline(False)
        page.wait_for_selector("[data-link=online]")
        expect(page.get_by_role("heading", level=1)).to_have_text("Leaderboard")
        ada.errors.clear()  # that there was no connection is one, to the browser


def test_pages_below_a_path_can_be_installed_as_well(browser: Browser, tmp_path: Path) -> None:
    with web_house(tmp_path, path="/below") as house, people(browser, f"http://{HERE}:{house.port}/below") as (ada,):
        page = ada.come("/")
        scope = page.evaluate("() => navigator.serviceWorker.ready.then(({ scope }) => scope)")
        assert scope == f"{ada.address}/"
        session = ada.context.new_cdp_session(page)
        assert session.send("Page.getAppManifest")["errors"] == []
        found = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
        assert [error["errorId"] for error in found] in ([], ["in-incognito"])
