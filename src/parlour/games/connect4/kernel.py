"""The search of Connect Four as machine code. Importing this compiles it, or loads it from numba's cache.

It answers one question: is a position worth more than `alpha` to the side to move? A position is two bitboards as in
`rules.Shape`, in 64 bits each. The search keeps its own stack, so that it can stop after any number of nodes and go on
later. What makes it small, apart from alpha-beta and a table of positions:

* a side that can make two threats at once, or one on top of the other, has won;
* the moves that make the most threats are tried first;
* `ceiling` below, which ends most lines long before the board is full.

Arrays are handed on as bare pointers: numba counts references to arrays, which would take half of the time.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

Bits = Any
"""A np.uint64. Mixed with a signed number it would turn into a float, hence the constants below."""
Words = Any
"""Many np.uint64 in a row: a pointer in here, an array for `search`."""
Numbers = Any
"""The same of np.int64."""
Shape = tuple[Bits, ...]
F = TypeVar("F", bound=Callable[..., object])

ZERO: Bits = np.uint64(0)
ONE: Bits = np.uint64(1)
TWO: Bits = np.uint64(2)
THREE: Bits = np.uint64(3)
FOUR: Bits = np.uint64(4)
EIGHT: Bits = np.uint64(8)
HALF: Bits = np.uint64(32)
MIXER: Bits = np.uint64(0x9E3779B97F4A7C15)

WAYS = 4
"""Entries that share a place in a table, and a line of the processor's cache."""
DEEP = 22
"""Positions with at most so many empty cells go to the small table, which stays in the cache; the others are few."""
PEEK = 16
"""With more empty cells than this, the table is asked about all moves before the first of them is searched."""
UNKNOWN = 99
"""More than any value."""

# An entry: 49 bits of the mixed key (its place in the table tells the others, so that no two positions are ever
# confused), then a lower and an upper bound, each 32 too high so that no entry is 0, then how much work it saves.
TAG: Bits = np.uint64(15)
LOW: Bits = np.uint64(9)
HIGH: Bits = np.uint64(3)
BOUND: Bits = np.uint64(63)
WORK: Bits = np.uint64(7)
FEWEST = WAYS << 15
"""Entries a table must have: with fewer places a tag would not be all the rest of a key."""

# Words of `shape`.
WIDTH, PITCH, BOTTOM, BOARD, LOWER, UPPER, ABOVE2, ABOVE4, ABOVE8 = range(9)
# `boards` and `frames` have LEVEL words for each position on the way to the one that is looked at.
LEVEL = 32
# In `boards`: the position, its mixed key, its moves from the most promising one.
OWN, TAKEN, KEY, MOVES = range(4)
# In `frames`: empty cells and question; what is known; moves, and how many of them are done; nodes before it.
EMPTY, ALPHA, LEAST, MOST, BEST, COUNT, NEXT, BEGAN, SCORES = range(9)
# Words of `state`.
DEPTH, ENTERING, RESULT, NODES, HORIZON = range(5)


def compiled(signature: str) -> Callable[[F], F]:
    """A decorator that compiles at once, so that no player waits for it in the middle of a game."""
    for name, meaning in (("Words", "CPointer(uint64)"), ("Numbers", "CPointer(int64)"), ("Bits", "uint64")):
        signature = signature.replace(name, meaning)
    signature = signature.replace("Shape", "UniTuple(uint64, 9)")
    caching = bool(numba.config.CACHE_DIR)
    return cast(Callable[[F], F], numba.njit(signature, nogil=True, cache=caching, forceinline=True))


@intrinsic  # type: ignore[untyped-decorator]
def popcount(_context: Any, _word: Any) -> Any:
    """How many bits are set: one instruction, for which numba has no name."""
    return types.int64(types.uint64), lambda _context, builder, _signature, args: builder.ctpop(args[0])


@intrinsic  # type: ignore[untyped-decorator]
def bit_length(_context: Any, _word: Any) -> Any:
    """Of a word that is not 0."""

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], context.get_constant(types.boolean, True))
        return builder.sub(context.get_constant(types.int64, 64), zeros)

    return types.int64(types.uint64), generate


@compiled("Bits(Bits, Bits)")
def along(discs: Bits, shift: Bits) -> Bits:
    """The cells that would complete a four in one direction."""
    twice, thrice = shift + shift, shift + shift + shift
    pair = (discs << shift) & (discs << twice)
    found = pair & ((discs << thrice) | (discs >> shift))
    pair = (discs >> shift) & (discs >> twice)
    return found | (pair & ((discs >> thrice) | (discs << shift)))


