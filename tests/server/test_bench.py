"""`make bench` measures what it says; how fast anything is, no test says."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from bench.__main__ import KINDS, PARTS
from bench.engines.ladder import BOARDS
from parlour.core.game import LEVELS
from tests.conftest import ROOT

FACTS = {
    "games": {"moves told out of order", "a move by WebSocket at 10 tables"},
    "flushed": {"glendy at 10 tables, --durability power", "c4n at 10 tables, --durability power"},
    "crowd": {"20 spectators, journal on", "20 spectators, journal off"},
    "memory": {"idle, waiting TCP connections"},
    "tables": {"tables held, a move at each"},
    "latency": {"unloaded bare echo", "unloaded move, journal on", "unloaded move, journal off"},
    "edges": {"owner and 1 edge", "owner and 2 edges"},
    "browsers": {
        "idle WebSockets",
        "browsers' tables held, a move at each",
        "20 browsers watch",
        "10 browser games, a move a second",
    },
    "storms": {"move while 10 talk on netdot", "move while 10 talk on ggz"},
    "nodes": {
        "node on JetStream and PostgreSQL",
        "two nodes",
        "two nodes, pairs across",
        "tables adopted",
        "tables followed from another node",
        "30 browsers watch at three nodes",
    },
    "trace": {
        "trace, 1 connection, 1 under way",
        "trace, 20 connections, 1 under way",
        "trace, 20 connections, 8 under way",
    },
    "ladder": {f"ladder, {game}: {upper} against {lower}" for game in BOARDS for lower, upper in pairwise(LEVELS)},
}
"""What each part of a whole run measures."""


def bench(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "bench", "--quick", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)


def test_every_part_is_tried() -> None:
    assert set(FACTS) == set(PARTS)


@pytest.mark.parametrize("part", FACTS)
def test_part_has_every_row_and_no_failure(tmp_path: Path, part: str) -> None:
    done = bench(part, "--results", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads((tmp_path / "latest.json").read_text(encoding="utf-8"))
    assert data["failures"] == []
    facts = data["facts"]
    assert set(facts) == FACTS[part]
    if part == "games":
        assert {(row["wire"], row["journal"]) for row in data["games"]} == set(KINDS)
        assert all(row["moves"] > 0 and row["echo"] > 0 for row in data["games"])
    elif part == "crowd":
        assert all(fact["share"] > 0 for fact in facts.values())
    elif part == "memory":
        assert facts["idle, waiting TCP connections"]["connections"] == 100
    elif part == "tables":
        assert facts["tables held, a move at each"]["tables"] == 20
    elif part == "nodes":
        assert all(facts["30 browsers watch at three nodes"]["seen"])
        assert facts["tables followed from another node"]["bytes_per_table"] <= 3 * 1024
    elif part == "storms":
        assert all(fact["moves"] > 0 and fact["heard"] == 10 * fact["said"] > 0 for fact in facts.values())


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
