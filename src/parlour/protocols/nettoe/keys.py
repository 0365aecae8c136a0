"""What a host may say about a netToe door."""

import math
from collections.abc import Mapping

from parlour.core.game import LEVELS
from parlour.core.names import visible
from parlour.core.session import DoorKey
from parlour.protocols.nettoe.messages import NAME_BYTES


def _one_of(*words: str) -> DoorKey:
    def check(value: str) -> None:
        if value not in words:
            raise ValueError(f"must be one of {', '.join(words)}")

    return DoorKey(words[0], check)


def _check_level(value: str) -> None:
    if value not in LEVELS:
        raise ValueError(f"must be one of {', '.join(LEVELS)}")


def _check_wait(value: str) -> None:
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ValueError("must be a number of seconds, 0 or more")


def _check_name(value: str) -> None:
    if not value or visible(value) != value or len(value.encode()) >= NAME_BYTES:
        raise ValueError(f"must be printable, and 1 to {NAME_BYTES - 1} bytes long")


KEYS: Mapping[str, DoorKey] = {
    "opponent": _one_of("engine", "human", "visit"),
    "level": DoorKey("medium", _check_level),
    "wait": DoorKey("0", _check_wait),
    "name": DoorKey("Parlour", _check_name),
}
