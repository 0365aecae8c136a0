"""Damaged Dots messages of protocol 4, in both roles; `test_mutated_messages` damages those of the document."""

import os
from random import Random

import pytest

from parlour.core.session import Again
from parlour.protocols.ggzdots.dialect import FOUR
from tests.fuzz.mutation import mutated, pieces, seeds
from tests.fuzz.test_mutated_messages import SEED, Watched, ended_twice
from tests.unit.protocols.ggzdots_peer import Peer, connect, play, protocol, two
from tests.visitor import Visitor
from tests.world import Wire, World

SHARDS = 2
ROUNDS = max(1, int(os.environ.get("PARLOUR_FUZZ_ROUNDS", "2000")) // SHARDS)
VISIT = 30

every_shard = pytest.mark.parametrize("shard", range(SHARDS))


@every_shard
def test_damaged_messages_leave_another_table_alone(shard: int) -> None:
    rng, corpus = Random(f"four {shard} {SEED}"), seeds("ggz-dots")
    world = World(shard)
    ann, bob = two(world, FOUR, 2, 2)
    wires: list[Wire] = []
    for round_number in range(ROUNDS):
        if round_number % VISIT == 0:
            for wire in wires:
                wire.reset()
            wires = [connect(world, FOUR, opponent=rng.choice(("human", "engine"))) for _ in range(3)]
        wire = rng.choice(wires)
        for piece in pieces(rng, mutated(rng, corpus)):
            if wire.transport.reading and not wire.closed:
                wire.send(piece)
        if rng.random() < 0.05:
            world.advance(1)
    assert ann.heard() == bob.heard() == []
    play(ann, bob, 2, 2)
    assert [type(message).__name__ for message in ann.heard()][-1] == "GameOver"
    for wire in wires:
        wire.reset()
    assert len(world.tables) == 1
    assert world.complaints == []


@every_shard
def test_whatever_is_sent_every_answer_can_be_read(shard: int) -> None:
    """Our server never says half a message, or one that its own client cannot read."""
    rng, corpus = Random(f"whole {shard} {SEED}"), seeds("ggz-dots")
    for _ in range(max(1, ROUNDS // 100)):
        world = World(rng.randrange(1000))
        peers = [Peer(world, FOUR, opponent="engine") if rng.random() < 0.3 else Peer(world, FOUR) for _ in range(3)]
        for _ in range(100):
            peer = rng.choice(peers)
            if peer.wire.transport.reading:
                peer.wire.send(mutated(rng, corpus))
        for peer in peers:
            peer.heard()


@every_shard
def test_client_survives_a_server_whose_messages_are_damaged(shard: int) -> None:
    rng, corpus = Random(f"client four {shard} {SEED}"), seeds("ggz-dots")
    left = ROUNDS
    while left > 0:
        world = World(left)
        wire = connect(world, FOUR, opponent="engine")
        client = Visitor(protocol(FOUR), rng.choice, lambda: rng.random() < 0.8, query={"size": "3x3"})
        client.codec = Watched(client.codec)
        client.open()
        for _ in range(VISIT):
            left -= 1
            heard = wire.take()
            for piece in pieces(rng, mutated(rng, [heard or b"\0", heard or b"\0", *corpus])):
                client.feed(piece)
            client.decide()
            client.advance(0.5)
            for data in client.sent:
                wire.send(data)
            client.sent.clear()
            if client.closed:
                break
        client.end_of_file()
        assert not ended_twice(client, begins=(Again,))
