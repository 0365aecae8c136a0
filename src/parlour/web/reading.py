"""Games out of the log, read in threads: the loop never waits for the disk, and only what is committed is there."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TypeVar

from parlour.core.house.gate import READING, Gate
from parlour.store.base import Library
from parlour.store.places import Place, open_library

READERS = 3
"""One that has a long game or a big picture to do holds up no other."""

Answer = TypeVar("Answer")


class Reading:
    """A few readers of the log for all requests, each in a thread of its own."""

    def __init__(self, place: Place, gate: Gate) -> None:
        self.place = place
        self._gate = gate
        self._idle: SimpleQueue[Library] = SimpleQueue()
        self._threads = ThreadPoolExecutor(READERS, "log reader")

    async def read(self, question: Callable[[Library], Answer], patient: bool = False) -> Answer:
        """Raises LocalError when the log cannot be read, and TooMuch when too many want to, for the impatient."""
        if not patient:
            self._gate.charge(READING)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._ask, question)
        finally:
            if not patient:
                self._gate.refund(READING)

    def _ask(self, question: Callable[[Library], Answer]) -> Answer:
        try:
            library = self._idle.get_nowait()
        except Empty:
            library = open_library(self.place)
        try:
            return question(library)
        finally:
            self._idle.put(library)

    def close(self) -> None:
        """Wait for the questions being answered, forget the others."""
        self._threads.shutdown(cancel_futures=True)
        while not self._idle.empty():
            self._idle.get().close()
