"""What pictures are made of. A game draws its board with these; the writers of image files read them.

All colours are opaque: a GIF knows no others. Where something shall shine through, mix the colours beforehand.
"""

from math import cos, radians, sin
from typing import Protocol, runtime_checkable

import msgspec

from parlour.core.game import Position

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

WIDEST = 430
"""A board is drawn no wider and no higher than about this."""
NARROW = 0.56
"""How wide a letter is, of its size: good enough for finding out what fits."""


class Rect(msgspec.Struct, frozen=True, gc=False):
    x: float
    y: float
    width: float
    height: float
    fill: str
    edge: str = ""
    stroke: float = 0
    round: float = 0


class Disc(msgspec.Struct, frozen=True, gc=False):
    x: float
    y: float
    radius: float
    fill: str = ""
    edge: str = ""
    stroke: float = 0


class Line(msgspec.Struct, frozen=True, gc=False):
    """With round ends."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: str
    stroke: float


class Polygon(msgspec.Struct, frozen=True, gc=False):
    points: tuple[Point, ...]
    fill: str
    edge: str = ""
    stroke: float = 0


class Text(msgspec.Struct, frozen=True, gc=False):
    """One line; `y` is its middle. The anchor is `start`, `middle` or `end`."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    anchor: str = "start"
    bold: bool = False


Shape = Rect | Disc | Line | Polygon | Text


class Scene(msgspec.Struct, frozen=True):
    """A picture: what comes later lies above."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str = ""
    """For those who cannot see it."""


class Drawing(msgspec.Struct, frozen=True):
    """A board, from 0, 0 on."""

    width: float
    height: float
    shapes: list[Shape]


class Picture(Protocol):
    """How a game is drawn; a module `picture.py` is one."""

    def board(self, position: Position, last: str | None) -> Drawing:
        """A position, with the last move marked; as wide as it likes, up to WIDEST."""
        ...

    def emblem(self, seat: int, x: float, y: float) -> list[Shape]:
        """The sign of a seat, 18 by 18 around this point."""
        ...


@runtime_checkable
class Drawn(Protocol):
    """A game with a picture of its own; others are shown in letters."""

    def picture(self) -> Picture:
        """Returns how it is drawn, imported only when a picture is wanted."""
        ...


def mix(colour: str, ground: str, share: float) -> str:
    """A colour of which only a share is to be seen above another."""
    pairs = zip(_parts(colour), _parts(ground), strict=True)
    return "#" + "".join(f"{round(over * share + under * (1 - share)):02x}" for over, under in pairs)


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def ellipse(x: float, y: float, rx: float, ry: float, turned: float = 0) -> tuple[Point, ...]:
    """As a polygon with many corners, turned by so many degrees around its middle."""
    tilt = radians(turned)
    corners = []
    for step in range(0, 360, 15):
        across, down = rx * cos(radians(step)), ry * sin(radians(step))
        corners.append((x + across * cos(tilt) - down * sin(tilt), y + across * sin(tilt) + down * cos(tilt)))
    return tuple(corners)


def moved(shape: Shape, dx: float, dy: float) -> Shape:
    """The same shape elsewhere."""
    match shape:
        case Line(x1=x1, y1=y1, x2=x2, y2=y2):
            return msgspec.structs.replace(shape, x1=x1 + dx, y1=y1 + dy, x2=x2 + dx, y2=y2 + dy)
        case Polygon(points=points):
            return msgspec.structs.replace(shape, points=tuple((x + dx, y + dy) for x, y in points))
        case _:
            return msgspec.structs.replace(shape, x=shape.x + dx, y=shape.y + dy)


def scaled(shape: Shape, factor: float) -> Shape:
    """The same shape so many times as big, and as far from 0, 0."""
    if isinstance(shape, Polygon):
        points = tuple((x * factor, y * factor) for x, y in shape.points)
        return msgspec.structs.replace(shape, points=points, stroke=shape.stroke * factor)
    lengths = {
        name: value * factor
        for name in shape.__struct_fields__
        if isinstance(value := getattr(shape, name), int | float) and not isinstance(value, bool)
    }
    return msgspec.structs.replace(shape, **lengths)


def fitting(text: str, room: float, size: float) -> str:
    """As much of a text as fits."""
    most = max(1, int(room / (size * NARROW)))
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def bounds(shape: Shape) -> Box:
    """What a shape covers, rather a bit more than less."""
    match shape:
        case Rect():
            edge = shape.stroke / 2
            return shape.x - edge, shape.y - edge, shape.x + shape.width + edge, shape.y + shape.height + edge
        case Disc():
            reach = shape.radius + shape.stroke / 2
            return shape.x - reach, shape.y - reach, shape.x + reach, shape.y + reach
        case Line():
            edge = shape.stroke / 2
            left, right = sorted((shape.x1, shape.x2))
            top, bottom = sorted((shape.y1, shape.y2))
            return left - edge, top - edge, right + edge, bottom + edge
        case Polygon():
            across, down = [x for x, _ in shape.points], [y for _, y in shape.points]
            edge = shape.stroke
            return min(across) - edge, min(down) - edge, max(across) + edge, max(down) + edge
        case Text():
            width = len(shape.text) * shape.size
            left = shape.x - {"start": 0, "middle": width / 2, "end": width}[shape.anchor]
            return left - 2, shape.y - shape.size, left + width + 2, shape.y + shape.size
