"""`make bench-peers` compares like with like; how fast anything is, no test says."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from random import Random
from xml.etree import ElementTree

import pytest

from bench.peers import chart, crash
from bench.peers.contenders import BROWSER, COLYSEUS, CONTENDERS, HERE, LOG, MEMORY
from bench.peers.report import Report, Row
from bench.players import DRAWN_COLUMNS
from parlour.core.game import NOBODY
from parlour.games.connect4 import GAME
from tests.conftest import ROOT

ROOM = """
import { landing, wins } from "./rules.js";
const games = JSON.parse(process.argv[1]);
const told = games.map((columns) => {
  const cells = new Array(42).fill(0);
  return columns.map((column, number) => {
    const cell = landing(cells, column);
    if (cell < 0) return "refused";
    cells[cell] = (number % 2) + 1;
    return wins(cells, cell) ? "won" : "played";
  });
});
process.stdout.write(JSON.stringify(told));
"""
"""Plays columns by the rules of the rooms, past the end of a game as well."""


def by_our_rules(columns: list[int]) -> list[str]:
    """What becomes of each move; the game ends with the first that is refused or wins."""
    position = GAME.start(GAME.options({}), 0, 2)
    told: list[str] = []
    for column in columns:
        if position.check(str(column)) is not None:
            return [*told, "refused"]
        position.play(str(column))
        told.append("won" if position.winners() else "played")
        if position.turn == NOBODY:
            break
    return told


def test_scripted_game_is_legal_and_drawn_by_our_rules() -> None:
    assert by_our_rules(DRAWN_COLUMNS) == ["played"] * 42


def test_rooms_of_the_others_refuse_and_end_games_as_ours(require_program: Callable[[str], str]) -> None:
    dice = Random(7)
    games = [[dice.randrange(-1, 8) for _ in range(42)] for _ in range(100)]
    games += [[dice.randrange(7) for _ in range(42)] for _ in range(300)] + [DRAWN_COLUMNS]
    ours = [by_our_rules(game) for game in games]
    assert {told[-1] for told in ours} == {"refused", "won", "played"}
    words = [require_program("node"), "--input-type=module", "-e", ROOM, json.dumps(games)]
    done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=True, timeout=60)
    assert [told[: len(our)] for told, our in zip(json.loads(done.stdout), ours, strict=True)] == ours


def test_kill_loses_nothing_that_is_in_a_log_and_all_that_is_not() -> None:
    for contender in CONTENDERS:
        if contender.name == BROWSER and contender.keeps in (LOG, MEMORY):
            failures: list[str] = []
            loss = crash.kill(contender, 3, failures)
            assert failures == []
            assert loss.told > 3
            assert loss.lost == (0 if contender.keeps == LOG else loss.told)


def test_moves_that_are_there_after_a_kill_are_not_lost_and_more_do_not_make_up_for_others() -> None:
    told = {b"a": 10, b"b": 10, b"c": 5}
    assert crash.counted(told, {b"a": 12, b"b": 7}) == crash.Loss(25, 8)


def report() -> Report:
    written = Report(1000)
    written.rows = [
        Row(BROWSER, LOG, {50: 40_000.0, 1000: 30_000.0}, waits={1: (0.25, 0.5)}, idle_bytes=2500.0, told=9, lost=0),
        Row(COLYSEUS, MEMORY, {50: 20_000.0, 1000: 10_000.0}, waits={1: (0.2, 0.4)}, told=9, lost=9),
        Row("<b> & c", MEMORY, {50: 5.0}),
    ]
    return written


def test_report_has_a_line_for_every_server_and_divides_what_was_measured() -> None:
    text = report().text()
    assert f"| {BROWSER} |            log |" in text
    assert "0 of 9" in text
    assert "9 of 9" in text
    assert "2.5 kB" in text
    assert "0.25 / 0.50" in text
    compared = next(line for line in text.splitlines() if "multiple of Colyseus" in line)
    assert [cell.strip() for cell in compared.split("|")[2:4]] == ["2.00", "3.00"]


def test_report_doubts_figures_of_a_server_that_had_to_wait() -> None:
    written = report()
    assert "least certain" not in written.text()
    written.rows[0].busy = {50: 0.3, 1000: 0.9}
    assert "In 1 of 2 figures" in written.text()


def test_chart_has_a_bar_for_every_figure_in_proportion() -> None:
    svg = ElementTree.fromstring(chart.drawn(report()))
    space = "{http://www.w3.org/2000/svg}"
    bars = [bar for bar in svg.iter(f"{space}rect") if bar.get("height") == str(chart.BAR - 2)]
    widths = [float(bar.get("width", "0")) for bar in bars]
    assert len(bars) == 5
    assert widths[2] == pytest.approx(widths[0] / 2, abs=0.1)
    assert "<b> & c" in [text.text for text in svg.iter(f"{space}text")]


def test_missing_node_is_told_in_one_sentence(tmp_path: "os.PathLike[str]") -> None:
    words = [sys.executable, "-m", "bench.peers"]
    environment = os.environ | {"PATH": str(tmp_path)}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "bench-peers: node is not installed: bench-peers needs Node 18 or newer, with npm.\n"
