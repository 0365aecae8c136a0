"""`parlour accounts`: the registered names, and those that are banned, for the host."""

import argparse
import getpass
import sys
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from queue import SimpleQueue
from secrets import token_hex

import msgspec

from parlour.core.accounts import folded
from parlour.core.erasing import Erasure
from parlour.core.errors import LocalError
from parlour.core.house.bans import Ban, Bans, subject
from parlour.languages import ENGLISH, text
from parlour.store.base import StoredAccount
from parlour.store.passwords import LONGEST, Passwords, fair
from parlour.store.places import Place, change_bans, kept_bans, open_library, opened_archive, prepare
from parlour.tools import place
from parlour.tools.scoresheet import iso, plain

ABOUT_ALL = ("list", "bans")
ACTIONS = ("list", "remove", "password", "ban", "unban", "bans")
UNITS = {"m": 60, "h": 3600, "d": 86_400}


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = "list them, remove one, give one a new password; ban a name or an address, lift a ban, list the bans"
    parser.add_argument("action", choices=ACTIONS, help=actions)
    parser.add_argument("name", metavar="NAME", nargs="?", help="whose account; of bans also an address or a network")
    parser.add_argument("--until", metavar="T", help="when a ban ends: 2030-01-31T18:00 (UTC), 30m, 12h or 7d from now")
    place.arguments(parser)


def run(args: argparse.Namespace) -> int:
    if (args.action in ABOUT_ALL) != (args.name is None):
        raise LocalError(f"accounts {args.action} {'takes no' if args.name else 'needs a'} name")
    if args.until is not None and args.action != "ban":
        raise LocalError("--until is for accounts ban")
    where = place.place_of(args)
    if "ban" in args.action:
        return _bans(where, args)
    accounts = _read(where)
    if args.action == "list":
        _print(accounts)
        return 0
    account = next((account for account in accounts if folded(account.name) == folded(args.name)), None)
    if account is None:
        print(f"parlour: there is no account {plain(args.name)}", file=sys.stderr)
        return 1
    return _change(where, account, args.action)


# --- bans -----------------------------------------------------------------------------------------------------------


def _bans(where: Place, args: argparse.Namespace) -> int:
    """Beside a server, too: it looks at the bans every few seconds."""
    now = time.time()
    until = None if args.until is None else _moment(args.until, now)
    prepare(where)
    bans = Bans(kept_bans(where))
    if args.action == "bans":
        _print_bans([ban for ban in bans.all if ban.holds(now)])
        return 0
    lifted = bans.for_whom(args.name)
    if args.action == "unban":
        if not any(ban.holds(now) for ban in lifted):
            print(f"parlour: {plain(args.name)} is not banned", file=sys.stderr)
            return 1
        change_bans(where, [], lifted)
        return 0
    whom = subject(args.name)
    if not whom:
        raise LocalError("that is neither a name nor an address")
    ended = [ban for ban in bans.all if not ban.holds(now)]
    change_bans(where, [Ban(whom, until)], [*lifted, *ended])
    return 0


def _moment(text: str, now: float) -> float:
    """A time to come. Raises LocalError."""
    if text[-1:] in UNITS and text[:-1].isdecimal() and len(text) < 8:
        moment = now + int(text[:-1]) * UNITS[text[-1]]
    else:
        moment = _date(text)
    if moment <= now:
        raise LocalError(f"--until {plain(text)}: that time is past")
    return moment


def _date(text: str) -> float:
    """A time in ISO 8601. Raises LocalError."""
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise LocalError(f"--until {plain(text)}: give a date like 2030-01-31T18:00, or 30m, 12h, 7d") from None


def _print_bans(bans: list[Ban]) -> None:
    if not bans:
        print("There are no bans.", file=sys.stderr)
        return
    width = max(4, *(len(ban.whom) for ban in bans))
    print(f"{'WHOM':{width}}  UNTIL (UTC)")
    for ban in bans:
        until = "for good" if ban.until is None else iso(ban.until)[:16].replace("T", " ")
        print(f"{plain(ban.whom):{width}}  {until}")


# --- accounts -------------------------------------------------------------------------------------------------------


def _read(where: Place) -> list[StoredAccount]:
    with closing(open_library(where)) as library:
        return library.accounts()


def _print(accounts: list[StoredAccount]) -> None:
    if not accounts:
        print("There are no registered names yet.", file=sys.stderr)
        return
    print(f"{'NAME':16}  {'REGISTERED (UTC)':16}  EMAIL")
    for account in accounts:
        registered = iso(account.created)[:16].replace("T", " ")
        print(f"{plain(account.name):16}  {registered}  {plain(account.email)}".rstrip())


def _change(where: Place, account: StoredAccount, action: str) -> int:
    """What a running server has in memory no other process may change, so the store is asked before the host is."""
    with opened_archive(where) as store:
        if action == "remove":
            erasure = Erasure.of(account.name, token_hex(8))
            _finish(lambda done: store.drop_account(erasure, done))
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
