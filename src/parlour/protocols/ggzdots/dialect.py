"""The two dialects of the Dots byte stream, and what differs between them.

The document of the year 2000 is what a bare door speaks. A few weeks after it the squares closed by a line were added
to two messages, and all programs since speak that: the zone's game list calls it version 4.
"""

import enum
from collections.abc import Mapping

import msgspec


class Dialect(enum.Enum):
    """Which layout the messages of a conversation have; nothing in it tells."""

    YEAR2000 = "2000"
    FOUR = "4"


YEAR2000, FOUR = Dialect.YEAR2000, Dialect.FOUR


class Kinds(msgspec.Struct, frozen=True):
    """How MSG_PLAYERS numbers what a chair is."""

    open: int
    bot: int
    player: int
    reserved: int
    none: int


KINDS: Mapping[Dialect, Kinds] = {
    YEAR2000: Kinds(open=-1, bot=-2, player=-5, reserved=-3, none=-4),
    FOUR: Kinds(open=1, bot=2, player=3, reserved=4, none=0),
}

OPEN = frozenset(kinds.open for kinds in KINDS.values())
"""How an open chair is numbered, which has no name. The document gives no numbers, so a bare server may have either."""

SMALLEST, LARGEST = 2, 25
"""Dots in a row, or a column, of a board (General Procedures: they need not be the same number)."""
NAME_BYTES = 16
"""The longest name that every program can read."""
DRAW = 2
"""The winner of a game that no one has won: the document is silent, the original says so."""

ERR_STATE, ERR_TURN, ERR_BOUND, ERR_FULL = -1, -2, -3, -4
"""General Procedures, why a move is refused: not now, not your turn, no such line, the line is there already."""
