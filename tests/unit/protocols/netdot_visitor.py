"""A NetDot client of tests, and what it has heard before a test begins."""

import pytest

from tests.interop.netdot_lan import NETDOT
from tests.visitor import Visitor

JOINED2 = ("network-assign -1", "info-version 2 0", "player-add 0 Host", "grid-size 2x2", "grid-reset",
           "network-assign 1", "player-add 1 Client 1")  # fmt: skip
JOINED3 = ("request-info", "info-version 3 0", "info-features chat vote",
           "network-assign 1", "network-add 1 -65536 Vera",
           "network-add 2 -256 Bob", "game-ready 2", "game-ready 1", "game-size 2 2")  # fmt: skip
JOINED1 = ("info-version 1 7", "network-assign 1", "player-count 2", "player-new 0 0 Host", "player-new 1 0 Client 1",
           "grid-size 2x2", "grid-reset")  # fmt: skip
STARTED = {
    "1": (*JOINED1, "game-start", "game-play 0 false 0, 0"),
    "2": (*JOINED2, "game-start", "game-play 0 0,0 hor"),
    "3": (
        *JOINED3,
        "game-start",
        "game-join 1",
        "game-join 2",
        "game-current 2",
        "game-line 2 0 0 hor",
        "game-current 1",
    ),
}
FEATURES = "info-features chat vote random-start random-order"

every_version = pytest.mark.parametrize("version", STARTED)


def visitor(*lines: str, name: str = "Vera", **query: str) -> Visitor:
    """A client that has heard these lines, half a second after each other."""
    found = Visitor(NETDOT, lambda moves: moves[0], name=name, query=query)
    found.open()
    hear(found, *lines)
    return found


def hear(who: Visitor, *lines: str) -> None:
    for line in lines:
        who.feed(line.encode() + b"\n")
        who.advance(0.5)


def said(who: Visitor) -> list[str]:
    """What the client has sent since the last time."""
    lines = [data.decode().rstrip("\n") for data in who.sent]
    who.sent.clear()
    return lines
