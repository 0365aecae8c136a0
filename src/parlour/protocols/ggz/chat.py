"""What members say to a room, to one another, to everybody, and at their table."""

from typing import TYPE_CHECKING

from parlour.core import takeover
from parlour.core.hosting import Hosting
from parlour.core.vocab import Say
from parlour.languages import sentence
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.member import Member, clean, cut
from parlour.protocols.ggz.messages import Element

if TYPE_CHECKING:
    from parlour.protocols.ggz.zone import Zone

NORMAL, ANNOUNCE, BEEP, PRIVATE, TABLE = "normal", "announce", "beep", "private", "table"

CODE = "/code"
"""Said at a table: how can I go on in a browser? It is answered to the speaker alone, and works with chat off."""


def chat(zone: "Zone", member: Member, element: Element) -> str:
    """Pass on what somebody says. Returns a CODE; when it is "ok", all has been said already."""
    if zone.hub.annex(Hosting).muted_as(member.who) is not None:
        return "no permission"
    kind = element.get("TYPE", NORMAL).lower()
    text = cut(clean(element.text), spell.CHAT_LENGTH)
    match kind:
        case "announce":
            return _announce(zone, member, text)
        case "beep" | "private":
            return _to_one(zone, member, kind, element.get("TO"), text)
        case "table":
            return _at_table(zone, member, text)
    assert member.hall is not None  # who is in no room has been told so
    # The original takes any other word for "normal", but says it as none.
    said = spell.chat(kind if kind == NORMAL else "", member.name, text)
    member.tell(spell.result("chat"))
    member.hall.tell(said)
    return spell.OK


def _announce(zone: "Zone", member: Member, text: str) -> str:
    """To everybody in any room; only those who are known here may."""
    if not member.account:
        return "no permission"
    member.tell(spell.result("chat"))
    said = spell.chat(ANNOUNCE, member.name, text)
    for hall in zone.halls.values():
        hall.tell(said)
    return spell.OK


def _to_one(zone: "Zone", member: Member, kind: str, to: str, text: str) -> str:
    """To one member, in whatever room; nobody whispers to players, or from their table."""
    other = zone.find(to)
    if other is None or other.hall is None:
        return "usr lookup"
    if kind == PRIVATE and (member.shown is not None or other.shown is not None):
        return "at table"
    member.tell(spell.result("chat"))
    other.tell(spell.chat(kind, member.name, text if kind == PRIVATE else None))
    return spell.OK


def _at_table(zone: "Zone", member: Member, text: str) -> str:
    """To everybody at the table, whatever wire they are on; the channel says it, and hears it with the others."""
    channel = member.playing
    room = None if channel is None or channel.table is None else channel.table.lobby
    if channel is None or room is None:
        return "no table"
    if text.strip().lower() == CODE:
        code = sentence(takeover.seat_code(room.users[channel], zone.hub))
        member.tell(spell.result("chat"), spell.chat(TABLE, member.manners.name, code))
        return spell.OK
    if "chat" not in room.features:
        return "no permission"
    member.tell(spell.result("chat"))
    zone.hub.submit(channel, Say(text))
    return spell.OK
