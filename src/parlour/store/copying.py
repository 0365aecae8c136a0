"""Backups: a log with the secret that belongs to it in one file, and the way back into a data directory.

The file is a database like the log, so that every tool for SQLite can look into it. It has one table more, `kept`, for
the files that lie beside a log.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from parlour.core.errors import LocalError
from parlour.store import files, lock, schema
from parlour.store.library import open_for_reading

PAGES = 4096
"""Copied at a time; between two of them the command can be interrupted."""

TABLE = "CREATE TABLE kept (name TEXT PRIMARY KEY, content BLOB NOT NULL)"


def back_up(directory: Path, target: Path) -> int:
    """Copy the log and what belongs to it into one new file, as they are now, while a server may write to them.

    Returns the number of games.
    """
    source = directory / schema.FILE
    with _opened(source) as connection, drafted(target) as draft, closing(sqlite3.connect(draft)) as copy:
        _copy(connection, copy)
        copy.execute(TABLE)
        copy.executemany("INSERT INTO kept VALUES (?,?)", _kept_in(directory))
        copy.commit()
        schema.require_sound(copy, source)
        return _games(copy)


def restore(source: Path, directory: Path) -> int:
    """Make a data directory of a backup, if all of it is sound, and nothing is there that it would replace.

    Returns the number of games.
    """
    target = directory / schema.FILE
    if not os.path.lexists(source):
        raise LocalError(f"there is no backup {source}")
    with _opened(source) as connection:
        schema.require_sound(connection, source)
        kept = _kept_by(connection)
        try:
            files.make_directory(directory)
        except OSError as error:
            raise LocalError(f"the data directory {directory} cannot be used: {error.strerror}") from error
        holding = lock.take(directory)
        try:
            for name in (schema.FILE, *(schema.FILE + end for end in files.COMPANIONS), files.SECRET):
                _require_free(directory / name)
            with drafted(target) as draft, closing(sqlite3.connect(draft)) as copy:
                _copy(connection, copy)
                copy.execute("DROP TABLE IF EXISTS kept")
                copy.commit()
                for name, content in kept:
                    with drafted(directory / name) as file:
                        file.write_bytes(content)
                return _games(copy)
        finally:
            lock.release(holding)


def check_log(path: Path) -> int:
    """Read all of a log. Raises LocalError if any of it is damaged; returns the number of games."""
    with _opened(path) as connection:
        schema.require_sound(connection, path)
        return _games(connection)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for reading to a log or a backup of any version that is known."""
    try:
        with closing(open_for_reading(path)) as connection:
            schema.version_of(connection, path)
            yield connection
    except sqlite3.Error as error:
        raise schema.trouble(path, error) from error


def _copy(source: sqlite3.Connection, copy: sqlite3.Connection) -> None:
    """One state of the log: the reader's transaction holds it still, whatever is written meanwhile."""
    source.execute("BEGIN")
    source.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    try:
        source.backup(copy, pages=PAGES)
    finally:
        source.execute("COMMIT")
    copy.execute("PRAGMA journal_mode=DELETE").fetchone()  # one file, with nothing beside it


def _games(connection: sqlite3.Connection) -> int:
    (games,) = connection.execute("SELECT count(*) FROM game").fetchone()
    return int(games)


def _kept_in(directory: Path) -> Iterator[tuple[str, bytes]]:
    path = directory / files.SECRET
    if os.path.lexists(path):
        try:
            yield files.SECRET, files.read_secret(path)
        except OSError as error:
            raise LocalError(f"{path} cannot be read: {error.strerror}") from error


def _kept_by(connection: sqlite3.Connection) -> list[tuple[str, bytes]]:
    """What a backup has besides the log; a bare copy of a log has nothing."""
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'kept'").fetchone()
    rows = [] if found is None else connection.execute("SELECT name, content FROM kept").fetchall()
    return [(name, bytes(content)) for name, content in rows if name == files.SECRET]


@contextmanager
def drafted(target: Path) -> Iterator[Path]:
    """A file to be filled, which gets this name at the end if all went well.

    What SQLite calls operational is about the file that is written; a damaged source is another kind of error.
    """
    _require_free(target)
    try:
        draft = files.new_draft(target)
        try:
            yield draft
            files.put_in_place(draft, target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise LocalError(f"{target} cannot be written: {error.strerror}") from error
    except sqlite3.OperationalError as error:
        raise LocalError(f"{target} cannot be written: {error}") from error


def _require_free(path: Path) -> None:
    if os.path.lexists(path):
        raise LocalError(f"{path} is there already, and nothing is overwritten")
