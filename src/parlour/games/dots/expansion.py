"""How the compiled search sees a position: chains, loops, the moves worth trying, and the key it is known by."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

Words = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., object])

# Columns of `frames`: what is known about the position at that depth of the stack.
LINES, TARGET, KEY, SIGNATURE, BOXES, COUNT, NEXT, PLACE, LOW, HIGH, CEILING, BEHIND_LOW, BEHIND_HIGH, FRAME_WIDTH = (
    range(14)
)
# Columns of `moves`: the lines that a move and what is forced after it draw, the boxes it gives for good, the boxes of
# the tail that may be handed back, its ends (for chains), how promising it is, and
# what is known about the position behind it.
DRAWN, GIVEN, TAIL, ONE_END, OTHER_END, PROMISE, KNOWN, MOVE_WIDTH = range(8)
GROUND = 64
"""The number of the ground among the boxes, a bit that no box has."""
LOOPS = 64
"""Where the codes of loops begin among those of chains."""
UNKNOWN = 1000
"""More than any value."""


def compiled(signature: str) -> Callable[[F], F]:
    """A decorator that compiles at once, so that no player waits for it in the middle of a game."""
    caching = bool(numba.config.CACHE_DIR)
    return cast(Callable[[F], F], numba.njit(signature, nogil=True, cache=caching, error_model="numpy"))


def instruction(function: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """A decorator for what becomes a single instruction that numba has no name for."""
    return cast(Callable[[Any], Any], intrinsic(function))


@instruction
def popcount(_context: Any, _word: Any) -> Any:
    """How many bits are set."""
    return types.int64(types.int64), lambda _context, builder, _signature, args: builder.ctpop(args[0])


@instruction
def lowest(_context: Any, _word: Any) -> Any:
    """The number of the lowest bit of a word that is not 0."""

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), generate


@compiled("int64(int64, int64, int64[:, ::1], int64, int64, int64[:, ::1])")
def chains_and_loops(ones: int, twos: int, lengths: Words, chains: int, loops: int, grid: Words) -> int:
    """The value when nothing but chains (row 0, from three boxes) and loops (row 1) is left, each sorted by length.

    `grid[i, j]` is the value without the i shortest chains and the j shortest loops, for one number of short chains.
    """
    shorts = ones + twos
    for short in range(shorts, -1, -1):
        for i in range(chains, -1, -1):
            for j in range(loops, -1, -1):
                best = -UNKNOWN
                if short < shorts:
                    best = -((1 if short < ones else 2) + grid[i, j])
                if i < chains:
                    best = max(best, -(lengths[0, i] - 2 + abs(2 + grid[i + 1, j])))
                if j < loops:
                    best = max(best, -(lengths[1, j] - 4 + abs(4 + grid[i, j + 1])))
                grid[i, j] = 0 if best == -UNKNOWN else best
    return int(grid[0, 0])


@compiled("int64(int64, int64, int64[:, :, ::1])")
def canonical(lines: int, corners: int, turns: Words) -> int:
    """The least of all mirror images, with lone lines of a corner moved to the first of its two places."""
    odd = (lines >> 1) & ~lines & corners
    best = lines ^ (odd | odd << 1)
    for turn in range(turns.shape[0]):
        image, rest = 0, lines
        for byte in range(8):
            image |= turns[turn, byte, rest & 255]
            rest >>= 8
        odd = (image >> 1) & ~image & corners
        best = min(best, image ^ (odd | odd << 1))
    return best


@compiled("void(int64[:, ::1], int64, int64, int64)")
def insert(lengths: Words, row: int, count: int, length: int) -> None:
    """Keep a list of lengths sorted."""
    at = count
    while at > 0 and lengths[row, at - 1] > length:
        lengths[row, at] = lengths[row, at - 1]
        at -= 1
    lengths[row, at] = length


@compiled("int64(int64, int64[::1], int64[:, ::1])")
def strip_key(lines: int, sides: Words, scratch: Words) -> int:
    """The key of a position on a single row of boxes: its pieces, each or its mirror image, sorted.

    A piece is a run of boxes with open lines between them. All that matters of a box is how many of its lines lead to
    the ground: two bits of three, and the third begins a piece.
    """
    count, box, boxes = 0, 0, sides.shape[0]
    while box < boxes:
        if lines & sides[box] == 0:
            box += 1
            continue
        forwards, backwards, place, joined = 0, 0, 1, 0
        while True:
            beyond = lines & sides[box] & sides[box + 1] if box + 1 < boxes else 0
            grounded = popcount(lines & sides[box]) - joined - (beyond != 0)
            forwards = forwards << 3 | grounded
            backwards += grounded * place
            place <<= 3
            box += 1
            if beyond == 0:
                break
            joined = 1
        insert(scratch, 0, count, min(forwards, backwards) | place >> 1)
        count += 1
    key = 0
    for at in range(count):
        rest = scratch[0, at]
        while rest:
            key <<= 3
            rest >>= 3
        key |= scratch[0, at]
    return key


@compiled("void(int64[:, :, ::1], int64, int64, int64, int64, int64, int64, int64)")
def note(moves: Words, depth: int, at: int, drawn: int, given: int, tail: int, one_end: int, other_end: int) -> None:
    """Write a move down."""
    moves[depth, at, DRAWN] = drawn
    moves[depth, at, GIVEN] = given
    moves[depth, at, TAIL] = tail
    moves[depth, at, ONE_END] = one_end
    moves[depth, at, OTHER_END] = other_end


@compiled("int64(int64[:, :, ::1], int64, int64, int64, int64, int64, int64)")
def note_chain(moves: Words, depth: int, count: int, drawn: int, length: int, one_end: int, other_end: int) -> int:
    """Write down the opening of a chain; of those between the same ends that compare, only the shortest."""
    low, high = min(one_end, other_end), max(one_end, other_end)
    tail = 2 if length > 2 else 0
    for at in range(count):
        if moves[depth, at, ONE_END] != low or moves[depth, at, OTHER_END] != high or moves[depth, at, TAIL] != tail:
            continue
        given = moves[depth, at, GIVEN]
        if length - tail == given:
            return count
        if tail > 0:
            if length - tail < given:
                note(moves, depth, at, drawn, length - tail, tail, low, high)
            return count
    note(moves, depth, count, drawn, length - tail, tail, low, high)
    return count + 1


@compiled("UniTuple(int64, 4)(int64, int64[::1])")
def kinds(lines: int, sides: Words) -> tuple[int, int, int, int]:
    """The boxes with two open lines, those with more, the lines around the former, and how many boxes are open."""
    twos, joints, touched, boxes = 0, 0, 0, 0
    for box in range(sides.shape[0]):
        around = lines & sides[box]
        if around:
            boxes += 1
            if popcount(around) == 2:
                twos |= 1 << box
                touched |= around
            else:
                joints |= 1 << box
    return twos, joints, touched, boxes


@compiled("UniTuple(int64, 5)(int64, int64, int64, int64, int64[::1], int64[::1])")
def follow(
    lines: int, start: int, twos: int, joints: int, sides: Words, across: Words
) -> tuple[int, int, int, int, int]:
    """The chain or loop that a box with two open lines is in: its lines, its length and both ends, which are that box
    if it is a loop; and the boxes with two open lines without those in it.
    """
    around = lines & sides[start]
    first = around & -around
    chain, length, one_end, beyond = around, 1, GROUND, GROUND
    for way in range(2):
        box, line = start, around ^ first if way else first
        one_end = beyond
        while True:
            beyond = across[lowest(line)] ^ box
            if beyond >= sides.shape[0] or joints >> beyond & 1:
                break
            if beyond == start:
                return chain, length, start, start, twos
            length += 1
            twos &= ~(1 << beyond)
            line ^= lines & sides[beyond]
            chain |= line
            box = beyond
    return chain, length, one_end, beyond, twos


@compiled("int64(int64[:, :, ::1], int64, int64, int64, int64, int64, int64, int64, int64[::1], int64[::1])")
def note_handle(
    moves: Words,
    depth: int,
    count: int,
    lines: int,
    loop: int,
    length: int,
    joint: int,
    joints: int,
    sides: Words,
    across: Words,
) -> int:
    """Write down the opening of a loop on a handle: its joint falls with it, and then the handle."""
    box, line = joint, lines & sides[joint] & ~loop
    while True:
        loop |= line
        length += 1
        beyond = across[lowest(line)] ^ box
        if beyond >= sides.shape[0] or joints >> beyond & 1:
            break
        line ^= lines & sides[beyond]
        box = beyond
    note(moves, depth, count, loop, length - 2, 2, -1, -1)
    return count + 1


@compiled("int64(int64[:, :, ::1], int64, int64, int64, int64)")
def note_safe(moves: Words, depth: int, count: int, safe: int, corners: int) -> int:
    """Write down the lines that give no box away; of the two in a corner, one."""
    safe &= ~((safe & corners) << 1)
    while safe:
        line = safe & -safe
        safe ^= line
        note(moves, depth, count, line, 0, 0, -1, -1)
        count += 1
    return count


@compiled(
    "int64(int64[:, ::1], int64[:, :, ::1], int64, int64[::1], int64[::1], int64, int64[:, :, ::1], int64[::1], "
    "int64[:, ::1], int64[:, ::1])"
)
def expand(
    frames: Words,
    moves: Words,
    depth: int,
    sides: Words,
    across: Words,
    corners: int,
    turns: Words,
    codes: Words,
    lengths: Words,
    grid: Words,
) -> int:
    """Find the moves worth trying and the position's key. Returns its value where that needs no search, or UNKNOWN."""
    lines = frames[depth, LINES]
    ground = sides.shape[0]
    twos, joints, touched, boxes = kinds(lines, sides)
    frames[depth, BOXES] = boxes
    count, signature, rest = 0, 0, lines
    chains, loops, single, double = 0, 0, 0, 0
    short_lines, chain_lines, loop_lines, shortest_chain, shortest_loop = 0, 0, 0, UNKNOWN, UNKNOWN
    while twos:
        start = lowest(twos)
        twos &= twos - 1
        chain, length, one_end, other_end, twos = follow(lines, start, twos, joints, sides, across)
        if one_end == start:
            rest ^= chain
            signature += codes[LOOPS + length]
            insert(lengths, 1, loops, length)
            loops += 1
            if length < shortest_loop:
                shortest_loop, loop_lines = length, chain
        elif one_end >= ground and other_end >= ground:
            rest ^= chain
            signature += codes[length]
            if length > 2:
                insert(lengths, 0, chains, length)
                chains += 1
                if length < shortest_chain:
                    shortest_chain, chain_lines = length, chain
            elif length == 1:
                single += 1
                short_lines = chain
            else:
                double += 1
                if single == 0:
                    short_lines = chain
        elif one_end == other_end and popcount(lines & sides[one_end]) == 3:
            count = note_handle(moves, depth, count, lines, chain, length, one_end, joints, sides, across)
        else:
            count = note_chain(moves, depth, count, chain, length, one_end, other_end)
    if rest == 0:
        return chains_and_loops(single, double, lengths, chains, loops, grid)
    if single + double > 0:
        note(moves, depth, count, short_lines, 1 if single else 2, 0, -1, -1)
        count += 1
    if chains > 0:
        note(moves, depth, count, chain_lines, shortest_chain - 2, 2, -1, -1)
        count += 1
    if loops > 0:
        note(moves, depth, count, loop_lines, shortest_loop - 4, 4, -1, -1)
        count += 1
    count = note_safe(moves, depth, count, rest & ~touched, corners)
    frames[depth, COUNT] = count
    strip = turns.shape[1] == 0
    frames[depth, KEY] = strip_key(rest, sides, lengths) if strip else canonical(rest, corners, turns)
    frames[depth, SIGNATURE] = np.int32(signature)
    return UNKNOWN
