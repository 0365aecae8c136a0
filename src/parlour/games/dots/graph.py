"""A position as strings and coins: boxes are coins, open lines are strings between two of them or to the ground.

Who drew what so far is no part of it: between two players the rest of a game depends on the open lines alone. Sets of
lines are bits of an int. The first thing to know of such a set is what can be taken at once, which `settle` tells.
"""

from collections.abc import Iterator
from functools import lru_cache

import msgspec

from parlour.games.dots.rules import DotsPosition, Shape

LINES_AT_MOST = 63
"""What the solver's words hold. Boards of up to 5x5 boxes fit whole, of bigger ones only what is still open."""
_OPEN = 255


class Settled(msgspec.Struct, frozen=True):
    """What is there to take, and what is left when everything forced has happened.

    With a `tail`, the side to move decides last about two boxes of a chain, or four of a loop: take them and move on in
    the rest, or give them back so that the other must. The whole is worth `taken - tail + |tail + rest|`.
    """

    rest: int
    """The lines that are open then; no box lacks just one of them."""
    taken: int
    """Boxes, those of the tail included."""
    tail: int
    """0, 2 or 4."""
    take: int
    """The next line that takes a box; 0 when there is none."""
    hand_back: int
    """The line that gives the tail back, once nothing else is there to take; otherwise 0."""

    def worth(self, rest: int) -> int:
        """The value to the side to move, given that of the rest."""
        return self.taken - self.tail + abs(self.tail + rest) if self.tail else self.taken + rest


class Run(msgspec.Struct, frozen=True):
    """Boxes that fall one after the other, from one that lacks a single line."""

    length: int
    closed: bool
    """Whether the last one lacks a single line too."""
    lines: tuple[int, ...]
    """From the first box on, as bits."""

    @property
    def tail(self) -> int:
        """How many boxes can be given back: a chain's last two or a loop's last four, when no more are left."""
        if self.closed:
            return 4 if self.length == 4 else 0
        return 2 if self.length == 2 else 0


class Graph:
    """Some lines of a board, numbered anew, and the boxes beside them."""

    def __init__(self, shape: Shape, lines: tuple[int, ...]) -> None:
        self.shape = shape
        self.lines = _corners_first(shape, lines)
        """By bit, the number of the line on the board."""
        self.bits = {line: 1 << bit for bit, line in enumerate(self.lines)}
        boxes = sorted({box for line in self.lines for box in shape.touching[line]})
        numbers = {box: number for number, box in enumerate(boxes)}
        self.sides = tuple(sum(self.bits.get(line, 0) for line in shape.sides[box]) for box in boxes)
        """By box, its lines."""
        self.touching = tuple(tuple(numbers[box] for box in shape.touching[line]) for line in self.lines)
        """By bit, the boxes beside the line."""
        self.corners = 0
        """The first of each two neighbouring bits that are lines of one box to the ground: they are alike."""
        for bit in range(0, len(self.lines) - 1, 2):
            if len(self.touching[bit]) == 1 and self.touching[bit] == self.touching[bit + 1]:
                self.corners |= 1 << bit

    def open(self, position: DotsPosition) -> int:
        """The open lines of a position, all of which must be among ours."""
        owners = position.line_owners
        return sum(1 << bit for bit, line in enumerate(self.lines) if owners[line] == _OPEN)

    def covers(self, position: DotsPosition) -> bool:
        """Whether all open lines of a position are among ours."""
        return position.shape is self.shape and all(
            line in self.bits for line, owner in enumerate(position.line_owners) if owner == _OPEN
        )

    def gain(self, lines: int, line: int) -> int:
        """How many boxes a line closes."""
        return sum(lines & self.sides[box] == line for box in self.touching[line.bit_length() - 1])

    def boxes(self, lines: int) -> int:
        """How many boxes are not closed."""
        return sum(lines & sides != 0 for sides in self.sides)

    def run(self, lines: int, box: int) -> Run:
        """What falls from a box that lacks one line."""
        drawn = [lines & self.sides[box]]
        while True:
            beyond = [other for other in self.touching[drawn[-1].bit_length() - 1] if other != box]
            missing = lines & self.sides[beyond[0]] if beyond else 0
            if missing.bit_count() == 1:
                return Run(len(drawn) + 1, True, tuple(drawn))
            if missing.bit_count() != 2:
                return Run(len(drawn), False, tuple(drawn))
            box = beyond[0]
            drawn.append(missing ^ drawn[-1])

    def settle(self, lines: int) -> Settled:
        """Take what costs nothing, until at most one tail is left to decide about."""
        taken = take = 0
        ends = [box for box, sides in enumerate(self.sides) if (lines & sides).bit_count() == 1]
        while ends:
            tails: dict[int, Run] = {}
            """By their lines, so that a loop's is found once."""
            open_ends = []
            free: Run | None = None
            for box in ends:
                if (lines & self.sides[box]).bit_count() != 1:
                    continue
                run = self.run(lines, box)
                if run.tail:
                    tails[sum(run.lines)] = run
                    open_ends.append(box)
                else:
                    free = run
                    lines, gain, more = self._draw(lines, run.lines[0])
                    taken, take, open_ends = taken + gain, take or run.lines[0], open_ends + more
            if free is None and len(tails) == 1:
                tail = next(iter(tails.values()))
                hand_back = 0 if take else tail.lines[1]
                rest = lines & ~sum(tail.lines)
                return Settled(rest, taken + tail.length, tail.tail, take or tail.lines[0], hand_back)
            if free is None and tails:
                # One tail is enough, and the cheaper the better: of several, those of loops are taken first.
                run = max(tails.values(), key=lambda run: run.tail)
                lines, gain, more = self._draw(lines, run.lines[0])
                taken, take, open_ends = taken + gain, take or run.lines[0], open_ends + more
            ends = open_ends
        return Settled(lines, taken, 0, take, 0)

    def _draw(self, lines: int, line: int) -> tuple[int, int, list[int]]:
        """What is open after a line, the boxes it closes, and those beside it that lack one line then."""
        gain = self.gain(lines, line)
        lines ^= line
        beside = self.touching[line.bit_length() - 1]
        return lines, gain, [box for box in beside if (lines & self.sides[box]).bit_count() == 1]


def each(lines: int) -> Iterator[int]:
    """The lines of a set, one by one, as bits."""
    while lines:
        line = lines & -lines
        lines ^= line
        yield line


def graph_for(position: DotsPosition) -> Graph | None:
    """The graph of a position; None while too many lines are open."""
    shape = position.shape
    if shape.lines <= LINES_AT_MOST:
        return whole_graph(shape)
    lines = tuple(line for line, owner in enumerate(position.line_owners) if owner == _OPEN)
    return Graph(shape, lines) if len(lines) <= LINES_AT_MOST else None


@lru_cache(maxsize=16)
def whole_graph(shape: Shape) -> Graph:
    """The graph of all lines of a board."""
    return Graph(shape, tuple(range(shape.lines)))


def _corners_first(shape: Shape, lines: tuple[int, ...]) -> tuple[int, ...]:
    """The lines in an order that puts two of one box to the ground side by side."""
    chosen = set(lines)
    pairs: list[int] = []
    for sides in shape.sides:
        outer = [line for line in sides if line in chosen and len(shape.touching[line]) == 1]
        if len(outer) >= 2:
            pairs += outer[:2]
    return (*pairs, *(line for line in lines if line not in pairs))
