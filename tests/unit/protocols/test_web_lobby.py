"""The lobby on the browser's wire is what the house is, whatever happens."""

from random import Random
from typing import Any

import msgspec
import pytest

from parlour.protocols.web import views
from parlour.protocols.web.foyer import GLANCING, LULL, MOST_ROWS, Foyer
from parlour.protocols.web.previews import MOST_BOARDS
from tests.browsers import Browser, socket
from tests.netdot import HELLO
from tests.world import Wire, World

Rows = dict[str, dict[str, Any]]


class Mirror:
    """A page that shows the lobby."""

    def __init__(self, world: World) -> None:
        self.browser = Browser(world)
        self.browser.say("lobby")
        self.rows: Rows = {}

    def look(self) -> Rows:
        for message in self.browser.heard():
            if message["type"] == "lobby":
                self.rows = {row["id"]: row for row in message["tables"]}
            elif message["type"] == "lobby-change":
                if message["table"] is None:
                    self.rows.pop(message["id"], None)
                else:
                    assert message["table"]["id"] == message["id"]
                    self.rows[message["id"]] = message["table"]
        return self.rows


def plain(rows: Rows) -> dict[str, tuple[Any, ...]]:
    """What must be right at any time; moves are counted when something else is told."""
    return {
        key: (row["game"], row["status"], [seat and seat["name"] for seat in row["seats"]], row["sit"], row["room"])
        for key, row in rows.items()
    }


def real(world: World) -> dict[str, tuple[Any, ...]]:
    return plain({table.id: msgspec.to_builtins(views.row(table, 0.0)) for table in world.tables})


def settle(world: World) -> None:
    """Let time pass until nothing is left to be told."""
    foyer = world.hub.service(Foyer)
    for _ in range(1000):
        world.advance(0.05)
        if not foyer._changes:
            return
    raise AssertionError("there is always something new")


class House:
    """People who come, play and go at random."""

    def __init__(self, world: World, rng: Random) -> None:
        self.world = world
        self.rng = rng
        self.browsers: list[Browser] = []
        self.others: list[Wire] = []

    def something(self) -> None:
        rng = self.rng
        browser = rng.choice(self.browsers) if self.browsers else None
        match rng.randrange(10):
            case 0 | 1:
                game = rng.choice(("noughts", "dots", "connect4"))
                new = Browser(self.world).open(
                    game, rng.choice(("engine", "human", "invite")), seats=rng.choice((2, 3))
                )
                self.browsers.append(new)
            case 2 | 3 if self.world.tables:
                table = rng.choice(self.world.tables)
                self.browsers.append(Browser(self.world).sit(table.id))
            case 4 if browser is not None:
                browser.say("leave")
            case 5 if browser is not None:
                self.browsers.remove(browser)
                browser.wire.reset()
            case 6 if browser is not None:
                here = self.world.hub.tables.get(browser.table)
                if here is not None and here.position is not None and here.running:
                    for _ in range(5):
                        browser.play(rng.choice(here.position.legal() or ["-"]))
            case 7:
                wire = self.world.connect("netdot", size="3x3")
                self.others.append(wire.send("".join(f"{line}\n" for line in HELLO["2"]).encode() + b"request-join\n"))
            case 8 if self.others:
                self.others.pop(rng.randrange(len(self.others))).reset()
            case 9:
                self.world.advance(rng.choice((0.1, 1.0, 61.0)))


@pytest.mark.parametrize("seed", range(12))
def test_lobby_and_its_changes_mirror_the_house(seed: int) -> None:
    world = World(seed)
    rng = Random(seed)
    house = House(world, rng)
    for _ in range(rng.randrange(15)):
        house.something()
    mirror = Mirror(world)
    for _ in range(60):
        house.something()
        if rng.random() < 0.3:
            settle(world)
            assert plain(mirror.look()) == real(world)
    settle(world)
    assert plain(mirror.look()) == plain(Mirror(world).look())


def test_row_says_who_sits_there_by_which_wire() -> None:
    world = World()
    Browser(world, "Ann").open("noughts", level="easy")
    (row,) = Mirror(world).look().values()
    assert row["seats"] == [
        {"name": "Ann", "wire": "web", "kind": "person"},
        {"name": "Parlour (easy)", "wire": "engine", "kind": "engine", "level": "easy"},
    ]
    assert (row["game"], row["status"], row["sit"], row["room"]) == ("noughts", "playing", False, False)
    assert row["since"] == world.now


