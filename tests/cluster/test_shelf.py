"""A shelf has one writer at a time, and forgets nothing that it acknowledged."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count

import pytest
from nats.js.errors import APIError

from bench.brokers import Broker
from parlour.core.errors import LocalError
from parlour.store import shelf as module
from parlour.store.base import Fenced
from parlour.store.brokers import Brokers
from parlour.store.shelf import Message, Shelf, shelves
from tests.cluster.conftest import connected
from tests.cluster.race import race

ROUNDS = 60
_numbers = count(1)


def on(brokers: list[Broker], replicas: int, work: Callable[[Brokers], Awaitable[None]]) -> None:
    async def run() -> None:
        async with connected(brokers, replicas) as through:
            await work(through)

    asyncio.run(run())


async def new_shelf(through: Brokers, node: str = "a") -> Shelf:
    shelf = Shelf(through, next(_numbers), node)
    await shelf.create()
    return shelf


async def contents(shelf: Shelf) -> list[Message]:
    return [message async for message in shelf.read(1, await shelf.end())]


def test_of_writers_with_one_expected_sequence_exactly_one_succeeds(three: list[Broker]) -> None:
    assert asyncio.run(race(three, ROUNDS)) == ROUNDS


def test_old_keeper_is_refused_after_the_seal_however_busy_it_was(three: list[Broker]) -> None:
    async def take_over(through: Brokers) -> None:
        old = await new_shelf(through, "old")
        await old.seal()
        told: list[int] = []

        async def write_on() -> None:
            while True:
                told.append((await old.write(b"x\n"))[0].sequence)

        writing = asyncio.create_task(write_on())
        while len(told) < 20:
            await asyncio.sleep(0.001)
        new = Shelf(through, old.number, "new")
        sealed = await new.seal()
        with pytest.raises(Fenced, match=f"shelf {old.number} is kept by new now"):
            await writing
        found = await contents(new)
        assert max(told) < sealed
        assert set(told) <= {message.sequence for message in found}, "what was acknowledged is before the seal"
        assert (await new.write(b"y\n"))[0].sequence == sealed + 1

    on(three, 3, take_over)


def test_batch_whose_acknowledgement_is_lost_is_found_by_its_mark(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lose(through: Brokers) -> None:
        shelf = await new_shelf(through)
        await shelf.seal()
        publish = through.js.publish
        lost = 0

        async def publish_into_the_dark(*words: object, **more: object) -> object:
            nonlocal lost
            answer = await publish(*words, **more)  # type: ignore[arg-type]
            if lost == 0:
                lost += 1
                raise TimeoutError
            return answer

        monkeypatch.setattr(through.js, "publish", publish_into_the_dark)
        (written,) = await shelf.write(b"once\n")
        await shelf.write(b"twice\n")
        assert lost == 1
        found = await contents(shelf)
        assert [message.payload for message in found] == [b"", b"once\n", b"twice\n"]
        assert found[1] == written

    on([broker], 1, lose)


def test_message_id_of_the_brokers_is_not_used(broker: Broker) -> None:
    """A new batch under an id used before would be acknowledged and not stored."""

    async def look(through: Brokers) -> None:
        shelf = await new_shelf(through)
        await shelf.write(b"x\n")
        raw = await through.js.get_last_msg(shelf.stream, shelf.subject)
        assert raw.headers is not None
        assert "Nats-Msg-Id" not in raw.headers
        assert "Parlour-Batch" in raw.headers

    on([broker], 1, look)


def test_large_batch_is_several_messages_and_counts_only_when_all_are_there(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", 100)

    async def write(through: Brokers) -> None:
        shelf = await new_shelf(through)
        text = b"".join(b"%09d\n" % number for number in range(30))
        written = await shelf.write(text)
        assert [message.more for message in written] == [True, True, False]
        assert len({message.mark for message in written}) == 1
        assert b"".join(message.payload for message in await contents(shelf)) == text
        assert shelf.settled == shelf.last == 3

    on([broker], 1, write)


def test_brokers_that_are_gone_are_told_after_a_while(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GIVE_UP", 0.2)

    async def fail(through: Brokers) -> None:
        shelf = await new_shelf(through)
        await shelf.seal()

        async def refuse(*_: object, **__: object) -> None:
            raise APIError(code=503, description="no leader")

        monkeypatch.setattr(through.js, "publish", refuse)
        with pytest.raises(LocalError, match="no leader") as raised:
            await shelf.write(b"x\n")
        assert not isinstance(raised.value, Fenced)

    on([broker], 1, fail)


def test_trimming_leaves_what_says_how_many_tables_there_were(broker: Broker) -> None:
    async def trim(through: Brokers) -> None:
        shelf = await new_shelf(through)
        await shelf.seal()
        assert [shelf.next_table() for _ in range(3)] == [shelf.number << 32 | place for place in (1, 2, 3)]
        for _ in range(5):
            await shelf.write(b"x\n")
        await shelf.trim(shelf.last + 100)
        (left,) = await contents(shelf)
        assert (left.sequence, left.count) == (6, 3)
        again = Shelf(through, shelf.number, "b")
        assert await again.seal() == 7
        assert shelf.number in await shelves(through)

    on([broker], 1, trim)


def test_more_copies_than_brokers_are_refused_in_one_sentence(broker: Broker) -> None:
    async def create(through: Brokers) -> None:
        with pytest.raises(LocalError, match="fewer brokers than the 3 copies"):
            await new_shelf(through)

    on([broker], 3, create)


def test_keeper_whose_brokers_were_gone_does_not_seal_what_another_keeps_now(broker: Broker) -> None:
    async def come_back(through: Brokers) -> None:
        old = await new_shelf(through, "old")
        await old.seal()
        (written,) = await old.write(b"x\n")
        assert await old.seal_again() == written.sequence + 1
        new = Shelf(through, old.number, "new")
        sealed = await new.seal()
        with pytest.raises(Fenced, match=f"shelf {old.number} is kept by new now"):
            await old.seal_again()
        assert (await new.write(b"y\n"))[0].sequence == sealed + 1

    on([broker], 1, come_back)
