"""The built-in players: wins taken, losses blocked, and every value called exact checked against plain minimax."""

import time
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from parlour.core.game import LEVELS, NOBODY, QUICK_LEVELS, Budget, Game, Position
from parlour.games import connect4, dots, glenda, noughts
from parlour.games.dots import DotsPosition
from parlour.games.glenda import GlendaPosition
from parlour.games.glenda.board import BOARD, RIM, enclosed, grown

TWO_SIDED: dict[str, tuple[Game, dict[str, object]]] = {
    "noughts": (noughts.GAME, {}),
    "connect4": (connect4.GAME, {}),
    "wide connect4": (connect4.GAME, {"columns": 9, "rows": 5}),
    "glenda": (glenda.GAME, {"walls": 40}),
}
AMPLE = Budget(3600.0, 1)
"""What is asked with it ends by itself."""
BLOCKING = [level for level in LEVELS if level != "beginner"]
FORGETFUL = {("noughts", "easy")}
"""Who blocks only most of the time: perfect tic-tac-toe is a draw, so that levels differ by such mistakes alone."""


def positions(game: Game, given: dict[str, object], count: int) -> Iterator[Position]:
    """Running games, a random number of random moves after their start."""
    rng = Random(f"{game.key} {given}")
    while count:
        position = game.start(game.settle(game.options(given), rng))
        for _ in range(rng.randrange(40)):
            if position.turn == NOBODY:
                break
            position.play(rng.choice(position.legal()))
        if position.turn != NOBODY:
            count -= 1
            yield position


def after(position: Position, move: str) -> Position:
    following = position.copy()
    following.play(move)
    return following


def wins_at_once(position: Position) -> list[str]:
    return [move for move in position.legal() if after(position, move).winners() == (position.turn,)]


@pytest.mark.parametrize("key", TWO_SIDED)
def test_every_level_takes_a_win_in_one(key: str) -> None:
    game, given = TWO_SIDED[key]
    engine, met = game.engine(), 0
    for position in positions(game, given, 400):
        wins = wins_at_once(position)
        if wins and met < 15:
            met += 1
            for level in LEVELS:
                assert engine.choose(position, level, Budget(0.02, met)) in wins, (level, position.text())
    assert met >= 10


@pytest.mark.parametrize("key", TWO_SIDED)
def test_every_level_but_the_first_avoids_a_loss_in_one(key: str) -> None:
    game, given = TWO_SIDED[key]
    engine, met = game.engine(), 0
    for position in positions(game, given, 400):
        moves = position.legal()
        safe = [move for move in moves if not wins_at_once(after(position, move))]
        if met < 15 and safe and len(safe) < len(moves) and not wins_at_once(position):
            met += 1
            for level in (level for level in BLOCKING if (key, level) not in FORGETFUL):
                assert engine.choose(position, level, Budget(0.05, met)) in safe, (level, position.text())
    assert met >= 8


def closing(position: DotsPosition) -> list[str]:
    return [move for move in position.legal() if after(position, move).scores() != position.scores()]


@pytest.mark.parametrize("level", ["beginner", "easy", "medium"])
def test_dots_players_take_a_box_that_is_there(level: str) -> None:
    met = 0
    for position in positions(dots.GAME, {"width": 5, "height": 4, "players": 3}, 120):
        assert isinstance(position, DotsPosition)
        if boxes := closing(position):
            met += 1
            assert dots.GAME.engine().choose(position, level, Budget(0.05, met)) in boxes
    assert met > 30


