"""Dots and boxes by example: boxes in order, turns kept, leavers, ties, spelling."""

import pytest

from parlour.core.errors import Refusal, Refused
from parlour.core.game import NOBODY
from parlour.games.dots import GAME, DotsPosition


def position_after(moves: str, first: int = 0, **options: int) -> DotsPosition:
    position = GAME.start(GAME.options(options), first)
    for move in filter(None, moves.split(",")):
        assert position.check(move) is None, move
        position.play(move)
    return position


LADDER = "h 0 0,v 0 0,v 1 0,h 0 2,v 0 1,v 1 1"
"""Two boxes above one another that lack only the line between them (2 by 3 dots)."""


def test_default_board_is_eight_by_eight_for_two() -> None:
    assert GAME.options({}) == {"width": 8, "height": 8, "players": 2}
    assert len(GAME.start(GAME.options({})).legal()) == 112


@pytest.mark.parametrize(
    ("moves", "size", "boxes"),
    [
        (LADDER + ",h 0 1", (2, 3), ((0, 0), (0, 1))),
        ("h 0 0,h 1 0,h 0 1,h 1 1,v 0 0,v 2 0,v 1 0", (3, 2), ((0, 0), (1, 0))),
        ("h 0 0,h 0 1,v 0 0,v 1 0", (3, 3), ((0, 0),)),
        ("h 0 0,h 0 1,v 0 0", (3, 3), ()),
    ],
)
def test_boxes_of_the_last_move_come_upper_or_left_first(
    moves: str, size: tuple[int, int], boxes: tuple[tuple[int, int], ...]
) -> None:
    position = position_after(moves, width=size[0], height=size[1])
    assert position.last_boxes == boxes
    assert all(position.owner(x, y) == position.scores().index(len(boxes)) for x, y in boxes)


def test_closing_a_box_keeps_the_turn_and_the_next_line_forgets_it() -> None:
    position = position_after("h 0 0,h 0 1,v 0 0,v 1 0", width=3, height=3)
    assert (position.turn, position.scores()) == (1, (0, 1))
    position.play("h 1 0")
    assert (position.turn, position.last_boxes) == (0, ())


def test_lines_and_boxes_remember_who_drew_them() -> None:
    position = position_after("h 0 0,h 0 1,v 0 0,v 1 0", width=3, height=3, players=3)
    assert [position.line_owner(move) for move in ("h 0 0", "h 0 1", "v 0 0", "v 1 0", "v 2 0")] == [0, 1, 2, 0, -1]
    assert position.line("h 0 0")
    assert not position.line("h 1 0")
    assert position.owner(0, 0) == 0
    assert position.owner(1, 1) == NOBODY
    assert (position.width, position.height) == (3, 3)
    with pytest.raises(IndexError):
        position.owner(2, 0)


def test_any_seat_may_begin() -> None:
    position = position_after("h 0 0,h 1 0", first=3, players=4)
    assert position.turn == 1
    with pytest.raises(ValueError, match="seat 4"):
        GAME.start(GAME.options({"players": 4}), 4)


def test_fewer_players_than_seats_may_sit_down() -> None:
    position = GAME.start(GAME.options({"players": 16}), 0, 3)
    assert position.scores() == (0, 0, 0)


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("h 7 0", Refusal.OUT_OF_BOUNDS),
        ("v 0 7", Refusal.OUT_OF_BOUNDS),
        ("v -1 0", Refusal.OUT_OF_BOUNDS),
        ("h 0 99999999999999999999", Refusal.OUT_OF_BOUNDS),
        ("h 0 0", Refusal.TAKEN),
        ("d 0 0", Refusal.NO_SUCH_MOVE),
        ("h 01 0", Refusal.NO_SUCH_MOVE),
        ("h 1", Refusal.NO_SUCH_MOVE),
        ("", Refusal.NO_SUCH_MOVE),
        ("v 7 6", None),
        ("h 6 7", None),
    ],
)
def test_refusals(move: str, why: Refusal | None) -> None:
    assert position_after("h 0 0").check(move) is why


