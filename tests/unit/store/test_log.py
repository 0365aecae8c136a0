"""What is in the log is what happened: after a restart, for a reader, and for the index of games."""

from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from random import Random
from threading import Event, Semaphore

import pytest

from parlour.core.errors import LocalError
from parlour.core.table.ballot import START, STOP
from parlour.core.words import (
    AnyEvent,
    Closed,
    Joined,
    Leave,
    Left,
    Open,
    Opened,
    Play,
    Played,
    Ready,
    Record,
    Rename,
    SetBoard,
    Sit,
    StandUp,
    TakeChair,
    TakeOver,
    TakePart,
    Vote,
    Watch,
    Wish,
)
from parlour.store import library as library_module
from parlour.store import pglibrary, writer
from parlour.store.base import NoSuchGame, Store
from parlour.store.library import SqliteLibrary
from parlour.store.memory import MemoryStore
from parlour.store.sqlite import SqliteStore
from tests.unit.core.people import Person, code_of, enter, open_pair, want_board
from tests.unit.store.club import ROOM, THREE_AT_DOTS, Club, commit, live_it_up, open_club
from tests.unit.store.model import games_of
from tests.unit.store.places import Place, seeds


def unfinished_of(club: Club) -> dict[int, list[Record]]:
    """What recovery should find."""
    return {no: records for no, records in club.told.items() if not isinstance(records[-1].event, Closed)}


def wait_for(event: Event) -> None:
    assert event.wait(10)


@pytest.mark.parametrize("seed", range(12))
def test_every_unfinished_table_comes_back_with_all_its_records_and_closed_ones_do_not(
    tmp_path: Path, seed: int
) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        club = Club(store, seed)
        live_it_up(club, Random(seed), 400)
    with closing(SqliteStore(tmp_path)) as store:
        assert dict(store.unfinished()) == unfinished_of(club)


@pytest.mark.parametrize(("place", "seed"), seeds(12, 3), indirect=["place"])
def test_index_of_games_says_what_the_records_say_also_over_restarts(place: Place, seed: int) -> None:
    told: dict[int, list[Record]] = {}
    dice = Random(seed)
    for evening in range(3):
        with closing(place.store()) as store:
            club = Club(store, 10 * seed + evening)
            club.told = told
            for number, records in store.unfinished():
                club.hub.restore(number, records)
            live_it_up(club, dice, 150)
            with closing(place.library()) as library:
                found = {game.id: game for game in library.games()}
                expected = [game for records in told.values() for game in games_of(records)]
                assert found == {game.id: game for game in expected}
                for game in expected:
                    stored, moves = library.game(game.id)
                    assert stored == game
                    assert [move.seq for move in moves] == list(range(1, game.moves + 1))


def test_every_game_of_a_room_is_listed_with_its_own_players_and_options(place: Place) -> None:
    club = Club(place.store())
    ann, ben, cyd = (
        Person(club.hub, name).do(enter(ROOM, name, ready=name != "Cyd")) for name in ("Ann", "Ben", "Cyd")
    )
    for person in (ann, ben):
        person.do(Wish(START))
    club.play("h 0 0", "v 0 0")
    for person in (ann, ben):
        person.do(Wish(STOP))
    for person in (cyd, ann, ben):
        person.do(want_board(3, 2))
        person.do(Wish(START))
    ben.do(StandUp())
    club.play("h 1 0")
    dan = Person(club.hub, "Dan").do(enter(ROOM, "Dan")).do(TakePart())
    assert club.settle() is None
    table = ann.here
    with closing(place.library()) as library:
        first, moves = library.game(f"{table.id}-1")
        second, more = library.game(f"{table.id}-2")
    assert (first.table, first.status, first.options["width"]) == (table.id, "abandoned", 2)
    assert [player.name for player in first.players] == ["Ann", "Ben"]
    assert [move.move for move in moves] == ["h 0 0", "v 0 0"]
    assert (second.status, second.options) == ("playing", {"width": 3, "height": 2, "players": 3})
    assert [player.name for player in second.players] == ["Ann", "Ben", "Cyd", "Dan"]
    assert [move.move for move in more] == ["h 1 0"]
    for person in (ann, cyd, dan, ben):
        person.do(Leave())
    assert club.settle() is None
    with closing(place.library()) as library:
        assert [game.status for game in library.games()] == ["abandoned", "abandoned"]
    assert not dict(club.store.unfinished())
    club.store.close()


