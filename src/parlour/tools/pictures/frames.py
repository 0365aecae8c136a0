"""A game as scenes: the board after some of its moves, who plays, and how it stands."""

from collections.abc import Iterator, Sequence
from math import cos, pi, sin
from random import Random

from parlour.core.errors import LocalError
from parlour.core.game import Position
from parlour.games.colours import CARD, EDGE, GOLD, INK, PAPER, SOFT
from parlour.games.shapes import NARROW, Polygon, Rect, Scene, Shape, Text, fitting, moved
from parlour.store.base import StoredGame, StoredMove
from parlour.tools import scoresheet
from parlour.tools.pictures import boards

MOST_FRAMES = 160
"""In one film. Of longer games only every so manieth move is shown, and always the last."""
PAD = 12
LEAST_WIDTH = 360.0
NAME, SMALL = 15, 13
ROW = 26
"""The height of a line with players."""


def picked(moves: int, most: int = MOST_FRAMES) -> list[int]:
    """After how many moves to look at a game of so many: the start, the end, and evenly what lies between."""
    if moves < most:
        return list(range(moves + 1))
    return sorted({round(n * moves / (most - 1)) for n in range(most)})


def scene(game: StoredGame, moves: Sequence[StoredMove], number: int | None = None) -> Scene:
    """The picture after so many moves, or after the last. Raises LocalError."""
    if number is None:
        number = len(moves)
    if not 0 <= number <= len(moves):
        raise LocalError(f"there is no move {number}: the game has {len(moves)}")
    return next(scenes(game, moves, [number]))


def scenes(game: StoredGame, moves: Sequence[StoredMove], numbers: Sequence[int]) -> Iterator[Scene]:
    """The pictures after so many moves each, in order. Raises LocalError for a game that cannot have been."""
    wanted = set(numbers)
    try:
        for number, position in positions(game, moves):
            if number in wanted:
                yield _composed(game, moves, number, position)
    except scoresheet.Unplayable as error:
        raise LocalError(f"the game does not follow its rules: {error}") from error


def positions(game: StoredGame, moves: Sequence[StoredMove]) -> Iterator[tuple[int, Position]]:
    """The start, and the position after each move: always the same one, changed. Raises Unplayable and LocalError."""
    rules = scoresheet.rules(game.game)
    if game.started is None and rules.settle(game.options, Random(0)) != game.options:
        raise LocalError(f"the game {scoresheet.plain(game.id)} has not begun: its board is left to chance")
    first = moves[0].seat if moves and rules.any_first else 0
    yield 0, rules.start(game.options, first if first < rules.players(game.options) else 0)
    for number, step in enumerate(scoresheet.replay(rules, game.options, moves, len(game.players)), 1):
        yield number, step.position


def _composed(game: StoredGame, moves: Sequence[StoredMove], number: int, position: Position) -> Scene:
    rules = scoresheet.rules(game.game)
    last = moves[number - 1] if number else None
    drawing = boards.board(rules, position, last.move if last else None)
    rows = (len(game.players) + 1) // 2
    head, foot = PAD + rows * ROW + 10, 38
    width = max(LEAST_WIDTH, drawing.width + 2 * PAD)
    height = head + drawing.height + foot
    left = (width - drawing.width) / 2
    shapes: list[Shape] = [
        Rect(0, 0, width, height, PAPER),
        Rect(left, head, drawing.width, drawing.height, CARD, EDGE, 1, 10),
    ]
    over = number == len(moves) and game.result is not None
    winners = game.result.winners if over and game.result is not None else ()
    shapes += _players(game, position, winners, width)
    shapes += [moved(shape, left, head) for shape in drawing.shapes]
    where = f"{number} / {len(moves)}"
    shapes.append(Text(PAD, height - foot / 2, where, SMALL, SOFT))
    said = scoresheet.verdict(game) if over else _said(game, last)
    room = width - 3 * PAD - len(where) * SMALL * NARROW
    shapes.append(Text(width - PAD, height - foot / 2, fitting(said, room, SMALL), SMALL, INK, "end"))
    return Scene(width, height, tuple(shapes), f"{rules.name}: {where}. {said}")


def _said(game: StoredGame, last: StoredMove | None) -> str:
    return "" if last is None else f"{scoresheet.name_of(game.players, last.seat)}: {scoresheet.plain(last.move)}"


def _players(game: StoredGame, position: Position, winners: Sequence[int], width: float) -> list[Shape]:
    """Two in a line, the second ones on the right; the player to move has a line below the name."""
    shapes: list[Shape] = []
    rules = scoresheet.rules(game.game)
    points = position.scores() if rules.description.points else ()
    for number, player in enumerate(game.players):
        right = number % 2
        y = PAD + (number // 2) * ROW + ROW / 2
        x, way = (width - PAD - 9, -1) if right else (PAD + 9.0, 1)
        shapes += boards.emblem(rules, player.seat, x, y)
        score = f" {points[player.seat]}" if player.seat < len(points) else ""
        won = player.seat in winners
        room = width / 2 - PAD - (58 if won else 40) - len(score) * NAME * NARROW
        name = fitting(scoresheet.plain(player.name), room, NAME)
        label = f"{score.strip()} {name}" if right and score else name + score
        turn = position.turn == player.seat
        colour, anchor = INK if turn or won else SOFT, "end" if right else "start"
        shapes.append(Text(x + way * (34 if won else 16), y, label, NAME, colour, anchor, turn or won))
        if turn:
            shapes.append(Rect(x - 9, y + 11, 18, 3, GOLD, round=1.5))
        if won:
            shapes.append(_star(x + way * 22, y, 8))
    return shapes


def _star(x: float, y: float, size: float) -> Polygon:
    corners = []
    for n in range(10):
        reach, angle = size * (0.45 if n % 2 else 1), -pi / 2 + n * pi / 5
        corners.append((x + reach * cos(angle), y + reach * sin(angle)))
    return Polygon(tuple(corners), GOLD)
