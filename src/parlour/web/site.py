"""What the pages and the API know of the house they stand in; the server hands it in."""

from collections.abc import AsyncIterator, Callable
from typing import Protocol

import msgspec

from parlour.core.hub import Hub
from parlour.protocols.web.seal import Seal
from parlour.web.reading import Reading


class DoorRow(msgspec.Struct, frozen=True):
    """A door, as somebody with another program needs to know it."""

    name: str
    host: str
    port: int
    title: str


class Ears(Protocol):
    """Asks what a browser could ask on its WebSocket, in one line of JSON, and hears what a browser would be told."""

    def listen(self, line: bytes, address: str) -> AsyncIterator[bytes]:
        """Every message there is to it, until the house ends it."""
        ...

    async def ask(self, line: bytes, answer: str, address: str) -> bytes | None:
        """The first message of type `answer`; None when the question is refused."""
        ...


class Site:
    """One per server, whatever the number of its doors for browsers."""

    def __init__(self, hub: Hub, ears: Ears, log: Reading | None, seal: Seal) -> None:
        self.hub = hub
        self.ears = ears
        self.log = log
        """None where the server keeps everything in memory."""
        self.seal = seal
        self.doors: tuple[DoorRow, ...] = ()
        """Filled in when all are open."""
        self.connections: Callable[[], int] = lambda: 0
