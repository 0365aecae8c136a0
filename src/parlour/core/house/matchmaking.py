"""Who plays whom: the queue of those who wait without a table, and the tables where a chair or a place is free.

One matchmaker for all wires. People whose wire shows nothing before the game wait in the queue; people whose wire has
chairs or a lobby wait at a table, where the next one with the same wishes finds them.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Protocol, TypeVar

from parlour.core.errors import Refusal, Refused
from parlour.core.game import LEVELS, Game, Options
from parlour.core.party import chairs, coming, consent
from parlour.core.party.steps import Steps
from parlour.core.table.people import ANON, Participant
from parlour.core.table.table import Table
from parlour.core.updates import Waiting
from parlour.core.words import (
    AnyEvent,
    Chair,
    Chosen,
    Enter,
    Open,
    Policy,
    Seek,
    Sit,
    Starting,
    TakeChair,
)

Key = tuple[str, float, float, tuple[tuple[str, int | str], ...]]
"""The game, the clock, and what else two people must agree on."""
Head = tuple[int | None, int, str]
"""Of those who want one seat the first in line: that seat, when they came, and their name."""
Likeness = tuple[str, tuple[tuple[str, int | str], ...], Policy]
"""What two rooms have in common in which people of the same door meet: the game, the options, the policy."""
Pace = tuple[str, float, float]
"""The game and the clock."""

Index = TypeVar("Index")


class Hub(Protocol):
    """What the matchmaker needs of the house."""

    at: float
    rng: Random
    new_secret: Callable[[int], str]
    refusing: Refusal | None
    games: Mapping[str, Game]
    tables: dict[str, Table]

    def game(self, key: str) -> Game: ...
    def open(
        self,
        game_key: str,
        options: Mapping[str, int | str],
        policy: Policy,
        title: str = "",
        by: Participant | None = None,
    ) -> Table: ...
    def name_for(self, name: str, account: str = "") -> str: ...
    def take(self, table: Table, steps: Steps) -> None: ...
    def perform(self, table: Table, steps: Steps) -> None: ...
    def settle(self, table: Table) -> None: ...
    def happen(self, table: Table, event: AnyEvent) -> None: ...
    def alarm(self, seconds: float, ring: Callable[[], None]) -> None: ...
    def require_open_house(self) -> None: ...


class Waiter:
    """One person in the queue."""

    __slots__ = ("key", "number", "options", "seat", "seek", "since", "who")

    def __init__(self, who: Participant, seek: Seek, options: Options, key: Key, number: int, since: float) -> None:
        self.who = who
        self.seek = seek
        self.options = options
        self.seat = seek.seat if seek.seat is not None else seek.fallback
        self.key = key
        self.number = number
        self.since = since


class Others(Protocol):
    """Other servers of the same house, where people may wait for the same."""

    def meets(self, waiter: Waiter) -> bool:
        """Whether this person was sent to an opponent at another server, and need not be told to wait."""
        ...

    def waiting_for(self, key: Key, seek: Seek) -> str | None:
        """Returns the name of a person who waits at another server."""
        ...

    def sent(self, who: Participant, command: Seek | Enter) -> bool:
        """Whether the command was passed on to the server that has the room for this game."""
        ...


class Nowhere:
    """A house of one server."""

    def meets(self, waiter: Waiter) -> bool:  # noqa: ARG002
        return False

    def waiting_for(self, key: Key, seek: Seek) -> str | None:  # noqa: ARG002
        return None

    def sent(self, who: Participant, command: Seek | Enter) -> bool:  # noqa: ARG002
        return False


class Matchmaker:
    """Pairs people who want the same game."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._lines: dict[Key, dict[int | None, dict[Participant, Waiter]]] = {}
        """Lines are kept apart by wanted seat, so that a match is found at once."""
        self.changed: set[Key] | None = None
        """The lines that are not as they were, for those who keep a copy; None where no one does."""
        self.others: Others = Nowhere()
        self._arrivals = 0
        self._rooms: dict[Likeness, dict[Table, None]] = {}
        """Tables with a lobby, by what people look for."""
        self._pairs: dict[Pace, dict[Table, None]] = {}
        """Tables with a lobby, by game and clock."""
        self._keys: dict[Table, tuple[Likeness, Pace]] = {}
        """Where each of them is to be found in both."""

    # --- seeking an opponent -----------------------------------------------------------------------------------------

    def seek(self, who: Participant, seek: Seek) -> None:
        """Find a table, or let the participant wait."""
        hub = self._hub
        hub.require_open_house()
        coming.require_clock(who.caps, seek.policy)
        game = hub.game(seek.game)
        if seek.level not in LEVELS or (seek.seat is not None and not 0 <= seek.seat < game.seats[1]):
            raise Refused(Refusal.BAD_OPTIONS)
        if seek.policy.starting is Starting.LOBBY:
            self._seek_chair(who, seek)
            return
        if seek.opponent == "visit":
            self._seek_visit(who, game)
            return
        options = game.options(seek.options)
        if seek.opponent == "engine":
            self._seat_with_engines(who, seek, by=who)
            return
        key = key_of(game, seek, options)
        waiter = self._match(seek, key)
        if waiter is not None:
            self._pair(who, seek.seat, waiter, who)
            return
        self._arrivals += 1
        waiter = Waiter(who, seek, options, key, self._arrivals, hub.at)
        if not self.others.meets(waiter):
            self.wait(waiter)

    def _pair(self, who: Participant, seat: int | None, waiter: Waiter, by: Participant | None = None) -> None:
        hub = self._hub
        mine, theirs = _share_seats(seat, waiter.seat)
        table = hub.open(waiter.seek.game, waiter.options, waiter.seek.policy, by=by)
        self.remove(waiter.who)
        hub.take(table, coming.enter(table, hub, waiter.who, name=waiter.who.name, chair=theirs))
        hub.perform(table, coming.enter(table, hub, who, name=who.name, chair=mine))

    def meet(self, who: Participant, seat: int | None, key: Key, number: int) -> None:
        """Sit down opposite the one who has this number in that line. Raises Refused if they wait no more."""
        self._hub.require_open_house()
        lines = self._lines.get(key, {}).items()
        waiters = (waiter for wanted, line in lines if seat is None or wanted != seat for waiter in line.values())
        found = next((waiter for waiter in waiters if waiter.number == number), None)
        if found is None:
            raise Refused(Refusal.NO_SUCH_TABLE)
        coming.require_clock(who.caps, found.seek.policy)
        self._pair(who, seat, found, who)

    def _seek_visit(self, who: Participant, game: Game) -> None:
        """Sit down at the first table that leads to another server, whatever board there will be."""
        for table in self._hub.tables.values():
            told = table.policy.starting is Starting.TOLD and table.game is game and not table.number
            if told and table.free_chair() is not None:
                self._hub.perform(table, chairs.sit(table, self._hub, who, Sit(table.id)))
                return
        raise Refused(Refusal.NO_SUCH_TABLE)

    def waiting_for(self, seek: Seek) -> str | None:
        """The name of the person who would sit opposite one seeking this now."""
        game = self._hub.game(seek.game)
        key = key_of(game, seek, game.options(seek.options))
        waiter = self._match(seek, key)
        return self.others.waiting_for(key, seek) if waiter is None else waiter.who.name

    def wait(self, waiter: Waiter) -> None:
        """Let one wait who has found no one."""
        self.put_back(waiter)
        waiter.who.tell(Waiting(waiter.seat))

    def put_back(self, waiter: Waiter) -> None:
        """Let one wait, in the place that their number gives them."""
        line = self._lines.setdefault(waiter.key, {}).setdefault(waiter.seat, {})
        behind = [who for who, other in line.items() if other.number > waiter.number] if line else []
        line[waiter.who] = waiter
        for who in behind:
            line[who] = line.pop(who)
        waiter.who.waiting_in = waiter
        self._touch(waiter.key)
        if waiter.seek.wait > 0:
            left = max(0.0, waiter.since + waiter.seek.wait - self._hub.at)
            self._hub.alarm(left, lambda: self._stop_waiting(waiter))

    def reunite(self, waiter: Waiter) -> None:
        """One who was away for a moment waits again: another may have come meanwhile who wants the same."""
        if waiter.who.waiting_in is not waiter or self._hub.refusing is not None:
            return
        fitting = [other for other in self.line(waiter.key) if other is not waiter and fit(waiter.seat, other.seat)]
        if fitting:
            other = min(fitting, key=lambda each: each.number)
            younger, older = (other, waiter) if waiter.number < other.number else (waiter, other)
            self.remove(younger.who)
            self._pair(younger.who, younger.seat, older)

    def _match(self, seek: Seek, key: Key) -> Waiter | None:
        """The person waiting longest whose wishes fit; a wanted seat fits anything but itself."""
        lines = self._lines.get(key)
        if not lines:
            return None
        heads = [next(iter(line.values())) for seat, line in lines.items() if line and suits(seek, seat)]
        return min(heads, key=lambda waiter: waiter.number, default=None)

    def _touch(self, key: Key) -> None:
        if self.changed is not None:
            self.changed.add(key)

    def lines(self) -> list[Key]:
        """What people wait for."""
        return list(self._lines)

    def heads(self, key: Key) -> tuple[Head, ...]:
        """Who waits there first, by wanted seat."""
        lines = self._lines.get(key, {})
        first = ((seat, next(iter(line.values()))) for seat, line in lines.items() if line)
        return tuple((seat, waiter.number, waiter.who.name) for seat, waiter in first)

    def line(self, key: Key) -> list[Waiter]:
        """All who wait there."""
        return [waiter for line in self._lines.get(key, {}).values() for waiter in line.values()]

    def waits(self, who: Participant) -> bool:
        return isinstance(who.waiting_in, Waiter)

    def __len__(self) -> int:
        """How many wait in the queue."""
        return sum(len(line) for lines in self._lines.values() for line in lines.values())

    def remove(self, who: Participant) -> None:
        """Take a participant out of the queue, if they are in it."""
        waiter = who.waiting_in
        if not isinstance(waiter, Waiter):
            return
        who.waiting_in = None
        self._touch(waiter.key)
        lines = self._lines[waiter.key]
        del lines[waiter.seat][who]
        if not lines[waiter.seat]:
            del lines[waiter.seat]
        if not lines:
            del self._lines[waiter.key]

    def clear(self) -> list[Participant]:
        """Send all away who wait; returns who that was."""
        waiting = [who for lines in self._lines.values() for line in lines.values() for who in line]
        for who in waiting:
            self.remove(who)
        return waiting

    def _stop_waiting(self, waiter: Waiter) -> None:
        """No one came: an engine takes the seat."""
        who = waiter.who
        if who.waiting_in is not waiter:
            return
        if self._hub.refusing is not None:  # not for ever, as a rule
            self._hub.alarm(1.0, lambda: self._stop_waiting(waiter))
            return
        self.remove(who)
        self._seat_with_engines(who, waiter.seek, waiter.seat)

    def _seat_with_engines(
        self, who: Participant, seek: Seek, seat: int | None = None, by: Participant | None = None
    ) -> None:
        hub = self._hub
        table = hub.open(seek.game, hub.game(seek.game).options(seek.options), seek.policy, by=by)
        mine = next((s for s in (seat, seek.seat, seek.fallback) if s is not None), 0)
        hub.take(table, coming.enter(table, hub, who, name=who.name, chair=mine))
        while (free := table.free_chair()) is not None:
            hub.take(table, coming.bring_engine(table, seek.level, free, coming.engine_name(seek.level)))
        hub.settle(table)

    # --- tables with two chairs --------------------------------------------------------------------------------------

    def _seek_chair(self, who: Participant, seek: Seek) -> None:
        """Sit down opposite a person who waits at a table for two; one is opened if there is none."""
        hub = self._hub
        game = hub.game(seek.game)
        options = game.options(seek.options) if seek.options else None
        if seek.opponent != "engine":
            table = self._waiting_table(who, seek, options)
            if table is not None:
                command = TakeChair(table.id, seek.seat, seek.most)
                who.name = _chair_name(who, chairs.chair_for(table, who.name, command) or 0)
                hub.perform(table, chairs.sit(table, hub, who, command))
                return
            if self.others.sent(who, seek):
                return
        mine = seek.seat if seek.seat in (0, 1) else 0
        who.name = _chair_name(who, mine)
        other = Chair("engine", level=seek.level) if seek.opponent == "engine" else Chair()
        setup = (Chair(), other) if mine == 0 else (other, Chair())
        self.open(who, Open(seek.game, seek.options, mine, seek.policy, setup, most=seek.most))

    def _waiting_table(self, who: Participant, seek: Seek, options: Options | None) -> Table | None:
        """A table for two where one person waits for anyone, with this board if one is wanted.

        A game that lost a player is for the next who comes through the same door.
        """
        policy = seek.policy
        game = self._hub.game(seek.game)
        for table in self._pairs.get((seek.game, policy.clock, policy.increment), ()):
            same_door = bool(policy.key) and table.policy.key == policy.key
            goes_on = table.waits and same_door
            wanted = table.seats if seek.seat is None else table.seats[seek.seat : seek.seat + 1]
            if not table.policy.open or table.running != goes_on or None not in wanted:
                continue
            if table.free_chair(who.name, seek.seat) is not None:
                waits = sum(member is not None and member.is_person for member in table.seats) == 1
            else:  # a room of the same door that has lost its chairs may have them again
                waits = same_door and not table.party.chairs
            fits = options is None or game.board(table.options) == game.board(options)
            if waits and fits and chairs.may_pair(table, seek.most):
                return table
        return None

    def open(self, who: Participant, command: Open) -> None:
        """Open a table and sit down there."""
        hub = self._hub
        hub.require_open_house()
        coming.require_clock(who.caps, command.policy)
        game = hub.game(command.game)
        options = game.options(command.options)
        if command.policy.starting is not Starting.LOBBY:
            if not 0 <= command.seat < game.players(options):
                raise Refused(Refusal.BAD_OPTIONS)
            table = hub.open(command.game, options, command.policy, command.title, who)
            hub.perform(table, coming.enter(table, hub, who, name=who.name, chair=command.seat))
            return
        mine = chairs.own_chair(command.chairs, who.name)
        table = self._open_room(command.game, options, command.policy, command.title, who)
        hub.take(table, chairs.furnish(table, command.chairs, mine))
        if command.options:  # the board is chosen already
            hub.happen(table, Chosen(0, options))
        hub.perform(table, coming.enter(table, hub, who, name=who.name, confirms=True, chair=mine, most=command.most))

    # --- rooms -------------------------------------------------------------------------------------------------------

    def enter(self, who: Participant, command: Enter) -> None:
        """Come into the room that is wanted; one is opened if there is none."""
        hub = self._hub
        hub.require_open_house()
        coming.require_clock(who.caps, command.policy)
        options = hub.game(command.game).options(command.options)
        if command.policy.level not in LEVELS:
            raise Refused(Refusal.BAD_OPTIONS)
        name = hub.name_for(command.name, who.account) if command.name else ""
        table = self._room(command.game, options, command.policy)
        new = table is None
        if new and self.others.sent(who, command):
            return
        if table is None:
            table = self._open_room(command.game, options, command.policy, command.title, who)
        steps = coming.enter(
            table, hub, who, name=name, colour=command.colour, ready=command.ready, votes=command.votes,
            most=command.most,
        )  # fmt: skip
        hub.perform(table, steps)
        if new:
            hub.perform(table, consent.set_bots(table, command.policy.bots, command.policy.level))

    def _room(self, game: str, options: Options, policy: Policy) -> Table | None:
        """A room of this kind; where the next one gets another room when it is full, one with a free place."""
        rooms = self._rooms.get(_likeness(game, options, policy), ())
        return next((table for table in rooms if policy.full != "room" or _has_place(table)), None)

    def _open_room(self, game: str, options: Options, policy: Policy, title: str, by: Participant) -> Table:
        table = self._hub.open(game, options, policy, title, by)
        self.adopt(table)
        return table

    def adopt(self, table: Table) -> None:
        """People may be brought to this table from now on, if it has a lobby."""
        if table.has_lobby:
            kind = _likeness(table.game.key, table.opened, table.policy)
            pace = table.game.key, table.policy.clock, table.policy.increment
            self._rooms.setdefault(kind, {})[table] = None
            self._pairs.setdefault(pace, {})[table] = None
            self._keys[table] = kind, pace

    def forget(self, table: Table) -> None:
        """The table is no more."""
        keys = self._keys.pop(table, None)
        if keys is not None:
            _strike(self._rooms, keys[0], table)
            _strike(self._pairs, keys[1], table)


