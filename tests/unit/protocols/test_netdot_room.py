"""What all NetDot dialects share in a room: commands typed into the chat, other rooms, crowds and slow readers."""

from collections.abc import Iterator
from random import Random

import pytest

from parlour.core.errors import Refusal
from parlour.core.game import Options
from parlour.core.session import Do
from parlour.core.table.ballot import START
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Announced, Declined, Evicted
from parlour.core.words import (
    LOBBY,
    Cap,
    Command,
    Finished,
    Leave,
    Open,
    Play,
    Played,
    Reason,
    Record,
    Sit,
    Substitute,
    TakeChair,
    Vanish,
    Wish,
)
from parlour.languages import sentence
from parlour.protocols.netdot.dialect import REFUSALS
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.v3 import Version3
from parlour.server import limits
from tests.netdot import Client, Lan, random_moves

GAME_2X2 = ("0 0 hor", "0 0 ver", "1 0 ver", "0 1 hor")
NAMES = ("Ann", "Bob", "Cid")


@pytest.fixture
def lan() -> Iterator[Lan]:
    lan = Lan(size="3x3", features="chat,vote")
    yield lan
    lan.check()


def two(lan: Lan) -> tuple[Client, Client]:
    ann, bob = lan.join("3", "Ann"), lan.join("beta", "Bob")
    lan.heard()
    return ann, bob


# --- typed into the chat ----------------------------------------------------------------------------------------------


def test_start_and_stop_take_all_players(lan: Lan) -> None:
    ann, bob = two(lan)
    assert ann.answer("network-chat /start") == ["network-announce Ann wants to start."]
    assert bob.answer("network-chat /start")[-4:] == ["game-start", "game-join 1", "game-join 2", "game-current 1"]
    bob.say("network-chat /stop")
    assert "game-stop" in ann.answer("network-chat  /stop ")


def test_size_is_changed_for_the_next_game(lan: Lan) -> None:
    ann, bob = two(lan)
    ann.say("network-chat /size 4 5")
    assert "game-size 4 5" in bob.answer("network-chat /size 4x5")
    assert "game-size 4 5" in ann.heard()


def test_size_after_a_game_takes_the_old_board_away_first() -> None:
    lan = Lan()
    ann, bob = two(lan)
    lan.start()
    lan.play(GAME_2X2)
    lan.heard()
    ann.say("network-chat /size 3 3")
    said = bob.answer("network-chat /size 3 3")
    assert said[-2:] == ["game-stop", "game-size 3 3"]
    lan.start()
    lan.play(random_moves(3, 3, Random(1)))
    lan.check()


def test_wishes_are_counted_and_told_to_everybody(lan: Lan) -> None:
    ann, bob = two(lan)
    wishes = {
        "/bots 1": "Ann wants 1 bot (medium).",
        "/bots 2": "Ann wants 2 bots (medium).",
        "/bots 0": "Ann wants no bots.",
        "/bot easy": "Ann wants 1 bot (easy).",
        "/size 4 5": "Ann wants a board of 4 by 5 dots.",
    }
    for typed, told in wishes.items():
        assert ann.answer(f"network-chat {typed}") == [f"network-announce {told}"]
        assert bob.heard()[-1] == f"network-announce {told}"


@pytest.mark.parametrize("moves", [(), ("0 0 hor",)])
def test_game_that_is_left_by_its_bots_is_stopped_and_won_by_nobody(moves: tuple[str, ...]) -> None:
    lan = Lan(bots="1", ready="2", size="3x3")
    ann = lan.join("3", "Ann")
    lan.world.advance(5)
    lan.play(moves)
    ann.heard()
    said = ann.answer("network-chat /bots 0")
    assert "network-announce The game was stopped." in said
    assert not any("win" in line for line in said)
    [end] = [record.event for _, record in lan.world.store.log if isinstance(record.event, Finished)]
    assert (end.winners, end.reason) == ((), Reason.ABANDONED)


def test_three_who_do_not_all_tie_are_told_of_the_tie() -> None:
    end = Announced("won-together", {"winners": ("Ann", "Bob"), "scores": "Ann 2, Bob 2, Cid 0"})
    assert sentence(end) == "A tie between Ann and Bob: Ann 2, Bob 2, Cid 0."


def test_bots_come_and_go(lan: Lan) -> None:
    ann, bob = two(lan)
    ann.say("network-chat /bots 2")
    said = bob.answer("network-chat /bots 2")
    assert [line.split()[0] for line in said[1:]] == ["network-add", "game-ready"] * 2
    ann.say("network-chat /bot easy")
    assert len([line for line in bob.answer("network-chat /bot easy") if line.startswith("network-add")]) == 1
    ann.say("network-chat /bots 0")
    assert bob.answer("network-chat /bots 0")[-3:] == ["network-remove 3", "network-remove 4", "network-remove 5"]


