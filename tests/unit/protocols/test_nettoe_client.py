"""Our netToe client against scripts: recordings, illegal hosts, hasty hosts, and what the wire has no word for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from parlour.core.errors import LocalError
from parlour.core.session import Again, Board, Over, Report, Visit, YourTurn
from parlour.core.words import Leave, Play, Ready, Resign, Say, Vote
from parlour.protocols.nettoe.client import Joiner
from parlour.protocols.nettoe.codec import NO, YES, host_frame, name_field
from parlour.protocols.nettoe.messages import Answer
from tests.conftest import ROOT
from tests.nettoe import client, host
from tests.visitor import Visitor
from tests.wires.nettoe import Conversation
from tests.wires.transcripts import byte_by_byte, load

SUE, VERA = name_field("Sue"), name_field("Vera")
RECORDINGS = sorted((ROOT / "tests" / "wires" / "nettoe").glob("*.wire"))


def first_legal(moves: tuple[str, ...]) -> str:
    return moves[0]


def at_the_board(begins: bytes = b"2") -> Visitor:
    """A client whose first game has just begun; nothing is decided for its person."""
    visitor = Visitor("nettoe", first_legal)
    visitor.open()
    visitor.feed(SUE + VERA + begins)
    assert visitor.sent == [VERA]
    visitor.sent.clear()
    return visitor


def after_a_lost_game() -> Visitor:
    visitor = at_the_board()
    visitor.act(Play("c1"))
    visitor.feed(host(O="c1", X="a1"))
    visitor.act(Play("c2"))
    visitor.feed(host(O="c1 c2", X="a1 a2"))
    visitor.act(Play("b3"))
    visitor.feed(host(O="c1 c2 b3", X="a1 a2 a3"))
    assert visitor.results == ["lost"]
    visitor.sent.clear()
    return visitor


@pytest.mark.parametrize("cut", [lambda data: [data], byte_by_byte], ids=["whole", "byte by byte"])
@pytest.mark.parametrize("path", RECORDINGS, ids=[path.stem for path in RECORDINGS])
def test_client_says_what_the_recorded_client_said(path: Path, cut: Callable[[bytes], list[bytes]]) -> None:
    transcript = load(path)
    talk = Conversation(transcript)
    moves = iter(talk.moves_of(1))
    answers = iter([message.yes for side, _, message in talk.turns if side == "C" and isinstance(message, Answer)])
    expected = talk.respelled("C")
    visitor = Visitor(
        "nettoe",
        lambda legal: next(moves, ""),
        lambda: next(answers),
        name=expected.partition(b"\0")[0].decode(),
    )
    visitor.open()
    for segment in transcript.segments(("S", 0)):
        for piece in cut(segment):
            visitor.feed(piece)
        while visitor.todo and visitor.todo[0] != Play(""):  # here the recording ends
            visitor.decide()
    assert b"".join(visitor.sent) == expected


def test_results_are_worked_out_from_the_board_with_a_line_before_a_full_board() -> None:
    visitor = at_the_board()
    theirs = ["a2", "a3", "b1", "c2"]
    mine = ["a1", "b2", "b3", "c1", "c3"]  # the last cell makes a diagonal
    for number, move in enumerate(mine):
        visitor.act(Play(move))
        if number < len(theirs):
            visitor.feed(host(O=" ".join(mine[: number + 1]), X=" ".join(theirs[: number + 1])))
    assert visitor.results == ["won"]


ILLEGAL = {
    "two marks at once": host(X="a1 a2"),
    "our mark": host(O="a1"),
    "nothing new": host(),
    "a lower-case mark": host_frame(b"x        "),
    "an escape": host_frame(b"\x1b        "),
    "a NUL": host_frame(bytes(9)),
}


@pytest.mark.parametrize("frame", ILLEGAL.values(), ids=ILLEGAL.keys())
def test_illegal_board_is_reported_and_ends_the_game(frame: bytes) -> None:
    visitor = at_the_board(b"1")
    visitor.feed(frame)
    assert visitor.results == ["aborted"]
    assert visitor.closed
    assert "Sue sent an illegal board" in visitor.texts()
    assert "\x1b" not in visitor.texts()


def test_host_that_moves_out_of_turn_is_reported() -> None:
    visitor = at_the_board(b"2")
    visitor.feed(host(X="a1"))
    assert visitor.results == ["aborted"]
    assert "Sue moved out of turn" in visitor.texts()


@pytest.mark.parametrize("begins", [b"2", b"3", b"\0", b"y"])
def test_any_number_but_one_means_the_client_as_in_the_original(begins: bytes) -> None:
    assert isinstance(at_the_board(begins).shown[-1], YourTurn)


def test_junk_in_pairs_is_skipped_like_the_original_does_but_not_for_ever() -> None:
    visitor = at_the_board(b"1")
    visitor.feed(b"n\0yyS\0" + host(X="a1"))
    assert isinstance(visitor.shown[-1], YourTurn)
    visitor.act(Play("b2"))
    visitor.feed(b"?\0" * 33)
    assert visitor.results == ["aborted"]
    assert "does not speak netToe" in visitor.texts()


def test_end_of_file_in_a_game_is_the_opponent_leaving() -> None:
    visitor = at_the_board()
    visitor.end_of_file()
    assert visitor.results == ["aborted"]
    assert "Your opponent has left" in visitor.texts()


def test_end_of_file_before_a_game_is_an_aborted_game() -> None:
    visitor = Visitor("nettoe", first_legal)
    visitor.open()
    visitor.end_of_file()
    assert visitor.results == ["aborted"]


def test_end_of_file_after_a_game_leaves_its_result_alone() -> None:
    visitor = after_a_lost_game()
    visitor.end_of_file()
    assert visitor.results == ["lost"]


def test_host_that_declines_is_closed_without_waiting_for_its_end_of_file() -> None:
    visitor = after_a_lost_game()
    visitor.feed(NO)
    assert visitor.closed
    assert visitor.sent == []
    assert visitor.results == ["lost"]
    assert "Sue does not want to play again" in visitor.texts()


def test_person_who_declines_says_so_and_closes() -> None:
    visitor = after_a_lost_game()
    visitor.feed(YES)
    assert isinstance(visitor.shown[-1], Again)
    visitor.act(Vote(False))
    assert visitor.sent == [NO]
    assert visitor.closed


def test_person_who_declines_before_being_asked_just_goes() -> None:
    visitor = after_a_lost_game()
    visitor.act(Vote(False))
    assert visitor.sent == []
    assert visitor.closed


def test_next_game_begins_with_the_number_alone() -> None:
    visitor = after_a_lost_game()
    visitor.feed(YES)
    visitor.act(Vote(True))
    visitor.feed(b"1" + host(X="b2"))
    assert visitor.sent == [YES]
    assert isinstance(visitor.shown[-1], YourTurn)


@pytest.mark.parametrize("hasty", [b"2", b"1", b"1" + host(X="b2")])
def test_hasty_host_is_understood_once_the_person_has_agreed(hasty: bytes) -> None:
    visitor = after_a_lost_game()
    shown = len(visitor.shown)
    visitor.feed(YES + hasty)
    assert isinstance(visitor.shown[-1], Again)
    assert len(visitor.shown) == shown + 2  # nothing of it is shown before
    visitor.act(Vote(True))
    assert isinstance(visitor.shown[-1], Report if hasty == b"1" else YourTurn)
    assert sum(isinstance(each, Board) for each in visitor.shown[shown:]) == 1 + (len(hasty) > 1)


def test_host_too_hasty_to_be_understood_is_closed() -> None:
    visitor = after_a_lost_game()
    visitor.feed(YES + b"22")
    assert visitor.closed
    assert visitor.results == ["lost"]


def test_bad_move_is_explained_and_asked_for_again() -> None:
    visitor = at_the_board()
    for move in ("d1", "a4", "x", "a1 "):
        visitor.act(Play(move))
        assert isinstance(visitor.shown[-2], Report)
        assert isinstance(visitor.shown[-1], YourTurn)
    visitor.act(Play("a1"))
    visitor.act(Play("a2"))
    assert visitor.sent == [client(O="a1")]
    assert "not your turn" in visitor.texts()


def test_silent_host_is_remarked_upon_but_not_given_up() -> None:
    visitor = Visitor("nettoe", first_legal)
    visitor.open()
    visitor.advance(16)
    assert "Waiting for another player to join." in visitor.texts()
    visitor.feed(SUE)
    assert not visitor.alarms
    assert not visitor.closed


# --- gaps: what this wire cannot say ---------------------------------------------------------------------------------


def test_chat_reaches_nobody_and_the_person_is_told() -> None:
    visitor = at_the_board()
    visitor.act(Say("hello"))
    assert visitor.sent == []
    assert "There is no chat here" in visitor.texts()


def test_resigning_is_closing() -> None:
    visitor = at_the_board()
    visitor.act(Resign())
    assert visitor.sent == []
    assert visitor.closed
    assert visitor.results == ["lost"]
    assert "You resign by leaving here" in visitor.texts()


def test_leaving_in_a_game_aborts_it_and_after_a_game_does_not() -> None:
    playing, done = at_the_board(), after_a_lost_game()
    playing.act(Leave())
    done.act(Leave())
    assert (playing.results, done.results) == (["aborted"], ["lost"])
    assert playing.closed
    assert done.closed


def test_other_commands_are_answered_by_a_sentence() -> None:
    visitor = after_a_lost_game()
    for command in (Resign(), Ready(), Vote(True), Play("a1")):
        before = len(visitor.shown)
        visitor.act(command)
        assert [type(each) for each in visitor.shown[before:]] == [Report]
    assert visitor.sent == []


def test_address_takes_no_query() -> None:
    with pytest.raises(LocalError, match="'side'"):
        Joiner(Visit("localhost", 7501, "Vera", query={"side": "X"}))


def test_results_are_shown_after_the_board() -> None:
    visitor = after_a_lost_game()
    assert [type(each) for each in visitor.shown[-3:]] == [Report, Board, Over]
