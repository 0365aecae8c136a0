"""ConnectI4n 1.0: Connect Four for one client against the engine or person in the "AI" seat."""

from parlour.core.session import ClientSession, Door, Session, Visit, WireProtocol
from parlour.core.words import Cap
from parlour.protocols.c4n.codec import CODEC
from parlour.protocols.c4n.door import KEYS
from parlour.protocols.c4n.messages import Message


def _serve(door: Door) -> Session[Message]:
    from parlour.protocols.c4n.server import C4nServer

    return C4nServer(door)


def _visit(visit: Visit) -> ClientSession[Message]:
    from parlour.protocols.c4n.client import C4nClient

    return C4nClient(visit)


PROTOCOL = WireProtocol(
    name="c4n",
    title="ConnectI4n 1.0",
    label="ConnectI4n",
    caps=Cap.NONE,
    ports=((4414, {}),),
    keys=KEYS,
    codec=CODEC,
    serve=_serve,
    visit=_visit,
)
