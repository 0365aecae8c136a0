"""Rooms whose users lose their connection: places are kept, opened again by token, and rebuilt from the log."""

import pytest

from parlour.core.errors import Refusal
from parlour.core.house.hub import Hub
from parlour.core.house.listing import Change, Notice
from parlour.core.table.ballot import START, STOP
from parlour.core.table.table import Status, Table
from parlour.core.updates import CaughtUp, ChairsChanged, Evicted, Seated
from parlour.core.words import (
    AnyEvent,
    Asked,
    Cap,
    Chair,
    Closed,
    Decided,
    EnterTable,
    Finished,
    Gone,
    Held,
    Joined,
    Kind,
    Leave,
    Left,
    Opened,
    Play,
    Propose,
    Ready,
    Reason,
    Resume,
    Resumed,
    Say,
    SetBoard,
    ShowCode,
    Sit,
    Started,
    TakeChair,
    TakeOver,
    TakePart,
    Vanish,
    Vote,
    Watch,
    Went,
    Wish,
)
from tests.unit.core.people import Log, Person, Room, after_a_crash, code_of, enter, open_hub, open_pair, room

HOLD = 60.0
GONE_FOR_GOOD = Cap.ALL & ~Cap.RESUME
DOOR = room("door", 4, 4, start="ask", features=frozenset({"chat", "vote"}))
COUNTED = room("door", 4, 4)


def playing(*names: str, wish: Room = DOOR) -> tuple[Hub, Log, list[Person]]:
    """These people, who have just begun to play; a name in small letters is of somebody who cannot come back."""
    hub, log = open_hub()
    people = [
        Person(hub, name, GONE_FOR_GOOD if name.islower() else Cap.ALL).do(enter(wish, name, votes=True))
        for name in names
    ]
    for person in people:
        person.do(Wish(START))
    assert people[0].here.running
    return hub, log, people


def opposite(guest: Cap = Cap.ALL) -> tuple[Hub, Log, Person, Person]:
    """Two who have just begun to play at a table for two, Ann in the first chair."""
    hub, log = open_hub()
    ann = Person(hub, "Ann").do(open_pair())
    ben = Person(hub, "Ben", guest).do(TakeChair(ann.here.id))
    ann.do(SetBoard({"width": 3, "height": 3}))
    assert ann.here.running
    return hub, log, ann, ben


def back(hub: Hub, person: Person, table: Table, since: int = 0) -> Person:
    """The same person on another connection."""
    assert person.where == table.id
    return person.elsewhere(hub).resume(since)


def after_the_crash(log: Log) -> tuple[Hub, Log, Table]:
    """Another house that has read the log of the first, and its only table."""
    hub, _ = open_hub()
    hub, later = after_a_crash(hub, log, seed=7)
    (table,) = hub.tables.values()
    return hub, later, table


def logged(log: Log) -> list[AnyEvent]:
    return [record.event for record in log.records[1]]


def caught_up(person: Person) -> CaughtUp:
    return next(told for told in person.heard if isinstance(told, CaughtUp))


def wait(hub: Hub, seconds: float) -> None:
    end = hub.at + seconds
    while hub.at < end:
        hub.tick(min(end, hub.at + 0.5))


# --- a game for many -------------------------------------------------------------------------------------------------


def test_seat_is_held_while_the_game_goes_on_and_waits_when_it_is_its_turn() -> None:
    hub, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    table, user = ann.here, ben.me
    ann.heard.clear()
    ben.do(Vanish())
    assert ben.table is None
    assert ann.events() == [Held(1, user.id)]
    assert ann.announcements() == ["Ben has lost the connection and may come back."]
    assert user.away
    assert table.players() == [ann.me, user, cyd.me]
    ann.do(Play("h 0 0"))
    assert table.moves == ["h 0 0"]
    assert cyd.do(Play("h 1 0")).refusal() == "NOT_YOUR_TURN"
    wait(hub, HOLD - 1)
    assert cyd.do(Play("h 1 0")).refusal() == "NOT_YOUR_TURN"


