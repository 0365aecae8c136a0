"""`parlour play ggz://` over loopback sockets, in the zone of a stand-in for the original."""

import asyncio
import io
import os
from collections.abc import Mapping
from random import Random
from typing import cast

import pytest

from parlour.client import stay as staying
from parlour.client.stay import Screen, Stay
from parlour.core.session import Visit
from parlour.games.dots.rules import shape
from tests.interop.ggz_lan import GGZ
from tests.interop.ggz_zone_original import Ggzd

MOVES = "\n".join(shape(3, 2).moves * 6)


class Socket(asyncio.Protocol):
    """One connection to the stand-in, which cuts what it writes and closes when the stand-in does."""

    def __init__(self, zone: Ggzd, sockets: "list[Socket]", opened: asyncio.Event) -> None:
        self.zone = zone
        self.sockets = sockets
        self.opened = opened
        self.lost = asyncio.get_running_loop().create_future()
        sockets.append(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.conn = self.zone.connect()
        self.flush()

    def data_received(self, data: bytes) -> None:
        self.zone.receive(self.conn, data)
        if self.zone.tables:
            self.opened.set()
        for one in self.sockets:
            one.flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self.zone.lost(self.conn)
        self.lost.set_result(None)
        for one in self.sockets:
            one.flush()

    def flush(self) -> None:
        while self.conn.out and not self.transport.is_closing():
            data = self.conn.out.pop(0)
            cut = self.zone.rng.randint(1, len(data))
            self.transport.write(data[:cut])
            self.transport.write(data[cut:])
        if self.conn.closed:
            self.transport.close()


async def play(port: int, name: str, typed: str, paper: io.StringIO, path: str, query: Mapping[str, str]) -> int:
    """One stay, with this input."""
    reading, writing = os.pipe()
    os.write(writing, typed.encode())
    os.close(writing)
    try:
        visit = Visit("127.0.0.1", port, name, path, query)
        return await Stay(GGZ, visit, Screen(paper), once=True, live=False).run(reading, "utf-8")
    finally:
        os.close(reading)


Guest = tuple[str, str, Mapping[str, str]]
"""Name, path and query."""


def stays(zone: Ggzd, *guests: Guest) -> list[tuple[int, str]]:
    """Several stays, each begun when the one before has a table: exit code and text of each."""

    async def everybody() -> list[tuple[int, str]]:
        loop = asyncio.get_running_loop()
        sockets: list[Socket] = []
        opened = asyncio.Event()
        listener = await loop.create_server(lambda: Socket(zone, sockets, opened), "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        papers = [io.StringIO() for _ in guests]
        visits = []
        for (name, path, query), paper in zip(guests, papers, strict=True):
            opened.clear()
            visits.append(loop.create_task(play(port, name, MOVES, paper, path, query)))
            if len(visits) < len(guests):
                await opened.wait()
        codes = await asyncio.gather(*visits)
        await asyncio.gather(*(one.lost for one in sockets))
        listener.close()
        return [(code, paper.getvalue()) for code, paper in zip(codes, papers, strict=True)]

    return asyncio.run(asyncio.wait_for(everybody(), 30))


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staying, "GRACE_SECONDS", 0.5)


def test_script_plays_a_game_against_the_originals_bot() -> None:
    zone = Ggzd(Random(2))
    [(code, text)] = stays(zone, ("vera", "", {"opponent": "bot", "size": "3x2"}))
    assert code == 0, text
    [winner] = zone.past[0].game.finished
    assert text.splitlines()[-1] == f"result {('won', 'lost', 'draw')[winner]}"
    assert zone.complaints == []
    assert zone.conns[0].heard[-2:] == ["LEAVE", "/SESSION"]


def test_two_scripts_play_each_other() -> None:
    zone = Ggzd(Random(2))
    both = stays(zone, ("vera", "", {"size": "3x2"}), ("max", "1", {"size": "2x2"}))
    assert [code for code, _ in both] == [0, 0], both
    results = sorted(text.splitlines()[-1] for _, text in both)
    assert results in (["result lost", "result won"], ["result draw", "result draw"])
    assert zone.past[0].game.tables == [(3, 2)]
    assert zone.complaints == []


def test_refused_login_is_told_and_exits_with_one() -> None:
    zone = Ggzd(Random(2), accounts={"vera": "secret"})
    [(code, text)] = stays(zone, ("vera", "", {}))
    assert code == 1
    assert "this name is registered" in text
    assert text.splitlines()[-1] == "result aborted"
    assert zone.complaints == []
