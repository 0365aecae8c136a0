"""Two people through our netToe host, people of other wires, and what this wire cannot say."""

import pytest

from parlour.core.errors import LocalError
from parlour.core.game import NOBODY
from parlour.core.table.table import Table
from parlour.core.words import Cap, Command, Leave, Play, Resign, Vote
from parlour.protocols.nettoe.codec import NO, YES, name_field
from tests.nettoe import BOB, CLARA, PARLOUR, Guest, client, host, joined, world_where
from tests.world import Wire, World

# --- two people ------------------------------------------------------------------------------------------------------


def two_people(world: World) -> tuple[Wire, Wire]:
    bob = joined(world, BOB, opponent="human")
    return bob, joined(world, CLARA, opponent="human")


def seats_in(world: World) -> list[str]:
    return [seat.name for seat in world.tables[0].seats if seat is not None]


def test_client_that_speaks_first_is_told_its_opponents_real_name() -> None:
    world = World()
    bob, clara = two_people(world)
    starter = seats_in(world)[world.tables[0].starter]
    numbers = {"Bob": (b"2", b"1"), "Clara": (b"1", b"2")}[starter]
    assert bob.take() == CLARA + name_field(starter) + numbers[0]
    assert clara.take() == BOB + name_field(starter) + numbers[1]


def test_client_that_reads_first_is_told_the_doors_name_after_half_a_second() -> None:
    world = World()
    bob = world.connect("nettoe", opponent="human")
    world.advance(0.4)
    assert bob.take() == b""
    world.advance(0.2)
    assert bob.take() == PARLOUR
    bob.send(BOB)
    clara = joined(world, CLARA, opponent="human")
    assert clara.take().startswith(BOB)
    starter = seats_in(world)[world.tables[0].starter]
    assert bob.take()[:-1] == name_field(starter)


def test_client_that_comes_second_is_told_at_once_who_waits() -> None:
    world = World()
    joined(world, BOB, opponent="human")
    assert world.connect("nettoe", opponent="human").take() == BOB


def test_name_that_comes_within_the_half_second_needs_no_greeting() -> None:
    world = World()
    bob = joined(world, BOB, opponent="human")
    world.advance(30)
    assert bob.take() == b""
    assert not bob.closed


@pytest.mark.parametrize("first", [0, 1])
def test_two_people_each_see_themselves_as_o(first: int) -> None:
    world = world_where(first)
    bob, clara = two_people(world)
    wires = [bob, clara] if seats_in(world)[0] == "Bob" else [clara, bob]
    starter, other = wires[first], wires[1 - first]
    starter.take(), other.take()
    assert starter.send(client(O="b2")).take() == b""
    assert other.take() == host(X="b2")
    assert other.send(client(X="b2", O="a1")).take() == b""
    assert starter.take() == host(O="b2", X="a1")
    starter.send(client(O="b2 c3", X="a1"))
    other.send(client(X="b2 c3", O="a1 c1"))
    starter.send(client(O="b2 c3 b3", X="a1 c1"))
    other.send(client(X="b2 c3 b3", O="a1 c1 a2"))
    starter.send(client(O="b2 c3 b3 a3", X="a1 c1 a2"))
    seen = host(X="b2 c3", O="a1") + host(X="b2 c3 b3", O="a1 c1") + host(X="b2 c3 b3 a3", O="a1 c1 a2")
    assert other.take() == seen + YES
    assert starter.take() == host(O="b2 c3", X="a1 c1") + host(O="b2 c3 b3", X="a1 c1 a2") + YES
    assert starter.send(YES).take() == b""
    assert other.send(YES).take() == b"2"
    assert starter.take() == b"1"
    assert other.send(client(O="c2")).take() == b""
    assert starter.take() == host(X="c2")


def play_out(world: World, wires: list[Wire]) -> None:
    """A quick game between two netToe clients: whoever begins takes the first row."""
    table = world.tables[0]
    for cell in ("a1", "b1", "a2", "b2", "a3"):
        assert table.position is not None
        seat = table.position.turn
        cells = {0: "", 1: ""}
        for number, move in enumerate([*table.moves, cell]):
            cells[(table.starter + number) % 2] += f"{move} "
        wires[seat].send(client(O=cells[seat], X=cells[1 - seat]))
    assert table.position is not None
    assert table.position.turn == NOBODY


def seated(world: World) -> tuple[list[Wire], Table]:
    bob, clara = two_people(world)
    return ([bob, clara] if seats_in(world)[0] == "Bob" else [clara, bob]), world.tables[0]


