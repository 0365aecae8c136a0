"""A node of a house on several machines: the shelf that it keeps, the archive, and the leases that say so."""

import asyncio
import socket
from collections.abc import Callable, Iterable
from secrets import token_hex
from typing import TYPE_CHECKING

from parlour import __version__
from parlour.cluster.lease import RENEW, TTL, Holder, Leases, shelf_lease
from parlour.cluster.steward import Steward
from parlour.core.errors import LocalError
from parlour.core.words import Record
from parlour.server import app
from parlour.server.app import Keeping
from parlour.server.house import House
from parlour.server.lifecycle import Stop
from parlour.server.metrics import Figure
from parlour.server.settings import Settings
from parlour.store.archivist import Archivist
from parlour.store.base import Log
from parlour.store.brokers import Brokers, connect
from parlour.store.jetstream import JetstreamLog, Kept
from parlour.store.postgres import PostgresArchive
from parlour.store.shelf import Shelf, shelves

if TYPE_CHECKING:
    from parlour.store.base import Archive

PATIENCE = 3 * TTL
"""Seconds for the lease of a process that was killed to run out."""


def serve(settings: Settings) -> None:
    """Run a node until a signal says stop. Raises LocalError for whatever keeps it from starting."""
    app.serve(settings, open_node)


class Node(Keeping):
    """What a node keeps, and how it finds it again after it was killed."""

    log: JetstreamLog
    archive: PostgresArchive

    def __init__(self, brokers: Brokers, archive: PostgresArchive, leases: Leases) -> None:
        self.brokers = brokers
        self.archive = archive
        self.leases = leases
        self.log = JetstreamLog(self._open_shelf)
        self._steward: Steward | None = None

    async def open(self) -> None:
        await self.leases.open()
        await self.log.open()

    async def begin(self, house: House, stop: Stop) -> None:
        self._steward = steward = Steward(self.brokers, self.leases.me, self.log, house, stop)
        house.behind = steward.behind
        await steward.open()

    def figures(self) -> Iterable[Figure]:
        return () if self._steward is None else self._steward.figures()

    def announce(self) -> None:
        print(f"node {self.leases.me.node}")

    async def close(self) -> None:
        """Hand everything over in good order: nobody has to wait for a lease to run out."""
        for kept in self.log.shelves:
            if isinstance(kept.archiving, Archivist):
                await kept.archiving.finish()
        self.log.close()
        await self.leases.close()
        await self.brokers.close()
        self.archive.close()

    # --- shelves -----------------------------------------------------------------------------------------------------

    async def _open_shelf(self) -> Kept:
        """The shelf that we kept last, if it can be had; or else a new one."""
        mine, numbers = await self._shelves_of_ours(), await shelves(self.brokers)
        for number in mine:
            if await self._take(number):
                return await self.keep(number)
        number = max([0, *numbers, *await self._in_thread(self.archive.shelves)]) + 1
        while not await self._take(number):
            number += 1
        return await self.keep(number)

    async def keep(self, number: int) -> Kept:
        """A shelf whose lease we have."""
        shelf = Shelf(self.brokers, number, self.leases.me.node)
        await shelf.create()
        return Kept(shelf, Archivist(self.archive.pool, shelf))

    async def adopt(self, number: int, over: Holder | None = None) -> list[tuple[int, list[Record]]] | None:
        """Keep the shelf of a node that is believed dead, too: its open tables; None if another was quicker."""
        if not await self.leases.take(shelf_lease(number), over):
            return None
        return await self.log.adopt(await self.keep(number))

    async def _shelves_of_ours(self) -> list[int]:
        """Those whose last batch was this node's."""
        found = []
        for number in await shelves(self.brokers):
            keeper = await Shelf(self.brokers, number, "").keeper()
            if keeper == self.leases.me.node:
                found.append(number)
        return found

    async def _take(self, number: int) -> bool:
        """Have the lease of a shelf. One that has our own name on it was left by a process that was killed."""
        clock = asyncio.get_running_loop().time
        name, end = shelf_lease(number), clock() + PATIENCE
        while not await self.leases.take(name):
            holder = self.leases.holder(name)
            if holder is not None and holder.node != self.leases.me.node:
                return False
            if clock() > end:
                raise LocalError(f"there is a node {self.leases.me.node} already; --node gives this one another name")
            await asyncio.sleep(RENEW / 3)
        return True

    async def _in_thread(self, work: Callable[[], dict[int, int]]) -> dict[int, int]:
        return await asyncio.get_running_loop().run_in_executor(None, work)


async def open_node(settings: Settings) -> Node:
    """Raises LocalError for brokers or an archive that cannot be used."""
    assert settings.cluster is not None
    assert settings.archive is not None
    name = settings.node or socket.gethostname()
    if not name.isprintable() or "/" in name or " " in name:
        raise LocalError(f"{name!r} cannot be the name of a node: no spaces and no slashes")
    urls = [url.strip() for url in settings.cluster.split(",")]
    brokers = await connect(urls, settings.replicas, f"parlour {name}")
    try:
        archive = await asyncio.get_running_loop().run_in_executor(None, PostgresArchive, settings.archive)
        me = Holder(name, "", __version__, token_hex(8))
        node = Node(brokers, archive, Leases(brokers, me))
        await node.open()
    except BaseException:
        await brokers.close()
        raise
    return node


if TYPE_CHECKING:

    def _keeps(node: Node) -> tuple[Log, Archive]:
        return node.log, node.archive
