"""A whole house on this machine: three brokers, a PostgreSQL and three nodes, until Ctrl-C (`make cluster`).

Whichever of them is killed is started again. What they keep is in one directory and there again the next time.
"""

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn, Protocol

from bench.brokers import HERE, Broker, Database, Missing, free_port, spawn, start_brokers, until_led
from parlour.registry import protocols
from parlour.server.settings import Settings, doors

NAMES = ("one", "two", "three")
APART = 100
"""Between the ports of two nodes."""
LOOK = 0.1
SHORT_LIFE = 2.0
STARTS = 3
"""How often a node is started before it counts as one that cannot be."""
PATIENCE = 120.0
"""Seconds for a node to be ready: on a slow machine it loads for a while."""


class Problem(Exception):
    """One sentence that says why the house cannot be opened."""


class Process(Protocol):
    """What of a process one has to know here."""

    pid: int

    def poll(self) -> int | None: ...


class Runs(Protocol):
    @property
    def process(self) -> Process: ...


class Node:
    """One `parlour serve --cluster`, started over and over."""

    def __init__(
        self,
        name: str,
        directory: Path,
        doors: Sequence[str],
        words: Sequence[str],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self._log = directory / f"node-{name}.log"
        self._log.touch()
        data = ["--data", str(directory / "nodes"), "--node", name, "--announce", "no"]
        listen = [f"--listen={door}" for door in doors]
        self._command = [sys.executable, "-m", "parlour", "serve", *words, *data, *listen]
        self._environment = environment
        self.start()

    def start(self) -> None:
        self._begun = self._log.stat().st_size
        self.process = spawn(self._command, self._log, environment=self._environment)

    def told(self) -> list[str]:
        """Its lines since it was started."""
        return self._log.read_bytes()[self._begun :].decode(errors="replace").splitlines()

    def wait(self) -> None:
        """Until it is ready; brokers of a busy machine may not answer in time at first. Raises Problem."""
        end, starts = time.monotonic() + PATIENCE, 1
        while "ready" not in self.told():
            ended = self.process.poll() is not None
            if time.monotonic() > end or (ended and starts == STARTS):
                raise Problem(f"node {self.name} does not start: {(self.told() or ['it says nothing'])[-1]}")
            if ended:
                starts += 1
                self.start()
            time.sleep(LOOK)


class Part:
    """One process of the house, and how to start it."""

    def __init__(self, name: str, runs: Runs, start: Callable[[], None]) -> None:
        self.name = name
        self.runs = runs
        self._start = start
        self._since = time.monotonic()
        self._due: float | None = None

    def look(self) -> None:
        """Start it again if it has ended; one that ends at once, after a pause."""
        code, now = self.runs.process.poll(), time.monotonic()
        if code is None:
            return
        if self._due is None:
            self._due = now + (SHORT_LIFE if now - self._since < SHORT_LIFE else 0)
        if now >= self._due:
            print(f"{self.name} has ended ({code}) and is started again", flush=True)
            self._start()
            self._since, self._due = now, None

    def end(self, number: signal.Signals, seconds: float) -> None:
        """Ask it to end, and wait for that; then kill it."""
        if self.runs.process.poll() is None:
            os.kill(self.runs.process.pid, number)
        end = time.monotonic() + seconds
        while self.runs.process.poll() is None:
            if time.monotonic() > end:
                os.kill(self.runs.process.pid, signal.SIGKILL)
            time.sleep(LOOK / 2)


class House:
    """All of it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._brokers: list[Broker] = []
        self._database: Database | None = None
        self._nodes: list[Node] = []
        self._ports: dict[str, dict[str, list[int]]] = {}
        self.parts: list[Part] = []

    def open(self, free: bool) -> None:
        """Raises Problem, and Missing."""
        self._brokers = start_brokers(self._directory)
        self.parts += [Part(f"broker {number}", each, each.start) for number, each in enumerate(self._brokers, 1)]
        self._database = database = Database(self._directory, fsync=True)
        self.parts.append(Part("archive", database, database.launch))
        archive = database.url("parlour") if database.has("parlour") else database.new("parlour")
        urls = [broker.url for broker in self._brokers]
        asyncio.run(until_led(urls))
        words = ["--cluster", ",".join(urls), "--archive", archive]
        for number, name in enumerate(NAMES):
            self._ports[name] = ports = _ports(number, free)
            node = Node(name, self._directory, _doors(ports), [*words, "--drain", "3"])
            self._nodes.append(node)
            self.parts.append(Part(f"node {name}", node, node.start))
        for node in self._nodes:
            node.wait()
        self._announce(words)

    def _announce(self, words: list[str]) -> None:
        for number, broker in enumerate(self._brokers, 1):
            print(f"broker {number} {broker.url} pid {broker.process.pid}")
        assert self._database is not None
        print(f"archive {words[-1]} pid {self._database.process.pid}")
        for node in self._nodes:
            print(f"node {node.name} http://{HERE}:{self._ports[node.name]['web'][0]}/ pid {node.process.pid}")
            for wire, ports in self._ports[node.name].items():
                for port in ports:
                    print(f"listening {node.name} {wire} {HERE}:{port}")
        print(f"data {self._directory}")
        print(f"look {Path(sys.executable).with_name('parlour')} cluster status {' '.join(words)}")
        print("ready", flush=True)

    def watch(self) -> NoReturn:
        while True:
            time.sleep(LOOK)
            for part in self.parts:
                part.look()

    def close(self) -> None:
        """Nodes first, all at once: they have something to write."""
        nodes = [part for part in self.parts if isinstance(part.runs, Node)]
        for part in nodes:
            if part.runs.process.poll() is None:
                os.kill(part.runs.process.pid, signal.SIGTERM)
        for part in nodes:
            part.end(signal.SIGCONT, 20.0)
        for part in self.parts:
            part.end(signal.SIGINT, 10.0)  # for PostgreSQL: without waiting for anyone


def _ports(number: int, free: bool) -> dict[str, list[int]]:
    """By wire, where a node of this number listens."""
    found: dict[str, list[int]] = {}
    for door in doors(Settings(), protocols()):
        found.setdefault(door.name, []).append(free_port() if free else door.port + APART * number)
    return found


def _doors(ports: dict[str, list[int]]) -> list[str]:
    """Every wire's usual doors, at these ports."""
    return [
        f"{wire.name}={HERE}:{port}" + "".join(f",{key}={value}" for key, value in differing.items())
        for wire in protocols().values()
        for port, (_, differing) in zip(ports[wire.name], wire.ports, strict=True)
    ]


def _directory(given: str | None) -> Path:
    """Where everything is kept. PostgreSQL may run as another user than we do, who has to get there."""
    directory = Path(given or Path(tempfile.gettempdir()) / f"parlour-cluster-{os.getuid()}").absolute()
    try:
        directory.mkdir(mode=0o711, parents=True, exist_ok=True)
    except OSError as error:
        raise Problem(f"{directory} cannot be used: {error.strerror}") from error
    if directory.stat().st_uid != os.getuid():
        raise Problem(f"{directory} belongs to someone else; DATA=DIR names another directory")
    directory.chmod(0o711)
    return directory


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, prog="make cluster")
    parser.add_argument("--data", metavar="DIR", help="where everything is kept; a directory for temporary files")
    parser.add_argument("--free-ports", action="store_true", help="doors on any ports; else the usual, +100, +200")
    given = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    house: House | None = None
    try:
        house = House(_directory(given.data or None))
        house.open(given.free_ports)
        house.watch()
    except (Problem, Missing) as problem:
        print(f"cluster: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 0
    finally:
        if house is not None:
            house.close()


if __name__ == "__main__":
    sys.exit(main())
