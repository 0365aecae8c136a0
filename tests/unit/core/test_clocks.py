"""Clocks: whose time runs and when, who may sit where one runs, and what becomes of it when the server was down."""

from itertools import count

import pytest

from parlour.core.house.hub import Hub
from parlour.core.table.clock import Clock
from parlour.core.table.table import Table
from parlour.core.words import (
    Cap,
    EnterTable,
    Finished,
    Flagged,
    Interrupted,
    Leave,
    Offer,
    Open,
    Play,
    Played,
    Policy,
    Reason,
    Seek,
    SetBoard,
    Sit,
    TakeChair,
    Vanish,
    Watch,
)
from tests.unit.core.people import Log, Person, after_a_crash, enter, find_pair, open_hub, open_pair, room

BLITZ = Policy(clock=60.0, increment=2.0)
OLD = Cap.ALL & ~Cap.CLOCK


def two(policy: Policy = BLITZ) -> tuple[Hub, Log, Person, Person]:
    hub, log = open_hub()
    ann = Person(hub, "Ann").do(Open("connect4", {}, policy=policy))
    assert ann.table is not None
    return hub, log, ann, Person(hub, "Ben").do(Sit(ann.table.id))


def in_a_room(clock: float, increment: float = 0.0) -> tuple[Hub, Log, Person, Person]:
    hub, log = open_hub()
    ann = Person(hub, "Ann").do(open_pair(clock=clock, increment=increment))
    assert ann.table is not None
    ben = Person(hub, "Ben").do(Sit(ann.table.id))
    ann.do(SetBoard({"width": 4, "height": 4}))
    return hub, log, ann, ben


def table_of(who: Person) -> Table:
    return who.here


def clock_of(who: Person) -> Clock:
    clock = table_of(who).clock
    assert clock is not None
    return clock


def ends(who: Person) -> list[Finished]:
    return [event for event in who.events() if isinstance(event, Finished)]


# --- running --------------------------------------------------------------------------------------------------------


def test_time_runs_for_whoever_is_on_turn_and_a_move_earns_some_back() -> None:
    hub, _, ann, ben = two()
    hub.tick(1010.0)
    ann.do(Play("0"))
    assert (clock_of(ann).left, clock_of(ann).running) == ([52.0, 60.0], 1)
    hub.tick(1015.0)
    ben.do(Play("0"))
    assert clock_of(ann).left == [52.0, 57.0]


def test_line_that_closes_a_box_earns_nothing_because_the_turn_goes_on() -> None:
    _, _, ann, ben = in_a_room(60.0, 5.0)
    for who, move in ((ann, "h 0 0"), (ben, "v 0 0"), (ann, "v 1 0")):
        who.do(Play(move))
    ben.do(Play("h 0 1"))
    assert clock_of(ann).running == 1
    assert clock_of(ann).left == [70.0, 65.0]


@pytest.mark.parametrize("room", [False, True])
def test_whoever_runs_out_of_time_has_lost(room: bool) -> None:
    hub, _, ann, ben = in_a_room(60.0) if room else two(Policy(clock=60.0))
    hub.tick(1030.0)
    ann.do(Play("h 0 0" if room else "0"))
    hub.tick(1089.9)
    assert not ends(ann)
    hub.tick(1090.0)
    assert Flagged(1) in ben.events()
    assert [(end.winners, end.reason) for end in ends(ann)] == [((0,), Reason.TIMEOUT)]


def test_flag_falls_on_time_however_often_the_other_clock_would_have_run_out_sooner() -> None:
    hub, _, ann, ben = two(Policy(clock=60.0))
    at = count(1001)
    hub.tick(float(next(at)))
    ann.do(Play("0"))
    hub.tick(1046.0)  # Ben has 15 seconds left, Ann 59
    ben.do(Play("0"))
    hub.tick(1050.0)
    ann.do(Play("1"))
    hub.tick(1051.0)
    ben.do(Play("1"))
    hub.tick(1104.9)
    assert not ends(ann)
    hub.tick(1106.0)
    assert ends(ann)[0].winners == (1,)


