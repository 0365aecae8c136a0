"""A house of several nodes, and peers of all sorts who come to it."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import requests

from bench.brokers import Broker
from tests.server.child import PATIENCE, Peer, Server, doors, serving

DOORS = doors(
    "telnet", "glendy,walls=none", "nettoe,opponent=human", "c4n,opponent=human", "web", "netdot,size=3x3", "ggz"
)


def urls(brokers: list[Broker]) -> str:
    return ",".join(broker.url for broker in brokers)


def node(brokers: list[Broker], archive: str, data: Path, name: str, *more: str) -> tuple[str, ...]:
    """The words of `parlour serve` for a node."""
    return ("--cluster", urls(brokers), "--archive", archive, "--node", name, "--data", str(data), *more)


def figures_of(server: Server) -> dict[str, float]:
    """What a server that was started with `--metrics` tells Prometheus."""
    address = next(line for line in server.lines if line.startswith("metrics ")).split()[1]
    lines = requests.get(address, timeout=PATIENCE).text.splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


class House:
    """Nodes by name, and peers of all sorts."""

    def __init__(self, stack: ExitStack, broker: Broker, archive: str, path: Path) -> None:
        self._stack = stack
        self.place = broker, archive, path
        self.archive = archive
        self.nodes: list[Server] = []

    def start(self, name: str, listen: Sequence[str] = DOORS, source: Path | None = None) -> Server:
        """A node, of this code or of another."""
        broker, archive, path = self.place
        environment = {"PARLOUR_KERNELS": "none"} | ({} if source is None else {"PYTHONPATH": str(source)})
        name = f"{name}-{archive.rpartition('/')[2]}"  # the broker has shelves of other tests' houses
        words = node([broker], archive, path / name, name, "--replicas", "1", "--drain", "0")
        server = self._stack.enter_context(serving(*words, *listen, environment=environment))
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
            assert "Traceback" not in server.stderr, server.stderr
