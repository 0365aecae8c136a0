"""The owner's side: tables here, connections in other processes.

Each edge is an `EdgeRelay`. Its people are participants like any others, whose `tell` is gathered per edge and sent
when it is in the log: a record goes to an edge once, with the numbers of those who hear it, and is folded there before.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from functools import partial
from hmac import compare_digest
from typing import Any, NamedTuple, cast

from parlour.cluster import frames
from parlour.cluster.frames import FromEdge, Item, raw
from parlour.cluster.relay import Relay
from parlour.core.errors import Banned, Refusal, Refused
from parlour.core.house.advice import Advised
from parlour.core.house.matchmaking import Key
from parlour.core.table.people import ANON, Member, Participant, digest
from parlour.core.table.stream import KEPT
from parlour.core.table.table import Table
from parlour.core.updates import CaughtUp, ChairsChanged, Declined, Evicted, Seated, Update, Waiting
from parlour.core.words import AnyEvent, Cap, Closed, Command, Entered, Finished, Joined, Play, Played, Record, Vanish
from parlour.server.house import House
from parlour.server.link import Link

FORGETTING = 30.0
"""Seconds between two looks for tables whose records are kept for no one."""

ENDINGS = frozenset({Finished, Closed})
Past = Callable[[int, int], list[Record]]
"""The records of a table of the log, by its number, after this one; none where they are not known."""


class OwnerHouse(House):
    """A house with people in other processes. It keeps what a fold begins with: all records of its tables."""

    node = ""
    """The name of this process, never used again by another."""
    past: Past = staticmethod(lambda _no, _after: [])
    secret = ""
    """What an edge must know."""

    def __init__(self, *args: Any, **others: Any) -> None:
        self._long: dict[Table, list[Record]] = {}
        """All records of tables that have more of them than a table keeps itself."""
        self.closed: dict[int, Table] = {}
        """Tables that were closed lately: an edge may come back that does not know, before it is in the log."""
        self._closed_before: dict[int, Table] = {}
        self.edges: dict[str, EdgeRelay] = {}
        super().__init__(*args, **others)

    def open_to_edges(self, node: str, past: Past, secret: str = "") -> None:
        """The hub is there: edges may come from now on."""
        self.node, self.past, self.secret = node, past, secret
        self.hub.matchmaker.changed = set()
        self._forget_tables()

    def _new_batch(self) -> None:
        super()._new_batch()
        self.append = self._append

    def _append(self, table: Table, record: Record) -> None:
        self._batch.append(table, record)
        if type(record.event) in ENDINGS:
            self._note_end(table, record.event)
        if record.seq >= KEPT:
            kept = self._long.get(table)
            if kept is None:
                self._long[table] = list(table.ring)
            elif kept[-1].seq < record.seq:
                kept.append(record)

    def _note_end(self, table: Table, event: AnyEvent) -> None:
        if type(event) is Closed:
            self.closed[table.no] = table

    def records(self, table: Table, after: int, upto: int) -> list[Record]:
        """Of a table that lives here; they count from 1 without a gap."""
        kept: Sequence[Record] = self._long.get(table) or table.ring
        first = kept[0].seq
        return list(kept)[max(0, after + 1 - first) : upto + 1 - first]

    def arrival(self, table: Table, member: Member) -> Record:
        """The record by which a member came."""
        records = self.records(table, 0, table.seq)
        came = (each for each in records if isinstance(each.event, Entered | Joined) and each.event.member == member.id)
        return next(came)

    def _forget_tables(self, _: str = "") -> None:
        for no in self._closed_before:
            self._long.pop(self._closed_before[no], None)
            self.closed.pop(no, None)
        self._closed_before = dict(self.closed)
        self.wheel.add(self.hub.at, FORGETTING, "forget", self._forget_tables)

    def restore(self, only: set[int] | None = None) -> int:
        """After a crash, the people of these tables may still be connected: to edges, which know who they are.

        How long they are waited for counts from the moment when edges can connect: `hub.set_reachable`.
        """
        if only is not None:
            return super().restore(only)
        self.hub.set_reachable(False)
        count = 0
        for number, records in self.log.unfinished():
            self.wake()
            self.remember(self.hub.adopt(number, records), records)
            count += 1
        return count

    def remember(self, table: Table, records: Sequence[Record]) -> None:
        """Keep what a fold of this table begins with."""
        if len(records) >= KEPT and table not in self._long:
            self._long[table] = list(records)

    def _flush(self) -> None:
        changed = self.hub.matchmaker.changed
        if changed:
            for key in changed:
                for edge in self.edges.values():
                    edge.say(edge.heads(key))
            changed.clear()
        super()._flush()

    def part(self, guest: Participant) -> None:
        """A connection at an edge has ended."""
        self.hub.log_out(guest)

    def spread_counts(self) -> None:
        """Let every edge know how many are connected to the others."""
        total = sum(edge.connected for edge in self.edges.values())
        for edge in self.edges.values():
            edge.say(frames.Elsewhere(total - edge.connected))

    def drain_edges(self) -> None:
        """Let edges close their doors, but for pages."""
        for edge in self.edges.values():
            edge.say(frames.Drain(Refusal.DRAINING))

    def leave_edges(self) -> None:
        """Another owner takes over: from now on nothing is heard here. The edges' people stay where they are."""
        for edge in tuple(self.edges.values()):
            edge.guests = {}
            edge.cut()
        self.edges.clear()

    def bereft(self, people: Any) -> None:  # noqa: ARG002
        """Edges look for the tables elsewhere, and give every command again that was not answered."""
        for edge in tuple(self.edges.values()):
            edge.hand_over()


