"""Our own NetDot door in front of the examiner, in every dialect."""

import asyncio

import pytest

from parlour.conform.finding import Outcome
from parlour.conform.suites import suite
from tests.conform.put import failures, put_to_server
from tests.live import live_server

SUITE = suite("netdot")
AREAS = (
    "talk",
    "hello",
    "join",
    "ready",
    "leave",
    "vote",
    "spectate",
    "busy",
    "queue",
    "box",
    "turn",
    "leaving",
    "coming",
)


@pytest.mark.parametrize(
    ("dialect", "prefix", "keys"),
    [
        ("3", "netdot3", {"size": "3x3", "features": "chat vote"}),
        ("2", "netdot2", {"size": "3x3"}),
        ("beta", "netdotb", {"size": "4x3"}),
        ("1", "netdot1", {"size": "3x3"}),
    ],
)
def test_our_door_passes(dialect: str, prefix: str, keys: dict[str, str]) -> None:
    with live_server({"netdot": keys}) as server:
        wanted = [f"{prefix}.{area}.*" for area in AREAS]
        findings = asyncio.run(put_to_server(SUITE, server.ports["netdot"], *wanted, dialect=dialect))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 20
