"""Offers and clocks as browsers say and hear them, with whoever sits opposite."""

from random import Random

import pytest

from parlour.core.table.table import Table
from parlour.protocols.web.answers import State, TableSnapshot
from parlour.protocols.web.sight import Sight
from parlour.registry import games
from tests.browsers import Browser, Json
from tests.netdot import Lan
from tests.visitor import Meeting, Visitor
from tests.world import World

SMALL = {"dots": {"width": 4, "height": 4}, "noughts": {}, "connect4": {}, "glenda": {"walls": "0 0"}}

QUEUE = {"nettoe": "noughts", "c4n": "connect4", "glendy": "glenda"}

every_game = pytest.mark.parametrize("game", sorted(SMALL))


def table_of(browser: Browser) -> Table:
    return browser.world.hub.tables[browser.table]


def two(game: str, **fields: object) -> list[Browser]:
    world = World()
    first = Browser(world, "Ann").open(game, "invite", options=SMALL[game], **fields)
    return [first, Browser(world, "Bob").sit(first.table)]


def play(browsers: list[Browser], count: int) -> None:
    for _ in range(count):
        position = table_of(browsers[0]).position
        assert position is not None
        mover = next(browser for browser in browsers if browser.seat == position.turn)
        mover.play(position.legal()[0])


def offer(browser: Browser, what: str, yes: bool = True) -> list[Json]:
    return browser.answer("offer", table=browser.table, what=what, yes=yes, id="o")


def agree(browsers: list[Browser], what: str) -> None:
    offer(browsers[0], what)
    offer(browsers[1], what)


# --- offers -----------------------------------------------------------------------------------------------------------


@every_game
def test_two_browsers_take_moves_back_and_see_the_same_board(game: str) -> None:
    browsers = two(game)
    play(browsers, 4)
    agree(browsers, "takeback")
    table = table_of(browsers[0])
    assert len(table.moves) < 4
    for browser in browsers:
        told = [message["event"] for message in browser.all("record") if message["event"]["type"] == "takenback"]
        assert told == [{"type": "takenback", "seat": browsers[0].seat, "moves": 4 - len(table.moves)}]
        shown = browser.answer("show", table=browser.table)[0]
        assert shown["state"]["moves"] == table.moves
        assert shown["state"]["turn"] == browsers[0].seat
        assert len(shown["state"]["by"]) == len(table.moves)
    play(browsers, 2)


@pytest.mark.parametrize("game", ["connect4", "dots"])
def test_two_browsers_agree_on_a_draw(game: str) -> None:
    browsers = two(game)
    play(browsers, 2)
    agree(browsers, "draw")
    end = next(m["event"] for m in browsers[1].all("record") if m["event"]["type"] == "finished")
    assert (end["winners"], end["reason"]) == ([], "agreed")


def test_offer_is_shown_to_whoever_comes_back() -> None:
    first, second = two("connect4")
    play([first, second], 2)
    offer(first, "draw")
    assert second.last("record")["event"] == {
        "type": "proposed",
        "what": "draw",
        "voters": [1],
        "by": 0,
        "arguments": [],
    }
    shown = second.answer("show", table=second.table)[0]
    assert shown["state"]["ballot"] == {"what": "draw", "voters": [1], "answers": {}, "by": 0}


@pytest.mark.parametrize("what", ["draw", "takeback"])
def test_refused_offer_carries_its_id(what: str) -> None:
    browser = Browser(World(), "Ann").open("connect4", "invite")
    (refused,) = offer(browser, what)
    assert (refused["type"], refused["why"], refused["id"]) == ("refused", "not-playing", "o")


def test_answer_to_a_rematch_is_none_to_an_offer() -> None:
    browsers = two("noughts")
    play(browsers, 2)
    offer(browsers[0], "takeback")
    assert browsers[1].why("rematch", table=browsers[1].table, yes=True) == "no-ballot"
    assert len(table_of(browsers[0]).moves) == 2


@every_game
def test_engine_lets_a_move_be_taken_back(game: str) -> None:
    browser = Browser(World(), "Ann").open(game, options=SMALL[game])
    play([browser], 1)
    assert offer(browser, "takeback")[-1]["event"]["type"] in ("takenback", "played")
    assert browser.why("offer", table=browser.table, what="a drink") == "no-such-vote"


