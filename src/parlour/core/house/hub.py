"""The house: every table, and the way commands take.

The hub is told the time (`at`) and given its dice; it reaches people through `Participant.tell` and the log through
`Journal`. Commands that arrive while another is being carried out (an engine answering at once) wait their turn.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from random import Random
from typing import Any, TypeVar, assert_never, cast

from parlour.core.accounts import NoAccounts
from parlour.core.errors import Banned, Refusal, Refused, TooMuch
from parlour.core.game import NOBODY, Game
from parlour.core.house.alarms import Alarms
from parlour.core.house.bans import Bans
from parlour.core.house.gate import SEEKS, SESSIONS, TABLES, Gate, Identity
from parlour.core.house.listing import Listing
from parlour.core.house.matchmaking import Matchmaker
from parlour.core.house.muting import Muting
from parlour.core.names import as_guest, clean_name, one_line, reserved
from parlour.core.party import chairs, coming
from parlour.core.party.conduct import conduct
from parlour.core.party.following import due, settle
from parlour.core.party.games import follow, shut
from parlour.core.party.steps import Attach, Detach, OtherStep, Steps, Tell
from parlour.core.ports import Accounts, Engines, Journal, NoRatings, Ratings
from parlour.core.rated import outcome_of
from parlour.core.standings import Standings
from parlour.core.table.ballot import REMATCH
from parlour.core.table.people import Participant, digest
from parlour.core.table.table import Status, Table, folded
from parlour.core.updates import Announced, ChairsChanged, Declined, Evicted, Said, Seated
from parlour.core.words import (
    EVENTS,
    AnyEvent,
    Cap,
    Command,
    Enter,
    Entered,
    EnterTable,
    Extension,
    Finished,
    Gone,
    Held,
    Interrupted,
    Joined,
    Kind,
    Leave,
    Left,
    Open,
    Opened,
    Play,
    Policy,
    Record,
    Resume,
    Resumed,
    Say,
    Seek,
    Sit,
    TakeChair,
    TakeOver,
    Vanish,
    Vote,
    Watch,
    Went,
)

Service = TypeVar("Service")

ATTACHING = 3.0
"""Seconds for which a table that was adopted expects the connections of its people."""
REMEMBERED = 10_000
"""Places of closed tables whose players may still ask what became of them."""

_WHY = {
    Gone.CLAIMED: Refusal.SEAT_CLAIMED,
    Gone.SUBSTITUTED: Refusal.SEAT_SUBSTITUTED,
    Gone.EXPIRED: Refusal.SEAT_GIVEN_UP,
}
"""What a player is told who comes back too late."""


class Hub:
    """All tables of one server."""

    def __init__(
        self,
        games: Mapping[str, Game],
        journal: Journal,
        engines: Engines,
        rng: Random,
        new_secret: Callable[[int], str],
        accounts: Accounts | None = None,
        ratings: Ratings | None = None,
    ) -> None:
        self.games = games
        self.journal = journal
        self.engines = engines
        self.rng = rng
        self.new_secret = new_secret
        """A fresh unguessable word of so many characters: ids and tokens, never from the seeded dice."""
        self.accounts: Accounts = accounts or NoAccounts()
        self.ratings: Ratings = ratings or NoRatings()
        self.standings = Standings()
        self.muting = Muting()
        self.bans = Bans()
        self.gate = Gate(lambda: self.at)
        """Counts what people do; a server has one that counts their connections, too."""
        self.at = 0.0
        self.tables: dict[str, Table] = {}
        self.matchmaker = Matchmaker(self)
        self.listing = Listing()
        self.refusing: Refusal | None = None
        """Why no new game may begin, if so."""
        self._services: dict[Callable[[Hub], Any], Any] = {}
        self._lost: OrderedDict[str, Gone] = OrderedDict()
        """What became of places at closed tables, by the digest of their token."""
        self._inbox: deque[tuple[Participant, Command]] = deque()
        self._busy = False
        self._alarms = Alarms()
        self._expecting: dict[Table, float] = {}
        """Until when a table expects connections of its people."""
        self._is_reachable = True

    # --- commands --------------------------------------------------------------------------------------------------

    def submit(self, who: Participant, command: Command) -> None:
        """Carry a command out, with everything that follows from it."""
        if self._busy:
            self._inbox.append((who, command))
            return
        self._busy = True
        try:
            self._attempt(who, command)
            if self._inbox or self.listing.pending:
                self._carry_on()
        finally:
            self._busy = False

    def _carry_on(self) -> None:
        """Carries out what a command has led to, then publishes the changes, and what that leads to."""
        while self._inbox or self.listing.pending:
            while self._inbox:
                self._attempt(*self._inbox.popleft())
            self.listing.publish()

    def _attempt(self, who: Participant, command: Command) -> None:
        try:
            if type(command) is not Play:
                self.carry_out(who, command)
                return
            table: Table | None = who.table
            seat = who.seat
            if table is None or seat is None:
                raise Refused(Refusal.NOT_SEATED)
            event = table.decide_play(seat, command)
            if event is None:
                who.tell(table.move_ids[seat, command.id])
                return
            record = Record(table.seq + 1, self.at, event)
            table.apply(record)
            self.journal.append(table, record)
            for tell in table.tells:
                tell(record)
            if table.audience:
                table.tell_audience(record)
            if table.position.turn == NOBODY:  # type: ignore[union-attr] # decide_play saw that there is one
                self.settle(table)
            elif table.alert:
                self._watch_move(table)
        except Refused as refused:
            excess = refused.excess if isinstance(refused, TooMuch) else None
            seconds = refused.seconds if isinstance(refused, Banned) else None
            who.tell(Declined(command, refused.why, excess, seconds))

    def carry_out(self, who: Participant, command: Command) -> None:
        """Carry out any command but a move. For extensions that must know whether it was refused: raises Refused."""
        carry_out = _CARRYING_OUT.get(type(command))
        if carry_out is not None:
            carry_out(self, who, command)
        elif isinstance(command, Extension):
            command.run(self, who)
        else:
            self._conduct(who, command)

    def _conduct(self, who: Participant, command: Command) -> None:
        """A command for the table where the participant is."""
        table: Table | None = who.table
        if table is None or who.member is None:
            raise Refused(Refusal.NOT_SEATED)
        if isinstance(command, Sit) and command.table != table.id:
            raise Refused(Refusal.ALREADY_SEATED)
        self._require_rematch(who, table, command)
        self.perform(table, conduct(table, self, who.member, command))

    # --- events ----------------------------------------------------------------------------------------------------

    def perform(self, table: Table, steps: Steps) -> None:
        """Take these steps at a table, and everything that follows from them."""
        self.take(table, steps)
        self.settle(table)

    def take(self, table: Table, steps: Steps) -> None:
        """Take these steps, each before the next one is asked for."""
        for step in steps:
            if type(step) in EVENTS:  # most of them
                self.happen(table, step)  # type: ignore[arg-type] # not one of the others
                continue
            match cast(OtherStep, step):
                case Attach(who=who, member=number) as attach:
                    member = table.party.members[number]
                    if attach.code:
                        member.learn_code(attach.code)
                    table.attach(who, member)
                    if attach.welcome:
                        who.tell(Seated(table, member.seat, attach.token, member, self.at))
                case Detach(who=who):
                    table.detach(who)
                case Tell(who=who, update=update):
                    who.tell(update)
                case Announced() | ChairsChanged() as told:
                    if isinstance(told, ChairsChanged):
                        table.told_chairs = told.now
                    for who in table.present() if table.has_lobby else ():
                        if who.kind is Kind.PERSON:
                            who.tell(told)
                case other:
                    assert_never(other)

    def happen(self, table: Table, event: AnyEvent) -> None:
        """Let an event happen at a table and tell it there. For moves `_attempt` does the same in place."""
        self.listing.touch(table)
        record = Record(table.seq + 1, self.at, event)
        table.apply(record)
        if type(event) is Finished:
            self.standings.note(table.game.key, event.accounts, event)
            outcome = outcome_of(table.game.key, event, self.at)
            if outcome is not None:
                self.ratings.note(outcome)
        self.journal.append(table, record)
        for tell in table.tells:
            tell(record)
        if table.audience:
            table.tell_audience(record)
        if (type(event) is Joined or type(event) is Entered) and event.kind is Kind.ENGINE:
            self._hire(table, event.member)

    def settle(self, table: Table) -> None:
        """Let everything happen that follows, until the table is at rest."""
        if table.status is not Status.CLOSED:
            self.take(table, settle(table, self))
        if table.status is Status.CLOSED:
            self._forget(table)
        else:
            self._set_alarm(table)

    def shut(self, table: Table, why: str = "deserted") -> None:
        """End a table that does not end by itself."""
        self.perform(table, shut(table, why))

    def _hire(self, table: Table, number: int) -> None:
        """A seat is an engine's: let one sit there."""
        member = table.party.members[number]
        if member.who is None:
            engine = self.engines.hire(table.game, member.level, member.name)
            table.attach(engine, member)
            engine.tell(Seated(table, member.seat, member=member, at=self.at))

    def _forget(self, table: Table) -> None:
        if self.is_live(table):  # one that has closed already may be forgotten again when its log fails
            del self.tables[table.id]
            self.listing.closed(table)
            self.matchmaker.forget(table)
            self._remember(table.party.lost.items())
        for who in table.present():
            if who.table is table:
                who.table = who.seat = who.member = None
        table.tells = []

    def _remember(self, lost: Iterable[tuple[str, Gone]]) -> None:
        for key, why in lost:
            self._lost[key] = why
            if len(self._lost) > REMEMBERED:
                self._lost.popitem(last=False)

    # --- coming to a table -------------------------------------------------------------------------------------------

    def open(
        self,
        game_key: str,
        options: Mapping[str, int | str],
        policy: Policy,
        title: str = "",
        by: Participant | None = None,
    ) -> Table:
        """A new table, as one of those that a participant may open. Raises TooMuch before anything has happened."""
        if by is not None:
            self.gate.charge(TABLES, Identity.of(by))
        number = self.journal.next_table()
        opened = Opened(f"{number:x}{self.new_secret(5)}", game_key, dict(options), policy, one_line(title))
        table = Table(number, self.games[game_key], opened)
        self.tables[table.id] = table
        self.listing.opened(table)
        self.happen(table, opened)
        return table

    def _seek(self, who: Participant, command: Seek) -> None:
        self.require_free(who)
        self.gate.charge(SEEKS, Identity.of(who))
        self.matchmaker.seek(who, command)

    def _enter(self, who: Participant, command: Enter) -> None:
        self.require_free(who)
        self.matchmaker.enter(who, command)

    def _open(self, who: Participant, command: Open) -> None:
        self.require_free(who)
        self.matchmaker.open(who, command)

    def _sit(self, who: Participant, command: Sit) -> None:
        """A participant sits down, who may be from outside, or of the audience."""
        if who.member is not None:
            self._conduct(who, command)
            return
        table = self.table(command.table)
        if who.table is not table:
            self.require_free(who)
        if table.has_lobby:
            self.require_open_house()
        self.perform(table, chairs.sit(table, self, who, command))

    def _enter_table(self, who: Participant, command: EnterTable) -> None:
        """A participant comes to the lobby of a table, out of another one perhaps."""
        self.require_open_house()
        table = self.table(command.table)
        if not table.has_lobby:
            raise Refused(Refusal.NO_ROOM)
        coming.require_clock(who.caps, table.policy)
        old: Table | None = who.table
        colour = None
        if old is not None and old is not table and who.member is not None:
            colour = who.member.colour
            self.perform(old, coming.leave(old, who.member))
        self.require_free(who)
        self.perform(
            table,
            coming.enter(
                table, self, who, name=who.name, colour=colour, ready=command.ready, votes=command.votes,
                most=command.most,
            ),
        )  # fmt: skip

    def _watch(self, who: Participant, command: Watch) -> None:
        self.require_free(who)
        table = self.table(command.table)
        table.attach(who, None)
        self.listing.touch(table)
        who.tell(Seated(table, None, at=self.at))

    def _return(self, who: Participant, command: Resume | TakeOver) -> None:
        self.require_free(who)
        if isinstance(command, TakeOver):
            table = self.table(command.table)
            self.perform(table, coming.take_over(table, self, who, command.code))
            return
        token_digest = digest(command.token)
        found = self.tables.get(command.table)
        if found is None:
            raise Refused(_WHY.get(self._lost.get(token_digest, Gone.LEFT), Refusal.NO_SUCH_TABLE))
        member = found.party.find(token_digest)
        if member is None:
            raise Refused(_WHY.get(found.party.lost.get(token_digest, Gone.LEFT), Refusal.BAD_TOKEN))
        self.perform(found, coming.come_back(found, self, who, member, command.since))

    # --- leaving -----------------------------------------------------------------------------------------------------

    def _leave(self, who: Participant, command: Leave | Vanish) -> None:
        self.matchmaker.remove(who)
        table: Table | None = who.table
        if table is not None and who.member is not None:
            self.perform(table, conduct(table, self, who.member, command))
        elif table is not None:
            table.detach(who)
            self.listing.touch(table)
        if who.owner is not None:
            who.owner.gone(who)

    def evict(self, table: Table, why: Refusal) -> None:
        """Close a table whose log cannot be written: nothing about it may be told any more but this."""
        self.at_once(lambda: self._evict(table, why))

    def _evict(self, table: Table, why: Refusal) -> None:
        present = table.present()
        self._forget(table)  # first: a participant who leaves on hearing it leaves nothing
        for who in present:
            who.tell(Evicted(why))

    def drain(self, why: Refusal = Refusal.DRAINING) -> None:
        """Take no new games; those who wait are told."""
        self.refusing = why
        for who in self.matchmaker.clear():
            who.tell(Evicted(why))

    def reopen(self) -> None:
        """Games may begin again."""
        self.refusing = None
        for table in tuple(self.tables.values()):
            self.settle(table)

    # --- after a restart ---------------------------------------------------------------------------------------------

    def restore(self, no: int, records: Sequence[Record]) -> Table:
        """Bring a table back from the log. Members who can come back are away; the others have gone, visibly."""
        table = folded(no, self.games, records)
        self.at_once(lambda: self._put_back(table))
        return table

    def adopt(self, no: int, records: Sequence[Record]) -> Table:
        """Go on with a table of another process, whose people may be connected to a third one and not know of it.

        They have a moment to be attached. Those who are not by then are away or have gone, as after a restart.
        """
        table = folded(no, self.games, records)
        self.at_once(lambda: self._take_on(table))
        return table

    def _put_back(self, table: Table) -> None:
        self._list(table)
        self._miss_people(table)
        self._hire_all(table)

    def _take_on(self, table: Table) -> None:
        self._list(table)
        self._hire_all(table)
        self.expect(table)

    def expect(self, table: Table) -> None:
        """People of this table have lost their connection to us, not to others: they have a moment to be attached."""
        until = self._expecting[table] = self.at + ATTACHING if self._is_reachable else inf
        if self._is_reachable:
            self._alarms.set(until, lambda: self._expect_no_more(table, until))

    def set_reachable(self, yes: bool) -> None:
        """Whether other processes can connect to this one: while they cannot, those who are expected have time."""
        self._is_reachable = yes
        for table in tuple(self._expecting):
            self.expect(table)

    def _expect_no_more(self, table: Table, until: float) -> None:
        """Their time is over, unless some have lost their connection again since."""
        if self._expecting.get(table) == until:
            del self._expecting[table]
            if self.is_live(table):
                self._miss_people(table)

    def attach(self, who: Participant, table: Table, number: int | None) -> None:
        """A connection of another process speaks for this member, as it did before, or is of the audience (None).

        Nothing happens yet: `go_on` follows when all are attached. Raises Refused for a member who is no longer there,
        or has come back by another connection.
        """
        member = None if number is None else table.party.members.get(number)
        if number is not None and member is None:
            raise Refused(Refusal.SEAT_GIVEN_UP)
        if member is not None and member.who is not None:
            raise Refused(Refusal.SEAT_TAKEN)
        table.attach(who, member)

    def go_on(self, attached: Iterable[Participant]) -> None:
        """These were attached: their tables go on, with the clocks of those who are back."""
        tables: dict[Table, None] = {}
        for who in attached:
            table, member = who.table, who.member
            tables[table] = None
            if member is not None and (member.away or table.clock is not None):
                self.happen(table, Resumed(-1 if member.seat is None else member.seat, member=member.id))
        for table in tables:
            self.settle(table)

    def let_go(self, table: Table) -> list[Participant]:
        """Forget a table that lives elsewhere from now on, without a word; returns whose connections were there."""
        present = table.present()
        self.at_once(lambda: self._forget(table))
        return present

    def _list(self, table: Table) -> None:
        """The table is ours from now on; its clock has not run since it was last written of."""
        self.tables[table.id] = table
        self.listing.opened(table)
        self.matchmaker.adopt(table)
        if table.clock is not None:
            self.happen(table, Interrupted())

    def _miss_people(self, table: Table) -> None:
        """Those who have no connection are away, if they can come back, or have gone."""
        for member in tuple(table.party.members.values()):
            if not member.is_person or member.who is not None:
                continue
            seat = -1 if member.seat is None else member.seat
            if member.returns and member.keeps_table:
                self.happen(table, Held(seat, member.id))
                continue
            if member.seat is not None:
                self.happen(table, Left(seat, member.id, why=Gone.RESTARTED))
            if member.id in table.party.members:
                self.happen(table, Went(member.id, Gone.RESTARTED))
        self.take(table, follow(table))
        if not any(member.keeps_table for member in table.party.members.values()):
            self.shut(table)
        self.settle(table)

    def _hire_all(self, table: Table) -> None:
        if table.status is not Status.CLOSED:
            for member in tuple(table.party.members.values()):
                if not member.is_person:
                    self._hire(table, member.id)

    # --- chat --------------------------------------------------------------------------------------------------------

    def _say(self, who: Participant, command: Say) -> None:
        self.muting.require_voice(who)
        table: Table | None = who.table
        if table is None:
            raise Refused(Refusal.NOT_SEATED)
        if "chat" not in table.party.features:
            raise Refused(Refusal.CHAT_OFF)
        said = Said(who.name, who.seat, one_line(command.text), 0 if who.member is None else who.member.id)
        for participant in table.present():
            if Cap.CHAT in participant.caps:
                participant.tell(said)

    # --- time --------------------------------------------------------------------------------------------------------

    def _watch_move(self, table: Table) -> None:
        """A move was made where a clock runs, or a question is open."""
        if table.ballot is not None:
            self.take(table, follow(table))
        if table.clock is not None:
            self._set_alarm(table)

    def _set_alarm(self, table: Table) -> None:
        """Look at the table again when something is due, as things are now; once more only if that comes sooner."""
        when = due(table)
        if when is None:
            return
        at = when if when > self.at else self.at + 1.0  # overdue is what must wait until games may begin again
        if table.alarm is None or at < table.alarm:
            table.alarm = at
            self._alarms.set(at, lambda: self._ring(table, at))

    def _ring(self, table: Table, at: float) -> None:
        if self.is_live(table) and table.alarm == at:
            table.alarm = None
            self.settle(table)

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None:
        """Call this so many seconds from now."""
        self._alarms.set(self.at + seconds, ring)

    def tick(self, at: float) -> None:
        """Let every alarm go off that is due."""
        self.at = at
        while (ring := self._alarms.pop_due(at)) is not None:
            self.at_once(ring)

    def at_once(self, action: Callable[[], None]) -> None:
        """Do something whole before any command that it leads to is carried out."""
        self._busy = True
        try:
            action()
            self._carry_on()
        finally:
            self._busy = False

    # --- names -------------------------------------------------------------------------------------------------------

    def name_for(self, name: str, account: str = "") -> str:
        """The name by which a person is known who asks for this one, and has shown to own the account. Raises Refused.

        A registered name is its owner's, and some names are the house's: any other is a guest of that name.
        """
        name = clean_name(name)
        self.bans.require_welcome(name, self.at)
        owner = self.accounts.registered(name)
        return as_guest(name) if reserved(name) or owner not in (None, account) else name

    def log_in(self, who: Participant, account: str) -> None:
        """The participant has shown to own this account; empty for a guest. Raises TooMuch. `log_out` ends it."""
        if account:
            self.gate.charge(SESSIONS, Identity(account))
        who.account = account

    def log_out(self, who: Participant) -> None:
        """The connection has ended."""
        if who.account:
            self.gate.refund(SESSIONS, Identity(who.account))

    def end_login(self, who: Participant) -> None:
        """The participant's account is gone: a guest from now on."""
        Hub.log_out(self, who)
        who.account = ""

    # --- small things ------------------------------------------------------------------------------------------------

    def is_live(self, table: Table) -> bool:
        """Whether this is still our table of that name, and not one that was given up or restored since."""
        return self.tables.get(table.id) is table

    def game(self, key: str) -> Game:
        try:
            return self.games[key]
        except KeyError:
            raise Refused(Refusal.NO_SUCH_GAME) from None

    def table(self, table_id: str) -> Table:
        table = self.tables.get(table_id)
        if table is None:
            raise Refused(Refusal.NO_SUCH_TABLE)
        return table

    def find(self, table_id: str) -> Table | None:
        """A table that is here, or one that lives elsewhere and has people of ours."""
        return self.tables.get(table_id)

    def service(self, kind: Callable[["Hub"], Service]) -> Service:
        """The one such object of this house, built when first asked for: what a wire keeps for all its people."""
        if kind not in self._services:
            self._services[kind] = kind(self)
        return cast(Service, self._services[kind])

    def is_awaited(self, who: Participant | None) -> bool:  # noqa: ARG002
        """Whether something that is no move is carried out for this participant in another process, and unanswered."""
        return False

    def owes(self, who: Participant) -> bool:  # noqa: ARG002
        """Whether something that this participant wants is still to be answered."""
        return False

    def require_free(self, who: Participant) -> None:
        if who.table is not None or self.matchmaker.waits(who):
            raise Refused(Refusal.ALREADY_SEATED)

    def require_open_house(self) -> None:
        if self.refusing is not None:
            raise Refused(self.refusing)

    def _require_rematch(self, who: Participant, table: Table, command: Command) -> None:
        """Refuse another game at the same table while none may begin. Engines say yes to it ahead of time."""
        if self.refusing is None or not isinstance(command, Vote) or not command.yes or who.kind is Kind.ENGINE:
            return
        if table.ballot is not None and table.ballot.what == REMATCH:
            raise Refused(self.refusing)


_CARRYING_OUT: dict[type[Command], Callable[[Hub, Participant, Any], None]] = {
    Leave: Hub._leave,
    Vanish: Hub._leave,
    Say: Hub._say,
    Seek: Hub._seek,
    Enter: Hub._enter,
    Open: Hub._open,
    EnterTable: Hub._enter_table,
    Resume: Hub._return,
    TakeOver: Hub._return,
    Watch: Hub._watch,
    Sit: Hub._sit,
    TakeChair: Hub._sit,
}
"""How each kind of command is carried out that is not for the table where one is already."""
