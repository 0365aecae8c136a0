"""Servers and clients of another hand: what documents leave open is not blamed, and every planted fault is found."""

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

SERVERS: dict[str, Callable[[Quirks], Callable[[socket.socket], None]]] = {
    "c4n": lambda quirks: lambda link: c4n.Table(link, quirks).run(),
    "nettoe": lambda quirks: lambda link: nettoe.Host(link, quirks).run(),
    "ggz-dots": lambda quirks: dots.House(quirks).serve,
    "ggz": lambda quirks: zone.Zone(quirks).serve,
    "netdot": lambda quirks: netdot.Room(quirks).serve,
}

LEGAL = (
    ("c4n", "wide+closes on nonsense+draw is minus one", ("c4n.move.*", "c4n.result.draw")),
    ("c4n", "two boards always+draw is stop+lines+merged", ("c4n.result.win", "c4n.result.draw", "c4n.framing.*")),
    ("c4n", "tiny+restarts+error ends it+board on lines+unknown error", ("c4n.playing.*", "c4n.greeting.*")),
    ("nettoe", "client begins+leftovers+bytewise", ("nettoe.start.*", "nettoe.again.*")),
    ("nettoe", "declines+merged", ("nettoe.over.*", "nettoe.question.*", "nettoe.again.*")),
    ("glendy", "crowded+merged+shuffled+glenda first", ("glendy.start.*", "glendy.move.*", "glendy.over.*")),
    ("glendy", "nudge+dies+strict+one byte", ("glendy.refused.*", "glendy.leaving.*")),
    ("glendy", "later+nudge+merged", ("glendy.start.*", "glendy.refused.*", "glendy.leaving.*")),
    ("ggz-dots", "one byte+second seat first", ("ggz-dots.start.*", "ggz-dots.leave.*", "ggz-dots.framing.*")),
    ("ggz-dots", "late+asks again", ("ggz-dots.move.*", "ggz-dots.over.*", "ggz-dots.again.*")),
    ("ggz", "one byte", ("ggz.xml.*", "ggz.login.*", "ggz.launch.*", "ggz.reseat.*", "ggz.info.*", "ggz.rankings.*")),
    ("ggz", "double quotes+no motd+reseat forbidden", ("ggz.join.*", "ggz.leave.*", "ggz.chat.*", "ggz.reseat.*")),
    ("netdot", "tall+stops at the end", ("netdot3.turn.*", "netdot3.leav*", "netdot3.box.*", "netdot3.ready.*")),
    ("netdot", "two+shuffled", ("netdot2.box.*", "netdot2.turn.*")),
    ("netdot", "two+quiet after a box+crlf", ("netdot2.box.*", "netdot2.turn.*", "netdot2.spectate.*")),
)
"""Ways of a server that its document leaves open, and cases that meet them."""

