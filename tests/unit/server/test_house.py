"""Nothing that is not in the log leaves the house; and what happens when the log fails."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.errors import LocalError, Refusal
from parlour.core.standings import Tally
from parlour.core.words import Closed, Finished, Played, Reason, Record, Resign, Seek, Started
from parlour.protocols.glendy.codec import hello
from parlour.server.fanout import SLICE
from parlour.server.limits import LOG_RETRY_SECONDS
from tests.unit.core.people import Person
from tests.unit.server.pairs import PAIRS, Pair, glendy_pair
from tests.world import FakeStore, Wire, World

FULL = LocalError("the disk is full")
DOWN = b"DIE The server cannot save games right now, so play is paused.\n"
every_wire = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.wire)


def fail(world: World) -> None:
    """The commit in flight fails, and so does every further one."""
    world.store.failure = FULL
    world.store.let_through()
    world.run()


def recover(world: World) -> None:
    world.store.failure = None
    world.store.hold = False
    while world.store.waiting:
        world.store.let_through()
    world.run()


# --- the barrier -----------------------------------------------------------------------------------------------------


@every_wire
def test_move_is_told_only_once_it_is_in_the_log(pair: Pair) -> None:
    world = World()
    mover, other = pair.seat(world)
    world.store.hold = True
    mover.send(pair.move)
    world.advance(1)
    assert (mover.take(), other.take()) == (b"", b"")
    world.store.let_through()
    assert other.take().startswith(pair.told)


def test_refusal_after_a_pipelined_move_waits_with_it() -> None:
    world = World()
    trapper, _ = glendy_pair(world)
    world.store.hold = True
    trapper.send(b"p 0 0\np 1 1\n")
    assert trapper.take() == b""
    world.store.let_through()
    assert trapper.take_writes() == [b"SYNC 1 0 0\nWAIT\nERR WAIT\n"]


def test_refusal_that_follows_from_a_move_in_flight_waits_for_its_commit() -> None:
    world = World()
    trapper, _ = glendy_pair(world)
    world.store.hold = True
    trapper.send(b"p 0 0\n")
    trapper.send(b"p 1 1\n")
    assert trapper.take() == b""
    world.store.let_through()
    assert trapper.take_writes() == [b"SYNC 1 0 0\nWAIT\n", b"ERR WAIT\n"]


@every_wire
def test_beginning_of_a_game_is_told_only_once_it_is_in_the_log(pair: Pair) -> None:
    world = World()
    world.store.hold = True
    wires = [world.connect(pair.wire, opponent="human").send(pair.greeting) for _ in range(2)]
    if pair.wire == "glendy":  # the second one wants the same seat, so a third has to come
        wires.append(world.connect("glendy").send(hello("gina", 1)))
    before = [wire.take() for wire in wires]
    assert len(world.store.waiting) == 1
    assert not any(word in said for said in before for word in (b"INIT", b"BOARD", b"1", b"2"))
    world.store.let_through()
    after = [wire.take() for wire in wires]
    assert sum(said != b"" for said in after) == (1 if pair.wire == "c4n" else 2)


def test_next_batch_gathers_while_one_is_written() -> None:
    world = World()
    pairs = [glendy_pair(world) for _ in range(3)]
    world.store.hold = True
    for trapper, _ in pairs:
        trapper.send(b"p 0 0\n")
    assert [len(batch.rows) for batch, _ in world.store.waiting] == [1]
    world.store.let_through()
    assert [len(batch.rows) for batch, _ in world.store.waiting] == [2]
    assert [trapper.take() for trapper, _ in pairs] == [b"SYNC 1 0 0\nWAIT\n", b"", b""]
    world.store.let_through()
    assert [trapper.take() for trapper, _ in pairs] == [b"", *[b"SYNC 1 0 0\nWAIT\n"] * 2]
    assert not world.store.waiting


LINES = st.sampled_from(
    [b"p 0 0\n", b"p 1 1\n", b"p 2 9\n", b"p 10 1\n", b"p 0 0\np 3 3\n", b"m E\n", b"m W\n", b"m NE\nm SW\n", b"x\n"]
)
ACTIONS = st.lists(st.tuples(st.integers(0, 3), LINES | st.just(b"")), max_size=40)
"""Who says what; nothing at all lets the commit in flight through."""


def test_move_that_comes_one_look_later_goes_into_the_same_commit() -> None:
    world = World()
    pairs = [glendy_pair(world) for _ in range(2)]
    commits = world.house.counts["commits"]
    pairs[0][0].link.data_received(b"p 0 0\n")
    world.soon.popleft()()  # this look brings the first move, the next one nothing
    world.soon.popleft()()
    pairs[1][0].link.data_received(b"p 0 0\n")
    world.run()
    assert world.house.counts["commits"] == commits + 1


def test_move_that_makes_enough_goes_out_with_those_before_it_and_without_those_behind_it() -> None:
    world = World()
    pairs = [glendy_pair(world) for _ in range(3)]
    world.house.enough = 3  # four connections have something to send after the second move
    for trapper, _ in pairs:
        trapper.link.data_received(b"p 0 0\n")
    assert [trapper.take() for trapper, _ in pairs] == [*[b"SYNC 1 0 0\nWAIT\n"] * 2, b""]
    world.run()
    assert [glenda.take() for _, glenda in pairs] == [b"SYNC 1 0 0\nTURN\n"] * 3


def test_log_that_waits_is_given_all_of_a_wake_up_at_once() -> None:
    store = FakeStore()
    store.waits = True
    world = World(store=store)
    pairs = [glendy_pair(world) for _ in range(SLICE)]
    commits = world.house.counts["commits"]
    for trapper, _ in pairs:
        trapper.link.data_received(b"p 0 0\n")
    world.run()
    assert world.house.counts["commits"] == commits + 1


@given(ACTIONS)
def test_when_commits_happen_changes_nothing_about_what_anyone_hears(actions: list[tuple[int, bytes]]) -> None:
    heard = []
    for hold in (False, True):
        world = World()
        wires = [*glendy_pair(world), *glendy_pair(world)]
        world.store.hold = hold
        for number, said in actions:
            if said:
                wires[number].send(said)
            elif world.store.waiting:
                world.store.let_through()
        recover(world)
        heard.append([wire.take() for wire in wires])
    assert heard[0] == heard[1]


# --- a commit that fails ---------------------------------------------------------------------------------------------


@every_wire
def test_players_of_a_lost_move_hear_why_and_nothing_of_the_move(pair: Pair) -> None:
    world = World()
    mover, other = pair.seat(world)
    world.store.hold = True
    mover.send(pair.move)
    fail(world)
    world.advance(0.5)
    assert (mover.take(), other.take()) == (pair.log_down, pair.log_down)
    assert (mover.closed, other.closed) == (True, True)
    assert world.complaints == ["the disk is full; tables closed: 1"]
    assert not world.tables


@every_wire
def test_other_tables_go_on(pair: Pair) -> None:
    world = World()
    lost, _ = pair.seat(world)
    mover, other = pair.seat(world)
    world.store.hold = True
    lost.send(pair.move)
    fail(world)
    recover(world)
    mover.send(pair.move)
    assert other.take().startswith(pair.told)
    assert not other.closed


def test_what_has_gathered_for_other_tables_is_not_lost() -> None:
    world = World()
    (lost, _), (trapper, glenda) = glendy_pair(world), glendy_pair(world)
    world.store.hold = True
    lost.send(b"p 0 0\n")
    trapper.send(b"p 0 0\n")
    fail(world)
    assert lost.take() == b""
    recover(world)
    assert lost.take() == DOWN
    assert (trapper.take(), glenda.take()) == (b"SYNC 1 0 0\nWAIT\n", b"SYNC 1 0 0\nTURN\n")


def test_what_was_decided_on_lost_state_is_dropped() -> None:
    world = World()
    trapper, glenda = glendy_pair(world)
    world.store.hold = True
    trapper.send(b"p 0 0\n")
    glenda.send(b"m E\n")
    glenda.send(b"m E\n")
    fail(world)
    recover(world)
    assert (trapper.take(), glenda.take()) == (DOWN, DOWN)
    assert not any(isinstance(record.event, Played) for _, record in world.store.log)


def test_verdict_that_was_lost_is_unsaid() -> None:
    """Both sessions had said their last word; now they have another one."""
    world = World()
    trapper, glenda = glendy_pair(world)
    for step in range(4):
        trapper.send(b"p 0 %d\n" % step)
        glenda.send(b"m E\n")
    trapper.send(b"p 0 4\n")
    trapper.take()
    glenda.take()
    world.store.hold = True
    glenda.send(b"m E\n")
    fail(world)
    assert (trapper.take(), glenda.take()) == (DOWN, DOWN)
    assert (trapper.closed, glenda.closed) == (True, True)


def test_whoever_quit_in_the_lost_batch_hears_nothing_of_it_either() -> None:
    world = World()
    trapper, glenda = glendy_pair(world)
    world.store.hold = True
    trapper.send(b"p 0 0\nq\n")
    fail(world)
    assert trapper.take() == b""
    assert trapper.closed
    assert (glenda.take(), glenda.closed) == (DOWN, True)


def test_words_about_one_failure_survive_the_next() -> None:
    """The first table's people are told in the batch of the second table, which fails as well."""
    world = World()
    first, second = glendy_pair(world), glendy_pair(world)
    world.store.hold = True
    first[0].send(b"p 0 0\n")
    second[0].send(b"p 0 0\n")
    fail(world)
    fail(world)
    assert [wire.take() for wire in (*first, *second)] == [DOWN] * 4
    assert all(wire.closed for wire in (*first, *second))


