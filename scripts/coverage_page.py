"""What the tests reach, as one page: branches and lines by folder, and the files with the most that they do not.

coverage json -q -o - | python scripts/coverage_page.py
"""

import json
import sys
from collections import defaultdict
from typing import Any

ROOT = "src/parlour/"
WORST = 10


class Sum:
    """Lines and branches of some files."""

    def __init__(self) -> None:
        self.there = self.reached = self.branches = self.taken = 0

    def add(self, summary: dict[str, Any]) -> None:
        self.there += summary["num_statements"]
        self.reached += summary["covered_lines"]
        self.branches += summary["num_branches"]
        self.taken += summary["covered_branches"]

    @property
    def missing(self) -> int:
        return self.there - self.reached + self.branches - self.taken

    def row(self, name: str) -> str:
        """Per cent of lines, of branches, and of both together."""
        both = _share(self.reached + self.taken, self.there + self.branches)
        return f"{name:28}{_share(self.reached, self.there)}{_share(self.taken, self.branches)}{both}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:10.1f}" if whole else f"{'-':>10}"


def main() -> None:
    files = json.load(sys.stdin)["files"]
    folders: defaultdict[str, Sum] = defaultdict(Sum)
    alone: defaultdict[str, Sum] = defaultdict(Sum)
    total = Sum()
    for path, found in files.items():
        name = path.partition(ROOT)[2]
        for heap in (total, alone[name], folders[name.partition("/")[0] + "/" if "/" in name else "(top)"]):
            heap.add(found["summary"])
    print(f"{'per cent of':28}{'lines':>10}{'branches':>10}{'both':>10}")
    for folder in sorted(folders):
        print(folders[folder].row(folder))
    print(total.row("all"))
    print("\nwhere the most is missing")
    for name in sorted(alone, key=lambda name: -alone[name].missing)[:WORST]:
        print(f"{alone[name].row(name)}  {alone[name].missing} lines and branches")


if __name__ == "__main__":
    main()
