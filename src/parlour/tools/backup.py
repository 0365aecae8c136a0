"""`parlour backup`: everything a server keeps, in one file, while it runs."""

import argparse
from pathlib import Path

from parlour.config import data_directory
from parlour.store.copying import back_up


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the backup to make; nothing is overwritten")
    parser.add_argument("--data", metavar="DIR", help="where the log is (default: the user data directory)")


def run(args: argparse.Namespace) -> int:
    target = Path(args.file).expanduser()
    games = back_up(data_directory(args.data), target)
    print(f"{games} games are in {target} ({megabytes(target)} MB).")
    return 0


def megabytes(file: Path) -> str:
    return f"{file.stat().st_size / 1e6:.1f}"
