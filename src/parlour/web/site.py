"""What the pages and the API know of the house they stand in; the server hands it in."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Literal, Protocol

import msgspec

from parlour.core.house.hub import Hub
from parlour.core.words import Record
from parlour.protocols.web.answers import Answer
from parlour.protocols.web.messages import FromClient
from parlour.protocols.web.passport import Passport
from parlour.protocols.web.programs import Observer
from parlour.protocols.web.seal import Seal
from parlour.ratings.book import Book
from parlour.web.desk import Desk
from parlour.web.names import Names
from parlour.web.reading import Reading


class DoorRow(msgspec.Struct, frozen=True):
    """A door: what the user of another program needs to know of it."""

    name: str
    host: str
    port: int
    title: str
    tls: bool = False
    """Whether browsers come to it by https."""
    path: str = ""
    """What the paths of its pages begin with."""

    def url(self, host: str) -> str:
        """Where its pages are for a browser that knows it by this host."""
        scheme = "https" if self.tls else "http"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.port}{self.path}"


class Health(msgspec.Struct, frozen=True):
    """Whether the server is well, and if not, why."""

    status: Literal["ok", "failing"]
    failed: list[str]
    """Which of `log`, `disk` and `loop`."""
    text: str
    """What is wrong, for people."""
    log: Literal["ok", "failing", "none"]
    """`none` where nothing is written."""
    disk_free: int | None
    """Bytes left where the log is."""
    loop_lag: float
    """Seconds for which the server stood still, at most, in the last while."""
    archive: Literal["ok", "away"] | msgspec.UnsetType = msgspec.UNSET
    """Of a node: whether the database answers. Games go on without it, so this is no failure of the node."""
    archive_lag: float | msgspec.UnsetType = msgspec.UNSET
    """Of a node: for how many seconds the oldest record has waited to get there."""


class Connection(Protocol):
    """The connection of a program that plays through the API."""

    @property
    def seat(self) -> int | None:
        """Where it sits just now."""
        ...

    async def ask(self, message: FromClient) -> list[Answer | Record] | None:
        """Returns what the program is told at once, when that is in the log; None after the end. Raises TooMuch."""
        ...

    def lines(self, beat: float) -> AsyncIterator[bytes]:
        """Yields what is told until the session ends it, and an empty line after so many seconds of silence."""
        ...

    def hang_up(self) -> None: ...


Connect = Callable[[str, Passport | None, Observer], Connection]
"""Makes a connection for a client at an address; with no passport it is a stranger's."""


class Site:
    """One per server, whatever the number of its doors for browsers."""

    def __init__(
        self,
        hub: Hub,
        connect: Connect,
        log: Reading | None,
        seal: Seal,
        book: Book,
        desk: Desk,
        flushed: Callable[[], Awaitable[None]],
        health: Callable[[], Awaitable[Health]],
        archive_lag: Callable[[], float | msgspec.UnsetType] = lambda: msgspec.UNSET,
    ) -> None:
        self.hub = hub
        self.connect = connect
        self.log = log
        """None where the server keeps everything in memory."""
        self.seal = seal
        self.book = book
        """The ratings."""
        self.desk = desk
        self.flushed = flushed
        """Until all that has happened is in the log: what is told before might never have been."""
        self.health = health
        self.archive_lag = archive_lag
        self.names = Names()
        self.doors: tuple[DoorRow, ...] = ()
        """Filled in when all are open; none while the server starts."""
