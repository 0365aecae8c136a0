"""What happens in a room, whatever wire its users came in on."""

import pytest

from parlour.core.errors import Refusal
from parlour.core.table.ballot import START, STOP
from parlour.core.table.table import Status
from parlour.core.updates import Evicted, Said, Seated
from parlour.core.words import (
    Arranged,
    Cap,
    Closed,
    Command,
    Counted,
    Entered,
    EnterTable,
    Finished,
    Joined,
    Kind,
    Laid,
    Leave,
    Left,
    Play,
    Readied,
    Ready,
    Reason,
    Recolour,
    Recoloured,
    Rename,
    Renamed,
    Resign,
    Rested,
    Say,
    Seek,
    Sit,
    StandUp,
    Started,
    TakePart,
    Vanish,
    Watch,
    Went,
    Wish,
)
from tests.unit.core.lobby import ASK, DOOR, GONE_FOR_GOOD, VOTES, come, everybody_says, play_out, playing, wait
from tests.unit.core.people import Person, Room, enter, open_hub, room, want_board, want_bots

# --- coming and going ------------------------------------------------------------------------------------------------


def test_everybody_who_wants_the_same_room_meets_in_it() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    elsewhere = Person(hub, "Cyd").do(enter(room("back door", 3, 3), "Cyd"))
    assert ann.here is ben.here
    assert elsewhere.here is not ann.here
    assert [user.name for user in ann.here.party.members.values()] == ["Ann", "Ben"]


def test_newcomer_gets_the_room_and_the_others_hear_of_the_newcomer() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", ready=False)
    assert ben.heard == [Seated(ann.here, None, "", ben.me, hub.at)]
    assert ann.heard[0] == Seated(ann.here, None, "", ann.me, hub.at)
    (came,) = ann.told(Entered)
    assert isinstance(came, Entered)
    assert (came.member, came.name, came.ready) == (ben.me.id, "Ben", False)


def test_ids_count_from_one_and_are_never_given_twice() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    assert (ann.me.id, ben.me.id) == (1, 2)
    ben.do(Leave())
    (cyd,) = come(hub, "Cyd")
    assert cyd.me.id == 3


def test_user_without_a_name_gets_one_and_every_user_an_opaque_colour() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "").do(enter(DOOR))
    ben = Person(hub, "").do(enter(DOOR, "Ben", colour=0x00FF0000))
    assert ann.me.name == ann.name == "User 1"
    assert ann.me.shown_colour < 0
    assert ben.me.shown_colour == -65536


def test_room_is_closed_when_the_last_person_has_left_and_engines_do_not_keep_it() -> None:
    hub, log = open_hub()
    (ann,) = come(hub, "Ann", wish=room("door", 3, 3, bots=2))
    table = ann.here
    assert len(table.party.members) == 3
    wait(hub, 3)
    assert table.running
    ann.do(Vanish())
    assert table.status is Status.CLOSED
    assert not hub.tables
    assert [type(record.event) for record in log.records[1]][-3:] == [Left, Finished, Closed]
    wait(hub, 10)
    assert come(hub, "Ben")[0].here is not table


def test_others_hear_of_a_leaver_after_the_seat_was_given_up() -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    leaver = ben.me
    ann.heard.clear()
    ben.do(Vanish())
    assert ann.events() == [Left(1, leaver.id), Went(leaver.id)]
    assert cyd.here.party.cast[1] is leaver
    assert cyd.here.players() == [ann.me, cyd.me]


def test_rooms_that_are_full_get_a_neighbour_where_the_door_says_so() -> None:
    hub, _ = open_hub()
    wish = room("door", 3, 3, players=2, full="room")
    ann, ben, cyd = come(hub, "Ann", "Ben", "Cyd", wish=wish)
    assert ann.here is ben.here is not cyd.here
    ann.do(Leave())
    (dan,) = come(hub, "Dan", wish=wish)
    assert dan.here is ben.here


def test_user_moves_to_the_room_around_another_table_with_name_and_colour() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    cyd = Person(hub, "Cyd").do(enter(room("back door", 3, 3), "Cyd", colour=5))
    cyd.do(EnterTable(ann.here.id))
    assert cyd.here is ann.here
    assert (cyd.me.name, cyd.me.id, cyd.me.shown_colour) == ("Cyd", 3, 5 - (1 << 24))
    assert len(hub.tables) == 1
    cyd.do(EnterTable(ann.here.id))
    assert cyd.refusal() == "ALREADY_SEATED"
    ben.do(EnterTable("nowhere"))
    assert ben.refusal() == "NO_SUCH_TABLE"


