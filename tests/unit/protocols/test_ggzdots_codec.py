"""Dots messages, byte for byte, in both dialects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.errors import ProtocolError
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.board import cells, laid_out, restored
from parlour.protocols.ggzdots.codec import CODEC, LIMIT
from parlour.protocols.ggzdots.dialect import FOUR, KINDS, NAME_BYTES, YEAR2000, Dialect
from parlour.protocols.ggzdots.messages import (
    Answer,
    AskSync,
    Chair,
    Choose,
    Draw,
    GameOver,
    Line,
    Message,
    NewGame,
    Options,
    Players,
    Seat,
    Sync,
    WantMove,
    WantOptions,
)
from parlour.protocols.ggzdots.phases import Reading, Side

every_dialect = pytest.mark.parametrize("dialect", list(Dialect), ids=lambda dialect: dialect.value)

FROM_CLIENT: dict[str, Message] = {
    "000000000102": Draw("h 1 2"),
    "000000010300": Draw("v 3 0"),
    "00000000ffff": Draw("h 255 255"),
    "00000002": AskSync(),
    "000000030619": Choose(6, 25),
    "00000004": NewGame(),
}
FROM_SERVER: dict[Dialect, dict[str, Message]] = {
    YEAR2000: {
        "0000000000000001": Seat(1),
        "00000000ffffffff": Seat(-1),
        "00000001fffffffb00000004616e6e00ffffffff": Players((Chair(-5, "ann"), Chair(-1))),
        "00000001fffffffe00000003414900fffffffd0000000100": Players((Chair(-2, "AI"), Chair(-3, ""))),
        "000000020102": Line("h 1 2"),
        "000000030001": Line("v 0 1"),
        "0000000402": GameOver(2),
        "00000005": WantMove(),
        "0000000602": Answer(2),
        "00000006fc": Answer(-4),
        "000000080619": Options(6, 25),
        "00000009": WantOptions(),
    },
    FOUR: {
        "000000010000000300000004616e6e0000000001": Players((Chair(3, "ann"), Chair(1))),
        "00000001000000040000000462656e00000000050000000100": Players((Chair(4, "ben"), Chair(5, ""))),
        "0000000201010201000101": Line("h 1 1", ((1, 0), (1, 1))),
        "00000003010000": Line("v 1 0"),
        "000000060000": Answer(0),
        "0000000600010000": Answer(0, ((0, 0),)),
        "00000006fd00": Answer(-3),
    },
}


def written(dialect: Dialect, message: Message) -> bytes:
    """The same message by our own hand."""
    spelling = spell.SPELLING[dialect]
    match message:
        case Players(chairs=chairs):
            return spelling.players(chairs)
        case Line(move=move, squares=squares):
            return spelling.line(move, squares)
        case Answer(status=status, squares=squares):
            closed = squares if dialect is FOUR else ((0, 0),) * max(status, 0)
            return spelling.refusal(status) if status < 0 else spelling.grant(closed)
        case Seat(number=number):
            return spell.seat(number)
        case GameOver(winner=winner):
            return spell.game_over(winner)
        case Options(width=width, height=height):
            return spell.options(width, height)
        case Draw(move=move):
            return spell.draw(move)
        case Choose(width=width, height=height):
            return spell.choose(width, height)
        case Sync():
            return spell.sync(message)
    return {
        WantMove: spell.WANT_MOVE,
        WantOptions: spell.WANT_OPTIONS,
        AskSync: spell.ASK_SYNC,
        NewGame: spell.NEW_GAME,
    }[type(message)]


Case = tuple[Dialect, bytes, Message, Reading | Side]


def cases() -> list[Case]:
    client: list[Case] = [
        (d, bytes.fromhex(text), message, Side.CLIENT) for d in Dialect for text, message in FROM_CLIENT.items()
    ]
    server: list[Case] = [
        (d, bytes.fromhex(text), message, Reading(3, 3)) for d in Dialect for text, message in FROM_SERVER[d].items()
    ]
    return [*client, *server]


@pytest.mark.parametrize(("dialect", "data", "message", "phase"), cases())
def test_message_is_read_and_written_as_the_other_programs_do(
    dialect: Dialect, data: bytes, message: Message, phase: Reading | Side
) -> None:
    codec = CODEC[dialect]
    for before in (b"", b"\0\0\0\5"):
        assert codec.parse(before + data, len(before), phase) == (message, len(before) + len(data))
        for end in range(len(data)):
            assert codec.parse(before + data[:end], len(before), phase) is None
    assert written(dialect, message) == data


@every_dialect
@pytest.mark.parametrize("opcode", [5, 6, 77, 2**31 - 1, -1, -(2**31)])
def test_unknown_opcode_of_a_client_is_four_bytes_that_mean_nothing(dialect: Dialect, opcode: int) -> None:
    data = b"xx" + spell.whole(opcode) + spell.ASK_SYNC
    with pytest.raises(ProtocolError, match=str(opcode)) as error:
        CODEC[dialect].parse(data, 2, Side.CLIENT)
    assert error.value.resume == 6


@every_dialect
@pytest.mark.parametrize(
    "data", [spell.whole(10), spell.whole(-1), b"\0\0\0\1\0\0\0\2\0\0\0\0", b"\0\0\0\1\0\0\0\2\0\1\0\0"]
)
def test_what_cannot_be_read_from_a_server_takes_all_the_rest_with_it(dialect: Dialect, data: bytes) -> None:
    with pytest.raises(ProtocolError) as error:
        CODEC[dialect].parse(data + b"rest", 0, Reading())
    assert error.value.resume == len(data) + 4


@pytest.mark.parametrize(
    ("size", "cells_after"), [((0, 0), 0), ((2, 2), 5), ((3, 3), 16), ((2, 3), 9), ((25, 25), 1776)]
)
def test_sync_is_as_long_as_the_board_that_was_told(size: tuple[int, int], cells_after: int) -> None:
    data = spell.sync(cells(size, None))
    assert len(data) == 13 + cells_after
    assert data[:13] == bytes.fromhex("00000007ff0000000000000000")
    for dialect in Dialect:
        assert CODEC[dialect].parse(data, 0, Reading(*size)) == (cells(size, None), len(data))
        assert CODEC[dialect].parse(data[:-1], 0, Reading(*size)) is None
    assert len(data) < LIMIT


def test_sync_goes_column_by_column() -> None:
    position = laid_out(3, 3)
    drawn = "h 0 0,h 1 0,h 0 2,h 1 2,v 0 0,v 2 0,v 0 1,v 2 1,h 0 1,v 1 0"
    for move in drawn.split(","):
        position.play(move)
    # As the original server sends it after these lines.
    expected = "0000000701000000000000000101010100010101010101000101ffffff"
    assert spell.sync(cells((3, 3), position)).hex() == expected


@given(st.integers(2, 25), st.integers(2, 25), st.randoms(use_true_random=False), st.floats(0, 1))
def test_board_that_is_sent_is_the_board_that_is_seen(width: int, height: int, rng: st.DataObject, part: float) -> None:
    position = laid_out(width, height)
    moves = position.legal()
    rng.shuffle(moves)  # type: ignore[attr-defined] # hypothesis makes a Random of it
    for move in moves[: int(len(moves) * part)]:
        position.play(move)
    sync = cells((width, height), position)
    twin = restored((width, height), sync)
    assert cells((width, height), twin) == sync
    assert twin.text() == position.text()
    assert twin.turn == position.turn
    assert twin.legal() == position.legal()


@given(st.text(max_size=40))
def test_names_are_cut_to_what_every_program_can_read_in_whole_characters(name: str) -> None:
    short = spell.short_name(name)
    assert len(short.encode()) <= NAME_BYTES
    assert "\0" not in short
    plain = name.replace("\0", "").encode("utf-8", "replace").decode()
    assert plain.startswith(short)
    if short != plain:
        assert len(plain[: len(short) + 1].encode()) > NAME_BYTES
    for dialect in Dialect:
        chairs = Chair(KINDS[dialect].player, name), Chair(KINDS[dialect].open)
        data = spell.SPELLING[dialect].players(chairs)
        found = CODEC[dialect].parse(data, 0, Reading())
        assert found == (Players((Chair(KINDS[dialect].player, short), Chair(KINDS[dialect].open))), len(data))


@every_dialect
@given(data=st.binary(max_size=200), size=st.sampled_from([(0, 0), (2, 2), (25, 25), (255, 255)]))
def test_any_bytes_are_read_forward_and_within_bounds(dialect: Dialect, data: bytes, size: tuple[int, int]) -> None:
    for phase in (Side.CLIENT, Reading(*size)):
        start = 0
        while start < len(data):
            try:
                found = CODEC[dialect].parse(data, start, phase)
                if found is None:
                    break
                end = found[1]
            except ProtocolError as error:
                end = error.resume
            assert start < end <= len(data)
            start = end