def test_user_comes_back_by_token_to_the_seat_and_to_what_was_missed() -> None:
    hub, log, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    table, user, seen = ann.here, ben.me, ann.here.seq
    ben.do(Vanish())
    ann.do(Play("h 0 0"))
    ann.heard.clear()
    again = back(hub, ben, table, seen)
    told = caught_up(again)
    assert (told.table, told.seat, told.member) == (table, 1, user)
    assert told.missed == tuple(log.records[1][seen:])
    assert told.missed[-1].event == Resumed(1, member=user.id)
    assert ann.events() == [Resumed(1, member=user.id)]
    assert ann.announcements() == ["Ben is back."]
    assert (again.me, again.seat, user.away) == (user, 1, False)
    again.do(Play("h 1 0"))
    assert cyd.do(Play("h 2 0")).refusal() == ""
    assert [user.name for user in table.party.members.values()] == ["Ann", "Ben", "Cyd"]
    wait(hub, 2 * HOLD)
    assert again.here is table, "the alarm of the first absence counts for nothing"


def test_each_absence_has_its_own_time() -> None:
    hub, _, (ann, ben, _cyd) = playing("Ann", "Ben", "Cyd")
    table = ann.here
    ben.do(Vanish())
    wait(hub, HOLD - 1)
    again = back(hub, ben, table)
    again.do(Vanish())
    wait(hub, HOLD - 1)
    assert back(hub, ben, table).seat == 1


def test_game_skips_the_seat_when_its_time_is_over() -> None:
    hub, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    table, user = ann.here, ben.me
    ann.do(Play("h 0 0"))
    ben.do(Vanish())
    ann.heard.clear()
    wait(hub, HOLD)
    assert ann.events() == [Left(1, user.id, why=Gone.EXPIRED), Went(user.id, Gone.EXPIRED)]
    assert cyd.do(Play("h 1 0")).refusal() == ""
    assert back(hub, ben, table).refusal() == "SEAT_GIVEN_UP"


def test_whoever_was_away_too_long_for_the_records_takes_a_snapshot() -> None:
    hub, _, (ann, ben) = playing("Ann", "Ben", wish=room("door", 14, 14, start="ask"))
    table = ann.here
    for _ in range(300):
        assert table.position is not None
        (ann, ben)[table.position.turn].do(Play(table.position.legal()[0]))
    ben.do(Vanish())
    assert caught_up(back(hub, ben, table, since=5)).missed is None


def test_second_connection_with_the_token_cuts_off_the_first() -> None:
    hub, _, (ann, ben, _cyd) = playing("Ann", "Ben", "Cyd")
    table, user = ann.here, ben.me
    ann.heard.clear()
    again = back(hub, ben, table, table.seq)
    assert ben.heard[-1] == Evicted(Refusal.SEAT_TAKEN)
    assert ben.table is None
    assert again.me is user
    assert ann.events() == [Resumed(1, member=user.id)]
    ben.do(Vanish())
    assert ben.do(Play("h 0 0")).refusal() == "NOT_SEATED"
    assert len(table.party.members) == 3
    assert again.resume().refusal() == "ALREADY_SEATED"


@pytest.mark.parametrize("token", ["", "guess"])
def test_wrong_token_opens_no_room(token: str) -> None:
    hub, _, (ann, ben) = playing("Ann", "ben")
    assert not ben.token
    assert Person(hub, "Eve").do(Resume(ann.here.id, token)).refusal() == "BAD_TOKEN"


def test_user_who_leaves_does_not_come_back() -> None:
    hub, _, (ann, ben, _cyd) = playing("Ann", "Ben", "Cyd")
    table = ann.here
    ben.do(Leave())
    assert ann.events()[-2:] == [Left(1, 2), Went(2)]
    assert back(hub, ben, table).refusal() == "BAD_TOKEN"


def test_spectator_who_vanishes_has_gone() -> None:
    hub, _, (ann, _ben) = playing("Ann", "Ben")
    eve = Person(hub, "Eve").do(Watch(ann.here.id))
    eve.do(Vanish())
    assert len(ann.here.party.members) == 2


# --- those who are away have no say ----------------------------------------------------------------------------------


def test_wishes_are_those_of_the_players_who_are_there() -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    table = ann.here
    ben.do(Vanish())
    ann.do(Wish(STOP))
    assert table.running
    cyd.do(Wish(STOP))
    assert not table.running


def test_wish_of_somebody_who_vanishes_is_void_and_the_others_decide() -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    table = ann.here
    ann.do(Wish(STOP))
    cyd.do(Wish(STOP))
    assert table.running
    ben.do(Vanish())
    assert not table.running


