"""The words of the core: commands that participants give, and events that happened.

Commands are imperatives and may be refused. Events are past participles, numbered in a `Record`; together they are the
log, and a table is nothing but the fold of its own.
"""

import enum
from typing import Any, ClassVar, get_args

import msgspec

from parlour.core.game import Options

Arguments = tuple[str, ...]

FEATURES = ("chat", "vote", "random-start", "random-order")
"""What the members of a table with a lobby can switch on and off."""


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
    """Show how much time every player has left."""
    TAKEBACK = 64
    """See a move taken back, and answer a request for it."""
    ALL = 127


class Kind(enum.Enum):
    """What sits in a seat."""

    PERSON = "person"
    ENGINE = "engine"


class Reason(enum.Enum):
    """How a game ended."""

    PLAYED_OUT = "played-out"
    RESIGNED = "resigned"
    TIMEOUT = "timeout"
    AGREED = "agreed"
    ABANDONED = "abandoned"


class Gone(enum.Enum):
    """Why a seat became empty."""

    LEFT = "left"
    EXPIRED = "expired"
    """The player was away for longer than the seat is held."""
    CLAIMED = "claimed"
    """The opponents did not wait any longer."""
    SUBSTITUTED = "substituted"
    """An engine plays on."""
    KICKED = "kicked"
    RESTARTED = "restarted"
    """The server was restarted, and the member has no way to come back."""


class Leaving(enum.Enum):
    """What a table does when a player leaves a running game."""

    ENDS = "ends"
    OPENS = "opens"
    """The game waits for the next player in that seat."""
    SKIPS = "skips"
    """The game goes on without the seat."""


class Starting(enum.Enum):
    """When a table begins a game: as soon as every seat is taken, as its lobby agrees, or as another server says."""

    FULL = "full"
    LOBBY = "lobby"
    TOLD = "told"
    """The game is played at a server that is visited: it tells when one begins and how it ends."""


class First(enum.Enum):
    """Which seat begins: a coin decides and then the seats take turns; they take turns from seat 0; always seat 0."""

    TOSS = "toss"
    TURNS = "turns"
    SEAT_0 = "seat-0"


class Rotation(enum.Enum):
    """How the line of those who want to play moves after a game."""

    ARRIVAL = "arrival"
    """Not at all: first come, first served, in every game."""
    WINNER_STAYS = "winner-stays"
    ALL = "all"


class Policy(msgspec.Struct, frozen=True):
    """The house rules of one table, fixed when it opens. The log has every field."""

    leaving: Leaving = Leaving.ENDS
    starting: Starting = Starting.FULL
    first: First = First.TURNS
    hold: float = 60.0
    """Seconds for which a place is kept for a member who can come back."""
    claim: float = 20.0
    """Seconds after which the others need not wait for an absent player."""
    clock: float = 0.0
    """Thinking seconds per player and game; 0 is no clock."""
    increment: float = 0.0
    """Seconds added after each move."""
    key: str = ""
    """Keeps tables with a lobby apart that are alike in all else: the name of the door, say."""
    players: int = 0
    """The most who play at a time; 0 for as many as the game allows. The others look on."""
    full: str = "watch"
    """When as many are there as may play, the next one comes to "watch", or gets another "room"."""
    start: str = "auto"
    """Games begin by themselves when enough members are ready ("auto"), or when the players "ask" for it."""
    ready: int = 2
    rotation: Rotation = Rotation.ARRIVAL
    features: tuple[str, ...] = ("chat",)
    """Which of FEATURES are on at first."""
    wait: float = 0.0
    """Seconds after which an engine takes an empty chair; 0 waits for ever."""
    level: str = "medium"
    """Of that engine, and of those that come with the table."""
    bots: int = 0
    """Engines that come with the table."""
    open: bool = True
    """Whether the matchmaker may bring people here; an invitation is not."""


LOBBY = Policy(leaving=Leaving.SKIPS, starting=Starting.LOBBY)
"""A room: any number of members, of whom those play who are ready."""


