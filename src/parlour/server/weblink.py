"""One browser's connection: the driver of every wire, with WebSocket frames around what it reads.

What the session says are frames already, built once for everybody, and go to the transport as they are. What the
browser says is nearly always one whole frame of plain letters, and is unmasked here in a few steps; all else
(fragments, other alphabets, pings, closing, nonsense) is for `websockets`, whose protocol object comes to life when it
is needed and goes when it is not: it would be half of what an idle connection costs.
"""

import asyncio
import enum
from contextlib import suppress
from http import HTTPStatus
from typing import cast

from websockets.datastructures import Headers, MultipleValuesError
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol

from parlour.core.errors import Refusal
from parlour.core.session import Close, Door, HalfClose, Output, WireProtocol
from parlour.server import limits
from parlour.server.house import House
from parlour.server.link import Link
from parlour.web.posting import same_origin

try:
    from websockets.speedups import apply_mask
except ImportError:  # no compiler where it was installed
    from websockets.utils import apply_mask

PATH = "/ws"
WHOLE_TEXT = 0x81
"""The first byte of a text message in one frame."""
MASKED = 0x80
SHORT = 126
"""A length from here on takes two bytes of its own."""
NO_BREAKS = bytes.maketrans(b"\r\n", b"  ")
"""One message is one line for the codec; JSON does not mind spaces."""


class Stage(enum.Enum):
    """How far the conversation is."""

    SHAKING = enum.auto()
    OPEN = enum.auto()
    PEER_DONE = enum.auto()
    """The peer has said that it will say no more."""


class Frames:
    """What `websockets` makes of the bytes, for as long as something is under way that takes more than one look."""

    __slots__ = ("_owed", "_text", "failed", "protocol")

    def __init__(self) -> None:
        self.protocol = ServerProtocol(state=State.OPEN, max_size=limits.WEB_MESSAGE_BYTES)
        self._owed = 0
        """Bytes that no complete frame has accounted for; a peer that spells lengths wastefully always owes some."""
        self._text: bytearray | None = None
        """The message whose fragments are coming in."""
        self.failed = False
        """Whether the peer broke the rules; what follows is not looked at."""

    def feed(self, data: bytes) -> tuple[list[bytes], int]:
        """The messages that are complete now, and how many frames were none."""
        protocol = self.protocol
        protocol.receive_data(data)
        self._owed += len(data)
        texts: list[bytes] = []
        others = 0
        for frame in cast(list[Frame], protocol.events_received()):
            self._owed -= _least_size(len(frame.data))
            text = self._gather(frame)
            if self.failed:
                break
            if text is None:
                others += 1
            else:
                texts.append(text)
        self.failed = self.failed or protocol.parser_exc is not None
        return texts, others

    def _gather(self, frame: Frame) -> bytes | None:
        """The message that this frame completes, if it does."""
        match frame.opcode:
            case Opcode.TEXT:
                self._text = bytearray(frame.data)
            case Opcode.CONT if self._text is not None:
                self._text += frame.data
            case Opcode.BINARY:
                self._fail(CloseCode.UNSUPPORTED_DATA, "only text is understood here")
                return None
            case _:
                return None
        if not frame.fin:
            return None
        text, self._text = bytes(self._text), None
        try:
            text.decode()
        except UnicodeDecodeError as error:
            self._fail(CloseCode.INVALID_DATA, f"{error.reason} at position {error.start}")
        return text

    def _fail(self, code: CloseCode, reason: str) -> None:
        self.failed = True
        if self.protocol.state is State.OPEN:  # otherwise the peer closes already
            self.protocol.fail(code, reason)

    @property
    def closed_by_peer(self) -> bool:
        return self.protocol.close_rcvd is not None

    @property
    def answered(self) -> bool:
        """Whether the peer has answered our own goodbye."""
        return self.protocol.close_rcvd_then_sent is False

    @property
    def idle(self) -> bool:
        """Whether nothing is under way: whatever comes next may as well be looked at afresh."""
        return not self._owed and self._text is None and self.protocol.state is State.OPEN

    def pongs(self) -> bytes:
        """The answers to pings."""
        return b"".join(self.protocol.data_to_send())

    def goodbye(self, code: CloseCode) -> bytes:
        """The frames that end our side; none when they were taken before."""
        if self.protocol.state is State.OPEN:
            self.protocol.send_close(code)
        return b"".join(self.protocol.data_to_send())


def _least_size(length: int) -> int:
    """What a masked frame with so much in it takes up at least."""
    return length + (6 if length < SHORT else 8 if length < 1 << 16 else 14)