def test_votes_are_those_of_the_users_who_are_there() -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    ben.do(Vanish())
    ann.do(Propose("lobby"))
    assert ann.here.party.vote is not None
    assert set(ann.here.party.vote.answers) == {ann.me.id, cyd.me.id}
    cyd.do(Vanish())
    ann.do(Vote(True))
    assert Decided("lobby", True) in ann.events()


def test_chat_goes_on_without_those_who_are_away() -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    ben.do(Vanish())
    heard = len(ben.heard)
    ann.do(Say("hello"))
    assert cyd.heard[-1] == ann.heard[-1]
    assert len(ben.heard) == heard


def test_vote_can_send_somebody_away_who_is_absent() -> None:
    hub, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    table, number = ann.here, ben.me.id
    ben.do(Vanish())
    ann.do(Propose("kick", (str(number),))).do(Vote(True))
    cyd.do(Vote(True))
    assert number not in table.party.members
    assert back(hub, ben, table).refusal() == "BAD_TOKEN"


def test_next_game_is_without_those_who_are_away_and_they_come_back_to_watch_it() -> None:
    hub, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    table, user = ann.here, ben.me
    ben.do(Vanish())
    for person in (ann, cyd):
        person.do(Wish(START))
    assert [user.name for user in table.party.cast] == ["Ann", "Cyd"]
    again = back(hub, ben, table)
    told = caught_up(again)
    assert (told.seat, told.member) == (None, user)
    assert again.me is user
    assert again.do(Play("h 0 0")).refusal() == "NOT_SEATED"


def test_game_is_not_counted_down_for_somebody_who_is_away() -> None:
    hub, _ = open_hub()
    ann, ben = (Person(hub, name).do(enter(COUNTED, name)) for name in ("Ann", "Ben"))
    table = ann.here
    ben.do(Vanish())
    assert table.party.countdown == 0
    wait(hub, 5)
    assert not table.running
    back(hub, ben, table)
    wait(hub, 3)
    assert table.running


# --- how long a table is there ----------------------------------------------------------------------------------------


def test_room_waits_for_the_last_who_can_come_back_and_then_closes() -> None:
    hub, log, (ann, ben) = playing("Ann", "ben")
    table = ann.here
    ann.do(Vanish())
    ben.do(Vanish())
    assert hub.tables == {table.id: table}
    wait(hub, HOLD - 1)
    assert hub.tables
    wait(hub, 1)
    assert not hub.tables
    assert logged(log)[-1] == Closed("deserted")


def test_room_in_which_nobody_plays_is_kept_for_whoever_opened_it() -> None:
    hub, log = open_hub()
    ann = Person(hub, "Ann").do(open_pair(title="come in"))
    table, user = ann.here, ann.me
    ann.do(Vanish())
    again = back(hub, ann, table)
    assert (again.me, again.here.party.title) == (user, "come in")
    assert caught_up(again).seat == 0
    assert again.events()[-1] == Asked(user.id), "who was asked for the board is asked again"
    assert Opened in [type(event) for event in logged(log)]
    ben = Person(hub, "Ben").do(TakeChair(table.id))
    again.do(SetBoard({"width": 3, "height": 3}))
    assert (again.seat, ben.seat) == (0, 1)


def test_listing_tells_that_a_seat_is_held_and_taken_again() -> None:
    hub, _, (ann, ben, _cyd) = playing("Ann", "Ben", "Cyd")
    table = ann.here
    notices: list[Notice] = []
    hub.listing.subscribe(notices.append)
    ben.do(Vanish())
    back(hub, ben, table)
    assert [(notice.change, notice.table) for notice in notices] == [(Change.CHANGED, table)] * 2


def test_house_that_takes_no_new_games_lets_people_come_back_to_theirs() -> None:
    hub, _, (ann, ben) = playing("Ann", "Ben")
    table = ann.here
    ben.do(Vanish())
    hub.drain()
    assert back(hub, ben, table).seat == 1
    assert Person(hub, "Cyd").do(enter(DOOR)).refusal() == "DRAINING"


# --- two chairs ------------------------------------------------------------------------------------------------------