def test_connection_that_only_arrived_meanwhile_is_answered_as_usual() -> None:
    world = World()
    trapper, _ = glendy_pair(world)
    world.store.hold = True
    trapper.send(b"p 0 0\n")
    waiting = world.connect("glendy").send(hello("hugo", 1))
    fail(world)
    assert waiting.take() == b"WAIT\nUGUD\n"
    assert not waiting.closed


@every_wire
def test_pair_whose_beginning_is_lost_is_told(pair: Pair) -> None:
    world = World()
    first = world.connect(pair.wire, opponent="human").send(pair.greeting)
    first.take()
    world.store.hold = True
    greeting = hello("gina", 1) if pair.wire == "glendy" else pair.greeting
    second = world.connect(pair.wire, opponent="human").send(greeting)
    second.take()
    fail(world)
    world.advance(0.5)
    assert (first.take(), second.take()) == (pair.log_down, pair.log_down)
    assert (first.closed, second.closed) == (True, True)


@every_wire
def test_no_game_begins_until_the_log_can_be_written_again(pair: Pair) -> None:
    world = World()
    mover, _ = pair.seat(world)
    world.store.hold = True
    mover.send(pair.move)
    fail(world)
    world.advance(3)
    refused = world.connect(pair.wire, opponent="engine").send(pair.greeting)
    assert refused.closed
    assert refused.take() in (pair.log_down, pair.greeting and _host_name(pair))
    world.store.failure, world.store.hold = None, False
    world.advance(1.5)
    assert world.complaints == ["the disk is full; tables closed: 1", "the log can be written again"]
    mover, other = pair.seat(world)
    mover.send(pair.move)
    assert other.take().startswith(pair.told)


