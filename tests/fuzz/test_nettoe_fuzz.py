"""Damaged netToe boards at one table, while a game at the next table goes on as if nothing were."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.protocols.nettoe.codec import client_frame
from tests.fuzz.mutation import mutated, pieces, seeds
from tests.nettoe import BOB, Scripted, client, host, joined, world_where
from tests.world import World

CORPUS = seeds("nettoe")


def legal_replies(squares: bytes) -> set[bytes]:
    """Every board with one more O."""
    return {squares[:cell] + b"O" + squares[cell + 1 :] for cell in range(9) if squares[cell : cell + 1] == b" "}


@settings(max_examples=300)
@given(st.lists(st.sampled_from(b"XO \0x1\x1b"), min_size=9, max_size=9).map(bytes))
def test_board_is_taken_if_and_only_if_it_has_one_new_nought(squares: bytes) -> None:
    world = world_where(0)
    wire = joined(world)
    before = wire.take()[-11:-2]
    assert before == b"X        "
    wire.send(client_frame(squares))
    taken = squares in legal_replies(before)
    assert wire.closed is not taken
    assert bool(world.tables) is taken


@settings(max_examples=100)
@given(st.integers(0, 10**9))
def test_neighbours_game_goes_on_while_somebody_sends_rubbish(seed: int) -> None:
    rng = Random(seed)
    world = world_where(1)
    world.hub.engines = Scripted(world, ["a1", "a2"])
    neighbour = joined(world)
    neighbour.take()
    world.hub.engines = world.engines
    steps = [
        (client(O="b2"), host(O="b2", X="a1")),
        (client(O="b2 c1", X="a1"), host(O="b2 c1", X="a1 a2")),
        (client(O="b2 c1 a3", X="a1 a2"), b"y\0y\0"),
    ]
    for move, reply in steps:
        _rubbish(world, rng)
        assert neighbour.send(move).take() == reply
    assert not neighbour.closed


def _rubbish(world: World, rng: Random) -> None:
    wire = world.connect("nettoe", opponent=rng.choice(("engine", "human")))
    wire.send(BOB)
    for _ in range(3):
        for piece in pieces(rng, mutated(rng, CORPUS)):
            if not wire.closed:
                wire.send(piece)
    wire.reset()
