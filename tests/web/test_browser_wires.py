"""Real browsers at one table with the programs of other wires, on `parlour serve` with all its doors."""

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from parlour.games.dots.rules import shape
from parlour.protocols.nettoe import PORT
from tests.interop.glendy_originals import FirstC, LaterC, Original
from tests.interop.terminal import Terminal
from tests.interop.test_nettoe_real import SLOW, join, play
from tests.server.child import HERE, Server, doors, serving
from tests.web.browsers import MAY_MOVE, TARGETS, Person, chromium, people
from tests.web.guests import C4nGuest, GlendyGuest, NetdotGuest, Newcomer, Script, until

OWN = f"127.{os.getpid() >> 16 & 63 | 64}.{os.getpid() >> 8 & 255}.{os.getpid() & 255 or 1}"
"""An address where nobody else has netToe's port, which is built into the program."""
DOORS = (
    "web",
    "c4n,opponent=human",
    "glendy,opponent=human",
    "netdot,size=3x3,ready=3",
    "netdot,size=3x3,ready=2,full=room,players=2",
    "ggz",
)
SAYS = {"You won!": "won", "You lost": "lost", "A draw": "draw"}
OPPOSITE = {"won": "lost", "lost": "won", "draw": "draw"}
COLUMNS = "".join(f"{column}\n" for column in (0, 1, 2, 3, 4, 5, 6) * 30)
LINES = shape(3, 3).moves


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    more = ("--listen", f"nettoe={OWN}:{PORT},opponent=human")
    with serving("--data", "none", "--drain", "0", *doors(*DOORS), *more) as server:
        yield server
        assert server.stop() == 0
        assert server.stderr == ""


@pytest.fixture
def address(server: Server) -> str:
    return f"http://{HERE}:{server.port('web')}"


def seek(person: Person, game: str) -> Page:
    """Wait for the next person."""
    page = person.come()
    page.locator("label:has(input[value=human])").click()
    page.click(f"[data-go={game}]")
    page.locator(".queue", has_text="Waiting for someone who wants").wait_for()
    return page


def verdict(person: Person) -> str:
    """How the game has ended for this person, as the page says it; empty before."""
    text = person.page.inner_text(".status")
    return next((word for said, word in SAYS.items() if text.startswith(said)), "")


def move_if_due(person: Person) -> None:
    """Click on the first place that can be clicked on, and see the move confirmed."""
    if person.page.locator(MAY_MOVE).count():
        person.page.locator(TARGETS).first.click()
        person.page.wait_for_function("() => !sessionStorage.getItem('parlour.pending')")


def play_out(person: Person, *others: Newcomer) -> None:
    """Everybody makes any move when it is their turn, until everybody knows how the game has ended."""

    def going() -> None:
        move_if_due(person)
        for other in others:
            other.go_on()

    until(lambda: bool(verdict(person)) and all(other.verdict for other in others), going)


def badges(page: Page) -> list[str]:
    """By which wire each player is there, as the page shows it."""
    return [text.splitlines()[0] for text in page.locator(".player .badge").all_inner_texts()]


# --- tic-tac-toe, Connect Four, Glendy --------------------------------------------------------------------------------


def test_newcomer_with_a_browser_plays_the_real_nettoe(
    browser: Browser, address: str, require_program: Callable[[str], str]
) -> None:
    program = require_program("nettoe")
    with people(browser, address) as (ada,), Terminal(program) as bob:
        page = seek(ada, "noughts")
        join(bob, "Bob", OWN)
        page.wait_for_url("**/table/*")
        expect(page.locator(".player", has_text="Bob").locator(".badge")).to_contain_text("netToe")
        adas = "Guest" in bob.see("will begin !", SLOW).splitlines()[-1]
        movers: list[Callable[[str], None]] = [ada.play, partial(play, bob)]
        if not adas:
            movers.reverse()
        for mover, move in zip(movers * 3, ("a1", "b1", "a2", "b2", "a3"), strict=False):
            mover(move)
        ada.status("You won!" if adas else "You lost")
        bob.see(" wins !" if adas else "You win !")


def test_original_connecti4n_client_plays_a_newcomer(browser: Browser, address: str, server: Server) -> None:
    with people(browser, address) as (ada,):
        page = seek(ada, "connect4")
        with C4nGuest(HERE, server.port("c4n")) as other:
            play_out(ada, other)
        assert other.client.exit_code == 0
        assert other.verdict == OPPOSITE[verdict(ada)]
        assert sorted(badges(page)) == ["ConnectI4n", "browser"]


def test_our_own_client_plays_a_newcomer_by_connecti4n(browser: Browser, address: str, server: Server) -> None:
    with people(browser, address) as (ada,):
        seek(ada, "connect4")
        with Script(f"c4n://{HERE}:{server.port('c4n')}", COLUMNS) as vera:
            play_out(ada, vera)
        assert vera.verdict == OPPOSITE[verdict(ada)]


@pytest.mark.parametrize(
    "client",
    [FirstC(min), LaterC(min, b"gina 0 1 0\n"), LaterC(min, b"tina 0 0 0\n")],
    ids=["first", "glenda", "trapper"],
)
def test_original_glendy_clients_play_a_newcomer(
    browser: Browser, address: str, server: Server, client: Original
) -> None:
    with people(browser, address) as (ada,):
        page = seek(ada, "glenda")
        with GlendyGuest(HERE, server.port("glendy"), client) as other:
            play_out(ada, other)
        assert other.verdict == OPPOSITE[verdict(ada)]
        assert sorted(badges(page)) == ["Glendy", "browser"]


