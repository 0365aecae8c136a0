"""The hub's own stream: which tables there are, and when one of them has changed, for whoever shows them.

Changes are gathered while a command is carried out and told together when it is done, so that a subscriber looks at
tables at rest. For every subscriber a table is opened before anything else is said of it.
"""

import enum
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from parlour.core.table import Table


class Change(enum.Enum):
    """What became of a table."""

    OPENED = "opened"
    CHANGED = "changed"
    CLOSED = "closed"


class Notice(msgspec.Struct, frozen=True):
    """One change, numbered over all tables. What the table is like now, the table says."""

    seq: int
    change: Change
    table: "Table"


Hearing = Callable[[Notice], None]


class Listing:
    """Tells subscribers about tables. A move changes nothing here: whoever wants moves watches the table."""

    def __init__(self) -> None:
        self.seq = 0
        self._hearings: list[Hearing] = []
        self.pending: dict[Table, Change] = {}
        """What has gathered and is not told yet."""

    def subscribe(self, hear: Hearing) -> Callable[[], None]:
        """Tell `hear` of every change from now on, until the returned function is called.

        Whoever subscribes while a command is carried out may hear of a table that it knows already being opened.
        """
        self._hearings.append(hear)
        return lambda: self._hearings.remove(hear)

    def opened(self, table: "Table") -> None:
        self.pending[table] = Change.OPENED

    def touch(self, table: "Table") -> None:
        """Something about the table is not as it was."""
        self.pending.setdefault(table, Change.CHANGED)

    def closed(self, table: "Table") -> None:
        if self.pending.get(table) is Change.OPENED:
            del self.pending[table]  # nobody has heard of it
        else:
            self.pending[table] = Change.CLOSED

    def publish(self) -> None:
        """Tell what has gathered, in the order in which it began."""
        while self.pending:
            table = next(iter(self.pending))
            change = self.pending.pop(table)
            self.seq += 1
            if self._hearings:
                notice = Notice(self.seq, change, table)
                for hear in tuple(self._hearings):
                    hear(notice)
