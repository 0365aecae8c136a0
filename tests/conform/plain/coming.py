"""Plain clients that come when they are called."""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any


def calling(run: Callable[[socket.socket], None]) -> Callable[[str, int], Coroutine[Any, Any, None]]:
    """A client in a thread of its own for every case; it is cut off when its case is over."""

    async def come(host: str, port: int) -> None:
        link = socket.create_connection((host, port))
        try:
            await asyncio.get_running_loop().run_in_executor(None, run, link)
        finally:
            with suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)

    return come
