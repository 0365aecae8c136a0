"""The far end of a Dots connection in memory, in either dialect: says messages, and reads those of the server."""

from functools import cache
from typing import Any

from parlour.core.session import ClientSession, Do, Door, Introduce, Outputs, Session, Visit, WireProtocol
from parlour.core.words import Cap, Command
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.board import laid_out
from parlour.protocols.ggzdots.client import DotsGuest, read_size
from parlour.protocols.ggzdots.codec import CODEC
from parlour.protocols.ggzdots.dialect import FOUR, KINDS, Dialect
from parlour.protocols.ggzdots.door import KEYS
from parlour.protocols.ggzdots.messages import Answer, Chair, Line, Options, Players, ServerMessage
from parlour.protocols.ggzdots.phases import Reading
from parlour.protocols.ggzdots.server import Doorstep, DotsSession
from parlour.server.link import Link
from tests.world import FakeTransport, Wire, World

DIALECTS = tuple(Dialect)


class Arriving(DotsSession):
    """Somebody whom a zone has brought here: a name, and what they want."""

    def __init__(self, dialect: Dialect, name: str, *commands: Command) -> None:
        super().__init__(dialect)
        self._opening: Outputs = (Introduce(name), *map(Do, commands))

    def opened(self) -> Outputs:
        return self._opening


class NamedDoorstep(Doorstep):
    """The bare door for somebody whose name is known, as it is in a zone."""

    def __init__(self, door: Door, dialect: Dialect, name: str) -> None:
        super().__init__(door, dialect)
        self._name = name

    def opened(self) -> Outputs:
        introduction: Outputs = (Introduce(self._name),) if self._name else ()
        return *introduction, *super().opened()


@cache
def protocol(dialect: Dialect, name: str = "") -> WireProtocol:
    """The wire in this dialect, for somebody of this name."""

    def serve(door: Door) -> Session[Any]:
        return NamedDoorstep(door, dialect, name)

    def visit(where: Visit) -> ClientSession[Any]:
        return DotsGuest(dialect, read_size(where.query.get("size", "")))

    return WireProtocol("ggz-dots", "Dots", Cap.DRAW | Cap.REMATCH, (), KEYS, CODEC[dialect], serve, visit)


def link(world: World, session: Session[Any], dialect: Dialect) -> Wire:
    """A connection with this session at the world's end."""
    wire = WireProtocol(
        "ggz-dots", "Dots", Cap.DRAW, (), {}, CODEC[dialect], lambda _: session, protocol(dialect).visit
    )
    return _connect(world, wire, {})


def connect(world: World, dialect: Dialect, name: str = "", **keys: str) -> Wire:
    """A new connection through a door with these keys (others at their defaults)."""
    return _connect(world, protocol(dialect, name), {key: value.default for key, value in KEYS.items()} | keys)


def _connect(world: World, wire: WireProtocol, keys: dict[str, str]) -> Wire:
    new = Link(world.house, wire, Door("dots", keys))
    transport = FakeTransport()
    transport.link = new
    new.connection_made(transport)
    world.run()
    return Wire(world, new, transport)


class Peer:
    """Somebody at a connection."""

    def __init__(self, world: World, dialect: Dialect, name: str = "", **keys: str) -> None:
        self.dialect = dialect
        self.wire = connect(world, dialect, name, **keys)
        self._board = Reading()

    @classmethod
    def arriving(cls, world: World, dialect: Dialect, name: str, *commands: Command) -> "Peer":
        """Somebody who wants something else than the bare door gives."""
        peer = cls.__new__(cls)
        peer.dialect, peer._board = dialect, Reading()
        peer.wire = link(world, Arriving(dialect, name, *commands), dialect)
        return peer

    def heard(self) -> list[ServerMessage]:
        """What the server has said since the last time. Everything it says is whole messages."""
        data, start, messages = self.wire.take(), 0, []
        while start < len(data):
            found = CODEC[self.dialect].parse(data, start, self._board)
            assert found is not None, f"half a message: {data[start:]!r}"
            message, start = found
            messages.append(message)
            if isinstance(message, Options):
                self._board = Reading(message.width, message.height)
        return messages  # type: ignore[return-value] # a Reading yields a server's messages alone

    def say(self, *data: bytes) -> list[ServerMessage]:
        """Send these, each in a segment of its own, and hear what comes back."""
        for piece in data:
            self.wire.send(piece)
        return self.heard()

    def draw(self, *moves: str) -> list[ServerMessage]:
        return self.say(*map(spell.draw, moves))

    def choose(self, width: int, height: int) -> list[ServerMessage]:
        return self.say(spell.choose(width, height))

    def again(self) -> list[ServerMessage]:
        return self.say(spell.NEW_GAME)

    def sync(self) -> list[ServerMessage]:
        return self.say(spell.ASK_SYNC)


def players(dialect: Dialect, *names: str) -> Players:
    """MSG_PLAYERS with these names; "" is an open chair, AI an engine."""
    kinds = KINDS[dialect]
    first, second = (
        Chair(kinds.open) if not name else Chair(kinds.bot if name == "AI" else kinds.player, name) for name in names
    )
    return Players((first, second))


def closes(dialect: Dialect, *squares: tuple[int, int]) -> Answer:
    """RSP_MOVE to a line that closes these."""
    return Answer(0, squares) if dialect is FOUR else Answer(len(squares))


def shows(dialect: Dialect, move: str, *squares: tuple[int, int]) -> Line:
    """MSG_MOVE of a line that closes these."""
    return Line(move, squares if dialect is FOUR else ())


def two(world: World, dialect: Dialect, width: int, height: int) -> tuple[Peer, Peer]:
    """Two people in a game that has just begun, with nothing left to hear."""
    ann, bob = Peer(world, dialect, "ann"), Peer(world, dialect, "bob")
    ann.choose(width, height)
    bob.heard()
    return ann, bob


def play(ann: Peer, bob: Peer, width: int, height: int) -> None:
    """Let two play a game to its end: whoever is on turn draws the first line that is free."""
    position = laid_out(width, height)
    while (legal := position.legal()) and position.turn >= 0:
        (ann, bob)[position.turn].wire.send(spell.draw(legal[0]))
        position.play(legal[0])
