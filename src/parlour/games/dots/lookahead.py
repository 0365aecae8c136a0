"""Looking ahead on boards of any size and for any number of players, with the compiled playouts."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from parlour.games.dots import playouts
from parlour.games.dots.rules import Shape

PLACES = 300_000
"""Of the tree at most: 14 MB."""
_WORK = 100_000
"""Lines drawn between two looks at the clock, in all games played out: a few milliseconds."""
_FULL = 300
"""With more open lines than this only some are looked at, so that each can be tried often enough."""


class Tried(msgspec.Struct, frozen=True):
    """What is known about a line after looking ahead."""

    line: int
    times: int
    reward: float
    """0..1, how good it is on the whole."""
    boxes: float
    """How many more boxes it brings its player."""


class Outlook(msgspec.Struct, frozen=True):
    """What looking ahead has told."""

    tried: list[Tried]
    """The lines, the best first; none when every line gives boxes away."""
    reward: float
    """How good the position is for the first of the players."""
    games: int


class LookAhead:
    """The memory for one search at a time."""

    def __init__(self, memory: int) -> None:
        places = min(PLACES, memory // (8 * (playouts.TREE_WIDTH + 2)))
        self._tree = np.zeros((places, playouts.TREE_WIDTH), np.int64)
        self._sums = np.zeros((places, 2), np.float64)
        self.size = self._tree.nbytes + self._sums.nbytes
        """In bytes."""

    def __call__(
        self,
        shape: Shape,
        open_lines: Sequence[int],
        score: Sequence[int],
        turn: int,
        seed: int,
        more: Callable[[], bool],
        most: int = 1 << 30,
    ) -> Outlook:
        """Play games out until there is no more time, or `most` were played.

        Nothing may be there to take. `score` has the players' boxes in the order in which they move, and `turn` tells
        who of them does now.
        """
        touching, sides = _neighbours(shape)
        lines = np.zeros(shape.lines, np.int32)
        lines[list(open_lines)] = 1
        missing = lines[sides].sum(axis=1, dtype=np.int32)
        tree, sums = self._tree, self._sums
        tree[0] = 0, 0, 0, -1
        state = np.array([1, seed * 2 + 1, 0, turn], np.int64)
        longest = max(shape.lines, shape.boxes * 4) + 1
        scratch, lengths = np.zeros((5, longest), np.int32), np.zeros((2, shape.boxes + 1), np.int32)
        points, totals = np.array(score, np.int64), np.zeros(len(score), np.float64)
        portion = 1
        while state[playouts.PLAYED] < most:
            count = playouts.look_ahead(
                state, tree, sums, lines, missing, touching, sides, points, scratch, lengths, totals, portion
            )
            if portion == 1 and len(open_lines) > _FULL:
                count = self._thin_out(count, len(open_lines), seed)
            portion = max(1, min(most - int(state[playouts.PLAYED]), _WORK // max(1, len(open_lines))))
            if not count or not more():
                break
        return Outlook(self._ranked(), float(totals[0]) / int(state[playouts.PLAYED]), int(state[playouts.PLAYED]))

    def _thin_out(self, count: int, open_lines: int, seed: int) -> int:
        """Forget most lines of the position itself, at random."""
        kept = min(count, max(12, 20_000 // open_lines))
        chosen = np.random.default_rng(seed).permutation(count)[:kept] + int(self._tree[0, playouts.CHILD])
        self._tree[int(self._tree[0, playouts.CHILD]) :][:kept] = self._tree[chosen]
        self._sums[int(self._tree[0, playouts.CHILD]) :][:kept] = self._sums[chosen]
        self._tree[0, playouts.CHILDREN] = kept
        return kept

    def _ranked(self) -> list[Tried]:
        first, count = int(self._tree[0, playouts.CHILD]), int(self._tree[0, playouts.CHILDREN])
        tried = []
        for node in range(first, first + max(0, count)):
            line, times = int(self._tree[node, playouts.LINE]), int(self._tree[node, playouts.TRIED])
            if times:
                reward, boxes = (float(total) / times for total in self._sums[node])
                tried.append(Tried(line, times, reward, boxes))
        return sorted(tried, key=lambda each: (-each.times, -each.reward))


@lru_cache(maxsize=16)
def _neighbours(shape: Shape) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """By line the boxes beside it, -1 for the ground; by box its lines."""
    touching = [(*boxes, -1)[:2] for boxes in shape.touching]
    return np.array(touching, np.int32), np.array(shape.sides, np.int32)
