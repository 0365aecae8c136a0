"""A probing game while slow and hostile connections do their worst.

Run as `python -m tests.server.hostile --connections 500 --seconds 20`; it prints the delays of the probe's moves. The
attackers live in a process of their own, so that they do not slow down whoever holds the watch.
"""

import argparse
import asyncio
import socket
import struct
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import cycle
from random import Random

import msgspec

from parlour.protocols.c4n.codec import CODEC, START, move
from parlour.protocols.c4n.messages import Board
from parlour.protocols.glendy.codec import hello
from parlour.protocols.nettoe.codec import name_field
from tests.processes import started
from tests.server.child import HERE, Peer, Server, doors, glendy_pair, play_to_the_end, serving

DOORS = ("c4n,level=beginner", "glendy,walls=none", "nettoe,opponent=human", "glendy,walls=none")
GREETINGS = (START, hello("mallory", None), name_field("Mallory"), b"")
"""What gets an attacker further in, by door; a client of Glendy's first revision gets in by saying nothing."""
SEATED = 0.5
"""Seconds after which a greeting has led to a place in the queue or at a table."""

# --- attackers, each for as long as the server lets them -------------------------------------------------------------


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(HERE, port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def drip(port: int, greeting: bytes, dice: Random) -> None:
    """A greeting byte by byte, and on in that way."""
    async with connected(port) as (_, writer):
        for byte in cycle(greeting or b"p 0 0\n"):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.05)


async def flood(port: int, greeting: bytes, dice: Random) -> None:
    """Rubbish, as fast as it is taken."""
    async with connected(port) as (_, writer):
        writer.write(greeting)
        await asyncio.sleep(SEATED)
        while True:
            writer.write(dice.choice([dice.randbytes(4096), b"x\n" * 2048, b"p 0 0\n" * 700, START * 300]))
            await writer.drain()


async def never_end_a_line(port: int, greeting: bytes, dice: Random) -> None:
    async with connected(port) as (_, writer):
        writer.write(greeting)
        for _ in range(2000):
            writer.write(b"C4N 1.0 BOARD\n31 31 " + b"A" * 4096)
            await writer.drain()


async def never_read(port: int, greeting: bytes, dice: Random) -> None:
    """Ask for answers and leave them lying about."""
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        sock.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(sock, (HERE, port))
        await loop.sock_sendall(sock, greeting)
        await asyncio.sleep(SEATED)
        while True:
            await loop.sock_sendall(sock, b"x\n" * 200 + START * 20)
            await asyncio.sleep(0.02)


async def come_and_go(port: int, greeting: bytes, dice: Random) -> None:
    """Connect and reset, at any point."""
    async with connected(port) as (_, writer):
        writer.write(greeting[: dice.randint(0, len(greeting))])
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def say_nothing(port: int, greeting: bytes, dice: Random) -> None:
    async with connected(port) as (reader, _):
        while await reader.read(4096):
            pass


async def send_nuls(port: int, greeting: bytes, dice: Random) -> None:
    async with connected(port) as (_, writer):
        writer.write(greeting)
        while True:
            writer.write(bytes(dice.randrange(1, 300)))
            await writer.drain()
            await asyncio.sleep(0.01)


WAYS = (drip, flood, never_end_a_line, never_read, come_and_go, say_nothing, send_nuls)


async def attack(ports: list[int], connections: int) -> None:
    """So many at the same time, of every kind and on every door, over and over."""

    async def persist(number: int) -> None:
        dice = Random(number)
        way, door = WAYS[number % len(WAYS)], number // len(WAYS) % len(ports)
        while True:
            with suppress(OSError):
                await way(ports[door], GREETINGS[door], dice)
            await asyncio.sleep(dice.uniform(0.01, 0.1))

    async with asyncio.TaskGroup() as everybody:
        for number in range(connections):
            everybody.create_task(persist(number))


@contextmanager
def attacked(server: Server, connections: int) -> Iterator[None]:
    words = [sys.executable, "-m", "tests.server.hostile", "--connections", str(connections), "--attack"]
    with started(words + [str(port) for _, port in server.doors]) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it is about to begin
        yield
        assert process.poll() is None, "the attackers have given up"


# --- the probe -------------------------------------------------------------------------------------------------------


class Probe(msgspec.Struct):
    """What came of it: seconds from a move to its answer, in order of size."""

    delays: list[float]
    games: int
    megabytes: float
    """The server's memory, after."""

    def share(self, part: float) -> float:
        """The delay that this part of all moves stayed below, in milliseconds."""
        return 1000 * self.delays[min(len(self.delays) - 1, int(part * len(self.delays)))]


def probe(connections: int, seconds: float, seed: int = 0) -> Probe:
    """Play under attack: game after game against an engine, and one against each other that lasts all the while."""
    words = ("--data", "none", "--drain", "0", "--seed", str(seed), *doors(*DOORS))
    delays: list[float] = []
    played = 0
    with serving(*words) as server, glendy_pair(server.port("glendy")) as (trapper, glenda):
        with attacked(server, connections):
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                play_one(server.port("c4n"), Random(seed + played), delays)
                played += 1
            play_to_the_end(trapper, glenda)
            megabytes = server.megabytes()
        assert server.stop() == 0
        assert "Traceback" not in server.stderr, server.stderr
    return Probe(sorted(delays), played, megabytes)


def play_one(port: int, dice: Random, delays: list[float]) -> None:
    """One game of Connect Four against a beginner, to its verdict."""
    with Peer(port) as peer:
        peer.send(START)
        cells = last_board(peer, 0)
        while cells is not None:
            column = dice.choice([column for column in range(7) if cells[column] == b"0"[0]])
            sent = time.perf_counter()
            peer.send(move(column))
            cells = last_board(peer, len(cells) - cells.count(b"0") + 2)
            delays.append(time.perf_counter() - sent)
        verdict = peer.rest()
        assert b"RESULT" in verdict, verdict


def last_board(peer: Peer, discs: int) -> bytes | None:
    """The board with so many discs; None when it is the last one."""
    while True:
        board = _whole(peer.heard)
        if board is not None:
            peer.heard = b""
            shown = len(board.cells) - board.cells.count(b"0")
            return board.cells if shown == discs and not won(board) else None
        data = peer.socket.recv(65536)
        assert data
        peer.heard += data


def _whole(heard: bytes) -> Board | None:
    """The last of these boards, when it has come to its end."""
    start, board = 0, None
    while start < len(heard) and (found := CODEC.parse(heard, start, None)) is not None:
        message, start = found
        assert isinstance(message, Board)
        board = message
    return board if start == len(heard) else None


def won(board: Board) -> bool:
    """Four in a row, found the slow and obvious way."""
    cells = {(n % 7, n // 7): cell for n, cell in enumerate(board.cells) if cell != b"0"[0]}
    return board.cells.count(b"0") == 0 or any(
        all(cells.get((x + n * dx, y + n * dy)) == cell for n in range(4))
        for (x, y), cell in cells.items()
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--attack", type=int, nargs="+", metavar="PORT", help="only attack what is there")
    given = parser.parse_args()
    if given.attack:
        print("attacking", flush=True)
        asyncio.run(attack(given.attack, given.connections))
    else:
        found = probe(given.connections, given.seconds)
        print(f"{given.connections} attackers, {found.games} games, {len(found.delays)} moves")
        print(f"p50 {found.share(0.5):.1f} ms, p99 {found.share(0.99):.1f} ms, most {found.share(1):.1f} ms")
        print(f"memory {found.megabytes:.0f} MB")


if __name__ == "__main__":
    main()
