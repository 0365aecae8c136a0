"""Reversi as shapes."""

from parlour.core.game import Position
from parlour.games.colours import GOLD, INK, SOFT
from parlour.games.shapes import WIDEST, Disc, Drawing, Line, Rect, Shape, Text
from reversi.rules import LETTERS, ReversiPosition

FELT, RULE, WHITE = "#3f8f63", "#2d6b49", "#fbf9f4"
MARGIN = 20.0


def emblem(seat: int, x: float, y: float) -> list[Shape]:
    """The seat's disc."""
    return [_disc(seat, x, y, 8)]


def board(position: Position, last: str | None) -> Drawing:
    """The discs, with the last one marked."""
    assert isinstance(position, ReversiPosition)
    size = position.size
    unit = min(46.0, (WIDEST - 2 * MARGIN) / size)
    side = size * unit
    shapes: list[Shape] = [Rect(MARGIN, MARGIN, side, side, FELT, RULE, 2, 6)]
    for n in range(1, size):
        at = MARGIN + n * unit
        shapes += [Line(at, MARGIN, at, MARGIN + side, RULE, 1.2), Line(MARGIN, at, MARGIN + side, at, RULE, 1.2)]
    for n in range(size):
        middle = MARGIN + (n + 0.5) * unit
        shapes += [Text(middle, MARGIN / 2, LETTERS[n], 11, SOFT, "middle")]
        shapes += [Text(MARGIN / 2, middle, str(n + 1), 11, SOFT, "middle")]
    for y in range(size):
        for x in range(size):
            seat = position.cell(x, y)
            across, down = MARGIN + (x + 0.5) * unit, MARGIN + (y + 0.5) * unit
            if seat >= 0:
                shapes.append(_disc(seat, across, down, unit * 0.4))
            if last == f"{LETTERS[x]}{y + 1}":
                shapes.append(Disc(across, down, unit * 0.12, GOLD))
    return Drawing(side + 2 * MARGIN, side + 2 * MARGIN, shapes)


def _disc(seat: int, x: float, y: float, radius: float) -> Disc:
    return Disc(x, y, radius, WHITE if seat else INK, INK, 1.5)
