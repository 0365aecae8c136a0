"""Players for the benchmark: whole scripted games, as many at once as asked for, counted and timed.

Run as a process of its own, so that the server's processor time is the server's alone. Prints one JSON object when
everybody is in place, and another for every line `WARM SECONDS` on standard input; in between the games stand still,
so that two servers can be measured in turns.
"""

import argparse
import asyncio
import gc
import json
import random
import sys
import time
from typing import cast

import uvloop

HERE = "127.0.0.1"
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
BOARD = b"BOARD\n7 6 "
CELLS = 2 * 42 - 1

AT_ONCE = 200
"""How many connections are being made at the same time."""
PER_ADDRESS = 4000
"""Connections from one source address: its ports are few, and searched ever longer as they run out."""
PATIENCE = 60.0
"""How long everybody may take to get into place."""
STALL = 0.040
"""What a delayed acknowledgement costs, and nothing else."""


class Tally:
    """What all players of this process have seen."""

    def __init__(self, timed: bool) -> None:
        self.moves = 0
        self.games = 0
        self.failures: list[str] = []
        self.timed = timed
        self.waits: list[float] = []
        self.connections = 0
        self.in_place = 0


class Player(asyncio.Protocol):
    """A connection that answers whatever it is sent, and comes again when its game is over."""

    def __init__(self, bench: "Bench") -> None:
        self.bench = bench
        self.tally = bench.tally
        self.move = 0
        self.sent_at = 0.0
        self.moved = False
        self.over = False
        self.first_game = bench.arriving

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.tally.connections += 1

    def connection_lost(self, exc: Exception | None) -> None:
        self.tally.connections -= 1
        if not self.over and self.bench.running:
            self.tally.failures.append(f"connection ended in mid-game: {exc}")
        self.bench.again()

    def say(self, line: bytes) -> None:
        if self.bench.paused:
            self.bench.unsaid.append((self, line))
            return
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

    def leaves(self, length: int) -> bool:
        """Whether to go now. First games end early, anywhere: all begin together, and later ones must not."""
        if not self.first_game or random.randrange(length - self.move):
            return False
        self.over = True
        self.transport.close()
        return True

    def wrong(self, what: str, data: bytes) -> None:
        self.over = True
        self.tally.failures.append(f"{what}: {data!r}")
        self.transport.close()


