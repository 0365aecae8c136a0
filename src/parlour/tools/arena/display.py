"""What people see of a match: how far it is, and what came of it."""

import math
import shutil
import sys
import time
from collections.abc import Sequence

from parlour.core.game import Game
from parlour.tools.arena.match import Match
from parlour.tools.arena.referee import Outcome
from parlour.tools.arena.scores import Pairing, Report, Standing, Tally
from parlour.tools.scoresheet import plain

_LINES = 20
"""Lines of progress where there is no terminal, and failures that are told one by one."""
_BAR = 24
_SIDES = 2
"""Seats for which a pairing is shown one by one."""


class Progress:
    """On a terminal one line that changes; elsewhere a line now and then. All of it on standard error."""

    def __init__(self, match: Match, planned: int, before: int) -> None:
        self._match = match
        self._planned = planned
        self._before = before
        self._played = before
        self._failures = 0
        self._live = sys.stderr.isatty()
        self._began = time.monotonic()
        self._show()

    def add(self, outcome: Outcome) -> None:
        """One more game is over."""
        self._played += 1
        for failing in outcome.failings:
            self._failures += 1
            name = plain(self._match.contenders[outcome.seats[failing.seat]].name)
            if self._failures <= _LINES:
                where = f"game {outcome.id}" if outcome.id else f"game {outcome.game + 1}"
                self._say(f"{name}: {failing.fault.value} at move {failing.move} of {where}: {plain(failing.detail)}")
            if self._failures == _LINES:
                self._say("further failures are only counted")
        self._show()

    def end(self) -> None:
        """Leave the terminal to what follows."""
        if self._live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _say(self, text: str) -> None:
        self.end()
        print(text, file=sys.stderr, flush=True)

    def _show(self) -> None:
        played, planned = self._played, self._planned
        if self._live:
            full = _BAR * played // max(1, planned)
            line = f"[{'#' * full}{'.' * (_BAR - full)}] {played}/{planned}{self._left()}"
            wide = shutil.get_terminal_size((80, 24)).columns
            print(f"\r\033[K{line[: wide - 1]}", end="", file=sys.stderr, flush=True)
        elif played > self._before and (played == planned or played % max(1, planned // _LINES) == 0):
            print(f"{played}/{planned} games{self._left()}", file=sys.stderr, flush=True)

    def _left(self) -> str:
        done = self._played - self._before
        if not done or self._played == self._planned:
            return ""
        seconds = round((time.monotonic() - self._began) / done * (self._planned - self._played))
        return f", about {seconds // 60}:{seconds % 60:02} left"


def table(report: Report, game: Game) -> str:
    """The results, for people."""
    options = "".join(f" {key}={plain(str(value))}" for key, value in report.options.items())
    lines = [f"{game.name}{options}: {report.played} of {report.planned} games, seed {report.seed}, {report.name}", ""]
    lines += _columns(
        (
            "PLAYER",
            "GAMES",
            "POINTS",
            "SCORE",
            "WON",
            "DRAWN",
            "LOST",
            "TIMEOUT",
            "ILLEGAL",
            "CRASH",
            "MEAN",
            "SLOWEST",
        ),
        [_standing(standing) for standing in report.players],
    )
    if report.pairings:
        seats = range(_seats_shown(report))
        heads = (f"AS {_seat_name(game, seat).upper()}" for seat in seats)
        lines += [
            "",
            *_columns(("PAIRING", "SCORE", "ELO", "95 %", *heads), [_pairing(each) for each in report.pairings]),
        ]
    return "\n".join(lines)


def _standing(standing: Standing) -> tuple[str, ...]:
    against = standing.wins + standing.draws + standing.losses
    return (
        plain(standing.name),
        str(standing.games),
        f"{standing.points:g}",
        f"{100 * standing.points / against:.1f} %" if against else "-",
        *(str(count) for count in (standing.wins, standing.draws, standing.losses)),
        *(str(count) for count in (standing.timeouts, standing.illegal, standing.crashes)),
        f"{standing.mean_seconds:.3f} s",
        f"{standing.slowest_seconds:.3f} s",
    )


def _pairing(pairing: Pairing) -> tuple[str, ...]:
    points = pairing.wins + pairing.draws / 2
    infinite = math.copysign(math.inf, pairing.score - 0.5)
    return (
        " - ".join(map(plain, pairing.players)),
        f"{points:g} - {pairing.games - points:g}",
        _signed(infinite if pairing.elo is None else pairing.elo),
        f"{_signed(pairing.elo_low, -math.inf)} .. {_signed(pairing.elo_high, math.inf)}",
        *(_counts(tally) for tally in pairing.seats if len(pairing.seats) == _SIDES),
    )


def _signed(elo: float | None, unknown: float = 0.0) -> str:
    value = unknown if elo is None else elo
    return f"{value:+.0f}"


def _counts(tally: Tally) -> str:
    return f"+{tally.wins} ={tally.draws} -{tally.losses}"


def _seats_shown(report: Report) -> int:
    """At bigger tables hardly any two players sit opposite twice, and no screen is wide enough."""
    return _SIDES if len(report.pairings[0].seats) == _SIDES else 0


def _seat_name(game: Game, seat: int) -> str:
    return game.sides[seat] if seat < len(game.sides) else f"seat {seat}"


def _columns(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The first column to the left, the others to the right, each as wide as it must be."""
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]
    return [
        "  ".join(
            cell.ljust(width) if not column else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in (heads, *rows)
    ]