@pytest.mark.parametrize("decliner", [0, 1])
@pytest.mark.parametrize("how", ["no", "end of file"])
def test_either_no_or_end_of_file_after_the_game_ends_it_for_both(decliner: int, how: str) -> None:
    world = World()
    wires, _ = seated(world)
    play_out(world, wires)
    wires[1 - decliner].send(YES)
    if how == "no":
        wires[decliner].send(NO)
    else:
        wires[decliner].end_of_file()
    assert all(wire.closed for wire in wires)
    assert world.tables == []


def test_person_whose_opponent_declines_first_is_closed_without_waiting_for_an_answer() -> None:
    world = World()
    wires, _ = seated(world)
    play_out(world, wires)
    wires[0].send(NO)
    assert wires[1].closed


def test_illegal_board_of_a_person_closes_both_and_nobody_wins() -> None:
    world = World()
    wires, table = seated(world)
    wires[table.starter].send(client(X="a1"))
    assert all(wire.closed for wire in wires)
    assert table.result is not None
    assert table.result.winners == ()


def test_engine_takes_the_seat_after_the_wait() -> None:
    world = World()
    bob = joined(world, BOB, opponent="human", wait="3", name="HAL")
    world.advance(2.9)
    assert bob.take() == b""
    world.advance(0.3)
    assert bob.take().startswith(name_field("HAL"))
    assert seats_in(world) == ["Bob", "Parlour (medium)"]


# --- gaps: what this wire cannot say ---------------------------------------------------------------------------------


def against_guest(world: World, caps: Cap = Cap.ALL & ~Cap.RESUME) -> tuple[Wire, Guest]:
    """Bob at our door, in O's seat, and somebody from another wire, who begins, in X's."""
    guest = Guest(world, caps=caps)
    guest.seek(seat=0)
    bob = joined(world, BOB, opponent="human")
    bob.take()
    return bob, guest


def test_opponent_of_another_wire_is_a_host_like_any_other() -> None:
    world = world_where(0)
    bob, guest = against_guest(world)
    guest.do(Play("a1"))
    assert bob.take() == host(X="a1")
    bob.send(client(X="a1", O="b2"))
    guest.do(Play("a2"))
    bob.send(client(X="a1 a2", O="b2 b1"))
    guest.do(Play("a3"))
    assert bob.take() == host(X="a1 a2", O="b2") + host(X="a1 a2 a3", O="b2 b1") + YES
    bob.send(YES)
    guest.do(Vote(True))
    assert bob.take() == b"2"


def test_opponent_whose_wire_has_no_rematch_is_a_host_that_declines() -> None:
    world = world_where(0)
    bob, guest = against_guest(world, Cap.DRAW)
    for mine, theirs in (("a1", "b1"), ("a2", "b2")):
        guest.do(Play(mine))
        played = world.tables[0].moves
        bob.send(client(X=" ".join(played[::2]), O=" ".join([*played[1::2], theirs])))
    bob.take()
    guest.do(Play("a3"))
    assert bob.take() == host(X="a1 a2 a3", O="b1 b2") + NO
    assert bob.closed


@pytest.mark.parametrize("how", [Resign(), Leave()])
def test_opponent_who_resigns_or_leaves_is_a_closed_connection(how: Command) -> None:
    world = world_where(0)
    bob, guest = against_guest(world)
    guest.do(how)
    assert bob.closed
    assert bob.take() == b""


def test_full_server_closes_without_a_word() -> None:
    world = World(max_connections=1)
    world.connect("nettoe")
    second = world.connect("nettoe")
    assert second.closed
    assert second.take() == b""


@pytest.mark.parametrize("opponent", ["engine", "human"])
def test_draining_server_closes_those_who_come_late_and_those_who_wait(opponent: str) -> None:
    world = World()
    waiting = joined(world, BOB, opponent="human")
    world.house.enter(world.hub.drain)
    world.run()
    assert waiting.closed
    assert joined(world, CLARA, opponent=opponent).closed


def test_stopping_server_closes_a_running_game() -> None:
    world = World()
    wire = joined(world)
    wire.take()
    world.house.enter(wire.link.farewell)
    world.run()
    assert wire.closed
    assert wire.take() == b""


def test_table_whose_log_fails_is_closed() -> None:
    world = world_where(1)
    wire = joined(world)
    wire.take()
    world.store.failure = LocalError("disk full")
    wire.send(client(O="b2"))
    assert wire.closed
    assert wire.take() == b""


def test_client_that_floods_with_answers_is_slowed_down_in_silence() -> None:
    wire = World().connect("nettoe")
    wire.take()
    assert wire.link.session.throttled() == ()
    assert not wire.closed
