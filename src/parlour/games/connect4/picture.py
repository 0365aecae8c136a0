"""Connect Four as shapes."""

from parlour.core.game import Position
from parlour.games import colours
from parlour.games.colours import CARD, INK, SOFT
from parlour.games.connect4.rules import Connect4Position
from parlour.games.shapes import WIDEST, Disc, Drawing, Polygon, Rect, Shape, Text

FACE, FACE_EDGE, HOLE = "#e0c59a", "#b8935c", "#fbf7ef"


def emblem(seat: int, x: float, y: float) -> list[Shape]:
    """The seat's disc."""
    return _disc(seat, x, y, 9)


def board(position: Position, last: str | None) -> Drawing:
    """The discs, with the last one or the winning four ringed."""
    assert isinstance(position, Connect4Position)
    at = position
    unit = min(58.0, WIDEST / max(at.columns, at.rows))
    margin, radius = 12, unit * 0.4
    width, height = at.columns * unit + 2 * margin, at.rows * unit + 2 * margin + 14
    shapes: list[Shape] = [
        Rect(4, 4, width - 8, height - 20, FACE, FACE_EDGE, 2, 14),
    ]
    four = _four(at)
    for row in range(at.rows):
        for column in range(at.columns):
            x, y = margin + (column + 0.5) * unit, margin + (row + 0.5) * unit
            seat = at.cell(column, row)
            shapes.append(Disc(x, y, radius, HOLE, FACE_EDGE, 1.5))
            if seat < 0:
                continue
            shapes += _disc(seat, x, y, radius)
            if (column, row) in four or (last is not None and not four and at.last_cell == (column, row)):
                shapes.append(Disc(x, y, radius + 1.5, "", INK, 4 if four else 2))
    for column in range(at.columns):
        shapes.append(Text(margin + (column + 0.5) * unit, height - 8, str(column), 11, SOFT, "middle"))
    return Drawing(width, height, shapes)


def _disc(seat: int, x: float, y: float, radius: float) -> list[Shape]:
    """A ring inside for the first player, a diamond for the second."""
    inner, stroke = radius * 0.5, max(1.5, radius / 6)
    sign: Shape = Disc(x, y, inner, "", CARD, stroke)
    if seat:
        sign = Polygon(
            ((x, y - inner), (x + inner, y), (x, y + inner), (x - inner, y)), colours.colour(seat), CARD, stroke
        )
    return [Disc(x, y, radius, colours.colour(seat)), sign]


def _four(at: Connect4Position) -> set[tuple[int, int]]:
    """The discs that have won."""
    found: set[tuple[int, int]] = set()
    for column in range(at.columns):
        for row in range(at.rows):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                cells = [(column + n * dx, row + n * dy) for n in range(4)]
                if all(0 <= x < at.columns and 0 <= y < at.rows for x, y in cells):
                    seats = {at.cell(x, y) for x, y in cells}
                    if len(seats) == 1 and seats != {-1}:
                        found.update(cells)
    return found