def test_one_alarm_is_enough_for_many_moves() -> None:
    hub, _, ann, ben = two(Policy(clock=600.0, increment=1.0))
    before = len(hub._alarms._heap)
    for number in range(12):
        hub.tick(hub.at + 0.5)
        (ann, ben)[number % 2].do(Play(str(number % 7)))
    assert len(hub._alarms._heap) <= before + 1


def test_taking_a_move_back_gives_no_time_back() -> None:
    hub, _, ann, ben = two()
    hub.tick(1010.0)
    ann.do(Play("0")).do(Offer("takeback"))
    hub.tick(1015.0)
    ben.do(Offer("takeback"))
    assert (clock_of(ann).left, clock_of(ann).running) == ([52.0, 55.0], 0)


def test_clock_stands_while_a_seat_is_empty_and_runs_again_when_somebody_takes_it() -> None:
    hub, _, ann, ben = in_a_room(60.0)
    hub.tick(1010.0)
    ben.do(Leave())
    hub.tick(1200.0)
    assert not ends(ann)
    assert clock_of(ann).running is None
    Person(hub, "Cyd").do(Sit(table_of(ann).id))
    assert (clock_of(ann).running, clock_of(ann).left) == (0, [50.0, 60.0])
    hub.tick(1249.9)
    assert not ends(ann)
    hub.tick(1250.1)
    assert ends(ann)


def test_clock_runs_on_for_whoever_has_lost_the_connection() -> None:
    hub, _, ann, ben = two(Policy(clock=30.0))
    ann.do(Vanish())
    hub.tick(1031.0)
    assert ends(ben)[0].winners == (1,)


def in_a_room_of_three() -> tuple[Hub, Log, list[Person]]:
    hub, log = open_hub()
    wish = room("blitz", 4, 4, players=3, ready=3, clock=60.0)
    people = [Person(hub, name).do(enter(wish, name)) for name in ("Ann", "Ben", "Cyd")]
    for second in range(1001, 1005):
        hub.tick(float(second))
    assert table_of(people[0]).running
    return hub, log, people


def test_whoever_comes_in_for_somebody_who_left_a_game_of_many_has_all_the_time() -> None:
    hub, _, (ann, ben, cyd) = in_a_room_of_three()
    table = table_of(ann)
    ann.do(Play("h 0 0"))
    hub.tick(1014.0)
    cyd.do(Leave())
    dan = Person(hub, "Dan").do(Sit(table.id)).do(Sit(table.id))
    assert dan.seat == 3
    ben.do(Play("h 1 0"))
    assert (clock_of(dan).running, clock_of(dan).left[3]) == (3, 60.0)
    hub.tick(1075.0)
    assert Flagged(3) in ann.events()


# --- the server was down --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [False, True])
def test_no_clock_runs_while_the_server_is_down_nor_until_the_player_is_back(room: bool) -> None:
    hub, log, ann, ben = in_a_room(60.0) if room else two(Policy(clock=60.0))
    hub.tick(1010.0)
    ann.do(Play("h 0 0" if room else "0"))
    hub.at = 5000.0
    again, copy = after_a_crash(hub, log)
    assert any(isinstance(record.event, Interrupted) for record in copy.records[1])
    back = ann.elsewhere(again).resume()
    again.tick(5020.0)
    assert clock_of(back).running is None
    other = ben.elsewhere(again).resume()
    assert (clock_of(back).running, clock_of(back).left) == (1, [50.0, 60.0])
    again.tick(5079.0)
    assert not ends(back)
    again.tick(5081.0)
    assert ends(other)[0].winners == (0,)


