"""The connection of a program that plays through the API: requests bring messages, one response carries lines of JSON.

It is driven like any other connection: what it is told has passed the same barrier, a slow reader is dropped, and a
server that stops says so on the stream.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from parlour.core.errors import Limit, Refusal, TooMuch
from parlour.core.session import Door, Output, WireProtocol
from parlour.core.updates import Declined, Update
from parlour.core.words import Record
from parlour.protocols.web.answers import Answer, RefusedMessage
from parlour.protocols.web.messages import FromClient, Play, Say
from parlour.protocols.web.passport import Passport
from parlour.protocols.web.programs import Observer, ProgramSession
from parlour.protocols.web.server import REFUSALS
from parlour.server import limits
from parlour.server.flushing import flushed
from parlour.server.house import House
from parlour.server.link import Link

HIGH_WATER = 64 * 1024
ELSEWHERE_SECONDS = 0.002
"""How long to wait at a time for an answer of another server."""


class Outbox(asyncio.Transport):
    """Keeps lines until the response takes them."""

    def __init__(self, link: Link, address: str) -> None:
        super().__init__({"peername": (address, 0)})
        self._link: Link | None = link
        self._lines: list[bytes] = []
        self._size = 0
        self._full = False
        self._closed = False
        self._changed = asyncio.Event()

    def write(self, data: Any) -> None:
        if self._closed:
            return
        self._lines.append(data)
        self._size += len(data)
        self._changed.set()
        if self._size > HIGH_WATER and not self._full and self._link is not None:
            self._full = True
            self._link.pause_writing()

    def close(self) -> None:
        """Nothing more will come; what is there may still be taken."""
        if not self._closed:
            self._closed = True
            self._changed.set()
            asyncio.get_running_loop().call_soon(self._lose)

    def _lose(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.connection_lost(None)

    def abort(self) -> None:
        self._lines.clear()
        self.close()

    def pause_reading(self) -> None:
        """Requests ask the link itself."""

    def resume_reading(self) -> None:
        """As above."""

    async def chunks(self, beat: float) -> AsyncIterator[bytes]:
        """Yields the lines as they come, and an empty one after so many seconds of silence."""
        while True:
            if self._lines:
                chunk = b"".join(self._lines)
                self._lines.clear()
                self._size = 0
                if self._full and self._link is not None:
                    self._full = False
                    self._link.resume_writing()
                yield chunk
            elif self._closed:
                return
            else:
                self._changed.clear()
                try:
                    async with asyncio.timeout(beat):
                        await self._changed.wait()
                except TimeoutError:
                    yield b"\n"


class ApiLink(Link):
    """One stream and the requests that belong to it."""

    __slots__ = ("_answer", "_observer", "_outbox")

    def __init__(
        self,
        house: House,
        protocol: WireProtocol,
        door: Door,
        address: str,
        passport: Passport | None,
        observer: Observer,
    ) -> None:
        super().__init__(house, protocol, door)
        self.session = ProgramSession(door, passport, self._observe)
        self._observer = observer
        self._answer: list[Answer | Record] | None = None
        """What is told while a request is dealt with."""
        self._outbox = Outbox(self, address)
        self.connection_made(self._outbox)

    def _observe(self, told: Answer | Record) -> bool:
        if self._answer is not None:
            self._answer.append(told)
        return self._observer(told)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        del self._observer  # it leads back here

    def tell(self, told: Update) -> None:
        if self._closing:
            return
        if type(told) is Declined:
            self._charge()
        self._perform(self.session.notify(told))

    def _post(self, out: Output) -> None:
        if not isinstance(out, bytes):
            super()._post(out)
        elif out:
            super()._post(out + b"\n")

    # --- for the API -------------------------------------------------------------------------------------------------

    @property
    def seat(self) -> int | None:
        return None if self.participant is None else self.participant.seat

    async def ask(self, message: FromClient) -> list[Answer | Record] | None:
        """Returns what the program is told at once, when that is in the log; None after the end. Raises TooMuch."""
        if not self._reading:
            limit = Limit("messages", "connection", limits.BURST, 1 / limits.REFILL_PER_SECOND)
            raise TooMuch(limit, round(limits.THROTTLE_SECONDS))
        if self._closing:
            return None
        self.house.wake()
        who = self._participant()
        before = who.table
        answer: list[Answer | Record] = []
        if type(message) is Play:
            self._deal_with(message, answer)
        else:
            await self._deal_with_in_turn(message, answer)
        while self.house.hub.owes(who):
            await asyncio.sleep(ELSEWHERE_SECONDS)
        self._answer = None
        table = who.table or before
        await flushed(self.house)
        if table is not None and self.house.lost(table):
            return [RefusedMessage(*REFUSALS[Refusal.LOG_DOWN], message.id)]
        return answer

    def _deal_with(self, message: FromClient, answer: list[Answer | Record]) -> None:
        if self._closing:
            return
        self._answer = answer
        self._perform(self.session.receive(message))
        if type(message) is not Play:
            self._charge()
        if self._debt > limits.BURST:
            self._throttle()

    async def _deal_with_in_turn(self, message: FromClient, answer: list[Answer | Record]) -> None:
        turns, done = self.house.turns, asyncio.Event()

        def deal() -> None:
            try:
                self._deal_with(message, answer)
            finally:
                done.set()

        if turns.crowded:
            turns.put_off(self, deal, talk=type(message) is Say)
        else:
            turns.carry_out(deal)
        await done.wait()

    def lines(self, beat: float) -> AsyncIterator[bytes]:
        """Yields what is told until the session ends it, and an empty line after so many seconds of silence."""
        return self._outbox.chunks(beat)

    def hang_up(self) -> None:
        """The reader has gone."""
        if self.transport is not None:
            self.eof_received()
            self._outbox.abort()
