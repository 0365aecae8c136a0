"""What the reader of a conversation asks of a wire: by which phase to read on, what a message means, what is wrong."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import msgspec

from parlour.core.session import Codec

Heard = tuple[str, dict[str, Any], str]
"""The name of a message, its fields, and what is against the document."""


class Zone:
    """What the connections of one house share: a GGZ channel belongs to the session that has its name."""

    def __init__(self) -> None:
        self.sessions: dict[str, int] = {}
        """By name, the connection of the session that has logged in last."""


class Follower(ABC):
    """Keeps up with one conversation. It believes what is said, and says what should not have been."""

    codec: ClassVar[Codec[Any]]

    def __init__(self, zone: Zone, connection: int, dialect: str) -> None:
        self.zone = zone
        self.connection = connection
        self.dialect = dialect
        self.group = connection
        """The first of the connections that belong together: its own number where it stands alone."""
        self.changed = False
        """Whether the last message showed or changed the board."""

    @property
    @abstractmethod
    def phase(self) -> str:
        """Where the conversation stands, in the words of the wire's table."""

    @property
    def limit(self) -> int:
        """Bytes that an incomplete message may have."""
        return self.codec.limit

    @abstractmethod
    def reads(self, sender: str) -> Any:
        """The phase by which the codec reads what this side says next."""

    @abstractmethod
    def hear(self, sender: str, message: Any, raw: bytes) -> Heard:
        """A message; its bytes tell how it was spelled."""

    def parse(self, sender: str, data: bytes, start: int) -> tuple[Any, int] | None:
        """The message at `start` and where it ends; None when it is not complete. Raises ProtocolError."""
        return self.codec.parse(data, start, self.reads(sender))

    def nonsense(self, sender: str, why: str) -> str:  # noqa: ARG002 - some wires know more about it
        """What is to be said about bytes that are no message."""
        return why

    def unfinished(self, sender: str, rest: bytes) -> str:  # noqa: ARG002 - some wires know more about it
        """What is to be said about a message whose end never came."""
        return "the connection ends within a message"

    def ended(self, sender: str, how: str) -> str:  # noqa: ARG002 - some wires know more about it
        """What is to be said about the end of a side."""
        return ""

    def board(self) -> str:
        """The position, as plain text; empty when there is none."""
        return ""


def fields_of(message: msgspec.Struct) -> dict[str, Any]:
    """The fields of a message by name, bytes as text."""
    values = {name: getattr(message, name) for name in message.__struct_fields__}
    return {name: plain(value) if isinstance(value, bytes) else value for name, value in values.items()}


def plain(data: bytes) -> str:
    """Bytes as text that shows every one of them."""
    return data.decode("ascii", "backslashreplace").replace("\0", "\\0")


def either(*notes: str) -> str:
    """The notes that say something, as one."""
    return "; ".join(note for note in notes if note)
