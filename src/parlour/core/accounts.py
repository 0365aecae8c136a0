"""Registered names: what can go wrong with one, and a house that has none."""

import enum
from collections.abc import Callable

LONGEST_NAME = 16
"""Letters and bytes of a registered name: the shortest field any wire has for it."""


class Trouble(enum.Enum):
    """Why a name was not given, or not given back. The value is its word."""

    UNKNOWN = "unknown"
    WRONG_PASSWORD = "wrong-password"  # noqa: S105 - a word, not a secret
    TAKEN = "taken"
    BAD_NAME = "bad-name"
    POOR_PASSWORD = "poor-password"  # noqa: S105 - a word, not a secret
    CLOSED = "closed"
    BUSY = "busy"
    FAILED = "failed"


Verdict = Callable[[Trouble | None], None]
"""Called later, on the loop, with None when all is well."""


def folded(name: str) -> str:
    """What two spellings of one registered name have in common."""
    return name.casefold()


class NoAccounts:
    """A house without accounts: every player is a guest."""

    def registered(self, name: str) -> str | None:  # noqa: ARG002
        return None

    def mark(self, name: str) -> str:  # noqa: ARG002
        return ""

    def check(self, name: str, password: str, done: Verdict) -> None:  # noqa: ARG002
        done(Trouble.UNKNOWN)

    def change(self, name: str, password: str, done: Verdict) -> None:  # noqa: ARG002
        done(Trouble.UNKNOWN)

    def withdraw(self, name: str) -> None:
        """There is none to withdraw."""

    def remove(self, name: str, alias: str, done: Verdict) -> None:  # noqa: ARG002
        done(Trouble.UNKNOWN)

    def register(self, name: str, password: str, email: str, done: Verdict) -> None:  # noqa: ARG002
        done(Trouble.CLOSED)