def test_one_bot_is_no_bots(lan: Lan) -> None:
    ann, _ = two(lan)
    for wish, told in (("bots 1", "1 bot (medium)"), ("bot easy", "1 bot (easy)"), ("bots 2", "2 bots (medium)")):
        assert ann.answer(f"network-chat /{wish}") == [f"network-announce Ann wants {told}."]
    assert ann.answer("network-chat /bots 0") == ["network-announce Ann wants no bots."]


def test_nobody_wins_by_sending_the_bots_away() -> None:
    lan = Lan(bots="1", ready="2")
    ann = lan.join("3", "Ann")
    lan.world.advance(5)
    assert "game-start" in ann.heard()
    assert ann.answer("network-chat /bots 0") == [
        "network-announce Ann wants no bots.",
        "game-stop",
        "network-announce The game was stopped.",
        "network-remove 2",
    ]
    lan.world.advance(5)
    assert lan.world.tables[0].result == Finished((), (0, 0), Reason.ABANDONED)


def test_bot_that_is_not_needed_leaves_a_game_that_goes_on(lan: Lan) -> None:
    lan.keys |= {"bots": "1", "ready": "3"}
    ann, bob = lan.join("3", "Ann"), lan.join("3", "Bob")
    lan.world.advance(5)
    lan.heard()
    bob.say("network-chat /bots 0")
    assert ann.answer("network-chat /bots 0")[-2:] == ["game-current 1", "network-remove 2"]
    assert lan.world.tables[0].running


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("/size 3", "network-announce It is /size W H, in dots."),
        ("/size 1 1", "info-warn These settings do not work for this game."),
        ("/bots many", "network-announce It is /bots N."),
        ("/bots 99", "info-warn These settings do not work for this game."),
        ("/bot", "network-announce It is /bot LEVEL, one of "),
        ("/bot genius", "network-announce It is /bot LEVEL, one of "),
        ("/join", "network-announce It is /join ID; /tables lists them."),
        ("/join nowhere", "info-warn There is no such table."),
        ("/stop", "info-warn No game is running at this table."),
        ("/dance", "network-announce There is no such command; /help lists them."),
        ("/", "network-announce There is no such command; /help lists them."),
        ("/start now", "network-announce There is no such command; /help lists them."),
        ("/help", "network-announce /start or /stop the game"),
    ],
)
def test_answers_go_to_the_sender_alone(lan: Lan, text: str, answer: str) -> None:
    ann, bob = two(lan)
    said = ann.answer(f"network-chat {text}")
    assert said[0].startswith(answer)
    assert bob.heard() == []


def test_tables_are_listed_and_joined(lan: Lan) -> None:
    lan.keys["full"] = "room"
    lan.keys["players"] = "2"
    ann, bob = two(lan)
    zoe = lan.join("3", "Zoe")
    first, second = (table.id for table in lan.world.tables)
    assert zoe.answer("network-chat /tables") == [
        f"network-announce {first}: 3x3, 2 here, in the lobby",
        f"network-announce {second}: 3x3, 1 here, in the lobby, you are here",
    ]
    lan.heard()
    zoe.witness.moving = True
    said = zoe.answer(f"network-chat /join {first}")
    assert said[:3] == ["network-assign 3", "network-remove 1", "network-add 1 -1697461 Ann"]
    assert ann.heard() == ["network-add 3 -12360744 Zoe", "game-ready 3"], "ready there, as she was here"
    assert len(lan.world.tables) == 1, "nobody is left in the other"
    assert zoe.answer("network-chat here I am") == ["network-chat 3 here I am"]
    assert bob.heard()[-1] == "network-chat 3 here I am"


def test_who_changes_rooms_forgets_everybody_but_not_the_connection(lan: Lan) -> None:
    lan.keys["full"] = "room"
    lan.keys["players"] = "2"
    clients = [lan.join("3", name) for name in ("Ann", "Bob", "Cid", "Dan")]
    for client in clients:
        client.say("request-start")
    lan.heard()
    first = lan.world.tables[0].id
    dan = clients[3]
    dan.witness.moving = True
    said = dan.answer(f"network-chat /join {first}")
    assert said[:4] == ["game-stop", "network-remove 1", "network-assign 3", "network-remove 2"]
    assert "game-start" in said
    assert not dan.gone
    assert clients[2].heard()[::2] == ["game-stop", "network-remove 2"]


