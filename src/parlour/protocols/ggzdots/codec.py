"""Bytes to messages, in both directions. There is no framing: to misread one message is to misread all the rest.

From a client every message has a fixed length, and an unknown opcode is four bytes that mean nothing. From a server
the length of SND_SYNC follows from the board that was told before, so the phase must know it.
"""

from collections.abc import Mapping
from typing import Any

from parlour.core.errors import ProtocolError
from parlour.protocols.ggzdots.dialect import FOUR, OPEN, YEAR2000, Dialect
from parlour.protocols.ggzdots.messages import (
    Answer,
    AskSync,
    Chair,
    Choose,
    ClientMessage,
    Draw,
    GameOver,
    Line,
    Message,
    NewGame,
    Options,
    Players,
    Seat,
    ServerMessage,
    Squares,
    Sync,
    WantMove,
    WantOptions,
)
from parlour.protocols.ggzdots.phases import Reading

LIMIT = 4096
"""More than any message of a server: the largest board, or two of the longest names."""
LONGEST_NAME = 1024
"""Bytes of a name we read, with its NUL."""
_KEPT = 32
"""Coordinates below this are on some board; lines there are kept."""

_ASK_SYNC, _NEW_GAME = AskSync(), NewGame()
_WANT_MOVE, _WANT_OPTIONS = WantMove(), WantOptions()
_lines: dict[bytes, tuple[Draw, int]] = {}
"""What a segment with one line means. At most two for each pair of coordinates that is kept."""


class DotsCodec:
    """Messages of one dialect. The phase says which side is read: `Reading` for a server's, else a client's."""

    limit = LIMIT

    def __init__(self, dialect: Dialect) -> None:
        self._lists_squares = dialect is FOUR

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Message, int] | None:
        """The message at `start`."""
        if type(phase) is Reading:
            return self._from_server(data, start, phase)
        if start == 0 and (line := _lines.get(data)) is not None:
            return line
        return _from_client(data, start)

    def _from_server(self, data: bytes, start: int, phase: Reading) -> tuple[ServerMessage, int] | None:
        cursor = _Cursor(data, start)
        try:
            message = self._read(cursor, phase)
        except _Short:
            return None
        return message, cursor.at

    def _read(self, cursor: "_Cursor", phase: Reading) -> ServerMessage:
        opcode = cursor.whole()
        match opcode:
            case 0:
                return Seat(cursor.whole())
            case 1:
                return Players((self._chair(cursor), self._chair(cursor)))
            case 2 | 3:
                move = f"{'h' if opcode == 2 else 'v'} {cursor.byte()} {cursor.byte()}"
                return Line(move, self._squares(cursor))
            case 4:
                return GameOver(cursor.byte())
            case 5:
                return _WANT_MOVE
            case 6:
                return Answer(cursor.signed(), self._squares(cursor))
            case 7:
                across, down = max(phase.width - 1, 0), max(phase.height - 1, 0)
                return Sync(
                    cursor.signed(),
                    cursor.whole(),
                    cursor.whole(),
                    cursor.take(phase.width * down),
                    cursor.take(across * phase.height),
                    cursor.take(across * down),
                )
            case 8:
                return Options(cursor.byte(), cursor.byte())
            case 9:
                return _WANT_OPTIONS
        raise ProtocolError(f"there is no message {opcode}", len(cursor.data))

    def _chair(self, cursor: "_Cursor") -> Chair:
        kind = cursor.whole()
        return Chair(kind) if kind in OPEN else Chair(kind, cursor.text())

    def _squares(self, cursor: "_Cursor") -> Squares:
        if not self._lists_squares:
            return ()
        return tuple((cursor.byte(), cursor.byte()) for _ in range(cursor.byte()))


def _from_client(data: bytes, start: int) -> tuple[ClientMessage, int] | None:
    if len(data) - start < 4:
        return None
    opcode = int.from_bytes(data[start : start + 4], "big", signed=True)
    match opcode:
        case 2:
            return _ASK_SYNC, start + 4
        case 4:
            return _NEW_GAME, start + 4
        case 0 | 1 | 3:
            end = start + 6
            if len(data) < end:
                return None
            x, y = data[end - 2], data[end - 1]
            if opcode == 3:
                return Choose(x, y), end
            line = Draw(f"{'v' if opcode else 'h'} {x} {y}")
            if start == 0 and end == len(data) and x < _KEPT and y < _KEPT:
                _lines[bytes(data)] = line, end
            return line, end
    raise ProtocolError(f"there is no message {opcode}", start + 4)


class _Short(Exception):
    """The message is not all there yet."""


class _Cursor:
    """A place in the bytes that moves on as they are read."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def take(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self.data):
            raise _Short
        piece = bytes(self.data[self.at : end])
        self.at = end
        return piece

    def byte(self) -> int:
        return self.take(1)[0]

    def signed(self) -> int:
        return int.from_bytes(self.take(1), "big", signed=True)

    def whole(self) -> int:
        return int.from_bytes(self.take(4), "big", signed=True)

    def text(self) -> str:
        length = self.whole()
        if not 1 <= length <= LONGEST_NAME:
            raise ProtocolError(f"a name of {length} bytes", len(self.data))
        return self.take(length).partition(b"\0")[0].decode("utf-8", "replace")


CODEC: Mapping[Dialect, DotsCodec] = {dialect: DotsCodec(dialect) for dialect in (YEAR2000, FOUR)}
