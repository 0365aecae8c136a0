"""`--data DIR` or `--archive URL`: which games a command is about."""

import argparse

from parlour.config import data_directory
from parlour.store.places import Place


def arguments(parser: argparse.ArgumentParser) -> None:
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--data", metavar="DIR", help="where the log is (default: the user data directory)")
    either.add_argument("--archive", metavar="URL", help="postgresql://…: the archive of a house on several machines")


def place_of(args: argparse.Namespace) -> Place:
    return data_directory(args.data) if args.archive is None else str(args.archive)
