"""The boards of the four games as shapes, each as wide as its picture likes it; any other game as lines of text."""

from collections.abc import Callable
from math import cos, pi, sin, sqrt
from typing import cast

import msgspec

from parlour.core.game import Position
from parlour.games.connect4.rules import Connect4Position
from parlour.games.dots.rules import DotsPosition
from parlour.games.glenda.board import CELLS, DIRECTIONS, RIM, SIZE, beside, bit
from parlour.games.glenda.rules import GlendaPosition
from parlour.games.noughts.rules import MOVES, ROWS_OF_THREE, NoughtsPosition
from parlour.tools.pictures import colours
from parlour.tools.pictures.colours import CARD, DOT, EAR, FUR, FUR_EDGE, GLOW, GOLD, GUIDE, INK, RULE, SOFT
from parlour.tools.pictures.shapes import Disc, Line, Point, Polygon, Rect, Shape, Text, ellipse, mix, moved

WIDEST = 430
"""A board is drawn no wider and no higher than about this."""
OPEN = 255


class Drawing(msgspec.Struct, frozen=True):
    """A board, from 0, 0 on."""

    width: float
    height: float
    shapes: list[Shape]


def board(game: str, position: Position, last: str | None) -> Drawing:
    """A position, with the last move marked."""
    paint = BOARDS.get(game)
    return _letters(position) if paint is None else paint(position, last)


def emblem(game: str, seat: int, x: float, y: float) -> list[Shape]:
    """The sign of a seat, 18 by 18 around this point."""
    match game:
        case "noughts":
            return _mark(seat, x, y, 7, 3)
        case "connect4":
            return _disc(seat, x, y, 9)
        case "glenda":
            return _cube(x, y - 1, 9) if seat == 0 else _rabbit(x, y + 2, 0.5)
        case _:
            return colours.square(seat, x - 9, y - 9, 18)


# --- dots and boxes ---------------------------------------------------------------------------------------------------


def _dots(position: Position, last: str | None) -> Drawing:
    at = cast(DotsPosition, position)
    shape, margin = at.shape, 16.0
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


# --- tic-tac-toe ------------------------------------------------------------------------------------------------------


def _noughts(position: Position, last: str | None) -> Drawing:
    at, unit, margin = cast(NoughtsPosition, position), 100, 10
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


# --- Connect Four -----------------------------------------------------------------------------------------------------


def _connect4(position: Position, last: str | None) -> Drawing:
    at = cast(Connect4Position, position)
    unit = min(58.0, WIDEST / max(at.columns, at.rows))
    margin, radius = 12, unit * 0.4
    width, height = at.columns * unit + 2 * margin, at.rows * unit + 2 * margin + 14
    shapes: list[Shape] = [
        Rect(4, 4, width - 8, height - 20, colours.FACE, colours.FACE_EDGE, 2, 14),
    ]
    four = _four(at)
    for row in range(at.rows):
        for column in range(at.columns):
            x, y = margin + (column + 0.5) * unit, margin + (row + 0.5) * unit
            seat = at.cell(column, row)
            shapes.append(Disc(x, y, radius, colours.HOLE, colours.FACE_EDGE, 1.5))
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


# --- Glendy -----------------------------------------------------------------------------------------------------------

RADIUS = 22.0
WIDE, HIGH = sqrt(3) * RADIUS, 1.5 * RADIUS
_MARGIN = 8


def _middle(x: int, y: int) -> Point:
    return _MARGIN + (x + 0.5 + (y % 2) / 2) * WIDE, _MARGIN + RADIUS + y * HIGH


def _hexagon(x: int, y: int, radius: float) -> tuple[Point, ...]:
    across, down = _middle(x, y)
    angles = [(n - 0.5) * pi / 3 for n in range(6)]
    return tuple((across + radius * cos(angle), down + radius * sin(angle)) for angle in angles)


