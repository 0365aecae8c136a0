"""A player of Glendy for both sides: proofs where they can be had in time, ranks where not (see study.py)."""

import time
from dataclasses import dataclass
from random import Random

from parlour.core.game import Budget, Position, Rated, Verdict
from parlour.games.glenda.board import BOARD, RIM, grown
from parlour.games.glenda.prover import ESCAPE, LAST, Inquiry, OutOfTime, borrowed, warm
from parlour.games.glenda.ranks import WON, after_put, after_step, around, room, single, traps
from parlour.games.glenda.rules import TRAPPER, GlendaPosition, tables
from parlour.games.glenda.study import Depth, Findings, best_step, best_wall


@dataclass(frozen=True)
class Skill:
    """How a level plays: some of its moves at a glance, the others by thinking so far."""

    depth: Depth | None = None
    """None: all of its moves are made at a glance."""
    glances: float = 0.0
    """How often a level that thinks does not."""
    aimless: float = 0.25
    """How often a glance does not care where she is going."""


SKILLS = {
    "beginner": Skill(aimless=0.48),
    "easy": Skill(aimless=0.26),
    "medium": Skill(Depth(0, 1), glances=0.5),
    "hard": Skill(Depth(2, 2), glances=0.2),
    "master": Skill(Depth()),
}
_NODES = 2_000_000
"""How much a move may take at any level: some three quarters of a second of an idle core."""
_MARGIN = 0.85
"""The part of its time that a search may use: on a busy machine there is much between two looks at the clock."""


def _landing(position: GlendaPosition, move: str) -> int:
    """The cell that a move walls up or steps on."""
    shared = tables()
    return shared.puts[move][0] if position.turn == TRAPPER else shared.ways[position.glenda_bit][move]


def _named(position: GlendaPosition, cell: int) -> str:
    return next(move for move in position.legal() if _landing(position, move) == cell)


def _found(position: GlendaPosition, inquiry: Inquiry, depth: Depth, rng: Random) -> Findings:
    find = best_wall if position.turn == TRAPPER else best_step
    return find(position.glenda_bit, position.wall_bits, inquiry, depth, rng)


class GlendaEngine:
    """Plays the trapper and glenda alike."""

    def warm(self, cache_dir: str) -> bool:
        """Load or compile the provers; False where there is no numba. Without them plain ones think."""
        return warm(cache_dir)

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        """A legal move for the side on turn."""
        assert isinstance(position, GlendaPosition)
        at, walls = position.glenda_bit, position.wall_bits
        rng = Random(f"{budget.seed} {at} {walls}")
        if position.turn == TRAPPER and (closing := traps(at, walls)):
            return _named(position, closing[0])
        skill = SKILLS[level]
        if skill.depth is None or rng.random() < skill.glances:
            return self._glance(position, rng, rng.random() < skill.aimless)
        with borrowed() as prover:
            inquiry = Inquiry(prover, time.monotonic() + _MARGIN * budget.seconds, _NODES)
            return _named(position, _found(position, inquiry, skill.depth, rng).move)

    def _glance(self, position: GlendaPosition, rng: Random, aimless: bool) -> str:
        """A wall at the end of her shortest way, or a step on it; if aimless, a wall near her or any step."""
        at, walls = position.glenda_bit, position.wall_bits
        moves = position.legal()
        if position.turn == TRAPPER:
            gaps = around(at, walls) & RIM
            cells = self._vicinity(at, walls) if aimless and not gaps else gaps or self._exits(at, walls)
            return _named(position, rng.choice(single(cells)))
        out = [move for move in moves if _landing(position, move) & RIM]
        if out:
            return rng.choice(out)
        free = [move for move in moves if not traps(_landing(position, move), walls)] or moves
        if aimless:
            return rng.choice(free)
        steps = {move: room(_landing(position, move), walls)[1] for move in free}
        return rng.choice([move for move in free if steps[move] == min(steps.values())])

    @staticmethod
    def _vicinity(at: int, walls: int) -> int:
        """The free cells within four steps of her as the crow flies, or any where there is none."""
        near = at
        for _ in range(4):
            near = grown(near) & BOARD
        return near & ~walls & ~at or BOARD & ~walls & ~at

    @staticmethod
    def _exits(at: int, walls: int) -> int:
        """The rim cells she can reach in the fewest steps."""
        seen = at
        while not seen & RIM:
            seen |= grown(seen) & BOARD & ~walls
        return seen & RIM

    def analyse(self, position: Position, budget: Budget) -> Verdict:
        """1 and -1 where that is proven, else 0."""
        assert isinstance(position, GlendaPosition)
        began = time.monotonic()
        with borrowed() as prover:
            first = Inquiry(prover, began + _MARGIN * budget.seconds * 0.6)
            findings = _found(position, first, Depth(), Random(budget.seed))
            rest = Inquiry(prover, began + _MARGIN * budget.seconds)
            values = _valued(position, findings, rest)
        best = _named(position, findings.move)
        value = max(values.values())
        if value > values[best]:
            best = next(move for move, each in values.items() if each == value)
        rated = [Rated(move, each, each != 0) for move, each in values.items()]
        return Verdict(best, value, value != 0, rated, first.nodes + rest.nodes)


def _valued(position: GlendaPosition, findings: Findings, inquiry: Inquiry) -> dict[str, int]:
    """Every move's value, as far as it can be proven in the time that is left."""
    at, walls = position.glenda_bit, position.wall_bits
    trapping = position.turn == TRAPPER
    cells = {move: _landing(position, move) for move in position.legal()}
    if findings.value == -1:
        return dict.fromkeys(cells, -1)
    values = {}
    for move, cell in cells.items():
        score = after_put(at, walls | cell) if trapping else -after_step(cell, walls)
        values[move] = score // WON if abs(score) == WON else findings.proven.get(cell, 0)
    inquiry.looked += len(values)
    try:
        for k in range(2, 40):
            for move, cell in cells.items():
                if not values[move]:
                    values[move] = _tried(at, walls, cell, trapping, k, inquiry)
    except OutOfTime:
        pass
    return values


def _tried(at: int, walls: int, cell: int, trapping: bool, k: int, inquiry: Inquiry) -> int:
    """1 or -1 for the side to move where one more step and wall of looking ahead proves it, else 0."""
    if trapping:
        if inquiry.answers(at, walls | cell, k + 6, ESCAPE):
            return -1
        return 0 if inquiry.answers(at, walls | cell, k, LAST) else 1
    if inquiry.holds(cell, walls, k + 6, ESCAPE):
        return 1
    return 0 if inquiry.holds(cell, walls, k, LAST) else -1


ENGINE = GlendaEngine()
