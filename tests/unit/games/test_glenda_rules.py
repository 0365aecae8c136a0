"""Glendy by example: steps on even and odd rows, pockets, refusals, walls as options."""

from random import Random

import pytest

from parlour.core.errors import Refusal, Refused
from parlour.core.game import NOBODY
from parlour.games.glenda import GAME, GlendaPosition

RING = "4 5;5 4;5 6;6 4;6 6"
"""All neighbours of 5 5 but the one in the east."""


def position_after(moves: str, walls: str = "") -> GlendaPosition:
    position = GAME.start(GAME.options({"walls": walls}))
    for move in filter(None, moves.split(",")):
        assert position.check(move) is None, move
        position.play(move)
    return position


@pytest.mark.parametrize(
    ("way", "from_odd_row", "from_even_row"),
    [
        ("NE", (6, 4), (6, 3)),
        ("E", (6, 5), (7, 4)),
        ("SE", (6, 6), (6, 5)),
        ("SW", (5, 6), (5, 5)),
        ("W", (4, 5), (5, 4)),
        ("NW", (5, 4), (5, 3)),
    ],
)
def test_steps(way: str, from_odd_row: tuple[int, int], from_even_row: tuple[int, int]) -> None:
    assert position_after(f"p 0 0,m {way}").glenda == from_odd_row
    assert position_after(f"p 0 0,m NE,p 0 1,m {way}").glenda == from_even_row


def test_glenda_escapes_by_standing_on_the_rim() -> None:
    position = position_after("p 0 0,m E,p 0 1,m E,p 0 2,m E,p 0 3,m E")
    assert (position.glenda, position.turn) == ((9, 5), 0)
    position.play("p 0 4")
    position.play("m E")
    assert (position.glenda, position.turn, position.winners(), position.scores()) == ((10, 5), NOBODY, (1,), (0, 1))
    assert position.moves_made == 10


def test_the_last_neighbour_walled_is_a_trap() -> None:
    position = position_after("p 6 5", RING)
    assert (position.turn, position.winners(), position.scores()) == (NOBODY, (0,), (1, 0))


def test_a_pocket_is_a_trap_although_she_could_still_step() -> None:
    # 5 5 and 6 5 are free, everything around the two is wall once 7 5 is.
    position = position_after("p 7 5", RING + ";7 4;7 6")
    assert (position.turn, position.winners()) == (NOBODY, (0,))


def test_a_gap_in_the_pocket_is_none() -> None:
    position = position_after("p 7 5", RING + ";7 4")
    assert position.turn == 1
    assert position.legal() == ["m E"]


@pytest.mark.parametrize(
    ("moves", "move", "why"),
    [
        ("", "p 0 0", Refusal.TAKEN),
        ("", "p 5 5", Refusal.OCCUPIED),
        ("", "p 11 0", Refusal.OUT_OF_BOUNDS),
        ("", "p 0 -1", Refusal.OUT_OF_BOUNDS),
        ("", "m NE", Refusal.NOT_YOUR_MOVE),
        ("", "m N", Refusal.NO_SUCH_MOVE),
        ("", "p 1", Refusal.NO_SUCH_MOVE),
        ("", "p 1 1", None),
        ("p 6 5", "m E", Refusal.BLOCKED),
        ("p 6 5", "p 1 1", Refusal.NOT_YOUR_MOVE),
        ("p 6 5", "p 99 1", Refusal.NOT_YOUR_MOVE),
        ("p 6 5", "m ne", Refusal.NO_SUCH_MOVE),
        ("p 6 5", "q", Refusal.NO_SUCH_MOVE),
        ("p 6 5", "m W", None),
    ],
)
def test_refusals(moves: str, move: str, why: Refusal | None) -> None:
    assert position_after(moves, "0 0").check(move) is why


@pytest.mark.parametrize(
    ("asked", "canonical"),
    [
        ("", ""),
        ("none", ""),
        ("impossible", ""),
        (0, ""),
        ("0", ""),
        (12, "12"),
        ("60", "60"),
        ("easy", "easy"),
        ("3 4;0 0", "0 0;3 4"),
        (" 3 4 ; 0 10;0 9;3 4", "0 9;0 10;3 4"),
        ("2 10;10 2", "2 10;10 2"),
        ("7 7", "7 7"),
    ],
)
def test_walls_have_one_canonical_spelling(asked: object, canonical: str) -> None:
    assert GAME.options({"walls": asked}) == {"walls": canonical}


@pytest.mark.parametrize(
    "asked", [61, -1, "61", "5 5", "1 1;5 5", "11 0", "0 11", "a", "1 2;", "1 2 3", ";", RING + ";6 5", True, None, 2.0]
)  # fmt: skip
def test_bad_walls(asked: object) -> None:
    with pytest.raises(Refused) as refused:
        GAME.options({"walls": asked})
    assert refused.value.why is Refusal.BAD_OPTIONS


@pytest.mark.parametrize(
    ("asked", "fewest", "most"),
    [("easy", 10, 14), ("medium", 5, 9), ("hard", 1, 5), ("none", 0, 0), (60, 60, 60), ("1", 1, 1)],
)
def test_settling_places_the_walls(asked: object, fewest: int, most: int) -> None:
    options = GAME.options({"walls": asked})
    seen = set()
    for seed in range(300):
        position = GAME.start(GAME.settle(options, Random(seed)))
        walls = position.walls()
        assert len(walls) == len(set(walls))
        assert (5, 5) not in walls
        assert walls == sorted(walls)
        assert position.legal()
        seen.add(len(walls))
    assert seen == set(range(fewest, most + 1))


def test_every_cell_but_hers_may_get_a_wall() -> None:
    options = GAME.options({"walls": 3})
    placed = {wall for seed in range(800) for wall in GAME.start(GAME.settle(options, Random(seed))).walls()}
    assert len(placed) == 120


def test_only_settled_walls_make_a_board() -> None:
    with pytest.raises(ValueError, match="easy"):
        GAME.start(GAME.options({}))


def test_leaving_gives_the_game_to_the_other() -> None:
    position = position_after("p 0 0")
    position.leave(0)
    assert (position.turn, position.winners(), position.scores()) == (NOBODY, (1,), (0, 1))


def test_text_shifts_odd_rows_to_the_right() -> None:
    rows = position_after("p 0 0,m NE", "10 10").text().splitlines()
    assert rows[0] == "   0   1   2   3   4   5   6   7   8   9   10"
    assert rows[1] == " 0 #   .   .   .   .   .   .   .   .   .   ."
    assert rows[2] == " 1   .   .   .   .   .   .   .   .   .   .   ."
    assert rows[5] == " 4 .   .   .   .   .   .   G   .   .   .   ."
    assert rows[11] == "10 .   .   .   .   .   .   .   .   .   .   #"