def test_room_of_three_that_becomes_a_table_for_two_has_two_players(place: Place) -> None:
    club = Club(place.store())
    ann, ben, cyd = (Person(club.hub, name).do(enter(ROOM, name)) for name in ("Ann", "Ben", "Cyd"))
    for what in (START, STOP):
        for person in (ann, ben, cyd):
            person.do(Wish(what))
    for person in (ann, ben):
        person.do(Ready(False))
    dan = Person(club.hub, "Dan").do(TakeChair(cyd.here.id, 0))
    assert players_now(dan, club, place) == [(0, "Dan", "test"), (1, "Cyd", "test")]
    club.store.close()


def test_waiting_room_lists_those_on_its_chairs_while_it_has_them(place: Place) -> None:
    club = Club(place.store())
    ann = Person(club.hub, "Ann").do(enter(ROOM, "Ann", ready=False))
    ben = Person(club.hub, "Ben").do(TakeChair(ann.here.id, 1))
    phone = Person(club.hub, "phone")
    phone.wire = "other"
    phone.do(TakeOver(ben.here.id, code_of(ben)))
    assert players_now(ann, club, place) == [(1, "Ben", "other")]
    phone.do(Ready(False))
    ann.do(TakePart())
    assert players_now(ann, club, place) == [(0, "Ann", "test"), (1, "Ben", "other")]
    phone.do(Leave())
    assert not ann.here.party.chairs
    assert players_now(ann, club, place) == []
    club.store.close()


def test_games_on_chairs_list_those_who_sat_there_when_they_began_and_those_who_came_in_between(place: Place) -> None:
    club = Club(place.store())
    ann = Person(club.hub, "Ann").do(open_pair())
    ben = Person(club.hub, "Ben").do(TakeChair(ann.here.id))
    cyd = Person(club.hub, "Cyd").do(Watch(ann.here.id))
    ann.do(Rename("Anna"))
    assert players_now(ann, club, place) == [(0, "Anna", "test"), (1, "Ben", "test")]  # no game has begun
    code = code_of(ann)
    ann.do(SetBoard({"width": 2, "height": 2}))
    assert players_now(ann, club, place) == [(0, "Anna", "test"), (1, "Ben", "test")]
    ann.do(Rename("Hanna"))
    ben.do(Leave())
    cyd.do(TakeChair(ann.here.id))
    first = ann.here.game_id
    club.play("h 0 0", "h 0 1", "v 0 0", "v 1 0")
    assert not ann.here.running
    phone = Person(club.hub, "phone")
    phone.wire = "other"
    phone.do(TakeOver(ann.here.id, code))
    cyd.do(StandUp())
    dan = Person(club.hub, "Dan").do(TakeChair(phone.here.id))
    assert [(who.seat, who.playing) for who in (phone, cyd, dan)] == [(0, False), (None, False), (1, False)]
    expected = [(0, "Anna", "test"), (1, "Cyd", "test")]
    assert players_now(phone, club, place) == expected  # of the game that is over, still
    phone.do(SetBoard({"width": 2, "height": 2})).do(Ready())
    assert phone.playing
    assert players_now(phone, club, place) == [(0, "Hanna", "other"), (1, "Dan", "test")]
    with closing(place.library()) as library:
        assert [(player.seat, player.name, player.wire) for player in library.game(first)[0].players] == expected
        assert [(one.after, one.name, one.came) for one in library.comings(first)] == [
            (0, "Anna", True), (0, "Ben", True), (0, "Ben", False), (0, "Cyd", True),
        ]  # fmt: skip
        assert [one.name for one in library.comings(phone.here.game_id)] == ["Hanna", "Dan"]
    club.store.close()


