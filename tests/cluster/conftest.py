"""Brokers and databases for the tests of this folder."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import pytest

from bench.brokers import Broker, Database, brokers, until_led
from parlour.store.brokers import Brokers, connect
from tests.conftest import installed

_numbers = count(1)

Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Broker]]:
    """Three brokers that have found each other."""
    with installed(), brokers(tmp_path_factory.mktemp("brokers")) as found:
        asyncio.run(until_led([broker.url for broker in found]))
        yield found


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
