"""Lines to messages and back. Commands of telnet may stand anywhere between the bytes of a line; they are left out.

A line ends in LF or CR LF, or in CR NUL, which is what a telnet client sends for the key when it sends every key.
"""

import re
from typing import Any

from parlour.core.errors import ProtocolError
from parlour.core.names import one_line
from parlour.protocols.telnet.messages import (
    Complaint,
    Control,
    Drawn,
    FromServer,
    Happened,
    Line,
    Message,
    Plain,
    Prompt,
)
from parlour.protocols.telnet.phases import Listening

LONGEST_LINE = 1024
"""Bytes of a line that a person writes."""
LONGEST_ANSWER = 8192
"""Bytes of a line that a server writes: others may have longer names and say more."""
LONGEST_TEXT = 1000
"""Letters of what others say, as we show it."""

HAPPENED, REFUSED, DRAWN, PROMPT = "* ", "? ", "  ", "> "

_CONTROL = rb"\xff(?:[\xfb-\xfe].|\xfa(?:[^\xff]|\xff[^\xf0])*+\xff\xf0|[\xf0-\xf9\xff])"
"""RFC 854: a word about an option, a whole SB … SE, or one of the commands that are a byte."""
_ANY_CONTROL = re.compile(_CONTROL, re.DOTALL)
_NOISE = re.compile(_CONTROL + rb"|\xff", re.DOTALL)
_LINE = re.compile(rb"((?:[^\xff\r\n]|\r(?![\n\0])|" + _CONTROL + rb"|\xff(?=[\x00-\xef]))*+)(\r\n|\n|\r\0)", re.DOTALL)

TIMING_MARK = b"\xfd\x06"
"""A telnet client shows nothing more after Ctrl-C until this is answered (RFC 860)."""
NO_TIMING_MARK = b"\xff\xfc\x06"


def shown(text: str, longest: int = LONGEST_TEXT) -> str:
    """A text that stays on its line: nothing that moves the cursor, changes colours or turns the writing round."""
    return one_line(text)[:longest]


class TelnetCodec:
    """Both directions; a `Listening` phase reads what a server says."""

    limit = LONGEST_ANSWER + 2

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Message, int] | None:
        """The next command or line as a message."""
        control = _ANY_CONTROL.match(data, start)
        if control is not None:
            return Control(control[0][1:]), control.end()
        listens = isinstance(phase, Listening)
        if listens and data.startswith(PROMPT.encode(), start):
            return Prompt(), start + len(PROMPT)
        found = _cut(data, start, LONGEST_ANSWER if listens else LONGEST_LINE)
        if found is None:
            return None
        line, end = found[1], found[2]
        text = shown(_NOISE.sub(b"", line).decode("utf-8", "replace"), LONGEST_ANSWER)
        if listens:
            return _from_server(text), found.end()
        return Line(text, "\r\n" if end[:1] == b"\r" else "\n"), found.end()


def _cut(data: bytes, start: int, longest: int) -> re.Match[bytes] | None:
    """The next line and its end; None while it is incomplete."""
    reach = start + longest + 2
    found = _LINE.match(data, start, reach)
    why = f"line longer than {longest} bytes"
    if found is None:
        if len(data) <= reach:
            return None
        ends = [at for at in (data.find(b"\n", reach), data.find(b"\0", reach)) if at >= 0]
        raise ProtocolError(why, min(ends) + 1) if ends else ProtocolError(why, len(data), until=b"\n\0")
    if len(found[1]) > longest:
        raise ProtocolError(why, found.end())
    return found


def _from_server(text: str) -> FromServer:
    match text[:2]:
        case "* ":
            return Happened(text[2:])
        case "? ":
            return Complaint(text[2:])
        case "  ":
            return Drawn(text[2:])
    return Plain(text)
