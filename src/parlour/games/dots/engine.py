"""The built-in player of dots and boxes: solves what it can, looks ahead where it cannot, and takes what is free."""

import math
import time
from collections.abc import Callable
from itertools import count
from random import Random
from typing import TYPE_CHECKING

import msgspec

from parlour.core.game import Budget, Position, Rated, Verdict
from parlour.games import kernels
from parlour.games.dots import book, plain
from parlour.games.dots.graph import Graph, each, graph_for, whole_graph
from parlour.games.dots.plain import OutOfTime, swing
from parlour.games.dots.rules import DotsPosition

if TYPE_CHECKING:
    from parlour.games.dots.lookahead import LookAhead, Outlook
    from parlour.games.dots.solver import Solver

_OPEN = 255
_HOPEFUL = 46
"""With more open lines than this a second will hardly solve a position, unless few of them are safe."""
_FEW_SAFE = 14
_SHARE = 0.45
"""Of the time for one move, what solving may take before looking ahead must do."""
_PATIENT = 0.8
"""The same when an analysis is asked for."""
_ENOUGH = 40
"""Games played out after a line, from which its value may be guessed: what a few bring is chance."""
_OTHERS = 1.0
"""Seconds for the lines that are not the best, once that is found."""


class Skill(msgspec.Struct, frozen=True):
    """What a level may do with the machine code."""

    solves: int
    """Open lines at most."""
    games: int
    """To be played out at most."""
    nodes: float = math.inf
    """Of the solver at most."""
    drawn: float = math.inf
    """Lines that are drawn in all games played out, at most."""
    slips: float = 0.0
    """How often it plays like `easy`."""


CARELESS = {"beginner": 0.18, "easy": 0.0}
"""How often the quick levels draw any line where there is nothing to take."""
SKILLS = {
    "medium": Skill(63, 1000, 50_000, slips=0.26),
    "hard": Skill(63, 1 << 30, 500_000, 2_000_000, slips=0.13),
    "master": Skill(63, 1 << 30, 1_000_000, 4_000_000),
}
ANALYST = Skill(63, 1 << 30)
"""Bounded by time alone."""


class Tools:
    """The machine code and its memory."""

    def __init__(self, solver: "Solver", look_ahead: "LookAhead") -> None:
        self.solver = solver
        self.look_ahead = look_ahead


_tools: Tools | None = None
MEMORY = 64 << 20
"""Bytes of the tables of solver and look-ahead, unless `warm` is told otherwise."""