class EchoPlayer(Player):
    """Says the same line again and again."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.tally.in_place += 1
        self.over = True
        self.say(b"p 3 7\n")

    def data_received(self, data: bytes) -> None:
        self.heard()
        self.say(data)


class GlendyPlayer(Player):
    """Says hello in the later revision; plays whichever side it is given, and counts along."""

    hello = b"bench 0 2 0\n"
    in_place_at = b"CONN"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.in_place = False
        self.seated = False
        self.trapper = False
        self.seen = 0
        self.rest = b""
        self.transport.write(self.hello)

    def data_received(self, data: bytes) -> None:
        data = self.rest + data
        if not data.endswith(b"\n"):
            self.rest = data
            return
        self.rest = b""
        if not self.in_place and self.in_place_at in data:
            self.in_place = True
            self.tally.in_place += 1
        if not self.seated:
            self.greeted(data)
        if b"SYNC" in data:
            self.heard()
            self.count_along(data)
        if data.endswith(b"TURN\n"):
            self.turn()
        elif data.endswith((b"WON\n", b"LOST\n")):
            self.over = True
            self.tally.games += 1
        elif b"DIE other client" in data:  # which has left its first game
            self.over = True
        elif b"ERR" in data or b"DIE" in data:
            self.wrong("refused", data)

    def count_along(self, data: bytes) -> None:
        """Moves must come in order, none twice and none left out."""
        for line in data.split(b"SYNC ")[1:]:
            self.seen += 1
            if not line.startswith(b"%d " % self.seen):
                self.wrong(f"out of order, expected move {self.seen}", data)

    def greeted(self, data: bytes) -> None:
        if b"UGUD" in data:
            self.transport.write(b"y\n")
        if b"CONN" in data:
            self.seated = True
            self.trapper = b"CONN 0" in data

    def turn(self) -> None:
        moves = TRAPPER_PUTS if self.trapper else GLENDA_STEPS
        if self.trapper and self.leaves(len(TRAPPER_PUTS)):
            return
        self.say(moves[self.move % len(moves)])
        self.move += 1


class WaitingPlayer(GlendyPlayer):
    """Wants to be the trapper, like everybody here, so that nobody ever comes to play."""

    hello = b"a 0 0 0\n"
    in_place_at = b"UGUD"


class SittingPlayer(GlendyPlayer):
    """Plays one move as the trapper and none as glenda; is in place when it has seen that move."""

    in_place_at = b"SYNC 1 "

    def turn(self) -> None:
        if self.trapper and not self.move:
            self.move = 1
            self.transport.write(TRAPPER_PUTS[0])


class C4nPlayer(Player):
    """Plays a column a turn from a drawn game; whose turn it is follows from the number of discs."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.discs = -1
        self.tally.in_place += 1
        self.transport.write(b"C4N 1.0 START\n")

    def data_received(self, data: bytes) -> None:
        boards = data.split(BOARD)[1:]
        if boards:
            self.heard()
            self.count_along(boards)
        if b"RESULT" in data:  # the server would linger now, for clients that read slowly
            self.over = True
            self.tally.games += 1
            self.transport.close()
        elif b"ERROR" in data:
            if b"ERROR\n2" in data or b"ERROR\n1" in data:
                self.wrong("refused", data)
            self.over = True
        elif self.discs < 42 and not (self.discs == 2 * self.move and self.leaves(len(DRAWN_COLUMNS) // 2)):
            self.say(b"C4N 1.0 MOVE\n%d" % DRAWN_COLUMNS[self.discs])
            self.move += 1

    def count_along(self, boards: list[bytes]) -> None:
        """Every board has one disc more than the one before; only the first player sees the empty one."""
        if self.discs < 0:
            self.discs = 0 if boards[0].count(b"0", 0, CELLS) < 42 else -1
        for board in boards:
            self.discs += 1
            if board.count(b"0", 0, CELLS) != 42 - self.discs:
                self.wrong(f"out of order, expected {self.discs} discs", board)


PLAYERS: dict[str, type[Player]] = {
    "echo": EchoPlayer,
    "glendy": GlendyPlayer,
    "c4n": C4nPlayer,
    "waiting": WaitingPlayer,
    "sitting": SittingPlayer,
}


class Bench:
    """Keeps so many connections busy whenever it is asked to."""

    def __init__(self, kind: str, port: int, connections: int, pid: int, timed: bool) -> None:
        self.player = PLAYERS[kind]
        self.port = port
        self.connections = connections
        self.pid = pid
        self.tally = Tally(timed)
        self.arriving = not timed
        self.running = True
        self.paused = True
        self.unsaid: list[tuple[Player, bytes]] = []
        """What players would have said while the games stand still."""
        self._joined = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def arrive(self) -> dict[str, object]:
        """Bring everybody into place."""
        for start in range(0, self.connections, AT_ONCE):
            await asyncio.gather(*(self.join() for _ in range(min(AT_ONCE, self.connections - start))))
        self.arriving = False
        until = time.perf_counter() + PATIENCE
        while self.tally.in_place < self.connections and not self.tally.failures and time.perf_counter() < until:
            await asyncio.sleep(0.01)
        if self.tally.in_place < self.connections:
            self.tally.failures.append(f"only {self.tally.in_place} of {self.connections} got into place")
        return {"in_place": self.tally.in_place, "failures": self._new_failures()}

    def again(self) -> None:
        if self.running:
            task = asyncio.get_running_loop().create_task(self.join())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def join(self) -> None:
        address = None
        if self.connections > PER_ADDRESS:
            address = (f"127.0.0.{2 + self._joined // PER_ADDRESS % 8}", 0)
        self._joined += 1
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: self.player(self), HERE, self.port, local_addr=address)
        except OSError as error:
            self.tally.failures.append(str(error))

    async def play(self, warm: float, seconds: float) -> dict[str, object]:
        """Let the games run for a while, and count."""
        tally = self.tally
        self._go_on()
        await asyncio.sleep(warm)
        tally.moves = tally.games = 0
        tally.waits.clear()
        before, began = cpu_seconds(self.pid), time.perf_counter()
        await asyncio.sleep(seconds)
        spent, lasted = cpu_seconds(self.pid) - before, time.perf_counter() - began
        self.paused = True
        if not tally.moves:
            tally.failures.append("no move was made")
        waits = sorted(tally.waits)
        return {
            "moves": tally.moves,
            "games": tally.games,
            "per_cpu_second": tally.moves / spent if spent else 0.0,
            "busy": spent / lasted,
            "failures": self._new_failures(),
            "p50_ms": waits[len(waits) // 2] * 1000 if waits else None,
            "p99_ms": waits[len(waits) * 99 // 100] * 1000 if waits else None,
            "max_ms": waits[-1] * 1000 if waits else None,
            "stalls": sum(wait >= STALL for wait in waits),
        }

    def _new_failures(self) -> list[str]:
        """Those not reported yet; when there are many, the first ones tell enough."""
        failures, self.tally.failures = self.tally.failures, []
        return failures[:5]

    def _go_on(self) -> None:
        self.paused = False
        unsaid, self.unsaid = self.unsaid, []
        for player, line in unsaid:
            if not player.transport.is_closing():
                player.say(line)


def cpu_seconds(pid: int) -> float:
    """Processor time of a process with all its threads, by the clock the kernel bills it by."""
    return time.clock_gettime(~pid << 3 | 2)


async def run(bench: Bench) -> None:
    print(json.dumps(await bench.arrive()), flush=True)
    while order := await asyncio.to_thread(sys.stdin.readline):
        warm, seconds = map(float, order.split())
        print(json.dumps(await bench.play(warm, seconds)), flush=True)
    bench.running = False


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=PLAYERS)
    parser.add_argument("port", type=int)
    parser.add_argument("connections", type=int)
    parser.add_argument("pid", type=int, help="the server's, whose processor time counts")
    parser.add_argument("--timed", action="store_true", help="measure how long each answer takes")
    args = parser.parse_args()
    gc.disable()  # a pause of ours would look like one of the server's
    uvloop.run(run(Bench(args.kind, args.port, args.connections, args.pid, args.timed)))


if __name__ == "__main__":
    main()
