"""The processes of a house on one machine: the owner of its tables, and edges with its doors.

Each is started by the supervisor with its orders on standard input. When that ends, the supervisor has died, and so
does the process: data must not have a writer that no one looks after.
"""

import asyncio
import os
import secrets
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

import msgspec
import structlog

from parlour.cluster.edge import Edge, EdgeHouse
from parlour.cluster.owner import EdgeRelay, OwnerHouse
from parlour.cluster.pipe import PipedLink, PipeFromEdge, unix_way
from parlour.cluster.relay import connect, listen, unix_socket
from parlour.config import data_directory
from parlour.core.errors import LocalError, Refusal
from parlour.core.session import Door
from parlour.registry import games, protocols
from parlour.server import app, lifecycle, limits
from parlour.server.announcing import Announcer, places
from parlour.server.doors import WEB
from parlour.server.lifecycle import Listening
from parlour.server.link import Link
from parlour.server.settings import DoorSpec, Settings, parse_address
from parlour.server.warden import watch_bans
from parlour.store.memory import MemoryStore
from parlour.store.places import kept_bans
from parlour.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from parlour.server.tls import Certificate
    from parlour.server.website import Website

PIPED = frozenset({"ggz"})
"""Wires whose sessions live with the owner: see docs/cluster.md."""
COUNTED = "max"
"""A key by which a door lets only so many games run: its sessions count them together, so they live in one process."""
RELAY, PIPE, PAGES = "relay", "pipe", "web"
"""Names of the owner's sockets."""
DRAIN, HURRY = "drain", "hurry"
"""What the supervisor may say to an owner."""
RECONNECT_SECONDS = 0.02
LOOK_SECONDS = 1.0
WORD_SECONDS = 0.5
"""How long a signal waits for the supervisor's word: one to all processes means the end of the house."""
BANS_SECONDS = 2.0

log = structlog.get_logger()


class Orders(msgspec.Struct, frozen=True):
    """What a process of the house is to be."""

    settings: Settings
    doors: list[DoorSpec]
    """With the ports that they have."""
    directory: str
    """Where the owner's sockets are."""
    descriptors: list[int] = []
    """Of an edge: its listening sockets, one a door."""
    node: str = ""

    def path(self, name: str) -> str:
        return str(Path(self.directory) / name)


