"""`parlour accounts`, as a host meets it."""

import io
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue

import pytest
from argon2 import PasswordHasher

from parlour.cli import main
from parlour.core.errors import LocalError
from parlour.store.base import StoredAccount
from parlour.store.library import SqliteLibrary
from parlour.store.passwords import Passwords
from parlour.store.sqlite import SqliteStore

ANN = StoredAccount("Ann", "$ann", "ann@example.org", 1_000_000_000.0)
BEN = StoredAccount("Ben", "$ben", "\x1b[31m", 1_000_000_060.0)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A log with two accounts."""
    outcome: SimpleQueue[LocalError | None] = SimpleQueue()
    with closing(SqliteStore(tmp_path)) as store:
        for account in (ANN, BEN):
            store.keep_account(account, outcome.put)
            assert outcome.get(timeout=60) is None
    return tmp_path


def accounts(data: Path) -> list[StoredAccount]:
    with closing(SqliteLibrary(data)) as library:
        return library.accounts()


def test_list_shows_names_and_keeps_them_harmless(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(SqliteStore(data)):  # as while a server runs
        assert main(["accounts", "list", "--data", str(data)]) == 0
    header, ann, ben = capsys.readouterr().out.splitlines()
    assert header == "NAME              REGISTERED (UTC)  EMAIL"
    assert ann == "Ann               2001-09-09 01:46  ann@example.org"
    assert ben.startswith("Ben               2001-09-09 01:47")
    assert ben.isprintable()


def test_list_of_nobody_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    SqliteStore(tmp_path).close()
    assert main(["accounts", "--data", str(tmp_path), "list"]) == 0
    assert capsys.readouterr() == ("", "There are no registered names yet.\n")


def test_removed_name_is_nobodys(data: Path) -> None:
    assert main(["accounts", "remove", "aNN", "--data", str(data)]) == 0
    assert accounts(data) == [BEN]


def test_new_password_is_the_first_line_of_standard_input(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("open sesame\nand more\n"))
    assert main(["accounts", "password", "ann", "--data", str(data)]) == 0
    ann, ben = accounts(data)
    assert (ann.name, ann.email, ann.created, ben) == (ANN.name, ANN.email, ANN.created, BEN)
    assert Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)).belongs("open sesame", ann.password)


@pytest.mark.parametrize("line", ["", "\n", "abc\n", "a" * 129, "a" * 100_000])
def test_poor_password_is_refused(
    data: Path, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(line))
    assert main(["accounts", "password", "Ann", "--data", str(data)]) == 1
    assert capsys.readouterr().err == "parlour: That password is too short, too long, or the same as the name.\n"
    assert accounts(data) == [ANN, BEN]


def test_password_that_is_no_text_is_2(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe\n"), "utf-8"))
    assert main(["accounts", "password", "Ann", "--data", str(data)]) == 2
    assert capsys.readouterr().err == "parlour: the new password is not text: invalid start byte\n"


@pytest.mark.parametrize("action", ["remove", "password"])
def test_unknown_name_is_1(data: Path, action: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accounts", action, "Cid", "--data", str(data)]) == 1
    assert capsys.readouterr().err == "parlour: there is no account Cid\n"


@pytest.mark.parametrize("action", ["remove", "password"])
def test_nothing_is_changed_under_a_running_server(
    data: Path, action: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("open sesame\n"))
    with closing(SqliteStore(data)):
        assert main(["accounts", action, "Ann", "--data", str(data)]) == 2
    assert "in use by another Parlour server" in capsys.readouterr().err
    assert sys.stdin.read() == "open sesame\n"  # not even asked for
    assert accounts(data) == [ANN, BEN]


@pytest.mark.parametrize("words", [["list", "Ann"], ["remove"], ["password"], [], ["rename", "Ann"]])
def test_wrong_usage_is_2(data: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accounts", *words, "--data", str(data)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_no_log_is_2_and_none_is_made(tmp_path: Path) -> None:
    assert main(["accounts", "remove", "Ann", "--data", str(tmp_path / "nowhere")]) == 2
    assert not (tmp_path / "nowhere").exists()


def test_removing_an_account_removes_its_standing(data: Path) -> None:
    path = data / "parlour.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO standing VALUES ('dots', 'Ann', 3, 2, 1, 0)")
        connection.commit()
    assert main(["accounts", "remove", "Ann", "--data", str(data)]) == 0
    with closing(SqliteStore(data)) as store:
        assert [(game, account, tally.wins) for game, account, tally in store.standings()] == []


# --- bans -----------------------------------------------------------------------------------------------------------


def bans(data: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["accounts", "bans", "--data", str(data)]) == 0
    return capsys.readouterr().out.splitlines()


def test_bans_are_kept_listed_and_lifted_with_a_server_or_without(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = ["--data", str(data)]
    assert main(["accounts", "ban", "Zoe", *here]) == 0
    with closing(SqliteStore(data)):  # as while a server runs
        assert main(["accounts", "ban", "::ffff:192.0.2.7", "--until", "2099-01-31T18:00", *here]) == 0
        assert bans(data, capsys) == ["WHOM       UNTIL (UTC)", "192.0.2.7  2099-01-31 18:00", "Zoe        for good"]
        assert main(["accounts", "unban", "ZOE", *here]) == 0
    assert main(["accounts", "ban", "192.0.2.7", *here]) == 0
    assert bans(data, capsys) == ["WHOM       UNTIL (UTC)", "192.0.2.7  for good"]
    assert main(["accounts", "unban", "Zoe", *here]) == 1
    assert capsys.readouterr().err == "parlour: Zoe is not banned\n"


def test_house_that_was_never_open_can_have_bans(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accounts", "ban", "10.0.0.0/8", "--until", "2h", "--data", str(tmp_path / "new")]) == 0
    assert bans(tmp_path / "new", capsys)[1].startswith("10.0.0.0/8  ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["ban"], "accounts ban needs a name"),
        (["bans", "Zoe"], "accounts bans takes no name"),
        (["ban", "\u200b"], "that is neither a name nor an address"),
        (["ban", "Zoe", "--until", "soon"], "--until soon: give a date like 2030-01-31T18:00, or 30m, 12h, 7d"),
        (["ban", "192.0.2.7/99"], "that is neither a name nor an address"),
        (["ban", "Zoe", "--until", "2001-01-01"], "--until 2001-01-01: that time is past"),
        (["ban", "Zoe", "--until", "0m"], "--until 0m: that time is past"),
        (["unban", "Zoe", "--until", "2h"], "--until is for accounts ban"),
    ],
)
def test_wrong_words_about_bans_are_one_sentence(
    words: list[str], sentence: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["accounts", *words, "--data", str(data)]) == 2
    assert capsys.readouterr().err == f"parlour: {sentence}\n"
    assert bans(data, capsys) == []
