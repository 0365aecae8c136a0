"""The database file: what is in it, which version it has, how an older one becomes a newer one.

`record` is the truth and only ever appended to. It has no second index: records of one table lie scattered, so an
index by table would touch one page per table and commit. `game` is an index over it, one row a game, with the range
of record numbers in which the game's records lie; it could be folded from `record` again. So could `standing`, what
the games of registered players came to, `result`, each of those games, and `rating`, what their rated ones say about
them. `account` is no part of the log: a password is nothing to keep for ever.
"""

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from parlour.core.errors import LocalError
from parlour.store.past import fill_results

FILE = "parlour.db"
SMALL = 64 << 20
"""Bytes up to which a file is read whole on opening to see whether it is sound: a fraction of a second."""

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


def _create(connection: sqlite3.Connection) -> None:
    for statement in _VERSION_1:
        connection.execute(statement)


def _add_accounts(connection: sqlite3.Connection) -> None:
    """Nobody had an account before, so no game counts for one."""
    for statement in _VERSION_2:
        connection.execute(statement)


def _add_ratings(connection: sqlite3.Connection) -> None:
    """What registered players have played so far is in the records."""
    for statement in _VERSION_3:
        connection.execute(statement)
    fill_results(connection)


STEPS: tuple[Step, ...] = (_create, _add_accounts, _add_ratings)
"""What leads from each version to the next; the file's version is how many of them it has been through."""


def open_for_writing(path: Path, synchronous: str, steps: Sequence[Step] = STEPS) -> sqlite3.Connection:
    """A connection to a sound file of the current version, made or migrated if need be."""
    try:
        connection = connect(path)
        try:
            _prepare(connection, path, synchronous, steps)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise trouble(path, error) from error
    return connection


def connect(path: Path) -> sqlite3.Connection:
    """A plain connection. Transactions are ours to begin; the statements of every batch size stay prepared."""
    return sqlite3.connect(path, timeout=2, isolation_level=None, check_same_thread=False, cached_statements=256)


def _prepare(connection: sqlite3.Connection, path: Path, synchronous: str, steps: Sequence[Step]) -> None:
    version = version_of(connection, path, len(steps))
    if path.stat().st_size <= SMALL:
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise LocalError(f"the log {path} is damaged: {' '.join(verdict.split())}")
    (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
    if mode != "wal":
        raise LocalError(f"the log {path} cannot be written: its file system does not allow a write-ahead log")
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("PRAGMA cache_size=-16000")
    if version < len(steps):
        _migrate(connection, path, version, steps)
    touch(connection)  # fails now rather than at the first move when the file cannot be written


def touch(connection: sqlite3.Connection) -> None:
    """Write something that changes nothing.

    The first write into a write-ahead file that begins afresh waits for the disk, whatever the durability: better this
    one than that of a move. https://sqlite.org/pragma.html#pragma_synchronous
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.execute(f"PRAGMA user_version={version}")


def version_of(connection: sqlite3.Connection, path: Path, known: int) -> int:
    """The file's schema version; one from the future is refused."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > known:
        raise LocalError(f"the log {path} was written by a newer Parlour (schema {version}; this one knows {known})")
    return int(version)


def _migrate(connection: sqlite3.Connection, path: Path, version: int, steps: Sequence[Step]) -> None:
    """Bring the file up to date in one transaction, with a copy of what it was beside it."""
    (names,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if names:
        _copy(connection, path.with_name(f"{path.name}.bak-v{version}"))
    connection.execute("BEGIN IMMEDIATE")
    for step in steps[version:]:
        step(connection)
    connection.execute(f"PRAGMA user_version={len(steps)}")
    connection.execute("COMMIT")


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    """A whole copy or none under the name."""
    draft = target.with_name(target.name + ".part")
    draft.unlink(missing_ok=True)
    with closing(sqlite3.connect(draft)) as copy:
        connection.backup(copy)
    os.replace(draft, target)


def require_writable(path: Path) -> None:
    """Refuse what is marked read-only, even where root could write to it all the same."""
    if not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK):
        what = "data directory" if path.is_dir() else "log"
        raise LocalError(f"the {what} {path} cannot be written: it is read-only")


def trouble(path: Path, error: Exception) -> LocalError:
    """One sentence for what SQLite, or the reading of a record, complains of on opening."""
    if isinstance(error, sqlite3.OperationalError):
        return LocalError(f"the log {path} cannot be used: {error}")
    return LocalError(f"the log {path} is damaged, or is no Parlour log: {error}")
