"""What can befall a house. Each lets something happen, and leaves the house as it should be found."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import Random

from nats.js.errors import APIError

from bench.brokers import Broker
from parlour.cluster.lease import TTL
from parlour.store.brokers import Failure
from tests.cluster.conftest import connected
from tests.cluster.stage import NAMES, PROXIED, Stage

Nemesis = Callable[[Stage, Random], Awaitable[None]]

STANDSTILL = TTL + 2
"""Seconds: longer than a lease lasts."""
IN_TURN = 10
"""Kills in a row."""
MEGABYTE = bytes(1 << 20)
ROOM = "48M"
"""What each broker may keep where one is to be full."""


async def kill_node(stage: Stage, dice: Random) -> None:
    await _kill_node(stage, dice, dice.choice(NAMES))


async def _kill_node(stage: Stage, dice: Random, name: str) -> None:
    stage.signal(name, signal.SIGKILL)
    await asyncio.sleep(dice.uniform(0.5, 4))
    await stage.restart(name)


async def kill_keeper(stage: Stage, dice: Random) -> None:
    """The node where people of different nodes meet, with all tables that wait for anyone, and all rooms."""
    await _kill_node(stage, dice, await stage.keeper())


async def stop_node(stage: Stage, dice: Random) -> None:
    """It wakes up when others believe it dead."""
    name = dice.choice(NAMES)
    stage.signal(name, signal.SIGSTOP)
    await asyncio.sleep(STANDSTILL)
    stage.signal(name, signal.SIGCONT)


async def kill_two_nodes(stage: Stage, dice: Random) -> None:
    """The third has two shelves to take over."""
    names = dice.sample(NAMES, 2)
    for name in names:
        stage.signal(name, signal.SIGKILL)
    await asyncio.sleep(dice.uniform(0.5, 4))
    await asyncio.gather(*map(stage.restart, names))


async def take_over_twice(stage: Stage, dice: Random) -> None:
    """A node stands still and two others want its shelf at the same moment; then all three are awake."""
    sleeper = dice.choice(NAMES)
    others = [name for name in NAMES if name != sleeper]
    stage.signal(sleeper, signal.SIGSTOP)
    for name in others:
        stage.signal(name, signal.SIGSTOP)
    await asyncio.sleep(STANDSTILL)  # all leases have run out: whoever wakes up finds all shelves free
    for name in dice.sample(others, 2):
        stage.signal(name, signal.SIGCONT)
    await asyncio.sleep(dice.uniform(0, 2))
    stage.signal(sleeper, signal.SIGCONT)


async def cut_node(stage: Stage, dice: Random) -> None:
    """The node behind our proxies does not reach the brokers for a while, and is told nothing of that."""
    stage.trouble(PROXIED)
    for proxy in stage.proxies:
        proxy.cut()
    await asyncio.sleep(dice.uniform(1, STANDSTILL))
    for proxy in stage.proxies:
        proxy.mend()


async def restart_all(stage: Stage, dice: Random) -> None:
    """One node after the other, as for an upgrade."""
    for name in dice.sample(NAMES, len(NAMES)):
        stage.signal(name, signal.SIGTERM)
        await stage.restart(name)


async def kill_leader(stage: Stage, dice: Random) -> None:
    await _kill(stage, dice, await stage.leader(dice.choice(NAMES)), "a leader")


async def kill_follower(stage: Stage, dice: Random) -> None:
    """A broker that does not lead the shelf of a certain node."""
    leader = await stage.leader(dice.choice(NAMES))
    await _kill(stage, dice, next(each for each in stage.brokers if each is not leader), "a broker")


async def _kill(stage: Stage, dice: Random, broker: Broker, what: str) -> None:
    stage.kill(broker, what)
    await asyncio.sleep(dice.uniform(0.5, 3))
    broker.start()
    await asyncio.to_thread(broker.wait)


async def kill_in_turn(stage: Stage, dice: Random) -> None:
    """One node over and over, and brokers: the people of the two other nodes must come through all of it."""
    victim = dice.choice((dice.choice(NAMES), await stage.keeper()))
    for kill in dice.choices((None, kill_leader, kill_follower), (2, 1, 1), k=IN_TURN):
        if kill is None:
            await _kill_node(stage, dice, victim)
        else:
            await kill(stage, dice)
            await stage.until_led()


async def stop_broker(stage: Stage, dice: Random) -> None:
    broker = dice.choice(stage.brokers)
    stage.note("a broker")
    broker.send(signal.SIGSTOP)
    await asyncio.sleep(dice.uniform(1, STANDSTILL))
    broker.send(signal.SIGCONT)


async def stop_archive(stage: Stage, dice: Random) -> None:
    stage.note("the archive")
    stage.database.stop()
    await asyncio.sleep(dice.uniform(1, STANDSTILL))
    await asyncio.to_thread(stage.database.start)


async def fill_disks(stage: Stage, dice: Random) -> None:
    """Something else fills what the brokers may keep, for a while."""
    async with connected(stage.brokers, 3) as through:
        await through.js.add_stream(name="JUNK", subjects=["junk"], num_replicas=3)
        try:
            for _ in range(200):
                await through.js.publish("junk", MEGABYTE[:900_000], timeout=2)
            raise AssertionError("there is no end to the disks")
        except APIError as error:
            assert "resources" in (error.description or "") or "storage" in (error.description or ""), error
        finally:
            stage.note("the disks")
            await asyncio.sleep(dice.uniform(1, STANDSTILL))
            with suppress(*Failure):
                await through.js.delete_stream("JUNK")


OF_NODES: tuple[Nemesis, ...] = (
    kill_node,
    kill_keeper,
    stop_node,
    kill_two_nodes,
    take_over_twice,
    cut_node,
    restart_all,
)
OF_OTHERS: tuple[Nemesis, ...] = (kill_leader, kill_follower, stop_broker, stop_archive, fill_disks)
