"""What a host may say about a NetDot door, and what a session makes of it."""

import re
from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter

import msgspec

from parlour.core.keys import one_of
from parlour.core.session import Door, DoorKey
from parlour.core.words import FEATURES, LOBBY, Enter, First

_SIZE = re.compile(r"([0-9]{1,2})x([0-9]{1,2})", re.ASCII)
_WHOLE = re.compile(r"[0-9]{1,4}", re.ASCII)
SMALLEST, LARGEST = 2, 50
MOST_PLAYERS, MOST_BOTS, MOST_READY = 16, 15, 16
ART = "lobby-art"
"""Our own feature: lines may be drawn in the lobby, for fun. Spoken of only where the host has named it."""


def size(value: str) -> tuple[int, int]:
    """Dots in a row and in a column."""
    found = _SIZE.fullmatch(value)
    sides = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(SMALLEST <= side <= LARGEST for side in sides):
        raise ValueError(f"must be WIDTHxHEIGHT in dots, each {SMALLEST} to {LARGEST}, as in 8x8")
    return sides


def _whole(value: str, *, low: int, high: int, also_none: bool = False) -> int:
    number = int(value) if _WHOLE.fullmatch(value) else -1
    if low <= number <= high or (also_none and number == 0):
        return number
    raise ValueError(f"must be {'0, or ' if also_none else ''}a number from {low} to {high}")


def _players(value: str) -> int:
    return _whole(value, low=2, high=MOST_PLAYERS, also_none=True)


def _ready(value: str) -> int:
    return _whole(value, low=2, high=MOST_READY)


def _bots(value: str) -> int:
    return _whole(value, low=0, high=MOST_BOTS)


def _features(value: str) -> frozenset[str]:
    """Which are on: a list with commas, empty for none."""
    names = frozenset(value.replace(",", " ").split())
    if not names <= {*FEATURES, ART}:
        raise ValueError(f"must be a list of {', '.join((*FEATURES, ART))}")
    return names


KEYS: Mapping[str, DoorKey] = {
    "size": DoorKey("8x8", size),
    "players": DoorKey("0", _players),
    "full": one_of("watch", "room"),
    "start": one_of("auto", "ask"),
    "ready": DoorKey("2", _ready),
    "motd": DoorKey("Welcome to Parlour.", str),
    "features": DoorKey("chat", _features),
    "bots": DoorKey("0", _bots),
}


_values = itemgetter(*KEYS)


class Plan(msgspec.Struct, frozen=True):
    """A door's policy, read."""

    enter: Enter
    """The way into the door's room, for a member without a name."""
    motd: str
    art: bool
    """Whether members may draw in the lobby."""


def plan(door: Door) -> Plan:
    """What the door's keys mean for clients that come in. Sessions of one door share it."""
    return _plan(door.name, *_values(door.keys))


@lru_cache(maxsize=64)
def _plan(
    name: str, board: str, players: str, full: str, start: str, ready: str, motd: str, features: str, bots: str
) -> Plan:
    width, height = size(board)
    on = _features(features)
    policy = msgspec.structs.replace(
        LOBBY,
        first=First.SEAT_0,  # document: player 0 begins, unless random-start is on
        key=name,
        players=_players(players),
        full=full,
        start=start,
        ready=_ready(ready),
        features=tuple(sorted(on - {ART})),
        bots=_bots(bots),
    )
    return Plan(Enter("dots", {"width": width, "height": height}, policy), motd, ART in on)
