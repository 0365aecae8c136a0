"""A browser: HTTP, the upgrade to a WebSocket, and the JSON in its frames; or that JSON as plain lines."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import h11
import msgspec
from websockets.exceptions import PayloadTooBig
from websockets.exceptions import ProtocolError as FrameError
from websockets.extensions.permessage_deflate import PerMessageDeflate
from websockets.frames import CTRL_OPCODES, Frame, Opcode
from websockets.streams import StreamReader

from parlour.core.errors import LocalError, ProtocolError
from parlour.core.game import Game
from parlour.protocols.web.answers import Gone, Other, RecordMessage, TableSnapshot, Waiting, Welcome
from parlour.protocols.web.codec import LONGEST_LINE, WebCodec, heard
from parlour.protocols.web.messages import Odd
from parlour.protocols.web.phases import TABLE, Phase
from parlour.protocols.web.sight import Sight
from parlour.registry import games
from parlour.trace.follower import Follower, Heard, Zone, plain

LONGEST_HEAD = 64 * 1024
LONGEST_MESSAGE = 1 << 20
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_DEFLATE = "permessage-deflate"


class _Text(msgspec.Struct):
    """A complete text message of one side."""

    data: bytes


class _Piece(msgspec.Struct):
    """A part of something that has no name of its own: a body, a control frame, a fragment."""

    name: str
    fields: dict[str, Any]


class _Head(msgspec.Struct):
    """A request or an answer of HTTP."""

    name: str
    fields: dict[str, Any]
    note: str = ""


class _Side:
    """What one side of the connection is in the middle of."""

    def __init__(self) -> None:
        self.http: h11.Connection | None = None
        """The reader of a body that has begun."""
        self.text = bytearray()
        self.deflate: PerMessageDeflate | None = None
        self.failed = False


class WebFollower(Follower):
    """One connection: pages and the API, then perhaps a WebSocket."""

    codec = WebCodec()
    limit = LONGEST_MESSAGE

    def __init__(self, zone: Zone, connection: int, dialect: str) -> None:
        super().__init__(zone, connection, dialect)
        self._mode = ""
        """`http`, `frames`, or `lines`: the messages alone, one a line, as our transcripts have them."""
        self._sides = {"C": _Side(), "S": _Side()}
        self._requests: list[h11.Request] = []
        self._phase = Phase.GREETING
        self._games: Mapping[str, Game] = games()
        self._sight: Sight | None = None
        self._seq = -1
        """The number of the last record: one may be said again."""

    @property
    def phase(self) -> str:
        return "HTTP" if self._mode == "http" else self._phase.value

    def reads(self, sender: str) -> Any:  # noqa: ARG002 - only a client's lines are read by the codec
        return self._phase

    def board(self) -> str:
        return "" if self._sight is None else self._sight.text()

    # --- bytes --------------------------------------------------------------------------------------------------------

    def parse(self, sender: str, data: bytes, start: int) -> tuple[Any, int] | None:
        if not self._mode:
            self._mode = "lines" if data[start : start + 1] == b"{" else "http"
        side = self._sides[sender]
        if side.failed:
            raise ProtocolError("nothing can be understood after that", len(data))
        try:
            if self._mode == "lines":
                return self._line(data, start)
            return self._frame(sender, data, start) if self._mode == "frames" else self._http(sender, data, start)
        except ProtocolError:
            side.failed = self._mode != "lines"
            raise

    def _line(self, data: bytes, start: int) -> tuple[Any, int] | None:
        end = data.find(b"\n", start)
        return None if end < 0 else (_Text(data[start:end]), end + 1)

    def _http(self, sender: str, data: bytes, start: int) -> tuple[Any, int] | None:
        side = self._sides[sender]
        try:
            if side.http is not None:
                return self._body(side, data[start:], start)
            found = _HEAD_END.search(data, start)
            if found is None:
                if len(data) - start > LONGEST_HEAD:
                    raise ProtocolError("no head of HTTP", len(data))
                return None
            head = data[start : found.end()]
            return (self._request(head) if sender == "C" else self._response(head)), found.end()
        except h11.ProtocolError as error:
            raise ProtocolError(f"not HTTP: {error}", len(data)) from None

    def _request(self, head: bytes) -> _Head:
        reader = h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_HEAD)
        reader.receive_data(head)
        request = reader.next_event()
        if not isinstance(request, h11.Request):
            raise ProtocolError("no request of HTTP", len(head))
        if len(self._requests) < 64:
            self._requests.append(request)
        self._sides["C"].http = _unfinished(reader)
        return _Head(request.method.decode(), {"path": plain(request.target), **_shown(request.headers)})

    def _response(self, head: bytes) -> _Head:
        reader = h11.Connection(h11.CLIENT, max_incomplete_event_size=LONGEST_HEAD)
        request = self._requests[0] if self._requests else h11.Request(method="GET", target="/", headers=[("host", "")])
        reader.send(request)
        if reader.our_state is h11.SEND_BODY:
            reader.send(h11.EndOfMessage()) if not _length(request) else None
        reader.receive_data(head)
        answer = reader.next_event()
        if not isinstance(answer, h11.Response | h11.InformationalResponse):
            raise ProtocolError("no answer of HTTP", len(head))
        note = "" if self._requests else "no request came before it"
        code = answer.status_code
        if code == 101:
            self._mode = "frames"
            self._agree(answer.headers)
        elif isinstance(answer, h11.Response):
            self._requests[:1] = []
            self._sides["S"].http = _unfinished(reader)
        return _Head("HTTP", {"status": code, **_shown(answer.headers)}, note)

    def _agree(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Whether frames are compressed, by the answer to the upgrade (RFC 7692)."""
        for name, value in headers:
            if name == b"sec-websocket-extensions" and _DEFLATE in value.decode("latin-1"):
                words = value.decode("latin-1")
                for sender, whose in (("C", "client"), ("S", "server")):
                    forgets = f"{whose}_no_context_takeover" in words
                    self._sides[sender].deflate = PerMessageDeflate(forgets, forgets, 15, 15)

    def _body(self, side: _Side, data: bytes, start: int) -> tuple[_Piece, int]:
        """Takes as much of a body as has arrived; it may have no end."""
        assert side.http is not None
        reader, size = side.http, 0
        reader.receive_data(data)
        while True:
            event = reader.next_event()
            if isinstance(event, h11.Data):
                size += len(event.data)
            elif event is h11.NEED_DATA:
                return _Piece("body", {"size": size}), start + len(data)
            else:
                side.http = None
                left = len(reader.trailing_data[0])
                return _Piece("body", {"size": size, "last": True}), start + len(data) - left

    def _frame(self, sender: str, data: bytes, start: int) -> tuple[Any, int] | None:
        side, reader = self._sides[sender], StreamReader()
        reader.feed_data(data[start:])
        extensions = [] if side.deflate is None else [side.deflate]
        parsing = Frame.parse(reader.read_exact, mask=sender == "C", max_size=LONGEST_MESSAGE, extensions=extensions)
        try:
            next(parsing)
        except StopIteration as done:
            frame: Frame = done.value
            return self._gather(side, frame), len(data) - len(reader.buffer)
        except (FrameError, PayloadTooBig) as error:
            raise ProtocolError(f"no frame of a WebSocket: {error}", len(data)) from None
        return None

    def _gather(self, side: _Side, frame: Frame) -> _Text | _Piece:
        opcode = frame.opcode
        if opcode in CTRL_OPCODES or opcode is Opcode.BINARY:
            return _Piece(opcode.name.lower(), {"data": plain(bytes(frame.data)[:125])} if frame.data else {})
        side.text += frame.data
        if not frame.fin or len(side.text) > LONGEST_MESSAGE:
            size = len(frame.data)
            if len(side.text) > LONGEST_MESSAGE:
                side.text.clear()
            return _Piece("fragment", {"size": size})
        text, side.text = bytes(side.text), bytearray()
        return _Text(text)

    # --- messages -----------------------------------------------------------------------------------------------------

    def hear(self, sender: str, message: Any, raw: bytes) -> Heard:  # noqa: ARG002 - spelling means nothing
        match message:
            case _Head(name=name, fields=fields, note=note):
                return name, fields, note
            case _Piece(name=name, fields=fields):
                return name, fields, "only text is understood here" if name == "binary" else ""
            case _Text(data=text):
                return self._said(text) if sender == "C" else self._told(text)
        return "?", {}, ""

    def _said(self, text: bytes) -> Heard:
        try:
            found = self.codec.parse(text + b"\n", 0, self._phase) if len(text) < LONGEST_LINE else None
        except ProtocolError as error:
            return "text", {"text": plain(text)}, str(error)
        if found is None:
            return "text", {"size": len(text)}, f"a message has at most {LONGEST_LINE} bytes"
        message = found[0]
        name, fields = _flat(text)
        if isinstance(message, Odd):
            return name, fields, message.why
        known = type(message) in TABLE[self._phase]
        return name, fields, "" if known else f"not in {self.phase}: refused is due"

    def _told(self, text: bytes) -> Heard:
        try:
            message = heard(text)
        except ProtocolError as error:
            return "text", {"text": plain(text)}, str(error)
        note = ""
        match message:
            case Welcome():
                self._phase = Phase.FREE if self._phase is Phase.GREETING else self._phase
            case Waiting():
                self._phase = Phase.QUEUED
            case TableSnapshot():
                self._phase = Phase.AT_TABLE
                note = self._snapshot(message)
            case Gone():
                self._phase, self._sight = Phase.FREE, None
            case RecordMessage():
                note = self._record(message)
            case Other():
                note = "our own client knows no such message"
        return *_flat(text), note

    def _snapshot(self, message: TableSnapshot) -> str:
        try:
            self._sight, self._seq = Sight.of(message, self._games), message.seq
        except (LocalError, KeyError, ValueError, TypeError) as error:
            self._sight = None
            return str(error)
        self.changed = bool(self._sight.text())
        return ""

    def _record(self, message: RecordMessage) -> str:
        if self._phase is Phase.FREE:
            self._phase = Phase.AT_TABLE
        if self._sight is None or message.seq <= self._seq or "type" not in message.event:
            return ""
        self._seq = message.seq
        try:
            self._sight.follow(message.event)
        except (LocalError, KeyError, ValueError, TypeError) as error:
            return str(error)
        self.changed = message.event["type"] in ("started", "played", "takenback", "finished")
        return ""


def _unfinished(reader: h11.Connection) -> h11.Connection | None:
    """The reader, if a body follows the head that it has read."""
    return reader if reader.next_event() is h11.NEED_DATA else None


def _length(request: h11.Request) -> bool:
    return any(name in (b"content-length", b"transfer-encoding") for name, _ in request.headers)


_WORTH_SHOWING = (b"upgrade", b"content-type", b"content-length", b"location", b"sec-websocket-extensions")


def _shown(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    return {plain(name): plain(value) for name, value in headers if name in _WORTH_SHOWING}


def _flat(text: bytes) -> tuple[str, dict[str, Any]]:
    """The type of a message, and its other fields."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "text", {"text": plain(text)}
    if not isinstance(value, dict):
        return "text", {"text": plain(text)}
    return str(value.pop("type", "text")), value
