"""What a log has to offer. The log is the truth: acknowledged means logged."""

import re
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Protocol

import msgspec

from parlour.core.erasing import Erasure
from parlour.core.errors import LocalError
from parlour.core.game import Options
from parlour.core.house.bans import Ban
from parlour.core.rated import Outcome, Rating
from parlour.core.standings import Tally
from parlour.core.table.table import Table
from parlour.core.words import Kind, Reason, Record


def shown(url: str) -> str:
    """An address without its password."""
    return re.sub(r"(?<=://)([^:@/]*):[^@]*@", r"\1@", url)


class NoSuchGame(LocalError):
    """The log is fine, but has no game of that name."""


class Fenced(LocalError):
    """The log is fine, but another server writes it now: what was not committed is void, and its tables live there.

    Of a batch for several shelves, only what was for these is concerned; the rest is written.
    """

    def __init__(self, sentence: str, shelves: Set[int] = frozenset()) -> None:
        super().__init__(sentence)
        self.shelves = shelves


class NameTaken(LocalError):
    """The archive is fine, but another has registered that name, or one that looks like it, elsewhere meanwhile."""


Done = Callable[[LocalError | None], None]
"""Is called with None, or with what went wrong."""


class StoredAccount(msgspec.Struct, frozen=True):
    """A registered name, as its owner spells it."""

    name: str
    password: str
    """Its hash."""
    email: str
    created: float


Standing = tuple[str, str, Tally]
"""Game, account, and how it has done there."""


RatingsKept = tuple[list[Rating], list[Outcome]]
"""Every account's last rating on every ladder, and the rated games that came after the last of them, in order."""


class StoredPlayer(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who sat where in a game."""

    seat: int
    name: str
    wire: str
    kind: Kind
    level: str = ""
    """Of an engine; "bot" of a program that says it is one."""
    account: str = ""
    """The registered name, if there is one."""


class StoredMove(msgspec.Struct, frozen=True):
    seq: int
    """Counts the moves of the game from 1."""
    seat: int
    move: str
    at: float


class StoredComing(msgspec.Struct, frozen=True):
    """A player sat down at the table of a game, or stood up, when so many of its moves were made."""

    after: int
    seat: int
    name: str
    came: bool


class StoredResult(msgspec.Struct, frozen=True):
    """One of a registered player's games."""

    id: str
    game: str
    at: float
    seat: int
    outcome: str
    """`win`, `loss` or `tie`."""
    rated: bool
    players: tuple[StoredPlayer, ...]
    moves: int


class StoredEnd(msgspec.Struct, frozen=True):
    """How a game ended. The fields are the keys of `result` in what is exported, in order."""

    winners: tuple[int, ...]
    scores: tuple[int, ...]
    reason: Reason

    @property
    def is_void(self) -> bool:
        """Whether the game has no result: abandoned, and won by no one."""
        return self.reason is Reason.ABANDONED and not self.winners

    @property
    def is_draw(self) -> bool:
        return not self.winners and not self.is_void


class StoredGame(msgspec.Struct, frozen=True):
    """One game of the log, without its moves."""

    id: str
    table: str
    game: str
    options: Options
    players: tuple[StoredPlayer, ...]
    status: str
    """`waiting`, `playing`, `finished` or `abandoned`."""
    moves: int
    started: float | None
    result: StoredEnd | None


class Batch:
    """The records of one wake-up, on their way into the log together. They are spelled when they are written."""

    __slots__ = ("rows",)

    def __init__(self) -> None:
        self.rows: list[tuple[Table, Record]] = []
        """None when nothing needs to be written."""

    def append(self, table: Table, record: Record) -> None:
        self.rows.append((table, record))

    @property
    def tables(self) -> Set[Table]:
        """The tables whose fate depends on this batch."""
        return {table for table, _ in self.rows}


class Journal(Protocol):
    """What tables are written to. `done` is called before `commit` returns, or later from another thread."""

    def next_table(self) -> int:
        """A table number never used before."""
        ...

    def batch(self) -> Batch: ...

    def commit(self, batch: Batch, done: Done) -> None:
        """Write the batch, whole or not at all; then call `done` with None, or with what went wrong: a `Fenced` if
        others write this log now."""
        ...


class Log(Journal, Protocol):
    """The log of the tables that one server keeps."""

    @property
    def waits(self) -> bool:
        """Whether a commit waits for a disk or for other processes, so that a few large ones are better than many."""
        ...

    def probe(self, done: Done) -> None:
        """Try whether anything can be written at all; then call `done` like `commit` does."""
        ...

    def check(self, done: Done) -> None:
        """Try whether the log is written where it should lie; then call `done` like `commit` does."""
        ...

    def unfinished(self) -> Iterator[tuple[int, list[Record]]]:
        """The tables that are not closed, each with its number and every record; for recovery."""
        ...

    def close(self) -> None: ...


class Archive(Protocol):
    """What is known beyond the tables that are open: accounts, and what games came to. `done` is as of a `Log`."""

    def away(self) -> LocalError | None:
        """The reason why registering and logging in fail now; None while they work."""
        ...

    def accounts(self) -> Iterator[StoredAccount]:
        """Every registered name."""
        ...

    def standings(self) -> Iterator[Standing]:
        """What the log knows of every account's games; of a batch that is not committed yet, nothing."""
        ...

    def ratings(self) -> RatingsKept:
        """What is kept of every account's ratings; of a batch that is not committed yet, nothing."""
        ...

    def keep_ratings(self, ratings: Sequence[Rating], done: Done) -> None:
        """Write the ratings of closed periods; then call `done` like `commit` does."""
        ...

    def keep_account(self, account: StoredAccount, done: Done) -> None:
        """Write an account, new or with a new password; then call `done` like `commit` does."""
        ...

    def drop_account(self, erasure: Erasure, done: Done) -> None:
        """Forget an account, and let its games be an alias's; then call `done` like `commit` does."""
        ...

    def close(self) -> None: ...


class Store(Log, Archive, Protocol):
    """Both in one, as a single server has it."""


class Library(Protocol):
    """A log to read from, while a server may be writing to it."""

    def games(self, after: str = "") -> Iterator[StoredGame]:
        """Every game, the oldest first; with an id, those after that one. Raises NoSuchGame."""
        ...

    def latest(self, most: int, before: str = "", game: str = "", player: str = "") -> list[StoredGame]:
        """At most so many games that have begun, the latest first. Raises NoSuchGame.

        An id tells where to go on, before that game; a game's key and a name, in any case, what to look for.
        """
        ...

    def named(self, ids: Sequence[str]) -> list[StoredGame]:
        """The games with these ids, in this order; those that there are."""
        ...

    def game(self, game_id: str) -> tuple[StoredGame, list[StoredMove]]:
        """Raises NoSuchGame when there is none of this id."""
        ...

    def comings(self, game_id: str) -> list[StoredComing]:
        """Who sat there when the game began, then who went and who came while it ran. Raises NoSuchGame."""
        ...

    def results(self, account: str, most: int) -> list[StoredResult]:
        """The last games of a registered player, the latest first."""
        ...

    def ratings_of(self, account: str) -> list[Rating]:
        """A player's rating at the end of each period, in order."""
        ...

    def bans(self) -> list[Ban]:
        """Everyone who may not come in, in the order of the alphabet; also those whose time is over."""
        ...

    def accounts(self) -> list[StoredAccount]:
        """Every registered name."""
        ...

    def close(self) -> None: ...
