"""Lines of NetDot: cut, taken apart and spelled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.errors import ProtocolError
from parlour.games.dots.rules import shape
from parlour.protocols.netdot import spell1, spell2, spell3, words
from parlour.protocols.netdot.codec import CODEC, KNOWN_LIMIT, LIMIT, _known
from parlour.protocols.netdot.messages import Line

texts = st.text(max_size=60)


def one(data: bytes) -> Line:
    found = CODEC.parse(data, 0, None)
    assert found is not None
    line, end = found
    assert end == len(data)
    return line


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"game-start\n", Line("game", "start")),
        (b"game-start\r\n", Line("game", "start")),
        (b"game-start\r", Line("game", "start")),
        (b"game-play-x 1,2 hor\n", Line("game", "play", "1,2 hor")),
        (b"network-chat  two  blanks \n", Line("network", "chat", " two  blanks ")),
        (b"unknown-\n", Line("unknown", "")),
        (b"unknown\n", Line("unknown", "")),
        (b"-x\n", Line("", "x")),
        (b" game-start\n", Line("", "", "game-start")),
        (b"\n\r\n  \ngame-start\n", Line("game", "start")),
        (b"network-chat \xff\xc3\xa9\n", Line("network", "chat", "\ufffdé")),
    ],
)
def test_line_is_taken_apart(data: bytes, line: Line) -> None:
    assert one(data) == line
    assert one(data) == line, "the second time from memory"


@pytest.mark.parametrize("data", [b"", b"game-start", b"\n", b"\r\n\r\n", b"  ", b"\ngame"])
def test_unfinished_line_waits(data: bytes) -> None:
    assert CODEC.parse(data, 0, None) is None


@pytest.mark.parametrize(
    "data", [b"x" * LIMIT, b"x" * 9000 + b"\n", b"\n" * LIMIT, b" " * LIMIT, b"x" * LIMIT + b"\ngame-start\n"]
)
def test_endless_line_is_refused_and_passed_by(data: bytes) -> None:
    with pytest.raises(ProtocolError) as refused:
        CODEC.parse(data, 0, None)
    assert 0 < refused.value.resume <= len(data)


def test_longest_line_is_taken() -> None:
    assert one(b"network-chat " + b"x" * (LIMIT - 14) + b"\n").args == "x" * (LIMIT - 14)


@given(st.binary(max_size=200))
def test_any_bytes_are_lines_or_wait(data: bytes) -> None:
    start = 0
    while (found := CODEC.parse(data, start, None)) is not None:
        assert found[1] > start
        start = found[1]
    assert b"\n" not in data[start:].strip()


def test_memory_for_lines_is_bounded() -> None:
    for number in range(KNOWN_LIMIT + 100):
        one(b"game-line %d 0 hor\n" % number)
    assert len(_known) <= KNOWN_LIMIT


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("5", 5), ("+5", 5), ("-16777216", -16777216), ("2147483647", 2**31 - 1), ("-2147483648", -(2**31)),
        ("4294901760", None), ("2147483648", None), ("", None), ("1.0", None), ("٣", None), ("#ff0000", None),
        ("1_0", None),
    ],
)  # fmt: skip
def test_number_is_what_java_reads(word: str, value: int | None) -> None:
    assert words.number(word) == value


@pytest.mark.parametrize("text", ["3,4", "3, 4", "3 4", " 3 , 4 "])
def test_point_has_three_spellings(text: str) -> None:
    assert words.point(text) == (3, 4)


@pytest.mark.parametrize("text", ["3", "3,", ",4", "3;4", "3,4,5", "a,b", "99999999999,1"])
def test_what_is_no_point_is_none(text: str) -> None:
    assert words.point(text) is None


@pytest.mark.parametrize(
    ("spelled", "read"),
    [("true 3, 4", words.move1), ("TRUE 3,4", words.move1), ("3,4 ver", words.move2), ("3 4 ver extra", words.move2),
     ("3 4 ver", words.move3), ("7 3 4 ver", words.move3)],
)  # fmt: skip
def test_move_is_read_in_every_dialect(spelled: str, read: object) -> None:
    assert callable(read)
    assert read(spelled) == "v 3 4"


@pytest.mark.parametrize("args", ["", "1", "1 2", "1 2 down", "x 2 hor", "1,2", "maybe 1, 2"])
def test_what_is_no_move_is_none(args: str) -> None:
    assert words.move1(args) is words.move2(args) is words.move3(args) is None


def test_every_line_of_a_board_comes_back_in_every_dialect() -> None:
    for move in shape(7, 5).moves:
        assert words.move1(one(spell1.ask_play(move)).args) == move
        assert words.move2(one(spell2.ask_play(move)).args) == move
        assert words.move3(one(spell3.ask_line(move)).args) == move
        assert words.move1(words.head(one(spell1.play(3, move)).args)[1]) == move
        assert words.move2(words.head(one(spell2.play(3, move)).args)[1]) == move
        assert words.move3(words.head(one(spell3.line(3, move)).args)[1]) == move


def test_spellings_are_those_of_the_programs() -> None:
    assert spell1.play(1, "v 0 2") == b"game-play 1 true 0, 2\n"
    assert spell2.play(1, "h 0 2") == b"game-play 1 0,2 hor\n"
    assert spell2.line(1, "h 0 2") == b"player-line 1 hor 0,2\n"
    assert spell2.box(1, 0, 2) == b"player-box 1 0,2\n"
    assert spell3.line(1, "v 0 2") == b"game-line 1 0 2 ver\n"
    assert spell3.ask_join(-65536, "Ann B. Smith") == b"request-join color -65536 name Ann B. Smith\n"
    assert spell3.ask_join() == b"request-join\n"


@pytest.mark.parametrize(
    ("argb", "sent"), [(16711680, -65536), (-65536, -65536), (0, -16777216), (0x7F00FF00, -16711936)]
)
def test_colours_are_sent_opaque(argb: int, sent: int) -> None:
    assert spell2.color(1, argb) == b"player-color 1 %d\n" % sent
    assert words.colour(str(argb)) == sent


@given(texts)
def test_text_stays_one_line_and_never_empty(text: str) -> None:
    line = spell2.chat(4, text)
    assert len(line.decode().splitlines()) == 1
    who, said = words.head(one(line).args)
    assert who == 4
    assert said.strip()
    assert said == words.clean(text)


@given(texts)
def test_name_is_trimmed_short_and_never_empty(text: str) -> None:
    name = words.clean_name(text)
    assert 1 <= len(name) <= words.NAME_LIMIT
    assert name == name.strip()
    assert words.clean_name(name) == name


def test_line_separators_that_java_knows_become_blanks() -> None:
    assert words.clean("a\x85b\u2028c\u2029d\ne\x00f👨\u200d👩 g") == "a b c d ef👨\u200d👩 g"
