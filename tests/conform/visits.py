"""Our own clients behind sockets, with a player who moves at once and always wants another game."""

import asyncio
import contextlib
import time
from random import Random

from tests.visitor import Visitor


async def visited(wire: str, rng: Random, host: str, port: int) -> None:
    """A whole visit, with every connection that it opens."""
    visitor = Visitor(wire, rng.choice, again=lambda: True, name="Vera", port=port)
    visitor.open()
    talking: list[asyncio.Task[None]] = []
    try:
        while len(talking) < len(visitor.family):
            branch = visitor.family[len(talking)]
            if talking:
                branch.open()
            talking.append(asyncio.ensure_future(_converse(branch, host, port)))
            while len(talking) == len(visitor.family) and not all(task.done() for task in talking):
                await asyncio.sleep(0.01)
    finally:
        for task in talking:
            task.cancel()
        await asyncio.gather(*talking, return_exceptions=True)


async def _converse(visitor: Visitor, host: str, port: int) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    at = time.monotonic()
    with contextlib.suppress(OSError):
        try:
            while not visitor.closed or visitor.sent:
                visitor.decide()
                for data in visitor.sent:
                    writer.write(data)
                visitor.sent.clear()
                if visitor.closed:
                    break
                with contextlib.suppress(TimeoutError):
                    heard = await asyncio.wait_for(reader.read(4096), 0.01)
                    if not heard:
                        visitor.end_of_file()
                        break
                    visitor.feed(heard)
                now = time.monotonic()
                visitor.advance(now - at)
                at = now
        finally:
            writer.close()
        await writer.wait_closed()