def players_now(who: Person, club: Club, place: Place) -> list[tuple[int, str, str]]:
    """Who plays the latest game of a person's table, as the index has it."""
    assert club.settle() is None
    with closing(place.library()) as library:
        game, _ = library.game(who.here.game_id)
    return [(player.seat, player.name, player.wire) for player in game.players]


def test_moves_of_a_rematch_are_kept_apart_from_the_first_game(place: Place) -> None:
    club = Club(place.store())
    ann, ben = club.pair()
    club.play("a1", "b1", "a2", "b2", "a3")
    ann.do(Vote(True))
    ben.do(Vote(True))
    club.play("c3")
    assert club.settle() is None
    table = ann.here
    with closing(place.library()) as library:
        _, first = library.game(f"{table.id}-1")
        _, second = library.game(f"{table.id}-2")
    club.store.close()
    assert [(move.seat, move.move) for move in first] == [(0, "a1"), (1, "b1"), (0, "a2"), (1, "b2"), (0, "a3")]
    assert [move.move for move in second] == ["c3"]
    assert second[0].at == club.hub.at


def test_a_table_whose_game_never_starts_is_waiting_and_then_abandoned(place: Place) -> None:
    club = Club(place.store())
    ann = Person(club.hub, "Ann").do(Open("noughts", {}))
    club.settle()
    with closing(place.library()) as library:
        assert [(game.status, len(game.players)) for game in library.games()] == [("waiting", 1)]
        ann.do(Leave())
        club.settle()
        assert [(game.status, game.result) for game in library.games()] == [("abandoned", None)]
    club.store.close()


def test_table_numbers_go_on_where_they_stopped(place: Place) -> None:
    club = Club(place.store())
    club.pair()
    club.pair(names=("Cat", "Dan"))
    club.settle()
    club.store.close()
    with closing(place.store()) as store:
        assert [store.next_table(), store.next_table()] == [3, 4]


def test_closing_writes_what_is_queued_and_then_takes_no_more(tmp_path: Path) -> None:
    club = open_club(tmp_path)
    table = club.pair()[0].here
    club.settle()
    outcomes: list[LocalError | None] = []
    for number in range(200):
        batch = club.store.batch()
        for place in range(number * 7 % 300):  # some take more than one statement, some wait, some are empty
            batch.append(table, Record(1000 * number + place, 1.0, Played(0, "a1")))
        club.store.commit(batch, outcomes.append)
    club.store.close()
    assert outcomes == [None] * 200
    club.pair(names=("Cat", "Dan"))
    assert "is closed" in str(club.settle())
    with closing(SqliteStore(tmp_path)) as store:
        ((_, records),) = store.unfinished()
    written = [1000 * number + place for number in range(200) for place in range(number * 7 % 300)]
    assert [record.seq for record in records[4:]] == written


def test_a_reader_sees_what_was_committed_since_it_came(place: Place) -> None:
    club = Club(place.store())
    with closing(place.library()) as library:
        assert list(library.games()) == []
        ann, _ = club.pair()
        club.settle()
        assert [(game.status, game.moves) for game in library.games()] == [("playing", 0)]
        ann.do(Play("b2"))
        assert [game.moves for game in library.games()] == [0]  # not in the log yet
        club.settle()
        assert [game.moves for game in library.games()] == [1]
    club.store.close()
    with closing(place.library()) as library:  # no server any more
        assert [game.moves for game in library.games()] == [1]


