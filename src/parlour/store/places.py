"""Where games are kept, as a host says it: the directory of a log, or the address of an archive."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from parlour.core.house.bans import Ban
from parlour.store import bans
from parlour.store.base import Archive, Journal, Library
from parlour.store.library import SqliteLibrary
from parlour.store.sqlite import SqliteStore

Place = Path | str
"""A directory, or postgresql://…"""


def open_library(place: Place) -> Library:
    """Raises LocalError."""
    if isinstance(place, Path):
        return SqliteLibrary(place)
    from parlour.store.pglibrary import PostgresLibrary

    return PostgresLibrary(place)


@contextmanager
def opened_archive(place: Place) -> Iterator[Archive]:
    """For a change from outside; a log in a directory must not be in use. Raises LocalError."""
    if isinstance(place, Path):
        with closing(SqliteStore(place, "power")) as store:
            yield store
    else:
        from parlour.store.postgres import PostgresArchive

        with closing(PostgresArchive(place)) as archive:
            yield archive


@contextmanager
def opened_journal(place: Place) -> Iterator[Journal]:
    """For whole games from outside; a log in a directory must not be in use. Raises LocalError."""
    if isinstance(place, Path):
        with closing(SqliteStore(place, "power")) as store:
            yield store
    else:
        from parlour.store.archivist import Intake
        from parlour.store.postgres import PostgresArchive

        with closing(PostgresArchive(place)) as archive:
            yield Intake(archive.pool)


def kept_bans(place: Place) -> list[Ban]:
    """All of them, also those that have ended. Raises LocalError."""
    with closing(open_library(place)) as library:
        return library.bans()


def change_bans(place: Place, kept: Sequence[Ban], dropped: Sequence[Ban]) -> None:
    """Write some and forget others, beside a running server, too. Raises LocalError."""
    if isinstance(place, Path):
        bans.change_bans(place, kept, dropped)
    else:
        from parlour.store.postgres import change_bans

        change_bans(place, kept, dropped)


def prepare(place: Place) -> None:
    """See that there is a file, or that there are tables, and that they are up to date. Raises LocalError."""
    if isinstance(place, Path):
        bans.prepare(place)
    else:
        from parlour.store import pgschema

        pgschema.prepare(place)
