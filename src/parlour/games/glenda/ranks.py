"""How far the rim is away when the trapper builds walls: the idea behind the player of Glendy.

Let X be the smallest set that holds every free rim cell and every free cell with at least two neighbours in X; a cell's
rank is the round in which it joins. With the trapper to move, glenda outside X has lost: at most one of her neighbours
is in X, and a wall there keeps her outside for good. Glenda on rank 1 has won: two ways out, only one can be walled.
"""

from parlour.games.glenda.board import BOARD, EVEN_ROWS, ODD_ROWS, PITCH, RIM, enclosed, grown
from parlour.games.glenda.rules import tables

WON = 1 << 40
"""A proven win of the trapper, and more than any estimate. Scores are the trapper's throughout."""


def ranks(walls: int) -> list[int]:
    """The cells of each rank, as bits: free rim cells first, an empty set last."""
    free = BOARD & ~walls
    reached = free & RIM
    layers = [reached]
    while True:
        once = reached << 1 | reached >> 1
        twice = reached << 1 & reached >> 1
        for near in (
            reached << PITCH,
            reached >> PITCH,
            reached << PITCH + 1 & EVEN_ROWS | reached << PITCH - 1 & ODD_ROWS,
            reached >> PITCH - 1 & EVEN_ROWS | reached >> PITCH + 1 & ODD_ROWS,
        ):
            twice |= once & near
            once |= near
        fresh = twice & free & ~reached
        layers.append(fresh)
        if not fresh:
            return layers
        reached |= fresh


def rank_of(at: int, walls: int) -> int | None:
    """The rank of one cell; None outside X."""
    for rank, cells in enumerate(ranks(walls)):
        if at & cells:
            return rank
    return None


def single(cells: int) -> list[int]:
    """The bits of a set, one by one."""
    found = []
    while cells:
        found.append(cells & -cells)
        cells &= cells - 1
    return found


def around(at: int, walls: int) -> int:
    """The cells she could step on."""
    return grown(at) & BOARD & ~walls & ~at


def after_put(at: int, walls: int) -> int:
    """The score with glenda to move: the lower her neighbours' ranks, the worse for the trapper."""
    near = around(at, walls)
    layers = ranks(walls)
    if near & (RIM | layers[1]):
        return -WON
    score, outside = 0, near
    for rank, cells in enumerate(layers):
        score -= (near & cells).bit_count() << max(0, 30 - 2 * rank)
        outside &= ~cells
    return WON if outside == near else score


def after_step(at: int, walls: int) -> int:
    """The score with the trapper to move: the lower her own rank, the worse for the trapper."""
    layers = ranks(walls)
    if at & (RIM | layers[1]):
        return -WON
    lower = 0
    for rank, cells in enumerate(layers):
        if at & cells:
            return -(1 << max(4, 34 - 2 * rank)) - (grown(at) & lower).bit_count()
        lower |= cells
    return WON


def slope(at: int, walls: int) -> int:
    """Every cell on a way from glenda to the rim along falling ranks: where a wall is most likely to matter."""
    layers = ranks(walls)
    cone, lower = around(at, walls), BOARD
    for cells in reversed(layers):
        lower &= ~cells
        cone |= grown(cone & cells) & lower & ~walls
    return cone & ~at


def room(at: int, walls: int) -> tuple[int, int]:
    """How many cells glenda can reach, and in how many steps the rim (99 if she never can)."""
    seen, steps, rim = at, 0, 99
    while True:
        if seen & RIM:
            rim = min(rim, steps)
        more = grown(seen) & BOARD & ~walls
        if more == seen:
            return seen.bit_count(), rim
        seen = more
        steps += 1


def traps(at: int, walls: int) -> list[int]:
    """Every cell where one wall encloses glenda at once."""
    return [
        cell
        for cell, ring, patterns in tables().puts.values()
        if not cell & (walls | at) and walls & ring in patterns and enclosed(at, walls | cell)
    ]


def promising(at: int, walls: int, cells: int) -> list[int]:
    """The cells that are worth a wall, best first."""
    scores = {cell: after_put(at, walls | cell) for cell in single(cells & BOARD & ~walls & ~at)}
    return sorted(scores, key=lambda cell: (-scores[cell], room(at, walls | cell)[0] if scores[cell] == WON else 0))
