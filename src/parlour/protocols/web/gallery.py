"""How many watch a table: told to its browsers when the number changes, but not at once.

In a crowd the number changes with every spectator who comes and is worth little, so it is told less often there.
"""

from parlour.core.house.hub import Hub
from parlour.core.table.table import Table
from parlour.protocols.web import spell, views
from parlour.protocols.web.answers import Watchers
from parlour.protocols.web.updates import Words

COUNTING = 1.0
"""Seconds for which the number may be out of date, for every CROWD who watch."""
CROWD = 500


class Gallery:
    """The numbers as they were told."""

    def __init__(self, hub: Hub, wire: str) -> None:
        self._hub = hub
        self._wire = wire
        self._told: dict[Table, int] = {}
        self._due: set[Table] = set()

    def mind(self, table: Table) -> None:
        """Something about the table has changed: the number, perhaps."""
        count = views.watchers(table)
        if count != self._told.get(table, 0) and table not in self._due:
            self._due.add(table)
            self._hub.alarm(COUNTING * (1 + count // CROWD), lambda: self._tell(table))

    def forget(self, table: Table) -> None:
        self._told.pop(table, None)
        self._due.discard(table)

    def _tell(self, table: Table) -> None:
        self._due.discard(table)
        count = views.watchers(table)
        if not self._hub.is_live(table) or count == self._told.get(table, 0):
            return
        if count:
            self._told[table] = count
        else:
            self._told.pop(table, None)
        words = Words((spell.encode(Watchers(table.id, count)),))
        for who in table.present():
            if who.wire == self._wire:
                who.tell(words)
