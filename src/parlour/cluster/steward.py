"""What a node answers over the brokers: how it is, and that it will hand over and end when it is asked to."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import msgspec
from nats.aio.msg import Msg

from parlour.cluster.lease import Holder
from parlour.core.errors import Refusal
from parlour.server.house import House
from parlour.server.lifecycle import Stop
from parlour.server.metrics import Figure
from parlour.store.archivist import Archivist
from parlour.store.brokers import Brokers, Failure
from parlour.store.jetstream import JetstreamLog, Kept
from parlour.store.shelf import shelf_of

NODES = "parlour.nodes"
"""Where all nodes are asked at once how they are."""
DRAIN = b"drain"


def subject_of(holder: Holder) -> str:
    """Where one process is asked: its name may be any word, its life is a number."""
    return f"parlour.node.{holder.life}"


class ShelfState(msgspec.Struct, frozen=True):
    """A shelf, as its keeper knows it."""

    shelf: int
    node: str
    tables: int
    """Open there."""
    lag: int
    """Records that are not in the archive yet."""
    lag_seconds: float
    """How long the oldest of these has waited."""
    sequence: int
    """Of the last message."""
    archived: int
    """Up to which message the archive has it."""


class NodeState(msgspec.Struct, frozen=True):
    """How a node is, by its own word."""

    node: str
    address: str
    tables: int
    connections: int
    version: str
    life: str
    status: str
    """`ready`, or why no game can be begun there."""
    archive: str
    """Why it does not reach the archive; empty while it does."""
    commits_waiting: int
    commit_seconds: float
    """How long the longest of these has waited."""
    shelves: list[ShelfState]


class Steward:
    def __init__(self, brokers: Brokers, me: Holder, log: JetstreamLog, house: House, stop: Stop) -> None:
        self._brokers = brokers
        self._me = me
        self._log = log
        self._house = house
        self._stop = stop

    async def open(self) -> None:
        """Answer from now on."""
        await self._brokers.client.subscribe(NODES, cb=self._tell)
        await self._brokers.client.subscribe(subject_of(self._me), cb=self._act)

    async def _tell(self, message: Msg) -> None:
        with suppress(*Failure):
            await message.respond(msgspec.json.encode(self.state()))

    async def _act(self, message: Msg) -> None:
        if message.data == DRAIN:
            self._stop.ask()
        await self._tell(message)

    def behind(self) -> float:
        """How many seconds the archive is behind our shelves."""
        return max((archivist.backlog.seconds(time.time()) for _, archivist in self._archivists()), default=0.0)

    def _archivists(self) -> Iterator[tuple[Kept, Archivist]]:
        for kept in self._log.shelves:
            if isinstance(kept.archiving, Archivist):
                yield kept, kept.archiving

    def state(self) -> NodeState:
        house, me = self._house, self._me
        waiting, seconds = self._log.waiting()
        refusing = Refusal.DRAINING if self._stop.asked.is_set() else house.hub.refusing
        return NodeState(
            node=me.node,
            address=me.address,
            tables=len(house.hub.tables),
            connections=len(house.links),
            version=me.version,
            life=me.life,
            status="ready" if refusing is None else refusing.value,
            archive=str(house.archive.away() or ""),
            commits_waiting=waiting,
            commit_seconds=round(seconds, 3),
            shelves=self._shelves(),
        )

    def _shelves(self) -> list[ShelfState]:
        tables, now = Counter(shelf_of(table.no) for table in list(self._house.hub.tables.values())), time.time()
        return [
            ShelfState(
                shelf=kept.shelf.number,
                node=self._me.node,
                tables=tables[kept.shelf.number],
                lag=archivist.backlog.records,
                lag_seconds=round(archivist.backlog.seconds(now), 3),
                sequence=kept.shelf.settled,
                archived=archivist.upto,
            )
            for kept, archivist in self._archivists()
        ]


def figures(state: NodeState) -> Iterator[Figure]:
    """What there is to measure of a node beyond its house."""
    node = {"node": state.node}
    yield "node_info", "1, with the name and the version of this node.", {**node, "version": state.version}, 1
    yield "archive_ok", "1 while the archive answers.", node, not state.archive
    yield "commits_waiting", "Batches that wait for the brokers.", node, state.commits_waiting
    yield "commit_wait_seconds", "How long the longest of these has waited.", node, state.commit_seconds
    for shelf in state.shelves:
        labels = {**node, "shelf": str(shelf.shelf)}
        yield "shelf_sequence", "The last message of a shelf that is kept here.", labels, shelf.sequence
        yield "shelf_tables", "Open tables of a shelf.", labels, shelf.tables
        yield "archive_lag_records", "Records that are not in the archive yet.", labels, shelf.lag
        yield "archive_lag_seconds", "How long the oldest of these has waited.", labels, shelf.lag_seconds
