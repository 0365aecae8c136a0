"""One node among others: its people may be at tables of other nodes, and other nodes' people at its own.

For every shelf where people of this node are there is an edge, which stays connected to the keeper of that shelf: one
that is adopted by another node is one whose edges come to another address. A node may keep the shelf itself, after an
adoption; then its edge leads to its own relay, and nothing else is different.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from typing import Any, Protocol

from parlour.cluster import frames
from parlour.cluster.edge import Edge, Local, RelayingHub
from parlour.cluster.lease import Holder
from parlour.cluster.owner import EdgeRelay, OwnerHouse, Said
from parlour.cluster.pipe import PipedLink, Way
from parlour.cluster.proof import RELAY, reach
from parlour.core.errors import LocalError, Refusal
from parlour.core.game import Game
from parlour.core.house.hub import Hub
from parlour.core.house.matchmaking import Key, Waiter
from parlour.core.rated import Rating
from parlour.core.session import Door, WireProtocol
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Declined, Evicted
from parlour.core.words import AnyEvent, Command, Enter, Finished, Kind, Leave, Play, Record, Seek, Vanish
from parlour.server.link import Link
from parlour.store.base import Fenced, RatingsKept, Standing
from parlour.store.shelf import shelf_of

RECONNECT_SECONDS = 0.05
LOOK_SECONDS = 0.25
DOUBTFUL_SECONDS = 1.5
"""So long a node may stand still without asking whether it was replaced: a quarter of what a lease lasts."""
MANY = 8
PACE_SECONDS = 0.002
"""After a batch of more than so many records the next one is begun so much later. What a batch costs beside its records
is the same however many they are, and the answers to what was just told, from other nodes as well, are on their way."""
SECRET_LENGTH = 5
"""The characters at the end of a table's id that do not tell its number."""

PIPED = frozenset({"ggz"})
"""Wires whose sessions live with their zone."""
ZONE_DOOR = 0

Suspect = Callable[[int, Holder | None], None]


