"""One game of dots by clients of several wires, each at another node of one house, with a real browser among them.

GGZ's dots are for two, so a NetDot user and a browser's person share the other seat: the one who has left it looks on,
and the next goes on with the board.
"""

import re
from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Browser, Page

from tests.cluster.houses import House
from tests.server.child import HERE, doors
from tests.web.browsers import Person, chromium, people
from tests.web.guests import GgzGuest, NetdotGuest, until
from tests.web.test_browser_wires import OPPOSITE, Sight, badges, believed, play_in_one_room, shown

DOORS = doors("web", "netdot,size=3x3", "ggz")
BOXES = [(x, y) for y in range(2) for x in range(2)]
PARTS = (
    ("h 0 0", "v 0 0", "h 0 1", "v 1 0"),
    ("h 1 0", "h 1 1", "v 2 0", "v 0 1"),
    ("h 0 2", "v 1 1", "h 1 2", "v 2 1"),
)
"""Of a game, line by line: in each of them both seats draw, and a box is closed."""
LINES = tuple(line for part in PARTS for line in part)
PART = len(PARTS[0])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def next_line(moves: Sequence[str]) -> str:
    return min(moves, key=LINES.index)


def imagined(guest: GgzGuest) -> Sight:
    """What there is to see of a game, in the mind of a GGZ client."""
    known = guest.known
    assert known is not None
    position, names = known._position, [chair.name for chair in known._chairs]
    drawn = frozenset(line for line in LINES if position.line(line))
    owners = {box: position.owner(*box) for box in BOXES}
    boxes = {box: names[owner] for box, owner in owners.items() if owner >= 0}
    return Sight(drawn, boxes, names[position.turn] if position.turn >= 0 else "")


class Trio:
    """Gus by GGZ, Theo by NetDot, and Ada with a browser, who draw when told to."""

    def __init__(self, gus: GgzGuest, theo: NetdotGuest, ada: Person) -> None:
        self.gus, self.theo, self.ada = gus, theo, ada
        for guest in (gus, theo):
            guest.moving = False
            guest.visitor.choose = next_line

    def listen(self) -> None:
        self.gus.go_on()
        self.theo.go_on()

    def see(self, drawn: int) -> str:
        """Wait until all three see the same, so many lines among it; returns whose turn it is."""

        def alike() -> bool:
            if self.ada.page.locator(".player b").count() < 2:
                return False
            sights[:] = shown(self.ada.page), believed(self.theo), imagined(self.gus)
            return sights[0].drawn == set(LINES[:drawn]) and sights == [sights[0]] * 3

        sights: list[Sight] = []
        until(alike, self.listen, sights)
        return believed(self.theo).turn

    def play(self, part: int) -> set[str]:
        """Draw the lines of this part, each seen by all three; returns who has drawn them."""
        first, movers = PART * part, set()
        for drawn in range(first, first + PART):
            movers.add(self._draw(self.see(drawn), LINES[drawn]))
        self.see(first + PART)
        return movers

    def _draw(self, turn: str, line: str) -> str:
        """The player whose turn it is draws this line, and knows that it is there."""
        if turn not in ("gus", "Theo"):
            self.ada.play(line)
            return "Ada"
        visitor = self.gus.visitor if turn == "gus" else self.theo.visitor

        def move() -> None:  # more than once by a client that was asked before the other seat was taken, and is again
            visitor.decide()
            self.listen()

        until(lambda: line in (imagined(self.gus) if turn == "gus" else believed(self.theo)).drawn, move)
        return turn

    def end(self) -> None:
        """Gus and Theo know how the game has ended, and Ada has seen it."""
        until(lambda: bool(self.gus.verdict), self.listen)
        until(lambda: self.theo.visitor.results[-1:] == [OPPOSITE[self.gus.verdict]], self.listen)
        self.ada.status("gus won" if self.gus.verdict == "won" else "Theo won")


def find(ada: Person, way: str) -> Page:
    """Come to the table of Gus from the lobby."""
    page = ada.come()
    page.locator(".table-row", has_text="gus").get_by_role("link", name=way).click()
    page.wait_for_url("**/table/*")
    return page


def leave(page: Page) -> None:
    """The page asks whether this is meant."""
    for _ in range(2):
        page.get_by_role("button", name="Leave").click()
    page.locator(".table-row").first.wait_for()


def test_browser_takes_the_place_of_a_netdot_user_for_a_while(house: House, browser: Browser) -> None:
    """Theo's room becomes a table for two when Gus sits down in it."""
    a, b, c = (house.start(name, DOORS) for name in "abc")
    with (
        people(browser, f"http://{HERE}:{c.port('web')}") as (ada,),
        NetdotGuest(HERE, b.port("netdot"), "3", "Theo") as theo,
        GgzGuest(HERE, a.port("ggz"), "gus", "1", "3x3") as gus,
    ):
        until(lambda: bool(theo.known and theo.known.me >= 0), theo.go_on)
        trio = Trio(gus, theo, ada)
        until(lambda: bool(gus.known and gus.known.phase.width), trio.listen)
        page = find(ada, "Watch")
        assert trio.play(0) == {"gus", "Theo"}
        assert sorted(badges(page)) == ["GGZ", "NetDot"]
        theo.socket.sendall(b"game-leave\n")
        page.get_by_role("button", name="Take this seat").click()
        assert trio.play(1) == {"gus", "Ada"}
        assert sorted(badges(page)) == ["GGZ", "browser"]
        leave(page)
        find(ada, "Watch")
        theo.socket.sendall(b"game-join\n")
        assert trio.play(2) == {"gus", "Theo"}
        trio.end()


def test_phone_takes_the_place_of_a_browser(house: House, browser: Browser) -> None:
    """Gus opens a table, to which Theo comes by the words of the chat: the phone has NetDot 2.0."""
    c, a, b = (house.start(name, DOORS) for name in "cab")
    with (
        people(browser, f"http://{HERE}:{c.port('web')}") as (ada,),
        NetdotGuest(HERE, b.port("netdot"), "2", "Theo") as theo,
        GgzGuest(HERE, a.port("ggz"), "gus", "1/new", "3x3") as gus,
    ):
        trio = Trio(gus, theo, ada)
        until(lambda: bool(theo.known and theo.known.me >= 0 and gus.known and gus.known.phase.width), trio.listen)
        page = find(ada, "Join")
        until(lambda: len(badges(page)) == 2, trio.listen)

        def look_around() -> None:
            theo.say("/tables")
            trio.listen()

        until(lambda: "gus" in theo.visitor.texts(), look_around)
        listed = re.search(r"(\w+): 3x3[^\n]*gus", theo.visitor.texts())
        assert listed
        theo.say(f"/join {listed[1]}")
        until(lambda: bool(theo.known and theo.known.current >= 0), trio.listen)
        assert trio.play(0) == {"gus", "Ada"}
        leave(page)
        find(ada, "Watch")
        assert trio.play(1) == trio.play(2) == {"gus", "Theo"}
        trio.end()


def test_two_versions_of_netdot_and_a_browser_play_a_game_for_three(house: House, browser: Browser) -> None:
    a, b, c = (house.start(name, doors("web", "netdot,size=3x3,ready=3")) for name in "abc")
    with (
        people(browser, f"http://{HERE}:{c.port('web')}") as (ada,),
        NetdotGuest(HERE, a.port("netdot"), "2", "Tom") as tom,
        NetdotGuest(HERE, b.port("netdot"), "3", "Theo") as theo,
    ):
        play_in_one_room(ada, tom, theo)
