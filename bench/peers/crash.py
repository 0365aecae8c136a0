"""What is lost when a server is killed: moves that their players had been told of."""

import asyncio
import os
import signal
import tempfile
from typing import NamedTuple

import uvloop

from bench.load import Bench
from bench.peers.contenders import Contender
from bench.peers.rooms import Looking, Seat
from bench.players import Player
from bench.servers import DOORS, Server

PACE = 0.04
"""Seconds that all think before a move: slow enough that no game is over when the server dies."""
PLAYED = 1.0


class Loss(NamedTuple):
    """Moves told to those who made them, and how many of these are gone."""

    told: int
    lost: int


def kill(contender: Contender, tables: int, failures: list[str]) -> Loss:
    """Kill the server in the middle of games, start it again on what it has kept, and look at every table."""
    with tempfile.TemporaryDirectory(prefix="parlour-bench-") as directory:
        with contender.serving(directory, failures) as server:
            told = uvloop.run(_play(contender, server, tables, failures))
        with contender.serving(directory, []) as server:  # it says on standard error that tables are back
            found = uvloop.run(_look(contender, server, list(told), failures))
    return counted(told, found)


def counted(told: dict[bytes, int], found: dict[bytes, int]) -> Loss:
    """By table, how many moves were told, and how many are there."""
    lost = sum(max(0, moves - found.get(table, 0)) for table, moves in told.items())
    return Loss(sum(told.values()), lost)


class Visit:
    """Players who come to a server for a while; all of them are remembered."""

    def __init__(self, kind: str, contender: Contender, server: Server, connections: int, pace: float = 0.0) -> None:
        port = server.ports[DOORS.get(contender.players, contender.players)]
        self.bench = Bench(kind, [port], connections, [server.pid], timed=True, pace=pace)
        self.seats: list[Seat] = []
        self._made = self.bench.player
        self.bench.player = self._remembered

    def _remembered(self, bench: Bench) -> Player:
        seat = self._made(bench)
        assert isinstance(seat, Seat)
        self.seats.append(seat)
        return seat

    async def arrive(self, failures: list[str]) -> None:
        said = (await self.bench.arrive())["failures"]
        assert isinstance(said, list)
        failures += said

    async def end(self) -> None:
        """Everybody goes, and nobody comes back."""
        self.bench.running = False
        for seat in self.seats:
            seat.transport.abort()
        while self.bench.tally.connections:
            await asyncio.sleep(0.01)


async def _play(contender: Contender, server: Server, tables: int, failures: list[str]) -> dict[bytes, int]:
    visit = Visit(contender.players, contender, server, 2 * tables, PACE)
    await visit.arrive(failures)
    await visit.bench.play(0.0, PLAYED)
    visit.bench.running = False
    os.kill(server.pid, signal.SIGKILL)
    told: dict[bytes, int] = {}
    for seat in visit.seats:
        told[seat.table] = max(told.get(seat.table, 0), seat.acknowledged)
    await visit.end()
    return told


async def _look(contender: Contender, server: Server, tables: list[bytes], failures: list[str]) -> dict[bytes, int]:
    visit = Visit(f"{contender.players}-looking", contender, server, len(tables))
    Looking.asked[:] = tables
    Looking.found.clear()
    await visit.arrive(failures)
    await visit.end()
    return dict(Looking.found)
