"""Recorded conversations, and how to read them: one `.wire` file is one conversation, byte for byte.

    # a comment: what is worth knowing about the next lines
    @title the first player leaves in the middle
    C: b'C4N 1.0 START\\n'
    S: b'C4N 1.0 BOARD\\n7 6 ...'
    S: end

`C` is what a client sent, `S` what the server sent to it; each line is one segment, in the order of time. With several
connections a number says which (`C1:`, `S1:`; none is 0). `end` is the end of file. `@` lines are headers.

A wire says in `tests/wires/NAME/__init__.py` by which phases its streams are to be parsed:

    def phases(transcript: Transcript, stream: Stream) -> PhaseOf | None: ...

None is for a stream that the codec does not read.
"""

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from parlour.core.errors import ProtocolError
from parlour.core.session import Codec

Stream = tuple[str, int]
"""One direction of one connection: ("C", 0)."""

PhaseOf = Callable[[Sequence[Any]], Any]
"""The phase in which a stream's next message is read, given all those read so far."""

_LINE = re.compile(r"(?P<side>[CS])(?P<number>[0-9]*): *(?P<what>.+)")


class Entry(msgspec.Struct, frozen=True):
    """One segment, or the end of file."""

    side: str
    connection: int
    data: bytes
    end: bool = False

    @property
    def stream(self) -> Stream:
        return self.side, self.connection


class Transcript(msgspec.Struct, frozen=True):
    """A conversation: its headers, and what was sent in the order of time."""

    name: str
    headers: dict[str, str]
    entries: tuple[Entry, ...]

    def streams(self) -> list[Stream]:
        """Every direction in which something was sent."""
        return list(dict.fromkeys(entry.stream for entry in self.entries if entry.data))

    def segments(self, stream: Stream) -> list[bytes]:
        """What was sent in one direction, as it was cut."""
        return [entry.data for entry in self.entries if entry.stream == stream and entry.data]

    def data(self, stream: Stream) -> bytes:
        """What was sent in one direction, all in one."""
        return b"".join(self.segments(stream))


def parse(text: str, name: str = "") -> Transcript:
    """A transcript from its text; raises ValueError with the number of the line that is wrong."""
    headers: dict[str, str] = {}
    entries: list[Entry] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("@"):
            key, _, value = line[1:].partition(" ")
            headers[key] = value.strip()
            continue
        found = _LINE.fullmatch(line.rstrip())
        if found is None:
            raise ValueError(f"{name}:{number}: not a line of a transcript: {line!r}")
        entries.append(_entry(found, f"{name}:{number}"))
    return Transcript(name, headers, tuple(entries))


def _entry(line: re.Match[str], place: str) -> Entry:
    side, connection, what = line["side"], int(line["number"] or 0), line["what"]
    if what == "end":
        return Entry(side, connection, b"", end=True)
    try:
        data = ast.literal_eval(what)
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{place}: not a bytes literal: {what}") from error
    if not isinstance(data, bytes) or not data:
        raise ValueError(f"{place}: not a bytes literal: {what}")
    return Entry(side, connection, data)


def load(path: Path) -> Transcript:
    """A transcript from its file."""
    return parse(path.read_text(encoding="utf-8"), f"{path.parent.name}/{path.name}")


class Reading(msgspec.Struct):
    """What a codec made of a stream."""

    messages: list[Any]
    errors: list[str]
    rest: bytes


def read(codec: Codec[Any], phase_of: PhaseOf, segments: Iterable[bytes]) -> Reading:
    """Parse a stream that arrives in these segments, the way the driver does it."""
    reading = Reading([], [], b"")
    for segment in segments:
        data = reading.rest + segment
        start = 0
        while start < len(data):
            try:
                found = codec.parse(data, start, phase_of(reading.messages))
                if found is None:
                    break
                message, end = found
                reading.messages.append(message)
            except ProtocolError as error:
                end = error.resume
                reading.errors.append(str(error))
            assert end > start, "a parser must go on past what it has dealt with"
            start = end
        reading.rest = data[start:]
    return reading


def byte_by_byte(data: bytes) -> list[bytes]:
    """The same bytes, each on its own."""
    return [data[at : at + 1] for at in range(len(data))]


def randomly_cut(data: bytes, rng: Random) -> list[bytes]:
    """The same bytes in pieces of any length, most of them short."""
    pieces, at = [], 0
    while at < len(data):
        length = rng.choice((1, 2, 3, 5, 8, 13, 40, 200))
        pieces.append(data[at : at + length])
        at += length
    return pieces
