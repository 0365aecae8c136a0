"""What a trace costs: the same messages straight to a server, through a bare relay, and through `parlour trace`."""

import asyncio
import multiprocessing
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager

import uvloop

from bench.report import Fact, Report

HERE = "127.0.0.1"
MOVE, ANSWER = b"game-line 1 2 hor\n", b"game-line 7 1 2 hor\ngame-current 3\n"
MESSAGES = MOVE.count(b"\n") + ANSWER.count(b"\n")
WAYS = ((1, 1), (20, 1), (20, 8))
"""How many connections, and how many moves each has under way at once."""


class Server(asyncio.Protocol):
    """Answers every move at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.transport.write(ANSWER * data.count(b"\n"))  # type: ignore[attr-defined]


class Relay(asyncio.Protocol):
    """Passes on what comes, and does nothing else."""

    def __init__(self, port: int = 0, other: "Relay | None" = None) -> None:
        self.port, self.other = port, other
        self.early: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        if self.other is None:
            self.task = asyncio.get_running_loop().create_task(self._call())

    async def _call(self) -> None:
        _, there = await asyncio.get_running_loop().create_connection(lambda: Relay(other=self), HERE, self.port)
        for data in self.early:
            there.transport.write(data)  # type: ignore[attr-defined]
        self.other = there

    def data_received(self, data: bytes) -> None:
        if self.other is None:
            self.early.append(data)
        else:
            self.other.transport.write(data)  # type: ignore[attr-defined]

    def connection_lost(self, _: Exception | None) -> None:
        if self.other is not None:
            self.other.transport.close()


class Client(asyncio.Protocol):
    """Sends the next move for every answer."""

    moves = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        count = data.count(b"current")
        Client.moves += count
        if count:
            self.transport.write(MOVE * count)  # type: ignore[attr-defined]


async def _listen(link: socket.socket, make: Callable[[], asyncio.Protocol]) -> None:
    await asyncio.get_running_loop().create_server(make, sock=link)
    await asyncio.Event().wait()


async def _load(port: int, connections: int, window: int, seconds: float) -> float:
    loop = asyncio.get_running_loop()
    clients = [(await loop.create_connection(Client, HERE, port))[1] for _ in range(connections)]
    for client in clients:
        client.transport.write(MOVE * window)  # type: ignore[attr-defined]
    await asyncio.sleep(0.5)
    Client.moves, began = 0, time.perf_counter()
    await asyncio.sleep(seconds)
    rate = Client.moves * MESSAGES / (time.perf_counter() - began)
    for client in clients:
        client.transport.close()
    return rate


def _run(work: Coroutine[None, None, None]) -> None:
    uvloop.run(work)


def _listening(make: Callable[[], asyncio.Protocol]) -> tuple[int, multiprocessing.Process]:
    link = socket.create_server((HERE, 0))
    context = multiprocessing.get_context("fork")
    child = context.Process(target=lambda: _run(_listen(link, make)), daemon=True)
    child.start()
    return int(link.getsockname()[1]), child  # type: ignore[return-value]


@contextmanager
def _tracing(server: int) -> Iterator[int]:
    command = [sys.executable, "-m", "parlour", "trace", f"{HERE}:0", f"{HERE}:{server}", "--wire", "netdot"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as trace:
        assert trace.stdout is not None
        port = int(trace.stdout.readline().rpartition(":")[2])
        reader = threading.Thread(target=lambda: sum(map(len, trace.stdout or ())))
        reader.start()
        yield port
        trace.kill()  # what it has not decoded yet is of no interest
        reader.join()


def measure(report: Report, seconds: float, repeats: int) -> None:
    """A fact for each way of talking. Relay and trace take turns, so that both meet the same machine."""
    server, one = _listening(Server)
    relay, other = _listening(lambda: Relay(server))
    try:
        for connections, window in WAYS:
            rates: list[list[float]] = []
            for _ in range(repeats):
                with _tracing(server) as trace:
                    ports = (server, relay, trace)
                    rates.append([uvloop.run(_load(port, connections, window, seconds)) for port in ports])
            best = (max(column) for column in zip(*rates, strict=True))
            data = dict(zip(("direct", "relay", "trace"), best, strict=True))
            data["share"] = data["trace"] / data["relay"]
            figure = "{trace:,.0f} messages/s, {share:.2f} of a bare relay's {relay:,.0f}".format(**data)
            people = f"{connections} connection{'s' * (connections > 1)}"
            report.facts.append(Fact(f"trace, {people}, {window} under way", figure, data))
    finally:
        for child in (one, other):
            child.terminate()
            child.join()
