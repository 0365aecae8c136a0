"""The browser's codec: lines of JSON to messages and back; and frames, whose payloads they are."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.uri import parse_uri

from parlour.core.errors import ProtocolError
from parlour.protocols.web.answers import Other, RefusedMessage
from parlour.protocols.web.codec import LONGEST_LINE, WebCodec, heard, say
from parlour.protocols.web.frames import Frames, frame, short_text, short_texts
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


def client_end() -> Frames:
    return Frames(ClientProtocol(parse_uri("ws://parlour.test/ws"), state=State.OPEN))


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 1023, 1024, 65535, 65536, 70000])
def test_frame_of_any_size_is_the_one_that_the_library_would_build(size: int) -> None:
    text = b"x" * size
    assert frame(text) == Frame(Opcode.TEXT, text).serialize(mask=False)
    assert client_end().feed(frame(text)) == ([text], 0)


def test_frames_are_read_however_they_are_cut_and_it_is_known_whether_one_is_under_way() -> None:
    data = frame(b"one") + frame(b"two" * 100)
    for size in (1, 2, 3, 7, 200):
        frames, texts = client_end(), []
        for at in range(0, len(data), size):
            texts += frames.feed(data[at : at + size])[0]
        assert texts == [b"one", b"two" * 100]
    server = Frames(ServerProtocol(state=State.OPEN))
    sent = Frame(Opcode.TEXT, b"hello").serialize(mask=True)
    assert server.feed(sent[:3]) == ([], 0)
    assert not server.idle
    assert server.feed(sent[3:]) == ([b"hello"], 0)
    assert server.idle


@given(st.one_of(st.binary(max_size=140), st.text(max_size=130).map(lambda text: text.encode())), st.booleans())
def test_short_way_reads_what_the_library_would_read_or_nothing(data: bytes, framed: bool) -> None:
    data = Frame(Opcode.TEXT, data).serialize(mask=True) if framed else data
    text = short_text(data)
    if text is not None:
        assert Frames(ServerProtocol(state=State.OPEN)).feed(data) == ([text], 0)


@pytest.mark.parametrize("size", [0, 1, 125, 126])
def test_short_way_is_for_short_messages_of_plain_letters(size: int) -> None:
    sent = Frame(Opcode.TEXT, b"x" * size).serialize(mask=True)
    assert short_text(sent) == (b"x" * size if size < 126 else None)
    assert short_text(sent + b"x") is None
    assert short_text(sent[:-1]) is None
    assert short_text(Frame(Opcode.TEXT, "ü".encode()).serialize(mask=True)) is None


@given(st.lists(st.text(st.characters(max_codepoint=127), max_size=125), min_size=1, max_size=5), st.data())
def test_short_messages_in_one_segment_are_read_together_or_left_to_others(
    texts: list[str], data: st.DataObject
) -> None:
    sent = b"".join(Frame(Opcode.TEXT, text.encode()).serialize(mask=True) for text in texts)
    assert short_texts(sent) == [text.encode() for text in texts]
    cut = data.draw(st.integers(1, len(sent) - 1))
    assert len(short_texts(sent[:cut])) < len(texts)
    ping = Frame(Opcode.PING, b"").serialize(mask=True)
    assert short_texts(sent + ping) == short_texts(ping + sent) == []


# --- what our client reads --------------------------------------------------------------------------------------------


def test_what_a_server_says_is_read_and_what_is_new_to_us_passed_over() -> None:
    assert heard(b'{"type":"refused","why":"taken","text":"no","new":1}') == RefusedMessage("taken", "no")
    assert heard(b'{"type":"fireworks"}') == Other("fireworks")
    with pytest.raises(ProtocolError):
        heard(b"[]")


def test_every_message_a_client_sends_has_an_id_to_be_refused_by() -> None:
    for message in FromClient.__args__:
        assert "id" in message.__struct_fields__
        assert msgspec.inspect.type_info(message).tag == message.__name__.lower()  # type: ignore[attr-defined]
