"""Bytes to messages and back. Everything has a fixed size; only the phase tells what comes next."""

from parlour.core.errors import ProtocolError
from parlour.core.names import visible
from parlour.protocols.nettoe.messages import NAME_BYTES, NAMELESS, Answer, Frame, Message, Name, Starter
from parlour.protocols.nettoe.phases import Phase, Reads

HOOK = b"y\0"
"""Opens every exchange once the names are said ("start signal", step 4a)."""
HOST_STOP, CLIENT_STOP = b"S\0", b"C\0"
YES, NO = HOOK + b"y\0", HOOK + b"n\0"
HOST_BEGINS, CLIENT_BEGINS = b"1", b"2"
SQUARES = 9
FRAME_BYTES = len(HOOK) + SQUARES + len(HOST_STOP)

JUNK = 64
"""Bytes that may be skipped on the way to one message; the original program skips any number."""
KNOWN_FRAMES = 8192
"""Spellings remembered per direction; a game has 5478 positions."""

_CLIENT_FRAME = Reads.CLIENT_FRAME
"""Looking a member up in its enum costs more than everything else that is done with a known frame."""


class NetToeCodec:
    """Reads one message at a time, as lenient about what stands between messages as the original program."""

    limit = JUNK + FRAME_BYTES

    def __init__(self) -> None:
        self._from_client: dict[bytes, tuple[Message, int]] = {}
        self._from_host: dict[bytes, tuple[Message, int]] = {}

    def parse(self, data: bytes, start: int, phase: Phase) -> tuple[Message, int] | None:
        """The message at `start`, by what this phase reads."""
        if not start and phase.reads is _CLIENT_FRAME and (known := self._from_client.get(data)) is not None:
            return known  # what a server reads most of the time
        match phase.reads:
            case Reads.CLIENT_FRAME:
                return self._frame(data, start, CLIENT_STOP, self._from_client)
            case Reads.HOST_FRAME:
                return self._frame(data, start, HOST_STOP, self._from_host)
            case Reads.NAME:
                end = start + NAME_BYTES
                return (Name(data[start:end]), end) if len(data) >= end else None
            case Reads.STARTER:
                # "'1' as himself, and '2' as the client"; the original takes anything but '1' for the client.
                return (Starter(data[start : start + 1] != HOST_BEGINS), start + 1) if len(data) > start else None
            case Reads.ANSWER:
                return _answer(data, start)
            case Reads.NOTHING:
                return None

    def _frame(
        self, data: bytes, start: int, stop: bytes, known: dict[bytes, tuple[Message, int]]
    ) -> tuple[Message, int] | None:
        clean = data[start : start + FRAME_BYTES]
        found = known.get(clean)
        if found is not None:
            return found if not start else (found[0], start + FRAME_BYTES)
        opened = _find(data, start, HOOK, start + JUNK)
        if opened is None:
            return None
        closing = opened + SQUARES
        end = _find(data, closing, stop, start + JUNK + SQUARES + len(HOOK))
        if end is None:
            return None
        message = Frame(data[opened:closing])
        if end == start + FRAME_BYTES and len(known) < KNOWN_FRAMES and not message.squares.strip(b" XO"):
            known[clean] = message, FRAME_BYTES
        return message, end


def _answer(data: bytes, start: int) -> tuple[Answer, int] | None:
    opened = _find(data, start, HOOK, start + JUNK)
    if opened is None or len(data) < opened + 2:
        return None
    return Answer(data[opened : opened + 2] in (b"y\0", b"Y\0")), opened + 2


def _find(data: bytes, at: int, pair: bytes, last: int) -> int | None:
    """Where `pair` ends, looking at pairs of bytes only, as the original does; it may begin no later than `last`."""
    while len(data) >= at + 2:
        if data[at : at + 2] == pair:
            return at + 2
        at += 2
        if at > last:
            raise ProtocolError(f"more than {JUNK} bytes that are no message", at)
    return None


def name_field(name: str) -> bytes:
    """A name as 32 bytes, the last of them NUL in any case."""
    cut = (visible(name) or NAMELESS).encode()[: NAME_BYTES - 1]
    whole = cut.decode(errors="ignore").rstrip()  # never half a character
    return whole.encode().ljust(NAME_BYTES, b"\0")


def host_frame(squares: bytes) -> bytes:
    """The board after a move by the host."""
    return HOOK + squares + HOST_STOP


def client_frame(squares: bytes) -> bytes:
    """The board after a move by the client."""
    return HOOK + squares + CLIENT_STOP
