"""Dots and boxes without machine code: takes boxes, gives as few as it can, and solves small endgames to the end."""

import time
from random import Random

from parlour.core.game import Rated, Verdict
from parlour.games.dots.rules import DotsPosition

SOLVABLE = {"hard": 14, "master": 24}
"""How many open lines a level dares to solve; the clock decides whether it succeeds."""
_OPEN = 255
_SAMPLE = 10
_IN_VIEW = 40
"""Open lines of which a glance tells what the next exchange brings."""


class OutOfTime(Exception):
    """The budget is spent."""


class Endgame:
    """The rest of a game between two: what is left depends only on which lines are open, so each set is solved once."""

    def __init__(self, position: DotsPosition, deadline: float) -> None:
        self.deadline = deadline
        self.nodes = 0
        self.known: dict[int, int] = {0: 0}
        board = position.shape
        lines = [line for line in range(board.lines) if position.line_owners[line] == _OPEN]
        bits = {line: 1 << number for number, line in enumerate(lines)}
        self.all = (1 << len(lines)) - 1
        sides = {box: sum(bits.get(line, 0) for line in four) for box, four in enumerate(board.sides)}
        self.beside = tuple((bits[line], tuple(sides[box] for box in board.touching[line])) for line in lines)
        """By open line: its bit, and the open sides of the boxes beside it as bits."""
        self.moves = {board.moves[line]: bits[line] for line in lines}

    def value(self, open_lines: int) -> int:
        """Boxes won minus boxes lost by the side to move, from here to the end."""
        known = self.known.get(open_lines)
        if known is not None:
            return known
        self.nodes += 1
        if not self.nodes & 0xFF and time.monotonic() > self.deadline:
            raise OutOfTime
        best = -len(self.beside) * 2
        for bit, boxes in self.beside:
            if not bit & open_lines:
                continue
            gain, whole = self._gain(bit, boxes, open_lines)
            rest = self.value(open_lines ^ bit)
            if gain and whole:
                # Such a box touches nothing else that is open: taking it costs nothing and spoils nothing.
                best = gain + rest
                break
            best = max(best, gain + rest if gain else -rest)
        self.known[open_lines] = best
        return best

    @staticmethod
    def _gain(bit: int, boxes: tuple[int, ...], open_lines: int) -> tuple[int, bool]:
        """How many boxes a line closes, and whether it closes every box beside it."""
        gain, whole = 0, True
        for sides in boxes:
            if sides & open_lines == bit:
                gain += 1
            else:
                whole = False
        return gain, whole

    def rate(self, move: str) -> int:
        """The value of one move to the side that makes it."""
        bit = self.moves[move]
        gain, _ = self._gain(bit, self.beside[bit.bit_length() - 1][1], self.all)
        rest = self.value(self.all ^ bit)
        return gain + rest if gain else -rest


def missing(position: DotsPosition, box: int) -> int:
    """An open side of a box."""
    return next(line for line in position.shape.sides[box] if position.line_owners[line] == _OPEN)


def swing(position: DotsPosition, line: int) -> int:
    """Boxes won, or given away if negative, by drawing a line and letting the seat on turn then take all there is."""
    touching, sides = position.shape.touching, position.shape.sides
    drawn, owners = position.drawn[:], position.line_owners[:]
    closed = any(drawn[box] == 3 for box in touching[line])
    taken, ready = 0, [line]
    if not closed:
        ready += [missing(position, box) for box in range(len(drawn)) if drawn[box] == 3]
    while ready:
        line = ready.pop()
        if owners[line] != _OPEN:
            continue
        owners[line] = 0
        for box in touching[line]:
            drawn[box] += 1
            if drawn[box] == 4:
                taken += 1
            elif drawn[box] == 3:
                ready.extend(side for side in sides[box] if owners[side] == _OPEN)
        if not ready and (box := drawn.find(3)) >= 0:
            ready.extend(side for side in sides[box] if owners[side] == _OPEN)
    return taken if closed else -taken


def is_safe(position: DotsPosition, line: int) -> bool:
    """Whether a line gives no box its third side."""
    drawn = position.drawn
    return all(drawn[box] < 2 for box in position.shape.touching[line])


