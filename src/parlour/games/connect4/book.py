"""Exact values of the first moves on the usual board of 7 columns and 6 rows, from a file that comes with the program.

The file has a head of eight bytes (MAGIC and the number of positions), then a sorted list of 32-bit marks, then the
value of each as a signed byte, all with the least byte first. It lists positions of LISTED plies, one of each pair of
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

MAGIC = b"C4B1"
LISTED = frozenset({0, 1, 2, 3, 4, 5, 6, 8})
"""The seventh is one step from the eighth, and would make the file a third larger."""
DEEPEST = 8
FACTOR = 0x9E3779B97F4A7C15
_COLUMN = (1 << 7) - 1


def canonical(own: int, taken: int) -> int:
    """The key of a position, or of its mirror image if that is smaller."""
    key = rest = own + taken
    twin = 0
    for _ in range(7):
        twin = twin << 7 | rest & _COLUMN
        rest >>= 7
    return min(key, twin)


def mark(key: int) -> int:
    """Returns the number by which the file finds a position."""
    return key * FACTOR >> 24 & 0xFFFFFFFF


class Book:
    """The values in a file."""

    def __init__(self, data: bytes) -> None:
        count = int.from_bytes(data[4:8], "little")
        if data[:4] != MAGIC or len(data) != 8 + 5 * count:
            raise ValueError("this is not a book of Connect Four")
        self.marks = array("I", data[8 : 8 + 4 * count])
        if sys.byteorder == "big":
            self.marks.byteswap()
        self.values = array("b", data[8 + 4 * count :])
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
            wanted = mark(canonical(own, taken))
            at = bisect_left(self.marks, wanted)
            return self.values[at] if at < len(self.marks) and self.marks[at] == wanted else None
        best = None
        while playable:
            disc = playable & -playable
            playable ^= disc
            after = self.value(taken ^ own, taken | disc)
            if after is None:
                return None
            best = -after if best is None else max(best, -after)
        return best


def packed(values: Iterable[tuple[int, int]]) -> bytes:
    """The file for these keys and values. Raises ValueError if two have the same mark."""
    rows = sorted((mark(key), value) for key, value in values)
    if len({each for each, _ in rows}) != len(rows):
        raise ValueError("two positions have the same mark: choose another FACTOR")
    marks = array("I", (each for each, _ in rows))
    if sys.byteorder == "big":
        marks.byteswap()
    return (
        MAGIC + len(rows).to_bytes(4, "little") + marks.tobytes() + array("b", (value for _, value in rows)).tobytes()
    )


@cache
def opened() -> Book | None:
    """Returns the book that comes with the program; None where it is missing."""
    file = files("parlour.games.connect4").joinpath("book.bin")
    return Book(file.read_bytes()) if file.is_file() else None


def book_for(board: Shape, ply: int) -> Book | None:
    """Returns the book if it may list positions with this many discs on this board, else None."""
    return opened() if ply <= DEEPEST and (board.columns, board.rows) == (7, 6) else None
