"""A backup of an archive is a log in SQLite, like every other: `parlour restore` makes a data directory of it.

Records of one table stand together there, in their order, so the numbers that games have of them are easy to find.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlour.store import copying, files, migrations, pgschema, schema
from parlour.store.ledger import GameRow
from parlour.store.trail import BLOCK
from parlour.store.trail import INSERT as INSERT_TRAIL

if TYPE_CHECKING:
    from psycopg import Connection

AT_A_TIME = 5000
"""Rows."""

_AS_THEY_ARE = {
    "account": "folded, name, password, email, created",
    "standing": "game, account, wins, losses, ties, forfeits",
    "rating": "ladder, account, period, upto, rating, deviation, volatility, wins, losses, ties",
    "listed": "name, game, no",
    "ban": "whom, until",
}


def back_up_archive(url: str, target: Path) -> int:
    """Copy one state of the archive into one new file, while nodes may write to it; returns the number of games."""
    with (
        pgschema.in_words(url),
        pgschema.connect(url) as source,
        copying.drafted(target) as draft,
        closing(sqlite3.connect(draft, isolation_level=None)) as copy,
        source.transaction(),
    ):
        source.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        copy.execute("BEGIN")
        for step in migrations.STEPS:
            step(copy)
        copy.execute(f"PRAGMA user_version={len(migrations.STEPS)}")
        _copy_games(source, copy, _copy_records(source, copy))
        for table, columns in _AS_THEY_ARE.items():
            _insert(copy, table, columns, _rows(source, f"SELECT {columns} FROM {table}"))  # noqa: S608 - ours
        copy.execute(copying.TABLE)
        kept = _rows(source, f"SELECT name, content FROM kept WHERE name = '{files.SECRET}'")  # noqa: S608
        _insert(copy, "kept", "name, content", kept)
        copy.execute("COMMIT")
        schema.require_sound(copy, target)
        ((games,),) = copy.execute("SELECT count(*) FROM game").fetchall()
        return int(games)


def _rows(source: "Connection[Any]", query: str) -> Iterator[tuple[Any, ...]]:
    with source.cursor(name="parlour") as cursor:
        cursor.itersize = AT_A_TIME
        yield from cursor.execute(query)


def _insert(copy: sqlite3.Connection, table: str, columns: str, rows: Iterator[tuple[Any, ...]]) -> None:
    places = ",".join("?" * len(columns.split(",")))
    copy.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)  # noqa: S608 - names of ours


def _copy_records(source: "Connection[Any]", copy: sqlite3.Connection) -> dict[int, int]:
    """By table, the number before that of its first record."""
    before: dict[int, int] = {}
    no = 0

    def numbered() -> Iterator[tuple[Any, ...]]:
        nonlocal no
        for tbl, *cells in _rows(source, "SELECT tbl, seq, at, event FROM record ORDER BY tbl, seq"):
            before.setdefault(tbl, no)
            no += 1
            yield no, tbl, *cells

    _insert(copy, "record", "no, tbl, seq, at, event", numbered())
    ends = [*list(before.values())[1:], no]
    for (tbl, first), last in zip(before.items(), ends, strict=True):
        blocks = range((first + 1) // BLOCK, last // BLOCK + 1)
        copy.execute(INSERT_TRAIL, (tbl, first + 1, last, f"[{','.join(map(str, blocks))}]"))
    return before


def _copy_games(source: "Connection[Any]", copy: sqlite3.Connection, before: dict[int, int]) -> None:
    columns = ", ".join(f'"{name}"' for name in GameRow.__struct_fields__)

    def numbered() -> Iterator[tuple[Any, ...]]:
        for cells in _rows(source, f"SELECT {columns} FROM game ORDER BY no"):  # noqa: S608 - names of ours
            row = dict(zip(GameRow.__struct_fields__, cells, strict=True))
            for name in ("opened", "first", "last"):
                if row[name] is not None:
                    row[name] += before[row["tbl"]]
            yield tuple(row.values())

    _insert(copy, "game", columns, numbered())
    results = (
        "SELECT account, game.tbl, game.last, result.id, result.game, at, seat, outcome, rated, place"
        " FROM result JOIN game ON game.id = result.id ORDER BY result.no"
    )
    shares = (
        (account, before[tbl] + last, *cells)
        for account, tbl, last, *cells in _rows(source, results)
        if last is not None
    )
    _insert(copy, "result", "account, no, id, game, at, seat, outcome, rated, place", shares)
