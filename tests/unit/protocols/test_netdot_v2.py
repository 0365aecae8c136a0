"""Clients of NetDot 2.0 at our server: joining, watching, playing and leaving, and nothing that would kill them."""

from itertools import pairwise
from pathlib import Path

import pytest

from parlour.core.errors import Refusal
from parlour.core.table.ballot import BOARD
from parlour.core.words import StandUp, TakePart, Wish
from parlour.languages import sentence
from parlour.protocols.netdot.phases import Dialect
from tests.unit.protocols.netdot_recording import Client, connect
from tests.wires.transcripts import load
from tests.world import World

WIRES = Path(__file__).parents[2] / "wires" / "netdot"
COLOURS = {1: -1697461, 2: -12798901, 3: -12360744}


def client(world: World, dialect: str = "2", **keys: str) -> Client:
    return Client(world, dialect, size="2x2", **keys)


def newcomer(world: World, *lines: str, **keys: str) -> Client:
    """Somebody who says these lines, and not what the original clients say first."""
    return Client(world, "2", lines, size="2x2", **keys)


def game(world: World, *dialects: str, **keys: str) -> list[Client]:
    """So many clients in a game that has just begun."""
    clients = [client(world, dialect, **keys) for dialect in dialects]
    world.advance(4)
    for each in clients:
        each.take()
    return clients


def play(clients: list[Client], *moves: str) -> None:
    """2.0 clients draw these lines in the order of their turns as they hear of it; the first begins."""
    mover = 0
    for move in moves:
        clients[mover].say(f"game-play {move}")
        turn = [line for line in clients[mover].take() if line.startswith("game-current")]
        mover = int(turn[-1].split()[1]) - 1 if turn else mover


# --- coming in --------------------------------------------------------------------------------------------------------


def test_first_one_in_is_told_the_board_then_his_id_then_his_name() -> None:
    anna = client(World())
    assert anna.take() == [
        "request-info",
        "network-assign -1",
        "info-version 2 0",
        "grid-size 2x2",
        "grid-reset",
        "network-assign 1",
        "player-add 1 User 1",
        f"player-color 1 {COLOURS[1]}",
    ]
    assert anna.wire.link.session.phase is Dialect.V2


def test_newcomer_is_told_of_the_others_and_they_of_him() -> None:
    world = World()
    anna = client(world)
    anna.say("player-rename Anna  B.", "player-color 255").take()
    bob = client(world)
    assert bob.take()[3:7] == ["player-add 1 Anna  B.", "player-color 1 -16776961", "grid-size 2x2", "grid-reset"]
    assert anna.take()[:2] == ["player-add 2 User 2", f"player-color 2 {COLOURS[2]}"]


def test_join_follows_the_words_of_the_recorded_servers() -> None:
    recorded = load(WIRES / "detect-java-client.wire")
    words = [entry.data.split()[0].decode() for entry in recorded.entries if entry.side == "S"]
    words = words[: words.index("game-play")]
    world = World()
    client(world)
    java = connect(world, size="2x2")
    for entry in recorded.entries[:4]:
        if entry.side == "C":
            java.send(entry.data)
    world.advance(4)
    heard = [line.split()[0].decode() for line in java.take().splitlines()]
    assert [word for word in heard if word != "network-chat"] == words


def test_whoever_comes_during_a_game_may_watch_it() -> None:
    world = World()
    players = game(world, "2", "2", "2")
    play(players, "0,0 hor", "0,0 ver")
    players[1].wire.end_of_file()
    watcher = client(world)
    assert watcher.take()[3:] == ["request-deny A game is running.", "network-busy"]
    players[2].say("game-play 0,1 hor")
    assert watcher.take() == []
    assert watcher.say("request-spectate").take() == [
        "network-assign -2",
        "player-add 1 User 1",
        f"player-color 1 {COLOURS[1]}",
        "player-add 2 Disconnected",
        "player-add 3 User 3",
        f"player-color 3 {COLOURS[3]}",
        "grid-size 2x2",
        "grid-reset",
        "game-start",
        "player-remove 2",
        "game-current 1",
        "player-line 1 hor 0,0",
        "player-line 3 hor 0,1",
        "player-line 2 ver 0,0",
    ]
    players[0].say("game-play 1,0 ver")
    assert watcher.take()[0] == "game-play 1 1,0 ver"


