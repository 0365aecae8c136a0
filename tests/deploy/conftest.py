"""Certificates, and a browser for which every name of `example.org` leads here."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.certificate import self_signed

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return self_signed(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    from tests.web.browsers import chromium  # takes a while, and most tests need none

    with chromium("--host-resolver-rules=MAP *.example.org 127.0.0.1") as found:
        yield found
