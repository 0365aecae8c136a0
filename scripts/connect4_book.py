"""Make and check the book of Connect Four's first moves: exact values on the usual board up to the tenth ply.

    python scripts/connect4_book.py make FILE
    python scripts/connect4_book.py check [--sample N] [--seed S]

`make` takes the values of all positions of the twelfth ply from FILE, which is `book_12ply_distances.dat` of the
package `bitbully-databases` on PyPI, reckons back from there and writes the book: two minutes and 2 GB. Our own solver
would need some fifteen hours for the same. So `check` does not look at that file: it lets our own solver prove a random
sample of the last ply once more, and compares the values of each listed ply with those of the next.
"""

import argparse
import math
import random
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from parlour.config import kernel_directory
from parlour.games.connect4 import book, solver
from parlour.games.connect4.plain import completing
from parlour.games.connect4.rules import shape

Keys = npt.NDArray[np.uint64]
"""Positions: the discs of the side to move plus all discs, which puts a bar of ones below each column's own discs."""
Values = npt.NDArray[np.int8]
Where = npt.NDArray[np.bool_]

BOARD = shape(7, 6)
FILE = Path(book.__file__).with_name("book.bin")
LAST = 12
"""The ply whose values are given."""
HEIGHTS = np.array([(bits + 1).bit_length() - 1 for bits in range(128)], np.uint64)
"""The discs in a column, by its seven bits in a key."""
DISCS = (1 << HEIGHTS) - 1
"""The same as bits."""


def column(keys: Keys, number: int) -> Keys:
    return keys >> 7 * number & 127


def decoded(keys: Keys) -> tuple[Keys, Keys]:
    """The discs of the side to move, and all discs."""
    taken = sum(DISCS[column(keys, number)] << 7 * number for number in range(7))
    return keys - taken, taken


def mirrored(keys: Keys) -> Keys:
    return sum(column(keys, number) << 7 * (6 - number) for number in range(7))


def won_at_once(keys: Keys) -> Where:
    own, taken = decoded(keys)
    return completing(own, BOARD) & taken + BOARD.bottom != 0


def after(keys: Keys, number: int) -> tuple[Keys, Where, Where]:
    """What a disc in this column leads to, or its mirror image; where the game goes on so; where the disc wins."""
    own, taken = decoded(keys)
    disc = taken + BOARD.bottom & BOARD.board & 127 << 7 * number
    won = disc & completing(own, BOARD) != 0
    following = (taken ^ own) + (taken | disc)
    return np.minimum(following, mirrored(following)), (disc != 0) & ~won, won


def plies() -> Iterator[Keys]:
    """By ply, all positions of games that are not over, each or its mirror image, in order."""
    keys = np.zeros(1, np.uint64)
    yield keys
    while True:
        steps = (after(keys, number) for number in range(7))
        keys = np.unique(np.concatenate([np.unique(reached[goes_on]) for reached, goes_on, _ in steps]))
        yield keys


def spelled(keys: Keys) -> npt.NDArray[np.uint32]:
    """Positions as the given file has them: two bits for each disc from the bottom, one after each column and board."""
    words = np.zeros_like(keys)
    for number in range(7):
        bits = column(keys, number)
        own = bits - DISCS[bits]
        for row in range(6):
            words = np.where(HEIGHTS[bits] > row, words << 2 | 3 - (own >> row & 1), words)
        words <<= 1
    return (words << 1).astype(np.uint32)


def given(file: Path, keys: Keys) -> Values:
    """The values of the last ply. The file has 100 less the plies to a win, the negative for a loss, no win at once."""
    rows = np.fromfile(file, [("position", ">u4"), ("worth", "i1")])
    rows = rows[np.argsort(rows["position"])]
    worth, found = np.zeros(len(keys), np.int16), won_at_once(keys)
    for images in (keys, mirrored(keys)):
        wanted = spelled(images)
        at = np.minimum(np.searchsorted(rows["position"], wanted), len(rows) - 1)
        hit = rows["position"][at] == wanted
        worth[hit], found = rows["worth"][at][hit], found | hit
    assert found.all(), "the file lacks a position"
    values = np.sign(worth) * ((np.abs(worth) - 68) // 2)
    return np.where(won_at_once(keys), (43 - LAST) // 2, values).astype(np.int8)


def reckoned(positions: list[Keys], last: Values) -> list[Values]:
    """The values of all plies, from those of the last."""
    found = [last]
    for ply, (keys, following) in reversed(list(enumerate(pairwise(positions)))):
        best = np.full(len(keys), -99, np.int8)
        for number in range(7):
            reached, goes_on, won = after(keys, number)
            value = -found[-1][np.minimum(np.searchsorted(following, reached), len(following) - 1)]
            best = np.maximum(best, np.where(won, (43 - ply) // 2, np.where(goes_on, value, -99)))
        found.append(best)
    return found[::-1]


def places(keys: Keys) -> npt.NDArray[np.int64]:
    return np.array([book.place(*pair) for pair in pairs(keys)])


def pairs(keys: Keys) -> Iterator[tuple[int, int]]:
    yield from zip(*(discs.tolist() for discs in decoded(keys)), strict=True)


def make(file: Path) -> int:
    """Write the book."""
    positions = [keys for _, keys in zip(range(LAST + 1), plies(), strict=False)]
    values = reckoned(positions, given(file, positions[LAST]))
    cells = np.full(book.offsets()[-1], book.NONE, np.int8)
    won = np.zeros(len(cells), bool)
    for ply in book.LISTED:
        for images in (positions[ply], mirrored(positions[ply])):  # both are there where the heights are the same
            at = places(images)
            cells[at], won[at] = values[ply], won_at_once(images)
    # A position that is won at once is never looked up: what was listed last before it takes the least room.
    before = np.maximum.accumulate(np.where(won | (cells == book.NONE), 0, np.arange(len(cells))))
    cells = np.where(won, cells[before], cells)
    FILE.write_bytes(book.packed(cells.tobytes()))
    print(f"{FILE}: {FILE.stat().st_size} bytes; the empty board is worth {values[0][0]}")
    return 0


def check(sample: int, seed: int) -> int:
    """Prove some of the book again; whether it agrees."""
    opened, rng = book.Book(FILE.read_bytes()), random.Random(seed)
    if not solver.warm(str(kernel_directory(None)), 256 << 20):
        sys.exit("numba is not installed")
    prover = solver.prover(BOARD, math.inf)
    assert prover is not None
    compared = wrong = 0
    for ply, keys in zip(range(book.DEEPEST + 1), plies(), strict=False):
        keys = keys[~won_at_once(keys)]
        count = sample if ply == book.DEEPEST else 20 * sample
        for own, taken in pairs(keys[rng.sample(range(len(keys)), min(len(keys), count))]):
            compared += 1
            told = opened.value(own, taken)
            if ply == book.DEEPEST:
                wrong += (told, told) != prover.narrow(own, taken, -21, 21)
                continue
            playable = taken + BOARD.bottom & BOARD.board
            discs = [disc for disc in (1 << bit for bit in range(49)) if disc & playable]
            wrong += told != max(-opened.value(taken ^ own, taken | disc) for disc in discs)
    print(f"{compared} positions compared, {sample} of them proven again: {wrong} wrong")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("make").add_argument("file", type=Path)
    checking = commands.add_parser("check")
    checking.add_argument("--sample", type=int, default=200)
    checking.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    return make(args.file) if args.command == "make" else check(args.sample, args.seed)


if __name__ == "__main__":
    sys.exit(main())
