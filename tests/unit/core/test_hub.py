"""What the hub does with people, whatever wire they came in on."""

import pytest

from parlour.core.errors import Refusal
from parlour.core.house.hub import Hub
from parlour.core.updates import CaughtUp, Evicted, Said, Waiting
from parlour.core.words import (
    Cap,
    Closed,
    Finished,
    First,
    Flagged,
    Held,
    Joined,
    Leave,
    Leaving,
    Left,
    Open,
    Play,
    Played,
    Policy,
    Propose,
    Proposed,
    Reason,
    Resign,
    Resume,
    Resumed,
    Say,
    Seek,
    Sit,
    Started,
    TakeChair,
    Vanish,
    Vote,
    Watch,
)
from tests.folds import folded, state_of
from tests.unit.core.people import Person, open_hub

OLD_WIRE = Cap.DRAW


def pair(hub: Hub, game: str = "noughts", caps: Cap = Cap.ALL, **seek: object) -> tuple[Person, Person]:
    """Two people who found each other."""
    wish = Seek(game, {}, **seek)  # type: ignore[arg-type]
    first, second = Person(hub, "Ann", caps), Person(hub, "Ben", caps)
    return first.do(wish), second.do(wish)


def test_two_people_who_want_the_same_game_meet_in_order_of_arrival() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub)
    assert isinstance(ann.heard[0], Waiting)
    assert (ann.seat, ben.seat) == (0, 1)
    assert ann.table is ben.table
    assert isinstance(ann.events()[-1], Started)


def test_people_who_want_different_sizes_do_not_meet() -> None:
    hub, _ = open_hub()
    Person(hub, "Ann").do(Seek("connect4", {"columns": 7, "rows": 6}))
    ben = Person(hub, "Ben").do(Seek("connect4", {"columns": 8, "rows": 6}))
    assert isinstance(ben.heard[-1], Waiting)


def test_whoever_waited_longest_decides_what_is_loose() -> None:
    hub, _ = open_hub()
    Person(hub, "Ann").do(Seek("glenda", {"walls": "0 0;3 4"}))
    ben = Person(hub, "Ben").do(Seek("glenda", {"walls": ""}))
    started = ben.events()[-1]
    assert isinstance(started, Started)
    assert started.options["walls"] == "0 0;3 4"


def test_two_who_want_the_same_seat_stay_queued_until_another_comes() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(Seek("glenda", {}, seat=1))
    ben = Person(hub, "Ben").do(Seek("glenda", {}, seat=1))
    cyd = Person(hub, "Cyd").do(Seek("glenda", {}, seat=0))
    assert (ann.seat, cyd.seat, ben.table) == (1, 0, None)


def test_an_engine_takes_the_seat_when_nobody_comes() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(Seek("noughts", {}, wait=5.0))
    hub.tick(1004.9)
    assert ann.table is None
    hub.tick(1005.0)
    assert ann.table is not None
    assert [seat.kind.value for seat in ann.here.seats[1:] if seat] == ["engine"]


def test_a_person_who_leaves_the_queue_is_not_seated_later() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(Seek("noughts", {}, wait=5.0)).do(Leave())
    ben = Person(hub, "Ben").do(Seek("noughts", {}))
    hub.tick(1010.0)
    assert ann.table is None
    assert ben.table is None


def test_a_game_against_an_engine_goes_to_its_end_and_again() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(Seek("noughts", {}, opponent="engine"))
    for _ in range(2):
        while ann.table is not None and ann.table.running:
            assert ann.table.position is not None
            ann.do(Play(ann.table.position.legal()[0]))
        ann.do(Vote(True))
    assert sum(isinstance(event, Finished) for event in ann.events()) == 2
    assert ann.table is not None
    assert ann.table.number == 3


def test_a_move_out_of_turn_is_refused_and_told_to_nobody() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub)
    told = len(ann.heard)
    assert ben.do(Play("a1")).refusal() == "NOT_YOUR_TURN"
    assert len(ann.heard) == told


def test_a_repeated_move_with_the_same_mark_is_answered_but_not_played_twice() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub)
    ann.do(Play("a1", "m1")).do(Play("a1", "m1"))
    assert [event.move for event in ann.events() if isinstance(event, Played)] == ["a1", "a1"]
    assert [event.move for event in ben.events() if isinstance(event, Played)] == ["a1"]