class Places(Protocol):
    """Who keeps which shelf."""

    @property
    def own(self) -> int:
        """The shelf on which tables are opened here."""
        ...

    @property
    def alone(self) -> bool:
        """Whether there is no other node."""
        ...

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
    def misled(self, who: Participant, command: Seek | Enter) -> None: ...
    def gone(self, who: Participant) -> None: ...
    def shelf_for_engine(self) -> int | None: ...


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
    unsettled = False
    """Whether a game of registered people has ended here that others do not know of."""

    def __init__(self, *args: Any, **others: Any) -> None:
        super().__init__(*args, **others)
        self.zones: dict[int, tuple[WireProtocol, Door]] = {}
        """The door of the zone, for those who come through another node."""
        self.zone_at: Callable[[], Way | None] | None = None
        """The way to the zone; None when it is here."""
        self._afterwards: list[Callable[[], None]] = []
        """What is to be done when nothing is being written."""
        self._ahead: Set[Table] = frozenset()
        """Of tables that are given up, those where something was decided that is in no log."""
        self._crowded = self._pausing = False
        """Whether the last batch was large, and whether the next one waits for that."""

    def welcome(self, wire: WireProtocol, door: Door) -> Callable[[], asyncio.Protocol]:
        """There is one zone in the house: what comes for it elsewhere is passed on."""
        here = super().welcome(wire, door)
        if wire.name not in PIPED:
            return here
        self.zones[ZONE_DOOR] = wire, door

        def choose() -> asyncio.Protocol:
            way = None if self.zone_at is None else self.zone_at()
            return here() if way is None else PipedLink(self, wire, door, ZONE_DOOR, way)

        return choose

    # --- what games came to ------------------------------------------------------------------------------------------

    def _note_end(self, table: Table, event: AnyEvent) -> None:
        super()._note_end(table, event)
        if type(event) is Finished and any(event.accounts):
            self.unsettled = True

    def recount(self, standings: Iterable[Standing], ratings: RatingsKept) -> list[Rating]:
        """Let standings and ratings be what the archive says, with all nodes' games in one order.

        Returns the ratings of periods that are over, for the one who keeps them.
        """
        self.hub.standings.reset(standings)
        self.book.reset(*ratings)
        closed, self.book.closed = self.book.closed, []
        return closed

    def _keep_ratings(self) -> None:
        """Of our own games alone they would be wrong: they are reckoned anew with every recount."""
        self.book.closed = []

    def part(self, guest: Participant) -> None:
        """They are logged in where they are connected."""

    def tables(self) -> Iterable[Table]:
        assert isinstance(self.hub, NodeHub)
        abroad = {who.table: None for who in self.hub.abroad if who.table is not None}
        return [*self.hub.tables.values(), *abroad]

    def restore(self, only: set[int] | None = None) -> int:
        """Where there is no other node, no one can still be connected."""
        if only is not None or not self.places.alone:
            return super().restore(only)
        count = 0
        for number, records in self.log.unfinished():
            self.wake()
            self.remember(self.hub.restore(number, records), records)
            count += 1
        return count

    # --- tables that come and go -------------------------------------------------------------------------------------

    def take_on(self, tables: Iterable[tuple[int, Sequence[Record]]]) -> None:
        """Go on with the tables of another node's shelf; their people have a moment to be attached."""
        for number, records in tables:
            self.wake()
            table = self.hub.adopt(number, records)
            self.remember(table, records)

    def when_written(self, action: Callable[[], None]) -> None:
        """Do this as soon as nothing is being written: no one has been told then what is in no log."""
        if self.writing:
            self._afterwards.append(action)
        else:
            self.enter(action)

    def committed(self, error: LocalError | None) -> None:
        super().committed(error)
        actions, self._afterwards = self._afterwards, []
        for action in actions:
            self.enter(action)

    def give_up(self, error: Fenced) -> None:
        """Another node keeps these shelves now."""
        self._let_go({}, set(), error)

    def _let_go(self, held: Any, tables: Set[Table], error: Fenced) -> None:
        self._ahead = tables | self._batch.tables
        super()._let_go(held, tables, error)
        self._ahead = frozenset()

    def bereft(self, people: Mapping[Table, Sequence[Participant]]) -> None:
        """Connections have lost their tables to another node: they follow them there.

        Where something was decided that never happened, sessions may know of it: those conversations end.
        """
        hub = self.hub
        assert isinstance(hub, NodeHub)
        for table, present in people.items():
            for who in present:
                if type(who) is Participant and who.kind is Kind.PERSON:
                    if table in self._ahead or hub.roaming is None:
                        who.tell(Evicted(Refusal.LOG_DOWN))
                    else:
                        hub.roaming.follow(who, table)
        shelves = {shelf_of(table.no) for table in people}
        for relay in tuple(self.edges.values()):
            if isinstance(relay, NodeRelay) and relay.shelf in shelves:
                del self.edges[relay.node]
                relay.hand_over()

    def _forgive(self, seconds: float) -> None:
        """We have stood still: before anything is decided, we must know whether our tables are still ours."""
        super()._forgive(seconds)
        if seconds > DOUBTFUL_SECONDS and isinstance(self.hub, NodeHub):
            self.hub.doubt()

    def _flush(self) -> None:
        changed = self.hub.matchmaker.changed
        if changed:
            self.hub.matchmaker.changed = set()
            if self.queue is not None:
                self.queue.changed(changed)
        super()._flush()

    def _gather(self) -> None:
        """Behind a large batch what arrives in a moment is gathered, without looking for it over and over."""
        if self._crowded and self._in_flight is None:
            self._crowded, self._pausing = False, True
            self.call_later(PACE_SECONDS, self._go_on)
        if self._pausing:
            self.awake = False
        else:
            super()._gather()

    def _go_on(self) -> None:
        """That moment is over."""
        self._pausing = False
        self._flush()

    def _dispatch(self) -> None:
        self._crowded = len(self._batch.rows) > MANY
        super()._dispatch()

    def call_later(self, seconds: float, action: Callable[[], None]) -> None:
        asyncio.get_running_loop().call_later(seconds, action)


