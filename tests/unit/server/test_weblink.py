"""A WebSocket in our own driver: the handshake, messages however they are cut, and every way it ends."""

import asyncio
import gc
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.uri import parse_uri

from parlour.core.session import Door
from parlour.core.words import Policy
from parlour.server import limits
from parlour.server.lifecycle import say_farewell
from parlour.server.weblink import WebLink, host_of
from tests.browsers import socket
from tests.web.parrot import PARROT
from tests.world import FakeTransport, Wire, World

REQUEST = (
    b"GET /ws HTTP/1.1\r\nhost: parlour.test:8080\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
    b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n"
)


class Browser:
    """The peer's end: `websockets`' own client, without a socket."""

    def __init__(self, world: World, address: str = "127.0.0.1") -> None:
        self.world = world
        self.transport = FakeTransport(address)
        self.link = WebLink(world.house, PARROT, Door("web", {}))
        self.client = ClientProtocol(parse_uri("ws://parlour.test:8080/ws"))
        self._read = 0
        self.heard: list[dict[str, Any]] = []
        self.frames: list[Frame] = []
        self.link.connection_made(self.transport)
        self.client.send_request(self.client.connect())
        self.exchange()

    def send(self, data: bytes) -> None:
        self.link.data_received(data)
        self.world.run()
        self.read()

    def exchange(self) -> None:
        """Carry over what the client wants to say."""
        for data in self.client.data_to_send():
            if data:
                self.send(data)

    def read(self) -> None:
        for data in self.transport.writes[self._read :]:
            self.client.receive_data(data)
        self._read = len(self.transport.writes)
        for event in self.client.events_received():
            if isinstance(event, Response):
                assert event.status_code == 101
            elif isinstance(event, Frame):
                self.frames.append(event)
                if event.opcode is Opcode.TEXT:
                    self.heard.append(msgspec.json.decode(event.data))

    def say(self, **message: Any) -> None:
        self.client.send_text(msgspec.json.encode(message))
        self.exchange()

    @property
    def code(self) -> int | None:
        return None if self.client.close_rcvd is None else self.client.close_rcvd.code


def echoes(browser: Browser) -> list[Any]:
    return [message["heard"] for message in browser.heard if message["type"] == "echo"]


# --- shaking hands ---------------------------------------------------------------------------------------------------


def answered(*headers: bytes, request: bytes = REQUEST) -> bytes:
    """The first line that this request gets."""
    world = World()
    transport = FakeTransport()
    link = WebLink(world.house, PARROT, Door("web", {}))
    link.connection_made(transport)
    link.data_received(request + b"".join(header + b"\r\n" for header in headers) + b"\r\n")
    world.run()
    status = b"".join(transport.writes).partition(b"\r\n")[0]
    assert transport.closed == (b"101" not in status)
    assert (link in world.house.links) == (b"101" in status)
    link.connection_lost(None)
    assert not world.house.links
    return status


@pytest.mark.parametrize(
    "origin",
    [b"http://parlour.test:8080", b"https://PARLOUR.test:8080"],
)
def test_page_of_ours_gets_its_socket(origin: bytes) -> None:
    assert answered(b"origin: " + origin) == b"HTTP/1.1 101 Switching Protocols"


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        (b"a.test", b"http://a.test:80"),
        (b"a.test:80", b"http://a.test"),
        (b"a.test", b"https://a.test"),
        (b"[::1]:8", b"http://[::1]:8"),
    ],
)
def test_standard_ports_need_not_be_named(host: bytes, origin: bytes) -> None:
    request = REQUEST.replace(b"parlour.test:8080", host)
    assert answered(b"origin: " + origin, request=request) == b"HTTP/1.1 101 Switching Protocols"


def test_program_without_a_page_gets_its_socket() -> None:
    assert answered() == b"HTTP/1.1 101 Switching Protocols"


@pytest.mark.parametrize(
    "origin",
    [
        b"http://evil.test",
        b"http://parlour.test",
        b"http://parlour.test:8081",
        b"http://parlour.test:8080.evil.test",
        b"http://evil.test@parlour.test:8080.x",
        b"http://x@parlour.test:8080",
        b"null",
        b"file://parlour.test:8080",
        b"http://[",
        b"",
    ],
)
def test_page_from_elsewhere_is_refused(origin: bytes) -> None:
    assert answered(b"origin: " + origin) == b"HTTP/1.1 403 Forbidden"


