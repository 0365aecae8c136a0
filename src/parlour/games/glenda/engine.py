"""A player of Glendy for both sides, which goes by ranks (see ranks.py) and searches on from there."""

import time
from random import Random

from parlour.core.game import Budget, Position, Rated, Verdict
from parlour.games.glenda.board import BOARD, RIM, grown
from parlour.games.glenda.ranks import WON, after_put, after_step, around, promising, room, single, slope, traps
from parlour.games.glenda.rules import TRAPPER, GlendaPosition, tables

_WIDTH = 8
"""How many walls a search tries in each position, the most promising first."""
_ROUNDS = {"medium": 0, "hard": 1, "master": 12}


class OutOfTime(Exception):
    """The budget is spent; what was found at the last full depth stands."""


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


def _after_wall(at: int, walls: int) -> tuple[bool, int]:
    """What the trapper wants among equals: the rim shut even when all is lost, and little room for her."""
    return bool(around(at, walls) & RIM), room(at, walls)[0]


def _after_walk(at: int, walls: int) -> tuple[bool, int]:
    """What glenda wants among equals: no trap at the next wall, and the rim near."""
    return bool(traps(at, walls)), room(at, walls)[1]


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
            return min(moves, key=lambda move: (-scores[move], *_after_wall(at, walls | _landing(position, move))))
        return min(moves, key=lambda move: (scores[move], *_after_walk(_landing(position, move), walls)))

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