class Said:
    """What is held for an edge: an item, or a record or update that goes to several. It names its table."""

    __slots__ = ("item", "seq", "since", "table", "to", "told")

    def __init__(
        self,
        item: Item | None = None,
        table: Table | None = None,
        told: Record | Update | None = None,
        to: list[int] | None = None,
        since: int | None = None,
        seq: int | None = None,
    ) -> None:
        self.item = item
        self.table = table
        self.seq = seq if seq is not None else 0 if table is None else table.seq
        """What the edge must know of the table by then."""
        self.told = told
        self.to = to or []
        self.since = since
        """What it knows already, when it comes back; it is told all that came after."""


class Guest(Participant):
    """A participant whose connection is at an edge."""

    __slots__ = ("_at", "_known", "count", "edge", "missed", "number")

    def __init__(self, edge: "EdgeRelay", here: frames.Here) -> None:
        self._at: Table | None = None
        self.edge = edge
        self.number = here.who
        self.count = 0
        """Of the command that may bring them to a table: the last one, or that by which they wait."""
        self.missed = False
        """Whether something has happened at the table while the owner was away."""
        super().__init__(self.hear, here.name, here.wire, Cap(here.caps), level=here.level)
        self.address, self.account, self.person_id = here.address, here.account, here.person_id
        self._known = self._seen()

    @property
    def table(self) -> Any:
        return self._at

    @table.setter
    def table(self, table: Table | None) -> None:
        before, self._at = self._at, table
        if before is not table:
            self.edge.moved(self.number, before, table)

    @property
    def place_token(self) -> str:
        return frames.place_token(self.edge.seed, self.count)

    def _seen(self) -> tuple[str, str, str, str]:
        return self.name, self.account, self.person_id, self.level

    def hear(self, told: Update) -> None:
        self.edge.hear(self, told)

    def look(self) -> None:
        """Let the edge know by what this participant is known, if that has changed."""
        if self._seen() != self._known:
            self._known = self._seen()
            self.edge.say(frames.Named(self.number, *self._known))


class Arrival(NamedTuple):
    """One who was brought to a table by an owner that did not come to say so."""

    guest: Guest
    table: Table
    member: Member
    record: Record
    """By which they came."""


