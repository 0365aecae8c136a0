"""One connection to the peer: what is said, what comes, and how long it may take."""

import asyncio
import contextlib
import socket
import struct
import time
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from parlour.conform.case import Clause, Violation
from parlour.core.errors import ProtocolError, behind
from parlour.core.session import Codec
from parlour.trace.reading import CLIENT, END, RESET, SERVER

FLOOD = 1 << 20
"""Bytes from a peer in one case; more are not read."""
PATIENCE = 5
"""Times the seconds of a silence that one message may take, if its bytes keep coming."""
DRIBBLE = 0.004
"""Seconds between two pieces, long enough that they arrive as two."""

M = TypeVar("M")


class Segment(msgspec.Struct, frozen=True):
    """Bytes that went by on one connection, or the end of a side."""

    at: float
    connection: int
    sender: str
    """C or S."""
    data: bytes
    end: str = ""


class End(msgspec.Struct, frozen=True):
    """The peer has closed the connection."""

    reset: bool = False

    def __str__(self) -> str:
        return "the connection was reset" if self.reset else "the connection was closed"


class Silence(msgspec.Struct, frozen=True):
    """The peer has said nothing, or not all of a message, in this time."""

    seconds: float
    unread: bytes = b""

    def __str__(self) -> str:
        waited = f"nothing for {self.seconds:.1f} seconds"
        return f"{waited}, after {shown(self.unread)} that is no whole message" if self.unread else waited


class Nonsense(msgspec.Struct, frozen=True):
    """Bytes that are no message."""

    data: bytes
    why: str

    def __str__(self) -> str:
        return f"{shown(self.data)}, which is no message: {self.why}"


Other = End | Silence | Nonsense


