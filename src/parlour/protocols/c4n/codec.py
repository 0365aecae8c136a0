"""Bytes to messages and back. No message has a terminator, so each one says itself where it ends.

`C4N`, blanks, `1.0`, blanks, a type word; START and STOP end with the word, BOARD after columns times rows cells, a
number with the last digit at hand. A number that ends the buffer is taken as it is, because the original programs send
nothing after it; only `-`, `+` and the `9` of an ERROR 99 wait for more.
"""

import re
from functools import cache
from typing import Any

from parlour.core.errors import ProtocolError
from parlour.protocols.c4n.messages import Board, Error, Message, Move, Result, Start, Stop

LIMIT = 4096
"""The longest message, blanks included."""
LARGEST_SIDE = 31
"""Bounds what a BOARD may announce, well beyond any board that is played."""

HEADER = b"C4N 1.0 "
START = HEADER + b"START\n"
STOP = HEADER + b"STOP"

_BLANKS = b" \t"
_SPACE = re.compile(rb"[ \t\r\n\v\f]*")
_DIGITS = re.compile(rb"[0-9]*")
_WORDS = (b"START", b"STOP", b"MOVE", b"ERROR", b"BOARD", b"RESULT")
_NUMBERS: dict[bytes, type[Move] | type[Error] | type[Result]] = {b"MOVE": Move, b"ERROR": Error, b"RESULT": Result}
_CELLS = re.compile(rb"(?:[ \t\r\n\v\f]*[012])*")
_NOT_A_CELL = bytes(set(range(256)) - set(b"012"))


def move(column: int) -> bytes:
    """MOVE, spelled as the original client does."""
    return b"%sMOVE\n%d" % (HEADER, column)


def error(code: int) -> bytes:
    """ERROR."""
    return b"%sERROR\n%d" % (HEADER, code)


def result(winner: int) -> bytes:
    """RESULT."""
    return b"%sRESULT\n%d" % (HEADER, winner)


@cache
def empty_board(first: int, second: int) -> bytes:
    """BOARD with no token on it. Its last cell is its last byte, and there are two bytes from cell to cell."""
    return b"%sBOARD\n%d %d %s" % (HEADER, first, second, b" ".join([b"0"] * (first * second)))


def board(state: Board) -> bytes:
    """BOARD with any cells."""
    text = bytearray(empty_board(state.first, state.second))
    text[len(text) - 2 * len(state.cells) + 1 :: 2] = state.cells
    return bytes(text)


class _Incomplete(Exception):
    """More bytes may make this a message."""


class C4nCodec:
    """One codec for both directions; the phase makes no difference on this wire."""

    limit = LIMIT

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Message, int] | None:  # noqa: ARG002 - see above
        """The message at `start`. Blanks and line ends around a message belong to it."""
        if start == 0 and (usual := _USUAL.get(data)) is not None:
            return usual
        try:
            message, end = _message(data, start)
        except _Incomplete:
            if len(data) - start < LIMIT:
                return None
            raise ProtocolError(f"message longer than {LIMIT} bytes", _next_message(data, start)) from None
        except ProtocolError as wrong:
            wrong.resume = _next_message(data, start)
            raise
        if end - start > LIMIT:
            raise ProtocolError(f"message longer than {LIMIT} bytes", _next_message(data, start))
        return message, _skip(_SPACE, data, end)


def _message(data: bytes, start: int) -> tuple[Message, int]:
    at = _skip(_SPACE, data, start)
    _, at = _word(data, at, (b"C4N",))
    at = _blanks(data, at)
    _, at = _word(data, at, (b"1.0",))
    at = _blanks(data, at)
    word, at = _word(data, at, _WORDS)
    if word == b"START":
        return Start(), at
    if word == b"STOP":
        return Stop(), at
    at = _line_end(data, at)
    if word == b"BOARD":
        return _board(data, at)
    number, at = _number(data, at, word)
    return _NUMBERS[word](number), at


def _word(data: bytes, at: int, words: tuple[bytes, ...]) -> tuple[bytes, int]:
    """One of these words, none of which begins another."""
    for word in words:
        if data.startswith(word, at):
            return word, at + len(word)
    rest = data[at : at + 8]
    if any(word.startswith(rest) for word in words):
        raise _Incomplete
    raise ProtocolError(f"expected {' or '.join(word.decode() for word in words)}, not {rest!r}")


