"""What happened on the connections, before it is parsed: who opened, sent, ended, was cut off, and when.

The proxy hands these to the process that reads them; recorded files become the same. As bytes a record is a short head
and what was sent.
"""

from collections.abc import Iterator
from struct import Struct

import msgspec

from parlour.trace.reading import END, RESET

OPEN, DATA, LOST = "open", "data", "lost"
"""With END and RESET, what can happen. LOST is what a capture has missed."""


class Ends(msgspec.Struct, frozen=True):
    """The addresses of both sides."""

    client: tuple[str, int]
    server: tuple[str, int]


class Record(msgspec.Struct, frozen=True):
    """One thing that happened on one connection."""

    at: float | None
    connection: int
    sender: str
    what: str
    data: bytes = b""
    ends: Ends | None = None
    """Of OPEN, where they are known."""
    wire: str = ""
    """Of OPEN, where the connections of a file are not all of one wire."""
    lost: int = 0
    """Of LOST, how many bytes."""
    why: str = ""
    """Of RESET, what is known about it."""


_HEAD = Struct("<BQII")
_KINDS = ((OPEN, "C"), (DATA, "C"), (DATA, "S"), (END, "C"), (END, "S"), (RESET, "C"), (RESET, "S"))
OPENED = 0
SENT, ENDED, CUT = {"C": 1, "S": 2}, {"C": 3, "S": 4}, {"C": 5, "S": 6}
"""The numbers of the kinds, by side."""

pack = _HEAD.pack
"""A head: the number of the kind, nanoseconds since 1970, the connection, how many bytes follow."""


class Unpacker:
    """Bytes that arrive in any pieces to records."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[Record]:
        data = self._rest + data if self._rest else data
        at, size = 0, _HEAD.size
        while len(data) - at >= size:
            kind, nanoseconds, connection, length = _HEAD.unpack_from(data, at)
            if len(data) - at - size < length:
                break
            body = data[at + size : at + size + length]
            yield _record(kind, nanoseconds, connection, body)
            at += size + length
        self._rest = data[at:]


def _record(kind: int, nanoseconds: int, connection: int, body: bytes) -> Record:
    what, sender = _KINDS[kind]
    at = nanoseconds / 1e9
    if what == DATA:
        return Record(at, connection, sender, what, body)
    if what == OPEN:
        return Record(at, connection, sender, what, ends=msgspec.json.decode(body, type=Ends))
    return Record(at, connection, sender, what, why=body.decode())