def warm(cache_dir: str, memory: int = MEMORY) -> bool:
    """Load the machine code from this directory, or compile it and keep it there; False where there is no numba."""
    global _tools
    if _tools is None:
        solver = kernels.load("parlour.games.dots.solver", cache_dir)
        ahead = kernels.load("parlour.games.dots.lookahead", cache_dir)
        if solver is not None and ahead is not None:
            look_ahead = ahead.LookAhead(memory // 4)
            _tools = Tools(solver.Solver(memory - look_ahead.size), look_ahead)
    return _tools is not None


class DotsEngine:
    """Greedy and careful; the higher levels know how a game ends, and the highest fights for the long chains."""

    def warm(self, cache_dir: str, memory: int = MEMORY) -> bool:
        """Get solver and look-ahead ready, with their machine code kept in this directory."""
        return warm(cache_dir, memory)

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        """A legal move for the seat on turn."""
        assert isinstance(position, DotsPosition)
        moves = position.shape.moves
        lines = [line for line, owner in enumerate(position.line_owners) if owner == _OPEN]
        rng = Random(f"{budget.seed} {len(lines)} {position.turn} {position.line_owners.hex()}")
        if level in CARELESS:
            return moves[
                plain.glance(position, lines, rng, careful=rng.random() >= CARELESS[level], sly=level != "beginner")
            ]
        thinks = rng.random() >= SKILLS[level].slips
        if thinks and (entry := book.told(position)) is not None and entry.line is not None:
            return moves[entry.line]
        deadline = time.monotonic() + budget.seconds
        if thinks and _tools is not None:
            return moves[Thought(_tools, position, lines, rng, deadline, SKILLS[level]).best()]
        if not thinks:
            return moves[plain.glance(position, lines, rng, careful=True, sly=True)]
        return moves[plain.choose(position, lines, level, rng, deadline)]

    def knows(self, position: Position, level: str) -> bool:
        """The positions in the book."""
        assert isinstance(position, DotsPosition)
        entry = book.told(position) if level in SKILLS else None
        return entry is not None and entry.line is not None

    def analyse(self, position: Position, budget: Budget) -> Verdict:
        """Exact values as far as there is time; otherwise what looking ahead, or the next exchange, brings."""
        assert isinstance(position, DotsPosition)
        entry = book.told(position)
        if entry is not None and entry.line is not None:
            return _from_book(position, entry.value, entry.line)
        verdict = self._thought(position, budget)
        return verdict if entry is None or verdict.exact else _corrected(verdict, entry.value)

    def _thought(self, position: DotsPosition, budget: Budget) -> Verdict:
        """What there is to say without a book."""
        deadline = time.monotonic() + budget.seconds
        lines = [line for line, owner in enumerate(position.line_owners) if owner == _OPEN]
        if _tools is not None:
            rng = Random(f"{budget.seed} {position.line_owners.hex()}")
            return Thought(_tools, position, lines, rng, deadline, ANALYST).verdict()
        return plain.analyse(position, deadline)


def _corrected(verdict: Verdict, value: int) -> Verdict:
    """A guess about a position whose value is known: no line is worth more, and which is the best is still a guess."""
    moves = [
        Rated(each.move, value if each.move == verdict.best else min(each.value, value), False)
        for each in verdict.moves
    ]
    return Verdict(verdict.best, value, True, moves, verdict.nodes)


def _from_book(position: DotsPosition, value: int, best: int) -> Verdict:
    """The value, and that of every line after which the position is listed, too."""
    drawn, rated = book.drawn_in(position), []
    for move in position.legal():
        line = position.shape.index[move]
        after = book.opened().entry(drawn | 1 << line)
        known = value if line == best else None if after is None else -after.value
        guess = min(value, swing(position, line))
        rated.append(Rated(move, guess if known is None else known, known is not None))
    return Verdict(position.shape.moves[best], value, True, rated, 0)


class Thought:
    """One move to think about, with the machine code."""

    def __init__(
        self, tools: Tools, position: DotsPosition, lines: list[int], rng: Random, deadline: float, skill: Skill
    ) -> None:
        self.position = position
        self.shape = position.shape
        self.lines = lines
        self.rng = rng
        self.began = time.monotonic()
        self.deadline = deadline
        self.skill = skill
        self.players = position.order()
        self.solver = tools.solver
        self.look_ahead = tools.look_ahead
        self.board = whole_graph(self.shape)
        self.open = self.board.open(position)
        self.settled = self.board.settle(self.open)
        self.graph: Graph | None = None
        """What the solver works on, once it has solved the rest."""
        self.rest = 0
        """The value of the rest, once it is known."""

    # --- choosing ------------------------------------------------------------------------------------------------

    def best(self) -> int:
        """The line to draw."""
        settled = self.settled
        if settled.take and not settled.hand_back:
            return self._line(settled.take)
        share = self._after(_SHARE)
        solved = self._solves(share) is not None
        if settled.hand_back:
            keeps = settled.tail + self.rest >= 0 if solved else self._keeps()
            return self._line(settled.take if keeps else settled.hand_back)
        if solved:
            return self.rng.choice(self._equals(share))
        outlook = self._look(list(each(settled.rest)), self._seats(), 0)
        if outlook.tried:
            return outlook.tried[0].line
        return self._line(self._cheapest())

    def _line(self, bit: int) -> int:
        return self.board.lines[bit.bit_length() - 1]

    def _seats(self) -> list[int]:
        """The players' boxes, from the one on turn."""
        at = self.players.index(self.position.turn)
        return [self.position.points[seat] for seat in (*self.players[at:], *self.players[:at])]

    def _after(self, share: float) -> float:
        """When this share of the time is over."""
        return self.began + (self.deadline - self.began) * share

    def _until(self, deadline: float, times: float = math.inf) -> Callable[[], bool]:
        """Tells whether to go on: until then, and no more than so many times."""
        asked = count(1)
        return lambda: next(asked) < times and time.monotonic() < deadline

    def _solves(self, deadline: float, stubborn: bool = False) -> int | None:
        """The value of the rest, if it can be had by then."""
        settled = self.settled
        left = settled.rest.bit_count()
        if len(self.players) != 2 or left > self.skill.solves:
            return None
        graph = self.solver.graph if self.solver.graph and self.solver.graph.covers(self.position) else None
        graph = graph or graph_for(self.position)
        if graph is None or (not stubborn and left > _HOPEFUL and self._safe_lines() > _FEW_SAFE):
            return None
        self.solver.take_up(graph)
        try:
            more = self._until(deadline, self.skill.nodes / self.solver.slice)
            self.rest = self.solver.value(self._moved(settled.rest, graph), more)
        except OutOfTime:
            return None
        self.graph = graph
        return self.rest

    def _moved(self, bits: int, graph: Graph) -> int:
        """Lines of the whole board as lines of the solver's graph."""
        if graph is self.board:
            return bits
        return sum(graph.bits[self._line(bit)] for bit in each(bits))

    def _safe_lines(self) -> int:
        return sum(plain.is_safe(self.position, line) for line in self.lines)

    def _equals(self, deadline: float) -> list[int]:
        """Lines of the best value, in a position that is solved and has nothing to take: all there is time to find."""
        graph, solver = self.graph, self.solver
        assert graph is not None
        lines = self._moved(self.settled.rest, graph)
        best = solver.best(lines)
        found = [best] if best else []
        others = [line for line in each(lines) if line != best]
        self.rng.shuffle(others)
        until = self._until(min(deadline, time.monotonic() + (self.deadline - self.began) / 15))
        try:
            for line in others:
                if self._rate(graph, lines, line, until, self.rest) >= self.rest:
                    found.append(line)
                if found and not until():
                    break
        except OutOfTime:
            pass
        return [graph.lines[line.bit_length() - 1] for line in found] or [self._line(self._cheapest())]

    def _rate(self, graph: Graph, lines: int, line: int, more: Callable[[], bool], guess: int) -> int:
        """The value of drawing a line, exactly."""
        gain = graph.gain(lines, line)
        after = graph.settle(lines ^ line)
        likely = guess - gain - after.taken if gain else after.taken - guess
        value = after.worth(self.solver.value(after.rest, more, likely) if after.rest else 0)
        return gain + value if gain else -value

    def _look(self, bits: list[int], score: list[int], turn: int) -> "Outlook":
        games = min(self.skill.games, self.skill.drawn / max(1, len(bits)))
        return self.look_ahead(
            self.shape,
            [self._line(bit) for bit in bits],
            score,
            turn,
            self.rng.getrandbits(48),
            self._until(self.deadline),
            max(1, int(games)),
        )

    def _keeps(self) -> bool:
        """Whether to take a tail rather than give it back, as far as looking ahead can tell."""
        settled, score = self.settled, self._seats()
        if not settled.rest:
            return True
        rewards = []
        end, self.deadline = self.deadline, (self.deadline + time.monotonic()) / 2
        for turn in (0, 1):
            after = [boxes + settled.tail * (seat == turn) for seat, boxes in enumerate(score)]
            rewards.append(self._look(list(each(settled.rest)), after, turn).reward)
            self.deadline = end
        return rewards[0] >= rewards[1]

    def _cheapest(self) -> int:
        """A line to open when every line gives boxes away: of the fewest boxes, and in the middle of two."""
        best, least = 0, (self.shape.boxes + 1, 0)
        for line in each(self.settled.rest):
            if best and time.monotonic() > self.deadline:
                break
            after = self.board.settle(self.open ^ line)
            if (after.taken, after.tail) < least:
                best, least = line, (after.taken, after.tail)
        return best

    # --- analysing -----------------------------------------------------------------------------------------------

    def verdict(self) -> Verdict:
        """Every line, exact where it is solved."""
        began = self.solver.nodes
        if self._solves(max(self.deadline - _OTHERS, self._after(_PATIENT)), stubborn=True) is None:
            return self._guessed()
        assert self.graph is not None
        lines = self._moved(self.open, self.graph)
        value = self.settled.worth(self.rest)
        # The other lines are worth some time too, but no player should wait much longer for them than for the best.
        solving = time.monotonic() - self.began
        self.deadline = min(self.deadline, self.began + solving + max(_OTHERS, solving / 10))
        rated: dict[int, int] = {}
        best = self._known_best(lines)
        if best:
            rated[best] = value
        try:
            for line in each(lines):
                if line not in rated and (time.monotonic() < self.deadline or not rated):
                    rated[line] = self._rate(self.graph, lines, line, self._until(self.deadline), value)
        except OutOfTime:
            pass
        moves = []
        for line in each(lines):
            number = self.graph.lines[line.bit_length() - 1]
            guess = min(value, swing(self.position, number)) if line not in rated else 0
            moves.append(Rated(self.shape.moves[number], rated.get(line, guess), line in rated))
        if value not in rated.values():  # the time was too short to find the line that has the value
            return self._guessed()
        best = best or next(line for line, worth in rated.items() if worth == value)
        name = self.shape.moves[self.graph.lines[best.bit_length() - 1]]
        moves.sort(key=lambda each: self.shape.index[each.move])
        return Verdict(name, value, True, moves, self.solver.nodes - began)

    def _known_best(self, lines: int) -> int:
        """The best line, as a bit of the solver's graph, if solving has told it: otherwise 0."""
        assert self.graph is not None
        settled = self.settled
        if settled.take:
            keeps = not settled.hand_back or settled.tail + self.rest >= 0
            return self._moved(settled.take if keeps else settled.hand_back, self.graph)
        return self.solver.best(lines)

    def _guessed(self) -> Verdict:
        """What looking ahead says. More than two players: own boxes from here on."""
        two, settled = len(self.players) == 2, self.settled
        guesses = {line: swing(self.position, line) for line in self._sample()}
        if not two:
            guesses = {line: max(0, value) for line, value in guesses.items()}
        if settled.take:
            best = self._line(settled.take if not settled.hand_back or self._keeps() else settled.hand_back)
            games = 0
        else:
            outlook = self._look(list(each(settled.rest)), self._seats(), 0)
            games = outlook.games
            left = self.board.boxes(settled.rest)
            for tried in outlook.tried:
                if tried.times >= _ENOUGH:
                    guesses[tried.line] = round(2 * tried.boxes - left if two else tried.boxes)
            best = outlook.tried[0].line if outlook.tried else self._line(self._cheapest())
        top = guesses.get(best, swing(self.position, best))
        moves = self.shape.moves
        rated = [Rated(moves[line], min(value, top), False) for line, value in sorted(({**guesses, best: top}).items())]
        return Verdict(moves[best], top, False, rated, len(rated) + games)

    def _sample(self) -> list[int]:
        """The lines to be listed; on the biggest boards there is no time to look at each."""
        return [line for line, _ in zip(self.lines, iter(self._until(self.deadline), False), strict=False)]


ENGINE = DotsEngine()
