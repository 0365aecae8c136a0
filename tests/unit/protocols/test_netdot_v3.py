"""NetDot 3.0 and its beta on our server: every command in every state, and what everybody else hears of it."""

from collections.abc import Callable, Iterator

import pytest

from parlour.core.session import Do
from parlour.protocols.netdot.extensions import Sketch
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.phases import USAGE, State, taken
from parlour.protocols.netdot.v3 import PING_SECONDS
from tests.netdot import Client, Lan

GAME_2X2 = ("0 0 hor", "0 0 ver", "1 0 ver", "0 1 hor")

NewLan = Callable[..., Lan]


@pytest.fixture
def lan() -> Iterator[NewLan]:
    """Makes servers; in the end everything they have said is held against what kills and what is allowed."""
    made: list[Lan] = []

    def new(**keys: str) -> Lan:
        made.append(Lan(**keys))
        return made[-1]

    yield new
    for each in made:
        each.check()


def two(lan: Lan, dialect: str = "3") -> tuple[Client, Client]:
    """Two who are ready, with nothing unread."""
    ann, bob = lan.join(dialect, "Ann"), lan.join(dialect, "Bob")
    lan.heard()
    return ann, bob


def playing(lan: Lan, dialect: str = "3") -> tuple[Client, Client]:
    ann, bob = two(lan, dialect)
    lan.start()
    lan.heard()
    return ann, bob


# --- Talk -----------------------------------------------------------------------------------------------------------


def test_info_is_version_then_features_then_what_is_not_default(lan: NewLan) -> None:
    client = lan(features="vote,random-start").connect()
    client.say("info-version 3 0", "info-features chat vote")
    assert client.heard() == ["request-info"]
    assert client.answer("request-info") == [
        "info-version 3 0",
        "info-features chat vote random-start random-order",
        "feature-enable random-start vote",
        "feature-disable chat",
    ]
    joined = client.answer("request-join")
    assert joined[0] == "network-assign 1", "the features are known already"


def test_features_come_before_the_id_for_who_never_asked(lan: NewLan) -> None:
    client = lan(features="chat,vote").connect().say("info-version 3 0")
    client.heard()
    assert client.answer("request-join")[:2] == ["feature-enable vote", "network-assign 1"]


def test_message_of_the_day(lan: NewLan) -> None:
    client = lan(motd="Be nice.").connect().say("info-version 3 0")
    assert client.answer("request-motd") == ["info-motd Be nice."]


@pytest.mark.parametrize(
    ("wish", "added"),
    [
        ("request-join color -65536 name Ann B. Smith", "network-add 1 -65536 Ann B. Smith"),
        ("request-join color 16711680", "network-add 1 -65536 User 1"),
        ("request-join name color 5", "network-add 1 -1697461 color 5"),
        ("request-join name   two  blanks ", "network-add 1 -1697461 two  blanks"),
        ("request-join", "network-add 1 -1697461 User 1"),
        ("request-join name ", "network-add 1 -1697461 User 1"),
        ("request-join name \u2028\x07", "network-add 1 -1697461 User 1"),
        ("request-join name " + "x" * 300, "network-add 1 -1697461 " + "x" * 64),
    ],
)
def test_who_joins_gets_an_id_and_the_room(lan: NewLan, wish: str, added: str) -> None:
    client = lan(size="3x4").connect().say("info-version 3 0")
    client.heard()
    assert client.answer(wish) == ["network-assign 1", added, "game-size 3 4"]


@pytest.mark.parametrize("wish", ["color red", "color", "color 4294901760", "color #ff0000 name A", "please", "Ann"])
def test_join_that_cannot_be_read_may_be_repeated(lan: NewLan, wish: str) -> None:
    client = lan().connect().say("info-version 3 0")
    client.heard()
    [said] = client.answer(f"request-join {wish}")
    assert said.startswith("info-malformed ")
    assert "network-assign 1" in client.answer("request-join")


