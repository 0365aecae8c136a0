"""The barrier between deciding and telling: nothing before its record is in the log, nothing twice, nothing lost."""

from collections.abc import Callable
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.errors import LocalError
from parlour.core.session import Output
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Evicted, Update
from parlour.core.words import Joined, Policy, Proposed, Record
from parlour.protocols.c4n import codec as c4n
from parlour.server.link import Link
from tests.world import FakeTransport, World

FULL = LocalError("the disk is full")
EVICTED = "evicted"


class Ear:
    """A connection without a wire: notes what reaches it, in order."""

    def __init__(self, world: World, table: Table, seat: int) -> None:
        self.world = world
        self.table = table
        self.transport = FakeTransport()
        self.participant = Participant(self.tell, f"ear {seat}", "test")
        self.waits = 0
        self.queue = None
        self.left_table = None
        self.said: list[str] = []
        """Everything that was meant for this connection, whether it arrives or not."""
        world.house.links.add(self.link)
        world.hub.happen(table, Joined(seat, self.participant.name, "test", member=seat + 1))
        table.attach(self.participant, table.seats[seat])

    @property
    def link(self) -> Link:
        return cast(Link, self)

    @property
    def heard(self) -> list[str]:
        return b"".join(self.transport.writes).decode().split()

    def tell(self, told: Update) -> None:
        match told:
            case Record(seq=seq):
                self.say(f"{self.table.no}:{seq}")
            case Evicted():
                self.say(EVICTED)
            case _:
                raise AssertionError(told)

    def say(self, word: str) -> None:
        self.said.append(word)
        self.world.house.post(self.link, f"{word} ".encode())

    def unsay(self) -> None:
        """As a link: what this session said last may be void."""

    def release(self, items: list[Output]) -> None:
        for item in items:
            assert isinstance(item, bytes)
            self.transport.write(item)


class Hall:
    """Two tables with two connections each, and one table with nobody to tell."""

    def __init__(self) -> None:
        self.world = World()
        self.tables = [self.world.hub.open("noughts", {}, Policy()) for _ in range(3)]
        self.ears = [Ear(self.world, table, seat) for table in self.tables[:2] for seat in (0, 1)]
        self.world.house.wake()
        self.world.run()
        self.world.store.hold = True

    def record(self, table: Table) -> None:
        """Something happens at a table; at the last one nobody hears of it."""
        if self.world.hub.is_live(table):
            self._enter(lambda: self.world.hub.happen(table, Proposed("tea", ())))

    def say(self, ear: Ear, word: str) -> None:
        """Something is said that needs no record of its own."""
        self._enter(lambda: ear.say(word))

    def end_commit(self, error: LocalError | None) -> None:
        self.world.store.failure = error
        if self.world.store.waiting:
            self.world.store.let_through()
        self.world.run()

    def settle(self) -> None:
        while self.world.store.waiting:
            self.end_commit(None)

    def in_log(self, word: str) -> bool:
        number, seq = map(int, word.split(":"))
        return any(no == number and record.seq == seq for no, record in self.world.store.log)

    def _enter(self, action: Callable[[], None]) -> None:
        self.world.house.enter(action)
        self.world.run()


# --- records, nothing held, something said meanwhile ------------------------------------------------------------------


@pytest.mark.parametrize("error", [None, FULL], ids=["commit succeeds", "commit fails"])
def test_what_is_said_while_a_silent_batch_is_written_waits_and_goes_out_once(error: LocalError | None) -> None:
    hall = Hall()
    before = list(hall.ears[0].heard)
    hall.record(hall.tables[2])  # a batch with nobody to tell
    hall.record(hall.tables[0])
    hall.say(hall.ears[0], "chat")
    assert hall.ears[0].heard == before
    hall.end_commit(error)
    assert hall.ears[0].heard == before, "told with the commit of another batch"
    hall.settle()
    assert hall.ears[0].heard == hall.ears[0].said


def test_nothing_of_a_failed_batch_is_told_after_a_silent_one() -> None:
    hall = Hall()
    hall.record(hall.tables[2])
    hall.record(hall.tables[0])
    lost = hall.ears[0].said[-1]
    hall.end_commit(None)
    hall.end_commit(FULL)
    hall.settle()
    assert lost not in hall.ears[0].heard
    assert hall.ears[0].heard[-1] == EVICTED


def test_engine_answers_while_the_move_before_it_is_written_and_is_told_once() -> None:
    """A ConnectI4n player's MOVE tells nobody anything: their board waits for the engine's answer."""
    world = World()
    player = world.connect("c4n").send(c4n.START)
    player.take()
    answers: list[Callable[[], None]] = []
    submit = world.engines.submit
    world.engines.submit = lambda who, command: answers.append(lambda: submit(who, command))
    world.store.hold = True
    player.send(c4n.move(3))
    assert len(answers) == 1
    world.house.enter(answers.pop())
    world.run()
    assert player.take() == b""
    world.store.let_through()
    assert player.take() == b""
    world.store.let_through()
    assert player.take().count(b"BOARD") == 2
    world.advance(5)
    assert player.take() == b""


# --- in any order -----------------------------------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(st.just("record"), st.integers(0, 2))
    | st.tuples(st.just("say"), st.integers(0, 3))
    | st.tuples(st.sampled_from(["commit", "commit", "fail"]), st.just(0)),
    max_size=60,
)


@given(STEPS)
def test_nothing_early_nothing_twice_nothing_lost_and_in_order(steps: list[tuple[str, int]]) -> None:
    hall = Hall()
    for count, (what, number) in enumerate(steps):
        match what:
            case "record":
                hall.record(hall.tables[number])
            case "say":
                hall.say(hall.ears[number], f"chat{count}")
            case _:
                hall.end_commit(FULL if what == "fail" else None)
        for ear in hall.ears:
            assert all(hall.in_log(word) for word in ear.heard if ":" in word)
            assert is_subsequence(ear.heard, ear.said)
    hall.settle()
    for ear in hall.ears:
        if EVICTED in ear.said:  # what was decided on lost records is void, and only that
            assert ear.heard.count(EVICTED) == 1
            assert ear.heard[ear.heard.index(EVICTED) :] == ear.said[ear.said.index(EVICTED) :]
        else:
            assert ear.heard == ear.said


def is_subsequence(few: list[str], many: list[str]) -> bool:
    rest = iter(many)
    return all(word in rest for word in few)
