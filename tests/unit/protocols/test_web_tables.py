"""Browsers at tables: with engines, with each other, watching, coming back, and never losing a move."""

from random import Random

import pytest

from parlour.core.game import NOBODY
from parlour.core.table.table import Table
from parlour.core.words import Record, Started
from parlour.protocols.web import spell
from parlour.registry import games
from tests.browsers import Browser, socket
from tests.world import World

OPTIONS = {
    **{key: {} for key in games()},
    "dots": {"width": 3, "height": 3},
    "noughts": {},
    "connect4": {},
    "glenda": {"walls": "0 0;3 4"},
}
GAMES = sorted(OPTIONS)

every_game = pytest.mark.parametrize("game", GAMES)


def table_of(browser: Browser) -> Table:
    return browser.world.hub.tables[browser.table]


def play_out(browsers: list[Browser], rng: Random) -> None:
    """Whoever is on turn plays anything, until the game is over."""
    table = table_of(browsers[0])
    for _ in range(500):
        position = table.position
        if position is None or not table.running:
            return
        mover = next(browser for browser in browsers if browser.seat == position.turn)
        mover.play(rng.choice(position.legal()))
    raise AssertionError("they never stop")


def two(game: str, world: World | None = None) -> list[Browser]:
    world = world or World()
    first = Browser(world, "Ann").open(game, "invite", options=OPTIONS[game])
    return [first, Browser(world, "Bob").sit(first.table)]


# --- games ----------------------------------------------------------------------------------------------------------


@every_game
def test_browser_plays_an_engine_to_the_end_and_again(game: str) -> None:
    rng = Random(game)
    browser = Browser(World(), "Ann").open(game, options=OPTIONS[game])
    play_out([browser], rng)
    browser.say("rematch", table=browser.table, yes=True)
    play_out([browser], rng)
    assert browser.events().count("finished") == 2
    assert browser.events().count("started") == 2


@every_game
def test_two_browsers_see_the_same_game(game: str) -> None:
    browsers = two(game)
    play_out(browsers, Random(game))
    table = table_of(browsers[0])
    for browser in browsers:
        assert browser.moves == table.moves
        assert not {"started", "played", "closed"} & set(browser.events()[browser.events().index("finished") :])
        result = next(m["event"] for m in browser.all("record") if m["event"]["type"] == "finished")
        assert table.result is not None
        assert tuple(result["winners"]) == table.result.winners
    assert {browser.seat for browser in browsers} == {0, 1}


def starters(table: Table) -> list[int]:
    """Who has begun each game at this table."""
    return [record.event.first for record in table.ring if isinstance(record.event, Started)]


@pytest.mark.parametrize("opponent", ["invite", "human", "engine"])
@pytest.mark.parametrize("game", ["dots", "noughts"])
def test_players_begin_in_turns(game: str, opponent: str) -> None:
    world, rng = World(), Random(game)
    options = {"width": 2, "height": 2} if game == "dots" else {}
    browsers = [Browser(world, "Ann").open(game, opponent, options=options)]
    if opponent == "human":
        browsers.append(Browser(world, "Bob").open(game, opponent, options=options))
    elif opponent == "invite":
        browsers.append(Browser(world, "Bob").sit(browsers[0].table))
    browsers[0].heard()
    for _ in range(4):
        play_out(browsers, rng)
        for browser in browsers:
            browser.say("rematch", table=browser.table, yes=True)
    assert starters(table_of(browsers[0])) == [0, 1, 0, 1, 0]


def change_seats(world: World) -> list[Browser]:
    """Two who have begun another game of Connect Four."""
    browsers = two("connect4", world)
    browsers[0].say("resign", table=browsers[0].table)
    for browser in browsers:
        browser.heard()
        browser.say("rematch", table=browser.table, yes=True)
    return browsers


def test_players_of_connect_four_change_seats_for_a_rematch() -> None:
    browsers = change_seats(World())
    assert [browser.seat for browser in browsers] == [1, 0]
    for browser in browsers:
        told = [m["event"]["type"] if m["type"] == "record" else m["type"] for m in browser.everything]
        assert told[-3:] == ["arranged", "you", "started"]
    assert starters(table_of(browsers[0])) == [0, 0]


def test_player_who_comes_back_is_told_that_the_seats_were_changed() -> None:
    ann, _ = change_seats(World())
    ann.heard()
    ann.wire.reset()
    back = ann.back(since=1)
    assert back.all("table") == []
    assert back.seat == 1
    again = back.back()
    assert again.all("you") == []


def test_three_begin_in_turns() -> None:
    world, rng = World(), Random(3)
    first = Browser(world, "Ann").open("dots", "invite", options={"width": 2, "height": 2}, seats=3)
    browsers = [first, *(Browser(world, name).sit(first.table) for name in ("Bob", "Cid"))]
    for _ in range(4):
        world.advance(6)
        play_out(browsers, rng)
    assert starters(table_of(first)) == [0, 1, 2, 0]


