"""Clients of NetDot 1.x at our server: places instead of ids, and turns that they count themselves."""

from pathlib import Path
from random import Random

import pytest

from parlour.core.errors import Refusal
from parlour.core.words import StandUp, Started
from parlour.languages import sentence
from tests.unit.protocols.netdot_recording import Client, connect
from tests.wires.transcripts import load
from tests.world import World

WIRES = Path(__file__).parents[2] / "wires" / "netdot"
RED, GREEN, BLUE = -1697461, -12798901, -12360744


def client(world: World, dialect: str = "1", **keys: str) -> Client:
    return Client(world, dialect, size="2x2", **keys)


def game(world: World, *dialects: str, **keys: str) -> list[Client]:
    """So many clients in a game that has just begun."""
    clients = [client(world, dialect, **keys) for dialect in dialects]
    world.advance(4)
    for each in clients:
        each.take()
    return clients


# --- coming in --------------------------------------------------------------------------------------------------------


def test_version_is_enough_to_get_a_place() -> None:
    anna = client(World())
    assert anna.take() == [
        "request-info",
        "info-version 1 7",
        "player-count 1",
        "player-new 0 0 User 1",
        "network-assign 0",
        f"player-color 0 {RED}",
        "grid-size 2x2",
        "grid-reset",
    ]


def test_newcomer_is_put_at_the_end_of_the_list() -> None:
    world = World()
    anna = client(world)
    anna.take()
    bob = client(world)
    assert anna.take()[:3] == ["network-connect", "player-new 1 0 User 2", f"player-color 1 {GREEN}"]
    assert "network-assign 1" in bob.take()


def test_whoever_comes_during_a_game_is_in_the_next() -> None:
    world = World()
    anna, bob = game(world, "1", "1")
    late = client(world)
    assert late.take() == ["request-info", "info-version 1 7", "network-busy"]
    assert late.say("request-join").take()[0].startswith("info-warn ")
    for who, move in zip((anna, bob, anna, bob), ("false 0, 0", "true 0, 0", "false 0, 1", "true 1, 0"), strict=True):
        who.say(f"game-play {move}")
    assert late.take_about("player-count", "network-assign") == ["player-count 3", "network-assign 2"]
    world.advance(4)
    assert "game-start" in late.take()
    assert late.say("request-join").take() == []


def test_whoever_finds_no_seat_waits_for_one() -> None:
    world = World()
    anna, _ = (client(world, players="2", start="ask") for _ in range(2))
    late = client(world, players="2", start="ask")
    assert late.take()[-1] == "network-busy"
    anna.say("network-disconnect")
    assert late.take_about("player-new", "network-assign") == [
        "player-new 0 0 User 2", "player-new 1 0 User 3", "network-assign 1",
    ]  # fmt: skip


def test_house_that_takes_nobody_says_so_and_closes() -> None:
    world = World()
    world.hub.drain()
    anna = client(world)
    assert anna.take()[-1] == f"info-warn {sentence(Refusal.DRAINING)}"
    assert anna.wire.closed


# --- playing ----------------------------------------------------------------------------------------------------------


