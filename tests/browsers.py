"""Browsers of tests: they say JSON and remember what they are told. No socket and no frame around it."""

from typing import Any

import msgspec
from websockets.frames import Frame, Opcode

from parlour.core.session import Door, Output
from parlour.core.updates import Declined, Update
from parlour.protocols.web import PROTOCOL
from parlour.server.link import Link
from parlour.server.weblink import WebLink
from tests.world import FakeTransport, Wire, World

Json = dict[str, Any]
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: parlour.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class LineLink(Link):
    """Has every message on a line of its own, where a WebSocket would have it in a frame."""

    def tell(self, told: Update) -> None:
        if not self._closing:
            if type(told) is Declined:
                self._charge()
            self._perform(self.session.notify(told))

    def _post(self, out: Output) -> None:
        super()._post(out + b"\n" if isinstance(out, bytes) else out)


def connect(world: World, kind: type[Link] = LineLink, address: str = "127.0.0.1") -> Wire:
    link = kind(world.house, PROTOCOL, Door("web", {}, world.hub.matchmaker.waiting_for))
    transport = FakeTransport(address)
    transport.link = link
    link.connection_made(transport)
    world.run()
    return Wire(world, link, transport)


def gate(world: World) -> Wire:
    """A WebSocket, for our own client."""
    return connect(world, WebLink)


def socket(world: World, *messages: Json) -> Wire:
    """The WebSocket of a browser that has said these; what it is sent is in frames."""
    wire = gate(world).send(UPGRADE)
    for message in ({"type": "hello"}, *messages):
        wire.send(Frame(Opcode.TEXT, msgspec.json.encode(message)).serialize(mask=True))
    return wire


def messages_in(data: bytes) -> list[Json]:
    """The messages of some lines, which are whole."""
    assert not data or data.endswith(b"\n"), "half a line"
    return [msgspec.json.decode(line) for line in data.splitlines()]


class Browser:
    """One page, looking at one table at a time."""

    def __init__(self, world: World, name: str = "", hello: bool = True, address: str = "127.0.0.1") -> None:
        self.world = world
        self.wire = connect(world, address=address)
        self.everything: list[Json] = []
        self.table = ""
        self.token = ""
        self._marks = 0
        if hello:
            self.say("hello", **({"name": name} if name else {}))
            self.heard()

    # --- talking -----------------------------------------------------------------------------------------------------

    def say(self, kind: str, **fields: object) -> "Browser":
        self.wire.send(msgspec.json.encode({"type": kind, **fields}) + b"\n")
        return self

    def heard(self) -> list[Json]:
        """What was told since the last time."""
        new = messages_in(self.wire.take())
        for message in new:
            if message["type"] == "table":
                self.table = message["table"]
                self.token = message.get("token", self.token)
        self.everything += new
        return new

    def answer(self, kind: str, **fields: object) -> list[Json]:
        """What comes back at once."""
        self.heard()
        return self.say(kind, **fields).heard()

    def all(self, kind: str) -> list[Json]:
        """Every such message that was ever told."""
        self.heard()
        return [message for message in self.everything if message["type"] == kind]

    def last(self, kind: str) -> Json:
        return self.all(kind)[-1]

    def events(self) -> list[str]:
        """What has happened at the table, in words."""
        return [message["event"]["type"] for message in self.all("record")]

    def why(self, kind: str, **fields: object) -> str:
        """Why something is refused; empty when it is not."""
        found = [message["why"] for message in self.answer(kind, **fields) if message["type"] == "refused"]
        return found[0] if found else ""

    # --- playing -----------------------------------------------------------------------------------------------------

    def open(self, game: str, opponent: str = "engine", **fields: object) -> "Browser":
        self.say("open", game=game, opponent=opponent, **fields)
        self.heard()
        return self

    def sit(self, table: str) -> "Browser":
        self.say("sit", table=table)
        self.heard()
        return self

    def play(self, move: str, mark: str = "") -> list[Json]:
        self._marks += 1
        return self.answer("play", table=self.table, move=move, id=mark or f"m{self._marks}")

    @property
    def seat(self) -> int | None:
        self.heard()
        for message in reversed(self.everything):
            if message["type"] == "you":
                return message["seat"]  # type: ignore[no-any-return]
            if message["type"] == "table":
                return message["you"]  # type: ignore[no-any-return]
        return None

    @property
    def moves(self) -> list[str]:
        """What this browser knows to have been played in the running or last game."""
        self.heard()
        moves: list[str] = []
        known = 0
        for message in self.everything:
            if message["type"] == "table":
                moves, known = list(message["state"]["moves"]), message["seq"]
            elif message["type"] == "record" and message["seq"] > known:
                known = message["seq"]
                if message["event"]["type"] == "started":
                    moves = []
                elif message["event"]["type"] == "played":
                    moves.append(message["event"]["move"])
        return moves

    def back(self, since: int | None = None) -> "Browser":
        """The same person on a new connection."""
        seen = since if since is not None else self.seen
        other = Browser(self.world)
        other.say("resume", table=self.table, token=self.token, since=seen)
        other.table, other.token = self.table, self.token
        other.heard()
        return other

    @property
    def seen(self) -> int:
        """The number of the last record."""
        self.heard()
        return max((message["seq"] for message in self.everything if "seq" in message), default=-1)
