"""Make and check the book of Connect Four's first moves: exact values on the usual board up to the eighth ply.

    python scripts/connect4_book.py make [--checkpoint FILE] [--memory MB] [--minutes M]
    python scripts/connect4_book.py moves [--checkpoint FILE] [--memory MB] [--minutes M]
    python scripts/connect4_book.py check [--sample N] [--seed S]

`make` proves every position of the eighth ply with our own solver: some two hours of one core with a table of 2 GB.
Each value is one line of the checkpoint (key, value; what follows is not read), so that it can be stopped and started
again. Shallower values follow from these. `moves` adds a best move for every position of the eighth ply, the hardest
first: one question for each, because its value is known; some forty minutes. It has a checkpoint of the same form, and
when it is stopped the book keeps the moves that it has and gets those that were found. `check` proves a random sample
of the book once more, and that the values of all plies agree with each other.
"""

import argparse
import math
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from parlour.config import kernel_directory
from parlour.games.connect4 import book, solver
from parlour.games.connect4.plain import completing
from parlour.games.connect4.rules import shape

BOARD = shape(7, 6)
FILE = Path(book.__file__).with_name("book.bin")


def decoded(key: int) -> tuple[int, int]:
    """The discs of the side to move, and all discs, of a key: in each column the discs above a bar of ones."""
    own = taken = 0
    for column in range(7):
        bits = key >> column * 7 & 127
        bar = (1 << (bits + 1).bit_length() - 1) - 1
        taken |= bar << column * 7
        own |= bits - bar << column * 7
    return own, taken


def followers(key: int) -> Iterator[int]:
    """The positions one move later that are not won, each or its mirror image."""
    own, taken = decoded(key)
    playable = (taken + BOARD.bottom & BOARD.board) & ~completing(own, BOARD)
    while playable:
        disc = playable & -playable
        playable ^= disc
        yield book.canonical(taken ^ own, taken | disc)


def won_at_once(key: int) -> bool:
    own, taken = decoded(key)
    return bool(completing(own, BOARD) & taken + BOARD.bottom & BOARD.board)


def plies() -> list[list[int]]:
    """By ply, the keys of all positions of games that are not over."""
    found = [[0]]
    for _ in range(book.DEEPEST):
        found.append(sorted({after for key in found[-1] for after in followers(key)}))
    return found


def proven(prover: solver.Prover, key: int) -> int:
    low, high = prover.narrow(*decoded(key), -21, 21)
    assert low == high
    return low


def read(checkpoint: Path) -> dict[int, int]:
    """Values of a checkpoint; a last line without its end was not written in full."""
    text = checkpoint.read_text() if checkpoint.exists() else ""
    rows = (line.split() for line in text[: text.rfind("\n") + 1].splitlines())
    return {int(row[0]): int(row[1]) for row in rows}


def make(checkpoint: Path, memory: int, minutes: float) -> int:
    """Prove what the checkpoint lacks; write the book when nothing is lacking."""
    positions = plies()
    values = read(checkpoint)
    missing = [key for key in positions[-1] if key not in values]
    print(f"{len(positions[-1])} positions, {len(missing)} to prove", flush=True)
    end = time.monotonic() + minutes * 60
    if missing:
        prover = _prover(memory)
        with checkpoint.open("a") as file:
            for count, key in enumerate(missing):
                if time.monotonic() > end:
                    print("stopped; start again to go on")
                    return 1
                values[key] = proven(prover, key)
                print(key, values[key], file=file)
                if count % 100 == 0:
                    file.flush()
                    print(f"{count} of {len(missing)} proven, {prover.nodes} nodes", flush=True)
    for keys in reversed(positions[:-1]):
        for key in keys:
            after = (-values[follower] for follower in followers(key))
            values[key] = (42 - decoded(key)[1].bit_count() + 1) // 2 if won_at_once(key) else max(after)
    listed = [key for ply in sorted(book.LISTED) for key in positions[ply] if not won_at_once(key)]
    FILE.write_bytes(book.packed((key, values[key], 0) for key in listed))
    print(f"{FILE}: {len(listed)} positions, {FILE.stat().st_size} bytes; the empty board is worth {values[0]}")
    return 0