def _host_name(pair: Pair) -> bytes:
    """A netToe host says its name before it knows what the client wants."""
    return b"Parlour".ljust(32, b"\0") if pair.wire == "nettoe" else pair.log_down


def test_person_who_waits_is_still_in_the_queue_when_the_log_is_back() -> None:
    world = World()
    trapper, _ = glendy_pair(world)
    waiting = world.connect("glendy", walls="none", wait="2").send(hello("hugo", 1) + b"y\n")
    waiting.take()
    world.store.hold = True
    trapper.send(b"p 0 0\n")
    fail(world)
    world.advance(4)
    assert waiting.take() == b""
    recover(world)
    world.advance(3)
    assert waiting.take().startswith(b"CONN 1 Parlour\n")


@every_wire
def test_tables_closed_by_a_failure_end_as_abandoned_in_the_log(pair: Pair) -> None:
    world = World()
    mover, _ = pair.seat(world)
    world.store.hold = True
    mover.send(pair.move)
    fail(world)
    recover(world)
    world.advance(2)
    events = [record.event for _, record in world.store.log]
    assert not any(isinstance(event, Played) for event in events)
    assert isinstance(events[-1], Closed)
    assert [event.reason for event in events if isinstance(event, Finished)] == [Reason.ABANDONED]
    assert [record.seq for _, record in world.store.log] == list(range(1, len(events) + 1))


def test_game_whose_end_is_lost_counts_for_nobody() -> None:
    world = World()
    before = ("noughts", "Ann", Tally(wins=5))
    world.store.counted = [before]
    world.house.count()
    people = [Person(world.hub, name) for name in ("Ann", "Ben")]
    for person in people:
        person.account = person.name
        world.house.enter(partial(world.hub.submit, person, Seek("noughts", {})))
        world.run()
    world.store.hold = True
    world.house.enter(partial(world.hub.submit, people[0], Resign()))
    world.run()
    assert world.hub.standings.of("noughts", "Ben") == Tally(wins=1)
    fail(world)
    recover(world)
    world.advance(LOG_RETRY_SECONDS + 1)
    assert world.hub.refusing is None
    assert world.hub.standings.ranking("noughts") == [before[1:]]


