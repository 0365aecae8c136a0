"""The colours of the pages in daylight, and a pattern for each seat, which tells players apart without colour."""

from parlour.games.shapes import Disc, Line, Rect, Shape, mix

PAPER = "#f7f3ec"
CARD = "#fffdf9"
INK = "#22262e"
SOFT = "#5c6470"
EDGE = "#ddd5c7"
RULE = "#8d8576"
GOLD = "#9a5b00"
GLOW = "#fbecd0"
SEATS = (
    "#0067a8", "#c44a00", "#00795a", "#a8458a", "#9a6a00", "#1b86c4", "#6c4bb0", "#7a5c10",
    "#b3263a", "#3c7a2c", "#007a80", "#94471f", "#546069", "#b81480", "#4554c4", "#717a00",
)  # fmt: skip

_SEGMENTS: tuple[tuple[tuple[float, float, float, float], ...], ...] = (
    ((0, 4, 4, 0), (0, 8, 8, 0), (0, 12, 12, 0), (4, 12, 12, 4), (8, 12, 12, 8)),
    ((3, 3, 3, 3), (9, 3, 9, 3), (3, 9, 3, 9), (9, 9, 9, 9), (6, 6, 6, 6)),
    ((0, 2.4, 12, 2.4), (0, 6, 12, 6), (0, 9.6, 12, 9.6)),
    ((0, 0, 12, 12), (12, 0, 0, 12)),
    ((2.4, 0, 2.4, 12), (6, 0, 6, 12), (9.6, 0, 9.6, 12)),
    ((0, 8, 4, 12), (0, 4, 8, 12), (0, 0, 12, 12), (4, 0, 12, 8), (8, 0, 12, 4)),
    ((0, 4, 12, 4), (0, 8, 12, 8), (4, 0, 4, 12), (8, 0, 8, 12)),
    ((6, 1, 11, 6), (11, 6, 6, 11), (6, 11, 1, 6), (1, 6, 6, 1)),
    ((0, 5, 3, 2), (3, 2, 6, 5), (6, 5, 9, 2), (9, 2, 12, 5),
     (0, 11, 3, 8), (3, 8, 6, 11), (6, 11, 9, 8), (9, 8, 12, 11)),
    ((2, 2, 10, 2), (10, 2, 10, 10), (10, 10, 2, 10), (2, 10, 2, 2)),
    ((6, 2, 6, 10), (2, 6, 10, 6)),
    ((3, 3, 9, 9), (9, 3, 3, 9)),
    ((6, 2, 10.5, 10), (10.5, 10, 1.5, 10), (1.5, 10, 6, 2)),
    ((0, 0, 12, 0.01), (6, 0, 0, 6), (6, 0, 12, 6), (0, 12, 6, 6), (12, 12, 6, 6)),
    ((4, 4, 4, 4), (8, 8, 8, 8)),
    ((0, 6, 12, 6), (6, 0, 6, 6), (3, 6, 3, 12), (9, 6, 9, 12)),
)  # fmt: skip
"""By seat, strokes on a tile of 12 by 12; one that goes nowhere is a dot."""
_TINY = 11
"""On squares smaller than this no pattern is to be made out."""


def colour(seat: int) -> str:
    return SEATS[seat % len(SEATS)]


def square(seat: int, x: float, y: float, size: float) -> list[Shape]:
    """A square in the colour and pattern of a seat."""
    hue = colour(seat)
    if size < _TINY:
        return [Rect(x, y, size, size, mix(hue, CARD, 0.5))]
    weave, scale = mix(hue, CARD, 0.72), size / 12
    shapes: list[Shape] = [Rect(x, y, size, size, mix(hue, CARD, 0.2))]
    for x1, y1, x2, y2 in _SEGMENTS[seat % len(SEATS)]:
        if (x1, y1) == (x2, y2):
            shapes.append(Disc(x + x1 * scale, y + y1 * scale, size / 10, weave))
        else:
            inset = size / 24  # so that round ends stay inside
            ends = (min(max(each * scale, inset), size - inset) for each in (x1, y1, x2, y2))
            ax, ay, bx, by = ends
            shapes.append(Line(x + ax, y + ay, x + bx, y + by, weave, max(1.0, size / 18)))
    return shapes
