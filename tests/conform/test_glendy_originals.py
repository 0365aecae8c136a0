"""The examiner in front of the original Glendy programs: it finds what is known of them, and nothing else."""

import asyncio
from collections.abc import Callable
from fnmatch import fnmatchcase

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.glendy_hosts import hosted, visiting
from tests.conform.put import put_to_client, put_to_server
from tests.interop.glendy_originals import (
    Android,
    FirstC,
    LaterC,
    Original,
    OriginalServer,
    PygameLines,
    PygameWindow,
)

SUITE = suite("glendy")
WALLS = [(0, 0), (2, 3), (4, 4), (7, 7), (6, 2)]
PARTS = ("glendy.start.*", "glendy.over.*", "glendy.refused.*", "glendy.turn.*", "glendy.leaving.*", "glendy.framing.*")
SERVERS: dict[str, Callable[[], OriginalServer]] = {
    "may": lambda: OriginalServer(WALLS, later=False, late=True),
    "june, first": lambda: OriginalServer(WALLS, later=False, closes=False),
    "june, later": lambda: OriginalServer(WALLS, later=True),
}
SERVER_FAULTS: dict[str, tuple[set[str], str]] = {
    "may": ({"over.east", "over.trapped", "over.pocket"}, "over.*"),
    "june, first": ({"over.east", "over.trapped"}, "over.*"),
    "june, later": (set(), ""),
}
"""An escape is seen a move late, a trap without its SYNC or not at all; one connection stays open."""
CLIENTS: dict[str, tuple[Callable[..., Original], str]] = {
    "C, may": (FirstC, "first"),
    "C, june": (LaterC, "later"),
    "pygame, lines": (PygameLines, "first"),
    "pygame, window": (PygameWindow, "later"),
    "Android": (Android, "later"),
}
CLIENT_FAULTS: dict[str, tuple[set[str], str]] = {
    "C, may": ({"client-robust.err-wait", "client-refused.wall-silent"}, "client-r*"),
    "C, june": ({"client-robust.err-wait", "client-refused.err-put"}, "client-r*"),
    "pygame, lines": (
        {"client-framing.sent-turn", "client-framing.merged", "client-board.elsewhere", "client-refused.wall-silent"},
        "client-[rf]*",
    ),
    "pygame, window": (
        {"client-framing.turn-cut", "client-board.elsewhere", "client-refused.err-put-silent"},
        "client-[rf]*",
    ),
    "Android": (
        {
            "client-turn.glenda-sync-only",
            "client-board.elsewhere",
            "client-refused.err-put",
            "client-framing.end-awaited",
        },
        "client-[tr]*",
    ),
}
"""Aborts on ERR; loses what comes with SENT, or half a line; takes 5 5 for granted, or swaps it; does not await TURN.

Behind the faults that must be found stands where others may follow from them."""
AREAS = ("glendy.client-board.[ei]*", "glendy.client-re*", "glendy.client-robust.*", "glendy.client-framing.*")


def wrong(findings: list[Finding]) -> set[str]:
    bad = (Outcome.FAIL, Outcome.WARN)
    return {finding.case.id.partition(".")[2] for finding in findings if finding.outcome in bad}


def known(found: set[str], must: set[str], may: str) -> None:
    assert found >= must
    assert not {one for one in found - must if not fnmatchcase(one, may)}


async def server_examined(kind: str) -> list[Finding]:
    async with hosted(SERVERS[kind]) as port:
        dialect = "later" if kind.endswith("later") else "first"
        return await put_to_server(SUITE, port, *PARTS, dialect=dialect, seconds=1.0)


@pytest.mark.parametrize("kind", SERVERS)
def test_known_faults_of_a_server_are_found_and_nothing_else(kind: str) -> None:
    known(wrong(asyncio.run(server_examined(kind))), *SERVER_FAULTS[kind])


async def client_examined(kind: str) -> list[Finding]:
    make, dialect = CLIENTS[kind]

    async def come(host: str, port: int) -> None:
        await visiting(make, b"gina 0 2 0\n" if dialect == "later" else b"", host, port)

    wanted = (*AREAS, "glendy.client-turn.*-sync-only") if kind == "Android" else AREAS
    return await put_to_client(SUITE, come, *wanted, dialect=dialect)


@pytest.mark.parametrize("kind", CLIENTS)
def test_known_faults_of_a_client_are_found_and_nothing_else(kind: str) -> None:
    known(wrong(asyncio.run(client_examined(kind))), *CLIENT_FAULTS[kind])
