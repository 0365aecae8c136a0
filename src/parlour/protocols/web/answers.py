"""What browsers are told: JSON objects, told apart by their `type`."""

from typing import Any

import msgspec

from parlour.core.updates import Field


class Answer(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower, omit_defaults=True):
    """Something our server says."""


class Welcome(Answer, frozen=True):
    name: str
    token: str
    account: str = ""
    """The registered name that the person has shown to own; empty for a guest."""


class Waiting(Answer, frozen=True):
    """In the queue, until another person wants the same."""

    game: str
    seat: int | None = None


class SeatView(msgspec.Struct, frozen=True):
    """A player in a seat."""

    seat: int
    name: str
    wire: str
    kind: str
    level: str = ""
    caps: tuple[str, ...] = ()
    """What the player's wire can express."""
    held: bool = False
    """The seat is kept for an absent player, who may come back."""
    account: str = ""
    claim: float | msgspec.UnsetType = msgspec.UNSET
    """Of an absent player: when the others may act on it, in seconds since 1970 by the server's clock."""


class Result(msgspec.Struct, frozen=True):
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str


class BallotView(msgspec.Struct, frozen=True):
    what: str
    voters: tuple[int, ...]
    answers: dict[str, bool]
    """Of those who have answered, by seat."""
    by: int = -1
    """The seat that asked; -1 is the house."""


class ClockView(msgspec.Struct, frozen=True):
    left: tuple[float, ...]
    """Seconds by seat, when the running seat's time began to run."""
    running: int | None
    """None while the game waits for a player."""
    since: float
    increment: float
    at: float
    """The server's time now; what the running seat has left is `left` less what has passed since `since`."""


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
    by: tuple[int, ...] = ()
    """The seat that made each move."""


class UserView(msgspec.Struct, frozen=True):
    """A member of a room."""

    id: int
    name: str
    colour: str
    ready: bool
    seat: int | None
    wire: str
    kind: str = "person"
    here: bool = True
    """False for a member who is absent and may come back."""
    level: str = ""
    account: str = ""


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
    """All who have come to the room, engines too; spectators are counted in `watchers`."""
    size: tuple[int, int]
    next: tuple[int, int]
    chairs: tuple[ChairView, ChairView] | None
    wants_board: bool
    countdown: int
    chat: bool
    rotation: str = ""
    """How the line moves after a game: `winner-stays` or `all`; empty for first come, first served."""
    seats: int = 2
    """How many of those who are ready play at a time."""


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
    pace: tuple[float, float] | msgspec.UnsetType = msgspec.UNSET
    """At a table with a clock: each player's seconds for a game, and those added after each move."""
    rated: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether the game counts for ratings, where that is otherwise than those who sit there now suggest."""


class You(Answer, frozen=True, omit_defaults=False):
    """Your seat in a room's game, whenever it is another one than before."""

    table: str
    seat: int | None


class RoomNews(Answer, frozen=True, tag="room", omit_defaults=False):
    """The room around the table, whenever something about it is not as it was."""

    table: str
    room: RoomView
    user: int | None = None


class RowSeat(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    wire: str
    kind: str
    level: str = ""
    account: str = ""


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
    """As many as there are when the row is told; `lobby-moves` tells of the others."""
    since: float
    """When the table was opened."""
    sit: bool
    """Whether a seat is free to sit down."""
    room: bool
    pace: tuple[float, float] | msgspec.UnsetType = msgspec.UNSET
    """The clock, if there is one: seconds for a game, and those added after each move."""


class Watchers(Answer, frozen=True, omit_defaults=False):
    """So many watch this table; told now and then."""

    table: str
    count: int


class Tables(Answer, frozen=True, tag="lobby"):
    """Every table, the newest last, and how many there are in all."""

    tables: tuple[Row, ...]
    total: int


class TableChanged(Answer, frozen=True, tag="lobby-change", omit_defaults=False):
    """A table is new or not as it was, or with None is no more."""

    id: str
    table: Row | None


class Preview(msgspec.Struct, frozen=True, omit_defaults=True):
    """A game that runs, as the lobby draws it: its moves after the first `since` of them."""

    table: str
    game: str
    since: int
    moves: tuple[str, ...]
    by: tuple[int, ...]
    """The seat that made each move."""
    first: int = 0
    options: dict[str, int | str] = {}
    """Told with the whole game, when `since` is 0."""


class LobbyMoves(Answer, frozen=True, tag="lobby-moves", omit_defaults=False):
    """What has been played at the tables of the lobby, told once a second: how many moves, and the newest boards."""

    moves: dict[str, int]
    boards: tuple[Preview, ...]


class RecordMessage(Answer, frozen=True, tag="record"):
    """Something happened at the table."""

    table: str
    seq: int
    event: dict[str, Any]
    id: str = ""
    clock: ClockView | None = None
    """As it is after that, where there is one."""


class Spoken(Answer, frozen=True, tag="said", omit_defaults=False):
    """Chat; `seat` is null for a spectator, `user` is the speaker's id in a room, else 0."""

    table: str
    name: str
    seat: int | None
    text: str
    user: int = 0


class Note(Answer, frozen=True):
    """The house says something to all in a room; or the host does, to all or to you."""

    table: str
    text: str
    host: bool = False
    why: str = ""
    """Of the host's words: a word for what they are about, where there is one."""
    word: str = ""
    """Of the house's words: what `text` says in English, for any other language."""
    fields: dict[str, Field] = {}
    """What belongs to the word: names, numbers."""


class Gone(Answer, frozen=True, tag="left"):
    """You are no longer at this table."""

    table: str
    why: str = ""
    text: str = ""
    seconds: int | None = None
    """Until a ban ends."""


class RefusedMessage(Answer, frozen=True, tag="refused"):
    why: str
    text: str
    id: str = ""
    seconds: int | None = None
    """Until a ban ends."""


class ScoredMove(msgspec.Struct, frozen=True):
    move: str
    value: float
    exact: bool


class Advice(Answer, frozen=True, tag="hint", omit_defaults=False):
    """What an engine thinks of the position after the record `seq`, from the side to move."""

    table: str
    seq: int
    best: str
    value: float
    exact: bool
    moves: tuple[ScoredMove, ...]
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
    | LobbyMoves
    | RecordMessage
    | Spoken
    | Note
    | Gone
    | Watchers
    | RefusedMessage
    | Advice
)
