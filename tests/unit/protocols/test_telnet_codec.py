"""Lines in and out: their ends, what is left out of them, and how long they may be."""

from random import Random
from typing import Any

import pytest

from parlour.core.errors import ProtocolError
from parlour.protocols.telnet.codec import LONGEST_ANSWER, LONGEST_LINE, TelnetCodec, shown
from parlour.protocols.telnet.messages import Complaint, Control, Drawn, Happened, Line, Plain, Prompt
from parlour.protocols.telnet.phases import Listening, Phase
from tests.wires.transcripts import byte_by_byte, randomly_cut, read

CODEC = TelnetCodec()
NAWS = b"\xff\xfa\x1f\x00\x50\x00\x0a\xff\xf0"
"""A window of 80 by 10: its height looks like the end of a line."""


def lines(data: bytes, phase: Any = Phase.FREE) -> list[Any]:
    """Everything in these bytes."""
    reading = read(CODEC, lambda _: phase, [data])
    assert not reading.rest
    return reading.messages


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"games\n", Line("games", "\n")),
        (b"games\r\n", Line("games", "\r\n")),
        (b"games\r\0", Line("games", "\r\n")),
        (b"\n", Line("", "\n")),
        (b"say \tgr\xc3\xbc\xc3\x9f\n", Line("say  grüß", "\n")),
        (b"say \xc3(\n", Line("say \N{REPLACEMENT CHARACTER}(", "\n")),
        (b"say a\x1b[2J\x07b\x00c\rd\x7f\n", Line("say a[2Jbc d", "\n")),
        ("say \N{RIGHT-TO-LEFT OVERRIDE}a\N{LINE SEPARATOR}b\n".encode(), Line("say a b", "\n")),
        (b"ga\xff\xf1mes\xff\xff\n", Line("games", "\n")),
        (b"ga" + NAWS + b"mes\n", Line("games", "\n")),
        (b"ga\xffmes\n", Line("games", "\n")),
    ],
)
def test_line_is_read_without_what_does_not_show(data: bytes, message: Line) -> None:
    assert lines(data) == [message]


@pytest.mark.parametrize(
    "command", [b"\xf4", b"\xfd\x06", b"\xfb\x0a", b"\xfe\xff", NAWS[1:], b"\xfa\x18\xff\xff\n\xff\xf0"]
)
def test_command_of_telnet_is_no_line_and_part_of_none(command: bytes) -> None:
    data = b"\xff" + command
    assert lines(data + b"3\n") == [Control(command), Line("3", "\n")]
    assert lines(b"1" + data + b"2\n") == [Line("12", "\n")]
    for end in range(1, len(data)):
        assert CODEC.parse(data[:end], 0, Phase.FREE) is None, "half a command"


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r\0"])
def test_longest_line_is_read_and_one_byte_more_is_not(end: bytes) -> None:
    assert lines(b"x" * LONGEST_LINE + end) == [Line("x" * LONGEST_LINE, "\n" if end == b"\n" else "\r\n")]
    for more in (1, 2, 3, 5000):
        data = b"x" * (LONGEST_LINE + more) + end + b"3\n"
        with pytest.raises(ProtocolError) as caught:
            CODEC.parse(data, 0, Phase.FREE)
        assert data[caught.value.resume :] == b"3\n"


def test_line_that_goes_on_for_ever_is_skipped_up_to_its_end() -> None:
    with pytest.raises(ProtocolError) as caught:
        CODEC.parse(b"x" * 5000, 0, Phase.FREE)
    assert (caught.value.resume, caught.value.until) == (5000, b"\n\0")
    with pytest.raises(ProtocolError):
        CODEC.parse(b"\xff\xfa" + b"x" * 5000, 0, Phase.FREE)


def test_what_a_server_says_is_told_apart_by_how_its_lines_begin() -> None:
    data = b"Hello.\r\n> \r\n* Ann plays 3.\r\n? No.\r\n    0 1\r\n  \r\nMoves: 1\r\n> > "
    assert lines(data, Listening.PLAYING) == [
        Plain("Hello."),
        Prompt(),
        Plain(""),
        Happened("Ann plays 3."),
        Complaint("No."),
        Drawn("  0 1"),
        Drawn(""),
        Plain("Moves: 1"),
        Prompt(),
        Prompt(),
    ]
    assert lines(b"a" * LONGEST_ANSWER + b"\n", Listening.PLAYING) == [Plain("a" * LONGEST_ANSWER)]


@pytest.mark.parametrize("phase", [Phase.FREE, Listening.PLAYING])
def test_conversation_means_the_same_however_it_is_cut(phase: Any) -> None:
    rng = Random(7)
    pieces = [
        b"games\n",
        b"\r\n",
        b"3\r\0",
        b"\xff\xfd\x06",
        NAWS,
        b"\xff\xf4",
        b"say \xff\xf1hi\n",
        b"> ",
        b"* x\r\n",
        b"\xff",
    ]
    for _ in range(200):
        data = b"".join(rng.choices(pieces, k=12)) + b"\n"
        whole = read(CODEC, lambda _: phase, [data])
        for cut in (byte_by_byte(data), randomly_cut(data, rng)):
            assert read(CODEC, lambda _: phase, cut).messages == whole.messages


@pytest.mark.parametrize("text", ["a\nb", "a\r\n* You won.", "\x1b[31mred", "x" * 5000, "a\N{PARAGRAPH SEPARATOR}b"])
def test_text_of_others_stays_on_its_line(text: str) -> None:
    assert shown(text).isprintable()
    assert len(shown(text)) <= 1000
