"""Lines of JSON to messages and back. The driver of WebSockets hands over each text message as one line.

Our own client's side of a WebSocket is in its session, which gets the bytes as they come.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from parlour.core.errors import ProtocolError
from parlour.protocols.web.answers import FromServer, Other
from parlour.protocols.web.messages import FromClient, Message, Odd
from parlour.protocols.web.phases import Listening

LONGEST_LINE = 16 * 1024


class _Identified(msgspec.Struct):
    """What can be read of something that is no message."""

    id: str = ""


Heard = FromServer | Other
decode: Callable[[bytes], FromClient] = msgspec.json.Decoder(FromClient).decode
"""A client's message; raises one of `UNREADABLE`."""
_decode_id = msgspec.json.Decoder(_Identified).decode
_decode_answer: Callable[[bytes], FromServer] = msgspec.json.Decoder(FromServer).decode
_decode_other = msgspec.json.Decoder(Other).decode
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class WebCodec:
    """Both directions."""

    limit = LONGEST_LINE

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Message | bytes, int] | None:
        """Returns the next message."""
        if type(phase) is Listening:
            return data[start:], len(data)
        end = data.find(b"\n", start, start + LONGEST_LINE)
        if end < 0:
            if len(data) - start >= LONGEST_LINE:
                why, past = f"a message has at most {LONGEST_LINE} bytes", data.find(b"\n", start) + 1
                raise ProtocolError(why, past) if past else ProtocolError(why, len(data), until=b"\n")
            return None
        try:
            return decode(data if not start and end + 1 == len(data) else data[start:end]), end + 1
        except UNREADABLE as error:
            return _odd(data[start:end], str(error), end + 1), end + 1


def _odd(line: bytes, why: str, resume: int) -> Odd:
    """JSON that is no message of ours keeps its id, so that its sender knows what was refused."""
    try:
        odd = _decode_id(line)
    except UNREADABLE:
        raise ProtocolError("every message is one JSON object", resume) from None
    return Odd(why, odd.id[:64])


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
