"""Everything that can befall a house, at random, for as long as you like: `make jepsen [MINUTES=60] [SEED=N]`.

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
from tests.cluster.checker import DOORS
from tests.cluster.nemeses import OF_NODES, OF_OTHERS, ROOM, Nemesis
from tests.cluster.race import race
from tests.cluster.stage import NAMES, PROXIED, Stage, ending

SECONDS = 3.0
"""For which players play before and after what happens."""
ANYWHERE = ("c4n", "nettoe", "glendy", "web")
"""Wires whose players meet wherever they are."""
ALL = [door.partition(",")[0] for door in DOORS]
RACES = 1000


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


async def _for_minutes(stage: Stage, minutes: float, dice: Random) -> None:
    end, rounds = time.monotonic() + 60 * minutes, 0
    await stage.start_behind_proxies(PROXIED)
    await stage.until_ready()
    await asyncio.to_thread(stage.register, 2 * len(NAMES) + 4)
    while time.monotonic() < end:
        chosen = dice.sample((*OF_NODES, *OF_OTHERS), dice.choice((1, 1, 2)))
        began = time.monotonic()
        moves = await endure(stage, chosen, dice, ALL)
        stage.forget()
        rounds += 1
        ((names, count),) = moves.items()
        print(f"{rounds} {names}: {count} moves, {time.monotonic() - began:.0f} s, all is well", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, prog="make jepsen")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=SystemRandom().getrandbits(32))
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    try:
        with staged() as stage:
            print(f"{asyncio.run(race(stage.brokers, RACES))} races of writers, one winner each", flush=True)
            asyncio.run(_for_minutes(stage, given.minutes, Random(given.seed)))
    except Missing as missing:
        print(f"jepsen: {missing}", file=sys.stderr)
        return 2
    except AssertionError as error:
        print(f"seed {given.seed}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
