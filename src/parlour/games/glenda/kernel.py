"""The provers of Glendy as machine code. Importing this compiles it, or loads it from numba's cache.

`plain.py` has the same search in a few lines of Python, and says why it is right. Here the 121 cells, row by row, are
two words: LOW holds the first 61, HIGH the other 60. Everything that is remembered lives in one array of words, so
that it outlives a call: a search that runs out of nodes is simply asked again and finds its way back in no time.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from parlour.games.glenda.board import CELLS, SIZE, beside, inside

Words = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., object])

COUNT = SIZE * SIZE
LOW_CELLS = 61
HIGH_CELLS = COUNT - LOW_CELLS
LOW = (1 << LOW_CELLS) - 1
HIGH = (1 << HIGH_CELLS) - 1
ESCAPE, LAST = 0, 1
"""What may be asked of glenda: to reach the rim within k steps, or to be alive after k walls."""
FAILED, HELD, STOPPED = 0, 1, -1

PATTERNS = 16
"""Proofs remembered for each cell and question."""
TABLE_BITS = 18

# Where things are in the memory. ZONE_* and WALL are answers, LIMIT is where to stop.
NODES, LIMIT, ZONE_LOW, ZONE_HIGH, WALL = range(5)
NEAR = 8
LAYERS = NEAR + 2 * COUNT
STACK = LAYERS + 2 * COUNT  # every round of ranks adds a cell
STACK_WIDTH = 8
DEEPEST = 96
HISTORY = STACK + STACK_WIDTH * DEEPEST
PROOFS = HISTORY + 2 * COUNT * COUNT
PROOF_WIDTH = 3
TURNS = PROOFS + 2 * COUNT * PATTERNS * PROOF_WIDTH
TABLE = TURNS + 2 * COUNT
ENTRY_WIDTH = 3
TOTAL = TABLE + (ENTRY_WIDTH << TABLE_BITS)
# The third word of a table's entry: a cell in seven bits, a proven trap, and within how many steps there is no escape.
# An empty entry looks like one for cell 0, a corner, about which there is never a question.
CELL, TRAPPED, STEPS = 127, 128, 8

FIRST_MIXER, SECOND_MIXER, THIRD_MIXER = 0x1E3779B97F4A7C15, 0x2545F4914F6CDD1D, 0x1B873593CC9E2D51


def halves(cells: int) -> tuple[int, int]:
    """A set of cells, one bit each in rows of eleven, as two words."""
    return cells & LOW, cells >> LOW_CELLS


def _where(wanted: Callable[[int, int], bool]) -> tuple[int, int]:
    return halves(sum(1 << y * SIZE + x for x, y in CELLS if wanted(x, y)))


RIM_LOW, RIM_HIGH = _where(lambda x, y: x in (0, SIZE - 1) or y in (0, SIZE - 1))
INNER_WEST_LOW, INNER_WEST_HIGH = _where(lambda x, _: x > 0)
INNER_EAST_LOW, INNER_EAST_HIGH = _where(lambda x, _: x < SIZE - 1)
ODD_LOW, ODD_HIGH = _where(lambda x, y: y % 2 == 1 and x < SIZE - 1)
EVEN_LOW, EVEN_HIGH = _where(lambda x, y: y % 2 == 0 and x > 0)


def memory() -> Words:
    """An empty memory: only the neighbours of every cell are in it."""
    words = np.zeros(TOTAL, dtype=np.int64)
    for x, y in CELLS:
        near = sum(1 << there_y * SIZE + there_x for there_x, there_y in beside(x, y) if inside(there_x, there_y))
        at = NEAR + 2 * (y * SIZE + x)
        words[at], words[at + 1] = halves(near)
    return words


def compiled(signature: str) -> Callable[[F], F]:
    """A decorator that compiles at once, so that no player waits for it in the middle of a game."""
    caching = bool(numba.config.CACHE_DIR)
    signature = signature.replace("Words", "int64[::1]")
    return cast(Callable[[F], F], numba.njit(signature, nogil=True, cache=caching))


@intrinsic  # type: ignore[untyped-decorator]
def _lowest(_context: Any, _word: Any) -> Any:
    """The number of the lowest bit of a word that is not 0: one instruction that numba has no name for."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001 - numba hands it over
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), generate


@compiled("int64(int64, int64)")
def lowest(low: int, high: int) -> int:
    """The first cell of a set that is not empty."""
    cell: int = _lowest(low) if low else LOW_CELLS + _lowest(high)
    return cell


@compiled("UniTuple(int64, 2)(int64)")
def single(cell: int) -> tuple[int, int]:
    """The set of one cell."""
    if cell < LOW_CELLS:
        return 1 << cell, 0
    return 0, 1 << cell - LOW_CELLS


