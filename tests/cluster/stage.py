"""A house for bad days: three brokers, a database, three nodes; any of them can be killed, stopped or cut off."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import psycopg
import requests

from bench.brokers import HERE, Broker, Database, free_port
from parlour.cluster.lease import QUEUE
from parlour.cluster.status import Status, status
from parlour.cluster.verifying import verify
from parlour.core.errors import LocalError
from parlour.core.standings import Tally, counted
from parlour.core.words import Finished
from parlour.store.places import open_library
from parlour.store.postgres import PostgresArchive
from parlour.store.spelling import Reading
from scripts.cluster import Node, Problem
from tests.cluster.checker import DOORS, Run, attend, check
from tests.cluster.conftest import connected

Found = TypeVar("Found")

NAMES = ("a", "b", "c")
PROXIED = "c"
"""The node that has its brokers behind proxies of ours."""
PATIENCE = 60.0
"""Seconds for anything to be well again."""
MOST_STARTS = 5
GIVEN_UP = "tables given up"
"""What a node says when another keeps its tables."""
ENVIRONMENT = {"PARLOUR_KERNELS": "none", "PYTHONFAULTHANDLER": "1"}


class Proxy:
    """Stands before a broker, so that a node can be cut off from it: nothing passes then, and nobody is told."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._passing = asyncio.Event()
        self._passing.set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> int:
        self._server = await asyncio.start_server(self._pass_on, HERE, 0)
        return int(self._server.sockets[0].getsockname()[1])

    def cut(self) -> None:
        self._passing.clear()

    def mend(self) -> None:
        self._passing.set()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with suppress(OSError, asyncio.CancelledError), closing(writer):
            await self._passing.wait()
            far, beyond = await asyncio.open_connection(HERE, self._port)
            with closing(beyond):
                there, back = (asyncio.create_task(self._pump(*way)) for way in ((reader, beyond), (far, writer)))
                try:
                    await asyncio.wait((there, back), return_when=asyncio.FIRST_COMPLETED)
                finally:
                    there.cancel()
                    back.cancel()

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.CancelledError):
            while data := await source.read(1 << 16):
                await self._passing.wait()
                sink.write(data)
                await sink.drain()

    async def close(self) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks)
        await asyncio.sleep(0)  # what was closed has heard of it