class EdgeRelay(Relay):
    """One edge, as its owner sees it."""

    kinds = FromEdge

    def __init__(self, house: OwnerHouse) -> None:
        super().__init__()
        self.house = house
        self.node = ""
        self.seed = ""
        self.connected = 0
        self.guests: dict[int, Guest] = {}
        self._here: Counter[Table] = Counter()
        self._sent: dict[int, int] = {}
        """By number of table, the last record that the edge has been sent."""
        self._onlookers: dict[Table, int] = {}
        self._last = 0
        """The last command that came, and the last of which the edge was told that it is done."""
        self._done = 0
        self._count = 0
        self._command: Command | None = None
        """What is being carried out."""
        self._again = False

    # --- what the house asks -----------------------------------------------------------------------------------------

    def people(self) -> Iterable[Participant]:
        return self.guests.values()

    def dismiss(self, whom: Collection[Participant]) -> None:
        for guest in self.guests.values():
            if guest in whom:
                self.say(frames.Dismiss(guest.number))

    def farewell(self) -> None:
        self.say(frames.Farewell())

    def unsay(self, items: list[Said], tables: Set[Table]) -> list[Said]:
        """What is void, and with it that those commands are done."""
        return [said for said in items if said.table not in tables and type(said.item) is not frames.Done]

    def complain(self, sentence: str) -> None:
        self.house.complain(sentence)

    # --- from the edge -----------------------------------------------------------------------------------------------

    def receive(self, items: list[Any]) -> None:
        house = self.house
        house.wake()
        if items and type(items[0]) is frames.Hello:
            self._greet(items[0])
        if not self.node:
            return  # not let in
        here = [item for item in items if type(item) is frames.Here]
        done = self._let_in(here, items) if here else ()
        for item in items:
            kind = type(item)
            if kind is frames.Move:
                self._play(item)
            elif kind is frames.Act and item.count in done:
                self._last = max(self._last, item.count)
            elif kind is frames.Act:
                house.turns.carry_out(partial(self._act, item))
            elif kind is frames.Name:
                self._introduce(item)
            elif kind is frames.Gone:
                self._go(item)
            elif kind is frames.Connected:
                self.connected = item.count
                house.spread_counts()
        self._command = None
        if self._done < self._last:
            self._done = self._last
            self.say(frames.Done(self._done))

    def _greet(self, hello: frames.Hello) -> None:
        house = self.house
        if not self.admits(hello):
            self.cut()
            return
        self.node, self.seed = hello.node, hello.seed
        before = house.edges.get(self.node)
        if before is not None:
            before.hand_over()
        house.edges[self.node] = self
        house.relays.add(self)
        self.say(frames.Welcome(frames.VERSION, house.node))
        self.brief()

    def admits(self, hello: frames.Hello) -> bool:
        """Whether this edge may come."""
        if hello.version == frames.VERSION and compare_digest(hello.secret, self.house.secret):
            return True
        self.complain(f"an edge that speaks version {hello.version} is not let in")
        return False

    def brief(self) -> None:
        """Tell a new edge what it must know of the house."""
        house = self.house
        self.say(frames.Drain(house.hub.refusing))
        for key in house.hub.matchmaker.lines():
            self.say(self.heads(key))

    def heads(self, key: Key) -> frames.Heads:
        return frames.Heads(key, self.house.hub.matchmaker.heads(key))

    def _play(self, move: frames.Move) -> None:
        """A move. Its id is in the log: of one that is sent again we know whether it was made."""
        guest = self.guests.get(move.who)
        if guest is None:
            return
        play = Play(move.move, move.id or f"{self.node}.{move.count:x}")
        self._begin(move, play)
        if move.again and guest.table is not None and (guest.seat, play.id) in guest.table.move_ids:
            return  # told with all that was missed
        self.house.submit(guest, play)

    def _begin(self, item: frames.Move | frames.Act, command: Command) -> None:
        self._count, self._command, self._again = item.count, command, item.again
        self._last = max(self._last, item.count)

    def _act(self, act: frames.Act) -> None:
        guest = self.guests.get(act.who)
        if guest is None:
            return
        command = frames.command_of(guest.wire, act.command)
        self._begin(act, command)
        if guest.waiting_in is None:
            guest.count = act.count
        self.house.submit(guest, command)
        guest.look()

    def _introduce(self, said: frames.Name) -> None:
        guest = self.guests[said.who]
        guest.caps = Cap(said.caps)
        self._call(guest, said.name)

    def _call(self, guest: Guest, name: str) -> None:
        try:
            guest.name = self.house.hub.name_for(name, guest.account)
        except Refused as refused:
            if isinstance(refused, Banned):
                guest.hear(Evicted(refused.why, refused.seconds))
                self.say(frames.Dismiss(guest.number))
        guest.look()

    def _go(self, gone: frames.Gone) -> None:
        self._last = gone.count
        guest = self.guests.pop(gone.who, None)
        if guest is not None:
            self.house.submit(guest, Vanish())
            self.house.part(guest)

    # --- coming, also back -------------------------------------------------------------------------------------------

    def _let_in(self, all_here: list[frames.Here], items: list[Any]) -> Set[int]:
        """These are connected there; returns which commands of theirs were carried out before, and not answered."""
        for here in all_here:
            if not here.table:
                self._come(here)
        back = [here for here in all_here if here.table]
        again = [item for item in items if type(item) is frames.Act and item.again]
        arrivals = self._arrivals(again) if again else []
        if back or arrivals:
            self._seat(arrivals)
            self._come_back(back, [each.guest for each in arrivals])
        return {each.guest.count for each in arrivals}

    def _arrivals(self, again: list[frames.Act]) -> list[Arrival]:
        """Who has a place here by a command that is given again: it was written, and never told.

        In the order in which they came.
        """
        free = {
            member.token_digest: (table, member)
            for table in self.house.hub.tables.values()
            for member in table.party.members.values()
            if member.token_digest and member.who is None
        }
        found = []
        for act in again:
            guest = self.guests.get(act.who)
            place = free.get(digest(frames.place_token(self.seed, act.count)))
            if guest is not None and place is not None:
                table, member = place
                guest.count = act.count
                found.append(Arrival(guest, table, member, self.house.arrival(table, member)))
        return sorted(found, key=lambda each: (each.table.no, each.record.seq))

    def _seat(self, arrivals: list[Arrival]) -> None:
        """They hear what they would have heard then. Nothing of it can have come to the edge: it was one frame."""
        for guest, table, member, record in arrivals:
            self._hold(Said(table=table, since=0, seq=record.seq))
            seat = record.event.seat if isinstance(record.event, Joined) else None
            token = guest.place_token if Cap.RESUME in guest.caps else ""
            sat = frames.Sat(guest.number, table.no, seat, token, member.id, self.house.hub.at)
            self._hold(Said(sat, table, seq=record.seq))
            table.attach(guest, member)
        for table in {each.table: None for each in arrivals}:
            self._hold(Said(table=table, since=0))

    def _come(self, here: frames.Here) -> None:
        guest = self.guests[here.who] = Guest(self, here)
        if here.name != ANON:
            self._call(guest, here.name)

    def _come_back(self, all_here: list[frames.Here], attached: list[Guest]) -> None:
        """These were at tables. First they hear what they missed, then all are attached, then the tables go on."""
        hub = self.house.hub
        live: list[tuple[Guest, frames.Here, Table]] = []
        for here in all_here:
            guest = self.guests[here.who] = Guest(self, here)
            table = hub.tables.get(here.table_id)
            if table is None and (closed := self.house.closed.get(here.table)) is not None:
                self._hold(Said(table=closed, since=here.seq))
                self.say(frames.Freed(here.who))
            elif table is None or table.no != here.table:
                self._bring_end(here)
            elif table.seq < here.seq:
                self.complain(f"the log ends at record {table.seq} of table {table.id}, and {here.seq} was told")
                self._end_visit(here, Refusal.LOG_DOWN)
            else:
                guest.missed = table.seq > here.seq
                self._hold(Said(table=table, since=here.seq))
                live.append((guest, here, table))
        for guest, here, table in live:
            try:
                hub.attach(guest, table, here.member)
                attached.append(guest)
            except Refused as refused:
                self._end_visit(here, refused.why)
        hub.at_once(partial(hub.go_on, attached))

    def _bring_end(self, here: frames.Here) -> None:
        """The table was closed, or is lost: the edge hears how it ended."""
        missed = self.house.past(here.table, here.seq)
        if missed:
            self.say(frames.Fold(here.table, missed, aloud=True))
        if missed and type(missed[-1].event) is Closed:
            self.say(frames.Freed(here.who))
        else:
            self._end_visit(here, Refusal.LOG_DOWN)

    def _end_visit(self, here: frames.Here, why: Refusal) -> None:
        self.say(frames.Told([here.who], raw(Evicted(why))))
        self.say(frames.Freed(here.who))

    def lost(self) -> None:
        """The edge has died, and all its connections with it."""
        house = self.house
        house.relays.discard(self)
        house.outbox.pop(cast(Link, self), None)
        if house.edges.get(self.node) is self:
            del house.edges[self.node]
            house.spread_counts()
            house.wake()
            for guest in tuple(self.guests.values()):
                house.submit(guest, Vanish())
                house.part(guest)
        self.guests = {}

    def hand_over(self) -> None:
        """The same edge comes by another connection: it will say again who is there."""
        hub = self.house.hub
        self.house.relays.discard(self)
        self.node = ""  # nothing is heard by this one any more
        guests, self.guests = self.guests, {}
        for table in {guest.table for guest in guests.values() if guest.table is not None}:
            hub.expect(table)
        for guest in guests.values():
            hub.matchmaker.remove(guest)
            if guest.table is not None:
                guest.table.detach(guest)
            self.house.part(guest)
        self.house.outbox.pop(cast(Link, self), None)
        self.cut()

    # --- to the edge -------------------------------------------------------------------------------------------------

    def say(self, item: Item) -> None:
        self._hold(Said(item))

    def _hold(self, said: Said) -> None:
        self.house.post(cast(Link, self), cast(Any, said))

    def moved(self, number: int, before: Table | None, table: Table | None) -> None:
        """A guest is at another table now, or at none."""
        if before is not None:
            if table is None:
                self.say(frames.Freed(number))
            self._here[before] -= 1
            if not self._here[before]:
                del self._here[before]
                self._onlookers.pop(before, None)
                self.say(frames.Forget(before.no))
        if table is not None:
            self._here[table] += 1

    def hear(self, guest: Guest, told: Update) -> None:
        """Gather what a guest is told: what goes to several of them is sent once."""
        outbox: dict[Any, list[Said]] = self.house.outbox  # type: ignore[assignment] # ours among those of connections
        items = outbox.get(self)
        if items and items[-1].told is told:
            items[-1].to.append(guest.number)
        elif type(told) is Record:
            said = Said(None, guest.table, told, [guest.number], None, told.seq)
            if items is None:
                outbox[self] = [said]
            else:
                items.append(said)
        else:
            self._hear_rare(guest, told)

    def _hear_rare(self, guest: Guest, told: Update) -> None:
        number, table = guest.number, guest.table
        self._count_onlookers(table)
        match told:
            case Seated():
                member = None if told.member is None else told.member.id
                self._hold(Said(frames.Sat(number, told.table.no, told.seat, told.token, member, told.at), told.table))
            case CaughtUp(table=back, missed=missed):
                self._hold(Said(frames.Back(number, back.no, told.seat, missed, told.member.id, told.at), back))
            case ChairsChanged():
                self._hold(Said(frames.Chairs(number), table))
            case Declined():
                self._decline(guest, told)
            case Advised(table=about):
                advice = frames.Advice(number, about.no, told.seq, raw(told.verdict), told.request_id)
                self._hold(Said(advice, about))
            case Waiting():
                self.say(frames.Queued(number, self._count))
                if not self._again:
                    self._hold(Said(told=told, to=[number]))
            case _:
                self._hold(Said(table=table, told=told, to=[number]))

    def _decline(self, guest: Guest, told: Declined) -> None:
        """A refusal; none of what was asked once more where something was missed: that, perhaps, was the answer."""
        if self._again and guest.missed:
            return
        same = told.command is self._command
        command = frames.NOTHING if same else raw(told.command)
        refuse = frames.Refuse(guest.number, self._count if same else 0, told.why, told.excess, command, told.seconds)
        self._hold(Said(refuse, guest.table))

    def _count_onlookers(self, table: Table | None) -> None:
        if table is not None and self._onlookers.get(table, 0) != table.onlookers:
            self._onlookers[table] = table.onlookers
            self._hold(Said(frames.Onlookers(table.no, table.onlookers), table))

    # --- once it is in the log ---------------------------------------------------------------------------------------

    def release(self, items: list[Said]) -> None:
        out: list[Item] = []
        for said in items:
            self._put(out, said)
        self.send(out)

    def _put(self, out: list[Item], said: Said) -> None:
        table, told, item = said.table, said.told, said.item
        if type(told) is Record and table is not None:
            no, seq, event = table.no, told.seq, told.event
            if self._sent.get(no) != seq - 1:
                self._fold(out, table, seq - 1)
            self._sent[no] = max(seq, self._sent[no])
            if type(event) is Played:
                out.append(frames.Moved(no, seq, told.at, event.seat, event.move, event.id, said.to))
            else:
                out.append(frames.Happened(no, told, said.to))
        elif told is not None:
            out.append(frames.Told(said.to, raw(told)))
        elif said.since is not None and table is not None:
            self._sent.setdefault(table.no, said.since)
            self._fold(out, table, said.seq, aloud=True)
        elif item is not None:
            if type(item) is frames.Sat or type(item) is frames.Back:
                assert table is not None
                self._fold(out, table, said.seq)
            elif type(item) is frames.Forget:
                self._sent.pop(item.table, None)
            out.append(item)

    def _fold(self, out: list[Item], table: Table, upto: int, aloud: bool = False) -> None:
        """Let the edge know the table as it was after this record."""
        sent = self._sent.setdefault(table.no, 0)
        if sent < upto:
            out.append(frames.Fold(table.no, self.house.records(table, sent, upto), aloud))
            self._sent[table.no] = upto
