"""Engines play where there is room for them."""

from random import Random
from typing import Any, cast

import pytest

from parlour.cluster.bus import Present, Word
from parlour.cluster.queueing import HouseQueue
from parlour.cluster.roaming import NodeHouse, NodeHub, Roaming
from parlour.core.errors import Refusal, Refused
from parlour.core.table.people import Participant
from parlour.core.words import Command, Seek
from parlour.registry import games
from parlour.store.memory import MemoryStore

HERE, NEAR, FAR = Present("here", "a", 1), Present("near", "b", 2, spare=1), Present("far", "c", 3, spare=2)
AGAINST_ENGINE = Seek("noughts", {}, "engine")


class Node:
    """One node, whose edges to others only note what they are given."""

    def __init__(self, spare: int) -> None:
        self.spare = spare
        self.said: list[Word] = []
        self.sent: list[tuple[int, Command]] = []
        store = MemoryStore()
        self.house = NodeHouse(store, store, lambda _: None, lambda: 1000.0, lambda _: None)
        self.hub = NodeHub(games(), cast(Any, self), cast(Any, self), Random(0), lambda _: "")
        self.house.connect(self.hub)
        self.house.places = cast(Any, self)
        roaming = Roaming("here", self.house, self.hub, games(), b"")
        roaming.edge = self.edge  # type: ignore[method-assign]
        self.queue = HouseQueue(roaming, self.house, cast(Any, self), HERE, self.said.append, lambda: self.spare)

    def keeps(self, shelf: int) -> bool:
        return shelf == HERE.shelf

    def is_shelf(self, shelf: int) -> bool:
        return shelf in (1, 2, 3)

    def queue_keeper(self) -> str | None:
        return None

    def next_table(self) -> int:
        raise Refused(Refusal.LOG_DOWN)  # it would be opened here

    def edge(self, shelf: int) -> Any:
        node = self

        class Noting:
            def submit(self, who: Participant, command: Command) -> None:
                node.sent.append((shelf, command))

        return Noting()

    def seek(self) -> None:
        self.hub.submit(Participant(lambda _: None), AGAINST_ENGINE)


def test_engine_plays_at_the_node_with_the_most_room_when_there_is_none_here() -> None:
    node = Node(spare=0)
    node.queue.hear(NEAR)
    node.queue.hear(FAR)
    for _ in range(4):
        node.seek()
    assert sorted(shelf for shelf, _ in node.sent) == [2, 3, 3]
    node.queue.hear(NEAR)
    node.seek()
    assert [shelf for shelf, _ in node.sent[3:]] == [2]


@pytest.mark.parametrize(("spare", "others"), [(1, [FAR]), (0, []), (-3, [Present("full", "d", 2)])])
def test_engine_plays_here_when_there_is_room_or_none_anywhere(spare: int, others: list[Present]) -> None:
    node = Node(spare)
    for other in others:
        node.queue.hear(other)
    node.seek()
    assert not node.sent


def test_others_are_told_how_many_engines_are_idle() -> None:
    node = Node(spare=5)
    node.queue.look()
    assert [word.spare for word in node.said if isinstance(word, Present)] == [0, 5]
