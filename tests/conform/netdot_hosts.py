"""The stand-ins of original NetDot servers behind one port, for as many clients as come.

The host presses start when a client asks for it, or in 3.0 when all are ready, and moves at once. A connection that
says what kills the original's reader is deaf from then on, as it would be there.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from parlour.core.errors import ProtocolError
from tests.interop.netdot_originals import Conn, Original
from tests.interop.netdot_three import Draft3


class Hosted(asyncio.Protocol):
    """One connection; everyone's words go out after each line."""

    def __init__(self, server: Original, family: list["Hosted"]) -> None:
        self.server = server
        self.family = family
        self.deaf = False
        self.rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.conn: Conn = self.server.connect()
        self.family.append(self)
        self.flush()

    def data_received(self, data: bytes) -> None:
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            if not self.deaf:
                self.hear(line.rstrip(b"\r") + b"\n")
        self.flush()

    def hear(self, line: bytes) -> None:
        try:
            self.server.receive(self.conn, line)
        except (AssertionError, ProtocolError, UnicodeDecodeError, IndexError, KeyError, ValueError):
            self.deaf = True
            return
        users = [seat for id, seat in self.server.seats.items() if id and not seat.gone]
        begins = line.startswith(b"request-start")
        if isinstance(self.server, Draft3):
            begins = line.startswith(b"game-ready") and len(users) > 1 and all(seat.ready for seat in users)
        if begins and (not self.server.running or self.server.finished):
            self.server.start()
        while self.server.host_moves():
            pass

    def connection_lost(self, exc: Exception | None) -> None:
        self.family.remove(self)
        self.conn.left = True
        if self.conn.id in self.server.seats:
            self.server.leave(self.conn)
        if self.server.running and not any(seat.conn and not seat.gone for seat in self.server.seats.values()):
            self.server.stop()
        while self.server.host_moves():
            pass
        self.flush()

    def flush(self) -> None:
        for each in list(self.family):
            lines, each.conn.out = each.conn.out, []
            each.transport.write("".join(f"{line}\n" for line in lines).encode())
            if each.conn.closed:
                each.transport.close()


@asynccontextmanager
async def hosted(server: Original) -> AsyncIterator[int]:
    """A stand-in on a free port."""
    family: list[Hosted] = []
    loop = asyncio.get_running_loop()
    listener = await loop.create_server(lambda: Hosted(server, family), "127.0.0.1", 0)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        for each in family:
            each.transport.abort()
        while family:
            await asyncio.sleep(0.01)
