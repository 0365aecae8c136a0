"""Make and check the book of dots and boxes: exact values of the first lines on 4x4 boxes.

    python scripts/dots_book.py make [--checkpoint FILE] [--memory MB] [--minutes M]
    python scripts/dots_book.py check

`make` proves the empty board, which takes some ten minutes of one core, then the positions after one line, after two
and so on, as far as there is time. Each is one line of the checkpoint, in the form of the book, so that it can be
stopped and started again. What has been proven is then in the book, and in any case the value of the empty board,
which is known. `check` compares every position whose followers are all listed with the best of these.
"""

import argparse
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from parlour.config import kernel_directory
from parlour.games import kernels
from parlour.games.dots import book
from parlour.games.dots.graph import each, whole_graph

FILE = Path(book.__file__).with_name("book.txt")
EVERY = 2000
"""Slices of the search between two words about it."""


class Late(Exception):
    """The time is up."""


class Maker:
    """The solver, turned to 4x4 boxes."""

    def __init__(self, memory: int, minutes: float) -> None:
        module = kernels.load("parlour.games.dots.solver", str(kernel_directory(None)))
        if module is None:
            sys.exit("numba is not installed")
        self._out_of_time = module.OutOfTime
        self._solver = module.Solver(memory << 20)
        self._graph = whole_graph(book.board())
        self._solver.take_up(self._graph)
        self._end = time.monotonic() + minutes * 60
        self._looks = 0

    def entry(self, drawn: int) -> book.Entry:
        """Prove a position in which nothing can be taken. Raises Late."""
        lines = sum(bit for line, bit in self._graph.bits.items() if not drawn >> line & 1)
        try:
            value = self._solver.value(lines, self._more)
            best = self._solver.best(lines) or next(line for line in each(lines) if self._keeps(lines, line, value))
        except self._out_of_time as error:
            raise Late from error
        return book.Entry(value, self._graph.lines[best.bit_length() - 1])

    def _keeps(self, lines: int, line: int, value: int) -> bool:
        """Whether a line that closes no box has this value."""
        after = self._graph.settle(lines ^ line)
        return -after.worth(self._solver.value(after.rest, self._more) if after.rest else 0) == value

    def _more(self) -> bool:
        self._looks += 1
        if self._looks % EVERY == 0:
            print(f"{self._looks * self._solver.slice} nodes", flush=True)
        return time.monotonic() < self._end


def plies() -> Iterator[int]:
    """The positions, ply by ply."""
    listed = [0]
    while listed:
        yield from listed
        listed = sorted({after for drawn in listed for after in book.following(drawn)})


def read(checkpoint: Path) -> dict[int, book.Entry]:
    """What has been proven; a last line without its end was not written in full."""
    text = checkpoint.read_text() if checkpoint.exists() else ""
    return book.Book(text[: text.rfind("\n") + 1]).entries


def written(entries: dict[int, book.Entry]) -> str:
    return "".join(
        f"{drawn:x} {entry.value} {'-' if entry.line is None else entry.line}\n" for drawn, entry in entries.items()
    )


def make(checkpoint: Path, memory: int, minutes: float) -> int:
    """Prove what the checkpoint lacks, and write the book."""
    entries, maker = read(checkpoint), Maker(memory, minutes)
    cited = {0: book.Entry(0, None)}
    with checkpoint.open("a") as file:
        try:
            for drawn in plies():
                if drawn not in entries:
                    entries[drawn] = maker.entry(drawn)
                    file.write(written({drawn: entries[drawn]}))
                    file.flush()
                    print(f"{drawn.bit_count()} lines drawn: {entries[drawn]}", flush=True)
        except Late:
            print("stopped; start again to go on")
    entries = cited | entries
    FILE.write_text(written(entries))
    print(f"{FILE}: {len(entries)} positions, {FILE.stat().st_size} bytes")
    return 0


def check() -> int:
    """Whether the book agrees with itself."""
    entries, compared, wrong = read(FILE), 0, 0
    for drawn, entry in entries.items():
        after = list(book.following(drawn))
        best = None if entry.line is None else book.canonical(drawn | 1 << entry.line)[0]
        if best in entries:
            wrong += entries[best].value != -entry.value
        # A line that lets boxes be taken is not listed, so the best of the others is a lower bound.
        if all(each in entries for each in after):
            compared += 1
            wrong += max(-entries[each].value for each in after) > entry.value
    print(f"{len(entries)} positions, {compared} compared with all that follow: {wrong} wrong")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("--checkpoint", type=Path, default=Path("dots-book.txt"))
    making.add_argument("--memory", type=int, default=2048, help="megabytes for the tables")
    making.add_argument("--minutes", type=float, default=math.inf, help="how long at most")
    commands.add_parser("check")
    args = parser.parse_args()
    return make(args.checkpoint, args.memory, args.minutes) if args.command == "make" else check()


if __name__ == "__main__":
    sys.exit(main())
