"""The hexagonal board as bits: 11 rows of 12, the twelfth column a gap that is never entered.

Odd rows are shifted half a cell to the right, so the neighbours above and below depend on the row's parity.
"""

SIZE = 11
PITCH = 12
START = (5, 5)
DIRECTIONS = ("NE", "E", "SE", "SW", "W", "NW")
_STEPS = (
    ((0, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (-1, -1)),
    ((1, -1), (1, 0), (1, 1), (0, 1), (-1, 0), (0, -1)),
)
"""By the row's parity, the way to the neighbour in each of DIRECTIONS."""

CELLS = tuple((x, y) for x in range(SIZE) for y in range(SIZE))
"""Every cell in the board's canonical order: by x, then by y."""


def bit(x: int, y: int) -> int:
    """The bit of a cell."""
    return 1 << y * PITCH + x


def place(cell: int) -> tuple[int, int]:
    """The cell of a bit."""
    y, x = divmod(cell.bit_length() - 1, PITCH)
    return x, y


def inside(x: int, y: int) -> bool:
    """Whether there is such a cell."""
    return 0 <= x < SIZE and 0 <= y < SIZE


def beside(x: int, y: int) -> tuple[tuple[int, int], ...]:
    """The six neighbours in the order of DIRECTIONS, including those that would lie outside."""
    return tuple((x + dx, y + dy) for dx, dy in _STEPS[y % 2])


BOARD = sum(bit(x, y) for x, y in CELLS)
RIM = sum(bit(x, y) for x, y in CELLS if x in (0, SIZE - 1) or y in (0, SIZE - 1))
EVEN_ROWS = sum(bit(x, y) for x, y in CELLS if y % 2 == 0)
ODD_ROWS = BOARD ^ EVEN_ROWS


def grown(cells: int) -> int:
    """These cells and everything next to one of them; may include bits outside the board."""
    wide = cells | (cells & EVEN_ROWS) >> 1 | (cells & ODD_ROWS) << 1
    return wide << PITCH | wide >> PITCH | cells << 1 | cells >> 1 | cells


def enclosed(cell: int, walls: int) -> bool:
    """Whether no path over free cells leads from here to the rim."""
    free = BOARD & ~walls
    seen = cell
    while not seen & RIM:
        more = grown(seen) & free
        if more == seen:
            return True
        seen = more
    return False


def drawn(walls: int, glenda: int) -> str:
    """The board as text: G is glenda, # a wall; odd rows stand half a cell to the right, as they do on the board."""
    marks = {cell: "G" if bit(*cell) == glenda else "#" if bit(*cell) & walls else "." for cell in CELLS}
    heading = "   " + " ".join(f"{x:<3}" for x in range(SIZE)).rstrip()
    rows = (f"{y:>2} {'  ' if y % 2 else ''}{'   '.join(marks[x, y] for x in range(SIZE))}" for y in range(SIZE))
    return "\n".join([heading, *rows])


def _splits(walled: tuple[bool, ...]) -> bool:
    """Whether walls around a cell leave its open neighbours in two or more separate arcs."""
    return sum(not here and walled[turn - 1] for turn, here in enumerate(walled)) > 1


def cuts(x: int, y: int) -> frozenset[int]:
    """The wall patterns around a cell under which a wall on it might cut a path.

    While its open neighbours hang together, every path through the cell has a way round it. The outside counts as
    open: a cell next to it is on the rim.
    """
    ring = [bit(*there) if inside(*there) else 0 for there in beside(x, y)]
    patterns = set()
    for chosen in range(64):
        walled = tuple(bool(chosen >> turn & 1 and cell) for turn, cell in enumerate(ring))
        if _splits(walled):
            patterns.add(sum(cell for cell, wall in zip(ring, walled, strict=True) if wall))
    return frozenset(patterns)
