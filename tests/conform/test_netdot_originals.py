"""The examiner in front of the original NetDot servers: it finds what is known of them, and nothing else."""

import asyncio
from collections.abc import Callable
from random import Random

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.netdot_hosts import hosted
from tests.conform.put import put_to_server
from tests.interop.netdot_one import First
from tests.interop.netdot_originals import Android2, Java2, Original
from tests.interop.netdot_three import Beta3, Draft3

SUITE = suite("netdot")
KINDS: dict[str, tuple[Callable[[int, int, Random], Original], str, str]] = {
    "java": (Java2, "2", "netdot2"),
    "android": (Android2, "2", "netdot2"),
    "beta": (Beta3, "beta", "netdotb"),
    "draft": (Draft3, "3", "netdot3"),
    "one": (First, "1", "netdot1"),
}
KNOWN: dict[str, set[str]] = {
    "java": {"queue.mute", "unreadable.no-point", "unreadable.no-direction"},
    "android": {"queue.mute", "hello.version"},
    "beta": {"unreadable.no-point", "unreadable.no-direction"},
    "draft": {"talk.motd"},
    "one": set(),
}
"""Chat of the queue is relayed, Android tells no version, a move that ends too early kills a reader."""


PARTS = {
    "android": ("hello.*", "queue.*", "join.*", "chat.*", "turn.*", "game.*", "unreadable.*"),
    "draft": ("talk.*", "join.*", "ready.*", "ping.*", "game.*", "leaving.*", "framing.*", "unreadable.*"),
}
"""What of a stand-in is not examined in another one."""


async def examined(kind: str, *globs: str) -> list[Finding]:
    make, dialect, prefix = KINDS[kind]
    wanted = [f"{prefix}.{glob}" for glob in globs or ("*",)]
    async with hosted(make(3, 3, Random(kind))) as port:
        return await put_to_server(SUITE, port, *wanted, dialect=dialect, seconds=1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_known_faults_are_found_and_nothing_else(kind: str) -> None:
    findings = asyncio.run(examined(kind, *PARTS.get(kind, ())))
    wrong = {
        finding.case.id.partition(".")[2] for finding in findings if finding.outcome in (Outcome.FAIL, Outcome.WARN)
    }
    assert wrong == KNOWN[kind]
