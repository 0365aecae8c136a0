"""Clients that came into one room in the way of their version, and say what 3.0 has no words for."""

from parlour.core.session import Door
from parlour.core.table import Table
from parlour.core.vocab import Command
from parlour.protocols.netdot import PROTOCOL
from parlour.server.link import Link
from tests.netdot import Witness
from tests.world import FakeTransport, Wire, World

GREETINGS = {
    "1": ("info-version 1 6",),
    "2": ("info-version 2 0", "request-join", "info-version 2 0"),
    "beta": ("info-version 2 0", "request-info", "request-join"),
    "3": ("info-version 3 0", "request-info", "request-join"),
}
"""What a client of each dialect says before it is in."""


def connect(world: World, **keys: str) -> Wire:
    """A connection through a NetDot door with these keys, others at their defaults."""
    full = {name: key.default for name, key in PROTOCOL.keys.items()} | keys
    link = Link(world.house, PROTOCOL, Door("netdot", full, world.hub.seeking.waiting_for))
    transport = FakeTransport()
    transport.link = link
    link.connection_made(transport)
    world.run()
    return Wire(world, link, transport)


class Client:
    """Somebody at one end of a wire, who says lines and remembers all that were heard."""

    def __init__(self, world: World, dialect: str, greeting: tuple[str, ...] = (), /, **keys: str) -> None:
        self.wire = connect(world, **keys)
        self.heard: list[str] = []
        self._witness = Witness(dialect)
        self.say(*(greeting or GREETINGS[dialect]))

    def say(self, *lines: str) -> "Client":
        for line in lines:
            self.wire.send(line.encode() + b"\n")
        return self

    def do(self, command: Command) -> "Client":
        """Something that this dialect has no word for."""
        house, who = self.wire.world.house, self.wire.link.participant
        assert who is not None
        house.wake()
        house.submit(who, command)
        self.wire.world.run()
        return self

    @property
    def table(self) -> Table:
        """Where this one is."""
        who = self.wire.link.participant
        assert who is not None
        assert who.table is not None
        return who.table

    def take(self) -> list[str]:
        """The lines since the last time; no program that speaks this dialect dies of them."""
        data = self.wire.take()
        lines = data.splitlines(keepends=True)
        for line in lines:
            assert line.endswith(b"\n")
            self._witness.hear(line)
        fresh = [line.decode().rstrip("\n") for line in lines]
        self.heard += fresh
        return fresh

    def take_about(self, *groups: str) -> list[str]:
        """The same, of these groups only: chat and countdown come between."""
        return [line for line in self.take() if line.startswith(groups)]
