"""Boards of nine bytes, and which move makes an ending likely."""

from collections.abc import Callable
from functools import cache

import msgspec

EMPTY = b" " * 9
X, O = ord("X"), ord("O")  # noqa: E741 - the document's own letters
CELLS = ("a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3")
LINES = {
    "top": (0, 1, 2),
    "middle": (3, 4, 5),
    "bottom": (6, 7, 8),
    "left": (0, 3, 6),
    "centre": (1, 4, 7),
    "right": (2, 5, 8),
    "falling": (0, 4, 8),
    "rising": (2, 4, 6),
}
_SWAPPED = bytes.maketrans(b"XO", b"OX")


class Field(msgspec.Struct, frozen=True):
    """Bytes of a size that is known beforehand: all that there is on this wire."""

    data: bytes


class Fields:
    """Reads as many bytes as the phase says, and leaves it to the cases whether they are right."""

    limit = 64

    def parse(self, data: bytes, start: int, phase: int) -> tuple[Field, int] | None:
        """The next field, once it is whole."""
        end = start + phase
        return (Field(data[start:end]), end) if len(data) >= end else None


def lines_of(board: bytes) -> set[str]:
    """Names of the lines of three equal marks."""
    return {name for name, (a, b, c) in LINES.items() if board[a] in b"XO" and board[a] == board[b] == board[c]}


def over(board: bytes) -> bool:
    """Whether one side has won, or all squares are full."""
    return b" " not in board or bool(lines_of(board))


def blanks(board: bytes) -> list[int]:
    """Squares without a mark."""
    return [cell for cell in range(9) if board[cell] == ord(" ")]


def marked(board: bytes, cell: int, mark: int) -> bytes:
    """The board with one more mark."""
    return board[:cell] + bytes([mark]) + board[cell + 1 :]


def swapped(board: bytes) -> bytes:
    """The board as the other side sees it."""
    return board.translate(_SWAPPED)


def picture(board: bytes) -> str:
    """For people."""
    text = board.decode("latin-1").replace(" ", ".")
    return "\n".join(" ".join(text[row : row + 3]) for row in (0, 3, 6))


class Goal(msgspec.Struct, frozen=True):
    """How a game shall end: with these lines of this mark, or in a draw; where the last mark is whose matters too."""

    mark: int = 0
    line: str = ""
    lines: int = 1
    full: bool = False

    def met(self, board: bytes) -> bool:
        """Whether this finished board is such an end."""
        found = lines_of(board)
        if not self.mark:
            return not found
        if not found or board[LINES[min(found)][0]] != self.mark or len(found) < self.lines:
            return False
        return self.line in ("", *found) and (not self.full or b" " not in board)


DRAW = Goal()


@cache
def chance(board: bytes, turn: int, goal: Goal) -> float:
    """How likely the goal is if O plays for it and X plays anything."""
    if over(board):
        return float(goal.met(board))
    after = [chance(marked(board, cell, turn), X + O - turn, goal) for cell in blanks(board)]
    return max(after) if turn == O else sum(after) / len(after)


def best(board: bytes, turn: int, goal: Goal, pick: Callable[[list[int]], int]) -> int | None:
    """The move that serves the goal best; None when it is out of reach."""
    chances = {cell: chance(marked(board, cell, turn), X + O - turn, goal) for cell in blanks(board)}
    most = max(chances.values())
    return pick([cell for cell, value in chances.items() if value == most]) if most else None
