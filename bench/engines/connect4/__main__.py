"""`python -m bench.engines.connect4`: errors on the public sets, times by ply, speed beside C, levels on request."""

import argparse
import math
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from pathlib import Path

from parlour.bots.levels import SECONDS
from parlour.config import kernel_directory
from parlour.core.game import LEVELS, NOBODY, Budget
from parlour.games.connect4 import GAME, Connect4Position, solver
from parlour.games.connect4.engine import ENGINE

HERE = Path(__file__).parent
RESULTS = HERE.parent.parent / "results" / "connect4.md"
SETS = ("begin", "middle", "end")
PLIES = (0, 3, 5, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24)
SIZES = ((5, 5, 0), (6, 6, 12), (8, 7, 28), (9, 6, 26), (12, 4, 22))
"""Columns, rows, and discs on the board."""
AMPLE = Budget(600.0, 1)


def position_after(columns: str) -> Connect4Position:
    """A position as the public sets spell it: columns counted from 1."""
    position = GAME.start(GAME.options({}))
    for column in columns:
        position.play(str(int(column) - 1))
    return position


def random_position(plies: int, rng: random.Random, columns: int = 7, rows: int = 6) -> Connect4Position:
    """A game of so many random moves that is not over."""
    while True:
        position = GAME.start(GAME.options({"columns": columns, "rows": rows}))
        for _ in range(plies):
            if position.turn == NOBODY:
                break
            position.play(rng.choice(position.legal()))
        if position.turn != NOBODY:
            return position


def forget() -> None:
    """Empty the tables in place: every time is that of a first question, without the system's time for new memory."""
    assert solver._loaded is not None
    for table in solver._loaded.tables(GAME.start(GAME.options({})).shape):
        table.fill(0)


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of processor time, which other programs on the machine disturb least."""
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


def spread(times: list[float]) -> str:
    times = sorted(times)
    at = [times[min(len(times) - 1, math.ceil(len(times) * part) - 1)] for part in (0.5, 0.9, 0.99)]
    return " | ".join(f"{value:.2f}" for value in (sum(times) / len(times), *at, times[-1]))


def public_sets() -> Iterator[str]:
    yield "| set | positions | errors | not exact | ms mean | p50 | p90 | p99 | max |\n" + "|---" * 9 + "|"
    for name in SETS:
        errors = unsure = 0
        times = []
        lines = (HERE / f"{name}.txt").read_text().splitlines()
        for line in lines:
            columns, value = line.split()
            position = position_after(columns)
            forget()
            began = time.process_time()
            verdict = ENGINE.analyse(position, AMPLE)
            times.append((time.process_time() - began) * 1000)
            errors += verdict.value != int(value)
            unsure += not verdict.exact
        yield f"| {name} | {len(lines)} | {errors} | {unsure} | {spread(times)} |"


def by_ply(count: int) -> Iterator[str]:
    yield "| ply | question | ms mean | p50 | p90 | p99 | max |\n|---|---|---|---|---|---|---|"
    for ply in PLIES:
        rng = random.Random(ply)
        best, every = [], []
        for _ in range(count):
            position = random_position(ply, rng)
            forget()
            best.append(timed(lambda position=position: ENGINE.choose(position, "master", AMPLE)))
            forget()
            every.append(timed(lambda position=position: ENGINE.analyse(position, AMPLE)))
        yield f"| {ply} | best move | {spread(best)} |\n| {ply} | all columns | {spread(every)} |"


def other_sizes(count: int) -> Iterator[str]:
    yield "| board | discs | solved | ms mean | p50 | p90 | p99 | max |\n|---|---|---|---|---|---|---|---|"
    for columns, rows, discs in SIZES:
        rng = random.Random(columns)
        times, solved = [], 0
        for _ in range(count if discs else 1):
            position = random_position(discs, rng, columns, rows)
            began = time.process_time()
            solved += ENGINE.analyse(position, AMPLE).exact
            times.append((time.process_time() - began) * 1000)
        yield f"| {columns}x{rows} | {discs} | {solved} of {len(times)} | {spread(times)} |"


def beside_c(count: int) -> Iterator[str]:
    """The same questions to the kernel and to loop.c, one after the other, in turns."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        yield "No C compiler here."
        return
    rng = random.Random(8)
    asked = []
    while len(asked) < count:
        columns = "".join(rng.choice("1234567") for _ in range(10))
        if max(map(columns.count, columns)) <= 6 and position_after_or_none(columns) is not None:
            asked.append(columns)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "loop"
        subprocess.run([compiler, "-O3", "-march=native", HERE / "loop.c", "-o", program], check=True)
        rates = [(_c_rate(program, asked), _kernel_rate(asked)) for _ in range(3)]
    c_rate, kernel_rate = (max(rate) for rate in zip(*rates, strict=True))
    yield f"C {c_rate / 1e6:.2f} M nodes/s, kernel {kernel_rate / 1e6:.2f} M nodes/s: {kernel_rate / c_rate:.2f}"