class Clock:
    """How long we have waited for the peer in this case; our own thinking does not count."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        """What one wait may take."""
        self.waited = 0.0

    def spent(self, share: float = 1.0) -> bool:
        """Whether so many times the seconds of a case have passed in waiting."""
        return self.waited >= share * self.seconds


class Conversation:
    """One connection. Bytes out as they are given; messages in, by the wire's codec."""

    def __init__(
        self,
        number: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        codec: Codec[Any],
        phase: Any,
        we: str,
        clock: Clock,
        segments: list[Segment],
        grammar: Callable[[bytes], Clause],
    ) -> None:
        self.number = number
        self.phase = phase
        """By which the codec reads what comes next; a wire's script sets it where that matters."""
        self.ended: End | None = None
        self._reader, self._writer = reader, writer
        self._codec = codec
        self._we, self._they = we, SERVER if we == CLIENT else CLIENT
        self._clock = clock
        self._segments = segments
        self._grammar = grammar
        self._data = b""
        self._until = b""
        self._read = 0

    # --- saying -----------------------------------------------------------------------------------------------------

    async def send(self, *parts: bytes, pause: float = DRIBBLE) -> None:
        """Each part as a segment of its own. A peer that has gone is noticed when its answer is awaited."""
        for number, part in enumerate(parts):
            if number:
                await asyncio.sleep(pause)
            if self._writer.is_closing():
                return
            self._note(self._we, part)
            with contextlib.suppress(OSError):
                self._writer.write(part)
                await asyncio.wait_for(self._writer.drain(), self._clock.seconds)

    async def dribble(self, data: bytes, pause: float = DRIBBLE) -> None:
        """One byte after the other."""
        await self.send(*(data[at : at + 1] for at in range(len(data))), pause=pause)

    def finish(self) -> None:
        """Say that nothing more will come, and go on listening: a half-close."""
        self._note(self._we, b"", END)
        with contextlib.suppress(OSError):
            self._writer.write_eof()

    async def leave(self) -> None:
        """Close the connection."""
        if not self._writer.is_closing():
            self._note(self._we, b"", END)
        self._writer.close()
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(self._writer.wait_closed(), 1.0)

    async def reset(self) -> None:
        """Cut the connection off."""
        connection: socket.socket = self._writer.get_extra_info("socket")
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._note(self._we, b"", RESET)
        self._writer.transport.abort()

    # --- listening --------------------------------------------------------------------------------------------------

    async def receive(self, within: float | None = None) -> Any:
        """The next message; Nonsense, End or Silence where there is none."""
        limit = self._clock.seconds if within is None else within
        began = heard = time.monotonic()
        while (found := self._parse()) is None:
            if self.ended is not None:
                rest, self._data = self._data, b""
                return Nonsense(rest, f"{self.ended} within it") if rest.strip() else self.ended
            left = min(heard + limit, began + PATIENCE * limit) - time.monotonic()
            if left <= 0 or not await self._more(left):
                return Silence(limit, self._data)
            heard = time.monotonic()
        return found

    async def expect(
        self, kind: type[M], expected: str, clause: Clause | None = None, within: float | None = None
    ) -> M:
        """A message of this kind, which must be the next; anything else is a violation."""
        came = await self.receive(within)
        if not isinstance(came, kind):
            raise self.wrong(came, expected, clause)
        return came

    async def expect_end(self, clause: Clause | None = None, within: float | None = None) -> None:
        """The peer closes the connection, and says nothing before."""
        came = await self.receive(within)
        if not isinstance(came, End):
            raise self.wrong(came, "the end of the connection", clause)

    async def expect_silence(self, seconds: float, expected: str, clause: Clause | None = None) -> None:
        """Nothing comes for a while. The end of the connection is no word."""
        came = await self.receive(seconds)
        if not isinstance(came, Silence | End):
            raise self.wrong(came, expected, clause)

    async def listen(self, seconds: float) -> list[Any]:
        """Everything that comes until it is quiet for so long, or the end."""
        heard: list[Any] = []
        while not isinstance(came := await self.receive(seconds), Silence):
            heard.append(came)
            if isinstance(came, End) or self._read > FLOOD:
                break
        return heard

    def wrong(self, came: Any, expected: str, clause: Clause | None = None) -> Violation:
        """What is wrong with `came`: bytes that are no message break the grammar, whatever was expected."""
        data = came.data if isinstance(came, Nonsense) else came.unread if isinstance(came, Silence) else b""
        return Violation(expected, told(came), self._grammar(data) if data.strip() else clause)

    @property
    def left(self) -> bool:
        """Whether we have closed the connection."""
        return self._writer.is_closing()

    @property
    def flooded(self) -> bool:
        """Whether more has come than anyone can mean."""
        return self._read > FLOOD

    # --- bytes ------------------------------------------------------------------------------------------------------

    async def _more(self, seconds: float) -> bool:
        """Whether something came, be it the end."""
        began = time.monotonic()
        try:
            data = await asyncio.wait_for(self._reader.read(1 << 16), seconds)
        except TimeoutError:
            return False
        except OSError:
            self.ended = End(reset=True)
            self._note(self._they, b"", RESET)
            return True
        finally:
            self._clock.waited += time.monotonic() - began
        if data:
            self._note(self._they, data)
            self._take(data)
        else:
            self.ended = End()
            self._note(self._they, b"", END)
        return True

    def _take(self, data: bytes) -> None:
        self._read += len(data)
        if self._until:
            tail = behind(self._until, data)
            if tail is None:
                return
            data, self._until = tail, b""
        self._data += data

    def _parse(self) -> Any:
        if not self._data or self._read > FLOOD:
            return None
        try:
            found = self._codec.parse(self._data, 0, self.phase)
        except ProtocolError as error:
            end = max(error.resume, 1)
            wrong, self._data, self._until = self._data[:end], self._data[end:], error.until
            return Nonsense(wrong, str(error))
        if found is None:
            return None
        message, end = found
        self._data = self._data[end:]
        return message

    def _note(self, sender: str, data: bytes, end: str = "") -> None:
        self._segments.append(Segment(time.time(), self.number, sender, data, end))


def told(came: Any) -> str:
    """A message, or what came in its place, in one line."""
    if isinstance(came, Other | str):
        return str(came)
    values = (getattr(came, name) for name in getattr(came, "__struct_fields__", ()))
    words = (shown(value) if isinstance(value, bytes) else str(value) for value in values)
    return " ".join((type(came).__name__.upper(), *words))


def shown(data: bytes) -> str:
    """Bytes as text, not all of them when they are many."""
    text = data[:60].decode("ascii", "backslashreplace").encode("unicode_escape").decode()
    return f"“{text}”" if len(data) <= 60 else f"“{text}…” ({len(data)} bytes)"
