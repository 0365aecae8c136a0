"""Exact values between two players: asks the compiled search, slice by slice, until the time is over."""

from collections.abc import Callable
from functools import lru_cache
from random import Random

import numpy as np

from parlour.games.dots import expansion, kernel
from parlour.games.dots.expansion import Words
from parlour.games.dots.graph import LINES_AT_MOST, Graph, each
from parlour.games.dots.plain import OutOfTime
from parlour.games.dots.rules import Shape

SLICE = 20_000
"""Nodes between two looks at the clock."""
CODE_SEED = 2
"""Gives no two collections of chains and loops on up to 25 boxes the same signature."""
_NEAR_SHARE = 0.4
_LINE = 64
"""Bytes."""


def codes() -> list[int]:
    """What a chain or a loop adds to the signature of a position, by its length."""
    dice = Random(CODE_SEED)
    return [dice.getrandbits(32) for _ in range(2 * expansion.LOOPS + 2)]


class Solver:
    """The tables, and the search that fills them. They stay valid as long as the graph is the same."""

    slice = SLICE

    def __init__(self, memory: int) -> None:
        near = int(memory * _NEAR_SHARE) // 32 * 2
        far = (memory - near * 16) // 16 // kernel.WAYS * kernel.WAYS
        self._far = _table(far)
        self._near = _table(near)
        self._state = np.zeros(kernel.STATE_WIDTH, np.int64)
        self._frames = np.zeros((LINES_AT_MOST + 2, expansion.FRAME_WIDTH), np.int64)
        self._moves = np.zeros((LINES_AT_MOST + 2, LINES_AT_MOST + 1, expansion.MOVE_WIDTH), np.int64)
        self._lengths = np.zeros((2, LINES_AT_MOST + 2), np.int64)
        self._grid = np.zeros((LINES_AT_MOST + 2, LINES_AT_MOST + 2), np.int64)
        self._merits = np.zeros(LINES_AT_MOST + 1, np.int64)
        self._codes = np.array(codes(), np.int64)
        self.graph: Graph | None = None
        self.nodes = 0

    def take_up(self, graph: Graph) -> None:
        """Turn to a graph; what is known about another one is forgotten."""
        if graph is self.graph:
            return
        self.graph = graph
        for table in (self._far, self._near, self._merits):
            table.fill(0)
        self._sides = np.array(graph.sides, np.int64)
        self._across = np.array([_across(touching) for touching in graph.touching], np.int64)
        whole = len(graph.lines) == graph.shape.lines
        self._turns = _turns(graph.shape, graph.lines) if whole else np.zeros((0, 8, 256), np.int64)
        if whole and min(graph.shape.width, graph.shape.height) == 2:
            self._turns = np.zeros((0, 0, 256), np.int64)  # a strip: see `strip_key`

    def value(self, lines: int, more: Callable[[], bool], guess: int = 0) -> int:
        """The value of a position in which nothing can be taken. Raises OutOfTime when `more` says no."""
        assert self.graph is not None
        high = self.graph.boxes(lines)
        low = -high
        self._state[kernel.BEST] = 0
        while low < high:
            target = max(low + 1, min(guess, high))
            least, most = self.bounds(lines, target, more)
            low, high = max(low, least), min(high, most)
            guess = low + 1 if least >= target else high
        return low

    def bounds(self, lines: int, target: int, more: Callable[[], bool]) -> tuple[int, int]:
        """Bounds of the value that tell whether it is at least `target`."""
        assert self.graph is not None
        state, frames = self._state, self._frames
        state[kernel.DEPTH] = state[kernel.NODES] = 0
        frames[0, expansion.LINES], frames[0, expansion.TARGET] = lines, target
        done = False
        while not done:
            done = kernel.search(
                state,
                frames,
                self._moves,
                self._sides,
                self._across,
                self.graph.corners,
                self._turns,
                self._codes,
                self._lengths,
                self._grid,
                self._merits,
                self._far,
                self._near,
                SLICE,
            )
            if not done and not more():
                self.nodes += int(state[kernel.NODES])
                raise OutOfTime
        self.nodes += int(state[kernel.NODES])
        return int(state[kernel.ANSWER_LOW]), int(state[kernel.ANSWER_HIGH])

    def best(self, lines: int) -> int:
        """A line that begins the move found best when `value` last succeeded, as far as it made one: otherwise 0."""
        assert self.graph is not None
        drawn = int(self._state[kernel.BEST])
        opened = [(self.graph.settle(lines ^ line), line) for line in each(drawn)]
        # A chain of two is opened in the middle: then nothing can be given back.
        fitting = [(settled.tail, line) for settled, line in opened if settled.rest == lines & ~drawn]
        return min(fitting)[1] if fitting else 0


def _table(entries: int) -> Words:
    """So many entries of two words, so that those that belong together share a line of the processor's cache."""
    words = np.zeros(entries * 2 + _LINE // 8, np.int64)
    skipped = -words.ctypes.data % _LINE // 8
    return words[skipped:][: entries * 2].reshape(entries, 2)


def _across(touching: tuple[int, ...]) -> int:
    """Leads from either end of a line to the other."""
    return touching[0] ^ (touching[1] if len(touching) == 2 else expansion.GROUND)


@lru_cache(maxsize=16)
def _turns(shape: Shape, lines: tuple[int, ...]) -> Words:
    """The mirror images of sets of lines: by turn, byte and the byte's value."""
    wide, high = shape.width - 1, shape.height - 1
    turned: list[Callable[[int, int], tuple[int, int]]] = [
        lambda x, y: (wide - x, y),
        lambda x, y: (x, high - y),
        lambda x, y: (wide - x, high - y),
    ]
    if wide == high:
        turned += [
            lambda x, y: (y, x),
            lambda x, y: (wide - y, x),
            lambda x, y: (y, high - x),
            lambda x, y: (wide - y, high - x),
        ]
    numbers = {line: bit for bit, line in enumerate(lines)}
    table = np.zeros((len(turned), 8, 256), np.int64)
    for number, turn in enumerate(turned):
        for bit, line in enumerate(lines):
            image = np.int64(1 << numbers[_image(shape, line, turn)])
            for value in range(256):
                if value >> bit % 8 & 1:
                    table[number, bit // 8, value] |= image
    return table


def _image(shape: Shape, line: int, turn: Callable[[int, int], tuple[int, int]]) -> int:
    kind, x, y = shape.moves[line].split()
    dots = sorted((turn(int(x), int(y)), turn(int(x) + (kind == "h"), int(y) + (kind == "v"))))
    return shape.index[f"{'h' if dots[0][1] == dots[1][1] else 'v'} {dots[0][0]} {dots[0][1]}"]
