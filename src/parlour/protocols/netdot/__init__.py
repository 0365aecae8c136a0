"""NetDot 1.x, 2.0, the 3.0 beta and the 3.0 draft: dots and boxes in rooms with a lobby."""

from parlour.core.session import ClientSession, Door, Session, Visit, WireProtocol
from parlour.core.table.table import Table
from parlour.core.words import Cap
from parlour.protocols.netdot.codec import CODEC
from parlour.protocols.netdot.door import KEYS
from parlour.protocols.netdot.messages import Line


def _serve(door: Door) -> Session[Line]:
    from parlour.protocols.netdot.server import Talk

    return Talk(door)


def _row(table: Table) -> str:
    from parlour.protocols.netdot.extensions import row

    return row(table)


def _visit(visit: Visit) -> ClientSession[Line]:
    from parlour.protocols.netdot.client import NetdotClient

    return NetdotClient(visit)


PROTOCOL = WireProtocol(
    name="netdot",
    title="NetDot 1.x, 2.0 and 3.0",
    label="NetDot",
    caps=Cap.CHAT | Cap.SPECTATE,
    ports=((1234, {}),),
    keys=KEYS,
    codec=CODEC,
    serve=_serve,
    visit=_visit,
    row=_row,
)
