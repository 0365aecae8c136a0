"""Processes that have tables and connections both, joined by TCP: each is the other's edge and owner at once."""

import asyncio
from functools import partial

import pytest

from parlour.cluster.edge import Edge, RelayingHub
from parlour.cluster.owner import EdgeRelay, OwnerHouse
from parlour.cluster.relay import connect, listen, parse
from parlour.cluster.roaming import NodeHub
from parlour.core.errors import LocalError
from parlour.core.table.people import Participant
from parlour.core.words import Play
from parlour.protocols.glendy.codec import hello
from parlour.protocols.web.extensions import OpenTable
from parlour.protocols.web.messages import Open as Wish
from parlour.registry import games
from tests.server.child import PATIENCE
from tests.world import FirstLegal, Wire, World


class Node(World):
    make_house = OwnerHouse

    def __init__(self, name: str) -> None:
        super().__init__()
        assert isinstance(self.house, OwnerHouse)
        self.keeper = self.house
        hub = RelayingHub(*(games(), self.house, FirstLegal(), self.hub.rng, self.hub.new_secret))
        self.hub = self.roaming = hub
        self.house.connect(hub)
        self.house.open_to_edges(name, lambda _no, _after: [])
        self.edge = Edge(name, self.house, games(), secret="s")
        self.keeper.secret = "s"

    def send_abroad(self, wire: Wire) -> None:
        """From now on what this connection wants is carried out over there."""
        self.roaming.abroad[wire.link._participant()] = self.edge


async def until(nodes: "tuple[Node, Node]", wire: Wire, mark: bytes) -> bytes:
    heard = b""
    async with asyncio.timeout(PATIENCE):
        while mark not in heard:
            for node in nodes:
                node.run()
            heard += wire.take()
            await asyncio.sleep(0.001)
    return heard


async def both_ways() -> None:
    nodes = a, b = Node("a"), Node("b")
    servers = [await listen(partial(EdgeRelay, node.keeper), "127.0.0.1:0") for node in nodes]
    ports = [server.sockets[0].getsockname()[1] for server in servers]
    await connect(a.edge, f"127.0.0.1:{ports[1]}")
    await connect(b.edge, f"127.0.0.1:{ports[0]}")
    try:
        for here, there in ((a, b), (b, a)):
            guest = here.connect("glendy", walls="none")
            here.send_abroad(guest)
            local = there.connect("glendy", walls="none")
            local.send(b"loc 0 0 0\n")
            guest.send(b"far 0 1 0\n")
            assert b"CONN 1 loc" in await until(nodes, guest, b"WAIT\n")
            await until(nodes, local, b"TURN\n")
            local.send(b"p 0 0\n")
            assert b"SYNC 1 0 0\nTURN\n" in await until(nodes, guest, b"TURN\n")
            guest.send(b"m E\n")
            assert b"SYNC 2 E" in await until(nodes, local, b"TURN\n")
            assert [table.moves for table in there.tables] == [["p 0 0", "m E"]]
            local.end_of_file()
            await until(nodes, guest, b"DIE other client have been disconnected\n")
            assert guest.closed
    finally:
        for server in servers:
            server.close()
        for node in nodes:
            node.edge.cut()


def test_each_is_the_others_edge_and_owner() -> None:
    asyncio.run(both_ways())


def test_who_wants_a_table_waits_while_a_node_has_no_shelf_to_open_one_on() -> None:
    world = World()
    hub = NodeHub(*(games(), world.house, FirstLegal(), world.hub.rng, world.hub.new_secret))
    world.hub = hub
    world.house.connect(hub)
    has_shelf = False
    hub.has_shelf = lambda: has_shelf
    ann, ben, cleo = (world.connect("glendy", walls="none") for _ in range(3))
    for wire, side, name in ((cleo, 0, "cleo"), (ann, 0, "ann"), (ben, 1, "ben")):
        wire.send(hello(name, side))
    assert hub.owes(ann.link._participant())
    cleo.end_of_file()
    assert not world.tables
    assert not ann.closed
    has_shelf = True
    world.house.enter(hub.open_tables)
    world.run()
    assert b"CONN 0 ben" in ann.take()
    assert b"CONN 1 ann" in ben.take()


def test_wish_of_a_wire_for_a_table_waits_for_a_shelf_too() -> None:
    world = World()
    hub = NodeHub(*(games(), world.house, FirstLegal(), world.hub.rng, world.hub.new_secret))
    world.hub = hub
    world.house.connect(hub)
    hub.has_shelf = lambda: False
    zoe = world.connect("telnet").send(b"new noughts against easy\n")
    browser = Participant(lambda _: None, "Abe", "web")
    hub.submit(browser, OpenTable(Wish("noughts", opponent="engine")))
    assert not world.tables
    hub.has_shelf = lambda: True
    world.house.enter(hub.open_tables)
    world.run()
    assert len(world.tables) == 2
    assert b" begins: " in zoe.take()


def test_stranger_is_not_let_in() -> None:
    async def come() -> None:
        node = Node("a")
        server = await listen(partial(EdgeRelay, node.keeper), "127.0.0.1:0")
        stranger = Edge("x", Node("b").house, games(), secret="wrong")
        await connect(stranger, f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
        async with asyncio.timeout(PATIENCE):
            while stranger.transport is not None:
                await asyncio.sleep(0.001)
        assert not node.keeper.edges
        assert node.complaints
        server.close()

    asyncio.run(come())


@pytest.mark.parametrize("address", ["", "nowhere", "host:port"])
def test_address_of_a_relay_is_checked(address: str) -> None:
    with pytest.raises(LocalError):
        parse(address)
    assert parse("[::1]:7") == ("::1", 7)
    assert parse("unix:/x") == "/x"
    assert Play("a").again(None) is None