def find_moves(checkpoint: Path, memory: int, minutes: float) -> int:
    """Find what the checkpoint lacks of best moves in the eighth ply; write all that are known into the book."""
    opened = book.Book(FILE.read_bytes())
    listed = [key for ply, keys in enumerate(plies()) if ply in book.LISTED for key in keys if not won_at_once(key)]
    values = {key: told for key in listed if (told := opened.value(*decoded(key))) is not None}
    known = {key: opened.move(*decoded(key)) for key in listed}
    columns = {key: column + 1 for key, column in known.items() if column is not None} | read(checkpoint)
    eighth = (key for key in listed if decoded(key)[1].bit_count() == book.DEEPEST and key not in columns)
    # Draws are hardest, and a wrong move there costs the most; the more discs a win is away from the end, the easier.
    missing = sorted(eighth, key=lambda key: (abs(values[key]), key))
    print(f"{len(columns)} moves are known, {len(missing)} to find", flush=True)
    prover, end = _prover(memory), time.monotonic() + minutes * 60
    with checkpoint.open("a") as file:
        for count, key in enumerate(missing):
            if time.monotonic() > end:
                break
            disc = prover.reaching(*decoded(key), values[key])
            columns[key] = disc.bit_length() // 7 + 1
            print(key, columns[key], file=file, flush=count % 100 == 0)
            if count % 1000 == 0:
                print(f"{count} of {len(missing)} found, {prover.nodes} nodes", flush=True)
    FILE.write_bytes(book.packed((key, values[key], columns.get(key, 0)) for key in listed))
    print(f"{FILE}: {len(columns)} best moves, {FILE.stat().st_size} bytes")
    return 0


def check(sample: int, seed: int) -> int:
    """Prove some of the book again; whether all of it agrees."""
    opened = book.Book(FILE.read_bytes())
    positions = plies()
    wrong = 0
    for keys in positions[:-1]:
        for key in keys:
            told = opened.value(*decoded(key))
            after = [opened.value(*decoded(follower)) for follower in followers(key)]
            if not won_at_once(key) and told != max(-value for value in after if value is not None):
                wrong += 1
    prover = _prover(256)
    for key in random.Random(seed).sample(positions[-1], sample):
        wrong += opened.value(*decoded(key)) != proven(prover, key)
        column = opened.move(*decoded(key))
        wrong += column is not None and not _is_best(prover, key, column)
    print(f"{sum(map(len, positions[:-1]))} positions compared, {sample} proven again: {wrong} wrong")
    return 1 if wrong else 0


def _is_best(prover: solver.Prover, key: int, column: int) -> bool:
    own, taken = decoded(key)
    disc = taken + BOARD.bottom & BOARD.board & 127 << column * 7
    return bool(disc) and -prover.narrow(taken ^ own, taken | disc, -21, 21)[0] == proven(prover, key)


def _prover(memory: int) -> solver.Prover:
    if not solver.warm(str(kernel_directory(None)), memory << 20):
        sys.exit("numba is not installed")
    prover = solver.prover(BOARD, math.inf)
    assert prover is not None
    return prover


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, checkpoint in (("make", "connect4-book.txt"), ("moves", "connect4-moves.txt")):
        making = commands.add_parser(name)
        making.add_argument("--checkpoint", type=Path, default=Path(checkpoint))
        making.add_argument("--memory", type=int, default=2048, help="megabytes for the table")
        making.add_argument("--minutes", type=float, default=math.inf, help="how long at most")
    checking = commands.add_parser("check")
    checking.add_argument("--sample", type=int, default=200)
    checking.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.command != "check":
        return (make if args.command == "make" else find_moves)(args.checkpoint, args.memory, args.minutes)
    return check(args.sample, args.seed)


if __name__ == "__main__":
    sys.exit(main())
