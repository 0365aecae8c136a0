"""Bytes to messages: XML in the phases of Hearing, the Dots messages of protocol 4 in all others."""

from typing import Any

from parlour.protocols.ggz import xml
from parlour.protocols.ggz.messages import Hearing, Message
from parlour.protocols.ggzdots.codec import CODEC as DOTS
from parlour.protocols.ggzdots.dialect import FOUR
from parlour.protocols.ggzdots.messages import Message as DotsMessage

_LIMITS = {Hearing.CLIENT: xml.FROM_CLIENT, Hearing.STRANGER: xml.FROM_CLIENT, Hearing.SERVER: xml.FROM_SERVER}
_game = DOTS[FOUR].parse


class GgzCodec:
    """One codec for both kinds of connection and both directions; the phase tells which."""

    limit = xml.FROM_SERVER.size

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Message | DotsMessage, int] | None:
        """The message at `start`. After a Malformed nothing more can be understood."""
        if type(phase) is Hearing:
            if phase is Hearing.STRANGER:
                xml.require_document(data, start)
            return xml.parse(data, start, _LIMITS[phase])
        return _game(data, _after_line_end(data, start), phase)


def _after_line_end(data: bytes, start: int) -> int:
    """Past the line end that follows `</SESSION>` and may come late. No message of the game begins like it."""
    if data[start] == 0x0A:
        return start + 1
    return start + 2 if data.startswith(b"\r\n", start) else start


CODEC = GgzCodec()
