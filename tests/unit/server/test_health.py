"""What a checkup finds out about the disk, the loop and a log that does not answer."""

import asyncio
import gc
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from parlour.core.errors import LocalError, Refusal
from parlour.server import limits
from parlour.server.health import Checkup
from parlour.server.lifecycle import make_ready
from parlour.server.timers import Lag
from parlour.web.site import Health
from tests.world import World


def look(world: World, directory: Path) -> Health:
    return asyncio.run(Checkup(world.house, directory).look())


def test_tick_that_comes_late_counts_for_a_while() -> None:
    lag = Lag()
    assert lag.worst(0.0) == 0.0
    for now in (0.0, 0.05, 3.1, 3.15):
        lag.tick(now)
    assert lag.worst(3.15) == pytest.approx(3.0)
    assert lag.worst(3.15 + 7) == pytest.approx(6.95)  # the tick that is due now is later still
    lag.tick(3.2)
    for tick in range(200):
        lag.tick(3.2 + 0.05 * tick)
    assert lag.worst(13.2) == pytest.approx(0.0, abs=0.06)


def test_disk_that_is_nearly_full_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=limits.LEAST_DISK - 1))
    told = look(World(), tmp_path)
    assert (told.failed, told.disk_free) == (["disk"], limits.LEAST_DISK - 1)
    assert str(tmp_path) in told.text


def test_loop_that_stood_still_fails(tmp_path: Path) -> None:
    world = World()
    now = world.house.clock()
    world.house.lag.tick(now - 5)
    world.house.lag.tick(now)
    assert look(world, tmp_path).failed == ["loop"]


def test_getting_ready_is_no_standstill(tmp_path: Path) -> None:
    world = World()
    now = world.house.clock()
    world.house.lag.tick(now - 10)
    world.house.lag.tick(now - 5)
    thresholds = gc.get_threshold()
    try:
        make_ready(world.house)
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)
    assert look(world, tmp_path).failed == []
    world.house.lag.tick(now)
    assert look(world, tmp_path).failed == [], "the first tick is on time"


def test_log_that_cannot_be_written_fails(tmp_path: Path) -> None:
    world = World()
    world.store.failure = LocalError("no space left")
    assert (look(world, tmp_path).failed, look(world, tmp_path).text) == (["log"], "no space left")
    world.store.failure = None
    assert look(world, tmp_path).failed == []
    world.hub.refusing = Refusal.LOG_DOWN
    assert look(world, tmp_path).failed == ["log"]


def test_log_that_does_not_answer_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    monkeypatch.setattr(world.store, "check", lambda _: None)
    monkeypatch.setattr(limits, "HEALTH_PATIENCE_SECONDS", 0.01)
    assert look(world, tmp_path).failed == ["log"]
