"""A player of Glendy for both sides, built on one idea: how far the rim is away when somebody builds walls.

Let X be the smallest set that holds every free rim cell and every free cell with at least two neighbours in X; a cell's
rank is the round in which it joins. With the trapper to move, glenda outside X has lost: at most one of her neighbours
is in X, and a wall there keeps her outside for good. Glenda on rank 1 has won: two ways out, only one can be walled.
"""

import time
from random import Random

from parlour.core.game import Budget, Position, Rated, Verdict
from parlour.games.glenda.board import BOARD, EVEN_ROWS, ODD_ROWS, PITCH, RIM, enclosed, grown
from parlour.games.glenda.rules import TRAPPER, GlendaPosition, tables

WON = 1 << 40
"""A proven win of the trapper, and more than any estimate. Scores are the trapper's throughout."""
_WIDTH = 8
"""How many walls a search tries in each position, the most promising first."""
_ROUNDS = {"medium": 0, "hard": 1, "master": 12}


class OutOfTime(Exception):
    """The budget is spent; what was found at the last full depth stands."""


def ranks(walls: int) -> list[int]:
    """The cells of each rank, as bits: free rim cells first, an empty set last."""
    free = BOARD & ~walls
    reached = free & RIM
    layers = [reached]
    while True:
        once = reached << 1 | reached >> 1
        twice = reached << 1 & reached >> 1
        for near in (
            reached << PITCH,
            reached >> PITCH,
            reached << PITCH + 1 & EVEN_ROWS | reached << PITCH - 1 & ODD_ROWS,
            reached >> PITCH - 1 & EVEN_ROWS | reached >> PITCH + 1 & ODD_ROWS,
        ):
            twice |= once & near
            once |= near
        fresh = twice & free & ~reached
        layers.append(fresh)
        if not fresh:
            return layers
        reached |= fresh


def single(cells: int) -> list[int]:
    """The bits of a set, one by one."""
    found = []
    while cells:
        found.append(cells & -cells)
        cells &= cells - 1
    return found


def around(at: int, walls: int) -> int:
    """The cells she could step on."""
    return grown(at) & BOARD & ~walls & ~at


def after_put(at: int, walls: int) -> int:
    """The score with glenda to move: the lower her neighbours' ranks, the worse for the trapper."""
    near = around(at, walls)
    layers = ranks(walls)
    if near & (RIM | layers[1]):
        return -WON
    score, outside = 0, near
    for rank, cells in enumerate(layers):
        score -= (near & cells).bit_count() << max(0, 30 - 2 * rank)
        outside &= ~cells
    return WON if outside == near else score


def after_step(at: int, walls: int) -> int:
    """The score with the trapper to move: the lower her own rank, the worse for the trapper."""
    layers = ranks(walls)
    if at & (RIM | layers[1]):
        return -WON
    lower = 0
    for rank, cells in enumerate(layers):
        if at & cells:
            return -(1 << max(4, 34 - 2 * rank)) - (grown(at) & lower).bit_count()
        lower |= cells
    return WON


def slope(at: int, walls: int) -> int:
    """Every cell on a way from glenda to the rim along falling ranks: where a wall is most likely to matter."""
    layers = ranks(walls)
    cone, lower = around(at, walls), BOARD
    for cells in reversed(layers):
        lower &= ~cells
        cone |= grown(cone & cells) & lower & ~walls
    return cone & ~at


def room(at: int, walls: int) -> tuple[int, int]:
    """How many cells glenda can reach, and in how many steps the rim (99 if she never can)."""
    seen, steps, rim = at, 0, 99
    while True:
        if seen & RIM:
            rim = min(rim, steps)
        more = grown(seen) & BOARD & ~walls
        if more == seen:
            return seen.bit_count(), rim
        seen = more
        steps += 1


def traps(at: int, walls: int) -> list[int]:
    """Every cell where one wall encloses glenda at once."""
    return [
        cell
        for cell, ring, patterns in tables().puts.values()
        if not cell & (walls | at) and walls & ring in patterns and enclosed(at, walls | cell)
    ]


def promising(at: int, walls: int, cells: int) -> list[int]:
    """The cells that are worth a wall, best first."""
    scores = {cell: after_put(at, walls | cell) for cell in single(cells & BOARD & ~walls & ~at)}
    return sorted(scores, key=lambda cell: (-scores[cell], room(at, walls | cell)[0] if scores[cell] == WON else 0))


