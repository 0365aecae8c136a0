"""The browser's wire: JSON over WebSocket, at the same tables as everybody else."""

from parlour.core.session import WireProtocol
from parlour.core.vocab import Cap
from parlour.protocols.web.client import WebClient
from parlour.protocols.web.codec import WebCodec
from parlour.protocols.web.server import WebSession

PROTOCOL = WireProtocol(
    name="web",
    title="HTTP, WebSocket, JSON API",
    caps=Cap.ALL,
    ports=((8080, {}),),
    keys={},
    codec=WebCodec(),
    serve=WebSession,
    visit=WebClient,
)