@pytest.mark.parametrize("ready", [False, True])
def test_who_changes_rooms_is_as_ready_as_before(lan: Lan, ready: bool) -> None:
    lan.join("3", "Ann")
    lan.keys["players"] = "3"
    zoe = lan.join("3", "Zoe", ready=ready)
    lan.heard()
    zoe.witness.moving = True
    said = zoe.answer(f"network-chat /join {lan.world.tables[0].id}")
    assert ("game-ready 2" in said) is ready
    assert ("game-ready 2" in lan.clients[0].heard()) is ready


def act(lan: Lan, who: Participant, command: Command) -> None:
    """A person whose wire is not looked at does this."""
    lan.world.house.wake()
    lan.world.house.submit(who, command)
    lan.world.run()


def opened_elsewhere(lan: Lan, game: str = "dots", members: int = 1) -> tuple[Table, list[Participant]]:
    """A table with two chairs that people of another wire have opened, on 3x3 where it is dots."""
    people = [Participant(lambda _: None, name, "web", Cap.ALL) for name in ("Gus", "Hal")[:members]]
    board: Options = {"width": 3, "height": 3} if game == "dots" else {}
    act(lan, people[0], Open(game, board, policy=LOBBY))
    table = lan.world.tables[-1]
    for other in people[1:]:
        act(lan, other, TakeChair(table.id))
    return table, people


@pytest.mark.parametrize("dialect", ["1", "2", "beta", "3"])
def test_two_who_meet_at_a_table_have_colours_of_their_own(lan: Lan, dialect: str) -> None:
    table, _ = opened_elsewhere(lan)
    ann = lan.join(dialect)
    ann.witness.moving = True
    ann.say(f"network-chat /join {table.id}")
    assert table.running
    colours = [member.shown_colour for member in table.party.cast]
    assert colours == [-1697461, -12798901], "though both were the first in a room"
    said = ann.heard()
    for colour in colours:
        assert [line for line in said if f" {colour}" in line], f"{ann.dialect} is told of {colour}"


def test_heir_of_a_seat_without_boxes_sees_its_lines_as_their_own(lan: Lan) -> None:
    table, (gus, hal) = opened_elsewhere(lan, members=2)
    act(lan, gus, Play("h 0 0"))
    act(lan, hal, Play("h 1 0"))
    ann = lan.join("2")
    watching = ann.answer(f"network-chat /join {table.id}")
    assert watching[-2:] == ["player-line 1 hor 0,0", "player-line 2 hor 1,0"]
    act(lan, hal, Leave())
    said = ann.heard()
    assert said[0] == "player-rename 2 Disconnected"
    assert "player-remove 2" in said
    assert "player-add 2 Disconnected" not in said
    assert said[-2:] == ["player-line 1 hor 0,0", "player-line 3 hor 1,0"]


GONE_ON = {
    "1": ("player-rename 1 Parlour (medium)", "player-color 1 -12360744", "game-play 1 false 1, 0"),
    "2": ("player-add 3 Parlour (medium)", "player-remove 2", "player-line 3 ver 0,0", "player-box 3 0,0",
          "game-play 3 1,0 hor"),
    "beta": ("network-add 3 -12360744 Parlour (medium)", "game-join 3", "game-current 3", "network-remove 2",
             "game-line 3 1 0 hor"),
    "3": ("network-add 3 -12360744 Parlour (medium)", "game-join 3", "game-box 3 0 0", "game-current 3",
          "network-remove 2", "game-line 3 1 0 hor"),
}  # fmt: skip
"""What a client hears of an engine that plays on with the lines, the box and the turn of a player who has vanished."""


@pytest.mark.parametrize("dialect", GONE_ON)
def test_engine_plays_on_for_one_who_has_vanished(lan: Lan, dialect: str) -> None:
    ann = lan.join(dialect)
    (table,) = lan.world.tables
    me, wes = ann.wire.link.participant, Participant(lambda _: None, "Wes", "web", Cap.ALL)
    assert me is not None
    act(lan, wes, Sit(table.id))
    for who in (me, wes):
        act(lan, who, Wish(START))
    for who, move in ((me, "h 0 0"), (wes, "v 0 0"), (me, "v 1 0"), (wes, "h 0 1")):
        act(lan, who, Play(move))
    act(lan, wes, Vanish())
    lan.world.advance(table.policy.claim + 1)
    ann.heard()
    act(lan, me, Substitute(1))
    said = ann.heard()
    assert sorted(GONE_ON[dialect], key=said.index) == list(GONE_ON[dialect]), "all of them, in this order"


