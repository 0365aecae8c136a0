"""The listening ports: plain ones for wires of their own, and those for browsers, which speak HTTP first."""

import asyncio
from typing import TYPE_CHECKING

from parlour.core.session import Door, WireProtocol
from parlour.registry import protocols
from parlour.server import lifecycle, limits
from parlour.server.house import House
from parlour.server.lifecycle import Listening
from parlour.server.settings import DoorSpec, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from parlour.server.tls import Certificate
    from parlour.server.website import Website

WEB = "web"
"""The wire that is asked for over HTTP."""


class Doors:
    """All doors of one server."""

    def __init__(self, house: House, settings: Settings) -> None:
        self._house = house
        self._settings = settings
        self._open: list[tuple[DoorSpec, Listening]] = []
        self._website: Website | None = None

    async def open(self, spec: DoorSpec) -> None:
        wire: WireProtocol = protocols()[spec.name]
        door = Door(spec.name, spec.keys, self._house.hub.matchmaker.waiting_for)
        sock = lifecycle.listening_socket(spec.host, spec.port)
        if spec.name == WEB:
            listening: Listening = await self._site(wire, door).open(door, sock)
        else:
            factory = self._house.welcome(wire, door)
            loop = asyncio.get_running_loop()
            listening = await loop.create_server(factory, sock=sock, backlog=limits.ACCEPTED_AT_ONCE)
            sock.listen(lifecycle.BACKLOG)  # the loop has set it to what it takes in at once
        self._open.append((spec, listening))

    def _site(self, wire: WireProtocol, door: Door) -> "Website":
        if self._website is None:
            from parlour.server.website import Website  # takes a while, and not every server has a door for browsers

            self._website = Website(self._house, self._settings, wire, door)
        return self._website

    def addresses(self) -> list[tuple[str, str, int]]:
        """Name, host and port of every door."""
        return [(spec.name, *_address(listening)) for spec, listening in self._open]

    def services(self) -> "list[tuple[str, str, int, Mapping[str, str]]]":
        """The same with the keys of each, for those who look for it on the network."""
        return [(spec.name, *_address(listening), spec.keys) for spec, listening in self._open]

    def announce(self) -> None:
        """Tell the host where the doors are."""
        addresses = self.addresses()
        if self._website is not None:
            self._website.announce([(name, host, port, protocols()[name].title) for name, host, port in addresses])
        for name, host, port in addresses:
            print(f"listening {name} {f'[{host}]' if ':' in host else host}:{port}")
        if self._website is not None:
            print(f"host {self._website.invitation()}")

    def close(self) -> None:
        """Accept no more connections, but for pages: they can tell that the server stops, and games can be ended."""
        for spec, listening in self._open:
            if spec.name != WEB:
                listening.close()

    def close_web(self) -> None:
        """Accept none there either."""
        for spec, listening in self._open:
            if spec.name == WEB:
                listening.close()

    @property
    def certificates(self) -> "Sequence[Certificate]":
        """Those that can be renewed while the doors are open."""
        return () if self._website is None else self._website.certificates

    async def stop(self) -> None:
        """The players have gone: end what still runs."""
        if self._website is not None:
            await self._website.stop()


def _address(listening: Listening) -> tuple[str, int]:
    host, port = listening.sockets[0].getsockname()[:2]
    return host, port