def test_failures_in_a_row_lead_to_one_recovery() -> None:
    world = World()
    pairs = [glendy_pair(world) for _ in range(3)]
    world.store.hold = True
    for trapper, _ in pairs:
        trapper.send(b"p 0 0\n")
        fail(world)
    assert len(world.complaints) == 3
    recover(world)
    world.advance(5)
    assert world.complaints[3:] == ["the log can be written again"]
    assert sum(isinstance(record.event, Finished) for _, record in world.store.log) == 3


def test_log_that_cannot_be_read_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    trapper, _ = glendy_pair(world)
    world.store.hold = True
    trapper.send(b"p 0 0\n")
    fail(world)
    recover(world)

    def unreadable() -> None:
        raise LocalError("no file")

    with monkeypatch.context() as patch:
        patch.setattr(world.store, "unfinished", unreadable)
        world.advance(3)
        assert world.hub.refusing is Refusal.LOG_DOWN
    world.advance(2)
    assert world.hub.refusing is None
    assert isinstance(world.store.log[-1][1].event, Closed)


def test_a_stop_during_a_failure_stays_a_stop() -> None:
    world = World()
    trapper, _ = glendy_pair(world)
    world.store.hold = True
    trapper.send(b"p 0 0\n")
    fail(world)
    world.house.enter(world.hub.drain)
    recover(world)
    world.advance(2)
    assert world.hub.refusing is Refusal.DRAINING


# --- whatever happens, in any order ----------------------------------------------------------------------------------

COMMIT, FAIL, WORK_AGAIN, LATER, ARRIVE = "commit", "fail", "work again", "later", "arrive"
STEPS = st.lists(
    st.sampled_from([COMMIT, COMMIT, FAIL, WORK_AGAIN, LATER, ARRIVE])
    | st.tuples(st.integers(0, 5), LINES | st.sampled_from([b"q\n", b"p 4 9\nq\n", b"m SE\nq\n", b"EOF", b"RESET"])),
    max_size=50,
)


@given(STEPS, st.sampled_from([0, 2, SLICE]))
def test_nobody_ever_hears_of_a_move_that_is_not_in_the_log(steps: list[str | tuple[int, bytes]], enough: int) -> None:
    world = World()
    world.house.enough = enough
    wires = [*glendy_pair(world), *glendy_pair(world)]
    tables = {wire: table_of(wire) for wire in wires}
    said: dict[Wire, bytes] = {}
    world.store.hold = True
    for step in steps:
        match step:
            case (int(number), bytes(data)) if number < len(wires):
                speak(wires[number], data)
            case "commit" | "fail" if world.store.waiting:
                world.store.failure = FULL if step == FAIL else None
                world.store.let_through()
            case "work again":
                world.store.failure = None
            case "later":
                world.advance(1.1)
            case "arrive" if len(wires) < 6:
                wires.append(world.connect("glendy", walls="none").send(hello("late", len(wires) % 2)))
        world.run()
        for wire in wires:
            if table := table_of(wire):
                tables[wire] = table
            said[wire] = said.get(wire, b"") + wire.take()
            assert moves_heard(said[wire]) == moves_logged(world, tables.get(wire, 0))[: len(moves_heard(said[wire]))]
    recover(world)
    world.advance(3)
    assert_log_is_whole(world)


def speak(wire: Wire, data: bytes) -> None:
    if wire.closed:
        return
    match data:
        case b"EOF":
            wire.end_of_file()
        case b"RESET":
            wire.reset()
        case _:
            wire.send(data)


def table_of(wire: Wire) -> int:
    who = wire.link.participant
    return who.table.no if who is not None and who.table is not None else 0


def moves_heard(said: bytes) -> list[str]:
    """Arguments of the moves somebody was told, in order."""
    return [line.split(" ", 2)[2] for line in said.decode().splitlines() if line.startswith("SYNC")]


def moves_logged(world: World, number: int) -> list[str]:
    return [record.event.move[2:] for no, record in world.store.log if no == number and type(record.event) is Played]


def assert_log_is_whole(world: World) -> None:
    """No holes, and whatever is not at a table any more has an end."""
    by_table: dict[int, list[Record]] = {}
    for number, record in world.store.log:
        by_table.setdefault(number, []).append(record)
    alive = {table.no for table in world.tables}
    for number, records in by_table.items():
        assert [record.seq for record in records] == list(range(1, len(records) + 1))
        ended = isinstance(records[-1].event, Closed)
        assert ended != (number in alive)
        started = sum(isinstance(record.event, Started) for record in records)
        finished = sum(isinstance(record.event, Finished) for record in records)
        assert finished == started or number in alive