def test_whoever_only_asks_to_watch_is_let_in_and_plays_when_there_is_room() -> None:
    world = World()
    players = game(world, "2", "2")
    watcher = newcomer(world, "info-version 2 0", "request-spectate")
    said = watcher.take()
    assert said[:2] == ["request-info", "network-assign -1"]
    assert said[3:5] == ["network-assign -2", "player-add 1 User 1"]
    assert said[-2:] == ["game-start", "game-current 1"]
    assert watcher.say("request-join").take() == ["request-deny Already joined."]
    play(players, "0,0 hor", "0,0 ver", "0,1 hor", "1,0 ver")
    assert watcher.take_about("network-assign", "player-add") == ["network-assign 3", "player-add 3 User 3"]


def test_whoever_only_asks_to_watch_where_there_is_a_place_is_told_to_join() -> None:
    world = World()
    anna = client(world, start="ask")
    anna.take()
    eve = newcomer(world, "info-version 2 0", "request-spectate", start="ask")
    assert eve.take()[3:] == ["request-deny There is a place for you: ask to join."]
    assert anna.take() == [], "nobody has come who plays"
    assert eve.say("request-spectate").take() == ["request-deny There is a place for you: ask to join."]
    assert eve.say("request-join").take()[-3:] == [
        "network-assign 2", "player-add 2 User 2", f"player-color 2 {COLOURS[2]}",
    ]  # fmt: skip
    assert anna.take_about("player-add") == ["player-add 2 User 2"]


def test_whoever_was_told_to_join_finds_a_game_running() -> None:
    world = World()
    anna, bob = client(world, start="ask"), client(world, start="ask")
    eve = newcomer(world, "info-version 2 0", "request-spectate", start="ask")
    eve.take()
    for each in (anna, bob):
        each.say("request-start")
    assert eve.say("request-join").take() == ["request-deny A game is running.", "network-busy"]
    assert eve.say("request-spectate").take()[0] == "network-assign -2"
    for each in (anna, bob):
        each.say("request-stop")
    assert "network-assign 3" in eve.take()


def test_whoever_waits_without_watching_gets_a_place_when_the_game_is_over() -> None:
    world = World()
    players = game(world, "2", "2")
    waiting = client(world)
    waiting.take()
    play(players, "0,0 hor", "0,0 ver", "0,1 hor", "1,0 ver")
    assert waiting.take_about("network-assign", "player-add") == [
        "player-add 1 User 1", "player-add 2 User 2", "network-assign 3", "player-add 3 User 3",
    ]  # fmt: skip


def test_server_with_all_seats_taken_is_full_and_can_be_watched_until_one_is_free() -> None:
    world = World()
    first = client(world, players="2", start="ask")
    client(world, players="2", start="ask")
    third = client(world, players="2", start="ask")
    assert third.take()[3:] == ["request-deny Every seat is taken.", "network-full"]
    watching = third.say("request-spectate").take()
    assert watching[:2] == ["network-assign -2", "player-add 1 User 1"]
    assert watching[-2:] == ["grid-size 2x2", "grid-reset"]
    first.wire.end_of_file()
    assert third.take_about("network-assign", "player-") == [
        "network-assign 3", "player-add 3 User 3", f"player-color 3 {COLOURS[3]}", "player-remove 1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["java20-client-session", "android20-client-session", "detect-java-client", "detect-a20-client"]
)
def test_everything_the_original_clients_were_heard_to_say_is_understood(name: str) -> None:
    world = World()
    host = client(world, start="ask").say("player-rename Host")
    guest = client(world, start="ask").say("request-start")
    recorded = [entry.data for entry in load(WIRES / f"{name}.wire").entries if entry.side == "C" and entry.data]
    assert recorded[:2] == [b"info-version 2 0\n", b"request-join\n"]
    for data in recorded[2:]:
        guest.say(data.decode().rstrip("\n"))
        host.say("request-start", "game-play 1,0 ver")
        assert not [line for line in guest.take() if line.startswith(("info-malformed", "unknown"))]
    assert any(line.startswith("game-play 2 ") for line in guest.heard)