def test_leaving_a_two_seat_game_that_ends_leaves_it_abandoned_without_a_winner() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub)
    ben.do(Leave())
    assert ann.events()[-3:] == [Left(1, 2), Finished((), (0, 0), Reason.ABANDONED), Closed()]
    assert ann.table is None
    assert not hub.tables


def test_resigning_keeps_the_seat_and_loses_the_game() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub)
    ben.do(Resign())
    finished = next(event for event in ann.events() if isinstance(event, Finished))
    assert (finished.winners, finished.reason) == ((0,), Reason.RESIGNED)
    assert isinstance(ann.events()[-1], Proposed)
    assert ben.table is ann.table


def test_no_rematch_is_proposed_when_one_wire_cannot_say_it() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub, caps=OLD_WIRE)
    ben.do(Resign())
    assert isinstance(ann.events()[-1], Closed)


@pytest.mark.parametrize(("answers", "goes_on"), [((True, True), True), ((True, False), False), ((False, True), False)])
def test_a_rematch_needs_both(answers: tuple[bool, bool], goes_on: bool) -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub)
    ben.do(Resign())
    for who, answer in zip((ann, ben), answers, strict=True):
        who.do(Vote(answer))
    assert (ann.table is not None and ann.table.running) is goes_on
    assert isinstance(ann.events()[-1], Started if goes_on else Closed)


def test_players_take_turns_at_beginning_when_a_coin_was_tossed() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub, policy=Policy(first=First.TOSS))
    starters = []
    for _ in range(4):
        starters.append(next(event.first for event in reversed(ann.events()) if isinstance(event, Started)))
        ben.do(Resign())
        ann.do(Vote(True))
        ben.do(Vote(True))
    assert starters in ([0, 1, 0, 1], [1, 0, 1, 0])


def test_a_seat_is_held_for_someone_who_can_come_back_and_opened_again_by_token() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub)
    ann.do(Play("a1"))
    seen = ann.table.seq if ann.table else 0
    table_id, token = ann.seats[-1].table.id, ann.token
    ann.do(Vanish())
    assert ben.events()[-1] == Held(0, 1)
    ben.do(Play("b2"))
    back = Person(hub, "Ann").do(Resume(table_id, token, seen))
    caught_up = back.heard[-1]
    assert isinstance(caught_up, CaughtUp)
    assert caught_up.missed is not None
    assert [type(record.event) for record in caught_up.missed] == [Held, Played, Resumed]
    assert ben.events()[-1] == Resumed(0, member=1)
    back.do(Play("c3"))
    assert ben.events()[-1] == Played(0, "c3")


def test_a_wrong_token_opens_nothing() -> None:
    hub, _ = open_hub()
    ann, _ = pair(hub)
    table_id = ann.seats[-1].table.id
    assert Person(hub, "Eve").do(Resume(table_id, "guess")).refusal() == "BAD_TOKEN"


def test_a_held_seat_is_given_up_after_its_time() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub, policy=Policy(hold=60.0))
    ann.do(Vanish())
    hub.tick(1059.0)
    assert ben.table is not None
    hub.tick(1060.0)
    assert ben.table is None
    assert isinstance(ben.events()[-1], Closed)


def test_nobody_is_held_whose_wire_cannot_come_back() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub, caps=OLD_WIRE)
    ann.do(Vanish())
    assert ben.table is None


def test_a_dots_table_of_two_keeps_the_seat_open_and_the_newcomer_gets_the_board() -> None:
    hub, _ = open_hub()
    policy = Policy(leaving=Leaving.OPENS)
    ann, ben = pair(hub, "dots", caps=OLD_WIRE, policy=policy)
    ann.do(Play("h 0 0"))
    ben.do(Leave())
    assert ann.do(Play("h 1 0")).refusal() == "NOT_YOUR_TURN"
    assert ann.table is not None
    cyd = Person(hub, "Cyd", OLD_WIRE).do(Sit(ann.table.id))
    cyd.do(Play("h 1 0"))
    assert cyd.table is not None
    assert cyd.table.moves == ["h 0 0", "h 1 0"]


