"""`parlour compact`: removes old games that count for nothing any more, and gives their space back."""

import argparse
import math
import time

from parlour.config import data_directory
from parlour.core.errors import LocalError
from parlour.store import schema
from parlour.store.compacting import Keep, Plan, compact, plan
from parlour.tools.backup import megabytes
from parlour.tools.scoresheet import iso

DAY = 24 * 3600.0


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", metavar="DIR", help="where the log is (default: the user data directory)")
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--keep", metavar="DAYS", type=float, help="remove games that ended more than DAYS days ago")
    kept.add_argument("--keep-games", metavar="N", type=int, help="remove all but the latest N games")
    parser.add_argument("--yes", action="store_true", help="do it; without this nothing is changed")


def run(args: argparse.Namespace) -> int:
    directory, keep = data_directory(args.data), _keep(args.keep, args.keep_games)
    _announce(plan(directory, keep), keep)
    if not args.yes:
        print("Nothing was changed: --yes does it.")
        return 0
    file = directory / schema.FILE
    before = megabytes(file)
    done = compact(directory, keep)
    print(f"Removed {done.removed} games; {file} had {before} MB and has {megabytes(file)} MB.")
    return 0


def _keep(days: float | None, games: int | None) -> Keep:
    if days is not None and not (math.isfinite(days) and days >= 0):
        raise LocalError("--keep takes a number of days")
    if games is not None and games < 0:
        raise LocalError("--keep-games takes a number of games")
    return Keep(since=None if days is None else max(0.0, time.time() - days * DAY), games=games)


def _announce(planned: Plan, keep: Keep) -> None:
    which = ""
    if keep.since is not None:
        which = f" that ended before {iso(keep.since)}"
    elif keep.games is not None:
        which = f" older than the latest {keep.games}"
    print(
        f"{planned.removed} of {planned.games} games would be removed: unrated ones{which}."
        if which
        else f"None of {planned.games} games would be removed without --keep or --keep-games."
    )
    print(f"Rated games ({planned.rated}) and those at open tables ({planned.open}) stay in any case.")
