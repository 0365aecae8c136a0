"""`parlour play netdot://` over a loopback socket, on stand-ins of every original server."""

import asyncio
import io
import os
from collections.abc import Callable
from random import Random
from typing import cast

import pytest

from parlour.client import stay as staying
from parlour.client.stay import Screen, Stay
from parlour.core.session import Visit
from parlour.games.dots.rules import shape
from tests.interop.netdot_lan import NETDOT
from tests.interop.netdot_one import First
from tests.interop.netdot_originals import Android2, Conn, Java2, Original, Seat
from tests.interop.netdot_three import Beta3, Draft3


class Wire(asyncio.Protocol):
    """One connection to the stand-in. Its host starts as soon as somebody is there to play, and moves at once."""

    def __init__(self, server: Original, wires: "list[Wire]") -> None:
        self.server = server
        self.rest = b""
        self.lost = asyncio.get_running_loop().create_future()
        wires.append(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.conn: Conn = self.server.connect()
        self._flush()

    def data_received(self, data: bytes) -> None:
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.server.receive(self.conn, line + b"\n")
        if not self.server.running and any(self._there(seat) for seat in self.server.seats.values()):
            self.server.start()
        while self.server.host_moves():
            pass
        self._flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self.conn.left = True
        self.lost.set_result(None)

    def _there(self, seat: Seat) -> bool:
        return seat.name == "Vera" and (seat.ready or not isinstance(self.server, Draft3))

    def _flush(self) -> None:
        self.transport.write("".join(f"{line}\n" for line in self.conn.out).encode())
        self.conn.out.clear()
        if self.conn.closed:
            self.transport.close()


@pytest.mark.parametrize("kind", [Java2, Android2, Beta3, Draft3, First])
def test_person_plays_a_game_and_goes(
    kind: Callable[[int, int, Random], Original], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staying, "GRACE_SECONDS", 0.1)
    paper = io.StringIO()
    server = kind(3, 2, Random("stay"))

    async def stay() -> int:
        wires: list[Wire] = []
        listener = await asyncio.get_running_loop().create_server(lambda: Wire(server, wires), "127.0.0.1", 0)
        visit = Visit("127.0.0.1", listener.sockets[0].getsockname()[1], "Vera")
        reading, writing = os.pipe()
        os.write(writing, "\n".join(shape(3, 2).moves * 5).encode() + b"\n")
        os.close(writing)
        try:
            code = await Stay(NETDOT, visit, Screen(paper), once=True, live=False).run(reading, "utf-8")
            await asyncio.gather(*(wire.lost for wire in wires))
            return code
        finally:
            os.close(reading)
            listener.close()

    code = asyncio.run(asyncio.wait_for(stay(), 20))
    text = paper.getvalue()
    assert code == 0, text
    scores = server.score(0), server.score(1)
    expected = "draw" if scores[0] == scores[1] else "won" if scores[1] > scores[0] else "lost"
    assert text.endswith(f"result {expected}\n")
    assert len(server.conns) == (2 if kind is Beta3 else 1)
