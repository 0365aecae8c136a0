"""A whole house of several processes in memory: an owner that can be killed, and edges, joined by relays."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from parlour.cluster.edge import Edge, EdgeHouse
from parlour.cluster.owner import EdgeRelay, OwnerHouse
from parlour.cluster.relay import Relay
from parlour.core.words import Record
from parlour.registry import games, protocols
from parlour.server.limits import TICK_SECONDS
from parlour.server.link import Link
from parlour.store.memory import MemoryStore
from tests.world import START, FakeStore, FakeTransport, Wire, World


class Cable(asyncio.Transport):
    """One direction of a relay, and the way to cut both."""

    def __init__(self, soon: "deque[Callable[[], None]]", far: Relay) -> None:
        super().__init__()
        self._soon = soon
        self._far = far
        self.other: Cable | None = None
        self.dead = False

    def write(self, data: Any) -> None:
        if not self.dead:
            self._soon.append(lambda: None if self.dead else self._far.data_received(bytes(data)))

    def get_write_buffer_size(self) -> int:
        return 0

    def abort(self) -> None:
        if not self.dead and self.other is not None:
            self.dead = self.other.dead = True
            near = self.other._far
            self._soon.append(lambda: self._far.connection_lost(None))
            self._soon.append(lambda: near.connection_lost(None))


class OwnerWorld(World):
    make_house = OwnerHouse
    house: OwnerHouse


class EdgeWorld:
    """An edge with its connections."""

    def __init__(self, town: "Town", number: int) -> None:
        self.town = town
        nothing = MemoryStore()
        self.house = EdgeHouse(nothing, nothing, town.soon.append, lambda: town.now, town.complaints.append)
        self.edge = Edge.alone(f"edge{number}", self.house, games())

    def run(self) -> None:
        self.town.run()

    def connect(self, protocol: str, address: str = "127.0.0.1", **keys: str) -> Wire:
        wire = protocols()[protocol]
        full = {name: key.default for name, key in wire.keys.items()} | keys
        link = Link(self.house, wire, self.edge.door(protocol, full))
        transport = FakeTransport(address)
        transport.link = link
        link.connection_made(transport)
        self.run()
        return Wire(self, link, transport)  # type: ignore[arg-type]


class Town:
    """All processes share one loop and one clock."""

    def __init__(self, edges: int = 2) -> None:
        self.now = START
        self.soon: deque[Callable[[], None]] = deque()
        self.complaints: list[str] = []
        self.store = FakeStore()
        self.owner: OwnerWorld | None = None
        self.edges = [EdgeWorld(self, number) for number in range(edges)]
        self._cables: list[Cable] = []
        self.start()

    def start(self, opens_after: float = 0.0) -> OwnerWorld:
        """An owner begins with what is in the log, and is there for the edges after some seconds."""
        owner = OwnerWorld.__new__(OwnerWorld)
        owner.now = self.now
        World.__init__(owner)
        owner.now = self.now
        owner.soon = self.soon
        owner.house.call_soon = self.soon.append
        owner.house._clock = lambda: self.now
        owner.store = self.store
        owner.house.log = owner.house.archive = self.store
        owner.house._new_batch()
        owner.hub.at = self.now
        owner.house.wheel.set_time(self.now)
        owner.house.open_to_edges("owner", self.past)
        owner.house.restore()
        self.owner = owner
        if opens_after:
            self.advance(opens_after)
        owner.house.enter(lambda: owner.hub.set_reachable(True))
        for each in self.edges:
            self.join(each)
        self.run()
        return owner

    def past(self, number: int, after: int) -> list[Record]:
        return [record for no, record in self.store.log if no == number and record.seq > after]

    def join(self, each: EdgeWorld) -> None:
        assert self.owner is not None
        relay = EdgeRelay(self.owner.house)
        there, back = Cable(self.soon, relay), Cable(self.soon, each.edge)
        there.other, back.other = back, there
        self._cables.append(there)
        relay.connection_made(back)
        each.edge.connection_made(there)

    def kill_owner(self) -> None:
        """As kill -9 does it: what it has not written or sent is gone, and edges find their relays broken."""
        assert self.owner is not None
        self.owner.house.call_soon = lambda _: None
        self.owner = None
        self.store.waiting.clear()
        for cable in self._cables:
            if not cable.dead:
                assert cable.other is not None
                cable.dead = cable.other.dead = True
                cable.other._far.connection_lost(None)
        self._cables = []
        self.run()

    def cut(self, each: EdgeWorld) -> None:
        """The edge notices at once, the owner when it comes by another connection."""
        cable = each.edge.transport
        assert isinstance(cable, Cable)
        assert cable.other is not None
        cable.dead = cable.other.dead = True
        each.edge.connection_lost(None)
        self.run()

    def kill_edge(self, number: int) -> None:
        each = self.edges[number]
        cable = each.edge.transport
        assert isinstance(cable, Cable)
        cable.dead = True
        cable._far.connection_lost(None)
        self.run()

    def run(self) -> None:
        while self.soon:
            self.soon.popleft()()

    def advance(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now = min(end, self.now + TICK_SECONDS)
            for house in [each.house for each in self.edges] + ([self.owner.house] if self.owner else []):
                house.tick()
            self.run()
