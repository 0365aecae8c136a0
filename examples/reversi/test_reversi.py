"""Reversi by itself: counts that everybody who plays it gets, passes, ends, and an engine that keeps to its time."""

import time
from random import Random

import pytest

from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS, NOBODY, Budget
from reversi import GAME, ReversiPosition

OTHELLO = (4, 12, 56, 244, 1396, 8200, 55092)
"""How many ways the first moves can go on the usual board."""


def perft(position: ReversiPosition, depth: int) -> int:
    moves = position.legal()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        following = position.copy()
        following.play(move)
        total += perft(following, depth - 1)
    return total


def played(*moves: str, size: int = 8) -> ReversiPosition:
    position = GAME.start(GAME.options({"size": size}))
    for move in moves:
        assert position.check(move) is None, move
        position.play(move)
    return position


def random_game(size: int, seed: int) -> list[ReversiPosition]:
    """Every position of a game of chance."""
    dice, position = Random(seed), played(size=size)
    seen = [position.copy()]
    while position.turn != NOBODY:
        position.play(dice.choice(position.legal()))
        seen.append(position.copy())
    return seen


@pytest.mark.parametrize(("depth", "count"), [*enumerate(OTHELLO, 1)])
def test_perft_counts_are_those_of_othello(depth: int, count: int) -> None:
    assert perft(played(), depth) == count


def test_black_begins_with_four_discs_in_the_middle() -> None:
    position = played()
    assert position.turn == 0
    assert [position.cell(x, y) for y in (3, 4) for x in (3, 4)] == [1, 0, 0, 1]
    assert position.scores() == (2, 2)


def test_enclosed_discs_are_turned_over_in_every_direction() -> None:
    position = played("d3", "c3", "c4")
    assert position.scores() == (5, 2)
    assert position.text().splitlines()[3:6] == [" 3 . . O X . . . .", " 4 . . X X X . . .", " 5 . . . X O . . ."]


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("d4", Refusal.TAKEN),
        ("a1", Refusal.NOT_YOUR_MOVE),
        ("i1", Refusal.OUT_OF_BOUNDS),
        ("a9", Refusal.OUT_OF_BOUNDS),
        ("a0", Refusal.OUT_OF_BOUNDS),
        ("D3", Refusal.NO_SUCH_MOVE),
        ("d03", Refusal.NO_SUCH_MOVE),
        ("pass", Refusal.NO_SUCH_MOVE),
        ("", Refusal.NO_SUCH_MOVE),
    ],
)
def test_wrong_moves_are_refused_with_their_reason(move: str, why: Refusal) -> None:
    assert played().check(move) is why


def test_side_that_cannot_move_is_passed_over() -> None:
    passes = [
        (before, after)
        for seed in range(30)
        for before, after in zip(random_game(6, seed), random_game(6, seed)[1:], strict=False)
        if after.passed
    ]
    assert passes
    for before, after in passes:
        assert after.turn == after.mover == before.turn
        assert after.legal()
        assert not after.shape.placements(after.discs[1 - after.turn], after.discs[after.turn])


@pytest.mark.parametrize("size", [4, 6, 8])
def test_game_is_over_when_neither_side_can_move(size: int) -> None:
    for seed in range(20):
        last = random_game(size, seed)[-1]
        black, white = last.discs
        assert not last.shape.placements(black, white)
        assert not last.shape.placements(white, black)
        scores = last.scores()
        assert last.winners() == (() if scores[0] == scores[1] else (scores.index(max(scores)),))
        assert GAME.final_value(last) == scores[1 - last.mover] - scores[last.mover]


@pytest.mark.parametrize("size", [2, 5, 7, 10, "9", "big"])
def test_boards_have_an_even_size(size: object) -> None:
    with pytest.raises(Refused):
        GAME.options({"size": size})


def test_smallest_board_is_solved_and_white_wins_by_eight() -> None:
    verdict = GAME.engine().analyse(played(size=4), Budget(60, 1))
    assert (verdict.value, verdict.exact) == (-8, True)
    assert {each.value for each in verdict.moves} == {-8}


def test_engine_is_exact_near_the_end() -> None:
    position = random_game(8, 3)[-7]
    verdict = GAME.engine().analyse(position, Budget(30, 1))
    assert verdict.exact
    position.play(verdict.best)
    while position.turn != NOBODY:
        position.play(GAME.engine().analyse(position, Budget(30, 1)).best)
    seat = random_game(8, 3)[-7].turn
    scores = position.scores()
    assert scores[seat] - scores[1 - seat] == verdict.value


@pytest.mark.parametrize("level", LEVELS)
def test_levels_keep_to_their_time(level: str) -> None:
    """Measured in the time of this process, which others on the machine do not shorten."""
    position = random_game(8, 1)[20]
    began = time.process_time()
    move = GAME.engine().choose(position, level, Budget(0.2, 1))
    assert position.check(move) is None
    assert time.process_time() - began < 1.0


def wins(stronger: str, weaker: str, games: int) -> float:
    """The points of the stronger one, who has black in every other game; nobody runs out of time."""
    engine, points = GAME.engine(), 0.0
    for game in range(games):
        position = played(size=6)
        while position.turn != NOBODY:
            level = stronger if position.turn == game % 2 else weaker
            position.play(engine.choose(position, level, Budget(60, game)))
        points += 0.5 if not position.winners() else position.winners()[0] == game % 2
    return points


@pytest.mark.parametrize(("weaker", "stronger"), [("beginner", "medium"), ("easy", "hard")])
def test_two_levels_up_wins_most_games(weaker: str, stronger: str) -> None:
    assert wins(stronger, weaker, 10) >= 6


@pytest.mark.parametrize("level", LEVELS[:4])
def test_master_is_perfect_on_the_smallest_board(level: str) -> None:
    engine = GAME.engine()
    position = played(size=4)
    while position.turn != NOBODY:
        position.play(engine.choose(position, "master" if position.turn else level, Budget(60, 1)))
    black, white = position.scores()
    assert white - black >= 8
