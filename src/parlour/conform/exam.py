"""What the script of a case has in its hands: connections to the peer, time, dice, and what is known of the peer."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any

from parlour.conform.case import Case, Suite, Violation
from parlour.conform.conversation import Clock, Conversation, Segment
from parlour.conform.program import Program
from parlour.trace.reading import CLIENT, SERVER

RETRY = 0.05
"""Seconds between two tries to connect."""
CONNECTING = 5.0
"""Seconds in which a connection is taken, on a busy machine as well."""
PARTING = 0.1
"""Seconds in which a server may notice that a client has left before the next one comes."""
GRACE = 0.3
"""Seconds in which the connection of a client that has ended may still be found."""


class Unreachable(Exception):
    """The peer takes no connection."""


class Exam:
    """One case, being put to a peer."""

    def __init__(
        self,
        suite: Suite,
        case: Case | None,
        seconds: float,
        seed: int,
        dialect: str | None,
        habits: Any = None,
    ) -> None:
        self.suite = suite
        self.case = case
        self.dialect = dialect
        """None while it is still to be found out."""
        self.habits = habits
        """What the wire's probe has found out."""
        self.seconds = seconds
        """How long the peer may be silent when a word is due."""
        self.seed = seed
        self.rng = Random(f"{seed} {case.id if case else 'probe'}")
        """Dice that fall the same whenever this case is repeated with this seed."""
        self.clock = Clock(seconds)
        self.segments: list[Segment] = []
        self.conversations: list[Conversation] = []
        self.program: Program | None = None
        """The peer, when we have started it."""
        self.picture: Callable[[], str] = lambda: ""
        """Draws the position as our own rules have it."""
        self.remarks: list[str] = []
        """What else a reader of the report should know."""
        self.memory: dict[str, int] = {}
        """What the scripts of one examination remember from case to case."""

    def _conversation(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, we: str) -> Conversation:
        phase = self.suite.phases[we == SERVER]
        made = Conversation(
            len(self.conversations) + 1,
            reader,
            writer,
            self.suite.codec,
            phase,
            we,
            self.clock,
            self.segments,
            self.suite.grammar,
        )
        self.conversations.append(made)
        return made

    async def close(self) -> None:
        """Leave all connections."""
        for conversation in self.conversations:
            await conversation.leave()

    def remark(self, text: str) -> None:
        """Add a sentence to the report, should this case fail."""
        self.remarks.append(text)


class ServerExam(Exam):
    """A server is examined: we connect."""

    host, port = "", 0
    patience = 1.0
    """Seconds in which a server may begin to listen."""

    again: Callable[[], Coroutine[Any, Any, None]] | None = None
    """Starts the server once more, where we have started it: there are some that serve one client and end."""

    async def connect(self) -> Conversation:
        """A fresh connection. Raises Unreachable."""
        parted = max((segment.at for segment in self.segments if segment.end and segment.sender == CLIENT), default=0.0)
        await asyncio.sleep(parted + PARTING - time.time())
        loop = asyncio.get_running_loop()
        ends = loop.time() + self.patience
        served = bool(self.conversations) and all(talk.left for talk in self.conversations)
        while True:
            try:
                reader, writer = await asyncio.wait_for(
                    asyncio.open_connection(self.host, self.port), max(self.seconds, CONNECTING)
                )
            except (TimeoutError, OSError) as error:
                if served and self.again is not None and self.program is not None and not self.program.crashed:
                    served = False
                    await self.again()
                elif loop.time() > ends:
                    raise Unreachable(str(error) or "no answer") from error
                await asyncio.sleep(RETRY)
            else:
                return self._conversation(reader, writer, CLIENT)


class ClientExam(Exam):
    """A client is examined: it connects, because we have started it or its person has."""

    accept: Callable[[], Coroutine[Any, Any, tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
    waiting = 600.0
    """Seconds in which the client must have connected."""

    async def join(self) -> Conversation:
        """The client's connection. It is a violation when a client that we have started does not come."""
        coming = asyncio.ensure_future(self.accept())
        ending = asyncio.ensure_future(self._ended())
        done, _ = await asyncio.wait((coming, ending), timeout=self.waiting, return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        if ending in done and coming not in done:  # it may have connected, spoken and gone in one breath
            done, _ = await asyncio.wait((coming,), timeout=GRACE)
        if coming not in done:
            coming.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await coming
            raise Violation("the client connects", "no connection")
        return self._conversation(*coming.result(), SERVER)

    async def another(self, within: float) -> Conversation | None:
        """One more connection of the client, if it comes in this time."""
        try:
            reader, writer = await asyncio.wait_for(self.accept(), within)
        except TimeoutError:
            return None
        return self._conversation(reader, writer, SERVER)

    async def _ended(self) -> None:
        """Returns when the program has ended."""
        if self.program is None:
            await asyncio.Event().wait()
        else:
            await self.program.ended(self.waiting)

    def type(self, line: str) -> None:
        """What the client's person would type."""
        if self.program is not None:
            self.program.type(line)
