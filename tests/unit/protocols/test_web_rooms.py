"""Browsers in rooms with a line: any number of people come, so many of them play, and the others wait their turn."""

from random import Random

import pytest

from parlour.core.table.table import Table
from parlour.registry import games
from tests.browsers import Browser
from tests.ggz import Person
from tests.world import World

SOON = 4
"""Seconds in which a game that can begin has begun."""


def table_of(browser: Browser) -> Table:
    return browser.world.hub.tables[browser.table]


def room(world: World, rotation: str, *names: str, game: str = "noughts", **fields: object) -> list[Browser]:
    """So many people in a room, of whom the first opened it; the first game has begun."""
    first = Browser(world, names[0]).open(game, "invite", room=rotation, **fields)
    people = [first, *(Browser(world, name).sit(first.table) for name in names[1:])]
    world.advance(SOON)
    return people


def line(browser: Browser) -> list[str]:
    """Who waits for the next game, as the page shows it while one runs."""
    return [user["name"] for user in browser.last("room")["room"]["users"] if user["ready"] and user["seat"] is None]


def players(browser: Browser) -> list[str]:
    return [member.name for member in table_of(browser).players()]


def win(people: list[Browser], name: str) -> None:
    """Play a game of noughts that the player of this name wins; the next one has begun then."""
    table = table_of(people[0])
    moves = {True: iter(("a1", "a2", "a3")), False: iter(("b1", "b2", "c1"))}
    seats = {browser.seat: browser for browser in people if browser.seat is not None}
    while table.running:
        assert table.position is not None
        member = table.seats[table.position.turn]
        assert member is not None
        seats[table.position.turn].play(next(moves[member.name == name]))
    people[0].world.advance(SOON)


def draw(people: list[Browser]) -> None:
    people[0].say("offer", table=people[0].table, what="draw")
    for browser in people:
        browser.say("offer", table=browser.table, what="draw", yes=True)
    people[0].world.advance(SOON)


# --- the line ---------------------------------------------------------------------------------------------------------


def test_winner_stays_and_the_loser_goes_to_the_end_of_the_line() -> None:
    people = room(World(), "winner-stays", "Ann", "Bob", "Cat")
    ann, bob, cat = people
    assert players(ann) == ["Ann", "Bob"]
    assert line(cat) == ["Cat"]
    win(people, "Ann")
    assert players(ann) == ["Ann", "Cat"]
    assert [browser.seat for browser in people] == [0, None, 1]
    assert line(ann) == line(bob) == ["Bob"]
    win(people, "Cat")
    assert players(ann) == ["Cat", "Bob"]
    assert line(ann) == ["Ann"]
    assert [browser.last("room")["room"]["rotation"] for browser in people] == ["winner-stays"] * 3


def test_all_rotate() -> None:
    people = room(World(), "all", "Ann", "Bob", "Cat", "Dan")
    assert line(people[0]) == ["Cat", "Dan"]
    win(people, "Ann")
    assert players(people[0]) == ["Cat", "Dan"]
    assert line(people[0]) == ["Ann", "Bob"]


def test_who_came_first_plays_on_where_the_line_does_not_move() -> None:
    people = room(World(), "arrival", "Ann", "Bob", "Cat")
    win(people, "Bob")
    assert players(people[0]) == ["Ann", "Bob"]
    assert people[0].last("room")["room"]["rotation"] == ""
    people[0].say("leave", table=people[0].table)
    people[0].world.advance(SOON)
    assert players(people[1]) == ["Bob", "Cat"]


def test_nobody_stays_after_a_draw() -> None:
    people = room(World(), "winner-stays", "Ann", "Bob", "Cat")
    draw(people[:2])
    assert players(people[0]) == ["Cat", "Ann"]
    assert line(people[0]) == ["Bob"]


