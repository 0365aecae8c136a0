"""Where others find this server: addresses that reach it, and the same as a QR code for telephones."""

import fcntl
import io
import re
import socket
import struct
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from parlour.core.house.gate import Gate
from parlour.web.api import Handler, answer, limited, problem
from parlour.web.describing import content, operation, ref, trouble
from parlour.web.names import EVERYWHERE, is_loopback, without_port
from parlour.web.site import Site

OWN_PATH = re.compile(r"/(?:(?:table|game)/[\w.~-]{1,64}(?:\?join)?|leaderboard|players/[\w.~-]{1,64})?", re.ASCII)
"""What a code may lead to: never anything but a page of ours."""
NOWHERE = (("192.0.2.1", socket.AF_INET), ("2001:db8::1", socket.AF_INET6))
"""Addresses for examples: to ask the way there sends nothing, but tells which address of ours it would come from."""
SVG = "image/svg+xml"
SIOCGIFADDR = 0x8915


class Here(msgspec.Struct, frozen=True):
    """How others reach the pages; the likeliest first."""

    reachable: list[str]
    loopback_only: bool
    hosts: list[str]
    """The same without scheme and port, for the other doors."""


class Whereabouts:
    """Tells the pages what to tell others."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self, gate: Gate) -> list[Route]:
        paths: dict[str, Handler] = {"/api/here": self.here, "/api/qr": self.code}
        return [Route(path, limited(gate, handler), methods=["GET"]) for path, handler in paths.items()]

    async def here(self, request: Request) -> Response:
        return answer(self._find(request))

    async def code(self, request: Request) -> Response:
        """One of our pages, by an address that others can reach."""
        path = request.query_params.get("path", "/")
        if not OWN_PATH.fullmatch(path):
            return problem(400, "no-such-page", "A code leads to a page of this server.")
        found = self._find(request).reachable
        if not found:
            return problem(409, "loopback-only", "This server is open to this machine alone.")
        import segno  # only who is invited by telephone needs it

        picture = io.BytesIO()
        segno.make_qr(found[0] + quote(path, "/?~"), error="m").save(
            picture, kind="svg", border=3, dark="#000", light="#fff", omitsize=True, svgclass=None, lineclass=None
        )
        return Response(picture.getvalue(), headers={"cache-control": "no-store"}, media_type=SVG)

    def _find(self, request: Request) -> Here:
        """The name this visitor came by is known to work; then come the addresses of the doors for browsers."""
        found: dict[str, str] = {}
        asked = request.headers.get("host", "")
        name = without_port(asked)
        if name and not is_loopback(name):
            found[f"{request.scope['scheme']}://{asked}{request.scope['root_path']}"] = name
        for door in self._site.doors:
            if door.name == "web":
                found |= {door.url(host): host for host in reachable(door.host)}
        return Here(list(found), not found, list(dict.fromkeys(found.values())))


def reachable(bound: str) -> list[str]:
    """Addresses by which others come to a door that is bound so; none if only this machine can."""
    if bound in EVERYWHERE:
        return _own_addresses(NOWHERE if ":" in bound else NOWHERE[:1])
    return [] if is_loopback(bound) else [bound]


def _own_addresses(ways: tuple[tuple[str, int], ...]) -> list[str]:
    found = []
    for address, family in ways:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as sock:
                sock.connect((address, 9))
                found.append(str(sock.getsockname()[0]))
        except OSError:
            continue  # there is no way out, or not by this family
    return [address for address in found or _interfaces() if not is_loopback(address)]


def _interfaces() -> list[str]:
    """The addresses of this machine's own networks, where none of them leads anywhere else. Linux only."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for _, name in socket.if_nameindex():
            try:
                told = fcntl.ioctl(sock.fileno(), SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
            except OSError:
                continue  # it has none
            found.append(socket.inet_ntoa(told[20:24]))
    return found


TYPES = (Here,)


def described() -> dict[str, Any]:
    """These paths, for OpenAPI."""
    path = {"name": "path", "in": "query", "schema": {"type": "string"}, "description": "A page of this server."}
    picture = {"description": "The code.", "content": {SVG: {"schema": {"type": "string"}}}}
    codes = {
        "200": picture,
        "400": trouble("The path is not a page of this server."),
        "409": trouble("Other machines cannot reach this server."),
    }
    return {
        "/api/here": {
            "get": operation(
                "Addresses at which other machines reach this server.",
                {"200": content(ref(Here), "The known addresses.")},
            )
        },
        "/api/qr": {"get": operation("The address of a page as a QR code.", codes, path)},
    }
