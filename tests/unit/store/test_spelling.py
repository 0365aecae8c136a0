"""Events are written whole and with a version; older spellings mean what they always meant, newer ones are refused."""

import json
import os
import sqlite3
import subprocess
import sys
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.cli import main
from parlour.core.errors import LocalError
from parlour.core.words import (
    AnyEvent,
    Opened,
    Played,
    Policy,
)
from parlour.store import schema, spelling
from parlour.store.library import SqliteLibrary
from parlour.store.spelling import VERSION, Reading, spelled, spelled_move
from parlour.store.sqlite import SqliteStore
from parlour.store.upcasters import CHAIN
from tests.conftest import ROOT
from tests.unit.store.club import Club, live_it_up, open_club
from tests.unit.store.corpus import LOGS
from tests.unit.store.test_old_logs import SCHEMAS

VOCABULARY = ROOT / "tests" / "data" / "logs" / f"vocabulary-{VERSION}.json"


def every_event() -> list[Any]:
    """One of every kind, with nothing given that has a default."""
    return [example(kind) for kind in get_args(AnyEvent)]


def example(kind: type[Any]) -> Any:
    plain = {str: "x", int: 1, bool: True}
    given: dict[str, object] = {}
    for field in msgspec.structs.fields(kind):
        if field.required:
            by_name = {"options": {}, "reason": "agreed"}
            given[field.name] = by_name.get(field.name, plain.get(field.type, ()))
    return msgspec.convert({"type": kind.__struct_config__.tag, **given}, kind)


# --- writing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", every_event(), ids=lambda event: type(event).__name__)
def test_every_event_is_written_whole_with_its_version_first(event: Any) -> None:
    text = spelled(event)
    assert text.startswith(f'{{"v":{VERSION},"type":"{type(event).__name__.lower()}"')
    written = json.loads(text)
    assert list(written) == ["v", "type", *type(event).__struct_fields__]
    assert Reading().event(text) == event


def test_what_is_inside_an_event_is_written_whole_as_well() -> None:
    written = json.loads(spelled(Opened("t", "dots", {})))
    assert list(written["policy"]) == list(Policy.__struct_fields__)


@given(seat=st.integers(0, 30), move=st.text(max_size=9), mark=st.text(max_size=9))
def test_a_move_is_spelled_like_any_other_event(seat: int, move: str, mark: str) -> None:
    for event in (Played(seat, move, mark), Played(seat, move)):
        assert spelled_move(event) == spelled(event)
        assert Reading().event(spelled_move(event)) == event


def test_only_so_many_moves_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    remembered: defaultdict[int, dict[str, str]] = defaultdict(dict)
    monkeypatch.setattr(spelling, "MOST_MOVES", 5)
    monkeypatch.setattr(spelling, "MOVES", remembered)
    for number in range(50):
        assert json.loads(spelled_move(Played(0, str(number))))["move"] == str(number)
        assert 0 < len(remembered[0]) <= 5


def test_the_shape_of_events_has_not_changed_without_a_new_version() -> None:
    """If this fails: raise VERSION, freeze the way from the old shape in upcasters.py, and write the new file.

    One value more of an enumeration needs the file alone.
    """
    assert json.loads(VOCABULARY.read_text(encoding="utf-8")) == shape()
    assert len(CHAIN) == VERSION - 1


def shape() -> Any:
    """Every event with its fields and their types; what a default is does not matter."""
    return without_defaults(msgspec.json.schema(AnyEvent))


def without_defaults(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: without_defaults(value) for key, value in part.items() if key not in ("default", "description")}
    return [without_defaults(one) for one in part] if isinstance(part, list) else part


# --- reading ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["{}", "[]", "7", "", '{"type":"left"}', '{"type":"waltz"}', '{"type":7}'])
def test_what_is_no_event_is_told_apart(text: str) -> None:
    with pytest.raises(msgspec.MsgspecError):
        Reading().event(text)


def test_an_event_from_the_future_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    club = open_club(tmp_path)
    ann, _ = club.pair()
    table = ann.table
    assert table is not None
    club.play("a1")
    assert club.settle() is None
    club.store.close()
    newer = f'{{"v":{VERSION + 1},"type":"played","square":"b2"}}'
    with closing(sqlite3.connect(tmp_path / schema.FILE)) as connection:
        connection.execute("INSERT INTO record (tbl, seq, at, event) VALUES (1, 6, 0, ?)", (newer,))
        connection.commit()
    with pytest.raises(LocalError, match=f"newer Parlour .version {VERSION + 1}; this one knows {VERSION}"):
        SqliteStore(tmp_path)
    assert main(["replay", table.game_id, "--data", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    SqliteLibrary(tmp_path).close()  # and nothing is left locked


# --- defaults --------------------------------------------------------------------------------------------------------

OTHER_DEFAULTS = {
    "leaving: Leaving = Leaving.ENDS": "leaving: Leaving = Leaving.SKIPS",
    "starting: Starting = Starting.FULL": "starting: Starting = Starting.LOBBY",
    "first: First = First.TURNS": "first: First = First.TOSS",
    "ready: int = 2": "ready: int = 5",
    "open: bool = True": "open: bool = False",
    "hold: float = 60.0": "hold: float = 7.0",
    "claim: float = 20.0": "claim: float = 1.0",
    "clock: float = 0.0": "clock: float = 99.0",
    "increment: float = 0.0": "increment: float = 9.0",
    "kind: Kind = Kind.PERSON": "kind: Kind = Kind.ENGINE",
    "leaving: Leaving = Leaving.SKIPS": "leaving: Leaving = Leaving.ENDS",
    "first: int = 0": "first: int = 1",
    "by: int = -1": "by: int = 0",
    "yes: bool = True": "yes: bool = False",
}
"""Of Policy and of events."""


def fold(directory: Path, changed: dict[str, str], root: Path) -> str:
    """What a Parlour with these defaults makes of the open tables of a log."""
    command = [sys.executable, "-m", "tests.unit.store.defaults", str(directory), json.dumps(changed)]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("number", [*SCHEMAS, None])
def test_a_changed_default_changes_no_table_already_in_a_log(tmp_path: Path, root: Path, number: int | None) -> None:
    path = tmp_path / schema.FILE
    if number is None:  # as it is written today
        with closing(SqliteStore(tmp_path)) as store:
            live_it_up(Club(store, 1), Random(1), 400, registered=3)
    else:
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript((LOGS / f"schema-{number}.sql").read_text(encoding="utf-8"))
    now = fold(tmp_path, {}, root)
    assert now.count("\n") > 4
    assert fold(tmp_path, OTHER_DEFAULTS, root) == now


if __name__ == "__main__":
    VOCABULARY.write_text(json.dumps(shape(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