def test_players_of_a_room_resign_as_at_any_table() -> None:
    people = room(World(), "winner-stays", "Ann", "Bob", "Cat")
    people[0].say("resign", table=people[0].table)
    over = next(m["event"] for m in people[2].all("record") if m["event"]["type"] == "finished")
    assert (over["reason"], over["winners"]) == ("resigned", [1])
    people[0].world.advance(SOON)
    assert players(people[0]) == ["Bob", "Cat"]
    assert line(people[1]) == ["Ann"]


def test_between_games_the_line_is_told_in_its_order() -> None:
    world = World()
    people = room(world, "winner-stays", "Ann", "Bob", "Cat")
    people[1].say("resign", table=people[0].table)
    told = people[2].last("room")["room"]
    assert [user["name"] for user in told["users"]] == ["Ann", "Cat", "Bob"]
    assert told["seats"] == 2


def test_who_is_not_ready_is_passed_over_and_keeps_the_place() -> None:
    people = room(World(), "winner-stays", "Ann", "Bob", "Cat", "Dan")
    people[2].say("ready", table=people[0].table, yes=False)
    assert line(people[0]) == ["Dan"]
    people[2].say("ready", table=people[0].table, yes=True)
    assert line(people[0]) == ["Cat", "Dan"]
    people[2].say("ready", table=people[0].table, yes=False)
    win(people, "Ann")
    assert players(people[0]) == ["Ann", "Dan"]


def test_who_has_lost_the_connection_is_passed_over_and_comes_back_to_the_line() -> None:
    people = room(World(), "winner-stays", "Ann", "Bob", "Cat", "Dan")
    people[2].heard()
    people[2].wire.reset()
    win(people, "Ann")
    assert players(people[0]) == ["Ann", "Dan"]
    cat = people[2].back()
    win([people[0], cat, people[3]], "Dan")
    assert players(people[0]) == ["Cat", "Dan"]


def test_line_is_the_same_after_a_crash() -> None:
    before = room(World(), "winner-stays", "Ann", "Bob", "Cat")
    win(before, "Bob")
    assert players(before[0]) == ["Bob", "Cat"]
    world = World(seed=1)
    world.store.log = list(before[0].world.store.log)
    world.house.restore()
    world.run()
    after = []
    for browser in before:
        browser.heard()
        browser.world = world
        after.append(browser.back())
    assert players(after[0]) == ["Bob", "Cat"]
    assert line(after[0]) == ["Ann"]
    win(after, "Cat")
    assert players(after[0]) == ["Cat", "Ann"]


# --- who begins -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["noughts", "connect4"])
def test_players_take_turns_at_beginning(game: str) -> None:
    world = World()
    people = room(world, "arrival", "Ann", "Bob", game=game)
    began = []
    for _ in range(4):
        table = table_of(people[0])
        assert table.position is not None
        member = table.seats[table.position.turn]
        assert member is not None
        began.append(member.name)
        people[0].say("resign", table=table.id)
        world.advance(SOON)
    assert began == ["Ann", "Bob", "Ann", "Bob"]


def test_winner_of_connect_four_does_not_begin_every_game() -> None:
    world = World()
    people = room(world, "winner-stays", "Ann", "Bob", "Cat", game="connect4")
    people[1].say("resign", table=people[0].table)
    world.advance(SOON)
    assert players(people[0]) == ["Cat", "Ann"]
    assert people[0].seat == 1


# --- which room -------------------------------------------------------------------------------------------------------


def test_those_who_want_anyone_meet_in_one_room_and_others_have_their_own() -> None:
    world = World()
    wish = {"game": "noughts", "room": "all"}
    ann, bob = (Browser(world, name).say("open", opponent="human", **wish) for name in ("Ann", "Bob"))
    for browser in (ann, bob):
        browser.heard()
    assert ann.table == bob.table
    cat = Browser(world, "Cat").open(opponent="invite", **wish)
    dan = Browser(world, "Dan").open("noughts", "human", room="winner-stays")
    assert len({ann.table, cat.table, dan.table}) == 3


