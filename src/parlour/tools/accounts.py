"""`parlour accounts`: the registered names, for the host."""

import argparse
import getpass
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue

import msgspec

from parlour.config import data_directory
from parlour.core.accounts import folded
from parlour.core.errors import LocalError
from parlour.languages import ENGLISH, text
from parlour.store.base import StoredAccount
from parlour.store.library import SqliteLibrary
from parlour.store.passwords import LONGEST, Passwords, fair
from parlour.store.sqlite import SqliteStore
from parlour.tools.scoresheet import iso, plain

ACTIONS = ("list", "remove", "password")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS, help="list them, remove one, or give one a new password")
    parser.add_argument("name", metavar="NAME", nargs="?", help="whose account, in upper or lower case")
    parser.add_argument("--data", metavar="DIR", help="where the log is (default: the user data directory)")


def run(args: argparse.Namespace) -> int:
    if (args.action == "list") != (args.name is None):
        raise LocalError("accounts list takes no name" if args.name else f"accounts {args.action} needs a name")
    directory = data_directory(args.data)
    accounts = _read(directory)
    if args.action == "list":
        _print(accounts)
        return 0
    account = next((account for account in accounts if folded(account.name) == folded(args.name)), None)
    if account is None:
        print(f"parlour: there is no account {plain(args.name)}", file=sys.stderr)
        return 1
    return _change(directory, account, args.action)


def _read(directory: Path) -> list[StoredAccount]:
    with closing(SqliteLibrary(directory)) as library:
        return library.accounts()


def _print(accounts: list[StoredAccount]) -> None:
    if not accounts:
        print("Nobody has registered yet.", file=sys.stderr)
        return
    print(f"{'NAME':16}  {'REGISTERED (UTC)':16}  EMAIL")
    for account in accounts:
        registered = iso(account.created)[:16].replace("T", " ")
        print(f"{plain(account.name):16}  {registered}  {plain(account.email)}".rstrip())


def _change(directory: Path, account: StoredAccount, action: str) -> int:
    """What a running server has in memory no other process may change, so the store is asked before the host is."""
    with closing(SqliteStore(directory, "power")) as store:
        if action == "remove":
            _finish(lambda done: store.drop_account(account.name, done))
            return 0
        password = _ask_password(account.name)
        if not fair(password, account.name):
            print(f"parlour: {text(ENGLISH, 'refusal.poor-password')}", file=sys.stderr)
            return 1
        renewed = msgspec.structs.replace(account, password=Passwords().hashed(password))
        _finish(lambda done: store.keep_account(renewed, done))
        return 0


def _ask_password(name: str) -> str:
    """The new password: typed unseen, or the first line of standard input."""
    try:
        if sys.stdin is not None and sys.stdin.isatty():
            return getpass.getpass(f"New password for {plain(name)}: ")
        return "" if sys.stdin is None else sys.stdin.readline(4 * LONGEST).rstrip("\r\n")
    except EOFError:
        return ""
    except UnicodeDecodeError as error:
        raise LocalError(f"the new password is not text: {error.reason}") from error


def _finish(ask: Callable[[Callable[[LocalError | None], None]], None]) -> None:
    """Wait until it is written."""
    outcome: SimpleQueue[LocalError | None] = SimpleQueue()
    ask(outcome.put)
    error = outcome.get()
    if error is not None:
        raise error
