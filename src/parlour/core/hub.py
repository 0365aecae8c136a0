"""The house: every table, the queue of people waiting, and the way commands take.

The hub is told the time (`at`) and given its dice; it reaches people through `Participant.tell` and the log through
`Journal`. Commands that arrive while another is being carried out (an engine answering at once) wait their turn.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from random import Random

from parlour.core.alarms import Alarms
from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS, NOBODY, Game
from parlour.core.ports import Engines, Journal
from parlour.core.queue import Queue, share_seats
from parlour.core.rooms import Rooms
from parlour.core.roomwords import Enter, EnterTable
from parlour.core.seating import Participant, digest
from parlour.core.stream import records_since
from parlour.core.table import Status, Table
from parlour.core.vocab import (
    AnyEvent,
    Cap,
    CaughtUp,
    Closed,
    Command,
    Declined,
    Evicted,
    Finished,
    Flagged,
    Held,
    Joined,
    Kind,
    Leave,
    Left,
    Open,
    Opened,
    Play,
    Policy,
    Reason,
    Record,
    Resume,
    Resumed,
    Said,
    Say,
    Seated,
    Seek,
    Sit,
    Starting,
    Vanish,
    Waiting,
    Watch,
)


class Hub:
    """All tables of one server."""

    def __init__(
        self,
        games: Mapping[str, Game],
        journal: Journal,
        engines: Engines,
        rng: Random,
        new_secret: Callable[[int], str],
    ) -> None:
        self.games = games
        self.journal = journal
        self.engines = engines
        self.rng = rng
        self.new_secret = new_secret
        """A fresh unguessable word of so many characters: ids and tokens, never from the seeded dice."""
        self.at = 0.0
        self.tables: dict[str, Table] = {}
        self.queue = Queue(games)
        self.rooms = Rooms(self)
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
            while self._inbox:
                self._carry_out(*self._inbox.popleft())
        finally:
            self._busy = False

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
                who.tell(table.marks[command.id])
                return
            self.happen(table, event)
            if table.position.turn == NOBODY:  # type: ignore[union-attr] # decide_play saw that there is one
                self.settle(table)
            elif table.clock is not None:
                self._watch_clock(table)
        except Refused as refused:
            who.tell(Declined(command, refused.why))

    def _carry_out_rare(self, who: Participant, command: Command) -> None:
        if who.table is not None and who.table.lobby is not None and who.table.lobby.carry_out(who, command):
            return
        match command:
            case Enter():
                self.rooms.enter(who, command)
            case EnterTable():
                self.rooms.enter_table(who, command)
            case Seek():
                self._seek(who, command)
            case Open():
                self._open_and_sit(who, command)
            case Sit():
                self._sit(who, command)
            case Watch(table=table_id):
                self.require_free(who)
                table = self.table(table_id)
                if table.lobby is not None:
                    table.lobby.enter(who, name=who.name, ready=False)
                    return
                table.attach(who, None)
                who.tell(Seated(table, None))
            case Resume():
                self._resume(who, command)
            case Say(text=text):
                self._say(who, text)
            case Leave() | Vanish():
                self._leave(who, may_return=type(command) is Vanish)
            case _:
                if who.table is None or who.seat is None:
                    raise Refused(Refusal.NOT_SEATED)
                table = who.table
                event = table.decide(who.seat, command)
                if event is not None:
                    self.happen(table, event)
                    self.settle(table)

    # --- events ----------------------------------------------------------------------------------------------------

    def happen(self, table: Table, event: AnyEvent) -> None:
        record = Record(table.seq + 1, self.at, event)
        table.apply(record)
        self.journal.append(table, record)
        for tell in table.tells:
            tell(record)

    def settle(self, table: Table) -> None:
        """Let everything happen that follows, until the table is at rest."""
        self.follow(table)
        if table.status is Status.CLOSED:
            self._forget(table)
            return
        if table.clock is not None:
            self._watch_clock(table)
        if table.lobby is not None:
            table.lobby.settle()

    def follow(self, table: Table) -> None:
        """Let everything happen that follows from the table's state."""
        while (event := table.consequence(self.rng)) is not None:
            self.happen(table, event)

    def shut(self, table: Table) -> None:
        """End a table that does not end by itself."""
        if table.running:
            assert table.position is not None
            self.happen(table, Finished((), table.position.scores(), Reason.ABANDONED))
        self.happen(table, Closed("deserted"))
        self._forget(table)

    def _forget(self, table: Table) -> None:
        self.tables.pop(table.id, None)
        if table.lobby is not None:
            self.rooms.forget(table.lobby)
        for who in table.present():
            who.table = who.seat = None
        table.tells = []

    # --- finding a table -------------------------------------------------------------------------------------------

    def _seek(self, who: Participant, seek: Seek) -> None:
        self.require_free(who)
        self.require_open_house()
        game = self.game(seek.game)
        options = game.options(seek.options)
        if seek.opponent == "engine":
            self._seat_with_engines(who, seek)
            return
        waiter = self.queue.match(seek, options)
        if waiter is None:
            seat = seek.seat if seek.seat is not None else seek.fallback
            self.queue.add(who, seek, options, seat)
            who.tell(Waiting(seat))
            if seek.wait > 0:
                self.alarm(seek.wait, lambda: self._stop_waiting(who, seek))
            return
        self.queue.remove(waiter.who)
        mine, theirs = share_seats(seek.seat, waiter.seat)
        table = self.open(game.key, waiter.options, waiter.seek.policy)
        self._join(table, theirs, waiter.who)
        self._join(table, mine, who)
        self.settle(table)

    def _stop_waiting(self, who: Participant, seek: Seek) -> None:
        """Nobody came: an engine takes the seat."""
        waiter = self.queue.waiter(who)
        if waiter is None or waiter.seek is not seek:
            return
        if self.refusing is not None:  # not for ever, as a rule
            self.alarm(1.0, lambda: self._stop_waiting(who, seek))
            return
        self.queue.remove(who)
        self._seat_with_engines(who, seek, waiter.seat)

    def _seat_with_engines(self, who: Participant, seek: Seek, seat: int | None = None) -> None:
        if seek.level not in LEVELS:
            raise Refused(Refusal.BAD_OPTIONS)
        game = self.game(seek.game)
        table = self.open(game.key, game.options(seek.options), seek.policy)
        mine = next((s for s in (seat, seek.seat, seek.fallback) if s is not None), 0)
        self._join(table, mine, who)
        while (free := table.free_seat()) is not None:
            engine = self.engines.hire(game, seek.level, seek.engine_name or f"Parlour ({seek.level})")
            self._join(table, free, engine)
        self.settle(table)

    def waiting_for(self, seek: Seek) -> str | None:
        """The name of whoever would sit opposite a person seeking this now."""
        waiter = self.queue.match(seek, self.game(seek.game).options(seek.options))
        return None if waiter is None else waiter.who.name

    def _open_and_sit(self, who: Participant, command: Open) -> None:
        self.require_free(who)
        self.require_open_house()
        game = self.game(command.game)
        options = game.options(command.options)
        if not 0 <= command.seat < game.players(options):
            raise Refused(Refusal.BAD_OPTIONS)
        table = self.open(command.game, options, command.policy)
        self._join(table, command.seat, who)
        self.settle(table)

    def _sit(self, who: Participant, command: Sit) -> None:
        self.require_free(who)
        table = self.table(command.table)
        if table.lobby is not None:
            table.lobby.enter(who, name=who.name)
            return
        seat = table.free_seat(command.seat)
        if seat is None:
            raise Refused(Refusal.TABLE_FULL if command.seat is None else Refusal.SEAT_TAKEN)
        self._join(table, seat, who)
        self.settle(table)

    def open(self, game_key: str, options: Mapping[str, int | str], policy: Policy) -> Table:
        number = self.journal.next_table()
        opened = Opened(f"{number:x}{self.new_secret(5)}", game_key, dict(options), policy)
        table = Table(number, self.games[game_key], opened)
        self.tables[table.id] = table
        self.happen(table, opened)
        return table

    def _join(self, table: Table, seat: int, who: Participant) -> None:
        token = self.new_secret(32) if Cap.RESUME in who.caps else ""
        key = digest(token) if token else ""
        self.happen(table, Joined(seat, who.name, who.wire, who.kind, int(who.caps), key, who.level))
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
            return
        if may_return and Cap.RESUME in who.caps and table.policy.hold > 0:
            self._hold(table, seat)
        else:
            self.happen(table, Left(seat))
        self.settle(table)

    def _hold(self, table: Table, number: int) -> None:
        """Keep a seat for somebody who is not there, but not for ever."""
        self.happen(table, Held(number))
        held_seat = table.seats[number]

        def give_up() -> None:
            if self._is_live(table) and table.seats[number] is held_seat and held_seat is not None and held_seat.held:
                self.happen(table, Left(number))
                self.settle(table)

        self.alarm(table.policy.hold, give_up)

    def _resume(self, who: Participant, command: Resume) -> None:
        self.require_free(who)
        table = self.table(command.table)
        key = digest(command.token)
        number = next((n for n, seat in enumerate(table.seats) if seat is not None and seat.key == key), None)
        if number is None:
            raise Refused(Refusal.BAD_TOKEN)
        seat = table.seats[number]
        assert seat is not None
        if seat.who is not None:  # the old connection has not noticed yet that it is dead
            seat.who.tell(Evicted(Refusal.SEAT_TAKEN))
            table.detach(seat.who)
        missed = records_since(table.ring, command.since)
        self.happen(table, Resumed(number))
        table.attach(who, number)
        who.tell(CaughtUp(table, number, missed))

    def restore(self, no: int, records: Sequence[Record]) -> Table:
        """Bring a table back from the log. Seats nobody can return to are given up, visibly."""
        opened = records[0].event
        assert isinstance(opened, Opened)
        table = Table(no, self.games[opened.game], opened)
        for record in records:
            table.apply(record)
        self.tables[table.id] = table
        if table.policy.starting is Starting.LOBBY:  # its lobby is gone, and so is everybody
            self.shut(table)
            return table
        for number, seat in enumerate(table.seats):
            if seat is None or seat.kind is Kind.ENGINE:
                continue
            if seat.key:
                self._hold(table, number)
            else:
                self.happen(table, Left(number))
        self.settle(table)
        for number, seat in enumerate(table.seats):
            if seat is not None and seat.kind is Kind.ENGINE and table.status is not Status.CLOSED:
                engine = self.engines.hire(table.game, seat.level, seat.name)
                table.attach(engine, number)
                engine.tell(Seated(table, number))
        return table

    def evict(self, table: Table, why: Refusal) -> None:
        """Close a table whose log cannot be written: nothing about it may be told any more but this."""
        present = table.present()
        self._forget(table)  # first: whoever leaves on hearing it leaves nothing
        for who in present:
            who.tell(Evicted(why))

    def drain(self) -> None:
        """Take no new games; those who wait are told."""
        self.refusing = Refusal.DRAINING
        for waiter in self.queue.clear():
            waiter.who.tell(Evicted(Refusal.DRAINING))

    # --- small things ------------------------------------------------------------------------------------------------

    def _say(self, who: Participant, text: str) -> None:
        if who.table is None:
            raise Refused(Refusal.NOT_SEATED)
        said = Said(who.name, who.seat, text)
        for participant in who.table.present():
            if Cap.CHAT in participant.caps:
                participant.tell(said)

    def _watch_clock(self, table: Table) -> None:
        clock = table.clock
        if clock is None or (due := clock.flag_at()) is None:
            return

        def flag() -> None:
            if self._is_live(table) and table.clock is clock and clock.running is not None and clock.flag_at() == due:
                self.happen(table, Flagged(clock.running))
                self.settle(table)

        self.alarm(due - self.at, flag)

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
            while self._inbox:
                self._carry_out(*self._inbox.popleft())
        finally:
            self._busy = False

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None:
        """Do something so many seconds from now."""
        self._alarms.set(self.at + seconds, ring)

    def _is_live(self, table: Table) -> bool:
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

    def require_free(self, who: Participant) -> None:
        if who.table is not None or self.queue.waiter(who) is not None:
            raise Refused(Refusal.ALREADY_SEATED)

    def require_open_house(self) -> None:
        if self.refusing is not None:
            raise Refused(self.refusing)
