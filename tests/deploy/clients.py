"""What strangers do with a house on the internet: programs by HTTPS, and people with browsers."""

import http.client
import io
import json
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import segno
from websockets.sync.client import ClientConnection, connect

from tests.server.child import PATIENCE
from tests.web.house import Answer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HERE = "127.0.0.1"


class Visitor:
    """A program that trusts one certificate and comes by one name."""

    def __init__(self, certificate: Path, host: str, port: int, path: str = "", **headers: str) -> None:
        self._context = ssl.create_default_context(cafile=certificate)
        self.address = f"https://{host}:{port}{path}"
        self._place = host, port
        self._path = path
        self._headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def ask(self, path: str, said: object = None, **headers: str) -> Answer:
        """GET, or with something to say POST."""
        host, port = self._place
        connection = http.client.HTTPSConnection(host, port, timeout=PATIENCE, context=self._context)
        connection.sock = self._connect()
        body = None if said is None else json.dumps(said).encode()
        sent = {**self._headers, **({} if body is None else {"content-type": "application/json"}), **headers}
        try:
            connection.request("GET" if body is None else "POST", self._path + path, body, sent)
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def _connect(self) -> ssl.SSLSocket:
        host, port = self._place
        return self._context.wrap_socket(socket.create_connection((HERE, port), PATIENCE), server_hostname=host)

    @contextmanager
    def stream(self, path: str, body: str, headers: dict[str, str]) -> Iterator[bytes]:
        """The first line of an answer that has no end yet."""
        host, port = self._place
        connection = http.client.HTTPSConnection(host, port, timeout=PATIENCE, context=self._context)
        connection.sock = self._connect()
        try:
            connection.request("POST", self._path + path, body, headers)
            yield connection.getresponse().readline()
        finally:
            connection.close()

    def browse(self, origin: str = "") -> ClientConnection:
        """A WebSocket, as a page of this house would open it; or of another `origin`."""
        host, port = self._place
        headers = {**self._headers, "origin": origin or f"https://{host}:{port}"}
        raw = socket.create_connection((HERE, port), PATIENCE)
        page: ClientConnection = connect(
            f"wss://{host}:{port}{self._path}/ws",
            sock=raw,
            ssl=self._context,
            additional_headers=headers,
            open_timeout=PATIENCE,
            close_timeout=PATIENCE,
        )
        return page


def code_for(address: str) -> bytes:
    """The QR code of an address."""
    picture = io.BytesIO()
    segno.make_qr(address, error="m").save(
        picture, kind="svg", border=3, dark="#000", light="#fff", omitsize=True, svgclass=None, lineclass=None
    )
    return picture.getvalue()


def meet_and_play(browser: "Browser", address: str) -> str:
    """Two people meet by the link that the page shows, play to the end, and look at the game; returns the link."""
    from playwright.sync_api import expect

    from tests.web.browsers import people

    without_worker = {"service_workers": "block"}  # which wants a certificate that the browser trusts
    with people(browser, address, 2, ignore_https_errors=True, **without_worker) as (ada, bob):
        ada.open("noughts", "invite")
        ada.status("Waiting for players")
        link = address + ada.invitation()
        bob.page.goto(link)
        first, second = (ada, bob) if _may_begin(ada, bob) else (bob, ada)
        for move in ("a1", "b1", "a2", "b2", "a3"):
            (first if move[0] == "a" else second).play(move)
        first.status("You won!")
        second.status("You lost")
        cookies: list[Any] = list(ada.context.cookies())
        assert [(cookie["secure"], cookie["path"]) for cookie in cookies] == [(True, _path(address) or "/")]
        for person in (ada, bob):
            person.page.get_by_role("link", name="Replay").first.click()
            person.page.wait_for_url(f"{address}/game/*")
            expect(person.page.locator(".board .mark")).to_have_count(5)
        ada.page.locator(".brand").click()
        ada.page.wait_for_url(f"{address}/")
        ada.page.locator(".to-ladder").click()
        ada.page.wait_for_url(f"{address}/leaderboard*")
        ada.page.reload()
        ada.page.wait_for_selector(".ladder")
    return link


def _may_begin(ada: Any, bob: Any) -> bool:
    """Whether it is her turn, as soon as it is one of theirs."""
    from tests.web.browsers import MAY_MOVE

    while True:
        for person in (ada, bob):
            if person.page.locator(MAY_MOVE).count():
                return person is ada
        bob.page.wait_for_timeout(20)


def _path(address: str) -> str:
    return "/" + address.split("/", 3)[3] if address.count("/") > 2 else ""
