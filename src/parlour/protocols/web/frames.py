"""WebSocket frames (RFC 6455), as far as text goes: what our server writes and what our client reads and writes."""

import base64
import hashlib
from struct import Struct

import msgspec

from parlour.core.errors import ProtocolError

TEXT, BINARY, CLOSE, PING, PONG, CONTINUED = 1, 2, 8, 9, 10, 0
LONGEST_FRAME = 4 << 20
"""What our client takes from a server: a snapshot of the longest game is far shorter."""

_SHORT, _LONG = Struct(">BBH"), Struct(">BBQ")
_SMALL = tuple(bytes((0x80 | TEXT, size)) for size in range(126))
_MEDIUM = tuple(_SHORT.pack(0x80 | TEXT, 126, size) for size in range(126, 1024))
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def frame(payload: bytes) -> bytes:
    """A whole text message from a server."""
    size = len(payload)
    if size < 126:
        return _SMALL[size] + payload
    if size < 1024:
        return _MEDIUM[size - 126] + payload
    if size < 1 << 16:
        return _SHORT.pack(0x80 | TEXT, 126, size) + payload
    return _LONG.pack(0x80 | TEXT, 127, size) + payload


def masked(payload: bytes, mask: bytes, opcode: int = TEXT) -> bytes:
    """A whole message from a client, which must be masked."""
    size = len(payload)
    if size < 126:
        head = bytes((0x80 | opcode, 0x80 | size))
    elif size < 1 << 16:
        head = _SHORT.pack(0x80 | opcode, 0x80 | 126, size)
    else:
        head = _LONG.pack(0x80 | opcode, 0x80 | 127, size)
    return head + mask + unmask(payload, mask)


def unmask(payload: bytes, mask: bytes) -> bytes:
    """Masking is its own undoing."""
    whole = mask * (len(payload) // 4 + 1)
    size = len(payload)
    return (int.from_bytes(payload, "big") ^ int.from_bytes(whole[:size], "big")).to_bytes(size, "big")


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One frame as it was read, unmasked."""

    opcode: int
    final: bool
    payload: bytes


def read_frame(data: bytes, start: int) -> tuple[Frame, int] | None:
    """The frame that begins at `start` and where the next begins; None when it is not complete yet."""
    if len(data) < start + 2:
        return None
    first, second = data[start], data[start + 1]
    opcode, size, at = first & 0x0F, second & 0x7F, start + 2
    if first & 0x70 or opcode not in (CONTINUED, TEXT, BINARY, CLOSE, PING, PONG):
        raise ProtocolError("no WebSocket frame begins so", len(data))
    if size >= 126:
        width = 2 if size == 126 else 8
        if len(data) < at + width:
            return None
        size = int.from_bytes(data[at : at + width], "big")
        at += width
    if size > LONGEST_FRAME:
        raise ProtocolError(f"a frame of {size} bytes is too long", len(data))
    mask = b""
    if second & 0x80:
        mask, at = data[at : at + 4], at + 4
    if len(data) < at + size:
        return None
    payload = data[at : at + size]
    return Frame(opcode, bool(first & 0x80), unmask(payload, mask) if mask else payload), at + size


# --- the handshake ------------------------------------------------------------------------------------------------


class Masks:
    """The key and the masks of one client's connection, each another, and all following from what is handed in.

    The document wants masks that nobody can guess, so that no script can smuggle its own bytes past a proxy. Nothing
    but our own messages goes through here, so it is enough that they differ.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed.encode("utf-8", "replace")
        self._drawn = 0

    def draw(self, size: int) -> bytes:
        self._drawn += 1
        return hashlib.blake2b(b"%d " % self._drawn + self._seed, digest_size=size).digest()

    def key(self) -> str:
        """What a server has to answer for."""
        return base64.b64encode(self.draw(16)).decode()

    def masked(self, payload: bytes, opcode: int = TEXT) -> bytes:
        return masked(payload, self.draw(4), opcode)


def accept_for(key: str) -> str:
    """What a server answers to this key."""
    return base64.b64encode(hashlib.sha1(key.encode() + _GUID, usedforsecurity=False).digest()).decode()


def upgrade(host: str, key: str, secure: bool = False) -> bytes:
    """A client's first words."""
    scheme = "https" if secure else "http"
    return (
        f"GET /ws HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Origin: {scheme}://{host}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode()