def test_two_origins_are_none() -> None:
    ours = b"origin: http://parlour.test:8080"
    assert answered(ours, ours) == b"HTTP/1.1 403 Forbidden"


@pytest.mark.parametrize("path", [b"/", b"/ws/", b"/wss", b"/api/tables"])
def test_socket_has_one_address(path: bytes) -> None:
    assert answered(request=REQUEST.replace(b"/ws", path, 1)) == b"HTTP/1.1 404 Not Found"


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        (b"version: 13", b"version: 8", b"HTTP/1.1 400 Bad Request"),
        (b"dGhlIHNhbXBsZSBub25jZQ==", b"short", b"HTTP/1.1 400 Bad Request"),
        (b"sec-websocket-key", b"x-key", b"HTTP/1.1 400 Bad Request"),
    ],
)
def test_half_a_handshake_is_refused(old: bytes, new: bytes, status: bytes) -> None:
    assert answered(request=REQUEST.replace(old, new)) == status


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"", b""),
        (b"GET /ws", b"GET /ws?from=here"),
        (b"connection: Upgrade", b"connection: keep-alive, Upgrade"),
        (b"connection: Upgrade", b"connection: close, Upgrade"),
        (b"upgrade: websocket", b"upgrade: WebSocket"),
    ],
)
def test_key_is_answered_however_the_request_is_spelled(old: bytes, new: bytes) -> None:
    transport = FakeTransport()
    link = WebLink(World().house, PARROT, Door("web", {}))
    link.connection_made(transport)
    link.data_received(REQUEST.replace(old, new, 1) + b"\r\n")
    assert b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" in b"".join(transport.writes)  # RFC 6455, 1.3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"", b""),
        (b"/ws", b"/ws?from=lobby"),
        (b"host", b"HoSt"),
        (b"\r\nupgrade", b"\r\ncookie: a=b; c=d\r\nupgrade"),
    ],
)
def test_request_as_browsers_make_it_tells_its_host_by_itself(old: bytes, new: bytes) -> None:
    assert host_of(REQUEST.replace(old, new, 1) + b"\r\n") == "parlour.test:8080"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"/ws", b"/healthz"),
        (b"GET", b"POST"),
        (b"1.1", b"1.0"),
        (b"host: parlour.test:8080\r\n", b""),
        (b"host: ", b"host : "),
        (b"host: ", b"host: a\r\nhost: "),
        (b"upgrade: websocket", b"upgrade: h2c"),
        (b"connection: Upgrade", b"connection: close"),
        (b"upgrade: ", b"content-length: 3\r\nupgrade: "),
        (b"upgrade: ", b"Transfer-Encoding: chunked\r\nupgrade: "),
        (b"upgrade: ", b"expect: 100-continue\r\nupgrade: "),
        (b"upgrade: ", b"folded: a\r\n b\r\nupgrade: "),
        (b"upgrade: ", b"odd: \x01\r\nupgrade: "),
        (b"upgrade: ", b"origin: http://evil.test\r\nupgrade: "),
        (b"upgrade: ", b"long: " + b"x" * limits.WEB_REQUEST_BYTES + b"\r\nupgrade: "),
        (b"13\r\n", b"13\r\n\r\n\x81\x80\0\0\0\0"),
        (b"13\r\n", b"13"),
    ],
)
def test_any_other_request_is_left_to_those_who_know_all_of_http(old: bytes, new: bytes) -> None:
    assert REQUEST.count(old)
    assert host_of(REQUEST.replace(old, new, 1) + b"\r\n") == ""


def test_compression_is_not_taken_up() -> None:
    world = World()
    transport = FakeTransport()
    link = WebLink(world.house, PARROT, Door("web", {}))
    link.connection_made(transport)
    link.data_received(REQUEST + b"sec-websocket-extensions: permessage-deflate\r\n\r\n")
    assert b"extensions" not in b"".join(transport.writes).lower()


FULL = "The server is full. The limit is 1 connections on the whole server at the same time. Please wait 10 s."


