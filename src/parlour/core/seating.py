"""Who is here: participants, and the seats they sit in."""

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from parlour.core.vocab import Cap, Joined, Kind, Resumed, Told

if TYPE_CHECKING:
    from parlour.core.table import Table


def digest(token: str) -> str:
    """What is stored of a seat's token: enough to recognise it, useless to whoever reads the log."""
    return hashlib.blake2b(token.encode(), digest_size=16).hexdigest()


ANON = "Anon"
"""Whoever has not said a name."""


class Keeper(Protocol):
    """Whoever must know when a participant goes, beyond the table."""

    def gone(self, who: "Participant") -> None:
        """The participant has left whatever table there was, and does not come back."""
        ...

    def speaker(self, who: "Participant") -> "Participant":
        """Who speaks for the person behind this connection: mostly the same."""
        ...


class Participant:
    """Somebody connected, by whatever wire: a person's session or an engine. `tell` reaches them."""

    __slots__ = (
        "account",
        "address",
        "caps",
        "keeper",
        "kind",
        "level",
        "mark",
        "name",
        "seat",
        "table",
        "tell",
        "waiting_in",
        "wire",
    )

    def __init__(
        self,
        tell: Callable[[Told], None],
        name: str = ANON,
        wire: str = "",
        caps: Cap = Cap.NONE,
        kind: Kind = Kind.PERSON,
        level: str = "",
    ) -> None:
        self.tell = tell
        self.name = name
        self.wire = wire
        self.caps = caps
        self.kind = kind
        self.level = level
        self.table: Table | None = None
        self.seat: int | None = None
        self.waiting_in: object | None = None
        self.address = ""
        """Where the connection comes from, unless from this machine."""
        self.account = ""
        """The registered name, once somebody has shown to be its owner."""
        self.mark = ""
        """What the wire knows somebody by who comes again, if it does."""
        self.keeper: Keeper | None = None


class Seat:
    """A chair at a table. Empty, taken by somebody present, or held for somebody who may come back."""

    __slots__ = ("account", "caps", "held", "key", "kind", "level", "name", "ready", "since", "who", "wire")

    def __init__(self, joined: Joined) -> None:
        self.name = joined.name
        self.wire = joined.wire
        self.kind = joined.kind
        self.caps = Cap(joined.caps)
        self.key = joined.key
        self.level = joined.level
        self.account = joined.account
        self.held = False
        self.since = 0.0
        """When the player was last gone."""
        self.ready = False
        self.who: Participant | None = None
        """The live connection; never part of the log, so None after a restart."""

    def hold(self, at: float) -> None:
        """The player is gone from now on, and may come back."""
        self.held, self.since = True, at

    def resume(self, resumed: Resumed) -> None:
        """The player is back, perhaps in another program."""
        self.held = False
        self.key = resumed.key or self.key
        if resumed.wire:
            self.wire, self.caps = resumed.wire, Cap(resumed.caps)
