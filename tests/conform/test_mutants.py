"""Faults planted in our own doors of Glendy, netToe and NetDot are found by the clause that they break."""

import re
from collections.abc import Callable

import msgspec
import pytest

from parlour.conform.suites import suite
from parlour.core.session import Outputs
from parlour.protocols.glendy.messages import MOVES, Blank, Move, Quit
from parlour.protocols.nettoe.messages import Answer
from tests.conform.mutants import (
    Mutant,
    examined,
    found,
    heard_as,
    one_a_segment,
    saying,
    stays_open,
    whole_only,
)

Mutants = dict[str, tuple[Mutant, str, str | tuple[str, ...]]]


def turned(message: object) -> object:
    """A put with x and y the other way round."""
    if isinstance(message, Move) and message.notation.startswith("p"):
        _, x, y = message.notation.split()
        return MOVES.get(f"p {y} {x}", message)
    return message


GLENDY: Mutants = {
    "no wait": (saying(rb"^CONN 0\nWAIT\n", b"CONN 0\n"), "start.*", "WAIT"),
    "one side for both": (saying(rb"^CONN 1", b"CONN 0"), "start.*", "CONN"),
    "no sent": (saying(rb"^SENT\n", b""), "start.*", ("INIT", "SENT")),
    "another board for one": (saying(rb"^SENT\n", b"w 5 4\nSENT\n", only=1), "start.*", "INIT"),
    "turn for both": (saying(rb"^WAIT\n", b"TURN\n", only=0), "start.*", ("TURN", "WAIT")),
    "sync for one": (saying(rb"^SYNC [^\n]*\n", b"", only=1), "move.*", "SYNC"),
    "turn before sync": (saying(rb"^(SYNC [^\n]*\n)(TURN\n|WAIT\n)", rb"\2\1"), "move.*", ("SYNC", "TURN")),
    "mirrored": (saying(rb"^(SYNC \d+) NE\n", rb"\1 NW\n"), "move.*", "SYNC"),
    "x and y": ((heard_as(turned),), "move.*", ("p", "SYNC", "m")),
    "wall is glenda": (saying(rb"^WALL ", b"GLND "), "refused.*", "WALL"),
    "not repeated": (saying(rb"^GLND [^\n]*", b"GLND"), "refused.*", "GLND"),
    "no warning": (saying(rb"^ERR WAIT\n", b""), "turn.*", "ERR WAIT"),
    "deaf to q": ((heard_as(lambda message: Blank() if isinstance(message, Quit) else message),), "leaving.*", "q"),
    "loser has won": (saying(rb"^LOST\n", b"WON\n"), "over.*", "WON"),
    "no verdict for one": (saying(rb"^(WON|LOST)\n", b"", only=1), "over.*", "WON"),
    "stays open": (stays_open, "over.*", "WON"),
    "one a segment": ((one_a_segment,), "framing.*", "messages"),
    "whole only": ((whole_only,), "framing.*", "messages"),
    "no newline": (saying(rb"TURN\n", b"TURN"), "start.*", ("messages", "TURN")),
}


def _name(outputs: Outputs, _: int) -> Outputs:
    """A name of 31 bytes."""
    return tuple(out[:31] + out[32:] if isinstance(out, bytes) and len(out) == 32 else out for out in outputs)


def _cells(change: Callable[[bytes], bytes]) -> Mutant:
    """Says another board."""

    def board(match: re.Match[bytes]) -> bytes:
        return b"y\0" + change(match[1]) + b"S\0"

    def spoil(outputs: Outputs, _: int) -> Outputs:
        return tuple(re.sub(rb"y\0([ XO]{9})S\0", board, out) if isinstance(out, bytes) else out for out in outputs)

    return spoil


def _answer(message: object) -> object:
    return Answer(True) if isinstance(message, Answer) else message


NETTOE: Mutants = {
    "short name": (_name, "start.*", ("1", "2", "3")),
    "number swapped": (saying(rb"(?<![\x01-\xff])1\Z", b"2"), "start.*", ("2", "3", "4")),
    "number from zero": (saying(rb"(?<![\x01-\xff])1\Z", b"0"), "start.*", ("2", "3")),
    "hook": (saying(rb"^y\0([ XO]{9})", rb"Y\0\1"), "move.*", "4a"),
    "stop": (saying(rb"([ XO]{9})S\0", rb"\1C\0"), "move.*", "4c"),
    "marks swapped": (_cells(lambda cells: cells.translate(bytes.maketrans(b"XO", b"OX"))), "move.*", "4"),
    "two marks": (_cells(lambda cells: cells.replace(b" ", b"X", 1)), "move.*", "4"),
    "backwards": (_cells(lambda cells: cells[::-1]), "move.*", "4"),
    "by columns": (_cells(lambda cells: cells[0::3] + cells[1::3] + cells[2::3]), "move.*", "4"),
    "client's mark lost": (_cells(lambda cells: cells.replace(b"O", b" ", 1)), "move.*", "4"),
    "board twice": (saying(rb"(y\0[ XO]{9}S\0)", rb"\1\1"), "move.*", "4"),
    "no question": (saying(rb"^y\0y\0\Z", b""), "question.*", ("4", "5")),
    "question of two bytes": (saying(rb"^y\0y\0\Z", b"yy"), "question.*", ("4", "5")),
    "no is yes": ((heard_as(_answer),), "again.*", "6"),
    "whole only": ((whole_only,), "framing.*", ("1", "2", "3", "4")),
}

