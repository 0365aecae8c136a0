"""Servers for the tests of the door for browsers, one for many tests where they leave it as they found it."""

from collections.abc import Iterator

import pytest

from tests.web.house import WebHouse, web_house
from tests.web.parrot import PARROT


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
