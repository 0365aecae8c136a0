"""`make bench` measures what it says; how fast anything is, no test says."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from bench.engines.ladder import BOARDS
from parlour.core.game import LEVELS
from tests.conftest import ROOT

FACTS = {
    "moves told out of order",
    "20 spectators, journal on",
    "20 spectators, journal off",
    "idle, waiting TCP connections",
    "tables held, a move at each",
    "unloaded bare echo",
    "unloaded move, journal on",
    "unloaded move, journal off",
    "a move by WebSocket at 10 tables",
    "glendy at 10 tables, --durability power",
    "c4n at 10 tables, --durability power",
    "browsers' tables held, a move at each",
    "idle WebSockets",
    "20 browsers watch",
    "10 browser games, a move a second",
    "move while 10 talk on netdot",
    "move while 10 talk on ggz",
    "node on JetStream and PostgreSQL",
    "two nodes",
    "two nodes, pairs across",
    "owner and 1 edge",
    "owner and 2 edges",
    "tables adopted",
    "tables followed from another node",
    "30 browsers watch at three nodes",
    "trace, 1 connection, 1 under way",
    "trace, 20 connections, 1 under way",
    "trace, 20 connections, 8 under way",
}


def bench(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "bench", "--quick", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)


def test_quick_bench_has_every_row_and_no_failure(tmp_path: Path) -> None:
    done = bench("--results", str(tmp_path))
    data = json.loads((tmp_path / "latest.json").read_text(encoding="utf-8"))
    assert data["failures"] == []
    assert done.returncode == 0, done.stderr
    assert {(row["wire"], row["journal"]) for row in data["games"]} == {
        (wire, journal) for wire in ("glendy", "c4n", "netdot", "web") for journal in (True, False)
    }
    assert all(row["moves"] > 0 and row["echo"] > 0 for row in data["games"])
    steps = {f"ladder, {game}: {upper} against {lower}" for game in BOARDS for lower, upper in pairwise(LEVELS)}
    assert set(data["facts"]) == FACTS | steps
    assert all(data["facts"][f"20 spectators, journal {journal}"]["share"] > 0 for journal in ("on", "off"))
    assert data["facts"]["tables held, a move at each"]["tables"] == 20
    assert data["facts"]["idle, waiting TCP connections"]["connections"] == 100
    assert all(data["facts"]["30 browsers watch at three nodes"]["seen"])
    assert data["facts"]["tables followed from another node"]["bytes_per_table"] <= 3 * 1024
    for wire in ("netdot", "ggz"):
        storm = data["facts"][f"move while 10 talk on {wire}"]
        assert storm["moves"] > 0
        assert storm["heard"] == 10 * storm["said"] > 0


def test_table_on_the_terminal_is_the_one_in_the_file(tmp_path: Path) -> None:
    done = bench("--only", "tables", "--results", str(tmp_path))
    text = (tmp_path / "latest.md").read_text(encoding="utf-8")
    assert done.stdout.strip() == text.strip()
    assert "| tables held, a move at each |" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len({len(line) for line in lines}) == 1, "the columns are not aligned"


@pytest.mark.parametrize("words", [("--only", "everything"), ("--seconds", "long")])
def test_wrong_usage_is_refused(words: tuple[str, str]) -> None:
    done = bench(*words)
    assert done.returncode == 2
    assert words[1] in done.stderr