def test_game_begins_with_the_whole_list() -> None:
    world = World()
    client(world)
    bob = client(world)
    bob.take()
    world.advance(4)
    assert bob.take_about("player", "network", "grid", "game") == [
        "player-count 2", "player-new 0 0 User 1", "player-new 1 0 User 2", "network-assign 1",
        f"player-color 0 {RED}", f"player-color 1 {GREEN}", "grid-size 2x2", "grid-reset", "game-start",
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_whoever_begins_is_place_0_in_any_order(seed: int) -> None:
    world = World(seed)
    clients = [client(world, "1", features="chat,random-start,random-order") for _ in range(4)]
    world.advance(4)
    places = {}
    for each in clients:
        assigned = [line for line in each.take() if line.startswith("network-assign")][-1]
        places[int(assigned.split()[1])] = each
    assert sorted(places) == [0, 1, 2, 3]
    for place, move in enumerate(("false 0, 0", "true 0, 0", "false 0, 1")):
        places[place].say(f"game-play {move}")
        assert [each.take() for each in clients] == [[f"game-play {place} {move}"]] * 4


def test_orders_in_that_test_are_not_all_the_same() -> None:
    firsts = set()
    for seed in range(6):
        world = World(seed)
        clients = [client(world, features="random-start") for _ in range(4)]
        world.advance(4)
        firsts |= {record.event.first for record in clients[0].table.ring if isinstance(record.event, Started)}
    assert len(firsts) > 1


@pytest.mark.parametrize("spelling", ["false 0, 0", "FALSE 0,0", "False 0 0"])
def test_moves_are_read_in_every_spelling_and_said_in_one(spelling: str) -> None:
    anna, bob = game(World(), "1", "1")
    assert anna.say(f"game-play {spelling}").take() == bob.take() == ["game-play 0 false 0, 0"]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("game-play 0,0 hor", "info-malformed"),
        ("game-play true", "info-malformed"),
        ("game-play true 9, 9", f"info-warn {sentence(Refusal.OUT_OF_BOUNDS)}"),
        ("player-rename", "info-malformed"),
        ("player-color red", "info-malformed"),
        ("network-chat", "info-malformed"),
        ("hello", "info-malformed"),
        ("game", "info-malformed"),
        ("chess-move e4", "unknown-"),
        ("vote-yes", "unknown-"),
        ("request-spectate", "unknown-request"),
        ("request-stop", "info-warn User 1 wants to stop the game."),
        ("request-start", "info-warn User 1 wants a new game."),
    ],
)
def test_bad_lines_and_wishes_are_answered(line: str, answer: str) -> None:
    anna, _ = game(World(), "1", "1")
    (said,) = anna.say(line).take()
    assert said == answer if answer.startswith("unknown") else said.startswith(answer)


def test_complaints_are_never_answered() -> None:
    anna, _ = game(World(), "1", "1")
    assert anna.say("unknown-network", "unknown", "info-malformed").take() == []


def test_names_colours_and_chat_go_by_place() -> None:
    anna, bob = game(World(), "1", "1")
    bob.say("player-rename Bob", "player-color 255", "network-chat  hi  there")
    assert anna.take() == ["player-rename 1 Bob", "player-color 1 -16776961", "network-chat 1  hi  there"]


def test_words_of_those_without_a_place_come_as_a_remark() -> None:
    world = World()
    anna, _ = game(world, "1", "1")
    client(world).say("network-chat may I?")
    assert anna.take() == ["info-warn User 3: may I?"]


def test_board_of_another_size_is_told() -> None:
    world = World()
    anna = client(world)
    anna.take()
    anna.say("network-chat /size 4 3")
    assert anna.take_about("grid-") == ["grid-size 4x3", "grid-reset"]


def test_a_lone_player_gets_a_game_with_bots_by_chat() -> None:
    world = World(4)
    anna = client(world)
    anna.take()
    anna.say("network-chat /bots 2")
    assert anna.take_about("network-connect", "player-new")[:2] == [
        "network-connect",
        "player-new 1 0 Parlour (medium)",
    ]
    world.advance(4)
    assert anna.take()[-1] == "game-start"
    rng, lines = Random(1), ["false 0, 0", "false 0, 1", "true 0, 0", "true 1, 0"]
    while lines:
        anna.say(f"game-play {lines.pop(rng.randrange(len(lines)))}")
        drawn = [line.split(" ", 2)[2] for line in anna.take_about("game-play")]
        lines = [line for line in lines if line not in drawn]
    result = anna.table.result
    assert result is not None
    assert sum(result.scores) == 1


def test_session_of_the_history_is_understood_and_answered_in_its_words() -> None:
    world = World()
    host = client(world, start="ask").say("player-rename Host Name")
    recorded = load(WIRES / "derived-1x-session.wire").entries
    guest = client(world, start="ask")
    for entry in recorded:
        if entry.side == "C" and not entry.data.startswith(b"info-version"):
            guest.say(entry.data.decode().rstrip("\n"))
        if entry.data == b"request-start\n":
            host.say("request-start", "game-play false 0, 0")
    told = {entry.data.decode().rstrip("\n") for entry in recorded if entry.side == "S"}
    told -= {
        "player-color 0 -16711936", "player-new 1 0 Client 1", "grid-size 3x3",  # another host, name and board
        "game-stop", "network-connect", "player-new 2 0 Client 2", "network-disconnect 2",  # and nobody else comes
    }  # fmt: skip
    assert told <= {*guest.take()}


