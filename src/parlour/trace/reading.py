"""Bytes of both directions to messages in the order they were said, without I/O.

The wire's own codec reads them, by the phase that a follower of the wire keeps (`parlour.trace.wires`). All bytes come
out again: those of a message with the message, those that are none with the reason, so nothing is lost or said twice.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from parlour.core.errors import LocalError, ProtocolError
from parlour.registry import load
from parlour.trace.follower import Follower, Zone

CLIENT, SERVER = "C", "S"
END, RESET = "end", "reset"
"""The names of what is no message: a side has said its last, or was cut off."""
BLANKS = "blanks"
"""Bytes that stand behind the last message and mean nothing."""

FOLLOWERS: Mapping[str, str] = {
    "c4n": "parlour.trace.wires.c4n:C4nFollower",
    "nettoe": "parlour.trace.wires.nettoe:NetToeFollower",
    "glendy": "parlour.trace.wires.glendy:GlendyFollower",
    "netdot": "parlour.trace.wires.netdot:NetdotFollower",
    "ggz": "parlour.trace.wires.ggz:GgzFollower",
    "ggz-dots": "parlour.trace.wires.ggzdots:DotsFollower",
    "web": "parlour.trace.wires.web:WebFollower",
    "telnet": "parlour.trace.wires.telnet:TelnetFollower",
}


class Message(msgspec.Struct):
    """One thing that was said, or bytes that say nothing."""

    at: float | None
    """When, in seconds since 1970; None where that is not known."""
    connection: int
    sender: str
    """C or S."""
    raw: bytes
    name: str
    """As the wire's document calls it; empty for bytes that are no message."""
    fields: dict[str, Any]
    phase: str
    """Where the conversation stood, by the wire's own table of phases."""
    note: str = ""
    """What is against the document here; empty when nothing is."""
    board: str = ""
    """The position after it, if it shows or changes one and boards are drawn."""
    group: int = 0
    """The first of the connections that belong together: a GGZ client has two."""

    @property
    def is_end(self) -> bool:
        """Whether this is the end of a side and no message."""
        return not self.raw and self.name in (END, RESET)


class _Side:
    """One direction: what is not read yet, and whether we are inside something that is too long to be read."""

    __slots__ = ("at", "buffer", "until")

    def __init__(self) -> None:
        self.buffer = b""
        self.until = b""
        self.at: float | None = None