@pytest.mark.parametrize("again", ["request-join", "request-spectate"])
def test_second_wish_to_join_or_watch_is_denied(again: str) -> None:
    anna = client(World())
    anna.take()
    assert anna.say(again).take() == ["request-deny Already joined."]


def test_house_that_takes_nobody_denies_and_closes() -> None:
    world = World()
    world.hub.drain()
    anna = client(world)
    assert anna.take()[3:] == [f"request-deny {sentence(Refusal.DRAINING)}"]
    assert anna.wire.closed


# --- playing ----------------------------------------------------------------------------------------------------------


def test_every_line_is_followed_by_the_turn_but_the_last() -> None:
    world = World()
    anna, bob = game(world, "2", "2")
    for who, move in zip((anna, bob, anna, bob), ("0,0 hor", "0,0 ver", "0,1 hor", "1,0 ver"), strict=True):
        who.say(f"game-play {move}")
    heard = bob.take()
    assert [line for line in heard if line.startswith("game-")] == [
        "game-play 1 0,0 hor", "game-current 2", "game-play 2 0,0 ver", "game-current 1",
        "game-play 1 0,1 hor", "game-current 2", "game-play 2 1,0 ver",
    ]  # fmt: skip
    assert heard[7] == "network-chat -3 User 2 wins: User 1 0, User 2 1."
    assert heard == anna.take()


def test_next_game_is_announced_by_start_and_turn() -> None:
    world = World()
    players = game(world, "2", "2")
    play(players, "0,0 hor", "0,0 ver", "0,1 hor", "1,0 ver")
    players[0].take()
    world.advance(4)
    assert players[0].take_about("game-", "player-", "grid-") == ["game-start", "game-current 1"]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("game-play 0,0", "info-malformed"),
        ("game-play 0,0 dia", "info-malformed"),
        ("game-play x,0 hor", "info-malformed"),
        ("game-play 1,1 hor", "info-warn"),
        ("game-play -1,0 ver", "info-warn"),
        ("player-rename ", "info-malformed"),
        ("player-color red", "info-malformed"),
        ("network-chat ", "info-malformed"),
        ("hello", "info-malformed"),
        ("game", "info-malformed"),
        ("weather-ask", "info-malformed"),
        ("game-dance", "unknown-game"),
        ("vote-yes", "info-malformed"),
        ("request-stop now", "network-chat -3"),
        ("request-info", "info-version 2 0"),
    ],
)
def test_bad_lines_are_answered_with_what_no_client_dies_of(line: str, answer: str) -> None:
    anna, _ = game(World(), "2", "2")
    (said,) = anna.say(line).take()
    assert said.startswith(answer)


@pytest.mark.parametrize(
    "line", ["unknown-", "unknown", "unknown-game", "info-warn no", "info-malformed", "bad-syntax x"]
)
def test_complaints_are_never_answered(line: str) -> None:
    anna, _ = game(World(), "2", "2")
    assert anna.say(line).take() == []


@pytest.mark.parametrize(
    "line", ["game-play 0,0 hor", "player-rename Eve", "network-chat hi", "request-start", "request-stop"]
)
def test_who_is_not_in_can_do_nothing(line: str) -> None:
    eve = connect(World(), size="2x2").send(b"info-version 2 0\n")
    eve.take()
    assert eve.send(line.encode() + b"\n").take().splitlines()[-1].startswith(b"info-warn ")
    assert eve.send(b"request-spectate\n").take().startswith(b"request-deny ")


