"""The places that store tests run on."""

from itertools import count
from pathlib import Path

import pytest

from bench.brokers import Database
from tests.unit.store.places import Place, PostgresPlace, SqlitePlace

_numbers = count(1)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Every kind of place, new and empty."""
    if request.param == "sqlite":
        return SqlitePlace(tmp_path)
    postgres: Database = request.getfixturevalue("postgres")
    return PostgresPlace(postgres.new(f"place{next(_numbers)}"))
