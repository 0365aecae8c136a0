"""Shelves that go from node to node in quick succession, as on a machine that is too busy, under a running game.

Whatever happens at whatever moment of it: who is still connected knows everything that is in the log, once and in
order, and the game goes on. Losing the connection is allowed to those only whose node has lost the shelf itself, in a
moment when something was on its way to them, and to their opponents.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from random import Random
from typing import cast

import pytest

from parlour.cluster import frames
from parlour.cluster.owner import Said
from parlour.cluster.roaming import NodeEdge, NodeRelay
from parlour.core.errors import Refusal
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Evicted
from parlour.core.words import Closed, Opened, Played, Policy, Record
from parlour.protocols.glendy.codec import hello
from parlour.registry import games
from parlour.store.base import Batch, Fenced
from parlour.store.shelf import shelf_of
from tests.cluster.town import Cable
from tests.cluster.village import NodeWorld, ShelfStore, Village
from tests.world import Wire

STEPS = 60
SEEDS = 300


class FencedStore(ShelfStore):
    """Writes shelves that others may have sealed."""

    node: "Wanderer"

    def let_through(self) -> None:
        batch, done = self.waiting.popleft()
        lost = self.write(batch)
        self.node.shelves -= lost
        done(Fenced("others keep them", frozenset(lost)) if lost else None)

    def write(self, batch: Batch) -> set[int]:
        """Returns on which shelves it cannot be."""
        logs, writers = self.node.county.logs, self.node.county.writers
        for table, record in batch.rows:
            if writers[shelf_of(table.no)] is self.node:
                logs[shelf_of(table.no)].append((table.no, record))
        return {shelf for table in batch.tables if writers[shelf := shelf_of(table.no)] is not self.node}


class Wanderer(NodeWorld):
    make_store = FencedStore
    store: FencedStore

    def __init__(self, village: Village, shelf: int) -> None:
        super().__init__(village, shelf)
        self.county = cast(County, village)
        self.store.node = self
        self.house.open_to_edges(self.life, self.county.past)
        self.roaming_hub.confirm = lambda: self.county.to_do.append(partial(self.county.confirm, self))

    def edge(self, shelf: int) -> NodeEdge:
        if shelf not in self.edges:
            self.edges[shelf] = NodeEdge(self.roaming, shelf)
        return self.edges[shelf]

    def queue_keeper(self) -> str | None:
        return "life1"


class County(Village):
    """A village whose shelves wander. What brokers and other processes have yet to do is done in any order."""

    make_node = Wanderer
    nodes: list[Wanderer]  # type: ignore[assignment]

    def __init__(self) -> None:
        self.logs: dict[int, list[tuple[int, Record]]] = {1: [], 2: [], 3: []}
        self.writers: dict[int, Wanderer] = {}
        self.to_do: deque[Callable[[], None]] = deque()
        super().__init__()
        self.writers = {node.own: node for node in self.nodes}
        self.holders = dict(self.writers)
        self._ways: dict[NodeEdge, Wanderer] = {}
        self.losers: set[Wanderer] = set()

    def past(self, number: int, after: int) -> list[Record]:
        return [record for no, record in self.logs[shelf_of(number)] if no == number and record.seq > after]

    def look(self) -> None:
        """Every edge goes to where its shelf is kept by now."""
        for node in self.nodes:
            for shelf, edge in node.edges.items():
                holder = self.holders[shelf]
                if edge.transport is None:
                    relay = NodeRelay(holder.house)
                    there, back = Cable(self.soon, relay), Cable(self.soon, edge)
                    there.other, back.other = back, there
                    relay.connection_made(back)
                    edge.connection_made(there)
                    self._ways[edge] = holder
                elif self._ways[edge] is not holder:
                    edge.cut()

    def take(self, shelf: int, node: Wanderer) -> None:
        """The lease is another's from now on; the rest follows sooner or later."""
        before = self.holders[shelf]
        if before is not node and shelf not in node.shelves:
            self.holders[shelf] = node
            self.to_do.append(partial(self.lose, shelf, before))
            self.to_do.append(partial(self.seal, shelf, node))

    def lose(self, shelf: int, node: Wanderer) -> None:
        node.house.when_written(partial(self._part, shelf, node))

    def _part(self, shelf: int, node: Wanderer) -> None:
        if shelf in node.shelves and self.holders[shelf] is not node:
            self._give_up(node, {shelf})

    def _give_up(self, node: Wanderer, shelves: set[int]) -> None:
        node.shelves -= shelves
        self.losers.add(node)
        node.house.give_up(Fenced("others keep them", frozenset(shelves)))

    def seal(self, shelf: int, node: Wanderer) -> None:
        if self.holders[shelf] is node and shelf not in node.shelves:
            self.writers[shelf] = node
            by_table: dict[int, list[Record]] = {}
            for number, record in self.logs[shelf]:
                by_table.setdefault(number, []).append(record)
            node.shelves.add(shelf)
            open_tables = [each for each in by_table.items() if not isinstance(each[1][-1].event, Closed)]
            node.house.take_on(open_tables)

    def confirm(self, node: Wanderer) -> None:
        node.house.when_written(partial(self._trust, node))

    def _trust(self, node: Wanderer) -> None:
        lost = {shelf for shelf in node.shelves if self.writers[shelf] is not node}
        if lost:
            self._give_up(node, lost)
        node.roaming_hub.trust()

    def let_through(self) -> bool:
        """The first of what is being written is."""
        for node in self.nodes:
            if node.store.waiting:
                if any(self.writers[shelf_of(table.no)] is not node for table in node.store.waiting[0][0].tables):
                    self.losers.add(node)
                node.house.enter(node.store.let_through)
                return True
        return False

    def do_one(self, number: int) -> None:
        if number < len(self.to_do):
            action = self.to_do[number]
            del self.to_do[number]
            action()

    def settle(self) -> None:
        """Until nothing is left to be done."""
        for _ in range(20):
            self.run()
            while self.to_do or self.let_through():
                if self.to_do:
                    self.to_do.popleft()()
                self.run()
            self.look()
        self.run()