def test_newcomer_hears_who_is_ready_and_the_others_hear_of_the_newcomer(lan: NewLan) -> None:
    here = lan()
    ann = here.join("3", "Ann")
    here.join("3", "Bob", ready=False)
    here.join("beta")
    here.heard()
    zoe = here.connect().say("info-version 3 0")
    zoe.heard()
    said = zoe.answer("request-join name Zoe")
    assert said[0] == "network-assign 4"
    assert [line.split()[1] for line in said[1:5]] == ["1", "2", "3", "4"]
    assert said[5:] == ["game-ready 1", "game-ready 3", "game-size 2 2"]
    assert ann.heard() == [said[4]]


def test_house_that_takes_nobody_denies_with_a_reason_and_closes(lan: NewLan) -> None:
    here = lan()
    three, beta = here.connect(), here.connect("beta")
    three.say("info-version 3 0").heard()
    beta.say("info-version 2 0", "request-info").heard()
    here.world.hub.drain()
    assert three.answer("request-join") == ["request-deny The server is about to stop."]
    assert beta.answer("request-join") == ["info-warn The server is about to stop."]
    assert three.gone
    assert beta.gone


# --- every command in every state -------------------------------------------------------------------------------------

GOOD_ARGUMENTS = {
    "info-version": "3 0",
    "info-features": "chat",
    "vote-request": "shuffle",
    "network-chat": "hello",
    "user-name": "Zed",
    "user-color": "-5",
    "game-line": "0 0 hor",
    "game-box": "1 0 0",
}


def in_state(lan: Lan, state: State) -> Client:
    """Somebody for whom this is the state, alone with it."""
    if state is State.TALK:
        client = lan.connect().say("info-version 3 0")
    elif state is State.LOBBY:
        client = two(lan)[0]
    else:
        client = playing(lan)[0]
    client.heard()
    return client


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("word", sorted(USAGE))
def test_every_command_is_taken_in_its_states_and_warned_of_in_others(lan: NewLan, word: str, state: State) -> None:
    here = lan(features="chat,vote")
    client = in_state(here, state)
    tables = len(here.world.tables)
    log = len(here.world.store.log)
    [*said] = client.answer(f"{word} {GOOD_ARGUMENTS.get(word, '')}".rstrip())
    warned = bool(said) and said[0].startswith("info-warn ")
    if taken(word, state):
        pointless = word in ("vote-yes", "vote-no") or (word == "game-join" and state is State.PLAYING)
        assert warned == pointless, "there is nothing to vote on, and who plays cannot join"
    else:
        assert warned
        assert len(said) == 1
        assert len(here.world.store.log) == log
        assert len(here.world.tables) == tables
    assert not client.gone
    if client.witness.state is not State.TALK:
        assert client.answer("network-ping") == ["network-pong"]


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("hello", "info-malformed "),
        ("game", "info-malformed "),
        ("-", "info-malformed "),
        ("game-", "info-malformed "),
        ("game-dance", "unknown-game"),
        ("request-spectate", "unknown-request"),
        ("player-rename Ann", "unknown-"),
        ("GAME-line 0 0 hor", "unknown-"),
        ("chess-move", "unknown-"),
    ],
)
def test_what_is_no_command_is_named_so(lan: NewLan, state: State, line: str, answer: str) -> None:
    client = in_state(lan(), state)
    [said] = client.answer(line)
    assert said.startswith(answer)
    assert not client.gone


@pytest.mark.parametrize("state", list(State))
def test_complaints_are_never_answered(lan: NewLan, state: State) -> None:
    client = in_state(lan(), state)
    assert client.answer("unknown-", "unknown", "unknown-game", "info-warn x", "info-malformed", "bad-syntax y") == []


@pytest.mark.parametrize(
    "line",
    [
        "network-chat",
        "network-chat   ",
        "user-color",
        "user-color red",
        "user-color 4294901760",
        "user-color 1 2",
        "vote-request",
        "vote-request kick",
        "vote-request enable",
    ],
)
@pytest.mark.parametrize("state", [State.LOBBY, State.PLAYING])
def test_bad_arguments_are_malformed_and_change_nothing(lan: NewLan, state: State, line: str) -> None:
    here = lan(features="chat,vote")
    client = in_state(here, state)
    [said] = client.answer(line)
    assert said.startswith("info-malformed ")
    assert here.clients[1].heard() == []


