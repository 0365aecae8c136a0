"""Accounts, standings and ratings of a house: read again from the archive when another node has changed them.

The archive has the games of all nodes in one order, and its own rules about names.
"""

import asyncio
from collections.abc import Callable

from parlour.cluster.bus import Counted, Registered, Word
from parlour.cluster.roaming import NodeHouse
from parlour.core.errors import LocalError
from parlour.server.accounts import Roll
from parlour.store.jetstream import JetstreamLog
from parlour.store.postgres import PostgresArchive

SOON = 1.0
"""Seconds after which a game that has ended is counted everywhere: it must be in the archive by then."""
AGAIN = 30.0
"""Seconds after which accounts are read once more: a word may have been lost."""
LATER = 5.0
"""Seconds until the next try, when the archive is away or behind."""


class Counting:
    """What one node does about it. `is_clerk`: whether it keeps the ratings of periods that are over."""

    def __init__(
        self,
        house: NodeHouse,
        log: JetstreamLog,
        archive: PostgresArchive,
        life: str,
        is_clerk: Callable[[], bool],
        say: Callable[[Word], None],
    ) -> None:
        self._house = house
        self._log = log
        self._archive = archive
        self._life = life
        self._is_clerk = is_clerk
        self._say = say
        self._clock = asyncio.get_running_loop().time
        self._due: float | None = None
        self._roll_due = self._clock() + AGAIN
        roll = house.hub.accounts
        assert isinstance(roll, Roll)
        self._roll = roll
        self._changes = 0
        """How often accounts were changed at this node."""
        roll.changed = self._changed

    def _changed(self) -> None:
        self._changes += 1
        self._say(Registered(self._life))

    def hear(self, word: Counted | Registered) -> None:
        """A game has ended somewhere, or accounts have changed."""
        if isinstance(word, Registered):
            self._roll_due = self._clock()
        elif self._due is None:
            self._due = self._clock() + SOON

    async def look(self) -> None:
        """Called a few times a second."""
        if self._clock() >= self._roll_due:
            self._roll_due = self._clock() + AGAIN
            await self._read_roll()
        if self._house.unsettled:
            self._house.unsettled = False
            self._say(Counted(self._life))
            self.hear(Counted(self._life))
        if self._due is None or self._clock() < self._due:
            return
        self._due = None
        if any(kept.archiving.upto < kept.shelf.settled for kept in self._log.shelves) or not await self._count():
            self._due = self._clock() + SOON if self._archive.away() is None else self._clock() + LATER

    async def _read_roll(self) -> None:
        """Know who is registered; those whose account was deleted at another node have to come again."""
        before = self._changes
        try:
            accounts = await asyncio.to_thread(lambda: [*self._archive.accounts()])
        except LocalError:
            self._roll_due = self._clock() + SOON
            return
        if self._changes != before:  # which may have been written behind what was read
            self._roll_due = self._clock()
            return
        gone = set(self._roll.load(accounts))
        for link in list(self._house.links) if gone else ():
            if link.participant is not None and link.participant.account in gone:
                self._house.wake()
                link.dismiss()

    async def _count(self) -> bool:
        try:
            standings, ratings = await asyncio.to_thread(
                lambda: ([*self._archive.standings()], self._archive.ratings())
            )
        except LocalError:
            return False
        closed = self._house.recount(standings, ratings)
        if closed and self._is_clerk():
            self._archive.keep_ratings(closed, lambda _: None)  # what is lost comes with the next recount
        return True
