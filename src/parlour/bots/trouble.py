"""Why the pool has no move."""

import enum

import msgspec


class Trouble(enum.Enum):
    """What went wrong."""

    FAILED = "the engine failed"
    CRASHED = "its process died"
    OVERRAN = "it thought too long"
    GREEDY = "it took too much memory"
    CROWDED = "too many are waiting"
    IMPATIENT = "no process was free in time"
    CLOSED = "the pool is closed"


class Failure(msgspec.Struct, frozen=True):
    """Why there is no move."""

    trouble: Trouble
    detail: str = ""

    @property
    def text(self) -> str:
        """One line for the log."""
        return f"{self.trouble.value}: {self.detail}" if self.detail else self.trouble.value
