"""Servers of Glendy: ours passes, and every fault on its lines is found by the clause that it breaks."""

import asyncio
import contextlib
import random
import re

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.glendy_students import student_server
from tests.conform.put import failures, put_to_server
from tests.live import ADDRESS, LiveServer, live_server

SUITE = suite("glendy")

FAULTS: dict[str, tuple[bytes, bytes, str, str | tuple[str, ...]]] = {
    "no wait": (rb"^WAIT\n", b"", "start.wait", "WAIT"),
    "no init": (rb"^INIT\n", b"", "start.init", "INIT"),
    "no sent": (rb"^SENT\n", b"", "start.init", ("INIT", "SENT")),
    "two glendas": (rb"^(g .*\n)", rb"\1\1", "start.init", "INIT"),
    "no turn": (rb"^TURN\n", b"WAIT\n", "start.turn", "TURN"),
    "same side": (rb"^CONN 1", b"CONN 0", "start.trapper-first", "CONN"),
    "counts from zero": (rb"^SYNC 1 ", b"SYNC 0 ", "move.put", "SYNC"),
    "no sync": (rb"^SYNC .*\n", b"", "move.put", "SYNC"),
    "mirrored": (rb"^(SYNC \d+) E\n", rb"\1 W\n", "move.e-odd", "SYNC"),
    "no error": (rb"^ERR WAIT\n", b"", "turn.*", "ERR WAIT"),
    "other error": (rb"^ERR WAIT\n", b"ERR TURN\n", "turn.*", "ERR WAIT"),
    "wrong refusal": (rb"^WALL ", b"GLND ", "refused.wall", "WALL"),
    "nothing repeated": (rb"^GLND .*\n", b"GLND\n", "refused.on-glenda", "GLND"),
    "all lost": (rb"^WON\n", b"LOST\n", "over.trapped", "WON"),
    "no verdict": (rb"^(WON|LOST)\n", b"", "over.pocket", "WON"),
}
"""What is changed on the way, the cases that find it, and the section of the document that it breaks."""


async def changed_server(port: int, pattern: bytes, instead: bytes) -> asyncio.Server:
    """Our server behind a wire that spoils what it says."""

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, spoil: bool) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                writer.write(re.sub(pattern, instead, data, flags=re.MULTILINE) if spoil else data)
                await writer.drain()
        writer.close()

    async def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs, ours = await asyncio.open_connection(ADDRESS, port)
        try:
            with contextlib.suppress(asyncio.CancelledError):  # the test is over
                await asyncio.gather(pump(reader, ours, False), pump(theirs, writer, True))
        finally:
            for one in (ours, writer):
                one.close()
                with contextlib.suppress(ConnectionError):
                    await one.wait_closed()

    return await asyncio.start_server(come, ADDRESS, 0)


async def examined(port: int, fault: str) -> list[Finding]:
    pattern, instead, globs, _ = FAULTS[fault]
    server = await changed_server(port, pattern, instead)
    try:
        return await put_to_server(
            SUITE, server.sockets[0].getsockname()[1], f"glendy.{globs}", first=True, dialect="first"
        )
    finally:
        server.close()
        talking = asyncio.all_tasks() - {asyncio.current_task()}
        if talking:  # the wires end with the connections of the last case
            await asyncio.wait(talking, timeout=5.0)


