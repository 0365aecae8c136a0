"""What happens in a room, whatever wire its users came in on."""

import pytest

from parlour.core.errors import Refusal
from parlour.core.hub import Hub
from parlour.core.news import (
    Entered,
    FeatureSet,
    Kicked,
    Resized,
    UserCame,
    UserReadied,
    UserRecoloured,
    UserRenamed,
    UserWent,
    VoteClosed,
    VoteOpened,
)
from parlour.core.roomwords import (
    AskBots,
    AskSize,
    AskStart,
    AskStop,
    Enter,
    EnterTable,
    Recolour,
    Rename,
    RoomWish,
    StandUp,
    TakePart,
)
from parlour.core.table import Status
from parlour.core.vocab import (
    Arranged,
    Cap,
    Closed,
    Command,
    Evicted,
    Finished,
    Gone,
    Joined,
    Kind,
    Leave,
    Left,
    Play,
    Propose,
    Ready,
    Reason,
    Resign,
    Said,
    Say,
    Seek,
    Sit,
    Started,
    Vanish,
    Vote,
    Watch,
)
from tests.unit.core.people import Log, Person, open_hub

GONE_FOR_GOOD = Cap.ALL & ~Cap.RESUME
"""What a wire can say whose people do not come back when they vanish."""
DOOR = RoomWish("door", 3, 3)
ASK = RoomWish("door", 3, 3, start="ask")
VOTES = RoomWish("door", 3, 3, start="ask", features=frozenset({"chat", "vote"}))


def come(hub: Hub, *names: str, wish: RoomWish = DOOR, ready: bool = True) -> list[Person]:
    """These people, who enter one after the other."""
    return [Person(hub, name, GONE_FOR_GOOD).do(Enter(wish, name, ready=ready, votes=True)) for name in names]


def wait(hub: Hub, seconds: float) -> None:
    """Let time pass in steps smaller than a countdown's."""
    end = hub.at + seconds
    while hub.at < end:
        hub.tick(min(end, hub.at + 0.25))


def playing(*names: str, wish: RoomWish = DOOR) -> tuple[Hub, Log, list[Person]]:
    """These people, who have just begun to play."""
    hub, log = open_hub()
    people = come(hub, *names, wish=wish)
    if wish.start == "ask":
        for person in people:
            person.do(AskStart())
    else:
        wait(hub, 3)
    assert people[0].room.table.running
    return hub, log, people


def play_out(people: list[Person]) -> None:
    """Play the first legal moves until the game is over."""
    table = people[0].room.table
    while table.running:
        assert table.position is not None
        people[table.position.turn].do(Play(table.position.legal()[0]))


def everybody_says(people: list[Person], command: Command) -> None:
    for person in people:
        person.do(command)


# --- coming and going ------------------------------------------------------------------------------------------------


def test_everybody_who_wants_the_same_room_meets_in_it() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    elsewhere = Person(hub, "Cyd").do(Enter(RoomWish("back door", 3, 3), "Cyd"))
    assert ann.room is ben.room
    assert elsewhere.room is not ann.room
    assert [user.name for user in ann.room.users.values()] == ["Ann", "Ben"]


def test_newcomer_gets_the_room_and_the_others_hear_of_the_newcomer() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", ready=False)
    assert ben.heard == [Entered(ann.room, ben.user)]
    assert ann.heard == [Entered(ann.room, ann.user), UserCame(ben.user)]


def test_ids_count_from_one_and_are_never_given_twice() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    assert (ann.user.id, ben.user.id) == (1, 2)
    ben.do(Leave())
    (cyd,) = come(hub, "Cyd")
    assert cyd.user.id == 3


def test_user_without_a_name_gets_one_and_every_user_an_opaque_colour() -> None:
    hub, _ = open_hub()
    ann = Person(hub, "").do(Enter(DOOR))
    ben = Person(hub, "").do(Enter(DOOR, "Ben", colour=0x00FF0000))
    assert ann.user.name == ann.name == "User 1"
    assert ann.user.colour < 0
    assert ben.user.colour == -65536


