"""Eight writers with one expected sequence, over and over: exactly one may succeed."""

import asyncio
from itertools import count

from bench.brokers import Broker
from parlour.store.base import Fenced
from parlour.store.shelf import Shelf
from tests.cluster.conftest import connected

WRITERS = 8
_numbers = count(1_000_000)


async def race(brokers: list[Broker], rounds: int) -> int:
    """Returns how many rounds there were. Raises AssertionError for two winners, or none."""
    async with connected(brokers, len(brokers)) as through:
        first = Shelf(through, next(_numbers), "first")
        await first.create()
        await first.seal()
        for number in range(rounds):
            rivals = [Shelf(through, first.number, f"n{rival}") for rival in range(WRITERS)]
            for rival in rivals:
                rival.last = first.last
            writing = (rival.write(b"%d\n" % number) for rival in rivals)
            outcomes = await asyncio.gather(*writing, return_exceptions=True)
            winners = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
            assert len(winners) == 1, outcomes
            assert sum(isinstance(outcome, Fenced) for outcome in outcomes) == WRITERS - 1, outcomes
            first.last = winners[0][0].sequence
        found = [message.payload async for message in first.read(1, await first.end())]
        assert found[1:] == [b"%d\n" % one for one in range(rounds)]
        await through.js.delete_stream(first.stream)
    return rounds