class Stage:
    """The house, with what is known of its players so far."""

    def __init__(
        self,
        directory: Path,
        brokers: list[Broker],
        database: Database,
        archive: str,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._environment = {**ENVIRONMENT, **(environment or {})}
        self.directory = directory
        self.brokers = brokers
        self.database = database
        self.archive = archive
        self.nodes: dict[str, Node] = {}
        self.ports = {name: {door.partition(",")[0]: free_port() for door in DOORS} for name in NAMES}
        self.proxies: list[Proxy] = []
        self.runs: list[Run] = []
        self.passports: dict[str, str] = {}
        self.patience = PATIENCE
        self._settled: set[str] = set()
        self.dead: set[int] = set()
        """Ports of nodes that have died while these players played, or that may have found their tables elsewhere."""
        self.replaced = 0
        """How often a node lost its tables to another although nothing was done to it: the machine was too busy."""
        self._read = dict.fromkeys(NAMES, 0)
        self.moments: list[tuple[float, str]] = []
        """When something happened while these players played, by the loop's clock, and to what."""

    # --- starting and ending -----------------------------------------------------------------------------------------

    def start(self, cluster: Mapping[str, str] | None = None) -> None:
        """All nodes; `cluster` has other addresses of the brokers for some of them."""
        for name in NAMES:
            urls = (cluster or {}).get(name, ",".join(broker.url for broker in self.brokers))
            words = ["--cluster", urls, "--archive", self.archive, "--drain", "2"]
            if len(self.brokers) < 3:
                words += ["--replicas", "1"]
            doors = [f"{door.partition(',')[0]}={HERE}:{self._port(name, door)}{_keys(door)}" for door in DOORS]
            self.nodes[name] = Node(name, self.directory, doors, words, self._environment)

    async def start_behind_proxies(self, name: str) -> None:
        """All nodes, this one with its brokers behind proxies of ours."""
        self.proxies = [Proxy(broker.port) for broker in self.brokers]
        ports = [await proxy.open() for proxy in self.proxies]
        self.start({name: ",".join(f"nats://{HERE}:{port}" for port in ports)})

    def _port(self, name: str, door: str) -> int:
        return self.ports[name][door.partition(",")[0]]

    async def until_ready(self) -> None:
        await asyncio.gather(*(self._until_ready(node) for node in self.nodes.values()))

    async def _until_ready(self, node: Node) -> None:
        """One that gives up because brokers or database are slow to come is started again, as a host's system does."""
        for _ in range(MOST_STARTS):
            try:
                await asyncio.to_thread(node.wait)
                return
            except Problem as problem:
                if node.process.poll() != 2:
                    raise
                last = problem
                node.start()
        raise AssertionError(f"node {node.name} does not start: {last}")

    def end(self) -> str:
        """What the nodes have complained of."""
        for node in self.nodes.values():
            if node.process.poll() is None:
                node.process.send_signal(signal.SIGCONT)
                node.process.send_signal(signal.SIGTERM)
        for node in self.nodes.values():
            self._await_end(node)
        return "".join(map(self._complaints, self.nodes))

    def _complaints(self, name: str) -> str:
        return (self.directory / f"node-{name}.log").read_text()

    def _await_end(self, node: Node) -> None:
        try:
            node.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            node.process.send_signal(signal.SIGABRT)  # and says where it stands
            node.process.wait()
            raise AssertionError(f"node {node.name} does not end: {self._complaints(node.name)}") from None

    # --- what nemeses do ---------------------------------------------------------------------------------------------

    def signal(self, name: str, number: signal.Signals) -> None:
        self.trouble(name)
        os.kill(self.nodes[name].process.pid, number)

    def trouble(self, name: str) -> None:
        """Something happens to this node: its own people may be dropped."""
        self.dead |= set(self.ports[name].values())
        self.note("a node")

    def _look_for_replaced(self) -> None:
        """A node that stands still for longer than its lease lasts is replaced: then its people may be dropped, too."""
        for name in self.nodes:
            text = self._complaints(name)
            told, self._read[name] = text[self._read[name] :], len(text)
            ports = set(self.ports[name].values())
            if GIVEN_UP in told and not ports <= self.dead:
                self.replaced += 1
                self.dead |= ports

    def note(self, what: str) -> None:
        """Something happens to this now."""
        self.moments.append((asyncio.get_running_loop().time(), what))

    def kill(self, broker: Broker, what: str) -> None:
        self.note(what)
        broker.kill()

    async def restart(self, name: str) -> None:
        """Start a node that has ended, and wait until it is ready."""
        node = self.nodes[name]
        await asyncio.to_thread(node.process.wait)
        node.start()
        await self._until_ready(node)

    async def leader(self, name: str) -> Broker:
        """The broker that leads the stream of a shelf that this node keeps."""
        shelf = await self._find(lambda state: [row.shelf for row in state.shelves if row.node == name])
        async with connected(self.brokers, 1) as through:
            info = await through.js.stream_info(f"PARLOUR-SHELF-{shelf}")
        assert info.cluster is not None
        return self.brokers[int((info.cluster.leader or "").removeprefix("b"))]

    async def until_led(self) -> None:
        """All streams have a leader and all copies: another broker may die."""
        for _ in range(int(self.patience / 0.5)):
            with suppress(LocalError):
                if all(row.leader and not row.missing for row in (await self.status()).streams):
                    return
            await asyncio.sleep(0.5)
        raise AssertionError("the brokers do not come together again")

    async def keeper(self) -> str:
        """The node that keeps the queue."""
        return await self._find(lambda state: [lease.node for lease in state.leases if lease.name == QUEUE])

    async def _find(self, wanted: Callable[[Status], list[Found]]) -> Found:
        """The first of what is wanted; there may be none for a moment, while it changes hands."""
        for _ in range(int(self.patience / 0.5)):
            with suppress(LocalError):
                if found := wanted(await self.status()):
                    return found[0]
            await asyncio.sleep(0.5)
        raise AssertionError("a shelf or the queue is kept by nobody")

    async def status(self) -> Status:
        return await status([broker.url for broker in self.brokers], self.archive)

    async def until_well(self) -> None:
        """All nodes are ready, and the archive has everything."""
        found: object = None
        for _ in range(int(self.patience / 0.5)):
            with suppress(LocalError):
                found = state = await self.status()
                behind = [shelf for shelf in state.shelves if shelf.lag]
                if not state.wrong and not behind and {node.node for node in state.nodes} == set(self.nodes):
                    return
            await asyncio.sleep(0.5)
        raise AssertionError(f"it is not well again: {found}")

    # --- players -----------------------------------------------------------------------------------------------------

    def register(self, count: int) -> None:
        """So many names, whose games are rated."""
        for number in range(count):
            self.passports[f"Reg{number}"] = self._post("register", f"Reg{number}")

    def _post(self, what: str, name: str) -> str:
        site = f"http://{HERE}:{self.ports['a']['web']}"
        who = {"name": name, "password": "correct horse"}
        told = requests.post(f"{site}/api/{what}", json=who, headers={"Origin": site}, timeout=PATIENCE)
        assert told.status_code == 200, told.text
        return str(told.json()["token"])

    def run_at(self, *names: str, wires: Sequence[str], pairs: int = 1, think: float = 0.02) -> Run:
        """Players who come to these nodes."""
        ports = [{wire: self.ports[name][wire] for wire in wires} for name in names]
        known = self._take_passports(2 * pairs) if "web" in wires else None
        seed, company = len(self.runs), self.runs
        run = Run(*ports, pairs=pairs, think=think, seed=seed, anywhere=True, passports=known, company=company)
        self.runs.append(run)
        return run

    def _take_passports(self, count: int) -> dict[str, str]:
        """Those of the names that were not used for longest."""
        taken = list(self.passports.items())[:count]
        for name, passport in taken:
            del self.passports[name]
            self.passports[name] = passport
        return dict(taken)

    async def attend(self, runs: Sequence[Run], nemesis: Any, seconds: float, patience: float) -> None:
        """Let them play, and that happen; then everything must be well again, and the log what was told."""
        ended = await attend(runs, nemesis, seconds, patience)
        stuck = [(each.wire, each.name, each.port, each.sent, each.turns) for run in runs for each in run.stuck]
        assert ended, f"games do not come to an end: {stuck}"
        await self.until_well()
        await self.check()

    def forget(self) -> None:
        """All players have gone: what was checked of them need not be checked again."""
        self.runs.clear()
        self.dead.clear()
        self.moments.clear()
        with closing(open_library(self.archive)) as library:
            self._settled = {game.id for game in library.games() if game.status != "waiting"}

    async def check(self) -> int:
        """Hold everything against each other. Raises AssertionError."""
        self._look_for_replaced()
        moves = await asyncio.to_thread(check, self.archive, *self.runs, settled=self._settled, dead=self.dead)
        for finding in await verify([broker.url for broker in self.brokers], self.archive):
            assert finding.differences == [] or finding.archived == 0, finding
        await asyncio.to_thread(check_ratings, self.archive)
        return moves


def _keys(door: str) -> str:
    _, comma, keys = door.partition(",")
    return f"{comma}{keys}"


def check_ratings(archive: str) -> int:
    """Rated games and standings are what the records come to, in one order; returns how many were rated."""
    with psycopg.connect(archive) as connection:
        rows = connection.execute("SELECT at, event, tbl FROM record WHERE event LIKE '%\"finished\"%'").fetchall()
        numbers = connection.execute("SELECT DISTINCT rated FROM result WHERE rated > 0 ORDER BY rated").fetchall()
        games: dict[int, str] = dict(connection.execute("SELECT tbl, game FROM game").fetchall())
    ends = [(at, end, games[tbl]) for at, text, tbl in rows if isinstance(end := Reading().event(text), Finished)]
    standings: dict[tuple[str, str], Tally] = {}
    for _, end, game in ends:
        for account, tally in counted(end.accounts, end):
            standings[game, account] = standings.get((game, account), Tally()) + tally
    rated = sorted((at / 1000, game, end.stakes, end.places) for at, end, game in ends if end.places)
    assert [number for (number,) in numbers] == list(range(1, len(rated) + 1))
    with closing(PostgresArchive(archive)) as stored:
        _, outcomes = stored.ratings()
        kept = {(game, account): tally for game, account, tally in stored.standings()}
    assert sorted((each.at, each.game, each.accounts, each.places) for each in outcomes) == rated
    assert kept == standings
    return len(rated)


@contextmanager
def ending(stage: Stage) -> Iterator[Stage]:
    """A stage whose nodes end with the block; a bug of theirs fails it."""
    try:
        yield stage
    except BaseException:
        for node in stage.nodes.values():
            node.process.kill()
        raise
    complaints = stage.end()
    assert "Traceback" not in complaints, complaints
