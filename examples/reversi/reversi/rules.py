"""Reversi: a disc is put where it encloses discs of the other side, which are turned over; most discs win.

A player who cannot move is passed over. A pass is forced, so it is no move and is not noted: `turn` tells whose turn
it is.
"""

import re
from functools import cache
from typing import Self

from parlour.core.errors import Refusal
from parlour.core.game import NOBODY, Engine, Options, Position
from parlour.games.base import BaseGame
from parlour.games.shapes import Picture
from reversi.description import DESCRIPTION

LETTERS = "abcdefgh"
BLACK, WHITE = 0, 1
_SPELLING = re.compile(r"[a-z](0|-?[1-9][0-9]*)", re.ASCII)


class Shape:
    """What all positions on a board of one size share. A cell is a bit: a1, top left, is the lowest, then b1."""

    __slots__ = ("corners", "full", "index", "moves", "size", "ways")

    def __init__(self, size: int) -> None:
        self.size = size
        self.moves = tuple(f"{LETTERS[x]}{y + 1}" for y in range(size) for x in range(size))
        self.index = {move: 1 << cell for cell, move in enumerate(self.moves)}
        self.full = (1 << size * size) - 1
        left = sum(1 << y * size for y in range(size))
        right = left << size - 1
        self.corners = self.index["a1"] | self.index[self.moves[-1]]
        self.corners |= 1 << size - 1 | 1 << size * (size - 1)
        self.ways = (
            (1, self.full & ~right, self.full & ~left),
            (size, self.full, self.full),
            (size + 1, self.full & ~right, self.full & ~left),
            (size - 1, self.full & ~left, self.full & ~right),
        )
        """Four lines, each with the cells from which a step up the bits stays on the board, and from which one down."""

    def placements(self, own: int, other: int) -> int:
        """The cells where a disc of `own` encloses one of `other`, as bits."""
        free = self.full & ~(own | other)
        found = 0
        for shift, up, down in self.ways:
            run = (own & up) << shift & other
            for _ in range(self.size - 3):
                run |= (run & up) << shift & other
            found |= (run & up) << shift
            run = (own & down) >> shift & other
            for _ in range(self.size - 3):
                run |= (run & down) >> shift & other
            found |= (run & down) >> shift
        return found & free

    def turned(self, own: int, other: int, bit: int) -> int:
        """The discs of `other` that a disc of `own` on this cell turns over."""
        found = 0
        for shift, up, down in self.ways:
            run, at = 0, (bit & up) << shift
            while at & other:
                run |= at
                at = (at & up) << shift
            if at & own:
                found |= run
            run, at = 0, (bit & down) >> shift
            while at & other:
                run |= at
                at = (at & down) >> shift
            if at & own:
                found |= run
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return shape, (self.size,)


@cache
def shape(size: int) -> Shape:
    """The one shape of boards of this size."""
    return Shape(size)


class ReversiPosition:
    """One game of reversi: a set of bits for each side."""

    __slots__ = ("_open", "_winner", "discs", "mover", "passed", "shape", "turn")

    def __init__(self, board: Shape) -> None:
        self.shape = board
        self.turn = BLACK
        half, size = board.size // 2, board.size
        upper, lower = 1 << (half - 1) * size + half - 1, 1 << half * size + half - 1
        self.discs = [upper << 1 | lower, upper | lower << 1]
        """By seat, its discs as bits (see Shape)."""
        self.mover = NOBODY
        """The seat that made the last move."""
        self.passed = False
        """Whether the other side was passed over after the last move."""
        self._open = board.placements(*self.discs)
        """Where the side to move may put a disc."""
        self._winner = NOBODY
        """The seat that has won because the other one left."""

    @property
    def size(self) -> int:
        """Cells in a row."""
        return self.shape.size

    def cell(self, x: int, y: int) -> int:
        """The seat whose disc is here, NOBODY if none; 0, 0 is the top left."""
        bit = 1 << y * self.shape.size + x
        return BLACK if self.discs[BLACK] & bit else WHITE if self.discs[WHITE] & bit else NOBODY

    def check(self, move: str) -> Refusal | None:
        """Why the side on turn may not put a disc here."""
        if self.turn < 0:
            return Refusal.NOT_PLAYING
        bit = self.shape.index.get(move)
        if bit is None:
            return Refusal.OUT_OF_BOUNDS if _SPELLING.fullmatch(move) else Refusal.NO_SUCH_MOVE
        if bit & self._open:
            return None
        return Refusal.TAKEN if (self.discs[BLACK] | self.discs[WHITE]) & bit else Refusal.NOT_YOUR_MOVE

    def play(self, move: str) -> None:
        """Put a disc, and turn over what it encloses."""
        board, turn = self.shape, self.turn
        bit = board.index[move]
        own, other = self.discs[turn], self.discs[1 - turn]
        turned = board.turned(own, other, bit)
        own, other = own | bit | turned, other ^ turned
        self.discs[turn], self.discs[1 - turn] = own, other
        self.mover = turn
        self.turn, self.passed = 1 - turn, False
        self._open = board.placements(other, own)
        if not self._open:
            self._open = board.placements(own, other)
            self.passed = bool(self._open)
            self.turn = turn if self.passed else NOBODY

    def leave(self, seat: int) -> None:
        """End the game: the other side wins."""
        if self.turn != NOBODY:
            self.turn, self._open = NOBODY, 0
            self._winner = 1 - seat

    def legal(self) -> list[str]:
        """Every cell where a disc encloses others, row by row."""
        return [move for move, bit in self.shape.index.items() if bit & self._open]

    def scores(self) -> tuple[int, ...]:
        """Discs by seat."""
        return self.discs[BLACK].bit_count(), self.discs[WHITE].bit_count()

    def winners(self) -> tuple[int, ...]:
        """The side with more discs once the game is over, or the one that stayed; none when both have as many."""
        if self.turn != NOBODY:
            return ()
        if self._winner != NOBODY:
            return (self._winner,)
        black, white = self.scores()
        return () if black == white else (BLACK if black > white else WHITE,)

    def text(self) -> str:
        """Columns above, rows at the left; X is black, O is white."""
        size = self.shape.size
        rows = ["   " + " ".join(LETTERS[:size])]
        rows += [f"{y + 1:>2} {' '.join('.XO'[self.cell(x, y) + 1] for x in range(size))}" for y in range(size)]
        return "\n".join(rows)

    def copy(self) -> Self:
        """An independent position."""
        twin = object.__new__(type(self))
        twin.shape = self.shape
        twin.turn = self.turn
        twin.discs = self.discs[:]
        twin.mover = self.mover
        twin.passed = self.passed
        twin._open = self._open
        twin._winner = self._winner
        return twin


class Reversi(BaseGame):
    """The game of reversi."""

    description = DESCRIPTION

    def start(self, options: Options, first: int = 0, players: int | None = None) -> ReversiPosition:
        """Four discs in the middle; black, seat 0, begins."""
        if players not in (None, 2) or first != BLACK:
            raise ValueError(f"no reversi for {players} players in which seat {first} begins")
        return ReversiPosition(shape(int(options["size"])))

    def final_value(self, position: Position) -> int:
        """The discs by which the side that did not make the last move has won."""
        assert isinstance(position, ReversiPosition)
        black, white = position.scores()
        return white - black if position.mover == BLACK else black - white

    def engine(self) -> Engine:
        """The built-in player."""
        from reversi.engine import ENGINE

        return ENGINE

    def picture(self) -> Picture:
        """How it is drawn."""
        from reversi import picture

        return picture