@pytest.mark.parametrize("game", ["noughts", "dots"])
def test_who_begins_next_is_known_after_a_restart(game: str) -> None:
    before = two(game)
    play_out(before, Random(1))
    back = after_a_crash(before)
    assert not table_of(back[0]).running
    for browser in back:
        browser.say("rematch", table=browser.table, yes=True)
    assert table_of(back[0]).running
    assert starters(table_of(back[0])) == [0, 1]


@every_game
def test_two_who_want_the_same_meet(game: str) -> None:
    world = World()
    first, second = (Browser(world, name).open(game, "human", options=OPTIONS[game]) for name in ("Ann", "Bob"))
    first.heard()
    assert first.table == second.table
    assert table_of(first).running
    names = [seat.name for seat in table_of(first).seats if seat is not None]
    assert sorted(names) == ["Ann", "Bob"]


def test_boards_of_different_sizes_do_not_meet_and_invited_tables_are_not_taken() -> None:
    world = World()
    size = {"width": 4, "height": 4}
    invited = Browser(world).open("dots", "invite", options=size)
    small = Browser(world).open("dots", "human", options=size)
    large = Browser(world).open("dots", "human", options={"width": 5, "height": 4})
    assert len({invited.table, small.table, large.table}) == 3


def test_queue_can_be_left() -> None:
    world = World()
    browser = Browser(world).open("noughts", "human", id="x")
    assert browser.last("waiting") == {"type": "waiting", "game": "noughts"}
    assert browser.answer("leave") == [{"type": "left", "table": ""}]
    assert len(world.hub.matchmaker) == 0
    assert browser.open("noughts").table


@pytest.mark.parametrize("seats", [3, 4, 16])
def test_dots_for_many_with_engines_begins_after_a_countdown(seats: int) -> None:
    world = World()
    browser = Browser(world, "Ann").open("dots", seats=seats, options={"width": 3, "height": 3}, level="easy")
    world.advance(4)
    assert table_of(browser).running
    assert len(table_of(browser).seats) == seats
    assert browser.seat == 0
    play_out([browser], Random(1))
    assert "finished" in browser.events()


def test_dots_for_three_people_begins_when_all_are_there_or_all_there_ask() -> None:
    world = World()
    first = Browser(world, "Ann").open("dots", "invite", seats=3, options={"width": 3, "height": 3})
    second = Browser(world, "Bob").sit(first.table)
    world.advance(10)
    assert not table_of(first).running
    first.say("start", table=first.table)
    second.say("start", table=first.table)
    assert table_of(first).running
    third = Browser(world, "Cat").sit(first.table)
    assert third.seat is None
    play_out([first, second], Random(2))
    world.advance(4)
    assert table_of(first).running
    assert third.seat == 2


def test_resigning_ends_a_game_for_two_in_a_room_too() -> None:
    for game in ("noughts", "dots"):
        first, second = two(game)
        first.say("resign", table=first.table)
        over = next(m["event"] for m in second.all("record") if m["event"]["type"] == "finished")
        assert (over["reason"], over["winners"]) == ("resigned", [second.seat])


def test_standing_up_from_a_game_of_many_lets_the_others_play_on() -> None:
    world = World()
    first = Browser(world, "Ann").open("dots", "invite", seats=3, options={"width": 3, "height": 3})
    others = [Browser(world, name).sit(first.table) for name in ("Bob", "Cat")]
    world.advance(4)
    first.say("resign", table=first.table)
    assert first.seat is None
    assert table_of(first).running
    play_out(others, Random(3))
    assert "finished" in first.events()


def test_rematch_on_another_board() -> None:
    browsers = two("dots")
    play_out(browsers, Random(4))
    browsers[0].say("board", table=browsers[0].table, width=2, height=4)
    for browser in browsers:
        browser.say("rematch", table=browser.table)
    assert table_of(browsers[0]).running
    assert browsers[1].all("record")[-1]["event"]["options"]["height"] == 4


def test_no_rematch_closes_a_plain_table() -> None:
    browsers = two("noughts")
    table = browsers[0].table
    play_out(browsers, Random(5))
    browsers[0].say("rematch", table=table, yes=False)
    assert [browser.last("left")["table"] for browser in browsers] == [table, table]
    assert browsers[1].open("noughts").table != table


def test_bots_come_when_all_want_them_and_go_again() -> None:
    world = World()
    browser = Browser(world).open("dots", "invite", seats=3)
    browser.say("bots", table=browser.table, count=2, level="easy")
    assert [user["kind"] for user in browser.last("room")["room"]["users"]] == ["person", "engine", "engine"]
    assert browser.why("bots", table=browser.table, count=99) == "bad-options"


