"""The browser's wire: JSON over WebSocket, at the same tables as every other wire."""

import ipaddress
import re

from parlour.core.session import DoorKey, WireProtocol
from parlour.core.table.table import Table
from parlour.core.words import Cap
from parlour.protocols.web import views
from parlour.protocols.web.client import WebClient
from parlour.protocols.web.codec import WebCodec
from parlour.protocols.web.server import WebSession
from parlour.protocols.web.spell import encode

_NAMES = re.compile(r"(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?:,|$))*", re.ASCII | re.IGNORECASE)


def _names(value: str) -> None:
    if not _NAMES.fullmatch(value):
        raise ValueError("must be names of hosts, without ports")


_PATH = re.compile(r"(?:/(?!\.\.?(?:/|$))[A-Za-z0-9._~-]+)*/?", re.ASCII)


def _networks(value: str) -> None:
    try:
        for network in value.split(",") if value else ():
            ipaddress.ip_network(network.strip("[]"), strict=False)
    except ValueError:
        raise ValueError("must be addresses or networks, such as 127.0.0.1,10.0.0.0/8,::1") from None


def _files(value: str) -> None:
    if value and not all(value.partition(":")):
        raise ValueError("must be two files, CERTIFICATE:KEY")


def _path(value: str) -> None:
    if not _PATH.fullmatch(value):
        raise ValueError("must be a path such as /parlour, of plain letters, digits and . _ ~ -")


def _row(table: Table) -> str:
    return encode(views.row(table, table.ring[0].at)).decode()


PROTOCOL = WireProtocol(
    name="web",
    title="Parlour's pages (HTTP)",
    label="browser",
    caps=Cap.ALL,
    ports=((8080, {}),),
    keys={
        "names": DoorKey("", _names),
        "tls": DoorKey("", _files),
        "proxy": DoorKey("", _networks),
        "path": DoorKey("", _path),
    },
    codec=WebCodec(),
    serve=WebSession,
    visit=WebClient,
    row=_row,
)
