"""Retention: old games that count for no rating leave the log, and the space they took is given back.

What stays is read as before. A game is removed with the records between its beginning and its end; when no game of its
table stays, with all of the table's. Games at tables that are still open stay, because such a table is folded from its
first record on, and so do rated ones, because ratings are reckoned from them. What removed games came to stays in the
standings of registered players.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from parlour.core.errors import LocalError
from parlour.store import lock, schema
from parlour.store.library import open_for_reading

_OVER = """
    SELECT game.no, game.tbl, game.first, game.last, game.id FROM game LEFT JOIN record ON record.no = game.last
    WHERE game.status IN ('finished', 'abandoned') AND NOT game.live
    AND game.tbl NOT IN (SELECT tbl FROM game WHERE live = 1)
    AND game.id NOT IN (SELECT id FROM result WHERE rated IS NOT NULL)"""
"""The games that may be removed at all."""

_NEEDED = """DELETE FROM temp.doomed WHERE tbl IN (
    SELECT game.tbl FROM game JOIN record ON record.no = game.first
    WHERE game.tbl IN (SELECT tbl FROM temp.doomed) AND game.no NOT IN (SELECT no FROM temp.doomed)
    AND record.event NOT LIKE '{"v":%')"""
"""A game of version 1 is told by all records of its table before it."""

_REMOVE = (
    "CREATE TEMP TABLE empty AS SELECT DISTINCT tbl FROM temp.doomed WHERE tbl NOT IN"
    " (SELECT tbl FROM game WHERE no NOT IN (SELECT no FROM temp.doomed))",
    "DELETE FROM game WHERE no IN (SELECT no FROM temp.doomed)",
    "DELETE FROM result WHERE id IN (SELECT id FROM temp.doomed)",
    "DELETE FROM listed WHERE no IN (SELECT no FROM temp.doomed)",
    "DELETE FROM trail WHERE tbl IN (SELECT tbl FROM temp.empty)",
    "DELETE FROM record WHERE tbl IN (SELECT tbl FROM temp.empty) OR EXISTS"
    " (SELECT 1 FROM temp.doomed WHERE doomed.tbl = record.tbl AND record.no BETWEEN doomed.first AND doomed.last)",
)


class Keep(msgspec.Struct, frozen=True):
    """Which of the games that might be removed stay: those that ended at or after a time, or so many of the latest."""

    since: float | None = None
    games: int | None = None


class Plan(msgspec.Struct, frozen=True):
    """What a removal comes to, in games."""

    games: int
    removed: int
    rated: int
    open: int
    """At tables that are not closed."""


def plan(directory: Path, keep: Keep) -> Plan:
    """What would be removed; changes nothing, and a server may run meanwhile."""
    path = directory / schema.FILE
    try:
        with closing(open_for_reading(path)) as connection:
            if schema.version_of(connection, path) < len(schema.STEPS):
                raise LocalError(f"the log {path} is of an older version; `parlour serve` brings it up to date")
            return _doom(connection, keep)
    except sqlite3.Error as error:
        raise schema.trouble(path, error) from error


def compact(directory: Path, keep: Keep) -> Plan:
    """Remove what is not kept, and give its space back; no server may run on this data."""
    path = directory / schema.FILE
    holding = lock.take(directory)
    try:
        schema.require_writable(path)
        with closing(schema.open_for_writing(path, "FULL")) as connection:
            schema.require_sound(connection, path)  # or games would be gone before the damage is met
            done = _doom(connection, keep)
            connection.execute("BEGIN IMMEDIATE")
            for statement in _REMOVE:
                connection.execute(statement)
            connection.execute("COMMIT")
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return done
    except sqlite3.Error as error:
        raise schema.trouble(path, error) from error
    finally:
        lock.release(holding)


def _doom(connection: sqlite3.Connection, keep: Keep) -> Plan:
    """Note the games to be removed in a temporary table."""
    connection.execute(
        "CREATE TEMP TABLE doomed (no INTEGER PRIMARY KEY, tbl INTEGER, first INTEGER, last INTEGER, id TEXT)"
    )
    if keep.since is not None:
        cells = (int(keep.since * 1000),)
        connection.execute(f"INSERT INTO temp.doomed {_OVER} AND coalesce(record.at, game.started, 0) < ?", cells)
    elif keep.games is not None:
        cells = (keep.games,)
        connection.execute(f"INSERT INTO temp.doomed {_OVER} ORDER BY game.no DESC LIMIT -1 OFFSET ?", cells)
    connection.execute("CREATE INDEX temp.doomed_by_table ON doomed (tbl)")
    connection.execute(_NEEDED)
    counts = connection.execute(
        "SELECT (SELECT count(*) FROM game), (SELECT count(*) FROM temp.doomed),"
        " (SELECT count(DISTINCT id) FROM result WHERE rated IS NOT NULL),"
        " (SELECT count(*) FROM game WHERE tbl IN (SELECT tbl FROM game WHERE live = 1))"
    ).fetchone()
    return Plan(*counts)
