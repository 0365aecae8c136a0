"""Games at tables for two in the log: whoever sat there, they are exported, imported and replayed like any other."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from parlour.cli import main
from parlour.core.words import Cap, EnterTable, Leave, Play, TakeChair
from parlour.store.sqlite import SqliteStore
from tests.unit.core.people import Person, enter, room
from tests.unit.store.club import Club

DOOR = room("door", 3, 3)


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with closing(SqliteStore(tmp_path / "log")) as store:
        yield Club(store)


def play_on(people: list[Person], lines: int = 999) -> None:
    table = people[0].here
    for _ in range(lines):
        if not table.running or table.position is None:
            return
        mover = next(person for person in people if person.seat == table.position.turn)
        mover.do(Play(table.position.legal()[0]))


def test_game_with_an_heir_is_exported_imported_and_replayed(
    club: Club, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = Person(club.hub, "old").do(enter(DOOR, "old"))
    table = old.here
    ann = Person(club.hub, "ann").do(TakeChair(table.id, most=25))
    play_on([old, ann], 5)
    ann.do(Leave())
    heir = Person(club.hub, "heir").do(EnterTable(table.id))
    play_on([old, heir])
    assert table.result is not None
    game_id, result = table.game_id, table.result
    old.do(Leave())
    heir.do(Leave())
    assert club.settle() is None
    club.store.close()
    data = str(tmp_path / "log")
    assert main(["export", game_id, "--data", data]) == 0
    sheet = json.loads(capsys.readouterr().out)
    assert [player["name"] for player in sheet["players"]] == ["old", "heir"]
    assert tuple(sheet["result"]["scores"]) == result.scores
    file = tmp_path / "game.json"
    file.write_text(json.dumps(sheet))
    assert main(["import", str(file), "--data", data]) == 0
    imported = capsys.readouterr().out.strip()
    texts = []
    for each in (game_id, imported):
        assert main(["replay", each, "--data", data]) == 0
        texts.append(capsys.readouterr().out.replace(each, "ID"))
    assert texts[0] == texts[1]
    assert texts[0].count("\n\n") >= len(sheet["moves"])


def test_room_of_a_server_that_died_is_closed_when_its_log_is_read(club: Club, tmp_path: Path) -> None:
    old = Person(club.hub, "old", Cap.CHAT).do(enter(DOOR, "old"))
    Person(club.hub, "ann", Cap.CHAT).do(TakeChair(old.here.id, most=25))
    old.do(Play("h 0 0"))
    assert club.settle() is None
    club.store.close()
    with closing(SqliteStore(tmp_path / "log")) as store:
        later = Club(store, seed=1)
        for number, records in store.unfinished():
            later.hub.restore(number, records)
        assert later.settle() is None
        assert not later.hub.tables
        assert list(store.unfinished()) == []


def test_room_of_a_server_that_died_is_there_for_whoever_can_come_back(club: Club, tmp_path: Path) -> None:
    old = Person(club.hub, "old", Cap.CHAT).do(enter(DOOR, "old"))
    ann = Person(club.hub, "ann").do(TakeChair(old.here.id, most=25))
    old.do(Play("h 0 0"))
    assert club.settle() is None
    club.store.close()
    with closing(SqliteStore(tmp_path / "log")) as store:
        later = Club(store, seed=1)
        for number, records in store.unfinished():
            later.hub.restore(number, records)
        again = ann.elsewhere(later.hub).resume()
        assert later.settle() is None
        assert again.here.moves == ["h 0 0"]
        assert again.seat == 1
        assert again.here.policy == DOOR.policy
