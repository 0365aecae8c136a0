"""Brokers and databases for the tests of this folder."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import pytest

from bench.brokers import Broker, Database, brokers
from parlour.store.brokers import Brokers, Failure, connect
from tests.conftest import installed

_numbers = count(1)

Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Broker]]:
    """Three brokers that have found each other."""
    with installed(), brokers(tmp_path_factory.mktemp("brokers")) as found:
        asyncio.run(until_led(found))
        yield found


async def until_led(found: list[Broker]) -> None:
    """They have elected who leads, so that streams can be made."""
    async with connected(found, replicas=3) as through:
        for _ in range(600):
            try:
                await through.js.add_stream(name="TRIAL", subjects=["trial"], num_replicas=3)
            except Failure:
                await asyncio.sleep(0.1)
            else:
                await through.js.delete_stream("TRIAL")
                return
    raise AssertionError("the brokers elect nobody")


@asynccontextmanager
async def connected(found: list[Broker], replicas: int) -> AsyncIterator[Brokers]:
    through = await connect([broker.url for broker in found], replicas)
    try:
        yield through
    finally:
        await through.close()


@pytest.fixture
def archive(postgres: Database) -> str:
    """The address of a new empty database."""
    return postgres.new(f"house{next(_numbers)}")
