"""The words of the core: commands people give, events that happened, and what a participant is told.

Commands are imperatives and may be refused; events are past participles, numbered in a `Record`, and are the log.
"""

import enum
from typing import TYPE_CHECKING

import msgspec

from parlour.core.errors import Refusal
from parlour.core.game import Options
from parlour.core.news import News

if TYPE_CHECKING:
    from parlour.core.table import Table
    from parlour.core.users import User


class Cap(enum.IntFlag):
    """What a participant's wire can express; the others at the table are told what it cannot."""

    NONE = 0
    CHAT = 1
    DRAW = 2
    """Offer a draw, and answer such an offer."""
    REMATCH = 4
    RESUME = 8
    SPECTATE = 16
    CLOCK = 32
    """Show how much time everybody has left."""
    TAKEBACK = 64
    """See a move taken back, and answer whoever asks for it."""
    ALL = 127


class Kind(enum.Enum):
    """Who sits in a seat."""

    PERSON = "person"
    ENGINE = "engine"


class Reason(enum.Enum):
    """How a game ended."""

    PLAYED_OUT = "played-out"
    RESIGNED = "resigned"
    TIMEOUT = "timeout"
    AGREED = "agreed"
    ABANDONED = "abandoned"


class Leaving(enum.Enum):
    """What a table does when a player leaves a running game."""

    ENDS = "ends"
    OPENS = "opens"
    SKIPS = "skips"


class Gone(enum.Enum):
    """Why a seat became empty."""

    LEFT = "left"
    GIVEN_UP = "given-up"
    """The player was away for longer than the seat was held."""
    CLAIMED = "claimed"
    """The others did not want to wait for a player who was away."""
    REPLACED = "replaced"
    """An engine plays on for a player who was away."""
    SENT_AWAY = "sent-away"
    RESTARTED = "restarted"
    """The server was restarted, and the player has no way to come back."""


class Starting(enum.Enum):
    """When a table begins a game: every seat is taken, everyone seated is ready, or the lobby around it says so."""

    FULL = "full"
    READY = "ready"
    LOBBY = "lobby"


class Policy(msgspec.Struct, frozen=True):
    """The house rules of one table, fixed when it opens."""

    leaving: Leaving = Leaving.ENDS
    starting: Starting = Starting.FULL
    toss: bool = False
    """A coin decides who begins, and the players take turns at it in later games; otherwise seat 0 does."""
    hold: float = 60.0
    """Seconds a seat is kept for a player who can come back."""
    claim: float = 20.0
    """Seconds after which the others need not wait for a player who is gone."""
    clock: float = 0.0
    """Thinking seconds per player and game; 0 is no clock."""
    increment: float = 0.0
    """Seconds added after each move."""


# --- commands ---------------------------------------------------------------------------------------------------


class Command(msgspec.Struct, frozen=True):
    """Something a participant wants."""


class Seek(Command, frozen=True):
    """Find me a table for this game, with an engine or with the next person who wants the same."""

    game: str
    options: Options
    opponent: str = "human"
    level: str = "medium"
    wait: float = 0.0
    """Seconds after which an engine takes the empty seat; 0 waits for ever."""
    seat: int | None = None
    fallback: int | None = None
    """The seat to settle for when nobody is waiting, for wires that must name it at once."""
    policy: Policy = Policy()
    engine_name: str = ""


class Open(Command, frozen=True):
    """Open a table and sit down at it; others come by its id."""

    game: str
    options: Options
    seat: int = 0
    policy: Policy = Policy()


class Sit(Command, frozen=True):
    """Take an empty seat at a table."""

    table: str
    seat: int | None = None


class Watch(Command, frozen=True):
    """Watch a table."""

    table: str


class Resume(Command, frozen=True):
    """Come back to a held seat, or into a room; `since` is the last record the participant has seen."""

    table: str
    token: str
    since: int = -1


class Ready(Command, frozen=True):
    """Ready, or not, for the next game."""

    yes: bool = True


class Play(Command, frozen=True):
    """Make a move. `id` is the sender's own mark, stored with the move so that a repeat is recognised."""

    move: str
    id: str = ""


class Offer(Command, frozen=True):
    """Offer one of OFFERS to the other player, or answer the same offer of theirs. One's own is withdrawn by a no."""

    what: str
    yes: bool = True


class Resign(Command, frozen=True):
    """Give the game up and keep the seat."""


class Leave(Command, frozen=True):
    """Stand up from the table, or step out of the queue. Always granted."""


class Vanish(Command, frozen=True):
    """The connection is gone: leave, or keep the seat for a while if the player can come back."""


class Say(Command, frozen=True):
    """Chat to everyone at the table."""

    text: str


class Propose(Command, frozen=True):
    """Call a vote."""

    what: str
    arguments: tuple[str, ...] = ()


class Vote(Command, frozen=True):
    """Answer the open vote."""

    yes: bool


# --- events -----------------------------------------------------------------------------------------------------


class Event(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower, gc=False):
    """Something that happened at a table. Events hold no cycles, so the collector need not look at them.

    Events are written whole, with a version (`store/spelling.py`): no default has a say in what a log means.
    """


