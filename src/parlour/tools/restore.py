"""`parlour restore`: a data directory from a backup."""

import argparse
from pathlib import Path

from parlour.config import data_directory
from parlour.store.copying import restore


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="what `parlour backup` has made")
    parser.add_argument(
        "--data",
        metavar="DIR",
        required=True,
        help="where to restore; must not have a log, is made if missing",
    )


def run(args: argparse.Namespace) -> int:
    directory = data_directory(args.data)
    games = restore(Path(args.file).expanduser(), directory)
    print(f"{games} games are in {directory}, ready for parlour serve --data {directory}")
    return 0