def handout(position: DotsPosition, lines: list[int]) -> int | None:
    """The line that gives up the last two boxes of a chain so that the other must open the next one."""
    drawn, board = position.drawn, position.shape
    box = drawn.find(3)
    if drawn.count(3) != 1 or any(is_safe(position, line) for line in lines):
        return None
    last = missing(position, box)
    for other in board.touching[last]:
        if other == box or drawn[other] != 2:
            continue
        far = next(line for line in board.sides[other] if line != last and position.line_owners[line] == _OPEN)
        if swing(position, last) != 2 or any(drawn[beyond] == 2 for beyond in board.touching[far] if beyond != other):
            continue
        rest = [swing(position, line) for line in lines if line not in (last, far)]
        if rest and max(rest) < -4:
            # The cheapest chain costs the other at least three boxes beyond the two that this line gives up.
            return far
    return None


def glance(position: DotsPosition, lines: list[int], rng: Random, careful: bool, sly: bool = False) -> int:
    """A box if there is one, else a line that gives none away, as far as a glance can tell.

    If sly, the end of a chain is handed out where that pays, on a board that is small enough to see it.
    """
    box = position.drawn.find(3)
    if box >= 0:
        two = sly and len(lines) <= _IN_VIEW and len(position.order()) == 2
        line = handout(position, lines) if two else None
        return missing(position, box) if line is None else line
    if not careful:
        return rng.choice(lines)
    sample = rng.sample(lines, min(_SAMPLE if len(lines) > _IN_VIEW else 2 * _SAMPLE, len(lines)))
    for line in sample:
        if is_safe(position, line):
            return line
    for line in lines:
        if is_safe(position, line):
            return line
    return max(sample, key=lambda line: (swing(position, line), sly and _between(position, line)))


def _between(position: DotsPosition, line: int) -> bool:
    """Whether a line lies between two boxes that lack two each: in the middle of a chain of two, say."""
    beside = position.shape.touching[line]
    return len(beside) == 2 and all(position.drawn[box] == 2 for box in beside)


def thrifty(position: DotsPosition, lines: list[int], rng: Random, deadline: float) -> int:
    """The line with the best swing: any box, else a safe line, else the shortest chain."""
    box = position.drawn.find(3)
    if box >= 0:
        return missing(position, box)
    safe = [line for line in lines if is_safe(position, line)]
    if safe:
        return rng.choice(safe)
    rng.shuffle(lines)
    best, most = lines[0], swing(position, lines[0])
    for line in lines[1:]:
        if time.monotonic() > deadline:
            break
        if (value := swing(position, line)) > most:
            best, most = line, value
    return best


def choose(position: DotsPosition, lines: list[int], level: str, rng: Random, deadline: float) -> int:
    """A line, as good as the level allows."""
    two = len(position.order()) == 2
    if two and len(lines) <= SOLVABLE.get(level, 0):
        try:
            solved = Endgame(position, deadline)
            worth = {move: solved.rate(move) for move in solved.moves}
            best = max(worth.values())
            return position.shape.index[rng.choice([move for move, value in worth.items() if value == best])]
        except OutOfTime:
            pass
    if two and (line := handout(position, lines)) is not None:
        return line
    return thrifty(position, lines, rng, deadline)


def analyse(position: DotsPosition, deadline: float) -> Verdict:
    """Exact values of a small endgame between two; otherwise what the next exchange brings."""
    moves = position.legal()
    two = len(position.order()) == 2
    if two and len(moves) <= SOLVABLE["master"]:
        late = deadline + (deadline - time.monotonic()) / 10
        try:
            solved = Endgame(position, deadline)
            rated = [Rated(move, solved.rate(move), True) for move in moves]
            return _verdict(rated, solved.nodes + len(rated))
        except OutOfTime:
            deadline = late
    rated = []
    for move in moves:
        if rated and time.monotonic() > deadline:
            break
        value = swing(position, position.shape.index[move])
        rated.append(Rated(move, value if two else max(value, 0), False))
    return _verdict(rated, len(rated))


def _verdict(rated: list[Rated], nodes: int) -> Verdict:
    best = max(rated, key=lambda each: each.value)
    return Verdict(best.move, best.value, best.exact, rated, nodes)
