"""Tables under random commands, from the middle of a game on: the log alone must tell the same story."""

from itertools import pairwise
from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from parlour.core.game import NOBODY
from parlour.core.party.following import settle
from parlour.core.table.table import Status
from parlour.core.words import (
    Cap,
    Command,
    First,
    Leave,
    Leaving,
    Offer,
    Open,
    Play,
    Policy,
    Propose,
    Ready,
    Record,
    Resign,
    Resume,
    Say,
    Seek,
    Sit,
    Vanish,
    Vote,
    Watch,
)
from tests.folds import folded, state_of
from tests.unit.core.people import Person, open_hub

GAME_OPTIONS: dict[str, dict[str, int | str]] = {
    "noughts": {},
    "connect4": {"columns": 4, "rows": 4},
    "glenda": {"walls": "12"},
    "dots": {"width": 3, "height": 3, "players": 3},
}
CAPS = (Cap.NONE, Cap.DRAW | Cap.REMATCH, Cap.ALL)
OFFERS = tuple(Offer(what, yes) for what in ("draw", "takeback") for yes in (True, False))


class Tables(RuleBasedStateMachine):
    """One table in mid-game, its players, a spectator and passers-by."""

    @initialize(game=st.sampled_from(sorted(GAME_OPTIONS)), seed=st.integers(0, 10_000), caps=st.sampled_from(CAPS))
    def sit_down_and_play_a_while(self, game: str, seed: int, caps: Cap) -> None:
        dice = Random(seed)
        self.hub, self.log = open_hub(seed)
        leaving = dice.choice(list(Leaving))
        clock = dice.choice((0.0, 30.0)) if Cap.CLOCK in caps else 0.0
        host = Person(self.hub, "host", caps)
        host.do(
            Open(game, GAME_OPTIONS[game], policy=Policy(leaving=leaving, clock=clock, first=dice.choice(tuple(First))))
        )
        assert host.table is not None
        self.table = host.table
        self.people = [host]
        while self.table.free_chair() is not None:
            self.people.append(Person(self.hub, f"guest{len(self.people)}", caps).do(Sit(self.table.id)))
        self.people += [Person(self.hub, "watcher").do(Watch(self.table.id)), Person(self.hub, "passer-by", caps)]
        for _ in range(dice.randrange(12)):
            position = self.table.position
            if not self.table.running or position is None:
                break
            self.people[position.turn].do(Play(dice.choice(position.legal())))

    def _do(self, number: int, command: Command) -> None:
        who = self.people[number % len(self.people)]
        before = {table_no: len(records) for table_no, records in self.log.records.items()}
        state = state_of(self.table)
        who.heard.clear()
        who.do(command)
        if who.refusal():
            assert {table_no: len(records) for table_no, records in self.log.records.items()} == before
            assert state_of(self.table) == state

    @rule(choice=st.integers(0, 1000))
    @precondition(lambda self: self.table.running)
    def play_a_legal_move(self, choice: int) -> None:
        position = self.table.position
        assert position is not None
        seat = self.table.seats[position.turn]
        if seat is not None and seat.who is not None:
            legal = position.legal()
            self.hub.submit(seat.who, Play(legal[choice % len(legal)]))

    @rule(number=st.integers(0, 5), offer=st.sampled_from(OFFERS))
    @precondition(lambda self: self.table.running)
    def offer(self, number: int, offer: Offer) -> None:
        self._do(number, offer)

    @rule(choice=st.integers(0, 1000), what=st.sampled_from(("draw", "takeback")))
    @precondition(lambda self: self.table.running)
    def agree(self, choice: int, what: str) -> None:
        """One offers and the other says yes: a game is over, or some moves shorter."""
        before, by = list(self.table.moves), bytes(self.table.by)
        asker = choice % 2
        self._do(asker, Offer(what))
        self._do(1 - asker, Offer(what))
        table = self.table
        if table.running and len(table.moves) < len(before):
            assert table.moves == before[: len(table.moves)]
            mover = by[len(table.moves)]
            assert mover not in by[len(table.moves) + 1 :]
            assert table.position is not None
            assert table.position.turn == mover

    @rule(
        number=st.integers(0, 5),
        command=st.sampled_from(
            (
                Resign(),
                Ready(),
                Ready(False),
                Vote(True),
                Vote(False),
                Propose("rematch"),
                Propose("shuffle", ("now",)),
                Say("hello"),
                Play("nonsense"),
                Play("0"),
                Play("a1", "mark"),
                Play("p 5 5"),
                Play("h 9 9"),
            )
        ),
    )
    def say_anything(self, number: int, command: Command) -> None:
        self._do(number, command)

    @rule(number=st.integers(0, 5), vanish=st.booleans())
    def go(self, number: int, vanish: bool) -> None:
        self._do(number, Vanish() if vanish else Leave())

    @rule(number=st.integers(0, 5), how=st.integers(0, 3))
    def come(self, number: int, how: int) -> None:
        who = self.people[number % len(self.people)]
        token = who.token if who.seats else "guess"
        commands = (
            Sit(self.table.id),
            Watch(self.table.id),
            Resume(self.table.id, token),
            Seek("noughts", {}, opponent="engine"),
        )
        self._do(number, commands[how])

    @rule(seconds=st.sampled_from((0.1, 5.0, 29.0, 61.0)))
    def time_passes(self, seconds: float) -> None:
        self.hub.tick(self.hub.at + seconds)

    @invariant()
    def the_log_tells_the_same_story(self) -> None:
        assert state_of(folded(self.table, self.log.records[self.table.no])) == state_of(self.table)

    @invariant()
    def records_are_numbered_without_gaps_and_heard_in_order(self) -> None:
        for records in self.log.records.values():
            assert [record.seq for record in records] == list(range(1, len(records) + 1))
        for who in self.people:
            heard = [told for told in who.heard if isinstance(told, Record)]
            assert all(a.at <= b.at for a, b in pairwise(heard))

    @invariant()
    def the_table_is_at_rest_and_in_a_sane_state(self) -> None:
        table = self.table
        assert table.status is Status.CLOSED or next(settle(table, self.hub), None) is None
        assert (table.id in self.hub.tables) == (table.status is not Status.CLOSED)
        if table.running:
            assert table.position is not None
            assert table.position.turn != NOBODY
        for who in self.people:
            if who.table is not None:
                assert who in who.table.present()
        assert len(set(map(id, table.present()))) == len(table.present())


TestTables = Tables.TestCase
TestTables.settings = settings(max_examples=120, stateful_step_count=25)
