"""The house: every table, the queue of people waiting, and the way commands take.

The hub is told the time (`at`) and given its dice; it reaches people through `Participant.tell` and the log through
`Journal`. Commands that arrive while another is being carried out (an engine answering at once) wait their turn.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import inf
from random import Random
from typing import Any, TypeVar, cast

from parlour.core import places, returning, takeover
from parlour.core.accounts import NoAccounts
from parlour.core.alarms import Alarms
from parlour.core.clock import Clock
from parlour.core.errand import Errand
from parlour.core.errors import Refusal, Refused
from parlour.core.following import finish_if_over
from parlour.core.game import NOBODY, Game, Options
from parlour.core.hosting import Hosting, require_rematch
from parlour.core.listing import Listing
from parlour.core.lobby import Room
from parlour.core.ports import Accounts, Engines, Journal, NoRatings, Ratings
from parlour.core.queue import Queue
from parlour.core.rated import outcome_of, would_lose
from parlour.core.rooms import Rooms
from parlour.core.roomwords import Enter, EnterTable, FindPair, OpenPair, TakeChair, TakeOver
from parlour.core.seating import Participant, digest
from parlour.core.seeking import Seeking
from parlour.core.standings import Standings
from parlour.core.table import Status, Table
from parlour.core.vocab import (
    AnyEvent,
    Cap,
    Closed,
    Command,
    Declined,
    Evicted,
    Finished,
    Flagged,
    Gone,
    Joined,
    Leave,
    Left,
    Open,
    Opened,
    Play,
    Policy,
    Reason,
    Record,
    Resigned,
    Resume,
    Said,
    Say,
    Seated,
    Seek,
    Sit,
    Vanish,
    Watch,
)

Annex = TypeVar("Annex")


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
    ) -> None:
        self.games = games
        self.journal = journal
        self.engines = engines
        self.rng = rng
        self.new_secret = new_secret
        """A fresh unguessable word of so many characters: ids and tokens, never from the seeded dice."""
        self.accounts: Accounts = accounts or NoAccounts()
        self.standings = Standings()
        self.ratings: Ratings = NoRatings()
        self.at = 0.0
        self.tables: dict[str, Table] = {}
        self.queue = Queue(games)
        self.seeking = Seeking(self)
        self.rooms = Rooms(self)
        self.listing = Listing()
        self._annexes: dict[Callable[[Hub], Any], Any] = {}
        self.refusing: Refusal | None = None
        """Why no new game may begin, if so."""
        self._inbox: deque[tuple[Participant, Command]] = deque()
        self._busy = False
        self._alarms = Alarms()

    # --- commands --------------------------------------------------------------------------------------------------

    def submit(self, who: Participant, command: Command) -> None:
        """Carry a command out, with everything that follows from it."""
        if self._busy:
            self._inbox.append((who, command))
            return
        self._busy = True
        try:
            self._carry_out(who, command)
            if self._inbox or self.listing.pending:
                self._carry_on()
        finally:
            self._busy = False

    def _carry_on(self) -> None:
        """Everything that a command has led to, then the news of it, and what that leads to."""
        while self._inbox or self.listing.pending:
            while self._inbox:
                self._carry_out(*self._inbox.popleft())
            self.listing.publish()

    def _carry_out(self, who: Participant, command: Command) -> None:
        try:
            if type(command) is not Play:
                self._carry_out_rare(who, command)
                return
            table, seat = who.table, who.seat
            if table is None or seat is None:
                raise Refused(Refusal.NOT_SEATED)
            event = table.decide_play(seat, command)
            if event is None:
                who.tell(table.marks[seat, command.id])
                return
            record = Record(table.seq + 1, self.at, event)
            table.apply(record)
            self.journal.append(table, record)
            for tell in table.tells:
                tell(record)
            if table.position.turn == NOBODY:  # type: ignore[union-attr] # decide_play saw that there is one
                self.settle(table)
            elif table.alert:
                self._heed(table)
        except Refused as refused:
            who.tell(Declined(command, refused.why))

    def _carry_out_rare(self, who: Participant, command: Command) -> None:
        if type(command) is Say:
            self.annex(Hosting).require_voice(who)
        if who.table is not None and who.table.lobby is not None and who.table.lobby.carry_out(who, command):
            if isinstance(command, Leave | Vanish) and who.keeper is not None:
                who.keeper.gone(who)
            return
        match command:
            case Seek():
                self.seeking.seek(who, command)
            case Leave() | Vanish():
                self._leave(who, may_return=type(command) is Vanish)
                if who.keeper is not None:
                    who.keeper.gone(who)
            case Errand():
                command.run(self, who)
            case OpenPair():
                self.rooms.open_pair(who, command)
            case FindPair():
                self.rooms.find_pair(who, command)
            case TakeChair(table=table_id):
                places.take_chair(self.require_room(table_id), self, who, command)
            case Enter():
                self.rooms.enter(who, command)
            case TakeOver():
                takeover.take_over(self, who, command)
            case EnterTable():
                self.rooms.enter_table(who, command)
            case Open():
                self._open_and_sit(who, command)
            case Sit():
                self._sit(who, command)
            case Watch(table=table_id):
                self.require_free(who)
                table = self.table(table_id)
                if table.lobby is not None:
                    table.lobby.enter(who, name=who.name, ready=False, watches=True)
                    return
                table.attach(who, None)
                self.listing.touch(table)
                who.tell(Seated(table, None))
            case Resume():
                returning.resume(self, who, command)
            case Say(text=text):
                self._say(who, text)
            case _:
                if who.table is None or who.seat is None:
                    raise Refused(Refusal.NOT_SEATED)
                require_rematch(self, who, command)
                table = who.table
                event = table.decide(who.seat, command)
                if event is not None:
                    self.happen(table, event)
                    self.settle(table)

    # --- events ----------------------------------------------------------------------------------------------------

    def happen(self, table: Table, event: AnyEvent) -> None:
        """Let something happen at a table and tell everybody there. For moves `_carry_out` does the same in place."""
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
        if table.clock is not None:
            self._watch_clock(table)

    def settle(self, table: Table) -> None:
        """Let everything happen that follows, until the table is at rest."""
        self.follow(table)
        if table.status is Status.CLOSED:
            self._forget(table)
            return
        if table.lobby is not None:
            table.lobby.settle()

    def follow(self, table: Table) -> None:
        """Let everything happen that follows from the table's state."""
        while (event := table.consequence(self.rng)) is not None:
            self.happen(table, event)

    def shut(self, table: Table, why: str = "deserted") -> None:
        """End a table that does not end by itself."""
        if table.running:
            self.happen(table, table.end((), Reason.ABANDONED))
        self.happen(table, Closed(why))
        self._forget(table)

    def _forget(self, table: Table) -> None:
        if self.is_live(table):  # one that has closed already may be forgotten again when its log fails
            del self.tables[table.id]
            self.listing.closed(table)
            if table.lobby is not None:
                self.rooms.forget(table.lobby)
        for who in table.present():
            if who.table is table:
                who.table = who.seat = None
        table.tells = []

    def give_up(self, table: Table, seat: int, why: Gone = Gone.LEFT) -> None:
        """Somebody leaves their seat for good. A rated game is lost first, and over if nobody else is left in it."""
        if would_lose(table, seat):
            self.happen(table, Resigned(seat))
            end = finish_if_over(table)
            if end is not None:
                self.happen(table, end)
        self.happen(table, Left(seat, why))

    # --- finding a table -------------------------------------------------------------------------------------------

    def _open_and_sit(self, who: Participant, command: Open) -> None:
        self.require_free(who)
        self.require_open_house()
        self.require_clock(who, command.policy)
        game = self.game(command.game)
        options = game.options(command.options)
        if not 0 <= command.seat < game.players(options):
            raise Refused(Refusal.BAD_OPTIONS)
        table = self.open(command.game, options, command.policy)
        self.join(table, command.seat, who)
        self.settle(table)

    def _sit(self, who: Participant, command: Sit) -> None:
        self.require_free(who)
        table = self.table(command.table)
        if table.lobby is not None:
            places.come_to_play(table.lobby, self, who, command.seat)
            return
        self.require_clock(who, table.policy)
        seat = table.free_seat(command.seat)
        if seat is None:
            raise Refused(Refusal.TABLE_FULL if command.seat is None else Refusal.SEAT_TAKEN)
        self.join(table, seat, who)
        self.settle(table)

    def open(
        self, game_key: str, options: Mapping[str, int | str], policy: Policy, wish: Options | None = None
    ) -> Table:
        number = self.journal.next_table()
        opened = Opened(f"{number:x}{self.new_secret(5)}", game_key, dict(options), policy, wish or {})
        table = Table(number, self.games[game_key], opened)
        self.tables[table.id] = table
        self.listing.opened(table)
        self.happen(table, opened)
        return table

    def join(self, table: Table, seat: int, who: Participant) -> None:
        """Seat somebody, and tell them and everybody else."""
        token = self.new_secret(32) if Cap.RESUME in who.caps else ""
        key = digest(token) if token else ""
        self.happen(table, Joined(seat, who.name, who.wire, who.kind, int(who.caps), key, who.level, who.account))
        table.attach(who, seat)
        who.tell(Seated(table, seat, token))

    # --- going and coming back ---------------------------------------------------------------------------------------

    def _leave(self, who: Participant, may_return: bool) -> None:
        self.queue.remove(who)
        table, seat = who.table, who.seat
        if table is None:
            return
        table.detach(who)
        if seat is None:
            self.listing.touch(table)
            return
        if may_return and Cap.RESUME in who.caps and table.policy.hold > 0:
            returning.hold(self, table, seat)
        else:
            self.give_up(table, seat)
        self.settle(table)

    def restore(self, no: int, records: Sequence[Record]) -> Table:
        """Bring a table back from the log, with its room. Seats nobody can return to are given up, visibly."""
        opened = records[0].event
        assert isinstance(opened, Opened)
        table = Table(no, self.games[opened.game], opened)
        for record in records:
            table.apply(record)
        self.at_once(lambda: returning.put_back(self, table, records))
        return table

    def evict(self, table: Table, why: Refusal) -> None:
        """Close a table whose log cannot be written: nothing about it may be told any more but this."""
        self.at_once(lambda: self._evict(table, why))

    def _evict(self, table: Table, why: Refusal) -> None:
        present = table.present()
        self._forget(table)  # first: whoever leaves on hearing it leaves nothing
        for who in present:
            who.tell(Evicted(why))

    def drain(self, why: Refusal = Refusal.DRAINING) -> None:
        """Take no new games; those who wait are told."""
        self.refusing = why
        for waiter in self.queue.clear():
            waiter.who.tell(Evicted(why))

    # --- small things ------------------------------------------------------------------------------------------------

    def _say(self, who: Participant, text: str) -> None:
        if who.table is None:
            raise Refused(Refusal.NOT_SEATED)
        said = Said(who.name, who.seat, text)
        for participant in who.table.present():
            if Cap.CHAT in participant.caps:
                participant.tell(said)

    def _heed(self, table: Table) -> None:
        """A move was made where a clock runs, or something had been asked."""
        if table.clock is not None:
            self._watch_clock(table)
        if table.ballot is not None:
            self.follow(table)

    def _watch_clock(self, table: Table) -> None:
        """Look at the clock when its time is up, as things are now; more alarms than one only if it runs out sooner."""
        clock = table.clock
        assert clock is not None
        clock.dial = self
        due = clock.flag_at()
        if due is not None and due < clock.alarm:
            clock.alarm = due
            self.alarm(due - self.at, lambda: self._look_at_clock(table, clock, due))

    def _look_at_clock(self, table: Table, clock: Clock, due: float) -> None:
        if not self.is_live(table) or table.clock is not clock or clock.alarm != due:
            return
        clock.alarm = inf
        end = clock.flag_at()
        if end is not None and end <= self.at + 0.001:  # what is due is rounded
            assert clock.running is not None
            self.happen(table, Flagged(clock.running))
            self.settle(table)
        else:
            self._watch_clock(table)

    def require_clock(self, who: Participant, policy: Policy) -> None:
        """Nobody plays against a clock that their program cannot show."""
        if policy.clock and Cap.CLOCK not in who.caps:
            raise Refused(Refusal.NO_CLOCK)

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

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None:
        """Do something so many seconds from now."""
        self._alarms.set(self.at + seconds, ring)

    def is_live(self, table: Table) -> bool:
        """Whether this is still our table of that name, and not one that was given up or restored since."""
        return self.tables.get(table.id) is table

    def game(self, key: str) -> Game:
        if key not in self.games:
            raise Refused(Refusal.NO_SUCH_GAME)
        return self.games[key]

    def table(self, table_id: str) -> Table:
        table = self.tables.get(table_id)
        if table is None:
            raise Refused(Refusal.NO_SUCH_TABLE)
        return table

    def require_room(self, table_id: str) -> Room:
        room = self.table(table_id).lobby
        if room is None:
            raise Refused(Refusal.NO_ROOM)
        return room

    def annex(self, kind: Callable[["Hub"], Annex]) -> Annex:
        """The one such thing of this house, built when first asked for: what a wire keeps for all its people."""
        if kind not in self._annexes:
            self._annexes[kind] = kind(self)
        return cast(Annex, self._annexes[kind])

    def require_free(self, who: Participant) -> None:
        if who.table is not None or self.queue.waiter(who) is not None:
            raise Refused(Refusal.ALREADY_SEATED)

    def require_open_house(self) -> None:
        if self.refusing is not None:
            raise Refused(self.refusing)
