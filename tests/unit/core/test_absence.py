"""Rooms whose users lose their connection: places are kept, opened again by token, and rebuilt from the log."""

import pytest

from parlour.core.errors import Refusal
from parlour.core.house.hub import Hub
from parlour.core.house.listing import Change, Notice
from parlour.core.table.ballot import START, STOP
from parlour.core.updates import ChairsChanged, Evicted, Seated
from parlour.core.words import (
    Asked,
    Chair,
    Closed,
    Decided,
    EnterTable,
    Finished,
    Gone,
    Held,
    Leave,
    Left,
    Opened,
    Play,
    Propose,
    Reason,
    Resume,
    Resumed,
    Say,
    SetBoard,
    ShowCode,
    Sit,
    TakeChair,
    TakeOver,
    TakePart,
    Vanish,
    Vote,
    Watch,
    Went,
    Wish,
)
from tests.unit.core.absence import (
    COUNTED,
    DOOR,
    GONE_FOR_GOOD,
    HOLD,
    back,
    caught_up,
    logged,
    opposite,
    playing,
    wait,
)
from tests.unit.core.people import Person, after_a_crash, code_of, enter, open_hub, open_pair, room

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
