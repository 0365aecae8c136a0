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

from bench.brokers import Broker, Database, Missing, brokers, database
from bench.report import Fact, Report
from bench.servers import PAIRS, Server, players, running, serving


@contextmanager
def _node(started: list[Broker], url: str, data: str, failures: list[str]) -> Iterator[Server]:
    addresses = ",".join(broker.url for broker in started)
    words = [sys.executable, "-m", "parlour", "serve", "--data", data, "--cluster", addresses, "--archive", url]
    words += ["--node", Path(data).name, *(word for door in PAIRS for word in ("--listen", door))]
    with running(words, failures) as server:
        yield server


def measure(report: Report, tables: int, repeats: int, warm: float, seconds: float, adopted: int) -> None:
    """Both in turns, so that a busy machine is busy for both."""
    with tempfile.TemporaryDirectory(prefix="parlour-bench-") as directory:
        os.chmod(directory, 0o755)
        try:
            with database(Path(directory)) as server, brokers(Path(directory)) as started:
                _compare(report, started, server, directory, tables, repeats, warm, seconds)
                _two(report, started, server, directory, tables, repeats, warm, seconds)
                _adopt(report, started, server, directory, adopted)
        except Missing as missing:
            report.notes.append(f"No figures of a node: {missing}.")


def _compare(
    report: Report,
    started: list[Broker],
    server: Database,
    directory: str,
    tables: int,
    repeats: int,
    warm: float,
    seconds: float,
) -> None:
    ratios, moves = [], []
    for turn in range(repeats):
        with (
            serving(True, report.failures) as alone,
            _node(started, server.new(f"bench{turn}"), f"{directory}/node{turn}", report.failures) as node,
            players("glendy", alone, 2 * tables, report.failures) as here,
            players("glendy", node, 2 * tables, report.failures) as there,
        ):
            pair = [crowd.play(warm, seconds)["per_cpu_second"] for crowd in (here, there, there, here)]
        moves.append((pair[1] + pair[2]) / 2)
        ratios.append((pair[1] + pair[2]) / (pair[0] + pair[3]))
    data = {"ratio": median(ratios), "moves": median(moves), "ratios": ratios, "tables": tables}
    figure = f"{data['moves']:,.0f} moves/CPU-s, {data['ratio']:.2f} of one process on SQLite"
    report.facts.append(Fact("node on JetStream and PostgreSQL", figure, data))


def _two(
    report: Report,
    started: list[Broker],
    server: Database,
    directory: str,
    tables: int,
    repeats: int,
    warm: float,
    seconds: float,
) -> None:
    """Two nodes of a house, with people who meet at each of them, and with people who meet across."""
    apart, across = [], []
    for turn in range(repeats):
        url, failures = server.new(f"pair{turn}"), report.failures
        with (
            serving(True, failures) as alone,
            _node(started, url, f"{directory}/left{turn}", failures) as left,
            _node(started, url, f"{directory}/right{turn}", failures) as right,
            ThreadPoolExecutor() as both,
        ):
            with players("glendy", alone, 2 * tables, failures) as crowd:
                yardstick = crowd.play(warm, seconds)["per_cpu_second"]
            with (
                players("glendy", left, 2 * tables, failures) as here,
                players("glendy", right, 2 * tables, failures) as there,
            ):
                one = here.play(warm, seconds)["per_cpu_second"]
                two = [
                    each["per_cpu_second"] for each in both.map(lambda each: each.play(warm, seconds), (here, there))
                ]
            with players("glendy-across", left, 2 * tables, failures, others=[right]) as crowd:
                across.append(crowd.play(warm, seconds)["per_cpu_second"] / yardstick)
        apart.append(sum(two) / 2 / one)
    data = {"ratio": median(apart), "ratios": apart, "tables": tables}
    figure = f"{data['ratio']:.2f} of one node's moves per CPU-second, people paired at each"
    report.facts.append(Fact("two nodes", figure, data))
    data = {"ratio": median(across), "ratios": across, "tables": tables}
    figure = f"{data['ratio']:.2f} of one process on SQLite, everyone paired with the other node's"
    report.facts.append(Fact("two nodes, pairs across", figure, data))


def _adopt(report: Report, started: list[Broker], server: Database, directory: str, tables: int) -> None:
    """A node with so many tables is killed; another seals its shelf, reads it and folds every table."""
    failures: list[str] = []
    url = server.new("adopted")
    with (
        _node(started, url, f"{directory}/adopted", failures) as node,
        players("sitting", node, 2 * tables, failures) as crowd,
    ):
        held = crowd.in_place // 2
        os.kill(node.pid, 9)
    taken, found = asyncio.run(_take(started, url))
    report.failures += [failure for failure in failures if "closed" not in failure and "reset" not in failure.lower()]
    figure = f"{found:,} in {taken:.2f} s"
    report.facts.append(Fact("tables adopted", figure, {"tables": found, "held": held, "seconds": taken}))


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
