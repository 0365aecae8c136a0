"""What is lost when a server is killed: moves that their players had been told of."""

import asyncio
import os
import signal
import tempfile
from collections.abc import Iterable
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


def _bench(kind: str, contender: Contender, server: Server, connections: int, pace: float = 0.0) -> Bench:
    port = server.ports[DOORS.get(contender.players, contender.players)]
    return Bench(kind, port, connections, server.pid, timed=True, pace=pace)


async def _play(contender: Contender, server: Server, tables: int, failures: list[str]) -> dict[bytes, int]:
    bench = _bench(contender.players, contender, server, 2 * tables, PACE)
    made, seats = bench.player, []

    def remembered(bench: Bench) -> Player:
        seats.append(made(bench))
        return seats[-1]

    bench.player = remembered
    await _arrived(bench, failures)
    await bench.play(0.0, PLAYED)
    bench.running = False
    os.kill(server.pid, signal.SIGKILL)
    return _by_table(seat for seat in seats if isinstance(seat, Seat))


def _by_table(seats: Iterable[Seat]) -> dict[bytes, int]:
    told: dict[bytes, int] = {}
    for seat in seats:
        told[seat.table] = max(told.get(seat.table, 0), seat.acknowledged)
    return told


async def _look(contender: Contender, server: Server, tables: list[bytes], failures: list[str]) -> dict[bytes, int]:
    bench = _bench(f"{contender.players}-looking", contender, server, len(tables))
    Looking.asked[:] = tables
    Looking.found.clear()
    await _arrived(bench, failures)
    bench.running = False
    await asyncio.sleep(0)
    return dict(Looking.found)


async def _arrived(bench: Bench, failures: list[str]) -> None:
    arrival = await bench.arrive()
    said = arrival["failures"]
    assert isinstance(said, list)
    failures += said