def test_room_is_closed_when_the_last_person_has_left_and_engines_do_not_keep_it() -> None:
    hub, log = open_hub()
    (ann,) = come(hub, "Ann", wish=RoomWish("door", 3, 3, bots=2))
    room = ann.room
    assert len(room.users) == 3
    wait(hub, 3)
    assert room.table.running
    ann.do(Vanish())
    assert room.table.status is Status.CLOSED
    assert not hub.tables
    assert [type(record.event) for record in log.records[1]][-3:] == [Left, Finished, Closed]
    wait(hub, 10)
    assert come(hub, "Ben")[0].room is not room


def test_others_hear_of_a_leaver_after_the_seat_was_given_up() -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    leaver = ben.user
    ann.heard.clear()
    ben.do(Vanish())
    assert [type(told).__name__ for told in ann.heard] == ["Record", "UserWent"]
    assert ann.events() == [Left(1)]
    assert ann.news() == [UserWent(leaver)]
    assert cyd.room.seated[1] is leaver
    assert cyd.room.players == [ann.user, cyd.user]


def test_rooms_that_are_full_get_a_neighbour_where_the_door_says_so() -> None:
    hub, _ = open_hub()
    wish = RoomWish("door", 3, 3, players=2, full="room")
    ann, ben, cyd = come(hub, "Ann", "Ben", "Cyd", wish=wish)
    assert ann.room is ben.room is not cyd.room
    ann.do(Leave())
    (dan,) = come(hub, "Dan", wish=wish)
    assert dan.room is ben.room


def test_user_moves_to_the_room_around_another_table_with_name_and_colour() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    cyd = Person(hub, "Cyd").do(Enter(RoomWish("back door", 3, 3), "Cyd", colour=5))
    cyd.do(EnterTable(ann.room.table.id))
    assert cyd.room is ann.room
    assert (cyd.user.name, cyd.user.id, cyd.user.colour) == ("Cyd", 3, 5 - (1 << 24))
    assert len(hub.tables) == 1
    cyd.do(EnterTable(ann.room.table.id))
    assert cyd.refusal() == "ALREADY_SEATED"
    ben.do(EnterTable("nowhere"))
    assert ben.refusal() == "NO_SUCH_TABLE"


def test_table_without_a_lobby_cannot_be_entered() -> None:
    hub, _ = open_hub()
    cyd = Person(hub, "Cyd").do(Seek("dots", {}, opponent="engine"))
    assert cyd.table is not None
    (ann,) = come(hub, "Ann")
    ann.do(EnterTable(cyd.table.id))
    assert ann.refusal() == "NO_ROOM"
    assert ann.user.name == "Ann"


@pytest.mark.parametrize("command", [Rename("Zoë"), Recolour(1), StandUp(), TakePart(), AskStart(), AskSize(3, 3)])
def test_what_only_makes_sense_in_a_room_is_refused_elsewhere(command: Command) -> None:
    hub, _ = open_hub()
    cyd = Person(hub, "Cyd")
    assert cyd.do(command).refusal() == "NOT_SEATED"
    cyd.do(Seek("dots", {}, opponent="engine"))
    assert cyd.do(command).refusal() == "NO_ROOM"


def test_sitting_down_at_the_table_of_a_room_is_entering_it_ready_and_watching_is_not() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann")
    ben = Person(hub, "Ben").do(Sit(ann.room.table.id))
    cyd = Person(hub, "Cyd").do(Watch(ann.room.table.id))
    assert (ben.user.name, ben.user.ready) == ("Ben", True)
    assert (cyd.user.name, cyd.user.ready) == ("Cyd", False)


@pytest.mark.parametrize("wish", [RoomWish("door", 1, 3), RoomWish("door", 3, 51), RoomWish("door", game="chess")])
def test_room_that_makes_no_game_is_refused(wish: RoomWish) -> None:
    hub, log = open_hub()
    ann = Person(hub, "Ann").do(Enter(wish, "Ann"))
    assert ann.refusal() in ("BAD_OPTIONS", "NO_SUCH_GAME")
    assert not log.records


def test_house_that_takes_no_games_lets_nobody_in() -> None:
    hub, _ = open_hub()
    hub.drain()
    assert Person(hub, "Ann").do(Enter(DOOR, "Ann")).refusal() == "DRAINING"