class Words:
    """What the supervisor says. Its end is ours."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.drain = asyncio.Event()
        self.hurry = asyncio.Event()
        os.set_blocking(sys.stdin.fileno(), False)
        loop.add_reader(sys.stdin.fileno(), self._read)

    def _read(self) -> None:
        try:
            data = os.read(sys.stdin.fileno(), 4096)
        except BlockingIOError:
            return
        if not data:
            os._exit(1)  # as if we were killed, too: the log can take that, and nothing else counts
        for word in data.decode().split():
            {DRAIN: self.drain, HURRY: self.hurry}[word].set()


def tell(**words: str) -> None:
    """Tell the supervisor that all is ready, with what the host is to read."""
    print(msgspec.json.encode(words).decode(), flush=True)


def main() -> int:
    role = sys.argv[1]
    orders = msgspec.json.decode(_read_exactly(int(sys.argv[2])), type=Orders)
    run = {"owner": own, "edge": serve_door}[role]
    try:
        app.prepare(orders.settings)
        with app.kernels_of(orders.settings) as kernels, asyncio.Runner(loop_factory=app.loop_factory()) as runner:
            runner.run(run(orders, kernels))
    except LocalError as error:
        print(f"parlour: {error}", file=sys.stderr, flush=True)
        return 2
    return 0


def _read_exactly(size: int) -> bytes:
    """Of standard input, and nothing of what comes behind."""
    data = b""
    while len(data) < size and (more := os.read(sys.stdin.fileno(), size - len(data))):
        data += more
    return data


# --- the owner -------------------------------------------------------------------------------------------------------


async def own(orders: Orders, kernels: str | None) -> None:
    """Keep the tables until told to stop."""
    loop, settings = asyncio.get_running_loop(), orders.settings
    loop.set_exception_handler(app.report)
    words, ending = Words(loop), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ending.set)
    lifecycle.raise_descriptor_limit()
    keeping = await app.open_here(settings)
    try:
        house, bots, roll = app.furnish(
            loop, settings, keeping.log, keeping.archive, limits_of(settings), kernels, OwnerHouse
        )
        assert isinstance(house, OwnerHouse)
        watching = None if settings.data == "none" else await watch_bans(house, data_directory(settings.data))
        past = keeping.log.records if isinstance(keeping.log, SqliteStore) else OwnerHouse.past
        house.open_to_edges(secrets.token_hex(4), past)
        try:
            restored = house.restore()
            app.keep_time(loop, house)
            if restored:
                log.info("tables restored", tables=restored, kept=len(house.hub.tables))
            await app.at_rest(house)
            sockets = OwnerSockets(house, orders)
            await sockets.open()
            house.enter(partial(house.hub.set_reachable, True))
            announcer = Announcer(places(sockets.services(), settings.announce))
            announcer.start()
            tell(**sockets.invitation(), **_metrics(settings, house, bots))
            bots.start()
            lifecycle.make_ready(house)
            await _ended(words, ending)
            await announcer.stop()
            if words.drain.is_set():
                house.enter(house.drain_edges)
                await lifecycle.drain(house, settings.drain, words.hurry, lambda: None)
            else:
                await app.at_rest(house)
                house.leave_edges()
            await sockets.close()
        finally:
            if watching is not None:
                watching.cancel()
            await bots.stop()
            roll.close()
    finally:
        await keeping.close()


def limits_of(settings: Settings) -> int:
    """Connections that one process may have: as many as the house, and those between its processes."""
    return settings.max_connections + 64


async def _ended(words: Words, ending: asyncio.Event) -> None:
    """Until the house stops, or this process alone does: its people stay at the edges then, and see a pause."""
    waits = [asyncio.create_task(event.wait()) for event in (words.drain, ending)]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    if not words.drain.is_set():
        await asyncio.wait(waits[:1], timeout=WORD_SECONDS)
    for wait in waits:
        wait.cancel()


def _metrics(settings: Settings, house: OwnerHouse, bots: object) -> dict[str, str]:
    if settings.metrics is None:
        return {}
    from parlour.bots.seat import Bots
    from parlour.server.health import Checkup
    from parlour.server.metrics import registry_of, serve_metrics

    assert isinstance(bots, Bots)
    checkup = Checkup(house, None if settings.data == "none" else data_directory(settings.data))
    host, port = serve_metrics(*parse_address(settings.metrics), registry_of(house, bots, checkup))
    return {"metrics": f"http://{host}:{port}/metrics"}


class OwnerSockets:
    """The owner's sockets: for relays, for wires that are piped, and for pages."""

    def __init__(self, house: OwnerHouse, orders: Orders) -> None:
        self._house = house
        self._orders = orders
        self._servers: list[asyncio.Server] = []
        self._website: Website | None = None

    async def open(self) -> None:
        loop, house = asyncio.get_running_loop(), self._house
        doors = {}
        for number, spec in enumerate(self._orders.doors):
            door = Door(spec.name, spec.keys, house.hub.matchmaker.waiting_for)
            doors[number] = protocols()[spec.name], door
            if spec.name == WEB:
                await self._open_pages(number, spec, door)
        self._servers.append(
            await loop.create_unix_server(partial(PipeFromEdge, house, doors), sock=self._listen(PIPE))
        )
        self._servers.append(await listen(partial(EdgeRelay, house), f"unix:{self._orders.path(RELAY)}"))
        if self._website is not None:
            rows = [(spec.name, spec.host, spec.port, protocols()[spec.name].title) for spec in self._orders.doors]
            self._website.announce(rows)

    def _listen(self, name: str) -> socket.socket:
        return unix_socket(self._orders.path(name))

    async def _open_pages(self, number: int, spec: DoorSpec, door: Door) -> None:
        from parlour.cluster.web import Inside
        from parlour.server.website import Website
        from parlour.web.entrance import entrance_of

        if self._website is None:
            self._website = Website(self._house, self._orders.settings, protocols()[WEB], door)
        entrance = Inside(path=entrance_of(door).path)
        sock = self._listen(f"{PAGES}{number}")
        await self._website.open_behind(door, sock, entrance, (spec.host, spec.port))

    def services(self) -> "list[tuple[str, str, int, dict[str, str]]]":
        return [(spec.name, spec.host, spec.port, spec.keys) for spec in self._orders.doors]

    def invitation(self) -> dict[str, str]:
        return {} if self._website is None else {"host": self._website.invitation()}

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        if self._website is not None:
            await self._website.stop()


# --- an edge ---------------------------------------------------------------------------------------------------------


async def serve_door(orders: Orders, _: str | None) -> None:
    """Have the connections of some doors until the owner says farewell."""
    loop, settings = asyncio.get_running_loop(), orders.settings
    loop.set_exception_handler(app.report)
    Words(loop)
    ending = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ending.set)
    room = lifecycle.raise_descriptor_limit()
    epoch, nothing = time() - loop.time(), MemoryStore()
    house = EdgeHouse(
        nothing,
        nothing,
        loop.call_soon,
        lambda: epoch + loop.time(),
        lambda sentence: print(f"parlour: {sentence}", file=sys.stderr, flush=True),
        min(settings.max_connections, room),
    )
    edge = Edge.alone(orders.node, house, games())
    app.keep_time(loop, house)
    tasks = [loop.create_task(_stay_connected(edge, f"unix:{orders.path(RELAY)}"))]
    if settings.data != "none":
        tasks.append(loop.create_task(_mind_bans(house, data_directory(settings.data))))
    await _until(lambda: edge.welcome)
    doors_here = EdgeDoors(edge, orders)
    await doors_here.open()
    tell()
    lifecycle.make_ready(house)
    await _stopped(edge, ending, doors_here)
    doors_here.close_all()
    lifecycle.say_farewell(house)
    await _until(lambda: not house.links and house.at_rest, limits.LINGER_SECONDS / 2)
    for link in list(house.links):
        link.cut()
    await _until(lambda: not house.links, limits.LINGER_SECONDS / 2)
    for task in tasks:
        task.cancel()
    await doors_here.stop()


