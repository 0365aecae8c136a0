"""One node among others: its people may be at tables of other nodes, and other nodes' people at its own.

For every shelf where people of this node are there is an edge, which stays connected to the keeper of that shelf: one
that is adopted by another node is one whose edges come to another address. A node may keep the shelf itself, after an
adoption; then its edge leads to its own relay, and nothing else is different.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from parlour.cluster import frames
from parlour.cluster.edge import Edge, Follower, Local, RelayingHub
from parlour.cluster.lease import Holder
from parlour.cluster.owner import EdgeRelay, OwnerHouse
from parlour.cluster.proof import RELAY, reach
from parlour.core.game import Game
from parlour.core.house.hub import Hub
from parlour.core.house.matchmaking import Key, Waiter
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.words import Command, Leave, Play, Vanish
from parlour.server.link import Link
from parlour.store.shelf import shelf_of

RECONNECT_SECONDS = 0.05
SECRET_LENGTH = 5
"""The characters at the end of a table's id that do not tell its number."""

Suspect = Callable[[int, Holder], None]


class Places(Protocol):
    """Who keeps which shelf."""

    def keeper(self, shelf: int) -> Holder | None: ...

    def is_shelf(self, shelf: int) -> bool:
        """Whether there is such a shelf, kept by a node or by none for the moment."""
        ...

    def keeps(self, shelf: int) -> bool:
        """Whether it is ours, with all its tables."""
        ...


class Queue(Protocol):
    """The one queue of the house, as far as this node has a part in it."""

    def changed(self, keys: set[Key]) -> None: ...
    def met(self, waiter: Waiter) -> None: ...
    def refused(self, waiter: Waiter) -> None: ...


def shelf_in(table_id: str) -> int | None:
    """On which shelf a table of this id is; None for what no table is called."""
    try:
        return shelf_of(int(table_id[:-SECRET_LENGTH], 16))
    except ValueError:
        return None


# --- people of other nodes at tables here ----------------------------------------------------------------------------


class NodeHouse(OwnerHouse):
    """The house of a node. Another one's people have shown there who they are."""

    places: Places
    queue: "Queue | None" = None

    def part(self, guest: Participant) -> None:
        """They are logged in where they are connected."""

    def _settle(self) -> None:
        changed = self.hub.matchmaker.changed
        if changed:
            self.hub.matchmaker.changed = set()
            if self.queue is not None:
                self.queue.changed(changed)
        super()._settle()


class NodeRelay(EdgeRelay):
    """Another node, as far as its people are at tables of one shelf here."""

    house: NodeHouse

    def admits(self, hello: frames.Hello) -> bool:
        """Not before all tables of this shelf are here: they would count as lost."""
        return hello.version == frames.VERSION and self.house.places.keeps(hello.shelf)

    def brief(self) -> None:
        """Nodes know by themselves."""

    def lost(self) -> None:
        """The other node is cut off, or dead: its people have a moment to come back."""
        if self.house.edges.get(self.node) is self:
            del self.house.edges[self.node]
            self.house.wake()
            self.hand_over()


# --- people of this node at tables of others -------------------------------------------------------------------------


class NodeHub(RelayingHub):
    """A hub whose people go to other nodes' tables, and come home when they leave them."""

    roaming: "Roaming | None" = None

    def submit(self, who: Participant, command: Command) -> None:
        edge = self.abroad.get(who)
        if edge is not None and not command.of_house:
            if isinstance(command, Leave | Vanish) and who.owner is not None:
                who.owner.gone(who)
            edge.submit(who, command)
        elif edge is None and type(command) is not Play and self._goes_abroad(who, command):
            self.abroad[who].submit(who, command)
        else:
            Hub.submit(self, who, command)

    def _goes_abroad(self, who: Participant, command: Command) -> bool:
        """Whether it is about a table of another node; the participant is there from now on."""
        place = command.place
        if not place or place in self.tables or self.roaming is None:
            return False
        return self.roaming.send(who, shelf_in(place))

    def owes(self, who: Participant) -> bool:
        edge = self.abroad.get(who)
        return edge is not None and edge.owes(who)

    def find(self, table_id: str) -> Table | None:
        found = self.tables.get(table_id)
        return found if found is not None or self.roaming is None else self.roaming.follower(table_id)

    def log_out(self, who: Participant) -> None:
        edge = self.abroad.pop(who, None)
        if edge is not None:
            edge.leave(who)
        Hub.log_out(self, who)


