"""Servers of NetDot: right ones pass, and every planted fault is found by the clause that it breaks."""

import asyncio

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from tests.conform.netdot_students import Auto3, Server2, Server3, StudentServer, student_server
from tests.conform.put import failures, put_to_server

SUITE = suite("netdot")

FAULTS3: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "old version": ("talk.*", "info-version"),
    "features first": ("talk.*", "request-info"),
    "info unanswered": ("talk.*", "request-info"),
    "no motd": ("talk.*", "request-motd"),
    "talk chats": ("talk.*", "Talk"),
    "no colour": ("join.*", "request-join"),
    "first word": ("join.*", "request-join"),
    "same id": ("coming.*", "network-assign"),
    "late assign": ("join.*", "network-assign"),
    "not itself": ("join.*", "network-add"),
    "others unknown": ("coming.*", "network-add"),
    "newcomer untold": ("coming.*", "network-add"),
    "no size": ("join.*", "game-size"),
    "size first": ("join.order", "Specification"),
    "no lines": ("join.*", "Specification"),
    "no boxes": ("join.*", "Specification"),
    "blanks": ("chat.*", "network-chat"),
    "no echo": ("chat.*", "network-chat"),
    "chat on": ("vote.chat-off", "Feature"),
    "no pong": ("ping.*", "network-ping"),
    "old name": ("name.*", "network-add"),
    "name no echo": ("name.*", "user-name"),
    "any colour": ("color.*", "user-color"),
    "ready alone": ("ready.*", "game-ready"),
    "notready silent": ("ready.*", "game-notready"),
    "forced": ("ready.withdrawn", ("game-notready", "Specification")),
    "all play": ("ready.players", ("Specification", "game-ready")),
    "old grid": ("game.again", ("game-start", "Stipulations")),
    "last begins": ("turn.first", "random-start"),
    "start untold": ("ready.*", "game-start"),
    "backwards": ("turn.order", "random-order"),
    "bounds": ("bounds.*", "Stipulations"),
    "negative": ("bounds.*", "Stipulations"),
    "twice": ("taken.*", "Stipulations"),
    "any turn": ("turn.*", "game-current"),
    "turn lost": ("bounds.*", ("game-current", "Stipulations")),
    "kicks": ("bounds.*", ("Stipulations", "network-ping")),
    "swapped": ("line.*", ("game-line", "Stipulations")),
    "wrong owner": ("turn.*", ("game-line", "game-current")),
    "mover untold": ("line.*", "game-line"),
    "box owner": ("box.*", "game-box"),
    "box place": ("box.*", "game-box"),
    "no box": ("box.*", "game-box"),
    "first box only": ("box.*", "game-box"),
    "box untold": ("box.*", "game-box"),
    "one box": ("box.*", "game-box"),
    "three sides": ("box.*", "game-box"),
    "no again": ("box.*", "game-current"),
    "keeps turn": ("turn.*", "game-current"),
    "no current": ("turn.*", "game-current"),
    "goes on": ("game.after-the-end", "game-box"),
    "cannot leave": ("leave.*", "game-leave"),
    "leave silent": ("leave.*", "game-leave"),
    "stuck": ("leaving.on-turn", "network-remove"),
    "no remove": ("leaving.*", "network-remove"),
    "two votes": ("vote.second", "Vote"),
    "asker untold": ("vote.*", "vote-start"),
    "no is yes": ("vote.*", "vote-start"),
    "counts twice": ("vote.once", "vote-start"),
    "minority": ("vote.minority", "vote-start"),
    "no effect": ("vote.*", "vote-start"),
    "no end": ("vote.*", "vote-end"),
    "switch silent": ("vote.*", "feature-enable"),
    "one recv": ("framing.*", "lines"),
    "drops the rest": ("framing.*", "lines"),
    "no crlf": ("framing.*", "lines"),
}
"""What is wrong, the cases that find it, and the section of the document that it breaks."""

FAULTS2: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "any version": ("hello.*", "2.0"),
    "not busy": ("busy.*", "2.0 network-busy"),
    "newcomer untold": ("coming.*", "2.0 player-add"),
    "others unknown": ("coming.*", "2.0 player-add"),
    "no lines": ("spectate.*", "2.0 request-spectate"),
    "no boxes": ("spectate.*", "2.0 request-spectate"),
    "name no echo": ("name.*", "2.0 player-rename"),
    "queue renames": ("queue.*", "2.0 player-rename"),
    "chat id": ("chat.*", "2.0 network-chat"),
    "bounds": ("bounds.*", ("Stipulations", "2.0")),
    "twice": ("taken.*", ("Stipulations", "2.0")),
    "any turn": ("turn.*", "game-current"),
    "no again": ("box.*", ("2.0", "game-current")),
    "three sides": ("box.*", ("2.0", "game-")),
    "direction first": ("line.*", "2.0 game-play"),
    "mover untold": ("line.*", "2.0 game-play"),
    "no remove": ("leaving.*", "2.0 player-remove"),
    "stuck": ("leaving.on-turn", "2.0"),
    "one recv": ("framing.*", "lines"),
    "no crlf": ("framing.*", "lines"),
}


async def examined(
    kind: type[StudentServer], dialect: str, fault: str, *globs: str, first: bool = False
) -> list[Finding]:
    server = await student_server(kind, frozenset([fault]) if fault else frozenset())
    try:
        port = server.sockets[0].getsockname()[1]
        return await put_to_server(SUITE, port, *globs, first=first, dialect=dialect, seconds=1.0)
    finally:
        server.close()


def found(kind: type[StudentServer], dialect: str, fault: str, glob: str, sections: str | tuple[str, ...]) -> None:
    findings = asyncio.run(examined(kind, dialect, fault, f"netdot{dialect}.{glob}", first=True))
    failed = [finding for finding in findings if finding.outcome in (Outcome.FAIL, Outcome.WARN)]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(sections), failed[0].detail


@pytest.mark.parametrize("fault", FAULTS3)
def test_planted_fault_of_3_is_found_by_its_clause(fault: str) -> None:
    found(Server3, "3", fault, *FAULTS3[fault])


@pytest.mark.parametrize("fault", FAULTS2)
def test_planted_fault_of_2_is_found_by_its_clause(fault: str) -> None:
    found(Server2, "2", fault, *FAULTS2[fault])


def test_votes_where_there_are_none_are_found() -> None:
    found(Auto3, "3", "votes anyway", "vote.off", "Feature")


@pytest.mark.parametrize(("kind", "dialect", "least"), [(Server3, "3", 200), (Auto3, "3", 180), (Server2, "2", 100)])
def test_right_server_passes_everything(kind: type[StudentServer], dialect: str, least: int) -> None:
    findings = asyncio.run(examined(kind, dialect, "", f"netdot{dialect}.*"))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > least
