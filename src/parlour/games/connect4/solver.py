"""Exact values of Connect Four positions, by the kernel: as narrow as the time allows, and never wrong.

The kernel is there once `warm` was called, and on boards whose columns of `rows + 1` bits fit into 64: 7x6, 8x7, 9x6,
10x5, 12x4 and whatever is smaller, but not 8x8, 9x7, 10x6 or 11x5. Without it `plain` plays.
"""

import math
import time
from typing import Any

from parlour.games import kernels
from parlour.games.connect4.plain import OutOfTime, completing
from parlour.games.connect4.rules import Shape

MEMORY = 64 << 20
"""Bytes of the table of positions, unless `warm` is told otherwise."""
_SLICE = 30_000
"""Nodes between two looks at the clock: a few milliseconds."""
_TALLEST = 66
"""Positions on the way from an empty board of 64 cells to a full one, and then some."""


class Loaded:
    """The kernel and its table. The table is kept from move to move, for as long as boards of one size are played."""

    def __init__(self, kernel: Any, numpy: Any, memory: int) -> None:
        self.kernel = kernel
        self.numpy = numpy
        self.entries: int = max(kernel.FEWEST, 1 << (memory // 8).bit_length() - 1)
        self.size: tuple[int, int] | None = None
        self.shallow = self.deep = None

    def tables(self, board: Shape) -> tuple[Any, Any]:
        """The big and the small table, empty if the last question was about a board of another size."""
        if self.size != (board.columns, board.rows):
            self.shallow, self.deep = self.empty(self.entries), self.empty(self.kernel.FEWEST)
            self.size = board.columns, board.rows
        return self.shallow, self.deep

    def empty(self, entries: int) -> Any:
        """A table without any position."""
        return self.numpy.zeros(entries, self.numpy.uint64)


_loaded: Loaded | None = None


def warm(cache_dir: str, memory: int = MEMORY) -> bool:
    """Load the kernel from this directory, or compile it and keep it there; False where there is no numba."""
    global _loaded
    if _loaded is None:
        kernel = kernels.load("parlour.games.connect4.kernel", cache_dir)
        if kernel is not None:
            import numpy

            _loaded = Loaded(kernel, numpy, memory)
    return _loaded is not None


def fits(board: Shape) -> bool:
    """Whether a position on this board fits into 64 bits."""
    return board.columns * (board.rows + 1) <= 64


def prover(board: Shape, deadline: float, most: float = math.inf, fresh: bool = False) -> "Prover | None":
    """Returns a prover that answers until the deadline or for so many nodes; None for a board without the kernel.

    A fresh one knows nothing yet, so that what it finds in so many nodes is always the same.
    """
    if _loaded is None or not fits(board):
        return None
    made = Prover(_loaded, board, deadline, most)
    if fresh:
        made.forget()
    return made


class Prover:
    """Questions about positions on one board. `deadline` and `most` may be moved between them."""

    def __init__(self, loaded: Loaded, board: Shape, deadline: float, most: float) -> None:
        self.board = board
        self.deadline = deadline
        self.most = most
        """Nodes after which it gives up."""
        self._loaded = loaded
        self._tables = loaded.tables(board)
        numpy, kernel = loaded.numpy, loaded.kernel
        self._boards = numpy.zeros(_TALLEST * kernel.LEVEL, numpy.uint64)
        self._frames = numpy.zeros(_TALLEST * kernel.LEVEL, numpy.int64)
        self._state = numpy.zeros(kernel.HORIZON + 1, numpy.int64)
        self._state[kernel.HORIZON] = 2
        self._disc = 0
        """The move that answered the last question with yes, if it took a search."""
        self._columns, self._shape = (numpy.array(words, numpy.uint64) for words in _words(board))

    @property
    def nodes(self) -> int:
        """Positions looked at so far."""
        return int(self._state[self._loaded.kernel.NODES])

    def limit(self, ahead: int, empty: int) -> None:
        """From now on look only so many moves ahead from positions with so many empty cells: nothing is proven then."""
        self._state[self._loaded.kernel.HORIZON] = max(2, empty - ahead)
        self.forget()

    def forget(self) -> None:
        """Go on with small tables, which are empty."""
        fewest = self._loaded.kernel.FEWEST
        self._tables = self._loaded.empty(fewest * 4), self._loaded.empty(fewest)

    def above(self, own: int, taken: int, alpha: int) -> int:
        """A bound of what the position is worth to the side with `own`, which is to move and cannot win at once.

        Above alpha it is a lower bound, otherwise an upper one. Raises OutOfTime; asking again goes on from there,
        as far as the table remembers.
        """
        kernel, state = self._loaded.kernel, self._state
        self._boards[kernel.OWN], self._boards[kernel.TAKEN] = own, taken
        self._frames[kernel.EMPTY] = (self.board.board ^ taken).bit_count()
        self._frames[kernel.ALPHA] = alpha
        state[kernel.DEPTH], state[kernel.ENTERING] = 0, 1
        begun = self.nodes
        while not kernel.search(
            *self._tables, self._boards, self._frames, state, self._columns, self._shape, self.nodes + _SLICE
        ):
            if self.nodes >= self.most or time.monotonic() > self.deadline:
                raise OutOfTime
        last = int(self._frames[kernel.NEXT]) - 1
        # A position that is settled at first sight has no last move.
        self._disc = int(self._boards[kernel.MOVES + last]) if self.nodes > begun + 1 else 0
        return int(state[kernel.RESULT])

    def reaching(self, own: int, taken: int, value: int) -> int:
        """A disc that is worth at least `value`, which some move is, where none wins at once. Raises OutOfTime."""
        self.above(own, taken, value - 1)
        if self._disc:
            return self._disc
        playable = taken + self.board.bottom & self.board.board
        while playable:
            disc = playable & -playable
            playable ^= disc
            if self.asked(taken ^ own, taken | disc, -value)[1] <= -value:
                return disc
        raise ValueError(f"no move is worth {value}")

    def asked(self, own: int, taken: int, alpha: int) -> tuple[int, int]:
        """Bounds of the value that tell whether it is above alpha, in any position of a game that is not won."""
        self._disc = 0
        empty = (self.board.board ^ taken).bit_count()
        if not empty:
            return 0, 0
        if completing(own, self.board) & taken + self.board.bottom & self.board.board:
            return (empty + 1) // 2, (empty + 1) // 2
        bound = self.above(own, taken, alpha)
        return (bound, (empty - 1) // 2) if bound > alpha else (-(empty // 2), bound)

    def narrow(self, own: int, taken: int, low: int, high: int) -> tuple[int, int]:
        """Bounds of the value that is known to be in low..high: the same number twice, or what there was time for."""
        try:
            while low < high:
                least, most = self.asked(own, taken, _next_question(low, high))
                low, high = max(low, least), min(high, most)
        except OutOfTime:
            pass
        return low, high

    def solve(self, own: int, taken: int, low: int, high: int) -> tuple[int, int, int]:
        """Like `narrow`, with a disc that is worth the lower bound; 0 if none was found in time, or is needed.

        Before the question whether there is anything better, which takes longest, comes that disc: it is mostly best.
        """
        lowest, disc = -((self.board.board ^ taken).bit_count() // 2), 0
        try:
            while low < high or (not disc and low > lowest):
                question = _next_question(low, high)
                if question <= low and not disc and low > lowest:
                    disc = self.reaching(own, taken, low)
                    continue
                least, most = self.asked(own, taken, question)
                if least > low:
                    disc = self._disc
                low, high = max(low, least), min(high, most)
        except OutOfTime:
            pass
        return low, high, disc


def _next_question(low: int, high: int) -> int:
    """What to compare a value in low..high with: who wins is asked first, for no time may be left for how soon.

    Then, early wins and losses are quick to find or to rule out.
    """
    if low <= 0 < high:
        return 0
    if low < 0 <= high:
        return -1
    middle = (low + high) // 2
    middle = min(-(-low // 2), middle) if middle <= 0 else max(high // 2, middle)
    return min(max(middle, low), high - 1)


def _words(board: Shape) -> tuple[list[int], list[int]]:
    """Columns from the middle, and the shape, as the kernel wants them."""
    rows = [board.bottom << row for row in range(board.rows)]
    order = sorted(range(board.columns), key=lambda column: abs(2 * column - board.columns + 1))
    columns = [((1 << board.rows) - 1) << column * (board.rows + 1) for column in order]
    above = [sum(rows[height:]) for height in (2, 4, 8)]
    lower, upper = sum(rows[-2::-2]), sum(rows[::-2])
    return columns, [board.columns, board.rows + 1, board.bottom, board.board, lower, upper, *above]
