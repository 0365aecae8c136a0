"""Rooms after a crash: rebuilt from the log, for those who can come back."""

from parlour.core.errors import Refusal
from parlour.core.table.ballot import START, STOP
from parlour.core.table.table import Status
from parlour.core.updates import Evicted
from parlour.core.words import (
    Asked,
    Chair,
    Closed,
    EnterTable,
    Gone,
    Held,
    Joined,
    Kind,
    Leave,
    Left,
    Play,
    Ready,
    Reason,
    SetBoard,
    Sit,
    Started,
    Vanish,
    Went,
    Wish,
)
from tests.unit.core.absence import DOOR, GONE_FOR_GOOD, HOLD, after_the_crash, back, logged, opposite, playing, wait
from tests.unit.core.people import Person, enter, open_hub, open_pair


def test_room_is_rebuilt_for_those_who_can_come_back() -> None:
    _, log, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    ann.do(Play("h 0 0", "mark"))
    hub, later, table = after_the_crash(log)
    assert table.running
    assert logged(later)[-3:] == [Held(0, 1), Held(1, 2), Held(2, 3)]
    assert [user.name for user in table.party.members.values()] == ["Ann", "Ben", "Cyd"]
    assert all(user.away for user in table.party.members.values())
    ben_again = back(hub, ben, table, table.seq - 3)
    assert (ben_again.seat, ben_again.me.name) == (1, "Ben")
    assert ben_again.do(Play("h 1 0")).refusal() == ""
    ann_again = back(hub, ann, table)
    ann_again.do(Play("h 0 0", "mark"))
    assert table.moves == ["h 0 0", "h 1 0"], "a move with the same id is answered, not played twice"
    assert ann_again.refusal() == ""
    assert back(hub, cyd, table).do(Play("h 2 0")).refusal() == ""


def test_seats_of_those_who_cannot_come_back_are_given_up_with_the_crash() -> None:
    _, log, (_ann, ben, cyd, _dan) = playing("ann", "Ben", "Cyd", "dan")
    hub, later, table = after_the_crash(log)
    assert logged(later)[-6:] == [
        *(Left(0, 1, why=Gone.RESTARTED), Went(1, Gone.RESTARTED), Held(1, 2), Held(2, 3)),
        *(Left(3, 4, why=Gone.RESTARTED), Went(4, Gone.RESTARTED)),
    ]
    assert [seat and (seat.name, seat.away) for seat in table.seats] == [None, ("Ben", True), ("Cyd", True), None]
    assert table.position is not None
    assert table.position.turn == 1
    assert [user.name for user in table.party.cast] == ["ann", "Ben", "Cyd", "dan"]
    assert back(hub, ben, table).do(Play("h 0 0")).refusal() == ""
    assert back(hub, cyd, table).do(Play("h 1 0")).refusal() == ""


def test_table_for_two_is_rebuilt_with_an_open_seat() -> None:
    _, log, ann, _ben = opposite(GONE_FOR_GOOD)
    ann.do(Play("h 0 0"))
    hub, _, table = after_the_crash(log)
    assert table.party.chairs
    assert table.running
    assert [member and member.name for member in table.seats] == ["Ann", None]
    again = back(hub, ann, table)
    heir = Person(hub, "Cyd").do(Sit(table.id)).do(Play("v 0 0"))
    assert table.moves == ["h 0 0", "v 0 0"]
    assert (again.seat, heir.seat, table.party.board["width"]) == (0, 1, 3)


def test_engine_of_a_table_for_two_plays_on_after_a_crash() -> None:
    before, log = open_hub()
    ann = (
        Person(before, "Ann")
        .do(open_pair((Chair("engine", level="easy"), Chair())))
        .do(SetBoard({"width": 3, "height": 3}))
    )
    assert ann.seat == 1
    table = ann.here
    ann.do(Play("v 2 1"))
    moves = table.moves
    hub, _, table = after_the_crash(log)
    assert table.moves == moves
    again = back(hub, ann, table).do(Play("v 1 1"))
    assert again.refusal() == ""
    assert len(table.moves) == len(moves) + 2
    assert [user.kind for user in table.party.members.values()] == [Kind.ENGINE, Kind.PERSON]