def test_log_that_cannot_be_written_closes_the_room_and_nothing_happens_in_it_any_more() -> None:
    hub, log = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    hub.evict(ann.room.table, Refusal.LOG_DOWN)
    written = len(log.records[1])
    assert ann.heard[-1] == ben.heard[-1] == Evicted(Refusal.LOG_DOWN)
    wait(hub, 60)
    everybody_says([ann, ben], Leave())
    assert len(log.records[1]) == written
    assert come(hub, "Cyd")[0].user.id == 1


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
    assert ben.heard == [UserRenamed(ann.user, "Ann"), UserRecoloured(ann.user), UserReadied(ann.user, True)]
    assert (ann.user.name, ann.name, ann.user.colour) == ("AnnaLee", "AnnaLee", -16711936)
    assert ann.news()[-3:] == ben.heard


@pytest.mark.parametrize("name", ["", "   ", "\n\t", "\u2028"])
def test_name_of_nothing_is_refused_and_the_old_one_kept(name: str) -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann")
    assert ann.do(Rename(name)).refusal() == "BAD_NAME"
    assert ann.user.name == "Ann"


def test_chat_reaches_everybody_with_the_speakers_id_and_can_be_off() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    mute = Person(hub, "Old", Cap.NONE).do(Enter(DOOR, "Old"))
    ben.do(Say("hello"))
    said = Said("Ben", None, "hello", 2)
    assert said in ann.heard
    assert said in ben.heard
    assert said not in mute.heard
    (cyd,) = come(hub, "Cyd", wish=RoomWish("quiet", features=frozenset()))
    assert cyd.do(Say("hello")).refusal() == "CHAT_OFF"


# --- beginning ------------------------------------------------------------------------------------------------------


def test_game_begins_after_a_countdown_when_enough_users_are_ready() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    wait(hub, 2.75)
    assert not ann.room.table.running
    assert ben.announcements() == ["The game starts in 3.", "The game starts in 2.", "The game starts in 1."]
    wait(hub, 0.25)
    assert [type(event) for event in ben.events()] == [Arranged, Started]
    assert (ann.user.seat, ben.user.seat) == (0, 1)
    assert ann.user.playing


def test_countdown_is_called_off_and_begins_anew() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben")
    wait(hub, 1.5)
    ben.do(Ready(False))
    assert ann.announcements()[-1] == "The start is called off."
    ben.do(Ready())
    wait(hub, 2.75)
    assert not ann.room.table.running
    assert ann.announcements()[-3:] == [f"The game starts in {number}." for number in (3, 2, 1)]
    wait(hub, 0.25)
    assert ann.room.table.running


def test_those_who_came_first_play_and_the_others_watch_and_hear_every_move() -> None:
    hub, _, (ann, _, cyd) = playing("Ann", "Ben", "Cyd", wish=RoomWish("door", 3, 3, players=2))
    assert (ann.user.playing, cyd.user.playing) == (True, False)
    ann.do(Play("h 0 0"))
    assert cyd.events()[-1] == ann.events()[-1]
    assert cyd.do(Play("h 1 0")).refusal() == "NOT_SEATED"
    (late,) = come(hub, "Dan", wish=RoomWish("door", 3, 3, players=2))
    assert late.room is ann.room
    assert late.room.table.moves == ["h 0 0"]


def test_sixteen_play_and_the_seventeenth_watches() -> None:
    _, _, people = playing(*(f"P{number}" for number in range(17)))
    assert [person.seat for person in people] == [*range(16), None]
    assert people[0].room.seated == [person.user for person in people[:16]]


def test_users_who_are_not_ready_do_not_play() -> None:
    hub, _ = open_hub()
    come(hub, "Ann", ready=False)
    ben, cyd = come(hub, "Ben", "Cyd")
    wait(hub, 3)
    assert [user.name for user in ben.room.seated] == ["Ben", "Cyd"]
    assert cyd.events()[0] == Arranged(
        {"width": 3, "height": 3, "players": 2},
        (Joined(0, "Ben", "test", caps=GONE_FOR_GOOD), Joined(1, "Cyd", "test", caps=GONE_FOR_GOOD)),
    )


