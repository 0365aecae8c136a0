"""Our own client session behind a socket, with a player who moves at once."""

import asyncio
import contextlib
import time
from random import Random

from tests.visitor import Visitor


async def visited(wire: str, query: dict[str, str], host: str, port: int) -> None:
    """One visit, to its end."""
    visitor = Visitor(wire, Random("ours").choice, name="Vera", port=port, query=query)
    reader, writer = await asyncio.open_connection(host, port)
    visitor.open()
    with contextlib.suppress(OSError):
        try:
            await _conversed(visitor, reader, writer)
        finally:
            writer.close()
        await writer.wait_closed()


async def _conversed(visitor: Visitor, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    at = time.monotonic()
    while not visitor.closed:
        visitor.decide()
        for data in visitor.sent:
            writer.write(data)
        visitor.sent.clear()
        with contextlib.suppress(TimeoutError):
            heard = await asyncio.wait_for(reader.read(4096), 0.05)
            if not heard:
                visitor.end_of_file()
                break
            visitor.feed(heard)
        now = time.monotonic()
        visitor.advance(now - at)
        at = now
    for data in visitor.sent:
        writer.write(data)
