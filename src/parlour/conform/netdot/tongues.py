"""The dialects side by side: what a server's lines mean in each, and how a client's wishes are spelled."""

from collections.abc import Callable, Mapping

import msgspec

from parlour.conform.case import Clause, Violation
from parlour.protocols.netdot import spell1, spell2, spell3, words
from parlour.protocols.netdot.messages import Line

ONE, TWO, BETA, THREE = "1", "2", "beta", "3"
PREFIX = {ONE: "netdot1", TWO: "netdot2", BETA: "netdotb", THREE: "netdot3"}
NOBODY = -1


class Heard(msgspec.Struct, frozen=True):
    """A line, understood: the same thing has the same kind in every dialect."""

    kind: str
    line: Line
    who: int = NOBODY
    text: str = ""
    move: str = ""
    numbers: tuple[int, ...] = ()

    def __str__(self) -> str:
        return spelled(self.line)


def spelled(line: Line) -> str:
    """A line as it was on the wire, nearly."""
    return f"“{line.word} {line.args}”" if line.args else f"“{line.word}”"


_V3 = {
    "request-info": ("ask", ""),
    "request-deny": ("deny", ""),
    "info-version": ("version", "nn"),
    "info-motd": ("motd", "t"),
    "info-features": ("features", ""),
    "feature-enable": ("enable", "w"),
    "feature-disable": ("disable", "w"),
    "vote-start": ("vote", "w"),
    "vote-end": ("voted", ""),
    "vote-enable": ("votable", "w"),
    "vote-disable": ("unvotable", "w"),
    "network-assign": ("assign", "i"),
    "network-announce": ("announce", "w"),
    "network-add": ("add", "int"),
    "network-remove": ("remove", "i"),
    "network-chat": ("chat", "it"),
    "network-ping": ("ping", ""),
    "network-pong": ("pong", ""),
    "user-name": ("name", "it"),
    "user-color": ("color", "in"),
    "game-ready": ("ready", "i"),
    "game-notready": ("notready", "i"),
    "game-start": ("start", ""),
    "game-stop": ("stop", ""),
    "game-leave": ("leave", "i"),
    "game-join": ("join", "i"),
    "game-size": ("size", "nn"),
    "game-line": ("line", "im"),
    "game-box": ("box", "inn"),
    "game-current": ("current", "i"),
}
_OLD = {
    "info-version": ("version", "nn"),
    "player-rename": ("name", "it"),
    "player-color": ("color", "in"),
    "grid-size": ("size", "s"),
    "grid-reset": ("reset", ""),
    "network-assign": ("assign", "i"),
    "network-busy": ("busy", ""),
    "network-chat": ("chat", "it"),
    "game-start": ("start", ""),
    "game-restart": ("start", ""),
    "game-stop": ("stop", ""),
    "game-play": ("line", "im"),
}
HEARS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    THREE: _V3,
    BETA: {**_V3, "game-restart": ("start", "")},
    TWO: {
        **_OLD,
        "request-info": ("ask", ""),
        "request-deny": ("deny", ""),
        "player-add": ("add", "it"),
        "player-remove": ("remove", "i"),
        "player-line": ("drawn", "il"),
        "player-box": ("box", "ip"),
        "network-full": ("full", ""),
        "network-disconnect": ("goodbye", ""),
        "game-current": ("current", "i"),
    },
    ONE: {
        **_OLD,
        "request-info": ("ask", ""),
        "player-count": ("count", "n"),
        "player-new": ("add", "int"),
        "network-connect": ("connect", ""),
        "network-disconnect": ("remove", "i"),
    },
}
"""By dialect and command of a server: the kind, and what must follow it.

i an id, n a number, t a text, w at least a word, m a line of the board, l the same for spectators, p a box, s a size.
"""
SYNTAX = {
    "info-version": "<major> <minor>",
    "info-motd": "<motd>",
    "feature-enable": "<feature> …",
    "feature-disable": "<feature> …",
    "vote-start": "<what>",
    "network-assign": "<id>",
    "network-add": "<id> <color> <name>",
    "network-remove": "<id>",
    "network-chat": "<id> <message>",
    "user-name": "<id> <name>",
    "user-color": "<id> <color>",
    "game-ready": "<id>",
    "game-notready": "<id>",
    "game-leave": "<id>",
    "game-join": "<id>",
    "game-size": "<width> <height>",
    "game-line": "<id> <x> <y> hor|ver",
    "game-box": "<id> <x> <y>",
    "game-current": "<id>",
    "player-add": "<id> <name>",
    "player-new": "<id> <score> <name>",
    "player-count": "<count>",
    "player-rename": "<id> <name>",
    "player-color": "<id> <color>",
    "player-remove": "<id>",
    "player-line": "<id> hor|ver <x>,<y>",
    "player-box": "<id> <x>,<y>",
    "grid-size": "<width>x<height>",
    "network-disconnect": "<id>",
}
_COMPLAINTS = ("unknown", "bad")


