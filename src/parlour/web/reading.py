"""Games out of the log, read in threads: the loop never waits for the disk, and only what is committed is there."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TypeVar

from parlour.core.errors import LocalError, Unreadable
from parlour.core.house.gate import READING, Gate
from parlour.store.base import Library
from parlour.store.places import Place, open_library

READERS = 3
"""One that has a long game or a big picture to do holds up no other."""
SECONDS_BETWEEN_COMPLAINTS = 60.0

Answer = TypeVar("Answer")


class Reading:
    """A few readers of the log for all requests, each in a thread of its own."""

    def __init__(self, place: Place, gate: Gate, complain: Callable[[str], None]) -> None:
        self.place = place
        self._gate = gate
        self._complain = complain
        self._complained_at = float("-inf")
        self._idle: SimpleQueue[Library] = SimpleQueue()
        self._threads = ThreadPoolExecutor(READERS, "log reader")

    async def read(self, question: Callable[[Library], Answer], patient: bool = False) -> Answer:
        """Raises Unreadable, and TooMuch when too many want to read, for the impatient."""
        if not patient:
            self._gate.charge(READING)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._ask, question)
        except Unreadable as error:
            self._tell_host(error)
            raise
        finally:
            if not patient:
                self._gate.refund(READING)

    def _tell_host(self, error: Unreadable) -> None:
        """One line, however many want to read."""
        now = time.monotonic()
        if now - self._complained_at > SECONDS_BETWEEN_COMPLAINTS:
            self._complained_at = now
            self._complain(str(error))

    def _ask(self, question: Callable[[Library], Answer]) -> Answer:
        try:
            library = self._idle.get_nowait()
        except Empty:
            library = self._opened()
        try:
            return question(library)
        finally:
            self._idle.put(library)

    def _opened(self) -> Library:
        try:
            return open_library(self.place)
        except LocalError as error:
            raise Unreadable(str(error)) from error

    def close(self) -> None:
        """Wait for the questions being answered, forget the others."""
        self._threads.shutdown(cancel_futures=True)
        while not self._idle.empty():
            self._idle.get().close()