def test_move_out_of_turn_is_refused_to_its_sender_alone() -> None:
    anna, bob = game(World(), "2", "2")
    assert bob.say("game-play 0,0 hor").take() == [f"info-warn {sentence(Refusal.NOT_YOUR_TURN)}"]
    assert anna.take() == []


def test_game_begins_when_all_have_asked_for_it() -> None:
    world = World()
    anna, bob = client(world, start="ask"), client(world, start="ask")
    anna.take()
    assert anna.say("request-start").take_about("network-chat", "game-") == ["network-chat -3 User 1 wants to start."]
    bob.say("request-restart")
    assert anna.take_about("game-") == ["game-start", "game-current 1"]
    anna.say("request-stop")
    bob.say("request-stop")
    assert anna.take_about("game-") == ["game-stop"]


def test_board_of_another_size_comes_by_way_of_none() -> None:
    world = World()
    anna, bob = client(world), client(world)
    anna.take()
    for who in (anna, bob):
        who.say("network-chat /size 4 3")
    assert anna.take_about("grid-") == ["grid-size 0x0", "grid-size 4x3", "grid-reset"]


# --- words ------------------------------------------------------------------------------------------------------------


def test_chat_is_by_id_and_of_a_spectator_by_minus_two() -> None:
    world = World()
    anna, _ = game(world, "2", "2")
    watcher = client(world).say("request-spectate")
    watcher.take()
    assert anna.say("network-chat  hello  all").take() == ["network-chat 1  hello  all"]
    assert watcher.say("network-chat nice").take() == ["network-chat 1  hello  all", "network-chat -2 nice"]
    assert anna.take() == ["network-chat -2 User 3: nice"]


def test_spectator_has_no_name_or_colour_to_change() -> None:
    world = World()
    game(world, "2", "2")
    watcher = client(world).say("request-spectate")
    watcher.take()
    for line in ("player-rename Eve", "player-color 5", "game-play 0,0 hor"):
        assert watcher.say(line).take()[0].startswith("info-warn ")


def test_user_of_3_0_is_no_player_before_being_ready() -> None:
    world = World()
    anna = client(world, start="ask")
    anna.take()
    carl = client(world, "3", start="ask")
    assert anna.take() == []
    carl.say("user-name Carl", "network-chat hi")
    assert anna.take() == ["network-chat -2 Carl: hi"]
    carl.say("game-ready")
    assert anna.take_about("player-") == ["player-add 2 Carl", f"player-color 2 {COLOURS[2]}"]
    carl.say("game-notready")
    assert anna.take_about("player-") == ["player-remove 2"]


def test_vote_of_the_others_is_told_as_a_notice() -> None:
    world = World()
    anna = client(world, features="chat,vote", start="ask")
    carl = client(world, "3", features="chat,vote", start="ask")
    anna.take()
    carl.say("vote-request shuffle")
    assert anna.take()[0] == "network-chat -3 User 2 calls a vote: shuffle."


# --- leaving ----------------------------------------------------------------------------------------------------------


def test_goodbye_is_answered_in_kind() -> None:
    anna = client(World())
    anna.take()
    assert anna.say("network-disconnect").take() == ["network-disconnect"]
    assert anna.wire.closed


def test_leaver_is_removed_once_and_the_turn_passes_on() -> None:
    world = World()
    anna, bob, carl = game(world, "2", "2", "2")
    anna.say("network-disconnect")
    assert bob.take() == ["player-remove 1", "game-current 2"]
    anna.wire.reset()
    assert bob.take() == []
    carl.take()


def test_game_is_stopped_before_its_last_but_one_is_removed() -> None:
    world = World()
    anna, bob = game(world, "2", "2")
    bob.wire.reset()
    assert anna.take()[:2] == ["game-stop", "player-remove 2"]


