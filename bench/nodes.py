"""A node of a house on several machines beside a server on SQLite, and how soon another takes its tables over."""

import asyncio
import gc
import os
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from bench.brokers import Broker, Database, Missing, brokers, database, until_led
from bench.report import Fact, Report
from bench.servers import PAIRS, WEB, Crowd, Server, players, running, serving
from parlour.cluster.edge import Edge, EdgeHouse
from parlour.cluster.frames import Fold, FromOwner, Unframing, framed
from parlour.core.table.table import folded
from parlour.core.words import Record
from parlour.registry import games
from parlour.store.archivist import Archivist
from parlour.store.brokers import connect
from parlour.store.jetstream import Kept
from parlour.store.memory import MemoryStore
from parlour.store.postgres import PostgresArchive
from parlour.store.shelf import Shelf, shelves

NODES = ("one", "two", "three")
"""Of a house whose spectators are everywhere."""
PACE = 1.0
"""Seconds that people think before a move while a crowd looks on."""


class Amounts(NamedTuple):
    """How much of everything."""

    tables: int
    repeats: int
    warm: float
    seconds: float
    adopted: int
    spectators: int
    watching: float
    """Seconds."""


def measure(report: Report, amounts: Amounts) -> None:
    """All in turns, so that a busy machine is busy for all."""
    with tempfile.TemporaryDirectory(prefix="parlour-bench-") as directory:
        os.chmod(directory, 0o755)
        try:
            with database(Path(directory)) as server, brokers(Path(directory)) as started:
                asyncio.run(until_led([broker.url for broker in started]))
                ground = _Ground(report, started, server, directory, amounts.tables, amounts.warm, amounts.seconds)
                ground.compare(amounts.repeats)
                ground.pair(amounts.repeats)
                ground.adopt(amounts.adopted)
                ground.watch(amounts.spectators, amounts.watching)
        except Missing as missing:
            report.notes.append(f"No figures of a node: {missing}.")


