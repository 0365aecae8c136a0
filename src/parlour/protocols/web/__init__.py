"""The browser's wire: JSON over WebSocket, at the same tables as every other wire."""

import re

from parlour.core.session import Key, WireProtocol
from parlour.core.words import Cap
from parlour.protocols.web.client import WebClient
from parlour.protocols.web.codec import WebCodec
from parlour.protocols.web.server import WebSession

_NAMES = re.compile(r"(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?:,|$))*", re.ASCII | re.IGNORECASE)


def _names(value: str) -> None:
    if not _NAMES.fullmatch(value):
        raise ValueError("must be names of hosts, without ports")


PROTOCOL = WireProtocol(
    name="web",
    title="HTTP, WebSocket, JSON API",
    label="browser",
    caps=Cap.ALL,
    ports=((8080, {}),),
    keys={"names": Key("", _names)},
    codec=WebCodec(),
    serve=WebSession,
    visit=WebClient,
)
