"""`make bench`: games, memory, tables and latency in one run, against a bare echo measured at the same time."""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from bench import browsers, nodes, storms, trace
from bench.engines import ladder, pool
from bench.report import BUSY, Fact, Games, Report
from bench.servers import (
    NETDOT,
    PAIRS,
    WEB,
    Broken,
    Crowd,
    Server,
    broadcasting,
    echoing,
    players,
    raise_descriptor_limit,
    serving,
)

RESULTS = Path(__file__).parent / "results"
KINDS = [(wire, journal) for journal in (True, False) for wire in ("glendy", "c4n", "netdot", "web")]
ROOMS = {"netdot": (f"{NETDOT},full=room",), "web": (WEB,)}
"""Wires that are not measured at most tables, each with its door."""

LARGEST = "50x50"
"""A board for a game that lasts, with 4,900 lines."""


class Plan(NamedTuple):
    """How much of everything."""

    tables: tuple[int, ...] = (50, 1000, 5000)
    repeats: int = 2
    seconds: float = 2.0
    warm: float = 0.4
    waiting: int = 5000
    held: int = 9000
    timed: float = 4.0
    rooms: int = 1000
    spectators: int = 500
    watchers: int = 2000
    relayed: int = 200
    netdot_talkers: int = 100
    ggz_talkers: int = 120
    node_tables: int = 200
    node_repeats: int = 3
    adopted: int = 1000
    house_watchers: int = 20_000

    def echo_seconds(self) -> float:
        """The yardstick is measured twice for each repeat, and steadier."""
        return self.seconds / 2


QUICK = Plan(
    tables=(10,),
    repeats=1,
    seconds=0.3,
    warm=0.1,
    waiting=100,
    held=20,
    timed=0.3,
    rooms=10,
    spectators=20,
    watchers=20,
    relayed=10,
    netdot_talkers=10,
    ggz_talkers=10,
    node_tables=10,
    node_repeats=1,
    adopted=20,
    house_watchers=30,
)


Bare = Callable[[list[str]], AbstractContextManager[Server]]


