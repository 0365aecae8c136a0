"""The Dots wire: right servers and clients pass, and every planted fault is found by the clause that it breaks."""

import asyncio
import random
from random import Random

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.ggzdots_students import Client, student_server
from tests.conform.put import failures, put_to_client, put_to_server
from tests.conform.visits import visited
from tests.live import live_server

SUITE = suite("ggz-dots")
P = "General Procedures"

SERVER_FAULTS: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "no seat": ("start.*", "DOTS_MSG_SEAT"),
    "same seat": ("start.*", "DOTS_MSG_SEAT"),
    "untold of second": ("start.*", "DOTS_MSG_PLAYERS"),
    "no NUL": ("start.*", ("DOTS_MSG_PLAYERS", "Protocol Specs", P, "DOTS_MSG_SEAT")),
    "asks both": ("start.*", "DOTS_REQ_OPTIONS"),
    "options untold": ("start.options-*", "DOTS_MSG_OPTIONS"),
    "height first": ("size.*", "DOTS_MSG_OPTIONS"),
    "any size": ("size.not-*", f"{P}: boards"),
    "at most 24": ("size.*", (f"{P}: boards", "DOTS_MSG_OPTIONS", "DOTS_REQ_MOVE")),
    "options in game": ("state.*", "DOTS_REQ_OPTIONS"),
    "asks both for moves": ("start.*", "DOTS_REQ_MOVE"),
    "untold": ("line.*", f"{P}: the opponent"),
    "untold box": ("square.*", f"{P}: the opponent"),
    "h for v": ("line.*", f"{P}: the opponent"),
    "y first": ("line.*", f"{P}: the opponent"),
    "echo": ("turn.*", (f"{P}: the opponent", f"{P}: after a score", f"{P}: without")),
    "no count": ("square.*", f"{P}: a positive"),
    "one for two": ("square.*", f"{P}: a positive"),
    "no extra turn": ("square.*", f"{P}: after a score"),
    "extra only for one": ("square.*", f"{P}: after a score"),
    "never passes": ("turn.*", (f"{P}: without", "DOTS_ERR_TURN", "DOTS_REQ_MOVE")),
    "upper only": ("square.*", f"{P}: a positive"),
    "three sides": ("square.*", (f"{P}: a positive", "DOTS_RSP_MOVE")),
    "any state": ("state.*", "DOTS_ERR_STATE"),
    "state is turn": ("state.*", "DOTS_ERR_STATE"),
    "silent state": ("state.*", "DOTS_ERR_STATE"),
    "any turn": ("turn.*", "DOTS_ERR_TURN"),
    "turn is state": ("turn.*", "DOTS_ERR_TURN"),
    "loose bounds": ("bounds.*", "DOTS_ERR_BOUND"),
    "tight bounds": ("line.*", "DOTS_ERR_BOUND"),
    "turned bounds": ("line.*", ("DOTS_ERR_BOUND", "DOTS_RSP_MOVE")),
    "bounds is full": ("bounds.*", "DOTS_ERR_BOUND"),
    "overdraws": ("full.*", "DOTS_ERR_FULL"),
    "full is bounds": ("full.*", "DOTS_ERR_FULL"),
    "refusal passes": ("bounds.*", ("DOTS_ERR_TURN", f"{P}: an illegal")),
    "loser": ("over.*", "DOTS_MSG_GAMEOVER"),
    "last mover": ("over.*", "DOTS_MSG_GAMEOVER"),
    "one verdict": ("over.*", "DOTS_MSG_GAMEOVER"),
    "draw is 0": ("over.*", "DOTS_MSG_GAMEOVER: no seat"),
    "ends early": ("over.not-before", (P, "DOTS_MSG_GAMEOVER")),
    "asks after the end": ("over.no-request", "DOTS_REQ_MOVE"),
    "no new options": ("again.*", f"{P}: the first"),
    "asks the other": ("again.*", f"{P}: the first"),
    "asks again": ("again.one-asked", f"{P}: the first"),
    "begins alone": ("again.*", "DOTS_REQ_NEWGAME"),
    "keeps lines": ("again.*", ("DOTS_REQ_NEWGAME", "DOTS_ERR_FULL", "DOTS_MSG_GAMEOVER", f"{P}: a positive")),
    "new game in game": ("state.*", "DOTS_REQ_NEWGAME"),
    "leaves unnoticed": ("leave.after-*", f"{P}: if the other leaves"),
    "table stays": ("leave.removed", (f"{P}: if both", "DOTS_MSG_SEAT", "DOTS_MSG_PLAYERS", "DOTS_REQ_MOVE")),
    "by rows": ("sync.*", "DOTS_SND_SYNC"),
    "horizontal first": ("sync.*", "DOTS_SND_SYNC"),
    "unowned is 0": ("sync.*", "The Game Board"),
    "scores swapped": ("sync.*", "DOTS_SND_SYNC"),
    "other's turn": ("sync.*", "DOTS_SND_SYNC"),
    "little": ("sync.*", "DOTS_SND_SYNC"),
    "one recv": ("framing.*", "Protocol Specs"),
    "drops merged": ("framing.*", "Protocol Specs"),
}
CLIENT_FAULTS: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "hello": ("client-start.*", "DOTS_REQ_OPTIONS"),
    "no options": ("client-start.*", "DOTS_REQ_OPTIONS"),
    "options twice": ("client-start.*", "DOTS_REQ_OPTIONS"),
    "bad size": ("client-start.*", f"{P}: boards"),
    "moves at options": ("client-start.*", ("DOTS_REQ_MOVE", "DOTS_REQ_OPTIONS")),
    "height first": ("client-size.*", "DOTS_ERR_BOUND"),
    "from one": ("client-size.*", "DOTS_ERR_BOUND"),
    "y first": ("client-size.*", ("DOTS_ERR_BOUND", "DOTS_ERR_FULL")),
    "loose bounds": ("client-size.*", "DOTS_ERR_BOUND"),
    "draws twice": ("client-move.*", "DOTS_REQ_MOVE"),
    "presses on": ("client-move.*", "DOTS_REQ_MOVE"),
    "any turn": ("client-move.*", "DOTS_REQ_MOVE"),
    "deaf": ("client-move.last-*", ("DOTS_ERR_FULL", f"{P}: the opponent")),
    "deaf to v": ("client-move.last-*", ("DOTS_ERR_FULL", f"{P}: the opponent")),
    "h for v": ("client-move.last-*", ("DOTS_ERR_FULL", f"{P}: the opponent")),
    "forgets its own": ("client-game.*", "DOTS_ERR_FULL"),
    "ignores sync": ("client-sync.*", "DOTS_SND_SYNC"),
    "by rows": ("client-sync.*", "DOTS_SND_SYNC"),
    "horizontal first": ("client-sync.*", "DOTS_SND_SYNC"),
    "no second": ("client-square.*", f"{P}: after a score"),
    "keeps playing": ("client-over.*", ("DOTS_MSG_GAMEOVER", "DOTS_ERR_FULL")),
    "keeps lines": ("client-again.*", ("DOTS_REQ_NEWGAME", "DOTS_ERR", "DOTS_REQ_MOVE")),
    "open has a name": ("client-players.*", (f"{P}: a legal", "DOTS_REQ_MOVE", "DOTS_REQ_OPTIONS")),
    "no NUL": ("client-players.*", ("DOTS_MSG_PLAYERS", "DOTS_REQ_MOVE", "DOTS_REQ_OPTIONS")),
    "one recv": ("client-framing.*", "Protocol Specs"),
}
"""What is wrong, the cases that find it, and the section of the document that it breaks."""