@compiled("UniTuple(int64, 2)(int64, int64, int64, int64)")
def twice(low: int, high: int, free_low: int, free_high: int) -> tuple[int, int]:
    """The free cells that have at least two neighbours in a set.

    The set is shifted six ways so that a neighbour comes to lie on the cell; `one` and `two` count up to two.
    """
    part, rest = low & INNER_WEST_LOW, high & INNER_WEST_HIGH  # in the east
    one_low, one_high = part >> 1 | rest << 60 & LOW, rest >> 1
    part, rest = low & INNER_EAST_LOW, high & INNER_EAST_HIGH  # in the west
    next_low, next_high = part << 1 & LOW, (rest << 1 | part >> 60) & HIGH
    two_low, two_high = one_low & next_low, one_high & next_high
    one_low |= next_low
    one_high |= next_high
    next_low, next_high = low << 11 & LOW, (high << 11 | low >> 50) & HIGH  # above, with the same x
    two_low |= one_low & next_low
    two_high |= one_high & next_high
    one_low |= next_low
    one_high |= next_high
    next_low, next_high = low >> 11 | high << 50 & LOW, high >> 11  # below, with the same x
    two_low |= one_low & next_low
    two_high |= one_high & next_high
    one_low |= next_low
    one_high |= next_high
    part, rest = low & ODD_LOW, high & ODD_HIGH  # seen from an even row, x is one less
    less, more = low & EVEN_LOW, high & EVEN_HIGH  # seen from an odd row, x is one more
    next_low = (part << 12 | less << 10) & LOW  # above
    next_high = (rest << 12 | part >> 49 | more << 10 | less >> 51) & HIGH
    two_low |= one_low & next_low
    two_high |= one_high & next_high
    one_low |= next_low
    one_high |= next_high
    next_low = part >> 10 | rest << 51 & LOW | less >> 12 | more << 49 & LOW  # below
    next_high = rest >> 10 | more >> 12
    two_low |= one_low & next_low
    two_high |= one_high & next_high
    return two_low & free_low, two_high & free_high


@compiled("void(int64, int64, Words)")
def support(at: int, rank: int, memory: Words) -> None:
    """The zone of a cell that is in X: two neighbours of lower rank for it, two for each of those, down to the rim."""
    low, high = single(at)
    while rank > 0:
        below = LAYERS + 2 * rank - 2
        under_low, under_high = memory[below], memory[below + 1]
        todo_low = low & memory[below + 2] & ~under_low
        todo_high = high & memory[below + 3] & ~under_high
        while todo_low | todo_high:
            cell = lowest(todo_low, todo_high)
            if todo_low:
                todo_low &= todo_low - 1
            else:
                todo_high &= todo_high - 1
            near_low = memory[NEAR + 2 * cell] & under_low
            near_high = memory[NEAR + 2 * cell + 1] & under_high
            missing = 2
            has_low, has_high = near_low & low, near_high & high
            while missing and has_low | has_high:
                missing -= 1
                if has_low:
                    has_low &= has_low - 1
                else:
                    has_high &= has_high - 1
            near_low &= ~low
            near_high &= ~high
            layer = LAYERS
            while missing:
                one_low, one_high = near_low & memory[layer], near_high & memory[layer + 1]
                if one_low:
                    one_low &= -one_low
                    low |= one_low
                    near_low ^= one_low
                    missing -= 1
                elif one_high:
                    one_high &= -one_high
                    high |= one_high
                    near_high ^= one_high
                    missing -= 1
                else:
                    layer += 2
        rank -= 1
    memory[ZONE_LOW], memory[ZONE_HIGH] = low, high


@compiled("int64(int64, int64, int64, int64, int64, int64, Words)")
def steps(at: int, low: int, high: int, k: int, question: int, ply: int, memory: Words) -> int:
    """Glenda's steps that are worth a look, lowest rank first, on this ply's stack; -1 if one of them settles it."""
    free_low, free_high = LOW & ~low, HIGH & ~high
    near_low, near_high = memory[NEAR + 2 * at] & free_low, memory[NEAR + 2 * at + 1] & free_high
    set_low, set_high = free_low & RIM_LOW, free_high & RIM_HIGH
    if near_low & set_low | near_high & set_high:
        memory[ZONE_LOW], memory[ZONE_HIGH] = single(lowest(near_low & set_low, near_high & set_high))
        return -1
    memory[LAYERS], memory[LAYERS + 1] = set_low, set_high
    rank, count, base = 1, 0, STACK + STACK_WIDTH * ply
    while near_low | near_high and (question == LAST or rank < k):
        new_low, new_high = twice(set_low, set_high, free_low & ~set_low, free_high & ~set_high)
        if not new_low | new_high:
            break
        set_low |= new_low
        set_high |= new_high
        memory[LAYERS + 2 * rank], memory[LAYERS + 2 * rank + 1] = set_low, set_high
        new_low &= near_low
        new_high &= near_high
        if new_low | new_high:
            if rank == 1 or (question == LAST and k == 1):
                support(lowest(new_low, new_high), rank, memory)
                return -1
            near_low ^= new_low
            near_high ^= new_high
            while new_low | new_high:
                memory[base + count] = lowest(new_low, new_high)
                count += 1
                if new_low:
                    new_low &= new_low - 1
                else:
                    new_high &= new_high - 1
        rank += 1
    return count


