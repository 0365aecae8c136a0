"""`make bench-peers`: moves, waiting times, memory and what a kill costs, of our server and others, in one run."""

import argparse
import os
import platform
import signal
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from bench.__main__ import RESULTS
from bench.peers import chart, crash
from bench.peers.contenders import CONTENDERS, LOG, MEMORY, Contender, Missing, install
from bench.peers.report import Report, Row
from bench.servers import Broken, Server, players, raise_descriptor_limit

CHART = Path(__file__).parents[2] / "docs" / "speed.svg"
PACE, ALONE_PACE = 1.0, 0.01
"""Seconds that people think before a move. A pair that did not think at all would be told to slow down."""


class Plan(NamedTuple):
    """How much of everything."""

    tables: tuple[int, ...] = (50, 1000)
    rounds: int = 2
    warm: float = 3.0
    """Node translates what runs often into machine code, and needs some time for it."""
    seconds: float = 3.0
    timed: float = 5.0
    idle: int = 5000
    held: int = 1000
    crashed: int = 50


QUICK = Plan(tables=(5,), rounds=1, warm=0.2, seconds=0.3, timed=1.2, idle=50, held=10, crashed=5)


class Bench:
    """One run."""

    def __init__(self, plan: Plan, report: Report, contenders: list[Contender]) -> None:
        self.plan = plan
        self.report = report
        self.failures = report.failures
        self.rows = {contender: Row(contender.name, contender.keeps) for contender in contenders}
        report.rows = list(self.rows.values())

    def measure(self) -> None:
        for turn in range(self.plan.rounds):  # every other time the other way round: the machine may get busier
            for contender in list(self.rows)[:: -1 if turn % 2 else 1]:
                for tables in self.plan.tables:
                    self.moves(contender, tables)
        for contender in self.rows:
            if contender.rooms:
                self.waits(contender)
                self.lost(contender)
                if contender.keeps in (LOG, MEMORY):
                    self.memory(contender)

    def _say(self, what: str, contender: Contender) -> None:
        print(f"measured {what}: {contender.name}, {contender.keeps}", file=sys.stderr, flush=True)

    def moves(self, contender: Contender, tables: int) -> None:
        """Everybody answers at once."""
        with (
            tempfile.TemporaryDirectory(prefix="parlour-bench-") as directory,
            contender.serving(directory, self.failures) as server,
            players(contender.players, server, 2 * tables, self.failures) as crowd,
        ):
            seen = crowd.play(self.plan.warm, self.plan.seconds)
        row = self.rows[contender]
        if seen["per_cpu_second"] > row.moves.get(tables, 0.0):
            row.moves[tables] = seen["per_cpu_second"]
            row.busy[tables] = seen["busy"]
        self._say(f"moves at {tables:,} tables", contender)

    def waits(self, contender: Contender) -> None:
        """One pair alone, and many tables where people think."""
        for tables, pace in ((1, ALONE_PACE), (self.plan.held, PACE)):
            with (
                tempfile.TemporaryDirectory(prefix="parlour-bench-") as directory,
                contender.serving(directory, self.failures) as server,
                players(contender.players, server, 2 * tables, self.failures, "--timed", "--pace", str(pace)) as crowd,
            ):
                seen = crowd.play(self.plan.warm + PACE, self.plan.timed)
            self.rows[contender].waits[tables] = seen["p50_ms"], seen["p99_ms"]
        self._say("waiting times", contender)

    def memory(self, contender: Contender) -> None:
        """What a connection costs that waits, and a table with two players and a move."""
        row = self.rows[contender]
        idle = "web-idle" if contender.ours else f"{contender.players}-idle"
        row.idle_bytes = self._growth(contender, idle, self.plan.idle) / self.plan.idle
        row.table_bytes = self._growth(contender, f"{contender.players}-sitting", 2 * self.plan.held) / self.plan.held
        self._say("memory", contender)

    def _growth(self, contender: Contender, kind: str, connections: int) -> int:
        with (
            tempfile.TemporaryDirectory(prefix="parlour-bench-") as directory,
            contender.serving(directory, self.failures) as server,
        ):
            before = _settled(contender, server)
            with players(kind, server, connections, self.failures):
                return _settled(contender, server) - before

    def lost(self, contender: Contender) -> None:
        row = self.rows[contender]
        row.told, row.lost = crash.kill(contender, self.plan.crashed, self.failures)
        self._say("what a kill costs", contender)


def _settled(contender: Contender, server: Server) -> int:
    """Memory in use; Node is asked to collect its garbage first."""
    if not contender.ours:
        os.kill(server.pid, signal.SIGUSR2)
    return server.settled()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="see that everything works; the figures mean nothing")
    parser.add_argument("--ours", action="store_true", help="leave out the others, which need Node and npm")
    parser.add_argument("--results", type=Path, help=f"where to write; a whole run goes to {RESULTS.name}/ and docs/")
    return parser.parse_args()


def main() -> int:
    options = _options()
    try:
        versions = "" if options.ours else install() + ", "
    except Missing as missing:
        print(f"bench-peers: {missing}", file=sys.stderr)
        return 2
    raise_descriptor_limit()
    began, load = datetime.now(UTC), os.getloadavg()[0]
    plan = QUICK if options.quick else Plan()
    report = Report(plan.held)
    bench = Bench(plan, report, [each for each in CONTENDERS if each.ours or not options.ours])
    try:
        bench.measure()
    except Broken as broken:
        report.failures.append(str(broken))
    report.circumstances = (
        f"{began:%Y-%m-%d %H:%M} UTC, {versions}Python {platform.python_version()}, {os.cpu_count()} cores, "
        f"load {load:.1f} before and {os.getloadavg()[0]:.1f} after; the better of {plan.rounds} rounds."
    )
    print(report.text())
    whole = not options.quick and not options.ours
    results = options.results or (RESULTS if whole else None)
    if results is not None:
        report.write(results)
        (CHART if whole else results / "speed.svg").write_text(chart.drawn(report), encoding="utf-8")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
