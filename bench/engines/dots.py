"""`python -m bench.engines.dots`: what is solved and how fast, levels, and OpenSpiel's MCTS at the other seat."""

import argparse
import platform
import sys
import time
from itertools import pairwise
from pathlib import Path
from random import Random

from parlour.bots.levels import SECONDS
from parlour.config import kernel_directory
from parlour.core.game import LEVELS, NOBODY, Budget
from parlour.games.dots import GAME, DotsPosition, engine
from parlour.games.dots.graph import whole_graph
from parlour.games.dots.plain import is_safe

RESULTS = Path(__file__).parent.parent / "results" / "dots.md"
EMPTY = ((3, 3), (2, 4), (2, 5), (3, 4), (2, 6))
"""In boxes."""
REACH = (((4, 4), 28), ((5, 5), 38))
"""Boxes, and open lines."""
SIMULATIONS = 2000


def board(wide: int, high: int, first: int = 0) -> DotsPosition:
    return GAME.start(GAME.options({"width": wide + 1, "height": high + 1}), first)


def reached(wide: int, high: int, left: int, careful: bool, rng: Random) -> DotsPosition:
    """A position after random moves; careful ones give nothing away while they can."""
    position = board(wide, high)
    while len(moves := position.legal()) > left:
        safe = [move for move in moves if is_safe(position, position.shape.index[move])]
        position.play(rng.choice(safe if safe and careful else moves))
    return position


def solved(position: DotsPosition) -> tuple[int, float, int]:
    """Value, seconds and nodes, with empty tables."""
    assert engine._tools is not None
    solver, graph = engine._tools.solver, whole_graph(position.shape)
    solver.graph = None
    solver.take_up(graph)
    settled, nodes, began = graph.settle(graph.open(position)), solver.nodes, time.process_time()
    value = settled.worth(solver.value(settled.rest, lambda: True))
    return value, time.process_time() - began, solver.nodes - nodes


def match(stronger: str, weaker: str, games: int, seed: int) -> float:
    """The share of points of the stronger level on 5x5 boxes, both seats."""
    points = 0.0
    for number in range(games):
        position, seat = board(5, 5, number % 2), number // 2 % 2
        while position.turn != NOBODY:
            level = stronger if position.turn == seat else weaker
            position.play(GAME.engine().choose(position, level, Budget(SECONDS[level], seed + number)))
        own, other = position.scores()[seat], position.scores()[1 - seat]
        points += 1 if own > other else 0.5 if own == other else 0
    return points / games


def against_mcts(size: int, games: int, seconds: float, seed: int) -> int:
    """How many games the master wins on a square board, both seats."""
    import pyspiel

    game, won = pyspiel.load_game(f"dots_and_boxes(num_rows={size},num_cols={size})"), 0
    for number in range(games):
        state, position, seat = game.new_initial_state(), board(size, size), number % 2
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed + number)
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, SIMULATIONS, 100, True, seed + number, False)
        while position.turn != NOBODY:
            # Both number the horizontal lines row by row, then the vertical ones.
            if position.turn == seat:
                move = GAME.engine().choose(position, "master", Budget(seconds, seed + number))
            else:
                move = position.shape.moves[bot.step(state)]
            state.apply_action(position.shape.index[move])
            position.play(move)
        won += position.winners() == (seat,)
    return won


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.engines.dots", description=__doc__)
    parser.add_argument("--positions", type=int, default=40, help="for what is solved within a second")
    parser.add_argument("--games", type=int, default=20, help="against MCTS; 0 leaves that out")
    parser.add_argument("--levels", type=int, default=40, help="games between neighbouring levels")
    parser.add_argument("--seconds", type=float, default=1.0, help="a move of the master's against MCTS")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    engine.warm(str(kernel_directory(None)))
    out = [f"# Dots and boxes ({platform.processor() or platform.machine()}, CPU seconds, cold tables)", ""]
    out += ["| empty board, boxes | value | seconds | nodes |", "|---|---|---|---|"]
    for wide, high in EMPTY:
        value, seconds, nodes = solved(board(wide, high))
        out.append(f"| {wide}x{high} | {value:+} | {seconds:.2f} | {nodes:,} |")
    out += ["", "| random positions | p50 | p90 | max | nodes per second |", "|---|---|---|---|---|"]
    for (wide, high), left in REACH:
        for careful in (False, True):
            rng = Random(args.seed)
            all_of_it = [solved(reached(wide, high, left, careful, rng)) for _ in range(args.positions)]
            times = sorted(seconds for _, seconds, _ in all_of_it)
            p50, p90 = times[len(times) // 2], times[len(times) * 9 // 10]
            speed = sum(nodes for *_, nodes in all_of_it) / sum(times)
            how = "careful" if careful else "careless"
            out.append(
                f"| {wide}x{high}, {left} open lines, {how} | {p50:.3f} | {p90:.3f} | {times[-1]:.3f} | {speed:,.0f} |"
            )
    out += ["", "| 5x5 boxes | points |", "|---|---|"]
    for weaker, stronger in pairwise(LEVELS):
        share = match(stronger, weaker, args.levels, args.seed)
        out.append(f"| {stronger} against {weaker} ({args.levels} games) | {share:.0%} |")
    for size in (5, 7) if args.games else ():
        won = against_mcts(size, args.games, args.seconds, args.seed)
        out.append(f"| master ({args.seconds} s) against MCTS, {size}x{size} | {won} of {args.games} won |")
    RESULTS.write_text("\n".join(out) + "\n", encoding="utf-8")
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
