"""What is said on the browser's wire: JSON objects, told apart by their `type`.

Limits are part of the types, so that whatever is too long is no message in the first place.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

LONGEST_NAME = 40
LONGEST_TEXT = 1000
LONGEST_ID = 64

Name = Annotated[str, Meta(max_length=LONGEST_NAME)]
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]
Id = Annotated[str, Meta(max_length=LONGEST_ID)]
"""Of a table, or the sender's own for a message: whatever answers it carries it."""
Word = Annotated[str, Meta(max_length=64)]
Token = Annotated[str, Meta(max_length=512)]
Number = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]


class Request(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=str.lower):
    """Something a client says. Fields that we do not know are passed over."""


# --- from the client ----------------------------------------------------------------------------------------------


class Hello(Request, frozen=True, gc=False):
    """The first thing said: who is there. A token is one of `welcome`, and brings its name back."""

    name: Name = ""
    token: Token = ""
    id: Id = ""


class Lobby(Request, frozen=True, gc=False):
    """Show me the tables, and every change among them from now on; or no longer."""

    yes: bool = True
    id: Id = ""


class Open(Request, frozen=True):
    """A new game, with an engine, with the next person who wants the same, or with whoever is invited."""

    game: Word
    options: dict[Word, Number | Annotated[str, Meta(max_length=1000)]] = {}
    opponent: Word = "engine"
    level: Word = "medium"
    seats: Number = 0
    """How many play, in dots; 0 leaves it to the options."""
    seat: Number | None = None
    """The side that is wanted, where that matters."""
    title: Annotated[str, Meta(max_length=80)] = ""
    id: Id = ""


class Sit(Request, frozen=True, gc=False):
    """Sit down at a table, or come into the room around it to play."""

    table: Id
    seat: Number | None = None
    id: Id = ""


class Watch(Request, frozen=True, gc=False):
    table: Id
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
)
Message = FromClient | Odd


# --- from the server ----------------------------------------------------------------------------------------------


class Answer(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower, omit_defaults=True):
    """Something our server says."""


class Welcome(Answer, frozen=True):
    name: str
    token: str


class Waiting(Answer, frozen=True):
    """In the queue, until somebody else wants the same."""

    game: str
    seat: int | None = None


class SeatView(msgspec.Struct, frozen=True):
    """Somebody in a seat."""

    seat: int
    name: str
    wire: str
    kind: str
    level: str = ""
    caps: tuple[str, ...] = ()
    """What the player's wire can express."""
    held: bool = False
    """Gone, but may come back."""
    account: str = ""


class Result(msgspec.Struct, frozen=True):
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str


class BallotView(msgspec.Struct, frozen=True):
    what: str
    voters: tuple[int, ...]
    answers: dict[str, bool]
    """Of those who have answered, by seat."""


class ClockView(msgspec.Struct, frozen=True):
    left: tuple[float, ...]
    """Seconds by seat, when the running seat's time began to run."""
    running: int | None
    since: float
    increment: float


class State(msgspec.Struct, frozen=True):
    """The game that runs at a table, or the last one."""

    status: str
    game: str
    moves: tuple[str, ...]
    turn: int
    scores: tuple[int, ...]
    first: int
    result: Result | None = None
    ballot: BallotView | None = None
    clock: ClockView | None = None


class UserView(msgspec.Struct, frozen=True):
    """Somebody in a room."""

    id: int
    name: str
    colour: str
    ready: bool
    seat: int | None
    wire: str
    kind: str = "person"
    here: bool = True
    """False for somebody who is gone and may come back."""


class ChairView(msgspec.Struct, frozen=True):
    """One of two chairs."""

    user: int | None
    name: str
    kept: str = ""
    """For whom it is kept while it is empty."""


class RoomView(msgspec.Struct, frozen=True):
    """The room around a table."""

    users: tuple[UserView, ...]
    """Those who have come to play, as far as they fit."""
    people: int
    """All who are there, engines and spectators too."""
    size: tuple[int, int]
    next: tuple[int, int]
    chairs: tuple[ChairView, ChairView] | None
    wants_board: bool
    countdown: int
    chat: bool


class TableSnapshot(Answer, frozen=True, tag="table", omit_defaults=False):
    """A table as it is. Records with a higher number tell what happens from here on."""

    table: str
    game: str
    title: str
    options: dict[str, int | str]
    seats: tuple[SeatView | None, ...]
    seq: int
    state: State
    watchers: int
    you: int | None = None
    """Your seat."""
    token: str | msgspec.UnsetType = msgspec.UNSET
    """Opens the seat again; told once, when you sit down."""
    room: RoomView | None = None
    user: int | None = None
    """Your id in the room."""


class You(Answer, frozen=True, omit_defaults=False):
    """Your seat in a room's game, whenever it is another one than before."""

    table: str
    seat: int | None


class RoomNews(Answer, frozen=True, tag="room", omit_defaults=False):
    """The room around the table, whenever something about it is not as it was."""

    table: str
    room: RoomView
    user: int | None = None


class RowSeat(msgspec.Struct, frozen=True):
    name: str
    wire: str
    kind: str


class Row(msgspec.Struct, frozen=True):
    """A table as the lobby shows it."""

    id: str
    game: str
    title: str
    status: str
    options: dict[str, int | str]
    seats: tuple[RowSeat | None, ...]
    watchers: int
    moves: int
    """When something else was last told about the table: moves do not change it here."""
    since: float
    sit: bool
    """Whether somebody could sit down."""
    room: bool


class Tables(Answer, frozen=True, tag="lobby"):
    """Every table, the newest last, and how many there are in all."""

    tables: tuple[Row, ...]
    total: int


class TableChanged(Answer, frozen=True, tag="lobby-change", omit_defaults=False):
    """A table is new or not as it was, or with None is no more."""

    id: str
    table: Row | None


class RecordMessage(Answer, frozen=True, tag="record"):
    """Something happened at the table."""

    table: str
    seq: int
    event: dict[str, Any]
    id: str = ""


class Spoken(Answer, frozen=True, tag="said", omit_defaults=False):
    """Chat; `seat` is null for a spectator, `user` is the speaker's id in a room, else 0."""

    table: str
    name: str
    seat: int | None
    text: str
    user: int = 0


class Note(Answer, frozen=True):
    """The house says something to everybody in a room."""

    table: str
    text: str


class Gone(Answer, frozen=True, tag="left"):
    """You are no longer at this table."""

    table: str
    why: str = ""
    text: str = ""


class RefusedMessage(Answer, frozen=True, tag="refused"):
    why: str
    text: str
    id: str = ""


class Other(msgspec.Struct, frozen=True):
    """What a server says that our own client has no use for."""

    type: str


FromServer = (
    Welcome
    | Waiting
    | TableSnapshot
    | You
    | RoomNews
    | Tables
    | TableChanged
    | RecordMessage
    | Spoken
    | Note
    | Gone
    | RefusedMessage
)
