"""`python -m bench.engines.ladder [GAME…]`: every level against the one below, in every game, on one Elo scale.

Levels are bounded by nodes, so the time limit is left off: what is measured here is the same on any machine. Games that
have been played are kept in a file of results, and `--games` adds to them until there are so many of each pairing.
"""

import argparse
import math
import random
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import msgspec

from parlour.config import kernel_directory
from parlour.core.game import LEVELS, NOBODY, QUICK_LEVELS, Budget, Game, Warmable, choose_at
from parlour.registry import games

RESULTS = Path(__file__).parent.parent / "results"
PICTURE = Path(__file__).parents[2] / "docs" / "engines" / "ladder.svg"
BOARDS: Mapping[str, Mapping[str, object]] = {
    "noughts": {},
    "connect4": {},
    "dots": {"width": 6, "height": 6},
    "glenda": {"walls": "easy"},
}
"""What the page offers first."""
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


def outcome(game: Game, names: tuple[str, str], number: int, upper: int) -> float:
    """What seat `upper` gets for one game."""
    rng = random.Random(f"{names} {number}")
    options = game.settle(game.options(BOARDS[game.key]), rng)
    position, engine = game.start(options), game.engine()
    while position.turn != NOBODY:
        level = names[position.turn]
        seconds = 0.0 if level in QUICK_LEVELS else AMPLE
        position.play(choose_at(level, engine, position.copy(), Budget(seconds, rng.getrandbits(40))))
    return 0.5 if not position.winners() else float(position.winners() == (upper,))


def play(step: Step, wanted: int) -> Iterator[Step]:
    """Play on until there are so many games, as many from either side."""
    game = games()[step.game]
    while (number := sum(step.games)) < wanted:
        seat = number % 2
        names = (step.upper, step.lower) if seat == 0 else (step.lower, step.upper)
        step.points[seat] += outcome(game, names, number, seat)
        step.games[seat] += 1
        yield step


def read(file: Path) -> list[Step]:
    kept = msgspec.json.decode(file.read_bytes(), type=list[Step]) if file.exists() else []
    known = {(step.game, step.upper): step for step in kept}
    return [
        known.get((game, upper), Step(game, upper, lower)) for game in BOARDS for lower, upper in pairwise(LEVELS)
    ]


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


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.engines.ladder", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"only these of {', '.join(BOARDS)}")
    parser.add_argument("--games", dest="count", type=int, default=200, help="of each pairing (default 200)")
    parser.add_argument("--level", help="only this one against the one below")
    parser.add_argument("--results", type=Path, default=RESULTS / "ladder.json", help="the file of results")
    parser.add_argument("--again", action="store_true", help="forget the games of these pairings that were played")
    args = parser.parse_args()
    steps = read(args.results)
    for step in steps:
        if step.game not in (args.games or BOARDS) or args.level not in (None, step.upper):
            continue
        if args.again:
            step.points, step.games = [0.0, 0.0], [0, 0]
        engine = games()[step.game].engine()
        if isinstance(engine, Warmable):
            engine.warm(str(kernel_directory(None)))
        for _ in play(step, args.count):
            args.results.write_bytes(msgspec.json.format(msgspec.json.encode(steps), indent=1) + b"\n")
        print(table([step]).splitlines()[-1], flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
