"""One browser's connection: the driver of every wire, with WebSocket frames around what it reads and writes.

What a browser says is nearly always in short frames of plain letters. Everything else (long messages, fragments, other
alphabets, pings, closing, nonsense) is for `websockets`, whose protocol object is made when it is needed and dropped
when it is not: it would be half of what an idle connection costs.
"""

import asyncio
import enum
import re
from contextlib import suppress
from functools import lru_cache, partial
from http import HTTPStatus
from typing import cast

from websockets.datastructures import Headers, MultipleValuesError
from websockets.frames import CloseCode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.utils import accept_key

from parlour.core.errors import Refusal
from parlour.core.session import Close, Door, HalfClose, Output, Outputs, WireProtocol
from parlour.core.updates import Declined, Update
from parlour.core.words import Played, Record
from parlour.protocols.web.frames import Frames, forget, frame, short_text, short_texts
from parlour.protocols.web.server import WebSession
from parlour.protocols.web.updates import Words
from parlour.server import limits
from parlour.server.house import House
from parlour.server.link import Link
from parlour.web.posting import same_origin

PATH = "/ws"
KEY = re.compile(rb"[A-Za-z0-9+/]{22}==")
ASKED = re.compile(rb"GET %s(?:\?[!-~]*)? HTTP/1\.1((?:\r\n[\w!#$%%&'*+.^`|~-]+: ?[ -~]*)+)\r\n\r\n" % PATH.encode())
HOST = re.compile(rb"(?i)\r\nhost:([ -~]*)")
BODY = re.compile(rb"(?i)\r\n(?:content-length|transfer-encoding|expect):")
SWITCHING = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n"
)
NO_BREAKS = bytes.maketrans(b"\r\n", b"  ")
CLOSING = b"\x88\x02"
"""The beginning of a frame that says goodbye with a code (RFC 6455, 5.5.1)."""


class Stage(enum.Enum):
    """How far the conversation is."""

    SHAKING = enum.auto()
    OPEN = enum.auto()
    PEER_DONE = enum.auto()
    """The peer has said that it will say no more."""


class Framed:
    """What was last told to many, and its frames: each message is framed once, however many browsers are sent it."""

    __slots__ = ("data", "outputs", "told")

    def __init__(self) -> None:
        self.told: Update | None = None
        """A move: every session that tells things as they happen says the same of it."""
        self.outputs: Outputs | None = None
        self.data = b""


_framed = Framed()


