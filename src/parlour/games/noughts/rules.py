"""Tic-tac-toe: three in a row on a board of nine."""

import re
from typing import Self

from parlour.core.errors import Refusal
from parlour.core.game import NOBODY, Engine, Options
from parlour.games.base import BaseGame
from parlour.games.noughts.description import DESCRIPTION
from parlour.games.shapes import Picture

MOVES = ("a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3")
BITS = {move: 1 << cell for cell, move in enumerate(MOVES)}
FULL = 0b111_111_111
ROWS_OF_THREE = (
    0b000_000_111, 0b000_111_000, 0b111_000_000,
    0b001_001_001, 0b010_010_010, 0b100_100_100,
    0b100_010_001, 0b001_010_100,
)  # fmt: skip
_THROUGH = {bit: tuple(three for three in ROWS_OF_THREE if three & bit) for bit in BITS.values()}
_SPELLING = re.compile(r"[a-z](0|-?[1-9][0-9]*)", re.ASCII)


class NoughtsPosition:
    """One game of tic-tac-toe: a set of nine bits for each side."""

    __slots__ = ("_winner", "marks", "turn")

    def __init__(self, first: int) -> None:
        self.turn = first
        self.marks = [0, 0]
        """By seat, its cells as bits: a1 is the lowest, c3 the highest."""
        self._winner = NOBODY

    @property
    def cells(self) -> str:
        """Nine characters from a1 to c3: X, O or a blank."""
        cross, nought = self.marks
        return "".join("X" if cross & bit else "O" if nought & bit else " " for bit in BITS.values())

    def check(self, move: str) -> Refusal | None:
        """Why the seat on turn may not mark this cell."""
        if self.turn < 0:
            return Refusal.NOT_PLAYING
        bit = BITS.get(move)
        if bit is None:
            return Refusal.OUT_OF_BOUNDS if _SPELLING.fullmatch(move) else Refusal.NO_SUCH_MOVE
        marks = self.marks
        return Refusal.TAKEN if (marks[0] | marks[1]) & bit else None

    def play(self, move: str) -> None:
        """Mark a cell."""
        turn = self.turn
        marks = self.marks
        bit = BITS[move]
        own = marks[turn] = marks[turn] | bit
        for three in _THROUGH[bit]:
            if own & three == three:
                self._winner = turn
                self.turn = NOBODY
                return
        self.turn = NOBODY if marks[0] | marks[1] == FULL else 1 - turn

    def leave(self, seat: int) -> None:
        """End the game: the other side wins."""
        if self.turn != NOBODY:
            self.turn = NOBODY
            self._winner = 1 - seat

    def legal(self) -> list[str]:
        """Every empty cell, row by row."""
        if self.turn == NOBODY:
            return []
        taken = self.marks[0] | self.marks[1]
        return [move for move, bit in BITS.items() if not taken & bit]

    def scores(self) -> tuple[int, ...]:
        """1 for the winner."""
        return int(self._winner == 0), int(self._winner == 1)

    def winners(self) -> tuple[int, ...]:
        """The seat with three in a row, or the seat whose opponent left."""
        return () if self._winner == NOBODY else (self._winner,)

    def text(self) -> str:
        """Rows a to c, columns 1 to 3."""
        cells = self.cells
        rows = [f"{'abc'[y]}  {' | '.join(cells[3 * y : 3 * y + 3])}".rstrip() for y in range(3)]
        return "   1   2   3\n" + "\n  ---+---+---\n".join(rows)

    def copy(self) -> Self:
        """An independent position."""
        twin = object.__new__(type(self))
        twin.turn = self.turn
        twin.marks = self.marks[:]
        twin._winner = self._winner
        return twin


class Noughts(BaseGame):
    """The game of tic-tac-toe."""

    description = DESCRIPTION

    def start(self, options: Options, first: int = 0, players: int | None = None) -> NoughtsPosition:  # noqa: ARG002
        """The empty board; seat 0 is X even when O begins."""
        if players not in (None, 2) or first not in (0, 1):
            raise ValueError(f"no tic-tac-toe for {players} players in which seat {first} begins")
        return NoughtsPosition(first)

    def engine(self) -> Engine:
        """The built-in player."""
        from parlour.games.noughts.engine import ENGINE

        return ENGINE

    def picture(self) -> Picture:
        """How it is drawn."""
        from parlour.games.noughts import picture

        return picture
