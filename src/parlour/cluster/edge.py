"""The edge's side: connections here, their tables in another process.

Socket, codec and session are as ever. A session's table is a *follower*: a fold of the records that its owner sends
once they are in the log. Commands go to the owner in frames, one per wake-up, and are kept until the owner says that
they are done. An owner that was started again is told who is here and what they know, and given every command again
that it may not have carried out.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from random import Random
from secrets import token_hex
from typing import Any, cast

import msgspec

from parlour.cluster import frames
from parlour.cluster.frames import FromOwner, Item, command_of, raw, update_of
from parlour.cluster.relay import Relay
from parlour.core.errors import Refusal, TooMuch
from parlour.core.game import Game, Options, Verdict
from parlour.core.house.advice import Advised
from parlour.core.house.gate import CONNECTIONS, HOUSE
from parlour.core.house.hub import Hub
from parlour.core.house.matchmaking import Head, Key, key_of, suits
from parlour.core.session import Door
from parlour.core.table.people import Participant
from parlour.core.table.stream import KEPT
from parlour.core.table.table import Status, Table
from parlour.core.updates import CaughtUp, ChairsChanged, Declined, Evicted, Seated, Update
from parlour.core.words import Cap, Command, Opened, Play, Played, Policy, Record, Seek, Started
from parlour.server.house import House
from parlour.server.link import Link

MOST_UNANSWERED = 1024
"""Commands of one connection that may wait for an owner."""
PATIENCE = 60.0
"""Seconds without an owner after which people are told that there is none."""

SHARED = 1024
"""Ways to open a table that are kept to be shared."""

_verdict = msgspec.msgpack.Decoder(Verdict | None).decode


@lru_cache(SHARED)
def _shared(policy: Policy, options: tuple[tuple[str, str], ...]) -> tuple[Policy, Options]:
    """The same for all followers whose tables were opened alike."""
    return policy, dict(options)


Addressed = tuple[asyncio.Transport, Item]
"""Something to be said, and the connection to the owner it is for."""


class Follower(Table):
    """A table that lives elsewhere. Who is here of its people is attached as at home.

    An edge may have as many of them as people, so they keep little: of the records those of the running or last game,
    and no ids of moves, for it is the owner who recognises what is sent again.
    """

    __slots__ = ("looking_on",)

    def __init__(self, no: int, game: Game, opened: Opened) -> None:
        policy, options = _shared(opened.policy, tuple(opened.options.items()))
        super().__init__(no, game, msgspec.structs.replace(opened, policy=policy, options=options))
        self.ring = []
        self.looking_on = 0
        """As the owner counts them; this process knows its own people only."""

    @property
    def onlookers(self) -> int:
        return self.looking_on

    @property
    def move_ids(self) -> dict[tuple[int, str], Record]:
        return {}

    @move_ids.setter
    def move_ids(self, _: object) -> None:
        """None are kept."""

    def apply(self, record: Record) -> None:
        event = record.event
        if type(event) is Started:
            self.ring.clear()
            record = Record(record.seq, record.at, self._lean(event))
        elif len(self.ring) >= 2 * KEPT:
            del self.ring[:KEPT]
        super().apply(record)

    def _lean(self, started: Started) -> Started:
        """The same, but what is known here already is not kept twice."""
        known = {seat.name: seat for seat in self.seats if seat is not None}
        players = tuple(
            msgspec.structs.replace(player, name=seat.name, wire=seat.wire)
            if (seat := known.get(player.name)) is not None and seat.wire == player.wire
            else player
            for player in started.players
        )
        options = self.options if started.options == self.options else started.options
        return msgspec.structs.replace(started, options=options, players=players)


class Local:
    """One who is connected here."""

    __slots__ = ("asks", "gone", "home", "number", "standing", "unanswered", "waiting", "who")

    def __init__(self, number: int, who: Participant) -> None:
        self.number = number
        self.who = who
        self.gone = False
        """Not connected any more; the owner has yet to know."""
        self.home = False
        """Connected still, but nothing of this owner's any more."""
        self.unanswered = 0
        self.asks = False
        """Whether one of these is no move: nothing is read before it is answered, for that may change everything."""
        self.waiting: tuple[int, Command] | None = None
        """By which command they came to wait in the queue."""
        self.standing: dict[type[Command], Command] = {}
        """What holds for as long as they are here."""

    def here(self) -> frames.Here:
        who = self.who
        table = None if self.home else who.table
        at = (table.no, table.id, None if who.member is None else who.member.id, table.seq) if table else ()
        return frames.Here(
            self.number, who.wire, who.name, int(who.caps), who.address, who.account, who.person_id, who.level, *at
        )


