"""Whoever answers outside a connection waits for the log like everybody else, and keeps nobody from being told."""

import asyncio

import pytest

from parlour.server.fanout import SLICE
from parlour.server.flushing import flushed
from tests.browsers import Browser
from tests.world import World


@pytest.mark.parametrize("watchers", [0, SLICE + 5])
def test_nothing_is_settled_before_it_is_in_the_log(watchers: int) -> None:
    async def scenario() -> None:
        world = World()
        ann = Browser(world, "Ann").open("noughts", "invite")
        crowd = [Browser(world).say("watch", table=ann.table) for _ in range(watchers)]
        bob = Browser(world, "Bob")
        world.store.hold = True
        bob.say("open", game="noughts", opponent="engine")
        ann.say("say", table=ann.table, text="hello")
        asked = asyncio.ensure_future(flushed(world.house))
        for _ in range(5):
            await asyncio.sleep(0)
            world.run()
        assert not asked.done()
        while world.store.waiting:
            world.store.let_through()
            world.run()
        await asked
        assert all(browser.last("said")["text"] == "hello" for browser in crowd)

    asyncio.run(scenario())


def test_nobody_waits_while_nothing_happens() -> None:
    async def scenario() -> None:
        world = World()
        Browser(world, "Ann")
        asked = asyncio.ensure_future(flushed(world.house))
        await asyncio.sleep(0)
        assert asked.done()

    asyncio.run(scenario())
