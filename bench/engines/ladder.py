"""`python -m bench.engines.ladder [GAME…]`: every level against the one below, in every game, on one Elo scale.

Levels are bounded by nodes, so the time limit is left off: what is measured here is the same on any machine. Games that
have been played are kept in a file of results, and `--games` adds to them until there are so many of each pairing. The
picture for the docs is drawn from that file.
"""

import argparse
import math
import random
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import msgspec

from bench.report import Fact, Report
from parlour.config import kernel_directory
from parlour.core.game import LEVELS, NOBODY, QUICK_LEVELS, Budget, Game, Warmable, choose_at
from parlour.registry import games

KEPT = Path(__file__).with_suffix(".json")
RESULTS = Path(__file__).parent.parent / "results" / "ladder.md"
PICTURE = Path(__file__).parents[2] / "docs" / "engines" / "ladder.svg"
BOARDS: Mapping[str, Mapping[str, object]] = {
    "noughts": {},
    "connect4": {},
    "dots": {"width": 6, "height": 6},
    "glenda": {"walls": "easy"},
}
"""What the page offers first."""
SMALL: Mapping[str, Mapping[str, object]] = {
    **BOARDS,
    "connect4": {"columns": 4, "rows": 4},
    "dots": {"width": 3, "height": 3},
}
"""To see that everything works."""
AMPLE = 600.0
FEWEST, MOST = 0.6, 0.8
"""What a level should score against the one below."""


class Step(msgspec.Struct):
    """A level against the one below, by seat of the higher one: points, and games."""

    game: str
    upper: str
    lower: str
    points: list[float] = msgspec.field(default_factory=lambda: [0.0, 0.0])
    games: list[int] = msgspec.field(default_factory=lambda: [0, 0])

    @property
    def score(self) -> float:
        return sum(self.points) / max(1, sum(self.games))

    @property
    def elo(self) -> float:
        """By how much the higher level is stronger; a score of nothing or all is taken for half a game less."""
        half = 0.5 / max(1, sum(self.games))
        score = min(1 - half, max(half, self.score))
        return 400 * math.log10(score / (1 - score))

    @property
    def error(self) -> float:
        """Of the score: what a coin's would be at most, so rather too much where there are draws."""
        return 1.96 * math.sqrt(self.score * (1 - self.score) / max(1, sum(self.games)))


def outcome(game: Game, board: Mapping[str, object], names: tuple[str, str], number: int, upper: int) -> float:
    """What seat `upper` gets for one game."""
    rng = random.Random(f"{names} {number}")
    options = game.settle(game.options(board), rng)
    position, engine = game.start(options), game.engine()
    while position.turn != NOBODY:
        level = names[position.turn]
        seconds = 0.0 if level in QUICK_LEVELS else AMPLE
        position.play(choose_at(level, engine, position.copy(), Budget(seconds, rng.getrandbits(40))))
    return 0.5 if not position.winners() else float(position.winners() == (upper,))


def play(step: Step, wanted: int, boards: Mapping[str, Mapping[str, object]] = BOARDS) -> Iterator[Step]:
    """Play on until there are so many games, as many from either side."""
    game, board = games()[step.game], boards[step.game]
    while (number := sum(step.games)) < wanted:
        seat = number % 2
        names = (step.upper, step.lower) if seat == 0 else (step.lower, step.upper)
        step.points[seat] += outcome(game, board, names, number, seat)
        step.games[seat] += 1
        yield step


def read(file: Path) -> list[Step]:
    kept = msgspec.json.decode(file.read_bytes(), type=list[Step]) if file.exists() else []
    known = {(step.game, step.upper): step for step in kept}
    return [known.get((game, upper), Step(game, upper, lower)) for game in BOARDS for lower, upper in pairwise(LEVELS)]


def table(steps: list[Step]) -> str:
    rows = ["| game | level | against | games | score | as first | as second | Elo |", "|---" * 8 + "|"]
    for step in steps:
        if sum(step.games):
            first, second = (points / max(1, count) for points, count in zip(step.points, step.games, strict=True))
            rows.append(
                f"| {step.game} | {step.upper} | {step.lower} | {sum(step.games)} | {step.score:.0%} ± {step.error:.0%}"
                f" | {first:.0%} | {second:.0%} | {step.elo:+.0f} |"
            )
    return "\n".join(rows)


