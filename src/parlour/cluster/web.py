"""Pages and the API at an edge: requests are passed on to the owner, which answers them as if it had been asked itself.

WebSockets are not: an edge has their sessions, as it has those of all wires that only read their table.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

import h11
from starlette.types import Receive, Scope, Send

from parlour.web.entrance import Entrance

CLIENT, SCHEME = b"x-parlour-client", b"x-parlour-scheme"
"""Headers in which an edge tells who asks, and how. From outside they are not let in."""
HOP_BY_HOP = {
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"te", b"trailer",
    b"transfer-encoding", b"upgrade", CLIENT, SCHEME,
}  # fmt: skip
WITHOUT_OWNER_SECONDS = 10.0
"""How long a request waits for an owner that is being started again."""
RETRY_SECONDS = 0.05
CHUNK = 1 << 16
AWAY = b"The server is being started again. Please try once more in a moment.\n"


class Inside(Entrance):
    """How the owner reads a request that an edge has passed on."""

    def counted(self, address: str) -> str:  # noqa: ARG002
        return ""

    def restore(self, scope: Scope) -> None:
        told = {name: value.decode("latin-1") for name, value in scope["headers"] if name in (CLIENT, SCHEME)}
        scope["headers"][:] = [header for header in scope["headers"] if header[0] not in (CLIENT, SCHEME)]
        scope["client"] = told.get(CLIENT, ""), 0
        scope["scheme"] = told.get(SCHEME, "http")
        scope["root_path"] = self.path


class Broken(Exception):
    """The owner has gone before it has answered."""


class Forwarding:
    """An ASGI application that has another process answer, by its socket."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        async with asyncio.TaskGroup() as tasks:
            gone = tasks.create_task(_disconnected(receive))
            answer = tasks.create_task(self._answer(scope, body, send))
            await asyncio.wait((gone, answer), return_when=asyncio.FIRST_COMPLETED)
            gone.cancel()
            answer.cancel()

    async def _answer(self, scope: Scope, body: bytes, send: Send) -> None:
        """Ask until there is an answer; what changes something is asked once."""
        give_up = asyncio.get_running_loop().time() + WITHOUT_OWNER_SECONDS
        while True:
            try:
                reader, writer = await asyncio.open_unix_connection(self._path)
            except OSError:
                if asyncio.get_running_loop().time() > give_up:
                    await _say_away(send)
                    return
                await asyncio.sleep(RETRY_SECONDS)
                continue
            try:
                await _exchange(scope, body, reader, writer, send)
                return
            except Broken:
                if scope["method"] not in ("GET", "HEAD"):
                    await _say_away(send)
                    return
            finally:
                writer.close()


async def _body(receive: Receive) -> bytes:
    """All of it: a door lets in only so much."""
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return b"".join(parts)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _say_away(send: Send) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(AWAY))]
    await send({"type": "http.response.start", "status": 503, "headers": [*headers, (b"retry-after", b"1")]})
    await send({"type": "http.response.body", "body": AWAY})


def _request(scope: Scope, body: bytes) -> h11.Request:
    headers = [header for header in scope["headers"] if header[0] not in HOP_BY_HOP and header[0] != b"content-length"]
    client = scope["client"][0] if scope["client"] else ""
    headers += [(CLIENT, client.encode("latin-1")), (SCHEME, scope["scheme"].encode()), (b"connection", b"close")]
    if body or scope["method"] not in ("GET", "HEAD"):
        headers.append((b"content-length", b"%d" % len(body)))
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    return h11.Request(method=scope["method"], target=scope["raw_path"] + query, headers=headers)


async def _exchange(
    scope: Scope, body: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, send: Send
) -> None:
    """Pass a request on, and its answer back as it comes. Raises Broken before anything of that has come."""
    connection, begun = h11.Connection(h11.CLIENT), False
    for event in (_request(scope, body), h11.Data(data=body), h11.EndOfMessage()):
        writer.write(connection.send(event) or b"")
    while True:
        told: Any = connection.next_event()
        if told is h11.NEED_DATA:
            data = b""
            with suppress(OSError):
                data = await reader.read(CHUNK)
            if not data and not begun:
                raise Broken
            if not data:
                await _send_body(send, b"", more=False)
                return
            connection.receive_data(data)
        elif type(told) is h11.Response:
            begun = True
            headers = [header for header in told.headers if header[0] not in HOP_BY_HOP]
            await send({"type": "http.response.start", "status": told.status_code, "headers": headers})
        elif type(told) is h11.Data:
            await _send_body(send, bytes(told.data), more=True)
        else:
            await _send_body(send, b"", more=False)
            return


def _send_body(send: Send, data: bytes, more: bool) -> Awaitable[None]:
    return send({"type": "http.response.body", "body": data, "more_body": more})
