"""Players for the benchmark: whole scripted games, as many at once as asked for, counted and timed.

Run as a process of its own, so that the server's processor time is the server's alone. Prints one JSON object when
everybody is in place, and another for every line `WARM SECONDS` on standard input; in between the games stand still,
so that two servers can be measured in turns.
"""

import argparse
import asyncio
import gc
import json
import sys
import time
from collections.abc import Callable

import uvloop

from bench.dots import BroadcastPlayer, CrowdPlayer, RoomPlayer
from bench.peers import rooms
from bench.players import AcrossPlayer, C4nPlayer, EchoPlayer, GlendyPlayer, Player, SittingPlayer, Tally, WaitingPlayer
from bench.talkers import GgzTalker, NetdotTalker
from bench.web import WebIdler, WebPlayer, WebWatcher

HERE = "127.0.0.1"
AT_ONCE = 200
"""How many connections are being made at the same time."""
PER_ADDRESS = 4000
"""Connections from one source address: its ports are few, and searched ever longer as they run out."""
PATIENCE = 180.0
"""How long everybody may take to get into place."""
FIRST_MOVE = 30.0
"""Seconds for a first move: a disk that is busy with other things may take longer for it than a short measurement."""
STALL = 0.040
"""What a delayed acknowledgement costs, and nothing else."""


PLAYERS: dict[str, type[Player]] = {
    "echo": EchoPlayer,
    "glendy": GlendyPlayer,
    "glendy-across": AcrossPlayer,
    "c4n": C4nPlayer,
    "waiting": WaitingPlayer,
    "sitting": SittingPlayer,
    "netdot": RoomPlayer,
    "crowd": CrowdPlayer,
    "broadcast": BroadcastPlayer,
    "netdot-talk": NetdotTalker,
    "ggz-talk": GgzTalker,
    "web": WebPlayer,
    "web-idle": WebIdler,
    "web-crowd": WebWatcher,
    **rooms.PLAYERS,
}


class Bench:
    """Keeps so many connections busy whenever it is asked to."""

    def __init__(
        self,
        kind: str,
        ports: list[int],
        connections: int,
        pids: list[int],
        timed: bool,
        pace: float = 0.0,
        table: str = "",
    ) -> None:
        self.player: Callable[[Bench], Player] = PLAYERS[kind]
        self.ports = ports
        """Taken in turns."""
        self.connections = connections
        self.pids = pids
        self.tally = Tally(timed)
        self.arriving = not timed
        self.pace = pace
        """Seconds that everybody thinks before a move."""
        self.table = table.encode()
        """Which one spectators watch; empty until it is known."""
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
        table = self.table.decode()
        return {"in_place": self.tally.in_place, "table": table, "failures": self._new_failures()}

    def again(self) -> None:
        if self.running:
            task = asyncio.get_running_loop().create_task(self.join())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def join(self) -> None:
        address = None
        if self.connections > PER_ADDRESS:
            address = (f"127.0.0.{2 + self._joined // PER_ADDRESS % 8}", 0)
        port = self.ports[self._joined % len(self.ports)]
        self._joined += 1
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: self.player(self), HERE, port, local_addr=address)
        except OSError as error:
            self.tally.failures.append(str(error))

    async def play(self, warm: float, seconds: float) -> dict[str, object]:
        """Let the games run for a while, and count."""
        tally = self.tally
        self._go_on()
        await asyncio.sleep(warm)
        tally.moves = tally.games = 0
        tally.waits.clear()
        tally.echoes.clear()
        before, began = cpu_seconds(self.pids), time.perf_counter()
        await asyncio.sleep(seconds)
        while not tally.moves and not tally.said and time.perf_counter() < began + FIRST_MOVE:
            await asyncio.sleep(0.05)
        spent, lasted = cpu_seconds(self.pids) - before, time.perf_counter() - began
        self.paused = True
        if not tally.moves and not tally.said:
            tally.failures.append("no move was made")
        waits, echoes = sorted(tally.waits), sorted(tally.echoes)
        return {
            "moves": tally.moves,
            "games": tally.games,
            "per_cpu_second": tally.moves / spent if spent else 0.0,
            "busy": spent / lasted,
            "failures": self._new_failures(),
            "p50_ms": waits[len(waits) // 2] * 1000 if waits else None,
            "p99_ms": waits[len(waits) * 99 // 100] * 1000 if waits else None,
            "max_ms": waits[-1] * 1000 if waits else None,
            "echo_p99_ms": echoes[len(echoes) * 99 // 100] * 1000 if echoes else None,
            "stalls": sum(wait >= STALL for wait in waits),
            "said": tally.said,
            "heard": tally.heard,
            "slowed": tally.slowed,
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


def cpu_seconds(pids: list[int]) -> float:
    """Processor time of a process with all its threads, by the clock the kernel bills it by."""
    return sum(time.clock_gettime(~pid << 3 | 2) for pid in pids)


async def run(bench: Bench) -> None:
    print(json.dumps(await bench.arrive()), flush=True)
    while order := await asyncio.to_thread(sys.stdin.readline):
        warm, seconds = map(float, order.split())
        print(json.dumps(await bench.play(warm, seconds)), flush=True)
    bench.running = False


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=PLAYERS)
    parser.add_argument("ports", help="taken in turns; with commas")
    parser.add_argument("connections", type=int)
    parser.add_argument("pids", help="of the server's processes, whose processor time counts; with commas")
    parser.add_argument("--timed", action="store_true", help="measure how long each answer takes")
    parser.add_argument("--pace", type=float, default=0.0, metavar="SECONDS", help="think so long before each move")
    parser.add_argument("--table", default="", metavar="ID", help="watch this one")
    args = parser.parse_args()
    gc.disable()  # a pause of ours would look like one of the server's
    ports, pids = ([int(number) for number in each.split(",")] for each in (args.ports, args.pids))
    uvloop.run(run(Bench(args.kind, ports, args.connections, pids, args.timed, args.pace, args.table)))


if __name__ == "__main__":
    main()