def position_after_or_none(columns: str) -> Connect4Position | None:
    position = GAME.start(GAME.options({}))
    for column in columns:
        if position.check(str(int(column) - 1)) is not None:
            return None
        position.play(str(int(column) - 1))
    return None if position.turn == NOBODY else position


def _c_rate(program: Path, asked: list[str]) -> float:
    told = subprocess.run([program], input="\n".join(asked), capture_output=True, text=True, check=True)
    _, nodes, seconds = told.stdout.splitlines()[-1].split()
    return int(nodes) / float(seconds)


def _kernel_rate(asked: list[str]) -> float:
    nodes, spent = 0, 0.0
    for columns in asked:
        position = position_after(columns)
        forget()
        prover = solver.prover(position.shape, math.inf)
        assert prover is not None
        taken = position.discs[0] | position.discs[1]
        began = time.process_time()
        prover.narrow(position.discs[position.turn], taken, -21, 21)
        spent += time.process_time() - began
        nodes += prover.nodes
    return nodes / spent


def levels(games: int) -> Iterator[str]:
    """Each level against the one below, each as often first as second."""
    yield "| level | against | games | score | as first | as second |\n|---|---|---|---|---|---|"
    for below, level in pairwise(LEVELS):
        scores = [0.0, 0.0]
        for number in range(games // 2 * 2):
            seat = number % 2
            position = GAME.start(GAME.options({}))
            while position.turn != NOBODY:
                name = level if position.turn == seat else below
                seed = number * 1000 + sum(position.heights)
                position.play(ENGINE.choose(position, name, Budget(SECONDS[name], seed)))
            scores[seat] += 0.5 if not position.winners() else position.winners() == (seat,)
        half = games // 2
        shares = (sum(scores) / half / 2, scores[0] / half, scores[1] / half)
        yield f"| {level} | {below} | {half * 2} | " + " | ".join(f"{share:.0%}" for share in shares) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50, help="positions a row")
    parser.add_argument("--games", type=int, default=0, help="games between neighbouring levels (default: none)")
    args = parser.parse_args()
    if not ENGINE.warm(str(kernel_directory(None))):
        sys.exit("numba is not installed")
    chapters: list[tuple[str, Iterator[str]]] = [
        ("Public sets, values of all columns", public_sets()),
        ("Random positions on 7x6, empty tables", by_ply(args.count)),
        ("Other boards", other_sizes(args.count)),
        ("Speed", beside_c(args.count)),
    ]
    if args.games:
        chapters.append(("Levels", levels(args.games)))
    with RESULTS.open("w") as file:
        heading = (
            f"# Connect Four, measured\n\n{platform.machine()}, Python {platform.python_version()}; processor time.\n"
        )
        body = (line for title, lines in chapters for line in chain([f"\n## {title}\n"], lines))
        for text in chain([heading], body):
            print(text, flush=True)
            print(text, file=file, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
