"""The door for browsers: uvicorn in the server's own loop, on a socket of ours, and WebSockets handed to our driver.

uvicorn answers requests and knows nothing of games. What it leaves open is closed here: a request has a deadline, a
reader too, connections are counted with all others, and a request for a WebSocket leaves nothing of itself behind.
"""

import asyncio
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import cast
from urllib.parse import quote

import h11
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Scope
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from parlour.core.errors import Banned, Refusal, Refused
from parlour.core.house.gate import CONNECTIONS, PAUSE, Identity
from parlour.core.session import Door, WireProtocol
from parlour.server import limits
from parlour.server.house import House
from parlour.server.lifecycle import BACKLOG, Listening
from parlour.server.link import refusal_text
from parlour.server.timers import Timer
from parlour.server.tls import Certificate, TlsPort
from parlour.server.weblink import WebLink, host_of
from parlour.web.entrance import Entrance, route_path, to_https
from parlour.web.names import Names

STATUSES = {Refusal.BANNED: "403 Forbidden", Refusal.TOO_MANY: "429 Too Many Requests"}
"""Of connections that are refused; any other finds the server full."""

REQUEST, READER = "the request is there", "the peer reads on"
"""What we wait for, but not for ever."""


class Requests(H11Protocol):
    """One HTTP connection. uvicorn has deadlines only between requests; these are for those under way."""

    def __init__(
        self,
        house: House,
        names: Names,
        entrance: Entrance,
        upgraded: Callable[[str], WebLink],
        config: Config,
        server_state: ServerState,
    ) -> None:
        super().__init__(config, server_state, {})
        self.house = house
        self._names = names
        self._entrance = entrance
        self._upgrade = upgraded
        """Makes the driver of a WebSocket for a client at an address."""
        self._deadlines: dict[str, Timer] = {}
        self._address = ""
        self._admitted = False
        self._upgraded = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        house, entrance = self.house, self._entrance
        self._address = entrance.counted(self.client[0] if self.client else "")
        if entrance.secure and self.scheme == "http":
            self.app = to_https
        try:
            if not entrance.secure:  # else that was done before the handshake
                house.admit(self._address)
        except Refused as refused:
            turn_away(house, transport, refused)
            return
        self._admitted = True
        self._expect(REQUEST, limits.WEB_REQUEST_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()  # uvicorn leaves it ticking after a reset

    def _forget(self) -> None:
        """This connection is no longer ours to look after."""
        if self._admitted:
            self._admitted = False
            self.house.gate.refund(CONNECTIONS, Identity(address=self._address))
        for name in tuple(self._deadlines):
            self._expect(name, None)

    def handle_events(self) -> None:
        super().handle_events()
        if self._upgraded:
            return
        state, (unread, _) = self.conn.their_state, self.conn.trailing_data
        if state is h11.SEND_BODY or (state is h11.IDLE and unread):
            if REQUEST not in self._deadlines:
                self._expect(REQUEST, limits.WEB_REQUEST_SECONDS)
        else:
            self._expect(REQUEST, None)

    def on_response_complete(self) -> None:
        """Close on a client that goes on sending what is not read."""
        if self.conn.their_state is h11.SEND_BODY:
            self.transport.close()
        super().on_response_complete()

    def _should_upgrade(self) -> bool:
        """Whether this is for a WebSocket; only for requests by one of our names, to others the pages say so.

        uvicorn asks this of every request before it does anything with it: the moment to undo what a proxy has done.
        """
        self._entrance.restore(cast(Scope, self.scope))
        if refusal := _refusal(self.headers):
            self.app = refusal
            return False
        host = next((value for name, value in self.headers if name == b"host"), b"")
        wanted = self._get_upgrade() == b"websocket" and self.app is not to_https
        return wanted and host.decode("latin-1") in self._names

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        client = self.scope["client"]
        target = quote(route_path(cast(Scope, self.scope))).encode()
        head = [b"%s %s HTTP/1.1" % (event.method, target), *(b"%s: %s" % header for header in self.headers)]
        self._upgraded = True
        self._forget()
        self.connections.discard(self)
        link = self._upgrade(client[0] if client else "")
        hand_over(self.transport, link, b"".join(line + b"\r\n" for line in (*head, b"")))
        if self.flow.write_paused:  # by an answer that went before; the link will hear when it goes on
            link.pause_writing()
        early, _ = self.conn.trailing_data
        if early:
            link.data_received(early)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect(READER, limits.STALLED_SECONDS)

    def resume_writing(self) -> None:
        self._expect(READER, None)
        super().resume_writing()

    def _expect(self, what: str, seconds: float | None) -> None:
        """Cut the connection unless this has happened by then; None takes it back."""
        timer = self._deadlines.pop(what, None)
        if timer is not None:
            timer.cancel()
        if seconds is not None:
            self._deadlines[what] = self.house.wheel.add(self.house.clock(), seconds, what, self._cut)

    def _cut(self, what: str) -> None:
        del self._deadlines[what]
        self.house.counts["dropped"] += 1
        self.transport.abort()


class Threshold(asyncio.Protocol):
    """A connection that has said nothing yet, at a door where requests mean what they say.

    A browser that asks for a WebSocket goes straight to its driver: h11 and uvicorn take as long over that as ten moves
    do. All others are theirs.
    """

    __slots__ = ("_address", "_deadline", "_house", "_names", "_others", "_requests", "_transport", "_upgrade")

    def __init__(
        self,
        house: House,
        names: Names,
        upgraded: Callable[[str], WebLink],
        requests: Callable[[], Requests],
        state: ServerState,
    ) -> None:
        self._house = house
        self._names = names
        self._upgrade = upgraded
        self._requests = requests
        self._others = cast(set[object], state.connections)
        """All connections that uvicorn ends when it ends itself."""
        self._address = ""
        self._deadline: Timer | None = None
        """Runs while the connection counts as ours."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer, house = transport.get_extra_info("peername"), self._house
        self._address = peer[0] if isinstance(peer, tuple) else ""
        try:
            house.admit(self._address)
        except Refused as refused:
            turn_away(house, self._transport, refused)
            return
        self._others.add(self)
        self._deadline = house.wheel.add(house.clock(), limits.WEB_REQUEST_SECONDS, REQUEST, self._cut)

    def shutdown(self) -> None:
        """Called by uvicorn at its end, as on connections of its own."""
        self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - every end is one
        self._forget()

    def data_received(self, data: bytes) -> None:
        self._forget()
        if (host := host_of(data)) and host in self._names:
            hand_over(self._transport, self._upgrade(self._address), data)
            return
        http = self._requests()
        self._transport.set_protocol(http)
        http.connection_made(self._transport)
        if self._transport.get_protocol() is http:
            http.data_received(data)

    def _forget(self) -> None:
        """This connection is no longer ours to look after."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
            self._others.discard(self)
            self._house.gate.refund(CONNECTIONS, Identity(address=self._address))

    def _cut(self, _: str) -> None:
        self._house.counts["dropped"] += 1
        self._transport.abort()


class TurnedAway(asyncio.Protocol):
    """A connection that was refused, until the peer has read so: to close it on bytes unread would be a reset."""

    def __init__(self, house: House) -> None:
        self._house = house
        house.turned_away += 1

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - every end is one
        self._house.turned_away -= 1


def turn_away(house: House, transport: asyncio.Transport, refused: Refused) -> None:
    """Say why, and read no more of what was about to be asked."""
    transport.set_protocol(TurnedAway(house))
    if house.turned_away > limits.TURNED_AWAY:
        transport.abort()
        return
    transport.write(_turned_away(refused))
    if transport.can_write_eof():
        transport.write_eof()
        house.wheel.add(house.clock(), limits.LINGER_SECONDS, "linger", lambda _: transport.abort())
    else:
        transport.close()


def _refusal(headers: Sequence[tuple[bytes, bytes]]) -> PlainTextResponse | None:
    """The answer to a request that is refused for its head alone, and ends the connection."""
    names = {name for name, _ in headers}
    if b"content-length" in names and b"transfer-encoding" in names:
        # RFC 9112, 6.1 and 6.3: a proxy may have gone by the other length, and take the rest for another request.
        return PlainTextResponse("A body has one length.\n", 400, {"connection": "close"})
    if sum(len(name) + len(value) for name, value in headers) > limits.WEB_REQUEST_BYTES:
        text = f"No more than {limits.WEB_REQUEST_BYTES} bytes of headers.\n"
        return PlainTextResponse(text, 431, {"connection": "close"})
    return None


def hand_over(transport: asyncio.Transport, link: WebLink, request: bytes) -> None:
    """The connection is a WebSocket's from here on."""
    link.connection_made(transport)
    link.data_received(request)
    transport.set_protocol(link)


def _turned_away(refused: Refused) -> bytes:
    """Returns the response to a client that is not let in, before its request is read."""
    text = f"{refusal_text(refused)}\n".encode()
    status = STATUSES.get(refused.why, "503 Service Unavailable")
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(text)}\r\n"
    seconds = refused.seconds if isinstance(refused, Banned) else PAUSE
    pause = "" if seconds is None else f"Retry-After: {seconds}\r\n"
    return f"{head}{pause}Connection: close\r\n\r\n".encode() + text


