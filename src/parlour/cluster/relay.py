"""One connection between two processes of a house: frames in, frames out."""

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, cast

from parlour.cluster.frames import Item, Unframing, framed
from parlour.core.errors import LocalError
from parlour.server.lifecycle import BACKLOG, listening_socket

UNSENT = 256 << 20
"""Bytes that the other process may leave unread before it counts as dead."""


def parse(address: str) -> tuple[str, int] | str:
    """`unix:PATH`, or `HOST:PORT`. Raises LocalError."""
    if address.startswith("unix:"):
        return address.removeprefix("unix:")
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit():
        raise LocalError(f"a relay is unix:PATH or HOST:PORT, not {address!r}")
    return host.strip("[]"), int(port)


def unix_socket(path: str) -> socket.socket:
    """Listens there, in the place of one that has died."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.bind(path)
    sock.listen(BACKLOG)
    sock.setblocking(False)
    return sock


async def listen(factory: "Callable[[], Relay]", address: str) -> asyncio.Server:
    """Let other processes come to this address. Raises LocalError."""
    loop, place = asyncio.get_running_loop(), parse(address)
    if isinstance(place, str):
        return await loop.create_unix_server(factory, sock=unix_socket(place))
    return await loop.create_server(factory, sock=listening_socket(*place))


async def connect(relay: "Relay", address: str) -> None:
    """Raises OSError when no one is there, and LocalError for what is no address."""
    loop, place = asyncio.get_running_loop(), parse(address)
    if isinstance(place, str):
        await loop.create_unix_connection(lambda: relay, place)
    else:
        await loop.create_connection(lambda: relay, *place)


class Relay(asyncio.Protocol):
    """One end. Subclasses say what is done with items, and when the other end is there and gone.

    It stands among the connections of its house: what is held for it goes out together, when that may be told.
    """

    kinds: Any
    participant = None
    queue = None
    waits = 0

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self._unframing = Unframing(self.kinds)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._unframing = Unframing(self.kinds)

    def data_received(self, data: bytes) -> None:
        try:
            for items in self._unframing.feed(data):
                self.receive(items)
        except LocalError as error:
            self.complain(str(error))
            self.cut()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        if self.transport is not None:
            self.transport = None
            self.lost()

    def send(self, items: Sequence[Item]) -> None:
        """Say this at once."""
        if self.transport is not None and items:
            self.transport.write(framed(items))
            if self.transport.get_write_buffer_size() > UNSENT:
                self.cut()

    def cut(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def receive(self, items: list[Any]) -> None:
        """The other end has said this."""

    def lost(self) -> None:
        """The other end is gone."""

    def complain(self, sentence: str) -> None:
        """Tell the host."""