@compiled("Bits(Bits, Bits)")
def completing(discs: Bits, pitch: Bits) -> Bits:
    """Every cell, taken or not, that would give these discs a four; spare bits may be among them."""
    upright = (discs << ONE) & (discs << TWO) & (discs << THREE)
    return upright | along(discs, pitch) | along(discs, pitch - ONE) | along(discs, pitch + ONE)


@compiled("Bits(Bits, Bits)")
def in_line(cells: Bits, shift: Bits) -> Bits:
    """Not 0 if four of these cells are in line in one direction."""
    pairs = cells & (cells >> shift)
    return pairs & (pairs >> (shift + shift))


@compiled("boolean(Bits, Bits)")
def has_four(cells: Bits, pitch: Bits) -> bool:
    """Whether there is a four among these cells."""
    flat = in_line(cells, ONE) | in_line(cells, pitch)
    return bool((flat | in_line(cells, pitch - ONE) | in_line(cells, pitch + ONE)) != ZERO)


@compiled("Bits(Bits, Shape)")
def and_above(cells: Bits, shape: Shape) -> Bits:
    """These cells and everything above them in their columns."""
    cells |= (cells << ONE) & shape[BOARD]
    cells |= (cells << TWO) & shape[ABOVE2]
    cells |= (cells << FOUR) & shape[ABOVE4]
    return cells | ((cells << EIGHT) & shape[ABOVE8])


@compiled("int64(Bits, Bits, Bits, Bits, int64, Words, Shape)")
def ceiling(own: Bits, other: Bits, playable: Bits, threats: Bits, empty: int, columns: Words, shape: Shape) -> int:
    """At most so much is a position worth to the side to move because the other side can follow up; or UNKNOWN.

    To follow up is to play on top of the disc just played. With an even number of empty cells the other side then gets
    the top cell of every column, the third from the top and so on: the `upper` cells. Columns with an odd number of
    empty cells come in pairs, and the bottom of one answers the bottom of the other. So the side to move gets `lower`
    cells and what is playable now; and nothing above an upper cell that completes a four of the other side, for it
    loses when it fills the cell below. If there is no four for it in all that, it cannot win; and if there is such a
    cell, it loses at the latest when nothing is left but the cells from below it to the top.

    With an odd number of empty cells the same holds if the other side has a threat in a lower cell: the part of the
    column that can be filled is then one cell longer or shorter, which makes the number even again.

    `threats` are the empty cells that complete a four of the other side.
    """
    pitch = shape[PITCH]
    free = shape[BOARD] & ~(own | other)
    lower, upper = free & shape[LOWER], free & shape[UPPER]
    even = threats & upper & ~playable
    if empty & 1 == 0:
        closed = and_above(even, shape)
        if has_four(own | ((playable | lower) & ~closed), pitch):
            return UNKNOWN
        if even != ZERO:
            return -int(popcount(closed | (even >> ONE)) >> 1)
        return -1 if has_four(other | (upper & ~playable), pitch) else 0
    odd = threats & lower & ~playable
    if odd == ZERO:
        return UNKNOWN
    for at in range(np.int64(shape[WIDTH])):
        column = columns[at]
        lock = odd & column
        if lock == ZERO:
            continue
        locks = (lock & (~lock + ONE)) | (even & ~column)
        closed = and_above(locks, shape)
        if not has_four(own | ((playable | (lower & ~column) | (upper & column)) & ~closed), pitch):
            return -int(popcount(closed | (locks >> ONE)) >> 1)
    return UNKNOWN


@compiled("Bits(Bits, Bits, int64, Shape)")
def mixed(own: Bits, taken: Bits, empty: int, shape: Shape) -> Bits:
    """The key of a position, and of its mirror image while that may well turn up, spread over 64 bits."""
    key = own + taken
    if empty > DEEP:
        pitch = shape[PITCH]
        ones = (ONE << pitch) - ONE
        rest, twin = key, ZERO
        for _ in range(np.int64(shape[WIDTH])):
            twin = (twin << pitch) | (rest & ones)
            rest >>= pitch
        key = min(key, twin)
    return (key ^ (key >> HALF)) * MIXER


@compiled("Bits(Words, Bits, Bits)")
def recalled(table: Words, key: Bits, shift: Bits) -> Bits:
    """The entry for this key, or 0."""
    first: Any = np.int64((key >> shift) << TWO)
    for at in range(first, first + WAYS):
        if (table[at] ^ (key << TAG)) >> TAG == ZERO:
            return table[at]
    return ZERO


