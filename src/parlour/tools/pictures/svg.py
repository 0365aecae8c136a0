"""A scene as SVG: plain attributes only, so that it may be shown where styles are forbidden."""

from collections.abc import Iterator
from html import escape
from itertools import groupby

from parlour.games.shapes import Disc, Line, Polygon, Rect, Scene, Shape, Text

FONT = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif"


def text(scene: Scene) -> str:
    """The whole file."""
    size = f'width="{_n(scene.width)}" height="{_n(scene.height)}" viewBox="0 0 {_n(scene.width)} {_n(scene.height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FONT}">',
        f"<title>{escape(_sayable(scene.title))}</title>",
        *_elements(scene.shapes),
        "</svg>",
    ]
    return "\n".join(lines)


def _elements(shapes: tuple[Shape, ...]) -> Iterator[str]:
    """Lines of one kind that follow each other are one path: a full board has thousands."""
    for kind, group in groupby(shapes, lambda each: (each.colour, each.stroke) if type(each) is Line else None):
        if kind is None:
            yield from map(_element, group)
            continue
        colour, stroke = kind
        lines = [each for each in group if type(each) is Line]
        way = "".join(f"M{_n(each.x1)} {_n(each.y1)}L{_n(each.x2)} {_n(each.y2)}" for each in lines)
        yield f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="{_n(stroke)}" stroke-linecap="round"/>'


def _element(shape: Shape) -> str:
    match shape:
        case Rect(x=x, y=y, width=width, height=height, round=corner):
            corners = f' rx="{_n(corner)}"' if corner else ""
            place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"{corners}'
            return f"<rect {place} {_paint(shape)}/>"
        case Disc(x=x, y=y, radius=radius):
            return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" {_paint(shape)}/>'
        case Polygon(points=points):
            corners = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
            return f'<polygon points="{corners}" {_paint(shape)} stroke-linejoin="round"/>'
        case Text(x=x, y=y, size=size, colour=colour, anchor=anchor, bold=bold):
            weight = ' font-weight="600"' if bold else ""
            place = f'x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" text-anchor="{anchor}" dominant-baseline="central"'
            return f'<text {place} fill="{colour}"{weight}>{escape(_sayable(shape.text))}</text>'
        case Line():
            raise TypeError("lines are paths")


def _paint(shape: Rect | Disc | Polygon) -> str:
    fill = f'fill="{shape.fill or "none"}"'
    return f'{fill} stroke="{shape.edge}" stroke-width="{_n(shape.stroke)}"' if shape.edge else fill


def _n(number: float) -> str:
    """A number, no longer than it must be."""
    return f"{number:.2f}".rstrip("0").rstrip(".") if number % 1 else str(int(number))


def _sayable(text: str) -> str:
    """XML has no place for control characters, not even escaped."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