# --- commands ---------------------------------------------------------------------------------------------------


class Command(msgspec.Struct, frozen=True, tag_field="do", tag=True):
    """What a participant wants. Its name is its tag where it is sent to another process."""

    of_house: ClassVar[bool] = False
    """Whether it is for the house where the participant is connected, wherever their table may be."""
    opens: ClassVar[bool] = False
    """Whether it may lead to a new table."""

    @property
    def place(self) -> str:
        """The id of the table that it names, if it does."""
        return getattr(self, "table", "")

    @property
    def is_talk(self) -> bool:
        """Whether it only leads to something that people read: no game waits for it."""
        return False

    def again(self, who: Any) -> "Command | None":  # noqa: ARG002
        """What to say in its place to a house that has forgotten this participant; None for what is done once."""
        return None


class Extension(Command, frozen=True):
    """A command of one wire alone. It knows by itself what is to be done; the hub only says when."""

    def run(self, hub: Any, who: Any) -> None:
        """Carry it out. May raise Refused, and has changed nothing then."""
        raise TypeError(f"{self!r} has nothing to do for {who!r} in {hub!r}")


class Talk(Extension, frozen=True):
    """An extension that changes nothing at any table: something said, or a list that is asked for."""

    @property
    def is_talk(self) -> bool:
        return True


class Seek(Command, frozen=True):
    """Find a table for this game, with an engine, with the next person who wants the same, or at a server we visit.

    Where the policy says that games start in a lobby, it is a table with two chairs; an empty `options` leaves the
    board to those who sit there.
    """

    opens = True
    game: str
    options: Options
    opponent: str = "human"
    level: str = "medium"
    wait: float = 0.0
    """Seconds after which an engine takes the empty seat; 0 waits for ever."""
    seat: int | None = None
    fallback: int | None = None
    """The seat to settle for when no other person waits, for wires that must name it at once."""
    policy: Policy = Policy()
    most: int = 50
    """The longest side of a board that the seeker's wire can say. So it is in the next four."""


class Chair(msgspec.Struct, frozen=True):
    """What one of two chairs is meant for: "open" to anyone, "engine", or "reserved" for a person by name."""

    kind: str = "open"
    name: str = ""
    level: str = "medium"


class Open(Command, frozen=True):
    """Open a table and sit down at it; others come by its id. A table with a lobby has these two chairs."""

    opens = True
    game: str
    options: Options
    seat: int = 0
    policy: Policy = Policy()
    chairs: tuple[Chair, Chair] = (Chair(), Chair())
    title: str = ""
    most: int = 50


class Enter(Command, frozen=True):
    """Come into a room of this kind; one is opened if there is none."""

    opens = True
    game: str
    options: Options
    policy: Policy = LOBBY
    name: str = ""
    """Empty for a name that the room gives."""
    colour: int | None = None
    ready: bool = True
    votes: bool = False
    """Whether the member's wire can express a yes or no."""
    title: str = ""
    most: int = 50


class EnterTable(Command, frozen=True):
    """Come to this table, out of the one the participant is at."""

    table: str
    ready: bool = True
    votes: bool = False
    most: int = 50


class Sit(Command, frozen=True):
    """Take an empty seat at a table; in a room, play now or in the next game."""

    table: str
    seat: int | None = None
    most: int = 50


class TakeChair(Sit, frozen=True):
    """The same at a table for two, or at a room that can become one; from another chair of it, move."""


class Watch(Command, frozen=True):
    """Look on at a table."""

    table: str


class Resume(Command, frozen=True):
    """Come back to a place that is held; `since` is the last record the participant has seen."""

    table: str
    token: str
    since: int = -1


class TakeOver(Command, frozen=True):
    """Take the place of the member with this code, from another program of the same person."""

    table: str
    code: str


class Ready(Command, frozen=True):
    """Ready, or not, for the next game."""

    yes: bool = True


