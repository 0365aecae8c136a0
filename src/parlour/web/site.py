"""What the pages and the API know of the house they stand in; the server hands it in."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol

import msgspec

from parlour.core.house.hub import Hub
from parlour.protocols.web.seal import Seal
from parlour.ratings.book import Book
from parlour.web.desk import Desk
from parlour.web.names import Names
from parlour.web.reading import Reading


class DoorRow(msgspec.Struct, frozen=True):
    """A door, as somebody with another program needs to know it."""

    name: str
    host: str
    port: int
    title: str


class Conversation(Protocol):
    """What a browser would have on its WebSocket: lines of JSON there, messages back."""

    @property
    def seat(self) -> int | None:
        """Where the caller sits just now."""
        ...

    def say(self, line: bytes) -> None: ...

    async def ask(self, line: bytes) -> list[bytes] | None:
        """Say one thing, and hear what came of it at once; None when the conversation is over. Raises TooMuch."""
        ...

    def read(self, beat: float | None = None) -> AsyncIterator[bytes]:
        """Everything that is said until the house ends it, and an empty message after so many seconds of silence."""
        ...

    def hang_up(self) -> None: ...


class Ears(Protocol):
    """Asks what a browser could ask on its WebSocket, and hears what a browser would be told."""

    def call(self, address: str) -> Conversation:
        """Begin a conversation."""
        ...

    async def ask(self, line: bytes, answer: str, address: str) -> bytes | None:
        """The first message of type `answer`; None when the question is refused."""
        ...


class Site:
    """One per server, whatever the number of its doors for browsers."""

    def __init__(
        self,
        hub: Hub,
        ears: Ears,
        log: Reading | None,
        seal: Seal,
        book: Book,
        desk: Desk,
        settled: Callable[[], Awaitable[None]],
    ) -> None:
        self.hub = hub
        self.ears = ears
        self.log = log
        """None where the server keeps everything in memory."""
        self.seal = seal
        self.book = book
        """The ratings."""
        self.desk = desk
        self.settled = settled
        """Until all that has happened is in the log: what is told before might never have been."""
        self.names = Names()
        self.doors: tuple[DoorRow, ...] = ()
        """Filled in when all are open."""