def test_another_game_begins_after_the_first_with_those_who_are_ready_then() -> None:
    hub, _, (ann, ben) = playing("Ann", "Ben")
    (cyd,) = come(hub, "Cyd")
    play_out([ann, ben])
    assert cyd.announcements()[-2:] == ["A draw: Ann 2, Ben 2.", "The game starts in 3."]
    ann.do(Ready(False))
    wait(hub, 3)
    assert ann.room.table.number == 2
    assert [user.name for user in ann.room.seated] == ["Ben", "Cyd"]
    assert ann.user.seat is None


def test_a_person_plays_against_engines_but_engines_alone_do_not() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", wish=RoomWish("door", 3, 3, players=2, bots=3), ready=False)
    wait(hub, 10)
    assert not ann.room.table.running
    ann.do(Ready())
    wait(hub, 3)
    assert [user.is_person for user in ann.room.seated] == [True, False]
    assert ann.events()[0].seats[1].kind is Kind.ENGINE  # type: ignore[union-attr]
    while ann.room.table.running:
        ann.do(Play(ann.room.table.position.legal()[0]))
    assert isinstance(ann.events()[-1], Finished)


def test_game_waits_for_as_many_as_the_door_says() -> None:
    hub, _ = open_hub()
    wish = RoomWish("door", 3, 3, ready=3)
    ann, _ = come(hub, "Ann", "Ben", wish=wish)
    wait(hub, 10)
    assert not ann.room.table.running
    come(hub, "Cyd", wish=wish)
    wait(hub, 3)
    assert ann.room.table.running


def test_game_begins_when_the_house_takes_games_again() -> None:
    hub, _ = open_hub()
    ann, _ = come(hub, "Ann", "Ben")
    wait(hub, 1)
    hub.refusing = Refusal.LOG_DOWN
    wait(hub, 5)
    assert not ann.room.table.running
    assert ann.do(AskStart()).refusal() == "LOG_DOWN"
    hub.refusing = None
    wait(hub, 5)
    assert ann.room.table.running


@pytest.mark.parametrize(("feature", "different"), [("random-order", "order"), ("random-start", "first")])
def test_dice_decide_the_order_or_who_begins_where_that_is_on(feature: str, different: str) -> None:
    orders, firsts = set(), set()
    for seed in range(12):
        hub, _ = open_hub(seed)
        people = come(hub, "Ann", "Ben", "Cyd", wish=RoomWish("door", 3, 3, features=frozenset({feature})))
        wait(hub, 3)
        orders.add(tuple(person.seat for person in people))
        firsts.add(people[0].events()[1].first)  # type: ignore[union-attr]
    assert (len(orders) > 1) == (different == "order")
    assert firsts == ({0, 1, 2} if different == "first" else {0})


# --- leaving a game and taking part ------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [StandUp(), Resign()])
def test_player_who_stands_up_watches_and_the_turn_passes(command: Command) -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    ann.do(Play("h 0 0"))
    ben.do(command)
    assert ann.events()[-1] == ben.events()[-1] == Left(1)
    assert (ben.user.playing, ben.user.seat) == (False, None)
    assert cyd.do(Play("h 1 0")).refusal() == ""
    assert ben.events()[-1] == ann.events()[-1]
    assert ben.do(StandUp()).refusal() == "NOT_SEATED"


def test_game_is_over_when_fewer_than_two_are_left() -> None:
    hub, _, (ann, ben) = playing("Ann", "Ben")
    ann.do(StandUp())
    assert ben.events()[-1] == Finished((1,), (0, 0), Reason.ABANDONED)
    assert ben.announcements()[-2] == "Ben wins: Ann 0, Ben 0."
    wait(hub, 3)
    assert ann.room.table.number == 2
    assert ann.user.playing