class _Ground(NamedTuple):
    """Where nodes are measured, and how."""

    report: Report
    brokers: list[Broker]
    server: Database
    directory: str
    tables: int
    warm: float
    seconds: float

    @contextmanager
    def node(self, name: str, archive: str, doors: Sequence[str] = PAIRS) -> Iterator[Server]:
        words = [sys.executable, "-m", "parlour", "serve", "--data", f"{self.directory}/{name}", "--node", name]
        words += ["--cluster", ",".join(broker.url for broker in self.brokers), "--archive", archive]
        words += [word for door in doors for word in ("--listen", door)]
        with running(words, self.report.failures) as server:
            yield server

    @contextmanager
    def crowd(self, server: Server, *others: Server) -> Iterator[Crowd]:
        """Two for each table; with another node, all paired across."""
        kind = "glendy-across" if others else "glendy"
        with players(kind, server, 2 * self.tables, self.report.failures, others=others) as crowd:
            yield crowd

    def played(self, crowd: Crowd) -> float:
        """Moves for each second of the servers' processors."""
        return float(crowd.play(self.warm, self.seconds)["per_cpu_second"])

    def tell(self, what: str, figure: str, ratios: list[float], **more: float) -> None:
        data = {"ratio": median(ratios), "ratios": ratios, "tables": self.tables, **more}
        self.report.facts.append(Fact(what, figure.format(**data), data))

    def compare(self, repeats: int) -> None:
        """A node beside one process."""
        ratios, moves = [], []
        for turn in range(repeats):
            with (
                serving(True, self.report.failures) as alone,
                self.node(f"node{turn}", self.server.new(f"bench{turn}")) as node,
                self.crowd(alone) as here,
                self.crowd(node) as there,
            ):
                pair = [self.played(crowd) for crowd in (here, there, there, here)]
            moves.append((pair[1] + pair[2]) / 2)
            ratios.append((pair[1] + pair[2]) / (pair[0] + pair[3]))
        figure = "{moves:,.0f} moves/CPU-s, {ratio:.2f} of one process on SQLite"
        self.tell("node on JetStream and PostgreSQL", figure, ratios, moves=median(moves))

    def pair(self, repeats: int) -> None:
        """Two nodes of a house, with people who meet at each of them, and with people who meet across."""
        apart, across = [], []
        for turn in range(repeats):
            archive = self.server.new(f"pair{turn}")
            with (
                serving(True, self.report.failures) as alone,
                self.node(f"left{turn}", archive) as left,
                self.node(f"right{turn}", archive) as right,
                ThreadPoolExecutor() as both,
            ):
                with self.crowd(alone) as crowd:
                    yardstick = self.played(crowd)
                with self.crowd(left) as here, self.crowd(right) as there:
                    one = self.played(here)
                    apart.append(sum(both.map(self.played, (here, there))) / 2 / one)
                with self.crowd(left, right) as crowd:
                    across.append(self.played(crowd) / yardstick)
        self.tell("two nodes", "{ratio:.2f} of one node's moves per CPU-second, people paired at each", apart)
        figure = "{ratio:.2f} of one process on SQLite, everyone paired with the other node's"
        self.tell("two nodes, pairs across", figure, across)

    def watch(self, spectators: int, seconds: float) -> None:
        """One table, and a third of the spectators at each of three nodes: when they see each move."""
        failures, archive = self.report.failures, self.server.new("watched")
        options = ["--timed", "--pace", str(PACE)]
        with ExitStack() as stack:
            nodes = [stack.enter_context(self.node(name, archive, (WEB,))) for name in NODES]
            each = [len(range(number, spectators, len(nodes))) for number in range(len(nodes))]
            first = stack.enter_context(players("web-crowd", nodes[0], each[0] + 2, failures, *options))
            options += ["--table", first.table]
            crowds = [first] + [
                stack.enter_context(players("web-crowd", node, count, failures, *options))
                for node, count in zip(nodes[1:], each[1:], strict=True)
            ]
            with ThreadPoolExecutor() as all_at_once:
                seen = list(
                    all_at_once.map(lambda crowd: crowd.play(self.warm + 2 * PACE, max(seconds, 2 * PACE)), crowds)
                )
        data: dict[str, Any] = {"spectators": spectators, "seen": [one["moves"] for one in seen]}
        data |= {name: [one[name] for one in seen] for name in ("p50_ms", "p99_ms", "max_ms", "busy")}
        figure = "none"
        if all(data["seen"]):
            p99 = ", ".join(f"{wait:.0f}" for wait in data["p99_ms"])
            figure = f"p99 {p99} ms by node, worst {max(data['max_ms']):.0f} ms"
        self.report.facts.append(Fact(f"{spectators:,} browsers watch at three nodes", figure, data))

    def adopt(self, tables: int) -> None:
        """A node with so many tables is killed; another seals its shelf, reads it and folds every table."""
        failures: list[str] = []
        archive = self.server.new("adopted")
        ground = self._replace(report=Report(""))
        with (
            ground.node("adopted", archive) as node,
            players("sitting", node, 2 * tables, failures) as crowd,
        ):
            held = crowd.in_place // 2
            os.kill(node.pid, 9)
        failures += ground.report.failures
        taken, records = asyncio.run(_take(self.brokers, archive))
        found, each = len(records), _follow(records)
        self.report.failures += [
            failure for failure in failures if "closed" not in failure and "reset" not in failure.lower()
        ]
        data = {"tables": found, "held": held, "seconds": taken}
        self.report.facts.append(Fact("tables adopted", f"{found:,} in {taken:.2f} s", data))
        data = {"tables": found, "bytes_per_table": each}
        self.report.facts.append(Fact("tables followed from another node", f"{found:,}, {each:,.0f} bytes each", data))


async def _take(started: list[Broker], url: str) -> tuple[float, dict[int, list[Record]]]:
    """How many seconds it took, and the records of all tables."""
    through = await connect([broker.url for broker in started], 3)
    known = games()
    for key in known:
        known[key]
    number = max(await shelves(through))
    shelf = Shelf(through, number, "heir")
    archive = PostgresArchive(url)
    began = time.perf_counter()
    records = await Kept(shelf, Archivist(archive.pool, shelf)).take()
    for table, events in records.items():
        folded(table, known, events)
    seconds = time.perf_counter() - began
    archive.close()
    await through.close()
    return seconds, records


def _follow(records: dict[int, list[Record]]) -> float:
    """Bytes that a node needs for each of these tables if it has people there, beside what these need themselves."""
    store, told = MemoryStore(), Unframing(FromOwner)
    house = EdgeHouse(store, store, lambda _: None, time.monotonic, lambda _: None)
    edge = Edge.alone("bench", house, games())
    sent = [framed([Fold(number, events)]) for number, events in records.items()]
    for frame in sent[:1]:  # what all followers have in common
        edge.receive(next(iter(told.feed(frame))))
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for frame in sent[1:]:
        edge.receive(next(iter(told.feed(frame))))
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / max(len(sent) - 1, 1)
