"""Bytes to lines. A line ends with LF, CR LF or CR, and holds UTF-8; what is no UTF-8 is replaced, not refused."""

from typing import Any

from parlour.core.errors import ProtocolError
from parlour.core.words import Play
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.words import move3

LIMIT = 4096
"""The longest line in bytes, its end included."""
KNOWN_LIMIT = 8192
"""How many short lines are remembered; more than all moves on the largest board."""
SHORT = 40

_known: dict[bytes, tuple[Line, int]] = {}
"""What a segment with one short line means. Players repeat each other's moves, so most lines have been read before."""
MOVES3: dict[bytes, Play] = {}
"""The moves of 3.0 among them."""


class NetdotCodec:
    """One codec for all versions and both directions; the phase makes no difference on this wire."""

    limit = LIMIT

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Line, int] | None:  # noqa: ARG002 - see above
        """The line at `start`. Blank lines before it belong to it: the beta sends one at each join."""
        if start == 0 and (known := _known.get(data)) is not None:
            return known
        at = start
        while (found := _cut(data, at)) is not None:
            text, end = found
            if end - at > LIMIT:
                raise ProtocolError(f"line longer than {LIMIT} bytes", end)
            if text and not text.isspace():
                line = _line(text)
                if start == 0 and end == len(data) <= SHORT:
                    _remember(data, line)
                return line, end
            at = end
        if len(data) - at >= LIMIT:
            raise ProtocolError(f"line longer than {LIMIT} bytes", len(data), until=b"\r\n")
        if at - start >= LIMIT:
            raise ProtocolError(f"more than {LIMIT} blank lines", at)
        return None


def _cut(data: bytes, start: int) -> tuple[bytes, int] | None:
    """The bytes of one line and where the next one begins."""
    feed = data.find(b"\n", start)
    back = data.find(b"\r", start, feed) if feed >= 0 else data.find(b"\r", start)
    if back >= 0:
        return data[start:back], back + 2 if back + 1 == feed else back + 1
    return None if feed < 0 else (data[start:feed], feed + 1)


def _line(raw: bytes) -> Line:
    word, _, args = raw.decode("utf-8", "replace").partition(" ")
    group, _, rest = word.partition("-")
    return Line(group, rest.partition("-")[0], args)


def _remember(data: bytes, line: Line) -> None:
    if len(_known) >= KNOWN_LIMIT:
        _known.clear()
        MOVES3.clear()
    _known[data] = line, len(data)
    if line.word == "game-line" and (move := move3(line.args)) is not None:
        MOVES3[data] = Play(move)


CODEC = NetdotCodec()