class WebLink(Link):
    """A WebSocket. The HTTP server hands it the request that asks for one, then every byte that follows."""

    __slots__ = ("_frames", "_stage")

    def __init__(self, house: House, protocol: WireProtocol, door: Door, address: str = "") -> None:
        super().__init__(house, protocol, door)
        self.address = address
        self._stage = Stage.SHAKING
        self._frames: Frames | None = None
        """None unless something is under way, or the conversation ends."""

    # --- shaking hands -----------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_frames()
        if self._stage is Stage.SHAKING:  # it was never one of us
            self.transport = None
            del self.session
        else:
            super().connection_lost(exc)

    def _shake_hands(self, request: bytes) -> None:
        assert self.transport is not None
        answer = _accepted(request)
        accepted = answer is not None
        if answer is None:
            answer, accepted = _considered(request)
        self.transport.write(answer)
        if accepted:
            self._stage = Stage.OPEN
            self._greet(self.transport)
        else:
            self.transport.close()

    # --- reading -----------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """A short message is dealt with at once."""
        if self._frames is None and not self._closing and (text := short_text(data)) is not None:
            Link.data_received(self, text + b"\n")
            return
        if self._stage is Stage.SHAKING:
            self._shake_hands(data)
            return
        if not data:  # only going on with what was left unread
            Link.data_received(self, data)
            return
        self.house.wake()
        turns = self.house.turns
        if turns.crowded and not self._closing:
            self._stop_reading()
            turns.put_off(self, partial(self._read_in_turn, data), talk=False)
        else:
            turns.carry_out(partial(self._read, data))

    def _take_in(self, data: bytes) -> None:
        """One message with its end, or nothing but what was left unread."""
        super()._take_in(_line(data[:-1]) if data else data)

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

    def _forget_frames(self) -> None:
        if self._frames is not None:
            forget(self._frames.protocol)
            self._frames = None

    def _read(self, data: bytes) -> None:
        """Handle messages, and the frames that came between or behind them."""
        if self._frames is None and not self._closing and (texts := short_texts(data)):
            self._take_in_all(texts)
            return
        frames = self._frames or self._begin()
        texts, others = frames.feed(data)
        for _ in range(others):
            self._charge()
        if texts:
            self._take_in_all(texts)
        if frames.closed_by_peer or frames.failed:
            self._conclude(frames)
        elif not self._closing:
            pongs = frames.take()
            if pongs:  # like all we say, they wait for a slow reader, and count
                self.house.post(self, pongs)
            if frames.idle:
                self._forget_frames()
            if self._debt > limits.BURST and self._reading:
                self._throttle()

    def _take_in_all(self, texts: list[bytes]) -> None:
        if not self._closing:
            super()._take_in(b"".join(map(_line, texts)))

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
        framed, house = _framed, self.house
        session = self.session
        if told is not framed.told or type(session) is not WebSession:
            if type(told) is Declined:
                self._charge()
            outputs = session.notify(told)
            if outputs is not framed.outputs:
                if len(outputs) == 1 and type(out := outputs[0]) is bytes:
                    framed.data = frame(out)
                elif type(told) is Words:
                    framed.data = b"".join(map(frame, told.messages))
                else:
                    self._perform(outputs)
                    return
                framed.outputs = outputs
                framed.told = told if type(told) is Record and type(told.event) is Played else None
        outbox = house.outbox
        if self in outbox:
            house.post(self, framed.data)
        else:
            outbox[self] = framed.data

    def _post(self, out: Output) -> None:
        self.house.post(self, frame(out) if isinstance(out, bytes) else out)

    def _do_in_turn(self, item: Output) -> None:
        if not isinstance(item, Close | HalfClose):
            super()._do_in_turn(item)
            return
        assert self.transport is not None
        draining = self.house.hub.refusing is Refusal.DRAINING
        code = CloseCode.GOING_AWAY if draining else CloseCode.NORMAL_CLOSURE
        if self._frames is None and self._stage is Stage.PEER_DONE:  # without a word, and none is waited for
            self.transport.write(CLOSING + code.to_bytes(2))
            self.transport.close()
            return
        frames = self._frames or self._begin()
        goodbye = frames.close(code)
        if goodbye:
            self.transport.write(goodbye)
        if self._stage is Stage.PEER_DONE:
            self.transport.close()
            return
        if frames.failed and self.transport.can_write_eof():
            with suppress(OSError):  # the peer may have gone already; the loop will say so
                self.transport.write_eof()
        self.house.wheel.add(self.house.hub.at, limits.LINGER_SECONDS, "linger", self._linger_over)


def _line(text: bytes) -> bytes:
    """A message as the codec wants it; JSON does not mind spaces."""
    return text.translate(NO_BREAKS) + b"\n"


# --- the request -----------------------------------------------------------------------------------------------------


def host_of(request: bytes) -> str:
    """Of whom a WebSocket is asked, by a whole request as browsers make it; empty for any other."""
    found = ASKED.fullmatch(request) if len(request) <= limits.WEB_REQUEST_BYTES else None
    host = None if found is None or _accepted(request) is None else HOST.search(found[1])
    return "" if host is None or BODY.search(request) else host[1].strip().decode()


@lru_cache(1)  # the door asks first, then the connection
def _accepted(request: bytes) -> bytes | None:
    """The answer to a request as browsers make it. Any other is for `websockets`, which takes ten times as long."""
    head, *lines = request.rstrip().split(b"\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
    key, host = headers.get(b"sec-websocket-key", b""), headers.get(b"host", b"").decode("latin-1")
    origins = [headers[b"origin"].decode("latin-1")] if b"origin" in headers else []
    usual = (
        len(headers) == len(lines)
        and head.partition(b"?")[0].removesuffix(b" HTTP/1.1") == b"GET " + PATH.encode()
        and head.endswith(b" HTTP/1.1")
        and headers.get(b"upgrade", b"").lower() == b"websocket"
        and headers.get(b"connection", b"").lower() in (b"upgrade", b"keep-alive, upgrade")
        and headers.get(b"sec-websocket-version") == b"13"
        and KEY.fullmatch(key)
        and same_origin(origins, host)
    )
    return SWITCHING % accept_key(key.decode()).encode() if usual else None


def _considered(request: bytes) -> tuple[bytes, bool]:
    """The answer to an unusual request, and whether it is granted. No extension is, so nothing is ever compressed."""
    protocol = ServerProtocol()
    protocol.receive_data(request)
    for event in protocol.events_received():
        assert isinstance(event, Request)
        protocol.send_response(_answer(protocol, event))
    forget(protocol)
    return b"".join(protocol.data_to_send()), protocol.state is State.OPEN


def _answer(protocol: ServerProtocol, request: Request) -> Response:
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
