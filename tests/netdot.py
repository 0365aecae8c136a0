"""NetDot clients of tests: they speak in lines, and everything our server says to them is looked at by a witness."""

from collections.abc import Iterator, Sequence
from random import Random

from parlour.core.session import Door
from parlour.protocols.netdot import PROTOCOL
from parlour.protocols.netdot.phases import State, may
from parlour.server.link import Link
from tests.netdot_killers import Peer, Victim
from tests.world import FakeTransport, Wire, World

HELLO = {
    "3": ("info-version 3 0", "request-info"),
    "beta": ("info-version 2 0", "request-info"),
    "2": ("info-version 2 0",),
    "1": ("info-version 1 7",),
}
PEERS = {"beta": (Peer.BETA_CLIENT,), "2": (Peer.JAVA_CLIENT, Peer.ANDROID_CLIENT)}
ANSWERS = ("info-warn", "info-malformed", "unknown-")
"""What the document has no words for any more, and everybody says in every state."""


class Witness:
    """Follows what one client is told: nothing that kills its program, nothing that its state does not allow."""

    def __init__(self, dialect: str) -> None:
        self._victims = [Victim(peer) for peer in PEERS.get(dialect, ())]
        self._follows = dialect in ("3", "beta")
        self.state = State.TALK
        self.moving = False
        """The user goes to another room, for which the document has no words."""
        self.drawing = False
        """Lines are drawn in the lobby."""

    def hear(self, line: bytes) -> None:
        for victim in self._victims:
            why = victim.dies_of(line)
            assert why is None, f"{victim.peer.value} dies of {why}"
        if self._follows:
            self._follow(line.decode().rstrip("\n"))

    def _follow(self, line: str) -> None:
        word = line.partition(" ")[0]
        if word == "network-assign" and (self.moving or self.state is State.TALK):
            self.state = State.LOBBY
            return
        late = word in ("info-version", "info-features")
        if not (word.startswith(ANSWERS) or late or (word == "game-line" and self.drawing)):
            assert may("S", word, self.state), f"{line!r} in {self.state}"
        if word in ("game-start", "game-stop"):
            self.state = State.PLAYING if word == "game-start" else State.LOBBY


class Client:
    """One connection, as the lines that go in and out."""

    def __init__(self, wire: Wire, dialect: str) -> None:
        self.wire = wire
        self.dialect = dialect
        self.witness = Witness(dialect)
        self.everything: list[str] = []
        self._rest = b""

    def say(self, *lines: str) -> "Client":
        self.wire.send("".join(f"{line}\n" for line in lines).encode())
        return self

    def heard(self) -> list[str]:
        """The lines since the last time."""
        data = self._rest + self.wire.take()
        *lines, self._rest = data.split(b"\n")
        for line in lines:
            self.witness.hear(line + b"\n")
        new = [line.decode() for line in lines]
        self.everything += new
        return new

    def answer(self, *lines: str) -> list[str]:
        """What comes back at once."""
        self.heard()
        return self.say(*lines).heard()

    @property
    def gone(self) -> bool:
        return self.wire.closed


class Lan:
    """A server in memory with NetDot clients around it. Games begin when all ask for one, unless `keys` say more."""

    def __init__(self, **keys: str) -> None:
        self.world = World()
        self.keys = {name: key.default for name, key in PROTOCOL.keys.items()} | {"size": "2x2", "ready": "16"} | keys
        self.clients: list[Client] = []

    def connect(self, dialect: str = "3") -> Client:
        """A connection that has said nothing yet."""
        link = Link(self.world.house, PROTOCOL, Door("netdot", self.keys, self.world.hub.seeking.waiting_for))
        transport = FakeTransport()
        transport.link = link
        link.connection_made(transport)
        self.world.run()
        client = Client(Wire(self.world, link, transport), dialect)
        self.clients.append(client)
        return client

    def join(self, dialect: str = "3", name: str = "", ready: bool = True) -> Client:
        """A user in the room."""
        client = self.connect(dialect).say(*HELLO[dialect])
        client.say(f"request-join name {name}" if name and dialect in ("3", "beta") else "request-join")
        if ready and dialect == "3":
            client.say("game-ready")
        return client

    def start(self) -> None:
        """Everybody who would play wants to."""
        for client in self.clients:
            if not client.gone:
                client.say("request-start")

    def heard(self) -> list[list[str]]:
        return [client.heard() for client in self.clients]

    def play(self, moves: Sequence[str]) -> None:
        """Whoever is on turn draws the next line, written as in `0 0 hor`."""
        for move in moves:
            self.on_turn().say(f"game-line {move}")

    def on_turn(self) -> Client:
        table = self.world.tables[0]
        assert table.position is not None
        seat = table.seats[table.position.turn]
        assert seat is not None
        return next(client for client in self.clients if client.wire.link.participant is seat.who)

    def check(self) -> None:
        """Let the witnesses see what nobody has looked at."""
        self.heard()


def random_moves(width: int, height: int, rng: Random) -> list[str]:
    """All lines of a board, in some order."""
    lines = list(_lines(width, height))
    rng.shuffle(lines)
    return lines


def _lines(width: int, height: int) -> Iterator[str]:
    for y in range(height):
        for x in range(width):
            if x < width - 1:
                yield f"{x} {y} hor"
            if y < height - 1:
                yield f"{x} {y} ver"
