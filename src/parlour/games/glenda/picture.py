"""Glendy as shapes."""

from math import cos, pi, sin, sqrt

from parlour.core.game import Position
from parlour.games.colours import GOLD, INK
from parlour.games.glenda.board import CELLS, DIRECTIONS, RIM, SIZE, beside, bit
from parlour.games.glenda.rules import GlendaPosition
from parlour.games.shapes import Disc, Drawing, Line, Point, Polygon, Shape, ellipse, mix, moved

HEX, HEX_RIM, HEX_EDGE = "#dfead2", "#f3e6bd", "#b9c9a6"
STONE, STONE_LIGHT, STONE_EDGE = "#7b7f88", "#a3a7b0", "#4b4f57"
FUR, FUR_EDGE, EAR = "#ffffff", "#555a66", "#f3b9c0"
RADIUS = 22.0
WIDE, HIGH = sqrt(3) * RADIUS, 1.5 * RADIUS
_MARGIN = 8


def emblem(seat: int, x: float, y: float) -> list[Shape]:
    """A block of stone, or the rabbit."""
    return _cube(x, y - 1, 9) if seat == 0 else _rabbit(x, y + 2, 0.5)


def _middle(x: int, y: int) -> Point:
    return _MARGIN + (x + 0.5 + (y % 2) / 2) * WIDE, _MARGIN + RADIUS + y * HIGH


def _hexagon(x: int, y: int, radius: float) -> tuple[Point, ...]:
    across, down = _middle(x, y)
    angles = [(n - 0.5) * pi / 3 for n in range(6)]
    return tuple((across + radius * cos(angle), down + radius * sin(angle)) for angle in angles)


def board(position: Position, last: str | None) -> Drawing:
    """The walls and the rabbit, with the last wall or step marked."""
    assert isinstance(position, GlendaPosition)
    at = position
    walls = set(at.walls())
    put = tuple(map(int, last.split(" ")[1:])) if last is not None and last.startswith("p ") else None
    shapes: list[Shape] = []
    for x, y in CELLS:
        ground = HEX_RIM if bit(x, y) & RIM else HEX
        if (x, y) in walls:
            ground = GOLD if (x, y) == put else mix(STONE_EDGE, ground, 0.35)
        shapes.append(Polygon(_hexagon(x, y, RADIUS - 1.5), ground, HEX_EDGE, 1.2))
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
    edge, stroke = STONE_EDGE, max(1.0, size / 12)
    return [
        Polygon(side, STONE, edge, stroke),
        Polygon(lid, STONE_LIGHT, edge, stroke),
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
