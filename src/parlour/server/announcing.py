"""The house on the local network: browsers and NetDot programs find it without being told an address (DNS-SD, mDNS).

What goes wrong with it is one line for the host: people can still type the address.
"""

import asyncio
import re
import socket
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec
import structlog

from parlour.server import limits
from parlour.web.names import EVERYWHERE, is_loopback

if TYPE_CHECKING:
    from zeroconf import ServiceInfo
    from zeroconf.asyncio import AsyncZeroconf

log = structlog.get_logger()

KINDS = {"web": "_http._tcp.local.", "netdot": "_netdot._tcp.local."}
"""By wire, the service type that its programs look for. NetDot 3.0 has chosen its own."""
SECURE = "_https._tcp.local."
LONGEST_NAME = 63
"""Bytes of a service's name (RFC 6763, 4.1.1); some are kept for a number behind it."""


class Place(msgspec.Struct, frozen=True):
    """A door as others can look for it."""

    kind: str
    addresses: tuple[str, ...]
    port: int
    everywhere: bool
    """Whether it is open on all networks of this machine."""
    path: str
    """Where the pages begin."""


def places(doors: Sequence[tuple[str, str, int, Mapping[str, str]]], mode: str) -> list[Place]:
    """The doors to announce, of name, host, port and keys: with `auto` those that others can reach, with `yes` all."""
    found = []
    for name, host, port, keys in doors:
        if name in KINDS and (addresses := _addresses(host, mode)):
            kind = SECURE if keys.get("tls") else KINDS[name]
            found.append(Place(kind, addresses, port, host in EVERYWHERE, keys.get("path") or "/"))
    return found


def _addresses(host: str, mode: str) -> tuple[str, ...]:
    """Where to find a door that is bound so; none if it is not to be announced."""
    if mode == "no":
        return ()
    if host in EVERYWHERE:
        from parlour.web.here import reachable  # brings the pages along, which not every server has

        return tuple(reachable(host))
    return (host,) if mode == "yes" or not is_loopback(host) else ()


def service_name() -> str:
    """What people read in a list of services; a second house of the same name gets a number."""
    name = f"Parlour on {_machine()}".encode()[: LONGEST_NAME - 4]
    return name.decode(errors="ignore")


def _machine() -> str:
    """The first part of this machine's name, as a name on the network may be spelled."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", socket.gethostname().partition(".")[0]).strip("-")[:40] or "this machine"


class Announcer:
    """Announces the house beside everything else, and takes it back at the end."""

    def __init__(self, found: list[Place]) -> None:
        self._places = found
        self._zeroconf: AsyncZeroconf | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._places:
            self._task = asyncio.get_running_loop().create_task(self._announce())

    async def stop(self) -> None:
        """Say goodbye to the network, so that no list shows what is gone."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._zeroconf is not None:
            try:
                async with asyncio.timeout(limits.GOODBYE_SECONDS):
                    await self._zeroconf.async_unregister_all_services()
                    await self._zeroconf.async_close()
            except Exception as error:  # noqa: BLE001 - the network may be gone in any way
                _complain(error)

    async def _announce(self) -> None:
        try:
            await asyncio.to_thread(import_module, "zeroconf.asyncio")  # takes a while, and others want to play
            from zeroconf import InterfaceChoice, IPVersion
            from zeroconf.asyncio import AsyncZeroconf

            if any(place.everywhere for place in self._places):
                self._zeroconf = AsyncZeroconf(InterfaceChoice.All, ip_version=IPVersion.V4Only)
            else:
                addresses = {address for place in self._places for address in place.addresses}
                self._zeroconf = AsyncZeroconf(sorted(addresses))
            for place in self._places:
                info = _info(place)
                await (await self._zeroconf.async_register_service(info, allow_name_change=True))
                log.info("announced", name=info.name, port=place.port)
        except Exception as error:  # noqa: BLE001 - no network, no multicast, no package: people can play
            _complain(error)


def _info(place: Place) -> "ServiceInfo":
    from zeroconf import ServiceInfo

    return ServiceInfo(
        place.kind,
        f"{service_name()}.{place.kind}",
        port=place.port,
        parsed_addresses=list(place.addresses),
        properties={} if place.kind == KINDS["netdot"] else {"path": place.path},
        server=f"parlour-{_machine()}-{place.port}.local.",
    )


def _complain(error: Exception) -> None:
    log.warning("the house is not announced on the local network", reason=str(error) or type(error).__name__)
