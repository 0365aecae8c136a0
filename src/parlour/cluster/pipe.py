"""Wires whose sessions live with the owner, because they read what only the owner has: bytes are passed on, both ways.

An owner that dies takes these conversations with it. A wire that can say so says it, and then the connection ends.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, cast

import msgspec

from parlour.core.errors import Refused
from parlour.core.house.gate import CONNECTIONS, Identity
from parlour.core.session import Door, WireProtocol
from parlour.server.house import House
from parlour.server.link import Link, refusal_text

LONGEST_HEAD = 4096

Way = Callable[[asyncio.Protocol], Awaitable[None]]
"""Lets this protocol be connected to where the sessions live. Raises OSError."""


def unix_way(path: str) -> Way:
    """To a socket of this machine."""

    async def go(inner: asyncio.Protocol) -> None:
        await asyncio.get_running_loop().create_unix_connection(lambda: inner, path)

    return go


class Head(msgspec.Struct, frozen=True, array_like=True):
    """What goes before the bytes of a connection: the number of its door, and where it comes from."""

    door: int
    address: str


class PipedLink(asyncio.Protocol):
    """The edge's end: a connection from outside."""

    def __init__(self, house: House, wire: WireProtocol, door: Door, number: int, way: Way) -> None:
        self._house = house
        self._wire = wire
        self._door = door
        self._number = number
        self._way = way
        self.transport: asyncio.Transport | None = None
        self._inner: PipeToOwner | None = None
        self._address = ""
        self._admitted = False
        self._opening: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self._address = peer[0] if isinstance(peer, tuple) else ""
        try:
            self._house.admit(self._address)
        except Refused as refused:
            session = self._wire.serve(self._door)
            words = session.full(refused.why, refusal_text(refused))
            self.transport.write(b"".join(word for word in words if isinstance(word, bytes)))
            self.transport.close()
            return
        self._admitted = True
        self.transport.pause_reading()
        self._opening = asyncio.get_running_loop().create_task(self._open())

    async def _open(self) -> None:
        inner = PipeToOwner(self)
        try:
            await self._way(inner)
        except OSError:
            self.end()
            return
        self._inner = inner
        assert inner.transport is not None
        inner.transport.write(msgspec.json.encode(Head(self._number, self._address)) + b"\n")
        if self.transport is None:
            inner.transport.abort()
        else:
            self.transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        if self._inner is not None and self._inner.transport is not None:
            self._inner.transport.write(data)

    def eof_received(self) -> bool:
        if self._inner is not None and self._inner.transport is not None:
            self._inner.transport.write_eof()
        return True

    def pause_writing(self) -> None:
        if self._inner is not None and self._inner.transport is not None:
            self._inner.transport.pause_reading()

    def resume_writing(self) -> None:
        if self._inner is not None and self._inner.transport is not None:
            self._inner.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        if self._admitted:
            self._house.gate.refund(CONNECTIONS, Identity(address=self._address))
        if self._inner is not None and self._inner.transport is not None:
            if exc is None:
                self._inner.transport.close()
            else:
                self._inner.transport.abort()

    def end(self) -> None:
        """There is no more to come."""
        if self.transport is not None:
            self.transport.close()


class PipeToOwner(asyncio.Protocol):
    """The edge's connection to the owner, for one from outside."""

    def __init__(self, mouth: PipedLink) -> None:
        self._mouth = mouth
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._mouth.transport is not None:
            self._mouth.transport.write(data)

    def eof_received(self) -> bool:
        if self._mouth.transport is not None:
            with suppress(OSError):  # the peer may have gone already
                self._mouth.transport.write_eof()
        return True

    def pause_writing(self) -> None:
        if self._mouth.transport is not None:
            self._mouth.transport.pause_reading()

    def resume_writing(self) -> None:
        if self._mouth.transport is not None:
            self._mouth.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self.transport = None
        self._mouth.end()


class PipeFromEdge(asyncio.Protocol):
    """The owner's end: reads who is there, then leaves the connection to the driver of every wire."""

    def __init__(self, house: House, doors: dict[int, tuple[WireProtocol, Door]]) -> None:
        self._house = house
        self._doors = doors
        self._head = b""
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._head += data
        line, found, rest = self._head.partition(b"\n")
        if not found:
            if len(self._head) > LONGEST_HEAD:
                self._transport.abort()
            return
        head = msgspec.json.decode(line, type=Head)
        wire, door = self._doors[head.door]
        link = Link(self._house, wire, door)
        link.address = head.address
        self._transport.set_protocol(link)
        link.connection_made(self._transport)
        if rest:
            link.data_received(rest)
