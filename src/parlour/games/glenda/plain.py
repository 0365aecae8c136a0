"""Two provers for Glendy in one search, in plain Python. `kernel.py` is the same as machine code.

The question is whether glenda *holds*, with the trapper to move: ESCAPE, she reaches the rim within k steps, or LAST,
she is alive after k more walls, that is in X (see ranks.py). An ESCAPE that holds is a proof that she wins, a LAST that
fails is a proof that she loses. What makes the search small:

* Walls only ever help the trapper. So glenda is first asked for a step as if the trapper had passed: if she cannot
  hold then, she never can.
* A proof that she holds comes with a *zone*: the cells it needs free. The same proof stands wherever no wall is in its
  zone, so the trapper must play inside the zones of all answers found so far. When these zones have no cell in common,
  she holds against every wall, and her new zone is all of them together.
* For the same reason a proof is remembered by cell and zone, not by position: it fits many positions.
"""

from parlour.games.glenda.board import RIM, grown
from parlour.games.glenda.ranks import around, ranks, single

ESCAPE, LAST = 0, 1
DEEPEST = 96
"""More walls than a game can have, and more steps than an escape needs."""
_PATTERNS = 16
_ROOM = 200_000
"""Positions remembered at most, about 40 MB."""
_TRAPPED = 1 << 10
"""More steps than any question names: there is no escape at all."""


class OutOfNodes(Exception):
    """The search has looked at as many positions as it was allowed to."""


class PlainProver:
    """Remembers what it has proven from one question to the next."""

    portion = 60

    def __init__(self) -> None:
        self.nodes = 0
        self.wall = 0
        """The wall after which she does not hold, where there is one; 0 if she would not hold after a pass."""
        self._limit = 0
        self._proofs: dict[tuple[int, int], list[tuple[int, int]]] = {}
        """By question and cell: k and zone of the latest proofs."""
        self._fates: dict[tuple[int, int], int] = {}
        """By cell and walls: within how many steps she does not escape."""
        self._history: dict[tuple[int, int, int], int] = {}
        """By question, cell and wall: how often that wall was the answer."""

    def ask(self, at: int, walls: int, k: int, question: int, nodes: int) -> bool | None:
        """Whether she holds, k of at least 1 and she in X, off the rim; None if that takes more nodes than these."""
        self._limit = self.nodes + nodes
        self.wall = 0
        try:
            return self._holds(at, walls, k, question, True) is not None
        except OutOfNodes:
            return None

    def _holds(self, at: int, walls: int, k: int, question: int, first: bool = False) -> int | None:
        """The zone in which she holds, with the trapper to move; None when she does not."""
        self.nodes += 1
        if self.nodes > self._limit:
            raise OutOfNodes
        zone = self._known(at, walls, k, question)
        if zone is None and question == LAST:
            zone = self._known(at, walls, DEEPEST, ESCAPE)
        if zone is not None:
            return zone
        fate = self._fates.get((at, walls), 0)
        if not first and (fate == _TRAPPED or (question == ESCAPE and fate >= k)):
            return None
        wall, must, zone = 0, ~at, 0
        while must:
            answer = self._answer(at, walls | wall, k, question)
            if answer is None:
                self._refuted(at, walls, k, question, wall)
                return None
            zone |= answer
            must &= answer
            wall = max(single(must), key=lambda cell: self._history.get((question, at, cell), 0), default=0)
        proofs = self._proofs.setdefault((question, at), [])
        proofs.append((k, zone))
        del proofs[:-_PATTERNS]
        return zone

    def _refuted(self, at: int, walls: int, k: int, question: int, wall: int) -> None:
        """Remember that she does not hold, and after which wall."""
        self.wall = wall
        if wall:
            self._history[question, at, wall] = self._history.get((question, at, wall), 0) + k * k
        if len(self._fates) >= _ROOM:
            self._fates.clear()
        self._fates[at, walls] = _TRAPPED if question == LAST else k

    def _answer(self, at: int, walls: int, k: int, question: int) -> int | None:
        """The zone of a step after which she holds; None when there is none."""
        near = around(at, walls)
        if near & RIM:
            return near & RIM & -(near & RIM)
        layers = ranks(walls)
        steps = []
        for rank, cells in enumerate(layers[:k] if question == ESCAPE else layers):
            here = single(near & cells)
            if here and (rank == 1 or (question == LAST and k == 1)):
                return support(here[0], layers[: rank + 1])
            steps += here
        for cell in steps:
            zone = self._known(cell, walls, k - 1, question)
            if zone is not None:
                return zone | cell
        for cell in steps:
            zone = self._holds(cell, walls, k - 1, question)
            if zone is not None:
                return zone | cell
        return None

    def _known(self, at: int, walls: int, k: int, question: int) -> int | None:
        """The zone of a remembered proof that holds here too."""
        for proven, zone in self._proofs.get((question, at), ()):
            if not zone & walls and (proven <= k if question == ESCAPE else proven >= k):
                return zone
        return None


def support(at: int, layers: list[int]) -> int:
    """The zone of a cell in the last of these ranks: two neighbours of lower rank, two for each of those, and so on."""
    zone = at
    for rank in range(len(layers) - 1, 0, -1):
        lower = layers[:rank]
        for cell in single(zone & layers[rank]):
            near = grown(cell) & sum(lower)
            missing = 2 - (near & zone).bit_count()
            for cells in lower:
                for other in single(near & cells & ~zone)[: max(0, missing)]:
                    zone |= other
                    missing -= 1
    return zone
