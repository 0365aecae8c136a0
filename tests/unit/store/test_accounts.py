"""Accounts in the log's file: written in turn, kept over restarts, and brought into older files."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue

import msgspec
import pytest

from parlour.core.erasing import Erasure
from parlour.core.errors import LocalError
from parlour.store import schema
from parlour.store.base import Archive, StoredAccount
from parlour.store.library import SqliteLibrary
from parlour.store.memory import MemoryStore
from parlour.store.sqlite import SqliteStore
from tests.unit.store.club import open_club, watched_connection
from tests.unit.store.places import Place

ANN = StoredAccount("Ann", "$hash", "ann@example.org", 1_000_000.25)
OLAF = StoredAccount("Øláf", "$other", "", 2.0)


def answer(ask: Callable[[Callable[[LocalError | None], None]], None]) -> LocalError | None:
    """What the store says once it is done."""
    outcome: SimpleQueue[LocalError | None] = SimpleQueue()
    ask(outcome.put)
    return outcome.get(timeout=60)


def keep(store: Archive, account: StoredAccount) -> LocalError | None:
    return answer(lambda done: store.keep_account(account, done))


def test_account_is_there_when_it_is_acknowledged_and_after_a_restart(place: Place) -> None:
    with closing(place.store()) as store:
        assert list(store.accounts()) == []
        assert keep(store, OLAF) is None
        assert keep(store, ANN) is None
        with closing(place.library()) as library:
            assert library.accounts() == [ANN, OLAF]
    with closing(place.store()) as store:
        assert list(store.accounts()) == [ANN, OLAF]


@pytest.mark.parametrize("spelling", ["Øláf", "øLÁF"])
def test_name_is_one_account_however_it_is_spelled_and_only_its_password_changes(place: Place, spelling: str) -> None:
    with closing(place.store()) as store:
        keep(store, OLAF)
        assert keep(store, StoredAccount(spelling, "$new", "other", 2.0)) is None
        assert list(store.accounts()) == [msgspec.structs.replace(OLAF, password="$new")]


def test_dropped_account_is_gone(place: Place) -> None:
    with closing(place.store()) as store:
        keep(store, ANN)
        keep(store, OLAF)
        assert answer(lambda done: store.drop_account(Erasure.of("ANN", "1"), done)) is None
        assert list(store.accounts()) == [OLAF]


def test_account_that_cannot_be_written_is_answered_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watched_connection(monkeypatch) as opened, closing(SqliteStore(tmp_path)) as store:
        opened[0].execute("PRAGMA query_only=1")
        assert "cannot be written" in str(keep(store, ANN))
        opened[0].execute("PRAGMA query_only=0")
        assert keep(store, OLAF) is None
        assert list(store.accounts()) == [OLAF]
    assert "is closed" in str(keep(store, ANN))


def test_account_is_written_between_the_batches_that_came_before_and_after(tmp_path: Path) -> None:
    club = open_club(tmp_path)
    order: SimpleQueue[str] = SimpleQueue()
    club.pair()
    club.hand_over(lambda _: order.put("batch"))
    club.store.keep_account(ANN, lambda _: order.put("account"))
    club.pair()
    club.hand_over(lambda _: order.put("batch"))
    assert [order.get(timeout=60) for _ in range(3)].count("account") == 1
    club.store.close()
    with closing(SqliteLibrary(tmp_path)) as library:
        assert len(list(library.games())) == 2
        assert library.accounts() == [ANN]


def test_log_of_version_1_is_copied_and_gets_accounts_without_losing_a_game(tmp_path: Path) -> None:
    path = tmp_path / schema.FILE
    schema.open_for_writing(path, "NORMAL", schema.STEPS[:1]).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(GAME_OF_VERSION_1)
    with pytest.raises(LocalError, match="older version"):
        SqliteLibrary(tmp_path)
    with closing(SqliteStore(tmp_path)) as store:
        assert list(store.accounts()) == []
        assert list(store.standings()) == []
        assert [(number, len(records)) for number, records in store.unfinished()] == [(1, 4)]
        assert keep(store, ANN) is None
    with closing(SqliteLibrary(tmp_path)) as library:
        assert [(game.id, [player.name for player in game.players]) for game in library.games()] == [
            ("abc-1", ["Ann", "Ben"])
        ]
    with closing(sqlite3.connect(f"{path}.bak-v1")) as copy:
        assert copy.execute("PRAGMA user_version").fetchone() == (1,)
        assert copy.execute("SELECT count(*) FROM record").fetchone() == (4,)


GAME_OF_VERSION_1 = """
INSERT INTO record (tbl, seq, at, event) VALUES
  (1, 1, 1000, '{"type":"opened","table":"abc","game":"noughts","options":{}}'),
  (1, 2, 1000, '{"type":"joined","seat":0,"name":"Ann","wire":"test"}'),
  (1, 3, 1000, '{"type":"joined","seat":1,"name":"Ben","wire":"test"}'),
  (1, 4, 1000, '{"type":"started","game":"abc-1","options":{}}');
INSERT INTO game VALUES (1, 'abc-1', 1, 'abc', 'noughts', 1, '{}',
  '[{"seat":0,"name":"Ann","wire":"test","kind":"person"},{"seat":1,"name":"Ben","wire":"test","kind":"person"}]',
  'playing', 1000, NULL, NULL, 4, NULL, 1);
"""


def test_memory_has_nobody_to_remember() -> None:
    store = MemoryStore()
    outcomes: list[LocalError | None] = []
    store.keep_account(ANN, outcomes.append)
    assert (outcomes, list(store.accounts()), list(store.standings())) == ([None], [], [])
