"""The solver of Connect Four: every value against plain minimax or a public set, and honest when time runs out."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from msgspec import structs

from parlour.core.game import LEVELS, NOBODY, Budget, Verdict
from parlour.games.connect4 import GAME, Connect4Position, engine, plain, solver
from parlour.games.connect4.engine import ENGINE
from parlour.games.connect4.rules import shape
from tests.conftest import MachineCode

AMPLE = Budget(3600.0, 1)
SIZES = [(4, 4), (5, 5), (6, 6), (7, 6), (8, 7), (9, 6), (10, 5), (12, 4), (4, 12), (5, 11), (7, 8)]
TOO_LARGE = [(8, 8), (9, 7), (10, 6), (11, 5), (12, 12)]


@pytest.fixture(scope="module", autouse=True)
def kernel(machine_code: MachineCode) -> Iterator[None]:
    """Gone afterwards, so that other tests get none."""
    pytest.importorskip("numba")
    before = solver._loaded
    assert machine_code.load(solver.warm, 8 << 20)
    yield
    solver._loaded = before


def after(moves: str, columns: int = 7, rows: int = 6) -> Connect4Position:
    position = GAME.start(GAME.options({"columns": columns, "rows": rows}))
    for move in moves.split():
        position.play(move)
    return position


def random_position(size: tuple[int, int], empty: int, rng: Random) -> Connect4Position:
    """A running game with so many empty cells."""
    while True:
        position = after("", *size)
        while position.turn != NOBODY and position.cells().count(0) > empty:
            position.play(rng.choice(position.legal()))
        if position.turn != NOBODY:
            return position


def minimax(position: Connect4Position) -> dict[str, int]:
    """Every move's value by the rules alone."""
    values = {}
    for move in position.legal():
        following = position.copy()
        following.play(move)
        if following.winners():
            values[move] = (position.cells().count(0) + 1) // 2
        else:
            values[move] = 0 if following.turn == NOBODY else -max(minimax(following).values())
    return values


def exact_values(verdict: Verdict) -> dict[str, int]:
    assert verdict.exact
    assert all(each.exact for each in verdict.moves)
    assert verdict.value == max(each.value for each in verdict.moves)
    return {each.move: each.value for each in verdict.moves}


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_value_is_that_of_minimax(size: tuple[int, int]) -> None:
    rng = Random(str(size))
    for _ in range(25):
        position = random_position(size, rng.randint(1, 7), rng)
        values = exact_values(ENGINE.analyse(position, AMPLE))
        assert values == minimax(position), position.text()
        assert values[ENGINE.choose(position, "master", AMPLE)] == max(values.values())


def public(name: str, root: Path) -> list[tuple[str, int]]:
    """A public set: columns from 0, and the value."""
    rows = (line.split() for line in (root / "bench" / "engines" / "connect4" / f"{name}.txt").read_text().splitlines())
    return [(" ".join(str(int(column) - 1) for column in columns), int(value)) for columns, value in rows]


@pytest.mark.parametrize(("name", "step"), [("end", 9), ("middle", 9), ("begin", 20)])
def test_public_positions_have_their_known_values(name: str, step: int, root: Path) -> None:
    for moves, value in public(name, root)[3::step]:
        position = after(moves)
        own, taken, _ = plain.discs_of(position)
        if taken.bit_count() < 9:
            continue  # the benchmark takes its time for these
        prover = solver.prover(position.shape, float("inf"))
        assert prover is not None
        assert prover.narrow(own, taken, -21, 21) == (value, value), moves


def test_mirror_images_have_mirrored_values() -> None:
    rng = Random(3)
    for _ in range(12):
        moves = rng.choices(range(7), k=16)
        if max(map(moves.count, moves)) > 6:
            continue
        one, twin = after(""), after("")
        for column in moves:
            if one.turn != NOBODY:
                one.play(str(column))
                twin.play(str(6 - column))
        if one.turn != NOBODY:
            values = exact_values(ENGINE.analyse(one, AMPLE))
            mirrored = exact_values(ENGINE.analyse(twin, AMPLE))
            assert {str(6 - int(move)): value for move, value in mirrored.items()} == values


def test_a_board_of_another_size_forgets_what_was_known() -> None:
    # The same bits mean other positions on boards with the same number of bits.
    rng = Random(5)
    for size in ((6, 6), (7, 5), (6, 6), (7, 5)):
        position = random_position(size, 8, rng)
        assert exact_values(ENGINE.analyse(position, AMPLE)) == minimax(position)


def test_bounds_found_in_no_time_hold_the_value() -> None:
    rng = Random(8)
    for _ in range(6):
        position = random_position((7, 6), 26, rng)
        hurried = ENGINE.analyse(position, Budget(0.0, 1))
        values = exact_values(ENGINE.analyse(position, AMPLE))
        assert {each.move for each in hurried.moves} == set(values)
        for each in hurried.moves:
            assert not each.exact or each.value == values[each.move]
        assert not hurried.exact or hurried.value == max(values.values())


