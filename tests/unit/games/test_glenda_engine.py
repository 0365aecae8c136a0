"""The player of Glendy at work: the empty board solved, won games won, lost ones drawn out, levels in their order."""

import math
from collections.abc import Callable
from random import Random

import pytest

from parlour.core.game import NOBODY, Budget, Warmable
from parlour.games.glenda import GAME, GlendaPosition, engine, prover
from parlour.games.glenda.board import RIM, bit
from parlour.games.glenda.prover import Inquiry
from parlour.games.glenda.ranks import after_put, room
from parlour.games.glenda.rules import tables
from tests.conftest import MachineCode

TRAPPER, GLENDA = 0, 1
Choice = Callable[[GlendaPosition, Random], str]


@pytest.fixture(scope="module", autouse=True)
def _compiled(machine_code: MachineCode) -> None:
    player = GAME.engine()
    assert isinstance(player, Warmable)
    if not machine_code.load(player.warm):
        pytest.skip("without numba there is not enough time to think")


def board(walls: object, rng: Random) -> GlendaPosition:
    return GAME.start(GAME.settle(GAME.options({"walls": walls}), rng))


def shortest(position: GlendaPosition, rng: Random) -> str:
    """A glenda who runs the shortest way."""
    ways = tables().ways[position.glenda_bit]
    away = {move: room(ways[move], position.wall_bits)[1] for move in position.legal()}
    return rng.choice([move for move in away if away[move] == min(away.values())])


def one_look(position: GlendaPosition, rng: Random) -> str:
    """A trapper who goes by the ranks that a wall leaves her."""
    puts, at, walls = tables().puts, position.glenda_bit, position.wall_bits
    scores = {move: after_put(at, walls | puts[move][0]) for move in position.legal()}
    return rng.choice([move for move in scores if scores[move] == max(scores.values())])


UNLIMITED = 3600.0
"""Seconds. What bounds a level here is its nodes, so that a busy machine plays as well."""


def level(name: str) -> Choice:
    return lambda position, rng: GAME.engine().choose(position, name, Budget(UNLIMITED, rng.randrange(1000)))


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Bounds every thought by so many nodes, and by no clock; none remembers what was proven in another test."""

    def bound(most: int) -> None:
        monkeypatch.setattr(prover, "_idle", [])
        monkeypatch.setattr(
            engine, "Inquiry", lambda prover, _deadline, asked=most: Inquiry(prover, math.inf, min(asked, most))
        )

    return bound


def played(position: GlendaPosition, trapper: Choice, glenda: Choice, rng: Random) -> tuple[int, int]:
    """Who wins, and after how many moves."""
    while position.turn != NOBODY:
        position.play((trapper, glenda)[position.turn](position, rng))
    return position.winners()[0], position.moves_made


def test_no_first_wall_saves_the_trapper_on_the_empty_board() -> None:
    verdict = GAME.engine().analyse(board("none", Random(1)), Budget(UNLIMITED, 1))
    assert (verdict.value, verdict.exact) == (-1, True)
    assert [(each.value, each.exact) for each in verdict.moves] == [(-1, True)] * 120


def test_on_the_empty_board_she_needs_nine_steps_and_not_one_less(nodes: Callable[[int], None]) -> None:
    nodes(100_000)
    # Her proof says within nine whatever he does, his that it takes nine: both must play up to it.
    position = board("none", Random(1))
    winner, moves = played(position, level("master"), level("master"), Random(1))
    assert (winner, moves) == (GLENDA, 18)


@pytest.mark.parametrize(("walls", "games", "least"), [(12, 6, 6), (7, 6, 4)])
def test_masters_trap_a_glenda_who_runs_the_shortest_way(
    walls: int, games: int, least: int, nodes: Callable[[int], None]
) -> None:
    nodes(60_000)
    rng = Random(walls)
    ends = [played(board(walls, rng), level("master"), shortest, rng) for _ in range(games)]
    assert sum(winner == TRAPPER for winner, _ in ends) >= least
    assert max(moves for _, moves in ends) <= 70


def test_masters_escape_from_a_trapper_who_looks_at_ranks(nodes: Callable[[int], None]) -> None:
    nodes(30_000)
    rng = Random(3)
    ends = [played(board(3, rng), one_look, level("master"), rng)[0] for _ in range(6)]
    assert sum(winner == GLENDA for winner in ends) >= 5


@pytest.mark.parametrize(("upper", "lower"), [("easy", "beginner"), ("medium", "easy"), ("hard", "medium")])
def test_levels_are_in_their_order(upper: str, lower: str, nodes: Callable[[int], None]) -> None:
    nodes(20_000)
    rng, won = Random(upper), 0
    for game in range(40):
        seat = game % 2
        sides = (level(upper), level(lower)) if seat == TRAPPER else (level(lower), level(upper))
        won += played(board(8, rng), *sides, rng)[0] == seat
    assert won >= 24, won


def test_what_is_called_exact_is_kept_at_the_board(nodes: Callable[[int], None]) -> None:
    """Whoever is proven to win wins against the strongest resistance there is."""
    nodes(150_000)
    met = {TRAPPER: 0, GLENDA: 0}
    rng = Random(4)
    for number in range(12):
        position = board((1, 22)[number % 2], rng)
        verdict = GAME.engine().analyse(position, Budget(UNLIMITED, number))
        if verdict.exact:
            winner = position.turn if verdict.value == 1 else 1 - position.turn
            met[winner] += 1
            assert played(position, level("master"), level("master"), rng)[0] == winner
    assert min(met.values()) >= 2, met


def test_a_beginner_can_be_beaten_by_running_or_by_walling_the_nearest_cell() -> None:
    def nearest(position: GlendaPosition, rng: Random) -> str:
        """A child's wall: on a cell beside her from which the rim is near."""
        ways = tables().ways[position.glenda_bit]
        steps = [there for there in ways.values() if not there & position.wall_bits]
        cell = min(steps, key=lambda there: room(there, position.wall_bits)[1])
        return next(move for move, put in tables().puts.items() if put[0] == cell)

    rng = Random(5)
    run = [played(board(8, rng), level("beginner"), shortest, rng)[0] for _ in range(20)]
    wall = [played(board(8, rng), nearest, level("beginner"), rng)[0] for _ in range(60)]
    assert run.count(GLENDA) >= 14
    assert wall.count(TRAPPER) >= 15


def test_nobody_steps_past_an_open_rim() -> None:
    rng = Random(6)
    for _ in range(8):
        position = board(30, rng)
        while position.turn != NOBODY:
            ways = tables().ways[position.glenda_bit]
            at_rim = [move for move in position.legal() if position.turn == GLENDA and ways[move] & RIM]
            move = GAME.engine().choose(position, "medium", Budget(0.02, 1))
            assert not at_rim or move in at_rim
            position.play(move)
        assert bit(*position.glenda) & RIM or position.winners() == (TRAPPER,)