def test_player_of_a_plain_table_leaves_it_for_a_room() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann")
    cyd = Person(hub, "Cyd").do(Seek("dots", {}, opponent="engine"))
    old = cyd.here
    cyd.do(EnterTable(ann.here.id))
    assert cyd.here is ann.here
    assert list(hub.tables.values()) == [ann.here], f"{old.id} is closed"


def test_table_without_a_lobby_cannot_be_entered() -> None:
    hub, _ = open_hub()
    cyd = Person(hub, "Cyd").do(Seek("dots", {}, opponent="engine"))
    assert cyd.table is not None
    (ann,) = come(hub, "Ann")
    ann.do(EnterTable(cyd.table.id))
    assert ann.refusal() == "NO_ROOM"
    assert ann.me.name == "Ann"


@pytest.mark.parametrize("command", [Rename("Zoë"), Recolour(1), StandUp(), TakePart(), Wish(START), want_board(3, 3)])
def test_what_only_makes_sense_in_a_room_is_refused_elsewhere(command: Command) -> None:
    hub, _ = open_hub()
    cyd = Person(hub, "Cyd")
    assert cyd.do(command).refusal() == "NOT_SEATED"
    cyd.do(Seek("dots", {}, opponent="engine"))
    assert cyd.do(command).refusal() == "NO_ROOM"


def test_sitting_down_at_the_table_of_a_room_is_entering_it_ready_and_watching_is_not() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann")
    ben = Person(hub, "Ben").do(Sit(ann.here.id))
    cyd = Person(hub, "Cyd").do(Watch(ann.here.id))
    assert (ben.me.name, ben.me.ready) == ("Ben", True)
    assert (cyd.member, cyd.table) == (None, ann.table)


@pytest.mark.parametrize("wish", [room("door", 1, 3), room("door", 3, 51), room("door", game="chess")])
def test_room_that_makes_no_game_is_refused(wish: Room) -> None:
    hub, log = open_hub()
    ann = Person(hub, "Ann").do(enter(wish, "Ann"))
    assert ann.refusal() in ("BAD_OPTIONS", "NO_SUCH_GAME")
    assert not log.records


def test_house_that_takes_no_games_lets_nobody_in() -> None:
    hub, _ = open_hub()
    hub.drain()
    assert Person(hub, "Ann").do(enter(DOOR, "Ann")).refusal() == "DRAINING"


def test_log_that_cannot_be_written_closes_the_room_and_nothing_happens_in_it_any_more() -> None:
    hub, log = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    hub.evict(ann.here, Refusal.LOG_DOWN)
    written = len(log.records[1])
    assert ann.heard[-1] == ben.heard[-1] == Evicted(Refusal.LOG_DOWN)
    wait(hub, 60)
    everybody_says([ann, ben], Leave())
    assert len(log.records[1]) == written
    assert come(hub, "Cyd")[0].me.id == 1


def test_room_that_a_crash_left_behind_is_closed_visibly() -> None:
    _, log, _ = playing("Ann", "Ben")
    later, _ = open_hub()
    table = later.restore(1, log.records[1])
    assert table.status is Status.CLOSED
    assert not later.tables


# --- users ----------------------------------------------------------------------------------------------------------


def test_names_colours_and_readiness_are_told_to_everybody() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", ready=False)
    ben.heard.clear()
    ann.do(Rename("  Anna\n\u2028Lee ")).do(Recolour(0x7F00FF00)).do(Ready())
    assert ben.events() == [Renamed(1, "Anna  Lee"), Recoloured(1, -16711936), Readied(1, True)]
    assert (ann.me.name, ann.name, ann.me.shown_colour) == ("Anna  Lee", "Anna  Lee", -16711936)
    assert ann.events()[-3:] == ben.events()


@pytest.mark.parametrize("name", ["", "   ", "\n\t", "\u2028"])
def test_name_of_nothing_is_refused_and_the_old_one_kept(name: str) -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann")
    assert ann.do(Rename(name)).refusal() == "BAD_NAME"
    assert ann.me.name == "Ann"


def test_chat_reaches_everybody_with_the_speakers_id_and_can_be_off() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    mute = Person(hub, "Old", Cap.NONE).do(enter(DOOR, "Old"))
    ben.do(Say("hello"))
    said = Said("Ben", None, "hello", 2)
    assert said in ann.heard
    assert said in ben.heard
    assert said not in mute.heard
    (cyd,) = come(hub, "Cyd", wish=room("quiet", features=frozenset()))
    assert cyd.do(Say("hello")).refusal() == "CHAT_OFF"


