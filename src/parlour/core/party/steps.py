"""What a decision consists of: steps that the hub takes one after another, each before the next one is asked for.

So a decision reads like a story: it refuses before its first step or not at all, and what it looks at after a step is
the table as that step has left it.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Protocol

import msgspec

from parlour.core.errors import Refusal
from parlour.core.table.people import Participant
from parlour.core.updates import Announced, ChairsChanged, Update
from parlour.core.words import AnyEvent


class Attach(msgspec.Struct, frozen=True):
    """This connection speaks for the member from now on; with `welcome` it is told where it is."""

    who: Participant
    member: int
    token: str = ""
    welcome: bool = True
    code: str = ""
    """By which the person may go on elsewhere, if they know one already."""


class Detach(msgspec.Struct, frozen=True):
    """This connection is no longer at the table."""

    who: Participant


class Tell(msgspec.Struct, frozen=True):
    """Tell this connection alone."""

    who: Participant
    update: Update


OtherStep = Attach | Detach | Tell | Announced | ChairsChanged
Steps = Iterator[AnyEvent | OtherStep]


class House(Protocol):
    """What a decision needs to know beyond the table."""

    @property
    def at(self) -> float:
        """The time."""
        ...

    @property
    def rng(self) -> Random:
        """The dice, which may be seeded."""
        ...

    @property
    def new_secret(self) -> Callable[[int], str]:
        """A fresh unguessable word of so many characters: ids and tokens, never from the seeded dice."""
        ...

    def name_for(self, name: str, account: str = "") -> str:
        """The name by which a person is known who asks for this one. Raises Refused."""
        ...

    @property
    def refusing(self) -> Refusal | None:
        """Why no new game may begin, if so."""
        ...
