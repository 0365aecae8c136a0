"""Zones: ours passes, and every fault that is planted in it is found by the clause that it breaks."""

import asyncio

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.ggz_faults import FAULTS
from tests.conform.put import SECONDS, failures, put_to_server
from tests.live import live_server
from tests.world import FakeAccounts

SUITE = suite("ggz")
FAULTY_SECONDS = 1.0
DOOR = {"name": "The examined zone", "motd": "Welcome"}


def examined(*globs: str, first: bool = False, keys: dict[str, str] | None = None) -> list[Finding]:
    seconds = FAULTY_SECONDS if first else SECONDS
    with live_server({"ggz": {**DOOR, **(keys or {})}}) as server:
        server.hub.accounts = FakeAccounts()
        return asyncio.run(put_to_server(SUITE, server.ports["ggz"], *globs, first=first, seconds=seconds))


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found_by_its_clause(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, glob, sections = FAULTS[fault]
    plant(monkeypatch)
    findings = examined(f"ggz.{glob}", first=True)
    failed = [finding for finding in findings if finding.outcome is Outcome.FAIL]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(sections), f"{failed[0].case.id} {failed[0].detail}"


def test_our_zone_passes_everything() -> None:
    findings = examined()
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 190


@pytest.mark.parametrize("keys", [{"spectators": "no"}, {"register": "no", "motd": ""}])
def test_our_zone_passes_with_other_keys(keys: dict[str, str]) -> None:
    findings = examined("ggz.login.*", "ggz.list.*", "ggz.spectate.*", "ggz.game.watched", keys=keys)
    assert not failures(findings)