# --- beginning ------------------------------------------------------------------------------------------------------


def test_game_begins_after_a_countdown_when_enough_users_are_ready() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    wait(hub, 2.75)
    assert not ann.here.running
    assert ben.announcements() == ["The game starts in 3.", "The game starts in 2.", "The game starts in 1."]
    wait(hub, 0.25)
    assert [type(event) for event in ben.events()] == [Counted, Counted, Counted, Arranged, Started]
    assert (ann.me.seat, ben.me.seat) == (0, 1)
    assert ann.playing


def test_countdown_is_called_off_and_begins_anew() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    wait(hub, 1.5)
    ben.do(Ready(False))
    assert ann.announcements()[-1] == "The start was called off."
    ben.do(Ready())
    wait(hub, 2.75)
    assert not ann.here.running
    assert ann.announcements()[-3:] == [f"The game starts in {number}." for number in (3, 2, 1)]
    wait(hub, 0.25)
    assert ann.here.running


def test_those_who_came_first_play_and_the_others_watch_and_hear_every_move() -> None:
    hub, _, (ann, _, cyd) = playing("Ann", "Ben", "Cyd", wish=room("door", 3, 3, players=2))
    assert (ann.playing, cyd.playing) == (True, False)
    ann.do(Play("h 0 0"))
    assert cyd.events()[-1] == ann.events()[-1]
    assert cyd.do(Play("h 1 0")).refusal() == "NOT_SEATED"
    (late,) = come(hub, "Dan", wish=room("door", 3, 3, players=2))
    assert late.here is ann.here
    assert late.here.moves == ["h 0 0"]


def test_sixteen_play_and_the_seventeenth_watches() -> None:
    _, _, people = playing(*(f"P{number}" for number in range(17)))
    assert [person.seat for person in people] == [*range(16), None]
    assert people[0].here.party.cast == [person.me for person in people[:16]]


def test_users_who_are_not_ready_do_not_play() -> None:
    hub, _ = open_hub()
    come(hub, "Ann", ready=False)
    ben, cyd = come(hub, "Ben", "Cyd")
    wait(hub, 3)
    assert [user.name for user in ben.here.party.cast] == ["Ben", "Cyd"]
    caps = int(GONE_FOR_GOOD)
    seats = (Joined(0, "Ben", "test", caps=caps, member=2), Joined(1, "Cyd", "test", caps=caps, member=3))
    assert cyd.told(Arranged) == [Arranged({"width": 3, "height": 3, "players": 2}, seats)]


def test_another_game_begins_after_the_first_with_those_who_are_ready_then() -> None:
    hub, _, (ann, ben) = playing("Ann", "Ben")
    (cyd,) = come(hub, "Cyd")
    play_out([ann, ben])
    assert cyd.announcements()[-2:] == ["A draw: Ann 2, Ben 2.", "The game starts in 3."]
    ann.do(Ready(False))
    wait(hub, 3)
    assert ann.here.number == 2
    assert [user.name for user in ann.here.party.cast] == ["Ben", "Cyd"]
    assert ann.me.seat is None


def test_a_person_plays_against_engines_but_engines_alone_do_not() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", wish=room("door", 3, 3, players=2, bots=3), ready=False)
    wait(hub, 10)
    assert not ann.here.running
    ann.do(Ready())
    wait(hub, 3)
    assert [user.is_person for user in ann.here.party.cast] == [True, False]
    (arranged,) = ann.told(Arranged)
    assert isinstance(arranged, Arranged)
    assert arranged.seats[1].kind is Kind.ENGINE
    while ann.here.running:
        assert ann.here.position is not None
        ann.do(Play(ann.here.position.legal()[0]))
    assert len(ann.told(Finished)) == 1


def test_game_waits_for_as_many_as_the_door_says() -> None:
    hub, _ = open_hub()
    wish = room("door", 3, 3, ready=3)
    ann, _ = come(hub, "Ann", "Ben", wish=wish)
    wait(hub, 10)
    assert not ann.here.running
    come(hub, "Cyd", wish=wish)
    wait(hub, 3)
    assert ann.here.running