def test_place_of_a_leaver_may_be_taken_and_comes_last_in_the_order() -> None:
    hub, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    dan, eve = come(hub, "Dan", "Eve")
    assert dan.do(TakePart()).refusal() == "TABLE_FULL"
    ben.do(StandUp())
    dan.do(TakePart())
    assert ann.events()[-1] == Joined(3, "Dan", "test", caps=GONE_FOR_GOOD)
    assert dan.user.playing
    assert ann.room.seated[1] is ben.user
    assert eve.do(TakePart()).refusal() == "TABLE_FULL"
    for person, move in ((ann, "h 0 0"), (cyd, "h 1 0"), (dan, "h 0 1"), (ann, "h 1 1")):
        assert person.do(Play(move)).refusal() == ""


def test_leaver_who_comes_back_has_the_old_seat_and_boxes() -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    for person, move in ((ann, "h 0 0"), (ben, "v 0 0"), (cyd, "h 0 1"), (ann, "v 1 0")):
        person.do(Play(move))
    assert ann.do(StandUp()).room.table.position.scores() == (1, 0, 0)  # type: ignore[union-attr]
    ann.do(TakePart())
    assert ann.user.seat == 0
    assert ann.do(TakePart()).refusal() == "ALREADY_SEATED"
    assert ann.room.table.position.scores() == (1, 0, 0)  # type: ignore[union-attr]
    for person, move in ((ben, "v 2 0"), (cyd, "h 0 2"), (ann, "v 0 1")):
        assert person.do(Play(move)).refusal() == ""


def test_taking_part_without_a_game_is_being_ready_for_the_next() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", ready=False)
    ann.do(TakePart())
    assert ann.user.ready
    assert ann.do(StandUp()).refusal() == "NOT_PLAYING"


# --- asking -----------------------------------------------------------------------------------------------------------


def test_game_begins_when_all_have_asked() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=ASK)
    wait(hub, 10)
    ann.do(AskStart()).do(AskStart())
    assert ben.announcements() == ["Ann wants to start."]
    assert not ann.room.table.running
    ben.do(AskStart())
    assert ann.room.table.running
    play_out([ann, ben])
    wait(hub, 10)
    assert not ann.room.table.running


def test_one_who_does_not_want_to_play_does_not_keep_the_others_from_it() -> None:
    hub, _ = open_hub()
    come(hub, "Cyd", wish=ASK, ready=False)
    ann, ben = come(hub, "Ann", "Ben", wish=ASK)
    everybody_says([ann, ben], AskStart())
    assert [user.name for user in ann.room.players] == ["Ann", "Ben"]


def test_being_ready_is_asking_where_there_are_no_votes() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=ASK, ready=False)
    ann.do(Ready()).do(Ready(False))
    ben.do(Ready())
    assert not ann.room.table.running
    ann.do(Ready())
    assert ann.room.table.running


def test_being_ready_is_not_asking_where_there_are_votes() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=VOTES, ready=False)
    everybody_says([ann, ben], Ready())
    assert not ann.room.table.running


def test_game_is_stopped_when_all_players_have_asked_and_none_begins_until_somebody_moves() -> None:
    hub, _, (ann, ben) = playing("Ann", "Ben")
    (cyd,) = come(hub, "Cyd", ready=False)
    assert cyd.do(AskStop()).refusal() == "NOT_SEATED"
    ann.do(AskStop())
    assert ann.room.table.running
    ben.do(AskStop())
    assert ann.events()[-1] == Finished((), (0, 0), Reason.ABANDONED)
    wait(hub, 10)
    assert not ann.room.table.running
    assert ann.do(AskStop()).refusal() == "NOT_PLAYING"
    ann.do(AskStart())
    wait(hub, 3)
    assert ann.room.table.running


def test_wish_comes_true_when_the_last_who_had_another_leaves() -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd")
    everybody_says([ann, ben], AskStop())
    cyd.do(Leave())
    assert not ann.room.table.running


def test_new_game_replaces_the_running_one_when_all_players_ask() -> None:
    _, log, (ann, ben) = playing("Ann", "Ben", wish=ASK)
    ann.do(Play("h 0 0"))
    everybody_says([ann, ben], AskStart())
    assert ann.room.table.number == 2
    assert ann.room.table.moves == []
    assert [type(record.event) for record in log.records[1]][-3:] == [Finished, Arranged, Started]


