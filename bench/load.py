"""Players for the benchmark: whole scripted games, as many at once as asked for, counted and timed.

Run as a process of its own, so that the server's processor time is the server's alone. Prints one JSON object.
"""

import argparse
import asyncio
import json
import time
from typing import cast

import uvloop

GLENDA_STEPS = (b"m E\n", b"m W\n")
TRAPPER_PUTS = [b"p %d %d\n" % (x, y) for y in (0, 10, 1, 9, 2, 8, 3, 7) for x in range(11)] + [
    b"p %d %d\n" % (x, y) for y in (4, 5, 6) for x in (0, 10)
]
"""Row by row from the far ends, then the sides: glenda, stepping to and fro in row 5, is shut in by the last."""
# fmt: off
DRAWN_COLUMNS = [
    5, 3, 2, 3, 1, 5, 3, 1, 0, 1, 4, 1, 2, 5, 0, 5, 6, 6, 2, 0, 6,
    0, 4, 2, 3, 0, 3, 4, 2, 3, 2, 6, 0, 4, 1, 1, 5, 4, 4, 5, 6, 6,
]
# fmt: on
"""A game of Connect Four that fills the board without four in a row."""


class Tally:
    """What all players of this process have seen."""

    def __init__(self, timed: bool) -> None:
        self.moves = 0
        self.games = 0
        self.failures: list[str] = []
        self.timed = timed
        self.waits: list[float] = []
        self.connections = 0


class Player(asyncio.Protocol):
    """A connection that answers whatever it is sent, and comes again when its game is over."""

    def __init__(self, bench: "Bench") -> None:
        self.bench = bench
        self.tally = bench.tally
        self.move = 0
        self.sent_at = 0.0
        self.moved = False
        self.over = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.tally.connections += 1

    def connection_lost(self, exc: Exception | None) -> None:
        self.tally.connections -= 1
        if not self.over:
            self.tally.failures.append(f"connection ended in mid-game: {exc}")
        self.bench.again()

    def say(self, line: bytes) -> None:
        if self.tally.timed:
            self.sent_at = time.perf_counter()
        self.moved = True
        self.transport.write(line)

    def heard(self) -> None:
        """The first answer to our own move."""
        if self.moved:
            self.moved = False
            self.tally.moves += 1
            if self.tally.timed:
                self.tally.waits.append(time.perf_counter() - self.sent_at)


class EchoPlayer(Player):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.over = True
        self.say(b"p 3 7\n")

    def data_received(self, data: bytes) -> None:
        self.heard()
        self.say(data)


class GlendyPlayer(Player):
    """Says hello in the later revision; plays whichever side it is given."""

    nick = b"bench"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.trapper = False
        self.transport.write(b"%s 0 2 0\n" % self.nick)

    def data_received(self, data: bytes) -> None:
        if data.startswith(b"SYNC"):
            self.heard()
        elif b"CONN 0" in data:
            self.trapper = True
        elif b"UGUD" in data:
            self.transport.write(b"y\n")
        if data.endswith(b"TURN\n"):
            self.turn()
        elif data.endswith((b"WON\n", b"LOST\n")):
            self.over = True
            self.tally.games += 1
        elif b"ERR" in data or b"DIE" in data:
            self.tally.failures.append(data.decode("ascii", "replace"))

    def turn(self) -> None:
        moves = TRAPPER_PUTS if self.trapper else GLENDA_STEPS
        self.say(moves[self.move % len(moves)])
        self.move += 1


class C4nPlayer(Player):
    """Plays a column a turn from a drawn game; whose turn it is follows from the number of discs."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.write(b"C4N 1.0 START\n")

    def data_received(self, data: bytes) -> None:
        if b"RESULT" in data or b"ERROR" in data:
            if b"ERROR\n2" in data or b"ERROR\n1" in data:
                self.tally.failures.append(data.decode("ascii", "replace"))
            elif not self.over:
                self.over = True
                self.tally.games += 1
            return
        cells = data.rpartition(b"BOARD\n7 6 ")[2]
        discs = 42 - cells.count(b"0")
        self.heard()
        if discs < 42:
            self.say(b"C4N 1.0 MOVE\n%d" % DRAWN_COLUMNS[discs])


PLAYERS = {"echo": EchoPlayer, "glendy": GlendyPlayer, "c4n": C4nPlayer}


class Bench:
    """Keeps so many connections busy for so long."""

    def __init__(self, kind: str, port: int, connections: int, timed: bool) -> None:
        self.player = PLAYERS[kind]
        self.port = port
        self.connections = connections
        self.tally = Tally(timed)
        self.running = True
        self.tasks: set[asyncio.Task[None]] = set()

    def again(self) -> None:
        if self.running:
            task = asyncio.get_running_loop().create_task(self.join())
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def join(self) -> None:
        try:
            await asyncio.get_running_loop().create_connection(lambda: self.player(self), "127.0.0.1", self.port)
        except OSError as error:
            self.tally.failures.append(str(error))

    async def run(self, warm: float, seconds: float, pid: int) -> dict[str, object]:
        for start in range(0, self.connections, 200):
            await asyncio.gather(*(self.join() for _ in range(min(200, self.connections - start))))
        await asyncio.sleep(warm)
        self.tally.moves = self.tally.games = 0
        self.tally.waits.clear()
        before, began = cpu_seconds(pid), time.perf_counter()
        await asyncio.sleep(seconds)
        spent, lasted = cpu_seconds(pid) - before, time.perf_counter() - began
        self.running = False
        waits = sorted(self.tally.waits)
        return {
            "moves": self.tally.moves,
            "games": self.tally.games,
            "cpu": spent,
            "seconds": lasted,
            "per_cpu_second": self.tally.moves / spent if spent else 0.0,
            "busy": spent / lasted,
            "connections": self.tally.connections,
            "failures": self.tally.failures[:5],
            "p50_ms": waits[len(waits) // 2] * 1000 if waits else None,
            "p99_ms": waits[len(waits) * 99 // 100] * 1000 if waits else None,
            "max_ms": waits[-1] * 1000 if waits else None,
        }


def cpu_seconds(pid: int) -> float:
    """Processor time of a process with all its threads, by the clock the kernel bills it by."""
    return time.clock_gettime(~pid << 3 | 2)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=PLAYERS)
    parser.add_argument("port", type=int)
    parser.add_argument("connections", type=int)
    parser.add_argument("pid", type=int)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--warm", type=float, default=1.0)
    parser.add_argument("--timed", action="store_true")
    args = parser.parse_args()
    bench = Bench(args.kind, args.port, args.connections, args.timed)
    print(json.dumps(uvloop.run(bench.run(args.warm, args.seconds, args.pid))), flush=True)


if __name__ == "__main__":
    main()
