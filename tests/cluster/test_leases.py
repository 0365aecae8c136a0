"""Leases: one holder at a time, heard of by all, over when nobody renews them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count

import pytest

from bench.brokers import Broker
from parlour.cluster import lease
from parlour.cluster.lease import QUEUE, Holder, Leases, in_order, shelf_lease
from parlour.store.brokers import Brokers
from tests.cluster.conftest import connected

SHELF = shelf_lease(7)

_lives = count(1)
SECONDS = 30.0


@pytest.fixture(autouse=True)
def _bucket_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    number = next(_lives)
    monkeypatch.setattr(lease, "BUCKET", f"LEASES-{number}")
    monkeypatch.setattr(lease, "NEWS", f"lease-{number}.")


@asynccontextmanager
async def node(through: Brokers, name: str, version: str = "1", house: str = "") -> AsyncIterator[Leases]:
    leases = Leases(through, Holder(name, f"{name}:1", version, f"life{next(_lives)}", house))
    await leases.open()
    try:
        yield leases
    finally:
        await leases.close()


def on(broker: Broker, work: Callable[[Brokers], Awaitable[None]]) -> None:
    async def run() -> None:
        async with connected([broker], 1) as through:
            await asyncio.wait_for(work(through), SECONDS)

    asyncio.run(run())


async def until(reached: Callable[[], object]) -> None:
    while not reached():
        await asyncio.sleep(0.01)


async def die(leases: Leases) -> None:
    """As a process does that is killed: nothing is given up."""
    assert leases._renewing is not None
    leases._renewing.cancel()
    with suppress(asyncio.CancelledError):
        await leases._renewing
    leases._mine.clear()


def test_one_of_those_who_want_a_lease_gets_it_and_all_hear_who(broker: Broker) -> None:
    async def want(through: Brokers) -> None:
        async with node(through, "a") as a, node(through, "b") as b:
            for name in (QUEUE, SHELF):
                got = await asyncio.gather(a.take(name), b.take(name))
                assert sorted(got) == [False, True]
                winner = a if got[0] else b
                for leases in (a, b):
                    await until(lambda leases=leases, name=name: leases.holder(name) is not None)  # type: ignore[misc]
                    assert leases.holder(name) == winner.me
            assert sorted(a.mine + b.mine) == sorted(a.holders())

    on(broker, want)


def test_house_speaks_a_version_when_the_last_of_its_nodes_does(broker: Broker) -> None:
    async def upgrade(through: Brokers) -> None:
        async with node(through, "a", "0.10.0") as a, node(through, "other", "0.1.0", "another house") as other:
            assert await a.take("shelf.1")
            assert await other.take("shelf.3")
            async with node(through, "b", "0.9.2") as b:
                assert await b.take("shelf.2")
                await until(lambda: a.holder("shelf.3") == other.me and a.nodes() == {"a", "b"})
                assert a.all_speak("0.9.2")
                assert a.all_speak("0.9")
                assert not a.all_speak("0.10.0")
            await until(lambda: a.all_speak("0.10.0"))
            assert not a.all_speak("0.10.1")

    on(broker, upgrade)


def test_lease_that_is_given_up_is_free_at_once(broker: Broker) -> None:
    async def hand_over(through: Brokers) -> None:
        async with node(through, "a") as a, node(through, "b") as b:
            assert await a.take(SHELF)
            assert not await b.take(SHELF)
            await a.give_up(SHELF)
            assert await b.take(SHELF)
            await until(lambda: a.holder(SHELF) == b.me)

    on(broker, hand_over)


def test_lease_of_a_dead_node_runs_out_and_is_told_while_a_living_one_keeps_its_own(broker: Broker) -> None:
    async def outlive(through: Brokers) -> None:
        async with node(through, "b") as b:
            heard: list[tuple[str, Holder | None]] = []
            b._changed = lambda name, holder: heard.append((name, holder))
            assert await b.take(QUEUE)
            async with node(through, "a") as a:
                assert await a.take(SHELF)
                await until(lambda: b.holder(SHELF) == a.me)
                await die(a)
                await until(lambda: (SHELF, None) in heard)
            assert b.holder(SHELF) is None
            assert await b.take(SHELF)
            assert b.holder(QUEUE) == b.me
            assert heard == [(QUEUE, b.me), (SHELF, a.me), (SHELF, None), (SHELF, b.me)]

    on(broker, outlive)


def test_lease_can_be_taken_over_on_suspicion_and_the_old_holder_notices(broker: Broker) -> None:
    async def suspect(through: Brokers) -> None:
        async with node(through, "a") as a, node(through, "b") as b:
            lost: list[str] = []
            a.lost = lost.append
            assert await a.take(SHELF)
            await until(lambda: b.holder(SHELF) == a.me)
            assert await b.take(SHELF, over=a.me)
            await until(lambda: lost == [SHELF])
            assert a.mine == []
            assert a.holder(SHELF) == b.me

    on(broker, suspect)


def test_silent_brokers_are_no_reason_to_believe_others_dead(broker: Broker) -> None:
    async def go_silent(through: Brokers) -> None:
        async with node(through, "a") as a, node(through, "b") as b:
            assert await a.take(SHELF)
            assert await b.take(QUEUE)
            await until(lambda: b.holder(SHELF) == a.me)
            b._answered_since = None
            known = b._known[SHELF]
            known.heard = b._clock() - 100
            assert b.holder(SHELF) == a.me, "nobody has answered us either"
            b._answered_since = b._clock() - lease.TTL - 1
            b._news = b._clock() - 50
            assert b.holder(SHELF) == a.me, "we have heard of no one, not even of ourselves: we stood still"
            b._news = b._clock()
            assert b.holder(SHELF) is None or b._known[SHELF] is not known

    on(broker, go_silent)


def test_every_node_comes_to_the_same_order_and_each_lease_to_another(broker: Broker) -> None:
    nodes = [f"n{number}" for number in range(8)]
    assert in_order("shelf.1", nodes) == in_order("shelf.1", reversed(nodes))
    assert len({in_order(shelf_lease(number), nodes)[0] for number in range(64)}) == len(nodes)
    without = [one for one in in_order("zone", nodes) if one != "n3"]
    assert in_order("zone", [one for one in nodes if one != "n3"]) == without


def test_lease_that_ran_out_while_the_brokers_were_silent_is_kept_until_they_say_whose_it_is(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def come_back(through: Brokers) -> None:
        async with node(through, "a") as a:
            lost: list[str] = []
            a.lost = lost.append
            regained: list[str] = []
            a.regained = regained.append
            assert await a.take(SHELF)
            await a._bucket.purge(SHELF)  # as if it had run out
            asked = 0

            async def answer_nothing(*_: object) -> None:
                nonlocal asked
                asked += 1
                raise TimeoutError

            with monkeypatch.context() as silence:
                for question in ("get", "create"):
                    silence.setattr(a._bucket, question, answer_nothing)
                await until(lambda: asked)
                await until(lambda: a._answered_since is None or lost)
            await until(lambda: a._answered_since is not None and a.holder(SHELF) == a.me)
            assert a.mine == [SHELF]
            assert (lost, regained) == ([], [SHELF])

    on(broker, come_back)
