"""Registered names: what can go wrong with one, and a house that has none."""

import enum
from collections.abc import Callable

LONGEST_NAME = 16
"""Letters and bytes of a registered name: the shortest field any wire has for it."""


class Trouble(enum.Enum):
    """Why a name was not given, or not given back. The value is the sentence a person may read."""

    UNKNOWN = "There is no such account."
    WRONG_PASSWORD = "That is not the password of this account."  # noqa: S105 - a sentence, not a secret
    TAKEN = "That name is registered already."
    BAD_NAME = "That is not a name that can be registered."
    POOR_PASSWORD = "That password is too short or too long."  # noqa: S105
    CLOSED = "This server registers no names."
    BUSY = "Too many people are logging in just now: please try again."
    FAILED = "The server could not do that: please try again later."


Verdict = Callable[[Trouble | None], None]
"""Called later, on the loop, with None when all is well."""


def folded(name: str) -> str:
    """What two spellings of one registered name have in common."""
    return name.casefold()


class NoAccounts:
    """A house where everybody is a guest."""

    def registered(self, name: str) -> str | None:  # noqa: ARG002
        return None

    def mark(self, name: str) -> str:  # noqa: ARG002
        return ""

    def check(self, name: str, password: str, done: Verdict) -> None:  # noqa: ARG002
        done(Trouble.UNKNOWN)

    def change(self, name: str, password: str, done: Verdict) -> None:  # noqa: ARG002
        done(Trouble.UNKNOWN)

    def register(self, name: str, password: str, email: str, done: Verdict) -> None:  # noqa: ARG002
        done(Trouble.CLOSED)