@pytest.mark.parametrize("args", ["", "0", "0 0", "0 0 up", "a 0 hor", "0,0 hor", "99999999999 0 hor"])
def test_bad_line_is_malformed_for_its_sender_alone(lan: NewLan, args: str) -> None:
    here = lan()
    ann, bob = playing(here)
    [said] = ann.answer(f"game-line {args}")
    assert said.startswith("info-malformed ")
    assert bob.heard() == []


def test_line_too_long_is_malformed_and_the_next_is_read(lan: NewLan) -> None:
    ann, _ = two(lan())
    said = ann.answer("network-chat " + "x" * 5000, "network-ping")
    assert said[0].startswith("info-malformed ")
    assert said[-1] == "network-pong"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_tail_of_a_line_that_is_too_long_is_not_taken_for_a_command(lan: NewLan, end: str) -> None:
    here = lan()
    ann, bob = playing(here)
    for piece in ("network-chat " + "x" * 5000, "y" * 5000, f"game-line 0 0 hor{end}"):
        ann.wire.send(piece.encode())
        here.world.advance(1)
    assert ann.heard() == ["info-malformed line longer than 4096 bytes"]
    assert bob.heard() == []
    assert ann.answer("game-line 0 0 hor") == ["game-line 1 0 0 hor", "game-current 2"]


# --- users ------------------------------------------------------------------------------------------------------------


def test_chat_reaches_everybody_with_the_speakers_id(lan: NewLan) -> None:
    here = lan()
    ann, bob = two(here)
    assert ann.answer("network-chat  hello  there ") == ["network-chat 1  hello  there "]
    assert bob.heard() == ["network-chat 1  hello  there "]


def test_chat_that_is_off_is_warned_of_but_commands_work(lan: NewLan) -> None:
    here = lan(features="")
    ann, bob = two(here)
    assert ann.answer("network-chat hello") == ["info-warn Chat is switched off here."]
    assert ann.answer("network-chat /help")
    assert bob.heard() == []


def test_name_and_colour_come_back_to_everybody(lan: NewLan) -> None:
    here = lan()
    ann, bob = two(here)
    assert ann.answer("user-name Ann-Marie  B") == ["user-name 1 Ann-Marie  B"]
    assert ann.answer("user-color 255") == ["user-color 1 -16776961"]
    assert bob.heard() == ["user-name 1 Ann-Marie  B", "user-color 1 -16776961"]


def test_empty_name_is_refused_and_the_old_one_stays(lan: NewLan) -> None:
    here = lan()
    ann, bob = two(here)
    assert ann.answer("user-name  ", "user-name") == ["info-warn That name cannot be used."] * 2
    assert bob.heard() == []
    assert here.world.tables[0].party.members[1].name == "Ann"


def test_ready_and_not_ready_are_told_in_the_lobby(lan: NewLan) -> None:
    here = lan()
    ann, bob = two(here)
    assert ann.answer("game-notready") == ["game-notready 1"]
    assert ann.answer("game-notready") == []
    assert bob.heard() == ["game-notready 1"]


def test_leaving_is_a_closed_connection_or_a_goodbye(lan: NewLan) -> None:
    here = lan()
    ann, bob = two(here)
    zoe = here.join("beta", "Zoe")
    here.heard()
    bob.wire.end_of_file()
    zoe.say("network-disconnect")
    assert zoe.gone
    assert ann.heard() == ["network-remove 2", "network-remove 3"]


# --- heartbeat --------------------------------------------------------------------------------------------------------


def test_silent_user_of_three_is_dropped_after_two_missed_pings_and_a_beta_never_pinged(lan: NewLan) -> None:
    here = lan()
    mute, lively, beta = here.join("3"), here.join("3"), here.join("beta")
    here.heard()
    for _ in range(2):
        here.world.advance(PING_SECONDS + 0.1)
        assert mute.heard() == ["network-ping"]
        assert lively.heard() == ["network-ping"]
        lively.say("network-pong")
    here.world.advance(PING_SECONDS + 0.1)
    assert mute.gone
    assert not lively.gone
    assert sorted(lively.heard()) == ["network-ping", "network-remove 1"]
    assert "network-ping" not in beta.heard()
    assert not beta.gone


