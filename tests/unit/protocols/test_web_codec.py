"""The browser's codec: lines of JSON in, frames out, and our client's half of both."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.errors import ProtocolError
from parlour.protocols.web import frames
from parlour.protocols.web.answers import Other, RefusedMessage
from parlour.protocols.web.codec import LONGEST_LINE, Answered, WebCodec, heard, say
from parlour.protocols.web.frames import TEXT, accept_for, frame, masked, read_frame, unmask
from parlour.protocols.web.messages import FromClient, Hello, Odd, Open, Play, Say
from parlour.protocols.web.phases import Listening, Phase

CODEC = WebCodec()
EVERY_MESSAGE = (
    Hello("Ann", "secret", "1"),
    Open("dots", {"width": 5, "height": 4}, "human", id="2"),
    Play("1abc", "h 0 0", "3"),
    Say("1abc", "grüß dich", "4"),
)


@pytest.mark.parametrize("message", EVERY_MESSAGE, ids=[type(message).__name__ for message in EVERY_MESSAGE])
def test_message_is_read_as_it_was_said(message: FromClient) -> None:
    line = say(message) + b"\n"
    assert CODEC.parse(line, 0, Phase.FREE) == (message, len(line))
    assert CODEC.parse(b"xx" + line + line, 2, Phase.FREE) == (message, len(line) + 2)
    assert CODEC.parse(line[:-1], 0, Phase.FREE) is None


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        (b'{"type":"dance","id":"7"}', "7"),
        (b'{"id":"8"}', "8"),
        (b'{"type":"say","table":"a","text":"\xff","id":"12"}', "12"),
        (b'{"type":"play","table":"a","id":"9"}', "9"),
        (b'{"type":"say","table":"a","text":"' + b"x" * 1001 + b'","id":"10"}', "10"),
        (b'{"type":"hello","name":"' + b"x" * 41 + b'"}', ""),
        (b'{"type":"play","table":"a","move":"b","id":"' + b"x" * 65 + b'"}', "x" * 64),
        (b'{"type":"board","table":"a","width":1e99,"height":2,"id":"11"}', "11"),
    ],
)
def test_object_that_is_no_message_is_read_as_such_with_its_id(line: bytes, mark: str) -> None:
    found = CODEC.parse(line + b"\n", 0, Phase.FREE)
    assert found is not None
    assert isinstance(found[0], Odd)
    assert found[0].id == mark


@pytest.mark.parametrize("line", [b"", b"[]", b"7", b"{", b'{"x":' + b"[" * 5000 + b"]" * 5000 + b"}"])
def test_line_that_is_no_object_is_an_error_and_reading_goes_on_behind_it(line: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        CODEC.parse(line + b"\n{}", 0, Phase.FREE)
    assert caught.value.resume == len(line) + 1


def test_line_without_an_end_is_given_up_in_time() -> None:
    assert CODEC.parse(b" " * (LONGEST_LINE - 1), 0, Phase.FREE) is None
    with pytest.raises(ProtocolError) as caught:
        CODEC.parse(b" " * LONGEST_LINE + b"\n", 0, Phase.FREE)
    assert caught.value.resume == LONGEST_LINE + 1


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused_and_never_stand_still(data: bytes) -> None:
    for phase in (Phase.FREE, Listening.CALLING, Listening.TALKING):
        start = 0
        while start < len(data):
            try:
                found = CODEC.parse(data, start, phase)
            except ProtocolError as error:
                end = error.resume
            else:
                if found is None:
                    break
                end = found[1]
            assert start < end <= len(data)
            start = end


# --- frames -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 125, 126, 1023, 1024, 65535, 65536, 70000])
def test_frame_of_any_size_is_read_back_from_either_side(size: int) -> None:
    text = b"x" * size
    for data in (frame(text), masked(text, b"mask")):
        found = read_frame(b"." + data, 1)
        assert found is not None
        assert (found[0].opcode, found[0].final, found[0].payload) == (TEXT, True, text)
        assert found[1] == len(data) + 1
        assert all(read_frame(data[:cut], 0) is None for cut in (0, 1, min(len(data) - 1, 8), len(data) - 1))


@given(st.binary(max_size=50), st.binary(min_size=4, max_size=4))
def test_masking_is_its_own_undoing(text: bytes, mask: bytes) -> None:
    assert unmask(unmask(text, mask), mask) == text
    assert unmask(text, mask) == bytes(letter ^ mask[at % 4] for at, letter in enumerate(text))


@pytest.mark.parametrize("data", [b"\xc1\x00", b"\x83\x00", b"\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff"])
def test_bytes_that_no_frame_begins_with_are_refused(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        read_frame(data, 0)


def test_handshake_is_answered_as_the_document_says() -> None:
    assert accept_for("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    masks = frames.Masks("somebody")
    assert len(masks.key()) == 24
    assert len({masks.masked(b"same") for _ in range(8)}) == 8


# --- what our client reads --------------------------------------------------------------------------------------------


def test_answer_to_the_handshake_is_read_with_its_headers() -> None:
    data = b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nX-Y:z\r\n\r\n"
    assert CODEC.parse(data, 0, Listening.CALLING) == (
        Answered(101, {"upgrade": "websocket", "x-y": "z"}),
        len(data),
    )
    assert CODEC.parse(data[:-1], 0, Listening.CALLING) is None


@pytest.mark.parametrize("data", [b"SSH-2.0\r\n\r\n", b"HTTP/1.1\r\n\r\n", b"x" * 20000])
def test_answer_that_is_not_http_is_refused(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        CODEC.parse(data, 0, Listening.CALLING)


def test_what_a_server_says_is_read_and_what_is_new_to_us_passed_over() -> None:
    assert heard(b'{"type":"refused","why":"taken","text":"no","new":1}') == RefusedMessage("taken", "no")
    assert heard(b'{"type":"fireworks"}') == Other("fireworks")
    with pytest.raises(ProtocolError):
        heard(b"[]")


def test_every_message_a_client_sends_has_an_id_to_be_refused_by() -> None:
    for message in FromClient.__args__:
        assert "id" in message.__struct_fields__
        assert msgspec.inspect.type_info(message).tag == message.__name__.lower()  # type: ignore[attr-defined]
