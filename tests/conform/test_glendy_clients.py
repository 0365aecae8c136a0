"""Clients of Glendy: right ones pass, ours too, and every planted fault is found by the clause that it breaks."""

import asyncio

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.glendy_students import StudentClient
from tests.conform.own_client import visited
from tests.conform.put import failures, put_to_client

SUITE = suite("glendy")

FAULTS: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "speaks first": ("client-start.*", "CONN"),
    "always trapper": ("client-start.*", ("CONN", "m")),
    "moves on sent": ("client-start.*", ("TURN", "WAIT")),
    "moves on wait": ("client-*", ("TURN", "WAIT")),
    "moves on sync": ("client-turn.*", "TURN"),
    "moves twice": ("client-turn.*", "TURN"),
    "no newline": ("client-start.*", "messages"),
    "crlf": ("client-start.*", "messages"),
    "no board": ("client-board.*", ("p", "INIT")),
    "swapped": ("client-board.*", ("p", "INIT")),
    "centre": ("client-board.*", ("INIT", "m")),
    "on glenda": ("client-*", "p"),
    "from one": ("client-board.*", "p"),
    "comma": ("client-start.*", "p"),
    "small": ("client-move.*", "m"),
    "through walls": ("client-move.*", "m"),
    "unshifted": ("client-move.*", "m"),
    "shifted wrongly": ("client-move.*", "m"),
    "forgets walls": ("client-[mp]*", ("m", "p", "SYNC")),
    "forgets steps": ("client-[mp]*", ("m", "p")),
    "one recv": ("client-framing.*", "messages"),
    "hangs": ("client-refused.*", "WALL"),
    "aborts": ("client-robust.*", "robustness"),
    "ends itself": ("client-over.*", "WON"),
    "speaks after": ("client-over.*", "WON"),
}
LATER_FAULTS: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "no hello": ("client-start.*", "hello"),
    "three words": ("client-start.*", "hello"),
    "long nick": ("client-start.*", "hello"),
    "side 3": ("client-start.*", "hello"),
    "speaks first": ("client-start.*", "hello"),
    "no y": ("client-start.*", "UGUD"),
    "loud y": ("client-start.*", "UGUD"),
    "hangs": ("client-refused.*", "WALL"),
    "aborts": ("client-robust.*", "robustness"),
    "one recv": ("client-framing.*", "messages"),
    "moves on wait": ("client-*", ("TURN", "WAIT")),
}
"""What is wrong, the cases that find it, and the section of the document that it breaks."""


async def examined(later: bool, fault: str, *globs: str, first: bool = False) -> list[Finding]:
    async def come(host: str, port: int) -> None:
        await StudentClient(frozenset([fault]), later).run(host, port)

    return await put_to_client(SUITE, come, *globs, first=first, dialect="later" if later else "first")


def found(later: bool, fault: str, glob: str, sections: str | tuple[str, ...]) -> None:
    findings = asyncio.run(examined(later, fault, f"glendy.{glob}", first=True))
    failed = [finding for finding in findings if finding.outcome in (Outcome.FAIL, Outcome.WARN)]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(sections), failed[0].detail


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found_by_its_clause(fault: str) -> None:
    found(False, fault, *FAULTS[fault])


@pytest.mark.parametrize("fault", LATER_FAULTS)
def test_planted_fault_of_the_later_revision_is_found_by_its_clause(fault: str) -> None:
    found(True, fault, *LATER_FAULTS[fault])


OF_LATER = ("glendy.client-start.*", "glendy.client-refused.*", "glendy.client-over.*")
"""What differs in the later revision, and a few whole games."""


@pytest.mark.parametrize(
    ("later", "globs", "least"), [(False, ("*",), 80), (True, OF_LATER, 30)], ids=["first", "later"]
)
def test_right_client_passes(later: bool, globs: tuple[str, ...], least: int) -> None:
    findings = asyncio.run(examined(later, "", *globs))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > least


@pytest.mark.parametrize(
    ("query", "globs", "least"), [({}, ("*",), 80), ({"nick": "Vera"}, OF_LATER, 30)], ids=["first", "later"]
)
def test_our_client_passes(query: dict[str, str], globs: tuple[str, ...], least: int) -> None:
    async def come(host: str, port: int) -> None:
        await visited("glendy", query, host, port)

    findings = asyncio.run(put_to_client(SUITE, come, *globs, dialect="later" if query else "first"))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > least
