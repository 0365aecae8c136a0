"""Exact values of the first moves on the usual board of 7 columns and 6 rows, from a file that comes with the program.

The file is MAGIC and an LZMA stream of signed bytes, one for each position of the LISTED plies. No position is spelled
in it, because its place follows from the board: positions of one ply are grouped by the heights of the columns, of two
mirror images only those whose heights come first in order, and a group has a place for every way to colour its discs.
The place of a position that cannot come up holds NONE; where the side to move wins at once, it holds any number.
`scripts/connect4_book.py` makes and checks the file.
"""

import lzma
from array import array
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from parlour.games.connect4.plain import completing
from parlour.games.connect4.rules import Shape, shape

MAGIC = b"C4B3"
LISTED = (0, 1, 2, 3, 4, 5, 6, 8, 10)
"""The seventh and the ninth follow from the next, and would make the file larger."""
DEEPEST = max(LISTED)
NONE = 99
_COLUMN = (1 << 7) - 1
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "pb": 0}]

Heights = tuple[int, ...]


@cache
def groups(ply: int) -> dict[Heights, int]:
    """The heights of the columns with so many discs, each or its mirror image, by the order of their groups."""
    found = (heights for heights in _heights(ply, 7) if heights <= heights[::-1])
    return {heights: number for number, heights in enumerate(found)}


def _heights(discs: int, columns: int) -> Iterator[Heights]:
    if not columns:
        yield from [()] * (not discs)
        return
    for height in range(min(discs, 6) + 1):
        for rest in _heights(discs - height, columns - 1):
            yield height, *rest


@cache
def colourings(ply: int) -> dict[int, int]:
    """Which of so many discs may belong to the side to move, as bits, by their order in a group."""
    found = (bits for bits in range(1 << ply) if bits.bit_count() == ply // 2)
    return {bits: number for number, bits in enumerate(found)}


@cache
def offsets() -> dict[int, int]:
    """By listed ply, where its values begin; as the last, under -1, where they all end."""
    found, at = {}, 0
    for ply in LISTED:
        found[ply] = at
        at += len(groups(ply)) * len(colourings(ply))
    return found | {-1: at}


def place(own: int, taken: int) -> int:
    """Where the value of a position of a listed ply is."""
    columns = [(taken >> at & _COLUMN, own >> at & _COLUMN) for at in range(0, 49, 7)]
    heights = tuple(discs.bit_count() for discs, _ in columns)
    if heights > heights[::-1]:
        heights, columns = heights[::-1], columns[::-1]
    bits = 0
    for height, (_, discs) in zip(heights, columns, strict=True):
        bits = bits << height | discs
    ply = taken.bit_count()
    return offsets()[ply] + groups(ply)[heights] * len(colourings(ply)) + colourings(ply)[bits]


class Book:
    """The values in a file."""

    def __init__(self, data: bytes) -> None:
        try:
            values = lzma.decompress(data.removeprefix(MAGIC), lzma.FORMAT_RAW, filters=_FILTERS)
        except lzma.LZMAError:
            values = b""
        if not data.startswith(MAGIC) or len(values) != offsets()[-1]:
            raise ValueError("this is not a book of Connect Four")
        self.values = array("b", values)
        self.board = shape(7, 6)

    def value(self, own: int, taken: int) -> int | None:
        """What the position is worth to the side with `own`, which is to move.

        None beyond the book, and for discs that no game puts there.
        """
        board, ply = self.board, taken.bit_count()
        if ply > DEEPEST:
            return None
        playable = taken + board.bottom & board.board
        if completing(own, board) & playable:
            return (43 - ply) // 2
        if ply in LISTED:
            value = self.values[place(own, taken)]
            return None if value == NONE else value
        best = None
        while playable:
            disc = playable & -playable
            playable ^= disc
            after = self.value(taken ^ own, taken | disc)
            if after is None:
                return None
            best = -after if best is None else max(best, -after)
        return best

    def least(self, own: int, taken: int) -> int:
        """At least so much is a position worth one ply beyond the book: what each of its predecessors leaves."""
        least = -21
        for column in range(7):
            last = 1 << (taken >> column * 7 & _COLUMN).bit_length() + column * 7 >> 1
            if last & taken & ~own:  # the other side may have played it just now
                value = self.value(taken ^ own ^ last, taken ^ last)
                least = least if value is None else max(least, -value)
        return least


def packed(values: bytes) -> bytes:
    """The file for the values in their places."""
    return MAGIC + lzma.compress(values, lzma.FORMAT_RAW, filters=_FILTERS)


@cache
def opened() -> Book | None:
    """Returns the book that comes with the program; None where it is missing."""
    file = files("parlour.games.connect4").joinpath("book.bin")
    return Book(file.read_bytes()) if file.is_file() else None


def book_for(board: Shape, ply: int) -> Book | None:
    """Returns the book if it has positions with this many discs on this board, else None."""
    return opened() if ply <= DEEPEST and (board.columns, board.rows) == (7, 6) else None
