"""Our clients in a network with one stand-in of an original server, with time that is turned by hand."""

from collections.abc import Callable
from random import Random
from typing import Any

from parlour.core.session import Door, Session, WireProtocol
from parlour.core.words import Cap
from parlour.protocols.netdot.client import NetdotClient
from parlour.protocols.netdot.codec import CODEC
from parlour.protocols.netdot.guest import Guest
from tests.interop.netdot_originals import Conn, Original
from tests.visitor import Visitor

TICK = 0.05


def _serve(_: Door) -> Session[Any]:
    raise AssertionError("only our client is of interest here")


NETDOT = WireProtocol(
    name="netdot",
    title="NetDot",
    caps=Cap.ALL,
    ports=((1234, {}),),
    keys={},
    codec=CODEC,
    serve=_serve,
    visit=NetdotClient,
)


class Lan:
    """A server, and visitors who come to it."""

    def __init__(self, server: Original, rng: Random) -> None:
        self.server = server
        self.rng = rng
        self.visitors: list[tuple[Visitor, Conn]] = []
        self.compare = True
        """Whether everybody must agree with the server once everything is said."""
        self.hasty = False
        """Our players answer at once, even in the middle of what the server is saying."""

    def come(self, name: str = "Vera", again: bool = False, **query: str) -> Visitor:
        visitor = Visitor(NETDOT, self.rng.choice, lambda: again, name=name, query=query)
        self.visitors.append((visitor, self.server.connect()))
        visitor.open()
        return visitor

    def run(self, until: Callable[[], bool], seconds: float = 400.0) -> None:
        """Everybody talks and plays until it is so."""
        for _ in range(int(seconds / TICK)):
            self._talk()
            if until():
                return
            if not self.server.host_moves():
                self._decide()
            for visitor, _ in self.visitors:
                visitor.advance(TICK)
        raise AssertionError("it never comes to that")

    def rest(self, seconds: float = 3.0) -> None:
        """Nobody decides anything; what is under way arrives, and alarms go off."""
        for _ in range(int(seconds / TICK)):
            self._talk()
            for visitor, _ in self.visitors:
                visitor.advance(TICK)

    def _decide(self) -> None:
        for visitor, _ in self.visitors:
            visitor.decide()

    def _talk(self) -> None:
        busy = True
        while busy:
            busy = False
            for place, (visitor, conn) in enumerate(self.visitors):
                busy |= self._exchange(place, visitor, conn)
        if self.compare:
            for visitor, _ in self.visitors:
                agrees(visitor, self.server)

    def _exchange(self, place: int, visitor: Visitor, conn: Conn) -> bool:
        busy = False
        while visitor.sent and not conn.left:
            busy = True
            self.server.receive(conn, visitor.sent.pop(0))
        while conn.out and not visitor.closed:
            busy = True
            visitor.feed(self._cut(conn.out.pop(0)))
            if self.hasty:
                visitor.decide()
        if conn.closed and not visitor.closed:
            busy = True
            visitor.end_of_file()
        if visitor.closed and not conn.left and not visitor.sent:
            busy = True
            conn.left = True
            self.server.leave(conn)
        if visitor.again_to is not None:
            busy = True
            self.visitors[place] = visitor, self.server.connect()
            visitor.reopen()
        return busy

    def _cut(self, line: str) -> bytes:
        return line.encode() + self.rng.choice((b"\n", b"\r\n"))


def guest(visitor: Visitor) -> Guest:
    """What the visitor knows."""
    session = visitor.session
    assert isinstance(session, NetdotClient)
    assert session._guest is not None
    return session._guest


def agrees(visitor: Visitor, server: Original) -> None:
    """Board, scores and turn are the server's, whenever everything is said."""
    session = visitor.session
    assert isinstance(session, NetdotClient)
    known = session._guest
    if known is None or visitor.closed or not known.running or not server.running:
        return
    assert known.grid.boxes == server.boxes
    assert set(known.grid.open_lines()) == set(server.legal())
    if not server.finished:
        assert known.current == server.current, f"{visitor.session} believes in the wrong turn"
