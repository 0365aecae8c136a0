"""Bytes to messages: XML in the phases of Hearing, the Dots messages of protocol 4 in all others."""

from typing import Any

from parlour.protocols.ggz import xml
from parlour.protocols.ggz.messages import Hearing, Message

_LIMITS = {Hearing.CLIENT: xml.FROM_CLIENT, Hearing.SERVER: xml.FROM_SERVER}


class GgzCodec:
    """One codec for both kinds of connection and both directions; the phase tells which."""

    limit = xml.FROM_SERVER.size

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Message | Any, int] | None:
        """The message at `start`. After a Malformed nothing more can be understood."""
        limits = _LIMITS.get(phase)
        if limits is not None:
            return xml.parse(data, start, limits)
        return None


CODEC = GgzCodec()
