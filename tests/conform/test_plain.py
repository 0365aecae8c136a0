"""Servers and clients of another hand: no complaint about what the documents leave open, and every planted fault found."""

import asyncio
import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.plain import c4n, dots, glendy, netdot, nettoe, zone
from tests.conform.plain.coming import calling
from tests.conform.plain.serving import listening
from tests.conform.put import put_to_client, put_to_server

Quirks = frozenset[str]
Servers = dict[str, Callable[[Quirks], Callable[[socket.socket], None]]]

SERVERS: Servers = {
    "c4n": lambda quirks: lambda link: c4n.Table(link, quirks).run(),
    "nettoe": lambda quirks: lambda link: nettoe.Host(link, quirks).run(),
    "ggz-dots": lambda quirks: dots.House(quirks).serve,
    "ggz": lambda quirks: zone.Zone(quirks).serve,
    "netdot": lambda quirks: netdot.Room(quirks).serve,
}

LEGAL = (
    ("c4n", "wide+closes on nonsense+draw is minus one", ("c4n.move.*", "c4n.greeting.*", "c4n.result.draw")),
    ("c4n", "tiny+merged", ("c4n.start.*", "c4n.framing.*", "c4n.result.*")),
    ("c4n", "two boards always+draw is stop+lines", ("c4n.result.win*", "c4n.result.draw", "c4n.framing.*")),
    ("c4n", "restarts+error ends it+board on lines+unknown error", ("c4n.playing.*", "c4n.greeting.*")),
    ("nettoe", "client begins+leftovers+bytewise", ("nettoe.start.name*", "nettoe.move.*", "nettoe.again.*")),
    ("nettoe", "declines+merged", ("nettoe.over.*", "nettoe.question.*", "nettoe.again.*")),
    ("nettoe", "umlaut+winner begins+last free", ("nettoe.start.name*", "nettoe.again.*")),
    ("glendy", "crowded+merged+shuffled+glenda first", ("glendy.*",)),
    ("glendy", "nudge+dies+strict", ("glendy.refused.*", "glendy.leaving.*")),
    ("glendy", "later+one byte", ("glendy.*",)),
    ("ggz-dots", "one byte+second seat first", ("ggz-dots.*",)),
    ("ggz-dots", "late+asks again", ("ggz-dots.*",)),
    ("ggz", "one byte", ("ggz.*",)),
    ("ggz", "double quotes+no motd+reseat forbidden", ("ggz.*",)),
    ("netdot", "tall+stops at the end", ("netdot3.*",)),
    ("netdot", "two+quiet after a box+crlf", ("netdot2.*",)),
)
"""Ways of a server that its document leaves open, and cases that meet them."""


@contextmanager
def served(wire: str, quirks: Quirks) -> Iterator[int]:
    """The port of a plain server."""
    if wire != "glendy":
        with listening(SERVERS[wire](quirks)) as port:
            yield port
        return
    server = glendy.Server(quirks)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server.port
    finally:
        server.running = False
        thread.join()


def examined(wire: str, words: str, *globs: str, first: bool = False) -> list[Finding]:
    random.seed(f"{wire} {words}")
    quirks = frozenset(words.split("+"))
    with served(wire, quirks) as port:
        return asyncio.run(put_to_server(suite(wire), port, *globs, first=first))


def failed(findings: list[Finding]) -> list[str]:
    return [f"{finding.case.id}: {finding.detail}" for finding in findings if finding.outcome is Outcome.FAIL]


@pytest.mark.parametrize(("wire", "words", "globs"), LEGAL, ids=lambda value: value if isinstance(value, str) else "")
def test_right_server_in_another_style_is_not_blamed(wire: str, words: str, globs: tuple[str, ...]) -> None:
    findings = examined(wire, words, *globs)
    assert not failed(findings)
    assert any(finding.outcome is Outcome.PASS for finding in findings)
