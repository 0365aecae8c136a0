"""Registered names: who has them, and whether a player is who they say.

Hashing a password takes some hundredths of a second on purpose, so one thread does it for all clients, one after the
other. What it finds is dealt with on the loop; the thread never sees an account.
"""

import hashlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar

import msgspec

from parlour.core.accounts import LONGEST_NAME, Trouble, Verdict, folded
from parlour.core.erasing import Erasure
from parlour.core.errors import LocalError
from parlour.server.house import House
from parlour.store.base import StoredAccount
from parlour.store.passwords import Passwords, fair

if TYPE_CHECKING:
    from parlour.core.ports import Accounts

WAITING = 64
"""Passwords that wait to be looked at, at most: some seconds' worth."""
LONGEST_EMAIL = 254
"""Bytes, as RFC 5321 has it."""

T = TypeVar("T")


class Roll:
    """The accounts of this house, all of them in memory; the store has what a restart must not forget.

    `hop` calls something on the loop from any thread. `passwords` is called once, in the thread that does the hashing.
    """

    def __init__(
        self, house: House, passwords: Callable[[], Passwords], hop: Callable[[Callable[[], None]], object]
    ) -> None:
        self._house = house
        self._hop = hop
        self._accounts = {folded(account.name): account for account in house.store.accounts()}
        self._reserved: set[str] = set()
        """Names that are just being registered."""
        self._withdrawn: dict[str, StoredAccount] = {}
        """Accounts that are about to be removed."""
        self._passwords = cache(passwords)
        self._desk = ThreadPoolExecutor(1, "parlour-passwords")
        self._waiting = 0

    def registered(self, name: str) -> str | None:
        """This name as its owner spells it; None when it is not registered."""
        account = self._accounts.get(folded(name))
        return None if account is None else account.name

    def mark(self, name: str) -> str:
        """A digest of what is kept of the password, salt and all: it tells nothing but that it is still the same."""
        account = self._accounts.get(folded(name))
        return "" if account is None else hashlib.blake2b(account.password.encode(), digest_size=9).hexdigest()

    def close(self) -> None:
        """Callers that still wait for an answer get none."""
        self._desk.shutdown(cancel_futures=True)

    # --- logging in --------------------------------------------------------------------------------------------------

    def check(self, name: str, password: str, done: Verdict) -> None:
        """Whether this password belongs to the name."""
        account = self._accounts.get(folded(name))
        kept = None if account is None else account.password

        def look() -> tuple[bool, str | None]:
            passwords = self._passwords()
            right = passwords.belongs(password, kept)
            outdated = right and kept is not None and passwords.outdated(kept)
            return right, passwords.hashed(password) if outdated else None

        def conclude(found: tuple[bool, str | None]) -> None:
            right, renewed = found
            if account is None:
                done(Trouble.UNKNOWN)
                return
            if renewed is None:
                done(None if right else Trouble.WRONG_PASSWORD)
            else:  # answered once it is written: the mark of its password is another one then
                self._keep(msgspec.structs.replace(account, password=renewed), lambda _: done(None))

        self._ask(look, conclude, done)

    def change(self, name: str, password: str, done: Verdict) -> None:
        """Give an account another password; done once it is written. The owner asks: the caller has checked."""
        account = self._accounts.get(folded(name))
        if account is None or not fair(password):
            self._later(partial(done, Trouble.UNKNOWN if account is None else Trouble.POOR_PASSWORD))
            return
        owner = account

        def conclude(kept: str) -> None:
            self._keep(msgspec.structs.replace(owner, password=kept), done)

        self._ask(lambda: self._passwords().hashed(password), conclude, done)

    # --- leaving -----------------------------------------------------------------------------------------------------

    def withdraw(self, name: str) -> None:
        """No one can log in by this name any more, and what was sealed for it is worth nothing."""
        key = folded(name)
        self._withdrawn[key] = self._accounts.pop(key)
        self._reserved.add(key)

    def remove(self, name: str, alias: str, done: Verdict) -> None:
        """Remove an account that was withdrawn; done once that is written. If it cannot be, the account is back."""
        account = self._withdrawn.pop(folded(name))

        def written(error: LocalError | None) -> None:
            self._reserved.discard(folded(name))
            if error is not None:
                self._accounts[folded(name)] = account
                self._house.complain(f"{error}; the account {account.name} is not removed")
            self._house.enter(partial(done, None if error is None else Trouble.FAILED))

        self._house.store.drop_account(Erasure(account.name, alias), written)

    # --- registering -------------------------------------------------------------------------------------------------

    def register(self, name: str, password: str, email: str, done: Verdict) -> None:
        """Register this name; done once it is written."""
        key = folded(name)
        trouble = self._objection(name, key, password)
        if trouble is not None:
            self._later(partial(done, trouble))
            return
        self._reserved.add(key)

        def answer(trouble: Trouble | None) -> None:
            self._reserved.discard(key)
            done(trouble)

        def conclude(kept: str) -> None:
            self._keep(StoredAccount(name, kept, _readable(email), self._house.clock()), answer)

        self._ask(lambda: self._passwords().hashed(password), conclude, answer)

    def _objection(self, name: str, key: str, password: str) -> Trouble | None:
        if not name.isprintable() or name != name.strip() or not 1 <= len(name.encode()) <= LONGEST_NAME:
            return Trouble.BAD_NAME
        if key in self._accounts or key in self._reserved:
            return Trouble.TAKEN
        return None if fair(password) else Trouble.POOR_PASSWORD

    def _keep(self, account: StoredAccount, done: Verdict) -> None:
        """An account is there once it is written."""

        def written(error: LocalError | None) -> None:
            if error is None:
                self._accounts[folded(account.name)] = account
                self._house.enter(partial(done, None))
            else:
                self._house.complain(f"{error}; the account {account.name} is not kept")
                self._house.enter(partial(done, Trouble.FAILED))

        self._house.store.keep_account(account, written)

    # --- the thread --------------------------------------------------------------------------------------------------

    def _ask(self, question: Callable[[], T], conclude: Callable[[T], None], done: Verdict) -> None:
        """Have the thread find something out; what it leads to is flushed like everything else."""
        if self._waiting >= WAITING:
            self._later(partial(done, Trouble.BUSY))
            return
        self._waiting += 1

        def found(answer: "Future[T]") -> None:
            self._waiting -= 1
            error = answer.exception()
            if error is None:
                self._house.enter(partial(conclude, answer.result()))
            else:
                self._house.complain(f"a password could not be looked at: {type(error).__name__}: {error}")
                self._house.enter(partial(done, Trouble.FAILED))

        def bring(answer: "Future[T]") -> None:
            if not answer.cancelled():
                self._hop(partial(found, answer))

        self._desk.submit(question).add_done_callback(bring)

    def _later(self, answer: Callable[[], None]) -> None:
        self._house.call_soon(partial(self._house.enter, answer))


def _readable(email: str) -> str:
    """As much of it as can be written down."""
    return "".join(letter for letter in email if letter.isprintable()).encode()[:LONGEST_EMAIL].decode(errors="ignore")


if TYPE_CHECKING:

    def _are_accounts(roll: Roll) -> Accounts:
        return roll
