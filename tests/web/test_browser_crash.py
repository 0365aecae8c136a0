"""The server is killed under people with real browsers and started again: their games go on, by themselves."""

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from tests.server.child import HERE, Server, doors, serving
from tests.web.browsers import MAY_MOVE, Person, chromium, people
from tests.web.guests import C4nGuest, until
from tests.web.test_browser_people import register

PLAYED = {"connect4": ["3", "2", "3", "2", "3", "2", "3"], "dots": ["h 0 0", "v 0 0", "v 1 0", "h 0 1", "h 2 2"]}
"""In the one Ada wins; in the other Bob closes a box and draws one more line. Three are before the crash."""


class Inn:
    """A server on a port of its own that can be killed and started again."""

    def __init__(self, directory: Path, starts: ExitStack, *more: str) -> None:
        self.directory = directory
        self._starts = starts
        self._doors = doors("web", *more)
        self.server = self._start()
        for number, (_, port) in enumerate(self.server.doors):  # the same ports again
            self._doors[2 * number + 1] = self._doors[2 * number + 1].replace(f"{HERE}:0", f"{HERE}:{port}")
        self.address = f"http://{HERE}:{self.server.port('web')}"

    def _start(self) -> Server:
        words = ("--data", str(self.directory), "--drain", "0", *self._doors)
        return self._starts.enter_context(serving(*words))

    def crash(self, *witnesses: Person) -> None:
        self.server.kill()
        for person in witnesses:
            person.page.wait_for_selector("[data-link=offline]")

    def restart(self) -> None:
        self.server = self._start()

    def moves(self, game: str) -> list[str]:
        """What the log has."""
        with urlopen(f"{self.address}/api/games/{game}", timeout=20) as answer:
            return [move["move"] for move in json.load(answer)["moves"]]


@contextmanager
def inn(directory: Path, *more: str) -> Iterator[Inn]:
    with ExitStack() as starts:
        host = Inn(directory, starts, *more)
        yield host
        assert host.server.stop() == 0
        assert "Traceback" not in host.server.stderr


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def meet(ada: Person, bob: Person, game: str, clock: str = "0+0") -> None:
    """Two sit down at a table of Ada's, whose pages must not be loaded again from here on."""
    page = ada.come()
    page.locator("label:has(input[value=invite])").click()
    page.get_by_label("Clock").select_option(clock)
    page.click(f"[data-go={game}]")
    page.wait_for_selector(".invite input")
    bob.come(ada.invitation())
    for person in (ada, bob):
        person.page.locator(".player.turn").wait_for()
        person.page.evaluate("() => void (window.neverReloaded = true)")


def still_the_same_page(person: Person) -> bool:
    return bool(person.page.evaluate("() => window.neverReloaded === true"))


def say(person: Person, text: str) -> None:
    person.page.fill(".chat input", text)
    person.page.press(".chat input", "Enter")


@pytest.mark.parametrize("game", ["connect4", "dots"])
def test_both_go_on_with_the_same_game(browser: Browser, tmp_path: Path, game: str) -> None:
    before, down, after = PLAYED[game][:3], PLAYED[game][3], PLAYED[game][4:]
    with inn(tmp_path) as host, people(browser, host.address, 2) as (ada, bob):
        ada.come()
        register(ada, "Ada")
        meet(ada, bob, game)
        for number, move in enumerate(before):
            (ada, bob)[number % 2].play(move)
        say(ada, "good luck")
        bob.page.locator(".log", has_text="good luck").wait_for()
        bob.page.wait_for_selector(MAY_MOVE)
        host.crash(ada, bob)
        bob.choose(down)
        bob.status("Your move is saved")
        host.restart()
        for person in (ada, bob):
            person.page.wait_for_selector("[data-link=online]")
        bob.page.wait_for_function("() => !sessionStorage.getItem('parlour.pending')")
        for number, move in enumerate(after):
            (bob if game == "dots" else (ada, bob)[number % 2]).play(move)
        for person in (ada, bob):
            expect(person.page.locator(".player.away")).to_have_count(0)
            expect(person.page.locator(".player .tick")).to_have_count(1)
            expect(person.page.locator(".player", has_text="Ada").locator(".tick")).to_have_count(1)
        say(bob, "that was close")
        for person in (ada, bob):
            for text in ("good luck", "that was close"):
                expect(person.page.locator(".log p", has_text=text)).to_have_count(1)
        if game == "dots":
            bob.page.get_by_role("button", name="Resign").click()
            bob.page.get_by_role("button", name="Really resign?").click()
        ada.status("You won!")
        bob.status("You lost")
        assert still_the_same_page(ada)
        assert still_the_same_page(bob)
        assert host.moves(f"{ada.page.url.rpartition('/')[2]}-1") == PLAYED[game]


