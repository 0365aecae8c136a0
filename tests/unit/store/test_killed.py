"""`kill -9` at any moment: whatever was acknowledged is in the log, and nothing is there that never was."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from random import Random

from parlour.core.words import Opened, Record
from parlour.store.library import SqliteLibrary
from parlour.store.spelling import Reading
from parlour.store.sqlite import SqliteStore
from tests.processes import started
from tests.unit.store.child import LAST, content
from tests.unit.store.model import standings_of

ROUNDS = 8


def acknowledged(directory: Path, seed: int, root: Path) -> set[tuple[int, int]]:
    """Start a server, kill it in the middle of its work, and collect what it has acknowledged."""
    patience = Random(seed).randint(1, 400)
    command = [sys.executable, "-m", "tests.unit.store.child", str(directory), str(seed)]
    with started(command, cwd=root) as server:
        assert server.stdout is not None
        lines = [server.stdout.readline() for _ in range(patience)]
        server.kill()
        lines += server.stdout.readlines()
    assert all(line.endswith("\n") for line in lines)
    pairs = [name.split(":") for line in lines for name in line.split()]
    return {(int(tbl), int(seq)) for tbl, seq in pairs}


def acknowledged_names(directory: Path, seed: int, root: Path) -> set[str]:
    """Start a server with registered players, kill it, and collect the names it has acknowledged."""
    command = [sys.executable, "-m", "tests.unit.store.members", str(directory), str(seed)]
    with started(command, cwd=root) as server:
        assert server.stdout is not None
        lines = [server.stdout.readline() for _ in range(Random(seed).randint(10, 50))]
        server.kill()
        lines += server.stdout.readlines()
    assert all(lines)
    return {line.rstrip("\n") for line in lines}


def logged_tables(directory: Path) -> list[tuple[str, list[Record]]]:
    """The game and all records of every table in the file."""
    with closing(sqlite3.connect(directory / "parlour.db")) as connection:
        rows = connection.execute("SELECT tbl, seq, at, event FROM record ORDER BY no").fetchall()
    tables: dict[int, list[Record]] = {}
    for tbl, seq, at, event in rows:
        tables.setdefault(tbl, []).append(Record(seq, at / 1000, Reading().event(event)))
    named = []
    for records in tables.values():
        opened = records[0].event
        assert isinstance(opened, Opened)
        named.append((opened.game, records))
    return named


def test_acknowledged_accounts_survive_and_standings_are_what_the_log_says(tmp_path: Path, root: Path) -> None:
    promised: set[str] = set()
    for seed in range(4):
        promised |= acknowledged_names(tmp_path, seed, root)
        with closing(SqliteStore(tmp_path)) as store:
            assert promised <= {account.name for account in store.accounts()}
            found = {(game, account): tally for game, account, tally in store.standings()}
        assert found == standings_of(logged_tables(tmp_path))
    assert sum(tally.wins for tally in found.values()) > 20


def test_log_survives_being_killed_again_and_again(tmp_path: Path, root: Path) -> None:
    promised: set[tuple[int, int]] = set()
    for seed in range(ROUNDS):
        promised |= acknowledged(tmp_path, seed, root)
        with closing(SqliteStore(tmp_path)) as store:
            unfinished = dict(store.unfinished())
        with closing(sqlite3.connect(tmp_path / "parlour.db")) as connection:
            rows = connection.execute("SELECT tbl, seq, event FROM record ORDER BY no").fetchall()
        found = [(tbl, seq) for tbl, seq, _ in rows]
        assert promised <= set(found)
        assert all(Reading().event(event) == content(tbl, seq) for tbl, seq, event in rows)
        lengths: dict[int, int] = {}
        for tbl, seq in found:  # no record twice, none left out
            assert seq == lengths.get(tbl, 0) + 1
            lengths[tbl] = seq
        assert {tbl: len(records) for tbl, records in unfinished.items()} == {
            tbl: length for tbl, length in lengths.items() if length < LAST
        }
        with closing(SqliteLibrary(tmp_path)) as library:
            listed = {game.table: game for game in library.games()}
        assert {name: game.moves for name, game in listed.items() if game.status == "playing"} == {
            f"table{tbl}": length - 2 for tbl, length in lengths.items() if 2 <= length < LAST
        }
        assert len(listed) == len(lengths)
    assert any(length == LAST for length in lengths.values())
