"""What is said on a Glendy connection, in both directions."""

import enum

import msgspec

from parlour.core.session import Do
from parlour.core.words import Play
from parlour.games.glenda.board import CELLS, DIRECTIONS

GUEST = "Guest"
LONGEST_NICK = 8


class Revision(enum.Enum):
    """Which of the wire's two dialects a peer speaks."""

    FIRST = "first"
    """The written one: the server speaks first and gives out sides."""
    LATER = "later"
    """The client opens with a hello line that names it and its side."""


# --- what a client says ---------------------------------------------------------------------------------------------


class Hello(msgspec.Struct, frozen=True, gc=False):
    """`nick game side opts`: who I am and which side I want; None is either."""

    nick: str
    side: int | None


class Move(msgspec.Struct, frozen=True):
    """`p X Y` or `m D`, well formed; whether it is legal the table knows. `play` is ready to be handed on."""

    play: tuple[Do]

    @property
    def notation(self) -> str:
        command = self.play[0].command
        assert isinstance(command, Play)
        return command.move


class Answer(msgspec.Struct, frozen=True, gc=False):
    """`y`: I am still here."""


class Quit(msgspec.Struct, frozen=True, gc=False):
    """`q`, or a NUL where a line should begin: I am leaving."""


class Blank(msgspec.Struct, frozen=True, gc=False):
    """An empty line, which means nothing."""


class Odd(msgspec.Struct, frozen=True, gc=False):
    """Any other line, kept as it came because the complaint about it quotes it."""

    text: str


FromClient = Hello | Move | Answer | Quit | Blank | Odd

MOVES = {
    notation: Move((Do(Play(notation)),))
    for notation in [*(f"p {x} {y}" for x, y in CELLS), *(f"m {way}" for way in DIRECTIONS)]
}
"""Every move there is on the board, made once and shared by all connections."""


# --- what a server says ---------------------------------------------------------------------------------------------


class Word(enum.Enum):
    """The lines that are one word."""

    WAIT = "WAIT"
    UGUD = "UGUD"
    INIT = "INIT"
    SENT = "SENT"
    TURN = "TURN"
    WON = "WON"
    LOST = "LOST"


class Conn(msgspec.Struct, frozen=True, gc=False):
    """`CONN n [nick]`: your side, and in the later revision who sits opposite."""

    side: int
    nick: str = ""


class Wall(msgspec.Struct, frozen=True, gc=False):
    """`w X Y`: a wall stands here."""

    x: int
    y: int


class Rabbit(msgspec.Struct, frozen=True, gc=False):
    """`g X Y`: glenda stands here."""

    x: int
    y: int


class Put(msgspec.Struct, frozen=True, gc=False):
    """`SYNC t X Y`: a wall was put."""

    number: int
    x: int
    y: int


class Step(msgspec.Struct, frozen=True, gc=False):
    """`SYNC t D`: glenda took a step."""

    number: int
    way: str


class Die(msgspec.Struct, frozen=True, gc=False):
    """`DIE why`: the conversation is over."""

    why: str


class Complaint(msgspec.Struct, frozen=True, gc=False):
    """`WALL`, `GLND`, `CANTP`, `CANTM`, `ERR …`, or a line we do not know: what you sent last was refused."""

    text: str


FromServer = Word | Conn | Wall | Rabbit | Put | Step | Die | Complaint | Blank
Message = FromClient | FromServer
