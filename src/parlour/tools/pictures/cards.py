"""A picture for those who show a link: the board, what is played, and who plays."""

from collections.abc import Sequence

from parlour.core.game import Game, Position
from parlour.games.colours import CARD, EDGE, INK, PAPER, SOFT
from parlour.games.shapes import Drawing, Rect, Scene, Shape, Text, fitting, moved, scaled
from parlour.tools.pictures import boards

WIDTH, HEIGHT = 1200, 630
"""What programs that show links ask for."""
PAD = 40
TITLE, NAME = 64, 40
ROW = 68
MOST_NAMES = 6


def card(game: Game, position: Position, last: str | None, names: Sequence[str]) -> Scene:
    """The board on the left, and on the right the names by seat; an empty name is a free seat."""
    drawing = boards.board(game, position, last)
    side = HEIGHT - 2 * PAD
    left = 2 * PAD + side
    room = WIDTH - left - PAD
    shapes: list[Shape] = [
        Rect(0, 0, WIDTH, HEIGHT, PAPER),
        Rect(PAD, PAD, side, side, CARD, EDGE, 2, 20),
        *_within(drawing, PAD, PAD, side),
        Text(left, PAD + TITLE, fitting(game.name, room, TITLE), TITLE, INK, bold=True),
    ]
    for row, name in enumerate(names[:MOST_NAMES]):
        y = PAD + 2.4 * TITLE + row * ROW
        shapes += [moved(scaled(shape, 2), left + 18, y) for shape in boards.emblem(game, row, 0, 0)]
        label = fitting(name or "?", room - 60, NAME)
        shapes.append(Text(left + 60, y, label, NAME, INK if name else SOFT))
    shapes.append(Text(left, HEIGHT - PAD - NAME / 2, "Parlour", NAME * 0.8, SOFT))
    return Scene(WIDTH, HEIGHT, tuple(shapes), f"{game.name}: {', '.join(filter(None, names))}")


def _within(drawing: Drawing, x: float, y: float, side: float) -> list[Shape]:
    """A board as big as fits, in the middle of a square."""
    factor = side / max(drawing.width, drawing.height)
    left = x + (side - drawing.width * factor) / 2
    top = y + (side - drawing.height * factor) / 2
    return [moved(scaled(shape, factor), left, top) for shape in drawing.shapes]