class Conversation:
    """One connection."""

    def __init__(self, follower: Follower, connection: int, boards: bool = False) -> None:
        self.follower = follower
        self.connection = connection
        self._boards = boards
        self._sides = {CLIENT: _Side(), SERVER: _Side()}

    @property
    def waiting(self) -> int:
        """Bytes that have come and are no message yet."""
        return sum(len(side.buffer) for side in self._sides.values())

    def feed(self, sender: str, data: bytes, at: float | None = None) -> list[Message]:
        """Returns the messages that are complete now."""
        found: list[Message] = []
        side = self._sides[sender]
        side.at = at
        side.buffer = side.buffer + data if side.buffer else data
        while self._read(sender, found) and self._read(_other(sender), found):
            pass  # what one side says may be what the other side's bytes were waiting for
        return found

    def end(self, sender: str, at: float | None = None, how: str = END) -> list[Message]:
        """This side has said its last. Returns what was left of it, and the end itself."""
        found: list[Message] = []
        side = self._sides[sender]
        rest, side.buffer, side.until = side.buffer, b"", b""
        if rest:
            note = self.follower.unfinished(sender, rest)
            found.append(self._message(sender, rest, "" if note else BLANKS, {}, at, note))
        found.append(self._message(sender, b"", how, {}, at, self.follower.ended(sender, how)))
        return found

    def missed(self, sender: str, count: int, at: float | None = None) -> list[Message]:
        """So many bytes of this side were not recorded. Returns what was left before them, and the gap itself."""
        side = self._sides[sender]
        rest, side.buffer, side.until = side.buffer, b"", b""
        found = [self._nothing(sender, rest, at, "the rest of it was not recorded")] if rest else []
        return [*found, self._nothing(sender, b"", at, f"{count} bytes were not recorded")]

    def _read(self, sender: str, found: list[Message]) -> bool:
        """Take all messages that one side has complete; whether there was one."""
        side, follower, start, before = self._sides[sender], self.follower, 0, len(found)
        data = side.buffer
        while start < len(data):
            if side.until:
                end = _past(side.until, data, start)
                side.until = b"" if end else side.until
                end = end or len(data)
                found.append(self._nothing(sender, data[start:end], side.at, "still what was too long"))
            else:
                taken = self._one(sender, data, start, found)
                if taken is None:
                    break
                end = taken
            start = end
        side.buffer = data[start:] if start else data
        if len(side.buffer) > max(follower.limit, 1):
            rest, side.buffer = side.buffer, b""
            found.append(self._nothing(sender, rest, side.at, f"{len(rest)} bytes without the end of a message"))
        return len(found) > before

    def _one(self, sender: str, data: bytes, start: int, found: list[Message]) -> int | None:
        """Read what begins at `start`; returns where it ends, None when it has not ended."""
        follower, side = self.follower, self._sides[sender]
        phase = follower.phase
        try:
            parsed = follower.parse(sender, data, start)
        except ProtocolError as error:
            end = min(max(error.resume, start + 1), len(data))
            side.until = error.until
            note = follower.nonsense(sender, str(error))
            found.append(self._nothing(sender, data[start:end], side.at, note, phase))
            return end
        if parsed is None:
            return None
        message, end = parsed
        raw = data[start:end]
        name, fields, note = follower.hear(sender, message, raw)
        found.append(self._message(sender, raw, name, fields, side.at, note, phase))
        return end

    def _nothing(self, sender: str, raw: bytes, at: float | None, note: str, phase: str | None = None) -> Message:
        return self._message(sender, raw, "", {}, at, note, phase)

    def _message(
        self,
        sender: str,
        raw: bytes,
        name: str,
        fields: dict[str, Any],
        at: float | None,
        note: str,
        phase: str | None = None,
    ) -> Message:
        follower = self.follower
        board = ""
        if follower.changed:
            follower.changed = False
            if self._boards:
                board = follower.board()
        where = follower.phase if phase is None else phase
        return Message(at, self.connection, sender, raw, name, fields, where, note, board, follower.group)


def _other(sender: str) -> str:
    return SERVER if sender == CLIENT else CLIENT


def _past(ends: bytes, data: bytes, start: int) -> int:
    """Behind the first of these bytes; 0 if there is none of them."""
    found = [at for end in ends if (at := data.find(end, start)) >= 0]
    return min(found) + 1 if found else 0


class Reader:
    """All connections of one wire. Those that belong together are followed together."""

    def __init__(self, wire: str, boards: bool = False, dialect: str = "") -> None:
        """`boards` draws positions, which costs time; `dialect` is for wires that do not tell it themselves.

        Raises LocalError for a wire that there is not.
        """
        if wire not in FOLLOWERS:
            raise LocalError(f"there is no wire {wire!r}; there are {', '.join(FOLLOWERS)}")
        self.wire = wire
        self._make: Callable[[Zone, int, str], Follower] = load(FOLLOWERS[wire])
        self._zone = Zone()
        self._boards = boards
        self._dialect = dialect
        self._open: dict[int, Conversation] = {}
        self._ended: dict[int, str] = {}
        """By connection, the side that has said its last."""

    def conversation(self, connection: int) -> Conversation:
        """The conversation on this connection, which begins if it is new."""
        found = self._open.get(connection)
        if found is None:
            follower = self._make(self._zone, connection, self._dialect)
            found = self._open[connection] = Conversation(follower, connection, self._boards)
        return found

    def __contains__(self, connection: int) -> bool:
        """Whether this conversation goes on."""
        return connection in self._open

    def feed(self, connection: int, sender: str, data: bytes, at: float | None = None) -> Sequence[Message]:
        """Returns the messages that are complete now."""
        return self.conversation(connection).feed(sender, data, at)

    def end(self, connection: int, sender: str, at: float | None = None, how: str = END) -> Sequence[Message]:
        """This side has said its last; when both have, or one is cut off, the conversation is forgotten."""
        talk = self.conversation(connection)
        found = talk.end(sender, at, how)
        if how == RESET:
            found = [*talk.end(_other(sender), at, how)[:-1], *found]
        if how == RESET or self._ended.setdefault(connection, sender) != sender:
            del self._open[connection]
            self._ended.pop(connection, None)
        return found
