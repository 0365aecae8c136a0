"""What browsers cost: at rest, watching, and playing at people's pace."""

from bench.report import Fact, Report
from bench.servers import WEB, players, serving

WATCHED_PACE, PLAYED_PACE = 0.2, 1.0
"""Seconds that people think before a move."""


def idle(report: Report, count: int) -> None:
    """Memory of pages that are open and wait."""
    with serving(journal=True, failures=report.failures, doors=(WEB,)) as server:
        before = server.settled()
        with players("web-idle", server, count, report.failures) as crowd:
            each = (server.settled() - before) / crowd.in_place
    data = {"connections": crowd.in_place, "bytes_per_connection": each, "empty_server_bytes": before}
    report.facts.append(Fact("idle WebSockets", f"{each:,.0f} bytes each at {crowd.in_place:,}", data))


def sitting(report: Report, tables: int) -> None:
    """Memory of tables where two browsers play, with the log that belongs to them."""
    with serving(journal=True, failures=report.failures, doors=(WEB,)) as server:
        before = server.settled()
        with players("connect4-sitting", server, 2 * tables, report.failures) as crowd:
            each = (server.settled() - before) / (crowd.in_place / 2)
    data = {"tables": crowd.in_place // 2, "bytes_per_table": each}
    figure = f"{data['tables']:,}, {each:,.0f} bytes each"
    report.facts.append(Fact("browsers' tables held, a move at each", figure, data))


def watched(report: Report, count: int, warm: float, seconds: float) -> None:
    """One table with a crowd in front of it: when each of them sees a move, and when those who play do."""
    options = ("--timed", "--pace", str(WATCHED_PACE))
    with (
        serving(journal=True, failures=report.failures, doors=(WEB,)) as server,
        players("web-crowd", server, count + 2, report.failures, *options) as crowd,
    ):
        seen = crowd.play(warm + WATCHED_PACE, seconds)
    data = {name: seen[name] for name in ("moves", "per_cpu_second", "p50_ms", "p99_ms", "max_ms", "echo_p99_ms")}
    figure = "p50 {p50_ms:.1f}  p99 {p99_ms:.1f}  worst {max_ms:.0f} ms; who plays p99 {echo_p99_ms:.1f} ms"
    known = seen["moves"] and seen["echo_p99_ms"] is not None
    report.facts.append(Fact(f"{count:,} browsers watch", figure.format(**data) if known else "none", data))


def paced(report: Report, tables: int, warm: float, seconds: float) -> None:
    """Many games of people who think."""
    options = ("--timed", "--pace", str(PLAYED_PACE))
    with (
        serving(journal=True, failures=report.failures, doors=(WEB,)) as server,
        players("web", server, 2 * tables, report.failures, *options) as crowd,
    ):
        seen = crowd.play(warm + PLAYED_PACE, max(seconds, 1.5 * PLAYED_PACE))
    data = {name: seen[name] for name in ("moves", "busy", "p50_ms", "p99_ms", "max_ms")}
    figure = "p50 {p50_ms:.1f}  p99 {p99_ms:.1f}  worst {max_ms:.0f} ms, {busy:.0%} of a core"
    what = f"{tables:,} browser games, a move a second"
    report.facts.append(Fact(what, figure.format(**data) if seen["moves"] else "none", data))
