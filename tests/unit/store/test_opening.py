"""A log that cannot be used is refused with one sentence that says why."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from parlour.core.errors import LocalError
from parlour.store import schema
from parlour.store.library import SqliteLibrary
from parlour.store.sqlite import SqliteStore
from tests.processes import started
from tests.unit.store.club import open_club, watched_connection

HOLDER = """
import sys
from pathlib import Path
from parlour.store.sqlite import SqliteStore
store = SqliteStore(Path(sys.argv[1]), "kill")
print("open", flush=True)
sys.stdin.read()
"""


def refusal(directory: Path) -> str:
    """The sentence with which the log in this directory is refused."""
    with pytest.raises(LocalError) as caught:
        SqliteStore(directory)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def fill(directory: Path) -> Path:
    """A log with some hundred games in it."""
    club = open_club(directory)
    for _ in range(300):
        club.pair()
    assert club.settle() is None
    club.store.close()
    return directory / "parlour.db"


def test_directory_is_made_if_it_is_missing(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "deep" / "down").close()
    assert (tmp_path / "deep" / "down" / "parlour.db").exists()


def test_second_server_on_the_same_data_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with started(command, stdin=subprocess.PIPE) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "open\n"
        sentence = refusal(tmp_path)
        assert str(tmp_path) in sentence
        assert f"process {first.pid}" in sentence
        first.kill()
    SqliteStore(tmp_path).close()  # the kernel has let go of the lock


def test_same_process_cannot_open_the_log_twice_either(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)):
        assert "in use" in refusal(tmp_path)
    SqliteStore(tmp_path).close()


def test_refused_log_is_not_left_locked(tmp_path: Path) -> None:
    (tmp_path / "parlour.db").write_bytes(b"no database" * 1000)
    refusal(tmp_path)
    (tmp_path / "parlour.db").unlink()
    SqliteStore(tmp_path).close()


def overwrite(path: Path) -> None:
    path.write_bytes(b"hello, this is no database at all\n" * 200)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def scratch(path: Path) -> None:
    """Noise over all pages but the first."""
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))


def spoil_record(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('UPDATE record SET event = \'{"type":"pl\' WHERE no = 7')
        connection.commit()


def lose_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE game")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def one_byte(path: Path) -> None:
    path.write_bytes(b"S")


def half_a_header(path: Path) -> None:
    os.truncate(path, 60)


def noisy_header(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:16] + b"\xa5" * 84 + content[100:])


def other_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipe (cake TEXT)")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def itself(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def unreadable(path: Path) -> None:
    path.chmod(0)


DAMAGES = [
    overwrite, cut, scratch, spoil_record, lose_table, empty, one_byte, half_a_header, noisy_header, other_database,
    pipe, itself, unreadable,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_log_is_refused_by_server_and_reader_alike(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = fill(tmp_path)
    damage(path)
    sentence = refusal(tmp_path)
    assert str(path) in sentence
    if damage is not spoil_record:  # which a reader of the list does not come across
        with pytest.raises(LocalError), closing(SqliteLibrary(tmp_path)) as library:
            list(library.games())


def test_read_only_log_is_refused_even_to_root(tmp_path: Path) -> None:
    path = fill(tmp_path)
    path.chmod(0o444)
    assert refusal(tmp_path) == f"the log {path} cannot be written: it is read-only"
    with closing(SqliteLibrary(tmp_path)) as library:
        assert len(list(library.games())) == 300


def test_read_only_directory_is_refused_even_to_root(tmp_path: Path) -> None:
    data = tmp_path / "data"
    fill(data)
    data.chmod(0o555)
    try:
        assert refusal(data) == f"the data directory {data} cannot be written: it is read-only"
        with closing(SqliteLibrary(data)) as library:
            assert len(list(library.games())) == 300
    finally:
        data.chmod(0o755)


def test_data_directory_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    assert "cannot be used" in refusal(tmp_path / "data")


def test_log_that_is_a_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "parlour.db").mkdir()
    assert refusal(tmp_path) == f"the log {tmp_path / 'parlour.db'} is no file"


def test_log_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = fill(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version=7")
    assert f"newer Parlour (schema 7; this one knows {len(schema.STEPS)})" in refusal(tmp_path)
    with pytest.raises(LocalError, match="newer Parlour"):
        SqliteLibrary(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM game").fetchone() == (300,)


def test_reader_without_a_log_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="there is no log in"):
        SqliteLibrary(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_older_log_is_copied_and_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    schema.open_for_writing(path, "NORMAL", schema.STEPS[:1]).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE attic (thing TEXT)")
        connection.execute("INSERT INTO attic VALUES ('chess set')")
        connection.commit()
    with pytest.raises(LocalError, match="older version"):
        SqliteLibrary(tmp_path)
    club = open_club(tmp_path)
    club.pair()
    assert club.settle() is None
    club.store.close()
    with closing(sqlite3.connect(path)) as connection, closing(sqlite3.connect(f"{path}.bak-v1")) as copy:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(schema.STEPS),)
        for database in (connection, copy):
            assert database.execute("SELECT thing FROM attic").fetchall() == [("chess set",)]
        assert copy.execute("SELECT name FROM sqlite_schema WHERE name = 'trail'").fetchall() == []
        assert copy.execute("PRAGMA user_version").fetchone() == (1,)


def test_every_step_from_the_files_version_on_is_taken_once(tmp_path: Path) -> None:
    def add_notes(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE game ADD COLUMN notes TEXT")

    path = fill(tmp_path)
    for _ in range(2):
        schema.open_for_writing(path, "NORMAL", (*schema.STEPS, add_notes)).close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM game WHERE notes IS NULL").fetchone() == (300,)
        assert connection.execute("PRAGMA user_version").fetchone() == (len(schema.STEPS) + 1,)
    assert sorted(file.name for file in tmp_path.glob("*.bak*")) == [f"parlour.db.bak-v{len(schema.STEPS)}"]


def test_step_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    def stumble(connection: sqlite3.Connection) -> None:
        connection.execute("DROP TABLE game")
        connection.execute("DROP TABLE no_such_table")

    path = fill(tmp_path)
    with pytest.raises(LocalError, match="no such table"):
        schema.open_for_writing(path, "NORMAL", (*schema.STEPS, stumble))
    with closing(SqliteLibrary(tmp_path)) as library:
        assert len(list(library.games())) == 300


def test_new_log_needs_no_copy(tmp_path: Path) -> None:
    SqliteStore(tmp_path).close()
    assert sorted(os.listdir(tmp_path)) == ["parlour.db", "parlour.lock"]


@pytest.mark.parametrize(("durability", "synchronous"), [("kill", 1), ("power", 2)])
def test_durability_decides_whether_a_commit_reaches_the_disk(
    tmp_path: Path, durability: str, synchronous: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watched_connection(monkeypatch) as opened, closing(SqliteStore(tmp_path, durability)):
        assert opened[0].execute("PRAGMA synchronous").fetchone() == (synchronous,)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_new_data_is_for_its_owner_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    club = open_club(data)
    club.pair()
    assert club.settle() is None
    assert mode(data) == 0o700
    assert sorted(path.name for path in data.iterdir()) == [
        "parlour.db", "parlour.db-shm", "parlour.db-wal", "parlour.lock",
    ]  # fmt: skip
    assert {mode(path) for path in data.iterdir()} == {0o600}
    club.store.close()


def test_modes_of_an_old_log_are_mended_and_the_directory_is_left_as_its_owner_wants_it(tmp_path: Path) -> None:
    path = fill(tmp_path)
    schema.open_for_writing(path, "NORMAL", (*schema.STEPS, lambda _: None)).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version={len(schema.STEPS)}")
    path.chmod(0o664)
    tmp_path.chmod(0o755)
    with closing(SqliteStore(tmp_path)):
        assert mode(path) == mode(tmp_path / "parlour.db-wal") == 0o600
    assert mode(tmp_path) == 0o755
    assert mode(tmp_path / f"parlour.db.bak-v{len(schema.STEPS)}") == 0o600


def test_new_log_is_not_begun_on_top_of_the_last_moves_of_another(tmp_path: Path) -> None:
    (tmp_path / "parlour.db-wal").write_bytes(b"moves")
    assert "bring it back" in refusal(tmp_path)
    assert not (tmp_path / "parlour.db").exists()


def test_start_that_was_cut_off_does_not_keep_the_next_one_from_making_the_log(tmp_path: Path) -> None:
    (tmp_path / "parlour.db.part").write_bytes(b"SQLi")
    SqliteStore(tmp_path).close()
    assert sorted(os.listdir(tmp_path)) == ["parlour.db", "parlour.lock"]
