"""Our ConnectI4n client with servers that go by the document, by the original's habits, or by neither."""

from random import Random

import pytest

from parlour.core.errors import LocalError
from parlour.core.session import Board as Picture
from parlour.core.session import Report, Visit, YourTurn
from parlour.core.words import Leave, Play, Resign, Say, Vote
from parlour.games.connect4 import GAME
from parlour.languages import visiting
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.client import C4nClient
from parlour.protocols.c4n.messages import Board
from parlour.protocols.c4n.view import View
from tests.visitor import Visitor

EMPTY = codec.empty_board(7, 6)


def board(*discs: tuple[int, int], columns: int = 7, rows: int = 6, rows_first: bool = False) -> bytes:
    """BOARD after these (column, token) drops."""
    cells = bytearray(b"0" * (columns * rows))
    heights = [0] * columns
    for column, token in discs:
        heights[column] += 1
        cells[(rows - heights[column]) * columns + column] = b"012"[token]
    first, second = (rows, columns) if rows_first else (columns, rows)
    return codec.board(Board(first, second, bytes(cells)))


def result(winner: int) -> bytes:
    return codec.result(winner)


class Script:
    """A visitor whose person does nothing by itself, and a server that says what the test says."""

    def __init__(self, **query: str) -> None:
        self.visitor = Visitor("c4n", lambda moves: moves[0], query=query)
        self.visitor.open()
        assert self.visitor.sent == [b"C4N 1.0 START\n"]
        self.visitor.sent.clear()

    def says(self, *segments: bytes) -> "Script":
        for segment in segments:
            self.visitor.feed(segment)
        return self

    def plays(self, column: int) -> bytes:
        """The person's move, and what goes out for it."""
        self.visitor.act(Play(str(column)))
        sent = b"".join(self.visitor.sent)
        self.visitor.sent.clear()
        return sent

    @property
    def asked(self) -> tuple[str, ...] | None:
        """The moves offered last, if that was the last thing to happen."""
        last = self.visitor.shown[-1] if self.visitor.shown else None
        return last.moves if isinstance(last, YourTurn) else None

    def asks(self) -> int:
        return sum(isinstance(shown, YourTurn) for shown in self.visitor.shown)


# --- whose turn it is ------------------------------------------------------------------------------------------------


def test_empty_board_after_start_is_our_turn() -> None:
    script = Script().says(EMPTY)
    assert script.asked == tuple("0123456")
    assert script.plays(3) == b"C4N 1.0 MOVE\n3"


def test_board_with_one_token_of_the_other_is_our_turn() -> None:
    assert Script().says(board((3, 2), rows_first=True)).asked == tuple("0123456")


@pytest.mark.parametrize("cut", [False, True])
def test_two_boards_for_a_move_are_one_turn(cut: bool) -> None:
    script = Script().says(EMPTY)
    script.plays(3)
    boards = [board((3, 1)), board((3, 1), (3, 2))]
    script.says(*boards) if cut else script.says(b"".join(boards))
    assert script.asks() == 2
    assert script.asked is not None


def test_one_board_for_a_move_is_one_turn() -> None:
    script = Script().says(board((0, 2), rows_first=True))
    script.plays(3)
    script.says(board((0, 2), (3, 1), (0, 2), rows_first=True))
    assert script.asks() == 2


def test_board_without_an_answer_is_shown_while_the_other_thinks() -> None:
    script = Script().says(EMPTY)
    script.plays(3)
    script.says(board((3, 1)))
    assert script.asks() == 1
    script.visitor.advance(0.8)
    assert isinstance(script.visitor.shown[-1], Picture)
    script.visitor.advance(0.5)
    assert script.visitor.texts().endswith("Waiting for the other player to move.")
    assert script.asks() == 1
    script.says(board((3, 1), (4, 2)))
    assert script.asks() == 2


def test_unchanged_board_after_a_move_means_move_again() -> None:
    script = Script().says(EMPTY)
    script.plays(3)
    script.says(EMPTY)
    assert script.asks() == 1
    script.visitor.advance(1)
    assert script.asks() == 2


def test_only_one_move_is_ever_out() -> None:
    script = Script().says(EMPTY)
    assert script.plays(3)
    assert script.plays(4) == b""
    assert "not your turn" in script.visitor.texts()


@pytest.mark.parametrize("column", ["7", "-1", "", "x", "99999", "٣"])
def test_what_is_no_column_is_never_sent(column: str) -> None:
    script = Script().says(EMPTY)
    script.visitor.act(Play(column))
    assert script.visitor.sent == []
    assert script.asked == tuple("0123456")


def test_full_column_is_never_sent() -> None:
    script = Script().says(board(*[(0, 2 - number % 2) for number in range(6)]))
    assert script.asked == tuple("123456")
    assert script.plays(0) == b""
    assert "full" in script.visitor.texts()