def test_size_changes_at_once_in_the_lobby_and_after_the_game_while_one_runs() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=ASK)
    everybody_says([ann, ben], AskSize(4, 2))
    assert ben.news()[-1] == Resized(4, 2)
    assert ann.room.size == (4, 2)
    everybody_says([ann, ben], AskStart())
    everybody_says([ann, ben], AskSize(2, 3))
    assert ben.news()[-1] == Resized(4, 2)
    assert ann.room.size == (4, 2)
    everybody_says([ann, ben], AskStop())
    assert ben.news()[-1] == Resized(2, 3)
    everybody_says([ann, ben], AskStart())
    assert ann.room.table.settled == {"width": 2, "height": 3, "players": 2}
    assert ann.do(AskSize(1, 1)).refusal() == "BAD_OPTIONS"


def test_players_who_want_different_sizes_get_neither() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=ASK)
    ann.do(AskSize(4, 4))
    ben.do(AskSize(5, 5))
    assert ann.room.size == (3, 3)
    ann.do(AskSize(5, 5))
    assert ann.room.size == (5, 5)


def test_bots_come_and_go_when_all_ask() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", wish=ASK)
    ann.do(AskBots(2, "easy"))
    assert [(user.name, user.ready, user.who.level) for user in ann.room.users.values()][1:] == [
        ("Bot 2", True, "easy"),
        ("Bot 3", True, "easy"),
    ]
    ann.do(AskStart())
    assert len(ann.room.players) == 3
    ann.do(AskBots(0))
    assert [user.name for user in ann.room.users.values()] == ["Ann"]
    assert not ann.room.table.running
    assert ann.do(AskBots(16)).refusal() == ann.do(AskBots(1, "genius")).refusal() == "BAD_OPTIONS"


# --- votes -----------------------------------------------------------------------------------------------------------


def test_majority_decides_at_once_and_the_vote_is_closed_after_its_effect() -> None:
    hub, _ = open_hub()
    ann, ben, cyd = come(hub, "Ann", "Ben", "Cyd", wish=VOTES)
    cyd.heard.clear()
    ann.do(Propose("restart"))
    assert cyd.heard == [VoteOpened("restart", (), ann.user)]
    ann.do(Vote(True))
    assert not ann.room.table.running
    ben.do(Vote(True))
    assert [type(told).__name__ for told in cyd.heard][1:] == ["Announced", "Record", "Record", "VoteClosed"]
    assert cyd.heard[-1] == VoteClosed("restart", True)
    assert ann.room.ballot is None
    assert cyd.do(Vote(True)).refusal() == "NO_BALLOT"


def test_vote_fails_after_half_a_minute() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=VOTES)
    ann.do(Propose("restart")).do(Vote(True))
    wait(hub, 29.75)
    assert ann.room.ballot is not None
    assert ben.do(Propose("shuffle")).refusal() == "BALLOT_OPEN"
    wait(hub, 0.25)
    assert ben.heard[-1] == VoteClosed("restart", False)
    ann.do(Propose("shuffle"))
    wait(hub, 29.75)
    assert ann.room.ballot is not None


def test_only_those_vote_who_were_there_and_can() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", wish=VOTES)
    old = Person(hub, "Old").do(Enter(VOTES, "Old"))
    assert old.do(Propose("restart")).refusal() == "NO_VOTE"
    ann.do(Propose("restart"))
    (late,) = come(hub, "Late", wish=VOTES)
    assert late.do(Vote(False)).refusal() == old.do(Vote(False)).refusal() == "NO_VOTE"
    ann.do(Vote(True))
    assert len(ann.room.players) == 3


def test_leaver_no_longer_counts() -> None:
    hub, _ = open_hub()
    ann, ben = come(hub, "Ann", "Ben", wish=VOTES)
    ann.do(Propose("shuffle")).do(Vote(True))
    ben.do(Vanish())
    assert ann.heard[-1] == VoteClosed("shuffle", True)


def test_vote_stops_the_game() -> None:
    _, _, (ann, ben) = playing("Ann", "Ben", wish=VOTES)
    ann.do(Propose("lobby"))
    everybody_says([ann, ben], Vote(True))
    assert not ann.room.table.running
    assert ann.do(Propose("lobby")).refusal() == "NOT_PLAYING"


