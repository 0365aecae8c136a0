"""What is said on this wire: lines of text in both directions, and the commands of telnet between them."""

import msgspec


class Line(msgspec.Struct, frozen=True, gc=False):
    """A line that a person wrote, without its end and without anything that does not show."""

    text: str
    end: str
    """The end it had: we end our own lines in the same way."""


class Control(msgspec.Struct, frozen=True, gc=False):
    """A command of telnet itself, without its first byte (RFC 854). It is no line and part of none."""

    command: bytes


FromClient = Line | Control


class Happened(msgspec.Struct, frozen=True, gc=False):
    """`* …`: what has happened."""

    text: str


class Complaint(msgspec.Struct, frozen=True, gc=False):
    """`? …`: what was written last is refused."""

    text: str


class Drawn(msgspec.Struct, frozen=True, gc=False):
    """A line that begins with two blanks: a part of the board."""

    text: str


class Plain(msgspec.Struct, frozen=True, gc=False):
    """Any other line: an answer to a question."""

    text: str


class Prompt(msgspec.Struct, frozen=True, gc=False):
    """`> `: the server has said all there is to say for now."""


FromServer = Happened | Complaint | Drawn | Plain | Prompt | Control
Message = FromClient | FromServer