def ratings(steps: list[Step], game: str) -> list[tuple[str, float]]:
    """The levels of a game on its Elo scale, on which the lowest is at 0, as far as they have been measured."""
    found = [(LEVELS[0], 0.0)]
    for step in steps:
        if step.game == game and step.lower == found[-1][0] and any(step.games):
            found.append((step.upper, found[-1][1] + step.elo))
    return found


def picture(steps: list[Step]) -> str:
    """The ladders side by side, as SVG."""
    ladders = {game: ratings(steps, game) for game in BOARDS}
    top = max(elo for ladder in ladders.values() for _, elo in ladder) or 1.0
    wide, high, left, base = 640, 360, 56, 316

    def at(elo: float) -> float:
        return base - elo / top * (base - 48)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="system-ui, sans-serif"',
        ' font-size="12" role="img" aria-label="Elo of the five levels in each game">',
        f'<rect width="{wide}" height="{high}" fill="#fff"/>',
        f'<text x="{left}" y="20" font-size="14" fill="#222">Elo above beginner, and what a level scores against the'
        " one below</text>",
    ]
    for mark in range(0, int(top) + 1, 200):
        parts.append(f'<line x1="{left}" x2="{wide - 8}" y1="{at(mark):.0f}" y2="{at(mark):.0f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{at(mark) + 4:.0f}" text-anchor="end" fill="#666">{mark}</text>')
    for column, (game, ladder) in enumerate(ladders.items()):
        x = left + 30 + column * (wide - left) // len(ladders)
        scores = [step.score for step in steps if step.game == game]
        parts.append(f'<text x="{x - 8}" y="{base + 28}" font-weight="bold" fill="#222">{games()[game].name}</text>')
        parts.append(f'<line x1="{x}" x2="{x}" y1="{at(0):.0f}" y2="{at(ladder[-1][1]):.0f}" stroke="#2b6cb0"/>')
        for number, (level, elo) in enumerate(ladder):
            score = f" {scores[number - 1]:.0%}" if number else ""
            parts.append(f'<circle cx="{x}" cy="{at(elo):.0f}" r="5" fill="#2b6cb0"/>')
            parts.append(f'<text x="{x + 12}" y="{at(elo) + 4:.0f}" fill="#222">{level}{score}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def text(steps: list[Step]) -> str:
    boards = "; ".join(f"{game} {' '.join(f'{key}={value}' for key, value in BOARDS[game].items())}" for game in BOARDS)
    return (
        "# Ladder\n\nEvery level against the one below, as often from either seat; a draw counts half. ± is the 95 %"
        f" interval.\nBoards: {boards}.\n\n{table(steps)}\n"
    )


def measure(report: Report, wanted: int, seconds: float, boards: Mapping[str, Mapping[str, object]] = BOARDS) -> None:
    """A few games of each step for `make bench`, beside those in the file of results."""
    for kept in read(KEPT):
        step, end = Step(kept.game, kept.upper, kept.lower), time.monotonic() + seconds
        _warm(step.game)
        for _ in play(step, wanted, boards):
            if time.monotonic() > end:
                break
        figure = f"{kept.score:.0%} of {sum(kept.games)} games; now {step.score:.0%} of {sum(step.games)}"
        what = f"ladder, {step.game}: {step.upper} against {step.lower}"
        report.facts.append(Fact(what, figure, {"kept": kept.score, "now": step.score}))


def _warm(game: str) -> None:
    engine = games()[game].engine()
    if isinstance(engine, Warmable):
        engine.warm(str(kernel_directory(None)))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.engines.ladder", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"only these of {', '.join(BOARDS)}")
    parser.add_argument("--games", dest="count", type=int, default=200, help="of each pairing (default 200)")
    parser.add_argument("--level", help="only this one against the one below")
    parser.add_argument("--results", type=Path, default=KEPT, help="the file of results")
    parser.add_argument("--again", action="store_true", help="forget the games of these pairings that were played")
    args = parser.parse_args()
    steps = read(args.results)
    for step in steps:
        if step.game not in (args.games or BOARDS) or args.level not in (None, step.upper):
            continue
        if args.again:
            step.points, step.games = [0.0, 0.0], [0, 0]
        _warm(step.game)
        for _ in play(step, args.count):
            args.results.write_bytes(msgspec.json.format(msgspec.json.encode(steps), indent=1) + b"\n")
        print(table([step]).splitlines()[-1], flush=True)
    if args.results == KEPT:
        RESULTS.write_text(text(steps), encoding="utf-8")
        PICTURE.write_text(picture(steps), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
