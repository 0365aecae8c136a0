"""Looking on: how many do, and some seconds late."""

from random import Random

import pytest

from parlour.core.table.stream import KEPT
from parlour.core.table.table import Table
from parlour.protocols.web import late
from tests.browsers import Browser, Json
from tests.netdot import Lan, random_moves
from tests.world import World

OPTIONS = {"dots": {"width": 4, "height": 4}, "noughts": {}, "connect4": {}, "glenda": {"walls": "0 0;3 4"}}
every_game = pytest.mark.parametrize("game", sorted(OPTIONS))
DELAY = 10


def two(game: str) -> tuple[Browser, Browser]:
    world = World()
    first = Browser(world, "Ann").open(game, "invite", options=OPTIONS[game])
    return first, Browser(world, "Bob").sit(first.table)


def table_of(browser: Browser) -> Table:
    return browser.world.hub.tables[browser.table]


def move(players: tuple[Browser, ...], rng: Random) -> None:
    table = table_of(players[0])
    if table.running and table.position is not None:
        mover = next(player for player in players if player.seat == table.position.turn)
        mover.play(rng.choice(table.position.legal()))


def looking(table: str, world: World, delay: int = DELAY) -> Browser:
    browser = Browser(world, "Eve").say("watch", table=table, delay=delay)
    browser.heard()
    return browser


# --- how many ---------------------------------------------------------------------------------------------------------


def counts(browser: Browser) -> list[int]:
    return [message["count"] for message in browser.all("watchers")]


@pytest.mark.parametrize("game", ["noughts", "connect4", "glenda"])
def test_plain_table_is_told_how_many_watch_once_a_second_at_most(game: str) -> None:
    ann, bob = two(game)
    crowd = [Browser(ann.world).say("watch", table=ann.table) for _ in range(20)]
    assert counts(ann) == []
    ann.world.advance(1.1)
    assert counts(ann) == counts(bob) == counts(crowd[0]) == [20]
    for browser in crowd[:5]:
        browser.wire.reset()
    ann.world.advance(1.1)
    assert counts(ann) == [20, 15]
    ann.world.advance(5)
    assert counts(ann) == [20, 15]


def test_number_that_is_as_before_is_not_told() -> None:
    ann, _ = two("noughts")
    eve = Browser(ann.world).say("watch", table=ann.table)
    eve.wire.reset()
    ann.world.advance(3)
    assert counts(ann) == []


def test_lobby_shows_how_many_watch() -> None:
    ann, _ = two("noughts")
    looker = Browser(ann.world).say("lobby")
    Browser(ann.world).say("watch", table=ann.table)
    ann.world.advance(1)
    assert looker.last("lobby-change")["table"]["watchers"] == 1


# --- late -------------------------------------------------------------------------------------------------------------


@every_game
def test_late_spectator_sees_every_move_so_many_seconds_late(game: str) -> None:
    ann, bob = two(game)
    world, rng = ann.world, Random(game)
    table = table_of(ann)
    eve = looking(ann.table, world)
    past: list[list[str]] = [list(table.moves)]
    for _ in range(60):
        move((ann, bob), rng)
        world.advance(1)
        past.append(list(table.moves))
        known = eve.moves
        latest = past[max(0, len(past) - 1 - DELAY)]
        earliest = past[max(0, len(past) - 3 - DELAY)]
        assert known in (earliest, latest, past[max(0, len(past) - 2 - DELAY)]), "neither early nor much too late"
    assert "finished" in eve.events() or table.running


@every_game
def test_snapshot_of_a_late_spectator_is_as_old_as_the_rest(game: str) -> None:
    ann, bob = two(game)
    world, rng = ann.world, Random(game)
    table = table_of(ann)
    for _ in range(3):
        move((ann, bob), rng)
    seen = list(table.moves)
    world.advance(DELAY + 1)
    for _ in range(2):
        move((ann, bob), rng)
    assert len(table.moves) > len(seen)
    eve = looking(ann.table, world)
    shown = eve.last("table")
    assert shown["state"]["moves"] == seen
    assert shown["state"]["by"] == list(table.by[: len(seen)])
    assert shown["you"] is None
    assert len([m for m in eve.everything if m["type"] == "table"]) == 1
    world.advance(DELAY + 2)
    assert eve.moves == table.moves
    numbers = [message["seq"] for message in eve.all("record")]
    assert numbers == list(range(shown["seq"] + 1, table.seq + 1)), "every record once, in order"


@every_game
def test_turn_and_scores_of_the_past_are_those_of_the_past(game: str) -> None:
    ann, bob = two(game)
    world, rng = ann.world, Random(f"{game} again")
    for _ in range(4):
        move((ann, bob), rng)
    (then,) = (m for m in ann.answer("show", table=ann.table) if m["type"] == "table")
    world.advance(DELAY + 1)
    move((ann, bob), rng)
    shown = looking(ann.table, world).last("table")
    for field in ("moves", "turn", "scores", "status", "by", "first"):
        assert shown["state"][field] == then["state"][field], field
    assert shown["seq"] == then["seq"]


def test_game_that_has_just_begun_is_not_shown_yet() -> None:
    ann, bob = two("noughts")
    move((ann, bob), Random(1))
    eve = looking(ann.table, ann.world)
    assert eve.last("table")["state"]["status"] == "waiting"
    assert eve.moves == []
    ann.world.advance(DELAY + 2)
    assert eve.moves == table_of(ann).moves
    assert "started" in eve.events()


