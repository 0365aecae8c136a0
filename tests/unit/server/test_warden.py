"""What the server makes of bans that are changed from outside, and of the time of day at which they end."""

import asyncio
import time
from contextlib import suppress
from pathlib import Path

import pytest

from parlour.core.house.bans import Ban
from parlour.server import warden
from parlour.store.places import change_bans, prepare
from tests.world import World


def test_ban_from_outside_is_noticed_and_ends_by_the_time_of_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warden, "SECONDS", 0.0)
    prepare(tmp_path)
    house = World().house  # whose time has nothing to do with the time of day
    bans = house.hub.bans

    async def watch() -> None:
        watching = await warden.watch_bans(house, tmp_path)
        change_bans(tmp_path, [Ban("Rita", time.time() + 3600)], [])
        while not bans.all:
            await asyncio.sleep(0)
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching

    asyncio.run(watch())
    ban = bans.of_name("Rita", house.clock())
    assert ban is not None
    assert 3000 < (bans.seconds_left(ban, house.clock()) or 0) <= 3600
    assert bans.of_name("Rita", house.clock() + 3601) is None
