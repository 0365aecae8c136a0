"""A real browser for the tests: Debian's Chromium, driven by Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from tests.conftest import IN_CI
from tests.server.child import PATIENCE

TARGETS = ".board .cell[data-move]"
MAY_MOVE = ".board.yours"


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """Skips where it is not installed, and fails where CI is set."""
    path = shutil.which("chromium")
    if path is None:
        reason = "chromium is not installed (scripts/system-packages chromium)"
        pytest.fail(reason) if IN_CI else pytest.skip(reason)
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*sandbox, *flags])
        yield browser
        browser.close()


class Person:
    """Somebody with a browser of their own, who is told at the end of everything that went wrong in it."""

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        options = {"locale": "en-GB", "reduced_motion": "reduce", **options}
        self.address = address
        self.context: BrowserContext = browser.new_context(**options)
        self.context.set_default_timeout(1000 * PATIENCE)
        self.errors: list[str] = []
        self.page: Page = self._page()

    def _page(self) -> Page:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self._note(said.type, said.text))
        return page

    def _note(self, kind: str, text: str) -> None:
        if kind == "error" and "WebSocket connection to" not in text:  # a server that is away is no error of ours
            self.errors.append(text)

    def come(self, path: str = "/") -> Page:
        self.page.goto(f"{self.address}{path}")
        self.page.wait_for_selector("[data-link=online]")
        return self.page

    def open(self, game: str, against: str = "engine") -> Page:
        page = self.come()
        page.locator(f"label:has(input[value={against}])").click()
        page.click(f"[data-go={game}]")
        page.wait_for_url("**/table/*")
        page.wait_for_selector(".players")
        return page

    def invitation(self) -> str:
        """The path that the page says to give to others."""
        return self.page.input_value(".invite input").removeprefix(self.address)

    def targets(self) -> Locator:
        self.page.wait_for_selector(MAY_MOVE)
        return self.page.locator(TARGETS)

    def play(self, move: str) -> None:
        """Choose a move on the board, and see it confirmed."""
        self.choose(move)
        self.page.wait_for_function("() => !sessionStorage.getItem('parlour.pending')")

    def choose(self, move: str) -> None:
        """Without waiting for an answer."""
        self.page.wait_for_selector(MAY_MOVE)
        self.page.locator(f'.board .cell[data-move="{move}"]').first.dispatch_event("click")

    def type(self, text: str) -> None:
        """A move, as people count."""
        if not self.page.locator(".typed").is_visible():
            self.page.click(".type-move summary")
        self.page.fill(".typed", text)
        self.page.press(".typed", "Enter")

    def status(self, text: str) -> None:
        """Wait until the page says this about the game."""
        self.page.locator(".status", has_text=text).wait_for()

    def leave(self) -> None:
        self.context.close()
        assert self.errors == []


@contextmanager
def people(browser: Browser, address: str, count: int = 1, **options: Any) -> Iterator[list[Person]]:
    """So many, each with a browser of their own."""
    everybody = [Person(browser, address, **options) for _ in range(count)]
    yield everybody
    for person in everybody:
        person.leave()
