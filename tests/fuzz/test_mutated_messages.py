"""Mutated messages against every protocol, in both roles, with a whole server behind them.

`make test` takes a handful; `make fuzz` sets PARLOUR_FUZZ_ROUNDS, per protocol and role. Runs repeat themselves;
PARLOUR_FUZZ_SEED starts somewhere else.
"""

import os
from random import Random
from typing import Any

import msgspec
import pytest

from parlour import registry
from parlour.core.errors import ProtocolError
from parlour.core.session import Again, Codec
from tests.fuzz.mutation import mutated, pieces, seeds
from tests.visitor import Visitor, meet
from tests.world import Wire, World

SHARDS = 4
"""Independent runs per protocol, so that cores can share them."""
ROUNDS = max(1, int(os.environ.get("PARLOUR_FUZZ_ROUNDS", "2000")) // SHARDS)
SEED = int(os.environ.get("PARLOUR_FUZZ_SEED", "0"))

CROWD = 6
"""Connections open at a time."""
VISIT = 30
"""Messages after which a connection makes room for another, so that every phase comes round again."""

everywhere = pytest.mark.parametrize(
    ("protocol", "shard"), [(name, shard) for name in sorted(registry.PROTOCOLS) for shard in range(SHARDS)]
)


class Watched:
    """A codec held to its promises: forward only, bounded, and no error but ProtocolError."""

    def __init__(self, codec: Codec[Any]) -> None:
        self._codec = codec
        self.limit = codec.limit

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Any, int] | None:
        try:
            found = self._codec.parse(data, start, phase)
        except ProtocolError as error:
            self._ahead(start, error.resume, data)
            raise
        if found is None:
            assert len(data) - start <= self.limit, "an incomplete message beyond the limit"
        else:
            self._ahead(start, found[1], data)
        return found

    @staticmethod
    def _ahead(start: int, end: int, data: bytes) -> None:
        assert start < end <= len(data), "a message takes up bytes, and only those that are there"


def enter(world: World, protocol: str, **keys: str) -> Wire:
    """A new connection whose codec is watched."""
    known = registry.protocols()[protocol].keys
    wire = world.connect(protocol, **{name: value for name, value in keys.items() if name in known})
    wire.link.protocol = msgspec.structs.replace(wire.link.protocol, codec=Watched(wire.link.protocol.codec))
    return wire


def leave(rng: Random, wire: Wire) -> None:
    """Go, politely or not; a connection that is already closed comes to its end."""
    if not wire.closed and rng.random() < 0.5:
        wire.end_of_file()
    wire.reset()


def disturb(world: World, rng: Random, protocol: str, rounds: int) -> None:
    """Send so many damaged messages over a changing crowd of connections, then everybody leaves."""
    corpus = seeds(protocol)
    crowd: list[tuple[Wire, list[int]]] = []
    for _ in range(rounds):
        if len(crowd) < CROWD:
            wire = enter(world, protocol, opponent=rng.choice(("engine", "human")))
            crowd.append((wire, [0]))
        wire, sent = rng.choice(crowd)
        for piece in pieces(rng, mutated(rng, corpus)):
            if wire.transport.reading and not wire.closed:
                wire.send(piece)
        sent[0] += 1
        if rng.random() < 0.05:
            world.advance(rng.choice((0.1, 0.5, 2.0)))
        if wire.closed or sent[0] >= VISIT:
            leave(rng, wire)
            crowd.remove((wire, sent))
    for wire, _ in crowd:
        leave(rng, wire)


def play_a_game(world: World, protocol: str) -> list[str]:
    """What a well-behaved guest gets from the same server."""
    known = registry.protocols()[protocol].keys
    wire = world.connect(protocol, **({"opponent": "engine"} if "opponent" in known else {}))
    guest = Visitor(protocol, choose=lambda moves: moves[0])
    meet(world, [(guest, wire)])
    wire.reset()
    return guest.results


@everywhere
def test_server_survives_damaged_messages_and_still_plays(protocol: str, shard: int) -> None:
    world = World(seed=shard)
    disturb(world, Random(f"server {protocol} {shard} {SEED}"), protocol, ROUNDS)
    assert play_a_game(world, protocol)[0] in ("won", "lost", "draw")
    assert world.complaints == []


@everywhere
def test_nothing_is_left_when_everybody_has_gone(protocol: str, shard: int) -> None:
    world = World(seed=shard)
    disturb(world, Random(f"leak {protocol} {shard} {SEED}"), protocol, min(ROUNDS, 500))
    world.advance(200)  # longer than any seat is held
    assert not world.house.links
    assert not world.house.held
    assert not world.house.per_address
    assert world.tables == []


@everywhere
def test_client_survives_a_damaged_server(protocol: str, shard: int) -> None:
    rng = Random(f"client {protocol} {shard} {SEED}")
    corpus = seeds(protocol)
    sent = ROUNDS
    while sent > 0:
        guest = Visitor(protocol, choose=lambda moves: rng.choice(moves), again=lambda: rng.random() < 0.5)
        guest.codec = Watched(guest.codec)
        guest.open()
        for _ in range(VISIT):
            sent -= 1
            for piece in pieces(rng, mutated(rng, corpus)):
                guest.feed(piece)
            guest.decide()
            guest.advance(rng.choice((0.0, 0.0, 1.0)))
            if guest.closed:
                break
        guest.end_of_file()
        assert len(guest.results) <= guest_games(guest), "a game ended twice"


def guest_games(guest: Visitor) -> int:
    """How many games this guest can have seen the end of: one, and one more for each time it was asked again."""
    return 1 + sum(isinstance(shown, Again) for shown in guest.shown)
