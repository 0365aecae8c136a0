"""Browsers at one table with people of every other wire."""

from random import Random

import pytest

from parlour.core.party.coming import new_code
from parlour.core.table.table import Table
from parlour.protocols.ggzdots.messages import GameOver
from tests.browsers import Browser
from tests.ggz import Person
from tests.netdot import Client, Lan
from tests.unit.protocols.meeting import spelled
from tests.visitor import Meeting, Visitor
from tests.world import World

QUEUE = {"nettoe": "noughts", "c4n": "connect4", "glendy": "glenda"}
every_queue = pytest.mark.parametrize("wire", sorted(QUEUE))


def game_with(wire: str, browser_first: bool, again: bool = False) -> tuple[World, Browser, Visitor]:
    """A browser and our client of another wire, who have played one game, and perhaps another."""
    world = World(seed=int(browser_first))
    rng = Random(f"{wire} {browser_first}")
    browser = Browser(world, "Ann")
    visitor = Visitor(wire, rng.choice, again=lambda: again and len(visitor.results) < 2, name="Vera")
    meeting = Meeting(world)
    if browser_first:
        browser.open(QUEUE[wire], "human")
    meeting.enter(visitor, world.connect(wire, opponent="human"))
    for _ in range(8):
        meeting.step()
        world.advance(0.2)
    if not browser_first:
        browser.open(QUEUE[wire], "human")
    for _ in range(900):
        if not meeting.step():
            world.advance(0.1)
            visitor.advance(0.1)
        _go_on(world, browser, rng)
        if visitor.closed:
            break
    return world, browser, visitor


def _go_on(world: World, browser: Browser, rng: Random) -> None:
    """Play if it is the browser's turn, and want another game if asked."""
    told = browser.heard()
    table = world.hub.tables.get(browser.table)
    if table is None:
        return
    if any(message["type"] == "record" and message["event"]["type"] == "proposed" for message in told):
        browser.say("rematch", table=browser.table)
    if table.running and table.position is not None and table.position.turn == browser.seat:
        browser.play(rng.choice(table.position.legal()))


@every_queue
@pytest.mark.parametrize("browser_first", [True, False])
def test_browser_meets_other_wires_in_the_queue(wire: str, browser_first: bool) -> None:
    _, browser, visitor = game_with(wire, browser_first)
    over = next(m["event"] for m in browser.all("record") if m["event"]["type"] == "finished")
    mine = "draw" if not over["winners"] else "lost" if browser.seat in over["winners"] else "won"
    assert visitor.results == [mine]
    seats = [m["event"] for m in browser.all("record") if m["event"]["type"] == "joined"]
    wires = {seat["wire"] for seat in [*seats, *browser.all("table")[0]["seats"]] if seat}
    assert wires == {"web", wire}


def test_browser_and_nettoe_play_another_game() -> None:
    _, browser, visitor = game_with("nettoe", browser_first=True, again=True)
    assert len(visitor.results) == 2
    assert browser.events().count("finished") == 2


@every_queue
def test_what_the_other_wire_cannot_express_is_told(wire: str) -> None:
    _, browser, _ = game_with(wire, browser_first=True)
    joined = next(m["event"] for m in browser.all("record") if m["event"]["type"] == "joined")
    assert "chat" not in joined["caps"]
    assert ("rematch" in joined["caps"]) is (wire == "nettoe")


@every_queue
def test_browser_is_told_when_the_other_leaves(wire: str) -> None:
    world = World()
    browser = Browser(world, "Ann").open(QUEUE[wire], "human")
    visitor = Visitor(wire, lambda moves: moves[0])
    meeting = Meeting(world)
    meeting.enter(visitor, world.connect(wire, opponent="human"))
    for _ in range(20):
        meeting.step()
        world.advance(0.1)
        visitor.advance(0.1)
    assert world.tables[0].running
    visitor.closed = True
    meeting.step()
    assert browser.all("record")[-2]["event"]["type"] == "finished"
    assert browser.last("left")["table"]


# --- NetDot -----------------------------------------------------------------------------------------------------------


def play_dots(table: Table, browsers: list[Browser], clients: list[Client], rng: Random, people: list[Person]) -> None:
    """Whoever is on turn draws any line."""
    for _ in range(400):
        position = table.position
        if position is None or not table.running:
            return
        move = rng.choice(position.legal())
        seat = table.seats[position.turn]
        assert seat is not None
        for browser in browsers:
            if browser.wire.link.participant is seat.who:
                browser.play(move)
        for client in clients:
            if client.wire.link.participant is seat.who:
                client.say(spelled(client.dialect, move))
        for person in people:
            if person.game.wire.link.participant is seat.who:
                person.game.draw(move)
    raise AssertionError("they never stop")