@compiled("void(Words, Bits, Bits, Bits)")
def remember(table: Words, key: Bits, shift: Bits, entry: Bits) -> None:
    """Put an entry where this key's is, or else where the least work is lost."""
    first: Any = np.int64((key >> shift) << TWO)
    worst, least = first, table[first] & WORK
    for at in range(first, first + WAYS):
        if (table[at] ^ entry) >> TAG == ZERO:
            worst = at
            break
        if table[at] & WORK < least:
            worst, least = at, table[at] & WORK
    table[worst] = entry


@compiled("Bits(Words, Words, Bits, int64, Bits, Bits)")
def known(shallow: Words, deep: Words, key: Bits, empty: int, shallow_shift: Bits, deep_shift: Bits) -> Bits:
    """What the table for positions with so many empty cells has about this key."""
    return recalled(shallow, key, shallow_shift) if empty > DEEP else recalled(deep, key, deep_shift)


@compiled("int64(Bits, Bits, Bits, int64, int64, int64, Words, Numbers, Words, Shape)")
def sort_moves(
    own: Bits, taken: Bits, moves: Bits, empty: int, alpha: int, here: int,
    boards: Words, frames: Numbers, columns: Words, shape: Shape,
) -> int:  # fmt: skip
    """Put the moves in order and count them; or, if one is seen to be worth more than alpha, UNKNOWN plus its worth."""
    pitch, bottom, board = shape[PITCH], shape[BOTTOM], shape[BOARD]
    other = own ^ taken
    count = 0
    for at in range(np.int64(shape[WIDTH])):
        move = moves & columns[at]
        if move == ZERO:
            continue
        after = taken | move
        playable = (after + bottom) & board
        threats = completing(own | move, pitch) & board & ~after
        urgent = threats & playable
        if urgent != ZERO and ((urgent & (urgent - ONE)) | (threats & (urgent << ONE))) != ZERO:
            return UNKNOWN + ((empty - 1) >> 1)
        worth = -ceiling(other, own | move, playable, threats, empty - 1, columns, shape)
        if worth > alpha:
            return UNKNOWN + worth
        # An urgent threat counts for less: it is gone as soon as it is answered.
        score = popcount(threats) * 2 - (1 if urgent != ZERO else 0)
        slot = here + count
        while slot > here and frames[SCORES + slot - 1] < score:
            frames[SCORES + slot] = frames[SCORES + slot - 1]
            boards[MOVES + slot] = boards[MOVES + slot - 1]
            slot -= 1
        frames[SCORES + slot] = score
        boards[MOVES + slot] = move
        count += 1
    return count


@compiled("boolean(Words, Words, Bits, Bits, Words, Numbers, int64, int64, Words, Shape)")
def settled(
    shallow: Words, deep: Words, shallow_shift: Bits, deep_shift: Bits,
    boards: Words, frames: Numbers, here: int, horizon: int, columns: Words, shape: Shape,
) -> bool:  # fmt: skip
    """Look at a position for the first time. True if BEST answers the question; otherwise its moves are in order.

    The side to move cannot win at once: no move that allows that is ever made, or asked about.
    """
    own, taken = boards[here + OWN], boards[here + TAKEN]
    empty, alpha = frames[here + EMPTY], frames[here + ALPHA]
    pitch, board = shape[PITCH], shape[BOARD]
    playable = (taken + shape[BOTTOM]) & board
    losing = completing(own ^ taken, pitch) & board & ~taken
    forced = playable & losing
    # A disc right below the other side's fourth cell hands it over; two threats cannot both be met.
    moves = (forced if forced != ZERO else playable) & ~(losing >> ONE)
    if moves == ZERO or (forced != ZERO and forced & (forced - ONE) != ZERO):
        frames[here + BEST] = -(empty >> 1)
        return True
    low, high = -((empty - 2) >> 1), (empty - 1) >> 1
    if empty <= horizon:
        low = high = 0
    if low <= alpha < high:
        key = mixed(own, taken, empty, shape)
        entry = known(shallow, deep, key, empty, shallow_shift, deep_shift)
        if entry != ZERO:
            low = max(low, np.int64((entry >> LOW) & BOUND) - 32)
            high = min(high, np.int64((entry >> HIGH) & BOUND) - 32)
    if low > alpha or high <= alpha:
        frames[here + BEST] = low if low > alpha else high
        return True
    count = sort_moves(own, taken, moves, empty, alpha, here, boards, frames, columns, shape)
    if count > UNKNOWN - 40:
        low = max(low, count - UNKNOWN)
    elif empty > PEEK and count > 1:
        for at in range(here + MOVES, here + MOVES + count):
            twin = mixed(own ^ taken, taken | boards[at], empty - 1, shape)
            entry = known(shallow, deep, twin, empty - 1, shallow_shift, deep_shift)
            if entry != ZERO and 32 - np.int64((entry >> HIGH) & BOUND) > alpha:
                low = 32 - np.int64((entry >> HIGH) & BOUND)
                break
    boards[here + KEY] = key
    frames[here + LEAST], frames[here + MOST] = low, high
    frames[here + COUNT], frames[here + NEXT] = count, 0
    frames[here + BEST] = -UNKNOWN
    return False