# --- leaving ----------------------------------------------------------------------------------------------------------


def test_leaver_in_the_lobby_is_named_and_the_list_told_again() -> None:
    world = World()
    anna, bob, carl = (client(world, start="ask") for _ in range(3))
    carl.take()
    bob.wire.reset()
    assert carl.take()[:5] == [
        "network-disconnect 1", "player-count 2", "player-new 0 0 User 1", "player-new 1 0 User 3", "network-assign 1",
    ]  # fmt: skip
    anna.take()


def test_after_a_leaver_the_game_goes_on_without_1_x() -> None:
    world = World()
    anna, bob, carl, dora = game(world, "2", "1", "2", "2")
    dora.wire.reset()
    heard = bob.take()
    assert heard[:3] == ["network-disconnect 3", "game-stop", "player-count 3"]
    assert heard[-1].startswith("info-warn A player has left")
    assert anna.take() == ["player-remove 4", "game-current 1", "player-remove 2", "game-current 1"]
    anna.say("game-play 0,0 hor")
    carl.say("game-play 0,0 ver")
    assert carl.take()[-2:] == ["game-play 3 0,0 ver", "game-current 1"]
    assert bob.take() == []
    anna.say("game-play 0,1 hor")
    carl.say("game-play 1,0 ver")
    world.advance(4)
    assert bob.take()[-1] == "game-start"


def test_game_of_1_x_alone_ends_with_its_leaver() -> None:
    world = World()
    anna, bob, carl = game(world, "1", "1", "1")
    anna.wire.reset()
    for each in (bob, carl):
        assert each.take()[:3] == ["network-disconnect 0", "game-stop", "player-count 2"]
    assert not bob.table.running
    world.advance(4)
    assert carl.take()[-1] == "game-start"
    bob.take()


def test_game_of_two_is_stopped_when_the_other_leaves() -> None:
    world = World()
    anna, bob = game(world, "1", "2")
    bob.wire.reset()
    assert anna.take()[:4] == ["network-disconnect 1", "game-stop", "player-count 1", "player-new 0 0 User 1"]
    assert not anna.table.running


def test_player_who_only_stands_up_is_not_disconnected() -> None:
    world = World()
    anna, bob, carl = game(world, "1", "2", "2")
    bob.do(StandUp())
    assert anna.take()[:2] == ["game-stop", "player-count 3"]
    carl.take()


def test_goodbye_ends_it() -> None:
    anna = client(World())
    anna.say("network-disconnect")
    assert anna.wire.closed


def test_stop_that_all_want_ends_the_game_and_keeps_the_list() -> None:
    world = World()
    anna, bob = game(world, "1", "1")
    for each in (anna, bob):
        each.say("request-stop")
    assert anna.take_about("game-", "player-") == ["game-stop"]


def test_whoever_goes_to_another_room_gets_its_list() -> None:
    world = World()
    anna, _ = game(world, "1", "1")
    other = Client(world, "1", size="4x4", start="ask")
    anna.say(f"network-chat /join {other.table.id}")
    assert anna.take_about("game-", "player-count", "grid-size", "network-assign") == [
        "game-stop", "player-count 2", "network-assign 1", "grid-size 4x4",
    ]  # fmt: skip


def test_house_that_stops_says_so() -> None:
    world = World()
    anna = client(world)
    anna.take()
    anna.wire.link.farewell()
    world.run()
    assert anna.take() == [f"info-warn {sentence(Refusal.DRAINING)}"]
    assert anna.wire.closed


def test_version_said_twice_lets_in_once() -> None:
    wire = connect(World()).send(b"info-version 1 0\ninfo-version 1 0\n")
    assert wire.take().count(b"network-assign") == 1
