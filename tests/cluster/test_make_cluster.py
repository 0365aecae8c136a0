"""`make cluster`: the whole house on one machine, as its one command starts it."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.brokers import nats_server
from tests.cluster.checker import Run
from tests.conftest import ROOT, installed
from tests.server.child import PATIENCE, parlour

SECONDS = 120.0


class House:
    """What the command has printed so far."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.lines: list[str] = []

    def until(self, is_it: Callable[[str], object]) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if is_it(self.lines[-1]):
                return self.lines[-1]
        raise AssertionError(f"it has ended: {self.lines}")

    def pid(self, name: str) -> int:
        """Of the process that was announced by this name."""
        return int(next(line for line in self.lines if line.startswith(f"{name} ")).rpartition(" pid ")[2])

    def port(self, node: str, wire: str) -> int:
        found = next(line for line in self.lines if line.startswith(f"listening {node} {wire} "))
        return int(found.rpartition(":")[2])


@contextmanager
def house(directory: str) -> Iterator[House]:
    with installed():
        nats_server()
    words = [sys.executable, "-m", "scripts.cluster", "--free-ports", "--data", directory]
    environment = {**os.environ, "PARLOUR_KERNELS": "none"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as process:
        try:
            yield House(process)
        finally:
            process.kill()


async def play(port: int) -> None:
    """A pair of games, to their ends."""
    run = Run({"c4n": port}, pairs=1, think=0.0)
    playing = asyncio.create_task(run.play())
    async with asyncio.timeout(SECONDS):
        while not run.players:
            await asyncio.sleep(0.02)
        run.stop()
        await playing
    assert [player.is_over for player in run.players] == [True, True]


@pytest.mark.timeout(400)
def test_house_of_one_command_is_ready_and_plays_on_when_any_process_of_it_is_killed() -> None:
    with tempfile.TemporaryDirectory(prefix="parlour-cluster-", ignore_cleanup_errors=True) as directory:
        with house(directory) as cluster:
            cluster.until("ready".__eq__)
            pids = [int(found[1]) for line in cluster.lines if (found := re.search(r" pid (\d+)$", line))]
            assert len(pids) == 7
            for node in ("one", "two", "three"):
                asyncio.run(play(cluster.port(node, "c4n")))
            for name in ("node one", "broker 2", "archive"):
                os.kill(cluster.pid(name), signal.SIGKILL)
                asyncio.run(play(cluster.port("two", "c4n")))
                cluster.until(f"{name} has ended (-9) and is started again".__eq__)
            asyncio.run(_until_there(cluster.port("one", "c4n")))
            asyncio.run(play(cluster.port("one", "c4n")))
            archive = next(line for line in cluster.lines if line.startswith("archive "))
            listed = parlour("tables", "--archive", archive.split()[1])
            assert listed.returncode == 0
            assert "connect4" in listed.stdout
            os.kill(cluster.process.pid, signal.SIGINT)
            assert cluster.process.wait(SECONDS) == 0
        assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]


async def _until_there(port: int) -> None:
    async with asyncio.timeout(SECONDS):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.1)
            else:
                writer.close()
                return


def test_house_that_cannot_be_opened_says_why_and_leaves_nothing_behind(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    words = [sys.executable, "-m", "scripts.cluster", "--data", str(taken)]
    said = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=False)
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == f"cluster: {taken} cannot be used: File exists\n"
