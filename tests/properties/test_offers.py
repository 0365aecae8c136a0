"""Games of two with a clock, in a room: moves, offers, lost connections and crashes in any order, and one story."""

from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from parlour.core.house.hub import Hub
from parlour.core.table.table import Table
from parlour.core.words import (
    Cap,
    Chair,
    Leave,
    Offer,
    Play,
    Policy,
    Ready,
    Record,
    Seek,
    SetBoard,
    Sit,
    Vanish,
    Vote,
    Watch,
)
from tests.folds import folded, state_of
from tests.unit.core.people import Log, Person, after_a_crash, open_hub, open_pair

WHATS = st.sampled_from(("draw", "takeback"))


class Offers(RuleBasedStateMachine):
    """Ann and Ben, or Ann and an engine, and somebody who looks on now and then with an old program."""

    @initialize(
        seed=st.integers(0, 10_000),
        where=st.sampled_from(("room", "engine's room", "noughts", "connect4")),
        clock=st.sampled_from((0, 40)),
    )
    def begin(self, seed: int, where: str, clock: int) -> None:
        self.hub, self.log = open_hub(seed)
        ann, ben = Person(self.hub, "Ann"), Person(self.hub, "Ben")
        if where == "room":
            ann.do(open_pair(clock=float(clock), increment=1.0 if clock else 0.0))
            ben.do(Sit(ann.where))
            ann.do(SetBoard({"width": 3, "height": 3}))
        elif where == "engine's room":
            ann.do(open_pair((Chair(), Chair("engine")), clock=float(clock)))
            ann.do(SetBoard({"width": 3, "height": 3}))
        else:
            policy = Policy(clock=float(clock), increment=float(clock and 1))
            for who in (ann, ben):
                who.do(Seek(where, {}, policy=policy))
        assert ann.table is not None
        self.table = ann.table
        self.people = [ann, ben]
        self.watcher = Person(self.hub, "Cyd", Cap.NONE)
        self.dice = Random(seed)
        for _ in range(self.dice.randrange(6)):
            self.move(self.dice.randrange(1000))

    def _players(self) -> list[Person]:
        return [who for who in self.people if who.table is self.table and who.seat is not None]

    @rule(choice=st.integers(0, 1000))
    def move(self, choice: int) -> None:
        position = self.table.position
        for who in self._players():
            if self.table.running and position is not None and position.turn == who.seat:
                legal = position.legal()
                who.do(Play(legal[choice % len(legal)], f"{self.table.seq}"))
                return

    @rule(number=st.integers(0, 1), what=WHATS, yes=st.booleans())
    def offer(self, number: int, what: str, yes: bool) -> None:
        who = self.people[number]
        before = state_of(self.table)
        who.heard.clear()
        who.do(Offer(what, yes))
        if who.refusal():
            assert state_of(self.table) == before

    @rule()
    @precondition(lambda self: self.table.ballot is not None)
    def agree(self) -> None:
        ballot = self.table.ballot
        assert ballot is not None
        for who in self._players():
            who.do(Offer(ballot.what) if ballot.what in ("draw", "takeback") else Vote(True))

    @rule(number=st.integers(0, 1), leaves=st.booleans())
    def go(self, number: int, leaves: bool) -> None:
        self.people[number].do(Leave() if leaves else Vanish())

    @rule(number=st.integers(0, 1))
    def come_back(self, number: int) -> None:
        who = self.people[number]
        if who.table is None and who.where == self.table.id:
            self.people[number] = back = who.elsewhere().resume()
            if back.table is None:
                back.do(Sit(self.table.id))

    @rule()
    def another_game(self) -> None:
        for who in self._players():
            who.do(Ready(True) if self.table.has_lobby else Vote(True))

    @rule(comes=st.booleans())
    def look_on(self, comes: bool) -> None:
        self.watcher.do(Watch(self.table.id) if comes else Leave())

    @rule(seconds=st.sampled_from((0.5, 8.0, 30.0, 61.0)))
    def time_passes(self, seconds: float) -> None:
        self.hub.tick(self.hub.at + seconds)

    @rule(seconds=st.sampled_from((1.0, 500.0)))
    @precondition(lambda self: self.table.id in self.hub.tables)
    def the_server_is_killed_and_started_again(self, seconds: float) -> None:
        moves, left = list(self.table.moves), None if self.table.clock is None else list(self.table.clock.left)
        ran = None if self.table.clock is None else self.table.clock.running
        self.hub.at += seconds
        hub, log = after_a_crash(self.hub, self.log)
        self._move_to(hub, log)
        if self.table.running:
            assert self.table.moves == moves
            if left is not None and self.table.clock is not None and ran is not None:
                assert self.table.clock.left[ran] == left[ran]

    def _move_to(self, hub: Hub, log: Log) -> None:
        restored = next((table for table in hub.tables.values() if table.no == self.table.no), None)
        self.table = restored if restored is not None else folded(self.table, log.records[self.table.no])
        self.hub, self.log = hub, log
        self.people = [who.elsewhere(hub) for who in self.people]
        self.watcher = self.watcher.elsewhere(hub)

    @invariant()
    def the_log_tells_the_same_story(self) -> None:
        assert state_of(folded(self.table, self.log.records[self.table.no])) == state_of(self.table)

    @invariant()
    def the_board_is_what_the_moves_make_of_it(self) -> None:
        table: Table = self.table
        if table.position is None or not table.running:
            return
        fresh = table.game.start(table.settled, table.starter, len(table.seats))
        for move, seat in zip(table.moves, table.by, strict=True):
            assert fresh.turn == seat
            fresh.play(move)
        assert fresh.text() == table.position.text()
        assert fresh.turn == table.position.turn

    @invariant()
    def ids_are_those_of_moves_that_stand(self) -> None:
        for (seat, _), record in self.table.move_ids.items():
            event = record.event
            assert isinstance(record, Record)
            assert (seat, getattr(event, "move", "")) in list(zip(self.table.by, self.table.moves, strict=True))

    @invariant()
    def nothing_is_owed_and_no_offer_outlives_its_game(self) -> None:
        assert self.table.owed is None
        ballot = self.table.ballot
        if ballot is not None and ballot.what in ("draw", "takeback"):
            assert self.table.running
            assert ballot.made == len(self.table.moves)
        assert self.table.alert == (ballot is not None or self.table.clock is not None)

    @invariant()
    def a_clock_runs_for_whoever_is_on_turn_or_for_nobody(self) -> None:
        table: Table = self.table
        if table.clock is not None and table.clock.running is not None:
            assert table.position is not None
            assert table.clock.running == table.position.turn
            assert min(table.clock.left) >= 0


TestOffers = Offers.TestCase
TestOffers.settings = settings(max_examples=100, stateful_step_count=25)