FAULTS = (
    ("c4n", "only from the bottom row", "c4n.result.win-*", "RESULT"),
    ("c4n", "no line in the last columns", "c4n.result.win-row*", "RESULT"),
    ("c4n", "any version", "c4n.greeting.version", "Protocol"),
    ("c4n", "clamped", "c4n.move.beyond", "MOVE"),
    ("c4n", "full column is full server", "c4n.move.full", "MOVE"),
    ("c4n", "no answer after an error", "c4n.move.beyond", "MOVE"),
    ("c4n", "wrong verdict for the machine", "c4n.result.loss", "RESULT"),
    ("c4n", "tiny+draw is lost", "c4n.result.draw", "RESULT"),
    ("c4n", "new game on the same connection", "c4n.result.win", "RESULT"),
    ("nettoe", "misses a diagonal of the other", "nettoe.over.*", "4: when"),
    ("nettoe", "forgets its first mark", "nettoe.move.*", "4"),
    ("nettoe", "stop without its null", "nettoe.move.*", "4c"),
    ("nettoe", "starter cut", "nettoe.start.*", ("2", "3")),
    ("nettoe", "declines without the hook", "nettoe.question.*", ("4", "5")),
    ("nettoe", "name and digit again", "nettoe.again.*", "7"),
    ("glendy", "another board for glenda", "glendy.start.*", "INIT"),
    ("glendy", "wall told transposed", "glendy.refused.wall", "WALL"),
    ("glendy", "refusal passes the turn", "glendy.refused.wall", "WALL"),
    ("glendy", "off the board is taken", "glendy.refused.right", "p"),
    ("glendy", "sync counts rounds", "glendy.start.*", "SYNC"),
    ("glendy", "escape two from the rim", "glendy.over.north", "WON"),
    ("glendy", "trapped only when shut in", "glendy.over.pocket", "WON"),
    ("glendy", "later+walls twice", "glendy.refused.wall", "WALL"),
    ("ggz-dots", "seat swapped", "ggz-dots.start.*", "DOTS_MSG_"),
    ("ggz-dots", "bounds of dots", "ggz-dots.*bound*", ""),
    ("ggz-dots", "turn passes always", "ggz-dots.square*", ""),
    ("ggz-dots", "draw is for seat 0", "ggz-dots.over.*", "DOTS_MSG_GAMEOVER"),
    ("ggz-dots", "sync by rows", "ggz-dots.sync.*", "DOTS_SND_SYNC"),
    ("ggz", "version nine", "ggz.session.version", "SERVER"),
    ("ggz", "long names", "ggz.login.seventeen", "LOGIN"),
    ("ggz", "forgets tables in lists", "ggz.list.tables", "LIST table"),
    ("ggz", "enters from a table", "ggz.enter.at-table", "ENTER"),
    ("ggz", "arrivals not told", "ggz.enter.told", "UPDATE player"),
    ("ggz", "private for all", "ggz.chat.private", "CHAT"),
    ("ggz", "reseat stands up", "ggz.reseat.*", "RESEAT"),
    ("ggz", "info anywhere", "ggz.info.*", "INFO"),
    ("ggz", "rankings without position", "ggz.rankings.*", "RANKINGS"),
    ("netdot", "turn lost with its player", "netdot3.leaving.*", "network-remove"),
    ("netdot", "leave refused", "netdot3.leave.*", "game-leave"),
    ("netdot", "boxes not told to newcomers", "netdot3.join.running", "Specification"),
    ("netdot", "chat cut at two blanks", "netdot3.chat.blanks", "network-chat"),
    ("netdot", "double box ends the turn", "netdot3.box.*", ("game-current", "game-box")),
    ("netdot", "one box at a time", "netdot3.box.*", "game-box"),
    ("netdot", "forced to play", "netdot3.ready.*", "game-notready"),
    ("netdot", "two+box ends the turn", "netdot2.box.*", "2.0"),
)
"""A server's wire, what is wrong with it, the cases that find it, and the section of the document that it breaks."""

CLIENT_FAULTS: tuple[tuple[str, str, str, str | tuple[str, ...]], ...] = (
    ("nettoe", "believes the name", "nettoe.client-start.*", "3"),
    ("nettoe", "erases in the corner", "nettoe.client-move.*", "4b"),
    ("nettoe", "answers a no", "nettoe.client-question.*", "6"),
    ("nettoe", "answers without being asked", "nettoe.client-over.quiet", "5"),
    ("glendy", "transposed", "glendy.client-board.*", ("p", "INIT")),
    ("glendy", "insists", "glendy.client-robust.*", "WAIT"),
    ("glendy", "comma", "glendy.client-put.*", "p"),
)
"""The same for clients."""
DIALECTS = {"glendy": "first"}
CLIENTS: dict[str, Callable[[socket.socket, Quirks], None]] = {
    "nettoe": lambda link, quirks: nettoe.Guest(link, quirks).run(),
    "glendy": lambda link, quirks: glendy.Client(link, quirks).run(),
}


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


def blamed(findings: list[Finding], sections: str | tuple[str, ...]) -> None:
    found = [finding for finding in findings if finding.outcome is Outcome.FAIL]
    assert found, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert found[0].clause.startswith(sections), found[0].detail


@pytest.mark.parametrize(("wire", "fault", "glob", "sections"), FAULTS)
def test_fault_of_a_server_is_found_by_its_clause(
    wire: str, fault: str, glob: str, sections: str | tuple[str, ...]
) -> None:
    blamed(examined(wire, fault, glob, first=True), sections)


@pytest.mark.parametrize(("wire", "fault", "glob", "sections"), CLIENT_FAULTS)
def test_fault_of_a_client_is_found_by_its_clause(
    wire: str, fault: str, glob: str, sections: str | tuple[str, ...]
) -> None:
    quirks = frozenset([fault])
    come = calling(lambda link: CLIENTS[wire](link, quirks))
    blamed(asyncio.run(put_to_client(suite(wire), come, glob, first=True, dialect=DIALECTS.get(wire))), sections)
