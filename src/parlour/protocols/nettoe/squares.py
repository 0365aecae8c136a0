"""Boards as nine bytes, row by row: `X` the host, `O` the client, a blank for an empty square."""

from functools import lru_cache

from parlour.games.noughts.rules import BITS, MOVES

CROSS, NOUGHT, BLANK = b"XO "
POSITIONS = 8192
"""What is worth remembering: a game has 5478 positions."""


@lru_cache(POSITIONS)
def squares(crosses: int, noughts: int) -> bytes:
    """The board with these sets of cells."""
    return bytes(CROSS if crosses & bit else NOUGHT if noughts & bit else BLANK for bit in BITS.values())


def move_between(before: bytes, after: bytes, mark: int) -> str | None:
    """The move that turns one board into the other by setting this mark on a blank; None if there is none such."""
    changed = [cell for cell in range(len(MOVES)) if before[cell] != after[cell]]
    if len(changed) != 1 or before[changed[0]] != BLANK or after[changed[0]] != mark:
        return None
    return MOVES[changed[0]]
