"""A log and an archive whose answers arrive on the loop, whatever thread they come from."""

import asyncio
from collections.abc import Sequence
from threading import get_ident
from typing import TYPE_CHECKING

from parlour.core.erasing import Erasure
from parlour.core.errors import LocalError
from parlour.core.rated import Rating
from parlour.store.base import Archive, Batch, Done, Log, StoredAccount


class _Hopping:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._thread = get_ident()

    def _on_loop(self, done: Done) -> Done:
        def hop(error: LocalError | None) -> None:
            if get_ident() == self._thread:
                done(error)
            else:
                self._loop.call_soon_threadsafe(done, error)

        return hop


class LoopLog(_Hopping):
    def __init__(self, log: Log, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._log = log
        self.waits = log.waits
        self.next_table = log.next_table
        self.batch = log.batch
        self.unfinished = log.unfinished
        self.close = log.close

    def commit(self, batch: Batch, done: Done) -> None:
        self._log.commit(batch, self._on_loop(done))

    def probe(self, done: Done) -> None:
        self._log.probe(self._on_loop(done))

    def check(self, done: Done) -> None:
        self._log.check(self._on_loop(done))


class LoopArchive(_Hopping):
    def __init__(self, archive: Archive, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._archive = archive
        self.away = archive.away
        self.accounts = archive.accounts
        self.standings = archive.standings
        self.ratings = archive.ratings
        self.close = archive.close

    def keep_ratings(self, ratings: Sequence[Rating], done: Done) -> None:
        self._archive.keep_ratings(ratings, self._on_loop(done))

    def keep_account(self, account: StoredAccount, done: Done) -> None:
        self._archive.keep_account(account, self._on_loop(done))

    def drop_account(self, erasure: Erasure, done: Done) -> None:
        self._archive.drop_account(erasure, self._on_loop(done))


if TYPE_CHECKING:

    def _are_both(log: LoopLog, archive: LoopArchive) -> tuple[Log, Archive]:
        return log, archive
