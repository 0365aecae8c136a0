"""Browsers whose opponent has vanished, and people of old wires who go on in a browser."""

import re
from random import Random

import pytest

from parlour.core.table.table import Table
from parlour.protocols.ggz import ask
from tests.browsers import Browser, Json
from tests.ggz import Person
from tests.netdot import Lan
from tests.world import START, World

PATIENCE = 20.0
OPTIONS = {"dots": {"width": 3, "height": 3}, "noughts": {}, "connect4": {}, "glenda": {"walls": "0 0;3 4"}}
every_game = pytest.mark.parametrize("game", sorted(OPTIONS))
CODE = re.compile(r"table (\S+) there and enter the code ([a-z2-7]{6})\.")


def two(game: str) -> tuple[Browser, Browser]:
    world = World()
    first = Browser(world, "Ann").open(game, "invite", options=OPTIONS[game])
    return first, Browser(world, "Bob").sit(first.table)


def table_of(browser: Browser) -> Table:
    return browser.world.hub.tables[browser.table]


def ended(browser: Browser) -> Json:
    found: list[Json] = [m["event"] for m in browser.all("record") if m["event"]["type"] == "finished"]
    return found[-1]


# --- claiming and engines ---------------------------------------------------------------------------------------------


@every_game
def test_browser_claims_the_game_and_the_other_is_told_so(game: str) -> None:
    ann, bob = two(game)
    assert ann.why("claim", table=ann.table) == "not-away"
    bob.wire.reset()
    assert ann.why("claim", table=ann.table) == "too-early"
    ann.world.advance(PATIENCE)
    assert ann.why("claim", table=ann.table) == ""
    assert ended(ann)["winners"] == [ann.seat]
    assert ended(ann)["reason"] == "abandoned"
    assert Browser(ann.world).why("resume", table=bob.table, token=bob.token) == "seat-claimed"


@every_game
def test_browser_lets_an_engine_play_on(game: str) -> None:
    ann, bob = two(game)
    table = table_of(ann)
    seat = bob.seat
    bob.wire.reset()
    ann.world.advance(PATIENCE)
    ann.answer("substitute", table=ann.table, seat=seat, level="easy")
    assert ann.last("record")["event"]["type"] in ("joined", "played")
    joined = [m["event"] for m in ann.all("record") if m["event"]["type"] == "joined"][-1]
    assert (joined["seat"], joined["kind"], joined["level"]) == (seat, "engine", "easy")
    assert table.position is not None
    rng = Random(game)
    while table.running:
        assert table.position.turn == ann.seat
        ann.play(rng.choice(table.position.legal()))
    assert ann.moves == table.moves
    assert Browser(ann.world).why("resume", table=bob.table, token=bob.token) == "seat-substituted"


@every_game
def test_page_knows_when_the_game_may_be_claimed(game: str) -> None:
    ann, bob = two(game)
    seat = bob.seat
    bob.wire.reset()
    held = next(m["event"] for m in ann.all("record") if m["event"]["type"] == "held")
    assert held["claim"] == START + PATIENCE
    (snapshot,) = (m for m in ann.answer("show", table=ann.table) if m["type"] == "table")
    assert isinstance(seat, int)
    assert snapshot["seats"][seat]["claim"] == START + PATIENCE
    assert "claim" not in snapshot["seats"][1 - seat]


def test_game_of_a_browser_and_netdot_users_goes_on_with_an_engine() -> None:
    lan = Lan(size="3x3")
    users = [lan.join(dialect) for dialect in ("3", "2", "1", "beta")]
    table = lan.world.tables[0]
    ann = Browser(lan.world, "Ann").sit(table.id)
    bob = Browser(lan.world, "Bob").sit(table.id)
    lan.start()
    for browser in (ann, bob):
        browser.say("start", table=table.id)
    assert table.running
    seat = bob.seat
    bob.wire.reset()
    lan.world.advance(PATIENCE)
    assert ann.why("substitute", table=table.id, seat=seat) == ""
    assert table.running, "nobody had to leave the game"
    assert len([user for user in users if user.gone]) == 0
    assert table.seats[seat or 0] is not None
    lan.check()


# --- seat codes on old wires ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["1", "2", "beta", "3"])
def test_netdot_user_asks_for_a_code_and_goes_on_in_a_browser(dialect: str) -> None:
    lan = Lan(size="3x3", features="")
    old, _ = lan.join(dialect), lan.join("3", "Nora")
    table = lan.world.tables[0]
    lan.start()
    said = old.answer("network-chat /code")
    found = CODE.search(" ".join(said))
    assert found is not None
    assert found[1] == table.id
    browser = Browser(lan.world, "Ann")
    browser.say("takeover", table=table.id, code=found[2])
    assert browser.seat is not None
    seat = table.seats[browser.seat]
    assert seat is not None
    assert seat.wire == "web", "the badge is that of the new wire"
    assert browser.last("table")["seats"][browser.seat]["wire"] == "web"


def test_member_of_the_zone_asks_for_a_code_at_the_table_and_goes_on_in_a_browser() -> None:
    world = World()
    gina = Person(world, "gina").arrive().launch()
    gina.game.choose(3, 3)
    table = world.tables[0]
    ben = Browser(world, "Ben").sit(table.id)
    ben.heard()
    answer, said = gina.told(ask.say("/code", "table"))
    assert answer == "RESULT ACTION=chat CODE=ok"
    found = CODE.search(said)
    assert found is not None
    assert ben.heard() == [], "nobody else hears it"
    browser = Browser(world, "gina")
    browser.say("takeover", table=table.id, code=found[2])
    assert browser.seat == 0
    event = next(m["event"] for m in ben.all("record") if m["event"]["type"] == "resumed")
    assert (event["seat"], event["wire"]) == (0, "web")
    assert "resume" in event["caps"]
    assert table.running


def test_badge_of_a_taken_over_seat_survives_a_restart() -> None:
    lan = Lan(size="3x3")
    old, _ = lan.join("2"), lan.join("3", "Nora")
    table = lan.world.tables[0]
    lan.start()
    found = CODE.search(" ".join(old.answer("network-chat /code")))
    assert found is not None
    browser = Browser(lan.world, "Ann")
    browser.say("takeover", table=table.id, code=found[2])
    browser.heard()
    later = World(seed=5)
    later.store.log = list(lan.world.store.log)
    later.house.restore()
    later.run()
    again = later.hub.tables[table.id]
    assert [seat and seat.wire for seat in again.seats][browser.seat or 0] == "web"