# --- a game -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["3", "beta"])
def test_whole_game_line_by_line(lan: NewLan, dialect: str) -> None:
    here = lan()
    ann, bob = two(here, dialect)
    here.start()
    begun = ann.heard()
    assert begun[-4:] == ["game-start", "game-join 1", "game-join 2", "game-current 1"]
    assert bob.heard()[-4:] == begun[-4:]
    here.play(GAME_2X2)
    expected = [
        "game-line 1 0 0 hor",
        "game-current 2",
        "game-line 2 0 0 ver",
        "game-current 1",
        "game-line 1 1 0 ver",
        "game-current 2",
        "game-line 2 0 1 hor",
        "game-box 2 0 0",
        "network-announce Bob wins: Ann 0, Bob 1.",
    ]
    assert ann.heard() == expected
    assert bob.heard() == expected
    assert ann.answer("game-line 0 0 hor") == ["info-warn No game is running at this table."]


def test_one_line_may_close_two_boxes(lan: NewLan) -> None:
    here = lan(size="3x2")
    ann, _ = playing(here)
    here.play(["0 0 hor", "1 0 hor", "0 1 hor", "1 1 hor", "0 0 ver", "2 0 ver", "1 0 ver"])
    said = ann.heard()
    assert said[-4:-1] == ["game-line 1 1 0 ver", "game-box 1 0 0", "game-box 1 1 0"]


def test_box_keeps_the_turn_and_says_so(lan: NewLan) -> None:
    here = lan(size="3x2")
    ann, _ = playing(here)
    here.play(["0 0 hor", "0 0 ver", "0 1 hor", "1 0 ver"])
    assert ann.heard()[-3:] == ["game-line 2 1 0 ver", "game-box 2 0 0", "game-current 2"]


@pytest.mark.parametrize(
    ("who", "move", "why"),
    [
        (0, "0 0 hor", "That place is already taken."),
        (0, "1 0 hor", "That is outside the board."),
        (0, "-1 0 ver", "That is outside the board."),
        (1, "0 1 hor", "It is not your turn."),
        (2, "0 1 hor", "You have no seat at this table."),
    ],
)
def test_illegal_move_is_warned_of_and_nobody_else_hears(lan: NewLan, who: int, move: str, why: str) -> None:
    here = lan()
    playing(here)
    here.join("3", ready=False)
    here.play(["0 0 hor", "0 0 ver"])
    here.heard()
    assert here.clients[who].answer(f"game-line {move}") == [f"info-warn {why}"]
    assert [client.heard() for client in here.clients] == [[], [], []]


def test_id_in_a_move_means_nothing(lan: NewLan) -> None:
    here = lan()
    ann, _ = playing(here)
    assert ann.answer("game-line 2 0 0 hor") == ["game-line 1 0 0 hor", "game-current 2"]


def test_latecomer_is_shown_the_whole_game(lan: NewLan) -> None:
    here = lan(size="3x2")
    playing(here)
    here.play(["0 0 hor", "0 0 ver", "0 1 hor", "1 0 ver"])
    zoe = here.connect().say("info-version 3 0")
    zoe.heard()
    said = zoe.answer("request-join name Zoe")
    assert said[0] == "network-assign 3"
    assert [line.split()[0] for line in said[1:4]] == ["network-add"] * 3
    assert said[4:] == [
        "game-ready 1",
        "game-ready 2",
        "game-size 3 2",
        "game-start",
        "game-join 1",
        "game-join 2",
        "game-line 1 0 0 hor",
        "game-line 1 0 1 hor",
        "game-line 2 0 0 ver",
        "game-line 2 1 0 ver",
        "game-box 2 0 0",
        "game-current 2",
    ]


def test_finished_board_stays_for_latecomers_without_a_turn(lan: NewLan) -> None:
    here = lan()
    playing(here)
    here.play(GAME_2X2)
    zoe = here.join("beta")
    said = zoe.heard()
    assert "game-box 2 0 0" in said
    assert not [line for line in said if line.startswith("game-current")]


