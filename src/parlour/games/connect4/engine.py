"""The built-in player of Connect Four: the book, then the solver, and a look a few moves ahead where both give out."""

import math
import time
from random import Random

import msgspec

from parlour.core.game import Budget, Position, Rated, Verdict
from parlour.games.connect4 import plain, solver
from parlour.games.connect4.book import DEEPEST, book_for
from parlour.games.connect4.plain import OutOfTime, completing
from parlour.games.connect4.rules import Connect4Position
from parlour.games.connect4.solver import Prover


class Skill(msgspec.Struct, frozen=True):
    """How a level plays. What it does not overlook it finds in the book, then by searching."""

    slips: float = 0.0
    """How often it plays at a glance: it takes a win, blocks one, gives none away, and else plays anywhere."""
    blind: float = 0.0
    """How often it then sees nothing but its own win."""
    nodes: int = 0
    """How much it searches for a move at most; 0: after the book it looks ahead at once, without machine code."""
    depth: int = 1
    """Moves that it looks ahead where there is no machine code."""
    plies: int = 8
    """How much of the book it knows."""


SKILLS = {
    "beginner": Skill(slips=0.2, blind=1.0, depth=2),
    "easy": Skill(slips=0.08, depth=3),
    "medium": Skill(slips=0.11, nodes=100_000, depth=5),
    "hard": Skill(slips=0.045, nodes=1_000_000, depth=7),
    "master": Skill(nodes=20_000_000, depth=144, plies=DEEPEST),
}
"""A million nodes are a tenth of a second of an idle core."""
_FORESIGHT = 3
"""Moves that are looked ahead to choose among those which the search cannot tell apart."""
_WITHIN_REACH = 38
"""With more empty cells than this no search will solve a position, so most of it goes to looking ahead."""
_WHOLE = 144
"""More than any value."""
_THOROUGH = 0.9
"""Of the time, what the best move may take before the others are looked at."""

Bounds = dict[str, tuple[int, int]]
"""By move, between what and what its value is."""


class Connect4Engine:
    """Perfect at the highest level as far as time allows; below it there is ever more that is overlooked."""

    def warm(self, cache_dir: str, memory: int = solver.MEMORY) -> bool:
        """Get the solver ready, with its machine code kept in this directory; until then there is a slower one."""
        return solver.warm(cache_dir, memory)

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        """A legal move for the side on turn."""
        assert isinstance(position, Connect4Position)
        own, taken, _ = plain.discs_of(position)
        rng, skill = Random(f"{budget.seed} {own} {taken}"), SKILLS[level]
        if rng.random() < skill.slips:
            return _glance(position, rng, blind=rng.random() < skill.blind)
        if (told := _told(position, skill)) is not None:
            return rng.choice(told)
        if not skill.nodes:
            return _greedy(position, skill.depth, rng)
        return _searched(position, skill, time.monotonic() + budget.seconds, rng)

    def knows(self, position: Position, level: str) -> bool:
        """The positions whose moves are all in the book."""
        assert isinstance(position, Connect4Position)
        return _told(position, SKILLS[level]) is not None

    def analyse(self, position: Position, budget: Budget) -> Verdict:
        """Every move's value, exact where it is proven."""
        assert isinstance(position, Connect4Position)
        began = time.monotonic()
        prover = solver.prover(position.shape, began + budget.seconds)
        bounds = _from_book(position)
        if bounds is None and prover is None:
            return _analyse_plainly(position, began + budget.seconds)
        if bounds is None:
            assert prover is not None
            bounds = _all_bounds(position, prover)
        # What is certain counts more than what may be: a move that keeps what the position is worth at least.
        able = [each for each in bounds.items() if each[1][1] >= _told_value(position)] or list(bounds.items())
        best, (least, most) = max(able, key=lambda each: (each[1][0], _likely(*each[1]), -each[1][1]))
        value = _likely(least, most)
        rated = [Rated(move, min(value, _likely(low, high)), low == high) for move, (low, high) in bounds.items()]
        settled = least == most and all(high <= value for _, high in bounds.values())
        return Verdict(best, value, settled, rated, prover.nodes if prover else 0)


