"""A server that stood still, by a signal or a suspended machine: that time is nobody's."""

import pytest

from parlour.server import limits
from tests.browsers import Browser
from tests.unit.server.test_turns import step
from tests.world import World

LONG = 45.0


def timed(world: World, clock: int = 30) -> tuple[Browser, Browser]:
    """Two at a table with a clock; the first is to move."""
    ann = Browser(world, "Ann").open("noughts", "invite", clock=clock)
    bob = Browser(world, "Bob").sit(ann.table)
    world.advance(1)
    return ann, bob


def stand_still(world: World, seconds: float = LONG) -> None:
    world.now += seconds


def left(browser: Browser) -> list[float]:
    clock = browser.answer("show", table=browser.table)[-1]["state"]["clock"]
    times: list[float] = clock["left"]
    times[clock["running"]] -= clock["at"] - clock["since"]
    return times


def send_move(browser: Browser, move: str) -> None:
    """It is in the socket, and the loop has not gone on."""
    words = b'{"type":"play","table":"%s","move":"%s","id":"1"}\n' % (browser.table.encode(), move.encode())
    browser.wire.link.data_received(words)


@pytest.mark.parametrize("tick_first", [True, False])
def test_move_that_arrived_meanwhile_is_played(tick_first: bool) -> None:
    world = World()
    ann, bob = timed(world)
    stand_still(world)
    if tick_first:
        world.house.tick()
    send_move(ann, "b2")
    world.house.tick()
    world.run()
    assert bob.moves == ["b2"]
    assert "flagged" not in bob.events()
    assert left(bob) == [pytest.approx(29, abs=0.2), pytest.approx(30, abs=0.2)]


def test_time_of_a_player_who_thinks_goes_on_from_where_it_was() -> None:
    world = World()
    ann, bob = timed(world)
    stand_still(world)
    world.advance(0.1)
    assert left(ann)[0] == pytest.approx(28.9, abs=0.2)
    world.advance(20)
    assert "flagged" not in bob.events()
    world.advance(10)
    assert "flagged" in bob.events()


def test_players_with_clocks_are_told_and_pages_ask_for_the_right_time() -> None:
    world = World()
    ann, _ = timed(world)
    other = Browser(world, "Cyd").open("noughts")
    stand_still(world)
    world.advance(0.1)
    note = ann.last("note")
    assert (note["word"], note["fields"]) == ("stood-still", {"count": 45})
    assert other.all("note") == []
    assert world.house.counts["stalls"] == 1


def test_seat_of_an_absent_player_is_held_for_as_long_as_the_others_see() -> None:
    world = World()
    ann = Browser(world, "Ann").open("noughts", "invite")
    bob = Browser(world, "Bob").sit(ann.table)
    bob.wire.reset()
    world.advance(30)
    stand_still(world, 1000)
    world.advance(20)
    bob.back()
    assert ann.events()[-2:] == ["held", "resumed"]


def test_deadline_of_a_wire_is_put_off() -> None:
    world = World()
    world.advance(1)
    silent = Browser(world, hello=False)
    stand_still(world, 1000)
    world.advance(1)
    assert not silent.wire.closed
    world.advance(30)
    assert silent.wire.closed


def test_short_delay_is_no_stall() -> None:
    world = World()
    ann, _ = timed(world)
    for _ in range(10):
        stand_still(world, limits.STALL_SECONDS * 0.9)
        world.advance(0.05)
    assert world.house.counts["stalls"] == 0
    assert left(ann)[0] == pytest.approx(29 - 9.5, abs=0.3)


def test_what_has_arrived_is_read_before_a_flag_falls() -> None:
    """The loop is late by less than a stall; between its look at the time and the flag it looks at the sockets."""
    world = World()
    ann, bob = timed(world)
    world.advance(28.5)
    stand_still(world, 0.9)
    world.house.tick()
    world.soon.popleft()()
    send_move(ann, "b2")
    step(world, lambda: not world.soon)
    assert bob.moves == ["b2"]
    assert "flagged" not in bob.events()


def test_host_is_told_of_long_stalls_only() -> None:
    world = World()
    world.advance(1)
    stand_still(world, limits.LONG_STALL_SECONDS / 2)
    world.advance(1)
    assert (world.complaints, world.house.counts["stalls"]) == ([], 1)
    stand_still(world, LONG)
    world.advance(1)
    assert "stood still for 45" in world.complaints[0]


def test_server_that_has_not_begun_has_not_stood_still() -> None:
    world = World()
    stand_still(world)
    world.advance(1)
    assert world.house.counts["stalls"] == 0