def test_a_slow_reader_gets_every_game_while_more_are_being_played(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (library_module, pglibrary):
        monkeypatch.setattr(module, "PAGE", 3)
    club = Club(place.store())
    for _ in range(10):
        club.pair()
    club.settle()
    with closing(place.library()) as library:
        reading = library.games()
        seen = [next(reading)]
        for _ in range(10):
            club.pair()
        club.settle()
        seen += list(reading)
    club.store.close()
    assert len({game.id for game in seen}) == len(seen) == 20


def test_unknown_game_is_told_apart_from_a_broken_log(place: Place) -> None:
    Club(place.store()).store.close()
    with closing(place.library()) as library, pytest.raises(NoSuchGame, match="no game abc-1"):
        library.game("abc-1")


def test_write_ahead_file_begins_afresh_again_and_again_under_constant_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "PAGES", 100)
    club = open_club(tmp_path)
    table = club.pair()[0].here
    club.settle()
    beginnings: set[bytes] = set()
    number = 0
    room = Semaphore(16)  # so many batches wait at any time
    while len(beginnings) < 4 and number < 20_000:
        number += 1
        batch = club.store.batch()
        for place in range(100):
            batch.append(table, Record(100 * number + place, 1.0, Played(0, "a1")))
        room.acquire()
        club.store.commit(batch, lambda _: room.release())
        with (tmp_path / "parlour.db-wal").open("rb") as file:
            beginnings.add(file.read(32))  # its header has a new salt each time
    club.store.close()
    assert len(beginnings) == 4
    assert not (tmp_path / "parlour.db-wal").exists()


def test_who_left_an_opened_seat_stays_a_player_until_somebody_takes_it(tmp_path: Path) -> None:
    club = open_club(tmp_path)
    cat = Person(club.hub, "Cat").do(THREE_AT_DOTS)
    table = cat.here
    for name in ("Dan", "Eve"):
        Person(club.hub, name).do(Sit(table.id))
    club.settle()
    events: list[AnyEvent] = [Left(1), Left(2), Joined(1, "Fay", "test")]
    for seq, event in enumerate(events, 10):
        batch = club.store.batch()
        batch.append(table, Record(seq, 2.0, event))
        commit(club.store, batch)
    with closing(SqliteLibrary(tmp_path)) as library:
        assert [player.name for game in library.games() for player in game.players] == ["Cat", "Fay", "Eve"]
    club.store.close()


def test_who_left_before_a_restart_is_no_player_of_the_game_that_starts_after_it(tmp_path: Path) -> None:
    club = open_club(tmp_path)
    table = Person(club.hub, "Cat").do(THREE_AT_DOTS).here
    Person(club.hub, "Dan").do(Sit(table.id, 1)).do(Leave())
    club.settle()
    club.store.close()
    club = open_club(tmp_path)
    ((number, records),) = club.store.unfinished()
    club.hub.restore(number, records)
    Person(club.hub, "Eve").do(Sit(table.id, 2))
    club.settle()
    with closing(SqliteLibrary(tmp_path)) as library:
        assert [(player.seat, player.name) for game in library.games() for player in game.players] == [
            (0, "Cat"),
            (2, "Eve"),
        ]
    club.store.close()


def test_batches_that_came_while_the_writer_was_busy_are_each_indexed_right(tmp_path: Path) -> None:
    club = Club(SqliteStore(tmp_path))
    busy = Event()
    club.pair()
    club.settle()
    club.store.probe(lambda _: wait_for(busy))
    outcomes: SimpleQueue[LocalError | None] = SimpleQueue()
    for _ in range(5):
        ann, _ = club.pair()
        club.play_at(ann.here, "a1", "b1", "a2", "b2", "a3")
        ann.do(Leave())
        club.hand_over(outcomes.put)
    busy.set()
    assert [outcomes.get(timeout=10) for _ in range(5)] == [None] * 5
    with closing(SqliteLibrary(tmp_path)) as library:
        finished = [game.id for game in library.games() if game.status == "finished"]
        assert [len(library.game(game_id)[1]) for game_id in finished] == [5] * 5
    club.store.close()


def test_memory_store_answers_at_once_and_keeps_nothing() -> None:
    store: Store = MemoryStore()
    club = Club(store)
    club.pair()
    outcomes: list[LocalError | None] = []
    batch = store.batch()
    table = next(iter(club.hub.tables.values()))
    batch.append(table, Record(1, 1.0, Opened("t", "noughts", {})))
    store.commit(batch, outcomes.append)
    store.probe(outcomes.append)
    assert (batch.tables, outcomes) == (frozenset(), [None, None])
    assert list(store.unfinished()) == []
    assert store.next_table() == 2
    store.close()
