"""A node of a house on several machines: the shelf that it keeps, the archive, and the leases that say so."""

import asyncio
import os
import socket
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from parlour import __version__
from parlour.bots.seat import Bots
from parlour.cluster.bus import Bus, Cards, Charged, Counted, Handed, Hosted, Present, Registered, Word, house_of
from parlour.cluster.cards import HouseLobby
from parlour.cluster.counting import Counting
from parlour.cluster.lease import QUEUE, RENEW, TTL, Holder, Leases, in_order, role_lease, shelf_lease
from parlour.cluster.limits import HouseLimits
from parlour.cluster.pipe import PipeFromEdge, Way
from parlour.cluster.proof import PIPE, RELAY, Entry, Factory, is_dead, reach
from parlour.cluster.queueing import HouseQueue
from parlour.cluster.roaming import NodeHouse, NodeHub, NodeRelay, Roaming
from parlour.cluster.steward import Steward, figures
from parlour.core.errors import LocalError
from parlour.core.house.hosting import Hosting
from parlour.core.words import Record
from parlour.registry import games
from parlour.server import app
from parlour.server.app import Keeping
from parlour.server.house import House
from parlour.server.lifecycle import Stop
from parlour.server.metrics import Figure
from parlour.server.settings import Settings
from parlour.store.archivist import Archivist
from parlour.store.base import Fenced, Log
from parlour.store.brokers import Brokers, connect
from parlour.store.jetstream import JetstreamLog, Kept
from parlour.store.postgres import PostgresArchive, shared_secret
from parlour.store.shelf import Shelf, kept_by, shelf_of, shelves

if TYPE_CHECKING:
    from parlour.store.base import Archive

PATIENCE = 3 * TTL
"""Seconds for the lease of a process that was killed to run out."""
BEAT = 0.25
TURN = 0.3
"""Seconds between one node's try for a free lease and the next one's."""
SHELF = "shelf."
SURE = 0.05
"""Seconds for which a node must have been dead."""
SILENT = RENEW * 1.6
"""Seconds without a renewal after which a node that cannot be reached counts as dead."""
FORGET_DOUBTS = 5.0
LINGER = 10.0
"""Seconds for which an adopted shelf is kept after its last table is over."""
HERE = "127.0.0.1:0"
KEPT_AS = "relay"
"""What the nodes' own secret is called in the archive."""
SHORTEST_SECRET = 16
"""Bytes."""


def serve(settings: Settings) -> None:
    """Run a node until a signal says stop. Raises LocalError for whatever keeps it from starting."""
    app.serve(settings, open_node)


