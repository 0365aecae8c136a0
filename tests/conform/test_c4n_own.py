"""Our own ConnectI4n: door and client pass, and every fault planted in session or codec is found by its clause."""

import asyncio
import gc
import sys
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from parlour.conform.case import Role
from parlour.conform.examiner import Plan, examine
from parlour.conform.finding import Finding, Outcome
from parlour.conform.suites import suite
from parlour.core.errors import ProtocolError
from parlour.core.session import Close, Codec, HalfClose, Outputs
from parlour.core.updates import Declined, Update
from parlour.core.words import Finished
from parlour.protocols.c4n import PROTOCOL, codec
from parlour.protocols.c4n.codec import CODEC
from parlour.protocols.c4n.messages import DRAWN, WON, Message, Move, Start, Stop
from parlour.protocols.c4n.server import C4nServer
from tests.conform.put import chosen, failures, put_to_server
from tests.live import live_server
from tests.server.child import doors, serving

SUITE = suite("c4n")
BUT_RESULTS = ("c4n.[!rs]*", "c4n.s[!t]*", "c4n.start.[!f]*")
RESULTS = ("c4n.result.win", "c4n.result.loss", "c4n.result.closed", "c4n.result.draw", "c4n.result.win-row")
CLIENT = (
    "c4n.client-[!f]*.[!l-z]*",
    "c4n.client-framing.*",
)


# --- as it is -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("keys", "least"), [("opponent=engine,level=easy", 70), ("opponent=human", 70)])
def test_own_door_passes_all_but_the_many_ways_to_win(keys: str, least: int) -> None:
    with serving("--data", "none", "--drain", "0", *doors(f"c4n,{keys}")) as server:
        findings = asyncio.run(put_to_server(SUITE, server.port("c4n"), *BUT_RESULTS, *RESULTS, seconds=5.0))
    assert not failures(findings)
    assert sum(finding.outcome is Outcome.PASS for finding in findings) > least


def test_own_client_passes_framing_and_half_of_the_rest() -> None:
    command = f"{sys.executable} -m parlour play c4n://{{host}}:{{port}} --once"
    plan = Plan(SUITE, Role.CLIENT, chosen(SUITE, Role.CLIENT, *CLIENT), command=command)

    async def findings() -> list[Finding]:
        return [finding async for finding in examine(plan)]

    found = asyncio.run(findings())
    assert not failures(found)
    assert sum(finding.outcome is Outcome.PASS for finding in found) > 20


# --- with faults ----------------------------------------------------------------------------------------------------


class Mutant(C4nServer):
    """Our session, except for what `changed` makes of its words."""

    __slots__ = ()

    def shortcut(self, data: bytes) -> None:
        """A fault may be in `receive`."""

    def receive(self, message: Message) -> Outputs:
        return self.changed(super().receive(message))

    def malformed(self, error: ProtocolError) -> Outputs:
        return self.changed(super().malformed(error))

    def notify(self, told: Update) -> Outputs:
        return self.changed(super().notify(told))

    def changed(self, outputs: Outputs) -> Outputs:
        return outputs


def saying(before: bytes, after: bytes) -> type[Mutant]:
    """A session that says something else in the place of these bytes."""

    class Saying(Mutant):
        __slots__ = ()

        def changed(self, outputs: Outputs) -> Outputs:
            return tuple(each.replace(before, after) if isinstance(each, bytes) else each for each in outputs)

    return Saying


class StaysOpen(Mutant):
    """Never ends a connection."""

    __slots__ = ()

    def changed(self, outputs: Outputs) -> Outputs:
        return tuple(each for each in outputs if not isinstance(each, Close | HalfClose))


class Mirrored(Mutant):
    """Plays the column on the other side."""

    __slots__ = ()

    def receive(self, message: Message) -> Outputs:
        return super().receive(Move(6 - message.column) if isinstance(message, Move) else message)


class FromOne(Mutant):
    """Takes the first column for 1."""

    __slots__ = ()

    def receive(self, message: Message) -> Outputs:
        return super().receive(Move(message.column - 1) if isinstance(message, Move) else message)


class Deaf(Mutant):
    """Passes over STOP."""

    __slots__ = ()

    def receive(self, message: Message) -> Outputs:
        return () if isinstance(message, Stop) else super().receive(message)


class Untold(Mutant):
    """Says nothing about a move that is refused."""

    __slots__ = ()

    def notify(self, told: Update) -> Outputs:
        return () if isinstance(told, Declined) else super().notify(told)


class LastBoard(Mutant):
    """Forgets the board with the last move."""

    __slots__ = ()

    def _finish(self, finished: Finished) -> Outputs:
        self._own = b""
        return super()._finish(finished)


class OneBoard(Mutant):
    """Shows the board after the answer alone."""

    __slots__ = ()

    def notify(self, told: Update) -> Outputs:
        outputs = super().notify(told)
        self._own = b""
        return outputs


class Hasty(Mutant):
    """Speaks before START."""

    __slots__ = ()

    def opened(self) -> Outputs:
        return (codec.empty_board(7, 6), *super().opened())


