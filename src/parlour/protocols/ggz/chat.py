"""What users say to a room, to one another, to everyone, and at their table."""

from parlour.core.names import cut, one_line
from parlour.core.words import Say, ShowCode
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.messages import Element
from parlour.protocols.ggz.user import User
from parlour.protocols.ggz.zone import Zone

NORMAL, ANNOUNCE, BEEP, PRIVATE, TABLE = "normal", "announce", "beep", "private", "table"

CODE = "/code"
"""Said at a table: how can I go on in a browser? It is answered to the speaker alone, and works with chat off."""


def chat(zone: Zone, user: User, element: Element) -> str:
    """Pass on what a user says. Returns a CODE; when it is "ok", all has been said already."""
    zone.hub.muting.require_voice(user.who)
    kind = element.get("TYPE", NORMAL).lower()
    text = cut(one_line(element.text), spell.CHAT_LENGTH)
    match kind:
        case "announce":
            return _announce(zone, user, text)
        case "beep" | "private":
            return _to_one(zone, user, kind, element.get("TO"), text)
        case "table":
            return _at_table(zone, user, text)
    assert user.hall is not None  # a user in no room has been told so
    # The original takes any other word for "normal", but says it as none.
    said = spell.chat(kind if kind == NORMAL else "", user.name, text)
    user.tell(spell.result("chat"))
    user.hall.tell(said)
    return spell.OK


def _announce(zone: Zone, user: User, text: str) -> str:
    """To everyone in any room; only registered users may."""
    if not user.account:  # CHAT: a guest may not announce
        return "no permission"
    user.tell(spell.result("chat"))
    said = spell.chat(ANNOUNCE, user.name, text)
    for hall in zone.halls.values():
        hall.tell(said)
    return spell.OK


def _to_one(zone: Zone, user: User, kind: str, to: str, text: str) -> str:
    """To one user, in whatever room; players are not whispered to, nor do they whisper from their table."""
    other = zone.find(to)
    if other is None or other.hall is None:  # CHAT: a name that is not there
        return "usr lookup"
    if kind == PRIVATE and (user.shown is not None or other.shown is not None):  # as ggzd does
        return "at table"
    user.tell(spell.result("chat"))
    other.tell(spell.chat(kind, user.name, text if kind == PRIVATE else None))
    return spell.OK


def _at_table(zone: Zone, user: User, text: str) -> str:
    """To everyone at the table, by whatever wire; the channel says it, and hears it with the others in a moment."""
    if user.playing is None:  # CHAT: table, from one who sits at none
        return "no table"
    zone.hub.carry_out(user.playing, ShowCode() if text.strip().lower() == CODE else Say(text))
    user.tell(spell.result("chat"))
    return spell.OK
