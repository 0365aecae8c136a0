"""What a browser wishes for is had or refused with a word, and never something else instead."""

import pytest

from tests.browsers import Browser
from tests.netdot import Lan
from tests.world import World

SMALL = {"width": 3, "height": 3}


# --- seats ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["noughts", "connect4", "glenda", "dots"])
@pytest.mark.parametrize("opponent", ["engine", "human", "invite"])
@pytest.mark.parametrize(("seat", "why"), [(-1, "bad-message"), (2, "bad-options"), (1_000_000, "bad-options")])
def test_seat_that_the_game_does_not_have_is_refused(game: str, opponent: str, seat: int, why: str) -> None:
    world = World()
    assert Browser(world, "Ann").why("open", game=game, opponent=opponent, seat=seat) == why
    assert not world.tables
    assert not world.hub.matchmaker


def test_seat_of_a_room_is_one_of_its_seats() -> None:
    world = World()
    assert Browser(world).why("open", game="dots", opponent="invite", seats=3, seat=3) == "bad-options"
    assert Browser(world).why("open", game="dots", opponent="invite", seats=3, seat=2) == ""


@pytest.mark.parametrize("seat", [0, 1])
def test_seat_that_is_wanted_is_had(seat: int) -> None:
    ann = Browser(World(), "Ann").open("dots", "engine", options=SMALL, seat=seat)
    ann.world.advance(5)
    assert ann.seat == seat


@pytest.mark.parametrize("game", ["noughts", "dots"])
def test_nobody_sits_on_seat_minus_one(game: str) -> None:
    world = World()
    ann = Browser(world, "Ann").open(game, "invite")
    assert Browser(world, "Bob").why("sit", table=ann.table, seat=-1) == "bad-message"


# --- rooms that are full ----------------------------------------------------------------------------------------------


def room_of_three(world: World) -> list[Browser]:
    ann = Browser(world, "Ann").open("dots", "invite", options=SMALL, seats=3)
    return [ann, *(Browser(world, name).sit(ann.table) for name in ("Bob", "Cid"))]


def offered(browser: Browser) -> bool:
    """Whether the lobby says that somebody could sit down."""
    (row,) = browser.answer("lobby")[0]["tables"]
    assert isinstance(row["sit"], bool)
    return row["sit"]


@pytest.mark.parametrize("running", [False, True])
def test_full_room_takes_nobody_else_and_is_not_offered(running: bool) -> None:
    world = World()
    ann, *_ = room_of_three(world)
    if running:
        world.advance(10)
    assert world.tables[0].running == running
    dan = Browser(world, "Dan")
    assert dan.why("sit", table=ann.table) == "table-full"
    assert not offered(dan)
    assert dan.say("watch", table=ann.table).last("table")["you"] is None
    assert dan.why("sit", table=ann.table) == "table-full", "nor somebody who looks on"


def test_place_that_somebody_leaves_can_be_had() -> None:
    world = World()
    ann, bob, _ = room_of_three(world)
    dan = Browser(world, "Dan").say("watch", table=ann.table)
    bob.say("leave", table=ann.table)
    eve = Browser(world, "Eve")
    assert offered(eve)
    assert dan.why("sit", table=ann.table) == ""
    assert eve.why("sit", table=ann.table) == "table-full"
    world.advance(10)
    assert dan.seat is not None


def test_whoever_has_a_place_is_not_told_that_there_is_none() -> None:
    world = World()
    ann, *_ = room_of_three(world)
    assert ann.why("sit", table=ann.table) == ""


def test_room_of_a_door_has_room_for_many() -> None:
    lan = Lan()
    lan.join("2")
    lan.join("2")
    ann = Browser(lan.world, "Ann")
    assert offered(ann)
    assert ann.why("sit", table=lan.world.tables[0].id) == ""


# --- clocks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_clock_is_there_however_many_play(seats: int) -> None:
    world = World()
    ann = Browser(world, "Ann").open("dots", "invite", options=SMALL, seats=seats, clock=60, increment=2)
    people = [ann, *(Browser(world, f"Guest {number}").sit(ann.table) for number in range(1, seats))]
    world.advance(10)
    assert ann.last("table")["pace"] == [60, 2]
    clock = ann.last("record")["clock"]
    assert (clock["left"], clock["running"]) == ([60] * seats, 0)
    world.advance(60)
    assert all("flagged" in browser.events() for browser in people)


# --- the lobby --------------------------------------------------------------------------------------------------------


def test_lobby_counts_the_moves_that_were_made_since_somebody_asked() -> None:
    world = World()
    ann = Browser(world, "Ann").open("noughts", "invite")
    bob = Browser(world, "Bob").sit(ann.table)
    for number, (browser, move) in enumerate(((ann, "a1"), (bob, "b2"), (ann, "c3")), 1):
        browser.play(move)
        (row,) = Browser(world).answer("lobby")[0]["tables"]
        assert row["moves"] == number


def test_move_alone_is_no_change_of_the_lobby() -> None:
    world = World()
    ann = Browser(world, "Ann").open("noughts", "invite")
    bob = Browser(world, "Bob").sit(ann.table)
    cid = Browser(world, "Cid")
    cid.answer("lobby")
    ann.play("a1")
    world.advance(2)
    assert [message["type"] for message in cid.heard()] == ["lobby-moves"]
    bob.say("resign", table=ann.table)
    world.advance(2)
    assert cid.last("lobby-change")["table"]["moves"] == 1