class NodeEdge(Edge):
    """The way to one shelf."""

    house: NodeHouse

    def __init__(self, roaming: "Roaming", shelf: int) -> None:
        super().__init__(f"{roaming.life}.{shelf:x}", roaming.house, roaming.games)
        self.shelf = shelf
        self._roaming = roaming
        self.parted = asyncio.Event()
        """Whether the connection has ended."""
        self.later: dict[Participant, list[Command]] = {}
        """What people want elsewhere, as soon as they have left the table here."""
        self._errands: dict[Participant, Waiter] = {}
        """Those who were sent to meet one who waits there, until they sit or are refused."""
        self._loose: dict[Local, None] = {}
        """Those who may be at no table there."""

    def hello(self) -> frames.Hello:
        return frames.Hello(frames.VERSION, self.node, shelf=self.shelf)

    def connection_made(self, transport: Any) -> None:
        self.parted.clear()
        super().connection_made(transport)

    def lost(self) -> None:
        super().lost()
        self.parted.set()

    @property
    def idle(self) -> bool:
        """Whether no one of ours is there."""
        return not self._numbers and not self._pending

    def submit(self, who: Participant, command: Command) -> None:
        if who in self._errands:
            self._interrupt(who, command)
            return
        shelf = shelf_in(command.place) if command.place else None
        if shelf is None or shelf == self.shelf:
            super().submit(who, command)
            return
        if who.table is not None:
            super().submit(who, Leave())
        self.later.setdefault(who, []).append(command)

    def _arrive(self, who: Participant) -> Local:
        local = super()._arrive(who)
        self._loose[local] = None
        return local

    def _free(self, local: Local) -> None:
        super()._free(local)
        self._loose[local] = None

    def receive(self, items: list[Any]) -> None:
        super().receive(items)
        for local in tuple(self._loose):
            if local.gone or local.who.table is not None:
                self._loose.pop(local, None)
            elif not local.unanswered:
                self.at_rest(local)

    def at_rest(self, local: Local) -> None:
        """If they are at no table there any more, what they want next is asked here."""
        who = local.who
        if who.table is None and local.waiting is None:
            later = self.later.get(who, ())
            self.call_back(who)
            for command in later:
                self.house.submit(who, command)

    def call_back(self, who: Participant) -> None:
        """They have no business there any more: nothing that is said to them from there counts."""
        self._errands.pop(who, None)
        local = self._people.get(who)
        if local is not None:
            local.home = True
            link = getattr(who.tell, "__self__", None)
            if local.asks and isinstance(link, Link):
                self.house.call_soon(link.answered)
        super().leave(who)
        self.later.pop(who, None)
        self._roaming.hub.abroad.pop(who, None)

    def leave(self, who: Participant) -> None:
        """The connection has ended."""
        self.later.pop(who, None)
        waiter = self._errands.pop(who, None)
        if waiter is not None and self.house.queue is not None:
            self.house.queue.met(waiter)
        super().leave(who)

    # --- errands -----------------------------------------------------------------------------------------------------

    def run_errand(self, waiter: Waiter, command: Command) -> None:
        """Someone who waits at home is sent to meet another; they are asked nothing meanwhile."""
        super().submit(waiter.who, command)
        self._errands[waiter.who] = waiter

    def _interrupt(self, who: Participant, command: Command) -> None:
        """They want something else now, as one who waits at home."""
        waiter = self._errands[who]
        self.call_back(who)
        assert self.house.queue is not None
        self.house.queue.refused(waiter)
        self.house.submit(who, command)

    def _seat(self, local: Local, no: int, member: int | None) -> Follower:
        waiter = self._errands.pop(local.who, None)
        if waiter is not None and not local.gone and self.house.queue is not None:
            self.house.queue.met(waiter)
        return super()._seat(local, no, member)

    def _refuse(self, local: Local, item: frames.Refuse) -> None:
        sent = self._pending.get(item.count)
        if sent is None or type(sent.command) is not frames.Meet:
            super()._refuse(local, item)
        elif not local.gone and (waiter := self._errands.get(local.who)) is not None:
            self.call_back(local.who)
            assert self.house.queue is not None
            self.house.queue.refused(waiter)

    def _hear(self, item: Any) -> None:
        if not isinstance(item, frames.Drain | frames.Elsewhere | frames.Farewell):  # those are about one house
            super()._hear(item)


class Roaming:
    """All edges of a node."""

    def __init__(
        self,
        life: str,
        house: NodeHouse,
        hub: NodeHub,
        games: Mapping[str, Game],
        secret: bytes,
        suspect: Suspect = lambda *_: None,
    ) -> None:
        self.life = life
        self.house = house
        self.hub = hub
        self.games = games
        self._secret = secret
        self._suspect = suspect
        self._edges: dict[int, NodeEdge] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        hub.roaming = self

    def send(self, who: Participant, shelf: int | None) -> bool:
        """Let this participant be at a table of another node; False where there is none, and for guests of others."""
        places = self.house.places
        if shelf is None or type(who) is not Participant or places.keeps(shelf) or not places.is_shelf(shelf):
            return False
        self.hub.abroad[who] = self.edge(shelf)
        return True

    def follower(self, table_id: str) -> Table | None:
        """The table of this id, if it lives elsewhere and someone of ours is there."""
        shelf = shelf_in(table_id)
        edge = None if shelf is None else self._edges.get(shelf)
        found = None if edge is None else edge.tables.get(int(table_id[:-SECRET_LENGTH], 16))
        return found if found is not None and found.id == table_id else None

    def edge(self, shelf: int) -> NodeEdge:
        """The way to this shelf, which is opened if there is none yet."""
        found = self._edges.get(shelf)
        if found is None:
            found = self._edges[shelf] = NodeEdge(self, shelf)
            task = asyncio.get_running_loop().create_task(self._stay_connected(found))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return found

    async def _stay_connected(self, edge: NodeEdge) -> None:
        """For as long as there is a keeper, or someone of ours waits for one."""
        places, shelf = self.house.places, edge.shelf
        while not (edge.idle and places.keeper(shelf) is None):
            holder = places.keeper(shelf)
            if holder is not None:
                try:
                    await reach(holder.address, self._secret, RELAY, holder.life, edge)
                    await edge.parted.wait()
                except OSError:
                    self._suspect(shelf, holder)
            edge.look()
            await asyncio.sleep(RECONNECT_SECONDS)
        del self._edges[shelf]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*self._tasks, return_exceptions=True)
        for edge in self._edges.values():
            edge.cut()