def test_a_leaver_is_skipped_and_keeps_the_boxes_but_cannot_win() -> None:
    position = position_after("h 0 0,h 0 1,v 0 0,v 1 0", width=3, height=2, players=3)
    position.leave(0)
    assert (position.turn, position.scores()) == (1, (1, 0, 0))
    position.play("h 1 0")
    assert position.turn == 2
    position.play("h 1 1")
    position.play("v 2 0")
    assert (position.turn, position.scores(), position.winners()) == (NOBODY, (1, 1, 0), (1,))


def test_the_last_one_there_wins_whatever_the_boxes() -> None:
    position = position_after("h 0 0,h 0 1,v 0 0,v 1 0", width=3, height=3)
    position.leave(1)
    assert (position.turn, position.winners(), position.scores()) == (NOBODY, (0,), (0, 1))


def test_a_leaver_who_comes_back_has_the_boxes_and_moves_last() -> None:
    position = position_after("h 0 0,h 0 1,v 0 0,v 1 0", width=3, height=3, players=3)
    position.leave(0)
    assert (position.turn, position.order()) == (1, (1, 2))
    position.join(0)
    assert (position.turn, position.order(), position.present()) == (1, (1, 2, 0), (0, 1, 2))
    position.leave(2)
    position.join(2)
    assert (position.order(), position.scores()) == ((1, 0, 2), (1, 0, 0))
    for move, seat in (("h 1 0", 0), ("h 1 1", 2), ("h 0 2", 1)):
        position.play(move)
        assert position.turn == seat


@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_newcomer_has_no_boxes_and_moves_last_whoever_began(first: int) -> None:
    position = position_after("", first, width=3, height=3, players=3)
    position.join(3)
    assert (position.turn, position.order(), position.scores()) == (first, (0, 1, 2, 3), (0, 0, 0, 0))
    twin = position.copy()
    twin.leave(0)
    assert (twin.order(), position.order()) == ((1, 2, 3), (0, 1, 2, 3))


def test_nobody_joins_twice_or_after_the_end() -> None:
    position = position_after("", width=3, height=3, players=3)
    position.join(1)
    assert position.order() == (0, 1, 2)
    position.leave(0)
    position.leave(1)
    position.join(0)
    assert (position.turn, position.present(), position.winners()) == (NOBODY, (2,), (2,))


@pytest.mark.parametrize(
    ("points", "leavers", "winners"),
    [
        ([2, 2], [], ()),
        ([1, 3], [], (1,)),
        ([2, 2, 0], [], (0, 1)),
        ([1, 1, 1], [], ()),
        ([3, 1, 1], [0], ()),
        ([3, 2, 1, 2], [0], (1, 3)),
    ],
)
def test_ties(points: list[int], leavers: list[int], winners: tuple[int, ...]) -> None:
    position = GAME.start(GAME.options({"players": len(points)}))
    position.points = points
    for seat in leavers:
        position.leave(seat)
    position.turn = NOBODY
    assert position.winners() == winners


@pytest.mark.parametrize(
    "given",
    [
        {"width": 1},
        {"height": 51},
        {"players": 17},
        {"width": "8x8"},
        {"width": "-3"},
        {"width": True},
        {"width": 8.0},
        {"width": None},
        {"size": 8},
    ],
)
def test_bad_options(given: dict[str, object]) -> None:
    with pytest.raises(Refused):
        GAME.options(given)


def test_options_are_numbers_however_they_were_spelled() -> None:
    assert GAME.options({"width": "5", "height": 50, "players": " 16 "}) == {"width": 5, "height": 50, "players": 16}


def test_text() -> None:
    assert position_after(LADDER + ",h 0 1", width=3, height=3).text().splitlines() == [
        "   0   1   2",
        " 0 +---+   +",
        "   | A |",
        " 1 +---+   +",
        "   | A |",
        " 2 +---+   +",
    ]
