"""A node of a house on several machines beside a server on SQLite, and how soon another takes its tables over."""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.brokers import Broker, Database, Missing, brokers, database
from bench.report import Fact, Report
from bench.servers import PAIRS, Crowd, Server, players, running, serving


def measure(report: Report, tables: int, repeats: int, warm: float, seconds: float, adopted: int) -> None:
    """All in turns, so that a busy machine is busy for all."""
    with tempfile.TemporaryDirectory(prefix="parlour-bench-") as directory:
        os.chmod(directory, 0o755)
        try:
            with database(Path(directory)) as server, brokers(Path(directory)) as started:
                ground = _Ground(report, started, server, directory, tables, warm, seconds)
                ground.compare(repeats)
                ground.pair(repeats)
                ground.adopt(adopted)
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
    def node(self, name: str, archive: str) -> Iterator[Server]:
        words = [sys.executable, "-m", "parlour", "serve", "--data", f"{self.directory}/{name}", "--node", name]
        words += ["--cluster", ",".join(broker.url for broker in self.brokers), "--archive", archive]
        words += [word for door in PAIRS for word in ("--listen", door)]
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
        taken, found = asyncio.run(_take(self.brokers, archive))
        self.report.failures += [
            failure for failure in failures if "closed" not in failure and "reset" not in failure.lower()
        ]
        data = {"tables": found, "held": held, "seconds": taken}
        self.report.facts.append(Fact("tables adopted", f"{found:,} in {taken:.2f} s", data))


async def _take(started: list[Broker], url: str) -> tuple[float, int]:
    from parlour.core.table.table import folded
    from parlour.registry import games
    from parlour.store.archivist import Archivist
    from parlour.store.brokers import connect
    from parlour.store.jetstream import Kept
    from parlour.store.postgres import PostgresArchive
    from parlour.store.shelf import Shelf, shelves

    through = await connect([broker.url for broker in started], 3)
    known = games()
    for key in known:
        known[key]
    number = max(await shelves(through))
    shelf = Shelf(through, number, "heir")
    archive = PostgresArchive(url)
    began = time.perf_counter()
    records = await Kept(shelf, Archivist(archive.pool, shelf)).take()
    tables = [folded(table, known, events) for table, events in records.items()]
    seconds = time.perf_counter() - began
    archive.close()
    await through.close()
    return seconds, len(tables)
