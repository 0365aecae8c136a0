"""Servers of Glendy: ours passes, and every fault on its lines is found by the clause that it breaks."""

import asyncio
import contextlib
import re

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
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
