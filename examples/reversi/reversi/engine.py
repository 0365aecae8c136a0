"""A plain player of reversi: alpha-beta, deeper with time, exact near the end. Nothing but Python integers."""

import time
from random import Random

from parlour.core.game import Budget, Position, Rated, Verdict
from reversi.rules import ReversiPosition, Shape

DEPTHS = {"medium": 2, "hard": 4, "master": 60}
"""How many moves ahead a level looks at most."""
GREEDY = {"beginner": 1.0, "easy": 0.2}
"""How often a level counts nothing but the discs it turns over."""
LOST = 10_000


class OutOfTime(Exception):
    """The budget is spent."""


def _cells(bits: int) -> list[int]:
    """The single bits of a set, the lowest first."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest)
        bits ^= lowest
    return found


class Study:
    """One look at one board: the same shape, one deadline, and how many positions it has seen."""

    def __init__(self, board: Shape, deadline: float) -> None:
        self.board = board
        self.deadline = deadline
        self.nodes = 0
        self.guessed = False
        """Whether the last value rests on an estimate anywhere."""

    def estimate(self, own: int, other: int, moves: int) -> int:
        """About how many discs the side to move will win by: corners are kept, and a choice of moves wins more."""
        corners = self.board.corners
        held = (own & corners).bit_count() - (other & corners).bit_count()
        freedom = moves.bit_count() - self.board.placements(other, own).bit_count()
        return 6 * held + freedom

    def ordered(self, own: int, other: int, moves: int) -> list[tuple[int, int, int]]:
        """What each move leads to, from the other side's view; corners and those that leave few answers first."""
        board = self.board
        found = []
        for bit in _cells(moves):
            turned = board.turned(own, other, bit)
            mine, theirs = own | bit | turned, other ^ turned
            answers = board.placements(theirs, mine)
            found.append((answers.bit_count() - (20 if bit & board.corners else 0), bit, turned))
        found.sort()
        return found

    def value(self, own: int, other: int, depth: int, alpha: int, beta: int) -> int:
        """What the position is worth to the side to move, by fail-soft alpha-beta. Raises OutOfTime."""
        self.nodes += 1
        if not self.nodes & 63 and time.perf_counter() > self.deadline:
            raise OutOfTime
        moves = self.board.placements(own, other)
        if not moves:
            if not self.board.placements(other, own):
                return own.bit_count() - other.bit_count()
            return -self.value(other, own, depth, -beta, -alpha)
        if depth <= 0:
            self.guessed = True
            return self.estimate(own, other, moves)
        best = -LOST
        ordered = self.ordered(own, other, moves) if depth > 1 else self._as_they_come(own, other, moves)
        for _, bit, turned in ordered:
            found = -self.value(other ^ turned, own | bit | turned, depth - 1, -beta, -max(alpha, best))
            best = max(best, found)
            if best >= beta:
                break
        return best

    def _as_they_come(self, own: int, other: int, moves: int) -> list[tuple[int, int, int]]:
        return [(0, bit, self.board.turned(own, other, bit)) for bit in _cells(moves)]

    def rate(self, own: int, other: int, depth: int, whole: bool) -> dict[int, tuple[int, bool]]:
        """Every move with its value and whether that is proven; with `whole`, all values and not just the best."""
        best = -LOST
        rated = {}
        for _, bit, turned in self.ordered(own, other, self.board.placements(own, other)):
            self.guessed = False
            floor = -LOST if whole else best
            found = -self.value(other ^ turned, own | bit | turned, depth - 1, -LOST, -floor)
            rated[bit] = found, not self.guessed
            best = max(best, found)
        return rated


def deepened(study: Study, own: int, other: int, depth: int, whole: bool) -> dict[int, tuple[int, bool]]:
    """What each move is worth, looked at deeper and deeper until the time is up or nothing is left to find out."""
    deadline, study.deadline = study.deadline, float("inf")  # the first look is always finished
    rated = study.rate(own, other, 1, whole)
    study.deadline = deadline
    empty = (study.board.full & ~(own | other)).bit_count()
    for ahead in range(2, min(depth, empty) + 1):
        try:
            rated = study.rate(own, other, ahead, whole)
        except OutOfTime:
            break
        if all(exact for _, exact in rated.values()):
            break
    return rated


def _sides(position: Position) -> tuple[Shape, int, int]:
    """The board, the discs of the side to move, and those of the other."""
    assert isinstance(position, ReversiPosition)
    return position.shape, position.discs[position.turn], position.discs[1 - position.turn]


class ReversiEngine:
    """Looks ahead as far as its level and its time allow."""

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        """A legal move for the side on turn."""
        board, own, other = _sides(position)
        rng = Random(f"{budget.seed} {own} {other}")
        if level in GREEDY:
            return self._at_a_glance(position, rng, rng.random() < GREEDY[level])
        study = Study(board, time.perf_counter() + budget.seconds)
        rated = deepened(study, own, other, DEPTHS[level], whole=False)
        # The first of the best: those after it may only be known not to be better.
        chosen = max(rated, key=lambda bit: rated[bit][0])
        return board.moves[chosen.bit_length() - 1]

    def _at_a_glance(self, position: Position, rng: Random, greedy: bool) -> str:
        """The most discs at once, or a corner and no way to one for the other side."""
        board, own, other = _sides(position)
        liked: dict[str, float] = {}
        for bit in _cells(board.placements(own, other)):
            turned = board.turned(own, other, bit)
            gain: float = turned.bit_count()
            if not greedy:
                answers = board.placements(other ^ turned, own | bit | turned)
                gain = 10 * bool(bit & board.corners) - 10 * bool(answers & board.corners) - answers.bit_count() / 2
            liked[board.moves[bit.bit_length() - 1]] = gain + rng.random()
        return max(liked, key=lambda move: liked[move])

    def analyse(self, position: Position, budget: Budget) -> Verdict:
        """The value of every move, in discs."""
        board, own, other = _sides(position)
        study = Study(board, time.perf_counter() + budget.seconds)
        rated = deepened(study, own, other, board.size**2, whole=True)
        moves = [Rated(board.moves[bit.bit_length() - 1], *found) for bit, found in rated.items()]
        best = max(moves, key=lambda each: (each.value, each.exact))
        return Verdict(best.move, best.value, best.exact and all(each.exact for each in moves), moves, study.nodes)


ENGINE = ReversiEngine()