def test_full_house_says_so_on_the_socket() -> None:
    world = World(max_connections=1)
    Browser(world)
    second = Browser(world)
    assert second.heard == [{"type": "refused", "why": "server-full", "text": FULL}]
    assert second.code == CloseCode.NORMAL_CLOSURE


# --- messages --------------------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


@given(st.lists(st.tuples(TEXTS, st.integers(1, 400)), max_size=5), st.data())
def test_messages_arrive_whole_however_they_are_cut(messages: list[tuple[str, int]], data: st.DataObject) -> None:
    """In fragments of any size, in segments of any size, with pings in between."""
    world = World()
    browser = Browser(world)
    for text, size in messages:
        payload = msgspec.json.encode({"text": text})
        pieces = [payload[at : at + size] for at in range(0, len(payload), size)]
        for number, piece in enumerate(pieces):
            final = number == len(pieces) - 1
            send = browser.client.send_continuation if number else browser.client.send_text
            send(piece, final)
            if size % 3 == 0:
                browser.client.send_ping(b"still there?")
    stream = b"".join(browser.client.data_to_send())
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        browser.send(stream[:cut])
        stream = stream[cut:]
    assert echoes(browser) == [{"text": text} for text, _ in messages]
    assert browser.link._frames is None
    assert browser.code is None


def test_lines_within_a_message_are_one_message() -> None:
    browser = Browser(World())
    browser.client.send_text(b'{\r\n "a":\n 1}')
    browser.exchange()
    assert echoes(browser) == [{"a": 1}]