async def server_examined(fault: str, *globs: str, first: bool = False) -> list[Finding]:
    random.seed(f"the student's coin {fault}")
    server = await student_server(frozenset([fault]))
    try:
        return await put_to_server(SUITE, server.sockets[0].getsockname()[1], *globs, first=first, seconds=1.0)
    finally:
        server.close()


async def client_examined(fault: str, *globs: str, first: bool = False) -> list[Finding]:
    random.seed(f"the student's line {fault}")

    async def come(host: str, port: int) -> None:
        await Client(frozenset([fault])).run(host, port)

    return await put_to_client(SUITE, come, *globs, first=first)


def found(findings: list[Finding], sections: str | tuple[str, ...]) -> None:
    failed = [finding for finding in findings if finding.outcome is Outcome.FAIL]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(sections), f"{failed[0].case.id} {failed[0].detail}"


@pytest.mark.parametrize("fault", SERVER_FAULTS)
def test_fault_planted_in_a_server_is_found_by_its_clause(fault: str) -> None:
    globs, sections = SERVER_FAULTS[fault]
    found(asyncio.run(server_examined(fault, f"ggz-dots.{globs}", first=True)), sections)


@pytest.mark.parametrize("fault", CLIENT_FAULTS)
def test_fault_planted_in_a_client_is_found_by_its_clause(fault: str) -> None:
    globs, sections = CLIENT_FAULTS[fault]
    found(asyncio.run(client_examined(fault, f"ggz-dots.{globs}", first=True)), sections)


def test_right_server_passes_everything() -> None:
    findings = asyncio.run(server_examined(""))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 140


def test_right_client_passes_everything() -> None:
    findings = asyncio.run(client_examined(""))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 75


@pytest.mark.parametrize("keys", [{}, {"opponent": "engine"}])
def test_our_door_passes(keys: dict[str, str]) -> None:
    with live_server({"ggz-dots": keys}) as server:
        findings = asyncio.run(put_to_server(SUITE, server.ports["ggz-dots"]))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 100


def test_our_client_passes() -> None:
    async def come(host: str, port: int) -> None:
        await visited("ggz-dots", Random("ours"), host, port)

    findings = asyncio.run(put_to_client(SUITE, come))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 75