async def _stay_connected(edge: Edge, address: str) -> None:
    while True:
        with suppress(OSError):
            await connect(edge, address)
            await _until(lambda: edge.transport is None)
        edge.look()
        await asyncio.sleep(RECONNECT_SECONDS)


async def _mind_bans(house: EdgeHouse, directory: Path) -> None:
    """Addresses are looked at here, when a connection comes; all else the owner does."""
    while True:
        with suppress(LocalError):
            house.hub.bans.ahead = time() - house.clock()
            house.hub.bans.replace(await asyncio.to_thread(kept_bans, directory))
        await asyncio.sleep(BANS_SECONDS)


async def _stopped(edge: Edge, ending: asyncio.Event, doors_here: "EdgeDoors") -> None:
    """Until the house stops, or this process alone does. While the house drains, only pages can still be asked for."""
    while not edge.stopping and not ending.is_set():
        if edge.house.hub.refusing is Refusal.DRAINING:
            doors_here.close()
        await asyncio.sleep(limits.TICK_SECONDS)


async def _until(reached: Callable[[], bool], seconds: float | None = None) -> None:
    loop = asyncio.get_running_loop()
    end = None if seconds is None else loop.time() + seconds
    while not reached() and (end is None or loop.time() < end):
        await asyncio.sleep(0.01)


class EdgeDoors:
    """The doors of one edge: each a listening socket that the supervisor has bound."""

    def __init__(self, edge: Edge, orders: Orders) -> None:
        self._edge = edge
        self._orders = orders
        self._open: list[tuple[str, Listening]] = []
        self._stops: list[Callable[[], Awaitable[None]]] = []

    async def open(self) -> None:
        certificates = []
        for number, (spec, descriptor) in enumerate(zip(self._orders.doors, self._orders.descriptors, strict=True)):
            sock = socket.socket(fileno=descriptor)
            sock.setblocking(False)
            if spec.name == WEB:
                certificates += await self._open_web(number, spec, sock)
            else:
                await self._open_plain(number, spec, sock)
        lifecycle.on_hangup(asyncio.get_running_loop(), certificates)

    async def _open_plain(self, number: int, spec: DoorSpec, sock: socket.socket) -> None:
        wire, door, house = protocols()[spec.name], self._edge.door(spec.name, spec.keys), self._edge.house
        factory: Callable[[], asyncio.Protocol] = partial(Link, house, wire, door)
        if spec.name in PIPED or spec.keys.get(COUNTED):
            factory = partial(PipedLink, house, wire, door, number, unix_way(self._orders.path(PIPE)))
        loop = asyncio.get_running_loop()
        listening = await loop.create_server(factory, sock=sock, backlog=limits.ACCEPTED_AT_ONCE)
        sock.listen(lifecycle.BACKLOG)
        self._open.append((spec.name, listening))

    async def _open_web(self, number: int, spec: DoorSpec, sock: socket.socket) -> "list[Certificate]":
        from parlour.cluster.web import Forwarding
        from parlour.server.tls import Certificate
        from parlour.server.webdoor import open_web_door
        from parlour.web.entrance import entrance_of
        from parlour.web.names import Names

        door, names = self._edge.door(spec.name, spec.keys), Names()
        entrance = entrance_of(door)
        names.bind(spec.host, door.keys.get("names", "").split(","), known=bool(entrance.proxies))
        certificate = Certificate(door.keys["tls"]) if entrance.secure else None
        pages = Forwarding(self._orders.path(f"{PAGES}{number}"))
        wire, house = protocols()[WEB], self._edge.house
        opened = await open_web_door(pages, names, house, wire, door, sock, entrance, certificate)
        self._open.append((WEB, opened))
        self._stops.append(opened.stop)
        return [] if certificate is None else [certificate]

    def close(self) -> None:
        """Accept no more connections, but for pages."""
        for name, listening in self._open:
            if name != WEB:
                listening.close()
        self._open = [each for each in self._open if each[0] == WEB]

    def close_all(self) -> None:
        self.close()
        for _, listening in self._open:
            listening.close()

    async def stop(self) -> None:
        for stop in self._stops:
            await stop()


if __name__ == "__main__":
    sys.exit(main())
