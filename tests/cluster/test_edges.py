"""`parlour serve --edges N` as processes: owners and edges are killed under players of several wires."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster.checker import DOORS, Run, attend, check
from tests.server.child import PATIENCE, Server, doors, serving

QUIET = {"PARLOUR_KERNELS": "none"}


def children(server: Server, role: str) -> list[int]:
    """The processes of a house, by what they are."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                words = (each / "cmdline").read_bytes().split(b"\0")
                parent = int((each / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            if parent == server.process.pid and role.encode() in words:
                found.append(int(each.name))
    return sorted(found)


@contextmanager
def house(directory: Path, *specs: str, edges: int = 2, more: tuple[str, ...] = ()) -> Iterator[Server]:
    words = ("--data", str(directory), "--edges", str(edges), "--drain", "2", *doors(*specs), *more)
    with serving(*words, environment=QUIET) as server:
        yield server


async def kill(server: Server, role: str, number: int = signal.SIGKILL) -> None:
    """Kill the first of them, and wait until another has its place."""
    before = children(server, role)
    os.kill(before[0], number)
    while len(after := children(server, role)) < len(before) or before[0] in after:
        await asyncio.sleep(0.02)


def run_with(directory: Path, nemesis: Callable[[Server], Awaitable[None]], seconds: float = 4.0) -> tuple[Run, int]:
    with house(directory, *DOORS) as server:
        run = Run(dict(server.doors), pairs=3, think=0.02)
        asyncio.run(attend(run, lambda: nemesis(server), seconds))
        assert server.stop() == 0, server.stderr
        assert "Traceback" not in server.stderr, server.stderr
    return run, check(directory, run)


async def kill_owner_twice(server: Server) -> None:
    await kill(server, "owner")
    await asyncio.sleep(1.5)
    await kill(server, "owner")


def test_owner_is_killed_under_players_of_every_wire_and_no_one_is_dropped(tmp_path: Path) -> None:
    run, moves = run_with(tmp_path, kill_owner_twice)
    assert not run.dropped
    assert moves > 200


def test_owner_that_is_asked_to_end_is_replaced_under_its_players(tmp_path: Path) -> None:
    run, moves = run_with(tmp_path, lambda server: kill(server, "owner", signal.SIGTERM), 2.0)
    assert not run.dropped
    assert moves


def test_edge_that_is_killed_takes_only_its_own_people(tmp_path: Path) -> None:
    with house(tmp_path, "glendy,walls=none") as server:
        run = Run({"glendy": server.port("glendy")}, pairs=6, think=0.02)
        asyncio.run(attend(run, lambda: kill(server, "edge"), 3.0))
        assert server.stop() == 0
    ended = [player for player in run.players if not player.is_over]
    assert ended, "some were at the edge that died, or opposite"
    assert len(ended) < len(run.players)
    assert check(tmp_path, run)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stop_is_a_stop_of_all_processes(tmp_path: Path, number: int) -> None:
    with house(tmp_path, "glendy", "web") as server:
        pids = [*children(server, "owner"), *children(server, "edge")]
        assert len(pids) == 3
        assert server.stop(number) == 0
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_supervisor_that_is_killed_takes_its_processes_with_it(tmp_path: Path) -> None:
    with house(tmp_path, "glendy") as server:
        pids = [*children(server, "owner"), *children(server, "edge")]
        server.kill()
        asyncio.run(asyncio.wait_for(_gone(pids), PATIENCE))


async def _gone(pids: list[int]) -> None:
    while any(Path(f"/proc/{pid}").exists() and "(zombie)" not in _state(pid) for pid in pids):
        await asyncio.sleep(0.02)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return "(zombie)"
