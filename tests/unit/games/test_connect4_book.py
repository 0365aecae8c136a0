"""The book of Connect Four: whole, consistent from ply to ply, and right where it is proven again."""

import math
from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from parlour.core.game import NOBODY, Budget
from parlour.games.connect4 import GAME, Connect4Position, book, plain, solver
from parlour.games.connect4.engine import ENGINE
from tests.conftest import MachineCode

LARGEST = 500_000
FIRST_MOVES = {"0": -2, "1": -1, "2": 0, "3": 1, "4": 0, "5": -1, "6": -2}


def positions(plies: int, count: int, seed: int) -> Iterator[Connect4Position]:
    """Games of so many random moves that are not over."""
    rng = Random(seed)
    while count:
        position = GAME.start(GAME.options({}))
        for _ in range(plies):
            if position.turn != NOBODY:
                position.play(rng.choice(position.legal()))
        if position.turn != NOBODY:
            count -= 1
            yield position


def told(position: Connect4Position) -> int:
    opened = book.opened()
    assert opened is not None
    own, taken, _ = plain.discs_of(position)
    value = opened.value(own, taken)
    assert value is not None, position.text()
    return value


def test_it_is_small_enough_to_come_along() -> None:
    opened = book.opened()
    assert opened is not None
    assert 5 * len(opened.marks) + len(opened.moves) + 8 <= LARGEST
    assert len(opened.marks) == len(opened.values) == len(set(opened.marks))


def test_the_first_moves_have_their_known_values() -> None:
    verdict = ENGINE.analyse(GAME.start(GAME.options({})), Budget(0.0, 1))
    assert {each.move: each.value for each in verdict.moves} == FIRST_MOVES
    assert (verdict.best, verdict.value, verdict.exact, verdict.nodes) == ("3", 1, True, 0)


@pytest.mark.parametrize("plies", range(8))
def test_a_position_is_worth_what_its_best_move_is_worth(plies: int) -> None:
    for position in positions(plies, 60, plies):
        values = []
        for move in position.legal():
            following = position.copy()
            following.play(move)
            values.append((43 - plies) // 2 if following.winners() else -told(following))
        assert told(position) == max(values)
        verdict = ENGINE.analyse(position, Budget(0.0, 1))
        assert [each.value for each in verdict.moves] == values
        assert (verdict.exact, verdict.nodes) == (True, 0)


def test_a_random_sample_is_proven_again(machine_code: MachineCode, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(solver, "_loaded", solver._loaded)
    assert machine_code.load(solver.warm, 8 << 20)
    for position in positions(8, 12, 99):
        own, taken, _ = plain.discs_of(position)
        prover = solver.prover(position.shape, math.inf)
        assert prover is not None
        low, high = prover.narrow(own, taken, -21, 21)
        assert low == high == told(position), position.text()


def test_best_moves_are_proven_again(machine_code: MachineCode, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(solver, "_loaded", solver._loaded)
    assert machine_code.load(solver.warm, 8 << 20)
    opened = book.opened()
    assert opened is not None
    known = (each for each in positions(8, 300, 98) if opened.move(*plain.discs_of(each)[:2]) is not None)
    for position in islice(known, 6):
        after = position.copy()
        after.play(str(opened.move(*plain.discs_of(position)[:2])))
        prover = solver.prover(position.shape, math.inf)
        assert prover is not None
        assert prover.asked(*plain.discs_of(after)[:2], -told(position))[1] <= -told(position), position.text()
    assert next(known, None) is not None, "the book has hardly any moves"


def test_one_ply_beyond_its_last_it_tells_bounds(machine_code: MachineCode, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(solver, "_loaded", solver._loaded)
    assert machine_code.load(solver.warm, 8 << 20)
    opened = book.opened()
    assert opened is not None
    for position in positions(9, 12, 97):
        own, taken, _ = plain.discs_of(position)
        low, high = opened.bounds(own, taken)
        prover = solver.prover(position.shape, math.inf)
        assert prover is not None
        assert low > -21
        assert low == high or prover.asked(own, taken, low - 1)[0] >= low, position.text()
        assert high == 21 or prover.asked(own, taken, high)[1] <= high, position.text()


def test_it_says_nothing_beyond_its_last_ply() -> None:
    opened = book.opened()
    assert opened is not None
    for position in positions(9, 5, 1):
        own, taken, _ = plain.discs_of(position)
        assert opened.value(own, taken) is None
        assert book.book_for(position.shape, 9) is None


def test_a_file_is_read_as_it_was_written() -> None:
    rng = Random(4)
    keys = {book.canonical(*plain.discs_of(each)[:2]) for each in positions(8, 51, 2)}
    values = {key: rng.randint(-17, 17) for key in sorted(keys)}
    moves = {key: rng.randint(0, 7) for key in sorted(keys)}
    whole = book.packed((key, values[key], moves[key]) for key in values)
    again = book.Book(whole)
    for each in positions(8, 50, 2):
        own, taken, _ = plain.discs_of(each)
        if not plain.completing(own, each.shape) & taken + each.shape.bottom:
            key = book.canonical(own, taken)
            assert again.value(own, taken) == values[key]
            column = moves[key] - 1 if key == own + taken else 7 - moves[key]
            assert again.move(own, taken) == (column if moves[key] else None)
    for broken in (b"", b"C4B2", whole[:-1], b"X" + whole[1:]):
        with pytest.raises(ValueError, match="not a book"):
            book.Book(broken)
    with pytest.raises(ValueError, match="same mark"):
        book.packed([(7, 1, 0), (7, 2, 0)])