def test_engine_in_a_room_takes_its_turn_and_leaves_no_game_to_engines() -> None:
    world = World()
    ann = Browser(world, "Ann").open("noughts", "engine", level="easy", room="all")
    world.advance(SOON)
    assert players(ann) == ["Ann", "Parlour (easy)"]
    ann.say("resign", table=ann.table)
    world.advance(SOON)
    assert players(ann) == ["Ann", "Parlour (easy)"]
    bob = Browser(world, "Bob").sit(ann.table)
    ann.say("resign", table=ann.table)
    world.advance(SOON)
    assert players(ann) == ["Bob", "Ann"]
    assert bob.seat == 0


def test_rotation_that_there_is_not_is_refused() -> None:
    world = World()
    assert Browser(world).why("open", game="noughts", opponent="invite", room="loser-stays") == "bad-options"
    assert Browser(world).why("open", game="noughts", opponent="invite", room="all", seats=3) == "bad-options"
    assert not world.tables


def test_more_than_two_may_play_where_the_game_is_for_more() -> None:
    small = {"width": 3, "height": 3}
    people = room(World(), "all", "Ann", "Bob", "Cat", "Dan", game="dots", options=small, seats=3)
    table = table_of(people[0])
    assert players(people[0]) == ["Ann", "Bob", "Cat"]
    rng = Random(1)
    while table.running:
        assert table.position is not None
        mover = next(browser for browser in people if browser.seat == table.position.turn)
        mover.play(rng.choice(table.position.legal()))
    people[0].world.advance(SOON)
    assert players(people[0]) == ["Dan", "Ann", "Bob"]


def test_room_with_a_clock() -> None:
    people = room(World(), "winner-stays", "Ann", "Bob", "Cat", clock=60, increment=1)
    assert people[0].last("record")["clock"]["left"] == [60, 60]
    people[0].world.advance(61)
    over = next(m["event"] for m in people[2].all("record") if m["event"]["type"] == "finished")
    assert (over["reason"], over["winners"]) == ("timeout", [1])


def test_lobby_offers_a_place_in_every_line() -> None:
    people = room(World(), "all", "Ann", "Bob", "Cat")
    (row,) = Browser(people[0].world).answer("lobby")[0]["tables"]
    assert row["sit"]
    assert row["room"]
    assert [seat["name"] for seat in row["seats"]] == ["Ann", "Bob"]


def test_nobody_brings_chairs_into_a_room_whose_line_moves() -> None:
    world = World()
    ann = Browser(world, "Ann").open("dots", "invite", options={"width": 3, "height": 3}, room="all")
    Person(world, "gina").arrive().join(1)
    assert table_of(ann).party.chairs == ()
    assert [member.name for member in table_of(ann).party.members.values()] == ["Ann"]


def test_spectators_of_a_room_hear_of_the_line() -> None:
    people = room(World(), "winner-stays", "Ann", "Bob", "Cat")
    watchers = [Browser(people[0].world).say("watch", table=people[0].table) for _ in range(2)]
    for watcher in watchers:
        watcher.heard()
    people[2].say("ready", table=people[0].table, yes=False)
    told = [watcher.heard() for watcher in watchers]
    assert [message["type"] for message in told[0]] == ["record", "room"]
    assert told[0] == told[1]
    assert told[0][1]["user"] is None


@pytest.mark.parametrize("game", [*games()])
def test_every_game_is_played_in_a_room_also_one_of_another_package(game: str) -> None:
    people = room(World(), "all", "Ann", "Bob", "Cat", game=game)
    table, dice = table_of(people[0]), Random(1)
    for played in (1, 2):
        assert (table.number, table.running) == (played, True)
        while table.running:
            assert table.position is not None
            turn = table.position.turn
            mover = next(browser for browser in people if browser.seat == turn)
            mover.play(dice.choice(table.position.legal()))
        people[0].world.advance(SOON)
    assert len(table.party.cast) == min(len(people), table.limit)
