"""Looks at the bans every few seconds: the host may change them from outside, with `parlour accounts`."""

import asyncio
import time
from contextlib import suppress

from parlour.core.errors import LocalError
from parlour.server.desk import Desk
from parlour.server.house import House
from parlour.store.places import Place, kept_bans

SECONDS = 2.0


async def watch_bans(house: House, place: Place) -> "asyncio.Task[None]":
    """Keep those out who are banned now, and from then on. Raises LocalError."""
    desk = Desk(house)
    desk.keep_out(kept_bans(place))
    return asyncio.get_running_loop().create_task(_watch(house, desk, place))


async def _watch(house: House, desk: Desk, place: Place) -> None:
    """Until cancelled. A file that cannot be read changes nothing."""
    while True:
        await asyncio.sleep(SECONDS)
        house.hub.bans.ahead = time.time() - house.clock()
        with suppress(LocalError):
            desk.keep_out(await asyncio.to_thread(kept_bans, place))
