"""Rooms under random commands: the log alone tells what happened at the table, and every user knows who is there."""

from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from parlour.core.game import NOBODY
from parlour.core.table.ballot import START, STOP
from parlour.core.table.table import Status, Table
from parlour.core.updates import CaughtUp, Kicked, Update
from parlour.core.words import (
    FEATURES,
    AnyEvent,
    Arranged,
    Cap,
    Claim,
    Closed,
    Command,
    Decided,
    Enter,
    Entered,
    EnterTable,
    Held,
    Joined,
    Laid,
    Leave,
    Left,
    Play,
    Played,
    Propose,
    Proposed,
    Readied,
    Ready,
    Recolour,
    Recoloured,
    Record,
    Rename,
    Renamed,
    Resume,
    Resumed,
    Say,
    Seek,
    StandUp,
    Started,
    Substitute,
    Switched,
    TakeOver,
    TakePart,
    Vanish,
    Vote,
    Watch,
    Went,
    Wish,
)
from tests.properties.test_tables import refolded, state_of
from tests.unit.core.people import Person, Room, after_a_crash, code_of, enter, open_hub, room, want_board, want_bots

COMMANDS: tuple[Command, ...] = (
    Ready(),
    Ready(False),
    Rename("Zoë"),
    Rename(" "),
    Recolour(1),
    Say("hello"),
    StandUp(),
    TakePart(),
    Wish(START),
    Wish(STOP),
    want_board(2, 3),
    want_board(1, 3),
    want_bots(1, "easy"),
    want_bots(0),
    Vote(True),
    Vote(False),
    Propose("restart"),
    Propose("lobby"),
    Propose("shuffle"),
    Propose("kick", ("2", "why not")),
    Propose("disable", ("chat",)),
    Propose("enable", ("random-order",)),
    Propose("dance"),
    Play("h 0 0"),
    Play("nonsense"),
    Watch("nowhere"),
    Resume("nowhere", "guess"),
    Seek("noughts", {}),
)


class View:
    """What a client knows that has believed everything it was told since it entered."""

    def __init__(self, room: Room, me: User) -> None:
        self.me = me.id
        self.away = {user.id for user in room.users.values() if user.away}
        self.users = {user.id: (user.name, user.colour, user.ready) for user in room.users.values()}
        self.players = {number: seat.name for number, seat in enumerate(room.table.seats) if seat is not None}
        self.features = set(room.features)
        self.size = room.size
        self.vote = None if room.ballot is None else room.ballot.what
        self.closed = False
        self.moves = len(room.table.moves)

    def hear(self, told: Update) -> None:
        match told:
            case Entered(user=user) | Renamed(user=user) | Recoloured(user=user) | Readied(user=user):
                self.users[user.id] = (user.name, user.colour, user.ready)
            case Went(user=user):
                del self.users[user.id]
                self.away.discard(user.id)
            case Held(user=user):
                self.away.add(user.id)
            case Resumed(user=user):
                self.away.remove(user.id)
            case Switched(name=name, on=on):
                self.features = self.features | {name} if on else self.features - {name}
            case Laid(width=width, height=height):
                self.size = (width, height)
            case Proposed(what=what):
                assert self.vote is None
                self.vote = what
            case Decided(what=what):
                assert self.vote == what
                self.vote = None
            case Kicked() | Record(event=Closed()):
                self.closed = True
            case Record(event=event):
                self._happened(event)
            case _:
                pass

    def _happened(self, event: AnyEvent) -> None:
        match event:
            case Arranged(seats=seats):
                self.players = {joined.seat: joined.name for joined in seats}
            case Joined(seat=seat, name=name):
                self.players[seat] = name
            case Left(seat=seat):
                del self.players[seat]
            case Started():
                self.moves = 0
            case Played():
                self.moves += 1
            case _:
                pass


