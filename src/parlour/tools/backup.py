"""`parlour backup`: everything a server keeps, in one file, while it runs."""

import argparse
from pathlib import Path

from parlour.store.copying import back_up
from parlour.tools import place


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the backup to make; nothing is overwritten")
    place.arguments(parser)


def run(args: argparse.Namespace) -> int:
    target = Path(args.file).expanduser()
    where = place.place_of(args)
    if isinstance(where, Path):
        games = back_up(where, target)
    else:
        from parlour.store.pgcopying import back_up_archive

        games = back_up_archive(where, target)
    print(f"{games} games are in {target} ({megabytes(target)} MB).")
    return 0


def megabytes(file: Path) -> str:
    return f"{file.stat().st_size / 1e6:.1f}"