def test_nobodys_time_runs_before_they_are_back_whoever_else_has_moved_meanwhile() -> None:
    hub, log, ann, ben = two(Policy(clock=60.0))
    hub, _ = after_a_crash(hub, log)
    ann = ann.elsewhere(hub).resume()
    hub.tick(1010.0)
    ann.do(Play("0"))
    hub.tick(1030.0)
    assert (clock_of(ann).running, clock_of(ann).left) == (None, [50.0, 60.0])
    ben = ben.elsewhere(hub).resume()
    assert clock_of(ben).running == 1


def test_nor_after_an_engine_that_was_to_move() -> None:
    hub, log = open_hub()
    ann = Person(hub, "Ann").do(Seek("connect4", {}, "engine", policy=Policy(clock=60.0), seat=0)).do(Play("0"))
    mine = next(number for number, record in enumerate(log.records[1]) if isinstance(record.event, Played))
    del log.records[1][mine + 1 :]
    hub, _ = after_a_crash(hub, log)
    hub.tick(1030.0)
    ann = ann.elsewhere(hub).resume()
    assert len(table_of(ann).moves) == 2
    assert (clock_of(ann).running, clock_of(ann).since, clock_of(ann).left) == (0, 1030.0, [60.0, 60.0])


def test_clock_of_a_game_that_somebody_has_left_runs_again_with_whoever_is_on_turn() -> None:
    hub, log, (ann, ben, cyd) = in_a_room_of_three()
    cyd.do(Leave())
    hub, _ = after_a_crash(hub, log)
    ann, ben = (who.elsewhere(hub).resume() for who in (ann, ben))
    position = table_of(ann).position
    assert position is not None
    assert clock_of(ben).running == position.turn


def test_spectator_is_told_the_time_with_the_clock() -> None:
    hub, _, ann, _ = two()
    hub.tick(1010.0)
    eve = Person(hub, "Eve").do(Watch(table_of(ann).id))
    assert (clock_of(ann).since, eve.seats[-1].at) == (1000.0, 1010.0)


# --- who may sit there ----------------------------------------------------------------------------------------------


def test_only_those_meet_who_want_the_same_clock() -> None:
    hub, _ = open_hub()
    none = Person(hub, "none").do(Seek("connect4", {}))
    slow = Person(hub, "slow").do(Seek("connect4", {}, policy=Policy(clock=600.0)))
    fast = Person(hub, "fast").do(Seek("connect4", {}, policy=BLITZ))
    assert (none.table, slow.table, fast.table) == (None, None, None)
    other = Person(hub, "other").do(Seek("connect4", {}, policy=BLITZ))
    assert fast.table is other.table is not None
    assert clock_of(fast).increment == 2.0
    first, second, third = (
        Person(hub, name).do(find_pair("board", clock=clock)) for name, clock in (("a", 60.0), ("b", 0.0), ("c", 60.0))
    )
    assert first.table is third.table
    assert second.table is not first.table


def test_nobody_sits_down_where_a_clock_runs_that_their_program_cannot_show() -> None:
    hub, _, ann, ben = two()
    ben.do(Leave())
    ann.do(Leave()).do(Open("connect4", {}, policy=BLITZ))
    table = table_of(ann).id
    old = Person(hub, "Old", OLD)
    assert old.do(Sit(table)).refusal() == "NO_CLOCK"
    assert old.do(Open("connect4", {}, policy=BLITZ)).refusal() == "NO_CLOCK"
    assert old.do(Seek("connect4", {}, policy=BLITZ)).refusal() == "NO_CLOCK"
    assert len(hub.tables) == 1
    old.do(Watch(table))
    assert old.table is not None


def test_nor_in_a_room() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(open_pair(clock=60.0))
    table = table_of(ann).id
    old = Person(hub, "Old", OLD)
    for command in (Sit(table), TakeChair(table), EnterTable(table)):
        assert old.do(command).refusal() == "NO_CLOCK"
        assert old.table is None
    old.do(Watch(table))
    assert old.do(TakeChair(table)).refusal() == "NO_CLOCK"
    assert old.do(Sit(table)).refusal() == "NO_CLOCK"
