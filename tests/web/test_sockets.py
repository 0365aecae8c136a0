"""WebSockets on real sockets: a browser's, a slow one's, and those of people who mean no good."""

import json
import socket
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from parlour.core.house.bans import Ban
from parlour.core.house.gate import ADDRESS, CONNECTIONS, HOUSE
from parlour.server import limits
from tests.server.child import PATIENCE
from tests.web.house import HERE, WebHouse, read_until, web_house
from tests.web.parrot import PARROT

UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
ECHO = b'{"type":"echo","heard":{"n":1}}'
MESSAGE = b"\x81\x87\0\0\0\0" + b'{"n":1}'


def read_all(sock: socket.socket) -> bytes:
    data = b""
    with suppress(ConnectionResetError):
        while more := sock.recv(65536):
            data += more
    return data


def test_browser_talks_and_closes(parrots: WebHouse) -> None:
    with parrots.browse(origin=f"http://127.0.0.1:{parrots.port}") as page:
        for text in ("plain", "größer", "x" * 10_000):
            page.send(json.dumps({"text": text}))
            assert json.loads(page.recv(10))["heard"] == {"text": text}
        assert page.ping().wait(10)
    assert page.close_code == 1000
    parrots.wait(lambda: not parrots.house.links)


def test_compression_is_declined(parrots: WebHouse) -> None:
    with parrots.browse(compression="deflate") as page:
        assert page.protocol.extensions == []


