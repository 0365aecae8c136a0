"""The hub's own stream: which tables there are, and when one of them has changed, for those who show them.

Changes are gathered while a command is carried out and told together when it is done, so that a subscriber looks at
tables at rest. For every subscriber a table is opened before anything else is said of it.
"""

import enum
from collections.abc import Callable, Mapping

import msgspec

from parlour.core.table.table import Table


class Change(enum.Enum):
    """What became of a table."""

    OPENED = "opened"
    CHANGED = "changed"
    CLOSED = "closed"


class Notice(msgspec.Struct, frozen=True):
    """One change, numbered over all tables. What the table is like now, the table says."""

    seq: int
    change: Change
    table: Table


class Card(msgspec.Struct, frozen=True, array_like=True):
    """A table of another server of the same house, as that server lists it."""

    id: str
    rows: Mapping[str, str]
    """By the name of a wire; those that do not list it are not there."""


Observer = Callable[[Notice], None]


class Listing:
    """Tells subscribers about tables. A move changes nothing here: an observer that wants moves watches the table."""

    def __init__(self) -> None:
        self.seq = 0
        self._observers: list[Observer] = []
        self.pending: dict[Table, Change] = {}
        """What has gathered and is not told yet."""
        self.elsewhere: dict[str, Card] = {}
        """By id, tables of other servers of the house."""
        self.card_changed: Callable[[str, Card | None], None] = lambda _id, _card: None
        """Hears of a card that is new or another one, or of None when the table is no more."""

    def deal(self, table_id: str, card: Card | None) -> None:
        """Lists a table of another server, or drops it from the list."""
        if self.elsewhere.get(table_id) != card:
            if card is None:
                del self.elsewhere[table_id]
            else:
                self.elsewhere[table_id] = card
            self.card_changed(table_id, card)

    def subscribe(self, observer: Observer) -> Callable[[], None]:
        """Tell `observer` of every change from now on, until the returned function is called.

        One that subscribes while a command is carried out may hear of a table that it knows already being opened.
        """
        self._observers.append(observer)
        return lambda: self._observers.remove(observer)

    def opened(self, table: Table) -> None:
        self.pending[table] = Change.OPENED

    def touch(self, table: Table) -> None:
        """Notes that the table has changed."""
        if table not in self.pending:
            self.pending[table] = Change.CHANGED

    def closed(self, table: Table) -> None:
        if self.pending.get(table) is Change.OPENED:
            del self.pending[table]  # no one has heard of it
        else:
            self.pending[table] = Change.CLOSED

    def publish(self) -> None:
        """Tell what has gathered, in the order in which it began."""
        while self.pending:
            table = next(iter(self.pending))
            change = self.pending.pop(table)
            self.seq += 1
            if self._observers:
                notice = Notice(self.seq, change, table)
                for observer in tuple(self._observers):
                    observer(notice)