# --- chat -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["noughts", "dots"])
def test_chat_reaches_everybody_at_the_table(game: str) -> None:
    first, second = two(game)
    watcher = Browser(first.world, "Wim").say("watch", table=first.table)
    first.say("say", table=first.table, text=" hi\nthere\u202e ")
    watcher.say("say", table=first.table, text="psst")
    for browser in (first, second, watcher):
        assert [(m["name"], m["text"]) for m in browser.all("said")] == [("Ann", "hi there"), ("Wim", "psst")]
    assert second.last("said")["seat"] is None
    assert first.answer("say", table=first.table, text="  ") == []


# --- watching ---------------------------------------------------------------------------------------------------------


@every_game
def test_spectator_sees_the_board_and_every_move_by_the_same_frame(game: str) -> None:
    first, second = two(game)
    rng = Random(6)
    table = table_of(first)
    assert table.position is not None
    watchers = [socket(first.world, {"type": "watch", "table": first.table}) for _ in range(3)]
    assert all(b'"you":null' in wire.take() for wire in watchers)
    mover = first if table.position.turn == first.seat else second
    mover.play(rng.choice(table.position.legal()))
    records = [wire.transport.writes[-1] for wire in watchers]
    assert b'"type":"played"' in records[0]
    assert records[0] is records[1] is records[2]
    late = Browser(first.world).say("watch", table=first.table)
    assert late.last("table")["state"]["moves"] == table.moves
    assert late.why("play", table=first.table, move="a1") == "not-seated"