def test_a_bigger_dots_table_skips_the_leaver() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann", OLD_WIRE).do(Open("dots", {"players": 3}, policy=Policy(leaving=Leaving.SKIPS)))
    assert ann.table is not None
    ben = Person(hub, "Ben", OLD_WIRE).do(Sit(ann.table.id))
    cyd = Person(hub, "Cyd", OLD_WIRE).do(Sit(ann.table.id))
    ann.do(Play("h 0 0"))
    ben.do(Leave())
    cyd.do(Play("h 1 0"))
    assert cyd.table is not None
    assert cyd.table.position is not None
    assert cyd.table.position.turn == 0


def test_newcomer_plays_on_in_a_seat_that_a_bigger_table_has_skipped() -> None:
    hub, log = open_hub()
    ann = Person(hub, "Ann").do(Open("dots", {"players": 3}, policy=Policy(leaving=Leaving.SKIPS)))
    ben, cyd = (Person(hub, name).do(Sit(ann.here.id)) for name in ("Ben", "Cyd"))
    ann.do(Play("h 0 0"))
    ben.do(Leave())
    cyd.do(Play("h 1 0"))
    dan = Person(hub, "Dan").do(Sit(ann.here.id))
    assert dan.seat == 1
    ann.do(Play("h 2 0"))
    cyd.do(Play("h 3 0"))
    dan.do(Play("h 4 0"))
    assert dan.refusal() == ""
    assert state_of(ann.here) == state_of(folded(ann.here, log.records[ann.here.no]))


@pytest.mark.parametrize("command", [Sit, TakeChair])
def test_chairs_of_a_plain_table_are_there_from_the_beginning_and_taken_once(command: type[Sit]) -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(Open("noughts", {}, seat=1))
    table = ann.here
    assert (table.party.chairs, table.free_chair(), table.free_chair("Ann", 1)) == (("", ""), 0, None)
    assert Person(hub, "Eve").do(command(table.id, 1)).refusal() == "SEAT_TAKEN"
    assert Person(hub, "Eve").do(command(table.id, 2)).refusal() == "SEAT_TAKEN"
    ben = Person(hub, "Ben").do(command(table.id))
    assert (ben.seat, table.running) == (0, True)
    assert Person(hub, "Eve").do(command(table.id)).refusal() == "TABLE_FULL"
    assert ben.do(command(table.id)).refusal() == "ALREADY_SEATED"


def test_a_spectator_sees_everything_and_plays_nothing() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub)
    assert ann.table is not None
    eve = Person(hub, "Eve").do(Watch(ann.table.id))
    assert eve.do(Play("a1")).refusal() == "NOT_SEATED"
    ann.do(Play("a1"))
    assert eve.events() == [Played(0, "a1")]
    eve.do(Leave())
    ben.do(Play("b1"))
    assert eve.events() == [Played(0, "a1")]


def test_chat_reaches_those_whose_wire_has_a_word_for_it() -> None:
    hub, log = open_hub()
    wish = Seek("noughts", {})
    ann = Person(hub, "Ann").do(wish)
    ben = Person(hub, "Ben", OLD_WIRE).do(wish)
    logged = len(log.records[1])
    ann.do(Say("hello"))
    assert ann.heard[-1] == Said("Ann", 0, "hello", 1)
    assert not any(isinstance(told, Said) for told in ben.heard)
    assert len(log.records[1]) == logged


def test_nothing_can_be_put_to_a_vote_at_a_table_without_a_lobby() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub)
    assert ann.do(Propose("shuffle")).refusal() == "NO_SUCH_VOTE"
    assert ben.do(Vote(True)).refusal() == "NO_BALLOT"


def test_the_clock_runs_out_for_the_player_on_turn() -> None:
    hub, _ = open_hub()
    ann, ben = pair(hub, caps=OLD_WIRE | Cap.CLOCK, policy=Policy(clock=10.0))
    hub.tick(1004.0)
    ann.do(Play("a1"))
    hub.tick(1013.9)
    assert not any(isinstance(event, Flagged) for event in ann.events())
    hub.tick(1014.0)
    finished = next(event for event in ann.events() if isinstance(event, Finished))
    assert (finished.winners, finished.reason) == ((0,), Reason.TIMEOUT)
    assert Flagged(1) in ben.events()


