"""`parlour analyse`: one JSON object for any position, one sentence for any mistake."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from parlour.cli import main
from parlour.core.game import Budget, Position, Verdict
from parlour.games.connect4 import solver
from parlour.registry import games
from parlour.tools import analyse
from tests.conftest import MachineCode

KEYS = ["game", "to_move", "best", "value", "exact", "moves", "nodes", "seconds"]

OPEN_POSITIONS = [
    ("noughts", "", []),
    ("noughts", "b2,a1", []),
    ("connect4", "3,3,2", []),
    ("connect4", "3", ["columns=4", "rows=5"]),
    ("dots", "h 0 0,v 1 1", ["width=4", "height=3"]),
    ("dots", "h 0 0", ["players=3"]),
    ("glenda", "", ["walls="]),
    ("glenda", "p 0 0,m NE", ["walls=0 1;3 4"]),
    ("glenda", "", ["walls=7"]),
]

FINISHED = [
    # A four with 36 cells empty before the last drop: the other side has lost by ceil(36 / 2).
    ("connect4", "0,1,0,1,0,1,0", [], -18),
    ("noughts", "a1,b1,a2,b2,a3", [], -1),
    ("noughts", "a1,a2,a3,b1,b3,b2,c1,c3,c2", [], 0),
    ("dots", "h 0 0,h 0 1,v 0 0,v 1 0", ["width=2", "height=2"], 0),
    ("glenda", "p 0 0,m NE,p 0 1,m NE,p 0 2,m NE,p 0 3,m NE,p 0 4,m NE", ["walls="], -1),
]

MISTAKES = [
    (["chess"], "no game 'chess'; there are dots, connect4, noughts, glenda"),
    (["noughts", "a1,a1"], "move 2 'a1' is not possible: That place is already taken."),
    (["noughts", "a1,"], "move 2 '' is not possible: That is not a move of this game."),
    (["connect4", "3,7"], "move 2 '7' is not possible: That is outside the board."),
    (["glenda", "m NE"], "move 1 'm NE' is not possible: Your side cannot make that kind of move."),
    (["noughts", "a1,b1,a2,b2,a3,b3"], "move 6 'b3' is not possible: the game is over after move 5."),
    (["dots", "-o", "colour=red"], "dots has no option 'colour'; it has width, height, players"),
    (["noughts", "-o", "size=3"], "noughts has no option 'size'; it has none"),
    (["dots", "-o", "width=99"], "option 'width=99' is not possible"),
    (["dots", "-o", "width"], "an option is spelled KEY=VALUE, not 'width'"),
    (["noughts", "--seconds", "soon"], "--seconds must be a number that is not negative, not 'soon'"),
    (["noughts", "--seconds", "-1"], "--seconds must be a number that is not negative, not '-1'"),
    (["noughts", "--seconds", "nan"], "--seconds must be a number that is not negative, not 'nan'"),
]


@pytest.fixture(autouse=True)
def _shared_machine_code(machine_code: MachineCode, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever `analyse` compiles, it compiles there, and not into the user's own data."""
    monkeypatch.setenv("XDG_DATA_HOME", str(machine_code.data))
    with machine_code.alone():
        yield


def analysed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["analyse", *arguments]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert said.out.count("\n") == 1
    answer: dict[str, Any] = json.loads(said.out)
    return answer


@pytest.mark.parametrize(("game", "moves", "options"), OPEN_POSITIONS)
def test_an_open_position_has_a_best_move_among_those_looked_at(
    capsys: pytest.CaptureFixture[str], game: str, moves: str, options: list[str]
) -> None:
    flags = [word for option in options for word in ("-o", option)]
    answer = analysed(capsys, game, moves, *flags, "--seconds", "0.05")
    assert list(answer) == KEYS
    assert answer["game"] == game
    assert isinstance(answer["to_move"], int)
    looked_at = {rated["move"]: rated for rated in answer["moves"]}
    assert looked_at[answer["best"]]["value"] == answer["value"]
    assert all(list(rated) == ["move", "value", "exact"] for rated in answer["moves"])
    assert answer["seconds"] >= 0


@pytest.mark.parametrize(("game", "moves", "options", "value"), FINISHED)
def test_a_finished_game_has_a_value_and_nobody_to_move(
    capsys: pytest.CaptureFixture[str], game: str, moves: str, options: list[str], value: int
) -> None:
    flags = [word for option in options for word in ("-o", option)]
    answer = analysed(capsys, game, moves, *flags)
    assert answer == dict(zip(KEYS, [game, None, None, value, True, [], 0, 0.0], strict=True))


