"""One stay at a server: its links, a person and a keyboard, until one of them is through."""

import asyncio
import contextlib
import os
import shutil
import signal
from typing import TextIO

from parlour.client.call import Call
from parlour.client.keyboard import Keyboard
from parlour.client.lines import COLUMNS, Person, plain
from parlour.core.session import Visit, WireProtocol

GRACE_SECONDS = 3.0
"""What a server gets before we go by ourselves: to ask for another game, to say goodbye, or to answer a last move."""
INTERRUPTED = 130


class Screen:
    """Standard output that may be taken away: `gone` when it has no reader any more."""

    def __init__(self, stream: TextIO) -> None:
        self.gone = False
        self._stream = stream

    @staticmethod
    def columns() -> int:
        """How wide it is now: a window may be resized."""
        return shutil.get_terminal_size((COLUMNS, 24)).columns

    def write(self, text: str) -> None:
        if self.gone:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self.gone = True
            # Python flushes once more at its end and would complain then.
            with contextlib.suppress(OSError, ValueError):
                fd = self._stream.fileno()
                os.dup2(os.open(os.devnull, os.O_WRONLY), fd)


class Stay:
    """Ties the person's lines to the session, and ends when the connection has."""

    def __init__(self, protocol: WireProtocol, visit: Visit, screen: Screen, once: bool, live: bool) -> None:
        self._interrupted = False
        self._visit = visit
        self._title = protocol.title
        self._screen = screen
        self._person = Person(screen.write, once, live, lambda: self._call.session.guide, visit.games, screen.columns)
        self._going: asyncio.TimerHandle | None = None
        self._keyboard: Keyboard | None = None
        self._task: asyncio.Task[object] | None = None
        self._call = Call(protocol, visit, self._person.show, self._settle, self._announce)

    async def run(self, fd: int | None, encoding: str) -> int:
        """Connect, play, and tell the result. 0 when a game was finished, 1 when not, 130 after Ctrl-C."""
        loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        try:
            await self._call.connect()
            if fd is None:
                self._silence()
            else:
                self._keyboard = Keyboard(fd, self._hear, self._silence, encoding)
            await self._call.stay()
        except asyncio.CancelledError:
            if not self._interrupted:
                raise
        finally:
            if self._keyboard is not None:
                self._keyboard.close()
            if self._going is not None:
                self._going.cancel()
        self._screen.write(self._person.last_line())
        if self._interrupted:
            return INTERRUPTED
        loop.remove_signal_handler(signal.SIGINT)
        return 0 if self._person.result != "aborted" else 1

    def _announce(self) -> None:
        self._person.tell(f"Connecting to {self._call.place} ({self._title}) as {plain(self._visit.name)}.")

    # --- from the keyboard -------------------------------------------------------------------------------------------

    def _hear(self, line: str) -> None:
        self._person.typed(line)
        self._settle()

    def _silence(self) -> None:
        self._person.fell_silent()
        self._settle()

    def _interrupt(self) -> None:
        second = self._interrupted
        self._interrupted = True
        if not self._call.connected and self._task is not None:
            self._task.cancel()  # no peer to take leave of, yet or any more
        elif second:
            self._call.abort()  # and no patience left to do so
        else:
            self._leave()

    # --- in between --------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Let the person answer what they were asked, as far as their lines go."""
        while not self._call.closing and (command := self._person.next()) is not None:
            self._call.act(command)
        if self._screen.gone:
            self._leave()
        elif self._going is None and (self._person.satisfied or self._person.lingering):
            self._going = asyncio.get_running_loop().call_later(GRACE_SECONDS, self._go)
        if self._keyboard is not None:
            (self._keyboard.pause if self._person.full else self._keyboard.resume)()

    def _go(self) -> None:
        """The server has had its time."""
        self._going = None
        if self._person.lingering:
            self._person.hurry()
            self._settle()
        elif self._person.satisfied:
            self._leave()

    def _leave(self) -> None:
        self._call.act(self._person.leave())
