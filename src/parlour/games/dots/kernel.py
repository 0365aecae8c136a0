"""The exact search of dots and boxes as machine code. Importing this compiles it, or loads it from numba's cache.

It answers one question: is the side to move worth at least `target` boxes, won minus lost from here to the end? A
position is a set of open lines in 63 bits, seen as strings and coins: boxes are coins, open lines are strings between
two of them or to the ground. No box of it lacks just one line: `graph.settle` has taken those. The search keeps its own
stack, so that it can stop after any number of nodes and go on later.

What makes it small (docs/engines/dots.md has the reasons):

* boxes with two open lines form chains and loops; all openings of one are alike, and what follows is forced: the other
  takes all of it, or all but the last two (four of a loop), so that a move is worth -(given + |tail + rest|);
* of chains and loops that nothing else touches only the shortest need be opened, and only their lengths matter;
* when nothing but such chains and loops is left, a small sum over their lengths replaces the search;
* mirrored boards are one, and so are the two lines in a corner;
* bounds of positions are kept in two tables: a big one for what is equal in all these ways, and a small one that is
  asked about all moves of a position before the first of them is searched.
"""

from parlour.games.dots.expansion import (
    BEHIND_HIGH,
    BEHIND_LOW,
    BOXES,
    CEILING,
    COUNT,
    DRAWN,
    GIVEN,
    HIGH,
    KEY,
    KNOWN,
    LINES,
    LOW,
    NEXT,
    PLACE,
    PROMISE,
    SIGNATURE,
    TAIL,
    TARGET,
    UNKNOWN,
    Words,
    compiled,
    expand,
    lowest,
    popcount,
)

# Words of `state`.
DEPTH, NODES, BEST, ANSWER_LOW, ANSWER_HIGH, STATE_WIDTH = range(6)
ENTERING, GOING_ON, LEAVING = range(3)

NOTHING = 1 << 40
"""In place of bounds that are not known."""
MOST_MERIT = 60_000
"""Lines gain merit when they succeed and lose it when they fail, the more the earlier in the game."""
WAYS = 4
"""Entries that share a place in the big table."""
MIXER = -7046029254386353131
SECOND_MIXER = -4417276706812531889


@compiled("int64(int64, int64)")
def near_place(lines: int, size: int) -> int:
    """Where the small table has room for a position: the first of two entries."""
    return ((lines * MIXER) >> 31 & 0xFFFFFFFF) * (size >> 1) >> 32 << 1