def _glenda(position: Position, last: str | None) -> Drawing:
    at = cast(GlendaPosition, position)
    walls = set(at.walls())
    put = tuple(map(int, last.split(" ")[1:])) if last is not None and last.startswith("p ") else None
    shapes: list[Shape] = []
    for x, y in CELLS:
        ground = colours.HEX_RIM if bit(x, y) & RIM else colours.HEX
        if (x, y) in walls:
            ground = GOLD if (x, y) == put else mix(colours.STONE_EDGE, ground, 0.35)
        shapes.append(Polygon(_hexagon(x, y, RADIUS - 1.5), ground, colours.HEX_EDGE, 1.2))
    for x, y in sorted(walls, key=lambda cell: (cell[1], cell[0])):
        shapes += _cube(*_middle(x, y), RADIUS * 0.82)
    here = _middle(*at.glenda)
    if last is not None and last.startswith("m "):
        back = (DIRECTIONS.index(last[2:]) + 3) % len(DIRECTIONS)
        start = _middle(*beside(*at.glenda)[back])
        for step in (0.0, 0.2, 0.4, 0.6):
            across, down = (a + (b - a) * step for a, b in zip(start, here, strict=True))
            shapes.append(Disc(across, down, 2.4, GOLD))
    shapes += _rabbit(*here, 0.78)
    return Drawing(2 * _MARGIN + (SIZE + 0.5) * WIDE, 2 * _MARGIN + (SIZE - 1) * HIGH + 2 * RADIUS, shapes)


def _cube(x: float, y: float, size: float) -> list[Shape]:
    """A block of stone with a lighter lid."""
    w, h = size * 0.866, size * 0.5
    left, right = (x - w, y - h), (x + w, y - h)
    side = (left, (x - w, y + h), (x, y + size), (x + w, y + h), right, (x, y))
    lid = ((x, y - size), right, (x, y), left)
    edge, stroke = colours.STONE_EDGE, max(1.0, size / 12)
    return [
        Polygon(side, colours.STONE, edge, stroke),
        Polygon(lid, colours.STONE_LIGHT, edge, stroke),
        Line(x, y, x, y + size, edge, stroke),
    ]


def _rabbit(x: float, y: float, scale: float) -> list[Shape]:
    """A rabbit's head; its ears reach 25 units above the middle, at scale 1."""
    shapes: list[Shape] = []
    for height, rx, ry, fill, edge in ((14, 4.6, 11, FUR, FUR_EDGE), (13, 1.9, 7, EAR, "")):
        ears = (ellipse(7 * side * scale, -height * scale, rx * scale, ry * scale, 12 * side) for side in (-1, 1))
        shapes += [Polygon(ear, fill, edge, 1.4 * scale) for ear in ears]
    shapes.append(Polygon(ellipse(0, 4 * scale, 13.5 * scale, 12 * scale), FUR, FUR_EDGE, 1.4 * scale))
    shapes += [Disc(5 * side * scale, 1.5 * scale, 1.9 * scale, INK) for side in (-1, 1)]
    nose = ((-2 * scale, 6 * scale), (2 * scale, 6 * scale), (0.0, 8.4 * scale))
    shapes.append(Polygon(nose, EAR, FUR_EDGE, 0.8 * scale))
    return [moved(shape, x, y) for shape in shapes]


# --- any other game ---------------------------------------------------------------------------------------------------


def _letters(position: Position) -> Drawing:
    lines = position.text().splitlines()[:60]
    shapes: list[Shape] = [
        Text(12 + 9 * column, 16 + 18 * row, letter, 14, INK, "middle")
        for row, line in enumerate(lines)
        for column, letter in enumerate(line[:100])
        if letter != " "
    ]
    return Drawing(24 + 9 * max((len(line[:100]) for line in lines), default=1), 20 + 18 * len(lines), shapes)


BOARDS: dict[str, Callable[[Position, str | None], Drawing]] = {
    "dots": _dots,
    "noughts": _noughts,
    "connect4": _connect4,
    "glenda": _glenda,
}