def syntax(word: str, dialect: str = THREE) -> Clause:
    """How this command is spelled."""
    version = {ONE: "1.x ", TWO: "2.0 "}.get(dialect, "")
    if word == "game-play":
        arguments = "<id> <vertical> <x>, <y>" if dialect == ONE else "<id> <x>,<y> hor|ver"
    else:
        arguments = SYNTAX.get(word, "")
    return Clause(f"{version}{word}", f"it is spelled {word} {arguments}".rstrip())


def understood(dialect: str, line: Line) -> Heard:
    """What a server's line means. A word of the dialect with wrong arguments is a violation of its syntax."""
    if line.group in _COMPLAINTS or line.word in ("info-warn", "info-malformed"):
        return Heard("warn", line, text=line.args)
    found = HEARS[dialect].get(line.word)
    if found is None:
        return Heard("strange", line)
    kind, shape = found
    rule = syntax(line.word, dialect)
    rest, who, move, text = line.args, NOBODY, "", ""
    numbers: list[int] = []
    for letter in shape:
        if letter in "in":
            value, rest = words.head(rest)
            if value is None:
                raise Violation(rule.words, spelled(line), rule)
            if letter == "i":
                who = value
            else:
                numbers.append(value)
        elif letter == "t" or letter == "w":
            text, rest = rest, ""
            if not text.strip():
                raise Violation(rule.words, spelled(line), rule)
        else:
            pair = _board(dialect, letter, rest)
            if pair is None:
                raise Violation(rule.words, spelled(line), rule)
            rest = ""
            if isinstance(pair, str):
                move = pair
            else:
                numbers.extend(pair)
    return Heard(kind, line, who, text or rest, move, tuple(numbers))


def _board(dialect: str, letter: str, rest: str) -> str | tuple[int, int] | None:
    match letter:
        case "m" if dialect == ONE:
            return words.move1(rest)
        case "m" if dialect == TWO:
            return words.move2(rest)
        case "m":
            return words.move3(rest) if len(rest.split()) == 3 else None
        case "l":
            direction, _, place = rest.partition(" ")
            return words.move2(f"{place.strip()} {direction}")
        case "p":
            return words.point(rest)
    return words.size(rest)


SAYS: Mapping[str, Mapping[str, Callable[[str], bytes]]] = {
    THREE: {
        "play": spell3.ask_line,
        "name": lambda text: f"user-name {text}\n".encode(),
        "color": lambda text: f"user-color {text}\n".encode(),
    },
    TWO: {
        "play": spell2.ask_play,
        "name": lambda text: f"player-rename {text}\n".encode(),
        "color": lambda text: f"player-color {text}\n".encode(),
    },
    ONE: {
        "play": spell1.ask_play,
        "name": lambda text: f"player-rename {text}\n".encode(),
        "color": lambda text: f"player-color {text}\n".encode(),
    },
}
"""A client's wishes in each dialect; chat is the same in all."""


def said(dialect: str, what: str, text: str) -> bytes:
    """A wish of a client."""
    if what == "chat":
        return f"network-chat {text}\n".encode()
    return SAYS[THREE if dialect == BETA else dialect][what](text)