def test_game_begins_when_the_house_takes_games_again() -> None:
    hub, _ = open_hub()
    ann, _ = come(hub, "Ann", "Ben")
    wait(hub, 1)
    hub.refusing = Refusal.LOG_DOWN
    wait(hub, 5)
    assert not ann.here.running
    assert ann.do(Wish(START)).refusal() == "LOG_DOWN"
    hub.at_once(hub.reopen)
    wait(hub, 5)
    assert ann.here.running


@pytest.mark.parametrize(("feature", "different"), [("random-order", "order"), ("random-start", "first")])
def test_dice_decide_the_order_or_who_begins_where_that_is_on(feature: str, different: str) -> None:
    orders, firsts = set(), set()
    for seed in range(12):
        hub, _ = open_hub(seed)
        people = come(hub, "Ann", "Ben", "Cyd", wish=room("door", 3, 3, features=frozenset({feature})))
        wait(hub, 3)
        orders.add(tuple(person.seat for person in people))
        firsts.add(people[0].here.starter)
    assert (len(orders) > 1) == (different == "order")
    assert firsts == ({0, 1, 2} if different == "first" else {0})


# --- leaving a game and taking part ------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [StandUp(), Resign()])
def test_player_who_stands_up_watches_and_the_turn_passes(command: Command) -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    ann.do(Play("h 0 0"))
    ben.do(command)
    assert ann.events()[-1] == ben.events()[-1] == Left(1, 2, stays=True)
    assert (ben.playing, ben.me.seat) == (False, None)
    assert cyd.do(Play("h 1 0")).refusal() == ""
    assert ben.events()[-1] == ann.events()[-1]
    assert ben.do(StandUp()).refusal() == "NOT_SEATED"


def test_game_is_over_when_fewer_than_two_are_left() -> None:
    hub, _, (ann, ben) = playing("Ann", "Ben")
    ann.do(StandUp())
    assert ben.told(Finished) == [Finished((1,), (0, 0), Reason.ABANDONED)]
    assert ben.announcements()[-2] == "Ben wins: Ann 0, Ben 0."
    wait(hub, 3)
    assert ann.here.number == 2
    assert ann.playing


def test_place_of_a_leaver_may_be_taken_and_comes_last_in_the_order() -> None:
    hub, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    dan, eve = come(hub, "Dan", "Eve")
    assert dan.do(TakePart()).refusal() == "TABLE_FULL"
    ben.do(StandUp())
    dan.do(TakePart())
    assert ann.events()[-1] == Joined(3, "Dan", "test", caps=int(GONE_FOR_GOOD), member=4)
    assert dan.playing
    assert ann.here.party.cast[1] is ben.me
    assert eve.do(TakePart()).refusal() == "TABLE_FULL"
    for person, move in ((ann, "h 0 0"), (cyd, "h 1 0"), (dan, "h 0 1"), (ann, "h 1 1")):
        assert person.do(Play(move)).refusal() == ""


def test_leaver_who_comes_back_has_the_old_seat_and_boxes() -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    for person, move in ((ann, "h 0 0"), (ben, "v 0 0"), (cyd, "h 0 1"), (ann, "v 1 0")):
        person.do(Play(move))
    assert ann.do(StandUp()).here.position.scores() == (1, 0, 0)  # type: ignore[union-attr]
    ann.do(TakePart())
    assert ann.me.seat == 0
    assert ann.do(TakePart()).refusal() == "ALREADY_SEATED"
    assert ann.here.position.scores() == (1, 0, 0)  # type: ignore[union-attr]
    for person, move in ((ben, "v 2 0"), (cyd, "h 0 2"), (ann, "v 0 1")):
        assert person.do(Play(move)).refusal() == ""


def test_taking_part_without_a_game_is_being_ready_for_the_next() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", ready=False)
    ann.do(TakePart())
    assert ann.me.ready
    assert ann.do(StandUp()).refusal() == "NOT_PLAYING"


# --- asking -----------------------------------------------------------------------------------------------------------


def test_game_begins_when_all_have_asked() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=ASK)
    wait(hub, 10)
    ann.do(Wish(START)).do(Wish(START))
    assert ben.announcements() == ["Ann wants to start."]
    assert not ann.here.running
    ben.do(Wish(START))
    assert ann.here.running
    play_out([ann, ben])
    wait(hub, 10)
    assert not ann.here.running


