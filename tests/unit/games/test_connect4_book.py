"""The book of Connect Four: whole, consistent from ply to ply, and right where it is proven again."""

import math
from array import array
from collections.abc import Iterator
from pathlib import Path
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


def mirrored(discs: int) -> int:
    return sum((discs >> 7 * column & 127) << 7 * (6 - column) for column in range(7))


def told(position: Connect4Position) -> int:
    opened = book.opened()
    assert opened is not None
    own, taken, _ = plain.discs_of(position)
    value = opened.value(own, taken)
    assert value is not None, position.text()
    return value


def test_it_is_small_enough_to_come_along() -> None:
    assert Path(book.__file__).with_name("book.bin").stat().st_size <= LARGEST


def test_the_first_moves_have_their_known_values() -> None:
    verdict = ENGINE.analyse(GAME.start(GAME.options({})), Budget(0.0, 1))
    assert {each.move: each.value for each in verdict.moves} == FIRST_MOVES
    assert (verdict.best, verdict.value, verdict.exact, verdict.nodes) == ("3", 1, True, 0)


@pytest.mark.parametrize("plies", range(10))
def test_a_position_is_worth_what_its_best_move_is_worth(plies: int) -> None:
    for position in positions(plies, 40, plies):
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
    for position in positions(10, 30, 99):
        own, taken, _ = plain.discs_of(position)
        prover = solver.prover(position.shape, math.inf)
        assert prover is not None
        low, high = prover.narrow(own, taken, -21, 21)
        assert low == high == told(position), position.text()


def test_one_ply_beyond_its_last_it_tells_a_bound(machine_code: MachineCode, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(solver, "_loaded", solver._loaded)
    assert machine_code.load(solver.warm, 8 << 20)
    opened = book.opened()
    assert opened is not None
    for position in positions(11, 30, 97):
        own, taken, _ = plain.discs_of(position)
        least = opened.least(own, taken)
        prover = solver.prover(position.shape, math.inf)
        assert prover is not None
        assert least > -21
        assert prover.asked(own, taken, least - 1)[0] >= least, position.text()


def test_discs_that_no_game_puts_there_are_worth_nothing() -> None:
    """Seat 1 cannot have the lowest disc of the only column in use."""
    opened = book.opened()
    assert opened is not None
    assert opened.value(0b10, 0b11) is None
    assert opened.value(0b01, 0b11) is not None


def test_it_says_nothing_beyond_its_last_ply() -> None:
    opened = book.opened()
    assert opened is not None
    for position in positions(11, 5, 1):
        own, taken, _ = plain.discs_of(position)
        assert opened.value(own, taken) is None
        assert book.book_for(position.shape, 11) is None


@pytest.mark.parametrize("ply", book.LISTED)
def test_a_place_belongs_to_one_position_or_to_two_mirror_images(ply: int) -> None:
    found: dict[int, tuple[int, int]] = {}
    for position in positions(ply, 300, ply):
        own, taken, _ = plain.discs_of(position)
        at = book.place(own, taken)
        assert book.offsets()[ply] <= at < book.offsets()[-1]
        assert found.setdefault(at, (own, taken)) in {(own, taken), (mirrored(own), mirrored(taken))}
        if mirrored(taken) != taken:
            assert book.place(mirrored(own), mirrored(taken)) == at


def test_a_file_is_read_as_it_was_written() -> None:
    values = Random(4).choices(range(-17, 18), k=book.offsets()[-1])
    whole = book.packed(array("b", values).tobytes())
    again = book.Book(whole)
    for each in positions(8, 50, 2):
        own, taken, _ = plain.discs_of(each)
        if not plain.completing(own, each.shape) & taken + each.shape.bottom:
            assert again.value(own, taken) == values[book.place(own, taken)]
    for broken in (b"", book.MAGIC, whole[:-1], b"X" + whole[1:], book.packed(bytes(7))):
        with pytest.raises(ValueError, match="not a book"):
            book.Book(broken)
