"""`python -m bench.engines.glenda`: nodes per second, what is solved in a second, both sides at the board, levels."""

import argparse
import platform
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

from parlour.bots.levels import SECONDS
from parlour.config import kernel_directory
from parlour.core.game import LEVELS, NOBODY, Budget
from parlour.games.glenda import GAME, GlendaPosition
from parlour.games.glenda.board import START, bit
from parlour.games.glenda.engine import ENGINE
from parlour.games.glenda.prover import ESCAPE, PlainProver, Prover, borrowed, made
from parlour.games.glenda.ranks import after_put, room
from parlour.games.glenda.rules import GLENDA, TRAPPER, tables

RESULTS = Path(__file__).parent.parent / "results" / "glenda.md"
RANGES = ((10, 14), (5, 9), (1, 5))
Choice = Callable[[GlendaPosition, Random], str]


def board(fewest: int, most: int, rng: Random) -> GlendaPosition:
    return GAME.start(GAME.settle(GAME.options({"walls": rng.randint(fewest, most)}), rng))


def shortest(position: GlendaPosition, rng: Random) -> str:
    """A glenda who runs the shortest way, any of them."""
    ways = tables().ways[position.glenda_bit]
    away = {move: room(ways[move], position.wall_bits)[1] for move in position.legal()}
    return rng.choice([move for move in away if away[move] == min(away.values())])


def one_look(position: GlendaPosition, rng: Random) -> str:
    """A trapper who goes by the ranks that a wall leaves her, any of the best."""
    puts, at, walls = tables().puts, position.glenda_bit, position.wall_bits
    scores = {move: after_put(at, walls | puts[move][0]) for move in position.legal()}
    return rng.choice([move for move in scores if scores[move] == max(scores.values())])


class Engine:
    """A level at the board, and its slowest answer."""

    def __init__(self, level: str, seconds: float) -> None:
        self.level = level
        self.seconds = seconds
        self.slowest = 0.0

    def __call__(self, position: GlendaPosition, rng: Random) -> str:
        began = time.perf_counter()
        move = ENGINE.choose(position, self.level, Budget(self.seconds, rng.randrange(1 << 30)))
        self.slowest = max(self.slowest, time.perf_counter() - began)
        return move


def played(position: GlendaPosition, trapper: Choice, glenda: Choice, rng: Random) -> int:
    """Who wins."""
    while position.turn != NOBODY:
        position.play((trapper, glenda)[position.turn](position, rng))
    return position.winners()[0]


def speed() -> Iterator[str]:
    yield "| prover | empty board: escape within 9 steps | nodes | nodes per second |\n|---|---|---|---|"
    provers: list[tuple[str, Prover]] = [("plain", PlainProver()), ("kernel", made())]
    for name, prover in provers:
        began, k = time.process_time(), 5
        while not prover.ask(bit(*START), 0, k, ESCAPE, 1 << 40):
            k += 1
        spent = time.process_time() - began
        yield f"| {name} | proven in {spent:.3f} s | {prover.nodes} | {prover.nodes / spent:,.0f} |"


def solved(count: int, seconds: float) -> Iterator[str]:
    yield f"| walls | boards | escape proven | trap proven | open after {seconds:g} s |\n|---|---|---|---|---|"
    for fewest, most in (*RANGES, (15, 19), (20, 25)):
        rng, found = Random(fewest), []
        for _ in range(count):
            verdict = ENGINE.analyse(board(fewest, most, rng), Budget(seconds, 1))
            found.append(verdict.value if verdict.exact else 0)
        yield f"| {fewest}-{most} | {count} | {found.count(-1)} | {found.count(1)} | {found.count(0)} |"


def at_the_board(count: int, seconds: float) -> Iterator[str]:
    yield (
        "| master as | against | walls | won | moves of a won game: mean, most | slowest answer |\n" + "|---" * 6 + "|"
    )
    rows = [(TRAPPER, walls) for walls in RANGES] + [(GLENDA, walls) for walls in RANGES]
    for seat, (fewest, most) in rows:
        rng, engine, lengths = Random(1000 + fewest), Engine("master", seconds), []
        sides = (engine, shortest) if seat == TRAPPER else (one_look, engine)
        for _ in range(count):
            position = board(fewest, most, rng)
            if played(position, *sides, rng) == seat:
                lengths.append(position.moves_made)
        names = ("trapper | shortest way", "glenda | one look at ranks")[seat]
        length = f"{sum(lengths) / max(1, len(lengths)):.0f}, {max(lengths, default=0)}"
        yield f"| {names} | {fewest}-{most} | {len(lengths)} of {count} | {length} | {engine.slowest:.2f} s |"


def ladder(count: int, scale: float) -> Iterator[str]:
    yield f"Eight walls, thinking time times {scale:g}.\n\n| level | against | games | as trapper | as glenda | score |"
    yield "|---|---|---|---|---|---|"
    for lower, upper in pairwise(LEVELS):
        rng, won = Random(upper), [0, 0]
        for game in range(count):
            seat = game % 2
            names = (upper, lower) if seat == TRAPPER else (lower, upper)
            sides = [Engine(name, scale * SECONDS[name]) for name in names]
            won[seat] += played(board(8, 8, rng), sides[TRAPPER], sides[GLENDA], rng) == seat
        yield f"| {upper} | {lower} | {count} | {won[0]} | {won[1]} | {sum(won) / count:.0%} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=40, help="boards a row")
    parser.add_argument("--seconds", type=float, default=SECONDS["master"], help="a move of master")
    parser.add_argument("--games", type=int, default=0, help="games between neighbouring levels (0: none)")
    parser.add_argument("--scale", type=float, default=1.0, help="of the levels' thinking time")
    parser.add_argument("--data", help="where the kernel cache lives")
    args = parser.parse_args()
    if not ENGINE.warm(str(kernel_directory(args.data))):
        sys.exit("there is no numba here")
    with borrowed():  # loaded before the first clock runs
        pass
    lines = [f"# Glendy\n\nPython {platform.python_version()}, {platform.machine()}, {args.seconds:g} s a move.\n"]
    parts = [
        ("Speed", speed()),
        ("Solved", solved(args.boards, args.seconds)),
        ("Against simple players", at_the_board(args.boards, args.seconds)),
    ]
    if args.games:
        parts.append(("Levels", ladder(args.games, args.scale)))
    for title, rows in parts:
        lines.append(f"\n## {title}\n" if lines[1:] else f"## {title}\n")
        print(lines[-1])
        for row in rows:
            print(row, flush=True)
            lines.append(row)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
