"""Getting ready and going away: descriptors, listening sockets, signals, and an orderly end."""

import asyncio
import gc
import resource
import signal
import socket
from collections.abc import Callable, Sequence
from typing import Protocol

from parlour.core.errors import LocalError
from parlour.core.table.table import Table
from parlour.server import limits
from parlour.server.house import House

SPARE_DESCRIPTORS = 64
BACKLOG = 4096


class Listening(Protocol):
    """A port that is open."""

    @property
    def sockets(self) -> Sequence[socket.socket]: ...

    def close(self) -> None: ...


def raise_descriptor_limit() -> int:
    """Allow as many open files as the system lets us have; returns how many connections that leaves room for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
        except (ValueError, OSError):  # macOS calls its limit infinite and refuses it
            pass
    return (1 << 20 if soft == resource.RLIM_INFINITY else soft) - SPARE_DESCRIPTORS


def make_ready(house: House) -> None:
    """The last step of getting ready.

    Garbage is collected less often from now on: what lives long here is connections and tables, and they are freed by
    counting. This keeps the loop for a while, which is no standstill of the house.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    house.lag.reset()


def listening_socket(host: str, port: int, shared: bool = False) -> socket.socket:
    """A bound socket whose connections inherit no delay, keepalive and a user timeout. Others of ours may share it."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise LocalError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    except UnicodeError as error:
        raise LocalError(f"cannot listen on {host}:{port}: that is no name of a host") from error
    sock = socket.socket(family, kind, proto)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, limits.SYSTEM_BUFFER)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, limits.SYSTEM_BUFFER)
        _keep_alive(sock)
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise LocalError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    sock.setblocking(False)
    return sock


def _keep_alive(sock: socket.socket) -> None:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        ("TCP_KEEPIDLE", limits.KEEPALIVE_IDLE),
        ("TCP_KEEPINTVL", limits.KEEPALIVE_INTERVAL),
        ("TCP_KEEPCNT", limits.KEEPALIVE_PROBES),
        ("TCP_USER_TIMEOUT", limits.USER_TIMEOUT_MS),
    ):
        if hasattr(socket, option):  # not every system has all of them
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


class Stop:
    """The wish to stop: the first signal drains, a second one hurries.

    A signal to a whole process group may reach us twice, once through `make`: what comes within a second is one wish.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.asked = asyncio.Event()
        self.hurry = asyncio.Event()
        self._loop = loop
        self._asked_at = 0.0
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.ask)

    def ask(self) -> None:
        if not self.asked.is_set():
            self._asked_at = self._loop.time()
            self.asked.set()
        elif self._loop.time() - self._asked_at > 1.0:
            self.hurry.set()


class Reloadable(Protocol):
    """Something whose files may change while the server runs."""

    def reload(self) -> None: ...


def on_hangup(loop: asyncio.AbstractEventLoop, what: Sequence[Reloadable]) -> None:
    """Read these again on SIGHUP; a server that has none ends by it, as it does with its terminal."""

    def reload() -> None:
        for each in what:
            each.reload()

    if what:
        loop.add_signal_handler(signal.SIGHUP, reload)


async def drain(house: House, seconds: float, hurry: asyncio.Event, close: Callable[[], None]) -> None:
    """Let running games end, for a while; then close the last doors, tell everyone in their wire's words, and part."""
    house.enter(house.hub.drain)
    running: Callable[[], bool] = lambda: any(map(_has_players, house.tables()))  # noqa: E731
    await _until(lambda: not running(), seconds, hurry)
    close()
    say_farewell(house)
    await _until(lambda: house.at_rest and not house.peers, limits.LINGER_SECONDS / 2, None)
    for peer in house.peers:
        peer.cut()
    await _until(lambda: house.at_rest, limits.LINGER_SECONDS, None)


def say_farewell(house: House) -> None:
    """Tell every connection before any has left, so that none hears of another's leaving instead."""

    def tell() -> None:
        for peer in house.peers:
            peer.farewell()

    house.enter(lambda: house.hub.at_once(tell))


def _has_players(table: Table) -> bool:
    return table.running and any(seat is not None and seat.who is not None for seat in table.seats)


async def _until(reached: Callable[[], bool], seconds: float, hurry: asyncio.Event | None) -> None:
    """Wait for something to come about, but not longer than this."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not reached() and loop.time() < end and not (hurry is not None and hurry.is_set()):
        await asyncio.sleep(limits.TICK_SECONDS / 2)