def test_owner_who_has_gone_is_added_before_and_removed_after(lan: NewLan) -> None:
    here = lan(size="3x3")
    ann, bob, _ = (here.join("3", name) for name in ("Ann", "Bob", "Cid"))
    here.start()
    here.play(["0 0 hor", "0 1 hor"])
    bob.wire.reset()
    assert ann.heard()[-2:] == ["game-current 3", "network-remove 2"]
    said = here.join("3", "Zoe", ready=False).heard()
    adds = [line for line in said if line.startswith("network-add")]
    assert [line.split()[1] for line in adds] == ["1", "2", "3", "4"]
    assert "game-line 2 0 1 hor" in said
    assert said[-1] == "network-remove 2"
    assert "game-join 2" not in said


def test_player_on_turn_who_leaves_the_game_passes_the_turn_and_stays(lan: NewLan) -> None:
    here = lan(size="3x3")
    ann, bob, cid = (here.join("3", name) for name in ("Ann", "Bob", "Cid"))
    here.start()
    here.heard()
    assert ann.answer("game-leave") == ["game-leave 1", "game-current 2"]
    assert bob.heard() == ["game-leave 1", "game-current 2"]
    assert ann.answer("game-line 0 0 hor") == ["info-warn You have no seat at this table."]
    assert ann.answer("game-join") == ["game-join 1"]
    assert ann.answer("game-join") == ["info-warn You already sit at a table."]
    assert cid.heard()[-1] == "game-join 1"


def test_spectator_may_take_a_seat_that_became_free_and_plays_last(lan: NewLan) -> None:
    here = lan(size="3x3")
    ann, bob, cid = (here.join("3", name) for name in ("Ann", "Bob", "Cid"))
    here.start()
    zoe = here.join("3", "Zoe", ready=False)
    here.heard()
    assert zoe.answer("game-join") == ["info-warn Every seat at this table is taken."]
    bob.say("game-leave")
    assert zoe.answer("game-join")[-1] == "game-join 4"
    here.heard()
    here.play(["0 0 hor", "1 0 hor"])
    assert ann.heard() == ["game-line 1 0 0 hor", "game-current 3", "game-line 3 1 0 hor", "game-current 4"]
    assert cid.heard()[-1] == "game-current 4"


@pytest.mark.parametrize("way", ["leave the game", "close"])
def test_last_opponent_gone_ends_the_game(lan: NewLan, way: str) -> None:
    here = lan()
    ann, bob = playing(here)
    if way == "close":
        bob.wire.end_of_file()
        assert ann.heard() == ["game-stop", "network-announce Ann wins: Ann 0, Bob 0.", "network-remove 2"]
    else:
        bob.say("game-leave")
        assert ann.heard()[:2] == ["game-leave 2", "game-stop"]


def test_more_ready_users_than_players_watch(lan: NewLan) -> None:
    here = lan(players="2")
    ann, bob, cid = (here.join("3", name) for name in ("Ann", "Bob", "Cid"))
    ann.say("request-start")
    bob.say("request-start")
    start = ["game-start", "game-join 1", "game-join 2", "game-leave 3", "game-current 1"]
    assert cid.heard()[-5:] == start


def test_game_may_be_played_again_and_every_player_is_named_again(lan: NewLan) -> None:
    here = lan()
    ann, _ = playing(here, "beta")
    here.play(GAME_2X2)
    here.heard()
    here.start()
    assert ann.heard()[-4:] == ["game-start", "game-join 1", "game-join 2", "game-current 1"]


def test_readiness_after_the_end_counts_and_is_told_in_the_lobby_only(lan: NewLan) -> None:
    here = lan(size="2x2", features="chat,vote")
    ann, bob = playing(here)
    zoe = here.join("3", "Zoe", ready=False)
    here.play(GAME_2X2)
    here.heard()
    assert zoe.answer("game-ready") == ["network-announce You play in the next game."]
    assert bob.answer("game-notready") == ["network-announce You do not play in the next game."]
    assert ann.heard() == []
    ann.say("vote-request restart")
    for client in (ann, bob, zoe):
        client.say("vote-yes")
    said = ann.heard()
    begin = said.index("game-start")
    assert said[begin : begin + 4] == ["game-start", "game-join 1", "game-join 3", "game-current 1"]
    assert "game-leave 2" in said[begin:]


