"""Brings our clients and the stand-in of an original zone together: segments cut anywhere, in any order, in memory."""

from random import Random
from typing import Any, cast

from parlour.core.session import WireProtocol
from parlour.core.words import Cap
from parlour.protocols.ggz.client import visited
from parlour.protocols.ggz.codec import CODEC
from tests.interop.ggz_zone_original import Conn, Ggzd
from tests.visitor import Visitor

GGZ = WireProtocol(
    name="ggz",
    title="GGZ",
    caps=Cap.NONE,
    ports=((5688, {}),),
    keys={},
    codec=cast(Any, CODEC),
    serve=cast(Any, None),
    visit=visited,
)
"""The wire as a client needs it, without a server of ours."""
STEP = 0.25


class Cable:
    """One connection: bytes on their way in both directions."""

    def __init__(self, visitor: Visitor, conn: Conn) -> None:
        self.visitor = visitor
        self.conn = conn
        self.down = b""


class Lan:
    """Moves bytes in any order that a network might."""

    def __init__(self, server: Ggzd, rng: Random) -> None:
        self.server = server
        self.rng = rng
        self.cables: list[Cable] = []
        self.guests: list[Visitor] = []

    def enter(self, visitor: Visitor) -> Visitor:
        self.guests.append(visitor)
        return visitor

    def run(self, seconds: float = 60.0) -> None:
        """Until nobody has said anything for so long, or all have gone."""
        idle = 0.0
        for _ in range(100_000):
            self._plug()
            if self._move() or any(guest.decide() for guest in self.guests):
                idle = 0.0
                continue
            idle += STEP
            if idle > seconds or all(cable.conn.left for cable in self.cables):
                return
            for guest in self.guests:
                for visitor in guest.family:
                    if not guest.closed:
                        visitor.advance(STEP)
        raise AssertionError("they never stop talking")

    def _plug(self) -> None:
        """Connect what wants to be connected, and unplug all of a visit whose first connection has ended."""
        for guest in self.guests:
            for visitor in list(guest.family):
                if not any(cable.visitor is visitor for cable in self.cables):
                    self.cables.append(Cable(visitor, self.server.connect()))
                    visitor.open()
                elif guest.closed:
                    visitor.closed = True

    def _move(self) -> bool:
        """Something happens on one cable; False when nothing can."""
        return any(self._happens_on(cable) for cable in self.rng.sample(self.cables, len(self.cables)))

    def _happens_on(self, cable: Cable) -> bool:
        visitor, conn = cable.visitor, cable.conn
        cable.down += b"".join(conn.out)
        conn.out.clear()
        if visitor.sent:
            self.server.receive(conn, self._some(visitor.sent))
            return True
        if visitor.closed:
            cable.down = b""
            if not conn.left:
                self.server.lost(conn)
                return True
            return False
        if cable.down:
            size = self.rng.randint(1, self.rng.choice((3, 40, 2000)))
            data, cable.down = cable.down[:size], cable.down[size:]
            visitor.feed(data)
            return True
        if conn.closed and not visitor.closed:
            visitor.end_of_file()
            return True
        return False

    def _some(self, sent: list[bytes]) -> bytes:
        """One write of the client, or a part of it. The end of a channel's XML is too short to be cut, luckily."""
        data = sent.pop(0)
        cut = self.rng.randint(1, len(data))
        if cut < len(data) and not data.endswith(b"</SESSION>\n") and self.rng.random() < 0.5:
            sent.insert(0, data[cut:])
            return data[:cut]
        return data
