"""A server with a door for browsers, on a real socket and with a real log, in a thread of its own."""

import asyncio
import http.client
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

import pytest
from argon2 import PasswordHasher
from websockets.sync.client import ClientConnection, connect

from parlour.core.errors import Limit
from parlour.core.house.gate import ADDRESS, CONNECTIONS, HOUSE, Count, Gate
from parlour.core.house.hub import Hub
from parlour.core.session import Door, WireProtocol
from parlour.protocols.web import PROTOCOL
from parlour.registry import games
from parlour.server.accounts import Roll
from parlour.server.hopping import LoopArchive, LoopLog
from parlour.server.house import House
from parlour.server.lifecycle import listening_socket, say_farewell
from parlour.server.limits import TICK_SECONDS
from parlour.server.settings import Settings
from parlour.server.website import Website
from parlour.store.passwords import Passwords
from parlour.store.sqlite import SqliteStore
from tests.server.child import PATIENCE
from tests.world import FirstLegal

HERE = "127.0.0.1"
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
Result = TypeVar("Result")


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class WebHouse:
    """The server, as tests see it from outside and, where they must, from inside."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, directory: Path, wire: WireProtocol, most: int, keys: dict[str, str]
    ) -> None:
        self.loop = loop
        self._keys = keys
        self._store = SqliteStore(directory, "kill")
        self._wire = wire
        self.directory = directory
        self._most = most
        self.port = 0
        self._epoch = time.time() - loop.time()
        self._ahead = 0.0
        self._stands_at: float | None = None

    async def open(self) -> None:
        loop = self.loop
        log, archive = LoopLog(self._store, loop), LoopArchive(self._store, loop)
        self.house = House(log, archive, loop.call_soon, self._now, self._complain, self._most)
        dice = Random(1)
        engines = FirstLegal()
        self._roll = Roll(self.house, lambda: Passwords(QUICK), loop.call_soon_threadsafe)
        self.hub = Hub(
            games(),
            self.house,
            engines,
            Random(0),
            lambda length: dice.randbytes(length).hex()[:length],
            self._roll,
            self.house.book,
        )
        engines.submit = self.hub.submit
        self.house.connect(self.hub)
        self.house.count()
        self._tick()
        door = Door("web", self._keys, self.hub.matchmaker.waiting_for)
        sock = listening_socket(HERE, 0)
        self.port = sock.getsockname()[1]
        self.website = Website(self.house, Settings(data=str(self.directory)), self._wire, door)
        self._door = await self.website.open(door, sock)
        self.website.announce([("web", HERE, self.port, "Browsers")])

    def _complain(self, sentence: str) -> None:
        raise AssertionError(sentence)

    def _now(self) -> float:
        return self._epoch + self._ahead + (self.loop.time() if self._stands_at is None else self._stands_at)

    def _tick(self) -> None:
        self.house.tick()
        self._ticking = self.loop.call_later(TICK_SECONDS, self._tick)

    async def close(self) -> None:
        self._door.close()
        self.house.enter(self.hub.drain)
        say_farewell(self.house)
        await asyncio.sleep(2 * TICK_SECONDS)
        for link in list(self.house.links):
            link.cut()
        await self.website.stop()
        self._roll.close()
        self._ticking.cancel()
        while not self.house.at_rest:
            await asyncio.sleep(0.001)
        self._store.close()

    # --- from outside ------------------------------------------------------------------------------------------------

    def limit_connections(self, monkeypatch: pytest.MonkeyPatch, most: int) -> Gate:
        """So many from one address; all of this machine but HERE come from elsewhere now."""
        gate = Gate(lambda: 0.0, [Limit(CONNECTIONS, ADDRESS, most), Limit(CONNECTIONS, HOUSE, 1000)])
        monkeypatch.setattr(self.house, "gate", gate)
        monkeypatch.setattr("parlour.core.house.gate.network_of", lambda address: "" if address == HERE else address)
        return gate

    def inside(self, question: Callable[[], Result]) -> Result:
        """What the loop's own thread says to a question."""

        async def ask() -> Result:
            return question()

        return asyncio.run_coroutine_threadsafe(ask(), self.loop).result(PATIENCE)

    def hasten(self, seconds: float) -> None:
        """Let so much time pass at once, which the house does not take for a standstill of its own."""

        def turn() -> None:
            self._ahead += seconds
            self.house.hub.at += seconds
            self.house.tick()

        self.inside(turn)

    @contextmanager
    def still(self) -> Iterator[None]:
        """No time passes but by `hasten`: a limit on so much a second is reached on the slowest machine."""
        self._stands_at = self.loop.time()
        try:
            yield
        finally:
            self._stands_at = None

    def wait(self, reached: Callable[[], bool]) -> None:
        """Until something has come about on the loop."""

        async def wait() -> None:
            async with asyncio.timeout(PATIENCE):
                while not reached():
                    await asyncio.sleep(0.005)

        asyncio.run_coroutine_threadsafe(wait(), self.loop).result(2 * PATIENCE)

    def get(self, path: str, headers: dict[str, str] | None = None, method: str = "GET", body: bytes = b"") -> Answer:
        connection = http.client.HTTPConnection(HERE, self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body or None, headers or {})
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def post(self, path: str, said: object, headers: dict[str, str] | None = None) -> Answer:
        """Say something in JSON."""
        return self.get(
            path, {"content-type": "application/json", **(headers or {})}, "POST", json.dumps(said).encode()
        )

    def raw(self) -> socket.socket:
        return socket.create_connection((HERE, self.port), PATIENCE)

    def browse(self, **options: Any) -> ClientConnection:
        address = f"ws://{HERE}:{self.port}/ws"
        page: ClientConnection = connect(address, open_timeout=PATIENCE, close_timeout=PATIENCE, **options)
        return page


@contextmanager
def web_house(directory: Path, wire: WireProtocol = PROTOCOL, most: int = 20_000, **keys: str) -> Iterator[WebHouse]:
    """With these door keys. An error on the loop fails the test."""
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    errors: list[str] = []
    loop.set_exception_handler(lambda _, context: errors.append(repr(context.get("exception") or context)))
    server = WebHouse(loop, directory, wire, most, keys)
    thread = threading.Thread(target=loop.run_forever, name="web house")
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.open(), loop).result(PATIENCE)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.close(), loop).result(PATIENCE)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
        loop.close()
    assert not errors, errors


def say(page: ClientConnection, **message: Any) -> None:
    page.send(json.dumps(message))


def hear(page: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of this type; the others are passed over."""
    while True:
        message: dict[str, Any] = json.loads(page.recv(PATIENCE))
        if message["type"] == kind:
            return message


def read_until(sock: socket.socket, wanted: bytes) -> bytes:
    """What comes, up to and with something wanted."""
    data = b""
    while wanted not in data:
        more = sock.recv(65536)
        assert more, f"closed after {data!r}"
        data += more
    return data


@contextmanager
def narrowed(house: WebHouse, limit: Limit) -> Iterator[None]:
    """A server with another limit, and only this one, on something."""
    counts = house.house.gate._counts
    before = counts[limit.what]
    counts[limit.what] = [Count(limit)]
    yield
    counts[limit.what] = before
