"""Parties of every kind under random commands: rooms, tables for two, lines of people who want to play any game.

Every member keeps a copy of the table, folded from what they were told and nothing else: it must equal the table.
"""

from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from parlour.core.errors import Refusal
from parlour.core.game import NOBODY
from parlour.core.house.listing import Change, Notice
from parlour.core.party.following import due, settle
from parlour.core.party.lineup import agreed, deciders, renewing
from parlour.core.party.seating import takes
from parlour.core.table.ballot import START, STOP
from parlour.core.table.table import Status, Table
from parlour.core.updates import CaughtUp, Seated
from parlour.core.words import (
    FEATURES,
    Cap,
    Chair,
    Claim,
    Closed,
    Command,
    EnterTable,
    Entitle,
    Kick,
    Kind,
    Leave,
    Leaving,
    Offer,
    Open,
    Play,
    Propose,
    Ready,
    Recolour,
    Record,
    Rename,
    Resign,
    Resume,
    Rotation,
    Say,
    Seek,
    SetBoard,
    SetChair,
    Sit,
    StandUp,
    Substitute,
    TakeChair,
    TakeOver,
    TakePart,
    Vanish,
    Vote,
    Watch,
    Wish,
)
from tests.folds import folded, state_of
from tests.unit.core.people import (
    Person,
    Room,
    after_a_crash,
    code_of,
    enter,
    find_pair,
    open_hub,
    open_pair,
    room,
    want_board,
    want_bots,
)

MOST = 25
PEOPLE = 6
ANYTHING: tuple[Command, ...] = (
    *(Ready(), Ready(False), Rename("Zoë"), Rename(" "), Recolour(1), Say("hello"), Entitle("mine")),
    *(StandUp(), Resign(), TakePart(), Offer("draw"), Offer("takeback"), Offer("draw", False)),
    *(Wish(START), Wish(STOP), want_board(2, 3), want_board(1, 3), want_board(30, 30)),
    *(want_bots(1, "easy"), want_bots(2), want_bots(0), Wish("tea")),
    *(Propose("restart"), Propose("lobby"), Propose("shuffle"), Propose("kick", ("2", "why not")), Propose("dance")),
    *(Propose("disable", ("chat",)), Propose("enable", ("random-order",)), Vote(True), Vote(True), Vote(False)),
    *(SetBoard({"width": 3, "height": 2}), SetBoard({"width": 26, "height": 2}), SetBoard({"width": 1})),
    *(SetChair(0, Chair("engine")), SetChair(1, Chair("engine", "Robby", "easy")), SetChair(1, Chair())),
    *(SetChair(0, Chair("reserved", "P1")), SetChair(1, Chair("reserved", "no one")), SetChair(2, Chair())),
    *(SetChair(0, Chair("bench")), SetChair(1, Chair("engine", level="godlike")), Kick(3, "out"), Kick(99)),
    *(Play("h 0 0"), Play("nonsense"), Watch("nowhere"), Resume("nowhere", "guess"), Seek("noughts", {})),
)
OPENINGS: tuple[tuple[Chair, Chair], ...] = (
    (Chair(), Chair()),
    (Chair("engine"), Chair()),
    (Chair(), Chair("engine", "Robby", "easy")),
    (Chair("reserved", "P1"), Chair("reserved", "P2")),
    (Chair(), Chair("reserved", "no one")),
    (Chair("engine"), Chair("engine")),
)
numbers = st.integers(0, PEOPLE - 1)