class Play(Command, frozen=True):
    """Make a move. `id` is the sender's own, stored with the move so that a repeat is recognised."""

    move: str
    id: str = ""


class Offer(Command, frozen=True):
    """Offer one of OFFERS to the other player, or answer the same offer of theirs. One's own is withdrawn by a no."""

    what: str
    yes: bool = True


class Resign(Command, frozen=True):
    """Give the game up and keep the seat; in a game of many, leave it and look on."""


class Leave(Command, frozen=True):
    """Stand up from the table, or step out of the queue. Always granted."""


class Vanish(Command, frozen=True):
    """The connection is gone: leave, or keep the place for a while if the member can come back."""


class Say(Command, frozen=True):
    """Chat to everyone at the table."""

    text: str

    @property
    def is_talk(self) -> bool:
        return True


class Propose(Command, frozen=True):
    """Call a vote on one of the motions of the party."""

    what: str
    arguments: Arguments = ()


class Vote(Command, frozen=True):
    """Answer the open vote, or the question for another game."""

    yes: bool


class Claim(Command, frozen=True):
    """The opponent has been away for long: the game is won. A game of more than two goes on without the absent."""


class Substitute(Command, frozen=True):
    """The player of this seat has been away for long: an engine of this level plays on there."""

    seat: int
    level: str = "medium"


class PartyCommand(Command, frozen=True):
    """What only makes sense at a table with a lobby."""


class Rename(PartyCommand, frozen=True):
    name: str


class Recolour(PartyCommand, frozen=True):
    """`value` is ARGB in 32 bits; transparent colours become opaque."""

    value: int


class StandUp(PartyCommand, frozen=True):
    """Leave the running game, or the chair, and stay to look on."""


class TakePart(PartyCommand, frozen=True):
    """Take the place of a player who has left the running game; without one, be ready for the next."""


class Wish(PartyCommand, frozen=True):
    """Want something that is done when all who play, or would, want the same: one of WISHES."""

    what: str
    arguments: Arguments = ()


class ShowCode(PartyCommand, frozen=True):
    """Tell the asker the code by which they can go on in another program."""


class SetChair(PartyCommand, frozen=True):
    """Change what a chair is meant for in which no person sits."""

    seat: int
    chair: Chair


class SetBoard(PartyCommand, frozen=True):
    """The board of the next game, chosen by the member who was asked."""

    options: Options


class Entitle(PartyCommand, frozen=True):
    """Give the table a title."""

    title: str


class Kick(PartyCommand, frozen=True):
    """Send a member away, by id. The wire that allows it checks who may."""

    member: int
    reason: str = ""


# --- events -----------------------------------------------------------------------------------------------------


class Event(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower, gc=False):
    """What happened at a table. Events hold no cycles, so the collector need not look at them.

    They are written whole, with a version (`store/spelling.py`): no default has a say in what a log means.
    """


class Opened(Event, frozen=True):
    table: str
    game: str
    options: Options
    policy: Policy = Policy()
    title: str = ""


class Entered(Event, frozen=True):
    """A member came to the table's lobby. Ids count from 1 and are never given twice at a table."""

    member: int
    name: str
    wire: str
    kind: Kind = Kind.PERSON
    caps: int = 0
    key: str = ""
    """Digest of the token that opens this place again: the member's own, if their wire can resume, or one that only the
    process knows to which they are connected."""
    level: str = ""
    account: str = ""
    """The registered name, if there is one: games count for it."""
    colour: int = 0
    ready: bool = True
    votes: bool = False
    confirms: bool = False
    """Whether the member's wire asks for each game anew, and for its board: such a member needs a chair."""
    most: int = 50


class Joined(Event, frozen=True):
    """A member, new or present, sat down."""

    seat: int
    name: str
    wire: str
    kind: Kind = Kind.PERSON
    caps: int = 0
    key: str = ""
    level: str = ""
    account: str = ""
    member: int = 0


