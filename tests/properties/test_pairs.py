"""Tables for two under random commands of people of every kind: chairs, seats, log and listing tell one story."""

from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from parlour.core.errors import Refusal
from parlour.core.game import NOBODY
from parlour.core.listing import Change, Notice
from parlour.core.lobby import Room
from parlour.core.news import BoardChosen, BoardWanted, ChairsChanged, Entered
from parlour.core.pair import Pair
from parlour.core.roomwords import (
    AskBots,
    AskSize,
    AskStart,
    AskStop,
    Chair,
    Enter,
    EnterTable,
    Entitle,
    FindPair,
    LeaveChair,
    OpenPair,
    Rename,
    RoomWish,
    SetBoard,
    SetChair,
    StandUp,
    TakeChair,
    TakeOver,
    TakePart,
)
from parlour.core.table import Status, Table
from parlour.core.takeover import code_of
from parlour.core.users import User
from parlour.core.vanished import Claim, Substitute
from parlour.core.vocab import (
    Cap,
    CaughtUp,
    Command,
    Kind,
    Leave,
    Leaving,
    Play,
    Propose,
    Ready,
    Record,
    Resign,
    Say,
    Started,
    Told,
    Vanish,
    Vote,
    Watch,
)
from tests.properties.test_tables import refolded, state_of
from tests.unit.core.people import Person, after_a_crash, open_hub

MOST = 25
ANYTHING: tuple[Command, ...] = (
    *(Ready(), Ready(False), Rename("Zed"), Say("hello"), StandUp(), Resign(), TakePart()),
    *(AskStart(), AskStop(), AskSize(2, 3), AskSize(30, 30), AskBots(1, "easy"), AskBots(2), AskBots(0)),
    *(Propose("restart"), Propose("lobby"), Propose("shuffle"), Propose("kick", ("2",)), Vote(True), Vote(True)),
    *(LeaveChair(), SetBoard(3, 2), SetBoard(2, 2), SetBoard(26, 2), SetBoard(1, 2), Entitle("mine")),
    *(SetChair(0, Chair("engine")), SetChair(1, Chair("engine", "Robby", "easy")), SetChair(1, Chair())),
    *(SetChair(0, Chair("reserved", "P1")), SetChair(1, Chair("reserved", "nobody")), SetChair(2, Chair())),
    *(SetChair(0, Chair("bench")), SetChair(1, Chair("engine", level="godlike")), Play("h 0 0"), Play("nonsense")),
)
OPENINGS: tuple[tuple[Chair, Chair], ...] = (
    (Chair(), Chair()),
    (Chair("engine"), Chair()),
    (Chair(), Chair("engine", "Robby", "easy")),
    (Chair("reserved", "P1"), Chair("reserved", "P2")),
    (Chair(), Chair("reserved", "nobody")),
    (Chair("engine"), Chair("engine")),
)


class Sight:
    """What somebody at a table for two knows who has believed everything since coming in."""

    def __init__(self, room: Room, me: User) -> None:
        pair = room.pair
        self.me = me
        self.chairs: list[User | None] = [None, None] if pair is None else list(pair.chairs)
        self.kept = ["", ""] if pair is None else list(pair.reserved)
        self.board = None if pair is None else pair.board
        self.wanted = False

    def hear(self, told: Told) -> None:
        match told:
            case ChairsChanged(pair=pair):
                self.chairs, self.kept = list(pair.chairs), list(pair.reserved)
                self.wanted = self.wanted and self.me in self.chairs
            case BoardChosen(width=width, height=height):
                self.board, self.wanted = (width, height), False
            case BoardWanted():
                assert not self.wanted, "asked twice for one board"
                self.wanted = True
            case Record(event=Started(options=options)):
                self.board, self.wanted = (int(options["width"]), int(options["height"])), False
            case _:
                pass


