"""Clients of the zone: ours passes, and every fault that is planted in it is found by the clause that it breaks."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from parlour.protocols.ggz import ask, client, spell
from parlour.protocols.ggz.messages import Element
from parlour.protocols.ggzdots import board
from parlour.protocols.ggzdots import client as game
from parlour.protocols.ggzdots import spell as dots
from tests.conform.put import failures, put_to_client
from tests.conform.visits import visited

SUITE = suite("ggz")
Plant = Callable[[pytest.MonkeyPatch], None]


def said(name: str, change: Callable[[bytes], bytes]) -> Plant:
    """What a function of `ask` returns is changed."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        right = getattr(ask, name)
        patch.setattr(ask, name, lambda *args, **more: change(right(*args, **more)))

    return plant


def instead(where: Any, name: str, value: Any) -> Plant:
    return lambda patch: patch.setattr(where, name, value)


def hears(tag: str, hearing: Callable[[client.ZoneGuest, Element], Any]) -> Plant:
    return lambda patch: patch.setitem(client._HEARS, tag, hearing)


RIGHT_RESULT = client.ZoneGuest._result
RIGHT_DRAW = dots.draw
RIGHT_BOARD = board.laid_out


def _all_is_well(self: client.ZoneGuest, result: Element) -> Any:
    """Every result is taken for ok."""
    return RIGHT_RESULT(self, Element("RESULT", {**result.attrs, "CODE": "ok"}, result.text, result.children))


def _mirrored(move: str) -> bytes:
    letter, x, y = move.split()
    return RIGHT_DRAW(f"{letter} {y} {x}")


def _forgets(patch: pytest.MonkeyPatch) -> None:
    """Lines of the other are not drawn on the client's own board."""
    patch.setattr(game.DotsGuest, "_draw", lambda *_: None)


FAULTS: dict[str, tuple[Plant, str, str | tuple[str, ...]]] = {
    "login twice": (said("login", lambda data: 2 * data), "client-login.name", "LOGIN"),
    "long name": (
        said("login", lambda data: data.replace(b"<NAME>", b"<NAME>TheMagnificentAnd")),
        "client-login.*",
        "LOGIN",
    ),
    "no name": (said("login", lambda data: data.replace(b"NAME>", b"NICK>")), "client-login.name", "LOGIN"),
    "no session": (said("hello", lambda _: b""), "client-login.name", ("LOGIN", "stream")),
    "all is well": (hears("RESULT", _all_is_well), "client-*", "RESULT"),
    "any version": (instead(client, "plays_dots", lambda _: True), "client-room.*", "LIST game"),
    "no room": (said("enter", lambda data: data.replace(b"'4'", b"'44'")), "client-room.*", "ENTER"),
    "another's channel": (said("channel", lambda data: data.replace(b"Vera", b"Eve")), "client-channel.*", "CHANNEL"),
    "endless channel": (said("channel", lambda data: data.replace(spell.END, b"")), "client-channel.*", "CHANNEL"),
    "hasty channel": (said("channel", lambda data: data + dots.ASK_SYNC), "client-channel.silent", "CHANNEL"),
    "no pong": (hears("PING", lambda *_: ()), "client-ping.*", "PING"),
    "pong without id": (hears("PING", lambda *_: (spell.element("PONG"),)), "client-ping.*", "PING"),
    "full table": (instead(client, "has_place", lambda *_: True), "client-table.*", "JOIN"),
    "three seats": (
        said("launch", lambda data: data.replace(b"SEATS='2'", b"SEATS='3'")),
        "client-table.launches",
        "LAUNCH",
    ),
    "two bots": (
        said("launch", lambda data: data.replace(b"'open'", b"'bot'").replace(b"'reserved'", b"'bot'")),
        "client-table.launches",
        "LAUNCH",
    ),
    "another game": (
        said("launch", lambda data: data.replace(b"GAME='5'", b"GAME='2'")),
        "client-table.launches",
        "LIST game",
    ),
    "mirrored": (instead(dots, "draw", _mirrored), "client-game.*", ("DOTS_ERR_BOUND", "DOTS_ERR_FULL")),
    "draws twice": (
        instead(dots, "draw", lambda move: 2 * RIGHT_DRAW(move)),
        "client-game.*",
        ("DOTS_ERR_FULL", "DOTS_REQ_MOVE"),
    ),
    "turned board": (
        instead(game, "laid_out", lambda width, height: RIGHT_BOARD(height, width)),
        "client-game.*",
        ("DOTS_ERR_BOUND", "DOTS_ERR_FULL", "DOTS_REQ_MOVE"),
    ),
    "forgets lines": (_forgets, "client-game.last-line", ("DOTS_ERR_FULL", "General Procedures")),
    "ignores sync": (
        instead(game, "restored", lambda board, _: RIGHT_BOARD(*board)),
        "client-game.sync",
        "DOTS_SND_SYNC",
    ),
    "no options": (instead(dots, "choose", lambda *_: b""), "client-game.launched", "DOTS_REQ_OPTIONS"),
    "large board": (
        instead(dots, "choose", lambda *_: dots.whole(3) + bytes((26, 3))),
        "client-game.launched",
        "General Procedures: boards",
    ),
}
"""How it is planted, the cases that find it, and the section of the protocol that it breaks."""


async def examined(*globs: str, first: bool = False) -> list[Finding]:
    async def come(host: str, port: int) -> None:
        await visited("ggz", Random("ours"), host, port)

    return await put_to_client(SUITE, come, *globs, first=first)


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found_by_its_clause(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, glob, sections = FAULTS[fault]
    plant(monkeypatch)
    findings = asyncio.run(examined(f"ggz.{glob}", first=True))
    failed = [finding for finding in findings if finding.outcome is Outcome.FAIL]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(sections), f"{failed[0].case.id} {failed[0].detail}"


def test_our_client_passes_everything() -> None:
    findings = asyncio.run(examined())
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > 60