@compiled("int64(int64, int64, int64, int64, int64, Words)")
def known(at: int, low: int, high: int, k: int, question: int, memory: Words) -> int:
    """Whether a remembered proof holds here too, because no wall stands in its zone."""
    proof = PROOFS + (question * COUNT + at) * PATTERNS * PROOF_WIDTH
    for _ in range(PATTERNS):
        proven = memory[proof]
        if not proven:
            return FAILED
        fits = proven <= k if question == ESCAPE else proven >= k
        if fits and not memory[proof + 1] & low | memory[proof + 2] & high:
            memory[ZONE_LOW], memory[ZONE_HIGH] = memory[proof + 1], memory[proof + 2]
            return HELD
        proof += PROOF_WIDTH
    return FAILED


@compiled("void(int64, int64, int64, Words)")
def learn(at: int, k: int, question: int, memory: Words) -> None:
    """Remember the proof whose zone is in the answer, in the place of the oldest."""
    row = question * COUNT + at
    turn = memory[TURNS + row]
    memory[TURNS + row] = (turn + 1) % PATTERNS
    proof = PROOFS + (row * PATTERNS + turn) * PROOF_WIDTH
    memory[proof], memory[proof + 1], memory[proof + 2] = k, memory[ZONE_LOW], memory[ZONE_HIGH]


@compiled("int64(int64, int64, int64)")
def entry(at: int, low: int, high: int) -> int:
    """Where a position is in the table."""
    mixed = low * FIRST_MIXER + high * SECOND_MIXER + at * THIRD_MIXER
    mixed = (mixed ^ mixed >> 32) * FIRST_MIXER
    return TABLE + ENTRY_WIDTH * (mixed >> 62 - TABLE_BITS & (1 << TABLE_BITS) - 1)


@compiled("int64(int64, int64, int64, Words)")
def likely(low: int, high: int, row: int, memory: Words) -> int:
    """The wall that has most often been the answer to glenda on this cell."""
    best, most = 0, -1
    while low | high:
        cell = lowest(low, high)
        if low:
            low &= low - 1
        else:
            high &= high - 1
        if memory[row + cell] > most:
            best, most = cell, memory[row + cell]
    return best


@compiled("int64(int64, int64, int64, int64, int64, int64, Words)")
def holds(at: int, low: int, high: int, k: int, question: int, ply: int, memory: Words) -> int:
    """Whether glenda holds with the trapper to move; see `plain.Prover.holds`."""
    memory[NODES] += 1
    if memory[NODES] > memory[LIMIT]:
        return STOPPED
    if known(at, low, high, k, question, memory) or (
        question == LAST and known(at, low, high, DEEPEST, ESCAPE, memory)
    ):
        return HELD
    place = entry(at, low, high)
    fate = memory[place + 2]
    hopeless = fate & TRAPPED or (question == ESCAPE and fate >> STEPS >= k)
    if ply and hopeless and fate & CELL == at and memory[place] == low and memory[place + 1] == high:
        return FAILED
    row = HISTORY + (question * COUNT + at) * COUNT
    base = STACK + STACK_WIDTH * ply
    here_low, here_high = single(at)
    must_low, must_high = LOW ^ here_low, HIGH ^ here_high
    zone_low = zone_high = wall_low = wall_high = 0
    wall = -1
    while True:
        walls_low, walls_high = low | wall_low, high | wall_high
        count = steps(at, walls_low, walls_high, k, question, ply, memory)
        held = FAILED if count >= 0 else HELD
        for look in range(2):  # a proof remembered for the last step saves searching the first
            for turn in range(count):
                if held:
                    break
                cell = memory[base + turn]
                if look:
                    held = holds(cell, walls_low, walls_high, k - 1, question, ply + 1, memory)
                    if held == STOPPED:
                        return STOPPED
                else:
                    held = known(cell, walls_low, walls_high, k - 1, question, memory)
                if held:
                    step_low, step_high = single(cell)
                    memory[ZONE_LOW] |= step_low
                    memory[ZONE_HIGH] |= step_high
        if not held:
            if wall >= 0:
                memory[row + wall] += k * k
            memory[place], memory[place + 1] = low, high
            memory[place + 2] = at | TRAPPED if question == LAST else at | k << STEPS
            if not ply:
                memory[WALL] = wall
            return FAILED
        zone_low |= memory[ZONE_LOW]
        zone_high |= memory[ZONE_HIGH]
        must_low &= memory[ZONE_LOW]
        must_high &= memory[ZONE_HIGH]
        if not must_low | must_high:
            memory[ZONE_LOW], memory[ZONE_HIGH] = zone_low, zone_high
            learn(at, k, question, memory)
            return HELD
        wall = likely(must_low, must_high, row, memory)
        wall_low, wall_high = single(wall)
