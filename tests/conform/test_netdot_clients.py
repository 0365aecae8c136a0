"""Clients of NetDot: right ones pass, ours too, and every planted fault is found by the clause that it breaks."""

import asyncio

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.netdot_student_client import StudentClient
from tests.conform.own_client import visited
from tests.conform.put import failures, put_to_client

SUITE = suite("netdot")

FAULTS3: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "version": ("client-hello.*", "info-version"),
    "features first": ("client-hello.*", "request-info"),
    "no name": ("client-hello.*", "request-join"),
    "early ready": ("client-hello.*", "Command usage table"),
    "no pong": ("client-ping.*", "network-ping"),
    "two pongs": ("client-ping.*", "network-ping"),
    "any turn": ("client-move.*", ("game-current", "Stipulations")),
    "deaf to turns": ("client-move.*", "game-current"),
    "moves twice": ("client-move.*", ("game-current", "Stipulations")),
    "forgets lines": ("client-*", "Stipulations"),
    "swapped": ("client-*", ("grid", "game-line", "Stipulations")),
    "from one": ("client-*", ("grid", "Stipulations")),
    "syntax": ("client-move.*", ("game-line", "game-current")),
    "turned": ("client-size.*", ("grid", "Stipulations", "game-size", "game-current")),
    "old grid": ("client-game.*", ("game-start", "game-current")),
    "votes oddly": ("client-vote.*", "vote-start"),
    "answers": ("client-robust.*", "History"),
    "falls over": ("client-robust.*", ("lines", "History")),
    "one recv": ("client-framing.*", "lines"),
}
FAULTS2: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "version": ("client-hello.*", "2.0"),
    "syntax": ("client-move.*", ("2.0", "game-current")),
    "any turn": ("client-move.*", ("game-current", "Stipulations")),
    "no again": ("client-box.*", "2.0"),
    "forgets lines": ("client-*", ("Stipulations", "2.0", "game-current")),
    "from one": ("client-move.*", ("grid", "Stipulations")),
    "turned": ("client-size.*", ("grid", "Stipulations", "2.0", "game-current")),
    "deaf to turns": ("client-*", ("game-current", "2.0")),
    "stays": ("client-lobby.*", "2.0 network-disconnect"),
    "one recv": ("client-framing.*", "lines"),
    "no crlf": ("client-framing.*", "lines"),
}


async def examined(version: int, fault: str, glob: str, first: bool = False) -> list[Finding]:
    async def come(host: str, port: int) -> None:
        await StudentClient(frozenset([fault]) if fault else frozenset(), version).run(host, port)

    return await put_to_client(SUITE, come, glob, first=first, dialect=str(version))


def found(version: int, fault: str, glob: str, sections: str | tuple[str, ...]) -> None:
    findings = asyncio.run(examined(version, fault, f"netdot{version}.{glob}", first=True))
    failed = [finding for finding in findings if finding.outcome in (Outcome.FAIL, Outcome.WARN)]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(sections), failed[0].detail


@pytest.mark.parametrize("fault", FAULTS3)
def test_planted_fault_of_3_is_found_by_its_clause(fault: str) -> None:
    found(3, fault, *FAULTS3[fault])


@pytest.mark.parametrize("fault", FAULTS2)
def test_planted_fault_of_2_is_found_by_its_clause(fault: str) -> None:
    found(2, fault, *FAULTS2[fault])


@pytest.mark.parametrize("version", [3, 2])
def test_right_client_passes_everything(version: int) -> None:
    findings = asyncio.run(examined(version, "", f"netdot{version}.*"))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 35


@pytest.mark.parametrize(
    ("dialect", "prefix"), [("3", "netdot3"), ("2", "netdot2"), ("beta", "netdotb"), ("1", "netdot1")]
)
def test_our_client_passes(dialect: str, prefix: str) -> None:
    async def come(host: str, port: int) -> None:
        await visited("netdot", {"version": dialect}, host, port)

    wanted = [f"{prefix}.client-{area}.*" for area in ("hello", "move", "game", "order", "turn")]
    findings = asyncio.run(put_to_client(SUITE, come, *wanted, dialect=dialect))
    assert not failures(findings)
