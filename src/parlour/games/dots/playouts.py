"""Looking ahead where nothing can be solved, as machine code: a tree of safe lines, and games played out from it.

A game is played out in two parts. While there are lines that give nothing away, anyone draws any of them. Then chains
and loops are opened from the shortest, and what that brings is reckoned, not played: between two players each is taken
whole or all but its tail, whichever is better in the end; among more, each falls whole to the next player. So every
game played out tells what the long chains come to and who has to open the first one, which is what decides big boards.

Importing this compiles it, or loads it from numba's cache.
"""

import numpy as np
from numpy.typing import NDArray

from parlour.games.dots.expansion import compiled

Words = NDArray[np.int64]
Small = NDArray[np.int32]
Sums = NDArray[np.float64]

# Columns of `tree`: the line, how often it was tried, its first child and how many there are (-1: not looked at yet).
LINE, TRIED, CHILD, CHILDREN, TREE_WIDTH = range(5)
# Words of `state`: the next free place in the tree, the dice, the games played out so far, and who is on turn.
FREE, DICE, PLAYED, TURN, STATE_WIDTH = range(5)
# Of `sums`: what trying a line has brought to the player who drew it, as rewards and as boxes.
CURIOUS = 0.7
"""How much a line that was tried seldom is preferred to a better one."""
_MARGIN = 0.15
"""What boxes count beside winning."""


@compiled("int64(int64[::1])")
def roll(state: Words) -> int:
    """The next random number, not negative."""
    x = state[DICE]
    x ^= x << 13
    x ^= x >> 7 & 0x1FFFFFFFFFFFFFF
    x ^= x << 17
    state[DICE] = x
    return int(x >> 1 & 0x7FFFFFFFFFFFFFFF)


@compiled("void(int64, int32[::1], int32[::1], int32[:, ::1])")
def draw(line: int, lines: Small, missing: Small, touching: Small) -> None:
    """Draw a line."""
    lines[line] = 0
    for side in range(2):
        box = touching[line, side]
        if box >= 0:
            missing[box] -= 1


@compiled("boolean(int64, int32[::1], int32[:, ::1])")
def safe(line: int, missing: Small, touching: Small) -> bool:
    """Whether a line gives no box away."""
    one, other = touching[line, 0], touching[line, 1]
    return bool((one < 0 or missing[one] > 2) and (other < 0 or missing[other] > 2))


@compiled("int64(int64, int64, int32[::1], int32[:, ::1])")
def other_side(box: int, line: int, lines: Small, sides: Small) -> int:
    """The open line of a box that is not this one."""
    for side in range(4):
        if sides[box, side] != line and lines[sides[box, side]]:
            return int(sides[box, side])
    return -1


@compiled("int64(int64, int64, int32[:, ::1])")
def beyond(box: int, line: int, touching: Small) -> int:
    """The box on the other side of a line, or -1."""
    return int(touching[line, 1] if touching[line, 0] == box else touching[line, 0])


@compiled("int64(int64, int32[::1], int32[::1], int32[:, ::1], int32[:, ::1], int32[::1])")
def fall(line: int, lines: Small, missing: Small, touching: Small, sides: Small, stack: Small) -> int:
    """Draw a line and take everything that can be taken then; how many boxes that was."""
    draw(line, lines, missing, touching)
    taken, height = 0, 0
    for side in range(2):
        box = touching[line, side]
        if box >= 0:
            if missing[box] == 0:
                taken += 1
            stack[height] = box
            height += 1
    while height > 0:
        height -= 1
        box = stack[height]
        if missing[box] != 1:
            continue
        last = other_side(box, -1, lines, sides)
        after = beyond(box, last, touching)
        draw(last, lines, missing, touching)
        taken += 1
        if after >= 0:
            if missing[after] == 0:
                taken += 1
            stack[height] = after
            height += 1
    return taken


@compiled("int64(int64, int32[::1], int32[::1], int32[:, ::1], int32[:, ::1], int32[::1], int64, int64[::1])")
def walk(
    start: int, lines: Small, missing: Small, touching: Small, sides: Small, seen: Small, stamp: int, found: Words
) -> int:
    """The length of the chain or loop through a box with two open sides.

    `found` gets a line to open it, in the middle of two boxes, then whether it is a loop, then whether it touches
    nothing else.
    """
    length, alone = 1, 1
    seen[start] = stamp
    first = other_side(start, -1, lines, sides)
    found[0], found[1] = first, 0
    for way in range(2):
        line = other_side(start, first, lines, sides) if way else first
        box = start
        while True:
            after = beyond(box, line, touching)
            if after < 0:
                break
            if missing[after] != 2:
                alone = 0
                break
            if after == start:
                found[1], found[2] = 1, 1
                return length
            seen[after] = stamp
            length += 1
            found[0] = line
            line = other_side(after, line, lines, sides)
            box = after
    found[2] = alone
    return length