@pytest.mark.parametrize(("wire", "game"), sorted(QUEUE.items()))
@pytest.mark.parametrize("what", ["draw", "takeback"])
def test_old_program_opposite_is_offered_nothing(wire: str, game: str, what: str) -> None:
    world = World()
    browser = Browser(world, "Ann").open(game, "human", seat=0)
    rng, meeting = Random(1), Meeting(world)
    meeting.enter(Visitor(wire, rng.choice, again=lambda: False, name="Vera"), world.connect(wire, opponent="human"))
    for _ in range(30):
        if not meeting.step():
            world.advance(0.1)
        browser.heard()
        table = world.hub.tables.get(browser.table)
        if table is not None and table.position is not None and table.position.turn == browser.seat:
            if table.moves:
                break
            browser.play(rng.choice(table.position.legal()))
    why = "no-draw" if game == "glenda" and what == "draw" else "no-word"
    assert browser.why("offer", table=browser.table, what=what) == why


@pytest.mark.parametrize("version", ["1", "2", "3"])
@pytest.mark.parametrize("what", ["draw", "takeback"])
def test_netdot_user_opposite_is_offered_nothing(version: str, what: str) -> None:
    lan = Lan(size="3x3")
    lan.join(version)
    browser = Browser(lan.world, "Ann").sit(lan.world.tables[0].id)
    lan.start()
    browser.say("start", table=browser.table)
    table = table_of(browser)
    if version == "3":
        lan.clients[0].say("game-line 0 0 hor")
        browser.play("h 1 0")
        assert len(table.moves) == 2
    assert table.running
    why = "no-move-yet" if what == "takeback" and not table.moves else "no-word"
    assert browser.why("offer", table=browser.table, what=what) == why
    lan.check()


def test_netdot_user_who_looks_on_keeps_moves_on_the_board_but_no_draw_from_being_agreed() -> None:
    lan = Lan(size="4x4")
    first = Browser(lan.world, "Ann").open("dots", "invite", options=SMALL["dots"])
    browsers = [first, Browser(lan.world, "Bob").sit(first.table)]
    play(browsers, 2)
    nora = lan.join("3", "Nora", ready=False)
    offer(first, "takeback")
    nora.witness.moving = True
    nora.say(f"network-chat /join {first.table}")
    assert browsers[1].why("offer", table=first.table, what="takeback") == "no-word"
    offer(browsers[1], "takeback", yes=False)
    assert len(table_of(first).moves) == 2
    agree(browsers, "draw")
    assert table_of(first).result is not None
    lan.check()


def test_our_own_client_follows_a_game_that_goes_back() -> None:
    browsers = two("connect4")
    play(browsers, 5)
    shown = browsers[0].answer("show", table=browsers[0].table)[0]
    state = State(**{**shown["state"], "moves": tuple(shown["state"]["moves"])})
    snapshot = TableSnapshot("t", "connect4", "", shown["options"], (None, None), shown["seq"], state, 0)
    sight = Sight.of(snapshot, games())
    sight.follow({"type": "takenback", "seat": 0, "moves": 3})
    sight.follow({"type": "played", "seat": 0, "move": "6"})
    position = table_of(browsers[0]).game.start(shown["options"])
    for move in [*shown["state"]["moves"][:2], "6"]:
        position.play(move)
    assert sight.text() == position.text()
    assert sight.turn == position.turn


# --- clocks -----------------------------------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("opponent", ["engine", "human", "invite"])
def test_every_kind_of_game_can_have_a_clock(game: str, opponent: str) -> None:
    world = World()
    wish = {"options": SMALL[game], "clock": 60, "increment": 2}
    first = Browser(world, "Ann").open(game, opponent, **wish)
    browsers = [first]
    if opponent != "engine":
        second = Browser(world, "Bob")
        browsers.append(second.open(game, "human", **wish) if opponent == "human" else second.sit(first.table))
        first.heard()
    table = table_of(first)
    assert table.clock is not None
    assert (table.policy.clock, table.policy.increment) == (60, 2)
    world.advance(5)
    play(browsers, 1)
    played = next(message for message in first.all("record") if message["event"]["type"] == "played")
    clock = played["clock"]
    assert clock["left"][played["event"]["seat"]] == pytest.approx(57, abs=0.2)
    assert (clock["running"], clock["increment"]) == (table.position.turn if opponent != "engine" else 1, 2)  # type: ignore[union-attr]
    assert first.last("table")["pace"] == [60, 2]


