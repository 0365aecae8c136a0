"""The pages and the API, furnished with what this server has: its hub, its log, its secrets, its doors."""

import asyncio
import socket
from collections.abc import Sequence
from functools import partial

from parlour.config import data_directory
from parlour.core.session import Door, WireProtocol
from parlour.protocols.web.foyer import Foyer
from parlour.protocols.web.seal import Seal
from parlour.server.apilink import ApiLink
from parlour.server.desk import Desk
from parlour.server.house import House
from parlour.server.settings import Settings
from parlour.server.settling import settled
from parlour.server.webdoor import WebDoor, open_web_door
from parlour.web.app import application
from parlour.web.host import token as host_token
from parlour.web.reading import Reading
from parlour.web.secret import kept_secret
from parlour.web.site import DoorRow, Site


class Website:
    """What browsers see; however many doors lead there."""

    def __init__(self, house: House, settings: Settings, wire: WireProtocol, door: Door) -> None:
        self._house = house
        self._wire = wire
        directory = None if settings.data == "none" else data_directory(settings.data)
        self._log = None if directory is None else Reading(directory, house.gate)
        seal = house.hub.service(Foyer).seal = Seal(kept_secret(directory))
        connect = partial(ApiLink, house, wire, door)
        self._site = Site(house.hub, connect, self._log, seal, house.book, Desk(house), partial(settled, house))
        self._app = application(self._site)
        self._doors: list[WebDoor] = []

    async def open(self, door: Door, sock: socket.socket) -> WebDoor:
        names = self._site.names
        names.bind(sock.getsockname()[0], door.keys.get("names", "").split(","))
        opened = await open_web_door(self._app, names, self._house, self._wire, door, sock)
        self._doors.append(opened)
        return opened

    def announce(self, doors: Sequence[tuple[str, str, int, str]]) -> None:
        """All doors are open: the pages may name them."""
        self._site.doors = tuple(DoorRow(*door) for door in doors)

    def invitation(self) -> str:
        """The address of the host's page, for the host who started us."""
        door = next(door for door in self._site.doors if door.name == self._wire.name)
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(door.host, door.host)  # noqa: S104 - what is bound, not to bind
        return f"http://{f'[{host}]' if ':' in host else host}:{door.port}/host#{host_token(self._site.seal)}"

    async def stop(self) -> None:
        await asyncio.gather(*(door.stop() for door in self._doors))
        if self._log is not None:
            self._log.close()