def test_vote_shuffles_the_next_game_and_only_that() -> None:
    moved = 0
    for seed in range(8):
        hub, _ = open_hub(seed)
        people = come(hub, "Ann", "Ben", "Cyd", wish=VOTES)
        people[0].do(Propose("shuffle"))
        everybody_says(people[:2], Vote(True))
        everybody_says(people, AskStart())
        moved += [person.seat for person in people] != [0, 1, 2]
        everybody_says(people, AskStart())
        assert [person.seat for person in people] == [0, 1, 2]
    assert moved


def test_vote_sends_a_user_away() -> None:
    _, _, (ann, ben, cyd) = playing("Ann", "Ben", "Cyd", wish=VOTES)
    leaver = cyd.user
    ann.do(Propose("kick", ("3", "too", "loud")))
    everybody_says([ann, ben], Vote(True))
    assert cyd.heard[-1] == Kicked("too loud")
    assert cyd.table is None
    assert UserWent(leaver) in ann.heard
    assert ann.events()[-1] == Left(2, Gone.SENT_AWAY)
    assert ann.heard[-1] == VoteClosed("kick", True)


def test_vote_on_somebody_who_has_gone_meanwhile_changes_nothing() -> None:
    hub, _ = open_hub()
    ann, ben, cyd, dan = come(hub, "Ann", "Ben", "Cyd", "Dan", wish=VOTES)
    ann.do(Propose("kick", ("4",)))
    dan.do(Leave())
    everybody_says([ann, ben], Vote(True))
    assert ann.announcements()[-1] == Refusal.NO_SUCH_USER.value
    assert len(cyd.room.users) == 3


@pytest.mark.parametrize("feature", ["chat", "vote", "random-start", "random-order"])
def test_vote_switches_features(feature: str) -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", wish=VOTES)
    ann.do(Propose("disable", (feature,))).do(Vote(True))
    assert FeatureSet(feature, False) in ann.heard
    assert feature not in ann.room.features
    if feature == "vote":
        assert ann.do(Propose("enable", (feature,))).refusal() == "VOTE_OFF"
    else:
        ann.do(Propose("enable", (feature,))).do(Vote(True))
        assert feature in ann.room.features


@pytest.mark.parametrize(
    ("what", "arguments", "why"),
    [
        ("dance", (), "NO_SUCH_VOTE"),
        ("rematch", (), "NO_SUCH_VOTE"),
        ("enable", (), "NO_SUCH_VOTE"),
        ("disable", ("gravity",), "NO_SUCH_VOTE"),
        ("kick", (), "NO_SUCH_USER"),
        ("kick", ("7",), "NO_SUCH_USER"),
        ("kick", ("-1",), "NO_SUCH_USER"),
        ("kick", ("²",), "NO_SUCH_USER"),
        ("lobby", (), "NOT_PLAYING"),
    ],
)
def test_vote_about_nothing_is_refused(what: str, arguments: tuple[str, ...], why: str) -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", wish=VOTES)
    assert ann.do(Propose(what, arguments)).refusal() == why
    assert ann.room.ballot is None


def test_vote_for_a_game_with_too_few_says_why_none_begins() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann", wish=VOTES)
    ann.do(Propose("restart")).do(Vote(True))
    assert ann.announcements() == ["The vote for a game has passed.", "It takes two to play."]


def test_votes_are_refused_where_they_are_off() -> None:
    hub, _ = open_hub()
    (ann,) = come(hub, "Ann")
    assert ann.do(Propose("restart")).refusal() == "VOTE_OFF"
    assert ann.do(Vote(True)).refusal() == "NO_BALLOT"


# --- many ------------------------------------------------------------------------------------------------------------


def test_one_object_is_told_to_all_five_hundred_so_that_it_can_be_spelled_once() -> None:
    hub, _ = open_hub()
    people = come(hub, *(f"P{number}" for number in range(500)), wish=RoomWish("door", 3, 3, players=2))
    wait(hub, 3)
    people[0].do(Play("h 0 0"))
    assert len({id(person.heard[-1]) for person in people}) == 1
    people[499].do(Say("hello"))
    assert len({id(person.heard[-1]) for person in people}) == 1
