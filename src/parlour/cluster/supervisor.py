"""`parlour serve --edges N`: starts one owner and N edges, and starts again whichever dies.

The listening sockets are bound here and stay here, so that connections wait for an edge that is being started again,
and are not refused. An owner that is being started again is waited for by the edges, with all their connections.
"""

import asyncio
import os
import secrets
import signal
import socket
import sys
import tempfile
from contextlib import suppress

import msgspec

from parlour.cluster.process import DRAIN, HURRY, Orders
from parlour.server import app, lifecycle, limits
from parlour.server.doors import WEB
from parlour.server.settings import DoorSpec, Settings

SHORT_LIFE = 1.0
"""A process that has lived for less seconds is not started again at once."""
PAUSES = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds before it is, by how often in a row that has happened."""


def serve(settings: Settings) -> int:
    """Run until a signal says stop; returns the exit code. Raises LocalError for what keeps the house from opening."""
    specs = app.prepare(settings)
    with tempfile.TemporaryDirectory(prefix="parlour-") as directory:
        bound = [_bind(spec, settings.edges) for spec in specs]
        doors = [_as_bound(spec, socks[0]) for spec, socks in zip(specs, bound, strict=True)]
        with asyncio.Runner(loop_factory=app.loop_factory()) as runner:
            return runner.run(Supervisor(settings, doors, bound, directory).run())


def _bind(spec: DoorSpec, count: int) -> list[socket.socket]:
    """One socket an edge, all on one port: the system spreads connections over them. Raises LocalError."""
    first = lifecycle.listening_socket(spec.host, spec.port, shared=False)
    port = first.getsockname()[1]
    first.close()  # it has shown that no one else listens there; from now on we share it with ourselves
    return [lifecycle.listening_socket(spec.host, port, shared=True) for _ in range(count)]


def _as_bound(spec: DoorSpec, sock: socket.socket) -> DoorSpec:
    host, port = sock.getsockname()[:2]
    return msgspec.structs.replace(spec, host=host, port=port)


def _complain(sentence: str) -> None:
    print(f"parlour: {sentence}", file=sys.stderr, flush=True)


class Child:
    """One process of the house, started over and over."""

    def __init__(self, role: str, orders: Orders) -> None:
        self.role = role
        self.orders = orders
        self.process: asyncio.subprocess.Process | None = None
        self.ready = asyncio.Event()
        self.told: dict[str, str] = {}
        self.code: int | None = None

    async def live(self, stopping: asyncio.Event) -> None:
        """Start it until the house stops. One that never gets ready is not started again: `code` says why."""
        loop, early = asyncio.get_running_loop(), 0
        while not stopping.is_set():
            began = loop.time()
            self.code = await self._once()
            if stopping.is_set() or not self.ready.is_set():
                return
            early = early + 1 if loop.time() - began < SHORT_LIFE else 0
            _complain(f"the {self.role} has ended ({self.code}) and is started again")
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), PAUSES[min(early, len(PAUSES) - 1)])

    async def _once(self) -> int:
        orders = msgspec.json.encode(self._orders())
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "parlour.cluster.process", self.role, str(len(orders))),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            pass_fds=self.orders.descriptors,
            start_new_session=True,  # Ctrl-C is for us: we tell them in which order to stop
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(orders)
        line = await self.process.stdout.readline()
        if line:
            self.told = msgspec.json.decode(line, type=dict[str, str])
            self.ready.set()
        return await self.process.wait()

    def _orders(self) -> Orders:
        """An edge is another one each time: what the last one of its place has left is no concern of it."""
        return msgspec.structs.replace(self.orders, node=secrets.token_hex(4)) if self.role == "edge" else self.orders

    def say(self, word: str) -> None:
        if self.process is not None and self.process.stdin is not None and self.process.returncode is None:
            self.process.stdin.write(f"{word}\n".encode())

    def signal(self, number: int) -> None:
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.send_signal(number)


class Supervisor:
    def __init__(
        self, settings: Settings, doors: list[DoorSpec], bound: list[list[socket.socket]], directory: str
    ) -> None:
        self._settings = settings
        self._doors = doors
        self._bound = bound
        orders = Orders(settings, doors, directory)
        self._owner = Child("owner", orders)
        self._edges = [
            Child("edge", msgspec.structs.replace(orders, descriptors=[socks[number].fileno() for socks in bound]))
            for number in range(settings.edges)
        ]
        self._stopping = asyncio.Event()

    async def run(self) -> int:
        """Until the house stops, or does not open: then the process that could not has said why."""
        loop = asyncio.get_running_loop()
        stop = lifecycle.Stop(loop)
        loop.add_signal_handler(signal.SIGHUP, self._hang_up)
        tasks: list[asyncio.Task[None]] = []
        try:
            tasks += [loop.create_task(child.live(self._stopping)) for child in (self._owner, *self._edges)]
            failed = await self._opened(tasks, stop)
            if failed is not None:
                return 2 if failed.code == 2 else 1
            if not stop.asked.is_set():
                self._announce()
                await stop.asked.wait()
            await self._stop(tasks, stop)
            return 0
        finally:
            self._stopping.set()
            for child in (self._owner, *self._edges):
                child.signal(signal.SIGKILL)
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _opened(self, tasks: "list[asyncio.Task[None]]", stop: lifecycle.Stop) -> Child | None:
        """Until all are ready; returns one that cannot be."""
        children = (self._owner, *self._edges)
        ready = [asyncio.create_task(child.ready.wait()) for child in children]
        asked = asyncio.create_task(stop.asked.wait())
        try:
            while not all(child.ready.is_set() for child in children) and not stop.asked.is_set():
                open_ones = (task for task in ready if not task.done())
                await asyncio.wait((*tasks, *open_ones, asked), return_when="FIRST_COMPLETED")
                failed = next((child for child, task in zip(children, tasks, strict=True) if task.done()), None)
                if failed is not None:
                    return failed
            return None
        finally:
            for task in (*ready, asked):
                task.cancel()

    def _announce(self) -> None:
        told = self._owner.told
        if "metrics" in told:
            print(f"metrics {told['metrics']}")
        for door in self._doors:
            print(f"listening {door.name} {f'[{door.host}]' if ':' in door.host else door.host}:{door.port}")
        if "host" in told:
            print(f"host {told['host']}")
        print("ready", flush=True)

    def _hang_up(self) -> None:
        """Certificates may have been renewed; without any, the end of a terminal is the end of the house."""
        if not any(door.keys.get("tls") for door in self._doors):
            os.kill(os.getpid(), signal.SIGTERM)
        for child in self._edges:
            child.signal(signal.SIGHUP)

    async def _stop(self, tasks: "list[asyncio.Task[None]]", stop: lifecycle.Stop) -> None:
        """The owner lets games end, then the edges say farewell; those who hang are killed."""
        self._stopping.set()
        for door, socks in zip(self._doors, self._bound, strict=True):
            for sock in socks if door.name != WEB else ():
                sock.close()
        self._owner.say(DRAIN)
        ended = asyncio.gather(*tasks)
        hurry = asyncio.create_task(stop.hurry.wait())
        patience = self._settings.drain + 3 * limits.LINGER_SECONDS
        await asyncio.wait((ended, hurry), timeout=patience, return_when="FIRST_COMPLETED")
        if not ended.done():
            self._owner.say(HURRY)
            await asyncio.wait((ended,), timeout=3 * limits.LINGER_SECONDS)
        hurry.cancel()
