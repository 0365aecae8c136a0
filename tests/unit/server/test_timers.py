"""The wheel: never early, never more than a tick late, whatever the clock does."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from parlour.server.limits import TICK_SECONDS
from parlour.server.timers import Timer, Wheel

START = 1_700_000_000.0
GRAIN = 1e-6
"""What floats lose at this hour."""
SECONDS = st.floats(0, 200)


def wheel_at(now: float) -> Wheel:
    wheel = Wheel()
    wheel.set_time(now)
    return wheel


@given(st.lists(SECONDS, max_size=30), SECONDS)
def test_timer_rings_once_never_early_and_at_most_a_tick_late(delays: list[float], offset: float) -> None:
    start = START + offset
    wheel = wheel_at(start)
    rung: dict[str, float] = {}
    now = start

    def ring(name: str) -> None:
        assert name not in rung
        rung[name] = now

    for number, seconds in enumerate(delays):
        wheel.add(start, seconds, str(number), ring)
    while now < start + max(delays, default=0.0) + 2 * TICK_SECONDS:
        now += TICK_SECONDS / 2
        wheel.turn(now)
    assert len(rung) == len(delays)
    for number, seconds in enumerate(delays):
        late = rung[str(number)] - start - seconds
        assert -GRAIN <= late <= 1.5 * TICK_SECONDS + GRAIN  # turned every half tick


@given(st.lists(SECONDS, max_size=30), st.floats(0, 100_000))
def test_long_sleep_rings_all_that_is_due_in_order_and_nothing_else(delays: list[float], sleep: float) -> None:
    wheel = wheel_at(START)
    rung: list[str] = []
    for number, seconds in enumerate(delays):
        wheel.add(START, seconds, str(number), rung.append)
    wheel.turn(START + sleep)
    due = [seconds for seconds in delays if seconds <= sleep - TICK_SECONDS - GRAIN]
    assert len(due) <= len(rung) <= sum(seconds <= sleep + GRAIN for seconds in delays)
    order = [delays[int(name)] for name in rung]
    assert all(earlier <= later + TICK_SECONDS for earlier, later in pairwise(order))


def test_cancelled_timer_does_not_ring_even_when_another_cancels_it_in_the_same_tick() -> None:
    wheel = wheel_at(START)
    rung: list[str] = []
    victims: list[Timer] = []

    def ring(name: str) -> None:
        rung.append(name)
        victims[0].cancel()

    wheel.add(START, 1.0, "first", ring)
    victims.append(wheel.add(START, 1.0, "second", rung.append))
    wheel.turn(START + 2)
    assert rung == ["first"]


def test_timer_set_by_a_timer_rings_on_a_later_turn() -> None:
    wheel = wheel_at(START)
    rung: list[str] = []

    def ring(name: str) -> None:
        rung.append(name)
        wheel.add(START + 1, 0.0, "again", rung.append)

    wheel.add(START, 0.5, "once", ring)
    wheel.turn(START + 1)
    assert rung == ["once"]
    wheel.turn(START + 1 + 2 * TICK_SECONDS)
    assert rung == ["once", "again"]


def test_clock_that_goes_back_rings_nothing_twice() -> None:
    wheel = wheel_at(START)
    rung: list[str] = []
    wheel.add(START, 1.0, "once", rung.append)
    for now in (2.0, 0.0, 1.5, 3.0):
        wheel.turn(START + now)
    wheel.add(START, 0.0, "late", rung.append)  # its time passed long ago
    wheel.turn(START + 3.1)
    assert rung == ["once", "late"]