class Player:
    """Puts a wall somewhere at the edge, or walks to and fro in the middle."""

    def __init__(self, node: Wanderer, wire: Wire, trapper: bool) -> None:
        self.node = node
        self.wire = wire
        self._trapper = trapper
        self._heard = b""
        self._sent = 0

    @property
    def lines(self) -> list[bytes]:
        self._heard += self.wire.take()
        return self._heard.splitlines()

    @property
    def told(self) -> list[bytes]:
        return [line for line in self.lines if line.startswith(b"SYNC")]

    @property
    def turns(self) -> int:
        return self.lines.count(b"TURN")

    def play(self) -> None:
        if self.turns > self._sent and not self.wire.closed:
            step = b"p %d %d\n" % divmod(self._sent, 2)[::-1] if self._trapper else (b"m E\n", b"m W\n")[self._sent % 2]
            self._sent += 1
            self.wire.link.data_received(step)


def sit_down(county: County, dice: Random) -> tuple[list[Player], int]:
    """Two people at any nodes, and the shelf of their table; from now on nothing is written by itself."""
    players = []
    for name, side in (("ann", 0), ("ben", 1)):
        node = dice.choice(county.nodes)
        wire = node.connect("glendy", walls="none").send(hello(name, side))
        players.append(Player(node, wire, trapper=side == 0))
        county.settle()
        for _ in range(10):
            county.advance(0.25)
            county.settle()
    assert all(b"WAIT" in player.lines for player in players)
    (shelf,) = {number for number, log in county.logs.items() if log}
    for node in county.nodes:
        node.store.hold = True
    return players, shelf