def test_one_who_does_not_want_to_play_does_not_keep_the_others_from_it() -> None:
    hub, _ = open_hub()
    come(hub, "Cyd", wish=ASK, ready=False)
    ann, ben = come(hub, "Ann", "Ben", wish=ASK)
    everybody_says([ann, ben], Wish(START))
    assert [user.name for user in ann.here.players()] == ["Ann", "Ben"]


def test_being_ready_is_asking_where_there_are_no_votes() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=ASK, ready=False)
    ann.do(Ready()).do(Ready(False))
    ben.do(Ready())
    assert not ann.here.running
    ann.do(Ready())
    assert ann.here.running


def test_being_ready_is_not_asking_where_there_are_votes() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=VOTES, ready=False)
    everybody_says([ann, ben], Ready())
    assert not ann.here.running


def test_game_is_stopped_when_all_players_have_asked_and_none_begins_until_somebody_moves() -> None:
    hub, _, (ann, ben) = playing("Ann", "Ben")
    (cyd,) = come(hub, "Cyd", ready=False)
    assert cyd.do(Wish(STOP)).refusal() == "NOT_SEATED"
    ann.do(Wish(STOP))
    assert ann.here.running
    ben.do(Wish(STOP))
    assert ann.events()[-2:] == [Finished((), (0, 0), Reason.ABANDONED), Rested()]
    wait(hub, 10)
    assert not ann.here.running
    assert ann.do(Wish(STOP)).refusal() == "NOT_PLAYING"
    ann.do(Wish(START))
    wait(hub, 3)
    assert ann.here.running


def test_wish_comes_true_when_the_last_who_had_another_leaves() -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    everybody_says([ann, ben], Wish(STOP))
    cyd.do(Leave())
    assert not ann.here.running


def test_new_game_replaces_the_running_one_when_all_players_ask() -> None:
    _, log, (ann, ben) = playing("Ann", "Ben", wish=ASK)
    ann.do(Play("h 0 0"))
    everybody_says([ann, ben], Wish(START))
    assert ann.here.number == 2
    assert ann.here.moves == []
    assert [type(record.event) for record in log.records[1]][-3:] == [Finished, Arranged, Started]


def board_of(person: Person) -> tuple[int, int]:
    """The board that was last laid out before this person, which is the one that is there."""
    laid = person.told(Laid)[-1]
    assert isinstance(laid, Laid)
    assert person.here.party.board == laid.options
    return person.here.game.board(laid.options)


def test_size_changes_at_once_in_the_lobby_and_after_the_game_while_one_runs() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=ASK)
    everybody_says([ann, ben], want_board(4, 2))
    assert board_of(ben) == (4, 2)
    everybody_says([ann, ben], Wish(START))
    everybody_says([ann, ben], want_board(2, 3))
    assert board_of(ben) == (4, 2)
    everybody_says([ann, ben], Wish(STOP))
    assert board_of(ben) == (2, 3)
    everybody_says([ann, ben], Wish(START))
    assert ann.here.settled == {"width": 2, "height": 3, "players": 2}
    assert ann.do(want_board(1, 1)).refusal() == "BAD_OPTIONS"


def test_players_who_want_different_sizes_get_neither() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=ASK)
    ann.do(want_board(4, 4))
    ben.do(want_board(5, 5))
    assert not ann.told(Laid)
    ann.do(want_board(5, 5))
    assert board_of(ann) == (5, 5)


def test_bots_come_and_go_when_all_ask() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", wish=ASK)
    ann.do(want_bots(2, "easy"))
    assert [(user.name, user.ready, user.level) for user in ann.here.party.members.values()][1:] == [
        ("Parlour (easy)", True, "easy"),
        ("Parlour (easy) 2", True, "easy"),
    ]
    ann.do(Wish(START))
    assert len(ann.here.players()) == 3
    ann.do(want_bots(0))
    assert [user.name for user in ann.here.party.members.values()] == ["Ann"]
    assert not ann.here.running
    assert ann.do(want_bots(16)).refusal() == ann.do(want_bots(1, "genius")).refusal() == "BAD_OPTIONS"


# --- many ------------------------------------------------------------------------------------------------------------


def test_one_object_is_told_to_all_five_hundred_so_that_it_can_be_spelled_once() -> None:
    hub, _ = open_hub()
    people = come(hub, *(f"P{number}" for number in range(500)), wish=room("door", 3, 3, players=2))
    wait(hub, 3)
    people[0].do(Play("h 0 0"))
    assert len({id(person.heard[-1]) for person in people}) == 1
    people[499].do(Say("hello"))
    assert len({id(person.heard[-1]) for person in people}) == 1
