"""Exact values of the first moves on the usual board of 7 columns and 6 rows, from a file that comes with the program.

The file has a head of eight bytes (MAGIC and the number of positions), then a sorted list of 32-bit marks, then the
value of each as a signed byte, all with the least byte first, then a best move of each in four bits: its column counted
from 1, or 0 where the values that follow tell it. It lists positions of LISTED plies, one of each pair of
mirror images, but none in which the side to move wins at once. A mark is part of the product of the position's key
with a number chosen so that no two of the listed positions have the same. `scripts/connect4_book.py` makes and checks
the file.
"""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from parlour.games.connect4.plain import completing
from parlour.games.connect4.rules import Shape, shape

MAGIC = b"C4B2"
LISTED = frozenset({0, 1, 2, 3, 4, 5, 6, 8})
"""The seventh is one step from the eighth, and would make the file a third larger."""
DEEPEST = 8
FACTOR = 0x9E3779B97F4A7C15
_COLUMN = (1 << 7) - 1


def mirrored(key: int) -> int:
    """The key of the mirror image."""
    twin = 0
    for _ in range(7):
        twin = twin << 7 | key & _COLUMN
        key >>= 7
    return twin


def canonical(own: int, taken: int) -> int:
    """The key of a position, or of its mirror image if that is smaller."""
    return min(own + taken, mirrored(own + taken))


def mark(key: int) -> int:
    """Returns the number by which the file finds a position."""
    return key * FACTOR >> 24 & 0xFFFFFFFF


class Book:
    """The values in a file."""

    def __init__(self, data: bytes) -> None:
        count = int.from_bytes(data[4:8], "little")
        if data[:4] != MAGIC or len(data) != 8 + 5 * count + (count + 1) // 2:
            raise ValueError("this is not a book of Connect Four")
        self.marks = array("I", data[8 : 8 + 4 * count])
        if sys.byteorder == "big":
            self.marks.byteswap()
        self.values = array("b", data[8 + 4 * count : 8 + 5 * count])
        self.moves = data[8 + 5 * count :]
        self.board = shape(7, 6)

    def value(self, own: int, taken: int) -> int | None:
        """What the position is worth to the side with `own`, which is to move; None beyond the book."""
        board, ply = self.board, taken.bit_count()
        if ply > DEEPEST:
            return None
        playable = taken + board.bottom & board.board
        if completing(own, board) & playable:
            return (43 - ply) // 2
        if ply in LISTED:
            at = self._place(own, taken)
            return None if at is None else self.values[at]
        best = None
        while playable:
            disc = playable & -playable
            playable ^= disc
            after = self.value(taken ^ own, taken | disc)
            if after is None:
                return None
            best = -after if best is None else max(best, -after)
        return best

    def move(self, own: int, taken: int) -> int | None:
        """A column of the highest value; None where the book does not tell."""
        at = self._place(own, taken)
        told = 0 if at is None else self.moves[at // 2] >> at % 2 * 4 & 15
        if not told:
            return None
        return told - 1 if canonical(own, taken) == own + taken else 7 - told

    def bounds(self, own: int, taken: int) -> tuple[int, int]:
        """Between what and what the value is, as far as the book tells: up to one ply beyond it."""
        value = self.value(own, taken)
        if value is not None:
            return value, value
        low, high = -21, 21
        for column in range(7 if taken.bit_count() == DEEPEST + 1 else 0):
            last = 1 << (taken >> column * 7 & _COLUMN).bit_length() + column * 7 >> 1
            if last & taken & ~own:  # the other side may have played it just now
                before = taken ^ own ^ last, taken ^ last
                value = self.value(*before)
                if value is not None:
                    low = max(low, -value)
                    high = -value if self.move(*before) == column else high
        return low, high

    def _place(self, own: int, taken: int) -> int | None:
        wanted = mark(canonical(own, taken))
        at = bisect_left(self.marks, wanted)
        return at if at < len(self.marks) and self.marks[at] == wanted else None


def packed(values: Iterable[tuple[int, int, int]]) -> bytes:
    """The file for these keys, values and moves counted from 1. Raises ValueError if two have the same mark."""
    rows = sorted((mark(key), value, move) for key, value, move in values)
    if len({each for each, *_ in rows}) != len(rows):
        raise ValueError("two positions have the same mark: choose another FACTOR")
    marks = array("I", (each for each, *_ in rows))
    if sys.byteorder == "big":
        marks.byteswap()
    moves = [move for *_, move in rows] + [0]
    pairs = bytes(low | high << 4 for low, high in zip(moves[::2], moves[1::2], strict=False))
    worth = array("b", (value for _, value, _ in rows))
    return MAGIC + len(rows).to_bytes(4, "little") + marks.tobytes() + worth.tobytes() + pairs


@cache
def opened() -> Book | None:
    """Returns the book that comes with the program; None where it is missing."""
    file = files("parlour.games.connect4").joinpath("book.bin")
    return Book(file.read_bytes()) if file.is_file() else None


def book_for(board: Shape, ply: int) -> Book | None:
    """Returns the book if it may list positions with this many discs on this board, else None."""
    return opened() if ply <= DEEPEST and (board.columns, board.rows) == (7, 6) else None
