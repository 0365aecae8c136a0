"""The four things that are ever said in netToe."""

import msgspec

from parlour.core.names import visible

NAME_BYTES = 32
NAMELESS = "Anon"
"""What the original program calls a player who gave no name."""


class Name(msgspec.Struct, frozen=True, gc=False):
    """A player's name: a field of 32 bytes, of which those after the first NUL mean nothing."""

    field: bytes

    @property
    def text(self) -> str:
        """The name as it may be shown; the wire knows no character set."""
        return visible(self.field.partition(b"\0")[0].decode(errors="replace")) or NAMELESS

    @property
    def terminated(self) -> bytes:
        """The same field, but always with a NUL in it: the original program reads on until it finds one."""
        return self.field if b"\0" in self.field else self.field[:-1] + b"\0"


class Starter(msgspec.Struct, frozen=True, gc=False):
    """Who begins the next game."""

    client: bool


class Frame(msgspec.Struct, frozen=True, gc=False):
    """The whole board after a move."""

    squares: bytes


class Answer(msgspec.Struct, frozen=True, gc=False):
    """Whether to play again."""

    yes: bool


Message = Name | Starter | Frame | Answer
