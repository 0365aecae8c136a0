"""Scenes as pixels, and games as films: animated GIF and PNG, by Pillow.

Every shape is drawn three times as big and made smaller again, which smooths its edges. From one scene to the next
only what has changed is drawn anew.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from io import BytesIO
from math import ceil, floor
from typing import Any

from PIL import Image, ImageChops, ImageDraw, ImageFont

from parlour.games.shapes import Box, Disc, Line, Polygon, Rect, Scene, Shape, Text, bounds

FINE = 3
COLOURS = 255
SHORTEST, LONGEST, LAST = 120, 800, 3000
"""Milliseconds that a frame is shown, and the last one."""
WHOLE_FILM = 45_000
MOST_AREAS = 4
"""Drawn anew in one frame."""

_OPAQUE = [0] + [255] * 255
Area = tuple[int, int, int, int]


def png(scene: Scene) -> bytes:
    """A picture that does not move."""
    return _film(list(_frames([scene])), "PNG")


def gif(scenes: Iterable[Scene]) -> bytes:
    """An animated GIF. All frames share the colours of the last one, which has most on it."""
    frames = list(_frames(scenes))
    palette = frames[-1].quantize(COLOURS, Image.Quantize.MEDIANCUT)
    dyed = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    return _film(dyed, "GIF", optimize=True, disposal=1)


def apng(scenes: Iterable[Scene]) -> bytes:
    """An animated PNG. What a frame leaves as it was is clear in it, which takes next to no space."""
    shown: list[Image.Image] = []
    before: Image.Image | None = None
    for after in _frames(scenes):
        shown.append(after.convert("RGBA") if before is None else _anew(before, after))
        before = after
    return _film(shown, "PNG", blend=1)


def _anew(before: Image.Image, after: Image.Image) -> Image.Image:
    """What is not as it was, and nothing else."""
    red, green, blue = ImageChops.difference(before, after).split()
    changed = ImageChops.lighter(ImageChops.lighter(red, green), blue).point(_OPAQUE)
    frame = Image.new("RGBA", after.size)
    frame.paste(after, mask=changed)
    return frame


def _film(frames: "list[Image.Image]", form: str, **options: Any) -> bytes:
    shown = max(SHORTEST, min(LONGEST, WHOLE_FILM // len(frames)))
    out = BytesIO()
    if len(frames) == 1:
        frames[0].save(out, form)
    else:
        times = [shown] * (len(frames) - 1) + [LAST]
        frames[0].save(out, form, save_all=True, append_images=frames[1:], duration=times, loop=0, **options)
    return out.getvalue()


def _frames(scenes: Iterable[Scene]) -> Iterator[Image.Image]:
    """Every scene as a picture of its own."""
    before: Scene | None = None
    canvas: Image.Image | None = None
    for scene in scenes:
        size = round(scene.width), round(scene.height)
        if before is None or canvas is None or canvas.size != size:
            canvas = Image.new("RGB", size)
            canvas.paste(_drawn(scene, (0, 0, *size)))
        else:
            canvas = canvas.copy()
            for area in _changed(before, scene, size):
                canvas.paste(_drawn(scene, area), area[:2])
        before = scene
        yield canvas


def _changed(before: Scene, after: Scene, size: tuple[int, int]) -> list[Area]:
    """A few areas around all that is not as it was."""
    areas: list[Box] = []
    for box in sorted((bounds(shape) for shape in set(before.shapes) ^ set(after.shapes)), key=lambda box: box[1]):
        if areas and (len(areas) == MOST_AREAS or box[1] <= areas[-1][3] + FINE):
            areas[-1] = _around(areas[-1], box)
        else:
            areas.append(box)
    return [_pixels(area, size) for area in areas]


def _around(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _pixels(box: Box, size: tuple[int, int]) -> Area:
    """An area with a little more around it, in whole pixels."""
    left, top = max(0, floor(box[0]) - 2), max(0, floor(box[1]) - 2)
    return left, top, min(size[0], ceil(box[2]) + 2), min(size[1], ceil(box[3]) + 2)


def _drawn(scene: Scene, area: Area) -> Image.Image:
    """A part of a scene."""
    left, top, right, bottom = area
    big = Image.new("RGB", ((right - left) * FINE, (bottom - top) * FINE), "white")
    pen = Pen(ImageDraw.Draw(big), left, top)
    for shape in scene.shapes:
        if _meet(bounds(shape), area):
            pen.draw(shape)
    return big.reduce(FINE)


def _meet(box: Box, area: Area) -> bool:
    return box[0] < area[2] and box[2] > area[0] and box[1] < area[3] and box[3] > area[1]


class Pen:
    """Draws shapes, three times as big, on a picture whose corner is somewhere in the scene."""

    def __init__(self, draw: "ImageDraw.ImageDraw", left: int, top: int) -> None:
        self._draw = draw
        self._left, self._top = left, top

    def _at(self, x: float, y: float) -> tuple[int, int]:
        """In whole pixels before the corner is taken off: Pillow cuts fractions, left of 0 the other way round."""
        return round(x * FINE) - self._left * FINE, round(y * FINE) - self._top * FINE

    def draw(self, shape: Shape) -> None:
        match shape:
            case Rect():
                self._rect(shape)
            case Disc():
                x, y = self._at(shape.x, shape.y)
                self._disc(x, y, shape.radius * FINE, shape.fill, shape.edge, shape.stroke * FINE)
            case Line():
                self._line(
                    self._at(shape.x1, shape.y1), self._at(shape.x2, shape.y2), shape.colour, shape.stroke * FINE
                )
            case Polygon():
                self._polygon(shape)
            case Text():
                self._write(shape)

    def _rect(self, shape: Rect) -> None:
        x, y = self._at(shape.x, shape.y)
        corners = x, y, x + round(shape.width * FINE) - 1, y + round(shape.height * FINE) - 1
        width = round(shape.stroke * FINE)
        self._draw.rounded_rectangle(corners, shape.round * FINE, shape.fill, shape.edge or None, width)

    def _disc(self, x: int, y: int, radius: float, fill: str, edge: str, stroke: float) -> None:
        """SVG's stroke lies on both sides of the edge, Pillow's inside."""
        reach = round(radius + stroke / 2)
        corners = x - reach, y - reach, x + reach, y + reach
        if edge:
            self._draw.ellipse(corners, fill or None, edge, max(1, round(stroke)))
        else:
            self._draw.ellipse(corners, fill)

    def _line(self, start: tuple[int, int], end: tuple[int, int], colour: str, stroke: float) -> None:
        self._draw.line((*start, *end), colour, max(1, round(stroke)))
        if stroke > FINE:
            for x, y in (start, end):
                self._disc(x, y, stroke / 2 - 0.5, colour, "", 0)

    def _polygon(self, shape: Polygon) -> None:
        points = [self._at(x, y) for x, y in shape.points]
        self._draw.polygon(points, shape.fill)
        if shape.edge:
            for start, end in zip(points, [*points[1:], points[0]], strict=True):
                self._line(start, end, shape.edge, shape.stroke * FINE)

    def _write(self, shape: Text) -> None:
        anchor = {"start": "lm", "middle": "mm", "end": "rm"}[shape.anchor]
        font = _font(round(shape.size * FINE), shape.bold)
        self._draw.text(self._at(shape.x, shape.y), shape.text, shape.colour, font, anchor)


@cache
def _font(size: int, bold: bool) -> "ImageFont.FreeTypeFont | ImageFont.ImageFont":
    """One with the letters of many languages where the system has it; else Pillow's own."""
    try:
        return ImageFont.truetype("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf", size)
    except OSError:
        return ImageFont.load_default(size)