class OneMessage:
    """Takes what came at once for one message, as the original programs do."""

    limit = CODEC.limit

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Message, int] | None:
        found = CODEC.parse(data, start, phase)
        return found and (found[0], len(data))


class Whole(OneMessage):
    """Takes a piece of a message for nonsense."""

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Message, int] | None:
        found = CODEC.parse(data, start, phase)
        if found is None:
            raise ProtocolError("half a message", len(data))
        return found


class Lenient(OneMessage):
    """Takes a START of any version."""

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Message, int] | None:
        if data[start:].startswith(b"C4N ") and data[start:].strip().endswith(b" START"):
            return Start(), len(data)
        return CODEC.parse(data, start, phase)


MUTANTS: Mapping[str, tuple[type[C4nServer] | Codec[Message], str, str]] = {
    "version": (saying(b"C4N 1.0", b"C4N 1.1"), "c4n.start.*", "Protocol"),
    "no line feed": (saying(b"BOARD\n", b"BOARD "), "c4n.start.*", "Protocol"),
    "sizes swapped": (saying(b"BOARD\n7 6", b"BOARD\n6 7"), "c4n.start.*", "BOARD"),
    "one cell short": (saying(b" 0 0 0", b" 0 0"), "c4n.start.*", "BOARD"),
    "bounds code": (saying(b"ERROR\n2", b"ERROR\n1"), "c4n.move.*", "MOVE"),
    "nonsense code": (saying(b"ERROR\n1", b"ERROR\n2"), "c4n.greeting.*", "ERROR"),
    "winner swapped": (saying(b"RESULT\n1", b"RESULT\n2"), "c4n.result.win", "RESULT"),
    "loser told that they won": (saying(b"RESULT\n2", b"RESULT\n1"), "c4n.result.*", "RESULT"),
    "no result": (saying(b"C4N 1.0 RESULT\n1", b""), "c4n.result.win", "RESULT"),
    "draw won": (saying(codec.result(DRAWN), codec.result(WON)), "c4n.result.draw", "RESULT"),
    "stays open": (StaysOpen, "c4n.result.*", "RESULT"),
    "mirrored": (Mirrored, "c4n.move.*", "BOARD"),
    "from one": (FromOne, "c4n.move.*", "MOVE"),
    "ignores STOP": (Deaf, "c4n.playing.*", "STOP"),
    "refusal untold": (Untold, "c4n.move.*", "MOVE"),
    "no last board": (LastBoard, "c4n.result.*", "MOVE"),
    "one board": (OneBoard, "c4n.move.*", "MOVE"),
    "speaks first": (Hasty, "c4n.start.*", "START"),
    "one message a segment": (OneMessage(), "c4n.framing.*", "Protocol"),
    "whole messages only": (Whole(), "c4n.framing.*", "Protocol"),
    "any version": (Lenient(), "c4n.greeting.*", "Protocol"),
}
"""What is planted, the cases that find it, and the section of the document that it breaks."""
BETWEEN_PEOPLE = ("draw won", "loser told that they won", "from one", "refusal untold", "winner swapped")
"""Planted in a door that seats two people, so that every end can be reached; the others where the engine answers."""


def examined(
    monkeypatch: pytest.MonkeyPatch, mutant: type[C4nServer] | Codec[Message], *globs: str, opponent: str = "engine"
) -> list[Finding]:
    changes: dict[str, Any] = {"serve": mutant} if isinstance(mutant, type) else {"codec": mutant}
    wire = msgspec.structs.replace(PROTOCOL, **changes)
    monkeypatch.setattr("tests.live.protocols", lambda: {"c4n": wire})
    with live_server({"c4n": {"opponent": opponent}}) as server:
        findings = asyncio.run(put_to_server(SUITE, server.ports["c4n"], *globs, first=True))
    gc.collect()  # a connection that is left shall be noticed here and not in another test
    return findings


@pytest.mark.parametrize("name", MUTANTS)
def test_fault_planted_in_our_own_door_is_found_by_its_clause(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    mutant, glob, section = MUTANTS[name]
    opponent = "human" if name in BETWEEN_PEOPLE else "engine"
    findings = examined(monkeypatch, mutant, glob, opponent=opponent)
    failed = [finding for finding in findings if finding.outcome is Outcome.FAIL]
    assert failed, [f"{finding.outcome} {finding.case.id} {finding.came}" for finding in findings]
    assert failed[0].clause.startswith(section), failed[0].detail


@pytest.mark.parametrize("name", ["version", "no line feed", "one cell short", "ignores STOP", "one board"])
def test_fault_between_people_is_found_by_its_clause(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    mutant, glob, section = MUTANTS[name]
    failed = [one for one in examined(monkeypatch, mutant, glob, opponent="human") if one.outcome is Outcome.FAIL]
    assert failed[0].clause.startswith(section), failed[0].detail


def test_our_own_door_without_a_fault_passes_the_cases_of_the_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not failures(examined(monkeypatch, Mutant, *RESULTS, "c4n.start.[!f]*", "c4n.move.*", "c4n.greeting.*"))