@every_game
def test_every_record_is_encoded_once_for_all_who_hear_it(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = two(game)
    watchers = [Browser(first.world).say("watch", table=first.table) for _ in range(20)]
    encoded: list[int] = []
    spell_record = spell.record

    def counted(table: Table, record: Record) -> bytes:
        encoded.append(record.seq)
        return spell_record(table, record)

    monkeypatch.setattr(spell, "record", counted)
    first.say("resign", table=first.table)
    second.say("leave", table=second.table)
    assert len(encoded) == len(set(encoded)) >= 3
    heard = [[message["seq"] for message in watcher.all("record")] for watcher in watchers]
    assert all(numbers == heard[0] for numbers in heard)
    assert set(encoded) <= set(heard[0])


@pytest.mark.parametrize("game", ["noughts", "dots"])
def test_spectator_takes_an_empty_seat(game: str) -> None:
    world = World()
    first = Browser(world, "Ann").open(game, "invite", options=OPTIONS[game])
    second = Browser(world, "Bob")
    second.say("watch", table=first.table).say("sit", table=first.table)
    assert second.seat == 1
    assert table_of(first).running
    assert second.why("sit", table=first.table) == "already-seated"


@pytest.mark.parametrize("game", ["noughts", "dots"])
def test_spectators_are_counted_now_and_then_and_not_named(game: str) -> None:
    world = World()
    first = Browser(world, "Ann").open(game, options=OPTIONS[game])
    first.heard()
    for _ in range(20):
        Browser(world).say("watch", table=first.table)
    assert first.heard() == []
    world.advance(1.5)
    assert first.heard() == [{"type": "watchers", "table": first.table, "count": 20}]
    assert first.answer("show", table=first.table)[0]["watchers"] == 20


def test_show_tells_the_table_again() -> None:
    browser = Browser(World()).open("noughts")
    browser.play("b2")
    shown = browser.answer("show", table=browser.table)[0]
    assert shown["state"]["moves"] == browser.moves
    assert shown["you"] == 0
    assert "token" not in shown


# --- a server that was killed -----------------------------------------------------------------------------------------


def after_a_crash(before: list[Browser]) -> list[Browser]:
    """The same people on new connections to a server that has read the log."""
    world = World(seed=1)
    world.store.log = list(before[0].world.store.log)
    world.house.restore()
    world.run()
    after = []
    for browser in before:
        browser.heard()
        browser.world = world
        back = browser.back()
        back.everything = browser.everything + back.everything[1:]
        after.append(back)
    return after


@every_game
def test_game_goes_on_after_a_crash_with_every_move(game: str) -> None:
    before = two(game)
    rng = Random(11)
    table = table_of(before[0])
    for number in range(3):
        assert table.position is not None
        mover = next(browser for browser in before if browser.seat == table.position.turn)
        mover.play(rng.choice(table.position.legal()), f"before {number}")
    after = after_a_crash(before)
    for back in after:
        assert back.moves == table.moves
        again = [m["type"] for m in back.answer("play", table=back.table, move="?", id="before 0")]
        assert again in (["record"], ["refused"])
    assert table_of(after[0]) is not table
    play_out(after, rng)
    assert after[0].moves[:3] == table.moves
    assert "finished" in after[0].events()


# --- leaving ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["noughts", "dots"])
def test_leaving_is_told_and_the_lobby_goes_on(game: str) -> None:
    first, second = two(game)
    first.say("lobby")
    table = first.table
    told = first.answer("leave", table=table)
    assert {"type": "left", "table": table} in told
    assert "left" in second.events()
    Browser(first.world).open("connect4")
    first.world.advance(1)
    assert first.last("lobby-change")["table"]["game"] == "connect4"
    assert first.open("noughts").last("table")["table"] != table


# --- never lose a move ------------------------------------------------------------------------------------------------


@every_game
def test_same_play_is_answered_and_not_made_twice(game: str) -> None:
    browsers = two(game)
    table = table_of(browsers[0])
    assert table.position is not None
    mover = next(browser for browser in browsers if browser.seat == table.position.turn)
    move = table.position.legal()[0]
    once, twice = mover.play(move, "same"), mover.play(move, "same")
    assert twice == [message for message in once if message.get("id") == "same"]
    assert len(table.moves) == 1


def test_ids_of_two_players_do_not_get_in_each_others_way() -> None:
    first, second = two("noughts")
    first.play("a1", "1")
    second.play("a2", "1")
    assert table_of(first).moves == ["a1", "a2"]


@every_game
def test_player_comes_back_and_is_told_what_was_missed(game: str) -> None:
    browsers = two(game)
    table = table_of(browsers[0])
    rng = Random(7)
    assert table.position is not None
    mover = next(browser for browser in browsers if browser.seat == table.position.turn)
    other = next(browser for browser in browsers if browser is not mover)
    other.heard()
    other.wire.reset()
    mover.play(rng.choice(table.position.legal()))
    assert "held" in mover.events()
    back = other.back()
    other.everything += back.everything[1:]
    assert other.moves == table.moves
    assert back.seat == other.seat or back.seat is None
    assert "resumed" in mover.events()
    if table.position.turn == other.seat:
        assert back.play(table.position.legal()[0])[0]["event"]["type"] == "played"


def test_move_sent_again_after_coming_back_is_confirmed() -> None:
    first, second = two("noughts")
    first.play("a1", "mine")
    second.play("b2")
    first.wire.reset()
    back = first.back(since=3)
    played = [m["event"]["move"] for m in back.all("record") if m["event"]["type"] == "played"]
    assert played == ["a1", "b2"]
    (again,) = back.play("a1", "mine")
    assert (again["id"], again["event"]["move"]) == ("mine", "a1")
    assert table_of(second).moves == ["a1", "b2"]


def test_player_who_comes_back_too_late_to_be_told_all_gets_the_table() -> None:
    first, _ = two("noughts")
    del table_of(first).ring[0]
    first.wire.reset()
    back = first.back(since=0)
    assert back.last("table")["you"] == first.seat
    assert "token" not in back.last("table")
    assert back.all("record") == []


@pytest.mark.parametrize("game", ["noughts", "dots"])
def test_second_connection_takes_the_seat_from_the_first(game: str) -> None:
    first, second = two(game)
    back = first.back()
    assert first.last("left")["why"] == "seat-taken"
    assert not first.wire.closed
    table = table_of(second)
    assert table.position is not None
    mover = back if table.position.turn == 0 else second
    assert mover.play(table.position.legal()[0])[0]["type"] == "record"


@pytest.mark.parametrize("game", ["noughts", "dots"])
def test_wrong_token_opens_no_seat(game: str) -> None:
    first, _ = two(game)
    assert Browser(first.world).why("resume", table=first.table, token="wrong") == "bad-token"


@pytest.mark.parametrize("game", ["noughts", "dots"])
def test_seat_is_given_up_when_nobody_comes_back(game: str) -> None:
    first, second = two(game)
    first.wire.reset()
    first.world.advance(61)
    assert "left" in second.events()
    assert Browser(first.world).why("resume", table=first.table, token=first.token) == "seat-given-up"


def test_tokens_and_their_digests_are_told_to_nobody_else() -> None:
    world = World()
    for game in ("noughts", "dots"):
        first, second = two(game, world)
        table = table_of(first)
        keys = [seat.token_digest for seat in table.seats if seat is not None]
        heard = repr(second.everything) + repr(Browser(world).say("watch", table=first.table).heard())
        assert first.token
        assert first.token not in heard
        assert all(key and key not in heard + repr(first.everything) for key in keys)


def test_show_tells_how_many_watch_now() -> None:
    browser = Browser(World()).open("noughts")
    Browser(browser.world).say("watch", table=browser.table)
    assert browser.last("table")["watchers"] == 0
    assert browser.answer("show", table=browser.table)[0]["watchers"] == 1


def test_nobody_is_on_turn_when_nobody_plays() -> None:
    browser = Browser(World()).open("noughts", "invite")
    assert browser.last("table")["state"]["turn"] == NOBODY
