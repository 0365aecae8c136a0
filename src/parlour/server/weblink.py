"""One browser's connection: the driver of every wire, with WebSocket frames around what it reads and writes.

What a browser says is nearly always one short frame of plain letters. Everything else (long or several messages at
once, fragments, other alphabets, pings, closing, nonsense) is for `websockets`, whose protocol object is made when it
is needed and dropped when it is not: it would be half of what an idle connection costs.
"""

import asyncio
import enum
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import cast

from websockets.datastructures import Headers, MultipleValuesError
from websockets.frames import CloseCode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol

from parlour.core.errors import Refusal
from parlour.core.session import Close, Door, HalfClose, Output, Outputs, WireProtocol
from parlour.core.updates import Declined, Update
from parlour.protocols.web.frames import Frames, frame, short_text
from parlour.protocols.web.updates import Words
from parlour.server import limits
from parlour.server.house import House
from parlour.server.link import Link
from parlour.web.posting import same_origin

PATH = "/ws"
NO_BREAKS = bytes.maketrans(b"\r\n", b"  ")
"""One message is one line for the codec; JSON does not mind spaces."""


class Stage(enum.Enum):
    """How far the conversation is."""

    SHAKING = enum.auto()
    OPEN = enum.auto()
    PEER_DONE = enum.auto()
    """The peer has said that it will say no more."""


class Framed:
    """What was last told to many, and its frames: each message is framed once, however many browsers are sent it."""

    __slots__ = ("data", "outputs")

    def __init__(self) -> None:
        self.outputs: Outputs | None = None
        self.data = b""


_framed = Framed()


class WebLink(Link):
    """A WebSocket. The HTTP server hands it the request that asks for one, then every byte that follows."""

    __slots__ = ("_frames", "_stage")

    def __init__(self, house: House, protocol: WireProtocol, door: Door, address: str = "") -> None:
        super().__init__(house, protocol, door)
        self._address = address
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
            self._greet(self.transport)
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
        if self._frames is None and not self._closing and (text := short_text(data)) is not None:
            Link.data_received(self, text.translate(NO_BREAKS) + b"\n")
            return
        self.house.wake()
        turns = self.house.turns
        if turns.crowded and not self._closing:
            self._stop_reading()
            turns.put_off(self, partial(self._read_in_turn, data), talk=False)
        else:
            turns.carry_out(partial(self._read, data))

    def _read_in_turn(self, data: bytes) -> None:
        """Taking frames apart had to wait."""
        if self.transport is not None:
            self._reading = True
            self._read(data)
            if self._reading:
                self.transport.resume_reading()

    def _begin(self) -> Frames:
        """Let `websockets` take over, from the beginning of a frame."""
        self._frames = Frames(ServerProtocol(state=State.OPEN, max_size=limits.WEB_MESSAGE_BYTES))
        return self._frames

    def _read(self, data: bytes) -> None:
        """Deal with messages, and with whatever came between or behind them."""
        frames = self._frames or self._begin()
        texts, others = frames.feed(data)
        for _ in range(others):
            self._charge()
        if texts:
            super().data_received(b"".join(text.translate(NO_BREAKS) + b"\n" for text in texts))
        if frames.closed_by_peer or frames.failed:
            self._conclude(frames)
        elif not self._closing:
            pongs = frames.take()
            if pongs:  # like all we say, they wait for a slow reader, and count
                self.house.hold(self, pongs)
            if frames.idle:
                self._frames = None
            if self._debt > limits.BURST and self._reading:
                self._throttle()

    def _read_on(self, _: str = "") -> None:
        super()._read_on()
        frames = self._frames
        if frames is not None and (frames.closed_by_peer or frames.failed):
            self._conclude(frames)

    def _conclude(self, frames: Frames) -> None:
        """The peer says no more, or may not: end, as soon as all that came before is dealt with."""
        if self._reading or self._closing:
            self._end(Stage.PEER_DONE if frames.closed_by_peer else self._stage)

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
        super().eof_received()
        return self.transport is not None and self.transport.can_write_eof()  # TLS has no half of a connection

    # --- writing -----------------------------------------------------------------------------------------------------

    def tell(self, told: Update) -> None:
        if self._closing:
            return
        if type(told) is Declined:
            self._charge()
        outputs = self.session.notify(told)
        framed = _framed
        if outputs is not framed.outputs:
            if len(outputs) == 1 and type(out := outputs[0]) is bytes:
                framed.data = frame(out)
            elif type(told) is Words:
                framed.data = b"".join(map(frame, told.messages))
            else:
                self._perform(outputs)
                return
            framed.outputs = outputs
        held = self.house.held
        if self in held:
            self.house.hold(self, framed.data)
        else:
            held[self] = framed.data

    def _hold(self, out: Output) -> None:
        self.house.hold(self, frame(out) if isinstance(out, bytes) else out)

    def _do_in_turn(self, item: Output) -> None:
        if not isinstance(item, Close | HalfClose):
            super()._do_in_turn(item)
            return
        assert self.transport is not None
        frames = self._frames or self._begin()
        draining = self.house.hub.refusing is Refusal.DRAINING
        goodbye = frames.close(CloseCode.GOING_AWAY if draining else CloseCode.NORMAL_CLOSURE)
        if goodbye:
            self.transport.write(goodbye)
        if self._stage is Stage.PEER_DONE:
            self.transport.close()
            return
        if frames.failed and self.transport.can_write_eof():
            with suppress(OSError):  # the peer may have gone already; the loop will say so
                self.transport.write_eof()
        self.house.wheel.add(self.house.hub.at, limits.LINGER_SECONDS, "linger", self._linger_over)


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
