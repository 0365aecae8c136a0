"""The pages and the API, furnished with what this server has: its hub, its log, its secrets, its doors."""

import asyncio
import socket
from collections.abc import Sequence
from functools import partial

from starlette.routing import Route

from parlour.core.errors import LocalError
from parlour.core.session import Door, WireProtocol
from parlour.protocols.web.foyer import Foyer
from parlour.protocols.web.seal import Seal
from parlour.server.apilink import ApiLink
from parlour.server.desk import Desk
from parlour.server.flushing import flushed
from parlour.server.health import Checkup
from parlour.server.house import House
from parlour.server.settings import Settings
from parlour.server.tls import Certificate
from parlour.server.webdoor import WebDoor, open_web_door
from parlour.server.weblink import PATH as WEBSOCKET
from parlour.web.app import application
from parlour.web.entrance import Entrance, entrance_of
from parlour.web.host import token as host_token
from parlour.web.reading import Reading
from parlour.web.secret import kept_secret
from parlour.web.site import DoorRow, Site


class Website:
    """What browsers see; however many doors lead there."""

    def __init__(self, house: House, settings: Settings, wire: WireProtocol, door: Door) -> None:
        self._house = house
        self._wire = wire
        place = settings.place
        self._log = None if place is None else Reading(place, house.gate, house.complain)
        seal = house.hub.service(Foyer).seal = Seal(kept_secret(place))
        connect = partial(ApiLink, house, wire, door)
        checkup = Checkup(house, place)
        self._site = Site(
            house.hub,
            connect,
            self._log,
            seal,
            house.book,
            Desk(house),
            partial(flushed, house),
            checkup.look,
            checkup.archive_lag,
        )
        self._app = application(self._site)
        self._doors: list[WebDoor] = []
        self._entrances: dict[tuple[str, int], Entrance] = {}
        self.certificates: list[Certificate] = []

    async def open(self, door: Door, sock: socket.socket) -> WebDoor:
        """Raises LocalError for a certificate that cannot be used, and for a path that pages of ours have."""
        entrance = entrance_of(door)
        self._check_path(entrance.path)
        certificate = Certificate(door.keys["tls"]) if entrance.secure else None
        names, address = self._site.names, sock.getsockname()[:2]
        names.bind(address[0], door.keys.get("names", "").split(","), known=bool(entrance.proxies))
        opened = await open_web_door(self._app, names, self._house, self._wire, door, sock, entrance, certificate)
        self._doors.append(opened)
        self._entrances[address] = entrance
        if certificate is not None:
            self.certificates.append(certificate)
        return opened

    async def open_behind(
        self, door: Door, sock: socket.socket, entrance: Entrance, address: tuple[str, int]
    ) -> WebDoor:
        """A door whose requests come through another process of ours, which listens at this address."""
        outside, names = entrance_of(door), self._site.names
        self._check_path(outside.path)
        names.bind(address[0], door.keys.get("names", "").split(","), known=bool(outside.proxies))
        opened = await open_web_door(self._app, names, self._house, self._wire, door, sock, entrance, None)
        self._doors.append(opened)
        self._entrances[address] = outside
        return opened

    def _check_path(self, path: str) -> None:
        """A proxy may leave the path out: then `/table/1` must not be taken for page `/1` below `/table`."""
        first = "/".join(path.split("/")[:2])
        pages = [route.path for route in self._app.routes if isinstance(route, Route)]
        if first == WEBSOCKET or (first and any(page.startswith(f"{first}/") for page in pages)):
            raise LocalError(f"web: path must not begin with {first}, which has pages of its own")

    def announce(self, doors: Sequence[tuple[str, str, int, str]]) -> None:
        """All doors are open: the pages may name them."""
        rows = []
        for name, host, port, title in doors:
            entrance = self._entrances.get((host, port), Entrance())
            rows.append(DoorRow(name, host, port, title, entrance.secure, entrance.path))
        self._site.doors = tuple(rows)

    def invitation(self) -> str:
        """The address of the host's page, for the host who started us."""
        door = next(door for door in self._site.doors if door.name == self._wire.name)
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(door.host, door.host)  # noqa: S104 - what is bound, not to bind
        return f"{door.url(host)}/host#{host_token(self._site.seal)}"

    async def stop(self) -> None:
        await asyncio.gather(*(door.stop() for door in self._doors))
        if self._log is not None:
            self._log.close()