class WebLink(Link):
    """A WebSocket. Whoever speaks HTTP here hands it the request that asks for one, then every byte that follows."""

    __slots__ = ("_frames", "_stage")

    def __init__(self, house: House, protocol: WireProtocol, door: Door) -> None:
        super().__init__(house, protocol, door)
        self._stage = Stage.SHAKING
        self._frames: Frames | None = None
        """None unless something is under way, or the conversation ends."""

    # --- shaking hands -----------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._frames = None
        if self._stage is Stage.SHAKING:  # it was never one of us
            self.transport = None
            del self.session
        else:
            super().connection_lost(exc)

    def _shake_hands(self, request_bytes: bytes) -> None:
        assert self.transport is not None
        protocol = ServerProtocol()
        protocol.receive_data(request_bytes)
        for request in protocol.events_received():
            assert isinstance(request, Request)
            protocol.send_response(_answer(protocol, request))
        self.transport.write(b"".join(protocol.data_to_send()))
        if protocol.state is State.OPEN:
            self._stage = Stage.OPEN
            super().connection_made(self.transport)
        else:
            self.transport.close()

    # --- reading -----------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        if self._stage is Stage.SHAKING:
            self._shake_hands(data)
            return
        if not data:  # only going on with what was left unread
            super().data_received(data)
            return
        if self._frames is None and not self._closing:
            if 6 <= len(data) < SHORT + 6 and len(data) == (data[1] ^ MASKED) + 6 and data[0] == WHOLE_TEXT:
                text = apply_mask(data[6:], data[2:6])
                if text.isascii():  # one short message, as nearly always
                    Link.data_received(self, text.translate(NO_BREAKS) + b"\n")
                    return
            lines, rest = _plain(data)
            if not rest:
                super().data_received(lines)
                return
            self._frames = Frames()
            texts, others = self._frames.feed(rest)
        else:
            self._frames = self._frames or Frames()
            lines = b""
            texts, others = self._frames.feed(data)
        self._read(lines + b"".join(text.translate(NO_BREAKS) + b"\n" for text in texts), others)

    def _read(self, lines: bytes, others: int) -> None:
        """Deal with messages, and with whatever came between or behind them."""
        assert self._frames is not None
        frames = self._frames
        self.house.wake()
        for _ in range(others):
            self._charge()
        if lines:
            super().data_received(lines)
        if frames.closed_by_peer:
            self._end(Stage.PEER_DONE)
        elif frames.failed:
            self._end(self._stage)
        elif not self._closing:
            pongs = frames.pongs()
            if pongs:  # like all we say, they wait for a slow reader, and count
                self.house.hold(self, pongs)
            if frames.idle:
                self._frames = None
            if self._debt > limits.BURST and self._reading:
                self._throttle()

    def _end(self, stage: Stage) -> None:
        """The peer closes, or must not go on: that is leaving, as the end of the connection is."""
        self._stage = stage
        if not self._closing:
            super().eof_received()
        elif self._frames is not None and self._frames.answered and self.transport is not None:
            self.transport.close()

    def eof_received(self) -> bool:
        if self._stage is Stage.SHAKING:
            return False
        self._stage = Stage.PEER_DONE
        return super().eof_received()

    # --- writing -----------------------------------------------------------------------------------------------------

    def _do_in_turn(self, item: Output) -> None:
        if not isinstance(item, Close | HalfClose):
            super()._do_in_turn(item)
            return
        assert self.transport is not None
        self._frames = self._frames or Frames()
        draining = self.house.hub.refusing is Refusal.DRAINING
        goodbye = self._frames.goodbye(CloseCode.GOING_AWAY if draining else CloseCode.NORMAL_CLOSURE)
        if goodbye:
            self.transport.write(goodbye)
        if self._stage is Stage.PEER_DONE:
            self.transport.close()
            return
        if self._frames.failed and self.transport.can_write_eof():
            with suppress(OSError):  # the peer may have gone already; the loop will say so
                self.transport.write_eof()
        self.house.wheel.add(self.house.hub.at, limits.LINGER_SECONDS, "linger", self._linger_over)


def _plain(data: bytes) -> tuple[bytes, bytes]:
    """The whole plain messages that `data` begins with, as lines, and the bytes behind them."""
    lines: list[bytes] = []
    at, end = 0, len(data)
    while end - at >= 6 and data[at] == WHOLE_TEXT and data[at + 1] & MASKED:
        length, mask = data[at + 1] ^ MASKED, at + 2
        if length >= SHORT:
            if length > SHORT:
                break
            length, mask = int.from_bytes(data[mask : mask + 2]), at + 4
            if not SHORT <= length <= limits.WEB_MESSAGE_BYTES:
                break
        stop = mask + 4 + length
        if stop > end:
            break
        text = apply_mask(data[mask + 4 : stop], data[mask : mask + 4])
        if not text.isascii():
            break
        lines.append(text.translate(NO_BREAKS))
        at = stop
    if not lines:
        return b"", data
    lines.append(b"")
    return b"\n".join(lines), data[at:]


# --- the request -----------------------------------------------------------------------------------------------------


def _answer(protocol: ServerProtocol, request: Request) -> Response:
    """Whether this request gets a WebSocket. No extension is offered, so nothing is ever compressed."""
    if request.path.partition("?")[0] != PATH:
        return protocol.reject(HTTPStatus.NOT_FOUND, f"The WebSocket is at {PATH}.\n")
    if not _same_origin(request.headers):
        return protocol.reject(HTTPStatus.FORBIDDEN, "This page is not one of ours.\n")
    return protocol.accept(request)


def _same_origin(headers: Headers) -> bool:
    try:
        return same_origin(headers.get_all("Origin"), headers.get("Host", ""))
    except MultipleValuesError:
        return False
