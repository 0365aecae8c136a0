"""One stay at a server: its links, a person and a keyboard, until one of them is through."""

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import ssl
from typing import TextIO

from parlour.client.keyboard import Keyboard
from parlour.client.lines import COLUMNS, Person, plain
from parlour.client.link import Link
from parlour.core.errors import LocalError
from parlour.core.session import Branch, Via, Visit, WireProtocol
from parlour.core.words import Command, Leave

CONNECT_SECONDS = 15.0
RETRY_SECONDS = 1.0
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
        self._codec = protocol.codec
        self._screen = screen
        self._person = Person(screen.write, once, live, lambda: self._link.session.guide, visit.games, screen.columns)
        self._over = asyncio.Event()
        self._going: asyncio.TimerHandle | None = None
        self._keyboard: Keyboard | None = None
        self._task: asyncio.Task[object] | None = None
        self._link = Link(
            protocol.codec, protocol.visit(visit), self._person.show, self._settle, self._over.set, self._beyond
        )
        self._branches: dict[Link, asyncio.Task[None]] = {}
        """The other connections of this visit, and who makes them; those that have ended stay until the first ends."""

    async def run(self, fd: int | None, encoding: str) -> int:
        """Connect, play, and tell the result. 0 when a game was finished, 1 when not, 130 after Ctrl-C."""
        loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        try:
            await self._connect()
            if fd is None:
                self._silence()
            else:
                self._keyboard = Keyboard(fd, self._hear, self._silence, encoding)
            await self._over.wait()
            await self._fell_branches()
            while self._link.renew():
                self._over.clear()
                if await self._connect_again():
                    await self._over.wait()
                await self._fell_branches()
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

    async def _connect_again(self) -> bool:
        """What the session has asked for: one connection more, or as many attempts as it takes."""
        if self._link.tries == 1:
            await self._connect()
            return True
        for _ in range(self._link.tries):
            try:
                await self._open(self._link)
                return True
            except (OSError, UnicodeError):  # a TimeoutError is an OSError
                await asyncio.sleep(RETRY_SECONDS)
        self._link.fail()
        return False

    async def _connect(self) -> None:
        host, port = self._visit.host, self._visit.port
        place = plain(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        self._person.tell(f"Connecting to {place} ({self._title}) as {plain(self._visit.name)}.")
        try:
            await self._open(self._link)
        except TimeoutError:
            raise LocalError(f"cannot connect to {place}: there is no answer") from None
        except (OSError, UnicodeError) as error:
            raise LocalError(f"cannot connect to {place}: {_reason(error)}") from error

    async def _open(self, link: Link) -> None:
        async with asyncio.timeout(CONNECT_SECONDS):
            await asyncio.get_running_loop().create_connection(
                lambda: link,
                self._visit.host,
                self._visit.port,
                ssl=ssl.create_default_context() if self._visit.secure else None,
                happy_eyeballs_delay=0.25,
            )

    # --- the other connections ---------------------------------------------------------------------------------------

    def _beyond(self, out: Branch | Via) -> None:
        """A session wants another connection, or something done on that of another session."""
        match out:
            case Branch(session=session):
                link = Link(self._codec, session, self._person.show, self._settle, lambda: None, self._beyond)
                self._branches[link] = asyncio.get_running_loop().create_task(self._grow(link))
            case Via(session=session, outputs=outputs):
                for link in (self._link, *self._branches):
                    if link.session is session:
                        link.perform(outputs)

    async def _grow(self, link: Link) -> None:
        try:
            await self._open(link)
        except (OSError, UnicodeError):  # a TimeoutError is an OSError
            link.fail()

    async def _fell_branches(self) -> None:
        """The first connection has ended, and with it all others."""
        branches, self._branches = self._branches, {}
        for link, task in branches.items():
            link.close_soon()
            task.cancel()
        if branches:
            await asyncio.wait(branches.values())

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
        if not self._link.connected and self._task is not None:
            self._task.cancel()  # no peer to take leave of, yet or any more
        elif second:
            self._link.abort()  # and no patience left to do so
        else:
            self._leave()

    # --- in between --------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Let the person answer what they were asked, as far as their lines go."""
        while not self._link.closing and (command := self._person.next()) is not None:
            self._act(command)
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
        self._act(self._person.leave())

    def _act(self, command: Command) -> None:
        self._link.act(command)
        if isinstance(command, Leave):
            # A session that has no one to say goodbye to may say nothing: go anyway.
            self._link.close_soon()


def _reason(error: Exception) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return "its certificate is not to be trusted"
        case ssl.SSLError():
            return "it does not speak TLS"
        case socket.gaierror() | UnicodeError():
            return "there is no such host"
        case ConnectionRefusedError():
            return "nothing listens there"
        case OSError(errno=None):
            return "none of its addresses answers"  # asyncio's sum of several failures
        case OSError(errno=int(number)):
            return os.strerror(number).lower()
    return str(error)
