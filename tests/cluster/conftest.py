"""Brokers and databases for the tests of this folder."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import ExitStack, asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bench.brokers import Broker, Database, brokers, until_led
from parlour.store.brokers import Brokers, connect
from tests.cluster.houses import House
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
def new_archive(postgres: Database) -> Callable[[], str]:
    """Makes an empty database and returns its address."""
    return lambda: postgres.new(f"house{next(_numbers)}")


@pytest.fixture
def archive(new_archive: Callable[[], str]) -> str:
    """The address of a new empty database."""
    return new_archive()


@pytest.fixture(scope="module")
def lone_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker for one module alone: nodes take whichever shelves are free."""
    with installed(), brokers(tmp_path_factory.mktemp("broker"), count=1) as (only,):
        yield only


@pytest.fixture
def house(lone_broker: Broker, archive: str, tmp_path: Path) -> Iterator[House]:
    """A house without nodes; those that were started must end well."""
    with ExitStack() as stack:
        whole = House(stack, lone_broker, archive, tmp_path)
        yield whole
        whole.stop()
