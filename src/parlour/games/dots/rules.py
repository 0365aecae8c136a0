"""Dots and boxes: draw a line between two dots; the player who draws a box's fourth side owns it and draws again."""

import re
from functools import lru_cache
from string import ascii_uppercase
from typing import Self

from parlour.core.errors import Refusal
from parlour.core.game import NOBODY, Engine, Options, Position
from parlour.games.base import BaseGame
from parlour.games.dots.description import DESCRIPTION
from parlour.games.shapes import Picture

LETTERS = ascii_uppercase
"""Seat 0 owns boxes marked A, seat 1 those marked B, and so on."""

_SPELLING = re.compile(r"[hv] (0|-?[1-9][0-9]*) (0|-?[1-9][0-9]*)", re.ASCII)
_OPEN = 255
"""The owner of a line not drawn, or a box not closed."""


class Shape:
    """What all positions on a board of one size share: every line's spelling and the boxes beside it."""

    __slots__ = ("boxes", "height", "index", "lines", "moves", "sides", "touching", "where", "width")

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        across, down = width - 1, height - 1
        self.boxes = across * down
        self.where = tuple((x, y) for y in range(down) for x in range(across))
        moves: list[str] = []
        touching: list[tuple[int, ...]] = []
        for y in range(height):
            for x in range(across):
                moves.append(f"h {x} {y}")
                touching.append(tuple(row * across + x for row in (y - 1, y) if 0 <= row < down))
        for y in range(down):
            for x in range(width):
                moves.append(f"v {x} {y}")
                touching.append(tuple(y * across + column for column in (x - 1, x) if 0 <= column < across))
        self.moves = tuple(moves)
        self.lines = len(moves)
        self.touching = tuple(touching)
        """By line, the boxes beside it: the upper or left one first."""
        self.index = {move: line for line, move in enumerate(moves)}
        sides: list[list[int]] = [[] for _ in range(self.boxes)]
        for line, beside in enumerate(touching):
            for box in beside:
                sides[box].append(line)
        self.sides = tuple(tuple(four) for four in sides)
        """By box, its four lines."""

    def __reduce__(self) -> tuple[object, ...]:
        return shape, (self.width, self.height)


@lru_cache(maxsize=32)
def shape(width: int, height: int) -> Shape:
    """The one shape of boards this wide and high, counted in dots."""
    return Shape(width, height)