def test_when_one_of_three_runs_out_of_time_the_others_play_on_and_the_next_clock_runs() -> None:
    hub, _ = open_hub()
    policy = Policy(leaving=Leaving.SKIPS, clock=10.0)
    ann = Person(hub, "Ann", OLD_WIRE | Cap.CLOCK).do(Open("dots", {"players": 3}, policy=policy))
    assert ann.table is not None
    for name in ("Ben", "Cyd"):
        Person(hub, name, OLD_WIRE | Cap.CLOCK).do(Sit(ann.table.id))
    hub.tick(1010.0)
    hub.tick(1019.9)
    assert [event for event in ann.events() if isinstance(event, Flagged)] == [Flagged(0)]
    hub.tick(1020.0)
    assert Flagged(1) in ann.events()
    finished = ann.events()[-1]
    assert isinstance(finished, Finished)
    assert (finished.winners, finished.reason) == ((2,), Reason.TIMEOUT)


def test_a_table_without_people_is_closed() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(Seek("noughts", {}, opponent="engine"))
    ann.do(Leave())
    assert not hub.tables


def test_draining_sends_the_queue_home_and_refuses_new_games() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(Seek("noughts", {}))
    hub.drain()
    assert isinstance(ann.heard[-1], Evicted)
    assert Person(hub, "Ben").do(Seek("noughts", {}, opponent="engine")).refusal() == "DRAINING"


def test_a_second_seek_is_refused_while_one_waits_or_plays() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(Seek("noughts", {}))
    assert ann.do(Seek("noughts", {})).refusal() == "ALREADY_SEATED"
    Person(hub, "Ben").do(Seek("noughts", {}))
    assert ann.do(Seek("connect4", {})).refusal() == "ALREADY_SEATED"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (Seek("chess", {}), "NO_SUCH_GAME"),
        (Seek("connect4", {"columns": 99}), "BAD_OPTIONS"),
        (Seek("noughts", {}, opponent="engine", level="godlike"), "BAD_OPTIONS"),
        (Sit("nowhere"), "NO_SUCH_TABLE"),
        (Watch("nowhere"), "NO_SUCH_TABLE"),
        (Play("a1"), "NOT_SEATED"),
        (Say("hello"), "NOT_SEATED"),
        (Resign(), "NOT_SEATED"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_reason(command: object, why: str) -> None:
    hub, _ = open_hub()
    assert Person(hub, "Ann").do(command).refusal() == why  # type: ignore[arg-type]


def test_a_restart_gives_up_seats_nobody_can_return_to_and_holds_the_others() -> None:
    hub, log = open_hub()
    pair(hub, caps=OLD_WIRE)
    ann, ben = pair(hub)
    ann.do(Play("a1"))
    token = ann.token
    again, _ = open_hub()
    for number, records in log.records.items():
        again.restore(number, records)
    assert len(again.tables) == 1
    table = next(iter(again.tables.values()))
    assert table.moves == ["a1"]
    back = Person(again, "Ann").do(Resume(table.id, token))
    assert back.seat == 0
    assert back.do(Play("b1")).refusal() == "NOT_YOUR_TURN"
    Person(again, "Ben").do(Resume(table.id, ben.token)).do(Play("b1"))
    assert table.moves == ["a1", "b1"]


def test_an_engine_goes_on_after_a_restart() -> None:
    hub, log = open_hub()
    ann = Person(hub, "Ann").do(Seek("connect4", {}, opponent="engine")).do(Play("3"))
    again, _ = open_hub()
    table = again.restore(1, log.records[1])
    back = Person(again, "Ann").do(Resume(table.id, ann.token))
    moves = len(table.moves)
    back.do(Play("2"))
    assert len(table.moves) == moves + 2


def test_joining_shows_the_newcomer_to_those_already_there() -> None:
    hub, _ = open_hub()
    ann, _ = pair(hub)
    assert [event.name for event in ann.events() if isinstance(event, Joined)] == ["Ben"]


def test_a_table_that_was_given_up_writes_nothing_more_when_its_time_runs_out() -> None:
    hub, log = open_hub()
    ann, ben = pair(hub, policy=Policy(clock=10.0, hold=5.0))
    assert ann.table is not None
    ben.do(Vanish())
    records = len(log.records[1])
    hub.evict(ann.table, Refusal.LOG_DOWN)
    hub.tick(1100.0)
    assert len(log.records[1]) == records
