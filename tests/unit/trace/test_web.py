"""A browser's connection: HTTP first, then a WebSocket, whose messages are told as such."""

import msgspec
import pytest
from websockets.client import ClientProtocol
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory, ServerPerMessageDeflateFactory
from websockets.frames import CloseCode
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.uri import parse_uri

from parlour.trace.reading import Message, Reader

PAGE = b"GET /api/tables HTTP/1.1\r\nHost: here\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"


class Line:
    """Both ends of a WebSocket in memory, and the reader in between."""

    def __init__(self, compressed: bool, bytewise: bool = False) -> None:
        theirs = [ClientPerMessageDeflateFactory()] if compressed else []
        ours = [ServerPerMessageDeflateFactory()] if compressed else []
        self.client = ClientProtocol(parse_uri("ws://here/ws"), extensions=theirs)
        self.server = ServerProtocol(extensions=ours)
        self.reader = Reader("web", boards=True)
        self._bytewise = bytewise
        self.said: list[Message] = []
        self.client.send_request(self.client.connect())
        self.carry()

    def carry(self) -> None:
        """Take everything across."""
        for sender, source, target in (("C", self.client, self.server), ("S", self.server, self.client)):
            data = b"".join(source.data_to_send())
            for piece in [data[at : at + 1] for at in range(len(data))] if self._bytewise else [data] if data else []:
                self.said += self.reader.feed(1, sender, piece)
            if data:
                target.receive_data(data)
            for event in target.events_received():
                if isinstance(event, Request):
                    self.server.send_response(self.server.accept(event))


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("bytewise", [False, True])
def test_messages_of_a_websocket_are_read_in_both_directions(compressed: bool, bytewise: bool) -> None:
    line = Line(compressed, bytewise)
    line.client.send_text(b'{"type":"hello","name":"Ann"}')
    line.server.send_text(b'{"type":"welcome","name":"Ann","token":"t"}')
    line.carry()
    line.client.send_text(b'{"type":"hel', fin=False)
    line.client.send_continuation(b'lo","name":"Bea"}', fin=True)
    line.client.send_text(b'{"type":"play","table":"x","move":"a1"}')
    line.client.send_ping(b"there?")
    line.carry()
    line.server.send_close(CloseCode.NORMAL_CLOSURE)
    line.carry()
    names = [(message.sender, message.name, message.note) for message in line.said]
    assert names == [
        ("C", "GET", ""),
        ("S", "HTTP", ""),
        ("C", "hello", ""),
        ("S", "welcome", ""),
        ("C", "fragment", ""),
        ("C", "hello", ""),
        ("C", "play", "not in free: refused is due"),
        ("C", "ping", ""),
        ("S", "pong", ""),
        ("S", "close", ""),
    ]
    assert line.said[2].fields == {"name": "Ann"}


def test_pages_and_streams_are_told_by_their_heads() -> None:
    reader = Reader("web")
    said = [reader.feed(1, side, data) for side, data in (("C", PAGE), ("S", ANSWER), ("C", PAGE), ("S", CHUNKED))]
    told = [(message.name, message.fields) for messages in said for message in messages]
    assert told[0] == ("GET", {"path": "/api/tables"})
    assert [name for name, _ in told] == ["GET", "HTTP", "body", "GET", "HTTP", "body"]
    assert told[-1] == ("body", {"size": 3, "last": True})


def test_nonsense_is_named_and_ends_the_reading_of_that_side() -> None:
    line = Line(compressed=False)
    found = [*line.reader.feed(1, "C", b"\xff\xff\xff\xff"), *line.reader.feed(1, "C", b"more")]
    assert [message.note.partition(":")[0] for message in found] == [
        "no frame of a WebSocket",
        "nothing can be understood after that",
    ]


def test_lines_of_json_without_a_socket_are_read_as_well() -> None:
    reader = Reader("web")
    sent = msgspec.json.encode({"type": "hello", "name": "Ann"}) + b"\n"
    assert [message.name for message in reader.feed(1, "C", sent * 2)] == ["hello", "hello"]
