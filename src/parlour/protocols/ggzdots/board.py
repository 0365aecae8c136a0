"""A board as SND_SYNC shows it, written and read: a byte for each line and each square (The Game Board).

The document does not say in which order; the original goes column by column.
"""

from parlour.core.game import NOBODY
from parlour.games.dots.rules import DotsPosition, shape
from parlour.protocols.ggzdots.messages import Sync

_DRAWN = bytes(owner != 255 for owner in range(256))
"""An owner of a line, 255 for none, as a line that is there or not."""


def cells(board: tuple[int, int], position: DotsPosition | None) -> Sync:
    """The state of a game, or an empty board while there is none; a board of no dots has no cells."""
    width, height = board
    across, down = max(width - 1, 0), max(height - 1, 0)
    if position is None:
        return Sync(NOBODY, 0, 0, bytes(width * down), bytes(across * height), b"\xff" * (across * down))
    lines = position.line_owners.translate(_DRAWN)
    horizontal, vertical = lines[: across * height], lines[across * height :]
    return Sync(
        position.turn,
        position.points[0],
        position.points[1],
        b"".join(vertical[x::width] for x in range(width)),
        b"".join(horizontal[x::across] for x in range(across)),
        b"".join(position.box_owners[x::across] for x in range(across)),
    )


def laid_out(width: int, height: int) -> DotsPosition:
    """An empty board for two, on which seat 0 begins."""
    return DotsPosition(shape(width, height), 2, 0)


def restored(board: tuple[int, int], sync: Sync) -> DotsPosition:
    """The board that was sent. Who drew which line is not known, only whose the squares are."""
    width, height = board
    across, down = width - 1, height - 1
    position = laid_out(width, height)
    drawn = [f"v {n // down} {n % down}" for n, cell in enumerate(sync.vertical) if cell]
    drawn += [f"h {n // height} {n % height}" for n, cell in enumerate(sync.horizontal) if cell]
    for move in drawn:
        position.turn = 0
        position.play(move)
    for n, owner in enumerate(sync.owners):
        position.box_owners[n % down * across + n // down] = owner if owner in (0, 1) else 255
    position.points = [sync.score0, sync.score1]
    position.turn = sync.turn if sync.turn in (0, 1) else NOBODY
    return position