_ONE = rb"[^\n]*\n"
NETDOT3: Mutants = {
    "version": (saying(rb"^info-version 3 0", b"info-version 2 9"), "talk.*", "info-version"),
    "no motd": (saying(rb"^info-motd " + _ONE, b""), "talk.*", "request-motd"),
    "no pong": (saying(rb"^network-pong\n", b""), "ping.*", "network-ping"),
    "no assign": (saying(rb"^network-assign " + _ONE, b""), "join.*", "network-assign"),
    "wrong id": (saying(rb"^network-assign \d+", b"network-assign 77"), "join.*", ("network-a", "request-join")),
    "no size": (saying(rb"^game-size " + _ONE, b""), "join.*", "game-size"),
    "newcomer untold": (saying(rb"^network-add " + _ONE, b"", only=0), "coming.*", "network-add"),
    "chat unsaid": (saying(rb"^network-chat " + _ONE, b"", only=1), "chat.*", "network-chat"),
    "ready for one": (saying(rb"^game-ready " + _ONE, b"", only=0), "ready.*", "game-ready"),
    "start for one": (saying(rb"^game-start\n", b"", only=1), "ready.*", "game-start"),
    "no current": (saying(rb"^game-current " + _ONE, b""), "turn.*", "game-current"),
    "line for one": (saying(rb"^game-line " + _ONE, b"", only=1), "line.*", "game-line"),
    "lines turned": (saying(rb"^(game-line \d+) (\d+) (\d+)", rb"\1 \3 \2"), "line.*", ("game-line", "Stipulations")),
    "no box": (saying(rb"^game-box " + _ONE, b""), "box.*", "game-box"),
    "box beside": (saying(rb"^(game-box \d+) \d+", rb"\1 1"), "box.*", "game-box"),
    "double box once": (saying(rb"^(game-box " + _ONE + rb")game-box " + _ONE, rb"\1"), "box.*", "game-box"),
    "leaving untold": (saying(rb"^network-remove " + _ONE, b""), "leaving.*", "network-remove"),
    "vote without end": (saying(rb"^vote-end\n", b""), "vote.*", "vote-end"),
    "vote for one": (saying(rb"^vote-start " + _ONE, b"", only=0), "vote.*", "vote-start"),
    "one a segment": ((one_a_segment,), "framing.*", "lines"),
    "whole only": ((whole_only,), "framing.*", "lines"),
}
NETDOT2: Mutants = {
    "version": (saying(rb"^info-version 2 0", b"info-version 1 0"), "hello.*", "2.0"),
    "no assign": (saying(rb"^network-assign " + _ONE, b""), "join.*", "2.0"),
    "no size": (saying(rb"^grid-size " + _ONE, b""), "join.*", "2.0"),
    "size turned": (saying(rb"^grid-size (\d+)x(\d+)", rb"grid-size \2x\1"), "*", ("2.0", "grid", "Stipulations")),
    "newcomer untold": (saying(rb"^player-add " + _ONE, b"", only=0), "coming.*", "2.0 player-add"),
    "chat unsaid": (saying(rb"^network-chat " + _ONE, b"", only=1), "chat.*", "2.0 network-chat"),
    "start for one": (saying(rb"^game-start\n", b"", only=1), "*", "2.0"),
    "play for one": (saying(rb"^game-play " + _ONE, b"", only=1), "line.*", "2.0 game-play"),
    "plays turned": (saying(rb"^(game-play \d+) (\d+),(\d+)", rb"\1 \3,\2"), "line.*", ("2.0 game-play", "Stip")),
    "leaving untold": (saying(rb"^player-remove " + _ONE, b""), "leaving.*", "2.0 player-remove"),
    "no boxes for spectators": (saying(rb"^player-box " + _ONE, b""), "spectate.*", "2.0 request-spectate"),
    "no lines for spectators": (saying(rb"^player-line " + _ONE, b""), "spectate.*", "2.0 request-spectate"),
    "one a segment": ((one_a_segment,), "framing.*", "lines"),
    "whole only": ((whole_only,), "framing.*", "lines"),
}
"""What is planted, the cases that find it, and the section of the document that it breaks."""


class Kind(msgspec.Struct, frozen=True):
    """A door, and the dialect in which it is examined."""

    wire: str
    prefix: str
    keys: dict[str, str]
    dialect: str
    mutants: Mutants


KINDS = {
    "glendy": Kind("glendy", "glendy", {}, "first", GLENDY),
    "nettoe": Kind("nettoe", "nettoe", {"opponent": "engine"}, "document", NETTOE),
    "netdot3": Kind("netdot", "netdot3", {"size": "3x3", "features": "chat vote"}, "3", NETDOT3),
    "netdot2": Kind("netdot", "netdot2", {"size": "4x3"}, "2", NETDOT2),
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in KINDS[kind].mutants])
def test_fault_planted_in_our_own_door_is_found_by_its_clause(
    monkeypatch: pytest.MonkeyPatch, kind: str, name: str
) -> None:
    door = KINDS[kind]
    mutant, glob, sections = door.mutants[name]
    found(
        examined(monkeypatch, suite(door.wire), mutant, door.keys, f"{door.prefix}.{glob}", dialect=door.dialect),
        sections,
    )