def test_chair_is_kept_for_somebody_who_is_away_and_open_afterwards() -> None:
    hub, _, ann, ben = opposite()
    table = ann.here
    ann.do(Play("h 0 0"))
    ben.do(Vanish())
    cyd = Person(hub, "Cyd").do(EnterTable(table.id))
    assert cyd.seat is None
    wait(hub, HOLD)
    assert cyd.seat == 1, "whoever waits for a chair has it now"
    cyd.do(Play("v 0 0"))
    assert table.moves == ["h 0 0", "v 0 0"]
    cyd.do(Leave())
    wait(hub, HOLD)
    assert table.running
    assert table.seats[1] is None


def test_game_against_an_engine_waits_for_its_person() -> None:
    hub, log = open_hub()
    ann = (
        Person(hub, "Ann")
        .do(open_pair((Chair(), Chair("engine", level="easy"))))
        .do(SetBoard({"width": 3, "height": 3}))
    )
    table = ann.here
    ann.do(Play("h 0 0"))
    ann.do(Vanish())
    assert table.running
    again = back(hub, ann, table)
    assert again.do(Play("v 2 1")).refusal() == ""
    again.do(Vanish())
    wait(hub, HOLD)
    assert not hub.tables
    assert logged(log)[-2] == Finished((), (0, 0), Reason.ABANDONED, 4)


def test_no_game_begins_with_somebody_who_is_away() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(open_pair()).do(SetBoard({"width": 3, "height": 3}))
    table = ann.here
    ann.do(Vanish())
    ben = Person(hub, "Ben").do(TakeChair(table.id))
    assert not table.running
    back(hub, ann, table)
    assert table.running
    assert ben.seat == 1


def test_somebody_else_is_asked_for_the_board_while_the_first_is_away() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(open_pair())
    table = ann.here
    ben = Person(hub, "Ben").do(TakeChair(table.id))
    assert Asked(2) not in ben.events()
    ann.do(Vanish())
    assert Asked(2) in ben.events()
    ben.do(SetBoard({"width": 2, "height": 2}))
    back(hub, ann, table)
    assert table.running


def test_whoever_is_asked_for_the_board_is_asked_again_on_another_connection() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(open_pair())
    again = back(hub, ann, ann.here)
    assert again.events()[-1] == Asked(1)
    again.do(SetBoard({"width": 3, "height": 3}))
    assert again.here.options["width"] == 3


# --- sitting down and watching, wherever -----------------------------------------------------------------------------


def test_sitting_down_at_a_table_for_two_is_taking_a_chair() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "Ann").do(open_pair())
    ben = Person(hub, "Ben").do(Sit(ann.here.id))
    assert ann.here.party.chairs
    assert ann.here.seats == [ann.me, ben.me]
    assert Person(hub, "Cyd").do(Sit(ann.here.id)).refusal() == "TABLE_FULL"
    assert Person(hub, "Cyd").do(Sit(ann.here.id, 0)).refusal() == "SEAT_TAKEN"


def test_spectator_sits_down_when_there_is_a_chair() -> None:
    hub, _, ann, ben = opposite()
    eve = Person(hub, "Eve").do(Watch(ann.here.id))
    assert eve.do(Sit(ann.here.id)).refusal() == "TABLE_FULL"
    assert eve.table is ann.table
    ben.do(Leave())
    eve.do(Sit(ann.here.id))
    assert eve.seat == 1
    assert eve.me.joined(1) in ann.events()
    assert not ann.here.audience
    assert ChairsChanged in [type(told) for told in ann.heard]


def test_spectator_of_a_game_for_many_plays_when_there_is_a_place_or_in_the_next_game() -> None:
    hub, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    dan, eve = (Person(hub, name).do(EnterTable(ann.here.id, ready=False)) for name in ("Dan", "Eve"))
    ben.do(Leave())
    dan.do(Sit(ann.here.id))
    assert dan.seat == 3
    eve.do(Sit(ann.here.id))
    assert (eve.seat, eve.me.ready, eve.me.watches) == (None, True, False)
    assert dan.do(Sit(ann.here.id)).refusal() == "ALREADY_SEATED"
    assert cyd.here.players() == [ann.me, cyd.me, dan.me]


# --- by a code --------------------------------------------------------------------------------------------------------


def crossing(hub: Hub, person: Person, code: str) -> Person:
    """The same person, who goes on in another program."""
    return Person(hub, "guest").do(TakeOver(person.where, code))


def test_code_is_short_and_stays() -> None:
    _hub, _, (ann, ben) = playing("ann", "ben")
    code = code_of(ann)
    assert code == code_of(ann) != code_of(ben)
    assert len(code) == 6
    assert code.isalnum()
    ben.heard.clear()
    ann.do(ShowCode())
    assert code in ann.announcements()[-1]
    assert ben.heard == []


