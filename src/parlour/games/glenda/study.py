"""What both sides of Glendy make of the provers within a time: proofs where there are any, good moves where not."""

from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from parlour.games.glenda.board import RIM
from parlour.games.glenda.closing import gates, keeping, tightness
from parlour.games.glenda.prover import DEEPEST, ESCAPE, LAST, Inquiry, OutOfTime
from parlour.games.glenda.ranks import after_put, after_step, around, rank_of, room, single, slope, traps

_SLACK = 2
"""Steps more than necessary in which an escape is still looked for when it comes to tell a slip from a good step."""


@dataclass(frozen=True)
class Depth:
    """How far a level thinks: steps of an escape beyond her rank, and walls of a trap."""

    escape: int = DEEPEST
    last: int = DEEPEST


@dataclass
class Findings:
    """What is known about the moves of one position, by the cell they wall up or step on."""

    move: int = 0
    """The move to make."""
    value: int = 0
    """1 if the side to move wins, -1 if it loses, 0 if neither is proven."""
    proven: dict[int, int] = field(default_factory=dict)
    """By move, 1 or -1 where that is proven."""


class Turns:
    """Two questions by turns, each with its own k. Walls are asked about half as much: their positions take longer."""

    def __init__(self, inquiry: Inquiry, escape: range, last: range) -> None:
        self._inquiry = inquiry
        self._left = {ESCAPE: list(escape), LAST: list(last)}
        self._spent = {ESCAPE: 0, LAST: 0}

    def __iter__(self) -> "Turns":
        return self

    def __next__(self) -> tuple[int, int]:
        """The next question and its k, the same as before unless that was answered."""
        open_questions = [question for question, left in self._left.items() if left]
        if not open_questions:
            raise StopIteration
        self._inquiry.tick()
        self._question = min(open_questions, key=lambda question: self._spent[question])
        self._before = self._inquiry.nodes
        return self._question, self._left[self._question][0]

    def spent(self, answered: bool) -> None:
        """Settle what the last question cost; an answered one gives way to the next k."""
        weight = 2 if self._question == LAST else 1
        self._spent[self._question] += weight * (self._inquiry.nodes - self._before)
        if answered:
            del self._left[self._question][0]


# --- the trapper ------------------------------------------------------------------------------------------------------


def best_wall(at: int, walls: int, inquiry: Inquiry, depth: Depth, rng: Random) -> Findings:
    """The wall to put up, with glenda on `at`."""
    ends = traps(at, walls)
    if ends:
        return Findings(ends[0], 1, dict.fromkeys(ends, 1))
    rank = rank_of(at, walls)
    if rank is None:
        wall = finish(at, walls, inquiry)
        return Findings(wall, 1, {wall: 1})
    refuter = 0
    turns = Turns(inquiry, range(max(1, rank), min(DEEPEST, rank + depth.escape) + 1), range(1, depth.last + 1))
    try:
        for question, k in turns:
            holds = inquiry.glimpse(at, walls, k, question)
            wall = inquiry.wall
            turns.spent(holds is not None)
            if holds is False and question == LAST:
                wall = wall or likeliest(at, walls, rng)  # she has lost even after a pass: any wall will do
                return Findings(wall, 1, {wall: 1})
            if holds is False:
                refuter = wall or refuter
            elif holds and question == ESCAPE:
                wall = refuter or likeliest(at, walls, rng)
                return Findings(stubborn(at, walls, k, wall, inquiry), -1)
    except OutOfTime:
        pass
    return Findings(refuter or likeliest(at, walls, rng))


def likeliest(at: int, walls: int, rng: Random) -> int:
    """The best wall at a glance: it leaves her neighbours the highest ranks, and keeps her off the rim."""
    cells = single(slope(at, walls))
    rng.shuffle(cells)
    blocks = [cell for cell in cells if not around(at, walls | cell) & RIM] or cells
    return max(blocks, key=lambda cell: after_put(at, walls | cell))