def _blanks(data: bytes, at: int) -> int:
    begin = at
    while at < len(data) and data[at] in _BLANKS:
        at += 1
    if at == len(data):
        raise _Incomplete
    if at == begin:
        raise ProtocolError(f"expected a blank, not {data[at : at + 8]!r}")
    return at


def _line_end(data: bytes, at: int) -> int:
    """The line feed between header and data; blanks and a carriage return before it do no harm."""
    while at < len(data) and data[at] in b" \t\r":
        at += 1
    if at == len(data):
        raise _Incomplete
    if data[at] != 0x0A:
        raise ProtocolError(f"expected a line feed, not {data[at : at + 8]!r}")
    return at + 1


def _number(data: bytes, at: int, word: bytes) -> tuple[int, int]:
    at = begin = _skip(_SPACE, data, at)
    if data[at : at + 1] in (b"+", b"-"):
        at += 1
    end = _skip(_DIGITS, data, at)
    if end == at:
        if end == len(data):
            raise _Incomplete
        raise ProtocolError(f"expected a number after {word.decode()}, not {data[at : at + 8]!r}")
    if end - begin > LIMIT:
        raise ProtocolError(f"number longer than {LIMIT} digits")
    if word == b"ERROR" and end == len(data) and data[at:end] == b"9":
        raise _Incomplete
    return int(data[begin:end]), end


def _board(data: bytes, at: int) -> tuple[Board, int]:
    first, at = _side(data, at)
    second, at = _side(data, at)
    count = first * second
    found = _CELLS.match(data, at, at + LIMIT)
    assert found is not None
    cells = found[0].translate(None, _NOT_A_CELL)
    if len(cells) >= count:
        return Board(first, second, cells[:count]), _end_of_cells(data, at, count)
    rest = _skip(_SPACE, data, found.end())
    if rest < len(data) and rest - at < LIMIT:
        raise ProtocolError(f"expected a cell, not {data[rest : rest + 8]!r}")
    raise _Incomplete


def _side(data: bytes, at: int) -> tuple[int, int]:
    """One of a BOARD's two sizes; what follows it must be there, or it might have another digit."""
    at = _skip(_SPACE, data, at)
    end = _skip(_DIGITS, data, at)
    if end == len(data) and end - at < 3:
        raise _Incomplete
    if not 1 <= end - at <= 2 or not 1 <= int(data[at:end]) <= LARGEST_SIDE:
        raise ProtocolError(f"expected the size of a board, not {data[at : at + 8]!r}")
    return int(data[at:end]), end


def _end_of_cells(data: bytes, at: int, count: int) -> int:
    """Where the last of so many cells ends."""
    if data[at : (usual := at + 2 * count) : 2].isspace() and data[at + 1 : usual : 2].isdigit():
        return usual
    for _ in range(count):
        at = _skip(_SPACE, data, at) + 1
    return at


def _next_message(data: bytes, start: int) -> int:
    """Where reading goes on after something that is no message: at the next `C4N `, or what may become one."""
    found = data.find(b"C4N ", start + 1)
    if found >= 0:
        return found
    for length in (3, 2, 1):
        if len(data) - length > start and data.endswith(b"C4N"[:length]):
            return len(data) - length
    return len(data)


def _skip(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    found = pattern.match(data, at)
    assert found is not None
    return found.end()


CODEC = C4nCodec()


_ENDS = (b"", b"\n", b"\r\n")
USUAL_MOVES = {move(column) + end: column for column in range(12) for end in _ENDS}


def _usual() -> dict[bytes, tuple[Message, int]]:
    """What nearly every segment from a client is, ready parsed."""
    whole: dict[bytes, Message] = {text: Move(column) for text, column in USUAL_MOVES.items()}
    whole |= {HEADER + b"START" + end: Start() for end in _ENDS} | {STOP + end: Stop() for end in _ENDS}
    return {text: (message, len(text)) for text, message in whole.items()}


_USUAL = _usual()