class Search:
    """Walls and steps in turn, for a number of rounds or until the deadline."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.nodes = 0

    def put(self, at: int, walls: int, rounds: int) -> int:
        """The score with the trapper to move. It tries few walls, so that of the two only WON is a proof by search."""
        self._tick()
        score = after_step(at, walls)
        if rounds <= 0 or abs(score) == WON:
            return score
        best = 1 - WON
        for cell in promising(at, walls, slope(at, walls))[:_WIDTH]:
            best = max(best, self.step(at, walls | cell, rounds - 1))
            if best == WON:
                break
        return best

    def step(self, at: int, walls: int, rounds: int) -> int:
        """The score with glenda to move; she tries every step."""
        self._tick()
        score = after_put(at, walls)
        if rounds <= 0 or abs(score) == WON:
            return score
        return min(self.put(there, walls, rounds) for there in single(around(at, walls)))

    def _tick(self) -> None:
        self.nodes += 1
        if time.monotonic() > self.deadline:
            raise OutOfTime


def _rated(search: Search, position: GlendaPosition, rounds: int) -> dict[str, int]:
    """Every move's score after the last round of deepening that was finished in time."""
    at, walls = position.glenda_bit, position.wall_bits
    trapping = position.turn == TRAPPER
    ends = {move: _landing(position, move) for move in position.legal()}
    if trapping:
        scores = {move: after_put(at, walls | cell) for move, cell in ends.items()}
    else:
        scores = {move: after_step(cell, walls) for move, cell in ends.items()}
    search.nodes += len(scores)
    target = WON if trapping else -WON
    try:
        for depth in range(1, rounds + 1):
            unsure = sorted((move for move in ends if abs(scores[move]) != WON), key=lambda move: scores[move])
            if target in scores.values() or not unsure:
                break
            # Both sides look at their most promising moves first; the trapper has too many to look at all.
            tried = unsure[: -_WIDTH - 1 : -1] if trapping else unsure
            if trapping:
                deeper = {move: search.step(at, walls | ends[move], depth) for move in tried}
            else:
                deeper = {move: search.put(ends[move], walls, depth) for move in tried}
            scores.update(deeper)
    except OutOfTime:
        pass
    return scores


def _landing(position: GlendaPosition, move: str) -> int:
    """The cell that a move walls up or steps on."""
    shared = tables()
    return shared.puts[move][0] if position.turn == TRAPPER else shared.ways[position.glenda_bit][move]


class GlendaEngine:
    """Plays the trapper and glenda alike."""

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        """A legal move for the side on turn."""
        assert isinstance(position, GlendaPosition)
        at, walls = position.glenda_bit, position.wall_bits
        rng = Random(f"{budget.seed} {at} {walls}")
        if position.turn == TRAPPER and (closing := traps(at, walls)):
            return self._named(position, closing[0])
        if level in ("beginner", "easy"):
            return self._glance(position, rng, careful=level == "easy")
        scores = _rated(Search(time.monotonic() + budget.seconds), position, _ROUNDS[level])
        moves = sorted(scores, key=lambda _: rng.random())
        if position.turn == TRAPPER:
            # A won game is finished by leaving her less and less room.
            return min(moves, key=lambda move: (-scores[move], room(at, walls | _landing(position, move))[0]))
        return min(moves, key=lambda move: (scores[move], room(_landing(position, move), walls)[1]))

    def _glance(self, position: GlendaPosition, rng: Random, careful: bool) -> str:
        """The shortest way to the rim, for one side to go and for the other to shut."""
        at, walls = position.glenda_bit, position.wall_bits
        moves = position.legal()
        if position.turn == TRAPPER:
            return self._named(position, rng.choice(single(self._exits(at, walls)))) if careful else rng.choice(moves)
        out = [move for move in moves if _landing(position, move) & RIM]
        if out or not careful:
            return rng.choice(out or moves)
        free = [move for move in moves if not traps(_landing(position, move), walls)] or moves
        steps = {move: room(_landing(position, move), walls)[1] for move in free}
        return rng.choice([move for move in free if steps[move] == min(steps.values())])

    @staticmethod
    def _exits(at: int, walls: int) -> int:
        """The rim cells she can reach in the fewest steps."""
        seen = at
        while not seen & RIM:
            seen |= grown(seen) & BOARD & ~walls
        return seen & RIM

    @staticmethod
    def _named(position: GlendaPosition, cell: int) -> str:
        return next(move for move in position.legal() if _landing(position, move) == cell)

    def analyse(self, position: Position, budget: Budget) -> Verdict:
        """1 and -1 where the ranks, or a search down to them, prove it; 0 for what nobody knows yet."""
        assert isinstance(position, GlendaPosition)
        search = Search(time.monotonic() + budget.seconds)
        scores = _rated(search, position, _ROUNDS["master"])
        sign = 1 if position.turn == TRAPPER else -1
        values = {move: sign * score // WON if abs(score) == WON else 0 for move, score in scores.items()}
        best = max(scores, key=lambda move: sign * scores[move])
        rated = [Rated(move, value, value != 0) for move, value in values.items()]
        return Verdict(best, values[best], values[best] != 0, rated, search.nodes)


ENGINE = GlendaEngine()
