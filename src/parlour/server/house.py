"""What all connections share: the hub, the wheel, the limits, and the barrier between deciding and telling.

State runs ahead of the log between a decision and its commit, so nothing derived from it may leave before the commit.
Everything said during one wake-up of the loop is held back together and released when that wake-up's records are in
the log. While one batch is being written the next one gathers.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, cast

from parlour.core.errors import Banned, LocalError, Refusal, Refused, TooMuch
from parlour.core.house.gate import CONNECTIONS, HOUSE, Gate, Identity
from parlour.core.house.hub import Hub
from parlour.core.session import Close, Door, Output, WireProtocol
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Announced, Evicted
from parlour.core.words import Cap, Command, Kind, Record
from parlour.ratings.book import Book
from parlour.server.fanout import SLICE, FanOut, Outbox
from parlour.server.limits import IDLE_LOOKS, LOG_RETRY_SECONDS, LONG_STALL_SECONDS, LOOKS, STALL_SECONDS
from parlour.server.timers import Lag, Wheel
from parlour.server.turns import Turns
from parlour.store.base import Archive, Batch, Fenced, Log

if TYPE_CHECKING:
    import asyncio

    from parlour.server.link import Link

Parser = Callable[[bytes, int, Any], tuple[Any, int] | None]


class Relay(Protocol):
    """Another process, with all of its people. What is held for it stands in the place of what a connection is sent."""

    def unsay(self, items: Any, tables: Set[Table]) -> Any:
        """Returns these items without those that tell of these tables."""
        ...

    def people(self) -> Iterable[Participant]: ...

    def dismiss(self, whom: Collection[Participant]) -> None:
        """End the connections of these, once everything that was said to them is sent."""
        ...

    def farewell(self) -> None:
        """The house stops: tell all of them."""
        ...

    def cut(self) -> None: ...


def shelf_of(table: Table) -> int:
    """The log that a table is written in, of those that several servers share."""
    return table.no >> 32


class House:
    """The shared state of one server. `call_soon`, `clock` and `stopwatch` come from the system, or from a test."""

    def __init__(
        self,
        log: Log,
        archive: Archive,
        call_soon: Callable[[Callable[[], None]], object],
        clock: Callable[[], float],
        complain: Callable[[str], None],
        max_connections: int = 20_000,
        stopwatch: Callable[[], float] = perf_counter,
    ) -> None:
        self.log = log
        self.archive = archive
        self.call_soon = call_soon
        self._clock = clock
        self._stood_still = 0.0
        """Seconds that have passed outside and not in this house."""
        self._lapse = float("inf")
        """So long after the last look at the time we know that we stood still; from the first tick on."""
        self.complain = complain
        self.gate = Gate(clock, connections=max_connections)
        self.wheel = Wheel()
        self.turns = Turns(self, stopwatch)
        self.lag = Lag()
        self.links: set[Link] = set()
        self.relays: set[Relay] = set()
        """Other processes that have connections to tables here; none in a house of one."""
        self.turned_away = 0
        """Connections that were not let in and have not gone yet."""
        self.counts = {
            "records": 0,
            "commits": 0,
            "refused_connections": 0,
            "dropped": 0,
            "log_failures": 0,
            "stalls": 0,
        }
        self._fan_out = FanOut(call_soon)
        self.enough = inf if log.waits else SLICE - 1
        """So many connections with something to send need not wait for others: with the one more that a move may add
        they are still written to at once."""
        self.outbox: Outbox = {}
        """What this wake-up wants to send, by connection; the sessions' outputs are put here."""
        self.hub: Hub
        self.submit: Callable[[Participant, Command], None]
        self._batch: Batch
        self.append: Callable[[Table, Record], None]
        """The journal the hub writes to: always the batch that gathers now."""
        self._new_batch()
        self._in_flight: tuple[Outbox, Batch] | None = None
        self._gathered = 0
        """How many connections had something to send at the last look at the sockets."""
        self._looks = self._idle_looks = 0
        """How many looks there were since something came in, and how many of the last ones brought nothing."""
        self.awake = False
        """Whether something has come in since the last flush."""
        self._parsers: dict[str, Parser] = {}
        self._orphans: set[int] = set()
        """Numbers of the tables that a failing log closed, and whose end it does not know yet."""
        self._retrying = False
        self.book = Book()
        """The ratings."""
        self.behind: Callable[[], float] | None = None
        """How many seconds the archive is behind the log, where these are two."""
        self._miscounted = False
        """Whether standings and ratings count games whose end the log has lost."""

    def connect(self, hub: Hub) -> None:
        self.hub = hub
        hub.gate = self.gate
        self.submit = hub.submit
        now = self.clock()
        hub.at = now
        self.wheel.set_time(now)

    def parser(self, protocol: WireProtocol) -> Parser:
        """A codec's `parse`, the same object for all its connections: a bound method each would cost 64 bytes."""
        return self._parsers.setdefault(protocol.name, protocol.codec.parse)

    def admit(self, address: str) -> None:
        """One connection more from there. Raises Refused when it is banned or one too many."""
        try:
            self.hub.bans.require_welcome_from(address, self.clock())
            self.gate.charge(CONNECTIONS, Identity(address=address))
        except Refused as refused:
            self.counts["refused_connections"] += 1
            if isinstance(refused, TooMuch) and refused.excess.limit.by == HOUSE:
                raise TooMuch(refused.excess.limit, refused.excess.seconds, Refusal.SERVER_FULL) from None
            raise

    def welcome(self, wire: WireProtocol, door: Door) -> "Callable[[], asyncio.Protocol]":
        """What has the connections that come through this door."""
        from parlour.server.link import Link

        return partial(Link, self, wire, door)

    def introduce(self, link: "Link", who: Participant, name: str, caps: Cap | None) -> None:
        """This is who the peer says to be, on a wire where no one can show it."""
        who.caps = who.caps if caps is None else caps
        try:
            who.name = self.hub.name_for(name)
        except Refused as refused:
            if isinstance(refused, Banned):
                link.tell(Evicted(refused.why, refused.seconds))
                link.dismiss()

    def next_table(self) -> int:
        return self.log.next_table()

    def _new_batch(self) -> None:
        self._batch = self.log.batch()
        self.append = self._batch.append

    # --- waking up and settling down ---------------------------------------------------------------------------------

    def clock(self) -> float:
        """The time of the house, in which it is always awake: while it stands still, no one's time runs out."""
        return self._clock() - self._stood_still

    def wake(self) -> None:
        """Something comes in: take the time once, and see that what it leads to is flushed."""
        if not self.awake:
            self.awake = True
            now = self._clock() - self._stood_still
            if now - self.hub.at > self._lapse:
                self._forgive(now - self.hub.at)
            else:
                self.hub.at = now
            self.turns.spent = 0.0
            self.call_soon(self._gather)

    def _forgive(self, seconds: float) -> None:
        """We have stood still, stopped by a signal or kept from running: for the house that time has not passed."""
        self._stood_still += seconds
        self.counts["stalls"] += 1
        if seconds > LONG_STALL_SECONDS:
            self.complain(f"the server stood still for {seconds:.1f} seconds; all clocks and deadlines did, too")
        told = Announced("stood-still", {"count": round(seconds)})
        for table in self.hub.tables.values():
            for who in table.present() if table.running and table.clock is not None else ():
                if who.kind is Kind.PERSON:
                    who.tell(told)

    def post(self, link: "Link", out: Output) -> None:
        """Keep something that this connection will send, behind what it wants to send already."""
        items = self.outbox.get(link)
        if items is None:
            self.outbox[link] = [out]
        elif isinstance(items, bytes):
            self.outbox[link] = [items, out]
        else:
            items.append(out)

    def enter(self, action: Callable[[], None]) -> None:
        """Run something that may change tables, from outside any connection."""
        self.wake()
        action()

    def tick(self) -> None:
        """Turn the wheel; called at least every tick.

        Whatever has arrived is read before anyone's time is up. What a loop calls soon may come before its next look at
        the sockets, but what is called soon from there comes behind it.
        """
        self.wake()
        self._lapse = STALL_SECONDS
        self.call_soon(self._look)

    def _look(self) -> None:
        self.call_soon(self._turn)

    def _turn(self) -> None:
        self.wake()
        self.hub.tick(self.hub.at)
        self.wheel.turn(self.hub.at)

    def _gather(self) -> None:
        """Let what arrives meanwhile come in too, while there is more of it: a bigger batch costs less per move."""
        gathered = len(self.outbox)
        self._idle_looks = 0 if gathered > self._gathered else self._idle_looks + 1
        if self._in_flight is None and self._idle_looks < IDLE_LOOKS and self._looks < LOOKS:
            self._gathered = gathered
            self._looks += 1
            self.call_soon(self._gather)
        else:
            self._gathered = self._looks = self._idle_looks = 0
            self._flush()

    def hurry(self) -> None:
        """Enough has gathered: let it go out while all that it is about is still in the processor's cache."""
        if self._in_flight is None:
            self._gathered = 0
            self._dispatch()

    def _flush(self) -> None:
        self.awake = False
        if self._in_flight is None:
            self._dispatch()

    def _dispatch(self) -> None:
        """Hand what has gathered to the log; without records there is nothing to wait for."""
        outbox, batch = self.outbox, self._batch
        self.outbox = {}  # always another one: what is said while this batch is written waits for the next
        if not batch.rows:
            self._fan_out.release(outbox)
            return
        self._new_batch()
        self._in_flight = (outbox, batch)
        self.counts["records"] += len(batch.rows)
        self.counts["commits"] += 1
        self.log.commit(batch, self.committed)

    def committed(self, error: LocalError | None) -> None:
        """The batch in flight is in the log, or never will be. Runs on the loop."""
        assert self._in_flight is not None
        outbox, batch = self._in_flight
        self._in_flight = None
        if error is None:
            self._fan_out.release(outbox)
            if self._miscounted and not self._batch.rows:
                with suppress(LocalError):  # the next batch is another chance
                    self.count()
            if self.book.closed:
                self._keep_ratings()
        elif isinstance(error, Fenced):
            self._let_go(outbox, batch.tables, error)
        else:
            self._fail(outbox, batch.tables, error)
        if self.outbox or self._batch.rows:
            self.wake()  # with the answers to what has just been told it makes a bigger batch

    def tables(self) -> Iterable[Table]:
        """Those where people of ours may be."""
        return self.hub.tables.values()

    @property
    def peers(self) -> "list[Link | Relay]":
        """Everything that is connected."""
        return [*self.links, *self.relays]

    @property
    def writing(self) -> bool:
        """Whether what was said waits for the log."""
        return self._in_flight is not None

    @property
    def at_rest(self) -> bool:
        """Whether everything said so far is in the log and on its way."""
        return self._in_flight is None and not self._batch.rows and not self.outbox and not self._fan_out.waiting

    def count(self) -> None:
        """Let standings and ratings be what the log says; only while nothing is on its way there."""
        self.hub.standings.reset(self.archive.standings())
        self.book.reset(*self.archive.ratings())
        self._miscounted = False
        self._keep_ratings()

    def _keep_ratings(self) -> None:
        """Keep what closed rating periods came to, as soon as every game in them is in the log."""
        closed = self.book.closed
        if not closed or self._batch.rows or self._miscounted:
            return

        def kept(error: LocalError | None) -> None:
            if error is not None:  # the next batch is another chance
                self.book.closed = closed + self.book.closed

        self.book.closed = []
        self.archive.keep_ratings(closed, kept)

    # --- when the log fails ------------------------------------------------------------------------------------------

    def _fail(self, outbox: Outbox, tables: Set[Table], error: LocalError) -> None:
        """Close the tables whose records are lost, tell their people, and take no new games for now."""
        self.wake()
        gathered = self._batch.tables
        if not gathered.isdisjoint(tables):  # what has gathered was decided on top of what is lost
            tables = tables | gathered
            self._new_batch()
        self.complain(f"{error}; tables closed: {len(tables)}")
        self.counts["log_failures"] += 1
        self._miscounted = True
        self._unsay(outbox, tables)
        self._fan_out.release(outbox)
        for table in tables:
            self.hub.evict(table, Refusal.LOG_DOWN)
            self._orphans.add(table.no)
        if self.hub.refusing is None:
            self.hub.refusing = Refusal.LOG_DOWN
        self._retry()

    def lost(self, table: Table) -> bool:
        """Whether the log has failed this table, so that what happened there last is not in it."""
        return table.no in self._orphans

    def _let_go(self, outbox: Outbox, tables: Set[Table], error: Fenced) -> None:
        """Another server writes this log: its tables live there, and what was decided here since is void.

        A session that has been told of it knows what never happened, so its conversation ends. All others go on.
        """
        self.wake()
        shelves = error.shelves or {shelf_of(table) for table in tables}
        tables = {table for table in (*tables, *self.hub.tables.values()) if shelf_of(table) in shelves}
        self.complain(f"{error}; tables given up: {len(tables)}")
        if all(shelf_of(table) in shelves for table in self._batch.tables):  # what is for others is still to be written
            self._new_batch()
        self._miscounted = True
        misled = {link.participant for link in (*outbox, *self.outbox)}
        self._unsay(outbox, tables)
        self._fan_out.release(outbox)
        people = {table: self.hub.let_go(table) for table in tables}
        for who in {who for present in people.values() for who in present} & misled:
            who.tell(Evicted(Refusal.LOG_DOWN))
        self.bereft({table: [who for who in present if who not in misled] for table, present in people.items()})

    def bereft(self, people: Mapping[Table, Sequence[Participant]]) -> None:
        """Connections have lost their tables to another server: one that knows of no other tells them so."""
        for present in people.values():
            for who in present:
                who.tell(Evicted(Refusal.LOG_DOWN))

    def _unsay(self, outbox: Outbox, tables: Set[Table]) -> None:
        """What the people of these tables were about to hear is void, and so are the last words of those who left."""
        for relay in self.relays:
            for said in (outbox, self.outbox):
                if (items := said.get(cast("Link", relay))) is not None:
                    said[cast("Link", relay)] = relay.unsay(items, tables)
        lost = {who for table in tables for who in table.present()}
        for link in self.links:
            if link.participant in lost:
                link.unsay()
                last: list[Output] = []
            elif link.left_table in tables and (link in outbox or link in self.outbox):
                last = [Close()]
            else:
                continue
            outbox.pop(link, None)
            self.outbox[link] = last

    def _retry(self) -> None:
        if not self._retrying:
            self._retrying = True
            self.wheel.add(self.hub.at, LOG_RETRY_SECONDS, "log", self._try_log_again)

    def _try_log_again(self, _: str) -> None:
        self.log.probe(self._probed)

    def _probed(self, error: LocalError | None) -> None:
        """Write the end of the tables that were closed; if that works, games may begin again."""
        self.wake()
        self._retrying = False
        if isinstance(error, Fenced):
            self._let_go({}, set(), error)
        if error is None:
            try:
                self.restore(self._orphans)
            except LocalError as unreadable:
                error = unreadable
        if error is not None:
            self._retry()
            return
        self._orphans = set()
        if self.hub.refusing is Refusal.LOG_DOWN:
            self.hub.at_once(self.hub.reopen)
        self.complain("the log can be written again")

    def restore(self, only: set[int] | None = None) -> int:
        """Bring unfinished tables back from the log: after a crash all of them, after a full disk those it closed."""
        count = 0
        for number, records in self.log.unfinished():
            if only is None or number in only:
                self.wake()
                self.hub.restore(number, records)
                count += 1
        return count