def test_place_is_taken_over_by_code_while_the_old_program_is_there() -> None:
    hub, log, (ann, ben, _cyd) = playing("ann", "ben", "cyd")
    table, user = ann.here, ben.me
    other = crossing(hub, ben, f" {code_of(ben).upper()} ")
    assert ben.heard[-1] == Evicted(Refusal.SEAT_TAKEN)
    assert other.heard[-1] == Seated(table, 1, other.token, user, hub.at)
    assert (other.me, other.seat) == (user, 1)
    other.do(Vanish())
    assert other.elsewhere().resume().seat == 1, "whoever came by code has a token now"
    assert ann.here.seats[1] is not None
    again, _ = after_a_crash(hub, log)
    assert other.elsewhere(again).resume().seat == 1, "and the log knows it"


def test_game_waits_for_whoever_has_asked_for_the_code_and_goes_on_elsewhere() -> None:
    hub, _, (ann, ben) = playing("ann", "ben")
    code = code_of(ben)
    ben.do(Vanish())
    assert ann.events()[-1] == Held(1, 2)
    assert ann.here.running
    other = crossing(hub, ben, code)
    ann.do(Play("h 0 0"))
    assert other.do(Play("h 2 0")).refusal() == ""
    assert len(ann.here.party.members) == 2
    wait(hub, HOLD + 1)
    assert ann.here.running


def test_game_does_not_wait_for_ever_for_whoever_has_asked_for_the_code() -> None:
    hub, _, (ann, ben) = playing("ann", "ben")
    code = code_of(ben)
    ben.do(Vanish())
    wait(hub, HOLD + 1)
    assert not ann.here.running
    assert crossing(hub, ben, code).refusal() == "BAD_TOKEN"


def test_place_in_a_game_for_many_is_taken_over_by_code_after_it_was_given_up() -> None:
    hub, _, (ann, ben, cyd) = playing("ann", "ben", "cyd")
    code = code_of(ben)
    ben.do(Vanish())
    wait(hub, HOLD + 1)
    ann.heard.clear()
    other = crossing(hub, ben, code)
    assert other.seat == 1
    assert ann.events()[1:] == [other.me.joined(1)]
    assert (other.me.name, ann.here.party.cast[1]) == ("ben", other.me)
    assert ann.here.position is not None
    ann.do(Play("h 0 0"))
    cyd.do(Play("h 1 0"))
    assert other.do(Play("h 2 0")).refusal() == ""
    assert crossing(hub, ben, code).seat == 1, "and again, from yet another one"


def test_chair_is_taken_over_by_code_unless_somebody_else_has_it_now() -> None:
    hub, _, ann, ben = opposite(GONE_FOR_GOOD)
    code = code_of(ben)
    ann.do(Play("h 0 0"))
    ben.do(Vanish())
    other = crossing(hub, ben, code)
    assert other.seat == 1
    other.do(Play("v 0 0")).do(Leave())
    assert Person(hub, "Cyd").do(Sit(ann.where)).seat == 1
    assert crossing(hub, ben, code).refusal() == "BAD_TOKEN"


def test_place_that_others_have_filled_is_not_taken_over() -> None:
    hub, _, (ann, ben, _cyd) = playing("ann", "ben", "cyd")
    code = code_of(ben)
    ben.do(Vanish())
    wait(hub, HOLD + 1)
    Person(hub, "dan").do(EnterTable(ann.where)).do(TakePart())
    assert crossing(hub, ben, code).refusal() == "TABLE_FULL"


def test_wrong_code_opens_nothing() -> None:
    hub, _, (ann, ben) = playing("ann", "ben")
    assert crossing(hub, ann, "").refusal() == "BAD_TOKEN"
    assert crossing(hub, ann, "guess").refusal() == "BAD_TOKEN"
    code = code_of(ben)
    Person(hub, "dan").do(EnterTable(ann.where))
    ben.do(Leave())
    assert not ann.here.running
    assert crossing(hub, ben, code).refusal() == "BAD_TOKEN", "the game is over"


# --- after a crash ---------------------------------------------------------------------------------------------------


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
    assert table.moves == ["h 0 0", "h 1 0"], "a move with the same mark is answered, not played twice"
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
