"""Glendy's lines, read and written."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.errors import ProtocolError
from parlour.games.glenda import GAME
from parlour.games.glenda.board import CELLS, DIRECTIONS
from parlour.protocols.glendy.codec import END_AFTER, SYNC, TURN_AFTER, WAIT_AFTER, GlendyCodec, board, hello, nick_for
from parlour.protocols.glendy.messages import (
    MOVES,
    Answer,
    Blank,
    Complaint,
    Conn,
    Die,
    Hello,
    Move,
    Odd,
    Put,
    Quit,
    Rabbit,
    Step,
    Wall,
    Word,
)
from parlour.protocols.glendy.phases import Listening, Phase

CODEC = GlendyCodec()
PHASES = [*Phase, *Listening]


def client_line(line: bytes, phase: Phase = Phase.PLAYING) -> object:
    found = CODEC.parse(line, 0, phase)
    assert found is not None
    assert found[1] == len(line)
    return found[0]


def server_line(line: bytes) -> object:
    found = CODEC.parse(line + b"\n", 0, Listening.PLAYING)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\0"])
@pytest.mark.parametrize("notation", ["p 3 7", "p 10 10", "p 0 0", *(f"m {way}" for way in DIRECTIONS)])
def test_move_may_end_in_any_of_three_ways_and_is_always_the_same_object(notation: str, end: bytes) -> None:
    assert client_line(notation.encode() + end) is MOVES[notation]


@pytest.mark.parametrize(
    ("line", "notation"),
    [
        (b"p  3   3", "p 3 3"),
        (b"p 03 010", "p 3 10"),
        (b"p 1 2 9", "p 1 2"),
        (b"p 1 2 x y", "p 1 2"),
        (b"p 11 0", "p 11 0"),
    ],
)
def test_numbers_are_normalised_and_words_after_them_ignored(line: bytes, notation: str) -> None:
    message = client_line(line + b"\n")
    assert isinstance(message, Move)
    assert message.notation == notation


@pytest.mark.parametrize(
    "line",
    [
        b"p",
        b"p 3",
        b"p -1 3",
        b"p a b",
        b"P 3 3",
        b"m",
        b"m ne",
        b"m  E",
        b"m E ",
        b" p 3 3",
        b"pp 3 3",
        b"hello there",
    ],
)
def test_other_lines_are_kept_as_they_came(line: bytes) -> None:
    assert client_line(line + b"\n") == Odd(line.decode())


def test_bytes_that_no_terminal_should_see_are_masked() -> None:
    assert client_line(b"\x1b[2J\xff\n") == Odd("?[2J?")
    assert server_line(b"ERR \x07\xc3\x28") == Complaint("ERR ??(")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"y\n", Answer()),
        (b"q\n", Quit()),
        (b"\n", Blank()),
        (b"\r\n", Blank()),
        (b"\0", Quit()),
        (b"quit\n", Odd("quit")),
    ],
)
def test_short_lines(line: bytes, message: object) -> None:
    assert client_line(line) == message


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"alice 0 0 0\n", Hello("alice", 0)),
        (b"alice 0 1 7\r\n", Hello("alice", 1)),
        (b"@ 0 2 0\n", Hello("Guest", None)),
        (b"abcdefgh 0 0\n", Hello("abcdefgh", 0)),
        (b"p 0 1\n", Hello("p", 1)),
    ],
)
def test_first_line_is_a_hello(line: bytes, expected: Hello) -> None:
    assert client_line(line, Phase.GREETING) == expected


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"\n", "empty string"),
        (b"alice\n", "hello must be"),
        (b"alice 0\n", "hello must be"),
        (b"alice 0 0 0 0\n", "hello must be"),
        (b"abcdefghi 0 0 0\n", "nick too long: 9"),
        (b"al_ice 0 0 0\n", "alpha numeric"),
        ("zoë 0 0 0\n".encode(), "alpha numeric"),
        (b" 0 0 0\n", "alpha numeric"),
        (b"alice 1 0 0\n", "invalid game: 1"),
        (b"alice 0 3 0\n", "invalid side: 3"),
        (b"alice 0 x 0\n", "invalid side: x"),
        (b"GET / HTTP/1.1\r\n", "invalid game: /"),
        (b"x" * 65 + b"\n", "longer than 64"),
        (b"x" * 66, "longer than 64"),
    ],
)
def test_bad_hello_is_named(line: bytes, why: str) -> None:
    with pytest.raises(ProtocolError, match=why) as caught:
        CODEC.parse(line, 0, Phase.GREETING)
    assert caught.value.resume == len(line)


def test_only_four_words_are_a_hello_in_the_queue_because_three_may_be_a_hasty_move() -> None:
    assert client_line(b"alice 0 1 0\n", Phase.QUEUED) == Hello("alice", 1)
    assert client_line(b"p 0 1\n", Phase.QUEUED) is MOVES["p 0 1"]
    assert client_line(b"alice 0 1 0\n", Phase.POLLED) == Odd("alice 0 1 0")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"CONN 0", Conn(0)),
        (b"CONN 1 bob", Conn(1, "bob")),
        (b"WAIT", Word.WAIT),
        (b"TURN\r", Word.TURN),
        (b"w 10 1", Wall(10, 1)),
        (b"g 5 5", Rabbit(5, 5)),
        (b"SYNC 1 3 7", Put(1, 3, 7)),
        (b"SYNC 2 NE", Step(2, "NE")),
        (b"DIE rude", Die("rude")),
        (b"DIE", Die("")),
        (b"", Blank()),
        (b"WALL 3 3", Complaint("WALL 3 3")),
        (b"WALL E 5 5", Complaint("WALL E 5 5")),
        (b"ERR WAIT", Complaint("ERR WAIT")),
        (b"CANTP", Complaint("CANTP")),
        (b"you can't move!", Complaint("you can't move!")),
    ],
)
def test_server_lines(line: bytes, message: object) -> None:
    assert server_line(line) == message


@pytest.mark.parametrize(
    "line", [b"SYNC 1", b"SYNC x 1 1", b"SYNC 1 11 0", b"w 1", b"w 99 1", b"g a b", b"CONN x", b"SYNC 2 N"]
)
def test_server_line_that_makes_no_sense_is_skipped(line: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        CODEC.parse(line + b"\nTURN\n", 0, Listening.PLAYING)
    assert caught.value.resume == len(line) + 1


@pytest.mark.parametrize(("phase", "longest"), [(Phase.GREETING, 64), (Phase.PLAYING, 1024), (Listening.PLAYING, 1024)])
def test_line_may_be_so_long_and_no_longer(phase: object, longest: int) -> None:
    assert CODEC.parse(b"x" * (longest + 1), 0, phase) is None
    with pytest.raises(ProtocolError, match="longer"):
        CODEC.parse(b"x" * (longest + 1) + b"\n", 0, phase)
    with pytest.raises(ProtocolError, match="longer"):
        CODEC.parse(b"x" * (longest + 2), 0, phase)
    if phase is Phase.PLAYING:
        assert client_line(b"x" * longest + b"\r\n") == Odd("x" * longest)


@given(st.binary(max_size=200), st.integers(0, 50), st.sampled_from(PHASES))
def test_any_bytes_are_a_message_incomplete_or_a_protocol_error(data: bytes, start: int, phase: object) -> None:
    start = min(start, len(data))
    try:
        found = CODEC.parse(data, start, phase)
    except ProtocolError as error:
        assert start < error.resume <= len(data)
    else:
        assert found is None or start < found[1] <= len(data)


@given(
    st.sets(st.sampled_from([cell for cell in CELLS if cell != (5, 5)]), max_size=40), st.randoms(use_true_random=False)
)
def test_board_reads_back_as_it_was_written(walls: set[tuple[int, int]], rng: Random) -> None:
    position = GAME.start({"walls": ";".join(f"{x} {y}" for x, y in walls)})
    lines = board(position).split(b"\n")
    assert (lines[0], lines[-2], lines[-1]) == (b"INIT", b"SENT", b"")
    seen = [server_line(line) for line in lines[1:-2]]
    cells = [(mark.x, mark.y) for mark in seen if isinstance(mark, Wall | Rabbit)]
    assert cells == sorted(cells), "x outer, y inner"
    assert {(mark.x, mark.y) for mark in seen if isinstance(mark, Wall)} == walls
    assert [mark for mark in seen if isinstance(mark, Rabbit)] == [Rabbit(5, 5)]


def test_every_move_has_its_three_tails() -> None:
    for notation in MOVES:
        text = notation[2:].encode()
        assert SYNC[1] + TURN_AFTER[notation] == b"SYNC 1 " + text + b"\nTURN\n"
        assert SYNC[12] + WAIT_AFTER[notation] == b"SYNC 12 " + text + b"\nWAIT\n"
        assert SYNC[241] + END_AFTER[notation] == b"SYNC 241 " + text + b"\n"


@pytest.mark.parametrize(
    ("name", "nick"),
    [("alice", "alice"), ("Ada Lovelace", "AdaLovel"), ("Parlour (hard)", "Parlourh"), ("ø!", "Guest"), ("", "Guest")],
)
def test_name_from_another_wire_is_cut_to_what_a_nick_may_be(name: str, nick: str) -> None:
    assert nick_for(name) == nick


def test_our_hello_always_has_four_words() -> None:
    assert hello("ada", None) == b"ada 0 2 0\n"
    assert hello("@", 1) == b"@ 0 1 0\n"
