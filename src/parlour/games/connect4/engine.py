"""The built-in player of Connect Four: the book, then the solver, and a look a few moves ahead where both give out."""

import time
from random import Random

from parlour.core.game import Budget, Position, Rated, Verdict
from parlour.games.connect4 import plain, solver
from parlour.games.connect4.book import book_for
from parlour.games.connect4.plain import OutOfTime, completing
from parlour.games.connect4.rules import Connect4Position
from parlour.games.connect4.solver import Prover

_DEPTH = {"medium": 3, "hard": 7}
"""Moves that a level looks ahead."""
_SLIPS = {"medium": 0.2, "hard": 0.0}
"""How often it looks only one move ahead instead."""
_WHOLE = 144
"""Moves in the longest game."""
_WITHIN_REACH = 38
"""With more empty cells than this a second will not solve a position, so most of it goes to looking ahead."""

Bounds = dict[str, tuple[int, int]]
"""By move, between what and what its value is."""


class Connect4Engine:
    """Perfect at the highest level as far as time allows; a few moves ahead below it, one at the lowest."""

    def warm(self, cache_dir: str, memory: int = solver.MEMORY) -> bool:
        """Get the solver ready, with its machine code kept in this directory; until then there is a slower one."""
        return solver.warm(cache_dir, memory)

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        """A legal move for the side on turn."""
        assert isinstance(position, Connect4Position)
        own, taken, landing = plain.discs_of(position)
        rng = Random(f"{budget.seed} {own} {taken}")
        if level == "master":
            return _best(position, time.monotonic(), budget.seconds, rng)
        if level in _DEPTH and rng.random() >= _SLIPS[level]:
            search = plain.Search(position.shape, time.monotonic() + budget.seconds)
            scores, _ = plain.deepened(search, position, _DEPTH[level], every=False)
            return _central(position, [move for move in landing if scores[move] == max(scores.values())], rng)
        wins = completing(own, position.shape)
        threats = completing(taken ^ own, position.shape)
        for pattern in (wins,) if level == "beginner" else (wins, threats):
            taking = [move for move, disc in landing.items() if disc & pattern]
            if taking:
                return rng.choice(taking)
        careful = [move for move, disc in landing.items() if level == "beginner" or not disc << 1 & threats]
        return rng.choice(careful or list(landing))

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
        rated = [Rated(move, _likely(low, high), low == high) for move, (low, high) in bounds.items()]
        top = max(rated, key=lambda each: (each.value, each.exact, bounds[each.move][0]))
        settled = top.exact and all(high <= top.value for _, high in bounds.values())
        return Verdict(top.move, top.value, settled, rated, prover.nodes if prover else 0)


def _best(position: Connect4Position, began: float, seconds: float, rng: Random) -> str:
    """A move of the highest value, or what looks like one when the time is up."""
    prover = None
    bounds = _from_book(position)
    if bounds is None:
        prover = solver.prover(position.shape, began + seconds)
        hopeful = position.cells().count(0) <= _WITHIN_REACH
        bounds = _bounds(position, prover, began + seconds * (0.7 if hopeful else 0.2)) if prover else {}
    floor = max((low for low, _ in bounds.values()), default=-_WHOLE)
    able = [move for move in position.legal() if move not in bounds or bounds[move][1] >= floor]
    winning = [move for move in able if floor > 0 and bounds[move][0] == floor]
    if winning or all(bounds.get(move) == (floor, floor) for move in able):
        return rng.choice(winning or able)
    return _promising(position, able, prover, began + seconds, rng)


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


def _bounds(position: Connect4Position, prover: Prover, until: float) -> Bounds:
    """Bounds of every move's value that tell, if there is time, which moves are the best."""
    own, taken, landing = plain.discs_of(position)
    empty = (position.shape.board ^ taken).bit_count()
    lowest, highest = -(empty // 2), (empty + 1) // 2
    deadline, prover.deadline = prover.deadline, until
    low, high = prover.narrow(own, taken, lowest, highest)
    # If the value is not settled, some move is worth the least it can be, and the table mostly knows which one.
    prover.deadline = until + (deadline - until) / 3
    wins = completing(own, position.shape)
    bounds: Bounds = {}
    for move, disc in landing.items():
        bounds[move] = (highest, highest) if disc & wins else (lowest, min(high, highest - 1))
        if low > lowest and not disc & wins:
            try:
                least, most = prover.asked(taken ^ own, taken | disc, -low)
            except OutOfTime:
                break
            bounds[move] = max(lowest, -most), min(high, -least)
    prover.deadline = deadline
    return {move: bounds.get(move, (lowest, high)) for move in landing}


def _all_bounds(position: Connect4Position, prover: Prover) -> Bounds:
    """Bounds of every move's value, as narrow as there is time for."""
    own, taken, landing = plain.discs_of(position)
    began = time.monotonic()
    end = prover.deadline
    bounds = _bounds(position, prover, began + (end - began) / 2)
    for share in (len(landing), 1):
        for move, disc in landing.items():
            low, high = bounds[move]
            if low < high:
                prover.deadline = min(end, time.monotonic() + (end - began) / 2 / share)
                low, high = prover.narrow(taken ^ own, taken | disc, -high, -low)
                bounds[move] = -high, -low
    return bounds


def _promising(
    position: Connect4Position, moves: list[str], prover: Prover | None, deadline: float, rng: Random
) -> str:
    """Of moves about which nothing better is known, one that wins soonest, loses latest or makes the most threats."""
    own, taken, landing = plain.discs_of(position)
    left = max(0.0, deadline - time.monotonic())
    search = plain.Search(position.shape, deadline - (left / 2 if prover else 0.0))
    scores, _ = plain.deepened(search, position, _WHOLE, every=False)
    foreseen = dict.fromkeys(moves, 0)
    if prover is not None:
        prover.deadline = deadline
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