class Node(Keeping):
    """What a node keeps, and how it finds it again after it was killed."""

    log: JetstreamLog
    archive: PostgresArchive

    hub = NodeHub

    def __init__(self, brokers: Brokers, archive: PostgresArchive, leases: Leases, entry: Entry, secret: bytes) -> None:
        self.brokers = brokers
        self.archive = archive
        self.leases = leases
        self.log = JetstreamLog(self._open_shelf, self._part_from, self._go_on_with)
        self._steward: Steward | None = None
        self._entry = entry
        self._secret = secret
        self._roaming: Roaming | None = None
        self._house: NodeHouse | None = None
        self._ready: dict[int, float] = {}
        """Our shelves whose tables are here, and since when that is so."""
        self._doubts: dict[int, tuple[str, float, float]] = {}
        """Shelves whose keeper (its life) seems to be dead, since when, and when it last seemed so."""
        self._leaving = False
        self._counting: Counting | None = None
        self._bus: Bus | None = None
        self._adopting: set[int] = set()
        self._asking: set[int] = set()
        """Shelves whose keeper is silent, and just being looked for."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._queue_lease = role_lease(QUEUE, leases.me.house)
        self._vacant_since: float | None = None
        """Since when the queue is no one's."""

    async def open(self) -> None:
        await self.leases.open()
        await self.log.open()

    def figures(self) -> Iterable[Figure]:
        return () if self._steward is None else figures(self._steward.state())

    def house(self, *args: Any) -> NodeHouse:
        """The house of this node."""
        made = NodeHouse(*args)
        made.places = self
        return made

    async def join(self, house: House, stop: Stop) -> None:
        """Let other nodes' people come to our tables, and ours go to theirs."""
        assert isinstance(house, NodeHouse)
        assert isinstance(house.hub, NodeHub)
        me = self.leases.me
        house.open_to_edges(me.life, self.log.past)
        self._house = house
        self._ready = dict.fromkeys((kept.shelf.number for kept in self.log.shelves), float("-inf"))
        self._roaming = Roaming(me.life, house, house.hub, games(), self._secret, self._doubt)
        house.hub.confirm = lambda: self._spawn(self._confirm(house))
        house.hub.has_shelf = lambda: self.log.owns
        self.leases.lost = self._lose
        self.leases.regained = partial(self._regain, house.hub)
        self._bus = bus = Bus(self.brokers, house_of(self._secret), self._spawn)
        engines = house.hub.engines
        spare = engines.spare if isinstance(engines, Bots) else lambda: 0
        queue = HouseQueue(self._roaming, house, self, Present(me.life, me.node, self.log.own), bus.say, spare)
        lobby = HouseLobby(house.hub, me.life, bus.say)
        limits = HouseLimits(house.gate, me.life, asyncio.get_running_loop().time, bus.say)
        house.hub.service(Hosting).spread = lambda word: bus.say(Hosted(me.life, word))
        self._counting = Counting(
            house, self.log, self.archive, me.life, lambda: self.queue_keeper() == me.life, bus.say
        )
        await bus.open(partial(self._hear, queue, lobby, limits))
        self._spawn(self._beat(queue, lobby, limits))
        self._spawn(self._count(self._counting))
        self._spawn(self._adopt_forgotten())
        house.zone_at = self._way_to_zone
        kinds: dict[str, Factory] = {RELAY: partial(NodeRelay, house), PIPE: partial(PipeFromEdge, house, house.zones)}
        await self._entry.open(self._secret, me.life, kinds, house.complain)
        house.enter(partial(house.hub.set_reachable, True))
        self._steward = steward = Steward(self.brokers, me, self.log, house, stop)
        house.behind = steward.behind
        await steward.open()

    def _hear(self, queue: HouseQueue, lobby: HouseLobby, limits: HouseLimits, word: Word) -> None:
        if isinstance(word, Charged):
            limits.hear(word)
        elif isinstance(word, Cards):
            assert self._house is not None
            self._house.enter(lambda: lobby.hear(word))
        elif isinstance(word, Counted | Registered):
            assert self._counting is not None
            self._counting.hear(word)  # our own words, too: what was read meanwhile may lack it
        elif isinstance(word, Hosted):
            if word.life != self.leases.me.life:
                self._heed(word)
        elif not isinstance(word, Handed):
            queue.hear(word)
            if isinstance(word, Present) and word.new:
                lobby.tell_all()
        elif word.life != self.leases.me.life:
            self._spawn(self._take_over(word.shelf))

    def _heed(self, said: Hosted) -> None:
        """The host's words hold for the house."""
        house = self._house
        assert house is not None
        people = [link.participant for link in house.links if link.participant is not None and not link.over]
        hosting = house.hub.service(Hosting)
        house.enter(lambda: house.hub.at_once(lambda: hosting.heed(said.word, people)))

    async def _take_over(self, shelf: int) -> None:
        """Keep a shelf that was handed over; the one whose turn it is."""
        await asyncio.sleep(self._turn(shelf_lease(shelf)))
        if self.leases.holder(shelf_lease(shelf)) is None and shelf not in self._adopting and not self._leaving:
            self._adopting.add(shelf)
            await self._adopt(shelf, None)

    async def hand_over(self, house: House) -> None:
        """Let others keep our shelves; our own people play on there, for as long as they may."""
        assert isinstance(house, NodeHouse)
        assert isinstance(house.hub, NodeHub)
        if self.alone:
            return
        self._leaving = True
        house.enter(house.hub.drain)
        house.enter(house.hub.put_off)  # where much is played there is no rest otherwise
        await app.at_rest(house)
        ours = {kept.shelf.number for kept in self.log.shelves}
        self._ready = {}
        for shelf in ours:
            self.log.drop(shelf)
        if ours:
            house.give_up(Fenced(f"shelf {min(ours)} is handed over", frozenset(ours)))
        house.enter(house.hub.trust)
        for name in self.leases.mine:
            await self.leases.give_up(name)
        for shelf in ours:
            assert self._bus is not None
            self._bus.say(Handed(self.leases.me.life, shelf))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _beat(self, queue: HouseQueue, lobby: HouseLobby, limits: HouseLimits) -> None:
        """What is looked at a few times a second."""
        while not self._leaving:
            await self._mind_leases()
            if self.log.owns:  # perhaps again: after the loss of one the next may have the same number
                self._ready.setdefault(self.log.own, float("-inf"))
                self._open_tables()
            queue.moved(self.log.own)
            queue.look()
            lobby.look()
            limits.look()
            await asyncio.sleep(BEAT)

    def _open_tables(self) -> None:
        house = self._house
        assert house is not None
        assert isinstance(house.hub, NodeHub)
        house.enter(house.hub.open_tables)

    async def _count(self, counting: Counting) -> None:
        """Apart from all else: the archive may be slow."""
        while True:
            await counting.look()
            await asyncio.sleep(BEAT)

    async def _mind_leases(self) -> None:
        """Have what is no one's, and give up what is over."""
        await self._keep_queue()
        for name, holder in self.leases.orphans().items():
            if name.startswith(SHELF):
                self._doubt(int(name.removeprefix(SHELF)), holder)
        for name, holder in self.leases.holders().items():
            if name.startswith(SHELF) and self.leases.silence(name) >= SILENT:
                self._ask_for(int(name.removeprefix(SHELF)), holder)
        for shelf in [each for each in self._ready if self._is_over(each)]:
            await self._release(shelf)

    async def _keep_queue(self) -> None:
        """Have the house's queue if no one has who is alive; those who should, first."""
        holder = self.leases.holder(self._queue_lease)
        if holder is not None and self._lives(holder):
            self._vacant_since = None
            return
        now = asyncio.get_running_loop().time()
        if self._vacant_since is None:
            self._vacant_since = now
        if now >= self._vacant_since + self._turn(self._queue_lease):
            await self.leases.take(self._queue_lease, holder)

    def _lives(self, holder: Holder) -> bool:
        """Whether this node keeps a shelf: of one that is dead they are adopted."""
        return any(name.startswith(SHELF) and each == holder for name, each in self.leases.holders().items())

    def _turn(self, lease: str) -> float:
        """How long to wait until it is our turn to try for a lease."""
        nodes = in_order(lease, {*self.leases.nodes(), self.leases.me.node})
        return nodes.index(self.leases.me.node) * TURN

    # --- shelves of others -------------------------------------------------------------------------------------------

    def _doubt(self, shelf: int, holder: Holder | None) -> None:
        """The keeper of this shelf seems to be dead: adopt it when it is our turn. Nothing is lost if it is not.

        One that renews its lease lives, whatever we can reach: perhaps it was given a wrong address.
        """
        if self.leases.silence(shelf_lease(shelf)) < SILENT:
            return
        now, me = asyncio.get_running_loop().time(), self.leases.me.node
        life = "" if holder is None else holder.life
        first, since, last = self._doubts.get(shelf, (life, now, now))
        heard = now - self.leases.silence(shelf_lease(shelf))
        if first != life or now - last > FORGET_DOUBTS or heard > since:
            since = now
        self._doubts[shelf] = life, since, now
        nodes = {*self.leases.nodes(), me} - {"" if holder is None else holder.node} | {me}
        turn = in_order(shelf_lease(shelf), nodes).index(me) * TURN
        if now - since >= SURE + turn and shelf not in self._adopting and not self._leaving:
            self._adopting.add(shelf)
            self._spawn(self._adopt(shelf, holder))

    def _ask_for(self, shelf: int, keeper: Holder) -> None:
        """The keeper of this shelf has not renewed its lease: if nothing listens there any more, it is dead."""

        async def ask() -> None:
            if await is_dead(keeper.address):
                self._doubt(shelf, keeper)
            self._asking.discard(shelf)

        if keeper.life != self.leases.me.life and shelf not in self._asking:
            self._asking.add(shelf)
            self._spawn(ask())

    async def _adopt(self, shelf: int, over: Holder | None) -> None:
        house = self._house
        assert house is not None
        try:
            if self._has(shelf):  # it was our lease that ran out
                if await self.leases.take(shelf_lease(shelf), over):
                    self.leases.regained(shelf_lease(shelf))
                return
            tables = await self.adopt(shelf, over)
            if tables is not None and shelf_lease(shelf) not in self.leases.mine:  # another has taken it meanwhile
                self.log.lose(shelf, kept_by("another node", shelf))
            elif tables is not None:
                house.take_on(tables)
                self._ready[shelf] = asyncio.get_running_loop().time()
                self._doubts.pop(shelf, None)
                if tables:
                    house.complain(f"{len(tables)} tables of shelf {shelf} are kept here now")
        except LocalError as error:
            await self.leases.give_up(shelf_lease(shelf))
            house.complain(f"shelf {shelf} cannot be adopted: {error}")
        finally:
            self._adopting.discard(shelf)

    async def _adopt_forgotten(self) -> None:
        """Shelves of this house that were no one's when we came: of nodes that died together."""
        try:
            known, there = await self._in_thread(self.archive.shelves), await shelves(self.brokers)
        except LocalError:  # another node will, or this one when it is started again
            return
        for number in set(known) & set(there):
            if not self.leases.heard_of(shelf_lease(number)) and number not in self._ready:
                await self._adopt(number, None)

    def _is_over(self, shelf: int) -> bool:
        """Whether an adopted shelf has no table any more, those who were there know it, and the archive has all of it.

        What is not in the archive would be there only after some node's next start. The log says what is open: tables
        whose log has failed are not in the house until it can be written again.
        """
        kept = next((each for each in self.log.shelves if each.shelf.number == shelf), None)
        if kept is None or shelf == self.log.own or self._house is None:
            return kept is None
        waited = asyncio.get_running_loop().time() - self._ready[shelf] > LINGER
        archived = kept.archiving.upto >= kept.shelf.settled
        return waited and archived and not kept.first and not kept.torn

    async def _release(self, shelf: int) -> None:
        """Nothing is left there for us to do."""
        self._ready.pop(shelf, None)
        kept = next((each for each in self.log.shelves if each.shelf.number == shelf), None)
        if kept is not None:
            if isinstance(kept.archiving, Archivist):
                await kept.archiving.finish()
            self.log.drop(shelf)
            await self.leases.give_up(shelf_lease(shelf))

    def _part_from(self, shelf: int, fence: Fenced) -> None:
        """Another writes this shelf: if by some chance we have its lease still, no one finds the way there."""
        self._ready.pop(shelf, None)  # if it should be ours again, then not before its tables are here
        self._spawn(self.leases.give_up(shelf_lease(shelf)))
        if self._house is not None:
            self._house.when_written(partial(self._give_up, self._house, shelf, fence))

    def _give_up(self, house: NodeHouse, shelf: int, fence: Fenced) -> None:
        """Unless that was done with the batch that could not be written."""
        if any(shelf_of(table.no) == shelf for table in house.hub.tables.values()):
            house.give_up(fence)

    def _lose(self, name: str) -> None:
        """A lease of ours is another's, and our people have to follow. What is being written may still be stored."""
        if name.startswith(SHELF) and self._house is not None:
            self._house.when_written(partial(self._let_others_keep, int(name.removeprefix(SHELF))))

    def _regain(self, hub: NodeHub, name: str) -> None:
        """A lease of ours had run out: someone may have kept that shelf meanwhile, and be gone again."""
        if name.startswith(SHELF) and self._house is not None:
            self._house.enter(hub.doubt)

    def _let_others_keep(self, shelf: int) -> None:
        name = shelf_lease(shelf)
        if self._has(shelf) and name not in self.leases.mine:
            holder = self.leases.holder(name)
            self.log.lose(shelf, kept_by("another node" if holder is None else holder.node, shelf))

    def _go_on_with(self, tables: Iterable[tuple[int, list[Record]]]) -> None:
        """These were open on the shelf that is our own from now on."""
        if self._house is not None:
            self._house.take_on(tables)

    async def _confirm(self, house: NodeHouse) -> None:
        """After we stood still: nothing is decided before it is known what is still ours."""
        await self.log.confirm()
        assert isinstance(house.hub, NodeHub)
        house.when_written(house.hub.trust)  # behind what is given up

    def _way_to_zone(self) -> Way | None:
        """To the node where people meet; none when that is this one, or no one's for the moment."""
        holder = self.leases.holder(self._queue_lease)
        if holder is None or holder.life == self.leases.me.life:
            return None
        return partial(reach, holder.address, self._secret, PIPE, holder.life)

    def queue_keeper(self) -> str | None:
        holder = self.leases.holder(self._queue_lease)
        return None if holder is None or not self._lives(holder) else holder.life

    # --- who keeps what ----------------------------------------------------------------------------------------------

    @property
    def alone(self) -> bool:
        return self.leases.nodes() <= {self.leases.me.node}

    @property
    def own(self) -> int:
        return self.log.own

    def keeper(self, shelf: int) -> Holder | None:
        return self.leases.holder(shelf_lease(shelf))

    def is_shelf(self, shelf: int) -> bool:
        return self.leases.heard_of(shelf_lease(shelf))

    def keeps(self, shelf: int) -> bool:
        return shelf in self._ready and self._has(shelf)

    def _has(self, shelf: int) -> bool:
        return any(kept.shelf.number == shelf for kept in self.log.shelves)

    def announce(self) -> None:
        print(f"node {self.leases.me.node}")

    async def close(self) -> None:
        """Hand everything over in good order: nobody has to wait for a lease to run out."""
        for task in self._tasks:
            task.cancel()
        if self._roaming is not None:
            await self._roaming.close()
        self._entry.close()
        for kept in self.log.shelves:
            if isinstance(kept.archiving, Archivist):
                await kept.archiving.finish()
        self.log.close()
        await self.leases.close()
        await self.brokers.close()
        self.archive.close()

    # --- shelves -----------------------------------------------------------------------------------------------------

    async def _open_shelf(self) -> Kept:
        """The shelf that we kept last, if it can be had, or one that is no one's; or else a new one.

        Not before what we have lost is given up: the next shelf may be the same one, with the same tables.
        """
        if self._house is not None:
            given_up = asyncio.Event()
            self._house.when_written(given_up.set)
            await given_up.wait()
        mine, numbers = await self._shelves_of_ours(), await shelves(self.brokers)
        known = await self._in_thread(self.archive.shelves)
        left = [each for each in numbers if each in known and not self.leases.heard_of(shelf_lease(each))]
        for number in dict.fromkeys(mine + left):
            if not self._has(number) and await self._take(number):
                return await self.keep(number)
        number = max([0, *numbers, *known]) + 1
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
        dead: Holder | None = None
        while not await self.leases.take(name, dead):
            holder = self.leases.holder(name)
            if holder is not None and holder.node != self.leases.me.node:
                return False
            if clock() > end:
                raise LocalError(f"there is a node {self.leases.me.node} already; --node gives this one another name")
            if holder is not None and await is_dead(holder.address):
                dead = holder
            else:
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
        entry = Entry(settings.advertise or HERE)
        secret = _secret(settings)
        me = Holder(name, entry.address, __version__, token_hex(8), house_of(secret))
        node = Node(brokers, archive, Leases(brokers, me), entry, secret)
        await node.open()
    except BaseException:
        await brokers.close()
        raise
    return node


def _secret(settings: Settings) -> bytes:
    """What nodes know each other by: of a file, or of the archive, which only they can read. Raises LocalError."""
    if settings.cluster_secret is None:
        assert settings.archive is not None
        return shared_secret(settings.archive, KEPT_AS, os.urandom(32))
    try:
        found = Path(settings.cluster_secret).read_bytes().strip()
    except OSError as error:
        raise LocalError(f"cannot read the secret {settings.cluster_secret}: {error.strerror}") from error
    if len(found) < SHORTEST_SECRET:
        raise LocalError(f"the secret in {settings.cluster_secret} has fewer than {SHORTEST_SECRET} characters")
    return found


if TYPE_CHECKING:

    def _keeps(node: Node) -> tuple[Log, Archive]:
        return node.log, node.archive