class _Quiet(Server):
    """uvicorn without signals: the whole server has one way to stop."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class WebDoor:
    """An open door; closed and asked for its sockets like that of any other wire."""

    def __init__(self, port: Listening, server: Server, serving: "asyncio.Task[None]") -> None:
        self._port = port
        self._server = server
        self._serving = serving

    @property
    def sockets(self) -> Sequence[socket.socket]:
        return self._port.sockets

    def close(self) -> None:
        """Accept no more connections."""
        self._port.close()

    async def stop(self) -> None:
        """Let answers under way end, for a moment."""
        self._server.should_exit = True
        await self._serving


async def open_web_door(
    app: ASGIApp,
    names: Names,
    house: House,
    wire: WireProtocol,
    door: Door,
    sock: socket.socket,
    entrance: Entrance,
    certificate: Certificate | None,
) -> WebDoor:
    """Serve `app` on this socket, and WebSockets to sessions of `wire` for clients that ask by one of our names."""
    config = Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,  # of those we trust they are read here, for WebSockets too
        server_header=False,
        h11_max_incomplete_event_size=limits.WEB_REQUEST_BYTES,
        timeout_keep_alive=limits.WEB_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=limits.WEB_STOP_SECONDS,
    )
    server, loop = _Quiet(config), asyncio.get_running_loop()
    serving = loop.create_task(server.serve(sockets=[]))
    while not server.started and not serving.done():
        await asyncio.sleep(0)
    if serving.done():
        await serving
    upgraded = partial(WebLink, house, wire, door)
    requests = partial(Requests, house, names, entrance, upgraded, config, server.server_state)
    factory = partial(Threshold, house, names, upgraded, requests, server.server_state) if entrance.plain else requests
    if certificate is not None:
        return WebDoor(TlsPort(sock, certificate, house, entrance, factory), server, serving)
    port = await loop.create_server(factory, sock=sock, backlog=limits.ACCEPTED_AT_ONCE)
    sock.listen(BACKLOG)  # the loop has set it to what it takes in at once
    return WebDoor(port, server, serving)