class Bench:
    """One run."""

    def __init__(self, plan: Plan, report: Report, room: int) -> None:
        self.plan = plan
        self.report = report
        self.failures = report.failures
        self.room = room
        """Connections that one process may have."""
        self.moves = 0
        """Moves of all games, in the time that counted."""

    def _fitting(self, connections: int, what: str) -> int:
        """As many as the descriptor limit allows."""
        fitting = min(connections, self.room) // 2 * 2
        if fitting < connections:
            self.report.notes.append(f"{what}: {fitting:,} connections, not {connections:,}: the descriptor limit")
        return fitting

    # --- games -------------------------------------------------------------------------------------------------------

    def games(self) -> None:
        """Whole games against the echo, in turns, at the same number of connections."""
        for tables in self.plan.tables:
            connections = self._fitting(2 * tables, f"{tables:,} tables")
            with self._yardstick(echoing, "echo", connections) as echo:
                for wire, journal in KINDS:
                    if wire in ROOMS and tables not in (self.plan.rooms, min(self.plan.tables)):
                        continue
                    doors = ROOMS.get(wire, PAIRS)
                    with (
                        serving(journal, self.failures, doors) as server,
                        players(wire, server, connections, self.failures) as crowd,
                    ):
                        self.report.games.append(self._best(wire, journal, connections // 2, crowd, echo))
                    _say(f"{wire} at {tables:,} tables, journal {'on' if journal else 'off'}")
        self.report.games.sort(key=lambda row: (KINDS.index((row.wire, row.journal)), row.tables))
        self._doubt()
        self._compare()
        wrong = sum("out of order" in failure for failure in self.failures)
        data = {"wrong": wrong, "moves": self.moves}
        self.report.facts.append(Fact("moves told out of order", f"{wrong} of {self.moves:,}", data))

    def _compare(self) -> None:
        """What a move by WebSocket costs beside one by the wire that the game comes from."""
        rows = {(row.wire, row.tables): row for row in self.report.games if row.journal}
        for (wire, tables), row in rows.items():
            if wire == "web" and (glendy := rows.get(("glendy", tables))) is not None:
                times = glendy.share / row.share
                what = f"a move by WebSocket at {tables:,} tables"
                self.report.facts.append(Fact(what, f"costs {times:.2f} of Glendy's", {"times": times}))

    def flushed(self) -> None:
        """The fewest tables again, where every move is on the disk before anyone is told."""
        tables = min(self.plan.tables)
        with self._yardstick(echoing, "echo", 2 * tables) as echo:
            for wire in ("glendy", "c4n"):
                with (
                    serving(True, self.failures, PAIRS, "--durability", "power") as server,
                    players(wire, server, 2 * tables, self.failures) as crowd,
                ):
                    best = self._best(wire, True, tables, crowd, echo)
                figure = f"{best.moves:,.0f} moves/CPU-s, {best.share:.3f} of the echo's {best.echo:,.0f}"
                data = {"moves": best.moves, "echo": best.echo, "share": best.share, "busy": best.busy}
                self.report.facts.append(Fact(f"{wire} at {tables:,} tables, --durability power", figure, data))
        _say("moves that wait for the disk")

    def _doubt(self) -> None:
        """Say so when a server was not kept busy."""
        idle = sum(row.busy < BUSY for row in self.report.games)
        if idle:
            self.report.notes.append(
                f"In {idle} of {len(self.report.games)} rows the server was busy for less than {BUSY:.0%} of the time: "
                "it waited for its players, or for a core. Those figures are the least certain."
            )

    @contextmanager
    def _yardstick(self, started: Bare, kind: str, connections: int) -> Iterator[Callable[[], float]]:
        """Something that tells what a bare server does per second of processor time, whenever it is asked."""
        with started(self.failures) as server, players(kind, server, connections, self.failures) as crowd:
            yield lambda: float(crowd.play(self.plan.warm, self.plan.echo_seconds())["per_cpu_second"])

    def _best(self, wire: str, journal: bool, tables: int, crowd: Crowd, echo: Callable[[], float]) -> Games:
        """The best of some repeats, each between two looks at the yardstick."""
        rows = []
        before = echo()
        for _ in range(self.plan.repeats):
            seen = crowd.play(self.plan.warm, self.plan.seconds)
            self.moves += seen["moves"]
            after = echo()
            rows.append(Games(wire, tables, journal, seen["per_cpu_second"], (before + after) / 2, seen["busy"]))
            before = after
        return max(rows, key=lambda row: row.share)

    def crowd(self) -> None:
        """A game with spectators: the lines they are told, against a broadcast of the same bytes to as many."""
        connections = self._fitting(self.plan.spectators + 2, "spectators")
        with self._yardstick(broadcasting, "broadcast", connections) as broadcast:
            for journal in (True, False):
                with (
                    serving(journal, self.failures, (f"{NETDOT},full=watch,size={LARGEST}",)) as server,
                    players("crowd", server, connections, self.failures) as crowd,
                ):
                    best = self._best("netdot", journal, 1, crowd, broadcast)
                data = {
                    "spectators": connections - 2,
                    "lines": best.moves,
                    "broadcast": best.echo,
                    "share": best.share,
                    "busy": best.busy,
                }
                figure = "{lines:,.0f} lines/CPU-s, {share:.2f} of a broadcast's {broadcast:,.0f}".format(**data)
                what = f"{connections - 2} spectators, journal {'on' if journal else 'off'}"
                self.report.facts.append(Fact(what, figure, data))
        _say("spectators")

    # --- and the rest ------------------------------------------------------------------------------------------------

    def memory(self) -> None:
        """What somebody costs who has said hello and waits."""
        connections = self._fitting(self.plan.waiting, "idle memory")
        with serving(journal=True, failures=self.failures) as server:
            before = server.settled()
            with players("waiting", server, connections, self.failures) as crowd:
                each = (server.settled() - before) / crowd.in_place
        data = {"connections": crowd.in_place, "bytes_per_connection": each, "empty_server_bytes": before}
        figure = f"{each:,.0f} bytes each at {crowd.in_place:,}"
        self.report.facts.append(Fact("idle, waiting TCP connections", figure, data))
        _say("memory")

    def tables(self) -> None:
        """Tables at once, each with a move that both have seen."""
        connections = self._fitting(2 * self.plan.held, "tables held")
        with serving(journal=True, failures=self.failures) as server:
            before = server.settled()
            with players("sitting", server, connections, self.failures) as crowd:
                each = (server.settled() - before) / (crowd.in_place / 2)
        held = crowd.in_place // 2
        data = {"tables": held, "bytes_per_table": each}
        self.report.facts.append(Fact("tables held, a move at each", f"{held:,}, {each:,.0f} bytes each", data))
        _say("tables")

    def latency(self) -> None:
        """One pair alone, and for comparison two connections to the echo."""
        with echoing(self.failures) as server:
            self._latency("echo", "bare echo", server)
        for journal in (True, False):
            with serving(journal, self.failures) as server:
                server.settled()
                self._latency("glendy", f"move, journal {'on' if journal else 'off'}", server)
        _say("latency")

    def _latency(self, kind: str, what: str, server: Server) -> None:
        with players(kind, server, 2, self.failures, "--timed") as crowd:
            seen = crowd.play(self.plan.warm, self.plan.timed)
        data = {name: seen[name] for name in ("moves", "p50_ms", "p99_ms", "max_ms", "stalls")}
        figure = "p50 {p50_ms:.3f}  p99 {p99_ms:.3f}  worst {max_ms:.2f} ms, {stalls} of {moves:,} over 40 ms"
        self.report.facts.append(Fact(f"unloaded {what}", figure.format(**data) if seen["moves"] else "none", data))

    def edges(self) -> None:
        """Connections and tables in other processes: moves per CPU-second of all of them, beside one process."""
        connections = self._fitting(2 * self.plan.relayed, "relayed tables")
        shares: dict[int, float] = {}
        with self._yardstick(echoing, "echo", connections) as echo:
            for count in (0, 1, 2):
                with (
                    serving(True, self.failures, PAIRS, "--edges", str(count)) as server,
                    players("glendy", server, connections, self.failures) as crowd,
                ):
                    best = self._best("glendy", True, connections // 2, crowd, echo)
                shares[count] = best.share
                if count:
                    data = {"tables": connections // 2, "ratio": best.share / shares[0], "moves": best.moves}
                    figure = "{ratio:.2f} of one process, {moves:,.0f} moves/CPU-s at {tables} tables".format(**data)
                    self.report.facts.append(Fact(f"owner and {count} edge{'s' * (count > 1)}", figure, data))
        _say("edges")

    def browsers(self) -> None:
        """Pages that wait, watch, and play."""
        plan = self.plan
        browsers.idle(self.report, self._fitting(plan.waiting, "idle WebSockets"))
        browsers.sitting(self.report, self._fitting(2 * plan.rooms, "browsers' tables") // 2)
        browsers.watched(self.report, self._fitting(plan.watchers, "browsers that watch"), plan.warm, plan.timed)
        browsers.paced(self.report, self._fitting(2 * plan.rooms, "browser games") // 2, plan.warm, plan.timed)
        _say("browsers")

    def storms(self) -> None:
        """Two who play while many talk."""
        people = {"netdot": self.plan.netdot_talkers, "ggz": self.plan.ggz_talkers}
        storms.measure(self.report, people, self.plan.timed)
        _say("storms")

    def nodes(self) -> None:
        """A node of a house on several machines, beside a server on SQLite."""
        plan = self.plan
        adopted = self._fitting(2 * plan.adopted, "tables adopted") // 2
        fitting = 3 * self._fitting(plan.house_watchers // 6 * 2 + 4, "spectators at each of three nodes")
        spectators = min(plan.house_watchers, fitting)
        amounts = nodes.Amounts(
            plan.node_tables, plan.node_repeats, plan.warm, plan.seconds, adopted, spectators, 2.5 * plan.timed
        )
        nodes.measure(self.report, amounts)
        _say("nodes")

    def trace(self) -> None:
        """Messages through `parlour trace`, beside a relay that does nothing else."""
        trace.measure(self.report, self.plan.seconds, self.plan.repeats)
        _say("trace")

    def ladder(self) -> None:
        """Every level of the engines against the one below."""
        if self.plan is QUICK:
            ladder.measure(self.report, 1, self.plan.timed, ladder.SMALL)
        else:
            ladder.measure(self.report, 20, 5 * self.plan.timed)
        _say("ladder")

    def engines(self) -> None:
        """A first start, and people at one table while engines think at four others."""
        pool.measure(self.report, 2.5 * self.plan.timed, wait=self.plan is not QUICK)
        _say("engines")


PARTS = {
    "games": Bench.games,
    "flushed": Bench.flushed,
    "crowd": Bench.crowd,
    "memory": Bench.memory,
    "tables": Bench.tables,
    "latency": Bench.latency,
    "edges": Bench.edges,
    "browsers": Bench.browsers,
    "storms": Bench.storms,
    "nodes": Bench.nodes,
    "trace": Bench.trace,
    "ladder": Bench.ladder,
}

APART = {"engines": Bench.engines}
"""Measured only when asked for: compiling takes a minute."""


def _say(what: str) -> None:
    print(f"measured {what}", file=sys.stderr, flush=True)


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="see that everything works; the figures mean nothing")
    parser.add_argument("--seconds", type=float, help="how long each kind of games is measured at a time (default 2)")
    known = {**PARTS, **APART}
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"measure only these: {', '.join(known)}")
    parser.add_argument("--only", choices=known, default=[], action="append", help="measure only this; may be repeated")
    parser.add_argument("--results", type=Path, help=f"where to write; a whole run goes to {RESULTS.name}/ by itself")
    options = parser.parse_args()
    options.only += options.parts
    for part in options.only:
        if part not in known:
            parser.error(f"there is no part {part!r}; known are {', '.join(known)}")
    return options


def main() -> int:
    options = _options()
    plan = QUICK if options.quick else Plan()
    if options.seconds is not None:
        plan = plan._replace(seconds=options.seconds)
    room = raise_descriptor_limit()
    began, load = datetime.now(UTC), _load()
    report = Report("")
    bench = Bench(plan, report, room)
    for name in options.only or PARTS:
        try:
            (PARTS | APART)[name](bench)
        except Broken as broken:
            report.failures.append(f"{name}: {broken}")
    report.circumstances = (
        f"{began:%Y-%m-%d %H:%M} UTC, Python {platform.python_version()}, {os.cpu_count()} cores, "
        f"load {load} before and {_load()} after. CPU-s: seconds of the server's processor time. "
        f"Share: of the bare echo measured right before and after at as many connections; best of {plan.repeats}. "
        "Games are whole ones, people coming and going included: about 190 moves on glendy and web, 42 on c4n, "
        "112 on netdot."
    )
    print(report.text())
    results = options.results or (None if options.quick or options.only else RESULTS)
    if results is not None:
        report.write(results)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
