"""`parlour …`: one sub-command each in a module of its own, imported only when it is called."""

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from parlour import __version__
from parlour.core.errors import LocalError
from parlour.registry import COMMANDS

_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, like everything else does."""

    def error(self, message: str) -> NoReturn:
        raise LocalError(f"{message} (see {self.prog} --help)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. 0 done, 1 the answer is no, 2 wrong usage or environment, 130 interrupted."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        try:
            return _run(arguments)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except LocalError as error:
        print(f"parlour: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _forget_output()  # its reader has gone (`parlour tables | head`)
        return 0
    except OSError as error:
        if error.errno not in _UNWRITABLE or error.filename is not None:
            raise
        _forget_output()
        print(f"parlour: the output cannot be written: {error.strerror}", file=sys.stderr)
        return 2


def _forget_output() -> None:
    """Keep the interpreter quiet about what it cannot write on exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    parser = _Parser(prog="parlour", description="Small network board games: one table for every wire.")
    parser.add_argument("--version", action="version", version=f"parlour {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    for name, (place, purpose) in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
        if name == wanted:
            import_module(place).arguments(command)
    args = parser.parse_args(arguments)
    result: int = import_module(COMMANDS[args.command][0]).run(args)
    return result
