"""The bans in the database. They may be changed beside a running server, which looks at them every few seconds."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from parlour.core.errors import LocalError
from parlour.core.house.bans import Ban
from parlour.store import schema
from parlour.store.sqlite import SqliteStore


def change_bans(directory: Path, kept: Sequence[Ban], dropped: Sequence[Ban]) -> None:
    """Write some and forget others, in a file that must be there and up to date. Raises LocalError."""
    path = directory / schema.FILE
    rows = [(ban.whom, None if ban.until is None else int(ban.until * 1000)) for ban in kept]
    try:
        with closing(schema.connect(path)) as connection:
            connection.execute("PRAGMA wal_autocheckpoint=0")  # the server's task, if there is one
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("DELETE FROM ban WHERE whom = ?", [(ban.whom,) for ban in dropped])
            connection.executemany("INSERT OR REPLACE INTO ban VALUES (?, ?)", rows)
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise LocalError(f"the log {path} cannot be written: {error}") from error


def prepare(directory: Path) -> None:
    """See that there is a file, and that it is up to date. Raises LocalError."""
    if not _is_current(directory / schema.FILE):
        SqliteStore(directory, "power").close()


def _is_current(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with closing(schema.connect(path)) as connection:
            return schema.version_of(connection, path) == len(schema.STEPS)
    except sqlite3.Error as error:
        raise schema.trouble(path, error) from error
