"""Solved positions of 4x4 boxes that take too long to solve at the board, from a file that comes with the program.

Each line of the file is a position: the lines that are drawn as a hexadecimal number, bit by bit as the board counts
them, the value to the side to move, and a best line, or - where the value is known from the literature and no line is
proven: the empty board is a tie (Barker and Korf, "Solving Dots-And-Boxes", AAAI 2012). Of a position's eight images
the smallest number is listed, with one line in a corner counted as the horizontal one: the two are alike.
`scripts/dots_book.py` makes the file.
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files

import msgspec

from parlour.games.dots.rules import DotsPosition, Shape, shape

SIDE = 5
"""Dots."""
_OPEN = 255


class Entry(msgspec.Struct, frozen=True):
    """What is known about a position."""

    value: int
    """Boxes won minus lost from here on, for the side to move."""
    line: int | None
    """A best one; None if none is proven."""


@cache
def board() -> Shape:
    return shape(SIDE, SIDE)


@cache
def images() -> tuple[tuple[int, ...], ...]:
    """The eight images of the board: by line, the line that it becomes."""
    last = SIDE - 1
    turns: list[Callable[[int, int], tuple[int, int]]] = [
        lambda x, y: (x, y),
        lambda x, y: (last - x, y),
        lambda x, y: (x, last - y),
        lambda x, y: (last - x, last - y),
        lambda x, y: (y, x),
        lambda x, y: (last - y, x),
        lambda x, y: (y, last - x),
        lambda x, y: (last - y, last - x),
    ]
    return tuple(tuple(_image(move, turn) for move in board().moves) for turn in turns)


def _image(move: str, turn: Callable[[int, int], tuple[int, int]]) -> int:
    kind, x, y = move.split()
    ends = sorted((turn(int(x), int(y)), turn(int(x) + (kind == "h"), int(y) + (kind == "v"))))
    return board().index[f"{'h' if ends[0][1] == ends[1][1] else 'v'} {ends[0][0]} {ends[0][1]}"]


@cache
def corners() -> tuple[tuple[int, int], ...]:
    """The two lines to the ground of each box in a corner, the horizontal one first."""
    outer = [[line for line in sides if len(board().touching[line]) == 1] for sides in board().sides]
    return tuple((min(pair), max(pair)) for pair in outer if len(pair) == 2)


def canonical(drawn: int) -> tuple[int, tuple[int, ...]]:
    """The number by which a position is listed, and what each line of the board becomes in that image."""
    return min((_seen(drawn, image) for image in images()), key=lambda seen: seen[0])


def _seen(drawn: int, image: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    found, becomes = 0, list(image)
    for line in range(len(image)):
        found |= (drawn >> line & 1) << image[line]
    for first, second in corners():
        if found >> second & 1 and not found >> first & 1:
            found ^= 1 << first | 1 << second
            becomes = [{first: second, second: first}.get(line, line) for line in becomes]
    return found, tuple(becomes)


class Book:
    """The entries of a file."""

    def __init__(self, text: str) -> None:
        rows = (row.split() for row in text.splitlines())
        self.entries = {
            int(drawn, 16): Entry(int(value), None if line == "-" else int(line)) for drawn, value, line in rows
        }

    def entry(self, drawn: int) -> Entry | None:
        """What is known about a position, with a line of this image."""
        key, becomes = canonical(drawn)
        found = self.entries.get(key)
        if found is None or found.line is None:
            return found
        return Entry(found.value, becomes.index(found.line))


@cache
def opened() -> Book:
    """Returns the book that comes with the program; an empty one where it is missing."""
    file = files("parlour.games.dots").joinpath("book.txt")
    return Book(file.read_text(encoding="ascii") if file.is_file() else "")


def told(position: DotsPosition) -> Entry | None:
    """What the book knows about a game of two, if nothing can be taken."""
    if (position.shape.width, position.shape.height) != (SIDE, SIDE) or len(position.order()) != 2:
        return None
    return opened().entry(drawn_in(position))


def drawn_in(position: DotsPosition) -> int:
    return sum(1 << line for line, owner in enumerate(position.line_owners) if owner != _OPEN)


def following(drawn: int) -> Iterator[int]:
    """The listed numbers of all positions one line later in which nothing can be taken."""
    found = set()
    for line in range(board().lines):
        after = drawn | 1 << line
        if after != drawn and not any(_missing(after, box) == 1 for box in range(board().boxes)):
            found.add(canonical(after)[0])
    yield from sorted(found)


def _missing(drawn: int, box: int) -> int:
    return sum(not drawn >> line & 1 for line in board().sides[box])
