"""One interface to both provers, and a question asked until the time is up."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from parlour.games import kernels
from parlour.games.glenda.board import PITCH, RIM, SIZE
from parlour.games.glenda.plain import DEEPEST, ESCAPE, LAST, PlainProver
from parlour.games.glenda.ranks import around, rank_of, single

__all__ = ["DEEPEST", "ESCAPE", "LAST", "Inquiry", "KernelProver", "OutOfTime", "Prover", "borrowed", "made", "warm"]


class OutOfTime(Exception):
    """The budget is spent; what has been proven stands."""


class Prover(Protocol):
    """Answers whether glenda holds. What is unfinished is found again when it is asked once more."""

    portion: int
    """Nodes between two looks at the clock: a few milliseconds."""
    wall: int

    @property
    def nodes(self) -> int: ...

    def ask(self, at: int, walls: int, k: int, question: int, nodes: int) -> bool | None:
        """Whether she holds; None if that takes more nodes than these."""
        ...


class KernelProver:
    """The compiled prover with its memory, 7 MB."""

    portion = 3_000

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._memory = kernel.memory()
        self.wall = 0

    @property
    def nodes(self) -> int:
        return int(self._memory[self._kernel.NODES])

    def ask(self, at: int, walls: int, k: int, question: int, nodes: int) -> bool | None:
        """As the plain prover does."""
        kernel, memory = self._kernel, self._memory
        memory[kernel.LIMIT] = memory[kernel.NODES] + nodes
        memory[kernel.WALL] = -1
        low, high = kernel.halves(_narrow(walls))
        answer = kernel.holds(_narrow(at).bit_length() - 1, low, high, k, question, 0, memory)
        cell = int(memory[kernel.WALL])
        self.wall = 0 if cell < 0 else 1 << cell // SIZE * PITCH + cell % SIZE
        return None if answer == kernel.STOPPED else bool(answer)


def _narrow(cells: int) -> int:
    """A set of cells without the gap between the rows."""
    row = (1 << SIZE) - 1
    return sum((cells >> y * PITCH & row) << y * SIZE for y in range(SIZE))


_idle: list[Prover] = []
_kernel: Any = None


def warm(cache_dir: str) -> bool:
    """Load the kernel from this directory, or compile it and keep it there; False where there is no numba."""
    global _kernel
    if _kernel is None:
        _kernel = kernels.load("parlour.games.glenda.kernel", cache_dir)
        if _kernel is not None:
            _idle.clear()
    return _kernel is not None


@contextmanager
def borrowed() -> Iterator[Prover]:
    """A prover that remembers earlier moves; a proof is true for ever, so it may come from any game."""
    prover = _idle.pop() if _idle else made()
    try:
        yield prover
    finally:
        _idle.append(prover)


def made() -> Prover:
    """The quickest prover there is."""
    return PlainProver() if _kernel is None else KernelProver(_kernel)


class Inquiry:
    """Questions to a prover until a deadline, or for so many nodes."""

    def __init__(self, prover: Prover, deadline: float, most: float = math.inf) -> None:
        self._prover = prover
        self._deadline = deadline
        self._most = most
        self._began = prover.nodes
        self.looked = 0
        """Positions looked at without the prover."""

    @property
    def nodes(self) -> int:
        return self._prover.nodes - self._began + self.looked

    @property
    def wall(self) -> int:
        """The wall that answered the last question with no; 0 if every wall does."""
        return self._prover.wall

    def tick(self) -> None:
        """Raises OutOfTime when the time is up or the nodes are spent."""
        if self.nodes >= self._most or time.monotonic() >= self._deadline:
            raise OutOfTime

    def glimpse(self, at: int, walls: int, k: int, question: int) -> bool | None:
        """Whether she holds with the trapper to move, as far as one slice of nodes tells."""
        self.looked += 1
        self._prover.wall = 0
        rank = rank_of(at, walls)
        if rank is None:
            return False
        if rank <= 1 or (question == LAST and k <= 0):
            return True
        if question == ESCAPE and rank > k:
            return False
        return self._prover.ask(at, walls, k, question, self._prover.portion)

    def holds(self, at: int, walls: int, k: int, question: int) -> bool:
        """Whether she holds with the trapper to move. Raises OutOfTime."""
        while True:
            self.tick()
            answer = self.glimpse(at, walls, k, question)
            if answer is not None:
                return answer

    def answers(self, at: int, walls: int, k: int, question: int) -> bool:
        """Whether she has a step after which she holds for k - 1. Raises OutOfTime."""
        near = around(at, walls)
        return bool(near & RIM) or any(self.holds(cell, walls, k - 1, question) for cell in single(near))