def test_full_board_waits_for_the_verdict() -> None:
    full = board(*[(column, 1 + (column // 2 + row) % 2) for row in range(6) for column in range(7)])
    script = Script().says(full)
    assert script.asks() == 0
    script.says(result(-1))
    script.visitor.end_of_file()
    assert script.visitor.results == ["draw"]


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [1, 2])
def test_refused_move_is_asked_for_again(code: int) -> None:
    script = Script().says(EMPTY)
    script.plays(3)
    script.says(codec.error(code))
    assert script.asked == tuple("012456")
    assert script.plays(4) == b"C4N 1.0 MOVE\n4"


def test_server_that_refuses_every_move_is_left() -> None:
    script = Script().says(EMPTY)
    for column in range(7):
        script.plays(column)
        script.says(codec.error(2))
    assert script.visitor.results == ["aborted"]
    assert script.visitor.closed


@pytest.mark.parametrize(("code", "text"), [(3, "full"), (99, "ended"), (1, "understand"), (42, "error 42")])
def test_error_after_start_ends_it_with_its_reason(code: int, text: str) -> None:
    script = Script().says(codec.error(code), b"\n")
    assert script.visitor.results == ["aborted"]
    assert text in script.visitor.texts()
    assert script.visitor.closed


@pytest.mark.parametrize(("data", "text"), [(codec.error(99), "left"), (codec.STOP, "stopped"), (result(5), "5")])
def test_server_that_breaks_off_is_left(data: bytes, text: str) -> None:
    script = Script().says(EMPTY)
    script.plays(3)
    script.says(data)
    assert script.visitor.results == ["aborted"]
    assert text in script.visitor.texts()


def test_server_of_another_kind_is_recognised() -> None:
    script = Script().says(b"SSH-2.0-OpenSSH_9.6\r\n")
    assert script.visitor.results == ["aborted"]
    assert "no ConnectI4n server" in script.visitor.texts()


def test_nonsense_in_a_game_is_reported_and_survived() -> None:
    script = Script().says(EMPTY)
    script.plays(3)
    script.says(b"hello?", codec.START, board((3, 1)) + board((3, 1), (4, 2)))
    assert "nonsense" in script.visitor.texts()
    assert script.asks() == 2


# --- the end ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("winner", "word"), [(1, "won"), (2, "lost"), (-1, "draw"), (0, "draw")])
@pytest.mark.parametrize("ending", ["end of file", "late board", "silence"])
def test_verdict_is_believed_and_a_late_board_is_shown(winner: int, word: str, ending: str) -> None:
    script = Script().says(board((0, 2), rows_first=True))
    script.plays(3)
    script.says(result(winner))
    assert script.visitor.results == []
    if ending == "end of file":
        script.visitor.end_of_file()
    elif ending == "late board":
        script.says(board((0, 2), (3, 1), (6, 2), rows_first=True))
        assert isinstance(script.visitor.shown[-2], Picture)
        assert script.visitor.shown[-2].text.endswith("O  .  .  X  .  .  O")
    else:
        script.visitor.advance(0.5)
    assert script.visitor.results == [word]
    assert script.visitor.closed


def test_error_after_a_draw_changes_nothing() -> None:
    script = Script().says(EMPTY)
    script.plays(3)
    script.says(result(-1), codec.error(99))
    script.visitor.end_of_file()
    assert script.visitor.results == ["draw"]


def test_end_of_file_without_a_verdict_is_an_aborted_game() -> None:
    script = Script().says(EMPTY)
    script.visitor.end_of_file()
    assert script.visitor.results == ["aborted"]
    assert "before the game was over" in script.visitor.texts()


def wait(script: Script, seconds: int) -> None:
    for _ in range(seconds):
        script.visitor.advance(1)


def test_silence_is_reported_once_and_given_up_later() -> None:
    script = Script().says(EMPTY)
    wait(script, 1000)
    assert script.visitor.results == [], "our own person may think for ever"
    script.plays(3)
    wait(script, 1799)
    assert script.visitor.texts().count("Waiting for the other player to move.") == 1
    assert script.visitor.results == []
    wait(script, 1)
    assert script.visitor.results == ["aborted"]


def test_answer_after_a_long_silence_is_taken() -> None:
    script = Script().says(EMPTY)
    script.plays(3)
    wait(script, 200)
    script.says(board((3, 1)) + board((3, 1), (4, 2)))
    wait(script, 1000)
    assert script.asks() == 2
    assert script.visitor.results == []


def test_patience_is_the_persons_to_choose_and_longer_while_an_opponent_is_sought() -> None:
    script = Script(patience="60")
    wait(script, 1799)
    assert script.visitor.shown == [Report("Waiting for another player to join, or to make the first move.")]
    script.says(EMPTY)
    script.plays(3)
    wait(script, 60)
    assert script.visitor.results == ["aborted"]


@pytest.mark.parametrize("query", [{"side": "x"}, {"patience": "long"}])
def test_url_with_something_else_is_refused(query: dict[str, str]) -> None:
    with pytest.raises(LocalError):
        C4nClient(Visit("localhost", 4414, "Vera", query=query))


def test_leaving_says_stop_and_closes() -> None:
    script = Script().says(EMPTY)
    script.visitor.act(Leave())
    assert script.visitor.sent == [b"C4N 1.0 STOP"]
    assert script.visitor.results == ["aborted"]
    assert script.visitor.closed


@pytest.mark.parametrize(("command", "told"), [(Say("hello"), visiting.NO_CHAT), (Vote(True), visiting.NO_OTHER_GAME)])
def test_what_the_wire_cannot_say_is_reported(command: Say | Vote, told: Report) -> None:
    script = Script().says(EMPTY)
    script.visitor.act(command)
    assert script.visitor.sent == []
    assert script.visitor.shown[-1] == told


def test_resigning_is_leaving_and_losing() -> None:
    script = Script()
    script.visitor.act(Resign())
    assert script.visitor.shown == [visiting.NO_GAME]
    script.says(EMPTY).visitor.act(Resign())
    assert script.visitor.sent == [b"C4N 1.0 STOP"]
    assert script.visitor.results == ["lost"]
    assert script.visitor.closed


def test_move_of_the_other_player_is_found_by_comparing_boards() -> None:
    script = Script().says(board((5, 2)))
    assert "The other player plays 5." in script.visitor.texts()
    script.plays(3)
    script.says(board((5, 2), (3, 1)) + board((5, 2), (3, 1), (3, 2)))
    told = [shown.text for shown in script.visitor.shown if isinstance(shown, Report) and " plays " in shown.text][1:]
    assert told == ["The other player plays 5.", "The other player plays 3."]


@pytest.mark.parametrize(
    ("column", "why"), [("0", "That column is full."), ("7", "There is no such column. The columns are 0 to 6.")]
)
def test_refusal_says_why(column: str, why: str) -> None:
    script = Script().says(board(*[(0, 2 - number % 2) for number in range(6)]))
    script.visitor.act(Play(column))
    assert script.visitor.shown[-2:] == [Report(why), YourTurn(tuple("123456"))]


# --- which way round a board is --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "columns"), [(7, 6, 7), (6, 7, 7), (8, 5, 8), (5, 8, 5), (12, 10, 12), (4, 4, 4)]
)
def test_empty_board_is_read_by_the_document_but_for_the_originals_sizes(first: int, second: int, columns: int) -> None:
    assert View.read(Board(first, second, b"0" * (first * second))).columns == columns


def test_board_on_which_tokens_float_is_turned() -> None:
    cells = bytearray(b"0" * 40)
    cells[-8 * 2], cells[-8] = b"12"  # two tokens on top of each other, eight columns wide
    assert View.read(Board(5, 8, bytes(cells))).columns == 8
    assert View.read(Board(8, 5, bytes(cells))).columns == 8


def test_our_own_token_tells_which_way_round_the_board_is() -> None:
    script = Script().says(codec.empty_board(6, 7))
    assert script.asked == tuple("0123456"), "taken for the original's seven columns"
    script.plays(2)
    answer = ((2, 1), (4, 2))
    script.says(board(*answer[:1], columns=6, rows=7) + board(*answer, columns=6, rows=7))
    assert script.asked == tuple("012345")


def test_picture_has_numbers_above_and_marks_below() -> None:
    script = Script().says(board((3, 2)))
    picture = next(shown.text for shown in script.visitor.shown if isinstance(shown, Picture))
    lines = picture.splitlines()
    assert lines[0].split() == list("0123456")
    assert lines[-1].split() == list("...O...")
    assert len(lines) == 7


def test_board_with_four_in_line_waits_a_moment_for_its_verdict() -> None:
    three = [(column, token) for column in (0, 1, 2) for token in (1, 2)]
    script = Script().says(board(*three))
    script.plays(6)
    script.says(board(*three, (6, 1), (6, 2)))
    assert script.asks() == 2
    script.plays(5)
    won = (*three, (6, 1), (6, 2), (5, 1), (3, 1), (3, 2))
    script.says(board(*won))
    assert script.asks() == 2
    script.says(result(2))
    script.visitor.end_of_file()
    assert script.visitor.results == ["lost"]
    assert script.asks() == 2


def test_four_that_the_server_overlooks_does_not_end_the_game() -> None:
    script = Script().says(board((0, 2), (0, 2), (0, 2)))
    script.plays(6)
    script.says(board((0, 2), (0, 2), (0, 2), (6, 1), (0, 2)))
    assert script.asks() == 1
    script.visitor.advance(1)
    assert script.asks() == 2
    script.plays(6)
    script.says(board((0, 2), (0, 2), (0, 2), (6, 1), (0, 2), (6, 1), (1, 2)))
    assert script.asks() == 3, "once is enough"


@pytest.mark.parametrize("size", [(7, 6), (4, 4), (12, 5)])
def test_view_sees_the_fours_that_the_rules_see(size: tuple[int, int]) -> None:
    columns, rows = size
    rng = Random(columns)
    for _ in range(150):
        position = GAME.start({"columns": columns, "rows": rows})
        while legal := position.legal():
            view = View(columns, rows, bytes(cell + ord("0") for cell in position.cells()))
            assert not view.looks_over()
            position.play(rng.choice(legal))
        view = View(columns, rows, bytes(cell + ord("0") for cell in position.cells()))
        assert view.looks_over() == bool(position.winners())
