"""How a move may be written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.client.spelling import spelled

COLUMNS = ("0", "1", "2", "4", "5", "6")
SQUARES = ("a1", "a2", "b2", "c3")
STEPS = ("m NE", "m E", "m W")
PUTS = ("p 3 7", "p 7 3", "p 10 0")
DOTS = ("h 0 0", "v 0 0", "h 1 0")

MEANT = [
    ("4", COLUMNS, "4"),
    (" 4 ", COLUMNS, "4"),
    ("a", COLUMNS, "0"),
    ("G", COLUMNS, "6"),
    ("D", COLUMNS, None),
    ("3", COLUMNS, None),
    ("H", COLUMNS, None),
    ("44", COLUMNS, None),
    ("B2", SQUARES, "b2"),
    ("a", SQUARES, None),
    ("1", SQUARES, None),
    ("m ne", STEPS, "m NE"),
    ("M  W", STEPS, "m W"),
    ("ne", STEPS, "m NE"),
    ("e", STEPS, "m E"),
    ("m", STEPS, None),
    ("m SW", STEPS, None),
    ("p 3,7", PUTS, "p 3 7"),
    ("3 7", PUTS, "p 3 7"),
    ("7", PUTS, None),
    ("0", PUTS, None),
    ("h 0 0", DOTS, "h 0 0"),
    ("0 0", DOTS, None),
    ("1 0", DOTS, None),
    ("", STEPS, None),
    ("p 1 2", (), "p 1 2"),
]


@pytest.mark.parametrize(("line", "moves", "move"), MEANT)
def test_line_means_a_move(line: str, moves: tuple[str, ...], move: str | None) -> None:
    assert spelled(line, moves) == move


@given(st.text(), st.sampled_from([COLUMNS, SQUARES, STEPS, PUTS, DOTS]))
def test_no_line_means_a_move_that_is_not_there(line: str, moves: tuple[str, ...]) -> None:
    assert spelled(line, moves) in (None, *moves)