def test_room_of_another_game_is_no_place_for_netdot(lan: Lan) -> None:
    table, _ = opened_elsewhere(lan, "connect4")
    ann, bob = two(lan)
    assert len(ann.answer("network-chat /tables")) == 1
    assert bob.answer(f"network-chat /join {table.id}") == ["info-warn There is no such table."]
    assert len(table.party.members) == 1


# --- refusals and ends ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["3", "beta"])
@pytest.mark.parametrize("why", list(Refusal))
def test_every_refusal_has_words(lan: Lan, dialect: str, why: Refusal) -> None:
    client = lan.join(dialect)
    client.heard()
    session = client.wire.link.session
    assert isinstance(session, Version3)
    assert session.notify(Declined(Leave(), why)) == (f"info-warn {REFUSALS[why]}\n".encode(),)
    said, _ = session.notify(Evicted(why))
    assert said == f"network-announce {REFUSALS[why]}\n".encode()
    said, _ = session.notify(Declined(session.plan.enter, why))
    assert isinstance(said, bytes)
    assert said.startswith(b"request-deny " if dialect == "3" else b"info-warn ")


def test_stop_of_the_server_is_announced(lan: Lan) -> None:
    ann, bob = two(lan)
    early = lan.connect("3").say("info-version 3 0")
    early.heard()
    for client in (ann, bob, early):
        client.wire.link.farewell()
    lan.world.run()
    assert ann.heard()[-1] == bob.heard()[-1] == "network-announce The server is about to stop."
    assert early.heard() == ["request-deny The server is about to stop."]
    assert ann.gone


def test_flood_of_chat_is_asked_to_slow_down_and_nobody_is_thrown_out(lan: Lan) -> None:
    ann, _ = two(lan)
    ann.say(*["network-chat x"] * (int(limits.BURST) + 50))
    assert any("50 a second" in line for line in ann.heard())
    lan.world.advance(5)
    assert not ann.gone


# --- crowds -----------------------------------------------------------------------------------------------------------


def test_sixteen_play_before_five_hundred_and_everybody_sees_every_line_in_order() -> None:
    lan = Lan(size="5x5")
    players = [lan.join("3" if number % 2 else "beta") for number in range(16)]
    watchers = [lan.join("3", ready=False) for _ in range(500)]
    for player in players:
        player.say("request-start")
    lan.heard()
    lan.play(random_moves(5, 5, Random(5)))
    everything = lan.heard()
    drawn = [[line for line in said if line.startswith("game-")] for said in everything]
    assert len([line for line in drawn[0] if line.startswith("game-line")]) == 40
    assert len([line for line in drawn[0] if line.startswith("game-box")]) == 16
    assert all(lines == drawn[0] for lines in drawn[1:])
    assert len(watchers) == 500


def test_reader_who_stops_reading_is_dropped_and_nobody_waits_for_it() -> None:
    lan = Lan(size="5x5")
    ann, bob = two(lan)
    deaf = lan.join("3", "Zed", ready=False)
    lan.start()
    lan.heard()
    deaf.wire.link.pause_writing()
    moves = random_moves(5, 5, Random(7))
    lan.play(moves[:10])
    assert len([line for line in ann.heard() if line.startswith("game-line")]) == 10
    assert deaf.heard() == []
    lan.world.advance(limits.STALLED_SECONDS + 1)
    assert deaf.gone
    deaf.wire.reset()
    assert "network-remove 3" in bob.heard()
    lan.play(moves[10:])
    lan.check()


# --- the hot path -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["3", "beta"])
def test_move_is_spelled_once_for_all_who_watch(dialect: str) -> None:
    lan = Lan()
    first, second = lan.join(dialect), lan.join(dialect)
    lan.start()
    lan.play(["0 0 hor"])
    record = lan.world.store.log[-1][1]
    assert isinstance(record.event, Played)
    again = Record(record.seq, record.at, record.event)
    [said] = first.wire.link.session.notify(again)
    assert second.wire.link.session.notify(again)[0] is said
    assert said == b"game-line 1 0 0 hor\ngame-current 2\n"


def test_move_is_read_once_for_all_who_play() -> None:
    lan = Lan()
    ann, bob = lan.join("3"), lan.join("3")
    lan.start()
    line = Line("game", "line", "0 0 ver")
    one, other = (client.wire.link.session for client in (ann, bob))
    assert isinstance(one, Version3)
    outputs = one.receive(line)
    assert isinstance(outputs[0], Do)
    assert other.receive(line) is outputs
