"""Tic-tac-toe by example."""

import pytest

from parlour.core.errors import Refusal, Refused
from parlour.core.game import NOBODY
from parlour.games.noughts import GAME, NoughtsPosition


def position_after(moves: str, first: int = 0) -> NoughtsPosition:
    position = GAME.start({}, first)
    for move in moves.split():
        assert position.check(move) is None
        position.play(move)
    return position


@pytest.mark.parametrize(
    ("moves", "first", "cells", "winners"),
    [
        ("a1 b1 a2 b2 a3", 0, "XXXOO    ", (0,)),
        ("a1 b1 a2 b2 a3", 1, "OOOXX    ", (1,)),
        ("a1 a2 b2 a3 c3", 0, "XOO X   X", (0,)),
        ("a1 a3 a2 b2 b1 c1", 0, "XXOXO O  ", (1,)),
        ("a1 a2 a3 b1 b3 b2 c1 c3 c2", 0, "XOXOOXXXO", ()),
    ],
)
def test_ends(moves: str, first: int, cells: str, winners: tuple[int, ...]) -> None:
    position = position_after(moves, first)
    assert (position.turn, position.cells, position.winners()) == (NOBODY, cells, winners)


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("b2", Refusal.TAKEN),
        ("d1", Refusal.OUT_OF_BOUNDS),
        ("a0", Refusal.OUT_OF_BOUNDS),
        ("a4", Refusal.OUT_OF_BOUNDS),
        ("A1", Refusal.NO_SUCH_MOVE),
        ("5", Refusal.NO_SUCH_MOVE),
        ("c3", None),
    ],
)
def test_refusals(move: str, why: Refusal | None) -> None:
    assert position_after("b2").check(move) is why


def test_options_are_refused() -> None:
    assert GAME.options({}) == {}
    with pytest.raises(Refused):
        GAME.options({"size": 3})


def test_leaving_gives_the_game_to_the_other() -> None:
    position = position_after("b2")
    position.leave(0)
    assert (position.turn, position.winners(), position.scores()) == (NOBODY, (1,), (0, 1))


def test_text() -> None:
    assert position_after("b2 a1").text().splitlines() == [
        "   1   2   3",
        "a  O |   |",
        "  ---+---+---",
        "b    | X |",
        "  ---+---+---",
        "c    |   |",
    ]
