"""What the hub needs from the world outside the core."""

from typing import Protocol

from parlour.core.accounts import AccountCallback, Source
from parlour.core.game import Game
from parlour.core.rated import Outcome
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.words import Record


class Journal(Protocol):
    """Where records go before anyone may hear of them."""

    def append(self, table: Table, record: Record) -> None: ...

    def next_table(self) -> int:
        """A table number never used before."""
        ...


class Engines(Protocol):
    """Provides engines as opponents."""

    def hire(self, game: Game, level: str, name: str) -> Participant:
        """An engine that will move by itself once it is seated."""
        ...


class Ratings(Protocol):
    """Reckons the ratings of registered players."""

    def note(self, outcome: Outcome) -> None:
        """A rated game is over."""
        ...

    def rating(self, ladder: str, account: str, at: float) -> int | None:
        """The rating of this account now; None when it has played no rated game on this ladder."""
        ...


class NoRatings:
    """A house without ratings."""

    def note(self, outcome: Outcome) -> None:
        """Forget it."""

    def rating(self, ladder: str, account: str, at: float) -> int | None:  # noqa: ARG002
        return None


class Accounts(Protocol):
    """Keeps registered names and their passwords. Names that look alike are one name."""

    def registered(self, name: str) -> str | None:
        """This name as its owner spells it; None when it is not registered."""
        ...

    def password_digest(self, name: str) -> str:
        """A digest that changes with the password of this account; empty when there is no account."""
        ...

    def check(self, name: str, password: str, source: Source, done: AccountCallback) -> None:
        """Whether this password belongs to the name."""
        ...

    def change(self, name: str, password: str, source: Source, done: AccountCallback) -> None:
        """Give this account another password."""
        ...

    def withdraw(self, name: str) -> None:
        """From now on no one can log in by this name, nor register it, until it is removed."""
        ...

    def remove(self, name: str, alias: str, done: AccountCallback) -> None:
        """Remove an account that was withdrawn; in the log, this alias stands for it. Afterwards the name is free."""
        ...

    def register(self, name: str, password: str, email: str, source: Source, done: AccountCallback) -> None:
        """Register this name."""
        ...