class Rooms(RuleBasedStateMachine):
    """One room in mid-game, its users, and people who come and go."""

    @initialize(seed=st.integers(0, 10_000))
    def enter_and_play_a_while(self, seed: int) -> None:
        dice = Random(seed)
        self.hub, self.log = open_hub(seed)
        self.wish = room(
            "door",
            3,
            3,
            players=dice.choice((0, 2, 3)),
            full=dice.choice(("watch", "watch", "room")),
            start=dice.choice(("auto", "ask")),
            features=frozenset(feature for feature in FEATURES if dice.random() < 0.7),
            bots=dice.choice((0, 0, 1)),
            pace=dice.choice((NO_CLOCK, Pace(40, 1))),
        )
        self.people = [
            Person(self.hub, f"P{number}", Cap.ALL if dice.random() < 0.7 else Cap.ALL & ~Cap.RESUME)
            for number in range(6)
        ]
        self.views: dict[Person, View] = {}
        for person in self.people[:4]:
            self._do(person, self._enter(person, ready=True))
            self._do(person, Wish(START))
        self.time_passes(1.0)
        self.time_passes(1.0)
        self.time_passes(1.0)
        for _ in range(dice.randrange(8)):
            self.play_a_legal_move(dice.randrange(100))

    def _enter(self, who: Person, ready: bool) -> Enter:
        return enter(self.wish, who.name, ready=ready, votes=who is not self.people[1])

    def _listen(self) -> None:
        """Let everybody believe what they have heard."""
        for person in self.people:
            for told in person.heard:
                if isinstance(told, Entered):
                    self.views[person] = View(told.here, told.me)
                elif isinstance(told, CaughtUp) and told.me is not None and told.table.lobby is not None:
                    self.views[person] = View(told.table.lobby, told.me)
                elif person in self.views:
                    self.views[person].hear(told)
            person.heard.clear()
            if person.table is None:
                self.views.pop(person, None)

    def _do(self, who: Person, command: Command) -> None:
        before = {number: len(records) for number, records in self.log.records.items()}
        who.do(command)
        if who.refusal():
            assert {number: len(records) for number, records in self.log.records.items()} == before
        self._listen()

    @property
    def tables(self) -> list[Table]:
        return [table for table in self.hub.tables.values() if table.lobby is not None]

    @rule(choice=st.integers(0, 1000))
    @precondition(lambda self: any(table.running for table in self.tables))
    def play_a_legal_move(self, choice: int) -> None:
        for table in self.tables:
            if table.running and table.position is not None:
                seat = table.seats[table.position.turn]
                assert seat is not None
                assert seat.who is not None
                legal = table.position.legal()
                if not seat.held:  # or the game waits
                    self.hub.submit(seat.who, Play(legal[choice % len(legal)]))
        self._listen()

    @rule(number=st.integers(0, 5), command=st.sampled_from(COMMANDS))
    def say_anything(self, number: int, command: Command) -> None:
        self._do(self.people[number], command)

    @rule(command=st.sampled_from((Wish(START), Wish(STOP), want_board(4, 2), Ready(), Vote(True))))
    def everybody_says(self, command: Command) -> None:
        for person in self.people:
            self._do(person, command)

    @rule(number=st.integers(0, 5), vanish=st.booleans())
    def go(self, number: int, vanish: bool) -> None:
        self._do(self.people[number], Vanish() if vanish else Leave())

    @rule(number=st.integers(0, 5), seen=st.integers(0, 20), vanish=st.booleans())
    def come_back(self, number: int, seen: int, vanish: bool) -> None:
        if vanish:
            self._do(self.people[number], Vanish())
        old, twin = self.people[number], self.people[number].elsewhere()
        self.people[number] = twin
        twin.resume(seen)
        if twin.refusal():
            self.people[number] = old
            return
        assert old.table is None
        assert self.log.missed(twin, seen)
        self.views.pop(old, None)
        self._listen()

    @rule(number=st.integers(0, 5), vanish=st.booleans())
    def go_on_in_another_program(self, number: int, vanish: bool) -> None:
        old = self.people[number]
        if old.table is None or old.table.lobby is None:
            return
        user = old.me
        where, seat, code = old.table, user.seat, code_of(user, self.hub)
        game = where.number
        if vanish:
            self._do(old, Vanish())
        other = Person(self.hub, old.name, old.caps)
        self.people[number] = other
        self._do(other, TakeOver(where.id, code))
        if other.table is None:
            assert vanish, "whoever is there can be taken over"
            self.people[number] = old
            return
        assert old.table is None
        if where.running and where.number == game:  # for the next one the others need not wait
            assert seat is None or other.seat == seat
        self.views.pop(old, None)

    @rule(seed=st.integers(0, 1000), everybody=st.booleans())
    def house_crashes(self, seed: int, everybody: bool) -> None:
        kept = {table.no for table in self.tables if any(seat is not None and seat.key for seat in table.seats)}
        self.hub, self.log = after_a_crash(self.hub, self.log, seed)
        assert {table.no for table in self.tables} == kept
        self.people = [person.elsewhere(self.hub) for person in self.people]
        self.views = {}
        for person in self.people:
            if everybody:
                person.resume()
                self._listen()

    @rule(number=st.integers(0, 5), claims=st.booleans(), seat=st.integers(0, 3))
    def wait_no_longer(self, number: int, claims: bool, seat: int) -> None:
        self.time_passes(20.0)
        self._do(self.people[number], Claim() if claims else Substitute(seat, "easy"))

    @rule()
    def nobody_is_waited_for_any_longer(self) -> None:
        self.time_passes(61.0)
        assert not any(user.away for table in self.tables if table.lobby for user in table.lobby.users.values())

    @rule(number=st.integers(0, 5), ready=st.booleans())
    def come(self, number: int, ready: bool) -> None:
        self._do(self.people[number], self._enter(self.people[number], ready))

    @rule(number=st.integers(0, 5), where=st.integers(0, 3))
    @precondition(lambda self: self.tables)
    def move_to_another_room(self, number: int, where: int) -> None:
        self._do(self.people[number], EnterTable(self.tables[where % len(self.tables)].id))

    @rule(seconds=st.sampled_from((0.1, 1.0, 1.0, 30.0)))
    def time_passes(self, seconds: float) -> None:
        self.hub.tick(self.hub.at + seconds)
        self._listen()

    @invariant()
    def the_log_tells_the_same_story(self) -> None:
        for table in self.tables:
            assert state_of(refolded(self.log, table.no)) == state_of(table)
        for number, records in self.log.records.items():
            assert [record.seq for record in records] == list(range(1, len(records) + 1))
            closed = any(isinstance(record.event, Closed) for record in records)
            assert closed != any(table.no == number for table in self.hub.tables.values())

    @invariant()
    def seats_are_filled_by_users_who_are_there(self) -> None:
        for table in self.tables:
            room = table.lobby
            assert room is not None
            assert any(user.is_person for user in room.users.values())
            assert {id(who) for who in table.present()} == {id(who) for who in room.users}
            assert [id(tell) for tell in table.tells] == [id(who.tell) for who in table.present()]
            for number, seat in enumerate(table.seats):
                if seat is not None:
                    assert seat.who is not None
                    assert (seat.who.table, seat.who.seat) == (table, number)
                    assert room.seated[number].who is seat.who
            assert sum(user.seat is not None for user in room.users.values()) == sum(map(bool, table.seats))

    @invariant()
    def room_is_at_rest_and_in_a_sane_state(self) -> None:
        for table in self.tables:
            room = table.lobby
            assert room is not None
            assert table.consequence(Random(0)) is None
            assert table.status is not Status.CLOSED
            if table.running:
                assert table.position is not None
                assert table.position.turn != NOBODY
                assert 2 <= len(room.players) <= room.limit
                assert any(user.is_person for user in room.players)
                assert not room.countdown
            if room.ballot is not None:
                assert room.ballot.verdict() is None
                assert not any(user.away for user in room.users.values() if user.id in room.ballot.answers)
            assert len({user.id for user in room.users.values()}) == len(room.users)
            assert not any(user.away for user in room.deciders())
            for number, seat in enumerate(table.seats):
                assert seat is None or seat.held == room.seated[number].away

    @invariant()
    def every_user_knows_who_is_there_and_what_is_going_on(self) -> None:
        for person, view in self.views.items():
            assert not view.closed
            room = person.here
            assert view.me == person.me.id
            assert view.users == {user.id: (user.name, user.colour, user.ready) for user in room.users.values()}
            assert view.away == {user.id for user in room.users.values() if user.away}
            assert view.features == room.features
            assert view.size == room.size
            seats = room.table.seats
            assert view.players == {number: seat.name for number, seat in enumerate(seats) if seat is not None}
            assert view.moves == len(room.table.moves)
            assert view.vote == (None if room.ballot is None else room.ballot.what)


TestRooms = Rooms.TestCase
TestRooms.settings = settings(max_examples=100, stateful_step_count=25, deadline=None)
