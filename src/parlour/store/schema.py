"""The database file: which version it has, how an older one becomes a newer one, and whether it is sound.

What is in it is in `migrations.py`. `record` is the truth and only ever appended to. It has no second index: records of
one table lie scattered, so an index by table would touch one page per table and commit. `trail` is that index in parts:
one row for a whole game, written when the game is over (`trail.py`). `game` has a row for each game, with the range of
record numbers in which its records lie, and `listed` finds those of one player or of one kind, the latest first
(`lists.py`); `standing` is what the games of registered players came to, `result` each of those games, and `rating`
what their rated ones say about them. All of these could be folded from `record` again, but for what removed games came
to (`compacting.py`). Nothing but the end of an account rewrites one (`erasing.py`).
`account` and `ban` are no part of the log: a password is nothing to keep for ever.
"""

import os
import sqlite3
from collections.abc import Sequence, Set
from contextlib import closing
from functools import cache
from pathlib import Path

from parlour.core.errors import LocalError, Unreadable
from parlour.store import files, migrations
from parlour.store.migrations import Step

FILE = "parlour.db"
STEPS = migrations.STEPS
SMALL = 64 << 20
"""Bytes up to which a file is read whole on opening to see whether it is sound: a fraction of a second."""


def open_for_writing(path: Path, synchronous: str, steps: Sequence[Step] = STEPS) -> sqlite3.Connection:
    """A connection to a sound file of the current version, made or migrated if need be."""
    try:
        if os.path.lexists(path):
            files.require_log(path)
            files.make_private(path)
        else:
            _create(path, steps)
        connection = connect(path)
        try:
            _prepare(connection, path, synchronous, steps)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise trouble(path, error) from error
    except OSError as error:
        raise LocalError(f"the log {path} cannot be made: {error.strerror}") from error
    return connection


def _create(path: Path, steps: Sequence[Step]) -> None:
    """A new log: there is none under its name before it is complete. Raises OSError."""
    files.require_no_remains(path)
    draft = files.new_draft(path)
    with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
        _take(connection, 0, steps)
    files.put_in_place(draft, path)


def connect(path: Path) -> sqlite3.Connection:
    """A plain connection. Transactions are ours to begin; the statements of every batch size stay prepared."""
    return sqlite3.connect(path, timeout=2, isolation_level=None, check_same_thread=False, cached_statements=256)


def _prepare(connection: sqlite3.Connection, path: Path, synchronous: str, steps: Sequence[Step]) -> None:
    version = version_of(connection, path, steps)
    if path.stat().st_size <= SMALL:
        require_sound(connection, path)
    (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
    if mode != "wal":
        raise LocalError(f"the log {path} cannot be written: its file system does not allow a write-ahead log")
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("PRAGMA cache_size=-500")  # half a megabyte: what is written goes to the end of a few trees
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


def require_sound(connection: sqlite3.Connection, path: Path) -> None:
    """Read all of the file and refuse it if anything is wrong with its pages."""
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise LocalError(f"the log {path} is damaged: {' '.join(verdict.split())}")


def version_of(connection: sqlite3.Connection, path: Path, steps: Sequence[Step] = STEPS) -> int:
    """The file's schema version. One from the future is refused, and one that lacks what its version has."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(steps):
        raise LocalError(
            f"the log {path} was written by a newer Parlour (schema {version}; this one knows {len(steps)})"
        )
    if version < 1:
        raise LocalError(f"the log {path} is damaged, or is no Parlour log: it has no version")
    missing = sorted(_made_by(tuple(steps[:version])) - _contents(connection))
    if missing:
        raise LocalError(f"the log {path} is damaged, or is no Parlour log: it has no {missing[0]}")
    return int(version)


@cache
def _made_by(steps: tuple[Step, ...]) -> Set[str]:
    """The contents of a file that has gone through these steps."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        _take(model, 0, steps)
        return _contents(model)


def _contents(connection: sqlite3.Connection) -> Set[str]:
    return {f"{kind} {name}" for kind, name in connection.execute("SELECT type, name FROM sqlite_schema")}


def _migrate(connection: sqlite3.Connection, path: Path, version: int, steps: Sequence[Step]) -> None:
    """Bring the file up to date, with a copy of what it was beside it."""
    target = files.beside(path, f".bak-v{version}")
    draft = files.new_draft(target)
    with closing(sqlite3.connect(draft)) as copy:
        connection.backup(copy)
    files.put_in_place(draft, target, overwrite=True)
    _take(connection, version, steps)


def _take(connection: sqlite3.Connection, version: int, steps: Sequence[Step]) -> None:
    """Go through the steps from this version on, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    for step in steps[version:]:
        step(connection)
    connection.execute(f"PRAGMA user_version={len(steps)}")
    connection.execute("COMMIT")


def require_writable(path: Path) -> None:
    """Refuse what is marked read-only, even where root could write to it all the same."""
    if not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK):
        what = "data directory" if path.is_dir() else "log"
        raise LocalError(f"the {what} {path} cannot be written: it is read-only")


def trouble(path: Path, error: Exception) -> Unreadable:
    """One sentence for what SQLite, or the reading of a record, complains of on opening."""
    if isinstance(error, sqlite3.OperationalError):
        return Unreadable(f"the log {path} cannot be used: {error}")
    return Unreadable(f"the log {path} is damaged, or is no Parlour log: {error}")
