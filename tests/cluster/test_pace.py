"""A node that has much to write begins its next batch a moment later."""

from collections.abc import Callable
from random import Random
from typing import Any, cast

from parlour.cluster.roaming import MANY, PACE_SECONDS, NodeHouse, NodeHub
from parlour.core.table.table import Table
from parlour.core.words import Interrupted, Opened, Policy, Record
from parlour.registry import games
from parlour.store.base import Batch, Done
from parlour.store.memory import MemoryStore


class Slow(MemoryStore):
    """Commits when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.committing: list[tuple[Batch, Done]] = []

    def batch(self) -> Any:
        return Batch()

    def commit(self, batch: Batch, done: Done) -> None:
        self.committing.append((batch, done))


class Node:
    """Its time is turned by hand."""

    def __init__(self) -> None:
        self.store = Slow()
        self.soon: list[Callable[[], None]] = []
        self.later: list[Callable[[], None]] = []
        self.house = NodeHouse(self.store, self.store, self.soon.append, lambda: 1000.0, lambda _: None)
        self.house.connect(NodeHub(games(), self.house, cast(Any, None), Random(0), lambda _: ""))
        self.house.call_later = self.call_later  # type: ignore[method-assign]
        self.table = Table(1, games()["glenda"], Opened("t", "glenda", {}, Policy()))

    def call_later(self, seconds: float, action: Callable[[], None]) -> None:
        assert seconds == PACE_SECONDS
        self.later.append(action)

    def write(self, records: int) -> None:
        """So many more records, and everything that follows at once."""
        self.house.wake()
        for _ in range(records):
            self.house.append(self.table, Record(1, 1000.0, Interrupted()))
        self.settle()

    def settle(self) -> None:
        while self.soon:
            self.soon.pop(0)()

    def commit(self) -> int:
        """The log has the batch; how many records it has."""
        ((batch, done),) = self.store.committing
        self.store.committing = []
        done(None)
        self.settle()
        return len(batch.rows)


def test_behind_a_large_batch_records_gather_for_a_moment() -> None:
    node = Node()
    node.write(MANY + 1)
    node.write(1)
    assert node.commit() == MANY + 1
    node.write(1)
    assert not node.store.committing
    assert not node.house.at_rest
    (go_on,) = node.later
    go_on()
    assert node.commit() == 2


def test_behind_a_small_batch_nothing_waits() -> None:
    node = Node()
    node.write(MANY)
    node.write(1)
    assert node.commit() == MANY
    assert (node.commit(), node.later) == (1, [])