@pytest.mark.parametrize("seed", range(4))
def test_browser_with_netdot_users_of_both_versions(seed: int) -> None:
    lan = Lan(size="3x3")
    old, new = lan.join("2"), lan.join("3", "Nora")
    table = lan.world.tables[0]
    browser = Browser(lan.world, "Ann").sit(table.id)
    users = browser.last("table")["room"]["users"]
    assert [user["wire"] for user in users] == ["netdot", "netdot", "web"]
    lan.start()
    browser.say("start", table=table.id)
    assert table.running
    assert len(table.seats) == 3
    play_dots(table, [browser], [old, new], Random(seed), [])
    assert browser.moves == table.moves
    assert browser.events().count("finished") == 1
    lan.check()


def test_chat_goes_both_ways_between_browser_and_netdot() -> None:
    lan = Lan()
    nora = lan.join("3", "Nora")
    browser = Browser(lan.world, "Ann").sit(lan.world.tables[0].id)
    nora.heard()
    browser.say("say", table=browser.table, text="hello there")
    assert any("hello there" in line for line in nora.heard())
    nora.say("network-chat oh hello")
    assert browser.last("said")["text"] == "oh hello"
    assert browser.last("said")["name"] == "Nora"
    lan.check()


def test_browser_in_a_netdot_room_that_is_lost_is_waited_for() -> None:
    lan = Lan(size="3x3")
    nora = lan.join("3", "Nora")
    table = lan.world.tables[0]
    browser = Browser(lan.world, "Ann").sit(table.id)
    lan.start()
    browser.say("start", table=table.id)
    assert table.running
    browser.heard()
    browser.wire.reset()
    assert table.running
    back = browser.back()
    assert back.last("table")["you"] == browser.seat
    play_dots(table, [back], [nora], Random(8), [])
    assert back.moves == table.moves
    lan.check()


def test_votes_of_netdot_users_are_told_as_notes() -> None:
    lan = Lan(features="chat,vote")
    nora = lan.join("3", "Nora")
    browser = Browser(lan.world, "Ann").sit(lan.world.tables[0].id)
    browser.heard()
    nora.say("vote-request shuffle", "vote-yes")
    assert any("order" in note["text"] for note in browser.all("note"))
    lan.check()


def test_drawings_of_netdot_users_are_not_told() -> None:
    lan = Lan()
    nora = lan.join("3", "Nora", ready=False)
    browser = Browser(lan.world, "Ann").sit(lan.world.tables[0].id)
    browser.heard()
    nora.say("game-line 0 0 hor")
    assert browser.heard() == []


def test_netdot_user_goes_on_in_a_browser_by_code() -> None:
    lan = Lan(size="3x3")
    old, other = lan.join("2"), lan.join("3", "Nora")
    table = lan.world.tables[0]
    lan.start()
    assert table.running
    code = table.party.cast[0].learn_code(new_code(lan.world.hub))
    browser = Browser(lan.world, "Ann")
    assert browser.why("takeover", table=table.id, code="wrong") == "bad-token"
    browser.say("takeover", table=table.id, code=code)
    assert browser.seat == 0
    assert old.gone
    play_dots(table, [browser], [other], Random(12), [])
    assert browser.moves == table.moves
    back = browser.back()
    assert back.last("table")["table"] == table.id
    seats = [seat.token_digest for seat in table.seats if seat is not None and seat.token_digest]
    assert seats
    assert all(key not in repr(browser.everything) for key in seats)


# --- GGZ --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_browser_sits_down_at_a_table_of_the_zone(seed: int) -> None:
    world = World(seed)
    gina = Person(world, "gina").arrive().launch()
    gina.game.choose(3, 3)
    table = world.tables[0]
    browser = Browser(world, "Ann").sit(table.id)
    assert table.running
    play_dots(table, [browser], [], Random(seed), [gina])
    gina.game.heard()
    assert sum(isinstance(message, GameOver) for message in gina.game.everything) == 1
    assert browser.moves == table.moves
    browser.say("rematch", table=table.id)
    gina.game.again()
    assert table.running


@pytest.mark.parametrize("opponent", ["invite", "human"])
def test_member_of_the_zone_sits_down_at_a_browsers_table(opponent: str) -> None:
    world = World()
    browser = Browser(world, "Ann").open("dots", opponent, options={"width": 3, "height": 3})
    gina = Person(world, "gina").arrive().join()
    table = world.tables[0]
    assert table.running
    assert table.options["width"] == 3
    play_dots(table, [browser], [], Random(9), [gina])
    assert "finished" in browser.events()


def test_browser_who_wants_anybody_finds_whoever_waits_in_the_zone() -> None:
    world = World()
    gina = Person(world, "gina").arrive().launch()
    gina.game.choose(4, 4)
    browser = Browser(world, "Ann").open("dots", "human", options={"width": 4, "height": 4})
    assert browser.table == world.tables[0].id
    assert world.tables[0].running


def test_chair_of_a_browser_that_is_lost_is_kept_from_the_zone() -> None:
    world = World()
    gina = Person(world, "gina").arrive().launch()
    gina.game.choose(3, 3)
    table = world.tables[0]
    browser = Browser(world, "Ann").sit(table.id)
    browser.heard()
    browser.wire.reset()
    assert table.running
    back = browser.back()
    play_dots(table, [back], [], Random(10), [gina])
    assert back.moves == table.moves
