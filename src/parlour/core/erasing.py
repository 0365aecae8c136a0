"""An account that its owner deletes: games stay, as those of "deleted"; nothing leads from there to the name.

In events an account is replaced by an alias of its own: ratings of opponents are reckoned from the same results as
before, and two deleted players of one game stay two. No alias can be registered: it is too long for a name.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from parlour.core.table.table import Table
from parlour.core.words import AnyEvent

DELETED = "deleted"
"""The name under which the games of deleted accounts are shown."""
_LISTS = ("accounts", "stakes")
"""Fields of events that name accounts by seat."""


class Erasure(msgspec.Struct, frozen=True):
    """Which account is erased, and what stands for it from now on."""

    account: str
    alias: str

    @staticmethod
    def of(account: str, secret: str) -> "Erasure":
        return Erasure(account, f"{DELETED} {secret}")

    def apply(self, plain: Any) -> Any:
        """An event, or a part of one, as plain JSON values, of whatever version; without the account."""
        if isinstance(plain, dict):
            changed = {key: self._by_seat(key, value) for key, value in plain.items()}
            return changed | self._person if plain.get("account") == self.account else changed
        return [self.apply(part) for part in plain] if isinstance(plain, list | tuple) else plain

    def _by_seat(self, key: str, value: Any) -> Any:
        return list(self._replaced(value)) if key in _LISTS else self.apply(value)

    def _replaced(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(self.alias if name == self.account else name for name in names)

    @property
    def _person(self) -> dict[str, str]:
        return {"name": DELETED, "account": self.alias}

    def apply_to(self, table: Table) -> None:
        """Let a table be what its records would fold to, with this account erased from them."""
        for member in (*table.party.members.values(), *table.party.cast):
            if member.account == self.account:
                member.name, member.account = DELETED, self.alias
        table.stakes = self._replaced(table.stakes)
        for place, record in enumerate(table.ring):
            table.ring[place] = msgspec.structs.replace(record, event=self.event(record.event))
        if table.result is not None:
            end = table.result
            accounts, stakes = self._replaced(end.accounts), self._replaced(end.stakes)
            table.result = msgspec.structs.replace(end, accounts=accounts, stakes=stakes)

    def event(self, event: AnyEvent) -> AnyEvent:
        """An event without the account."""
        plain = msgspec.to_builtins(event)
        changed = self.apply(plain)
        return event if changed == plain else msgspec.convert(changed, AnyEvent)
