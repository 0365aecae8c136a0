"""Which games there are, the latest first: all of them, of one kind, or of one player, a page at a time.

`listed` has a row for everyone who sat in a game and one, with an empty name, for the game itself; its key is name,
game and number. So a page of any list is the end of one stretch of that key, or, when any kind of game is wanted, of
one stretch for each kind: the work depends on the page and not on how many games there are.
"""

import sqlite3
from collections.abc import Iterator

from parlour.core.accounts import folded

ListedRow = tuple[str, str, int]


INSERT = "INSERT OR IGNORE INTO listed VALUES (?,?,?)"
"""A name that is there twice, or came back, is listed once."""


def page_query(columns: str) -> str:
    """The rows of `game` with this name and kind, and a number below this one; at most so many, the latest first."""
    return (
        f"SELECT {columns} FROM listed CROSS JOIN game ON game.no = listed.no"  # noqa: S608 - names of ours
        " WHERE listed.name = ? AND listed.game = ? AND listed.no < ? ORDER BY listed.no DESC LIMIT ?"
    )


def kinds_of(connection: sqlite3.Connection, player: str) -> Iterator[str]:
    """The games that this player has played, or with an empty name everyone, found by leaps over the key."""
    leap = "SELECT min(game) FROM listed WHERE name = ? AND game > ?"
    name, kind = folded(player), ""
    while (row := connection.execute(leap, (name, kind)).fetchone()) != (None,):
        (kind,) = row
        yield kind
