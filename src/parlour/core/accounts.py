"""Registered names: what can go wrong with one, and a house that has none."""

import enum
from collections.abc import Callable
from typing import NamedTuple

from parlour.core.errors import Banned, TooMuch

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
    FAILED = "failed"


Objection = Trouble | TooMuch | Banned | None
AccountCallback = Callable[[Objection], None]
"""Called later, on the loop, with None when all is well."""


class Source(NamedTuple):
    """Where a question comes from."""

    door: str
    address: str


def folded(name: str) -> str:
    """The key by which a registered name is kept. Which names look alike is in `names.py`."""
    return name.casefold()


class NoAccounts:
    """A house without accounts: every player is a guest."""

    def registered(self, name: str) -> str | None:  # noqa: ARG002
        return None

    def password_digest(self, name: str) -> str:  # noqa: ARG002
        return ""

    def check(self, name: str, password: str, source: Source, done: AccountCallback) -> None:  # noqa: ARG002
        done(Trouble.UNKNOWN)

    def change(self, name: str, password: str, source: Source, done: AccountCallback) -> None:  # noqa: ARG002
        done(Trouble.UNKNOWN)

    def withdraw(self, name: str) -> None:
        """There is none to withdraw."""

    def remove(self, name: str, alias: str, done: AccountCallback) -> None:  # noqa: ARG002
        done(Trouble.UNKNOWN)

    def register(self, name: str, password: str, email: str, source: Source, done: AccountCallback) -> None:  # noqa: ARG002
        done(Trouble.CLOSED)
