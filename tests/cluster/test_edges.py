"""`parlour serve --edges N` as processes: owners and edges are killed under players of several wires."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from tests.cluster.checker import DOORS, Run, attend, check
from tests.server.child import PATIENCE, Server, doors, parlour, serving

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
def house(directory: Path, *specs: str, environment: Mapping[str, str] = QUIET) -> Iterator[Server]:
    words = ("--data", str(directory), "--edges", "2", "--drain", "2", *doors(*specs))
    with serving(*words, environment={**QUIET, **environment}) as server:
        yield server


async def kill(server: Server, role: str, number: int = signal.SIGKILL) -> None:
    """Kill the first of them, and wait until another has its place."""
    before = children(server, role)
    os.kill(before[0], number)
    while len(after := children(server, role)) < len(before) or before[0] in after:
        await asyncio.sleep(0.02)


SLOWLY = """
import asyncio
from parlour.cluster.owner import EdgeRelay
from parlour.store.writer import Writer
from time import sleep

def write(self, *args, written=Writer._write):
    sleep(0.15)
    return written(self, *args)

def release(self, items, released=EdgeRelay.release):
    asyncio.get_running_loop().call_later(0.15, released, self, items)

Writer._write = write
EdgeRelay.release = release
"""
"""No fault, but makes the moments longer in which one shows: before a commit, and between it and the telling."""

PLANTS = {
    "none": "",
    "told before it is in the log": """
from parlour.server.house import House

def dispatch(self, told=House._dispatch):
    outbox, self.outbox = self.outbox, {}
    self._fan_out.release(outbox)
    told(self)

def write_late(self, *args, written=write):
    sleep(0.5)
    return written(self, *args)

House._dispatch = dispatch
EdgeRelay.release = release.__defaults__[0]
Writer._write = write_late
""",
    "mark ignored": """
from msgspec.structs import replace

def play(self, move, played=EdgeRelay._play):
    self._marks = getattr(self, "_marks", 0) + 1
    played(self, replace(move, id=f"{id(self)}.{self._marks}", again=False))

def release_late(self, items, released=release):
    asyncio.get_running_loop().call_later(0.5, released, self, items)

EdgeRelay._play = play
EdgeRelay.release = release_late
""",
}


@pytest.mark.parametrize("fault", PLANTS)
def test_checker_finds_planted_faults_and_no_others(tmp_path: Path, fault: str) -> None:
    planted = tmp_path / "planted"
    planted.mkdir()
    words = f"import sys\nif 'owner' in sys.argv:\n    exec({SLOWLY + PLANTS[fault]!r})\n"
    (planted / "sitecustomize.py").write_text(words)
    data = tmp_path / "data"
    specs = ("nettoe,opponent=human", "c4n,opponent=engine,level=beginner")
    with house(data, *specs, environment={"PYTHONPATH": str(planted)}) as server:
        run = Run(dict(server.doors), pairs=4, think=0.01)
        asyncio.run(attend(run, lambda: kill(server, "owner"), 3.0, patience=8.0))
        server.stop()
    with pytest.raises(AssertionError) if fault != "none" else nullcontext():
        assert not run.dropped
        check(data, run)


def run_with(
    directory: Path, nemesis: Callable[[Server], Awaitable[None]], seconds: float, stop: int = signal.SIGTERM
) -> tuple[Run, int]:
    with house(directory, *DOORS) as server:
        run = Run(dict(server.doors), pairs=3, think=0.02)
        assert asyncio.run(attend(run, lambda: nemesis(server), seconds))
        pids = [*children(server, "owner"), *children(server, "edge")]
        assert len(pids) == 3
        assert server.stop(stop) == 0, server.stderr
        assert "Traceback" not in server.stderr, server.stderr
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    return run, check(directory, run)


async def kill_owner_twice(server: Server) -> None:
    await kill(server, "owner")
    await asyncio.sleep(1.5)
    await kill(server, "owner")


def test_owner_is_killed_under_players_of_every_wire_and_no_one_is_dropped(tmp_path: Path) -> None:
    run, moves = run_with(tmp_path, kill_owner_twice, 4.0)
    assert not run.dropped
    assert moves > 100


def test_owner_that_is_asked_to_end_is_replaced_under_its_players(tmp_path: Path) -> None:
    run, moves = run_with(tmp_path, lambda server: kill(server, "owner", signal.SIGTERM), 1.0, signal.SIGINT)
    assert not run.dropped
    assert moves


def test_edge_that_is_killed_takes_only_its_own_people(tmp_path: Path) -> None:
    with house(tmp_path, "nettoe,opponent=human") as server:
        run = Run(dict(server.doors), pairs=8, think=0.05)
        asyncio.run(attend(run, lambda: kill(server, "edge"), 3.0))
        assert server.stop() == 0
    ended = [player for player in run.players if not player.is_over]
    assert ended, "some were at the edge that died, or opposite"
    assert len(ended) < len(run.players)
    assert check(tmp_path, run)


def test_processes_end_with_their_supervisor_and_data_have_one_owner(tmp_path: Path) -> None:
    with house(tmp_path, "glendy") as server:
        second = parlour("serve", "--data", str(tmp_path), "--edges", "1", *doors("glendy"))
        assert second.returncode == 2
        assert len(second.stderr.splitlines()) == 1
        assert "ready" not in second.stdout
        pids = [*children(server, "owner"), *children(server, "edge")]
        server.kill()
        asyncio.run(asyncio.wait_for(_gone(pids), PATIENCE))


async def _gone(pids: list[int]) -> None:
    while any(_lives(pid) for pid in pids):
        await asyncio.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