@pytest.mark.parametrize(("arguments", "sentence"), MISTAKES)
def test_a_mistake_is_one_sentence_and_exit_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main(["analyse", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("parlour: ")
    assert sentence in said.err
    assert said.err.count("\n") == 1


def test_noughts_is_a_draw_and_taking_a_win_is_exact(capsys: pytest.CaptureFixture[str]) -> None:
    start = analysed(capsys, "noughts")
    assert (start["to_move"], start["value"], start["exact"], len(start["moves"])) == (0, 0, True, 9)
    won = analysed(capsys, "noughts", "a1,b1,a2,b2")
    assert (won["to_move"], won["best"], won["value"], won["exact"]) == (0, "a3", 1, True)


def test_moves_may_stand_before_or_after_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    moves, options = "h 0 0,h 0 1,v 0 0", ["-o", "width=2", "-o", "height=2"]
    before = analysed(capsys, "dots", moves, *options)
    after = analysed(capsys, "dots", *options, "--seconds", "1", moves)
    first = analysed(capsys, *options, "dots", moves)
    assert before["best"] == after["best"] == first["best"] == "v 1 0"
    assert (before["to_move"], before["value"], before["exact"]) == (1, 1, True)


def test_moves_given_twice_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", "noughts", "a1", "-o", "x=1", "a2"]) == 2
    assert "a2" in capsys.readouterr().err


def test_walls_given_as_a_count_stand_in_the_same_places_every_time(capsys: pytest.CaptureFixture[str]) -> None:
    answers = [analysed(capsys, "glenda", "-o", "walls=40", "--seconds", "0.02") for _ in range(2)]
    free = [{rated["move"] for rated in answer["moves"]} for answer in answers]
    assert free[0] == free[1]
    assert len(games()["glenda"].start({"walls": ""}).legal()) - 40 >= len(free[0])


def test_connect4_is_solved_and_the_kernel_stays_with_the_data(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(solver, "_loaded", None)
    monkeypatch.delitem(sys.modules, "parlour.games.connect4.kernel", raising=False)
    answer = analysed(capsys, "connect4", "3,3,3,3,3,2,4,4,1,2,2,4,4", "--seconds", "60", "--data", str(tmp_path))
    values = {rated["move"]: rated["value"] for rated in answer["moves"]}
    assert values == {"0": 1, "1": 15, "2": 1, "3": 1, "4": 1, "5": 14, "6": 3}
    assert answer["exact"] is all(rated["exact"] for rated in answer["moves"]) is True
    assert answer["nodes"] > 0
    assert list((tmp_path / "kernels").rglob("*.nbi"))


@pytest.mark.parametrize(("game", "moves", "options"), OPEN_POSITIONS)
def test_text_has_the_board_and_a_line_that_can_be_played(
    game: str, moves: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = [word for option in options for word in ("-o", option)]
    assert main(["analyse", game, moves, "--text", "--seconds", "0.05", *words]) == 0
    told = capsys.readouterr().out
    rules = games()[game]
    given = dict(option.split("=", 1) for option in options)
    settled = rules.settle(rules.options(given), Random(0))
    position = rules.start(settled, players=rules.players(settled))
    for move in moves.split(",") if moves else ():
        position.play(move)
    assert told.startswith(position.text())
    [line] = [row.removeprefix("Line:").strip() for row in told.splitlines() if row.startswith("Line:")]
    for move in line.split(", "):
        assert position.check(move) is None
        position.play(move)


def test_text_of_a_game_that_is_over_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", "noughts", "a1,b1,a2,b2,a3", "--text"]) == 0
    assert "The game is over" in capsys.readouterr().out


class Tired:
    """An engine that is sure of itself after so many questions, while a neighbour takes some of its processor."""

    def __init__(self, sure: int, pace: float, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[float] = []
        self.sure = sure
        self.now = self.worked = 0.0
        self.pace = pace
        """What a neighbour leaves of the processor."""
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(time, "process_time", lambda: self.worked)

    def choose(self, position: Position, level: str, budget: Budget) -> str:
        raise AssertionError((position, level, budget))

    def analyse(self, position: Position, budget: Budget) -> Verdict:
        self.asked.append(budget.seconds)
        self.now += budget.seconds
        self.worked += budget.seconds * self.pace
        return Verdict(position.legal()[0], 0, len(self.asked) >= self.sure, (), 10)


@pytest.mark.parametrize(("pace", "most"), [(1.0, 1.0), (0.5, 2.0), (0.1, 3.0)])
def test_a_busy_machine_takes_longer_instead_of_knowing_less(
    pace: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Tired(99, pace, monkeypatch)
    verdict = analyse._thought(engine, games()["noughts"].start({}), 1.0)
    assert verdict.nodes == 10 * len(engine.asked)
    assert most * 0.9 <= engine.now <= most + 1e-9
    assert engine.worked >= min(0.9, 3 * pace * 0.9)


def test_what_is_proven_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Tired(2, 0.1, monkeypatch)
    assert analyse._thought(engine, games()["noughts"].start({}), 1.0).exact
    assert len(engine.asked) == 2
