"""What a host may say about a bare Dots door, and what a session makes of it."""

from collections.abc import Mapping
from functools import lru_cache

from parlour.core.keys import LEVEL, WAIT, one_of, seconds
from parlour.core.roomwords import FindPair
from parlour.core.session import Do, Door, Key, Outputs
from parlour.protocols.ggzdots.dialect import LARGEST

KEYS: Mapping[str, Key] = {
    "opponent": one_of("human", "engine"),
    "level": LEVEL,
    "wait": WAIT,
}


def find(door: Door) -> Outputs:
    """What somebody who comes through this door wants. Sessions of one door share it."""
    return _find(door.name, *(door.keys[name] for name in KEYS))


@lru_cache(maxsize=64)
def _find(name: str, opponent: str, level: str, wait: str) -> Outputs:
    return (Do(FindPair(name, LARGEST, opponent, level, seconds(wait))),)
