"""A house of three nodes in memory, each with its own shelf, on one loop and one clock."""

from collections import deque
from collections.abc import Callable

from parlour.cluster.bus import Present, Word
from parlour.cluster.lease import Holder
from parlour.cluster.queueing import HouseQueue
from parlour.cluster.roaming import NodeEdge, NodeHouse, NodeHub, NodeRelay, Roaming
from parlour.registry import games
from parlour.server.limits import TICK_SECONDS
from tests.cluster.town import Cable
from tests.world import FakeStore, FirstLegal, World


class ShelfStore(FakeStore):
    def __init__(self, shelf: int) -> None:
        super().__init__()
        self._shelf = shelf

    def next_table(self) -> int:
        return self._shelf << 32 | super().next_table()


class NodeWorld(World):
    make_house = NodeHouse
    make_store = ShelfStore
    house: NodeHouse

    def __init__(self, village: "Village", shelf: int) -> None:
        super().__init__(store=self.make_store(shelf))
        self.village = village
        self.own = shelf
        self.shelves = {shelf}
        self.life = f"life{shelf}"
        self.soon = village.soon
        self.house.call_soon = village.soon.append
        self.house.call_later = lambda seconds, action: village.soon.append(action)  # type: ignore[method-assign]
        hub = NodeHub(games(), self.house, FirstLegal(), self.hub.rng, self.hub.new_secret)
        self.hub = self.roaming_hub = hub
        self.house.connect(hub)
        self.house.places = self
        self.house.open_to_edges(self.life, lambda _no, _after: [])
        self.roaming = Roaming(self.life, self.house, hub, games(), b"")
        self.roaming.edge = self.edge  # type: ignore[method-assign]
        self.edges: dict[int, NodeEdge] = {}
        self.queue = HouseQueue(self.roaming, self.house, self, Present(self.life, self.life, shelf), self.say)

    def say(self, word: Word) -> None:
        self.village.soon.append(lambda: self.village.spread(word))

    def edge(self, shelf: int) -> NodeEdge:
        if shelf not in self.edges:
            self.edges[shelf] = NodeEdge(self.roaming, shelf)
            self.village.soon.append(lambda: self.village.join(self, shelf))
        return self.edges[shelf]

    # --- places and roles --------------------------------------------------------------------------------------------

    alone = False

    def keeper(self, shelf: int) -> Holder | None:
        raise NotImplementedError("the village joins nodes itself")

    def is_shelf(self, shelf: int) -> bool:
        return shelf in (1, 2, 3)

    def keeps(self, shelf: int) -> bool:
        return shelf in self.shelves

    def queue_keeper(self) -> str | None:
        return "life3"


class Village:
    """A house of three nodes."""

    make_node: type[NodeWorld] = NodeWorld

    def __init__(self) -> None:
        self.soon: deque[Callable[[], None]] = deque()
        self.nodes: list[NodeWorld] = []
        for shelf in (1, 2, 3):
            self.nodes.append(self.make_node(self, shelf))
        self.reachable = True
        self.run()

    def spread(self, word: Word) -> None:
        for node in self.nodes:
            node.queue.hear(word)

    def join(self, node: NodeWorld, shelf: int) -> None:
        """Connect a node with the keeper of this shelf, if there is one."""
        keeper = next((each for each in self.nodes if each.keeps(shelf)), None)
        if keeper is not None and self.reachable:
            edge, relay = node.edges[shelf], NodeRelay(keeper.house)
            there, back = Cable(self.soon, relay), Cable(self.soon, edge)
            there.other, back.other = back, there
            relay.connection_made(back)
            edge.connection_made(there)

    def kill(self, dead: NodeWorld) -> None:
        """After everything that it has to write is written; what it has to say is not said."""
        self.nodes.remove(dead)
        dead.house.call_soon = lambda _: None
        while dead.store.waiting:
            batch, _ = dead.store.waiting.popleft()
            dead.store.keep(batch)
        for node in self.nodes:
            self.cut(node, dead.own)

    def cut(self, node: NodeWorld, shelf: int) -> None:
        edge = node.edges.get(shelf)
        if edge is not None and isinstance(cable := edge.transport, Cable):
            assert cable.other is not None
            cable.dead = cable.other.dead = True
            edge.connection_lost(None)
            self.run()

    def adopt(self, node: NodeWorld, dead: NodeWorld) -> None:
        node.shelves.add(dead.own)
        node.house.take_on(dead.store.unfinished())
        for each in self.nodes:
            if dead.own in each.edges:
                self.join(each, dead.own)
        self.run()

    def run(self) -> None:
        while self.soon:
            self.soon.popleft()()

    def advance(self, seconds: float) -> None:
        for _ in range(round(seconds / TICK_SECONDS)):
            for node in self.nodes:
                node.now += TICK_SECONDS
                node.house.tick()
                node.queue.look()
            self.run()