@compiled("boolean(Words, Words, Bits, Bits, Words, Numbers, Numbers, Words, Shape, int64)")
def run(
    shallow: Words, deep: Words, shallow_shift: Bits, deep_shift: Bits,
    boards: Words, frames: Numbers, state: Numbers, columns: Words, shape: Shape, limit: int,
) -> bool:  # fmt: skip
    """The loop of `search`: down into the next move, or back up with a result."""
    here, entering, result, nodes = state[DEPTH] * LEVEL, state[ENTERING], state[RESULT], state[NODES]
    finished = False
    while True:
        if entering:
            if nodes >= limit:
                break
            frames[here + BEGAN] = nodes
            nodes += 1
            entering = 0
            if settled(shallow, deep, shallow_shift, deep_shift, boards, frames, here, state[HORIZON], columns, shape):
                result = frames[here + BEST]
            elif frames[here + LEAST] > frames[here + ALPHA]:
                result = frames[here + BEST] = frames[here + LEAST]
                entering = -1
            else:
                entering = 1
        else:
            if here == 0:
                finished = True
                break
            here -= LEVEL
            result = -result
            frames[here + BEST] = max(frames[here + BEST], result)
            if result > frames[here + ALPHA]:
                frames[here + LEAST] = max(frames[here + LEAST], result)
                entering = -1
            elif frames[here + NEXT] == frames[here + COUNT]:
                frames[here + MOST] = min(frames[here + MOST], frames[here + BEST])
                entering = -1
            else:
                entering = 1
        if entering == 1:
            move = boards[here + MOVES + frames[here + NEXT]]
            frames[here + NEXT] += 1
            boards[here + LEVEL + OWN] = boards[here + OWN] ^ boards[here + TAKEN]
            boards[here + LEVEL + TAKEN] = boards[here + TAKEN] | move
            frames[here + LEVEL + EMPTY] = frames[here + EMPTY] - 1
            frames[here + LEVEL + ALPHA] = -frames[here + ALPHA] - 1
            here += LEVEL
        elif entering == -1:
            result = frames[here + BEST]
            entering = 0
            key = boards[here + KEY]
            work = np.uint64(min(7, bit_length(np.uint64(nodes - frames[here + BEGAN] + 1)) >> 1))
            low, high = np.uint64(frames[here + LEAST] + 32), np.uint64(frames[here + MOST] + 32)
            entry = (key << TAG) | (low << LOW) | (high << HIGH) | work
            if frames[here + EMPTY] > DEEP:
                remember(shallow, key, shallow_shift, entry)
            else:
                remember(deep, key, deep_shift, entry)
    state[DEPTH], state[ENTERING], state[RESULT], state[NODES] = here // LEVEL, entering, result, nodes
    return finished


@compiled("uint64(uint64[::1])")
def place_shift(table: Words) -> Bits:
    """By how much to shift a key so that its place in the table is left."""
    return np.uint64(66 - bit_length(np.uint64(len(table) - 1)))


@compiled("boolean(uint64[::1], uint64[::1], uint64[::1], int64[::1], int64[::1], uint64[::1], uint64[::1], int64)")
def search(
    shallow: Words, deep: Words, boards: Words, frames: Numbers, state: Numbers,
    columns: Words, shape: Words, limit: int,
) -> bool:  # fmt: skip
    """Go on until the question at the bottom of the stack is answered, or so many nodes are seen; whether it is.

    RESULT is then above ALPHA and no more than the value, or not above ALPHA and no less than the value. Positions
    with no more than HORIZON empty cells count as drawn unless they are seen to be decided: 2 makes all that exact.
    """
    words = (shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], shape[6], shape[7], shape[8])
    return run(
        shallow.ctypes, deep.ctypes, place_shift(shallow), place_shift(deep),
        boards.ctypes, frames.ctypes, state.ctypes, columns.ctypes, words, limit,
    )  # fmt: skip
