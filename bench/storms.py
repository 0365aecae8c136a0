"""How long a move takes while everyone talks: a game of two at one table, and a room full of people."""

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from bench.report import Fact, Report
from bench.servers import GLENDY, players, serving
from bench.talkers import PAUSE

DOORS = {"netdot": "netdot=127.0.0.1:0,start=ask", "ggz": "ggz=127.0.0.1:0"}
PACE = "0.01"
"""Seconds that those who play think before a move."""
LOOKS = 10
"""How often we look again whether all that was said has been heard."""


def measure(report: Report, people: Mapping[str, int], seconds: float) -> None:
    """By wire, so many people who talk."""
    for wire, talking in people.items():
        with (
            serving(journal=True, failures=report.failures, doors=(GLENDY, DOORS[wire])) as server,
            players("glendy", server, 2, report.failures, "--timed", "--pace", PACE) as pair,
            players(f"{wire}-talk", server, talking, report.failures) as crowd,
            ThreadPoolExecutor(1) as pool,
        ):
            storm = pool.submit(crowd.play, 0.0, seconds)
            seen = pair.play(0.0, seconds)
            talk = storm.result()
            time.sleep(2 * PAUSE)  # then none goes on talking
            for _ in range(LOOKS):
                if talk["heard"] < talk["said"] * talking:
                    talk = crowd.play(0.0, seconds)
        data = {name: seen[name] for name in ("moves", "p50_ms", "p99_ms", "max_ms")}
        data |= {name: talk[name] for name in ("said", "heard", "slowed")}
        share = talk["heard"] / (talk["said"] * talking)
        waits = "p50 {p50_ms:.1f}  p99 {p99_ms:.1f}  worst {max_ms:.0f} ms" if seen["moves"] else "no move"
        figure = f"{waits}; {{said:,}} lines, {share:.1%} heard, {{slowed}} told that it may take longer".format(**data)
        report.facts.append(Fact(f"move while {talking} talk on {wire}", figure, data))
