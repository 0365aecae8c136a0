"""Games out of the log, read in a thread: the loop never waits for the disk, and only what is committed is there."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from parlour.core.house.gate import READING, Gate
from parlour.store.base import Library
from parlour.store.library import SqliteLibrary

Answer = TypeVar("Answer")


class Reading:
    """One reader of the log for all requests, in a thread of its own."""

    def __init__(self, directory: Path, gate: Gate) -> None:
        self.directory = directory
        self._gate = gate
        self._library: SqliteLibrary | None = None
        self._thread = ThreadPoolExecutor(1, "log reader")

    async def read(self, question: Callable[[Library], Answer], patient: bool = False) -> Answer:
        """Raises LocalError when the log cannot be read, and TooMuch when too many want to, for the impatient."""
        if not patient:
            self._gate.charge(READING)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._ask, question)
        finally:
            if not patient:
                self._gate.refund(READING)

    def _ask(self, question: Callable[[Library], Answer]) -> Answer:
        if self._library is None:
            self._library = SqliteLibrary(self.directory)
        return question(self._library)

    def close(self) -> None:
        """Wait for the question being answered, forget the others."""
        self._thread.shutdown(cancel_futures=True)
        if self._library is not None:
            self._library.close()
