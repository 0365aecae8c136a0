"""One house on several nodes: people of one node at tables of another, the queue, and what is left when a node dies."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from bench.brokers import Broker
from tests.cluster.test_node import node
from tests.server.child import Peer, Server, doors, serving

DOORS = doors("telnet", "glendy,walls=none", "nettoe,opponent=human", "c4n,opponent=human", "web", "netdot", "ggz-dots")

SECONDS = 60.0


class House:
    """Nodes by name, and peers of all sorts."""

    def __init__(self, stack: ExitStack, broker: Broker, archive: str, path: Path) -> None:
        self._stack = stack
        self._place = broker, archive, path
        self.nodes: list[Server] = []

    def start(self, name: str) -> Server:
        broker, archive, path = self._place
        words = node([broker], archive, path / name, name, "--replicas", "1", "--drain", "0")
        server = self._stack.enter_context(serving(*words, *DOORS))
        self.nodes.append(server)
        return server

    def peer(self, server: Server, door: str) -> Peer:
        found = Peer(server.port(door))
        self._stack.callback(found.socket.close)
        return found

    def telnet(self, server: Server, name: str) -> Peer:
        peer = self.peer(server, "telnet")
        peer.until(b"> ")
        peer.send(f"name {name}\n".encode()).until(b"> ")
        return peer

    def stop(self) -> None:
        for server in self.nodes:
            if server.process.poll() is None:
                assert server.stop() == 0
            assert "Traceback" not in server.stderr


@pytest.fixture
def house(broker: Broker, archive: str, tmp_path: Path) -> Iterator[House]:
    """A house without nodes; those that were started must end well."""
    with ExitStack() as stack:
        whole = House(stack, broker, archive, tmp_path)
        yield whole
        whole.stop()


def test_person_at_one_node_sits_at_a_table_of_another_and_comes_home(house: House) -> None:
    a, b = house.start("a"), house.start("b")
    ann, ben = house.telnet(a, "Ann"), house.telnet(b, "Ben")
    ann.send(b"new noughts against link\n").until(b"sit ")
    table = ann.until(b"\n").decode().split()[0].rstrip(".")
    ben.send(f"sit {table}\n".encode()).until(b"Ann")
    ann.until(b"Ben")
    ann.send(b"b2\n")
    ben.until(b"b2")
    ben.send(b"a1\n")
    ann.until(b"a1")
    ben.send(b"say hello\n")
    ann.until(b"hello")
    ben.send(b"resign\nleave\nnew noughts against easy\n").until(b"Parlour")
    ben.send(b"a1\n").until(b"a1")
