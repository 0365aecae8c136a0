"""GGZ Dots: dots and boxes for two, by the document of the year 2000 and by protocol 4 of the Gaming Zone."""

from parlour.core.session import ClientSession, Door, Session, Visit, WireProtocol
from parlour.core.words import Cap
from parlour.protocols.ggzdots.codec import CODEC
from parlour.protocols.ggzdots.dialect import YEAR2000
from parlour.protocols.ggzdots.door import KEYS
from parlour.protocols.ggzdots.messages import ClientMessage, ServerMessage


def _serve(door: Door) -> Session[ClientMessage]:
    from parlour.protocols.ggzdots.server import Doorstep

    return Doorstep(door)


def _visit(visit: Visit) -> ClientSession[ServerMessage]:
    from parlour.protocols.ggzdots.client import visited

    return visited(visit)


PROTOCOL = WireProtocol(
    name="ggz-dots",
    title="GGZ Dots, the document of 2000",
    label="GGZ Dots",
    caps=Cap.REMATCH,
    ports=((5689, {}),),
    keys=KEYS,
    codec=CODEC[YEAR2000],
    serve=_serve,
    visit=_visit,
)