@pytest.mark.parametrize("size", [0, 1, 125 - 11, 126 - 11, 1000, limits.WEB_MESSAGE_BYTES - 11])
def test_message_of_any_size_up_to_the_limit_is_heard(size: int) -> None:
    browser = Browser(World())
    browser.say(text="x" * size)
    browser.say(text="ü" * (size // 2))
    assert echoes(browser) == [{"text": "x" * size}, {"text": "ü" * (size // 2)}]
    assert browser.code is None


def test_many_messages_in_one_segment_are_all_heard() -> None:
    browser = Browser(World())
    for number in range(100):
        browser.client.send_text(b'{"n":%d}' % number)
    browser.send(b"".join(browser.client.data_to_send()))
    assert echoes(browser) == [{"n": number} for number in range(100)]


def test_ping_is_answered_in_kind() -> None:
    browser = Browser(World())
    browser.client.send_ping(b"you?")
    browser.exchange()
    assert [(frame.opcode, bytes(frame.data)) for frame in browser.frames] == [(Opcode.PONG, b"you?")]
    assert browser.link._frames is None


def test_pings_to_somebody_who_does_not_read_are_counted_against_them() -> None:
    world = World()
    browser = Browser(world)
    browser.link.pause_writing()
    for _ in range(limits.BURST + 1):
        browser.client.send_ping(b"x" * 125)
    browser.send(b"".join(browser.client.data_to_send()))
    assert not browser.transport.reading
    assert browser.transport.writes[1:] == []
    world.advance(limits.STALLED_SECONDS + 0.1)
    assert browser.transport.closed


def test_endless_empty_fragments_take_no_room_and_are_throttled() -> None:
    browser = Browser(World())
    browser.client.send_text(b"", fin=False)
    for _ in range(1000):
        browser.client.send_continuation(b"", fin=False)
    browser.send(b"".join(browser.client.data_to_send()))
    assert browser.link._frames is not None
    assert not browser.link._frames._text
    assert not browser.transport.reading


# --- what must not be ------------------------------------------------------------------------------------------------


def masked(first: int, payload: bytes, length: bytes | None = None) -> bytes:
    """A frame with a mask of zeros, which changes nothing."""
    return bytes((first,)) + (length or bytes((0x80 | len(payload),))) + b"\0\0\0\0" + payload


HOSTILE = {
    "binary": (masked(0x82, b"{}"), CloseCode.UNSUPPORTED_DATA),
    "bad UTF-8": (masked(0x81, b"\xff\xfe"), CloseCode.INVALID_DATA),
    "UTF-8 cut short": (masked(0x81, b"\xc3"), CloseCode.INVALID_DATA),
    "a surrogate": (masked(0x81, b"\xed\xa0\x80"), CloseCode.INVALID_DATA),
    "not masked": (b"\x81\x02{}", CloseCode.PROTOCOL_ERROR),
    "reserved bits": (masked(0xF1, b"{}"), CloseCode.PROTOCOL_ERROR),
    "unknown opcode": (masked(0x83, b"{}"), CloseCode.PROTOCOL_ERROR),
    "long ping": (masked(0x89, b"x" * 126, b"\xfe\x00\x7e"), CloseCode.PROTOCOL_ERROR),
    "ping in fragments": (masked(0x09, b"x"), CloseCode.PROTOCOL_ERROR),
    "continuation of nothing": (masked(0x80, b"{}"), CloseCode.PROTOCOL_ERROR),
    "text within text": (masked(0x01, b"{") + masked(0x81, b"{}"), CloseCode.PROTOCOL_ERROR),
    "close of one byte": (masked(0x88, b"x"), CloseCode.PROTOCOL_ERROR),
    "huge": (masked(0x81, b"", b"\xff" + (1 << 62).to_bytes(8, "big")), CloseCode.MESSAGE_TOO_BIG),
    "a byte too many": (masked(0x81, b"", b"\xfe\x40\x00"), CloseCode.MESSAGE_TOO_BIG),
    "too big in fragments": (
        masked(0x01, b"x" * 9000, b"\xfe" + (9000).to_bytes(2, "big"))
        + masked(0x80, b"", b"\xfe" + (9000).to_bytes(2, "big")),
        CloseCode.MESSAGE_TOO_BIG,
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_whoever_breaks_the_rules_is_told_which_and_let_go(what: str) -> None:
    data, code = HOSTILE[what]
    world = World()
    browser = Browser(world)
    browser.say(n=1)
    browser.send(data)
    browser.send(masked(0x81, b'{"n":2}'))
    assert browser.code == code
    assert echoes(browser) == [{"n": 1}]
    assert browser.transport.eof or browser.transport.closed
    world.advance(limits.LINGER_SECONDS + 0.1)
    assert browser.transport.closed
    browser.link.connection_lost(None)
    assert not world.house.links


@given(st.binary(max_size=200))
def test_nothing_that_is_sent_gets_out_of_the_driver(noise: bytes) -> None:
    world = World()
    browser = Browser(world)
    browser.link.data_received(noise)
    world.run()
    browser.link.eof_received()
    world.run()
    assert browser.transport.closed


# --- endings ---------------------------------------------------------------------------------------------------------


def test_browser_that_closes_hears_its_code_again_after_our_last_words() -> None:
    world = World()
    browser = Browser(world)
    browser.client.send_close(CloseCode.GOING_AWAY)
    browser.exchange()
    assert browser.heard == [{"type": "last words"}]
    assert browser.code == CloseCode.GOING_AWAY
    assert browser.transport.closed


def test_session_that_closes_waits_for_the_browser() -> None:
    world = World()
    browser = Browser(world)
    browser.say(type="bye")
    assert browser.code == CloseCode.NORMAL_CLOSURE
    assert echoes(browser) == [{"type": "bye"}]
    browser.exchange()  # the client's own close
    assert browser.transport.closed


def test_session_that_closes_does_not_wait_for_ever() -> None:
    world = World()
    browser = Browser(world)
    browser.link.data_received(masked(0x81, b'{"type":"bye"}'))
    world.run()
    assert not browser.transport.closed
    world.advance(limits.LINGER_SECONDS + 0.1)
    assert browser.transport.closed


def test_server_that_stops_is_going_away() -> None:
    world = World()
    browser = Browser(world)
    world.house.enter(world.hub.drain)
    say_farewell(world.house)
    world.run()
    browser.read()
    assert browser.heard == [{"type": "refused", "why": "draining", "text": ""}]
    assert browser.code == CloseCode.GOING_AWAY


def test_last_words_wait_for_a_slow_reader_although_the_browser_closes() -> None:
    world = World()
    browser = Browser(world)
    browser.link.pause_writing()
    browser.link.data_received(masked(0x81, b'{"type":"bye"}') + masked(0x88, b""))
    world.run()
    assert not browser.transport.closed
    browser.link.resume_writing()
    browser.read()
    assert echoes(browser) == [{"type": "bye"}]
    assert browser.transport.closed


@pytest.mark.parametrize("end", ["close", "end of file", "reset"])
def test_every_end_of_a_watcher_is_leaving(end: str) -> None:
    world = World()
    player = world.connect("glendy")
    table = world.house.hub.open("noughts", {}, Policy())
    browser = Browser(world)
    browser.say(type="watch", table=table.id)
    assert len(table.audience) == 1
    match end:
        case "close":
            browser.client.send_close()
            browser.exchange()
        case "end of file":
            browser.link.eof_received()
        case _:
            browser.link.connection_lost(ConnectionResetError())
    world.run()
    assert not table.audience
    assert not player.closed


def test_idle_socket_keeps_nothing_but_itself() -> None:
    browser = Browser(World())
    browser.say(name="Zoë")
    assert browser.link._frames is None
    assert browser.link.queue is None
    assert not hasattr(browser.link, "__dict__")
    assert isinstance(browser.link, asyncio.Protocol)


def test_nothing_that_is_needed_no_more_waits_to_be_collected() -> None:
    gc.collect()
    gc.disable()
    try:
        unusual = WebLink(World().house, PARROT, Door("web", {}))
        unusual.connection_made(FakeTransport())
        unusual.data_received(REQUEST.replace(b"connection: Upgrade", b"connection: close, Upgrade") + b"\r\n")
        browser = Browser(World())
        browser.say(name="Zoë" * 1000)
        assert [kept for kept in gc.get_objects() if isinstance(kept, ServerProtocol)] == []
    finally:
        gc.enable()


# --- messages of the browser's own wire ------------------------------------------------------------------------------


def told(wire: Wire) -> list[dict[str, Any]]:
    """The messages in the frames that a browser was sent."""
    client = ClientProtocol(parse_uri("ws://parlour.test/ws"), state=State.OPEN)
    client.receive_data(wire.take())
    frames = [event for event in client.events_received() if isinstance(event, Frame)]
    return [msgspec.json.decode(frame.data) for frame in frames]


def test_short_messages_are_heard_with_line_breaks_and_answered_when_they_are_none() -> None:
    wire = socket(World())
    wire.take()
    wire.send(masked(0x81, b'{"type":\r\n"lobby"}'))
    assert [message["type"] for message in told(wire)] == ["lobby"]
    wire.send(masked(0x81, b'{"type":"lobbby","id":"7"}'))
    wire.send(masked(0x81, b"[]"))
    wire.send(masked(0x81, b""))
    assert [(message["why"], message.get("id")) for message in told(wire)] == [
        ("bad-message", "7"),
        ("bad-message", None),
        ("bad-message", None),
    ]


def test_flood_of_short_messages_is_throttled_and_none_of_it_is_lost() -> None:
    world = World()
    wire = socket(world)
    wire.take()
    for _ in range(limits.BURST):
        wire.send(masked(0x81, b'{"type":"lobby"}'))
    assert not wire.transport.reading
    assert told(wire)[-1]["why"] == "too-fast"
    wire.send(masked(0x81, b'{"type":"lobby"}'))
    world.advance(limits.THROTTLE_SECONDS + 0.1)
    assert wire.transport.reading
    assert told(wire)[0]["type"] == "lobby"


def test_move_is_told_to_all_in_the_same_frame_and_a_move_at_another_table_is_refused() -> None:
    world = World()
    wish = {"type": "open", "game": "connect4", "opponent": "human"}
    players = [socket(world, wish), socket(world, wish)]
    table = next(iter(world.hub.tables.values()))
    spectator = socket(world, {"type": "watch", "table": table.id})
    everybody = [*players, spectator]
    for wire in everybody:
        wire.take()
    first = next(wire for wire in players if wire.link.participant is not None and wire.link.participant.seat == 0)
    first.send(masked(0x81, b'{"type":"play","table":"other","move":"3","id":"a"}'))
    assert [(message["type"], message["id"]) for message in told(first)] == [("refused", "a")]
    first.send(masked(0x81, msgspec.json.encode({"type": "play", "table": table.id, "move": "3", "id": "b"})))
    frames = {wire.take() for wire in everybody}
    assert len(frames) == 1
    assert b'"move":"3","id":"b"' in frames.pop()
    assert table.moves == ["3"]
