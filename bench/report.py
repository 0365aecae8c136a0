"""What was measured, as a table for people and as data."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

BUSY = 0.75
"""A server that is busy for less of the time has not been given enough to do."""


class Games(NamedTuple):
    """One kind of games at one number of tables: the better of its repeats."""

    wire: str
    tables: int
    journal: bool
    moves: float
    """Per second of the server's processor time, as `echo`."""
    echo: float
    busy: float
    """How much of one core the server took."""

    @property
    def share(self) -> float:
        return self.moves / self.echo


class Fact(NamedTuple):
    """Something else that was measured."""

    what: str
    figure: str
    data: dict[str, Any]


class Report:
    """A run, as far as it has got."""

    def __init__(self, circumstances: str) -> None:
        self.circumstances = circumstances
        self.games: list[Games] = []
        self.facts: list[Fact] = []
        self.notes: list[str] = []
        self.failures: list[str] = []

    def _against_fewest(self, row: Games) -> float:
        """The share as part of the share at the fewest tables."""
        alike = [other for other in self.games if (other.wire, other.journal) == (row.wire, row.journal)]
        return row.share / min(alike, key=lambda other: other.tables).share

    def text(self) -> str:
        """Markdown that is aligned for whoever reads it as it is."""
        parts = ["# Bench", self.circumstances]
        if self.games:
            fewest = min(row.tables for row in self.games)
            head = ("wire", "tables", "journal", "moves/CPU-s", "echo/CPU-s", "share", f"share/at {fewest}", "busy")
            parts += [aligned(head, [self._cells(row) for row in self.games])]
        if self.facts:
            parts += [aligned(("measured", "figure"), [(fact.what, fact.figure) for fact in self.facts])]
        parts += [listed("Notes", self.notes)] if self.notes else []
        parts += [listed("Failures", self.failures)] if self.failures else []
        return "\n\n".join(parts) + "\n"

    def _cells(self, row: Games) -> tuple[str, ...]:
        return (
            row.wire,
            f"{row.tables:,}",
            "on" if row.journal else "off",
            f"{row.moves:,.0f}",
            f"{row.echo:,.0f}",
            f"{row.share:.3f}",
            f"{self._against_fewest(row):.2f}",
            f"{row.busy:.0%}",
        )

    def write(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        data = {
            "circumstances": self.circumstances,
            "games": [
                row._asdict() | {"share": row.share, "against_fewest": self._against_fewest(row)} for row in self.games
            ],
            "facts": {fact.what: fact.data for fact in self.facts},
            "notes": self.notes,
            "failures": self.failures,
        }
        (directory / "latest.md").write_text(self.text(), encoding="utf-8")
        (directory / "latest.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]

    def line(row: Sequence[str]) -> str:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        return f"| {' | '.join([row[0].ljust(widths[0]), *cells[1:]])} |"

    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([line(head), line(rule), *map(line, rows)])


def listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{title}:", "", *(f"- {line}" for line in lines)])