class DotsPosition:
    """One game of dots and boxes. Lines and boxes are bytes, so that a move costs the same on every board."""

    __slots__ = (
        "_after",
        "_head",
        "_open_boxes",
        "box_owners",
        "drawn",
        "last_boxes",
        "line_owners",
        "points",
        "shape",
        "turn",
    )

    def __init__(self, board: Shape, players: int, first: int) -> None:
        self.shape = board
        self.turn = first
        self.line_owners = bytearray([_OPEN]) * board.lines
        """By line, the seat that drew it; 255 while it is open."""
        self.box_owners = bytearray([_OPEN]) * board.boxes
        """By box, the seat that closed it; 255 while it is open."""
        self.drawn = bytearray(board.boxes)
        """By box, how many of its sides are drawn."""
        self.points = [0] * players
        self.last_boxes: tuple[tuple[int, int], ...] = ()
        """The boxes (x, y) that the last move closed: the upper or left one first."""
        self._open_boxes = board.boxes
        self._after = [*range(1, players), 0]
        """By seat, the seat that moves next; NOBODY for a seat that has left."""
        self._head = 0
        """The seat that comes first in the order, whichever seat began."""

    @property
    def width(self) -> int:
        """Dots in a row."""
        return self.shape.width

    @property
    def height(self) -> int:
        """Dots in a column."""
        return self.shape.height

    def check(self, move: str) -> Refusal | None:
        """Why the seat on turn may not draw this line."""
        if self.turn < 0:
            return Refusal.NOT_PLAYING
        line = self.shape.index.get(move)
        if line is None:
            # Every canonical spelling of a line on the board is in the index, so this one is off it or not a line.
            return Refusal.OUT_OF_BOUNDS if _SPELLING.fullmatch(move) else Refusal.NO_SUCH_MOVE
        return None if self.line_owners[line] == _OPEN else Refusal.TAKEN

    def play(self, move: str) -> None:
        """Draw a line; closing one box or two keeps the turn."""
        board = self.shape
        turn = self.turn
        line = board.index[move]
        self.line_owners[line] = turn
        drawn = self.drawn
        closed: tuple[tuple[int, int], ...] = ()
        for box in board.touching[line]:
            sides = drawn[box] = drawn[box] + 1
            if sides == 4:
                self.box_owners[box] = turn
                closed += (board.where[box],)
        self.last_boxes = closed
        if not closed:
            self.turn = self._after[turn]
            return
        self.points[turn] += len(closed)
        self._open_boxes -= len(closed)
        if not self._open_boxes:
            self.turn = NOBODY

    def leave(self, seat: int) -> None:
        """Skip this seat from now on. Its boxes stay and count, but it can no longer win."""
        after = self._after
        if self.turn == NOBODY or after[seat] == NOBODY:
            return
        heir = after[seat]
        after[after.index(seat)] = heir
        after[seat] = NOBODY
        if self._head == seat:
            self._head = heir
        if after[heir] == heir:
            self.turn = NOBODY
        elif self.turn == seat:
            self.turn = heir

    def join(self, seat: int) -> None:
        """Bring back a seat that has left, with its boxes, or add the next one; it moves last in the order."""
        after = self._after
        if seat == len(after):
            after.append(NOBODY)
            self.points.append(0)
        if self.turn == NOBODY or after[seat] != NOBODY:
            return
        after[after.index(self._head)] = seat
        after[seat] = self._head

    def order(self) -> tuple[int, ...]:
        """The seats that have not left, as they take turns."""
        order = [self._head]
        while (seat := self._after[order[-1]]) != self._head:
            order.append(seat)
        return tuple(order)

    def present(self) -> tuple[int, ...]:
        """The seats that have not left."""
        return tuple(seat for seat, heir in enumerate(self._after) if heir != NOBODY)

    def legal(self) -> list[str]:
        """Every open line: rows of horizontal ones from the top, then rows of vertical ones."""
        if self.turn == NOBODY:
            return []
        return [move for move, owner in zip(self.shape.moves, self.line_owners, strict=True) if owner == _OPEN]

    def scores(self) -> tuple[int, ...]:
        """Boxes by seat."""
        return tuple(self.points)

    def winners(self) -> tuple[int, ...]:
        """The seats with most boxes among those that have not left; none when all of them have the same."""
        if self.turn != NOBODY:
            return ()
        present = self.present()
        most = max(self.points[seat] for seat in present)
        top = tuple(seat for seat in present if self.points[seat] == most)
        return () if len(top) == len(present) > 1 else top

    def line(self, move: str) -> bool:
        """Whether this line is drawn."""
        return self.line_owners[self.shape.index[move]] != _OPEN

    def line_owner(self, move: str) -> int:
        """The seat that drew this line, NOBODY while it is open."""
        owner = self.line_owners[self.shape.index[move]]
        return NOBODY if owner == _OPEN else owner

    def owner(self, x: int, y: int) -> int:
        """The seat that owns the box below and right of dot x, y; NOBODY while it is open."""
        across = self.shape.width - 1
        if not (0 <= x < across and 0 <= y < self.shape.height - 1):
            raise IndexError(f"no box {x} {y} on this board")
        owner = self.box_owners[y * across + x]
        return NOBODY if owner == _OPEN else owner

    def text(self) -> str:
        """Dots as +, lines as dashes and bars, boxes by their owner's letter; columns above, rows at the left."""
        width, height = self.shape.width, self.shape.height
        rows = ["   " + "".join(f"{x:<4}" for x in range(width)).rstrip()]
        for y in range(height):
            across = "".join("---+" if self.line(f"h {x} {y}") else "   +" for x in range(width - 1))
            rows.append(f"{y:>2} +{across}")
            if y < height - 1:
                rows.append(("   " + "".join(self._cell(x, y) for x in range(width))).rstrip())
        return "\n".join(rows)

    def _cell(self, x: int, y: int) -> str:
        bar = "|" if self.line(f"v {x} {y}") else " "
        owner = self.owner(x, y) if x < self.shape.width - 1 else NOBODY
        return f"{bar} {' ' if owner == NOBODY else LETTERS[owner]} "

    def copy(self) -> Self:
        """An independent position."""
        twin = object.__new__(type(self))
        twin.shape = self.shape
        twin.turn = self.turn
        twin.line_owners = self.line_owners[:]
        twin.box_owners = self.box_owners[:]
        twin.drawn = self.drawn[:]
        twin.points = self.points[:]
        twin.last_boxes = self.last_boxes
        twin._open_boxes = self._open_boxes
        twin._after = self._after[:]
        twin._head = self._head
        return twin


class Dots(BaseGame):
    """The game of dots and boxes."""

    description = DESCRIPTION

    def start(self, options: Options, first: int = 0, players: int | None = None) -> DotsPosition:
        """An empty board; `players` says how many really sit down."""
        seats = self.players(options) if players is None else players
        if not (2 <= seats <= 16 and 0 <= first < seats):
            raise ValueError(f"no game of dots for {seats} players in which seat {first} begins")
        return DotsPosition(shape(int(options["width"]), int(options["height"])), seats, first)

    def final_value(self, position: Position) -> int:  # noqa: ARG002 - the same for all
        """The boxes from here on count, and there are none."""
        return 0

    def engine(self) -> Engine:
        """The built-in player."""
        from parlour.games.dots.engine import ENGINE

        return ENGINE

    def picture(self) -> Picture:
        """How it is drawn."""
        from parlour.games.dots import picture

        return picture