def finish(at: int, walls: int, inquiry: Inquiry) -> int:
    """The wall that brings a won game nearest to its end. Glenda is outside X, and stays there."""
    choice = keeping(at, walls)
    best, least = choice[0], (DEEPEST, 0, 0)
    try:
        for cell in choice:
            inquiry.tick()
            tight = tightness(at, walls | cell)
            if tight < least:
                best, least = cell, tight
    except OutOfTime:
        pass
    return best


def stubborn(at: int, walls: int, k: int, first: int, inquiry: Inquiry) -> int:
    """The wall for a lost game, in which glenda needs k steps: none is longer, and it invites her to slip."""
    best, most = first, -1.0
    try:
        for cell in [first, *single(slope(at, walls) & ~first)]:
            if not inquiry.answers(at, walls | cell, k - 1, ESCAPE):
                chance = _slips(at, walls | cell, k + _SLACK, inquiry)
                if chance > most:
                    best, most = cell, chance
    except OutOfTime:
        pass
    return best


def _slips(at: int, walls: int, k: int, inquiry: Inquiry) -> float:
    """How likely glenda spoils her escape: half of the time she takes a shortest way, else any step."""
    near = single(around(at, walls))
    away = {cell: room(cell, walls)[1] for cell in near}
    short = [cell for cell in near if away[cell] == min(away.values())]
    bad = {cell for cell in near if not inquiry.holds(cell, walls, k, ESCAPE)}
    return len(bad) / len(near) / 2 + len(bad.intersection(short)) / len(short) / 2


# --- glenda -----------------------------------------------------------------------------------------------------------


def best_step(at: int, walls: int, inquiry: Inquiry, depth: Depth, rng: Random) -> Findings:
    """The step to take."""
    near = single(around(at, walls))
    rng.shuffle(near)
    near.sort(key=lambda cell: _rank(cell, walls))
    if near[0] & RIM:
        return Findings(near[0], 1, {near[0]: 1})
    alive = [cell for cell in near if _rank(cell, walls) < DEEPEST]
    if not alive:
        move = max(near, key=lambda cell: (gates(cell, walls), room(cell, walls)[0]))
        return Findings(move, -1, dict.fromkeys(near, -1))
    fallen: dict[int, int] = {}
    rank = max(1, _rank(alive[0], walls))
    turns = Turns(inquiry, range(rank, min(DEEPEST, rank + depth.escape) + 1), range(1, depth.last + 1))
    escape = 0
    with suppress(OutOfTime):
        escape = _escape(walls, alive, fallen, turns, inquiry)
    lost = {cell: -1 for cell in near if cell not in alive}
    if escape:
        return Findings(escape, 1, lost | {escape: 1})
    if alive:
        return Findings(tricky(alive, walls), 0, lost)
    longest = max(fallen.values())
    return Findings(tricky([cell for cell in fallen if fallen[cell] == longest], walls), -1, lost)


def _escape(walls: int, alive: list[int], fallen: dict[int, int], turns: Turns, inquiry: Inquiry) -> int:
    """A step that wins. Steps that lose fall out of `alive`, with the number of walls that they last; 0 when all do."""
    waiting = {ESCAPE: alive[:], LAST: alive[:]}
    for question, k in turns:
        queue = waiting[question]
        holds = inquiry.glimpse(queue[0], walls, k, question)
        if holds and question == ESCAPE:
            return queue[0]
        if holds is False and question == LAST:
            fallen[queue[0]] = k
            alive.remove(queue[0])
        if not alive:
            return 0
        if holds is not None:
            del queue[0]
        queue[:] = [cell for cell in queue if cell in alive]
        turns.spent(answered=not queue)
        if not queue:
            queue += alive
        waiting = {each: [cell for cell in cells if cell in alive] or alive[:] for each, cells in waiting.items()}
    return 0


def tricky(steps: list[int], walls: int) -> int:
    """Of these steps the one after which the wall that looks best leaves her best."""
    return min(steps, key=lambda cell: (_after_best_look(cell, walls), after_step(cell, walls)))


def _after_best_look(at: int, walls: int) -> int:
    return max((after_put(at, walls | cell) for cell in single(slope(at, walls))), default=0)


def _rank(cell: int, walls: int) -> int:
    rank = rank_of(cell, walls)
    return DEEPEST if rank is None else rank