@compiled(
    "int64(int32[::1], int32[::1], int32[:, ::1], int32[:, ::1], int32[::1], int32[::1], int32[:, ::1], int64[::1], "
    "int64)"
)
def reckon(
    lines: Small,
    missing: Small,
    touching: Small,
    sides: Small,
    stack: Small,
    seen: Small,
    lengths: Small,
    found: Words,
    stamp: int,
) -> int:
    """Open everything that is left, from the shortest; counts by length go to `lengths`. Returns the last stamp used.

    What touches nothing else is noted as it is found. The others wait until they are the shortest.
    """
    lengths[:] = 0
    boxes = missing.shape[0]
    shortest = 1
    while shortest <= boxes:
        stamp += 1
        opened, waiting = False, False
        for box in range(boxes):
            if missing[box] != 2 or seen[box] == stamp:
                continue
            length = walk(box, lines, missing, touching, sides, seen, stamp, found)
            loop, alone = found[1], found[2]
            if alone == 0 and length > shortest:
                waiting = True
                continue
            taken = fall(found[0], lines, missing, touching, sides, stack)
            lengths[loop, taken] += 1
            opened = opened or alone == 0
        if not opened:
            if not waiting:
                break
            shortest += 1
    return stamp


@compiled("int64(int32[:, ::1])")
def between_two(lengths: Small) -> int:
    """What chains and loops are worth to the player who opens the shortest, when each is opened in turn."""
    value = 0
    for length in range(lengths.shape[1] - 1, 0, -1):
        for _ in range(lengths[1, length]):
            value = -(length - 4 + abs(4 + value))
        for _ in range(lengths[0, length]):
            value = -(length - 2 + abs(2 + value)) if length > 2 else -(length + value)
    return value


@compiled(
    "int64(int32[::1], int32[::1], int32[:, ::1], int32[:, ::1], int64, int64[:, ::1], float64[:, ::1], int64[::1], "
    "boolean)"
)
def list_moves(
    lines: Small,
    missing: Small,
    touching: Small,
    sides: Small,
    node: int,
    tree: Words,
    sums: Sums,
    state: Words,
    giving: bool,
) -> int:
    """Write the children of a node down: safe lines, and maybe chains of one or two boxes to give. Returns how many."""
    first = state[FREE]
    if first + lines.shape[0] > tree.shape[0]:
        return 0
    free, any_safe = first, False
    for line in range(lines.shape[0]):
        if not lines[line]:
            continue
        one, other = touching[line, 0], touching[line, 1]
        if safe(line, missing, touching):
            any_safe = True
        elif not giving:
            continue
        elif one >= 0 and other >= 0 and missing[one] == 2 and missing[other] == 2:
            # The middle of a chain of two, unless it goes on.
            on = beyond(one, other_side(one, line, lines, sides), touching)
            off = beyond(other, other_side(other, line, lines, sides), touching)
            if (on >= 0 and missing[on] == 2) or (off >= 0 and missing[off] == 2):
                continue
        else:
            # The first side of a chain of one.
            box = one if one >= 0 and missing[one] == 2 else other
            outside = beyond(box, line, touching)
            back = other_side(box, line, lines, sides)
            after = beyond(box, back, touching)
            if back < line or (outside >= 0 and missing[outside] == 2) or (after >= 0 and missing[after] == 2):
                continue
        tree[free, LINE], tree[free, TRIED], tree[free, CHILDREN] = line, 0, -1
        sums[free, 0], sums[free, 1] = 0.0, 0.0
        free += 1
    if not any_safe:
        return 0
    tree[node, CHILD] = first
    state[FREE] = free
    return int(free - first)


@compiled("int64(int64, int64[:, ::1], float64[:, ::1], int64[::1])")
def pick(node: int, tree: Words, sums: Sums, state: Words) -> int:
    """The child to try next: promising or seldom tried."""
    first, count = tree[node, CHILD], tree[node, CHILDREN]
    logarithm = np.log(tree[node, TRIED] + 1.0)
    best, most = first, -1.0
    turn = roll(state) % count
    for step in range(count):
        child = first + (step + turn) % count
        tried = tree[child, TRIED]
        if tried == 0:
            return int(child)
        merit = sums[child, 0] / tried + CURIOUS * np.sqrt(logarithm / tried)
        if merit > most:
            best, most = child, merit
    return int(best)