STUDENTS: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "no wait": ("start.*", "WAIT"),
    "same side": ("start.*", "CONN"),
    "from one": ("start.*", "CONN"),
    "no init": ("start.*", "INIT"),
    "no sent": ("start.*", ("INIT", "SENT")),
    "no glenda": ("start.*", "INIT"),
    "two glendas": ("start.*", "INIT"),
    "second board": ("start.*", "INIT"),
    "swapped": ("start.*", "INIT"),
    "glenda begins": ("start.*", "TURN"),
    "no wait in play": ("start.*", "TURN"),
    "ghost": ("leaving.alone", "robustness"),
    "no newline": ("start.*", ("messages", "TURN")),
    "crlf": ("start.*", ("messages", "CONN", "WAIT")),
    "hasty": ("turn.*", "ERR WAIT"),
    "no err wait": ("turn.*", "ERR WAIT"),
    "err turn": ("turn.*", "ERR WAIT"),
    "both warned": ("turn.*", "ERR WAIT"),
    "unshifted": ("move.*", ("m", "SYNC")),
    "shifted wrongly": ("move.*", ("m", "SYNC")),
    "counts puts": ("move.*", "SYNC"),
    "sync swapped": ("move.*", "SYNC"),
    "sync to mover": ("move.*", "SYNC"),
    "sync to other": ("move.*", "SYNC"),
    "turn first": ("move.*", ("TURN", "SYNC")),
    "same turn": ("move.*", "TURN"),
    "narrow": ("move.*", ("p", "SYNC")),
    "bounds": ("refused.*", "p"),
    "bad passes": ("refused.*", ("p", "m")),
    "wall twice": ("refused.*", "WALL"),
    "wall costs": ("refused.*", ("WALL", "TURN", "SYNC")),
    "echo swapped": ("refused.*", "WALL"),
    "forgets walls": ("refused.*", ("WALL", "m")),
    "on glenda": ("refused.*", "GLND"),
    "one word": ("refused.*", "GLND"),
    "glenda puts": ("refused.*", "m"),
    "through walls": ("refused.*", "m"),
    "one recv": ("framing.*", "messages"),
    "no east edge": ("over.*", "WON"),
    "no north edge": ("over.*", "WON"),
    "early edge": ("over.*", ("WON", "TURN", "SYNC")),
    "late verdict": ("over.*", "WON"),
    "six walls": ("over.pocket", "WON"),
    "never trapped": ("over.*", "WON"),
    "verdict swapped": ("over.*", "WON"),
    "all win": ("over.*", "WON"),
    "loser untold": ("over.*", "WON"),
    "verdict turn": ("over.*", "WON"),
    "stays open": ("over.*", "WON"),
    "one stays open": ("over.*", "WON"),
    "deaf to q": ("leaving.*", "q"),
    "not told": ("leaving.*", "q"),
}
LATER_STUDENTS: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "any side": ("start.*", ("hello", "CONN")),
    "any hello": ("start.*", "hello"),
    "own nick": ("start.*", "hello"),
    "wall twice": ("refused.*", "WALL"),
    "verdict swapped": ("over.*", "WON"),
}
"""Faults of a student's server, the cases that find them, and the section of the document that they break."""


async def student_examined(
    fault: str, *globs: str, first: bool = True, later: bool = False, silent: bool = False
) -> list[Finding]:
    random.seed(f"the student's walls {fault}")
    server = await student_server(frozenset([fault]), later, silent)
    try:
        dialect = "later" if later else "first"
        return await put_to_server(SUITE, server.sockets[0].getsockname()[1], *globs, first=first, dialect=dialect)
    finally:
        server.close()
        talking = asyncio.all_tasks() - {asyncio.current_task()}
        if talking:
            await asyncio.wait(talking, timeout=5.0)


def found(findings: list[Finding], sections: str | tuple[str, ...]) -> None:
    failed = [finding for finding in findings if finding.outcome is Outcome.FAIL]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(sections), failed[0].detail


@pytest.mark.parametrize("fault", STUDENTS)
def test_fault_of_a_student_is_found_by_its_clause(fault: str) -> None:
    globs, sections = STUDENTS[fault]
    found(asyncio.run(student_examined(fault, f"glendy.{globs}")), sections)


@pytest.mark.parametrize("fault", LATER_STUDENTS)
def test_fault_of_a_student_of_the_later_revision_is_found_by_its_clause(fault: str) -> None:
    globs, sections = LATER_STUDENTS[fault]
    found(asyncio.run(student_examined(fault, f"glendy.{globs}", later=True)), sections)


@pytest.mark.parametrize(("later", "silent"), [(False, False), (False, True), (True, False)])
def test_right_server_of_a_student_passes_everything(later: bool, silent: bool) -> None:
    findings = asyncio.run(student_examined("", "*", first=False, later=later, silent=silent))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 75


def port_of(server: LiveServer) -> int:
    return server.ports["glendy"]


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found_by_its_clause(fault: str) -> None:
    with live_server({"glendy": {}}) as server:
        findings = asyncio.run(examined(port_of(server), fault))
    failed = [finding for finding in findings if finding.outcome is Outcome.FAIL]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(FAULTS[fault][3]), failed[0].detail


def test_our_server_passes_in_the_later_revision() -> None:
    with live_server({"glendy": {"hello": "required"}}) as server:
        findings = asyncio.run(put_to_server(SUITE, port_of(server)))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 40
