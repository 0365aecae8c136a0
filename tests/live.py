"""A server on real sockets for tests, in a thread of its own: the world's hub and engines behind loopback ports."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from random import Random
from typing import Any

from parlour.core.house.hub import Hub
from parlour.core.ports import Engines
from parlour.core.session import Door
from parlour.registry import games, protocols
from parlour.server.house import House
from parlour.server.limits import TICK_SECONDS
from parlour.server.link import Link
from tests.server.child import PATIENCE
from tests.world import FakeStore, FirstLegal

ADDRESS = "127.0.0.1"


class LiveServer:
    """What `World` is in memory, on a running loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, engines: Engines, seed: int) -> None:
        self.loop = loop
        self.store = FakeStore()
        self.complaints: list[str] = []
        self.house = House(self.store, self.store, loop.call_soon, loop.time, self.complaints.append)
        dice = Random(seed + 1)
        self.hub = Hub(games(), self.house, engines, Random(seed), lambda length: dice.randbytes(length).hex()[:length])
        self.house.connect(self.hub)
        self.ports: dict[str, int] = {}
        """Where each door is, by the name of its wire."""
        self._listeners: list[asyncio.Server] = []

    async def open(self, name: str, keys: Mapping[str, str], port: int) -> None:
        protocol = protocols()[name]
        full = {word: key.default for word, key in protocol.keys.items()} | dict(keys)
        door = Door(name, full, self.hub.matchmaker.waiting_for)
        listener = await self.loop.create_server(
            lambda: Link(self.house, protocol, door), ADDRESS, port, reuse_address=True
        )
        self._listeners.append(listener)
        self.ports[name] = listener.sockets[0].getsockname()[1]

    def tick(self) -> None:
        """Turn the wheel, and see that it is turned again."""
        self.house.tick()
        self.loop.call_later(TICK_SECONDS, self.tick)

    async def close(self) -> None:
        await stop_listening(*self._listeners)
        for link in list(self.house.links):
            if link.transport is not None:
                link.transport.abort()
        await asyncio.sleep(0)  # let the connections hear that they are lost


async def stop_listening(*servers: asyncio.Server) -> None:
    """Accept no more. asyncio forgets a connection, open, if its server is closed before it is a transport."""
    loop = asyncio.get_running_loop()
    for server in servers:
        for sock in server.sockets:
            loop.remove_reader(sock.fileno())
    for _ in range(5):
        await asyncio.sleep(0)
    for server in servers:
        server.close()


@contextmanager
def live_server(
    doors: Mapping[str, Mapping[str, str]],
    at: Mapping[str, int] | None = None,
    seed: int = 0,
    engines: Callable[[], FirstLegal] = FirstLegal,
) -> Iterator[LiveServer]:
    """Doors by the name of their wire, with their keys; `at` fixes ports. An error in the server fails the test."""
    loop = asyncio.new_event_loop()
    errors: list[str] = []
    loop.set_exception_handler(lambda _, context: errors.append(repr(context.get("exception") or context)))
    hired = engines()
    server = LiveServer(loop, hired, seed)
    hired.submit = server.hub.submit

    async def start() -> None:
        for name, keys in doors.items():
            await server.open(name, keys, (at or {}).get(name, 0))
        server.tick()

    def run(work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, loop).result(PATIENCE)

    thread = threading.Thread(target=loop.run_forever, name="live server")
    thread.start()
    try:
        run(start())
        yield server
    finally:
        run(server.close())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
        loop.close()
    assert not errors, errors