def test_engine_that_was_thinking_moves_after_the_crash() -> None:
    before, log = open_hub()
    ann = (
        Person(before, "Ann")
        .do(open_pair((Chair(), Chair("engine", level="easy"))))
        .do(SetBoard({"width": 3, "height": 3}))
    )
    ann.do(Play("h 0 0"))
    cut = {1: log.records[1][:-1]}
    assert isinstance(log.records[1][-1].event, type(log.records[1][-2].event))
    log.records = cut
    hub, _, table = after_the_crash(log)
    assert len(table.moves) == 2
    assert back(hub, ann, table).do(Play("v 1 1")).refusal() == ""


def test_next_game_is_played_in_a_rebuilt_room() -> None:
    _, log, ann, ben = opposite()
    hub, _, table = after_the_crash(log)
    people = [back(hub, person, table) for person in (ann, ben)]
    while table.running:
        assert table.position is not None
        people[table.position.turn].do(Play(table.position.legal()[0]))
    for person in people:
        person.do(Ready())
    assert Asked(1) in people[0].events()
    people[0].do(SetBoard({"width": 2, "height": 2}))
    assert table.running
    assert (table.number, table.options["width"]) == (2, 2)
    assert [type(event) for event in people[1].events()][-1] is Started


def test_finished_game_is_there_for_those_who_come_back() -> None:
    _, log, (ann, ben) = playing("Ann", "Ben")
    for person in (ann, ben):
        person.do(Wish(STOP))
    hub, _, table = after_the_crash(log)
    assert table.status is Status.OVER
    people = [back(hub, person, table).do(Wish(START)) for person in (ann, ben)]
    assert table.running
    assert [person.seat for person in people] == [0, 1]


def test_rebuilt_room_closes_as_abandoned_when_nobody_comes() -> None:
    _, log, _ = playing("Ann", "Ben")
    hub, later, table = after_the_crash(log)
    hub.tick(hub.at + HOLD - 1)
    assert hub.tables
    hub.tick(hub.at + 1)
    assert not hub.tables
    assert table.status is Status.CLOSED
    assert table.result is not None
    assert table.result.reason is Reason.ABANDONED
    assert later.records[1][-1].event == Closed("deserted")


def test_people_of_the_same_door_meet_in_a_rebuilt_room() -> None:
    _, log, (ann, _ben) = playing("Ann", "ben")
    hub, _, table = after_the_crash(log)
    newcomer = Person(hub, "Cyd").do(enter(DOOR, "Cyd"))
    assert newcomer.here is table
    assert newcomer.me.id == 3
    assert set(table.party.features) == {"chat", "vote"}
    assert back(hub, ann, table).me.id == 1


def test_whoever_took_part_later_is_known_after_a_crash() -> None:
    before, log, (ann, ben, _cyd) = playing("Ann", "Ben", "Cyd")
    ben.do(Leave())
    dan = Person(before, "Dan").do(EnterTable(ann.here.id)).do(Sit(ann.here.id))
    assert dan.seat == 3
    hub, _, table = after_the_crash(log)
    assert [user.name for user in table.party.cast] == ["Ann", "Ben", "Cyd", "Dan"]
    assert [user.name for user in table.players()] == ["Ann", "Cyd", "Dan"]
    assert back(hub, dan, table).seat == 3
    assert back(hub, ben, table).refusal() == "BAD_TOKEN"


def test_log_that_fails_ends_the_room_and_those_who_were_away_are_back_with_the_log() -> None:
    hub, log, (ann, ben) = playing("Ann", "Ben")
    table = ann.here
    ben.do(Vanish())
    written = len(log.records[1])
    hub.evict(table, Refusal.LOG_DOWN)
    assert ann.heard[-1] == Evicted(Refusal.LOG_DOWN)
    assert back(hub, ben, table).refusal() == "NO_SUCH_TABLE"
    wait(hub, 2 * HOLD)
    assert len(log.records[1]) == written
    table = hub.restore(1, tuple(log.records[1]))
    assert [back(hub, person, table).seat for person in (ann, ben)] == [0, 1]


def test_token_is_not_in_the_log() -> None:
    _, log, (ann, _ben) = playing("Ann", "Ben")
    assert len(ann.token) == 32
    assert ann.token not in repr(log.records)
    joined = ann.me.joined(0)
    assert isinstance(joined, Joined)
    assert joined.key
    assert repr(joined) in repr(log.records)
