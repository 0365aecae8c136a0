"""Somebody who listens through the API: a link like any other, whose other end is in this process.

So whatever is told has passed the same barrier as everybody's, a slow reader is dropped like any other, and a server
that stops says goodbye here, too.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from parlour.core.session import Door, WireProtocol
from parlour.server.house import House
from parlour.server.link import Link

HIGH_WATER = 64 * 1024
HELLO = b'{"type":"hello"}\n'


class _Typed(msgspec.Struct):
    type: str


_type_of = msgspec.json.Decoder(_Typed).decode


class Pipe(asyncio.Transport):
    """What a session says, as payloads of its frames, for whoever reads them here."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 0)})
        self.link: Link
        self._payloads: deque[bytes] = deque()
        self._size = 0
        self._full = False
        self._closed = False
        self._changed = asyncio.Event()

    # --- for the link ------------------------------------------------------------------------------------------------

    def write(self, data: Any) -> None:
        if self._closed:
            return
        for payload in _payloads(bytes(data)):
            self._payloads.append(payload)
            self._size += len(payload)
        self._changed.set()
        if self._size > HIGH_WATER and not self._full:
            self._full = True
            self.link.pause_writing()

    def close(self) -> None:
        """No more will come; what is there may still be read."""
        if not self._closed:
            self._closed = True
            self._changed.set()
            asyncio.get_running_loop().call_soon(self.link.connection_lost, None)

    def abort(self) -> None:
        self._payloads.clear()
        self.close()

    def is_closing(self) -> bool:
        return self._closed

    def can_write_eof(self) -> bool:
        return False

    def pause_reading(self) -> None:
        """Nothing is said from this end but what began the conversation."""

    def resume_reading(self) -> None:
        """As little as there is to pause."""

    # --- for the reader ----------------------------------------------------------------------------------------------

    async def read(self) -> AsyncIterator[bytes]:
        """Every message, until the session ends the conversation."""
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
            await self._changed.wait()


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


class Ears:
    """How the API asks sessions of the browser's wire what a browser could ask."""

    def __init__(self, house: House, wire: WireProtocol, door: Door) -> None:
        self._house = house
        self._wire = wire
        self._door = door

    async def listen(self, line: bytes, address: str) -> AsyncIterator[bytes]:
        """Say one thing and hear everything that is said, the welcome left out."""
        pipe = Pipe(address)
        link = pipe.link = Link(self._house, self._wire, self._door)
        link.connection_made(pipe)
        try:
            link.data_received(HELLO + line + b"\n")
            async for payload in pipe.read():
                if _type_of(payload).type != "welcome":
                    yield payload
        finally:
            if not pipe.is_closing():
                link.eof_received()
                pipe.abort()

    async def ask(self, line: bytes, answer: str, address: str) -> bytes | None:
        """Say one thing and hear the first answer of this type; None when it is refused."""
        conversation = self.listen(line, address)
        try:
            async for payload in conversation:
                kind = _type_of(payload).type
                if kind == answer:
                    return payload
                if kind == "refused":
                    break
        finally:
            await conversation.aclose()  # type: ignore[attr-defined] # it is a generator
        return None
