"""The stand-ins of original servers behind loopback sockets, each on a loop in a thread of its own."""

import asyncio
import threading
from abc import abstractmethod
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from random import Random
from typing import cast

from tests.interop import c4n_original, glendy_originals
from tests.interop.ggz_zone_original import Ggzd
from tests.interop.netdot_one import First
from tests.interop.netdot_originals import Android2, Java2, Original
from tests.interop.netdot_three import Beta3, Draft3
from tests.live import stop_listening
from tests.server.child import PATIENCE

HERE = "127.0.0.1"
WALLS = [(0, 0), (2, 3), (4, 4), (7, 7), (6, 2)]
NETDOTS: dict[str, Callable[[int, int, Random], Original]] = {
    "java": Java2,
    "android": Android2,
    "beta": Beta3,
    "draft": Draft3,
    "one": First,
}


class Socket(asyncio.Protocol):
    """One connection. What is written goes out piece by piece, as the originals do it."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.arrived()

    def data_received(self, data: bytes) -> None:
        self.heard(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.left()

    @abstractmethod
    def arrived(self) -> None: ...

    @abstractmethod
    def heard(self, data: bytes) -> None: ...

    def left(self) -> None:
        """The peer has gone."""


class C4n(Socket):
    """ConnectI4n: a game for each connection. Illegal moves are counted by whoever looks."""

    def __init__(self, games: list[c4n_original.OriginalServer], rng: Random) -> None:
        self.server = c4n_original.OriginalServer(Random(rng.random()))
        games.append(self.server)

    def arrived(self) -> None:
        """It waits for START."""

    def heard(self, data: bytes) -> None:
        self.server.inbox += data
        self.server.step()
        for piece in self.server.sends:
            self.transport.write(piece)
        self.server.sends.clear()
        if self.server.closed:
            self.transport.close()


class Glendy(Socket):
    """Glendy: a game for each connection, with an opponent who comes at once and moves at random."""

    def __init__(self, later: bool, late: bool, rng: Random) -> None:
        self.server = glendy_originals.OriginalServer(WALLS, later=later, late=late)
        self.rng = rng
        self._rest = b""

    def arrived(self) -> None:
        self.server.arrive(0)
        if not self.server.later:
            self.server.arrive(1)
        self._go_on()

    def heard(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self.server.hear(0, line.decode())
            if self.server.later and 1 not in self.server.seats:
                self.server.hear(1, "Bob 0 2 0")
        self._go_on()

    def _go_on(self) -> None:
        server = self.server
        while b"TURN\n" in server.out[1]:
            server.out[1].clear()
            moves = server.sight.steps() if server.seats[1] else server.sight.puts()
            server.hear(1, self.rng.choice(moves) if moves else "q")
        for line in server.out[0]:
            self.transport.write(line)
        server.out[0].clear()
        if server.ended[0]:
            self.transport.close()


class Netdot(Socket):
    """NetDot: its host starts a game as soon as somebody is there to play, and moves at once."""

    def __init__(self, server: Original) -> None:
        self.server = server
        self._rest = b""

    def arrived(self) -> None:
        self.conn = self.server.connect()
        self._flush()

    def heard(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self.server.receive(self.conn, line + b"\n")
        self._go_on()

    def _go_on(self) -> None:
        server = self.server
        present = [seat for who, seat in server.seats.items() if who and not seat.gone]
        ready = [seat for seat in present if seat.ready or not isinstance(server, Draft3)]
        if ready and not server.running:
            server.start()
        while server.host_moves():
            pass
        self._flush()
        if server.finished:
            asyncio.get_running_loop().call_later(0.3, self._again)

    def _again(self) -> None:
        """The host presses restart, for those who are still there."""
        if self.server.finished and not self.conn.left:
            if isinstance(self.server, Draft3):
                self.server.stop()
            self._flush()
            self._go_on() if isinstance(self.server, Draft3) else self._restart()

    def _restart(self) -> None:
        self.server.start()
        self._go_on()

    def left(self) -> None:
        self.conn.left = True
        if self.conn.id in self.server.seats:  # whoever has said goodbye has gone before
            self.server.leave(self.conn)
        if self.server.running:
            self.server.stop()

    def _flush(self) -> None:
        for line in self.conn.out:
            self.transport.write(f"{line}\n".encode())
        self.conn.out.clear()
        if self.conn.closed:
            self.transport.close()

    def chat(self, text: str) -> None:
        """The host says something to everybody."""
        self.server.everyone(f"network-chat 0 {text}")
        self._flush()


class Zone(Socket):
    """GGZ: all connections are of one zone."""

    def __init__(self, zone: Ggzd, sockets: "list[Zone]") -> None:
        self.zone = zone
        self._family = sockets
        sockets.append(self)

    def arrived(self) -> None:
        self.conn = self.zone.connect()
        self.flush()

    def heard(self, data: bytes) -> None:
        self.zone.receive(self.conn, data)
        self._all()

    def left(self) -> None:
        self.zone.lost(self.conn)
        self._all()

    def _all(self) -> None:
        for one in self._family:
            one.flush()

    def flush(self) -> None:
        while self.conn.out and not self.transport.is_closing():
            self.transport.write(self.conn.out.pop(0))
        if self.conn.closed:
            self.transport.close()


class Host:
    """A listening stand-in, which can be taken away and put back at the same port."""

    def __init__(self, loop: asyncio.AbstractEventLoop, factory: Callable[[], asyncio.Protocol]) -> None:
        self.loop = loop
        self.port = 0
        self.factory = factory
        self.sockets: list[Socket] = []
        self._listener: asyncio.Server | None = None

    def open(self) -> None:
        self._run(self._open())

    def close(self) -> None:
        """All connections break, and nobody listens."""
        self._run(self._close())

    def wait_until(self, reached: Callable[[], bool]) -> None:
        """Until the stand-in has come so far."""

        async def wait() -> None:
            while not reached():
                await asyncio.sleep(0.01)

        self._run(wait())

    def _run(self, work: Coroutine[None, None, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    def _made(self) -> asyncio.Protocol:
        made = self.factory()
        self.sockets.append(cast(Socket, made))
        return made

    async def _open(self) -> None:
        self._listener = await self.loop.create_server(self._made, HERE, self.port, reuse_address=True)
        self.port = self._listener.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        if self._listener is not None:
            await stop_listening(self._listener)
        for each in self.sockets:
            if getattr(each, "transport", None) is not None:
                each.transport.abort()
        self.sockets.clear()
        await asyncio.sleep(0.05)


@contextmanager
def hosting(factory: Callable[[], asyncio.Protocol]) -> Iterator[Host]:
    """A stand-in behind a free port. An error in it fails the test."""
    loop = asyncio.new_event_loop()
    errors: list[str] = []
    loop.set_exception_handler(lambda _, context: errors.append(repr(context.get("exception") or context)))
    host = Host(loop, factory)
    thread = threading.Thread(target=loop.run_forever, name="stand-in")
    thread.start()
    try:
        host.open()
        yield host
    finally:
        host.close()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
        loop.close()
    assert not errors, errors


def original(kind: str, seed: object = 0) -> tuple[str, Callable[[], asyncio.Protocol]]:
    """What a stand-in is addressed by, with PORT in its place, and how its connections are made."""
    rng = Random(f"{kind} {seed}")
    match kind.split():
        case ["c4n"]:
            return "c4n://127.0.0.1:PORT", lambda: C4n([], rng)
        case ["glendy", when]:
            url = "glendy://127.0.0.1:PORT" + ("/?nick=Ada" if when == "later" else "")
            return url, lambda: Glendy(when == "later", when == "may", rng)
        case ["netdot", which]:
            server = NETDOTS[which](3, 3, rng)
            return "netdot://127.0.0.1:PORT", lambda: Netdot(server)
        case ["ggz"]:
            zone, sockets = Ggzd(rng), list[Zone]()
            return "ggz://127.0.0.1:PORT/?opponent=bot&bot=Robby&size=3x3", lambda: Zone(zone, sockets)
    raise AssertionError(kind)


ORIGINALS = ("c4n", "glendy first", "glendy may", "glendy later", *(f"netdot {kind}" for kind in NETDOTS), "ggz")
