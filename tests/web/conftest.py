"""Servers for the tests of the door for browsers, one for many tests where they leave it as they found it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.web.house import HERE, WebHouse, web_house
from tests.web.parrot import PARROT

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebHouse]:
    """With the browser's own wire."""
    with web_house(tmp_path_factory.mktemp("house")) as server:
        yield server


@pytest.fixture(scope="module")
def parrots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebHouse]:
    """With the parrot's wire."""
    with web_house(tmp_path_factory.mktemp("parrots"), PARROT) as server:
        yield server


@pytest.fixture
def address(house: WebHouse) -> str:
    return f"http://{HERE}:{house.port}"


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """One for a module and no longer: while there is one, nothing else in this process can run a loop."""
    from tests.web.browsers import chromium  # takes a while, and most tests need none

    with chromium() as found:
        yield found
