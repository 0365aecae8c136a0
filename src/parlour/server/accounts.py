"""Registered names: who has them, and whether a player is who they say. All doors ask here.

Passwords are hashed in a thread of their own; what it finds is dealt with on the loop, and it never sees an account.
"""

import hashlib
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar

import msgspec

from parlour.core.accounts import LONGEST_NAME, AccountCallback, Objection, Source, Trouble, folded
from parlour.core.erasing import Erasure
from parlour.core.errors import Banned, LocalError, Refused, TooMuch
from parlour.core.house.gate import PASSWORDS, REGISTRATIONS, Identity
from parlour.core.names import GUEST, clean_name, cut, one_line, reserved, skeletons
from parlour.server.hashing import Hashing, Hop, Question
from parlour.server.house import House
from parlour.store.base import NameTaken, StoredAccount
from parlour.store.passwords import Passwords, fair

if TYPE_CHECKING:
    from parlour.core.ports import Accounts

LONGEST_EMAIL = 254
"""Bytes, as RFC 5321 has it."""
WRONG = (Trouble.WRONG_PASSWORD, Trouble.UNKNOWN)

T = TypeVar("T")


class Roll:
    """The accounts of this house, all of them in memory; the store has what a restart must not forget.

    `hop` calls something on the loop from any thread. `passwords` is called once, in the thread that does the hashing.
    """

    def __init__(self, house: House, passwords: Callable[[], Passwords], hop: Hop) -> None:
        self._house = house
        self._accounts: dict[str, StoredAccount] = {}
        self._withdrawn: dict[str, StoredAccount] = {}
        """Accounts that are about to be removed."""
        self._looks: dict[str, str] = {}
        """By what a name looks like, the key of its account; where two are alike since earlier times, the older one."""
        self.changed: Callable[[], None] = lambda: None
        """Is told that what the store has of accounts is not as it was."""
        self.load(house.archive.accounts())
        self._registering: set[str] = set()
        """What the names look like that are just being registered, or removed."""
        self._passwords = cache(passwords)
        self._hashing = Hashing(hop)

    def load(self, accounts: Iterable[StoredAccount]) -> list[str]:
        """Know what the store has; returns the names of those who are no more."""
        before = self._accounts
        found = {folded(account.name): account for account in accounts}
        self._accounts = {key: account for key, account in found.items() if key not in self._withdrawn}
        self._looks = {}
        for account in sorted(self._accounts.values(), key=lambda account: account.created):
            self._note_look(account.name)
        return [account.name for key, account in before.items() if key not in found]

    def _note_look(self, name: str) -> None:
        for look in skeletons(name):
            self._looks.setdefault(look, folded(name))

    def _find(self, name: str) -> StoredAccount | None:
        """The account of this name, or else of one that looks like it."""
        exact = self._accounts.get(folded(name))
        if exact is not None or not self._looks:
            return exact
        keys = (self._looks[look] for look in skeletons(name) if look in self._looks)
        return next((self._accounts[key] for key in keys), None)

    def registered(self, name: str) -> str | None:
        """This name as its owner spells it; None when it is not registered."""
        account = self._find(name)
        return None if account is None else account.name

    def password_digest(self, name: str) -> str:
        """A digest of what is kept of the password, salt and all: it tells nothing but that it is still the same."""
        account = self._accounts.get(folded(name))
        return "" if account is None else hashlib.blake2b(account.password.encode(), digest_size=9).hexdigest()

    def close(self) -> None:
        """Callers that still wait for an answer get none."""
        self._hashing.close()

    # --- logging in --------------------------------------------------------------------------------------------------

    def check(self, name: str, password: str, source: Source, done: AccountCallback) -> None:
        """Whether this password belongs to the name. Wrong ones are counted."""
        if self._house.archive.away() is not None:  # it may have another password by now, or none
            self._later(partial(done, Trouble.FAILED))
            return
        account = self._find(name)
        kept = None if account is None else account.password
        caller = Identity(address=source.address, name=folded(name if account is None else account.name))

        def tell(found: Objection) -> None:
            if found not in WRONG and not isinstance(found, TooMuch):  # which was never counted
                self._house.gate.refund(PASSWORDS, caller)
            done(found)

        def look() -> tuple[bool, str | None]:
            passwords = self._passwords()
            right = passwords.belongs(password, kept)
            outdated = right and kept is not None and passwords.outdated(kept)
            return right, passwords.hashed(password) if outdated else None

        def conclude(found: tuple[bool, str | None]) -> None:
            right, renewed = found
            if account is None:
                tell(Trouble.UNKNOWN)
            elif renewed is None:
                tell(None if right else Trouble.WRONG_PASSWORD)
            else:  # answered once it is written: the digest of its password is another one then
                self._keep(msgspec.structs.replace(account, password=renewed), lambda _: tell(None))

        self._ask(source, look, conclude, tell, lambda: self._charged(PASSWORDS, caller, name, done))

    def change(self, name: str, password: str, source: Source, done: AccountCallback) -> None:
        """Give an account another password; done once it is written. The owner asks: the caller has checked."""
        account = self._accounts.get(folded(name))
        if account is None or not fair(password, account.name):
            self._later(partial(done, Trouble.UNKNOWN if account is None else Trouble.POOR_PASSWORD))
            return
        owner = account

        def conclude(kept: str) -> None:
            self._keep(msgspec.structs.replace(owner, password=kept), done)

        self._ask(source, lambda: self._passwords().hashed(password), conclude, done)

    # --- leaving -----------------------------------------------------------------------------------------------------

    def withdraw(self, name: str) -> None:
        """No one can log in by this name any more, and what was sealed for it is worth nothing."""
        key = folded(name)
        self._withdrawn[key] = self._accounts.pop(key)
        self._looks = {look: of for look, of in self._looks.items() if of != key}
        self._registering |= skeletons(name)

    def remove(self, name: str, alias: str, done: AccountCallback) -> None:
        """Remove an account that was withdrawn; done once that is written. If it cannot be, the account is back."""
        account = self._withdrawn.pop(folded(name))

        def written(error: LocalError | None) -> None:
            self._registering -= skeletons(name)
            if error is not None:
                self._accounts[folded(name)] = account
                self._note_look(name)
                self._house.complain(f"{error}; the account {account.name} is not removed")
            else:
                self.changed()
            self._house.enter(partial(done, None if error is None else Trouble.FAILED))

        self._house.archive.drop_account(Erasure(account.name, alias), written)

    # --- registering -------------------------------------------------------------------------------------------------

    def register(self, name: str, password: str, email: str, source: Source, done: AccountCallback) -> None:
        """Register this name; done once it is written."""
        looks = skeletons(name)
        trouble = self._objection(name, looks, password)
        if trouble is not None:
            self._later(partial(done, trouble))
            return
        caller = Identity(address=source.address)
        if not self._charged(REGISTRATIONS, caller, name, done):
            return
        self._registering |= looks

        def answer(trouble: Objection) -> None:
            self._registering -= looks
            if trouble is not None:
                self._house.gate.refund(REGISTRATIONS, caller)
            done(trouble)

        def conclude(kept: str) -> None:
            address = cut(one_line(email), LONGEST_EMAIL)
            self._keep(StoredAccount(name, kept, address, self._house.clock()), answer)

        self._ask(source, lambda: self._passwords().hashed(password), conclude, answer)

    def _objection(self, name: str, looks: frozenset[str], password: str) -> Trouble | None:
        try:
            if name != clean_name(name) or len(name.encode()) > LONGEST_NAME:
                return Trouble.BAD_NAME
        except Refused:
            return Trouble.BAD_NAME
        if reserved(name) or name.endswith(GUEST) or self._find(name) or not looks.isdisjoint(self._registering):
            return Trouble.TAKEN
        return None if fair(password, name) else Trouble.POOR_PASSWORD

    def _keep(self, account: StoredAccount, done: AccountCallback) -> None:
        """An account is there once it is written."""

        def written(error: LocalError | None) -> None:
            if error is None:
                self._accounts[folded(account.name)] = account
                self._note_look(account.name)
                self.changed()
                self._house.enter(partial(done, None))
            elif isinstance(error, NameTaken):
                self._house.enter(partial(done, Trouble.TAKEN))
            else:
                self._house.complain(f"{error}; the account {account.name} is not kept")
                self._house.enter(partial(done, Trouble.FAILED))

        self._house.archive.keep_account(account, written)

    # --- whether, and when -------------------------------------------------------------------------------------------

    def _charged(self, what: str, caller: Identity, name: str, done: AccountCallback) -> bool:
        """Whether this may be tried at all; if not, `done` is told why."""
        house = self._house
        try:
            house.hub.bans.require_welcome(name, house.clock())
            house.gate.charge(what, caller)
        except (Banned, TooMuch) as error:
            self._later(partial(done, error))
        else:
            return True
        return False

    def _ask(
        self,
        source: Source,
        question: Callable[[], T],
        conclude: Callable[[T], None],
        done: AccountCallback,
        allowed: Callable[[], bool] = lambda: True,
    ) -> None:
        """Have the thread find something out; what it leads to is flushed like everything else."""
        house = self._house

        def found(answer: "Future[T]") -> None:
            error = answer.exception()
            if error is None:
                house.enter(partial(conclude, answer.result()))
            else:
                house.complain(f"a password could not be looked at: {type(error).__name__}: {error}")
                house.enter(partial(done, Trouble.FAILED))

        def refused(excess: TooMuch) -> None:
            self._later(partial(done, excess))

        self._hashing.put(source, Question(question, found, refused, allowed))

    def _later(self, answer: Callable[[], None]) -> None:
        self._house.call_soon(partial(self._house.enter, answer))


if TYPE_CHECKING:

    def _are_accounts(roll: Roll) -> Accounts:
        return roll