@pytest.mark.parametrize("level", BLOCKING)
def test_dots_players_give_no_box_away_while_a_safe_line_is_left(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those without machine code: who sees further may give one away for the long chains."""
    monkeypatch.setattr("parlour.games.dots.engine._tools", None)
    met = 0
    for position in positions(dots.GAME, {"width": 7, "height": 6}, 60):
        assert isinstance(position, DotsPosition)
        safe = [move for move in position.legal() if not closing(_only_dots(after(position, move)))]
        if safe and not closing(position):
            met += 1
            assert dots.GAME.engine().choose(position, level, Budget(0.05, met)) in safe
    assert met > 20


def _only_dots(position: Position) -> DotsPosition:
    assert isinstance(position, DotsPosition)
    return position


def connect4_value(position: Position) -> int:
    """Plain minimax over the rules, in the terms of `analyse`."""
    assert isinstance(position, connect4.Connect4Position)
    best = -100
    empty = position.cells().count(0)
    for move in position.legal():
        following = after(position, move)
        if following.winners():
            value = (empty + 1) // 2
        else:
            value = 0 if following.turn == NOBODY else -connect4_value(following)
        best = max(best, value)
    return best


@pytest.mark.parametrize("size", [(4, 4), (5, 4), (4, 6)])
def test_connect4_values_are_those_of_minimax(size: tuple[int, int]) -> None:
    game, met = connect4.GAME, 0
    for position in positions(game, {"columns": size[0], "rows": size[1]}, 300):
        assert isinstance(position, connect4.Connect4Position)
        if position.cells().count(0) > 8:
            continue
        met += 1
        verdict = game.engine().analyse(position, AMPLE)
        assert verdict.exact
        assert verdict.value == connect4_value(position)
        for each in verdict.moves:
            following = after(position, each.move)
            if following.turn != NOBODY:
                assert (each.value, each.exact) == (-connect4_value(following), True)
    assert met > 20


@pytest.mark.parametrize(
    ("moves", "value"), [("2 0 3 0", 18), ("2 2 3 3", 18), ("0 2 0 3 6", 18), ("6 2 6 3 0 4", -18), ("3 0 3 0 3 0", 18)]
)
def test_connect4_sees_wins_and_losses_near_at_hand(moves: str, value: int) -> None:
    position = connect4.GAME.start(connect4.GAME.options({}))
    for move in moves.split():
        position.play(move)
    verdict = connect4.GAME.engine().analyse(position, Budget(0.2, 1))
    assert (verdict.value, verdict.exact) == (value, True)


def dots_value(position: DotsPosition) -> int:
    """Plain minimax: boxes won minus lost by the side to move."""
    if position.turn == NOBODY:
        return 0
    best = -100
    for move in position.legal():
        following = _only_dots(after(position, move))
        gain = len(following.last_boxes)
        rest = dots_value(following)
        best = max(best, gain + rest if gain else -rest)
    return best


@pytest.mark.parametrize("size", [(3, 3), (4, 3), (2, 5), (4, 4)])
def test_dots_values_are_those_of_minimax(size: tuple[int, int]) -> None:
    met = 0
    for position in positions(dots.GAME, {"width": size[0], "height": size[1]}, 150):
        assert isinstance(position, DotsPosition)
        if len(position.legal()) > 6:
            continue
        met += 1
        verdict = dots.GAME.engine().analyse(position, AMPLE)
        assert verdict.exact
        assert verdict.value == dots_value(position)
        assert len(verdict.moves) == len(position.legal())
    assert met > 20


def strips(width: int, height: int, drawn: str) -> DotsPosition:
    """A board on which only upright lines are open: every row of boxes is a chain of its own."""
    position = dots.GAME.start(dots.GAME.options({"width": width, "height": height}))
    for move in [*(f"h {x} {y}" for y in range(height) for x in range(width - 1)), *drawn.split(",")]:
        position.play(move)
    return position


def test_dots_endgame_gives_two_boxes_up_to_win_the_next_chain() -> None:
    # Taking all three and opening the other chain ends level; one box now, two given up, three won is better.
    position = strips(4, 3, "v 0 0")
    verdict = dots.GAME.engine().analyse(position, AMPLE)
    assert (verdict.value, verdict.exact) == (2, True) == (dots_value(position), True)
    mover = position.turn
    for level, expected in (("hard", "v 1 0"), ("master", "v 3 0")):
        assert dots.GAME.engine().choose(position, level, AMPLE) == expected
        position.play(expected)
    assert position.turn == 1 - mover


@pytest.mark.parametrize(
    ("level", "move"), [("beginner", "v 6 0"), *((level, "v 7 0") for level in LEVELS if level != "beginner")]
)
def test_all_dots_players_but_beginners_hand_out_the_end_of_a_chain_long_before_they_can_solve_the_game(
    level: str, move: str
) -> None:
    position = strips(8, 6, "v 0 0,v 1 0,v 2 0,v 3 0,v 4 0,v 5 0")
    assert len(position.legal()) == 34
    assert dots.GAME.engine().choose(position, level, AMPLE) == move


def test_dots_of_three_is_never_called_exact() -> None:
    for position in positions(dots.GAME, {"width": 3, "height": 3, "players": 3}, 20):
        verdict = dots.GAME.engine().analyse(position, Budget(1, 1))
        assert not verdict.exact
        assert verdict.value >= 0


@cache
def trapper_wins(at: int, walls: int, trapping: bool) -> bool:
    """Plain minimax on the cells that glenda can reach: a wall elsewhere changes nothing."""
    if at & RIM:
        return False
    if enclosed(at, walls):
        return True
    free = BOARD & ~walls & ~at
    if not trapping:
        return all(trapper_wins(cell, walls, True) for cell in bits(grown(at) & free))
    return any(trapper_wins(at, walls | cell, False) for cell in bits(reach(at, walls) & free))


def bits(cells: int) -> list[int]:
    return [1 << at for at in range(cells.bit_length()) if cells >> at & 1]


def reach(at: int, walls: int) -> int:
    seen = at
    while (more := grown(seen) & BOARD & ~walls) != seen:
        seen = more
    return seen


def test_glenda_proofs_agree_with_minimax_in_small_pockets() -> None:
    met = {1: 0, -1: 0}
    for position in positions(glenda.GAME, {"walls": 60}, 700):
        assert isinstance(position, GlendaPosition)
        at, walls, trapping = position.glenda_bit, position.wall_bits, position.turn == 0
        if reach(at, walls).bit_count() > 11:
            continue
        verdict = glenda.GAME.engine().analyse(position, Budget(0.05, 1))
        if verdict.exact:
            met[verdict.value] += 1
            assert (verdict.value == 1) == (trapper_wins(at, walls, trapping) is trapping), position.text()
        for each in verdict.moves:
            if each.exact:
                following = after(position, each.move)
                assert isinstance(following, GlendaPosition)
                wins = trapper_wins(following.glenda_bit, following.wall_bits, not trapping)
                assert (each.value == 1) == (wins is trapping), (each, position.text())
    assert min(met.values()) > 5, met


def test_a_side_proven_to_win_wins_at_the_board() -> None:
    """The proof by ranks is kept up by a player who looks one move ahead."""
    engine, won = glenda.GAME.engine(), {0: 0, 1: 0}
    for number, position in enumerate(positions(glenda.GAME, {"walls": 25}, 60)):
        verdict = engine.analyse(position, Budget(0, 1))
        if not verdict.exact:
            continue
        winner = position.turn if verdict.value == 1 else 1 - position.turn
        while position.turn != NOBODY:
            level = "master" if position.turn == winner else ("easy", "medium")[number % 2]
            position.play(engine.choose(position, level, Budget(0.05, number)))
        assert position.winners() == (winner,)
        won[winner] += 1
    assert min(won.values()) >= 3


def test_noughts_masters_never_lose() -> None:
    engine = noughts.GAME.engine()
    for seed in range(60):
        position: Position = noughts.GAME.start({}, seed % 2)
        rng, master = Random(seed), seed // 2 % 2
        while position.turn != NOBODY:
            budget = Budget(1, seed)
            best = engine.choose(position, "master", budget)
            position.play(best if position.turn == master or seed % 3 == 0 else rng.choice(position.legal()))
        assert position.winners() in ((), (master,))
    verdict = engine.analyse(noughts.GAME.start({}), Budget(1, 1))
    assert (verdict.value, verdict.exact, len(verdict.moves)) == (0, True, 9)


class Clock:
    """A clock that moves on by a hundredth of a second whenever somebody looks at it."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return self.looks / 100


BUSY: list[tuple[Game, dict[str, object]]] = [
    (connect4.GAME, {"columns": 9, "rows": 8}),
    (dots.GAME, {"width": 4, "height": 4}),
    (glenda.GAME, {"walls": "3 3;7 7"}),
]


@pytest.mark.parametrize(("game", "given"), BUSY, ids=[game.key for game, _ in BUSY])
def test_no_engine_thinks_longer_than_it_may(
    game: Game, given: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, position = game.engine(), game.start(game.options(given))
    for think in (engine.analyse, lambda position, budget: engine.choose(position, "master", budget)):
        clock = Clock()
        monkeypatch.setattr(time, "monotonic", clock)
        think(position, Budget(0.5, 1))
        assert 1 < clock.looks <= 51 + len(position.legal())


@pytest.mark.parametrize(("game", "given"), BUSY, ids=[game.key for game, _ in BUSY])
@pytest.mark.parametrize("level", sorted(QUICK_LEVELS))
def test_quick_levels_need_no_clock(
    game: Game, given: dict[str, object], level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    position, clock = game.start(game.options(given)), Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    assert game.engine().choose(position, level, Budget(0, 1)) in position.legal()
    assert clock.looks == 0
