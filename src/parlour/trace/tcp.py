"""TCP streams from the packets of a capture, as far as the capture has them: why it is done here is in docs/adr/0020.

Each direction has the number of the byte that comes next. What is older came before and is dropped, what is newer waits
until the gap before it is filled; a gap that is not filled within bounds is told, and reading goes on behind it.
"""

from collections import OrderedDict
from collections.abc import Iterator

import msgspec

from parlour.trace.reading import END, RESET
from parlour.trace.records import DATA, LOST, OPEN, Ends, Record

AHEAD_BYTES = 1 << 20
AHEAD_SEGMENTS = 2048
"""What may wait for a gap to be filled, in one direction."""
MOST_CONNECTIONS = 16384
"""Connections that are kept in mind, ended ones included: late repetitions belong to them."""
FIN, SYN, RST, ACK = 1, 2, 4, 16
_WRAP = 1 << 32

Address = tuple[str, int]


class Segment(msgspec.Struct, frozen=True, gc=False):
    """One packet of TCP."""

    at: float
    source: Address
    target: Address
    number: int
    flags: int
    data: bytes
    missing: int = 0
    """Bytes behind the data that the capture has cut off."""


class _Stream:
    """One direction."""

    __slots__ = ("ahead", "end", "ended", "first", "next", "waiting")

    def __init__(self) -> None:
        self.first: int | None = None
        """The number of the first byte, where a SYN has told it."""
        self.next: int | None = None
        """The number of the next byte; None before the first packet."""
        self.ahead: dict[int, bytes] = {}
        """By number, what has come too early."""
        self.waiting = 0
        self.end: int | None = None
        """The number that a FIN has."""
        self.ended = False


class _Connection:
    """Both directions, and who called whom."""

    __slots__ = ("client", "number", "streams")

    def __init__(self, number: int, client: Address) -> None:
        self.number = number
        self.client = client
        self.streams = {"C": _Stream(), "S": _Stream()}

    def is_another(self, opening: Segment) -> bool:
        """Whether a SYN begins another connection between the same addresses."""
        if all(stream.ended for stream in self.streams.values()):
            return True
        first = self.streams["C"].first
        return opening.source == self.client and first not in (None, (opening.number + 1) % _WRAP)


def _after(one: int, other: int) -> int:
    """How far the first number is behind the second; negative when it is before it. Numbers wrap."""
    return (one - other + (_WRAP >> 1)) % _WRAP - (_WRAP >> 1)


