"""One lobby: every node tells the others how it shows its tables, and shows theirs beside its own.

Words may be lost, so a node tells all of its tables again every few seconds, some at a time, and forgets those of a
node that it has not heard of for long.
"""

from collections.abc import Callable

from parlour.cluster.bus import Cards, Word
from parlour.core.house.hub import Hub
from parlour.core.house.listing import Card, Notice
from parlour.core.table.table import Table
from parlour.registry import protocols

AGAIN = 5.0
"""Seconds in which all tables are told once more."""
LAPSE = 12.0
"""Seconds without a word after which a table is shown no more."""
MOST = 200
"""Cards in one word: brokers take a megabyte."""
NEWEST = 1000
"""As many tables of one node are shown at others."""


class HouseLobby:
    """The tables of this node, for the others, and theirs for this one."""

    def __init__(self, hub: Hub, life: str, say: Callable[[Word], None]) -> None:
        self._hub = hub
        self._life = life
        self._say = say
        self._wires = dict(protocols())
        self._changed: dict[Table, None] = {}
        self._closed: list[str] = []
        self._told_at = float("-inf")
        self._heard: dict[str, tuple[str, float]] = {}
        """By id of a table, which node has shown it, and when."""
        hub.listing.subscribe(self._note)

    def _note(self, notice: Notice) -> None:
        table = notice.table
        if self._hub.is_live(table):
            self._changed[table] = None
            self._forget(table.id)
        else:
            self._changed.pop(table, None)
            self._closed.append(table.id)

    def tell_all(self) -> None:
        """Someone has come who knows nothing."""
        self._told_at = float("-inf")

    def look(self) -> None:
        """Called a few times a second: say what has changed, and at times everything."""
        now = self._hub.at
        if now - self._told_at >= AGAIN:
            self._told_at = now
            self._changed = dict.fromkeys([*self._hub.tables.values()][-NEWEST:])
        changed, self._changed = [*self._changed], {}
        closed, self._closed = tuple(self._closed), []
        for start in range(0, max(len(changed), 1 if closed else 0), MOST):
            shown = tuple(map(self._card, changed[start : start + MOST]))
            self._say(Cards(self._life, shown, closed if not start else ()))
        for table_id in [each for each, (_, at) in self._heard.items() if now - at > LAPSE]:
            self._forget(table_id)

    def _card(self, table: Table) -> Card:
        return Card(table.id, {name: row for name, wire in self._wires.items() if (row := wire.row(table))})

    def hear(self, cards: Cards) -> None:
        if cards.life == self._life:
            return
        for card in cards.shown:
            if card.id not in self._hub.tables:
                self._heard[card.id] = cards.life, self._hub.at
                self._hub.listing.deal(card.id, card)
        for table_id in cards.closed:
            if self._heard.get(table_id, ("", 0.0))[0] == cards.life:
                self._forget(table_id)

    def _forget(self, table_id: str) -> None:
        if self._heard.pop(table_id, None) is not None:
            self._hub.listing.deal(table_id, None)
