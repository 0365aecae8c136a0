"""Boards as shapes: as their games draw them, or as lines of text where a game draws nothing."""

from parlour.core.game import Game, Position
from parlour.games import colours
from parlour.games.colours import INK
from parlour.games.shapes import Drawing, Drawn, Shape, Text


def board(game: Game, position: Position, last: str | None) -> Drawing:
    """A position, with the last move marked."""
    return game.picture().board(position, last) if isinstance(game, Drawn) else _letters(position)


def emblem(game: Game, seat: int, x: float, y: float) -> list[Shape]:
    """The sign of a seat, 18 by 18 around this point."""
    return game.picture().emblem(seat, x, y) if isinstance(game, Drawn) else colours.square(seat, x - 9, y - 9, 18)


def _letters(position: Position) -> Drawing:
    lines = position.text().splitlines()[:60]
    shapes: list[Shape] = [
        Text(12 + 9 * column, 16 + 18 * row, letter, 14, INK, "middle")
        for row, line in enumerate(lines)
        for column, letter in enumerate(line[:100])
        if letter != " "
    ]
    return Drawing(24 + 9 * max((len(line[:100]) for line in lines), default=1), 20 + 18 * len(lines), shapes)
