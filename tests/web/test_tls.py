"""The port with TLS from inside: deadlines, counts, and who is let in."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from parlour.core.house.gate import ADDRESS, CONNECTIONS
from parlour.server import limits
from tests.certificate import self_signed
from tests.server.child import PATIENCE
from tests.web.house import HERE, WebHouse, web_house

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return self_signed(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def house(tmp_path: Path, certificate: tuple[Path, Path]) -> Iterator[WebHouse]:
    with web_house(tmp_path, tls=f"{certificate[0]}:{certificate[1]}") as server:
        yield server


def ask(house: WebHouse, certificate: Path, address: str = HERE) -> bytes:
    context = ssl.create_default_context(cafile=certificate)
    raw = socket.create_connection((HERE, house.port), PATIENCE, (address, 0))
    with context.wrap_socket(raw, server_hostname="localhost") as sock:
        sock.sendall(REQUEST)
        return sock.recv(12)


def test_handshake_that_is_not_finished_in_time_is_cut_off(
    house: WebHouse, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with house.raw() as silent, house.raw() as slow:
        slow.sendall(b"\x16\x03\x01")
        assert ask(house, certificate[0]) == b"HTTP/1.1 200", "others do not wait for them"
    monkeypatch.setattr(limits, "TLS_HANDSHAKE_SECONDS", 0.05)
    dropped = house.house.counts["dropped"]
    with house.raw() as silent, house.raw() as slow:
        slow.sendall(b"\x16\x03\x01")
        assert silent.recv(1) == b""
        assert slow.recv(1) == b""
        house.wait(lambda: house.house.counts["dropped"] >= dropped + 2)


def test_what_is_no_handshake_is_cut_off_or_answered(house: WebHouse) -> None:
    with house.raw() as sock:
        sock.sendall(b"\x16nonsense that looks like one" * 10)
        answer = sock.recv(65536)
        assert answer[:1] in (b"", b"\x15"), "an alert at most"
    with house.raw() as sock:
        sock.sendall(b"nonsense\r\n\r\n")
        assert sock.recv(12) == b"HTTP/1.1 400"


def test_websocket_without_tls_is_refused(house: WebHouse) -> None:
    with house.raw() as sock:
        sock.sendall(
            b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        assert sock.recv(12) == b"HTTP/1.1 308"


def test_connections_count_for_their_address_before_the_handshake(
    house: WebHouse, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = house.limit_connections(monkeypatch, 3)
    with ExitStack() as crowd:
        for _ in range(3):
            crowd.enter_context(socket.create_connection((HERE, house.port), PATIENCE, ("127.0.0.2", 0)))
        house.wait(lambda: gate.counted(CONNECTIONS, ADDRESS) == {"127.0.0.2": 3})
        with socket.create_connection((HERE, house.port), PATIENCE, ("127.0.0.2", 0)) as fourth:
            assert fourth.recv(1) == b""
        assert house.house.counts["refused_connections"] == 1
        assert ask(house, certificate[0], "127.0.0.3") == b"HTTP/1.1 200"
    house.wait(lambda: not gate.counted(CONNECTIONS, ADDRESS))


def test_full_house_takes_in_no_handshake(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    with (
        web_house(tmp_path, most=2, tls=f"{certificate[0]}:{certificate[1]}") as house,
        house.raw(),
        house.raw(),
        house.raw() as third,
    ):
        assert third.recv(1) == b""


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_old_versions_of_tls_are_not_spoken(house: WebHouse, certificate: tuple[Path, Path]) -> None:
    context = ssl.create_default_context(cafile=certificate[0])
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with house.raw() as raw, pytest.raises(ssl.SSLError):
        context.wrap_socket(raw, server_hostname="localhost")
