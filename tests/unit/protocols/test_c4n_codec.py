"""ConnectI4n bytes: no terminators, so every message must say itself where it ends."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.errors import ProtocolError
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.codec import CODEC, LIMIT
from parlour.protocols.c4n.messages import Board, Error, Message, Move, Result, Start, Stop
from tests.wires.transcripts import byte_by_byte, randomly_cut, read


def boards() -> st.SearchStrategy[Board]:
    sides = st.integers(4, 12)
    return st.tuples(sides, sides).flatmap(
        lambda size: st.builds(
            Board,
            st.just(size[0]),
            st.just(size[1]),
            st.lists(st.sampled_from(b"012"), min_size=size[0] * size[1], max_size=size[0] * size[1]).map(bytes),
        )
    )


MESSAGES = st.one_of(
    st.just(Start()),
    st.just(Stop()),
    st.builds(Move, st.integers(0, 9)),
    st.builds(Error, st.sampled_from((1, 2, 3, 99))),
    st.builds(Result, st.sampled_from((1, 2, -1, 0))),
    boards(),
)


def spelled(message: Message) -> bytes:
    match message:
        case Start():
            return codec.START.rstrip()
        case Stop():
            return codec.STOP
        case Move(column=column):
            return codec.move(column)
        case Error(code=code):
            return codec.error(code)
        case Result(winner=winner):
            return codec.result(winner)
        case Board():
            return codec.board(message)


def taken(data: bytes) -> list[Message]:
    return read(CODEC, lambda _: None, [data]).messages


@given(st.lists(MESSAGES, max_size=8), st.sampled_from((b"", b"\n", b"\r\n", b"  ")), st.integers())
def test_messages_come_through_however_they_are_joined_and_cut(
    messages: list[Message], between: bytes, seed: int
) -> None:
    data = between.join(spelled(message) for message in messages)
    for pieces in ([data], byte_by_byte(data), randomly_cut(data, Random(seed))):
        reading = read(CODEC, lambda _: None, pieces)
        assert reading.messages == messages
        assert not reading.errors


@given(MESSAGES)
def test_message_ends_with_its_last_byte_so_that_nobody_waits_for_more(message: Message) -> None:
    data = spelled(message)
    assert CODEC.parse(data, 0, None) == (message, len(data))
    assert CODEC.parse(b"xyz" + data, 3, None) == (message, 3 + len(data))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"C4N 1.0 START", Start()),
        (b"C4N 1.0 START\r\n", Start()),
        (b"\n\r\n C4N  1.0\t START \n", Start()),
        (b"C4N 1.0 MOVE\n3\n", Move(3)),
        (b"C4N 1.0 MOVE\r\n3\r\n", Move(3)),
        (b"C4N 1.0 MOVE\n +2 ", Move(2)),
        (b"C4N 1.0 MOVE \n\n 02", Move(2)),
        (b"C4N 1.0 MOVE\n11", Move(11)),
        (b"C4N 1.0 MOVE\n-1", Move(-1)),
        (b"C4N 1.0 MOVE\n123456789012345678901", Move(123456789012345678901)),
        (b"C4N 1.0 ERROR\n99", Error(99)),
        (b"C4N 1.0 ERROR\n9\n", Error(9)),
        (b"C4N 1.0 BOARD\n2 2 0120", Board(2, 2, b"0120")),
        (b"C4N 1.0 BOARD\n2 2\n0 1\n\n2 0            ", Board(2, 2, b"0120")),
    ],
)
def test_loose_spellings_are_understood(data: bytes, message: Message) -> None:
    assert CODEC.parse(data, 0, None) == (message, len(data))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n",
        b"C",
        b"C4N",
        b"C4N ",
        b"C4N 1.",
        b"C4N 1.0",
        b"C4N 1.0 MO",
        b"C4N 1.0 ST",
        b"C4N 1.0 MOVE",
        b"C4N 1.0 MOVE\r",
        b"C4N 1.0 MOVE\n",
        b"C4N 1.0 MOVE\n-",
        b"C4N 1.0 MOVE\n +",
        b"C4N 1.0 ERROR\n9",
        b"C4N 1.0 BOARD\n1",
        b"C4N 1.0 BOARD\n10",
        b"C4N 1.0 BOARD\n4 4",
        b"C4N 1.0 BOARD\n4 4 " + b"0 " * 15,
    ],
)
def test_beginning_of_a_message_waits_for_the_rest(data: bytes) -> None:
    assert CODEC.parse(data, 0, None) is None


@pytest.mark.parametrize(
    "data",
    [
        b"hello",
        b"C4N1.0 START",
        b"C4N 1.1 START",
        b"C4N 2.0 START",
        b"C4N 1.0START",
        b"C4N 1.0 start",
        b"C4N 1.0 QUIT",
        b"C4N 1.0 MOVE 3",
        b"C4N 1.0 MOVE\nA",
        b"C4N 1.0 MOVE\n--1",
        b"C4N 1.0 BOARD\n7 6 3",
        b"C4N 1.0 BOARD\n0 6 ",
        b"C4N 1.0 BOARD\n100 1",
        b"C4N 1.0 BOARD\n-1 6 ",
        b"C4N 1.0 BOARD\n99 99 ",
        b"\xff\xfe\n",
    ],
)
def test_what_is_no_message_is_dropped_up_to_the_next_one(data: bytes) -> None:
    with pytest.raises(ProtocolError) as wrong:
        CODEC.parse(data, 0, None)
    assert wrong.value.resume == len(data)
    assert taken(data + b" C4N 1.0 MOVE\n3") == [Move(3)]


def test_half_a_header_at_the_end_of_nonsense_is_kept() -> None:
    reading = read(CODEC, lambda _: None, [b"hello C4", b"N 1.0 STOP"])
    assert reading.messages == [Stop()]
    assert len(reading.errors) == 1


@pytest.mark.parametrize(
    "endless",
    [
        b"C4N" + b" " * LIMIT,
        b" " * LIMIT,
        b"C4N 1.0 MOVE\n" + b"1" * LIMIT,
        b"C4N 1.0 MOVE\n" + b" " * LIMIT,
        b"C4N 1.0 BOARD\n31 31 " + b"0    " * (LIMIT // 5),
    ],
)
def test_no_message_is_longer_than_the_limit(endless: bytes) -> None:
    with pytest.raises(ProtocolError, match="longer than"):
        CODEC.parse(endless, 0, None)
    for piece in (byte_by_byte(endless), [endless[:1000], endless[1000:]]):
        assert len(read(CODEC, lambda _: None, piece).rest) <= LIMIT


def test_usual_spellings_are_shared_rather_than_made_again() -> None:
    first, second = (CODEC.parse(bytes(bytearray(b"C4N 1.0 MOVE\n3")), 0, None) for _ in range(2))
    assert first is not None
    assert first is second


@given(st.binary(max_size=200), st.integers(0, 3))
def test_only_protocol_errors_come_out_of_any_bytes(data: bytes, words: int) -> None:
    read(CODEC, lambda _: None, [b"C4N 1.0 MOVE\n"[: 4 * words] + data])
