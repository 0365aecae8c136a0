"""`parlour backup` and `restore`: all that a server keeps, whole or not at all, and nothing overwritten."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from parlour.cli import main
from parlour.store import copying, schema
from parlour.store.base import StoredAccount, StoredGame, StoredMove
from parlour.store.library import SqliteLibrary
from parlour.store.sqlite import SqliteStore
from tests.unit.store.club import Club, live_it_up, open_club
from tests.unit.store.test_accounts import ANN, keep
from tests.unit.store.test_opening import mode

SECRET = bytes(range(32))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with all that belongs to one."""
    directory = tmp_path / "data"
    with closing(SqliteStore(directory)) as store:
        live_it_up(club := Club(store), Random(1), 400)
        assert club.settle() is None
        keep(store, ANN)
    (directory / "web-secret").write_bytes(SECRET)
    return directory


def contents(directory: Path) -> tuple[list[tuple[StoredGame, list[StoredMove]]], list[StoredAccount]]:
    with closing(SqliteLibrary(directory)) as library:
        return [library.game(game.id) for game in library.games()], library.accounts()


def test_restored_directory_has_games_accounts_and_the_secret_of_cookies(data: Path, tmp_path: Path) -> None:
    backup, back = tmp_path / "backup", tmp_path / "back"
    assert main(["backup", str(backup), "--data", str(data)]) == 0
    assert mode(backup) == 0o600
    assert main(["restore", str(backup), "--data", str(back)]) == 0
    assert contents(back) == contents(data)
    assert contents(back)[1] == [ANN]
    assert (back / "web-secret").read_bytes() == SECRET
    assert sorted(os.listdir(back)) == ["parlour.db", "parlour.lock", "web-secret"]
    assert {mode(path) for path in back.iterdir()} == {0o600}
    assert mode(back) == 0o700
    assert sorted(os.listdir(tmp_path)) == ["back", "backup", "data"]
    with closing(sqlite3.connect(back / "parlour.db")) as connection:
        assert connection.execute("SELECT name FROM sqlite_schema WHERE name = 'kept'").fetchall() == []
    SqliteStore(back).close()


def test_backup_of_a_running_server_has_all_that_was_acknowledged_before(tmp_path: Path) -> None:
    club = open_club(tmp_path / "data")
    live_it_up(club, Random(1), 400)
    assert club.settle() is None
    copying.back_up(tmp_path / "data", tmp_path / "backup")
    expected = contents(tmp_path / "data")
    club.pair()
    assert club.settle() is None
    club.store.close()
    copying.restore(tmp_path / "backup", tmp_path / "back")
    assert contents(tmp_path / "back") == expected


def test_backup_is_one_state_of_the_log_though_it_is_written_to_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = open_club(tmp_path / "data")
    live_it_up(club, Random(1), 400)
    assert club.settle() is None
    expected = contents(tmp_path / "data")
    steps = 0

    class Busy(sqlite3.Connection):
        def backup(self, target: sqlite3.Connection, *, pages: int = -1, **_: object) -> None:
            def write(_status: int, _remaining: int, _total: int) -> None:
                nonlocal steps
                steps += 1
                club.pair()
                assert club.settle() is None

            super().backup(target, pages=1, progress=write)

    def open_busy(path: Path) -> sqlite3.Connection:
        return sqlite3.connect(path, isolation_level=None, factory=Busy)

    monkeypatch.setattr(copying, "open_for_reading", open_busy)
    copying.back_up(tmp_path / "data", tmp_path / "backup")
    monkeypatch.undo()
    club.store.close()
    assert steps > 10
    copying.restore(tmp_path / "backup", tmp_path / "back")
    assert contents(tmp_path / "back") == expected


def test_backup_overwrites_nothing(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "backup").write_text("dear diary")
    assert main(["backup", str(tmp_path / "backup"), "--data", str(data)]) == 2
    assert "nothing is overwritten" in capsys.readouterr().err
    assert (tmp_path / "backup").read_text() == "dear diary"
    assert sorted(os.listdir(tmp_path)) == ["backup", "data"]


@pytest.mark.parametrize("name", ["parlour.db", "parlour.db-wal", "web-secret"])
def test_restore_overwrites_nothing(data: Path, tmp_path: Path, name: str) -> None:
    copying.back_up(data, tmp_path / "backup")
    (tmp_path / "back").mkdir()
    (tmp_path / "back" / name).write_bytes(b"mine")
    assert main(["restore", str(tmp_path / "backup"), "--data", str(tmp_path / "back")]) == 2
    assert (tmp_path / "back" / name).read_bytes() == b"mine"
    assert set(os.listdir(tmp_path / "back")) == {name, "parlour.lock"}


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def scratch(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\xa5" * 4096 + content[12288:])


def bare(path: Path) -> None:
    path.write_bytes(b"x")


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version=99")


@pytest.mark.parametrize("damage", [cut, scratch, bare, newer, Path.unlink])
def test_damaged_backup_is_refused_before_anything_is_made(
    data: Path, tmp_path: Path, damage: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    copying.back_up(data, tmp_path / "backup")
    damage(tmp_path / "backup")
    assert main(["restore", str(tmp_path / "backup"), "--data", str(tmp_path / "back")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not (tmp_path / "back").exists()


def test_no_backup_is_made_of_a_damaged_log(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scratch(data / "parlour.db")
    assert main(["backup", str(tmp_path / "backup"), "--data", str(data)]) == 2
    assert "damaged" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["data"]


def test_no_backup_is_made_of_a_damaged_secret(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "web-secret").write_bytes(b"short")
    assert main(["backup", str(tmp_path / "backup"), "--data", str(data)]) == 2
    assert "does not hold 32 bytes" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["data"]


def test_older_log_can_be_backed_up_before_it_is_brought_up_to_date(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    schema.open_for_writing(tmp_path / "data" / schema.FILE, "NORMAL", schema.STEPS[:1]).close()
    copying.back_up(tmp_path / "data", tmp_path / "backup")
    copying.restore(tmp_path / "backup", tmp_path / "back")
    SqliteStore(tmp_path / "back").close()
