"""Our NetDot client, line by line: which version it speaks, what it survives, when a game is over."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.core.errors import LocalError, ProtocolError
from parlour.core.session import Again, Board, Report, Visit, YourTurn
from parlour.core.vocab import Leave, Play, Ready, Resign, Say, Vote
from parlour.protocols import netdot
from parlour.protocols.netdot.client import FIRST_LINE_SECONDS, PATIENCE_SECONDS, NetdotClient
from parlour.protocols.netdot.client_v1 import Guest1
from parlour.protocols.netdot.client_v2 import Guest2
from parlour.protocols.netdot.client_v3 import Guest3
from parlour.protocols.netdot.guest import ANSWER_SECONDS, RETRY_SECONDS
from parlour.protocols.netdot.phases import USAGE, State, first_lines_table, may, usage_table
from tests.interop.netdot_lan import NETDOT, guest
from tests.visitor import Visitor

JOINED2 = ("network-assign -1", "info-version 2 0", "player-add 0 Host", "grid-size 2x2", "grid-reset",
           "network-assign 1", "player-add 1 Client 1")  # fmt: skip
JOINED3 = ("request-info", "info-version 3 0", "info-features chat vote",
           "network-assign 1", "network-add 1 -65536 Vera",
           "network-add 2 -256 Bob", "game-ready 2", "game-ready 1", "game-size 2 2")  # fmt: skip
JOINED1 = ("info-version 1 7", "network-assign 1", "player-count 2", "player-new 0 0 Host", "player-new 1 0 Client 1",
           "grid-size 2x2", "grid-reset")  # fmt: skip
STARTED = {
    "1": (*JOINED1, "game-start", "game-play 0 false 0, 0"),
    "2": (*JOINED2, "game-start", "game-play 0 0,0 hor"),
    "3": (
        *JOINED3,
        "game-start",
        "game-join 1",
        "game-join 2",
        "game-current 2",
        "game-line 2 0 0 hor",
        "game-current 1",
    ),
}
FEATURES = "info-features chat vote random-start random-order"

every_version = pytest.mark.parametrize("version", STARTED)


def visitor(*lines: str, name: str = "Vera", **query: str) -> Visitor:
    """A client that has heard these lines, half a second after each other."""
    found = Visitor(NETDOT, lambda moves: moves[0], name=name, query=query)
    found.open()
    hear(found, *lines)
    return found


def hear(who: Visitor, *lines: str) -> None:
    for line in lines:
        who.feed(line.encode() + b"\n")
        who.advance(0.5)


def said(who: Visitor) -> list[str]:
    """What the client has sent since the last time."""
    lines = [data.decode().rstrip("\n") for data in who.sent]
    who.sent.clear()
    return lines


# --- which version ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "kind", "answer"),
    [
        ("network-assign -1", Guest2, ["info-version 2 0", "request-join"]),
        ("info-version 2 0", Guest2, ["info-version 2 0", "request-join"]),
        ("info-version 1 7", Guest1, ["info-version 1 7"]),
        ("request-info", Guest3, ["info-version 3 0", "request-info"]),
        ("info-version 3 1", Guest3, ["info-version 3 0", "request-info", FEATURES]),
    ],
)  # fmt: skip
def test_first_line_tells_the_version(first: str, kind: type, answer: list[str]) -> None:
    vera = visitor(first)
    assert isinstance(guest(vera), kind)
    assert said(vera)[: len(answer)] == answer


def test_lines_that_tell_nothing_are_passed_over() -> None:
    vera = visitor("", "info-motd hello")
    assert said(vera) == []
    hear(vera, "network-assign -1")
    assert said(vera) == ["info-version 2 0", "request-join"]


def test_2_0_server_gets_nothing_before_its_greeting_is_over() -> None:
    vera = visitor()
    vera.feed(b"network-assign -1\n")
    assert said(vera) == []
    vera.feed(b"info-version 2 0\n")
    assert said(vera) == ["info-version 2 0", "request-join"]


def test_silent_server_is_asked_and_then_told() -> None:
    vera = visitor()
    vera.advance(FIRST_LINE_SECONDS)
    assert said(vera) == ["request-info"]
    vera.advance(FIRST_LINE_SECONDS)
    assert said(vera) == ["info-version 3 0", "request-info"]


@pytest.mark.parametrize("complaint", ["unknown-", "unknown-request", "info-malformed what"])
def test_silent_server_that_does_not_know_the_question_is_1_x(complaint: str) -> None:
    vera = visitor()
    vera.advance(FIRST_LINE_SECONDS)
    hear(vera, complaint)
    assert said(vera) == ["request-info", "info-version 1 7"]


def test_features_are_held_back_until_the_server_says_3() -> None:
    vera = visitor("request-info")
    assert said(vera) == ["info-version 3 0", "request-info"]
    hear(vera, "info-version 3 0")
    assert said(vera)[0].startswith("info-features ")
    beta = visitor("request-info", "info-version 2 0")
    assert not any(line.startswith("info-features") for line in said(beta))
    assert guest(beta).users == {}


def test_server_that_hangs_up_is_tried_with_older_versions() -> None:
    vera = visitor("request-info")
    for version in ("2 0", "1 7"):
        vera.end_of_file()
        vera.reopen()
        said(vera)
        hear(vera, "request-info")
        assert said(vera)[0] == f"info-version {version}"
    vera.end_of_file()
    assert vera.again_to is None
    assert "hung up on NetDot 1.x." in vera.texts()


def test_server_that_goes_before_its_first_line_is_not_visited_again() -> None:
    vera = visitor()
    vera.end_of_file()
    assert vera.again_to is None


def test_server_that_goes_after_letting_us_in_is_not_visited_again() -> None:
    vera = visitor(*JOINED3)
    vera.end_of_file()
    assert vera.again_to is None
    assert "closed the connection" in vera.texts()


@pytest.mark.parametrize("query", [{"version": "4"}, {"version": ""}, {"size": "3x3"}])
def test_wrong_query_is_one_sentence(query: dict[str, str]) -> None:
    with pytest.raises(LocalError, match=r"version|size"):
        NetdotClient(Visit("h", 1, "Vera", query=query))


def test_path_means_nothing_here() -> None:
    with pytest.raises(LocalError, match="host and a port"):
        NetdotClient(Visit("h", 1, "Vera", path="room"))


def test_patience_is_reported_once() -> None:
    vera = visitor("network-assign -1")
    vera.advance(PATIENCE_SECONDS)
    vera.advance(PATIENCE_SECONDS)
    assert vera.texts().count("still waiting") == 1
    inside = visitor(*JOINED2)
    inside.advance(PATIENCE_SECONDS)
    assert "still waiting" not in inside.texts()


# --- coming in --------------------------------------------------------------------------------------------------------


def test_2_0_name_and_colour_follow_the_own_entry() -> None:
    vera = visitor(*JOINED2, name="Ann B. Smith")
    lines = said(vera)
    assert lines[2] == "player-rename Ann B. Smith"
    assert lines[3].startswith("player-color -")
    assert lines[4:] == ["request-start"]


def test_spectator_introduces_themselves_when_promoted() -> None:
    vera = visitor("network-assign -1", "info-version 2 0", "request-deny Full.", "network-full", "network-full")
    assert said(vera) == ["info-version 2 0", "request-join", "request-spectate"]
    hear(vera, "network-assign -2", "player-add 0 Host", "grid-size 3x3", "game-current -1")
    assert said(vera) == []
    hear(vera, "game-start", "network-assign 4", "player-add 4 Client 4")
    assert said(vera)[0] == "player-rename Vera"


def test_spectator_who_is_not_let_watch_asks_to_join_again() -> None:
    vera = visitor("network-assign -1", "info-version 2 0", "network-busy", "request-deny There is room now.")
    said(vera)
    vera.advance(2.0)
    assert said(vera) == ["request-join"]


def test_denials_do_not_make_us_join_for_ever() -> None:
    vera = visitor("network-assign -1", "info-version 2 0", *["request-deny Already joined."] * 20)
    assert said(vera).count("request-join") == 5


def test_3_0_joins_with_name_and_is_ready() -> None:
    vera = visitor(*JOINED3)
    lines = said(vera)
    assert lines[3].startswith("request-join color -")
    assert lines[3].endswith(" name Vera")
    assert lines[4:] == ["game-ready"]


def test_denial_in_3_0_is_final_only_after_asking_to_join() -> None:
    early = visitor("request-info", "request-deny Tell me more.")
    assert not early.closed
    late = visitor("request-info", "info-version 3 0", "request-deny Go away.")
    assert late.closed
    assert "Go away." in late.texts()


def test_1_x_busy_server_is_asked_once() -> None:
    vera = visitor("info-version 1 7", "network-busy", "network-busy")
    assert said(vera) == ["info-version 1 7", "request-join"]


# --- a game -----------------------------------------------------------------------------------------------------------


@every_version
def test_move_is_asked_for_and_sent_in_the_versions_words(version: str) -> None:
    vera = visitor(*STARTED[version])
    said(vera)
    turn = vera.shown[-1]
    assert turn == YourTurn(("h 0 1", "v 0 0", "v 1 0"))
    vera.act(Play("v 1 0"))
    assert said(vera) == [{"1": "game-play true 1, 0", "2": "game-play 1,0 ver", "3": "game-line 1 0 ver"}[version]]
    vera.act(Play("v 0 0"))
    assert said(vera) == []
    assert vera.shown[-1] == Report("It is not your turn.")


@every_version
def test_board_shows_owners_and_scores(version: str) -> None:
    vera = visitor(*STARTED[version])
    board = vera.shown[-2]
    assert isinstance(board, Board)
    other = "Bob" if version == "3" else "Host"
    assert board.text.splitlines()[:3] == ["   0   1", " 0 +---+", ""]
    assert "(you) 0" in board.text.splitlines()[-1]
    assert f"{other} 0" in board.text.splitlines()[-1]


@every_version
def test_line_that_cannot_be_drawn_is_not_sent(version: str) -> None:
    vera = visitor(*STARTED[version])
    said(vera)
    for move in ("h 0 0", "v 9 9", "h 1 0", "nonsense", "v 1 1"):
        vera.act(Play(move))
        assert said(vera) == []
        assert isinstance(vera.shown[-1], YourTurn)


@every_version
def test_refused_move_is_asked_for_again_but_not_for_ever(version: str) -> None:
    vera = visitor(*STARTED[version])
    questions = 1
    for tried in ("h 0 1", "v 0 0"):
        vera.act(Play(tried))
        hear(vera, "info-warn Not your turn!")
        questions += 1
        turn = vera.shown[-1]
        assert isinstance(turn, YourTurn)
        assert tried not in turn.moves
    vera.act(Play("v 1 0"))
    hear(vera, "info-warn Not your turn!")
    assert vera.texts().endswith("Not your turn!")
    vera.advance(RETRY_SECONDS)
    assert vera.shown[-1] == YourTurn(("h 0 1", "v 0 0", "v 1 0"))


@every_version
def test_unanswered_move_is_asked_for_again(version: str) -> None:
    vera = visitor(*STARTED[version])
    vera.act(Play("v 0 0"))
    vera.advance(ANSWER_SECONDS)
    assert isinstance(vera.shown[-1], YourTurn)
    assert "has not answered" in vera.texts()


@every_version
def test_warning_about_nothing_is_a_remark(version: str) -> None:
    vera = visitor(*STARTED[version])
    before = len(vera.todo)
    hear(vera, "info-warn Something.", "info-malformed", "unknown-game", "unknown-", "unknown", "what-ever x")
    assert len(vera.todo) == before
    assert said(vera)[-1] != "unknown"


ENDING = {
    "1": ("game-play 1 true 0, 0", "game-play 0 true 1, 0", "game-play 1 false 0, 1"),
    "2": ("game-play 1 0,0 ver", "game-play 0 1,0 ver", "game-play 1 0,1 hor"),
    "3": ("game-line 1 0 0 ver", "game-current 2", "game-line 2 1 0 ver", "game-current 1", "game-line 1 0 1 hor",
          "game-box 1 0 0"),
}  # fmt: skip


@every_version
def test_end_is_counted_and_the_next_game_asked_for(version: str) -> None:
    vera = visitor(*STARTED[version], *ENDING[version])
    assert vera.results == ["won"]
    assert isinstance(vera.shown[-1], Again)
    said(vera)
    vera.act(Vote(True))
    assert said(vera) == [{"1": "request-restart", "2": "request-restart", "3": "game-ready"}[version]]
    hear(vera, "game-start", *(["game-join 1", "game-join 2"] if version == "3" else []), *ENDING[version][:0])
    assert guest(vera).running
    assert guest(vera).grid.blank
    assert vera.results == ["won"]


@every_version
def test_no_to_another_game_is_goodbye(version: str) -> None:
    vera = visitor(*STARTED[version], *ENDING[version])
    said(vera)
    vera.act(Vote(False))
    assert vera.closed
    assert said(vera) == ([] if version == "3" else ["network-disconnect"])
    assert vera.results == ["won"]


@every_version
def test_start_that_comes_twice_is_one_game(version: str) -> None:
    vera = visitor(*STARTED[version][: -4 if version == "3" else -2], "game-start", "game-start", "game-start")
    assert vera.results == []
    vera = visitor(*STARTED[version], "game-start")
    assert vera.results == ["aborted"], "after a line it is another one"


@every_version
def test_stop_and_a_lost_server_break_the_game_off(version: str) -> None:
    vera = visitor(*STARTED[version], "game-stop", "game-stop")
    assert vera.results == ["aborted"]
    vera = visitor(*STARTED[version])
    vera.end_of_file()
    assert vera.results == ["aborted"]


@every_version
def test_leaving_says_what_the_version_has(version: str) -> None:
    vera = visitor(*STARTED[version])
    said(vera)
    vera.act(Leave())
    assert vera.closed
    assert vera.results == ["aborted"]
    assert said(vera) == ([] if version == "3" else ["network-disconnect"])


def test_resigning_keeps_the_place_in_3_0_only() -> None:
    vera = visitor(*STARTED["3"])
    said(vera)
    vera.act(Resign())
    assert said(vera) == ["game-leave"]
    assert vera.results == ["lost"]
    assert not vera.closed
    hear(vera, "game-leave 1", "game-current 2", "game-stop")
    assert vera.results == ["lost"]
    old = visitor(*STARTED["2"])
    old.act(Resign())
    assert old.results == ["lost"]
    assert old.closed


def test_resigning_without_a_game_is_explained() -> None:
    vera = visitor(*JOINED3)
    vera.act(Resign())
    assert vera.shown[-1] == Report("There is no game to resign.")


def test_current_is_believed_whatever_we_have_counted() -> None:
    vera = visitor(*STARTED["2"], "game-play 1 0,0 ver", "game-current 1")
    assert len(vera.todo) == 2, "asked after the host's move and now"
    hear(vera, "game-current 0")
    vera.act(Play("v 1 0"))
    assert vera.texts().endswith("It is not your turn.")


def test_server_that_tells_every_turn_is_waited_for() -> None:
    """Its order may be another one than that of the ids."""
    vera = visitor(*JOINED2, "player-add 2 Third", "game-start", "game-current 2")
    for line in ("game-play 2 0,0 hor", "game-current 0"):
        vera.feed(f"{line}\n".encode())
    vera.feed(b"game-play 0 0,0 ver\n")
    vera.advance(1.0)
    assert not vera.todo, "by the ids it would be our turn now"
    vera.feed(b"game-current 1\n")
    assert vera.todo


def test_beta_says_the_turn_before_the_line() -> None:
    vera = visitor("request-info", "info-version 2 0",
                   "network-assign 1", "network-add 0 -1 Host", "network-add 1 -1 Vera",
                   "game-size 2 2", "", "game-start", "game-start", "game-join 0", "game-join 1",
                   version="beta")  # fmt: skip
    vera.feed(b"game-current 1\n")
    assert not vera.todo
    vera.feed(b"game-line 0 0 0 hor\n")
    assert vera.todo == [Play("h 0 1")]


def test_scores_follow_the_owners_on_the_board() -> None:
    vera = visitor(*JOINED3, "game-size 3 2", "game-start", "game-current 1", "game-box 2 0 0", "game-box 1 0 0")
    assert guest(vera).grid.score(1) == 1
    assert guest(vera).grid.score(2) == 0
    hear(vera, "game-box 1 0 0", "game-box 9 1 0")
    assert vera.results == ["draw"], "9 was never introduced, and still there"


def test_leaver_cannot_win() -> None:
    vera = visitor(*JOINED3, "game-size 4 2", "game-start", "game-current 1", "game-box 2 0 0", "game-box 2 1 0")
    hear(vera, "network-remove 2", "network-remove 2", "game-box 1 2 0")
    assert vera.results == ["won"]


def test_negative_ids_are_nobody() -> None:
    vera = visitor(*JOINED3, "network-remove -1", "network-add -1 5 Ghost", "game-current -1", "network-chat -1 boo")
    assert sorted(guest(vera).users) == [1, 2]
    assert not vera.closed


@pytest.mark.parametrize(
    ("joined", "line"),
    [
        (JOINED1, "network-disconnect 1"),
        (JOINED1, "network-disconnect"),
        (JOINED2, "player-remove 1"),
        (JOINED2, "network-disconnect"),
        (JOINED3, "network-remove 1"),
    ],
)
def test_being_taken_out_ends_the_visit(joined: tuple[str, ...], line: str) -> None:
    vera = visitor(*joined, line)
    assert vera.closed


def test_own_id_may_change_at_any_time() -> None:
    vera = visitor(*STARTED["2"], "player-add 5 Client 5", "network-assign 5", "game-current 5")
    assert guest(vera).me == 5
    assert isinstance(vera.shown[-1], YourTurn)
    assert said(vera)[-2:][0].startswith("player-rename")


@pytest.mark.parametrize("size", ["1 1", "0 5", "-3 4", "100000 100000", "x y", ""])
def test_board_that_cannot_be_is_not_drawn(size: str) -> None:
    vera = visitor(*JOINED3, f"game-size {size}")
    assert guest(vera).grid.width == 2
    assert "none that can be shown" in vera.texts()


def test_other_size_within_a_game_keeps_what_fits() -> None:
    vera = visitor(
        *JOINED3, "game-size 3 3", "game-start", "game-line 2 0 0 hor", "game-line 2 1 2 hor", "game-size 2 2"
    )
    assert guest(vera).grid.open_lines() == ("h 0 1", "v 0 0", "v 1 0")


def test_1_x_list_may_be_sent_again_with_another_place_for_us() -> None:
    vera = visitor(*JOINED1, "player-rename 1 Vera", "network-connect", "player-new 2 0 Third", "network-disconnect 0")
    said(vera)
    hear(vera, "player-count 2", "player-new 0 0 Vera", "player-new 1 0 Third", "network-assign 0", "game-start")
    assert said(vera) == []
    assert isinstance(vera.shown[-1], YourTurn)


# --- the rest ---------------------------------------------------------------------------------------------------------


@every_version
def test_chat_is_shown_with_its_speaker(version: str) -> None:
    vera = visitor(*STARTED[version], "network-chat 1 myself")
    assert "myself" not in vera.texts()
    hear(
        vera,
        "network-chat -3 notice",
        "network-chat -2 watching",
        "network-chat 7  two  blanks",
        "network-chat",
        "network-chat x",
    )
    for text in ("Server: notice", "A spectator: watching", "Player 7:  two  blanks"):
        assert text in vera.texts()
    said(vera)
    vera.act(Say("hello\nthere"))
    assert said(vera) == ["network-chat hellothere"]


def test_ping_is_answered() -> None:
    vera = visitor(*JOINED3)
    said(vera)
    hear(vera, "network-ping")
    assert said(vera) == ["network-pong"]


def test_vote_for_a_game_is_answered_by_whoever_waits_for_one() -> None:
    vera = visitor(*JOINED3, "feature-enable vote")
    said(vera)
    hear(vera, "vote-start restart", "vote-end")
    assert said(vera) == ["vote-yes"]


@pytest.mark.parametrize(
    ("vote", "subject"),
    [("kick 2 too loud", "throwing Bob out"), ("disable chat", "turning chat off"), ("pizza now", '"pizza now"'),
     ("lobby", "the lobby")],
)  # fmt: skip
def test_other_votes_are_reported_and_answered_by_the_person(vote: str, subject: str) -> None:
    vera = visitor(*STARTED["3"], "feature-enable vote")
    said(vera)
    hear(vera, f"vote-start {vote}")
    assert subject in vera.texts()
    assert said(vera) == []
    vera.act(Vote(False))
    assert said(vera) == ["vote-no"]
    assert not vera.closed
    vera.act(Vote(False))
    assert vera.shown[-1] == Report("There is nothing to vote on.")
    hear(vera, "vote-start lobby", "vote-end")
    vera.act(Vote(True))
    assert said(vera) == []


def test_vote_for_another_game_is_asked_for_where_votes_are_on() -> None:
    vera = visitor(*STARTED["3"], "feature-enable vote", *ENDING["3"])
    said(vera)
    vera.act(Vote(True))
    assert said(vera) == ["game-ready", "vote-request restart"]
    hear(vera, "vote-start restart")
    assert said(vera) == ["vote-yes"]


def test_beta_is_told_neither_ready_nor_votes() -> None:
    vera = visitor(
        "request-info",
        "info-version 2 0",
        "info-features chat",
        "network-assign 1",
        "network-add 1 1 Vera",
        version="beta",
    )
    assert [line.split()[0] for line in said(vera)] == ["info-version", "request-info", "request-join"]
    assert guest(vera).me == 1


def test_what_netdot_has_no_word_for_is_explained() -> None:
    vera = visitor(*JOINED2)
    vera.act(Ready())
    assert "no word" in vera.texts()
    early = visitor()
    early.act(Say("hello"))
    assert "not let you in" in early.texts()
    early.act(Leave())
    assert early.closed


def test_nonsense_is_reported() -> None:
    vera = visitor(*JOINED2)
    outputs = vera.session.malformed(ProtocolError("line longer than 4096 bytes"))
    assert outputs == (Report("The server sent nonsense: line longer than 4096 bytes."),)


WORDS = sorted({*USAGE, *Guest1.HEARS, *Guest2.HEARS, *Guest3.HEARS, "unknown-", "player-color"})
PIECES = ["hor", "ver", "true", "0,0", "1, 0", "2x2", "3x3", "0x0", "A", "kick", "", "99999999999"]
ARGUMENTS = st.lists(st.one_of(st.integers(-3, 4).map(str), st.sampled_from(PIECES)), max_size=5).map(" ".join)
LINES = st.lists(st.tuples(st.sampled_from(WORDS), ARGUMENTS), max_size=60)


@given(LINES, st.sampled_from(sorted(STARTED)), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_no_order_of_lines_upsets_the_client(lines: list[tuple[str, str]], version: str, rng: Random) -> None:
    vera = visitor(*STARTED[version])
    vera.choose = rng.choice
    for word, args in lines:
        if vera.closed:
            return
        hear(vera, f"{word} {args}")
        if rng.random() < 0.5:
            vera.decide()
        assert len(guest(vera).grid.boxes) <= 4
        assert all(data.count(b"\n") == 1 for data in vera.sent)


README = Path(netdot.__file__).with_name("README.md").read_text(encoding="utf-8")


def test_readme_has_the_tables_of_the_code() -> None:
    assert usage_table() in README
    assert first_lines_table() in README


def test_3_0_client_knows_every_word_that_a_server_may_say() -> None:
    from_server = {word for word, senders in USAGE.items() if any("S" in who for who in senders)}
    assert from_server <= Guest3.HEARS.keys() | Guest3.IGNORES
    assert may("S", "game-start", State.LOBBY)
    assert not may("C", "game-start", State.LOBBY)
    assert not may("C", "what-ever", State.TALK)