def _glance(position: Connect4Position, rng: Random, blind: bool) -> str:
    """Any move, but a win, and unless it is blind one that stops the other side's, or at least does not allow it."""
    own, taken, landing = plain.discs_of(position)
    wins, threats = completing(own, position.shape), completing(taken ^ own, position.shape)
    for pattern in (wins,) if blind else (wins, threats):
        taking = [move for move, disc in landing.items() if disc & pattern]
        if taking:
            return rng.choice(taking)
    careful = [move for move, disc in landing.items() if blind or not disc << 1 & threats]
    return rng.choice(careful or list(landing))


def _greedy(position: Connect4Position, depth: int, rng: Random) -> str:
    """What makes the most threats, of the moves that are not seen to lose."""
    search = plain.Search(position.shape, math.inf)
    scores, _ = plain.deepened(search, position, depth, every=False)
    best = max(scores.values())
    return _central(position, [move for move, score in scores.items() if score == best], rng)


def _told(position: Connect4Position, skill: Skill) -> list[str] | None:
    """The best moves, if the book has them as far as it is known."""
    values = _from_book(position) if sum(position.heights) < skill.plies else None
    if values is None:
        return None
    return [move for move, value in values.items() if value == max(values.values())]


def _searched(position: Connect4Position, skill: Skill, deadline: float, rng: Random) -> str:
    """A move of the highest value, or what looks like one when nodes or time are spent."""
    hopeful = position.cells().count(0) <= _WITHIN_REACH
    fresh = skill.slips > 0  # or a level would be the stronger, the more it has played
    prover = solver.prover(position.shape, deadline, skill.nodes if hopeful else skill.nodes / 2, fresh)
    bounds = _bounds(position, prover, _THOROUGH if hopeful else 0.2) if prover else {}
    floor = max([_told_value(position), *(low for low, _ in bounds.values())])
    roof = max((high for _, high in bounds.values()), default=_WHOLE)
    able = [move for move in position.legal() if move not in bounds or bounds[move][1] >= floor]
    proven = [move for move in able if bounds and bounds[move][0] == floor]
    if proven and (floor > 0 or floor == roof):
        return rng.choice(proven)
    # A draw in the hand is worth more than moves of which nothing is known; in a lost game so is the longest way.
    able = proven if proven and (floor == 0 or roof < 0) else able
    return _promising(position, able, prover, skill, deadline, rng)


def _told_value(position: Connect4Position) -> int:
    """What the book says that the position is worth, so that some move is; less than any value beyond the book."""
    own, taken, _ = plain.discs_of(position)
    book = book_for(position.shape, taken.bit_count())
    value = None if book is None else book.value(own, taken)
    return -_WHOLE if value is None else value


def _from_book(position: Connect4Position) -> Bounds | None:
    """The value of every move, if the book has them all."""
    own, taken, landing = plain.discs_of(position)
    book = book_for(position.shape, taken.bit_count() + 1)
    if book is None:
        return None
    wins = completing(own, position.shape)
    found: Bounds = {}
    for move, disc in landing.items():
        if disc & wins:  # the game is over then, and no longer in the book
            best = (43 - taken.bit_count()) // 2
            found[move] = best, best
            continue
        value = book.value(taken ^ own, taken | disc)
        if value is None:
            return None
        found[move] = -value, -value
    return found


