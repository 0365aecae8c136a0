"""Our NetDot client in a game, line by line: moves, refusals, turns, ends, votes and what else a server may say."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.core.errors import ProtocolError
from parlour.core.session import Again, Board, Guide, Report, YourTurn
from parlour.core.words import Leave, Play, Ready, Resign, Say, Vote
from parlour.languages import visiting
from parlour.protocols.netdot.client_v1 import Guest1
from parlour.protocols.netdot.client_v2 import Guest2
from parlour.protocols.netdot.client_v3 import Guest3
from parlour.protocols.netdot.guest import ANSWER_SECONDS, RETRY_SECONDS
from parlour.protocols.netdot.phases import USAGE
from tests.interop.netdot_lan import guest
from tests.unit.protocols.netdot_visitor import JOINED1, JOINED2, JOINED3, STARTED, every_version, hear, said, visitor

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


SWAPPED = {
    "1": ("player-count 3", "player-new 0 0 A", "player-new 1 0 B", "player-new 2 0 Vera", "network-assign 2",
          "grid-size 3x3", "grid-reset", "game-start", "game-play 1 true 1, 1", "game-play 0 false 0, 0"),
    "2": ("player-add 0 A", "player-add 1 B", "grid-size 3x3", "grid-reset", "network-assign 2", "player-add 2 Vera",
          "game-start", "game-play 1 1,1 ver", "game-play 0 0,0 hor"),
}  # fmt: skip


@pytest.mark.parametrize("version", SWAPPED)
def test_two_moves_in_swapped_order_do_not_stop_the_game(version: str) -> None:
    vera = visitor(*{"1": JOINED1[:1], "2": JOINED2[:2]}[version], *SWAPPED[version])
    assert isinstance(vera.shown[-1], YourTurn)
    vera.act(Play("h 0 2"))
    hear(vera, {"1": "game-play 2 false 0, 2", "2": "game-play 2 0,2 hor"}[version])
    assert guest(vera).current == 0


@every_version
def test_tail_of_a_servers_line_that_is_too_long_is_not_taken_for_a_line(version: str) -> None:
    vera = visitor(*STARTED[version])
    vera.feed(b"network-chat 0 " + b"x" * 5000)
    vera.feed(b"game-stop\ngame-stop\n"[:9])
    assert guest(vera).running
    vera.feed(b"\ngame-stop\n")
    assert not guest(vera).running


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


WATCHED = (
    "game-join 2", "game-join 3", "game-current 2", "game-line 2 0 0 hor", "game-current 3", "game-line 3 0 0 ver",
    "game-current 2", "game-line 2 1 0 ver", "game-current 3", "game-line 3 0 1 hor",
)  # fmt: skip
ARRIVED = (*JOINED3[:-3], "network-add 3 -256 Cid", "game-ready 2", "game-ready 3", "game-size 2 2", "game-start")


def test_latecomer_asks_for_the_next_game_at_each_end() -> None:
    vera = visitor(*ARRIVED, *WATCHED)
    assert said(vera)[-1] == "game-ready", "on coming in"
    for _ in range(3):
        hear(vera, "game-box 3 0 0")
        assert said(vera) == ["game-ready"]
        hear(vera, "game-box 3 0 0", "game-start", *WATCHED)
        assert said(vera) == []
    hear(vera, "game-stop")
    assert said(vera) == ["game-ready"], "the lobby does not know us as ready"
    vera.feed(b"game-ready 1\ngame-start\ngame-stop\n")
    vera.advance(1)
    assert said(vera) == [], "nor is a stopped game urged to go on"
    hear(vera, "game-start", "game-join 1", "game-join 2", "game-current 1")
    assert isinstance(vera.shown[-1], YourTurn)


def test_readiness_told_right_after_the_stop_is_enough() -> None:
    vera = visitor(*ARRIVED, *WATCHED)
    said(vera)
    vera.feed(b"game-stop\ngame-ready 1\n")
    vera.advance(1)
    assert said(vera) == []


def test_person_is_asked_before_another_game_after_playing_and_after_resigning() -> None:
    vera = visitor(*STARTED["3"])
    vera.act(Resign())
    said(vera)
    hear(vera, "game-line 2 0 0 ver", "game-line 2 1 0 ver", "game-line 2 0 1 hor", "game-box 2 0 0")
    assert said(vera) == []
    vera.act(Vote(True))
    assert said(vera) == ["game-ready"]


def test_yes_before_the_end_of_a_game_we_left_is_repeated_at_its_end() -> None:
    vera = visitor(*STARTED["3"])
    vera.act(Resign())
    vera.act(Vote(True))
    said(vera)
    hear(vera, "game-line 2 0 0 ver", "game-line 2 1 0 ver", "game-line 2 0 1 hor", "game-box 2 0 0")
    assert said(vera) == ["game-ready"]


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


@every_version
def test_help_offers_resigning_only_where_one_can_stay(version: str) -> None:
    assert visitor(*STARTED[version]).session.guide == Guide("dots", chat=True, resign=version == "3", rematch=True)


@every_version
@pytest.mark.parametrize(
    ("move", "why"), [("h 0 0", "That line is already drawn."), ("h 1 0", "That line is not on the board.")]
)
def test_refusal_says_why_and_nothing_is_sent(version: str, move: str, why: str) -> None:
    vera = visitor(*STARTED[version])
    said(vera)
    vera.act(Play(move))
    assert said(vera) == []
    assert vera.shown[-2:] == [Report(why), YourTurn(("h 0 1", "v 0 0", "v 1 0"))]


@every_version
def test_what_another_player_draws_is_told_in_our_notation(version: str) -> None:
    vera = visitor(*STARTED[version])
    assert any(shown.text.endswith(" plays h 0 0.") for shown in vera.shown if isinstance(shown, Report))
    assert vera.texts().index("A game begins.") < vera.texts().index(" plays h 0 0.")


def test_who_is_alone_in_the_lobby_is_told_once_to_wait_for_another_player() -> None:
    vera = visitor(*JOINED3)
    vera.advance(1)
    hear(vera, "game-size 3 3")
    vera.advance(1)
    assert vera.texts().count("Waiting for another player to join.") == 1


def test_player_who_has_drawn_is_told_for_whom_to_wait() -> None:
    vera = visitor(*STARTED["3"])
    vera.act(Play("v 1 0"))
    hear(vera, "game-line 1 1 0 ver", "game-current 0")
    vera.advance(1)
    assert vera.shown[-1] == Report(f"Waiting for {guest(vera).called(0)} to move.")


def test_resigning_without_a_game_is_explained() -> None:
    vera = visitor(*JOINED3)
    vera.act(Resign())
    assert vera.shown[-1] == visiting.NO_GAME


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


def test_turn_that_passes_without_our_move_comes_again() -> None:
    vera = visitor(*STARTED["3"])
    vera.act(Play("v 0 0"))
    hear(vera, "game-current 2", "game-line 2 1 0 ver", "game-current 1")
    assert vera.shown[-1] == YourTurn(("h 0 1", "v 0 0"))


def test_whoever_is_not_ready_watches_the_next_game() -> None:
    vera = visitor(*STARTED["3"], *ENDING["3"], "game-stop", "game-notready 1", "game-start", "game-join 2")
    assert "you watch it" in vera.texts()
    hear(vera, "game-current 2", "game-box 2 0 0")
    assert vera.results == ["won"]
    assert "The game is over: Bob won." in vera.texts()


def test_tie_of_those_we_watch_is_a_draw() -> None:
    start = ("game-join 2", "game-join 3", "game-current 2", "game-box 2 0 0", "game-box 3 1 0")
    vera = visitor(*ARRIVED[:-2], "game-size 3 2", "game-start", *start)
    assert "The game is over: it is a draw." in vera.texts()


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
    assert said(vera) == ["network-chat hello there"]


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
    assert vera.shown[-1] == visiting.NO_QUESTION
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
