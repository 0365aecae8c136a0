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
from parlour.core.session import Again, Board, Codec, Over
from tests.fuzz.mutation import mutated, pieces, seeds
from tests.visitor import Visitor, meet
from tests.world import Wire, World

SHARDS = 4
"""Independent runs per protocol, so that cores can share them."""
ROUNDS = max(1, int(os.environ.get("PARLOUR_FUZZ_ROUNDS", "2000")) // SHARDS)
SEED = int(os.environ.get("PARLOUR_FUZZ_SEED", "0"))

CROWD = 6
"""Connections open at a time."""
ROOMS = {"netdot"}
"""Wires whose server begins games without asking."""
ENGINE_BY_ADDRESS = {"ggz": {"opponent": "bot"}}
"""Where it is the visitor who asks for an engine, and not the door that gives one: how."""
VISIT = 30
"""Messages after which a connection makes room for another, so that every phase comes round again."""

WIRES = sorted(registry.PROTOCOLS.keys() - {"web"})
"""Of a browser the session gets lines, and sends frames: `test_web_fuzz` damages both."""

everywhere = pytest.mark.parametrize(
    ("protocol", "shard"), [(name, shard) for name in WIRES for shard in range(SHARDS)]
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


class Guest:
    """A connection with our own client behind it, which plays along until somebody meddles with its messages."""

    def __init__(self, world: World, rng: Random, protocol: str) -> None:
        self.world = world
        self.rng = rng
        self.wire = enter(world, protocol, opponent=rng.choice(("engine", "human")), bots="1")
        self.client = Visitor(protocol, choose=rng.choice, again=lambda: rng.random() < 0.8)
        self.client.open()
        self.said = [b"\n"]
        self.left = VISIT
        for _ in range(rng.choice((0, 0, 3, 12, 40))):
            self.play_along()

    def send(self, data: bytes) -> None:
        if self.wire.transport.reading and not self.wire.closed:
            self.wire.send(data)

    def play_along(self) -> None:
        """Say what a well-behaved client says next, or wait a moment."""
        self.client.feed(self.wire.take())
        if not self.client.sent and not self.client.decide():
            self.world.advance(0.2)
            self.client.advance(0.2)
        if self.client.sent:
            self.said = self.client.sent.copy()
            self.client.sent.clear()
            for data in self.said:
                self.send(data)

    def meddle(self, corpus: list[bytes]) -> None:
        """Say something damaged: from the corpus, or what was just said."""
        self.left -= 1
        for piece in pieces(self.rng, mutated(self.rng, corpus if self.rng.random() < 0.7 else self.said)):
            self.send(piece)

    @property
    def done(self) -> bool:
        return self.left <= 0 or self.wire.closed

    def leave(self) -> None:
        """Go, politely or not; a connection that is already closed comes to its end."""
        if not self.wire.closed and self.rng.random() < 0.5:
            self.wire.end_of_file()
        self.wire.reset()


def disturb(world: World, rng: Random, protocol: str, rounds: int) -> None:
    """Send so many damaged messages over a changing crowd of connections, then everybody leaves."""
    corpus = seeds(protocol)
    crowd: list[Guest] = []
    for _ in range(rounds):
        if len(crowd) < CROWD:
            crowd.append(Guest(world, rng, protocol))
        guest = rng.choice(crowd)
        guest.meddle(corpus)
        if rng.random() < 0.3:
            rng.choice(crowd).play_along()
        if rng.random() < 0.02:
            world.advance(rng.choice((0.1, 0.5, 2.0)))
        for each in [each for each in crowd if each.done]:
            each.leave()
            crowd.remove(each)
    for guest in crowd:
        guest.leave()


def play_a_game(world: World, protocol: str) -> list[str]:
    """What a well-behaved guest gets from the same server."""
    known = registry.protocols()[protocol].keys
    opposite = {"opponent": "engine", "bots": "1"}
    wire = world.connect(protocol, **{name: value for name, value in opposite.items() if name in known})
    guest = Visitor(protocol, choose=lambda moves: moves[0], query=ENGINE_BY_ADDRESS.get(protocol))
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
    assert not world.house.outbox
    assert not world.house.gate.counted("connections", "address")
    assert world.tables == []


@everywhere
def test_client_survives_a_server_whose_messages_are_damaged(protocol: str, shard: int) -> None:
    rng = Random(f"client {protocol} {shard} {SEED}")
    corpus = seeds(protocol)
    sent = ROUNDS
    while sent > 0:
        guest = Guest(World(seed=sent), rng, protocol)
        client = guest.client
        client.codec = Watched(client.codec)
        for _ in range(VISIT):
            sent -= 1
            guest.play_along()
            if client.closed:
                break
            for piece in pieces(rng, mutated(rng, [guest.wire.take() or b"\n", *corpus])):
                client.feed(piece)
        client.end_of_file()
        assert not ended_twice(client, begins=(Again, Board) if protocol in ROOMS else (Again,))


def ended_twice(client: Visitor, begins: tuple[type, ...]) -> bool:
    """Whether a game has ended that had not begun: only what `begins` may lead to another end."""
    fresh = True
    for shown in client.shown:
        if isinstance(shown, Over):
            if not fresh:
                return True
            fresh = False
        elif isinstance(shown, begins):
            fresh = True
    return False