class Pairs(RuleBasedStateMachine):
    """A room of a NetDot-like door, tables for two, and people who sit, watch, get ready and go."""

    @initialize(seed=st.integers(0, 10_000), vote=st.booleans(), players=st.sampled_from((0, 2, 3)))
    def sit_down_and_play_a_while(self, seed: int, vote: bool, players: int) -> None:
        dice = Random(seed)
        self.hub, self.log = open_hub(seed)
        self.listed: dict[str, Table] = {}
        self.changes = 0
        self.hub.listing.subscribe(self._hear_of)
        self.wish = RoomWish(
            "door",
            3,
            2,
            players=players,
            full=dice.choice(("watch", "room")),
            start=dice.choice(("auto", "auto", "ask")),
            features=frozenset({"chat", "vote"} if vote else {"chat"}),
        )
        self.people = [
            Person(self.hub, f"P{number}", Cap.ALL if dice.random() < 0.7 else Cap.ALL & ~Cap.RESUME)
            for number in range(6)
        ]
        self.sights: dict[Person, Sight] = {}
        meeting = dice.random() < 0.5
        self._do(self.people[0], Enter(self.wish, "P0", votes=True) if meeting else OpenPair(most=MOST))
        self._do(self.people[1], TakeChair(self.tables[0].id, most=MOST))
        self._do(self.people[2], EnterTable(self.tables[0].id, ready=dice.random() < 0.5, votes=True))
        self._do(self.people[3], Watch(self.tables[0].id))
        self._do(self.people[0], SetBoard(3, 3))
        for _ in range(dice.randrange(6)):
            self.play_a_legal_move(dice.randrange(100))

    def _hear_of(self, notice: Notice) -> None:
        table = notice.table
        self.changes += 1
        match notice.change:
            case Change.OPENED:
                assert table.id not in self.listed
                self.listed[table.id] = table
            case Change.CHANGED:
                assert self.listed[table.id] is table
            case Change.CLOSED:
                assert self.listed.pop(table.id) is table

    def _listen(self) -> None:
        for person in self.people:
            for told in person.heard:
                if isinstance(told, Entered):
                    self.sights[person] = Sight(told.room, told.user)
                elif isinstance(told, CaughtUp) and told.user is not None and told.table.lobby is not None:
                    self.sights[person] = Sight(told.table.lobby, told.user)
                elif person in self.sights:
                    self.sights[person].hear(told)
            person.heard.clear()
            if person.table is None:
                self.sights.pop(person, None)

    def _snapshot(self) -> object:
        rooms = [table.lobby for table in self.tables if table.lobby is not None]
        return [
            (
                room.table.seq,
                room.size,
                room.title,
                None if room.pair is None else (room.pair.chairs[:], room.pair.reserved[:], room.pair.board),
                None if room.pair is None else room.pair.most,
                [(user, user.ready, user.seat, user.renews, user.watches) for user in room.users.values()],
            )
            for room in rooms
        ]

    def _do(self, who: Person, command: Command) -> None:
        before, notices = self._snapshot(), self.changes
        who.do(command)
        if who.refusal():
            assert self._snapshot() == before, f"{command} was refused and changed something"
            assert self.changes == notices
        self._listen()

    @property
    def tables(self) -> list[Table]:
        return list(self.hub.tables.values())

    @rule(choice=st.integers(0, 1000))
    @precondition(lambda self: any(table.running for table in self.tables))
    def play_a_legal_move(self, choice: int) -> None:
        for table in self.tables:
            if table.running and table.position is not None:
                seat, legal, notices = table.seats[table.position.turn], table.position.legal(), self.changes
                if seat is None or seat.held or seat.who is None:
                    continue
                moves = len(table.moves)
                self.hub.submit(seat.who, Play(legal[choice % len(legal)]))
                gap = table.policy.leaving is Leaving.OPENS and None in table.seats
                assert gap == (len(table.moves) == moves and table.running), "a game with an empty seat waits"
                assert self.changes == notices or not table.running, "a move is no change of the list"
        self._listen()

    @rule(number=st.integers(0, 5), command=st.sampled_from(ANYTHING))
    def say_anything(self, number: int, command: Command) -> None:
        self._do(self.people[number], command)

    @rule(command=st.sampled_from((AskStart(), AskStop(), AskSize(4, 2), AskBots(1), Ready(), Vote(True))))
    def everybody_says(self, command: Command) -> None:
        for person in self.people:
            self._do(person, command)

    @rule(number=st.integers(0, 5), vanish=st.booleans())
    def go(self, number: int, vanish: bool) -> None:
        self._do(self.people[number], Vanish() if vanish else Leave())

    @rule(number=st.integers(0, 5), ready=st.booleans())
    def come_through_the_door(self, number: int, ready: bool) -> None:
        self._do(self.people[number], Enter(self.wish, f"P{number}", ready=ready, votes=True))

    @rule(number=st.integers(0, 5), ready=st.booleans(), where=st.integers(0, 3))
    @precondition(lambda self: self.tables)
    def join_a_table(self, number: int, ready: bool, where: int) -> None:
        self._do(self.people[number], EnterTable(self.tables[where % len(self.tables)].id, ready, True))

    @rule(number=st.integers(0, 5), seat=st.sampled_from((None, 0, 1)), where=st.integers(0, 3))
    @precondition(lambda self: self.tables)
    def sit_down(self, number: int, seat: int | None, where: int) -> None:
        self._do(self.people[number], TakeChair(self.tables[where % len(self.tables)].id, seat, MOST))

    @rule(number=st.integers(0, 5), where=st.integers(0, 3))
    @precondition(lambda self: self.tables)
    def watch(self, number: int, where: int) -> None:
        self._do(self.people[number], Watch(self.tables[where % len(self.tables)].id))

    @rule(number=st.integers(0, 5), chairs=st.sampled_from(OPENINGS))
    def open_a_table(self, number: int, chairs: tuple[Chair, Chair]) -> None:
        self._do(self.people[number], OpenPair(chairs, "come in", MOST))

    @rule(number=st.integers(0, 5), opponent=st.sampled_from(("human", "engine")), wait=st.sampled_from((0.0, 5.0)))
    def find_a_table(self, number: int, opponent: str, wait: float) -> None:
        self._do(self.people[number], FindPair("bare", MOST, opponent, "easy", wait))

    @rule(number=st.integers(0, 5), width=st.integers(2, 4))
    def choose_a_board_when_asked(self, number: int, width: int) -> None:
        self._do(self.people[number], SetBoard(width, 2))

    @rule(number=st.integers(0, 5), claims=st.booleans(), seat=st.integers(0, 2))
    def wait_no_longer(self, number: int, claims: bool, seat: int) -> None:
        self.time_passes(20.0)
        self._do(self.people[number], Claim() if claims else Substitute(seat, "easy"))

    @rule(seconds=st.sampled_from((0.1, 1.0, 1.0, 5.0, 30.0)))
    def time_passes(self, seconds: float) -> None:
        for _ in range(3 if seconds == 1.0 else 1):
            self.hub.tick(self.hub.at + seconds)
        self._listen()

    @rule(why=st.sampled_from((Refusal.LOG_DOWN, Refusal.DRAINING)), number=st.integers(0, 5))
    def house_refuses_for_a_while(self, why: Refusal, number: int) -> None:
        numbers = {table.no: table.number for table in self.tables}
        self.hub.refusing = why
        self._do(self.people[number], Ready())
        self._do(self.people[number], SetBoard(3, 2))
        self.time_passes(1.0)
        assert all(table.number == numbers[table.no] for table in self.tables), "a table may close, but none begins"
        self.hub.refusing = None
        self.time_passes(1.0)

    @rule(where=st.integers(0, 3))
    @precondition(lambda self: self.tables)
    def log_fails(self, where: int) -> None:
        table = self.tables[where % len(self.tables)]
        present = table.present()
        self.hub.evict(table, Refusal.LOG_DOWN)
        assert all(who.table is None for who in present)
        self.hub.restore(table.no, tuple(self.log.records[table.no]))
        self._listen()

    @rule(number=st.integers(0, 5), seen=st.integers(0, 20), vanish=st.booleans())
    def come_back(self, number: int, seen: int, vanish: bool) -> None:
        if vanish:
            self._do(self.people[number], Vanish())
        old, twin = self.people[number], self.people[number].elsewhere()
        self.people[number] = twin
        before = self._snapshot()
        twin.resume(seen)
        if twin.refusal():
            assert self._snapshot() == before
            self.people[number] = old
            return
        assert old.table is None
        assert self.log.missed(twin, seen)
        self.sights.pop(old, None)
        self._listen()

    @rule(number=st.integers(0, 5), vanish=st.booleans())
    def go_on_in_another_program(self, number: int, vanish: bool) -> None:
        old = self.people[number]
        if old.table is None or old.table.lobby is None:
            return
        user = old.user
        where, seat, code = old.table, user.seat, code_of(user, self.hub)
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
        assert not where.running or seat is None or other.seat == seat
        self.sights.pop(old, None)

    @rule(seed=st.integers(0, 1000), everybody=st.booleans())
    def house_crashes(self, seed: int, everybody: bool) -> None:
        keys = {table.no: any(seat is not None and seat.key for seat in table.seats) for table in self.tables}
        self.hub, self.log = after_a_crash(self.hub, self.log, seed)
        assert {table.no for table in self.tables} == {number for number, kept in keys.items() if kept}
        self.listed = dict(self.hub.tables)
        self.hub.listing.subscribe(self._hear_of)
        self.people = [person.elsewhere(self.hub) for person in self.people]
        self.sights = {}
        for person in self.people:
            if everybody:
                person.resume()
                self._listen()

    @rule()
    def nobody_is_waited_for_any_longer(self) -> None:
        self.time_passes(61.0)
        assert not any(user.absent for table in self.tables if table.lobby for user in table.lobby.users.values())

    @invariant()
    def the_log_tells_the_same_story(self) -> None:
        for table in self.tables:
            twin = refolded(self.log, table.no)
            assert state_of(twin) == state_of(table)
            assert twin.policy == table.policy

    @invariant()
    def the_list_is_that_of_the_hub(self) -> None:
        assert self.listed == self.hub.tables
        assert not self.hub.listing.pending

    @invariant()
    def seats_are_filled_by_users_who_are_there(self) -> None:
        for table in self.tables:
            room = table.lobby
            assert room is not None
            assert any(user.keeps_room for user in room.users.values())
            assert {id(who) for who in table.present()} == {id(who) for who in room.users}
            assert [id(tell) for tell in table.tells] == [id(who.tell) for who in table.present()]
            assert all(who.table is table for who in room.users)
            for number, seat in enumerate(table.seats):
                if seat is not None:
                    assert seat.who is not None
                    assert (seat.who.table, seat.who.seat) == (table, number)
                    assert room.seated[number].who is seat.who
                    assert room.seated[number].absent == seat.held
            assert sum(user.seat is not None for user in room.users.values()) == sum(map(bool, table.seats))
        assert {id(person.table) for person in self.people if person.table} <= {id(table) for table in self.tables}

    @invariant()
    def chairs_and_seats_agree(self) -> None:
        for table in self.tables:
            assert table.lobby is not None
            pair = table.lobby.pair
            opens = table.running and table.policy.leaving is Leaving.OPENS
            assert pair is not None or not opens
            if pair is None:
                assert not any(user.renews for user in table.lobby.users.values())
                continue
            seated = [user for user in pair.chairs if user is not None]
            assert len({id(user) for user in seated}) == len(seated)
            assert all(table.lobby.users.get(user.who) is user for user in seated)
            assert not any(user.watches for user in seated)
            assert sum(user.who.kind is Kind.ENGINE for user in seated) <= 1
            assert all(not kept or user is None for kept, user in zip(pair.reserved, pair.chairs, strict=True))
            if table.running:
                assert opens
                assert len(table.seats) == 2
                self._same(table, pair)
            else:
                assert all(user.ready or user.renews for user in seated)

    def _same(self, table: Table, pair: Pair) -> None:
        assert table.lobby is not None
        for number, user in enumerate(pair.chairs):
            seat = table.seats[number]
            assert (seat is None) == (user is None)
            if user is not None and seat is not None:
                assert (user.seat, seat.who, table.lobby.seated[number]) == (number, user.who, user)
        assert any(seat is not None and seat.kind is Kind.PERSON for seat in table.seats)

    @invariant()
    def nobody_waits_for_what_is_there(self) -> None:
        for table in self.tables:
            room = table.lobby
            assert room is not None
            assert table.consequence(Random(0)) is None
            assert table.status is not Status.CLOSED
            if table.running:
                assert table.position is not None
                assert table.position.turn != NOBODY
            if room.pair is None:
                continue
            for user in room.users.values():
                assert not room.pair.takes(user) or user.who.kind is Kind.ENGINE, "a chair is free for somebody ready"
            if room.pair.renewing and not table.running and None not in room.pair.chairs:
                assert not room.pair.agreed, "everybody has said yes, and nothing has begun"
            assert not (room.pair.renewing and room.countdown)

    @invariant()
    def everybody_knows_who_sits_where(self) -> None:
        for person, sight in self.sights.items():
            pair = person.room.pair
            if pair is None:
                continue
            assert sight.chairs == pair.chairs
            assert sight.kept == pair.reserved
            if pair.board is not None:
                assert sight.board == pair.board
            assert sight.wanted <= (pair.chooser is person.user or pair.board is not None)


TestPairs = Pairs.TestCase
TestPairs.settings = settings(max_examples=120, stateful_step_count=30, deadline=None)
