"""The stand-ins of original Glendy programs on real sockets: servers for two at a time, and clients that play alone.

The original servers play one game a process; here each pair that comes gets a process of its own, so to speak.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import cast

from tests.interop.glendy_originals import Android, Crashed, Original, OriginalServer


class Seat(asyncio.Protocol):
    """One connection; the words of both go out after each line."""

    def __init__(self, hall: "Hall") -> None:
        self.hall = hall
        self.rest = b""
        self.server: OriginalServer | None = None
        self.wish = "2"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.hall.seats.append(self)
        if not self.hall.later:
            self.sit()

    def sit(self) -> None:
        """Beside the one who waits, or at a board of one's own."""
        waiting = self.hall.waiting
        if waiting is None:
            self.server, self.who, self.other = self.hall.make(), 0, cast(Seat | None, None)
            self.hall.waiting = self
        else:
            self.server, self.who, self.other = waiting.server, 1, waiting
            waiting.other, self.hall.waiting = self, None
        assert self.server is not None
        self.server.arrive(self.who)
        self.flush()

    def data_received(self, data: bytes) -> None:
        *lines, self.rest = (self.rest + data.replace(b"\0", b"\n")).split(b"\n")
        for line in lines:
            self.hear(line.decode("latin-1"))

    def hear(self, line: str) -> None:
        if self.server is None:
            words = line.split(" ")
            if len(words) != 4 or words[1] != "0" or words[2] not in ("0", "1", "2") or len(words[0]) > 8:
                self.transport.write(b"DIE bad hello\n")
                self.transport.close()
                return
            if not (words[0] == "@" or words[0].isalnum()):
                self.transport.write(b"DIE nicks must be only alpha numeric strings\n")
                self.transport.close()
                return
            waiting = self.hall.waiting
            if waiting is not None and waiting.wish == words[2] != "2":
                self.transport.write(b"WAIT\nUGUD\n")  # matched with the head of the queue alone
                return
            self.wish = words[2]
            self.sit()
        if self.server is not None and not self.server.ended[self.who]:
            self.server.hear(self.who, line if line else "q")
            self.flush()

    def flush(self) -> None:
        assert self.server is not None
        for seat in (self, self.other):
            if seat is not None and not seat.transport.is_closing():
                lines, self.server.out[seat.who] = self.server.out[seat.who], []
                seat.transport.write(b"".join(lines))
                if self.server.ended[seat.who]:
                    seat.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self.hall.seats.remove(self)
        if self.hall.waiting is self:
            self.hall.waiting = None
        elif self.server is not None and not self.server.ended[self.who]:
            self.server.hear(self.who, "q")
            self.flush()


class Hall:
    """Who is there."""

    def __init__(self, make: Callable[[], OriginalServer]) -> None:
        self.make = make
        self.later = make().later
        self.waiting: Seat | None = None
        self.seats: list[Seat] = []


@asynccontextmanager
async def hosted(make: Callable[[], OriginalServer]) -> AsyncIterator[int]:
    """A stand-in on a free port."""
    hall = Hall(make)
    listener = await asyncio.get_running_loop().create_server(lambda: Seat(hall), "127.0.0.1", 0)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        for seat in list(hall.seats):
            seat.transport.abort()
        while hall.seats:
            await asyncio.sleep(0.01)


async def visiting(kind: Callable[..., Original], hello: bytes, host: str, port: int) -> None:
    """An original client with somebody who moves at random; one that crashes is gone."""
    guest = kind(Random("an original").choice, hello)
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(hello)
    try:
        with suppress(ConnectionError, Crashed, UnicodeDecodeError, IndexError, ValueError):
            while not guest.over and (data := await reader.read(1 << 16)):
                guest.heard(data)
                if isinstance(guest, Android):
                    guest.play_if_due()
                while guest.sent:
                    writer.write(guest.sent.pop(0))
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
