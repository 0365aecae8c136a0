"""The stand-in of the original zone behind one port."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from tests.interop.ggz_zone_original import Conn, Ggzd


class Hosted(asyncio.Protocol):
    """One connection; what anyone is told goes out after each word."""

    def __init__(self, zone: Ggzd, family: list["Hosted"]) -> None:
        self.zone, self.family = zone, family

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.conn: Conn = self.zone.connect()
        self.family.append(self)
        self.flush()

    def data_received(self, data: bytes) -> None:
        self.zone.receive(self.conn, data)
        self.flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self.family.remove(self)
        self.zone.lost(self.conn)
        self.zone.conns.remove(self.conn)
        self.flush()

    def flush(self) -> None:
        for each in list(self.family):
            pieces, each.conn.out = each.conn.out, []
            each.transport.write(b"".join(pieces))
            if each.conn.closed:
                each.transport.close()


@asynccontextmanager
async def hosted(zone: Ggzd) -> AsyncIterator[int]:
    """The stand-in on a free port."""
    family: list[Hosted] = []
    listener = await asyncio.get_running_loop().create_server(lambda: Hosted(zone, family), "127.0.0.1", 0)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        for each in family:
            each.transport.abort()
        while family:
            await asyncio.sleep(0.01)