class Assembler:
    """Segments in the order of a capture to records."""

    def __init__(self, wires: dict[int, str], wire: str = "", ports: frozenset[int] = frozenset()) -> None:
        """`wires` has wires by their own ports. With `wire` every connection is of that one; `ports` are servers'."""
        self._wires = wires
        self._wire = wire
        self._ports = ports
        self._connections: OrderedDict[tuple[Address, Address], _Connection | None] = OrderedDict()
        self._count = 0
        self.passed_over = 0
        """Connections that are of no wire."""

    @property
    def connections(self) -> int:
        """How many were followed."""
        return self._count

    def feed(self, segment: Segment) -> Iterator[Record]:
        """Returns what this packet makes known."""
        source, target = segment.source, segment.target
        key = (source, target) if source <= target else (target, source)
        known = key in self._connections
        connection = self._connections.get(key)
        opens = segment.flags & (SYN | ACK) == SYN and (connection is None or connection.is_another(segment))
        if not known or opens:
            if not segment.flags & SYN and not segment.data:
                return
            if connection is not None:
                yield from self._finish(connection, segment.at)
            connection = self._begin(segment)
            self._connections[key] = connection
            yield from self._forget()
            if connection is not None:
                yield self._opened(connection, segment)
        else:
            self._connections.move_to_end(key)
        if connection is not None:
            yield from self._take(connection, segment)

    def finish(self) -> Iterator[Record]:
        """The capture ends: what still waits for a gap is told behind it."""
        for connection in self._connections.values():
            if connection is not None:
                yield from self._finish(connection, None)

    def _forget(self) -> Iterator[Record]:
        """Let go of the connection that has been silent for longest, if there are too many."""
        if len(self._connections) <= MOST_CONNECTIONS:
            return
        _, oldest = self._connections.popitem(last=False)
        if oldest is not None:
            yield from self._finish(oldest, None)
            for sender, stream in oldest.streams.items():
                if not stream.ended:
                    yield Record(None, oldest.number, sender, END)

    # --- connections --------------------------------------------------------------------------------------------------

    def _begin(self, segment: Segment) -> _Connection | None:
        """Who called whom: a SYN tells, or the port of a server, or else the smaller port."""
        source, target = segment.source, segment.target
        if segment.flags & SYN:
            client = target if segment.flags & ACK else source
        elif self._serves(source[1]) != self._serves(target[1]):
            client = target if self._serves(source[1]) else source
        else:
            client = source if source[1] >= target[1] else target
        server = target if client == source else source
        if not self._wanted(server[1]):
            self.passed_over += 1
            return None
        self._count += 1
        return _Connection(self._count, client)

    def _serves(self, port: int) -> bool:
        return port in (self._ports or self._wires)

    def _wanted(self, port: int) -> bool:
        return port in self._ports if self._ports else bool(self._wire) or port in self._wires

    def _opened(self, connection: _Connection, segment: Segment) -> Record:
        client = connection.client
        server = segment.target if segment.source == client else segment.source
        wire = self._wire or self._wires.get(server[1], "")
        return Record(segment.at, connection.number, "C", OPEN, ends=Ends(client, server), wire=wire)

    # --- bytes --------------------------------------------------------------------------------------------------------

    def _take(self, connection: _Connection, segment: Segment) -> Iterator[Record]:
        sender = "C" if segment.source == connection.client else "S"
        stream = connection.streams[sender]
        if stream.ended:
            return
        number = segment.number
        if segment.flags & SYN:
            number = (number + 1) % _WRAP
            if stream.next is None:
                stream.next = stream.first = number
        if stream.next is None:
            stream.next = number
        if segment.flags & RST:
            yield from self._finish(connection, segment.at)
            for each in connection.streams.values():
                each.ended = True
            yield Record(segment.at, connection.number, sender, RESET)
            return
        if segment.data:
            self._keep(stream, number, segment.data)
        if segment.flags & FIN:
            stream.end = (number + len(segment.data) + segment.missing) % _WRAP
        yield from self._ready(connection, sender, stream, segment.at)
        if segment.missing and stream.next == (number + len(segment.data)) % _WRAP:
            stream.next = (stream.next + segment.missing) % _WRAP
            yield Record(segment.at, connection.number, sender, LOST, lost=segment.missing)
        while len(stream.ahead) > AHEAD_SEGMENTS or stream.waiting > AHEAD_BYTES:
            yield from self._skip(connection, sender, stream, segment.at)

    def _keep(self, stream: _Stream, number: int, data: bytes) -> None:
        """Keep what is new of these bytes."""
        assert stream.next is not None
        late = _after(stream.next, number)
        if late > 0:
            data, number = data[late:], stream.next
        if data and len(data) > len(stream.ahead.get(number, b"")):
            stream.waiting += len(data) - len(stream.ahead.get(number, b""))
            stream.ahead[number] = data

    def _ready(self, connection: _Connection, sender: str, stream: _Stream, at: float | None) -> Iterator[Record]:
        """All bytes up to the next gap, and the end if that is there."""
        assert stream.next is not None
        while stream.ahead:
            number = stream.next if stream.next in stream.ahead else self._earliest(stream)
            late = _after(stream.next, number)
            if late < 0:
                break
            data = stream.ahead.pop(number)
            stream.waiting -= len(data)
            if late < len(data):
                stream.next = (number + len(data)) % _WRAP
                yield Record(at, connection.number, sender, DATA, data[late:])
        if stream.end is not None and _after(stream.next, stream.end) >= 0:
            stream.ended = True
            yield Record(at, connection.number, sender, END)

    def _earliest(self, stream: _Stream) -> int:
        base = stream.next
        assert base is not None
        return min(stream.ahead, key=lambda number: _after(number, base))

    def _skip(self, connection: _Connection, sender: str, stream: _Stream, at: float | None) -> Iterator[Record]:
        """Give up on what is missing next."""
        assert stream.next is not None
        number = self._earliest(stream)
        gap = _after(number, stream.next)
        if gap > 0:
            stream.next = number
            yield Record(at, connection.number, sender, LOST, lost=gap)
        yield from self._ready(connection, sender, stream, at)

    def _flush(self, connection: _Connection, sender: str, stream: _Stream, at: float | None) -> Iterator[Record]:
        while stream.ahead:
            yield from self._skip(connection, sender, stream, at)

    def _finish(self, connection: _Connection, at: float | None) -> Iterator[Record]:
        for sender, stream in connection.streams.items():
            if not stream.ended and stream.next is not None:
                yield from self._flush(connection, sender, stream, at)