def test_leaver_of_a_game_that_was_stopped_passes_no_turn() -> None:
    world = World()
    anna, bob = game(world, "2", "2")
    for each in (anna, bob):
        each.say("request-stop")
    anna.take()
    bob.wire.reset()
    assert anna.take_about("game-", "player-") == ["player-remove 2"]


def test_spectator_survives_that_all_players_of_a_finished_game_go() -> None:
    world = World()
    players = game(world, "2", "2", players="2", start="auto")
    watcher = client(world, players="2").say("request-spectate")
    watcher.take()
    play(players, "0,0 hor", "0,0 ver", "0,1 hor", "1,0 ver")
    for each in players:
        each.wire.reset()
        watcher.take()
    assert watcher.heard[-1].startswith("network-chat") or "network-assign 3" in watcher.heard


def test_who_stops_playing_stays_as_a_spectator() -> None:
    world = World()
    anna, bob, carl = game(world, "2", "2", "2")
    carl.do(StandUp())
    assert carl.take() == ["network-assign -2", "player-remove 3", "game-current 1"]
    assert anna.take() == bob.take() == ["player-remove 3", "game-current 1"]


def test_who_comes_back_into_a_game_has_the_same_boxes_as_before() -> None:
    world = World()
    clients = [Client(world, "2", size="3x2") for _ in range(3)]
    world.advance(4)
    for who, move in ((0, "0,0 hor"), (1, "0,0 ver"), (2, "0,1 hor"), (0, "1,0 ver")):
        clients[who].say(f"game-play {move}")
    for each in clients:
        each.take()
    clients[0].do(StandUp()).do(TakePart())
    assert clients[0].take_about("network-assign") == ["network-assign -2", "network-assign 1"]
    again = clients[1].take()
    assert again[:2] == ["player-remove 1", "game-current 2"]
    assert again[2:].index("game-start") < again[2:].index("player-box 1 0,0")
    assert all(line in again for line in ("player-add 1 User 1", "player-line 1 ver 1,0"))


def test_house_that_stops_says_goodbye() -> None:
    world = World()
    anna = client(world)
    anna.take()
    anna.wire.link.farewell()
    world.run()
    assert anna.take() == [f"network-chat -3 {sentence(Refusal.DRAINING)}", "network-disconnect"]
    assert anna.wire.closed


def test_whoever_goes_to_another_room_sees_only_that_one() -> None:
    world = World()
    anna, _ = game(world, "2", "2")
    other = Client(world, "2", size="4x4", start="ask")
    anna.say(f"network-chat /join {other.table.id}")
    heard = anna.take()
    assert heard[:3] == ["game-stop", "network-assign -2", "player-remove 1"]
    assert [line for line in heard[3:] if line.startswith(("network-assign", "grid-size", "player-add"))] == [
        "player-add 1 User 1", "grid-size 0x0", "grid-size 4x4", "network-assign 2", "player-add 2 User 1",
    ]  # fmt: skip


# --- all together -----------------------------------------------------------------------------------------------------


def test_one_spelling_of_a_move_serves_every_connection() -> None:
    world = World()
    anna, bob = game(world, "2", "2")
    anna.say("game-play 0,0 hor")
    sent = [each.wire.transport.writes[-1] for each in (anna, bob)]
    assert sent == [b"game-play 1 0,0 hor\ngame-current 2\n"] * 2
    record = anna.table.ring[-1]
    assert anna.wire.link.session.notify(record) is bob.wire.link.session.notify(record)


def test_sizes_may_change_for_ever() -> None:
    world = World()
    anna, bob = client(world, start="ask"), client(world, start="ask")
    for before, after in pairwise([(2, 2), (5, 3), (3, 5), (50, 50), (2, 2)]):
        for each in (anna, bob):
            each.do(Wish(BOARD, (f"width={after[0]}", f"height={after[1]}")))
        assert f"grid-size {after[0]}x{after[1]}" in anna.take(), before