class Left(Event, frozen=True):
    """The seat is empty; the member is gone as well, unless it says so."""

    seat: int
    member: int = 0
    stays: bool = False
    why: Gone = Gone.LEFT


class Went(Event, frozen=True):
    """The member is no longer here; a seat they had became empty before."""

    member: int
    why: Gone = Gone.LEFT


class Held(Event, frozen=True):
    """The member's connection is gone, but they may come back. The seat is -1 for one who had none."""

    seat: int
    member: int = 0


class Resumed(Event, frozen=True):
    seat: int
    key: str = ""
    """Digest of a new token, when the old one opens the place no longer."""
    wire: str = ""
    """By which the member is back, with what it can express, when it is another one than before."""
    caps: int = 0
    member: int = 0


class Renamed(Event, frozen=True):
    """A member has another name; the seat is -1 for one who has none."""

    member: int
    name: str
    seat: int = -1


class Recoloured(Event, frozen=True):
    member: int
    colour: int


class Readied(Event, frozen=True):
    member: int
    yes: bool = True


class Watched(Event, frozen=True):
    """The member only looks on from now on, or no longer; and whether they confirm each game."""

    member: int
    watches: bool
    confirms: bool


class Titled(Event, frozen=True):
    title: str


class Switched(Event, frozen=True):
    feature: str
    on: bool


class Planned(Event, frozen=True):
    """The next game is played with these options."""

    options: Options


class Laid(Event, frozen=True):
    """The board that is there, with no game on it, is that of these options. Never while a game runs."""

    options: Options


class Furnished(Event, frozen=True):
    """The table has these chairs, each kept for a name or, empty, for anyone; without any, seats are dealt again."""

    chairs: tuple[str, ...]


class Asked(Event, frozen=True):
    """This member is to choose the board; 0 when the one who was asked no longer is."""

    member: int


class Chosen(Event, frozen=True):
    """The board of the next game on these chairs is chosen; `member` 0 is the house."""

    member: int
    options: Options


class Counted(Event, frozen=True):
    """A game begins by itself in so many seconds; 0 calls it off."""

    seconds: int


class Rested(Event, frozen=True):
    """The players have stopped a game: none begins by itself until a member asks for one."""


class Shuffled(Event, frozen=True):
    """The next game is played in a random order, by vote."""


class Arranged(Event, frozen=True):
    """The lobby has dealt out the seats anew, in the order of play, for the game that starts next."""

    options: Options
    seats: tuple[Joined, ...]
    leaving: Leaving = Leaving.SKIPS
    """What becomes of the game when one of them leaves it."""


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
    """By seat, the registered names for which the game counts; empty when it counts for none."""


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
    """The house was shut: no clock has run since the last record, nor does a player's until they are back."""


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
    """A question is open to these voters: seats for another game and for offers, members for a motion."""

    what: str
    voters: tuple[int, ...]
    by: int = -1
    """The seat or member that asked; -1 is the house."""
    arguments: Arguments = ()


class Voted(Event, frozen=True):
    """An answer to the question that is open among seats, among members (`what` is a motion), or a wish."""

    seat: int
    """The voter: a seat, or for motions and wishes a member."""
    yes: bool
    what: str = ""
    arguments: Arguments = ()


class Decided(Event, frozen=True):
    what: str
    passed: bool


class Closed(Event, frozen=True):
    """The table is no more."""

    why: str = ""


AnyEvent = (
    Opened | Entered | Joined | Left | Went | Held | Resumed | Renamed | Recoloured | Readied | Watched | Titled
    | Switched | Planned | Laid | Furnished | Asked | Chosen | Counted | Rested | Shuffled | Arranged | Started
    | Played | TakenBack | Interrupted | Resigned | Flagged | Finished | Proposed | Voted | Decided | Closed
)  # fmt: skip
EVENTS = frozenset(get_args(AnyEvent))


class Record(msgspec.Struct, frozen=True, gc=False):
    """One event with its number at the table and its time in seconds since 1970."""

    seq: int
    at: float
    event: AnyEvent
