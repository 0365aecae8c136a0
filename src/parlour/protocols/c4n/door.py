"""What a host may say about a ConnectI4n door, and what a session makes of it."""

import re
from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter

import msgspec

from parlour.core.keys import LEVEL, WAIT, one_of, seconds
from parlour.core.session import DoorKey
from parlour.core.words import Seek

_SIZE = re.compile(r"([0-9]{1,2})x([0-9]{1,2})", re.ASCII)
_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)
SMALLEST, LARGEST = 4, 12


def size(value: str) -> tuple[int, int]:
    """Columns and rows."""
    found = _SIZE.fullmatch(value)
    sides = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(SMALLEST <= side <= LARGEST for side in sides):
        raise ValueError(f"must be COLUMNSxROWS, each {SMALLEST} to {LARGEST}, as in 7x6")
    return sides


def _most(value: str) -> int:
    """How many games at once; nothing, or 0, is as many as come."""
    if value and not _WHOLE.fullmatch(value):
        raise ValueError("must be a number of games")
    return int(value or 0)


KEYS: Mapping[str, DoorKey] = {
    "opponent": one_of("engine", "human", "visit"),
    "level": LEVEL,
    "wait": WAIT,
    "mode": one_of("document", "original"),
    "size": DoorKey("7x6", size),
    "max": DoorKey("", _most),
}


_values = itemgetter(*KEYS)


class Plan(msgspec.Struct, frozen=True):
    """A door's policy, read."""

    seek: Seek
    original: bool
    """Whether to go by the original server rather than by the document."""
    most: int


def plan(keys: Mapping[str, str]) -> Plan:
    """What the door's keys mean for a client that sends START. Sessions of one door share it."""
    return _plan(*_values(keys))


@lru_cache(maxsize=64)
def _plan(opponent: str, level: str, wait: str, mode: str, board: str, most: str) -> Plan:
    columns, rows = size(board)
    original = mode == "original"
    # The original's AI moves first, so that its client sits in the second seat; people sit in order of arrival.
    seat = 1 if original and opponent == "engine" else None
    seek = Seek("connect4", {"columns": columns, "rows": rows}, opponent, level, seconds(wait), seat)
    return Plan(seek, original, _most(most))
