"""The Glendy wire, both revisions: a trapper and a rabbit over lines of text."""

from collections.abc import Callable

from parlour.core.errors import Refused
from parlour.core.game import LEVELS
from parlour.core.session import DoorKey, WireProtocol
from parlour.core.words import Cap
from parlour.games.glenda import GAME
from parlour.protocols.glendy.client import GlendyClient
from parlour.protocols.glendy.codec import GlendyCodec
from parlour.protocols.glendy.server import GlendyServer


def _one_of(*words: str) -> Callable[[str], None]:
    def check(value: str) -> None:
        if value not in words:
            raise ValueError(f"must be one of {', '.join(words)}")

    return check


def _seconds(value: str) -> None:
    if not value.isascii() or not value.replace(".", "", 1).isdigit():
        raise ValueError("must be a number of seconds, 0 or more")


def _walls(value: str) -> None:
    try:
        GAME.options({"walls": value})
    except Refused as refused:
        raise ValueError("must be easy, medium, hard, none, a count up to 60, or a list such as 0 0;3 4") from refused


PROTOCOL = WireProtocol(
    name="glendy",
    title="Glendy, both revisions",
    label="Glendy",
    caps=Cap.NONE,
    ports=((1768, {}), (1769, {"hello": "required"})),
    keys={
        "opponent": DoorKey("human", _one_of("human", "engine", "visit")),
        "level": DoorKey("medium", _one_of(*LEVELS)),
        "wait": DoorKey("0", _seconds),
        "walls": DoorKey("easy", _walls),
        "hello": DoorKey("auto", _one_of("auto", "required")),
        "nudge": DoorKey("yes", _one_of("yes", "no")),
    },
    codec=GlendyCodec(),
    serve=GlendyServer,
    visit=GlendyClient,
)
