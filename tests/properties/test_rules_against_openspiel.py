"""Our rules and OpenSpiel's, move by move through thousands of random games: legal moves, turn, result."""

from collections.abc import Callable
from random import Random

import pyspiel
import pytest

from parlour.core.game import NOBODY, Game, Options, Position
from parlour.games import connect4, dots, noughts


def play_in_lockstep(
    game: Game, options: Options, reference: pyspiel.Game, rng: Random
) -> tuple[Position, list[float]]:
    """One random game on both sides; OpenSpiel's actions are numbered as our moves are listed on an empty board."""
    position = game.start(options)
    numbers = {move: number for number, move in enumerate(position.legal())}
    state = reference.new_initial_state()
    while not state.is_terminal():
        moves = position.legal()
        assert [numbers[move] for move in moves] == state.legal_actions()
        assert position.turn == state.current_player()
        move = rng.choice(moves)
        assert position.check(move) is None
        position.play(move)
        state.apply_action(numbers[move])
    assert position.turn == NOBODY
    assert position.legal() == []
    return position, state.returns()


def sign_of_result(position: Position) -> float:
    """1 when seat 0 won, -1 when seat 1 did, 0 for a draw."""
    return {(0,): 1.0, (1,): -1.0, (): 0.0}[position.winners()]


def played_like_openspiel(game: Game, options: Options, name: str, games: int) -> None:
    reference = pyspiel.load_game(name)
    rng = Random(name)
    for _ in range(games):
        position, returns = play_in_lockstep(game, options, reference, rng)
        assert sign_of_result(position) == returns[0] == -returns[1]


@pytest.mark.parametrize(
    ("width", "height", "games"),
    [(2, 2, 50), (3, 3, 800), (2, 7, 400), (6, 3, 400), (4, 7, 300), (8, 8, 150), (9, 5, 150)],
)
def test_dots_agree_with_openspiel(width: int, height: int, games: int) -> None:
    options = dots.GAME.options({"width": width, "height": height})
    played_like_openspiel(dots.GAME, options, f"dots_and_boxes(num_rows={height - 1},num_cols={width - 1})", games)


@pytest.mark.parametrize(("width", "height"), [(5, 4), (3, 8)])
def test_dots_scores_differ_by_openspiels_margin(width: int, height: int) -> None:
    options = dots.GAME.options({"width": width, "height": height})
    name = f"dots_and_boxes(num_rows={height - 1},num_cols={width - 1},utility_margin=True)"
    reference, rng = pyspiel.load_game(name), Random(name)
    for _ in range(150):
        position, returns = play_in_lockstep(dots.GAME, options, reference, rng)
        first, second = position.scores()
        assert first - second == returns[0]
        assert first + second == (width - 1) * (height - 1)


@pytest.mark.parametrize(
    ("columns", "rows", "games"), [(7, 6, 2000), (4, 4, 1000), (4, 12, 400), (12, 4, 400), (9, 7, 500), (12, 12, 400)]
)
def test_connect4_agrees_with_openspiel(columns: int, rows: int, games: int) -> None:
    options = connect4.GAME.options({"columns": columns, "rows": rows})
    played_like_openspiel(connect4.GAME, options, f"connect_four(columns={columns},rows={rows})", games)


def test_noughts_agrees_with_openspiel() -> None:
    played_like_openspiel(noughts.GAME, {}, "tic_tac_toe", 1500)


def boxes_of(state: str) -> str:
    return "".join(mark for mark in state if mark in "xo.")


Rendering = Callable[[Position], str]


def connect4_cells(position: Position) -> str:
    assert isinstance(position, connect4.Connect4Position)
    return position.cells().translate(bytes.maketrans(b"\0\1\2", b".xo")).decode()


def noughts_cells(position: Position) -> str:
    assert isinstance(position, noughts.NoughtsPosition)
    return position.cells.replace(" ", ".").lower()


@pytest.mark.parametrize(
    ("game", "name", "rendering"),
    [(connect4.GAME, "connect_four", connect4_cells), (noughts.GAME, "tic_tac_toe", noughts_cells)],
)
def test_boards_look_like_openspiels_after_every_move(game: Game, name: str, rendering: Rendering) -> None:
    reference, rng = pyspiel.load_game(name), Random(name)
    for _ in range(60):
        position, state = game.start(game.options({})), reference.new_initial_state()
        numbers = {move: number for number, move in enumerate(position.legal())}
        while position.turn != NOBODY:
            move = rng.choice(position.legal())
            position.play(move)
            state.apply_action(numbers[move])
            assert rendering(position) == boxes_of(str(state))
