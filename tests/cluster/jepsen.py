"""Everything that can befall a house, at random, for as long as you like.

    make jepsen [MINUTES=60] [KILLS=N] [ONLY=kill_node,…] [SEED=N]

Players of six wires play on three nodes. Again and again one thing or two at once happen to nodes, brokers and
database; after each, the house must be well again, and the log must be what the players were told. What is found is
printed with the seed that leads there again.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random, SystemRandom

from bench.brokers import Missing, brokers, database, until_led
from tests.cluster.checker import DOORS, losses, pauses
from tests.cluster.nemeses import OF_NODES, OF_OTHERS, ROOM, Nemesis, kill_in_turn
from tests.cluster.race import race
from tests.cluster.stage import NAMES, PROXIED, Stage, ending

HELD = 75.0
"""Seconds without a move for which games may still come to their end: the seat of a browser that died with its node is
held for a minute."""
SECONDS = 3.0
"""For which players play before and after what happens."""
ANYWHERE = ("c4n", "nettoe", "glendy", "web")
"""Wires whose players meet wherever they are."""
ALL = [door.partition(",")[0] for door in DOORS]
RACES = 1000
EVERYTHING = {nemesis.__name__: nemesis for nemesis in (*OF_NODES, *OF_OTHERS)}
MARKS = (("half of them up to", 0.5), ("nine of ten up to", 0.9), ("all up to", 1.0))


@contextmanager
def staged(environment: Mapping[str, str] | None = None) -> Iterator[Stage]:
    """A house of its own, whose nodes are not started yet."""
    with tempfile.TemporaryDirectory(prefix="parlour-jepsen-", ignore_cleanup_errors=True) as directory:
        place = Path(directory)
        place.chmod(0o755)  # the database runs as another user
        with brokers(place, room=ROOM) as three, database(place) as server:
            asyncio.run(until_led([broker.url for broker in three]))
            with ending(Stage(place, three, server, server.new("house"), environment)) as stage:
                yield stage


async def suffer(
    stage: Stage, nemeses: Sequence[Nemesis], dice: Random, wires: Sequence[str], patience: float = 30
) -> Counter[str]:
    """One after the other; how many moves were made under each."""
    await stage.start_behind_proxies(PROXIED)
    moves: Counter[str] = Counter()
    try:
        await stage.until_ready()
        await asyncio.to_thread(stage.register, 2 * len(NAMES) + 4)
        for nemesis in nemeses:
            moves += await endure(stage, [nemesis], dice, wires, patience)
    finally:
        await asyncio.to_thread(stage.end)
        for proxy in stage.proxies:
            await proxy.close()
    return moves


async def endure(
    stage: Stage, nemeses: Sequence[Nemesis], dice: Random, wires: Sequence[str], patience: float = 30
) -> Counter[str]:
    """These at once, while people play on all nodes; then everything is checked."""
    names = " and ".join(nemesis.__name__ for nemesis in nemeses)
    runs = [stage.run_at(name, wires=wires) for name in NAMES]
    runs.append(stage.run_at(*NAMES, wires=[wire for wire in wires if wire in ANYWHERE], pairs=2))

    async def happen() -> None:
        await asyncio.gather(*(nemesis(stage, dice) for nemesis in nemeses))

    try:
        await stage.attend(runs, happen, SECONDS, patience)
    except AssertionError as error:
        raise AssertionError(f"{names}: {error}") from error
    return Counter({names: sum(run.moves for run in runs)})


class Figures:
    """What was measured so far. What is lost, invented, out of order or at two tables ends all."""

    def __init__(self) -> None:
        self.moves = self.died = self.bereaved = self.replaced = 0
        self.happened: Counter[str] = Counter()
        self._pauses: dict[str, list[float]] = {}

    def add(self, stage: Stage, moves: int) -> None:
        died, bereaved = losses(stage.runs, stage.dead)
        self.moves += moves
        self.died += died
        self.bereaved += bereaved
        for moment, what in stage.moments:
            self.happened[what] += 1
            self._pauses.setdefault(what, []).extend(pauses(stage.runs, moment, stage.dead))

    def lines(self) -> Iterator[str]:
        yield f"{self.moves} moves, none lost, invented or out of order; no one at two tables; ratings as in the log"
        yield f"dropped with their node {self.died}, because their opponent was {self.bereaved}, otherwise 0"
        if self.replaced:
            yield f"{self.replaced} times a node counted as dead that was not: the machine is too busy"
        for what, times in self.happened.items():
            all_pauses = self._pauses[what]
            stood = sorted(pause for pause in all_pauses if pause)
            told = f"{what}, {times} times: of {len(all_pauses)} players at living nodes {len(stood)} waited"
            marks = [f"{name} {stood[int(part * (len(stood) - 1))]:.1f} s" for name, part in MARKS if stood]
            yield ", ".join([told, *marks])


async def _go_on(stage: Stage, given: argparse.Namespace, dice: Random) -> None:
    """One round after the other, until time or number is over."""
    end, rounds, figures = time.monotonic() + 60 * given.minutes, 0, Figures()
    await stage.start_behind_proxies(PROXIED)
    await stage.until_ready()
    await asyncio.to_thread(stage.register, 2 * len(NAMES) + 4)
    try:
        while figures.happened.total() < given.kills if given.kills else time.monotonic() < end:
            at_once = min(dice.choice((1, 1, 2)), len(given.only))
            chosen = [kill_in_turn] if given.kills else dice.sample(given.only, at_once)
            began = time.monotonic()
            ((names, moves),) = (await endure(stage, chosen, dice, ALL, HELD)).items()
            figures.add(stage, moves)
            figures.replaced = stage.replaced
            stage.forget()
            rounds += 1
            print(f"{rounds} {names}: {moves} moves, {time.monotonic() - began:.0f} s, all is well", flush=True)
    finally:
        for line in figures.lines():
            print(line, flush=True)


def _nemeses(names: str) -> list[Nemesis]:
    return [EVERYTHING[name] for name in names.split(",")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, prog="make jepsen")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--kills", type=int, default=0, help="so many kills of nodes and brokers, and nothing else")
    parser.add_argument("--only", type=_nemeses, default=list(EVERYTHING.values()), metavar="NAME,…")
    parser.add_argument("--seed", type=int, default=SystemRandom().getrandbits(32))
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    try:
        with staged() as stage:
            if not given.kills:
                print(f"{asyncio.run(race(stage.brokers, RACES))} races of writers, one winner each", flush=True)
            asyncio.run(_go_on(stage, given, Random(given.seed)))
    except Missing as missing:
        print(f"jepsen: {missing}", file=sys.stderr)
        return 2
    except AssertionError as error:
        print(f"seed {given.seed}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
