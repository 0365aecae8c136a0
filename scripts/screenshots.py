"""Take the pictures of every page that docs/browser.md shows, from a server of its own, with Chromium.

    python scripts/screenshots.py [DIRECTORY]

Needs the packages of the tests (`pip install -e .[test]`) and Debian's chromium. People make the same moves each time;
clocks and engines do not, so the pictures differ a little.
"""

import contextlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, TimeoutError, ViewportSize, sync_playwright

CHROMIUM = "/usr/bin/chromium"
DESKTOP: ViewportSize = {"width": 1200, "height": 820}
PHONE: ViewportSize = {"width": 360, "height": 740}
WALL: ViewportSize = {"width": 1280, "height": 720}
YOURS = ".board.yours"
POST = """
async ([path, body]) => {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}
"""
BEGINNINGS = {
    "dots": ["h 0 0", "v 2 2", "h 3 1"],
    "connect4": ["3", "2", "4"],
    "glenda": ["p 3 3", "p 7 6", "p 4 8"],
}


@contextlib.contextmanager
def served() -> Iterator[tuple[str, str]]:
    """A server, by its own address and the host's."""
    with tempfile.TemporaryDirectory() as data:
        command = [sys.executable, "-m", "parlour", "serve", "--data", data, "--announce", "no"]
        command += ["--listen", "web=0.0.0.0:0"]
        command += ["--listen", "nettoe=0.0.0.0:0", "--listen", "netdot=0.0.0.0:0", "--listen", "glendy=0.0.0.0:0"]
        server = subprocess.Popen(  # noqa: S603 - our own words
            command, stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        said = []
        for line in server.stdout:
            said.append(line.strip())
            if said[-1] == "ready":
                break
        else:
            sys.exit("The server does not start.")
        try:
            port = next(line for line in said if line.startswith("listening web")).rpartition(":")[2]
            host = next(line for line in said if line.startswith("host "))
            yield f"http://127.0.0.1:{port}", re.sub(r"^host \S+?/host", f"http://127.0.0.1:{port}/host", host)
        finally:
            server.terminate()
            server.wait(30)


class Photographer:
    """Comes to pages, plays a little, and takes pictures."""

    def __init__(self, browser: Browser, address: str, directory: Path) -> None:
        self._browser = browser
        self._address = address
        self._directory = directory
        self.names = iter(("Ada", "Grace", "Emmy", "Sofja", "Hedy", "Mary", "Lise", "Rosa", "Maria", "Jane", "Vera"))

    def come(self, path: str = "/", dark: bool = False, phone: bool = False, member: bool = False) -> Page:
        """A person with a name, which for members is registered."""
        options: dict[str, Any] = {
            "viewport": PHONE if phone else DESKTOP,
            "locale": "en-GB",
            "reduced_motion": "reduce",
        }
        context = self._browser.new_context(color_scheme="dark" if dark else "light", **options)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.goto(f"{self._address}/leaderboard")
        said = {"name": next(self.names)}
        page.evaluate(POST, ["/api/register", said | {"password": "parlour games"}] if member else ["/api/me", said])
        page.goto(self._address + path)
        page.wait_for_selector("[data-link=online]")
        return page

    def take(self, page: Page, name: str, whole: bool = False) -> None:
        """In few colours, so that the file is small."""
        file = self._directory / f"{name}.png"
        page.wait_for_timeout(400)
        page.screenshot(path=file, full_page=whole)
        with Image.open(file) as picture:
            picture.convert("RGB").quantize(256, kmeans=2).save(file, optimize=True)

    def play(self, page: Page, move: str) -> None:
        page.wait_for_selector(YOURS)
        page.locator(f'.board .cell[data-move="{move}"]').first.dispatch_event("click")
        page.wait_for_function("() => !sessionStorage.getItem('parlour.pending')")

    def open(self, page: Page, game: str, against: str, clock: str = "0+0") -> None:
        page.locator(f"label:has(input[value={against}])").click()
        page.get_by_label("Clock").select_option(clock)
        page.click(f"[data-go={game}]")
        page.wait_for_url("**/table/*")

    def meet(self, game: str, clock: str = "0+0", member: bool = False, **second: bool) -> tuple[Page, Page]:
        """Two people at a table."""
        one = self.come(member=member)
        self.open(one, game, "invite", clock)
        one.wait_for_selector(".invite input")
        other = self.come(one.url.removeprefix(self._address) + "?join", member=member, **second)
        other.wait_for_selector(".board:not(.off)")
        return one, other


def tables(camera: Photographer) -> tuple[Page, Page]:
    """One of each game, in each dress; the two at the table of Connect Four."""
    dots = camera.come(dark=True)
    camera.open(dots, "dots", "engine")
    for move in BEGINNINGS["dots"]:
        camera.play(dots, move)
    dots.wait_for_selector(YOURS)
    camera.take(dots, "table-dots-dark")

    four, other = camera.meet("connect4", "5+5", dark=True, phone=True)
    for column in ("3", "3", "2", "4", "4", "2"):
        camera.play(four if four.locator(YOURS).count() else other, column)
        four.wait_for_timeout(300)
    four.get_by_label("Show who is ahead").check()
    four.get_by_role("button", name="Hint").click()
    four.locator(".advice:not(:empty)").wait_for()
    camera.take(four, "table-connect4-hint")
    four.get_by_role("button", name="Offer a draw").click()
    other.locator(".prompt:visible").wait_for()
    camera.take(other, "table-connect4-offer-phone")

    glenda = camera.come()
    glenda.get_by_role("button", name="How to play: Glendy").click()
    camera.take(glenda, "how-to-play")
    glenda.keyboard.press("Escape")
    camera.open(glenda, "glenda", "engine")
    for move in BEGINNINGS["glenda"]:
        with contextlib.suppress(TimeoutError):  # the rabbit may sit there
            camera.play(glenda, move)
    camera.take(glenda, "table-glenda")

    noughts = camera.come()
    camera.open(noughts, "noughts", "invite")
    noughts.wait_for_selector(".qr")
    camera.take(noughts, "table-invitation")
    return four, other


def rated(camera: Photographer) -> None:
    """A game that counts, and what it counted for."""
    one, other = camera.meet("noughts", member=True)
    for move in ("b2", "a1", "c1", "a3", "a2", "c2"):
        camera.play(one if one.locator(YOURS).count() else other, move)
        one.wait_for_timeout(300)
    camera.take(one, "table-noughts-rated")
    camera.play(one, "b3")
    camera.play(other, "c3")
    camera.play(one, "b1")
    one.wait_for_timeout(500)
    one.goto(one.url.partition("/table")[0] + "/leaderboard")
    one.get_by_role("table").wait_for()  # it opens on the ladder with most players
    camera.take(one, "leaderboard")
    one.locator("main a[href^='/players/']").first.click()
    one.wait_for_timeout(800)
    camera.take(one, "player")


def lost(camera: Photographer, four: Page, other: Page) -> None:
    """The first player loses, looks for the mistake, and sees the game again."""
    four.get_by_role("button", name="Withdraw").click()
    for column in ("6", "1", "6", "1", "5", "0", "5", "0"):
        camera.play(four if four.locator(YOURS).count() else other, column)
        four.wait_for_timeout(300)
    four.locator(".ending:visible").wait_for()
    camera.take(four, "table-ending")
    other.locator(".ending:visible").wait_for()
    camera.take(other, "table-ending-phone")
    camera.take(camera.come("/games"), "games")
    four.get_by_role("link", name="Find your mistake").click()
    four.locator("[data-phase=done]").wait_for()
    four.get_by_role("button", name="Show the best move").click()
    four.get_by_label("Forward one move").first.click()
    camera.take(four, "find-the-mistake")
    four.get_by_role("button", name="Back to the replay").click()
    camera.take(four, "replay", whole=True)


def show_host(camera: Photographer, page: Page, address: str) -> None:
    """What the host sees, and what is shown on the wall."""
    page.goto(address)
    page.wait_for_timeout(12_000)  # so that there is something to draw a line of
    camera.take(page, "host")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(PHONE)
    camera.take(page, "host-dark-phone")
    page.set_viewport_size(WALL)
    page.goto(address.replace("/host#", "/host/projector#"))
    page.locator(".poster").first.wait_for()
    page.wait_for_timeout(1000)
    camera.take(page, "projector-dark")


def main() -> None:
    directory = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pages")
    directory.mkdir(parents=True, exist_ok=True)
    with served() as (address, host), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        camera = Photographer(browser, address, directory)
        rated(camera)
        four, other = tables(camera)
        camera.take(camera.come(), "lobby", whole=True)
        camera.take(camera.come(dark=True), "lobby-dark")
        camera.take(camera.come(phone=True), "lobby-phone")
        lost(camera, four, other)
        show_host(camera, four, host)
        browser.close()


if __name__ == "__main__":
    main()
