"""Clients that must be told their seat when they begin to wait, and come to several nodes at the same moment."""

from collections.abc import Callable
from random import Random
from typing import Any, cast

from parlour.cluster.bus import Present, Word
from parlour.cluster.frames import Meet
from parlour.cluster.queueing import UNTOLD, HouseQueue
from parlour.cluster.roaming import NodeEdge, NodeHouse, NodeHub, Roaming
from parlour.cluster.tickets import Line, Offer, Ticket
from parlour.core.session import Do, Door
from parlour.core.table.people import Participant
from parlour.core.updates import Update, Waiting
from parlour.core.words import Leave, Seek
from parlour.protocols.glendy.messages import Hello
from parlour.protocols.glendy.server import GlendyServer
from parlour.registry import games, protocols
from parlour.store.memory import MemoryStore

HERE, THERE = Present("here", "a", 1), Present("there", "b", 2)
SEEK = Seek("glenda", {"walls": ""}, "human", fallback=0)
KEY = ("glenda", 0.0, 0.0, ())


class Node:
    """One node with time that is turned by hand; nothing that it sends to others arrives."""

    def __init__(self) -> None:
        self.said: list[Word] = []
        self.told: list[Update] = []
        self.alarms: list[tuple[float, Callable[[], None]]] = []
        store = MemoryStore()
        self.house = NodeHouse(store, store, lambda _: None, lambda: 1000.0, lambda _: None)
        self.hub = NodeHub(games(), self.house, cast(Any, None), Random(0), lambda _: "")
        self.house.connect(self.hub)
        self.hub.matchmaker.changed = set()
        self.hub.alarm = lambda seconds, ring: self.alarms.append((seconds, ring))  # type: ignore[method-assign]
        self.house.places = cast(Any, self)
        self.later: list[Callable[[], None]] = []
        self.house.call_later = lambda seconds, action: self.later.append(action)  # type: ignore[method-assign]
        roaming = Roaming("here", self.house, self.hub, games(), b"")
        self.edge = NodeEdge(roaming, THERE.shelf)
        roaming.edge = lambda shelf: self.edge  # type: ignore[method-assign]
        self.queue = HouseQueue(roaming, self.house, cast(Any, self), HERE, self.said.append)
        self.queue.hear(THERE)
        self.alone = False

    def keeps(self, shelf: int) -> bool:
        return shelf == HERE.shelf

    def is_shelf(self, _: int) -> bool:
        return True

    def queue_keeper(self) -> str:
        return THERE.life

    def come(self) -> Participant:
        who = Participant(self.told.append, wire="glendy")
        self.hub.submit(who, SEEK)
        return who

    def let_time_pass(self) -> None:
        alarms, self.alarms = self.alarms, []
        for seconds, ring in alarms:
            assert seconds in (0.0, UNTOLD)
            ring()

    def seats(self) -> list[int | None]:
        """Which those want who wait here, as the others know."""
        self.change()
        return [ticket.seat for line in self.lines()[-1:] for ticket in line.tickets]

    def lines(self) -> list[Line]:
        """What others were told of those who wait here."""
        return [word for word in self.said if isinstance(word, Line)]

    def change(self) -> None:
        """The line may have changed, and the moment is over in which that is not told."""
        self.queue.changed({KEY})
        while self.later:
            self.later.pop()()


def test_one_is_told_the_seat_only_when_another_could_have_met_them() -> None:
    node = Node()
    node.come()
    assert (node.told, node.seats()) == ([], [None])
    node.let_time_pass()
    assert (node.told, node.seats()) == ([Waiting(0)], [0])
    node.let_time_pass()
    assert node.told == [Waiting(0)]


def test_one_who_is_offered_meanwhile_takes_any_seat_and_waits_on_if_refused() -> None:
    node = Node()
    who = node.come()
    (waiter,) = node.hub.matchmaker.line(KEY)
    node.queue.hear(Offer(HERE.life, waiter.number, KEY, THERE.shelf, 7))
    assert [sent.command for sent in node.edge._pending.values()] == [Meet(7, None, KEY)]
    node.let_time_pass()
    assert (node.told, node.seats()) == ([], [])
    node.edge.call_back(who)
    node.queue.refused(waiter)
    assert (node.told, node.seats()) == ([Waiting(0)], [0])


def test_one_is_told_the_other_seat_where_someone_waits_in_the_first_elsewhere() -> None:
    node = Node()
    node.come()
    node.queue.hear(Line(THERE.life, THERE.shelf, KEY, (Ticket(7, 0, 999.0, ""),)))
    node.let_time_pass()
    assert (node.told, node.seats()) == ([Waiting(1)], [1])


def test_one_who_is_alone_in_the_house_is_told_at_once() -> None:
    node = Node()
    node.queue._present.clear()
    node.alone = True
    node.come()
    assert node.told == [Waiting(0)]


def test_one_at_a_node_that_has_not_heard_of_the_others_yet_is_not_told_at_once() -> None:
    node = Node()
    node.queue._present.clear()
    node.come()
    assert node.told == []
    node.queue.hear(THERE)
    node.queue.hear(Line(THERE.life, THERE.shelf, KEY, (Ticket(7, 0, 999.0, ""),)))
    node.let_time_pass()
    assert node.told == [Waiting(1)]


def test_hello_that_comes_meanwhile_ends_the_wait() -> None:
    session = GlendyServer(Door("glendy", {key: each.default for key, each in protocols()["glendy"].keys.items()}))
    session.opened()
    session.timer("grace")
    leave, _, seek = session.receive(Hello("gina", 1))
    assert leave == Do(Leave())
    assert isinstance(seek, Do)
    assert isinstance(seek.command, Seek)
    assert seek.command.seat == 1


def test_those_who_have_met_before_others_are_told_of_them_never_are() -> None:
    node = Node()
    node.queue.changed({KEY})
    ann = node.come()
    node.queue.changed({KEY})
    node.hub.matchmaker.remove(ann)
    node.change()
    assert node.lines() == []


def test_a_line_is_told_when_it_has_changed_and_only_then() -> None:
    node = Node()
    ann = node.come()
    node.change()
    node.change()
    assert [len(line.tickets) for line in node.lines()] == [1]
    node.hub.matchmaker.remove(ann)
    node.change()
    node.change()
    assert [len(line.tickets) for line in node.lines()] == [1, 0]


def test_node_that_is_heard_of_for_the_first_time_is_told_who_waits() -> None:
    node = Node()
    node.come()
    node.change()
    node.queue.hear(THERE)
    assert len(node.lines()) == 1
    node.queue.hear(Present("elsewhere", "elsewhere", 9))
    assert [len(line.tickets) for line in node.lines()] == [1, 1]