class Opened(Event, frozen=True):
    table: str
    game: str
    options: Options
    policy: Policy = Policy()
    wish: Options = {}
    """For which kind of room, if it is in one."""


class Joined(Event, frozen=True):
    seat: int
    name: str
    wire: str
    kind: Kind = Kind.PERSON
    caps: int = 0
    key: str = ""
    """Digest of the token that opens this seat again."""
    level: str = ""
    account: str = ""
    """The registered name, if there is one: games count for it."""


class Held(Event, frozen=True):
    """The player is gone but may come back."""

    seat: int


class Resumed(Event, frozen=True):
    seat: int
    key: str = ""
    """Digest of a new token, when the old one opens the seat no longer."""
    wire: str = ""
    """By which the player is back, with what it can express, when it is another one than before."""
    caps: int = 0


class Left(Event, frozen=True):
    seat: int
    why: Gone = Gone.LEFT


class Readied(Event, frozen=True):
    seat: int
    yes: bool = True


class Player(msgspec.Struct, frozen=True, gc=False):
    """A seat and its player when a game begins."""

    seat: int
    name: str
    wire: str
    kind: Kind
    level: str
    account: str


class Started(Event, frozen=True):
    """A game began. Its options are settled: nothing random is left in them."""

    game: str
    options: Options
    first: int = 0
    players: tuple[Player, ...] = ()
    stakes: tuple[str, ...] = ()
    """By seat, the registered names for which the game counts; empty when it counts for nobody."""


class Played(Event, frozen=True):
    seat: int
    move: str
    id: str = ""


class TakenBack(Event, frozen=True):
    """The last moves are undone, back to the last one of this seat, whose turn it is again."""

    seat: int
    moves: int
    """How many."""


class Interrupted(Event, frozen=True):
    """The house was shut: no clock has run since the last record, nor does anybody's until they are back."""


class Arranged(Event, frozen=True):
    """A lobby has dealt out the seats anew, in the order of play, for the game that starts next."""

    options: Options
    seats: tuple[Joined, ...]
    leaving: Leaving = Leaving.SKIPS
    """What becomes of the game when one of them leaves it."""


class Resigned(Event, frozen=True):
    seat: int


class Flagged(Event, frozen=True):
    """The seat's time ran out."""

    seat: int


class Finished(Event, frozen=True):
    """A game is over. No winners is a draw, or no result when the game was abandoned."""

    winners: tuple[int, ...]
    scores: tuple[int, ...]
    reason: Reason
    moves: int = 0
    """How many were made, and not taken back."""
    accounts: tuple[str, ...] = ()
    """By seat, the registered names of those who sit there at the end, or ""; empty when there are none."""
    stakes: tuple[str, ...] = ()
    """By seat, the registered names for which the game counted to the end."""
    places: tuple[int, ...] = ()
    """By seat, who came first (1), second and so on in a rated game; empty when the game is not rated."""


class Proposed(Event, frozen=True):
    """A vote is open to these seats."""

    what: str
    voters: tuple[int, ...]
    by: int = -1
    """The seat that asked; -1 is the house."""
    arguments: tuple[str, ...] = ()


class Voted(Event, frozen=True):
    seat: int
    yes: bool


class Decided(Event, frozen=True):
    what: str
    passed: bool


class Closed(Event, frozen=True):
    """The table is no more."""

    why: str = ""


AnyEvent = (
    Opened
    | Joined
    | Held
    | Resumed
    | Left
    | Readied
    | Arranged
    | Started
    | Played
    | TakenBack
    | Interrupted
    | Resigned
    | Flagged
    | Finished
    | Proposed
    | Voted
    | Decided
    | Closed
)


class Record(msgspec.Struct, frozen=True, gc=False):
    """One event with its number at the table and its time in seconds since 1970."""

    seq: int
    at: float
    event: AnyEvent


# --- what a participant is told -------------------------------------------------------------------------------------


class Waiting(msgspec.Struct, frozen=True):
    """You are in the queue; `seat` is yours already if your wire had to name one."""

    seat: int | None = None


class Seated(msgspec.Struct, frozen=True):
    """You sit at this table now, or watch it (seat None). The table's state is its snapshot."""

    table: "Table"
    seat: int | None
    token: str = ""


class CaughtUp(msgspec.Struct, frozen=True):
    """You are back; these are the records you missed, your return among them, or None when too many: take a snapshot.

    In a room you are this user again; the seat is None when the game you had it in is no more.
    """

    table: "Table"
    seat: int | None
    missed: tuple[Record, ...] | None
    user: "User | None" = None


class Said(msgspec.Struct, frozen=True):
    """Somebody at the table said something; `seat` is None for a spectator."""

    name: str
    seat: int | None
    text: str
    user: int = 0
    """In a room, the speaker's id there."""


class Declined(msgspec.Struct, frozen=True):
    """Your command was refused and changed nothing."""

    command: Command
    why: Refusal


class Evicted(msgspec.Struct, frozen=True):
    """Your table, or your place in the queue, is gone through no fault of yours."""

    why: Refusal


Told = Record | Waiting | Seated | CaughtUp | Said | Declined | Evicted | News