def test_change_is_told_at_once_after_a_quiet_time_and_then_together() -> None:
    world = World()
    mirror = Mirror(world)
    world.advance(1)
    browsers = [Browser(world).open("noughts", "invite") for _ in range(5)]
    assert len(mirror.look()) == 1
    world.advance(2 * LULL)
    assert len(mirror.look()) == 5
    writes = len(mirror.browser.wire.transport.writes)
    for browser in browsers:
        browser.say("leave")
    world.advance(2 * LULL)
    assert mirror.look() == {}
    assert len(mirror.browser.wire.transport.writes) - writes <= 2


def test_all_who_look_are_told_by_the_same_bytes() -> None:
    world = World()
    sockets = [socket(world, {"type": "lobby"}) for _ in range(3)]
    for _ in range(3):  # the first is told at once, the others together
        Browser(world).open("noughts")
    world.advance(1)
    last = [next(said for said in reversed(wire.transport.writes) if b"lobby-change" in said) for wire in sockets]
    assert last[0].count(b'"lobby-change"') == 2
    assert last[0] is last[1] is last[2]


def test_long_lobby_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_ROWS >= 100
    monkeypatch.setattr("parlour.protocols.web.foyer.MOST_ROWS", 2)
    world = World()
    for _ in range(3):
        Browser(world).open("noughts")
    told = Browser(world).answer("lobby")[0]
    assert [row["id"] for row in told["tables"]] == [table.id for table in world.tables[1:]]
    assert told["total"] == 3


def test_whoever_does_not_look_any_more_is_not_told() -> None:
    world = World()
    mirror = Mirror(world)
    mirror.browser.say("lobby", yes=False)
    mirror.look()
    Browser(world).open("noughts")
    world.advance(1)
    assert mirror.browser.heard() == []


class Boards:
    """A page that draws the small boards of the lobby, by what it is told of moves alone."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.browser = Browser(world)
        self.browser.say("lobby")
        self.counts: dict[str, int] = {}
        self.games: dict[str, tuple[str, list[str], list[int]]] = {}

    def look(self) -> "Boards":
        for message in self.browser.heard():
            if message["type"] == "lobby":
                self.counts = {row["id"]: row["moves"] for row in message["tables"]}
            if message["type"] != "lobby-moves":
                continue
            self.counts |= message["moves"]
            for board in message["boards"]:
                game, moves, by = self.games.get(board["table"], ("", [], []))
                since = board["since"]
                assert since == 0 or (game == board["game"] and len(moves) == since)
                self.games[board["table"]] = (board["game"], moves[:since] + board["moves"], by[:since] + board["by"])
        return self

    def check(self) -> None:
        """What is older than a look is known."""
        for table in self.world.tables:
            if table.running and table.ring[-1].at <= self.world.now - GLANCING:
                assert self.games[table.id] == (table.game_id, table.moves, list(table.by))
                assert self.counts[table.id] == len(table.moves)


@pytest.mark.parametrize("seed", range(6))
def test_moves_and_boards_of_the_lobby_follow_the_games(seed: int) -> None:
    world = World(seed)
    house = House(world, Random(seed))
    for _ in range(20):
        house.something()
    pages = [Boards(world)]
    for _ in range(8):
        for _ in range(8):
            house.something()
        if len(pages) < 3:
            pages.append(Boards(world))
        world.advance(GLANCING + 0.2)
        for page in pages:
            page.look().check()


def test_move_taken_back_is_taken_back_in_the_lobby() -> None:
    world = World()
    ann = Browser(world).open("noughts", "invite")
    bob = Browser(world).sit(ann.table)
    page = Boards(world)
    ann.play("a1")
    world.advance(GLANCING)
    assert page.look().games[ann.table][1] == ["a1"]
    for browser in (ann, bob):
        browser.say("offer", table=ann.table, what="takeback", yes=True)
    ann.play("b2")
    world.advance(GLANCING + 0.1)
    assert page.look().games[ann.table][1] == ["b2"]
    page.check()


def test_nothing_is_told_of_moves_when_no_one_looks() -> None:
    world = World()
    page = Boards(world)
    ann = Browser(world).open("noughts", "invite")
    Browser(world).sit(ann.table)
    page.browser.say("lobby", yes=False)
    page.browser.heard()
    ann.play("a1")
    world.advance(3 * GLANCING)
    assert page.browser.heard() == []
    assert not world.hub.service(Foyer)._glancing


def test_only_so_many_small_games_are_drawn() -> None:
    world = World()
    for _ in range(MOST_BOARDS + 2):
        Browser(world).sit(Browser(world).open("noughts", "invite").table)
    shown = Boards(world).look().games
    assert list(shown) == [table.id for table in world.tables[2:]]
