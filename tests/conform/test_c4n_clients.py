"""Clients of ConnectI4n: a right one passes, and every planted fault is found by the clause that it breaks."""

import asyncio

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.c4n_students import StudentClient
from tests.conform.put import failures, put_to_client

SUITE = suite("c4n")

FAULTS = {
    "version": ("c4n.client-start.*", "Protocol"),
    "small letters": ("c4n.client-start.*", "Protocol"),
    "hasty": ("c4n.client-start.*", "MOVE"),
    "two starts": ("c4n.client-start.*", "MOVE"),
    "one recv": ("c4n.client-framing.*", "Protocol"),
    "every board": ("c4n.client-move.*", "MOVE"),
    "twice": ("c4n.client-move.*", "MOVE"),
    "from one": ("c4n.client-move.*", "MOVE"),
    "mirrored": ("c4n.client-move.*", "MOVE"),
    "upside down": ("c4n.client-move.*", "MOVE"),
    "blind": ("c4n.client-move.*", "MOVE"),
    "gives no second": ("c4n.client-refused.*", "MOVE"),
    "answers twice": ("c4n.client-refused.*", "MOVE"),
    "goes on": ("c4n.client-result.*", "RESULT"),
    "ignores stop": ("c4n.client-stop.*", "STOP"),
    "ignores full": ("c4n.client-error.*", "START"),
}


async def examined(fault: str, *globs: str, first: bool = False) -> list[Finding]:
    async def come(host: str, port: int) -> None:
        await StudentClient(frozenset([fault]) if fault else frozenset()).run(host, port)

    return await put_to_client(SUITE, come, *globs, first=first)


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found_by_its_clause(fault: str) -> None:
    globs, section = FAULTS[fault]
    findings = asyncio.run(examined(fault, globs, first=True))
    failed = [finding for finding in findings if finding.outcome is Outcome.FAIL]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(section), failed[0].detail


def test_right_client_passes_everything() -> None:
    findings = asyncio.run(examined(""))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 60
