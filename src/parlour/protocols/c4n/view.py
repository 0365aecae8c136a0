"""What a client makes of a BOARD: which way round it is, who has how many tokens, where there is room."""

from typing import Self

import msgspec

from parlour.core.game import Options
from parlour.core.session import Sheet
from parlour.games.connect4.description import DESCRIPTION
from parlour.protocols.c4n.messages import Board

_EMPTY, _MINE, _THEIRS = b"012"
_MARKS = bytes.maketrans(b"012", b".XO")
_ORIGINAL = (6, 7)
"""The sizes as the original server sends them: rows first, against the document."""


class View(msgspec.Struct, frozen=True):
    """A board, upright."""

    columns: int
    rows: int
    cells: bytes

    @classmethod
    def read(cls, board: Board, before: Self | None = None, column: int | None = None) -> Self:
        """A BOARD the right way round, as far as can be told.

        The document has columns first, the original server rows first. A board on which tokens float, or on which our
        last MOVE went to another column than we said, is read the wrong way round.
        """
        upright = cls(board.first, board.second, board.cells)
        turned = cls(board.second, board.first, board.cells)
        ways = [upright, turned]
        if (board.first, board.second) == _ORIGINAL if before is None else before._sides == turned._sides:
            ways.reverse()
        return next((way for way in ways if way.stands() and way.follows(before, column)), ways[0])

    @property
    def _sides(self) -> tuple[int, int]:
        return self.columns, self.rows

    def stands(self) -> bool:
        """Whether no token is above an empty cell."""
        cells, below = self.cells, self.columns
        return all(cells[at] == _EMPTY or cells[at + below] != _EMPTY for at in range(len(cells) - below))

    def follows(self, before: Self | None, column: int | None) -> bool:
        """Whether our new token, if there is one, is in the column we named."""
        if before is None or column is None or len(before.cells) != len(self.cells):
            return True
        pairs = enumerate(zip(before.cells, self.cells, strict=True))
        new = [at for at, (old, cell) in pairs if old != cell and cell == _MINE]
        return all(at % self.columns == column for at in new)

    @property
    def mine(self) -> int:
        """How many tokens are ours."""
        return self.cells.count(_MINE)

    @property
    def theirs(self) -> int:
        """How many tokens are the other side's."""
        return self.cells.count(_THEIRS)

    def new_columns(self, before: Self | None, whose: int = _THEIRS) -> list[int]:
        """Where the other side, or ours, has put tokens since then; on a first board, since the beginning."""
        old = bytes([_EMPTY]) * len(self.cells) if before is None else before.cells
        if len(old) != len(self.cells):
            return []
        pairs = enumerate(zip(old, self.cells, strict=True))
        return [at % self.columns for at, (was, cell) in pairs if cell == whose != was]

    def looks_over(self) -> bool:
        """Whether a side has four in line. What counts is RESULT: the original server misses most fours."""
        width = self.columns
        across = max(0, width - 3)
        for step, columns in ((1, range(across)), (width, range(width)), (width + 1, range(across))):
            if self._has_four(step, columns):
                return True
        return self._has_four(width - 1, range(min(3, width), width))

    def _has_four(self, step: int, columns: range) -> bool:
        """Whether four equal tokens stand so far apart, the first of them in one of these columns."""
        cells, rows = self.cells, self.rows if step == 1 else self.rows - 3
        starts = (row * self.columns + column for row in range(rows) for column in columns)
        return any(cells[at] != _EMPTY and len({*cells[at : at + 3 * step + 1 : step]}) == 1 for at in starts)

    def open_columns(self) -> list[int]:
        """Columns with room."""
        return [column for column in range(self.columns) if self.cells[column] == _EMPTY]

    def text(self) -> str:
        """Lines of plain text: column numbers above, X ours, O theirs."""
        marks = self.cells.translate(_MARKS).decode()
        rows = [marks[at : at + self.columns] for at in range(0, len(marks), self.columns)]
        numbers = " ".join(f"{column:>2}" for column in range(self.columns))
        return "\n".join([numbers, *(" ".join(f"{mark:>2}" for mark in row) for row in rows)])


def written(sheet: Sheet | None, before: View | None, view: View) -> Sheet | None:
    """The game with what is new on this board; None once the order of the tokens cannot be told.

    A board that turns out to be the other way round is read anew. Whose turn it was tells which of two tokens came
    first.
    """
    if before is None or before.columns != view.columns:
        options: Options = {"columns": view.columns, "rows": view.rows}
        sheet, before = Sheet(DESCRIPTION.key, options, int(view.theirs > view.mine)), None
    if sheet is None:
        return None
    new = {
        sheet.seat: view.new_columns(before, _MINE),
        1 - sheet.seat: view.new_columns(before, _THEIRS),
    }
    while new[0] or new[1]:
        seat = len(sheet.moves) % 2
        if len(new[seat]) != 1:
            return None
        sheet.add(seat, str(new[seat].pop()))
    return sheet
