"""Servers of ConnectI4n: right ones pass, and every planted fault is found by the clause that it breaks."""

import asyncio
import random

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.c4n_students import student_server
from tests.conform.put import failures, put_to_server

SUITE = suite("c4n")

FAULTS = {
    "version": ("c4n.start.*", "Protocol"),
    "no line feed": ("c4n.start.*", "Protocol"),
    "mirrored": ("c4n.move.*", "BOARD"),
    "upside down": ("c4n.move.*", "BOARD"),
    "by columns": ("c4n.move.*", "BOARD"),
    "tokens": ("c4n.move.*", "BOARD"),
    "short": ("c4n.start.*", "BOARD"),
    "rows first": ("c4n.start.*", "BOARD"),
    "ai first": ("c4n.start.*", "START"),
    "one board": ("c4n.move.*", "MOVE"),
    "no second": ("c4n.move.*", "MOVE"),
    "moves twice": ("c4n.move.*", "BOARD"),
    "from one": ("c4n.move.*", "MOVE"),
    "negative": ("c4n.move.*", "MOVE"),
    "last column": ("c4n.move.*", "MOVE"),
    "bounds code": ("c4n.move.*", "MOVE"),
    "full code": ("c4n.move.*", "MOVE"),
    "full skipped": ("c4n.move.*", "MOVE"),
    "closes on error": ("c4n.move.*", "MOVE"),
    "wrong code": ("c4n.greeting.*", "ERROR"),
    "one recv": ("c4n.framing.*", "Protocol"),
    "drops the rest": ("c4n.framing.*", "Protocol"),
    "ignores stop": ("c4n.playing.*", "STOP"),
    "no row": ("c4n.result.*", "RESULT"),
    "no column": ("c4n.result.*", "RESULT"),
    "no rising": ("c4n.result.*", "RESULT"),
    "no falling": ("c4n.result.*", "RESULT"),
    "right edge": ("c4n.result.*", "RESULT"),
    "top row": ("c4n.result.*", "RESULT"),
    "three": ("c4n.result.*", "RESULT"),
    "five": ("c4n.result.*", "RESULT"),
    "wrapped": ("c4n.result.*", "RESULT"),
    "swapped": ("c4n.result.*", "RESULT"),
    "always one": ("c4n.result.*", "RESULT"),
    "no result": ("c4n.result.*", "RESULT"),
    "draw won": ("c4n.result.draw", "RESULT"),
    "stays open": ("c4n.result.*", "RESULT"),
}
"""What is wrong, the cases that find it, and the section of the document that it breaks."""
HABITS = ("crlf", "line feeds")
"""Nothing of this is against the document."""


async def examined(fault: str, *globs: str, first: bool = False) -> list[Finding]:
    random.seed(f"the student's AI {fault}")
    server = await student_server(frozenset([fault]) if fault else frozenset())
    try:
        return await put_to_server(SUITE, server.sockets[0].getsockname()[1], *globs, first=first)
    finally:
        server.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found_by_its_clause(fault: str) -> None:
    globs, section = FAULTS[fault]
    findings = asyncio.run(examined(fault, globs, first=True))
    failed = [finding for finding in findings if finding.outcome is Outcome.FAIL]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(section), failed[0].detail


@pytest.mark.parametrize("habit", HABITS)
def test_what_the_document_leaves_open_is_nothing_to_complain_about(habit: str) -> None:
    assert not failures(asyncio.run(examined(habit, "c4n.start.*", "c4n.move.*", "c4n.result.win*", "c4n.playing.*")))


def test_right_server_passes_everything() -> None:
    findings = asyncio.run(examined(""))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 100
