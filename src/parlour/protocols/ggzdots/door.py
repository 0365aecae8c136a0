"""What a host may say about a bare Dots door, and what a session makes of it."""

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from parlour.core.keys import LEVEL, WAIT, one_of, seconds
from parlour.core.session import Do, Door, DoorKey, Outputs
from parlour.core.words import LOBBY, First, Policy, Seek
from parlour.protocols.ggzdots.dialect import LARGEST

KEYS: Mapping[str, DoorKey] = {
    "opponent": one_of("human", "engine"),
    "level": LEVEL,
    "wait": WAIT,
}

POLICY: Policy = msgspec.structs.replace(LOBBY, players=2, first=First.SEAT_0)
"""Of tables for Dots. With the original server seat 0 begins every game, and programs that look on count on it."""


def find(door: Door) -> Outputs:
    """What a person who comes through this door wants. Sessions of one door share it."""
    return _find(door.name, *(door.keys[name] for name in KEYS))


@lru_cache(maxsize=64)
def _find(name: str, opponent: str, level: str, wait: str) -> Outputs:
    """General Procedures: the board is asked for at the table, so no options are given here."""
    policy = msgspec.structs.replace(POLICY, key=name, wait=seconds(wait), level=level)
    return (Do(Seek("dots", {}, opponent, level, policy=policy, most=LARGEST)),)