def test_result_is_not_given_away() -> None:
    ann, bob = two("connect4")
    ann.world.advance(DELAY + 1)
    bob.say("resign", table=bob.table)
    eve = looking(ann.table, ann.world)
    assert eve.last("table")["state"]["status"] == "playing"
    assert eve.last("table")["state"]["result"] is None
    ann.world.advance(DELAY + 2)
    assert "finished" in eve.events()


def test_chat_and_the_end_of_the_table_come_late_as_well() -> None:
    ann, bob = two("noughts")
    eve = looking(ann.table, ann.world)
    ann.world.advance(DELAY + 2)
    eve.heard()
    ann.say("say", table=ann.table, text="b2 is strong")
    for player in (ann, bob):
        player.say("leave", table=player.table)
    assert eve.heard() == []
    ann.world.advance(DELAY + 2)
    kinds = [message["type"] for message in eve.heard()]
    assert kinds[0] == "said"
    assert kinds[-1] == "left"
    assert eve.open("noughts").seat == 0, "and is as free as any other then"


def test_who_watches_late_gets_neither_the_present_nor_hints_by_asking() -> None:
    ann, bob = two("noughts")
    ann.world.advance(DELAY + 1)
    eve = looking(ann.table, ann.world)
    move((ann, bob), Random(2))
    assert eve.answer("show", table=ann.table) == []
    assert eve.why("hint", table=ann.table) == "no-hint"
    ann.world.advance(DELAY + 2)
    assert len(eve.all("table")) == 2
    assert eve.moves == table_of(ann).moves


@pytest.mark.parametrize("way", ["leave", "sit"])
def test_who_leaves_or_sits_down_is_late_no_longer(way: str) -> None:
    world = World()
    ann = Browser(world, "Ann").open("noughts", "invite")
    eve = looking(ann.table, world)
    ann.say("say", table=ann.table, text="hello")
    heard = eve.answer(way, table=ann.table)
    assert heard[0]["type"] == ("left" if way == "leave" else "table")
    world.advance(DELAY + 2)
    assert all(message["type"] != "said" for message in eve.everything)
    if way == "sit":
        assert eve.seat == 1
        assert eve.play("a1")[0]["why"] == "not-your-turn"
        assert ann.play("a1")
        assert eve.moves == ["a1"]
    else:
        assert eve.why("watch", table=ann.table) == ""


def test_table_that_is_not_there_is_refused_at_once() -> None:
    eve = Browser(World(), "Eve")
    assert eve.why("watch", table="nowhere", delay=5) == "no-such-table"
    assert eve.open("noughts").seat == 0


def test_late_spectator_of_a_room() -> None:
    lan = Lan(size="3x3")
    for name in ("Nora", "Otto"):
        lan.join("3", name)
    table = lan.world.tables[0]
    lan.start()
    lan.world.advance(DELAY + 1)
    eve = looking(table.id, lan.world)
    seen = len(table.moves)
    lan.play(random_moves(3, 3, Random(4))[:3])
    assert len(table.moves) > seen
    assert len(eve.moves) == seen
    lan.world.advance(DELAY + 2)
    assert eve.moves == table.moves


def test_past_out_of_reach_is_made_up_for_by_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    ann = Browser(world, "Ann").open("dots", "invite", options={"width": 16, "height": 16})
    bob = Browser(world, "Bob").sit(ann.table)
    world.advance(DELAY + 1)
    for _ in range(KEPT + 20):
        move((ann, bob), Random(len(table_of(ann).moves)))
    monkeypatch.setattr(late, "MOST_KEPT", 50)
    eve = looking(ann.table, world)
    assert eve.last("table")["state"]["moves"] == []
    for _ in range(60):
        move((ann, bob), Random(len(table_of(ann).moves)))
    world.advance(DELAY + 3)
    assert eve.moves == table_of(ann).moves
    assert len(eve.everything) < 60, "what was too much to keep is a snapshot"


def test_move_that_was_taken_back_meanwhile_is_made_up_for_by_a_snapshot() -> None:
    ann, bob = two("connect4")
    world = ann.world
    ann.play("3")
    world.advance(DELAY + 1)
    bob.play("2")
    bob.say("offer", table=bob.table, what="takeback")
    ann.say("offer", table=bob.table, what="takeback")
    assert table_of(ann).moves == ["3"]
    eve = looking(ann.table, world)
    assert eve.last("table")["state"]["moves"] == []
    bob.play("4")
    world.advance(DELAY + 2)
    assert eve.moves == ["3", "4"]


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_nobody_sees_the_future(seed: int) -> None:
    rng = Random(seed)
    ann, bob = two(rng.choice(sorted(OPTIONS)))
    world, table = ann.world, table_of(ann)
    late_by = rng.choice((1, 3, 7))
    lookers: list[Browser] = []

    def newest(browser: Browser) -> int:
        browser.heard()
        said: list[Json] = browser.everything
        return max((m["seq"] for m in said if "seq" in m), default=0)

    for _ in range(80):
        roll = rng.random()
        if roll < 0.5:
            move((ann, bob), rng)
        elif roll < 0.6:
            lookers.append(looking(table.id, world, late_by))
        elif roll < 0.65 and not table.running:
            for player in (ann, bob):
                player.say("rematch", table=table.id)
        world.advance(rng.choice((0.05, 0.5, 1.5)))
        old = [record.seq for _, record in world.store.log if record.at <= world.now - late_by + 0.06]
        for looker in lookers:
            assert newest(looker) <= max(old, default=0)
    if table.id in world.hub.tables:
        world.advance(late_by + 2)
        assert all(looker.moves == table.moves for looker in lookers)