@compiled("void(int64, int64, int64[::1], float64[::1])")
def reward(players: int, boxes: int, points: Words, rewards: Sums) -> None:
    """What the end of a game is worth to each player: winning, and a little for the lead."""
    most = 0
    for player in range(players):
        most = max(most, points[player])
    top = 0
    for player in range(players):
        if points[player] == most:
            top += 1
    for player in range(players):
        rival = 0
        for other in range(players):
            if other != player:
                rival = max(rival, points[other])
        won = 1.0 / top if points[player] == most else 0.0
        rewards[player] = (1.0 - _MARGIN) * won + _MARGIN * (0.5 + 0.5 * (points[player] - rival) / boxes)


@compiled(
    "int64(int64[::1], int64[:, ::1], float64[:, ::1], int32[::1], int32[::1], int32[:, ::1], int32[:, ::1], "
    "int64[::1], int32[:, ::1], int32[:, ::1], float64[::1], int64)"
)
def look_ahead(
    state: Words,
    tree: Words,
    sums: Sums,
    lines: Small,
    missing: Small,
    touching: Small,
    sides: Small,
    score: Words,
    scratch: Small,
    lengths: Small,
    totals: Sums,
    games: int,
) -> int:
    """Play so many games out. Node 0 of the tree is the position, in which nothing can be taken; returns its children.

    `totals` collects the players' rewards, whose number is the length of `score`.
    """
    boxes, players = missing.shape[0], score.shape[0]
    open_lines, open_sides, stack = scratch[0][: lines.shape[0]], scratch[1][:boxes], scratch[2]
    doubtful, seen = scratch[3], scratch[4][:boxes]
    found, path, movers = (
        np.zeros(3, np.int64),
        np.zeros(lines.shape[0] + 2, np.int64),
        np.zeros(lines.shape[0] + 2, np.int64),
    )
    points, rewards = np.zeros(players, np.int64), np.zeros(players, np.float64)
    seen[:] = 0
    stamp = 0
    for _ in range(games):
        open_lines[:] = lines
        open_sides[:] = missing
        points[:] = score
        turn, node, depth = state[TURN], 0, 0
        while True:
            tree[node, TRIED] += 1
            if tree[node, CHILDREN] < 0 and (node == 0 or tree[node, TRIED] > 1):
                tree[node, CHILDREN] = list_moves(
                    open_lines, open_sides, touching, sides, node, tree, sums, state, players == 2
                )
            if tree[node, CHILDREN] <= 0:
                break
            node = pick(node, tree, sums, state)
            path[depth], movers[depth] = node, turn
            depth += 1
            turn = turn + 1 if turn + 1 < players else 0
            points[turn] += fall(tree[node, LINE], open_lines, open_sides, touching, sides, stack)
        count = 0
        for line in range(open_lines.shape[0]):
            if open_lines[line] and safe(line, open_sides, touching):
                doubtful[count] = line
                count += 1
        while count > 0:
            at = roll(state) % count
            line = doubtful[at]
            count -= 1
            doubtful[at] = doubtful[count]
            if safe(line, open_sides, touching):
                draw(line, open_lines, open_sides, touching)
                turn = turn + 1 if turn + 1 < players else 0
        stamp = reckon(open_lines, open_sides, touching, sides, stack, seen, lengths, found, stamp)
        if players == 2:
            value, left = between_two(lengths), 0
            for length in range(1, lengths.shape[1]):
                left += length * (lengths[0, length] + lengths[1, length])
            points[turn] += (left + value) // 2
            points[1 - turn] += (left - value) // 2
        else:
            for length in range(1, lengths.shape[1]):
                for _again in range(lengths[0, length] + lengths[1, length]):
                    turn = turn + 1 if turn + 1 < players else 0
                    points[turn] += length
        reward(players, boxes, points, rewards)
        for player in range(players):
            totals[player] += rewards[player]
        for step in range(depth):
            sums[path[step], 0] += rewards[movers[step]]
            sums[path[step], 1] += points[movers[step]] - score[movers[step]]
    state[PLAYED] += games
    return int(tree[0, CHILDREN])
