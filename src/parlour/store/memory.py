"""A log for `--data none`: nothing is kept, and every commit has already happened."""

import itertools
from collections.abc import Callable, Iterator, Sequence

from parlour.core.erasing import Erasure
from parlour.core.errors import LocalError
from parlour.core.rated import Rating
from parlour.core.table.table import Table
from parlour.core.words import Record
from parlour.store.base import Batch, RatingsKept, Standing, StoredAccount


class MemoryBatch(Batch):
    """Keeps nothing, so that there is nothing to wait for."""

    __slots__ = ()

    def append(self, table: Table, record: Record) -> None:
        """Forget it."""


class MemoryStore:
    """A store without a disk."""

    waits = False

    def __init__(self) -> None:
        self._tables = itertools.count(1)

    def next_table(self) -> int:
        """A table number never used before."""
        return next(self._tables)

    def batch(self) -> MemoryBatch:
        return MemoryBatch()

    def commit(self, batch: Batch, done: Callable[[LocalError | None], None]) -> None:  # noqa: ARG002
        """Call `done` at once, in the caller's own thread."""
        done(None)

    def probe(self, done: Callable[[LocalError | None], None]) -> None:
        """Memory can always be written."""
        done(None)

    def check(self, done: Callable[[LocalError | None], None]) -> None:
        """There is no file that could be gone."""
        done(None)

    def unfinished(self) -> Iterator[tuple[int, list[Record]]]:
        """Nothing survives a restart."""
        return iter(())

    def away(self) -> None:
        """It is in this process."""

    def accounts(self) -> Iterator[StoredAccount]:
        """No account was registered before."""
        return iter(())

    def standings(self) -> Iterator[Standing]:
        """No game was played before."""
        return iter(())

    def ratings(self) -> RatingsKept:
        """No game was played before."""
        return [], []

    def keep_ratings(self, ratings: Sequence[Rating], done: Callable[[LocalError | None], None]) -> None:  # noqa: ARG002
        """The caller has them in memory already."""
        done(None)

    def keep_account(self, account: StoredAccount, done: Callable[[LocalError | None], None]) -> None:  # noqa: ARG002
        """The caller has it in memory already."""
        done(None)

    def drop_account(self, erasure: Erasure, done: Callable[[LocalError | None], None]) -> None:  # noqa: ARG002
        """The caller has forgotten it already."""
        done(None)

    def close(self) -> None:
        """Nothing to close."""
