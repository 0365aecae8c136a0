"""What is in the database file, step by step since version 1. Frozen: a step that was ever released never changes.

Steps are plain SQL, or code that imports nothing but the frozen upcasters: what becomes of an old file does not depend
on what today's code would make of it. `SELECT sql FROM sqlite_schema` of a file shows the sum of all, with these notes.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from parlour.store.upcasters import From1

Step = Callable[[sqlite3.Connection], None]

_VERSION_1 = (
    """CREATE TABLE record (
        no INTEGER PRIMARY KEY,
        tbl INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,    -- milliseconds since 1970
        event TEXT NOT NULL     -- JSON
    )""",
    """CREATE TABLE game (
        no INTEGER PRIMARY KEY,
        id TEXT NOT NULL,
        tbl INTEGER NOT NULL,
        "table" TEXT NOT NULL,
        game TEXT NOT NULL,
        opened INTEGER NOT NULL,    -- the table's first record
        options TEXT NOT NULL,      -- JSON, as are players and result
        players TEXT NOT NULL,
        status TEXT NOT NULL,
        started INTEGER,            -- milliseconds since 1970
        moves INTEGER,              -- known once the game has ended
        result TEXT,
        first INTEGER NOT NULL,     -- the records of the game lie between these two
        last INTEGER,
        live INTEGER NOT NULL       -- 1 for the last game of a table that is not closed
    )""",
    "CREATE TABLE room (filler BLOB)",  # always empty: written to and cleared to see whether the disk has room
    "CREATE INDEX game_by_id ON game (id)",
    "CREATE INDEX game_by_table ON game (tbl)",
    "CREATE INDEX game_live ON game (tbl) WHERE live = 1",
)

_VERSION_2 = (
    """CREATE TABLE account (
        folded TEXT PRIMARY KEY,    -- the name, without regard to case
        name TEXT NOT NULL,
        password TEXT NOT NULL,     -- argon2
        email TEXT NOT NULL,
        created INTEGER NOT NULL    -- milliseconds since 1970
    ) WITHOUT ROWID""",
    """CREATE TABLE standing (
        game TEXT NOT NULL,
        account TEXT NOT NULL,      -- as the name is spelled in the log
        wins INTEGER NOT NULL,
        losses INTEGER NOT NULL,
        ties INTEGER NOT NULL,
        forfeits INTEGER NOT NULL,
        PRIMARY KEY (game, account)
    ) WITHOUT ROWID""",
)

_VERSION_3 = (
    """CREATE TABLE result (
        account TEXT NOT NULL,
        no INTEGER NOT NULL,        -- the record with which the game ended
        id TEXT NOT NULL,           -- of the game
        game TEXT NOT NULL,
        at INTEGER NOT NULL,        -- milliseconds since 1970
        seat INTEGER NOT NULL,
        outcome TEXT NOT NULL,      -- win, loss or tie
        rated INTEGER,              -- counts the rated games from 1; NULL for any other
        place INTEGER,              -- of rated games: 1 for whoever came first
        PRIMARY KEY (account, no)
    ) WITHOUT ROWID""",
    "CREATE INDEX result_rated ON result (rated, seat) WHERE rated IS NOT NULL",
    """CREATE TABLE rating (
        ladder TEXT NOT NULL,
        account TEXT NOT NULL,
        period INTEGER NOT NULL,
        upto INTEGER NOT NULL,      -- rated games so far, of everybody
        rating REAL NOT NULL,
        deviation REAL NOT NULL,
        volatility REAL NOT NULL,
        wins INTEGER NOT NULL,
        losses INTEGER NOT NULL,
        ties INTEGER NOT NULL,
        PRIMARY KEY (account, ladder, period)
    ) WITHOUT ROWID""",
)

_VERSION_4 = (
    """CREATE TABLE trail (
        tbl INTEGER NOT NULL,
        first INTEGER NOT NULL,     -- the records of the table between these two are
        last INTEGER NOT NULL,
        records TEXT NOT NULL,      -- those with these numbers: JSON
        PRIMARY KEY (tbl, first)
    ) WITHOUT ROWID""",
)

_VERSION_5 = (
    "ALTER TABLE trail RENAME COLUMN records TO blocks",  # no longer single numbers, but blocks of 256: JSON
    """UPDATE trail SET blocks = (SELECT json_group_array(block) FROM
        (SELECT DISTINCT value / 256 AS block FROM json_each(trail.blocks) ORDER BY block))""",
    """CREATE TABLE listed (
        name TEXT NOT NULL,         -- of one who sat in the game, without regard to case; '' for everyone
        game TEXT NOT NULL,
        no INTEGER NOT NULL,        -- of the row in `game`, once the game has begun
        PRIMARY KEY (name, game, no)
    ) WITHOUT ROWID""",
    """INSERT OR IGNORE INTO listed
        SELECT '' AS name, game, no FROM game WHERE started IS NOT NULL
        UNION ALL SELECT casefold(json_extract(player.value, '$.name')), game, no
            FROM game, json_each(players) AS player WHERE started IS NOT NULL
        ORDER BY 1, 2, 3""",
    """CREATE TABLE ban (
        whom TEXT PRIMARY KEY,      -- a name, an address or a network
        until INTEGER               -- milliseconds since 1970; NULL: for good
    ) WITHOUT ROWID""",
)


def _create(connection: sqlite3.Connection) -> None:
    _run(connection, _VERSION_1)


def _add_accounts(connection: sqlite3.Connection) -> None:
    """There were no accounts before, so no game counts for one."""
    _run(connection, _VERSION_2)


def _add_ratings(connection: sqlite3.Connection) -> None:
    """What registered players have played so far is in the records, if there were any."""
    _run(connection, _VERSION_3)
    if connection.execute("SELECT 1 FROM standing LIMIT 1").fetchone() is not None:
        connection.executemany("INSERT INTO result VALUES (?,?,?,?,?,?,?,?,?)", _results(connection))


def _add_trails(connection: sqlite3.Connection) -> None:
    """One pass over the records. From here on events are written whole, too; old ones stay as they are."""
    _run(connection, _VERSION_4)
    connection.executemany("INSERT INTO trail VALUES (?,?,?,?)", _trails(connection))


def _add_lists(connection: sqlite3.Connection) -> None:
    """Trails become shorter, and the games of everyone who ever played are listed as they are looked for."""
    connection.create_function("casefold", 1, str.casefold, deterministic=True)
    _run(connection, _VERSION_5)


def _run(connection: sqlite3.Connection, statements: tuple[str, ...]) -> None:
    for statement in statements:
        connection.execute(statement)


def _results(connection: sqlite3.Connection) -> Iterator[tuple[object, ...]]:
    """The rows of `result` that records of version 1 lead to."""
    tables: dict[int, From1] = {}
    names: dict[int, tuple[str, str]] = {}
    """By table, the id of its latest game, and which game it is."""
    rated = 0
    for no, tbl, at, text in connection.execute("SELECT no, tbl, at, event FROM record ORDER BY no"):
        event = json.loads(text)
        kind = event["type"]
        if kind == "opened":
            tables[tbl], names[tbl] = From1(), ("", event["game"])
        elif kind == "started":
            names[tbl] = event["game"], names[tbl][1]
        event = tables[tbl](event)
        if kind == "finished":
            rated += bool(event["places"])
            for account, seat, outcome, place in _shares(event):
                yield account, no, *names[tbl], at, seat, outcome, None if place is None else rated, place
        elif kind == "closed":
            del tables[tbl], names[tbl]


def _shares(end: dict[str, Any]) -> Iterator[tuple[str, int, str, int | None]]:
    """What an ended game came to for its registered players: account, seat, outcome and place, if it is rated."""
    places, winners, accounts = end["places"], end["winners"], end["accounts"]
    if places:
        for seat, account in enumerate(end["stakes"]):
            outcome = "tie" if len(set(places)) == 1 else "win" if places[seat] == 1 else "loss"
            yield account, seat, outcome, places[seat]
    elif winners or end["reason"] != "abandoned":
        for seat, account in enumerate(accounts):
            if account and accounts.count(account) == 1:
                yield account, seat, "tie" if not winners else "win" if seat in winners else "loss", None


def _trails(connection: sqlite3.Connection) -> Iterator[tuple[int, int, int, str]]:
    """The rows of `trail` of all records of version 1: one for each game that is over, and one for what follows it."""
    open_: dict[int, list[int]] = {}
    finished, closed = ("""event LIKE '{"type":"%s"%%'""" % kind for kind in ("finished", "closed"))  # noqa: UP031
    records = connection.execute(f"SELECT no, tbl, {finished}, {closed} FROM record ORDER BY no")  # noqa: S608
    for no, tbl, is_finished, is_closed in records:
        open_.setdefault(tbl, []).append(no)
        if is_finished:
            yield _trail(tbl, open_.pop(tbl))
        elif is_closed:
            del open_[tbl]
    for tbl, numbers in open_.items():
        yield _trail(tbl, numbers)


def _trail(tbl: int, numbers: list[int]) -> tuple[int, int, int, str]:
    return tbl, numbers[0], numbers[-1], f"[{','.join(map(str, numbers))}]"


STEPS: tuple[Step, ...] = (_create, _add_accounts, _add_ratings, _add_trails, _add_lists)
"""What leads from each version to the next; the file's version is how many of them it has been through."""
