"""Connect Four by example: every way a four can run, full columns, spelling, what a wire may look at."""

import pytest

from parlour.core.errors import Refusal, Refused
from parlour.core.game import NOBODY
from parlour.games.connect4 import GAME, Connect4Position


def position_after(moves: str, **options: int) -> Connect4Position:
    position = GAME.start(GAME.options(options))
    for move in moves.split():
        assert position.check(move) is None
        position.play(move)
    return position


@pytest.mark.parametrize(
    ("moves", "winners"),
    [
        ("0 0 1 1 2 2 3", (0,)),
        ("3 4 3 4 3 4 3", (0,)),
        ("6 3 4 3 5 3 4 3", (1,)),
        ("0 1 1 2 2 3 2 3 3 6 3", (0,)),
        ("6 5 5 4 4 3 4 3 3 0 3", (0,)),
        ("0 1 0 1 0 1", ()),
    ],
)
def test_fours(moves: str, winners: tuple[int, ...]) -> None:
    position = position_after(moves)
    assert position.winners() == winners
    assert (position.turn == NOBODY) == bool(winners)


def test_a_row_does_not_run_on_from_one_edge_to_the_other() -> None:
    # Columns 5 and 6 of one row, 0 and 1 of the next: four cells in reading order, but not in line.
    position = position_after("5 0 6 1 0 5 1 6", columns=7, rows=6)
    assert position.winners() == ()
    # A column's top and the next column's bottom are neighbours in the bitboard but for the spare bit.
    position = position_after("0 0 0 0 1 2 1 2 1", columns=5, rows=4)
    assert position.winners() == ()


def test_a_full_board_without_a_four_is_a_draw() -> None:
    position = position_after("0 0 0 0 1 1 1 1 3 2 2 2 2 3 3 3", columns=4, rows=4)
    assert (position.turn, position.winners(), position.scores()) == (NOBODY, (), (0, 0))


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("0", Refusal.TAKEN),
        ("7", Refusal.OUT_OF_BOUNDS),
        ("12", Refusal.OUT_OF_BOUNDS),
        ("-1", Refusal.OUT_OF_BOUNDS),
        ("9" * 5000, Refusal.OUT_OF_BOUNDS),
        ("", Refusal.NO_SUCH_MOVE),
        ("a", Refusal.NO_SUCH_MOVE),
        ("1.0", Refusal.NO_SUCH_MOVE),
        ("1 ", Refusal.NO_SUCH_MOVE),
        ("6", None),
    ],
)
def test_refusals(move: str, why: Refusal | None) -> None:
    assert position_after("0 0 0 0 0 0").check(move) is why


def test_what_a_wire_may_look_at() -> None:
    position = position_after("3 3 4", columns=6, rows=5)
    assert (position.columns, position.rows) == (6, 5)
    assert position.last_cell == (4, 4)
    assert [position.cell(3, row) for row in range(5)] == [-1, -1, -1, 1, 0]
    assert position.cells() == bytes(21) + b"\2" + bytes(2) + bytes(3) + b"\1\1" + bytes(1)
    assert position.heights == [0, 0, 0, 2, 1, 0]
    assert position_after("").last_cell is None
    with pytest.raises(IndexError):
        position.cell(6, 0)


@pytest.mark.parametrize("given", [{"columns": 3}, {"rows": 13}, {"columns": "7x6"}, {"size": "7x6"}])
def test_bad_options(given: dict[str, object]) -> None:
    with pytest.raises(Refused):
        GAME.options(given)


def test_seat_0_always_begins() -> None:
    assert not GAME.any_first
    with pytest.raises(ValueError, match="seat 1"):
        GAME.start(GAME.options({}), 1)


def test_text() -> None:
    assert position_after("3 3 11", columns=12, rows=4).text().splitlines() == [
        " 0  1  2  3  4  5  6  7  8  9 10 11",
        " .  .  .  .  .  .  .  .  .  .  .  .",
        " .  .  .  .  .  .  .  .  .  .  .  .",
        " .  .  .  O  .  .  .  .  .  .  .  .",
        " .  .  .  X  .  .  .  .  .  .  .  X",
    ]
