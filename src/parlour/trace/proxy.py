"""Stands between clients and a server: passes every byte on first, and tells of it afterwards.

What one side does is done to the other: bytes are passed on, a half-close is a half-close, a reset a reset, and who
does not read is not written to, so that the writer stands still as well.
"""

import asyncio
import fcntl
import os
import socket
import struct
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, cast

import msgspec

from parlour.trace.records import CUT, ENDED, OPENED, SENT, Ends, pack
from parlour.trace.spill import Feed

FLUSH_SECONDS = 5.0
"""How long what was sent before a reset may take to arrive ahead of it."""
LOOK_SECONDS = 0.005
_AT_ONCE = struct.pack("ii", 1, 0)


class Target(NamedTuple):
    """Where the server is."""

    host: str
    port: int
    address: str
    """Of the host, for those who read of it; which of several is reached shows only then."""


class Half(asyncio.Protocol):
    """One of the two connections, whose peer is the other."""

    __slots__ = ("_ended", "_feed", "_held", "_number", "_sent", "lost", "other", "sender", "transport")

    def __init__(self, feed: Feed, number: int, sender: str) -> None:
        self._feed = feed
        self._number = number
        self._sent = SENT[sender]
        self._ended = False
        self._held: set[str] = set()
        """Why this side is not listened to."""
        self.sender = sender
        self.lost = False
        self.other: Half | None = None
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        other = self.other
        if other is not None and not other.lost:
            other.send(data)
        self._feed.put(pack(self._sent, time.time_ns(), self._number, len(data)), data)

    def eof_received(self) -> bool:
        """Half of the connection is over; the other half goes on."""
        self._ended = True
        self._tell(ENDED[self.sender])
        other = self.other
        if other is not None and not other.lost:
            other.send_end()
            if other._ended:
                self._close()
                other._close()
        return True

    def send(self, data: bytes) -> None:
        """To this side's peer."""
        assert self.transport is not None
        self.transport.write(data)

    def send_end(self) -> None:
        assert self.transport is not None
        with suppress(OSError):  # it has just gone, which is told by itself
            self.transport.write_eof()

    def pause_writing(self) -> None:
        """This side does not read: the other one is not listened to."""
        if self.other is not None:
            self.other.hold("unread", True)

    def resume_writing(self) -> None:
        if self.other is not None:
            self.other.hold("unread", False)

    def hold(self, why: str, on: bool) -> None:
        """Listen to this side only while there is no reason not to."""
        before = bool(self._held)
        (self._held.add if on else self._held.discard)(why)
        if self.transport is not None and not self.lost and before != bool(self._held):
            (self.transport.pause_reading if self._held else self.transport.resume_reading)()

    def connection_lost(self, error: Exception | None) -> None:
        over, self.lost, other = self.lost, True, self.other
        if not over and (error is not None or not self._ended):
            self._tell(CUT[self.sender])
            if other is not None and not other.lost:
                other.reset()
        self.other = None

    def reset(self, until: float | None = None) -> None:
        """Cut this side off, as the other was, once what was sent before has arrived; or after a while anyway."""
        transport = self.transport
        if transport is None or self.lost:
            return
        loop = asyncio.get_running_loop()
        until = loop.time() + FLUSH_SECONDS if until is None else until
        if _unsent(transport) and loop.time() < until:
            loop.call_later(LOOK_SECONDS, self.reset, until)
            return
        self.lost = True
        link = transport.get_extra_info("socket")
        with suppress(OSError):
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        transport.abort()

    def _close(self) -> None:
        if self.transport is not None and not self.lost:
            self.transport.close()

    def _tell(self, kind: int, text: bytes = b"") -> None:
        self._feed.put(pack(kind, time.time_ns(), self._number, len(text)), text)


def _unsent(transport: asyncio.Transport) -> int:
    """Bytes that are still here, or in the kernel, on their way to the peer."""
    waiting = transport.get_write_buffer_size()
    link = transport.get_extra_info("socket")
    with suppress(OSError, ValueError):
        found = fcntl.ioctl(link.fileno(), termios.TIOCOUTQ, b"\0\0\0\0")
        waiting += int(struct.unpack("i", found)[0])
    return waiting


class Called(Half):
    """The server's side. What the client says before it is there waits: not every loop can be told at once to wait."""

    __slots__ = ("_early", "_early_end")

    def __init__(self, feed: Feed, number: int) -> None:
        super().__init__(feed, number, "S")
        self._early: list[bytes] = []
        self._early_end = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        for data in self._early:
            super().send(data)
        self._early.clear()
        if self._early_end:
            super().send_end()

    def send(self, data: bytes) -> None:
        if self.transport is None:
            self._early.append(data)
        else:
            self.transport.write(data)

    def send_end(self) -> None:
        if self.transport is None:
            self._early_end = True
        else:
            super().send_end()


class Caller(Half):
    """The client's side, which brings the server's about."""

    __slots__ = ("_calling", "_target")

    def __init__(self, feed: Feed, number: int, target: Target) -> None:
        super().__init__(feed, number, "C")
        self._target = target
        self._calling: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        peer = transport.get_extra_info("peername") or ("127.0.0.1", 0)
        self._tell(OPENED, msgspec.json.encode(Ends((peer[0], peer[1]), (self._target.address, self._target.port))))
        there = Called(self._feed, self._number)
        there.other, self.other = self, there
        self._calling = asyncio.get_running_loop().create_task(self._call(there))

    async def _call(self, there: "Called") -> None:
        """Connect, and only then listen to the client; if no server is there, the client is reset."""
        self.hold("calling", True)
        try:
            await asyncio.get_running_loop().create_connection(lambda: there, *self._target[:2])
        except OSError as error:
            self.other = None
            why = os.strerror(error.errno) if error.errno else str(error)
            self._tell(CUT["S"], f"the server cannot be reached: {why}".encode())
            self.reset()
            return
        if self.lost:
            there.reset()
        else:
            self.hold("calling", False)


class Proxy:
    """Listens, and numbers those who come."""

    def __init__(self, feed: Feed, target: Target) -> None:
        self._feed = feed
        self._target = target
        self._count = 0
        self._open: set[Half] = set()
        feed.on_full = self._hold

    def __call__(self) -> asyncio.Protocol:
        self._count += 1
        caller = Caller(self._feed, self._count, self._target)
        self._open = {half for half in self._open if not half.lost}
        self._open.add(caller)
        return caller

    def _hold(self, full: bool) -> None:
        """Stop reading from all connections while the spill is full, and go on when it is not."""
        for half in self._open:
            for each in (half, half.other):
                if each is not None:
                    each.hold("no room", full)

    def stop(self) -> None:
        """End what is still open."""
        for half in self._open:
            for each in (half, half.other):
                if each is not None and each.transport is not None and not each.lost:
                    each.lost = True
                    each.transport.close()


async def run(
    listen: tuple[str, int], target: Target, feed: Feed, say: Callable[[str], object], stop: asyncio.Event
) -> None:
    """Listen until told to stop. Raises OSError when the port is taken."""
    loop = asyncio.get_running_loop()
    proxy = Proxy(feed, target)
    server = await loop.create_server(proxy, *listen, backlog=1024)
    for link in server.sockets:
        host, port, *_ = link.getsockname()
        say(f"{host}:{port}" if ":" not in host else f"[{host}]:{port}")
    await stop.wait()
    server.close()
    proxy.stop()
    await feed.finish()