class NodeRelay(EdgeRelay):
    """Another node, as far as its people are at tables of one shelf here."""

    house: NodeHouse
    shelf = 0

    def admits(self, hello: frames.Hello) -> bool:
        """Not before all tables of this shelf are here: they would count as lost."""
        self.shelf = hello.shelf
        return hello.version == frames.VERSION and self.house.places.keeps(hello.shelf)

    def brief(self) -> None:
        """Nodes know by themselves."""

    def people(self) -> Iterable[Participant]:
        """They are people of the node where they are connected."""
        return ()

    def unsay(self, items: list[Said], tables: Set[Table]) -> list[Said]:
        """Nothing was said here of the tables of another shelf."""
        return super().unsay(items, tables) if any(shelf_of(table.no) == self.shelf for table in tables) else items

    def receive(self, items: list[Any]) -> None:
        """Before it is known whether the tables are still ours nothing is done, nor said to be done."""
        self.house.wake()
        assert isinstance(self.house.hub, NodeHub)
        if not self.house.hub.holds_back(self, items):
            super().receive(items)

    def _act(self, act: frames.Act) -> None:
        """An adopted shelf gets no new tables, nor one that was lost: who looks for one has come to the wrong place."""
        guest, places = self.guests.get(act.who), self.house.places
        if guest is not None and (self.shelf != places.own or not places.keeps(self.shelf)):
            command = frames.command_of(guest.wire, act.command)
            if command.opens and guest.table is None:
                self._begin(act, command)
                guest.hear(Declined(command, Refusal.NO_SUCH_TABLE))
                return
        super()._act(act)

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
    queue: "Queue | None" = None
    confirm: Callable[[], None] | None = None
    """Asks whether our tables are still ours; `trust` is called then."""
    _put_off: list[tuple[Participant, Command]] | None = None
    """What people want while we do not know."""
    _held_back: tuple[tuple[NodeRelay, list[Any]], ...] = ()
    """What other nodes say meanwhile."""
    has_shelf: Callable[[], bool] = staticmethod(lambda: True)
    """Whether tables can be opened here: not between the loss of our shelf to another node and the next one."""
    _newcomers: tuple[tuple[Participant, Command], ...] = ()
    """Who wants one meanwhile."""

    def doubt(self) -> None:
        """Decide nothing before it is known which tables are ours."""
        if self._put_off is None and self.confirm is not None:
            self.put_off()
            self.confirm()

    def put_off(self) -> None:
        """Decide nothing until `trust` is called."""
        if self._put_off is None:
            self._put_off = []

    def holds_back(self, relay: NodeRelay, items: list[Any]) -> bool:
        """Whether what another node says has to wait until we know what is ours."""
        if self._put_off is not None:
            self._held_back += ((relay, items),)
        return self._put_off is not None

    def trust(self) -> None:
        """What is here now is ours: carry out what was put off, here or where the tables are."""
        put_off, self._put_off = self._put_off or [], None
        held_back, self._held_back = self._held_back, ()
        for relay, items in held_back:
            if relay.transport is not None:
                relay.receive(items)
        for who, command in put_off:
            self.submit(who, command)
        for who in {who: None for who, _ in put_off}:
            link, edge = getattr(who.tell, "__self__", None), self.abroad.get(who)
            if isinstance(link, Link) and (edge is None or not edge.asks(who)):
                link.house.call_soon(link.answered)

    def open_tables(self) -> None:
        """There is a shelf: whoever has waited for it gets a table."""
        newcomers, self._newcomers = self._newcomers, ()
        for who, command in newcomers:
            self.submit(who, command)

    def is_awaited(self, who: Participant | None) -> bool:
        """What comes behind a command that is put off waits for its answer, as for one that is sent away."""
        return self._put_off is not None or super().is_awaited(who)

    def submit(self, who: Participant, command: Command) -> None:
        if self._put_off is not None:
            self._put_off.append((who, command))
            return
        edge = self.abroad.get(who)
        if type(command) is Play:  # by far the most frequent, and what is asked below takes long to be denied
            if edge is None:
                Hub.submit(self, who, command)
            else:
                edge.submit(who, command)
            return
        if isinstance(command, Leave | Vanish):
            self._newcomers = tuple(each for each in self._newcomers if each[0] is not who)
            if self.queue is not None:
                self.queue.gone(who)
        if edge is not None and not command.of_house:
            if isinstance(command, Leave | Vanish) and who.owner is not None:
                who.owner.gone(who)
            edge.submit(who, command)
        elif edge is None and self._goes_abroad(who, command):
            self.abroad[who].submit(who, command)
        elif command.opens and not self.has_shelf():
            self._newcomers += ((who, command),)
        else:
            Hub.submit(self, who, command)

    def _goes_abroad(self, who: Participant, command: Command) -> bool:
        """Whether it is about a table of another node; the participant is there from now on."""
        place = command.place
        if self.roaming is None or place in self.tables:
            return False
        if place:
            return self.roaming.send(who, shelf_in(place))
        if type(command) is not Seek or command.opponent != "engine" or self.queue is None:
            return False
        free = who.table is None and who.waiting_in is None
        shelf = self.queue.shelf_for_engine() if free else None
        return shelf is not None and self.roaming.send(who, shelf)

    def owes(self, who: Participant) -> bool:
        if any(each is who for each, _ in (*(self._put_off or ()), *self._newcomers)):
            return True
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
        self._doubtful: set[Participant] = set()
        """Those of them of whom a keeper was told that is not connected any more: perhaps they have a seat there."""
        self._loose: dict[Local, None] = {}
        """Those who may be at no table there."""

    def hello(self) -> frames.Hello:
        return frames.Hello(frames.VERSION, self.node, shelf=self.shelf, seed=self._seed)

    def connection_made(self, transport: Any) -> None:
        self.parted.clear()
        super().connection_made(transport)

    def lost(self) -> None:
        super().lost()
        self._doubtful.update(self._errands)
        self.parted.set()

    @property
    def idle(self) -> bool:
        """Whether no one of ours is there."""
        return not self._numbers and not self._pending

    def submit(self, who: Participant, command: Command) -> None:
        if who in self._errands:
            self._interrupt(who, command)
            return
        if type(command) is Play:
            super().submit(who, command)
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

    def arrive(self, who: Participant) -> None:
        """They are at a table there already."""
        if who not in self._people:
            self._arrive(who)

    def is_anyone_at(self, table: Table | None) -> bool:
        return any(local.who.table is table for local in self._people.values())

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
        self._end_errand(who)
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
        waiter = self._end_errand(who)
        if waiter is not None and self.house.queue is not None:
            self.house.queue.met(waiter)
        super().leave(who)

    # --- errands -----------------------------------------------------------------------------------------------------

    def run_errand(self, waiter: Waiter, command: Command) -> None:
        """Someone who waits at home is sent to meet another; they are asked nothing meanwhile."""
        super().submit(waiter.who, command)
        self._errands[waiter.who] = waiter

    def _end_errand(self, who: Participant) -> Waiter | None:
        self._doubtful.discard(who)
        return self._errands.pop(who, None)

    def may_answer(self, who: Participant) -> bool:
        """Whether what became of the errand will be told: by the keeper, or by the next one, who has its log."""
        return self.transport is not None or who in self._doubtful

    def _interrupt(self, who: Participant, command: Command) -> None:
        """They want something else now, as one who waits at home."""
        waiter = self._errands[who]
        self.call_back(who)
        assert self.house.queue is not None
        self.house.queue.refused(waiter)
        self.house.submit(who, command)

    def _seat(self, local: Local, no: int, member: int | None) -> Table:
        waiter = self._end_errand(local.who)
        if waiter is not None and not local.gone and self.house.queue is not None:
            self.house.queue.met(waiter)
        return super()._seat(local, no, member)

    def _refuse(self, local: Local, item: frames.Refuse) -> None:
        sent = self._pending.get(item.count)
        command = None if sent is None else sent.command
        if isinstance(command, Seek | Enter) and item.why is Refusal.NO_SUCH_TABLE and not local.gone:
            self.call_back(local.who)
            assert self.house.queue is not None
            self.house.queue.misled(local.who, command)
        elif type(command) is not frames.Meet:
            super()._refuse(local, item)
        elif not local.gone and (waiter := self._errands.get(local.who)) is not None:
            self.call_back(local.who)
            assert self.house.queue is not None
            self.house.queue.refused(waiter)

    def _evict(self, local: Local, told: Evicted) -> None:
        """Of a table where they were to meet another they do not know yet: if its log fails, they wait on at home."""
        waiter = self._errands.get(local.who)
        if waiter is None or told.why is not Refusal.LOG_DOWN:
            super()._evict(local, told)
            return
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

    def follow(self, who: Participant, table: Table) -> None:
        """One of ours is at a table that another node keeps from now on; what they know of it is in the log.

        If others of ours came there by the edge, while it was adopted, they know it as another object, and the edge
        has one: then this conversation ends.
        """
        edge = self.edge(shelf_of(table.no))
        known = edge.tables.get(table.no)
        if known not in (None, table) and edge.is_anyone_at(known):
            who.tell(Evicted(Refusal.LOG_DOWN))
            return
        member = next((each for each in table.party.members.values() if each.who is who), None)
        edge.tables[table.no] = table
        table.attach(who, member)
        self.hub.abroad[who] = edge
        edge.arrive(who)

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
                    await self._parted(edge, holder)
                except ConnectionRefusedError:
                    self._suspect(shelf, holder)
                except (OSError, LocalError):  # it may be slow, or starting
                    pass
            elif not edge.idle:
                self._suspect(shelf, None)
            edge.look()
            await asyncio.sleep(RECONNECT_SECONDS)
        del self._edges[shelf]

    async def _parted(self, edge: NodeEdge, holder: Holder) -> None:
        """Until the connection ends, or leads to one who keeps this shelf no more."""
        while edge.transport is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):  # `wait_for` of Python 3.11 can swallow a cancellation
                    await edge.parted.wait()
            keeper = self.house.places.keeper(edge.shelf)
            if keeper is not None and keeper.life != holder.life:
                edge.cut()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*self._tasks, return_exceptions=True)
        for edge in self._edges.values():
            edge.cut()
