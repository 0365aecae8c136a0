"""Dots and boxes as shapes."""

import msgspec

from parlour.core.game import Position
from parlour.games import colours
from parlour.games.colours import CARD, GOLD
from parlour.games.dots.rules import DotsPosition
from parlour.games.shapes import WIDEST, Disc, Drawing, Line, Shape, mix

GUIDE, DOT = "#e4ddd0", "#3a3f4a"
OPEN = 255


def emblem(seat: int, x: float, y: float) -> list[Shape]:
    """A square in the seat's colour and pattern."""
    return colours.square(seat, x - 9, y - 9, 18)


def board(position: Position, last: str | None) -> Drawing:
    """The lines and boxes, with the last line marked."""
    assert isinstance(position, DotsPosition)
    at, shape, margin = position, position.shape, 16.0
    unit = max(8.0, min(60.0, (WIDEST - 2 * margin) / (max(at.width, at.height) - 1)))
    stroke, gap = max(1.6, unit / 9), max(0.6, unit / 14)

    def place(n: int) -> float:
        return margin + n * unit

    thin, right, bottom = max(1.0, unit / 24), place(at.width - 1), place(at.height - 1)
    shapes: list[Shape] = []
    shapes += [Line(margin, place(y), right, place(y), GUIDE, thin) for y in range(at.height)]
    shapes += [Line(place(x), margin, place(x), bottom, GUIDE, thin) for x in range(at.width)]
    for (x, y), owner in zip(shape.where, at.box_owners, strict=True):
        if owner != OPEN:
            shapes += colours.square(owner, place(x) + gap, place(y) + gap, unit - 2 * gap)
    drawn: list[tuple[int, Line]] = []
    for move, owner in zip(shape.moves, at.line_owners, strict=True):
        if owner == OPEN:
            continue
        way, column, row = move.split(" ")
        left, top = place(int(column)), place(int(row))
        far, low = (left + unit, top) if way == "h" else (left, top + unit)
        line = Line(left, top, far, low, colours.colour(owner), stroke)
        if move == last:
            shapes.append(msgspec.structs.replace(line, colour=mix(GOLD, CARD, 0.4), stroke=2.6 * stroke))
            line = msgspec.structs.replace(line, stroke=1.3 * stroke)
        drawn.append((owner, line))
    shapes += [line for _, line in sorted(drawn, key=lambda each: each[0])]
    dot = max(1.2, unit / 11)
    shapes += [Disc(place(x), place(y), dot, DOT) for y in range(at.height) for x in range(at.width)]
    return Drawing(2 * margin + (at.width - 1) * unit, 2 * margin + (at.height - 1) * unit, shapes)