def _strike(index: dict[Index, dict[Table, None]], key: Index, table: Table) -> None:
    del index[key][table]
    if not index[key]:
        del index[key]


def _likeness(game: str, options: Options, policy: Policy) -> Likeness:
    return game, tuple(sorted(options.items())), policy


def _has_place(table: Table) -> bool:
    """Whether one more could play here."""
    if table.party.chairs:
        return table.free_chair("") is not None
    return len(table.party.members) < table.limit


def _chair_name(who: Participant, chair: int) -> str:
    """A participant who has no name yet is called after the chair."""
    return f"Player {chair + 1}" if who.name == ANON else who.name


def suits(seek: Seek, seat: int | None) -> bool:
    """Whether one who seeks this can sit opposite one who wants this seat."""
    return fit(seek.seat, seat)


def fit(one: int | None, other: int | None) -> bool:
    """Whether two who want these seats can play each other."""
    return one is None or other is None or one != other


def key_of(game: Game, seek: Seek, options: Options) -> Key:
    """Returns the key of the queue for this seek."""
    loose = game.loose
    wishes = [(name, value) for name, value in options.items() if name not in loose]
    return seek.game, seek.policy.clock, seek.policy.increment, tuple(wishes)


def _share_seats(mine: int | None, theirs: int | None) -> tuple[int, int]:
    """Seats for the newcomer and the one who waited, who has the first choice; seat 0 where neither cares."""
    if theirs is None:
        theirs = 0 if mine is None else 1 - mine
    return 1 - theirs, theirs
