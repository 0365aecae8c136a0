"""What a GGZ client and a zone say to each other in XML: one document per direction, open as long as they talk."""

import enum
import re

import msgspec

from parlour.core.errors import ProtocolError


class Hearing(enum.Enum):
    """The phases in which XML is read. In every other phase a connection is a channel and carries the game's bytes."""

    CLIENT = "what a client tells the zone"
    STRANGER = "the same, while its document has not begun"
    SERVER = "what a zone tells its client"


class Opened(msgspec.Struct, frozen=True, gc=False):
    """`<SESSION>`: the peer's document has begun."""


class Ended(msgspec.Struct, frozen=True, gc=False):
    """`</SESSION>`: the peer's document is complete."""


class Element(msgspec.Struct, frozen=True):
    """One complete element. Tag and attribute names are in upper case, whatever the peer wrote."""

    tag: str
    attrs: dict[str, str] = {}
    text: str = ""
    """What stands in the element itself; blanks between children are left out."""
    children: tuple["Element", ...] = ()

    def get(self, name: str, default: str = "") -> str:
        """An attribute."""
        return self.attrs.get(name, default)

    def number(self, name: str) -> int | None:
        """An attribute that is a number; None when it is missing or none."""
        return number(self.attrs.get(name, ""))

    def truth(self, name: str) -> bool:
        """An attribute that is a boolean; what is missing is false."""
        return truth(self.attrs.get(name, ""))

    def child(self, tag: str) -> "Element | None":
        """The first child of that name."""
        return next((child for child in self.children if child.tag == tag), None)

    def every(self, tag: str) -> tuple["Element", ...]:
        """All children of that name."""
        return tuple(child for child in self.children if child.tag == tag)


Message = Opened | Element | Ended
"""What a session in one of the phases of Hearing receives."""

BAD_XML, BAD_OPTIONS = "bad xml", "bad options"


class Malformed(ProtocolError):
    """What the peer sent is not XML, or not the part of XML spoken here; nothing after it can be understood."""

    def __init__(self, message: str, resume: int = 0, code: str = BAD_XML) -> None:
        super().__init__(message, resume)
        self.code = code
        """The CODE of the RESULT that tells the peer so: BAD_XML, or BAD_OPTIONS for text without end."""


_NUMBER = re.compile(r"[ \t\r\n]*([+-]?)(?:0[xX]([0-9a-fA-F]{1,8})|([0-9]{1,10}))[ \t\r\n]*", re.ASCII)


def number(text: str) -> int | None:
    """A number of 32 bits, in decimal or 0x hex; None for anything else."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    sign, hexadecimal, decimal = found.groups()
    value = int(hexadecimal, 16) if hexadecimal else int(decimal)
    return None if value >= 1 << 32 else -value if sign == "-" else value


def truth(text: str) -> bool:
    """Whether a boolean says true."""
    return text.strip().lower() == "true"


def code_of(error: ProtocolError) -> str:
    """Returns the CODE for a parser's complaint."""
    return error.code if isinstance(error, Malformed) else BAD_XML