def test_move_whose_confirmation_was_lost_is_not_played_twice(browser: Browser, tmp_path: Path) -> None:
    deaf = False

    def pass_on(page: WebSocketRoute) -> None:
        server = page.connect_to_server()
        server.on_message(lambda message: None if deaf and '"played"' in str(message) else page.send(message))

    with inn(tmp_path) as host, people(browser, host.address, 2) as (ada, bob):
        ada.page.route_web_socket("**/ws", pass_on)
        meet(ada, bob, "connect4")
        deaf = True
        ada.choose("3")
        expect(bob.page.locator(".board .disc")).to_have_count(1)
        ada.status("Sending")
        host.crash(ada, bob)
        deaf = False
        host.restart()
        bob.play("4")
        ada.page.wait_for_selector(MAY_MOVE)
        ada.page.wait_for_function("() => !sessionStorage.getItem('parlour.pending')")
        for person in (ada, bob):
            expect(person.page.locator(".board .disc")).to_have_count(2)
        assert host.moves(f"{ada.page.url.rpartition('/')[2]}-1") == ["3", "4"]


def test_move_made_for_a_game_that_is_lost_is_clearly_refused(browser: Browser, tmp_path: Path) -> None:
    with inn(tmp_path / "first") as host, people(browser, host.address, 2) as (ada, bob):
        meet(ada, bob, "connect4")
        ada.play("3")
        bob.page.wait_for_selector(MAY_MOVE)
        host.crash(ada, bob)
        bob.choose("3")
        host.directory = tmp_path / "second"
        host.restart()
        bob.page.locator(".toast", has_text="Your move 4 was not played").wait_for()
        for person in (ada, bob):
            person.status("This table is closed")
            expect(person.page.locator(".board .disc")).to_have_count(1)


def test_clock_stands_still_while_the_server_is_down(browser: Browser, tmp_path: Path) -> None:
    face = """document.querySelector(".players [data-clock='1']").textContent"""
    seconds = f"() => {face}.split(':').reduce((sum, part) => 60 * sum + Number(part), 0)"
    with inn(tmp_path) as host, people(browser, host.address, 2) as (ada, bob):
        meet(ada, bob, "connect4", "1+2")
        ada.play("3")
        bob.page.locator(".players [data-clock='1'].running").wait_for()
        host.crash(ada, bob)
        then = bob.page.evaluate(seconds)
        bob.page.wait_for_function(f"then => ({seconds})() <= then - 4", arg=then)  # nobody has told this page to stop
        host.restart()
        bob.page.wait_for_selector("[data-link=online]")
        bob.page.wait_for_function(f"then => ({seconds})() >= then - 3", arg=then)
        ada.page.wait_for_function(f"then => ({seconds})() >= then - 3", arg=then)
        bob.play("3")
        expect(ada.page.locator(".board .disc")).to_have_count(2)


def test_whoever_waits_for_the_next_person_waits_on(browser: Browser, tmp_path: Path) -> None:
    with inn(tmp_path) as host, people(browser, host.address, 2) as (ada, bob):
        page = ada.come()
        page.locator("label:has(input[value=human])").click()
        page.click("[data-go=connect4]")
        page.locator(".queue", has_text="Waiting for someone who wants").wait_for()
        host.crash(ada)
        host.restart()
        page.wait_for_selector("[data-link=online]")
        bob.open("connect4", "human")
        page.wait_for_url("**/table/*")
        ada.play("3")


def test_player_is_told_that_an_opponent_whose_wire_cannot_come_back_is_gone(browser: Browser, tmp_path: Path) -> None:
    with inn(tmp_path, "c4n,opponent=human") as host, people(browser, host.address) as (ada,):
        page = ada.come()
        page.locator("label:has(input[value=human])").click()
        page.click("[data-go=connect4]")
        page.locator(".queue", has_text="Waiting for someone who wants").wait_for()
        with C4nGuest(HERE, host.server.port("c4n")) as other:
            page.wait_for_url("**/table/*")
            ada.play("3")
            until(lambda: page.locator(MAY_MOVE).count() == 1, other.go_on)
            host.crash(ada)
        ada.choose("3")
        host.restart()
        page.locator(".toast", has_text="Your move 4 was not played").wait_for()
        ada.status("This table is closed")
        expect(page.locator(".board .disc")).to_have_count(2)
        page.get_by_role("link", name="Replay this game").click()
        page.get_by_text("Move 2 of 2").wait_for()


def test_page_says_that_the_server_stood_still_and_puts_its_clock_right(browser: Browser, tmp_path: Path) -> None:
    with inn(tmp_path) as host, people(browser, host.address) as (ada,):
        page = ada.come()
        page.get_by_label("Clock").select_option("3+2")
        page.click("[data-go=noughts]")
        page.wait_for_selector(MAY_MOVE)
        seconds = "() => document.querySelector('.player .clock').textContent.split(':').reduce((m, s) => m * 60 + +s)"
        host.server.process.send_signal(signal.SIGSTOP)
        before = page.evaluate(seconds)
        page.wait_for_function(f"then => ({seconds})() <= then - 4", arg=before)  # the page cannot know
        host.server.process.send_signal(signal.SIGCONT)
        page.locator(".toast", has_text="The server froze for").wait_for()  # there is no chat to say it in
        page.wait_for_function(f"then => ({seconds})() >= then - 2", arg=before)
