"""Engines behind `parlour serve`: it is ready before they are, they keep out of people's way, and they may die."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from statistics import median

import pytest

from parlour.protocols.c4n.codec import START
from tests.conftest import ROOT
from tests.server.child import HERE, PATIENCE, Peer, Server, doors, glendy_pair, serving

MASTER = "c4n,opponent=engine,level=master"
UNKNOWN = f"{MASTER},size=8x8"
"""A board that no book and no machine code knows, so that an engine thinks for as long as it may."""
METRICS = ("--metrics", f"{HERE}:0")
COMPILING = {"PARLOUR_KERNELS": ""}


def figures(server: Server) -> dict[str, float]:
    """What the server tells about its engines."""
    place = next(line for line in server.lines if line.startswith("metrics ")).split()[1]
    with urllib.request.urlopen(place, timeout=PATIENCE) as page:
        lines = [line.split() for line in page.read().decode().splitlines() if line.startswith("parlour_engine_")]
    return {name.removeprefix("parlour_engine_"): float(value) for name, value in lines}


def children(process: int) -> list[int]:
    """The worker processes of a server."""
    return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def thinking(server: Server) -> int:
    """The one worker, once it thinks."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if figures(server)["thinking"] and (found := children(server.process.pid)):
            return found[0]
    raise AssertionError("nobody thinks")


class Guest(Peer):
    """Somebody who has begun a game with an engine and is on turn, on a board of this size."""

    def __init__(self, port: int, size: bytes) -> None:
        super().__init__(port)
        self.mark = b"BOARD\n%s " % size
        self.send(START).until(self.mark)

    def play(self, column: int) -> None:
        self.send(b"C4N 1.0 MOVE\n%d" % column)

    def answered(self) -> None:
        """One's own move comes with the answer to it."""
        self.until(self.mark)
        self.until(self.mark)


def test_a_first_start_is_ready_and_plays_before_anything_is_compiled(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    words = ("--data", str(tmp_path), "--drain", "0", *METRICS, *doors(UNKNOWN))
    with serving(*words, environment=COMPILING) as server, Guest(server.port("c4n"), b"8 8") as guest:
        guest.play(3)
        guest.answered()
        now = figures(server)
        assert (now["warm"], now['events_total{what="pooled"}']) == (0, 1)
        assert now["cold"] >= 1
        assert not list(tmp_path.rglob("*.complete"))
        assert (server.stop(), server.stderr) == (0, "")


def test_a_game_goes_on_when_the_worker_that_thinks_about_it_is_killed() -> None:
    with (
        serving("--data", "none", "--drain", "0", *METRICS, *doors(UNKNOWN)) as server,
        Guest(server.port("c4n"), b"8 8") as guest,
    ):
        guest.play(3)
        os.kill(thinking(server), signal.SIGKILL)
        guest.answered()
        now = figures(server)
        assert now['events_total{what="lost"}'] == now['events_total{what="crashed"}'] == 1
        assert "a simpler level moves" in server.stderr
        guest.play(4)
        guest.answered()


def test_people_do_not_wait_for_four_engines_that_think() -> None:
    """Beside the time that an engine takes for a move: a server that waited for one would be as slow."""
    with serving("--data", "none", "--drain", "0", *METRICS, *doors(UNKNOWN, "glendy,walls=none")) as server:
        guests = [Guest(server.port("c4n"), b"8 8") for _ in range(4)]
        waits = []
        with glendy_pair(server.port("glendy")) as (trapper, glenda):
            for guest in guests:
                guest.play(3)
            thinking(server)
            for step in range(4):
                began = time.perf_counter()
                trapper.send(b"p 0 %d\n" % step)
                glenda.until(b"TURN\n")
                glenda.send(b"m E\n")
                trapper.until(b"TURN\n")
                waits.append(time.perf_counter() - began)
        for guest in guests:
            guest.answered()
            guest.close()
        now = figures(server)
        assert now['tasks_total{game="connect4"}'] == now['events_total{what="pooled"}'] == len(guests)
        assert 4 * median(waits) < now['seconds_total{game="connect4"}'] / len(guests)


def test_the_bench_of_engines_has_its_rows_and_no_failure(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "bench", "--quick", "engines", "--results", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    data = json.loads((tmp_path / "latest.json").read_text(encoding="utf-8"))
    assert (data["failures"], done.returncode) == ([], 0), done.stderr
    assert data["facts"].keys() == {
        "first start, nothing compiled",
        "a move between people, nobody thinks",
        "a move between people, 4 engines think",
        "engines meanwhile",
    }
