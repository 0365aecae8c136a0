"""The GGZ Gaming Zone: rooms, tables and talk in XML, and Dots on a channel of its own."""

from parlour.core.keys import one_of
from parlour.core.session import ClientSession, Door, DoorKey, Session, Visit, WireProtocol
from parlour.core.words import Cap
from parlour.protocols.ggz.codec import CODEC
from parlour.protocols.ggz.messages import Message

MOTD = "Welcome to {name}.\\nGo to a room, launch a table, and play: against a bot, or against a person who joins."
LONGEST_NAME = 64


def _name(value: str) -> None:
    if not 0 < len(value) <= LONGEST_NAME or not value.isprintable():
        raise ValueError(f"must be 1 to {LONGEST_NAME} printable characters")


def _text(value: str) -> None:
    if not value.isprintable():
        raise ValueError("must be printable; \\n begins another line")


def _serve(door: Door) -> Session[Message]:
    from parlour.protocols.ggz.server import GgzSession

    return GgzSession(door)


def _visit(visit: Visit) -> ClientSession[Message]:
    from parlour.protocols.ggz.client import visited

    return visited(visit)


PROTOCOL = WireProtocol(
    name="ggz",
    title="GGZ Gaming Zone",
    label="GGZ",
    caps=Cap.CHAT | Cap.REMATCH | Cap.SPECTATE,
    ports=((5688, {}),),
    keys={
        "name": DoorKey("Parlour", _name),
        "motd": DoorKey(MOTD, _text),
        "spectators": one_of("yes", "no"),
        "register": one_of("yes", "no"),
    },
    codec=CODEC,
    serve=_serve,
    visit=_visit,
)