class Sent:
    """A command on its way; None says that its giver has gone."""

    __slots__ = ("command", "local")

    def __init__(self, local: Local, command: Command | None) -> None:
        self.local = local
        self.command = command

    def item(self, count: int, again: bool) -> Item:
        command = self.command
        if type(command) is Play:
            return frames.Move(self.local.number, count, command.move, command.id, again)
        if command is None:
            return frames.Gone(self.local.number, count)
        return frames.Act(self.local.number, count, raw(command), again)


class EdgeHouse(House):
    """A house whose tables live elsewhere: what its people want is passed on."""

    edge: "Edge"

    def _flush(self) -> None:
        self.edge.count_connections()
        super()._flush()

    def introduce(self, link: Link, who: Participant, name: str, caps: Cap | None) -> None:  # noqa: ARG002
        """Who may be called so, the owner knows."""
        who.caps = who.caps if caps is None else caps
        who.name = name
        self.edge.introduce(who)


class RelayingHub(Hub):
    """A hub some of whose people are at tables of other processes, each with an edge for it; or all, with one."""

    home: "Edge | None" = None
    """Where all are who are nowhere else; None when they are here."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.abroad: dict[Participant, Edge] = {}

    def is_awaited(self, who: Participant | None) -> bool:
        edge = None if who is None else self.abroad.get(who, self.home)
        return edge is not None and who is not None and edge.asks(who)

    def submit(self, who: Participant, command: Command) -> None:
        edge = self.abroad.get(who, self.home)
        if edge is None:
            super().submit(who, command)
        else:
            edge.submit(who, command)

    def log_out(self, who: Participant) -> None:
        edge = self.abroad.pop(who, self.home)
        if edge is None:
            super().log_out(who)
        else:
            edge.leave(who)


class NoJournal:
    """Nothing happens here that is to be written."""

    def append(self, table: Table, record: Record) -> None:
        raise TypeError(f"{record} cannot happen at {table.id}, which lives elsewhere")

    def next_table(self) -> int:
        raise TypeError("no table is opened here")


class NoEngines:
    def hire(self, game: Game, level: str, name: str) -> Participant:
        raise TypeError(f"{name} ({level}) plays {game.key} elsewhere")


class Edge(Relay):
    """The connection to one owner, over and over, and all that is known of its tables."""

    kinds = FromOwner

    def __init__(self, node: str, house: House, games: Mapping[str, Game], secret: str = "") -> None:
        super().__init__()
        self.node = node
        self._secret = secret
        self._seed = token_hex()
        self.house = house
        self.games = games
        self.tables: dict[int, Table] = {}
        self._people: dict[Participant, Local] = {}
        self._numbers: dict[int, Local] = {}
        self._count = 0
        self._arrivals = 0
        self._pending: dict[int, Sent] = {}
        self._heads: dict[Key, tuple[Head, ...]] = {}
        self._since = house.clock()
        """Since when there is no owner."""
        self._elsewhere = 0
        self._counted = 0
        """Connections to other edges, and those here that they know of."""
        self.welcome = False
        """Whether there ever was an owner."""
        self.stopping = False
        """Whether the house says farewell."""

    @classmethod
    def alone(cls, node: str, house: EdgeHouse, games: Mapping[str, Game]) -> "Edge":
        """For a process that has no tables itself."""
        hub = RelayingHub(games, NoJournal(), NoEngines(), Random(0), lambda _: "")
        house.connect(hub)
        house.edge = hub.home = edge = cls(node, house, games)
        return edge

    # --- from the connections ----------------------------------------------------------------------------------------

    def submit(self, who: Participant, command: Command) -> None:
        """Pass a command on."""
        local = self._people.get(who) or self._arrive(who)
        if type(command).again is not Command.again:
            local.standing[type(command)] = command
        local.unanswered += 1
        local.asks = local.asks or type(command) is not Play
        if local.unanswered > MOST_UNANSWERED:
            self._drop(local)
            return
        self._send(Sent(local, command))

    def _arrive(self, who: Participant) -> Local:
        self._arrivals += 1
        local = self._people[who] = self._numbers[self._arrivals] = Local(self._arrivals, who)
        self._say(local.here())
        return local

    def introduce(self, who: Participant) -> None:
        local = self._people.get(who)
        if local is None:
            local = self._arrive(who)
        self._say(frames.Name(local.number, who.name, int(who.caps)))

    def leave(self, who: Participant) -> None:
        """The connection has ended."""
        local = self._people.pop(who, None)
        if local is not None:
            local.gone = True
            self._send(Sent(local, None))

    def _send(self, sent: Sent) -> None:
        self._count += 1
        self._pending[self._count] = sent
        self._say(sent.item(self._count, again=False))

    def _say(self, item: Item) -> None:
        """Until there is an owner nothing need be said: it is told everything when it comes."""
        if self.transport is not None:
            outbox: dict[Any, list[Addressed]] = self.house.outbox  # type: ignore[assignment] # ours among connections'
            items = outbox.get(self)
            if items is None:
                outbox[self] = [(self.transport, item)]
            else:
                items.append((self.transport, item))

    def release(self, items: list[Addressed]) -> None:
        """What was for an owner that is gone by now, the next one was told when it came."""
        self.send([item for way, item in items if way is self.transport])

    def waiting_for(self, seek: Seek) -> str | None:
        """The name of the person who would sit opposite one seeking this, as far as is known here."""
        game = self.games[seek.game]
        heads = self._heads.get(key_of(game, seek, game.options(seek.options)), ())
        fitting = [(number, name) for seat, number, name in heads if suits(seek, seat)]
        return min(fitting)[1] if fitting else None

    def door(self, name: str, keys: Mapping[str, str]) -> Door:
        return Door(name, keys, self.waiting_for)

    def asks(self, who: Participant) -> bool:
        """Whether nothing is read of this participant before they are answered."""
        local = self._people.get(who)
        return local is not None and local.asks

    def owes(self, who: Participant) -> bool:
        """Whether something that this participant wants is not answered yet."""
        local = self._people.get(who)
        return local is not None and local.unanswered > 0

    def count_connections(self) -> None:
        """Tell the others how many are here, if that has changed: what they may have depends on it."""
        here = int(self.house.gate.counted(CONNECTIONS, HOUSE).get(HOUSE, 0)) - self._elsewhere
        if here != self._counted and self.transport is not None:
            self._counted = here
            self._say(frames.Connected(here))

    def _note_elsewhere(self, count: int) -> None:
        """Let connections to other edges count here as well; as many as there is room for."""
        gate = self.house.gate
        with suppress(TooMuch):
            while self._elsewhere < count:
                gate.charge(CONNECTIONS)
                self._elsewhere += 1
        while self._elsewhere > count:
            gate.refund(CONNECTIONS)
            self._elsewhere -= 1

    def _drop(self, local: Local) -> None:
        for link in self._links(local):
            link.cut()

    def _links(self, local: Local) -> list[Link]:
        return [link for link in self.house.links if link.participant is local.who]

    def hello(self) -> frames.Hello:
        return frames.Hello(frames.VERSION, self.node, self._secret, seed=self._seed)

    # --- coming and going of the owner -------------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Say who is here, then everything that the last owner may not have dealt with."""
        super().connection_made(transport)
        self._counted = 0
        out: list[Item] = [self.hello()]
        out += [local.here() for local in self._numbers.values()]
        for local in self._numbers.values():
            if local.gone:
                continue
            again = [command.again(local.who) for command in local.standing.values()]
            out += [frames.Act(local.number, 0, raw(command), again=True) for command in again if command is not None]
            if local.waiting is not None and local.who.table is None:
                count, command = local.waiting
                out.append(frames.Act(local.number, count, raw(command), again=True))
        out += [sent.item(count, again=True) for count, sent in self._pending.items()]
        self.send(out)

    def lost(self) -> None:
        """The owner is gone: all that it said last has come; everything else waits for the next one."""
        self._since = self.house.clock()
        self._heads = {}

    def look(self) -> None:
        """Called now and then: no one waits in silence for an owner that does not come."""
        if self.transport is None and self._numbers and self.house.clock() - self._since > PATIENCE:
            self.house.wake()
            for local in tuple(self._numbers.values()):
                self._tell(local, Evicted(Refusal.LOG_DOWN))
                self._free(local)
                local.waiting = None
            self._pending = {count: sent for count, sent in self._pending.items() if sent.local.gone}

    # --- from the owner ----------------------------------------------------------------------------------------------

    def complain(self, sentence: str) -> None:
        self.house.complain(sentence)

    def receive(self, items: list[Any]) -> None:
        self.house.wake()
        for item in items:
            if type(item) is frames.Moved:
                played = Played(item.seat, item.move, item.id)
                self._happen(item.table, Record(item.seq, item.at, played), item.to)
            elif type(item) is frames.Happened:
                self._happen(item.table, item.record, item.to)
            else:
                self._hear(item)

    def _happen(self, no: int, record: Record, to: Sequence[int]) -> None:
        table = self.tables.get(no)
        if table is not None and record.seq > table.seq:
            table.apply(record)
        numbers = self._numbers
        for number in to:
            local = numbers.get(number)
            if local is not None and not local.gone:
                local.who.tell(record)

    def _hear(self, item: Any) -> None:
        match item:
            case frames.Fold():
                self._fold(item)
            case frames.Done(count=count):
                self._note_done(count)
            case frames.Heads(key=key, heads=heads):
                self._heads[key] = heads
                if not heads:
                    del self._heads[key]
            case frames.Forget(table=no):
                self.tables.pop(no, None)
            case frames.Onlookers(table=no, count=count):
                if isinstance(follower := self.tables.get(no), Follower):
                    follower.looking_on = count
            case frames.Told(to=to, update=update):
                self._pass_on(to, update)
            case frames.Drain(why=why):
                self.house.hub.refusing = why
            case frames.Elsewhere(count=count):
                self._note_elsewhere(count)
            case frames.Welcome():
                self.welcome = True
            case frames.Farewell():
                self.stopping = True
            case _:
                local = self._numbers.get(item.who)
                if local is not None and not local.home:
                    self._hear_of(local, item)

    def _hear_of(self, local: Local, item: Any) -> None:
        """Something about one person."""
        match item:
            case frames.Sat(table=no, seat=seat, token=token, member=member, at=at):
                table = self._seat(local, no, member)
                me = None if member is None else table.party.members.get(member)
                self._tell(local, Seated(table, seat, token, me, at))
            case frames.Back(table=no, seat=seat, missed=missed, member=member, at=at):
                table = self._seat(local, no, member)
                self._tell(local, CaughtUp(table, seat, missed, table.party.members[member], at))
            case frames.Refuse():
                self._refuse(local, item)
            case frames.Chairs():
                self._tell(local, ChairsChanged(()))
            case frames.Advice(table=no, seq=seq, verdict=verdict, request_id=request_id):
                if no in self.tables:
                    self._tell(local, Advised(self.tables[no], seq, _verdict(verdict), request_id))
            case frames.Freed():
                self._free(local)
            case frames.Named(name=name, account=account, person_id=person_id, level=level):
                who = local.who
                who.name, who.account, who.person_id, who.level = name, account, person_id, level
            case frames.Queued(count=count):
                if count in self._pending:
                    command = self._pending[count].command
                    local.waiting = None if command is None else (count, command)
            case frames.Dismiss():
                for link in self._links(local):
                    link.dismiss()

    def _tell(self, local: Local, told: Update) -> None:
        if not local.gone:
            local.who.tell(told)

    def _pass_on(self, to: Sequence[int], update: msgspec.Raw) -> None:
        """What several are told is one object, as at home: what is spelled for one of them does for all."""
        told: dict[str, Update] = {}
        for number in to:
            local = self._numbers.get(number)
            if local is not None and not local.gone:
                wire = local.who.wire
                if wire not in told:
                    told[wire] = cast(Update, update_of(wire, update))
                if isinstance(evicted := told[wire], Evicted):
                    self._evict(local, evicted)
                else:
                    local.who.tell(told[wire])

    def _evict(self, local: Local, told: Evicted) -> None:
        local.waiting = None
        local.who.tell(told)

    def _fold(self, fold: frames.Fold) -> None:
        table = self.tables.get(fold.table)
        for record in fold.records:
            if table is None:
                if not isinstance(record.event, Opened):
                    return  # the end of a table where no one is left
                table = self.tables[fold.table] = Follower(fold.table, self.games[record.event.game], record.event)
            if record.seq > table.seq:
                table.apply(record)
                for who in table.present() if fold.aloud else ():
                    who.tell(record)

    def _seat(self, local: Local, no: int, member: int | None) -> Table:
        table = self.tables[no]
        local.waiting = None
        self._free(local)
        if not local.gone:
            table.attach(local.who, None if member is None else table.party.members.get(member))
        return table

    def _free(self, local: Local) -> None:
        who = local.who
        table = who.table
        if table is None:
            return
        if who in table.audience or who.tell in table.tells:
            table.detach(who)
        else:  # the member is no more
            who.table = who.member = who.seat = None
        if table.status is Status.CLOSED and not table.tells and not table.audience:
            self.tables.pop(table.no, None)

    def _refuse(self, local: Local, item: frames.Refuse) -> None:
        sent = self._pending.get(item.count)
        command: Command | None
        if item.count == 0:
            command = command_of(local.who.wire, item.command)
        elif sent is not None:
            command = sent.command
        else:
            command, local.waiting = (local.waiting or (0, None))[1], None
        if command is not None:
            self._tell(local, Declined(command, item.why, item.excess, item.seconds))

    def at_rest(self, local: Local) -> None:
        """All that this person wanted is done."""

    def _note_done(self, count: int) -> None:
        """These commands are done."""
        pending = self._pending
        for each in list(pending):
            if each > count:
                break
            sent = pending.pop(each)
            local = sent.local
            local.unanswered -= 1
            if sent.command is None:
                if not local.home:
                    self._free(local)
                del self._numbers[local.number]
            elif local.asks and not local.unanswered and not local.gone:
                local.asks = False
                self.at_rest(local)
                link = getattr(local.who.tell, "__self__", None)
                if isinstance(link, Link):
                    link.answered()
