"""A GGZ client's connections: the XML of the session, and the channel that carries the game, known by the same name."""

import re
from collections import Counter
from typing import Any

from parlour.core.errors import ProtocolError
from parlour.protocols.ggz.codec import CODEC
from parlour.protocols.ggz.messages import Element, Ended, Hearing, Opened
from parlour.protocols.ggz.phases import ACTIONS, ANSWERED, IGNORED, PARTS, REQUESTS, State, fate
from parlour.protocols.ggzdots.dialect import FOUR
from parlour.trace.follower import Follower, Heard, Zone, either
from parlour.trace.wires.ggzdots import Dots

FROM_SERVER = frozenset(
    ("SERVER", "RESULT", "MOTD", "CHAT", "UPDATE", "JOIN", "LEAVE", "PING", "PONG", "INFO", "RANKINGS")
)
PROTOCOL = "protocol"
LONGEST = 400
"""Letters of what stands in an element, in a line of the trace."""
CHANNEL = "channel"
_BLANK = re.compile(rb"[ \t\r\n]+")


class GgzFollower(Follower):
    """One connection, which is a session until it says that it is a channel."""

    codec = CODEC

    def __init__(self, zone: Zone, connection: int, dialect: str) -> None:
        super().__init__(zone, connection, dialect)
        self._state = State.OUTSIDE
        self._opened = {"C": False, "S": False}
        self._ended = {"C": False, "S": False}
        self._lost = {"C": False, "S": False}
        """What was no XML has been said: the document cannot be read any further."""
        self._dots: Dots | None = None
        """The game on a channel."""
        self._name = ""
        self._asked: Counter[str] = Counter()

    @property
    def phase(self) -> str:
        if self._dots is not None:
            return f"{CHANNEL}: {self._dots.phase.value}" if all(self._ended.values()) else CHANNEL
        return self._state.value

    def reads(self, sender: str) -> Any:
        if self._dots is not None and self._ended[sender]:
            return self._dots.reads(sender)
        if sender == "S":
            return Hearing.SERVER
        return Hearing.CLIENT if self._opened["C"] else Hearing.STRANGER

    def parse(self, sender: str, data: bytes, start: int) -> tuple[Any, int] | None:
        if self._lost[sender]:
            raise ProtocolError("nothing can be understood after what was no XML", len(data))
        if self._dots is not None and self._ended[sender]:
            return self._dots.parse(sender, data, start)
        if not data[start:].strip():
            return None if len(data) - start < self.limit else (data[start:], len(data))
        try:
            found = self.codec.parse(data, start, self.reads(sender))
        except ProtocolError:
            self._lost[sender] = True
            raise
        if found is None or isinstance(found[0], Ended):  # behind that a channel's game may begin
            return found
        behind = _BLANK.match(data, found[1])
        return found if behind is None else (found[0], behind.end())

    def unfinished(self, sender: str, rest: bytes) -> str:
        return "" if not rest.strip() else super().unfinished(sender, rest)

    def board(self) -> str:
        return "" if self._dots is None else self._dots.text()

    def hear(self, sender: str, message: Any, raw: bytes) -> Heard:  # noqa: ARG002 - spelling means nothing
        match message:
            case bytes():
                return "blanks", {}, "blanks without end"
            case Opened():
                again, self._opened[sender] = self._opened[sender], True
                return "SESSION", {}, "a second time" if again else ""
            case Ended():
                again, self._ended[sender] = self._ended[sender], True
                return "/SESSION", {}, "a second time" if again else ""
            case Element():
                late = "after the end of the document" if self._ended[sender] else ""
                stray = "" if self._opened[sender] else "before SESSION"
                note = self._request(message) if sender == "C" else self._answer(message)
                return message.tag, _fields(message), either(late, stray, note)
        assert self._dots is not None, "only a channel reads anything else"
        heard = self._dots.hear(sender, message)
        self.changed, self._dots.changed = self._dots.changed, False
        return heard

    # --- the session --------------------------------------------------------------------------------------------------

    def _request(self, element: Element) -> str:
        tag = element.tag
        due = fate(tag, self._state)
        if tag in REQUESTS:
            self._asked[ACTIONS[tag]] += 1
        if tag == "LOGIN":
            name = element.child("NAME")
            self._name = "" if name is None else name.text.strip()
        if tag == "CHANNEL" and due == ANSWERED:
            return self._becomes_channel(element.get("ID"))
        if tag not in REQUESTS:
            return "means something within others only" if tag in PARTS else "there is no such request"
        return "" if due in (ANSWERED, IGNORED) else f"{due!r} is due: not while {self._state.value}"

    def _becomes_channel(self, name: str) -> str:
        self._dots = Dots(FOUR, CODEC)  # it knows of the line end behind the document
        self.group = self.zone.sessions.get(name, self.connection)
        return "" if name in self.zone.sessions else f"no session of {name!r} was seen"

    def _answer(self, element: Element) -> str:
        match element.tag:
            case "RESULT":
                return self._result(element.get("ACTION"), element.get("CODE"))
            case "JOIN":
                self._state = State.TABLE
            case "LEAVE" if not element.get("PLAYER") or element.get("PLAYER") == self._name:
                self._state = State.ROOM
            case tag if tag not in FROM_SERVER:
                return "there is no such element"
        return ""

    def _result(self, action: str, code: str) -> str:
        asked = action == PROTOCOL or self._asked[action] > 0
        self._asked[action] -= self._asked[action] > 0
        if code == "ok" and action == "login":
            self._state = State.HALL
            if len(self.zone.sessions) < MOST_SESSIONS:
                self.zone.sessions[self._name] = self.connection
        elif code == "ok" and action == "enter":
            self._state = State.ROOM
        return "" if asked else f"nothing of the kind {action!r} was asked"


MOST_SESSIONS = 100_000


def _fields(element: Element) -> dict[str, Any]:
    """Attributes, texts, and what stands inside, as far as it is short."""
    fields: dict[str, Any] = dict(element.attrs)
    if element.text.strip():
        fields["text"] = element.text.strip()
    names = Counter(child.tag for child in element.children)
    for child in element.children:
        if names[child.tag] == 1 and not child.attrs and not child.children:
            fields[child.tag] = child.text.strip()
    inner = [child for child in element.children if child.tag not in fields]
    if inner:
        text = " ".join(map(_summary, inner))
        fields["content"] = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return fields


def _summary(element: Element) -> str:
    attrs = "".join(f" {name}={value}" for name, value in element.attrs.items())
    inside = " ".join(filter(None, (element.text.strip(), *map(_summary, element.children))))
    return f"<{element.tag}{attrs}{f': {inside}' if inside else ''}>"