def test_dots_for_many_can_have_a_clock_and_who_is_out_of_time_is_out_of_the_game() -> None:
    world = World()
    browser = Browser(world, "Ann").open("dots", seats=3, options=SMALL["dots"], clock=10)
    world.advance(4)
    table = table_of(browser)
    assert table.running
    assert table.clock is not None
    assert table.position is not None
    assert table.position.turn == browser.seat
    world.advance(10.2)
    assert "flagged" in browser.events()


def test_snapshot_tells_the_servers_time_and_a_table_without_clock_tells_none() -> None:
    first, _ = two("noughts", clock=60)
    first.world.advance(7)
    clock = first.answer("show", table=first.table)[0]["state"]["clock"]
    assert clock["at"] - clock["since"] == pytest.approx(7, abs=0.1)
    assert clock["left"] == [60, 60]
    timeless = two("noughts")
    play(timeless, 1)
    assert all("clock" not in message for message in timeless[0].all("record"))
    assert "pace" not in timeless[0].last("table")


def test_whoever_lets_the_time_run_out_has_lost() -> None:
    first, second = two("connect4", clock=30)
    play([first, second], 1)
    first.world.advance(30.2)
    end = next(m["event"] for m in second.all("record") if m["event"]["type"] == "finished")
    assert (end["winners"], end["reason"]) == ([0], "timeout")


def test_browsers_meet_only_for_the_same_clock() -> None:
    world = World()
    board = {"options": SMALL["dots"]}
    first = Browser(world).open("dots", "human", clock=60, **board)
    second = Browser(world).open("dots", "human", **board)
    third = Browser(world).open("dots", "human", clock=60, increment=1, **board)
    fourth = Browser(world).open("dots", "human", clock=60, **board)
    assert fourth.table == first.table
    assert len({first.table, second.table, third.table}) == 3


def test_clock_goes_on_after_a_crash_from_where_it_was() -> None:
    before = two("connect4", clock=60)
    before[0].world.advance(10)
    play(before, 1)
    before[0].world.advance(20)
    world = World(seed=1)
    world.store.log = list(before[0].world.store.log)
    world.now += 1000
    world.house.restore()
    world.run()
    back = []
    for browser in before:
        browser.heard()
        browser.world = world
        back.append(browser.back())
    clock = back[1].answer("show", table=back[1].table)[0]["state"]["clock"]
    assert clock["left"] == [pytest.approx(50, abs=0.2), 60]
    assert clock["running"] == 1
    assert clock["at"] - clock["since"] < 1


@pytest.mark.parametrize(("wire", "game"), sorted(QUEUE.items()))
def test_old_program_does_not_meet_whoever_wants_a_clock(wire: str, game: str) -> None:
    world = World()
    browser = Browser(world, "Ann").open(game, "human", clock=60)
    meeting = Meeting(world)
    meeting.enter(Visitor(wire, Random(1).choice, again=lambda: False), world.connect(wire, opponent="human"))
    for _ in range(20):
        if not meeting.step():
            world.advance(0.1)
    browser.heard()
    assert not browser.table
    assert len(world.hub.matchmaker) == 2


def test_netdot_user_may_not_come_into_a_room_with_a_clock() -> None:
    lan = Lan()
    browser = Browser(lan.world, "Ann").open("dots", "invite", options=SMALL["dots"], clock=60)
    nora = lan.join("3", "Nora", ready=False)
    nora.heard()
    nora.say(f"network-chat /join {browser.table}")
    assert any("clock" in line for line in nora.heard())
    assert len(table_of(browser).present()) == 1
    lan.check()


def test_offers_at_random_never_part_what_browsers_see_from_what_is() -> None:
    for seed in range(5):
        rng = Random(seed)
        browsers = two(rng.choice(sorted(SMALL)), clock=rng.choice([0, 600]))
        table = table_of(browsers[0])
        for _ in range(60):
            if not table.running:
                break
            if rng.random() < 0.6:
                play(browsers, 1)
            else:
                offer(rng.choice(browsers), "takeback", rng.random() < 0.8)
        for browser in browsers:
            shown = browser.answer("show", table=browser.table)[0]
            assert folded(browser) == shown["state"]["moves"] == table.moves


def folded(browser: Browser) -> list[str]:
    """What somebody knows who was told nothing but records since the game began."""
    moves: list[str] = []
    for message in browser.all("record"):
        event = message["event"]
        if event["type"] == "started":
            moves = []
        elif event["type"] == "played":
            moves.append(event["move"])
        elif event["type"] == "takenback":
            del moves[len(moves) - event["moves"] :]
    return moves
