"""Our netToe host: the handshake, recordings, play against an engine, and illegal boards."""

from pathlib import Path

import pytest

from parlour.core.table.table import Status
from parlour.core.words import Kind
from parlour.protocols.nettoe.codec import NO, YES, client_frame, name_field
from tests.conftest import ROOT
from tests.nettoe import BOB, PARLOUR, Scripted, client, host, joined, world_where
from tests.wires.nettoe import Conversation
from tests.wires.transcripts import load
from tests.world import World

RECORDINGS = sorted((ROOT / "tests" / "wires" / "nettoe").glob("*.wire"))


# --- the handshake ---------------------------------------------------------------------------------------------------


def test_name_of_the_door_comes_at_once_because_the_original_joiner_reads_first() -> None:
    wire = World().connect("nettoe", name="Deep Thought")
    assert wire.take() == name_field("Deep Thought")


@pytest.mark.parametrize(("first", "answer"), [(0, PARLOUR + b"1" + host(X="a1")), (1, BOB + b"2")])
def test_coin_decides_who_begins_and_name_and_number_say_so(first: int, answer: bytes) -> None:
    wire = joined(world_where(first))
    assert wire.take() == PARLOUR + answer


@pytest.mark.parametrize(
    ("field", "shown", "echo"),
    [
        (b"Al\0imilian_the_Great".ljust(32, b"\0"), "Al", b"Al\0imilian_the_Great".ljust(32, b"\0")),
        (b"Z" * 32, "Z" * 32, b"Z" * 31 + b"\0"),
        (bytes(32), "Anon", bytes(32)),
        (b"\x1b[2J\x07 \0".ljust(32, b"\0"), "[2J", b"\x1b[2J\x07 \0".ljust(32, b"\0")),
        (b"\xff\xfe".ljust(32, b"\0"), "��", b"\xff\xfe".ljust(32, b"\0")),
        ("Zoë".encode().ljust(32, b"\0"), "Zoë", "Zoë".encode().ljust(32, b"\0")),
    ],
)
def test_name_is_cut_at_the_first_nul_for_the_table_and_echoed_with_one(field: bytes, shown: str, echo: bytes) -> None:
    world = world_where(1)
    wire = joined(world, field)
    assert wire.take() == PARLOUR + echo + b"2"
    seat = world.tables[0].seats[1]
    assert seat is not None
    assert seat.name == shown


def test_engine_sits_as_x_under_the_name_of_the_door() -> None:
    world = World()
    joined(world, name="HAL", level="hard")
    engine = world.tables[0].seats[0]
    assert engine is not None
    assert (engine.name, engine.kind, engine.level) == ("Parlour (hard)", Kind.ENGINE, "hard")


def test_client_that_never_says_its_name_is_closed_after_twenty_seconds() -> None:
    world = World()
    wire = world.connect("nettoe")
    wire.send(BOB[:31])
    world.advance(19.5)
    assert not wire.closed
    world.advance(1)
    assert wire.closed


def test_deadline_of_the_handshake_is_over_with_the_name() -> None:
    world = World()
    wire = joined(world)
    world.advance(600)
    assert not wire.closed


# --- recordings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", RECORDINGS, ids=[path.stem for path in RECORDINGS])
def test_server_says_what_the_recorded_host_said(path: Path) -> None:
    """The recorded client, against our host whose engine makes the recorded host's moves."""
    transcript = load(path)
    talk = Conversation(transcript)
    world = world_where(talk.starters[0])
    world.hub.engines = Scripted(world, talk.moves_of(0))
    expected, heard = talk.respelled("S"), transcript.data(("C", 0))
    door = world.connect("nettoe", name=expected.partition(b"\0")[0].decode())
    for cut in range(0, len(heard), 7):
        door.send(heard[cut : cut + 7])
    if expected.endswith(NO):  # our host never declines: an engine always agrees
        expected = expected.removesuffix(NO) + YES
    assert door.take() == expected


# --- playing ---------------------------------------------------------------------------------------------------------


def test_client_wins_then_plays_again_with_the_other_one_beginning() -> None:
    world = world_where(1)
    wire = joined(world)
    wire.take()
    assert wire.send(client(O="b2")).take() == host(O="b2", X="a1")
    assert wire.send(client(O="b2 a3", X="a1")).take() == host(O="b2 a3", X="a1 a2")
    assert wire.send(client(O="b2 a3 c1", X="a1 a2")).take() == YES
    assert wire.send(YES).take() == b"1" + host(X="a1")
    assert wire.send(client(O="c3", X="a1")).take() == host(O="c3", X="a1 a2")
    assert wire.send(client(O="c3 c2", X="a1 a2")).take() == host(O="c3 c2", X="a1 a2 a3") + YES
    assert not wire.closed
    wire.send(NO)
    assert wire.closed
    assert wire.take() == b""
    assert world.tables == []


@pytest.mark.parametrize("answer", [NO, b"y\0N\0", b"y\0\0\0", b"y\0yy", b"y\0Yn"])
def test_anything_but_yes_ends_the_session(answer: bytes) -> None:
    world = world_where(1)
    wire = joined(world)
    wire.send(client(O="b2")).send(client(O="b2 a3", X="a1")).send(client(O="b2 a3 c1", X="a1 a2"))
    assert not wire.closed
    wire.send(answer)
    assert wire.closed


ILLEGAL = {
    "two marks at once": client(O="b1 b2", X="a1"),
    "no mark": client(X="a1"),
    "the host's mark": client(X="a1 b2"),
    "a mark on a mark": client(O="a1"),
    "an erased mark": client(O="b2"),
    "a lower-case mark": client_frame(b"X   o    "),
    "a digit": client_frame(b"X   1    "),
    "a NUL": client_frame(b"X   \0    "),
    "an escape": client_frame(b"X   \x1b    "),
    "a whole line": client(O="c1 c2 c3", X="a1"),
}


@pytest.mark.parametrize("frame", ILLEGAL.values(), ids=ILLEGAL.keys())
def test_illegal_board_ends_its_own_table_and_no_other(frame: bytes) -> None:
    world = world_where(0)
    wire = joined(world)
    bystander = joined(world)
    bystander.take()
    wire.send(frame)
    assert wire.closed
    assert len(world.tables) == 1
    assert not bystander.closed
    opening = client(O="b2", X="a1") if world.tables[0].starter == 0 else client(O="b2")
    assert bystander.send(opening).take().startswith(b"y\0X")


def test_frame_out_of_turn_is_illegal() -> None:
    world = world_where(1)
    world.hub.engines = Scripted(world, [])  # thinks for ever
    wire = joined(world)
    wire.send(client(O="b2"))
    assert not wire.closed
    wire.send(client(O="b2 a1"))
    assert wire.closed


def test_frame_before_there_is_a_game_is_illegal() -> None:
    wire = joined(World(), opponent="human")
    assert not wire.closed
    wire.send(client(O="b2"))
    assert wire.closed


def test_too_much_junk_ends_the_session() -> None:
    wire = joined(world_where(1))
    wire.send(b"n\0" * 32)
    assert not wire.closed
    wire.send(b"n\0")
    assert wire.closed


def test_client_that_leaves_takes_its_table_along() -> None:
    world = World()
    wire = joined(world)
    table = world.tables[0]
    wire.end_of_file()
    assert table.status is Status.CLOSED
    assert world.tables == []