@pytest.mark.parametrize("origin", ["http://evil.test", "null"])
def test_page_from_elsewhere_is_refused(parrots: WebHouse, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused, parrots.browse(origin=origin):
        pass
    assert refused.value.response.status_code == 403


def test_message_that_is_too_long_ends_the_conversation_with_the_reason(parrots: WebHouse) -> None:
    with parrots.browse() as page:
        page.send("x" * 1_000_000)
        assert json.loads(page.recv(10)) == {"type": "last words"}
        with pytest.raises(ConnectionClosed) as closed:
            page.recv(10)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


def test_request_and_upgrade_in_one_segment_get_both_answers(parrots: WebHouse) -> None:
    with parrots.raw() as sock:
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" + UPGRADE + MESSAGE)
        data = read_until(sock, ECHO)
    assert data.startswith(b"HTTP/1.1 200 OK")
    assert b"HTTP/1.1 101 Switching Protocols" in data


def test_upgrade_in_pieces_gets_the_same_answer_as_a_whole_one(parrots: WebHouse) -> None:
    answers = []
    for cut in (0, 10, 100):
        with parrots.raw() as sock:
            sock.sendall(UPGRADE[:cut])
            if cut:
                parrots.wait(lambda: len(parrots.house.gate.counted(CONNECTIONS, HOUSE)) == 1)
            sock.sendall(UPGRADE[cut:])
            answers.append(read_until(sock, b"\r\n\r\n"))
            sock.sendall(MESSAGE)
            read_until(sock, ECHO)
        parrots.wait(lambda: not parrots.house.links)
    assert answers[0].startswith(b"HTTP/1.1 101 ")
    assert len(set(answers)) == 1
    assert not parrots.house.gate.counted(CONNECTIONS, HOUSE)


def test_message_that_comes_with_the_handshake_is_heard(parrots: WebHouse) -> None:
    with parrots.raw() as sock:
        sock.sendall(UPGRADE + MESSAGE + MESSAGE[:9])
        read_until(sock, ECHO)
        sock.sendall(MESSAGE[9:])
        read_until(sock, ECHO)


def test_upgrade_behind_answers_that_nobody_reads_does_not_confuse_the_link(parrots: WebHouse) -> None:
    count = 60
    with parrots.raw() as sock:
        sock.sendall(b"GET /static/boards/cells.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * count + UPGRADE + MESSAGE)
        data = read_until(sock, ECHO)
        assert data.count(b"HTTP/1.1 200 OK") == count
        sock.sendall(MESSAGE)
        read_until(sock, ECHO)


def test_other_upgrades_are_plain_requests(parrots: WebHouse) -> None:
    with parrots.raw() as sock:
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n")
        assert read_until(sock, b"}").startswith(b"HTTP/1.1 200 OK")


def test_slow_handshake_is_cut(parrots: WebHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WEB_REQUEST_SECONDS", 0.2)
    with parrots.raw() as silent, parrots.raw() as slow, parrots.raw() as body:
        slow.sendall(UPGRADE[:50])
        body.sendall(b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx")
        assert read_all(silent) == b""
        assert read_all(slow) == b""
        assert read_all(body).startswith(b"HTTP/1.1 405 ")


def test_second_request_must_come_whole_too(parrots: WebHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WEB_REQUEST_SECONDS", 0.2)
    with parrots.raw() as sock:
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        read_until(sock, b"}")
        sock.sendall(b"GET /heal")
        assert read_all(sock) == b""


def test_reader_who_does_not_read_is_dropped(parrots: WebHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STALLED_SECONDS", 0.3)
    flood = b'{"type":"flood","count":900}'
    before = parrots.house.counts["dropped"]
    with parrots.raw() as sock:
        sock.sendall(UPGRADE)
        read_until(sock, b"\r\n\r\n")
        for _ in range(3):
            sock.sendall(b"\x81" + bytes((0x80 | len(flood),)) + b"\0\0\0\0" + flood)
        parrots.wait(lambda: parrots.house.counts["dropped"] > before)
    parrots.wait(lambda: not parrots.house.links)


def test_head_that_does_not_end_is_refused(parrots: WebHouse) -> None:
    with parrots.raw() as sock:
        with suppress(BrokenPipeError, ConnectionResetError):
            sock.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 100_000)
        assert read_all(sock)[:12] in (b"HTTP/1.1 400", b"")


def test_head_that_is_too_long_is_refused_however_fast_it_comes(parrots: WebHouse) -> None:
    with parrots.raw() as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 17_000 + b"\r\n\r\n")
        answer = read_all(sock)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert answer.endswith(b"No more than 16384 bytes of headers.\n")


def test_body_with_two_lengths_is_refused_and_nothing_behind_it_is_a_request(parrots: WebHouse) -> None:
    lengths = b"Content-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"
    with parrots.raw() as sock:
        sock.sendall(b"POST /api/me HTTP/1.1\r\nHost: localhost\r\n" + lengths + b"\r\n0\r\n\r\n")
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answers = read_all(sock)
    assert answers.startswith(b"HTTP/1.1 400 ")
    assert answers.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("noise", [b"\0" * 100, b"GET / HTTP/1.1\r\n\r\n", b"C4N 1.0 START\n", b"\r\n" * 10_000])
def test_what_is_no_request_is_answered_or_cut(
    parrots: WebHouse, noise: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "WEB_REQUEST_SECONDS", 0.2)
    with parrots.raw() as sock:
        sock.sendall(noise)
        assert read_all(sock)[:12] in (b"HTTP/1.1 400", b"")


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (b"http://LOCALHOST/healthz", b"200"),
        (b"http://localhost", b"200"),
        (b"HTTP://localhost/%2e%2e/x", b"404"),
        (b"http://elsewhere.example/healthz", b"421"),
    ],
)
def test_target_may_be_a_whole_url_whose_host_counts(parrots: WebHouse, target: bytes, status: bytes) -> None:
    with parrots.raw() as sock:
        sock.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % target)
        assert read_all(sock).startswith(b"HTTP/1.1 " + status)


def test_full_house_refuses_requests_and_sockets_alike(tmp_path: Path) -> None:
    with web_house(tmp_path, PARROT, most=2) as house, house.browse() as page, house.raw() as idle:
        page.send('{"n":1}')
        page.recv(10)
        house.wait(lambda: house.house.gate.counted(CONNECTIONS, HOUSE) == {HOUSE: 2})
        refused = house.get("/healthz")
        assert refused.status == 503
        assert refused.headers["retry-after"] == "10"
        idle.close()
        house.wait(lambda: house.house.gate.counted(CONNECTIONS, HOUSE) == {HOUSE: 1})
        assert house.get("/healthz").status == 200


def test_connections_of_one_address_are_limited_and_others_do_not_notice(
    parrots: WebHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = parrots.limit_connections(monkeypatch, 3)
    refused = parrots.house.counts["refused_connections"]

    def answered(address: str, request: bytes) -> bytes:
        """The beginning of what is said to somebody from there."""
        with socket.create_connection((HERE, parrots.port), PATIENCE, (address, 0)) as sock:
            sock.sendall(request)
            return read_all(sock)[:12]

    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    with ExitStack() as crowd:
        idle = [
            crowd.enter_context(socket.create_connection((HERE, parrots.port), PATIENCE, ("127.0.0.2", 0)))
            for _ in range(3)
        ]
        parrots.wait(lambda: gate.counted(CONNECTIONS, ADDRESS) == {"127.0.0.2": 3})
        assert answered("127.0.0.2", b"") == b"HTTP/1.1 429", "before a request is read"
        assert parrots.house.counts["refused_connections"] == refused + 1
        assert answered("127.0.0.3", request) == b"HTTP/1.1 200"
        assert [answered(HERE, request) for _ in range(5)] == [b"HTTP/1.1 200"] * 5
        idle[0].close()
        parrots.wait(lambda: gate.counted(CONNECTIONS, ADDRESS) == {"127.0.0.2": 2})
        assert answered("127.0.0.2", request) == b"HTTP/1.1 200"
    parrots.wait(lambda: not gate.counted(CONNECTIONS, ADDRESS))


def test_refusal_of_a_connection_is_not_lost_to_a_reset(parrots: WebHouse) -> None:
    """A close with the request unread would be one, and take the answer with it."""
    ban = Ban("127.0.0.2", parrots.house.clock() + 3600)
    parrots.inside(lambda: parrots.hub.bans.replace([ban]))
    with socket.create_connection((HERE, parrots.port), PATIENCE, ("127.0.0.2", 0)) as sock:
        said = sock.recv(12)
        sock.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        said += read_all(sock)
        sock.sendall(b"\r\n")
    assert said.startswith(b"HTTP/1.1 403 ")
    assert b"\r\nRetry-After: 3" in said
    assert b"The ban ends in 3" in said
    parrots.wait(lambda: parrots.house.turned_away == 0)
    parrots.inside(lambda: parrots.hub.bans.replace([]))


def test_stopping_server_says_so_to_pages_and_lets_go_of_requests(tmp_path: Path) -> None:
    with ExitStack() as outside:
        with web_house(tmp_path, PARROT) as house:
            page = outside.enter_context(house.browse())
            idle, silent = (outside.enter_context(house.raw()) for _ in range(2))
            idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            read_until(idle, b"}")
            house.wait(lambda: house.house.gate.counted(CONNECTIONS, HOUSE) == {HOUSE: 3})
        assert json.loads(page.recv(10))["why"] == "draining"
        with pytest.raises(ConnectionClosed) as closed:
            page.recv(10)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1001
        assert read_all(idle) == read_all(silent) == b""
