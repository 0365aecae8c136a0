"""The database file: which version it has, how an older one becomes a newer one, and whether it is sound.

What is in it is in `migrations.py`. `record` is the truth and only ever appended to. It has no second index: records of
one table lie scattered, so an index by table would touch one page per table and commit. `trail` is that index in parts:
one row for a whole game, written when the game is over (`trail.py`). `game` has a row for each game, with the range of
record numbers in which its records lie; `standing` is what the games of registered players came to, `result` each of
those games, and `rating` what their rated ones say about them. All of these could be folded from `record` again.
`account` and `ban` are no part of the log: a password is nothing to keep for ever.
"""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from parlour.core.errors import LocalError
from parlour.store import migrations
from parlour.store.migrations import Step

FILE = "parlour.db"
STEPS = migrations.STEPS
SMALL = 64 << 20
"""Bytes up to which a file is read whole on opening to see whether it is sound: a fraction of a second."""


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
