"""What was measured, as tables for people and as data."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.peers.contenders import BROWSER, COLYSEUS, GLENDA_BROWSER, GLENDA_WIRE, LOG, MEMORY
from bench.report import BUSY, aligned, listed

UNKNOWN = "-"
RATIOS = (
    ("a move by browser, as a multiple of Colyseus' moves per CPU-second", (BROWSER, LOG), (COLYSEUS, MEMORY)),
    ("the same without our log", (BROWSER, MEMORY), (COLYSEUS, MEMORY)),
    ("cost of a move of Glenda by browser, as a multiple of Glendy's", (GLENDA_WIRE, LOG), (GLENDA_BROWSER, LOG)),
)
"""What is divided by what."""


@dataclass
class Row:
    """One server, as far as it was measured."""

    name: str
    keeps: str
    moves: dict[int, float] = field(default_factory=dict)
    """Per second of the server's processor time, by number of tables."""
    busy: dict[int, float] = field(default_factory=dict)
    """How much of one core the server took then."""
    waits: dict[int, tuple[float | None, float | None]] = field(default_factory=dict)
    """Milliseconds until players see their own move, half of the time and 99 times of 100, by number of tables."""
    idle_bytes: float | None = None
    table_bytes: float | None = None
    told: int | None = None
    lost: int | None = None


class Report:
    """A run, as far as it has got."""

    def __init__(self, paced: int) -> None:
        self.circumstances = ""
        self.paced = paced
        """Tables at which people think before they move."""
        self.rows: list[Row] = []
        self.failures: list[str] = []

    def tables(self) -> list[int]:
        return sorted({tables for row in self.rows for tables in row.moves})

    def row(self, name: str, keeps: str) -> Row | None:
        return next((row for row in self.rows if (row.name, row.keeps) == (name, keeps)), None)

    def text(self) -> str:
        """Markdown that is aligned for whoever reads it as it is."""
        tables = self.tables()
        head = ["server", "keeps games in", *(f"moves/CPU-s, {count:,} tables" for count in tables)]
        speed = [[row.name, row.keeps, *(_number(row.moves.get(count)) for count in tables)] for row in self.rows]
        rooms = [row for row in self.rows if row.waits]
        others = ["server", "keeps games in", "one pair, p50/p99 ms", f"{self.paced:,} tables at a move a second"]
        others += ["idle connection", "table", "lost at kill -9"]
        parts = ["# Bench, with others", self.circumstances, aligned(head, speed)]
        parts += [aligned(others, [self._cells(row) for row in rooms])] if rooms else []
        ratios = self.ratios()
        compared = ["compared", *(f"{count:,} tables" for count in tables)]
        cells = [[what, *(f"{by[count]:.2f}" if count in by else UNKNOWN for count in tables)] for what, by in ratios]
        parts += [aligned(compared, cells)] if ratios else []
        parts += self._doubt()
        parts += [listed("Failures", self.failures)] if self.failures else []
        return "\n\n".join(parts) + "\n"

    def _doubt(self) -> list[str]:
        """Says so when servers were not kept busy."""
        shares = [share for row in self.rows for share in row.busy.values()]
        idle = sum(share < BUSY for share in shares)
        if not idle:
            return []
        return [
            f"In {idle} of {len(shares)} figures of moves the server was busy for less than {BUSY:.0%} of the time: it "
            "waited for its players, or for a core. Those figures are the least certain."
        ]

    def _cells(self, row: Row) -> list[str]:
        return [
            row.name,
            row.keeps,
            _pair(row.waits.get(1)),
            _pair(row.waits.get(self.paced)),
            _kilobytes(row.idle_bytes),
            _kilobytes(row.table_bytes),
            UNKNOWN if row.lost is None else f"{row.lost:,} of {row.told:,}",
        ]

    def ratios(self) -> list[tuple[str, dict[int, float]]]:
        """Each with its value by number of tables, where both were measured."""
        found = []
        for what, above, below in RATIOS:
            upper, lower = self.row(*above), self.row(*below)
            if upper is not None and lower is not None:
                shared = upper.moves.keys() & lower.moves.keys()
                found.append((what, {tables: upper.moves[tables] / lower.moves[tables] for tables in sorted(shared)}))
        return found

    def write(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        data = {
            "circumstances": self.circumstances,
            "rows": [asdict(row) for row in self.rows],
            "ratios": dict(self.ratios()),
            "failures": self.failures,
        }
        (directory / "peers.md").write_text(self.text(), encoding="utf-8")
        (directory / "peers.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


def _number(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,.0f}"


def _kilobytes(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value / 1000:,.1f} kB"


def _pair(waits: tuple[float | None, float | None] | None) -> str:
    if waits is None or waits[0] is None or waits[1] is None:
        return UNKNOWN
    return f"{waits[0]:.2f} / {waits[1]:.2f}"
