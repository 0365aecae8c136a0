"""How a door for browsers is reached: by which proxies, below which path, and whether by TLS.

What a proxy has changed is put back before anything else sees a request, so that pages, API, limits and WebSockets
know one client, one scheme, one host and one path, wherever the request has passed through.
"""

import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from starlette.datastructures import URL
from starlette.responses import RedirectResponse
from starlette.types import Receive, Scope, Send

from parlour.core.session import Door
from parlour.web.forwarded import Headers, Proxies
from parlour.web.names import without_port

ABSOLUTE = re.compile(rb"https?://([^/]*)", re.IGNORECASE)


class Entrance(NamedTuple):
    proxies: Proxies = Proxies()
    path: str = ""
    """Empty, or `/sub`: the proxy passes it on or leaves it out."""
    secure: bool = False

    @property
    def plain(self) -> bool:
        """Whether requests mean what they say: no proxy or path has to be undone, and none should have come by TLS."""
        return not any(self)

    def counted(self, address: str) -> str:
        """The address that a connection counts for: none if it is a proxy's, for its clients."""
        return "" if address in self.proxies else address

    def restore(self, scope: Scope) -> None:
        """Let a request say what its client said, and let its path begin with ours."""
        _take_absolute(scope)
        peer = scope["client"][0] if scope["client"] else ""
        if peer in self.proxies:
            client = self.proxies.client(peer, scope["headers"])
            scope["client"] = client.address, 0
            scope["scheme"] = client.scheme or scope["scheme"]
            _name_host(scope["headers"], client.host)
        if self.path:
            scope["root_path"] = self.path
            if not f"{scope['path']}/".startswith(f"{self.path}/"):
                scope["path"] = self.path + scope["path"]
                scope["raw_path"] = self.path.encode() + scope["raw_path"]


def _take_absolute(scope: Scope) -> None:
    """RFC 9112, 3.2.2: a target may be a whole URL, whose host then counts in the place of the header's."""
    found = ABSOLUTE.match(scope["raw_path"])
    if found is not None:
        scope["raw_path"] = scope["raw_path"][found.end() :] or b"/"
        scope["path"] = unquote(scope["raw_path"].decode("ascii"))
        scope["headers"][:] = [(name, value) for name, value in scope["headers"] if name != b"host"]
        scope["headers"].append((b"host", found[1]))


def entrance_of(door: Door) -> Entrance:
    """What the keys of a door say about it."""
    networks = [network for network in door.keys.get("proxy", "").split(",") if network]
    return Entrance(Proxies(networks), door.keys.get("path", "").rstrip("/"), bool(door.keys.get("tls")))


def route_path(scope: Scope) -> str:
    """The path without the part that all of ours begin with."""
    return str(scope["path"]).removeprefix(scope["root_path"])


def _name_host(headers: list[tuple[bytes, bytes]], told: str | None) -> None:
    """Put the host that the client asked for into the header of that name.

    Proxies are often told to leave out its port. The page that asks may know it.
    """
    host = told or _first(headers, b"host")
    if not host:
        return
    if without_port(host) == host.strip("[]"):
        for known in (_first(headers, b"host"), _netloc(_first(headers, b"origin"))):
            if without_port(known).lower() == host.strip("[]").lower():
                host = known
    headers[:] = [(name, value) for name, value in headers if name != b"host"]
    headers.append((b"host", host.encode("latin-1")))


def _first(headers: Headers, wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in headers if name == wanted), "")


def _netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


async def to_https(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers what was asked without TLS where there is TLS."""
    await RedirectResponse(URL(scope=scope).replace(scheme="https"), 308)(scope, receive, send)