def _bounds(position: Connect4Position, prover: Prover, share: float) -> Bounds:
    """Bounds of every move's value that tell which moves are the best, if this share of time and nodes is enough."""
    own, taken, landing = plain.discs_of(position)
    empty = (position.shape.board ^ taken).bit_count()
    lowest, highest = -(empty // 2), (empty + 1) // 2
    wins = completing(own, position.shape)
    if any(disc & wins for disc in landing.values()):
        return {
            move: (highest if disc & wins else lowest, highest - (not disc & wins)) for move, disc in landing.items()
        }
    ends, prover.deadline = prover.deadline, _share(prover.deadline, share)
    most, prover.most = prover.most, prover.most * share
    low, high, best = _value(position, prover, lowest, highest - 1)
    # The table mostly knows which of the other moves are as good.
    prover.deadline, prover.most = _share(ends, 1 / 3), prover.nodes + (most - prover.nodes) / 3
    bounds = {move: (low if disc == best else lowest, high) for move, disc in landing.items()}
    try:
        for move, disc in landing.items():
            if low > lowest and disc != best:
                least, worst = prover.asked(taken ^ own, taken | disc, -low)
                bounds[move] = max(lowest, -worst), min(high, -least)
    except OutOfTime:
        pass
    prover.deadline, prover.most = ends, most
    return bounds


def _share(deadline: float, share: float) -> float:
    """When this share of the time that is left is over."""
    now = time.monotonic()
    return now + (deadline - now) * share


def _value(position: Connect4Position, prover: Prover, lowest: int, highest: int) -> tuple[int, int, int]:
    """Bounds of the value, and the disc that is worth the lower one, or 0 if none is known. No move wins at once."""
    own, taken, _ = plain.discs_of(position)
    book = book_for(position.shape, taken.bit_count() - 1)
    if book is None:
        return prover.solve(own, taken, lowest, highest)
    value = book.value(own, taken)
    if value is not None:
        return prover.solve(own, taken, value, value)
    return prover.solve(own, taken, max(lowest, book.least(own, taken)), highest)


def _all_bounds(position: Connect4Position, prover: Prover) -> Bounds:
    """Bounds of every move's value, as narrow as there is time for."""
    own, taken, landing = plain.discs_of(position)
    began = time.monotonic()
    end = prover.deadline
    bounds = _bounds(position, prover, _THOROUGH)
    for share in (len(landing), 1):
        for move, disc in landing.items():
            low, high = bounds[move]
            if low < high:
                prover.deadline = min(end, time.monotonic() + (end - began) * (1 - _THOROUGH) / share)
                low, high = prover.narrow(taken ^ own, taken | disc, -high, -low)
                bounds[move] = -high, -low
    return bounds


def _promising(
    position: Connect4Position, moves: list[str], prover: Prover | None, skill: Skill, deadline: float, rng: Random
) -> str:
    """Of moves about which nothing better is known, one that wins soonest, loses latest or makes the most threats."""
    own, taken, landing = plain.discs_of(position)
    search = plain.Search(position.shape, deadline)
    scores, _ = plain.deepened(search, position, _FORESIGHT if prover else skill.depth, every=False)
    foreseen = dict.fromkeys(moves, 0)
    if prover is not None:
        prover.deadline, prover.most = deadline, prover.nodes + skill.nodes / 2
        empty = (position.shape.board ^ taken).bit_count()
        for ahead in range(8, empty, 2):
            prover.limit(ahead, empty)
            ranges = {move: prover.narrow(taken ^ own, taken | landing[move], -_WHOLE, _WHOLE) for move in moves}
            if any(low != high for low, high in ranges.values()):
                break
            foreseen = {move: -low for move, (low, _) in ranges.items()}
    best = max((foreseen[move], scores[move]) for move in moves)
    return _central(position, [move for move in moves if (foreseen[move], scores[move]) == best], rng)


def _central(position: Connect4Position, moves: list[str], rng: Random) -> str:
    """The move nearest to the middle, where most fours are made."""
    middle = (position.columns - 1) / 2
    return min(moves, key=lambda move: (abs(int(move) - middle), rng.random()))


def _likely(low: int, high: int) -> int:
    """The value nearest to a draw that is still possible."""
    return max(low, min(high, 0))


def _analyse_plainly(position: Connect4Position, deadline: float) -> Verdict:
    """What can be said without the kernel: wins and losses that are near."""
    search = plain.Search(position.shape, deadline)
    scores, depth = plain.deepened(search, position, _WHOLE, every=True)
    solved = depth >= len(position.cells()) - sum(position.heights)
    rated = [Rated(move, plain.shown(score), solved or plain.proven(score)) for move, score in scores.items()]
    best = max(scores, key=lambda move: scores[move])
    top = next(each for each in rated if each.move == best)
    settled = top.exact and (top.value > 0 or all(each.exact for each in rated))
    return Verdict(best, top.value, settled, rated, search.nodes)


ENGINE = Connect4Engine()
