"""Tic-tac-toe as shapes."""

from parlour.core.game import Position
from parlour.games import colours
from parlour.games.colours import CARD, GLOW, GOLD, RULE
from parlour.games.noughts.rules import MOVES, ROWS_OF_THREE, NoughtsPosition
from parlour.games.shapes import Disc, Drawing, Line, Rect, Shape, mix


def emblem(seat: int, x: float, y: float) -> list[Shape]:
    """The seat's mark."""
    return _mark(seat, x, y, 7, 3)


def board(position: Position, last: str | None) -> Drawing:
    """The marks, with the last cell marked and three in a row crossed."""
    assert isinstance(position, NoughtsPosition)
    at, unit, margin = position, 100, 10
    middles = [(margin + (n % 3 + 0.5) * unit, margin + (n // 3 + 0.5) * unit) for n in range(9)]
    shapes: list[Shape] = []
    if last in MOVES:
        x, y = middles[MOVES.index(last)]
        shapes.append(Rect(x - 44, y - 44, 88, 88, GLOW, round=12))
    for n in (1, 2):
        far = margin + 3 * unit - 6
        shapes.append(Line(margin + n * unit, margin + 6, margin + n * unit, far, RULE, 4))
        shapes.append(Line(margin + 6, margin + n * unit, far, margin + n * unit, RULE, 4))
    for n, letter in enumerate(at.cells):
        if letter != " ":
            shapes += _mark("XO".index(letter), *middles[n], 26, 11)
    for three in ROWS_OF_THREE:
        if any(marks & three == three for marks in at.marks):
            ends = [middles[n] for n in range(9) if three >> n & 1]
            shapes.append(Line(*ends[0], *ends[2], mix(GOLD, CARD, 0.85), 7))
    return Drawing(2 * margin + 3 * unit, 2 * margin + 3 * unit, shapes)


def _mark(seat: int, x: float, y: float, size: float, stroke: float) -> list[Shape]:
    hue = colours.colour(seat)
    if seat:
        return [Disc(x, y, size, "", hue, stroke)]
    return [
        Line(x - size, y - size, x + size, y + size, hue, stroke),
        Line(x + size, y - size, x - size, y + size, hue, stroke),
    ]