def test_a_question_that_was_interrupted_has_the_same_answer_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_SLICE", 300)
    position = random_position((7, 6), 27, Random(12))
    own, taken, _ = plain.discs_of(position)
    prover = solver.prover(position.shape, 0.0)
    assert prover is not None
    low, high = -21, 21
    for _ in range(3):
        low, high = prover.narrow(own, taken, low, high)
    assert low < high
    prover.deadline = float("inf")
    value, same = prover.narrow(own, taken, -21, 21)
    assert low <= value == same <= high


def test_a_drawn_position_that_takes_long_to_prove_is_not_lost() -> None:
    position = after("5 4 5 0 0 5 4 4")
    for move in (ENGINE.choose(position, "master", Budget(0.0, 1)), ENGINE.analyse(position, Budget(0.0, 1)).best):
        following = position.copy()
        following.play(move)
        prover = solver.prover(position.shape, float("inf"))
        assert prover is not None
        assert prover.asked(*plain.discs_of(following)[:2], 0)[1] <= 0


def test_a_solved_position_comes_with_a_best_move() -> None:
    rng = Random(21)
    for _ in range(30):
        position = random_position((7, 6), 9, rng)
        own, taken, landing = plain.discs_of(position)
        values = minimax(position)
        if max(values.values()) < 5:  # no move wins at once
            prover = solver.prover(position.shape, float("inf"))
            assert prover is not None
            low, high, disc = prover.solve(own, taken, -4, 4)
            assert low == high == max(values.values())
            named = {landing[move]: value for move, value in values.items()}
            assert named.get(disc, low) == named[prover.reaching(own, taken, low)] == low


def test_a_budget_of_nodes_ends_a_search_as_time_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_SLICE", 300)
    position = after("3 3 3 3 3 2 4 4 1 0")
    prover = solver.prover(position.shape, float("inf"), 600)
    assert prover is not None
    low, high = prover.narrow(*plain.discs_of(position)[:2], -16, 16)
    assert low < high
    assert 600 <= prover.nodes <= 900


@pytest.mark.parametrize("size", TOO_LARGE, ids=str)
def test_boards_beyond_64_bits_are_played_without_the_kernel(size: tuple[int, int]) -> None:
    assert solver.prover(shape(*size), 0.0) is None
    position = after("0 0 1 1 2", *size)
    verdict = ENGINE.analyse(position, Budget(0.02, 1))
    assert {each.move for each in verdict.moves} == set(position.legal())
    assert ENGINE.choose(position, "master", Budget(0.02, 1)) == "3"


@pytest.mark.parametrize("size", [(7, 6), (8, 7), (12, 4)], ids=str)
def test_masters_find_forced_wins_on_boards_that_they_cannot_solve(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(engine.SKILLS, "master", structs.replace(engine.SKILLS["master"], nodes=2_000_000))
    # Two discs side by side with room on both sides: a third makes two threats at once.
    left = size[0] // 2 - 1
    position = after(f"{left} {left} {left + 1} {left + 1}", *size)
    assert ENGINE.choose(position, "master", AMPLE) in {str(left - 1), str(left + 2)}


def test_a_move_known_to_be_worse_than_the_position_is_not_called_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """The book tells that this is a draw; the time was over when one losing move had been proven and nothing else."""
    position = after("2 3 5 4 1 2 6 1 1 5")
    bounds = dict.fromkeys(position.legal(), (-16, 0)) | {"1": (-3, -3)}
    monkeypatch.setattr(engine, "_all_bounds", lambda *_: bounds)
    monkeypatch.setattr(engine, "_bounds", lambda *_: bounds)
    verdict = ENGINE.analyse(position, AMPLE)
    assert (verdict.best != "1", verdict.value, verdict.exact) == (True, 0, False)
    monkeypatch.setattr(engine, "_promising", lambda _, able, *__: ",".join(able))
    assert ENGINE.choose(position, "master", AMPLE) == "0,2,3,4,5,6"


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_plays_whole_games_by_the_rules_and_by_its_seed(level: str) -> None:
    def game(seed: int) -> list[str]:
        position, moves = after("", 6, 5), list[str]()
        while position.turn != NOBODY:
            moves.append(ENGINE.choose(position, level, Budget(AMPLE.seconds, seed)))
            assert position.check(moves[-1]) is None
            position.play(moves[-1])
        return moves

    games = [game(seed) for seed in (1, 2, 3)]
    assert games[0] == game(1)
    assert len({tuple(moves) for moves in games}) > 1


def test_without_numba_there_is_no_kernel_and_no_complaint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(solver, "_loaded", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert not ENGINE.warm(str(tmp_path / "kernels"))
    position = after("2 0 3 0")
    assert ENGINE.choose(position, "master", AMPLE) in {"1", "4"}
    assert ENGINE.analyse(position, Budget(0.1, 1)).value == 18


def test_numba_is_not_imported_before_somebody_asks_for_the_kernel() -> None:
    program = (
        "import sys; from parlour.games.connect4.engine import ENGINE; from parlour.games.connect4 import GAME\n"
        "from parlour.core.game import Budget\n"
        "ENGINE.choose(GAME.start(GAME.options({})), 'master', Budget(0.01, 1))\n"
        "print(sorted({'numba', 'numpy'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"
