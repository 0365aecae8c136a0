"""Somebody who plays or listens through the API: a link like any other, whose other end is in this process.

So whatever is told has passed the same barrier as everybody's, a slow reader is dropped like any other, and a server
that stops says goodbye here, too.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import msgspec

from parlour.core.session import Door, WireProtocol
from parlour.protocols.web.frames import frame
from parlour.server import limits
from parlour.server.house import House
from parlour.server.link import Link
from parlour.web.limiting import TooMuch

HIGH_WATER = 64 * 1024
HELLO = b'{"type":"hello"}\n'
BEGIN, END = b"<", b">"
"""Before and behind all that comes at once of one thing said. No session says them: it says JSON objects."""
_BEGIN, _END = frame(BEGIN), frame(END)


class _Typed(msgspec.Struct):
    type: str


_type_of = msgspec.json.Decoder(_Typed).decode


class Pipe(asyncio.Transport):
    """What a session says, as payloads of its frames, for whoever reads them here."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 0)})
        self.link: Link
        self.reading = True
        """Whether the link wants to hear more; it says no to whoever says too much."""
        self._payloads: deque[bytes] = deque()
        self._size = 0
        self._full = False
        self._closed = False
        self._changed = asyncio.Event()
        self._answers: deque[asyncio.Future[list[bytes] | None]] = deque()
        """For what was said and is not answered yet, in order."""
        self._answer: list[bytes] | None = None

    # --- for the link ------------------------------------------------------------------------------------------------

    def write(self, data: Any) -> None:
        if self._closed:
            return
        for payload in _payloads(bytes(data)):
            if payload == BEGIN:
                self._answer = []
            elif payload == END:
                self._conclude()
            else:
                self._payloads.append(payload)
                self._size += len(payload)
                if self._answer is not None:
                    self._answer.append(payload)
        self._changed.set()
        if self._size > HIGH_WATER and not self._full:
            self._full = True
            self.link.pause_writing()

    def _conclude(self) -> None:
        future = self._answers.popleft()
        if not future.done():  # whoever asked may have gone
            future.set_result(self._answer)
        self._answer = None

    def close(self) -> None:
        """No more will come; what is there may still be read."""
        if not self._closed:
            self._closed = True
            self._changed.set()
            while self._answers:
                self._answer = None
                self._conclude()
            asyncio.get_running_loop().call_soon(self.link.connection_lost, None)

    def abort(self) -> None:
        self._payloads.clear()
        self.close()

    def is_closing(self) -> bool:
        return self._closed

    def can_write_eof(self) -> bool:
        return False

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    # --- for the other end -------------------------------------------------------------------------------------------

    def expect(self) -> "asyncio.Future[list[bytes] | None]":
        """What comes between the next marks; None if the conversation ends before."""
        future: asyncio.Future[list[bytes] | None] = asyncio.get_running_loop().create_future()
        if self._closed:
            future.set_result(None)
        else:
            self._answers.append(future)
        return future

    async def read(self, beat: float | None = None) -> AsyncIterator[bytes]:
        """Every message, until the session ends the conversation; nothing, after so many seconds of silence."""
        while True:
            while self._payloads:
                payload = self._payloads.popleft()
                self._size -= len(payload)
                if self._full and not self._size:
                    self._full = False
                    self.link.resume_writing()
                yield payload
            if self._closed:
                return
            self._changed.clear()
            try:
                async with asyncio.timeout(beat):
                    await self._changed.wait()
            except TimeoutError:
                yield b""


def _payloads(frames: bytes) -> list[bytes]:
    """What is in these unmasked text frames; all are whole."""
    found = []
    at = 0
    while at < len(frames):
        size, at = frames[at + 1], at + 2
        if size >= 126:
            width = 2 if size == 126 else 8
            size, at = int.from_bytes(frames[at : at + width]), at + width
        found.append(frames[at : at + size])
        at += size
    return found


class Call:
    """One conversation, as a browser would have it on its WebSocket."""

    def __init__(self, house: House, wire: WireProtocol, door: Door, address: str) -> None:
        self._house = house
        self._pipe = Pipe(address)
        self._link = self._pipe.link = Link(house, wire, door)
        self._link.connection_made(self._pipe)

    @property
    def seat(self) -> int | None:
        """Where the caller sits just now."""
        who = self._link.participant
        return None if who is None else who.seat

    async def ask(self, line: bytes) -> list[bytes] | None:
        """Say one thing, and hear what came of it at once; None when nothing can be said here. Raises TooMuch."""
        if not self._pipe.reading:
            raise TooMuch(f"{limits.BURST} messages at once on one connection", round(limits.THROTTLE_SECONDS))
        answer = self._pipe.expect()
        if not answer.done():
            # A message is dealt with before this returns, so nothing of anybody else's comes between the marks.
            self._house.wake()
            self._house.hold(self._link, _BEGIN)
            self._link.data_received(line + b"\n")
            self._house.hold(self._link, _END)
        return await answer

    def say(self, line: bytes) -> None:
        """Say one thing, or more."""
        if not self._pipe.is_closing():
            self._link.data_received(line + b"\n")

    def read(self, beat: float | None = None) -> AsyncIterator[bytes]:
        """Everything that is said, and nothing after so many seconds of silence."""
        return self._pipe.read(beat)

    def hang_up(self) -> None:
        """Go, as somebody goes whose connection breaks."""
        if not self._pipe.is_closing():
            self._link.eof_received()
            self._pipe.abort()


class Ears:
    """How the API asks sessions of the browser's wire what a browser could ask."""

    def __init__(self, house: House, wire: WireProtocol, door: Door) -> None:
        self._house = house
        self._wire = wire
        self._door = door

    def call(self, address: str) -> Call:
        """Begin a conversation."""
        return Call(self._house, self._wire, self._door, address)

    async def listen(self, line: bytes, address: str) -> AsyncIterator[bytes]:
        """Say one thing and hear everything that is said, the welcome left out."""
        call = self.call(address)
        try:
            call.say(HELLO + line)
            async for payload in call.read():
                if _type_of(payload).type != "welcome":
                    yield payload
        finally:
            call.hang_up()

    async def ask(self, line: bytes, answer: str, address: str) -> bytes | None:
        """Say one thing and hear the first answer of this type; None when it is refused."""
        async with aclosing(self.listen(line, address)) as conversation:  # type: ignore[type-var] # a generator
            async for payload in conversation:
                kind = _type_of(payload).type
                if kind == answer:
                    return payload
                if kind == "refused":
                    break
        return None
