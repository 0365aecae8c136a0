"""Door keys that several wires have: each with its default and its check."""

import re

from parlour.core.game import LEVELS
from parlour.core.session import DoorKey

_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,3})?", re.ASCII)


def one_of(*words: str) -> DoorKey:
    """One of these words; the first is the default."""

    def check(value: str) -> None:
        if value not in words:
            raise ValueError(f"must be {' or '.join(words)}")

    return DoorKey(words[0], check)


def level(value: str) -> None:
    """How well an engine plays."""
    if value not in LEVELS:
        raise ValueError(f"must be one of {', '.join(LEVELS)}")


def seconds(value: str) -> float:
    """A length of time."""
    if not _SECONDS.fullmatch(value):
        raise ValueError("must be a number of seconds")
    return float(value)


LEVEL = DoorKey("medium", level)
WAIT = DoorKey("0", seconds)
