"""netToe: right servers and clients pass, and every planted fault is found by the clause that it breaks."""

import asyncio
import random

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.nettoe_students import student_client, student_server
from tests.conform.put import failures, put_to_client, put_to_server

SUITE = suite("nettoe")

SERVER_FAULTS: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "short name": ("start.*", ("1", "2", "3")),
    "wrong starter": ("start.*", "2"),
    "unknown starter": ("start.*", "2"),
    "no starter": ("start.*", "2"),
    "digit swapped": ("start.*", ("2", "3", "4")),
    "from zero": ("start.*", ("2", "3")),
    "hook": ("move.*", "4a"),
    "stop": ("move.*", "4c"),
    "by columns": ("move.*", "4"),
    "shifted": ("move.*", "4"),
    "small": ("move.*", "4b"),
    "dots": ("move.*", "4b"),
    "other mark": ("move.*", "4"),
    "two marks": ("move.*", "4"),
    "overwrites": ("move.*", "4"),
    "says twice": ("move.*", "4"),
    "again": ("move.*", "4"),
    "one recv": ("framing.*", "4"),
    "hasty": ("framing.*", "4c"),
    "any stop": ("framing.*", "4c"),
    **{f"no line {number}": ("over.*", "4: when") for number in range(8)},
    "own line only": ("over.*", "4: when"),
    "no draw": ("over.*", "4"),
    "eight": ("over.*", "4: when"),
    "wrapped": ("over.*", "4: when"),
    "no question": ("question.*", "4: when"),
    "question form": ("question.*", ("4", "5")),
    "unanswered": ("question.*", "6"),
    "hook is yes": ("again.hook-only", "6"),
    "no is yes": ("again.*", "6b"),
    "name again": ("again.*", "7"),
}
CLIENT_FAULTS: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "short name": ("client-start.*", "1"),
    "name twice": ("client-start.*", ("1", "3", "4")),
    "digit swapped": ("client-start.*", "3"),
    "no starter": ("client-start.*", ("1", "2", "3", "4")),
    "hook": ("client-move.*", "4a"),
    "stop": ("client-move.*", "4c"),
    "by columns": ("client-move.*", "4"),
    "shifted": ("client-move.*", "4"),
    "small": ("client-move.*", "4b"),
    "other mark": ("client-move.*", "4"),
    "two marks": ("client-move.*", "4"),
    "says twice": ("client-move.*", "4"),
    "one recv": ("client-framing.*", ("1", "2", "3", "4")),
    "hasty": ("client-framing.*", "4c"),
    "any stop": ("client-framing.*", "4c"),
    "no line 0": ("client-over.*", "4: when"),
    "no line 7": ("client-over.*", "4: when"),
    "no draw": ("client-over.draw", "4"),
    "answers first": ("client-over.*", "5"),
    "half answer": ("client-question.*", "6"),
    "no is yes": ("client-question.*", "6"),
    "alternates": ("client-again.*", ("3", "4", "7")),
}
"""What is wrong, the cases that find it, and the section of the document that it breaks."""


async def server_examined(fault: str, *globs: str, first: bool = False) -> list[Finding]:
    random.seed(f"the student's coin {fault}")
    server = await student_server(frozenset([fault]))
    try:
        return await put_to_server(SUITE, server.sockets[0].getsockname()[1], *globs, first=first)
    finally:
        server.close()


async def client_examined(fault: str, *globs: str, first: bool = False) -> list[Finding]:
    async def come(host: str, port: int) -> None:
        await student_client(frozenset([fault]), host, port)

    return await put_to_client(SUITE, come, *globs, first=first)


def found(findings: list[Finding], sections: str | tuple[str, ...]) -> None:
    failed = [finding for finding in findings if finding.outcome is Outcome.FAIL]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(sections), failed[0].detail


@pytest.mark.parametrize("fault", SERVER_FAULTS)
def test_fault_planted_in_a_server_is_found_by_its_clause(fault: str) -> None:
    globs, sections = SERVER_FAULTS[fault]
    found(asyncio.run(server_examined(fault, f"nettoe.{globs}", first=True)), sections)


@pytest.mark.parametrize("fault", CLIENT_FAULTS)
def test_fault_planted_in_a_client_is_found_by_its_clause(fault: str) -> None:
    globs, sections = CLIENT_FAULTS[fault]
    found(asyncio.run(client_examined(fault, f"nettoe.{globs}", first=True)), sections)


def test_server_that_takes_any_board_is_warned_as_the_original_is() -> None:
    findings = asyncio.run(server_examined("trusting", "nettoe.illegal.*"))
    assert {finding.case.id for finding in findings if finding.outcome is Outcome.WARN} >= {
        "nettoe.illegal.two",
        "nettoe.illegal.wiped",
    }
    assert not [finding for finding in findings if finding.outcome is Outcome.FAIL]


def test_server_whose_coin_always_falls_alike_is_warned() -> None:
    (finding,) = asyncio.run(server_examined("never client", "nettoe.start.toss"))
    assert finding.outcome is Outcome.WARN
    assert finding.clause.startswith("2")


def test_server_that_lets_the_client_speak_first_is_warned() -> None:
    findings = asyncio.run(server_examined("waits", "nettoe.start.speaks-first", "nettoe.start.name"))
    assert [finding.outcome for finding in findings] == [Outcome.PASS, Outcome.WARN]


def test_right_server_passes_everything() -> None:
    findings = asyncio.run(server_examined(""))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 100


def test_right_client_passes_everything() -> None:
    findings = asyncio.run(client_examined(""))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 70
