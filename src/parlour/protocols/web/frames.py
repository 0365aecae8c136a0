"""WebSocket messages in their frames (RFC 6455): taken apart by `websockets`, for our server and for our client.

Two kinds are too frequent for that: a server's text message, which thousands of browsers may be sent, is built here,
and short messages of a browser, such as a move, are read in a few steps.
"""

from struct import Struct

from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Protocol, State

try:
    from websockets.speedups import apply_mask
except ImportError:  # no compiler where it was installed
    from websockets.utils import apply_mask

SHORT = 126
"""A payload of so many bytes or more has its length in two further bytes (RFC 6455, 5.2)."""
WHOLE_TEXT = 0x80 | Opcode.TEXT
"""The first byte of a text message in a single frame."""
MASKED = 0x80

_MEDIUM, _LONG = Struct(">BBH"), Struct(">BBQ")
_HEADS = tuple(bytes((WHOLE_TEXT, size)) for size in range(SHORT))
_HEADS += tuple(_MEDIUM.pack(WHOLE_TEXT, SHORT, size) for size in range(SHORT, 1024))


def frame(payload: bytes) -> bytes:
    """Returns a server's text message as one frame, which is not masked."""
    size = len(payload)
    if size < 1024:
        return _HEADS[size] + payload
    if size < 1 << 16:
        return _MEDIUM.pack(WHOLE_TEXT, SHORT, size) + payload
    return _LONG.pack(WHOLE_TEXT, 127, size) + payload


def short_text(data: bytes) -> bytes | None:
    """Returns the message in `data` if it is one whole short masked frame with plain letters; None for all else."""
    size = len(data) - 6
    if 0 <= size < SHORT and data[1] == size | MASKED and data[0] == WHOLE_TEXT:
        text = apply_mask(data[6:], data[2:6])
        if text.isascii():
            return text
    return None


def short_texts(data: bytes) -> list[bytes]:
    """Returns the messages in `data` if it consists of such frames; none for all else."""
    texts, at = [], 0
    while at < len(data):
        end = at + 6 + (data[at + 1] & ~MASKED if at + 1 < len(data) else 0)
        text = short_text(data[at:end])
        if text is None:
            return []
        texts.append(text)
        at = end
    return texts


def forget(protocol: Protocol) -> None:
    """Let a protocol object that is needed no more go at once: its parser is a generator that leads back to it."""
    protocol.parser.close()


class Frames:
    """Reads the frames of one connection and answers those that are for the connection itself."""

    __slots__ = ("_owed", "_text", "failed", "protocol")

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self._owed = 0
        """Bytes that no complete frame has accounted for; a peer that spells lengths wastefully always owes some."""
        self._text: bytearray | None = None
        """The message whose fragments are coming in."""
        self.failed = False
        """Whether the peer broke the rules; what follows is not looked at."""

    def feed(self, data: bytes) -> tuple[list[bytes], int]:
        """Returns the text messages that are complete now, and how many frames completed none."""
        protocol = self.protocol
        protocol.receive_data(data)
        self._owed += len(data)
        texts: list[bytes] = []
        others = 0
        for event in protocol.events_received():
            if not isinstance(event, Frame):  # the answer to a handshake
                continue
            self._owed -= _least_size(len(event.data))
            text = self._gather(event)
            if self.failed:
                break
            if text is None:
                others += 1
            else:
                texts.append(text)
        self.failed = self.failed or protocol.parser_exc is not None
        return texts, others

    def _gather(self, frame: Frame) -> bytes | None:
        """Returns the message that this frame completes, if it does."""
        match frame.opcode:
            case Opcode.TEXT:
                self._text = bytearray(frame.data)
            case Opcode.CONT if self._text is not None:
                self._text += frame.data
            case Opcode.BINARY:
                self._fail(CloseCode.UNSUPPORTED_DATA, "only text is understood here")
                return None
            case _:
                return None
        if not frame.fin:
            return None
        text, self._text = bytes(self._text), None
        try:
            text.decode()
        except UnicodeDecodeError as error:
            self._fail(CloseCode.INVALID_DATA, f"{error.reason} at position {error.start}")
        return text

    def _fail(self, code: CloseCode, reason: str) -> None:
        self.failed = True
        if self.protocol.state is State.OPEN:  # otherwise the peer closes already
            self.protocol.fail(code, reason)

    @property
    def closed_by_peer(self) -> bool:
        return self.protocol.close_rcvd is not None

    @property
    def answered(self) -> bool:
        """Whether the peer has answered our own close frame."""
        return self.protocol.close_rcvd_then_sent is False

    @property
    def idle(self) -> bool:
        """Whether nothing is under way: the next bytes begin a frame, and a message."""
        return not self._owed and self._text is None and self.protocol.state is State.OPEN

    def take(self) -> bytes:
        """Returns what is to be sent: what was said by `protocol`, and answers to pings and to a close frame."""
        return b"".join(self.protocol.data_to_send())

    def close(self, code: CloseCode) -> bytes:
        """Returns the frame that ends our side; nothing when it was taken before."""
        if self.protocol.state is State.OPEN:
            self.protocol.send_close(code)
        return self.take()


def _least_size(length: int) -> int:
    """Returns the bytes that a masked frame with such a payload takes up at least."""
    return length + (6 if length < SHORT else 8 if length < 1 << 16 else 14)
