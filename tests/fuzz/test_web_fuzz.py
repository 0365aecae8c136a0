"""Damaged messages of browsers, and damaged frames for our own client; others play on beside them."""

import os
from random import Random

import pytest

from parlour.core.errors import ProtocolError
from parlour.core.session import Visit
from parlour.protocols.web import PROTOCOL
from parlour.protocols.web.client import WebClient
from parlour.protocols.web.phases import Listening, Phase
from parlour.registry import games
from tests.browsers import Browser, connect, messages_in
from tests.fuzz.mutation import mutated, pieces, seeds
from tests.unit.protocols.test_web_client import answer
from tests.world import Wire, World

SHARDS = 2
ROUNDS = max(1, int(os.environ.get("PARLOUR_FUZZ_ROUNDS", "2000")) // SHARDS)
SEED = int(os.environ.get("PARLOUR_FUZZ_SEED", "0"))
VISIT = 40

every_shard = pytest.mark.parametrize("shard", range(SHARDS))


def sayings(world: World) -> list[bytes]:
    """The corpus, about tables that are there."""
    corpus = [seed for seed in seeds("web") if seed.startswith(b"{")]
    return [seed.replace(b"1abcde", table.id.encode()) for seed in corpus for table in world.tables] or corpus


@every_shard
def test_codec_goes_on_whatever_comes(shard: int) -> None:
    rng, corpus = Random(f"codec {shard} {SEED}"), seeds("web")
    for _ in range(ROUNDS):
        data = mutated(rng, corpus)
        start = 0
        while start < len(data):
            try:
                found = PROTOCOL.codec.parse(data, start, Phase.AT_TABLE)
            except ProtocolError as error:
                end = error.resume
            else:
                if found is None:
                    break
                end = found[1]
            assert start < end <= len(data)
            start = end


@every_shard
def test_damaged_messages_leave_another_table_alone(shard: int) -> None:
    rng = Random(f"web {shard} {SEED}")
    world = World(shard)
    ann = Browser(world, "Ann").open("noughts", "invite")
    bob = Browser(world, "Bob").sit(ann.table)
    quiet = ann.table
    wires: list[Wire] = []
    for number in range(ROUNDS):
        if number % VISIT == 0:
            for wire in wires:
                wire.reset()
            wires = [connect(world).send(b'{"type":"hello"}\n') for _ in range(4)]
            for wire in wires[:2]:
                wire.send(rng.choice(sayings(world)))
        wire = rng.choice(wires)
        others = [saying for saying in sayings(world) if quiet.encode() not in saying]
        for piece in pieces(rng, mutated(rng, others)):
            if wire.transport.reading and not wire.closed:
                wire.send(piece)
        if rng.random() < 0.05:
            world.advance(1)
    ann.heard()
    for move in ("a1", "b1", "a2", "b2", "a3"):
        table = world.hub.tables[quiet]
        assert table.position is not None
        (ann if table.position.turn == ann.seat else bob).play(move)
    assert "finished" in bob.events()
    for wire in wires:
        messages_in(wire.take())
        wire.reset()
    for browser in (ann, bob):
        browser.wire.reset()
    world.advance(200)  # longer than any place is kept
    assert world.tables == []
    assert world.complaints == []
    assert not world.house.links


@every_shard
def test_client_survives_a_server_that_talks_nonsense(shard: int) -> None:
    rng, corpus = Random(f"client {shard} {SEED}"), seeds("web")
    for _ in range(max(1, ROUNDS // VISIT)):
        client = WebClient(Visit("localhost", 8080, "Vera", "table/1a", games=games()))
        opening = client.opened()[0]
        if rng.random() < 0.8:
            client.receive(answer(opening))
        for _ in range(VISIT):
            for piece in pieces(rng, mutated(rng, corpus)):
                if client.phase is not Listening.OVER:
                    client.receive(piece)