def wander(seed: int) -> None:
    dice, county = Random(seed), County()
    players, shelf = sit_down(county, dice)
    chances: list[Callable[[], object]] = [
        *(player.play for player in players),
        *(player.play for player in players),
        lambda: county.take(shelf, dice.choice(county.nodes)),
        lambda: county.do_one(dice.randrange(3)),
        county.let_through,
        county.look,
        county.look,
        county.run,
        lambda: [county.soon.popleft()() for _ in range(dice.randrange(12)) if county.soon],
        lambda: (node := dice.choice(county.nodes)).house.enter(node.roaming_hub.doubt),
    ]
    for _ in range(STEPS):
        dice.choice(chances)()
    county.settle()
    check(county, players, shelf)


def check(county: County, players: list[Player], shelf: int) -> None:
    closed = [player for player in players if player.wire.closed]
    if closed:
        assert {player.node for player in closed} & county.losers
        county.advance(5)
        county.settle()
        assert all(player.wire.closed for player in players)
        return
    for _ in range(4):
        for player in players:
            player.play()
            county.settle()
    logged = [record.event.move for _, record in county.logs[shelf] if isinstance(record.event, Played)]
    told = [b"SYNC %d %s" % (number, move.partition(" ")[2].encode()) for number, move in enumerate(logged, 1)]
    assert len(logged) >= 4
    for player in players:
        assert player.told == told
    seqs = [record.seq for _, record in county.logs[shelf]]
    assert seqs == list(range(1, len(seqs) + 1))


@pytest.mark.parametrize("first", range(0, SEEDS, 100))
def test_who_is_connected_is_told_everything_and_plays_on(first: int) -> None:
    for seed in range(first, first + 100):
        try:
            wander(seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


def hand_over(seed: int) -> None:
    dice, county = Random(seed), County()
    players, shelf = sit_down(county, dice)
    chances = [*(player.play for player in players), county.let_through, county.run]
    for _ in range(3):
        node = county.holders[shelf]
        for _ in range(dice.randrange(10)):
            dice.choice(chances)()
        node.house.enter(node.roaming_hub.put_off)
        decided = [each.seq for each in node.hub.tables.values()]
        for _ in range(STEPS):
            dice.choice(chances)()
        assert node.house.at_rest
        assert [each.seq for each in node.hub.tables.values()] == decided
        county.take(shelf, dice.choice([each for each in county.nodes if each is not node]))
        county.lose(shelf, node)
        node.house.enter(node.roaming_hub.trust)
        county.settle()
    check(county, players, shelf)
    assert not any(player.wire.closed for player in players)


def test_no_one_is_dropped_by_a_node_that_hands_its_shelf_over_while_people_play() -> None:
    for seed in range(100):
        try:
            hand_over(seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


def table(shelf: int) -> Table:
    return Table(shelf << 32 | 7, games()["glenda"], Opened("x", "glenda", {}, Policy()))


def test_those_who_came_by_an_edge_keep_their_table_when_others_lose_the_same_one() -> None:
    node, heard = County().nodes[0], list[object]()
    before, late = Participant(heard.append, "Ann", "telnet"), Participant(heard.append, "Ben", "telnet")
    edge, theirs, ours = node.edge(2), table(2), table(2)
    edge.tables[theirs.no] = theirs
    theirs.attach(before, None)
    edge.arrive(before)
    node.roaming.follow(late, ours)
    assert edge.tables == {theirs.no: theirs}
    assert heard == [Evicted(Refusal.LOG_DOWN)]
    theirs.detach(before)
    node.roaming.follow(late, ours)
    assert edge.tables == {ours.no: ours}
    assert late.table is ours


def test_loss_of_one_shelf_takes_nothing_back_that_was_said_of_another() -> None:
    relay = NodeRelay(County().nodes[0].house)
    relay.shelf = 1
    done = [Said(frames.Done(3))]
    ours, others = table(1), table(2)
    assert relay.unsay(done, {others}) == done
    assert relay.unsay(done, {ours, others}) == []
