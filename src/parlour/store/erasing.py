"""An account leaves the log: its records are spelled anew without it, and so is everything that follows from them.

`record` is otherwise only ever appended to. What is rewritten says the same about the game: what was played, who won.
"""

import json
import sqlite3

import msgspec

from parlour.core.accounts import folded
from parlour.core.erasing import DELETED, Erasure
from parlour.store.ledger import json_text, players_in, without_name


class Mentions(msgspec.Struct, frozen=True):
    """The numbers of records that have an account's name in them, up to one of them."""

    records: list[int]
    upto: int


def mentions(connection: sqlite3.Connection, erasure: Erasure) -> Mentions:
    """Look through the whole log: a second for some million records, while others write to it."""
    (upto,) = connection.execute("SELECT coalesce(max(no), 0) FROM record").fetchone()
    return Mentions(_between(connection, erasure, 0, upto), upto)


def _between(connection: sqlite3.Connection, erasure: Erasure, after: int, upto: int) -> list[int]:
    query = "SELECT no FROM record WHERE no > ? AND no <= ? AND instr(event, ?)"
    return [no for (no,) in connection.execute(query, (after, upto, json_text(erasure.account)))]


def erase(connection: sqlite3.Connection, erasure: Erasure, found: Mentions) -> set[int]:
    """Erase an account in the transaction that is open; returns the tables at which it was."""
    tables = set()
    for no in (*found.records, *_between(connection, erasure, found.upto, 1 << 62)):
        tbl, text = connection.execute("SELECT tbl, event FROM record WHERE no = ?", (no,)).fetchone()
        plain = json.loads(text)
        changed = erasure.apply(plain)
        if changed != plain:
            connection.execute("UPDATE record SET event = ? WHERE no = ?", (json_text(changed), no))
            tables.add(tbl)
    for tbl in tables:
        games = connection.execute("SELECT no, game, players FROM game WHERE tbl = ?", (tbl,)).fetchall()
        for no, game, players in games:
            changed = without_name(players_in(players), erasure.account)
            connection.execute("UPDATE game SET players = ? WHERE no = ?", (json_text(changed), no))
            connection.execute(
                "UPDATE OR REPLACE listed SET name = ? WHERE name = ? AND game = ? AND no = ?",
                (DELETED, folded(erasure.account), game, no),
            )
    for table in ("result", "rating"):
        connection.execute(f"UPDATE {table} SET account = ? WHERE account = ?", (erasure.alias, erasure.account))  # noqa: S608
    connection.execute("DELETE FROM standing WHERE account = ?", (erasure.account,))
    connection.execute("DELETE FROM account WHERE folded = ?", (folded(erasure.account),))
    return tables
