"""What browsers say on their wire: JSON objects, told apart by their `type`. What they are told is in `answers`.

Limits are part of the types, so that whatever is too long is no message in the first place.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

LONGEST_NAME = 40
LONGEST_TEXT = 1000
LONGEST_ID = 64
LONGEST_TOKEN = 512

Name = Annotated[str, Meta(max_length=LONGEST_NAME)]
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]
Id = Annotated[str, Meta(max_length=LONGEST_ID)]
"""Of a table, or the sender's own for a message: whatever answers it carries it."""
Word = Annotated[str, Meta(max_length=64)]
Token = Annotated[str, Meta(max_length=LONGEST_TOKEN)]
Number = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
SeatNumber = Annotated[int, Meta(ge=0, le=1_000_000)]


class Request(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=str.lower):
    """Something a client says. Fields that we do not know are passed over."""


class Hello(Request, frozen=True, gc=False):
    """The first thing said: who is there. A token is one of `welcome`, and brings its name back."""

    name: Name = ""
    token: Token = ""
    id: Id = ""


class Lobby(Request, frozen=True, gc=False):
    """Show me the tables, and every change among them from now on; or no longer."""

    yes: bool = True
    id: Id = ""


class Wish(msgspec.Struct, frozen=True):
    """The game that a person wants to play."""

    game: Word
    options: dict[Word, Number | Annotated[str, Meta(max_length=1000)]] = {}
    opponent: Word = "engine"
    level: Word = "medium"
    seats: Number = 0
    """How many play, in dots; 0 leaves it to the options."""
    seat: SeatNumber | None = None
    """The side that is wanted, where that matters."""
    title: Annotated[str, Meta(max_length=80)] = ""
    clock: Annotated[int, Meta(ge=0, le=36_000)] = 0
    """Thinking seconds for each player; 0 is no clock."""
    increment: Annotated[int, Meta(ge=0, le=600)] = 0
    """Seconds added after each move."""
    room: Word = ""
    """Empty, or a room for any number of people whose line moves so: `arrival`, `winner-stays` or `all`."""


class Open(Wish, frozen=True, tag_field="type", tag="open"):
    """A new game, with an engine, with the next person who wants the same, or with an invited person."""

    id: Id = ""


class Sit(Request, frozen=True, gc=False):
    """Sit down at a table, or come into the room around it to play."""

    table: Id
    seat: SeatNumber | None = None
    id: Id = ""


class Watch(Request, frozen=True, gc=False):
    """Look on, if wanted so many seconds late."""

    table: Id
    delay: Annotated[int, Meta(ge=0, le=600)] = 0
    id: Id = ""


class Resume(Request, frozen=True, gc=False):
    """Come back to a seat; `since` is the number of the last record that was seen."""

    table: Id
    token: Token
    since: Annotated[int, Meta(ge=-1, le=1 << 53)] = -1
    id: Id = ""


class TakeOver(Request, frozen=True, gc=False):
    """Go on here with what was begun in another program, by the code that was shown there."""

    table: Id
    code: Word
    id: Id = ""


class Play(Request, frozen=True, gc=False):
    """A move. Its id is stored with it, so that the same one sent again is recognised."""

    table: Id
    move: Word
    id: Id = ""


class Say(Request, frozen=True, gc=False):
    table: Id
    text: Text
    id: Id = ""


class Resign(Request, frozen=True, gc=False):
    table: Id
    id: Id = ""


class Rematch(Request, frozen=True, gc=False):
    """Another game, or not."""

    table: Id
    yes: bool = True
    id: Id = ""


class Leave(Request, frozen=True, gc=False):
    """Away from the table, or out of the queue when there is none yet."""

    table: Id = ""
    id: Id = ""


class Ready(Request, frozen=True, gc=False):
    """In a room: ready for the next game, or not."""

    table: Id
    yes: bool = True
    id: Id = ""


class Board(Request, frozen=True, gc=False):
    """In a room: the size of the next board, in dots."""

    table: Id
    width: Number
    height: Number
    id: Id = ""


class Start(Request, frozen=True, gc=False):
    """In a room: begin a game now; done when all who would play have said it."""

    table: Id
    id: Id = ""


class Bots(Request, frozen=True, gc=False):
    """In a room: so many engines, when all who play want them."""

    table: Id
    count: Number
    level: Word = "medium"
    id: Id = ""


class Stand(Request, frozen=True, gc=False):
    """In a room: out of the game or the chair, and stay to watch."""

    table: Id
    id: Id = ""


class Show(Request, frozen=True, gc=False):
    """Tell me anew what the table looks like."""

    table: Id
    id: Id = ""


class Offer(Request, frozen=True, gc=False):
    """Offer a draw, or ask to take a move back; or answer such an offer. Only while the game runs."""

    table: Id
    what: Word
    """`draw` or `takeback`."""
    yes: bool = True
    id: Id = ""


class Claim(Request, frozen=True, gc=False):
    """The opponent has been gone for a while: count the game as won."""

    table: Id
    id: Id = ""


class Substitute(Request, frozen=True, gc=False):
    """A player has been gone for a while: let an engine play on in that seat."""

    table: Id
    seat: SeatNumber
    level: Word = "medium"
    id: Id = ""


class Hint(Request, frozen=True, gc=False):
    """What would an engine do here, and how does the game stand? Not in a rated game."""

    table: Id
    id: Id = ""


class Odd(msgspec.Struct, frozen=True, gc=False):
    """JSON that is no message we know. It is refused, and nothing else comes of it."""

    why: str
    id: str = ""


FromClient = (
    Hello
    | Lobby
    | Open
    | Sit
    | Watch
    | Resume
    | TakeOver
    | Play
    | Say
    | Resign
    | Rematch
    | Leave
    | Ready
    | Board
    | Start
    | Bots
    | Stand
    | Show
    | Offer
    | Claim
    | Substitute
    | Hint
)
Message = FromClient | Odd