def test_latecomer_who_is_ready_plays_the_next_game_that_begins_by_itself(lan: NewLan) -> None:
    here = lan(ready="2")
    ann, bob = two(here)
    here.world.advance(5)
    zoe = here.join("3", "Zoe", ready=False)
    here.heard()
    assert zoe.answer("game-ready") == ["network-announce You play in the next game."]
    assert ann.heard() == [], "the document has no word for it in Playing"
    here.play(GAME_2X2)
    here.world.advance(5)
    for client in (ann, bob, zoe):
        start = ["game-start", "game-join 1", "game-join 2", "game-join 3", "game-current 1"]
        assert client.heard()[-5:] == start


def test_player_who_is_not_ready_plays_on_and_watches_the_next_game(lan: NewLan) -> None:
    here = lan(ready="2")
    ann, bob = two(here)
    here.join("3", "Zoe")
    here.world.advance(5)
    assert bob.answer("game-notready")[-1] == "network-announce You do not play in the next game."
    here.heard()
    here.play(["0 0 hor", "0 0 ver", "1 0 ver", "0 1 hor"])
    here.world.advance(5)
    said = ann.heard()
    begin = said.index("game-start")
    assert said[begin:] == ["game-start", "game-join 1", "game-join 3", "game-current 1", "game-leave 2"]


def test_automatic_start_counts_down_before_everybody(lan: NewLan) -> None:
    here = lan(ready="2")
    ann, bob = two(here)
    here.world.advance(5)
    said = bob.heard()
    assert said[0].startswith("network-announce The game starts in")
    assert said[-4:] == ["game-start", "game-join 1", "game-join 2", "game-current 1"]
    here.play(GAME_2X2)
    here.world.advance(5)
    assert ann.heard()[-4:] == ["game-start", "game-join 1", "game-join 2", "game-current 1"]


def test_bots_play_along(lan: NewLan) -> None:
    here = lan(bots="1", ready="2")
    ann = here.join("3", "Ann")
    here.world.advance(5)
    here.play(["0 1 hor"])
    assert [line for line in ann.heard() if line.startswith("game-line")] == [
        "game-line 1 0 1 hor",
        "game-line 2 0 0 hor",
    ]


# --- votes and features -----------------------------------------------------------------------------------------------


def test_vote_is_opened_answered_and_ended_after_its_effect(lan: NewLan) -> None:
    here = lan(features="chat,vote")
    ann, bob = two(here)
    assert ann.answer("vote-request restart") == ["vote-start restart"]
    assert bob.heard() == ["vote-start restart"]
    assert bob.answer("vote-request shuffle") == ["info-warn Another vote is still open."]
    bob.say("vote-yes")
    said = ann.answer("vote-yes")
    assert said == [
        "network-announce Vote passed: start a new game.",
        "game-start",
        "game-join 1",
        "game-join 2",
        "game-current 1",
        "vote-end",
    ]


@pytest.mark.parametrize(
    ("request_", "start", "effect"),
    [
        ("disable chat", "vote-start disable chat", "feature-disable chat"),
        ("enable random-order", "vote-start enable random-order", "feature-enable random-order"),
        ("shuffle", "vote-start shuffle", "network-announce The next game will be played in a new order."),
        ("lobby", "vote-start lobby", "game-stop"),
        ("kick 2 too  loud", "vote-start kick 2 too  loud", "network-remove 2"),
    ],
)
def test_passed_vote_does_what_it_says(lan: NewLan, request_: str, start: str, effect: str) -> None:
    here = lan(features="chat,vote")
    ann, bob = playing(here)
    zoe = here.join("3", "Zoe")
    here.heard()
    assert ann.answer(f"vote-request {request_}") == [start]
    zoe.say("vote-yes")
    said = ann.answer("vote-yes")
    assert effect in said
    assert said.index("vote-end") > said.index(effect)
    if effect == "network-remove 2":
        assert bob.heard()[-1] == "network-announce You have been sent away: too  loud"
        assert bob.gone