class Parties(RuleBasedStateMachine):
    """A room behind a door, tables that people open, and people who come, sit, vote, play, vanish and return."""

    @initialize(seed=st.integers(0, 100_000))
    def come_and_play_a_while(self, seed: int) -> None:
        dice = Random(seed)
        self.hub, self.log = open_hub(seed)
        self.listed: dict[str, Table] = {}
        self.changes = 0
        self.hub.listing.subscribe(self._hear_of)
        self.wish = self._room(dice)
        self.people = [
            Person(self.hub, f"P{number}", Cap.ALL if dice.random() < 0.7 else Cap.ALL & ~Cap.RESUME)
            for number in range(PEOPLE)
        ]
        self.copies: dict[Person, Table] = {}
        opening: Command = enter(self.wish, "P0", votes=True) if dice.random() < 0.7 else open_pair(most=MOST)
        self._do(self.people[0], opening)
        table = self.tables[0].id
        second: Command = enter(self.wish, "P1") if dice.random() < 0.6 else TakeChair(table, most=MOST)
        self._do(self.people[1], second)
        self._do(self.people[2], EnterTable(table, ready=dice.random() < 0.5, votes=True))
        self._do(self.people[3], Watch(table) if dice.random() < 0.5 else enter(self.wish, "P3", votes=True))
        self._do(self.people[0], SetBoard({"width": 3, "height": 3}))
        self.everyone_says(Wish(START))
        self.time_passes(1.0)
        for _ in range(dice.randrange(8)):
            self.play_legal_moves(dice.randrange(100))

    def _room(self, dice: Random) -> Room:
        return room(
            "door",
            3,
            dice.choice((2, 3)),
            game=dice.choice(("dots", "dots", "noughts", "connect4")),
            clock=dice.choice((0.0, 40.0)),
            increment=1.0,
            players=dice.choice((0, 2, 3)),
            full=dice.choice(("watch", "watch", "room")),
            start=dice.choice(("auto", "auto", "ask")),
            rotation=dice.choice(tuple(Rotation)),
            features=frozenset(feature for feature in FEATURES if dice.random() < 0.7),
            bots=dice.choice((0, 0, 1)),
        )

    # --- what is heard ------------------------------------------------------------------------------------------------

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
        """Let everyone believe what they have heard."""
        for person in self.people:
            for told in person.heard:
                copy = self.copies.get(person)
                if isinstance(told, Seated | CaughtUp):
                    records = self.log.records[told.table.no]
                    self.copies[person] = folded(told.table, records[: person.arrived])
                elif isinstance(told, Record) and copy is not None and told.seq > copy.seq:
                    assert told.seq == copy.seq + 1, "a record was left out"
                    copy.apply(told)
            person.heard.clear()
            if person.table is None:
                self.copies.pop(person, None)

    def _do(self, who: Person, command: Command) -> None:
        before, changes = self._snapshot(), self.changes
        who.do(command)
        if who.refusal():
            assert self._snapshot() == before, f"{command} was refused and changed something"
            assert self.changes == changes
        self._listen()

    def _snapshot(self) -> object:
        return [(table.no, table.seq, table.told_chairs) for table in self.tables]

    @property
    def tables(self) -> list[Table]:
        return list(self.hub.tables.values())

    # --- what people do -----------------------------------------------------------------------------------------------

    @rule(choice=st.integers(0, 1000))
    @precondition(lambda self: any(table.running for table in self.tables))
    def play_legal_moves(self, choice: int) -> None:
        for table in self.tables:
            if table.running and table.position is not None:
                member, legal, changes = table.seats[table.position.turn], table.position.legal(), self.changes
                if member is None or member.who is None:
                    continue
                made, waits = len(table.moves), table.waits
                self.hub.submit(member.who, Play(legal[choice % len(legal)]))
                assert waits == (len(table.moves) == made and table.running), "a game with an empty seat waits"
                assert self.changes == changes or not table.running or table.ballot is None
        self._listen()

    @rule(number=numbers, command=st.sampled_from(ANYTHING))
    def say_anything(self, number: int, command: Command) -> None:
        self._do(self.people[number], command)

    @rule(command=st.sampled_from((Wish(START), Wish(STOP), want_board(4, 2), want_bots(1), Ready(), Vote(True))))
    def everyone_says(self, command: Command) -> None:
        for person in self.people:
            self._do(person, command)

    @rule(number=numbers, vanish=st.booleans())
    def go(self, number: int, vanish: bool) -> None:
        self._do(self.people[number], Vanish() if vanish else Leave())

    @rule(number=numbers, ready=st.booleans())
    def come_through_the_door(self, number: int, ready: bool) -> None:
        self._do(self.people[number], enter(self.wish, f"P{number}", ready=ready, votes=number != 1))

    @rule(number=numbers, where=st.integers(0, 3), ready=st.booleans())
    @precondition(lambda self: self.tables)
    def move_to_a_table(self, number: int, where: int, ready: bool) -> None:
        self._do(self.people[number], EnterTable(self.tables[where % len(self.tables)].id, ready, True))

    @rule(number=numbers, seat=st.sampled_from((None, 0, 1)), where=st.integers(0, 3), chair=st.booleans())
    @precondition(lambda self: self.tables)
    def sit_down(self, number: int, seat: int | None, where: int, chair: bool) -> None:
        table = self.tables[where % len(self.tables)].id
        self._do(self.people[number], TakeChair(table, seat, MOST) if chair else Sit(table, seat))

    @rule(number=numbers, where=st.integers(0, 3))
    @precondition(lambda self: self.tables)
    def watch(self, number: int, where: int) -> None:
        self._do(self.people[number], Watch(self.tables[where % len(self.tables)].id))

    @rule(number=numbers, chairs=st.sampled_from(OPENINGS))
    def open_a_table_for_two(self, number: int, chairs: tuple[Chair, Chair]) -> None:
        self._do(self.people[number], open_pair(chairs, "come in", MOST))

    @rule(number=numbers, game=st.sampled_from(("noughts", "connect4")))
    def open_a_plain_table(self, number: int, game: str) -> None:
        self._do(self.people[number], Open(game, {}))

    @rule(number=numbers, opponent=st.sampled_from(("human", "engine")), wait=st.sampled_from((0.0, 5.0)))
    def find_a_table(self, number: int, opponent: str, wait: float) -> None:
        self._do(self.people[number], find_pair("bare", MOST, opponent, "easy", wait))

    @rule(number=numbers, seen=st.integers(0, 20), vanish=st.booleans())
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
        self.copies.pop(old, None)
        self._listen()

    @rule(number=numbers, vanish=st.booleans())
    def go_on_in_another_program(self, number: int, vanish: bool) -> None:
        old = self.people[number]
        if old.table is None or old.member is None:
            return
        where, seat, code = old.here, old.seat, code_of(old)
        game = where.number
        if vanish:
            self._do(old, Vanish())
        other = Person(self.hub, old.name, old.caps)
        self.people[number] = other
        self._do(other, TakeOver(where.id, code))
        if other.table is None:
            assert vanish, "a member who is there can be taken over"
            self.people[number] = old
            return
        assert old.table is None
        if where.running and where.number == game:
            assert seat is None or other.seat == seat
        self.copies.pop(old, None)

    @rule(number=numbers, claims=st.booleans(), seat=st.integers(0, 3))
    def wait_no_longer(self, number: int, claims: bool, seat: int) -> None:
        self.time_passes(20.0)
        self._do(self.people[number], Claim() if claims else Substitute(seat, "easy"))

    @rule()
    def no_one_is_waited_for_any_longer(self) -> None:
        self.time_passes(61.0)
        assert not any(member.away for table in self.tables for member in table.party.members.values())

    @rule(seconds=st.sampled_from((0.1, 1.0, 1.0, 5.0, 30.0)))
    def time_passes(self, seconds: float) -> None:
        for _ in range(3 if seconds == 1.0 else 1):
            self.hub.tick(self.hub.at + seconds)
        self._listen()

    # --- what befalls the house ---------------------------------------------------------------------------------------

    @rule(why=st.sampled_from((Refusal.LOG_DOWN, Refusal.DRAINING)), number=numbers)
    def house_refuses_for_a_while(self, why: Refusal, number: int) -> None:
        begun = {table.no: table.number for table in self.tables}
        self.hub.refusing = why
        self._do(self.people[number], Ready())
        self._do(self.people[number], SetBoard({"width": 3, "height": 2}))
        self.time_passes(1.0)
        assert {table.no: table.number for table in self.tables} == {no: begun[no] for no in self._numbers()}
        self.hub.at_once(self.hub.reopen)
        self.time_passes(1.0)

    def _numbers(self) -> list[int]:
        return [table.no for table in self.tables]

    @rule(where=st.integers(0, 3))
    @precondition(lambda self: self.tables)
    def log_fails(self, where: int) -> None:
        table = self.tables[where % len(self.tables)]
        present = table.present()
        self.hub.evict(table, Refusal.LOG_DOWN)
        assert all(who.table is None for who in present)
        self.hub.restore(table.no, tuple(self.log.records[table.no]))
        self._listen()

    @rule(seed=st.integers(0, 1000), everyone=st.booleans())
    def house_crashes(self, seed: int, everyone: bool) -> None:
        kept = {
            table.no
            for table in self.tables
            if any(member.token_digest and member.keeps_table for member in table.party.members.values())
        }
        self.hub, self.log = after_a_crash(self.hub, self.log, seed)
        assert set(self._numbers()) <= kept
        self.listed = dict(self.hub.tables)
        self.hub.listing.subscribe(self._hear_of)
        self.people = [person.elsewhere(self.hub) for person in self.people]
        self.copies = {}
        for person in self.people:
            if everyone:
                person.resume()
                self._listen()

    # --- what is always so --------------------------------------------------------------------------------------------

    @invariant()
    def the_log_tells_the_same_story(self) -> None:
        for table in self.tables:
            assert state_of(folded(table, self.log.records[table.no])) == state_of(table)
        for number, records in self.log.records.items():
            assert [record.seq for record in records] == list(range(1, len(records) + 1))
            assert isinstance(records[-1].event, Closed) != (number in self._numbers())

    @invariant()
    def everyone_knows_the_table_from_what_they_were_told(self) -> None:
        for person, copy in self.copies.items():
            assert state_of(copy) == state_of(person.here)

    @invariant()
    def the_list_is_that_of_the_hub(self) -> None:
        assert self.listed == self.hub.tables
        assert not self.hub.listing.pending

    @invariant()
    def connections_and_members_agree(self) -> None:
        for table in self.tables:
            members = table.party.members.values()
            present = table.present()
            assert len({id(who) for who in present}) == len(present)
            told = [*table.tells, *(who.tell for who in table.audience)]
            assert [id(tell) for tell in told] == [id(who.tell) for who in present]
            for member in members:
                assert (member.who is None) == member.away
                if member.who is not None:
                    assert (member.who.table, member.who.member, member.who.seat) == (table, member, member.seat)
                assert member.seat is None or table.seats[member.seat] is member
            for number, seat in enumerate(table.seats):
                assert seat is None or (seat.seat == number and seat in members)
        assert all(person.table is None or person.table in self.tables for person in self.people)

    @invariant()
    def tables_are_at_rest(self) -> None:
        for table in self.tables:
            assert table.status is not Status.CLOSED
            at = due(table)
            assert at is None or at > self.hub.at or self.hub.refusing is not None
            assert next(settle(table, self.hub), None) is None, "something was left undone"
            if table.has_lobby:
                assert any(member.keeps_table for member in table.party.members.values())
            if table.running:
                assert table.position is not None
                assert table.position.turn != NOBODY
                assert not table.party.countdown
                assert table.has_lobby is False or any(member.is_person for member in table.players())
            if table.running and not table.party.chairs:
                assert 2 <= len(table.players()) <= table.limit
            if table.party.vote is not None:
                assert table.party.vote.verdict() is None
            assert not any(member.away for member in deciders(table)) or not table.has_lobby

    @invariant()
    def chairs_are_for_those_who_need_them(self) -> None:
        for table in self.tables:
            members = table.party.members.values()
            if not table.has_lobby:
                continue
            if not table.party.chairs:
                assert not table.running or table.leaving is Leaving.SKIPS
                assert not any(member.confirms for member in members)
                continue
            seated = [member for member in table.seats if member is not None]
            assert len(table.seats) == len(table.party.chairs) == 2
            assert not any(member.watches for member in seated)
            assert sum(member.kind is Kind.ENGINE for member in seated) <= 1
            kept = zip(table.party.chairs, table.seats, strict=True)
            assert all(not name or member is None for name, member in kept)
            assert not any(takes(table, member) and member.is_person for member in members), "a chair is free"
            if not table.running:
                assert all(member.ready or member.confirms for member in seated)
                assert not (renewing(table) and agreed(table)), "all have said yes, and nothing has begun"


TestParties = Parties.TestCase
TestParties.settings = settings(max_examples=150, stateful_step_count=30, deadline=None)


def test_those_who_look_on_are_told_in_the_order_of_the_line_when_a_game_is_over() -> None:
    state = Parties()
    state.come_and_play_a_while(seed=72)
    state.go(number=0, vanish=False)
    state.say_anything(command=StandUp(), number=1)
    state.connections_and_members_agree()
