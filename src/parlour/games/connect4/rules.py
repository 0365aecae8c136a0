"""Connect Four: drop discs into columns; four in a row, column or diagonal win."""

import re
from functools import cache
from typing import Self

from parlour.core.errors import Refusal
from parlour.core.game import NOBODY, Engine, Options, Position
from parlour.games.base import BaseGame
from parlour.games.connect4.description import DESCRIPTION
from parlour.games.shapes import Picture

_SPELLING = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)
_EMPTY, _FIRST, _SECOND = b"\0\1\2"
_NEVER = 1 << 200
"""A disc beyond the largest board, for fours that cannot be."""


class Shape:
    """What all positions on a board of one size share.

    A bitboard keeps each column in `rows + 1` bits, the lowest row lowest. The spare bit on top stays empty, so
    that a shift by 1 (up), `rows + 1` (right), `rows` or `rows + 2` (the diagonals) never runs into the next column.
    """

    __slots__ = ("board", "bottom", "columns", "index", "moves", "rows", "shifts", "slots")

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.moves = tuple(str(column) for column in range(columns))
        self.index = {move: column for column, move in enumerate(self.moves)}
        pitch = rows + 1
        self.shifts = (pitch, rows, rows + 2)
        """The ways a four may run, other than straight up."""
        self.bottom = sum(1 << column * pitch for column in range(columns))
        self.board = self.bottom * ((1 << rows) - 1)
        self.slots = tuple(tuple(self._slot(column, height) for height in range(rows)) for column in range(columns))
        """By column and height: the disc's bit, the four that ends in it, its neighbours, its byte in `cells`."""

    def _slot(self, column: int, height: int) -> tuple[int, int, int, int]:
        at = column * (self.rows + 1) + height
        bit = 1 << at
        below = 0b1111 << at - 3 if height >= 3 else _NEVER
        around = 0
        for shift in self.shifts:
            around |= bit << shift | bit >> shift
        return bit, below, around & self.board, (self.rows - 1 - height) * self.columns + column

    def __reduce__(self) -> tuple[object, ...]:
        return shape, (self.columns, self.rows)


@cache
def shape(columns: int, rows: int) -> Shape:
    """The one shape of boards of this size."""
    return Shape(columns, rows)


class Connect4Position:
    """One game of Connect Four."""

    __slots__ = ("_cells", "_last", "_left", "_winner", "discs", "heights", "shape", "turn")

    def __init__(self, board: Shape) -> None:
        self.shape = board
        self.turn = 0
        self.discs = [0, 0]
        """By seat, its discs as a bitboard (see Shape)."""
        self.heights = [0] * board.columns
        """By column, how many discs it holds."""
        self._cells = bytearray(board.columns * board.rows)
        self._left = board.columns * board.rows
        self._last = NOBODY
        self._winner = NOBODY

    @property
    def columns(self) -> int:
        """How many columns the board has."""
        return self.shape.columns

    @property
    def rows(self) -> int:
        """How many rows the board has."""
        return self.shape.rows

    @property
    def empty(self) -> int:
        """How many cells have no disc."""
        return self._left

    @property
    def last_cell(self) -> tuple[int, int] | None:
        """Column and row (0 is the top) of the last disc."""
        return None if self._last < 0 else (self._last, self.shape.rows - self.heights[self._last])

    def cell(self, column: int, row: int) -> int:
        """The seat whose disc is here, NOBODY if none; row 0 is the top."""
        if not (0 <= column < self.shape.columns and 0 <= row < self.shape.rows):
            raise IndexError(f"no cell {column} {row} on this board")
        return self._cells[row * self.shape.columns + column] - 1

    def cells(self) -> bytes:
        """The whole board row by row from the top: 0 empty, 1 a disc of seat 0, 2 of seat 1."""
        return bytes(self._cells)

    def check(self, move: str) -> Refusal | None:
        """Why the seat on turn may not drop a disc into this column."""
        if self.turn < 0:
            return Refusal.NOT_PLAYING
        board = self.shape
        column = board.index.get(move)
        if column is None:
            return Refusal.OUT_OF_BOUNDS if _SPELLING.fullmatch(move) else Refusal.NO_SUCH_MOVE
        return Refusal.TAKEN if self.heights[column] == board.rows else None

    def play(self, move: str) -> None:
        """Drop a disc."""
        board = self.shape
        turn = self.turn
        column = board.index[move]
        height = self.heights[column]
        self.heights[column] = height + 1
        bit, below, around, cell = board.slots[column][height]
        own = self.discs[turn] = self.discs[turn] | bit
        self._cells[cell] = turn + 1
        self._last = column
        self._left -= 1
        if own & below == below or (own & around and _four(own, board.shifts)):
            self._winner = turn
            self.turn = NOBODY
        else:
            self.turn = 1 - turn if self._left else NOBODY

    def leave(self, seat: int) -> None:
        """End the game: the other side wins."""
        if self.turn != NOBODY:
            self.turn = NOBODY
            self._winner = 1 - seat

    def legal(self) -> list[str]:
        """Every column with room, from the left."""
        if self.turn == NOBODY:
            return []
        rows = self.shape.rows
        return [move for move, height in zip(self.shape.moves, self.heights, strict=True) if height < rows]

    def scores(self) -> tuple[int, ...]:
        """1 for the winner."""
        return int(self._winner == 0), int(self._winner == 1)

    def winners(self) -> tuple[int, ...]:
        """The seat with four in line, or the seat whose opponent left."""
        return () if self._winner == NOBODY else (self._winner,)

    def text(self) -> str:
        """Column numbers above; X is seat 0, O is seat 1."""
        columns = self.shape.columns
        marks = self._cells.translate(_MARKS).decode("ascii")
        rows = [" ".join(f"{mark:>2}" for mark in marks[at : at + columns]) for at in range(0, len(marks), columns)]
        return "\n".join([" ".join(f"{column:>2}" for column in range(columns)), *rows])

    def copy(self) -> Self:
        """An independent position."""
        twin = object.__new__(type(self))
        twin.shape = self.shape
        twin.turn = self.turn
        twin.discs = self.discs[:]
        twin.heights = self.heights[:]
        twin._cells = self._cells[:]
        twin._left = self._left
        twin._last = self._last
        twin._winner = self._winner
        return twin


_MARKS = bytes.maketrans(bytes((_EMPTY, _FIRST, _SECOND)), b".XO")


def _four(own: int, shifts: tuple[int, int, int]) -> bool:
    """Whether a bitboard has four in a row or on a diagonal."""
    for shift in shifts:
        pairs = own & own >> shift
        if pairs & pairs >> 2 * shift:
            return True
    return False


class Connect4(BaseGame):
    """The game of Connect Four."""

    description = DESCRIPTION

    def start(self, options: Options, first: int = 0, players: int | None = None) -> Connect4Position:
        """The empty board; seat 0 begins by definition."""
        if players not in (None, 2) or first != 0:
            raise ValueError(f"no Connect Four for {players} players in which seat {first} begins")
        return Connect4Position(shape(int(options["columns"]), int(options["rows"])))

    def final_value(self, position: Position) -> int:
        """Half the cells, rounded up, that were empty before the last disc fell, if it has won."""
        assert isinstance(position, Connect4Position)
        return -((position.empty + 2) // 2) if position.winners() else 0

    def engine(self) -> Engine:
        """The built-in player."""
        from parlour.games.connect4.engine import ENGINE

        return ENGINE

    def picture(self) -> Picture:
        """How it is drawn."""
        from parlour.games.connect4 import picture

        return picture
