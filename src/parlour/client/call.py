"""The connections of one visit: the first, those beside it, and those that follow when the session wants another."""

import asyncio
import os
import socket
import ssl
from collections.abc import Callable
from typing import Any

from parlour.client.lines import plain
from parlour.client.link import Link
from parlour.core.errors import LocalError
from parlour.core.session import Branch, ClientSession, Show, Via, Visit, WireProtocol
from parlour.core.words import Command, Leave

CONNECT_SECONDS = 15.0
RETRY_SECONDS = 1.0


class Call:
    """One visit to a server, for a person, a bot or a table of ours. It ends with the first connection."""

    def __init__(
        self,
        protocol: WireProtocol,
        visit: Visit,
        show: Callable[[Show], None],
        settled: Callable[[], None],
        calling: Callable[[], None] = lambda: None,
        pace: float = 0.0,
    ) -> None:
        """`settled` is called when all that has arrived is dealt with, `calling` before a connection is tried.

        With a `pace`, a connection brings no more than so many bytes a second.
        """
        self._visit = visit
        self._codec = protocol.codec
        self._show = show
        self._settled = settled
        self._calling = calling
        self._over = asyncio.Event()
        self._pace = pace
        self._link = Link(protocol.codec, protocol.visit(visit), show, settled, self._over.set, self._beyond, pace)
        self._branches: dict[Link, asyncio.Task[None]] = {}
        """The other connections of this visit, and who makes them; those that have ended stay until the first ends."""

    @property
    def session(self) -> ClientSession[Any]:
        return self._link.session

    @property
    def closing(self) -> bool:
        """Whether the session has said its last word, or the server has gone."""
        return self._link.closing

    @property
    def connected(self) -> bool:
        return self._link.connected

    @property
    def place(self) -> str:
        """Where it goes, as HOST:PORT."""
        return plain(place(self._visit))

    def act(self, command: Command) -> None:
        """Let the session do what a person, or who stands for one, wants."""
        self._link.act(command)
        if isinstance(command, Leave):
            # A session that has no one to say goodbye to may say nothing: go anyway.
            self._link.close_soon()

    def abort(self) -> None:
        """Hang up without another word."""
        self._link.abort()

    # --- connecting --------------------------------------------------------------------------------------------------

    async def connect(self) -> None:
        """Make the first connection. Raises LocalError."""
        self._calling()
        try:
            await self._open(self._link)
        except TimeoutError:
            raise LocalError(f"cannot connect to {self.place}: there is no answer") from None
        except (OSError, UnicodeError) as error:
            raise LocalError(f"cannot connect to {self.place}: {_reason(error)}") from error

    async def stay(self) -> None:
        """Wait for the end of it, and of every connection that the session wants after it. Raises LocalError."""
        await self._over.wait()
        await self._fell_branches()
        while self._link.renew():
            self._over.clear()
            if await self._connect_again():
                await self._over.wait()
            await self._fell_branches()

    async def _connect_again(self) -> bool:
        """What the session has asked for: one connection more, or as many attempts as it takes."""
        if self._link.tries == 1:
            await self.connect()
            return True
        for _ in range(self._link.tries):
            try:
                await self._open(self._link)
                return True
            except (OSError, UnicodeError):  # a TimeoutError is an OSError
                await asyncio.sleep(RETRY_SECONDS)
        self._link.fail()
        return False

    async def _open(self, link: Link) -> None:
        loop = asyncio.get_running_loop()
        # uvloop, on which a server runs, tries the addresses of a host one after another.
        eager: dict[str, Any] = {"happy_eyeballs_delay": 0.25} if isinstance(loop, asyncio.BaseEventLoop) else {}
        async with asyncio.timeout(CONNECT_SECONDS):
            await loop.create_connection(
                lambda: link,
                self._visit.host,
                self._visit.port,
                ssl=ssl.create_default_context() if self._visit.secure else None,
                **eager,
            )

    # --- the other connections ---------------------------------------------------------------------------------------

    def _beyond(self, out: Branch | Via) -> None:
        """A session wants another connection, or something done on that of another session."""
        match out:
            case Branch(session=session):
                link = Link(self._codec, session, self._show, self._settled, lambda: None, self._beyond, self._pace)
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


def place(visit: Visit) -> str:
    """The server of a visit, as HOST:PORT."""
    return f"[{visit.host}]:{visit.port}" if ":" in visit.host else f"{visit.host}:{visit.port}"


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
