"""What lets a table live in another process: adoption, a fence in the log, and commands that can be sent."""

import pytest

from parlour.core.errors import LocalError, Refusal, Refused
from parlour.core.house.hub import ATTACHING
from parlour.core.table.people import Participant
from parlour.core.updates import Update
from parlour.core.words import Cap, Held, Interrupted, Left, Play, Played, Policy, Record, Resumed, Seek, Started
from parlour.protocols.glendy.codec import hello
from parlour.server.limits import LOG_RETRY_SECONDS
from parlour.store.base import Fenced
from tests.world import START, Wire, World


def glendy_pair(world: World) -> tuple[Wire, Wire]:
    wires = [world.connect("glendy", walls="none").send(hello(nick, side)) for nick, side in (("a", 0), ("b", 1))]
    for wire in wires:
        wire.take()
    return wires[0], wires[1]


def successor(world: World) -> tuple[World, list[Update]]:
    """Another server that goes on with the tables of this one; and what a connection hears that it attaches."""
    other = World()
    other.now = world.now
    other.house.connect(other.hub)
    for number, records in world.store.unfinished():
        other.house.wake()
        other.hub.adopt(number, records)
    other.run()
    return other, []


def events(world: World) -> list[object]:
    return [record.event for _, record in world.store.log]


def test_adopted_table_waits_a_moment_for_its_people_before_they_have_gone() -> None:
    world = World()
    glendy_pair(world)
    other, told = successor(world)
    assert not [event for event in events(other) if isinstance(event, Left)]
    (table,) = other.tables
    trapper = Participant(told.append, wire="glendy")
    other.hub.attach(trapper, table, 1)
    other.house.enter(lambda: other.hub.go_on([trapper]))
    other.advance(ATTACHING / 2)
    other.house.submit(trapper, Play("p 0 0"))
    other.run()
    assert any(isinstance(record, Record) and isinstance(record.event, Played) for record in told)
    other.advance(ATTACHING)
    assert [event.seat for event in events(other) if isinstance(event, Left)] == [1], "the other one did not come"


def test_member_is_attached_once_and_not_after_having_gone() -> None:
    world = World()
    glendy_pair(world)
    other, told = successor(world)
    (table,) = other.tables
    other.hub.attach(Participant(told.append), table, 1)
    with pytest.raises(Refused) as refused:
        other.hub.attach(Participant(told.append), table, 1)
    assert refused.value.why is Refusal.SEAT_TAKEN
    with pytest.raises(Refused) as refused:
        other.hub.attach(Participant(told.append), table, 7)
    assert refused.value.why is Refusal.SEAT_GIVEN_UP


def test_clock_of_an_adopted_table_is_forgiven_and_goes_on_with_its_player() -> None:
    world = World()
    people = [Participant(lambda _: None, name, "web", Cap.ALL) for name in ("ann", "bob")]
    for who in people:
        world.house.submit(who, Seek("noughts", {}, policy=Policy(clock=60.0)))
    world.house.wake()
    world.run()
    world.now += 50.0
    other, told = successor(world)
    (table,) = other.tables
    assert table.clock is not None
    assert table.clock.running is None
    assert min(table.clock.left) == 60.0
    assert isinstance(events(other)[0], Interrupted)
    assert table.position is not None
    seat = table.seats[table.position.turn]
    assert seat is not None
    back = Participant(told.append)
    other.hub.attach(back, table, seat.id)
    other.house.enter(lambda: other.hub.go_on([back]))
    other.run()
    assert isinstance(events(other)[1], Resumed)
    assert table.clock.running == table.position.turn
    other.advance(ATTACHING + 1)
    assert [type(event) for event in events(other)].count(Held) == 1, "the other one can come back"


def test_fence_voids_what_was_decided_and_says_nothing_of_it() -> None:
    world = World()
    trapper, glenda = glendy_pair(world)
    bystander, _ = glendy_pair(world)
    world.store.hold = True
    trapper.send(b"p 0 0\n")
    world.store.failure = Fenced("the log has another writer")
    world.store.let_through()
    world.run()
    assert b"SYNC" not in trapper.take()
    assert b"SYNC" not in glenda.take()
    assert not world.tables, "they live elsewhere now"
    assert not [record for _, record in world.store.log if isinstance(record.event, Played)]
    assert bystander.take().startswith(b"DIE"), "a server that knows of no other tells so"


def test_fence_keeps_the_connections_that_heard_nothing_of_the_void() -> None:
    world = World()
    kept: list[Participant] = []
    world.house.bereft = lambda people: kept.extend(who for present in people.values() for who in present)  # type: ignore[method-assign]
    trapper, glenda = glendy_pair(world)
    other = glendy_pair(world)
    world.store.hold = True
    trapper.send(b"p 0 0\n")
    world.store.failure = Fenced("the log has another writer")
    world.store.let_through()
    world.run()
    assert trapper.closed
    assert glenda.closed
    assert not any(wire.closed or wire.take() for wire in other)
    assert {wire.link.participant for wire in other} == set(kept)
    assert all(who.table is None for who in kept)


def test_fence_that_is_found_while_the_log_is_tried_again_ends_all_tables_there() -> None:
    world = World()
    trapper, _ = glendy_pair(world)
    bystanders = glendy_pair(world)
    world.store.failure = LocalError("the disk is full")
    trapper.send(b"p 0 0\n")
    assert trapper.closed
    assert len(world.tables) == 1
    world.store.failure = Fenced("the log has another writer", frozenset({0}))
    world.advance(LOG_RETRY_SECONDS + 1)
    assert not world.tables, "they live elsewhere now"
    assert all(wire.closed for wire in bystanders)
    world.store.failure = None
    world.advance(LOG_RETRY_SECONDS + 1)
    assert world.hub.refusing is None


def test_successor_knows_every_game_from_the_log_alone() -> None:
    world = World()
    trapper, _ = glendy_pair(world)
    trapper.send(b"p 0 0\n")
    other, _ = successor(world)
    (before,), (after,) = world.tables, other.tables
    assert after.moves == before.moves == ["p 0 0"]
    assert after.seq == before.seq
    assert world.now == START
    assert any(isinstance(record.event, Started) for record in after.ring)