# --- dots and boxes ---------------------------------------------------------------------------------------------------


class Sight(NamedTuple):
    """What there is to see of a game, with the players' names."""

    drawn: frozenset[str]
    boxes: dict[tuple[int, int], str]
    turn: str


def shown(page: Page) -> Sight:
    """The board as a browser shows it, or rather as it tells those who cannot see it."""
    names = page.locator(".player b").all_inner_texts()
    drawn, boxes = set(), {}
    for label in page.locator(".board .cell").evaluate_all("cells => cells.map(cell => cell.ariaLabel)"):
        way, *place = re.findall(r"right|below|\d+", label)[:3]
        x, y = (int(number) - 1 for number in place)  # people count from 1
        if "drawn by" in label:
            drawn.add(f"{'h' if way == 'right' else 'v'} {x} {y}")
        if way == "right" and y < 2 and (owner := re.search(r"box of player (\d+)(, [^,]*last.*)?$", label)):
            boxes[x, y] = names[int(owner[1]) - 1]
    turn = page.locator(".player.turn b").all_inner_texts()
    return Sight(frozenset(drawn), boxes, "".join(turn))


def believed(guest: NetdotGuest) -> Sight:
    """The same, in the mind of a NetDot client."""
    known = guest.known
    assert known is not None
    boxes = {where: known.called(owner) for where, owner in known.grid.boxes.items()}
    over = len(known.grid.open_lines()) == 0
    return Sight(frozenset(LINES) - set(known.grid.open_lines()), boxes, "" if over else known.called(known.current))


def play_in_one_room(ada: Person, *guests: NetdotGuest) -> None:
    """A whole game of three, move by move, which all see alike."""
    for guest in guests:
        guest.moving = False

    def listen() -> None:
        for guest in guests:
            guest.go_on()

    def go_on() -> None:
        listen()
        move_if_due(ada)
        for guest in guests:
            guest.visitor.decide()

    page = ada.come()
    until(lambda: all(guest.known and guest.known.me >= 0 for guest in guests), listen)
    page.locator(".table-row", has_text="NetDot").get_by_role("link", name="Join").click()
    until(lambda: page.locator(".player.turn").count() == 1, listen)
    assert sorted(badges(page)) == ["NetDot", "NetDot", "browser"]
    while len(shown(page).drawn) < len(LINES):
        before = shown(page)
        until(lambda before=before: shown(page) != before, go_on)  # type: ignore[misc]
        until(lambda: [believed(guest) for guest in guests] == [shown(page)] * 2, listen)
    until(lambda: bool(verdict(ada)) and all(guest.verdict for guest in guests), listen)
    verdicts = sorted([verdict(ada), *(guest.verdict for guest in guests)])
    assert verdicts in (["lost", "lost", "won"], ["draw", "draw", "lost"])


def test_browser_and_two_versions_of_netdot_see_the_same_game(browser: Browser, address: str, server: Server) -> None:
    port = server.port("netdot")
    with (
        people(browser, address) as (ada,),
        NetdotGuest(HERE, port, "2", "Tom") as tom,
        NetdotGuest(HERE, port, "3", "Theo") as theo,
    ):
        play_in_one_room(ada, tom, theo)


def test_member_of_the_ggz_zone_plays_a_newcomer(browser: Browser, address: str, server: Server) -> None:
    lines = "".join(f"{move}\n" for move in LINES * 6)
    with (
        people(browser, address) as (ada,),
        Script(f"ggz://vera@{HERE}:{server.port('ggz')}/1/new?size=3x3", lines) as vera,
    ):
        page = ada.come()
        page.locator(".table-row", has_text="vera").get_by_role("link", name="Join").click()
        page.locator(".player.turn").wait_for()
        assert badges(page) == ["GGZ", "browser"]
        play_out(ada, vera)
        assert vera.verdict == OPPOSITE[verdict(ada)]


def test_game_begun_in_netdot_goes_on_in_a_browser(browser: Browser, address: str, server: Server) -> None:
    port = [port for name, port in server.doors if name == "netdot"][1]
    with people(browser, address) as (ada,), NetdotGuest(HERE, port, "3", "Theo") as theo:
        tom = NetdotGuest(HERE, port, "2", "Tom")

        def both() -> None:
            tom.go_on()
            theo.go_on()

        until(lambda: bool(tom.known and tom.known.grid.owners()), both)
        tom.moving = theo.moving = False
        tom.say("/code")
        until(lambda: "enter the code" in tom.visitor.texts(), both)
        told = re.search(r"open table (\w+) there and enter the code (\w+)", tom.visitor.texts())
        assert told
        tom.kill()
        page = ada.come(f"/table/{told[1]}")
        page.locator(".player.away", has_text="Tom").wait_for()
        page.click(".take-over summary")
        page.fill(".take-over input", told[2].upper())
        page.press(".take-over input", "Enter")
        expect(page.locator(".player", has_text="Tom").locator(".badge")).to_have_text("browser")
        expect(page.locator(".player", has_text="Tom")).to_contain_text("you")
        expect(page.locator(".player.away")).to_have_count(0)
        assert shown(page).boxes
        theo.moving = True
        play_out(ada, theo)
        assert theo.verdict == OPPOSITE[verdict(ada)]