@pytest.mark.parametrize(
    ("features", "request_", "why"),
    [
        ("chat", "restart", "Voting is switched off here."),
        ("vote", "tea", "That cannot be voted on."),
        ("vote", "enable lobby-art", "That cannot be voted on."),
        ("vote", "kick 9", "There is no such user here."),
        ("vote", "kick Bob", "There is no such user here."),
        ("vote", "lobby", "No game is running at this table."),
    ],
)
def test_vote_that_cannot_be_is_warned_of(lan: NewLan, features: str, request_: str, why: str) -> None:
    here = lan(features=features)
    ann, bob = two(here)
    assert ann.answer(f"vote-request {request_}") == [f"info-warn {why}"]
    assert bob.heard() == []


def test_beta_has_no_vote_and_hears_only_the_result(lan: NewLan) -> None:
    here = lan(features="chat,vote")
    ann, _ = two(here)
    beta = here.join("beta")
    here.heard()
    ann.say("vote-request shuffle", "vote-yes")
    here.clients[1].say("vote-yes")
    said = beta.heard()
    assert said[0] == "network-announce Vote passed: change the order of players."
    assert not [line for line in said if line.startswith("vote-")]


def test_lobby_art_is_drawn_over_and_forgotten(lan: NewLan) -> None:
    here = lan(features="chat,vote,lobby-art", size="3x3")
    ann = here.connect().say("info-version 3 0")
    assert "info-features chat vote random-start random-order lobby-art" in ann.answer("request-info")
    assert "feature-enable lobby-art vote" in ann.everything
    assert "vote-disable feature lobby-art" in ann.answer("request-join name Ann", "game-ready")
    bob = here.join("3", "Bob")
    here.heard()
    ann.witness.drawing = bob.witness.drawing = True
    log = len(here.world.store.log)
    assert ann.answer("game-line 0 0 hor") == ["game-line 1 0 0 hor"]
    assert bob.heard() == ["game-line 1 0 0 hor"]
    assert bob.answer("game-line 0 0 hor") == ["game-line 2 0 0 hor"]
    assert ann.answer("game-line 9 9 hor", "game-line x")[0] == "info-warn That is outside the board."
    assert len(here.world.store.log) == log
    drawn = ann.wire.link.session.receive(Line("game", "line", "1 0 hor"))
    assert drawn == (Do(Sketch("h 1 0")),), "the hub tells the others, in its turn"
    assert bob.heard() == []
    me = ann.wire.link.participant
    assert me is not None
    here.world.hub.muting.mute("Ann", [me])
    assert ann.answer("game-line 1 0 hor") == ["info-warn The host has muted you."]


def test_drawing_in_the_lobby_is_nothing_to_older_versions() -> None:
    here = Lan(features="chat,lobby-art", size="3x3")
    ann, beta, two_, one = (here.join(dialect) for dialect in ("3", "beta", "2", "1"))
    ann.witness.drawing = beta.witness.drawing = True
    here.heard()
    ann.say("game-line 0 0 hor")
    assert beta.heard() == ["game-line 1 0 0 hor"]
    assert two_.heard() == one.heard() == []


def test_without_votes_being_ready_is_asking_for_a_game(lan: NewLan) -> None:
    here = lan(start="ask")
    ann = here.join("3", "Ann")
    bob = here.join("3", "Bob", ready=False)
    assert "game-start" not in ann.heard()
    assert bob.answer("game-ready")[-4:] == ["game-start", "game-join 1", "game-join 2", "game-current 1"]


@pytest.mark.parametrize("dialect", ["3", "beta"])
def test_blank_lines_and_every_line_end_are_read(lan: NewLan, dialect: str) -> None:
    client = lan().join(dialect)
    client.heard()
    client.wire.send(b"\r\n\nnetwork-chat a\rnetwork-chat b\r\nnetwork-chat c\n")
    assert client.heard() == ["network-chat 1 a", "network-chat 1 b", "network-chat 1 c"]