@compiled("int64(int64, int64, int64)")
def place(key: int, signature: int, size: int) -> int:
    """Where the big table has room for a position: the first of its WAYS entries."""
    mixed = (key * MIXER) ^ (signature * SECOND_MIXER)
    mixed = (mixed ^ (mixed >> 32 & 0xFFFFFFFF)) * MIXER
    return ((mixed >> 28 & 0xFFFFFFFF) * (size // WAYS) >> 32) * WAYS


@compiled("int64(int64, int64)")
def both(low: int, high: int) -> int:
    """Two bounds in one word."""
    return (low & 255) << 8 | (high & 255)


@compiled("int64(int64)")
def lower(word: int) -> int:
    """The lower of two bounds in one word."""
    return (word >> 8 & 255 ^ 128) - 128


@compiled("int64(int64)")
def upper(word: int) -> int:
    """The upper of two bounds in one word."""
    return (word & 255 ^ 128) - 128


@compiled("int64(int64[:, ::1], int64)")
def known_near(near: Words, lines: int) -> int:
    """What the small table knows about a position, or NOTHING."""
    at = near_place(lines, near.shape[0])
    if near[at, 0] == lines:
        return int(near[at, 1])
    return int(near[at + 1, 1]) if near[at + 1, 0] == lines else NOTHING


@compiled("void(int64[:, ::1], int64, int64, int64)")
def remember_near(near: Words, lines: int, low: int, high: int) -> None:
    """Put a position into the small table: in the first entry if it saves most work there, otherwise in the second."""
    at = near_place(lines, near.shape[0])
    if near[at, 0] != lines and popcount(near[at, 0]) > popcount(lines):
        at += 1
    near[at, 0] = lines
    near[at, 1] = both(low, high)


@compiled("int64(int64[:, ::1], int64, int64, int64)")
def find(far: Words, at: int, key: int, signature: int) -> int:
    """The entry of a position in the big table, or -1."""
    for entry in range(at, at + WAYS):
        if far[entry, 0] == key and far[entry, 1] >> 16 == signature:
            return entry
    return -1


@compiled("void(int64[:, ::1], int64, int64[:, ::1])")
def remember(frames: Words, depth: int, far: Words) -> None:
    """Put a position into the big table, in place of itself or of the one that saves least work."""
    key, signature, at = frames[depth, KEY], frames[depth, SIGNATURE], frames[depth, PLACE]
    entry = find(far, at, key, signature)
    if entry < 0:
        least = UNKNOWN
        for other in range(at, at + WAYS):
            work = popcount(far[other, 0])
            if work < least:
                least, entry = work, other
        far[entry, 0] = key
    far[entry, 1] = signature << 16 | both(frames[depth, LOW], frames[depth, HIGH])


@compiled("int64(int64, int64, int64)")
def nearest(tail: int, low: int, high: int) -> int:
    """The least |tail + rest| for a rest between two bounds."""
    if tail + low > 0:
        return tail + low
    return -(tail + high) if tail + high < 0 else 0


@compiled("int64(int64, int64, int64, int64)")
def at_most(given: int, tail: int, low: int, high: int) -> int:
    """An upper bound of a move's value, from bounds of the position behind it."""
    return -given - (nearest(tail, low, high) if tail else low)


@compiled("int64(int64, int64, int64, int64)")
def at_least(given: int, tail: int, low: int, high: int) -> int:
    """A lower bound of a move's value."""
    return -given - (max(abs(tail + low), abs(tail + high)) if tail else high)


@compiled("int64(int64[:, ::1], int64[:, :, ::1], int64, int64[::1], int64[:, ::1])")
def foresee(frames: Words, moves: Words, depth: int, merits: Words, near: Words) -> int:
    """Drop moves that are known to fail and sort the others; the lines of one that is known to succeed, or 0."""
    lines, target, count = frames[depth, LINES], frames[depth, TARGET], frames[depth, COUNT]
    for at in range(count):  # a loop of its own, so that the processor waits for many words of memory at once
        moves[depth, at, KNOWN] = known_near(near, lines & ~moves[depth, at, DRAWN])
    kept, highest = 0, -UNKNOWN
    for at in range(count):
        drawn, given, tail = moves[depth, at, DRAWN], moves[depth, at, GIVEN], moves[depth, at, TAIL]
        if tail > 0 and -given < target:
            highest = max(highest, -given)
            continue
        known = moves[depth, at, KNOWN]
        if known != NOTHING:
            low, high = lower(known), upper(known)
            least = at_least(given, tail, low, high)
            if least >= target:
                frames[depth, LOW] = max(frames[depth, LOW], least)
                return int(drawn)
            most = at_most(given, tail, low, high)
            if most < target:
                highest = max(highest, most)
                continue
        promise = merits[lowest(drawn)]
        to = kept
        while to > 0 and moves[depth, to - 1, PROMISE] < promise:
            for field in (DRAWN, GIVEN, TAIL, PROMISE):
                moves[depth, to, field] = moves[depth, to - 1, field]
            to -= 1
        moves[depth, to, DRAWN], moves[depth, to, GIVEN] = drawn, given
        moves[depth, to, TAIL], moves[depth, to, PROMISE] = tail, promise
        kept += 1
    frames[depth, COUNT] = kept
    frames[depth, CEILING] = highest
    return 0


@compiled("void(int64[:, ::1], int64[:, :, ::1], int64)")
def ask(frames: Words, moves: Words, depth: int) -> None:
    """Prepare the question about the position behind a move that is still open."""
    at = frames[depth, NEXT]
    tail = moves[depth, at, TAIL]
    spare = -frames[depth, TARGET] - moves[depth, at, GIVEN]
    frames[depth + 1, LINES] = frames[depth, LINES] & ~moves[depth, at, DRAWN]
    frames[depth + 1, TARGET] = spare - tail + 1 if frames[depth, BEHIND_HIGH] > spare - tail else -spare - tail


@compiled("int64(int64[:, ::1], int64, int64[:, ::1])")
def known_far(frames: Words, depth: int, far: Words) -> int:
    """Bounds in the big table, or NOTHING; the place there is noted."""
    key, signature = frames[depth, KEY], frames[depth, SIGNATURE]
    frames[depth, PLACE] = place(key, signature, far.shape[0])
    entry = find(far, frames[depth, PLACE], key, signature)
    return int(far[entry, 1]) if entry >= 0 else NOTHING


@compiled("int64(int64[::1], int64[:, ::1], int64[:, :, ::1], int64, int64, int64, int64[::1])")
def learn(state: Words, frames: Words, moves: Words, depth: int, low: int, high: int, merits: Words) -> int:
    """What the bounds of the position behind a move say of the move. Returns LEAVING when it succeeds, GOING_ON (with
    the next) when it fails, and ENTERING when there is more to ask.
    """
    at, lines = frames[depth, NEXT], frames[depth, LINES]
    drawn, given, tail = moves[depth, at, DRAWN], moves[depth, at, GIVEN], moves[depth, at, TAIL]
    low, high = max(frames[depth, BEHIND_LOW], low), min(frames[depth, BEHIND_HIGH], high)
    frames[depth, BEHIND_LOW], frames[depth, BEHIND_HIGH] = low, high
    line = lowest(drawn)
    if at_least(given, tail, low, high) >= frames[depth, TARGET]:
        frames[depth, LOW] = max(frames[depth, LOW], at_least(given, tail, low, high))
        merits[line] += (MOST_MERIT - merits[line]) * popcount(lines) >> 9
        if depth == 0:
            state[BEST] = drawn
        return LEAVING
    if at_most(given, tail, low, high) < frames[depth, TARGET]:
        frames[depth, CEILING] = max(frames[depth, CEILING], at_most(given, tail, low, high))
        merits[line] -= merits[line] * popcount(lines) >> 10
        frames[depth, NEXT] += 1
        return GOING_ON
    return ENTERING


@compiled("void(int64[::1], int64, int64, int64, int64)")
def save(state: Words, depth: int, low: int, high: int, nodes: int) -> None:
    """Keep where the search stands: before a position, or at its end."""
    state[DEPTH], state[ANSWER_LOW], state[ANSWER_HIGH] = depth, low, high
    state[NODES] += nodes


@compiled(
    "boolean(int64[::1], int64[:, ::1], int64[:, :, ::1], int64[::1], int64[::1], int64, int64[:, :, ::1], "
    "int64[::1], int64[:, ::1], int64[:, ::1], int64[::1], int64[:, ::1], int64[:, ::1], int64)"
)
def search(
    state: Words,
    frames: Words,
    moves: Words,
    sides: Words,
    across: Words,
    corners: int,
    turns: Words,
    codes: Words,
    lengths: Words,
    grid: Words,
    merits: Words,
    far: Words,
    near: Words,
    limit: int,
) -> bool:
    """Go on for at most so many nodes. True when frame 0's question is answered: bounds of its value are in `state`."""
    depth, phase, low, high, nodes = state[DEPTH], ENTERING, 0, 0, 0
    while True:
        if phase == ENTERING:
            if nodes >= limit:
                save(state, depth, low, high, nodes)
                return False
            target = frames[depth, TARGET]
            known = known_near(near, frames[depth, LINES])
            if depth > 0 and known != NOTHING:
                low, high = lower(known), upper(known)
                if low >= target or high < target:
                    phase = LEAVING
                    continue
            nodes += 1
            value = expand(frames, moves, depth, sides, across, corners, turns, codes, lengths, grid)
            if value != UNKNOWN:
                low, high = value, value
                remember_near(near, frames[depth, LINES], low, high)
                phase = LEAVING
                continue
            low, high = -frames[depth, BOXES], frames[depth, BOXES]
            if (target - high) & 1:
                target += 1
                frames[depth, TARGET] = target
            known = known_far(frames, depth, far)
            if depth > 0 and known != NOTHING:
                low, high = lower(known), upper(known)
                if low >= target or high < target:
                    remember_near(near, frames[depth, LINES], low, high)
                    phase = LEAVING
                    continue
            frames[depth, LOW], frames[depth, HIGH] = low, high
            best = foresee(frames, moves, depth, merits, near)
            frames[depth, NEXT] = 0
            phase = GOING_ON
            if best != 0:
                if depth == 0:
                    state[BEST] = best
                phase = LEAVING
        else:
            if depth == 0:
                save(state, depth, low, high, nodes)
                return True
            depth -= 1
            phase = learn(state, frames, moves, depth, low, high, merits)
            if phase == ENTERING:
                ask(frames, moves, depth)
                depth += 1
                continue
        if phase == GOING_ON:
            if frames[depth, NEXT] < frames[depth, COUNT]:
                frames[depth, BEHIND_LOW], frames[depth, BEHIND_HIGH] = -UNKNOWN, UNKNOWN
                ask(frames, moves, depth)
                depth += 1
                phase = ENTERING
                continue
            ceiling = frames[depth, CEILING]
            # Values are odd or even as the number of boxes is; bounds of moves with a tail need not be.
            frames[depth, HIGH] = min(frames[depth, HIGH], ceiling - ((ceiling ^ frames[depth, BOXES]) & 1))
            phase = LEAVING
        remember(frames, depth, far)
        low, high = frames[depth, LOW], frames[depth, HIGH]
        remember_near(near, frames[depth, LINES], low, high)
