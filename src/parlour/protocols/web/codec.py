"""Lines of JSON from browsers to messages, and what our server says to frames.

The driver hands over each text message of a WebSocket as one line. Our own client reads frames, after the answer to
its handshake.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from parlour.core.errors import ProtocolError
from parlour.protocols.web.answers import FromServer, Other
from parlour.protocols.web.frames import LONGEST_FRAME, Frame, read_frame
from parlour.protocols.web.messages import FromClient, Message, Odd
from parlour.protocols.web.phases import Listening

LONGEST_LINE = 16 * 1024
LONGEST_ANSWER = 16 * 1024
"""Of a server to our handshake."""


class _Marked(msgspec.Struct):
    """What can be read of something that is no message."""

    id: str = ""


class Answered(msgspec.Struct, frozen=True):
    """A server's answer to the handshake."""

    status: int
    headers: dict[str, str]
    """By name in lower case."""


Heard = FromServer | Other
_decode: Callable[[bytes], FromClient] = msgspec.json.Decoder(FromClient).decode
_decode_mark = msgspec.json.Decoder(_Marked).decode
_decode_answer: Callable[[bytes], FromServer] = msgspec.json.Decoder(FromServer).decode
_decode_other = msgspec.json.Decoder(Other).decode
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class WebCodec:
    """Both directions; a `Listening` phase reads what a server says."""

    limit = LONGEST_FRAME + 14

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Message | Answered | Frame, int] | None:
        """The next message."""
        if type(phase) is Listening:
            return _answer(data, start) if phase is Listening.CALLING else read_frame(data, start)
        end = data.find(b"\n", start, start + LONGEST_LINE)
        if end < 0:
            if len(data) - start >= LONGEST_LINE:
                why, past = f"a message has at most {LONGEST_LINE} bytes", data.find(b"\n", start) + 1
                raise ProtocolError(why, past) if past else ProtocolError(why, len(data), until=b"\n")
            return None
        try:
            return _decode(data if not start and end + 1 == len(data) else data[start:end]), end + 1
        except UNREADABLE as error:
            return _odd(data[start:end], str(error), end + 1), end + 1


def _odd(line: bytes, why: str, resume: int) -> Odd:
    """JSON that is no message of ours keeps its id, so that its sender knows what was refused."""
    try:
        mark = _decode_mark(line)
    except UNREADABLE:
        raise ProtocolError("every message is one JSON object", resume) from None
    return Odd(why, mark.id[:64])


def _answer(data: bytes, start: int) -> tuple[Answered, int] | None:
    end = data.find(b"\r\n\r\n", start)
    if end < 0:
        if len(data) - start > LONGEST_ANSWER:
            raise ProtocolError("the server's answer does not end", len(data))
        return None
    first, *lines = data[start:end].decode("latin-1").split("\r\n")
    words = first.split(" ", 2)
    if len(words) < 2 or not words[0].startswith("HTTP/1.") or not (words[1].isascii() and words[1].isdigit()):
        raise ProtocolError("the server does not speak HTTP", len(data))
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Answered(int(words[1][:3]), headers), end + 4


def heard(text: bytes) -> Heard:
    """What a server says in one text message. Raises ProtocolError."""
    try:
        return _decode_answer(text)
    except UNREADABLE:
        pass
    try:
        return _decode_other(text)
    except UNREADABLE:
        raise ProtocolError("the server sent something that is no message") from None


_encode = msgspec.json.Encoder().encode


def say(message: FromClient) -> bytes:
    """A client's message as JSON."""
    return _encode(message)
