"""What the foyer tells the sessions of browsers."""

from parlour.core.updates import Private


class Words(Private, frozen=True):
    """Say these messages."""

    messages: tuple[bytes, ...]


class RoomWords(Private, frozen=True):
    """How a room looks now, and to whom that is said: one encoding for all, and one message for the audience."""

    data: bytes
    """The message, but for its end."""
    to_audience: tuple[bytes, ...]

    @classmethod
    def of(cls, data: bytes) -> "RoomWords":
        return cls(data, (data + b',"user":null}',))

    def to(self, member: int) -> tuple[bytes, ...]:
        return (self.data + b',"user":%d}' % member,)


class Since(Private, frozen=True):
    """What has happened by this time may be shown at once; the rest is for later."""

    at: float


class AsOf(Private, frozen=True):
    """Show the table with its clock as of this time."""

    at: float


class Greeted(Private, frozen=True):
    """You are known by this name from now on."""

    name: str
    token: str
    account: str = ""


class NameTaken(Private, frozen=True):
    """That name is registered, and not yours."""
