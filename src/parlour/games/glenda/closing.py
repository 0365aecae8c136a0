"""How a trapper who has won brings it to an end: few gates left, then little room.

Outside X nothing can go wrong as long as every wall keeps her outside, so most walls are free to choose. The *gates*
are the fewest walls that would enclose her where she stands: by Menger's theorem as many as she has ways to the rim
that share no cell.
"""

from functools import cache

from parlour.games.glenda.board import BOARD, CELLS, RIM, bit, grown
from parlour.games.glenda.ranks import around, ranks, room, single

Door = tuple[int, bool]
"""A cell's entrance (False) or exit (True): a way through a cell leads from one to the other, and only one may."""


@cache
def _near() -> dict[int, tuple[int, ...]]:
    """The neighbours of every cell."""
    return {bit(*cell): tuple(single(grown(bit(*cell)) & BOARD & ~bit(*cell))) for cell in CELLS}


def gates(at: int, walls: int) -> int:
    """The fewest walls that enclose glenda; 0 when she is enclosed."""
    used: set[tuple[Door, Door]] = set()
    found = 0
    while way := _way(at, walls, used):
        found += 1
        for start, end in way:
            if (end, start) in used:
                used.remove((end, start))
            else:
                used.add((start, end))
    return found


def _way(at: int, walls: int, used: set[tuple[Door, Door]]) -> list[tuple[Door, Door]]:
    """One more way to the rim beside those in use, which it may take back in parts; empty when there is none."""
    near = _near()
    came: dict[Door, Door] = {}
    queue: list[Door] = [(at, True)]
    for door in queue:
        cell, leaving = door
        if leaving and cell & RIM:
            way = []
            while door != (at, True):
                way.append((came[door], door))
                door = came[door]
            return way
        if leaving:
            doors = [(there, False) for there in near[cell] if not (walls | at) & there]
            doors = [there for there in doors if (door, there) not in used]
            back = [(cell, False)]
        else:
            doors = [] if (door, (cell, True)) in used else [(cell, True)]
            back = [(there, True) for there in near[cell]]
        for there in doors + [each for each in back if (each, door) in used]:
            if there not in came and there != (at, True):
                came[there] = door
                queue.append(there)
    return []


def keeping(at: int, walls: int) -> list[int]:
    """Every wall after which glenda, to move, can only step outside X; best first, as far as a look at it tells."""
    layers = ranks(walls)
    inside = around(at, walls) & sum(layers)
    if inside:
        # She stands next to X: the wall goes there, or somewhere that takes this cell out of X.
        cells = [cell for cell in single(sum(layers)) if not around(at, walls | cell) & sum(ranks(walls | cell))]
    else:
        cells = [cell for cell in single(BOARD & ~walls & ~at) if cell & _region(at, walls)]
    return sorted(cells, key=lambda cell: (_distance(at, cell), cell))


def _region(at: int, walls: int) -> int:
    """The cells that glenda can reach."""
    seen = at
    while (more := grown(seen) & BOARD & ~walls) != seen:
        seen = more
    return seen


def _distance(at: int, cell: int) -> int:
    steps, seen = 0, at
    while not seen & cell:
        seen = grown(seen) & BOARD
        steps += 1
    return steps


def tightness(at: int, walls: int) -> tuple[int, int, int]:
    """How far from the end the trapper is after a wall, at the worst of glenda's steps: gates, then room."""
    ends = [(gates(cell, walls), room(cell, walls)[0]) for cell in single(around(at, walls))]
    return max(left for left, _ in ends), sum(left for left, _ in ends), max(cells for _, cells in ends)
