"""The shape of every wire: a session turns messages into commands and events into bytes, and does no I/O itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from parlour.core.errors import ProtocolError, Refusal
from parlour.core.game import Game, Options
from parlour.core.table.table import Table
from parlour.core.updates import Update
from parlour.core.words import Cap, Command, Play, Seek


class Introduce(msgspec.Struct, frozen=True):
    """This is who the peer is. Before it, a participant is "Anon"; `caps` None keeps those of the wire."""

    name: str
    caps: Cap | None = None


class Do(msgspec.Struct, frozen=True):
    """Give this command to the hub."""

    command: Command


class Become(msgspec.Struct, frozen=True):
    """Another session takes over this connection, beginning with what is still unread."""

    session: "Session[Any]"


class Pause(msgspec.Struct, frozen=True):
    """Send nothing more for a while, so that the peer reads what went before on its own."""

    seconds: float


class Alarm(msgspec.Struct, frozen=True):
    """Call `timer(name)` after so many seconds; None takes back the alarm of that name."""

    name: str
    seconds: float | None


class HalfClose(msgspec.Struct, frozen=True):
    """Say that we are done writing, and read on until the peer is done as well (for a bounded time)."""


class Close(msgspec.Struct, frozen=True):
    """Close the connection once everything before this is sent."""


class Reconnect(msgspec.Struct, frozen=True):
    """A client session wants another connection to the same address, for this session to go on with."""

    session: "ClientSession[Any]"
    tries: int = 1
    """How often, once a second, before it is told by `closed` that there is none; of one try the person is told."""


class Branch(msgspec.Struct, frozen=True):
    """A client session wants one more connection to the same address, driven by this session beside it.

    The end of a branch, or a connection that never comes about, is told to its own session by `closed`. The end of the
    first connection ends all branches, untold.
    """

    session: "ClientSession[Any]"


class Via(msgspec.Struct, frozen=True):
    """What a client session wants done on the connection of another session of the same visit, once that is there."""

    session: "ClientSession[Any]"
    outputs: Sequence[Any]


class Report(msgspec.Struct, frozen=True):
    """A client session tells its person something, in one line of plain words."""

    text: str
    talk: bool = False
    """Whether it is what another person says."""


class Board(msgspec.Struct, frozen=True):
    """A client session shows the board, as lines of plain text."""

    text: str


class YourTurn(msgspec.Struct, frozen=True):
    """A client session wants a move; `moves` are those that make sense, in the game's notation."""

    moves: tuple[str, ...]


class Again(msgspec.Struct, frozen=True):
    """A client session asks whether to play another game; a `Vote` answers."""


class Over(msgspec.Struct, frozen=True):
    """A client session's game has ended: "won", "lost", "draw" or "aborted"."""

    result: str


class Guide(msgspec.Struct, frozen=True):
    """What a person can be helped with: the game that is played, and what there are words for on this wire."""

    game: str = ""
    """The key of the game; empty until it is known."""
    chat: bool = False
    resign: bool = False
    """To give a game up without leaving."""
    rematch: bool = False
    """To be asked for another game."""


class Sheet(msgspec.Struct, eq=False):
    """A game as a client session has written it down: for a bot that is to move, or a table of ours where it is shown.

    What the server says is written, whether or not our rules would have it so. Another game is another sheet.
    """

    game: str
    options: Options
    seat: int
    """Ours."""
    names: tuple[str, ...] = ("", "")
    """By seat, as far as the server has told them."""
    first: int = 0
    moves: list[str] = []
    by: list[int] = []
    """The seat that made each of them."""
    whole: bool = True
    """Whether these are all moves in their order: not in a game that had begun before we came."""

    def add(self, seat: int, move: str) -> None:
        self.moves.append(move)
        self.by.append(seat)


Show = Report | Board | YourTurn | Again | Over
"""What a client session shows its person, or its bot."""

Output = bytes | Introduce | Do | Become | Pause | Alarm | HalfClose | Close | Reconnect | Branch | Via | Show
"""What a session wants done. Plain bytes are sent; the rest says itself."""

Outputs = Sequence[Output]
NOTHING: Outputs = ()

M = TypeVar("M", contravariant=True)
MessageT = TypeVar("MessageT", covariant=True)


class ClientSession(Protocol[M]):
    """The client's side of a conversation with a server. Every method returns what is to be done, in order."""

    @property
    def phase(self) -> Any:
        """Where the conversation stands; the codec parses the next bytes by it."""
        ...

    @property
    def guide(self) -> Guide:
        """What there is to explain, as far as it is known by now."""
        ...

    @property
    def sheet(self) -> Sheet | None:
        """The running or last game; None before the first, and for one whose board is not known."""
        ...

    def opened(self) -> Outputs:
        """The connection is there."""
        ...

    def receive(self, message: M) -> Outputs:
        """The server sent this."""
        ...

    def malformed(self, error: ProtocolError) -> Outputs:
        """The server sent something that is no message; the codec has already skipped what it had to."""
        ...

    def act(self, command: Command) -> Outputs:
        """The person wants this: Play, Say, Resign, Vote or Leave. What the wire cannot say gets a Report.

        A move that the rules forbid is not sent: the person is told why, and asked again. A wire without a word for
        resigning is left, and the game is lost.

        Only the session of the first connection is asked.
        """
        ...

    def timer(self, name: str) -> Outputs:
        """An alarm set by this session went off."""
        ...

    def closed(self) -> Outputs:
        """The server has gone. Emits Over("aborted") if a game was still running."""
        ...


class Session(Protocol[M]):
    """Our server's side of one connection. Every method returns what is to be done, in order."""

    @property
    def phase(self) -> Any:
        """Where the conversation stands; the codec parses the next bytes by it."""
        ...

    def opened(self) -> Outputs:
        """The connection is there."""
        ...

    def receive(self, message: M) -> Outputs:
        """The peer sent this."""
        ...

    def shortcut(self, data: bytes) -> Play | None:
        """The command for a segment that is one usual move and nothing else; None if it has to be parsed.

        The way through `parse` and `receive` leads to the same command, and is a tenth of what a move costs.
        """
        ...

    def malformed(self, error: ProtocolError) -> Outputs:
        """The peer sent something that is no message; the codec has already skipped what it had to."""
        ...

    def notify(self, told: Update) -> Outputs:
        """The hub says this."""
        ...

    def timer(self, name: str) -> Outputs:
        """An alarm set by this session went off."""
        ...

    def closed(self) -> Outputs:
        """The peer has ended its side and is about to leave; last words, if the wire has any."""
        ...

    def throttled(self) -> Outputs:
        """The peer sends too fast: say so in the wire's own words. Reading stops for a moment."""
        ...

    def full(self, why: Refusal, text: str) -> Outputs:
        """The peer is not let in: say so in the wire's own words, or in these. Called instead of `opened`."""
        ...

    def farewell(self) -> Outputs:
        """The server stops: say so in the wire's own words and close."""
        ...


def no_shortcut(_session: object, _data: bytes) -> Play | None:
    """The `shortcut` of sessions that have none."""
    return None


class Codec(Protocol[MessageT]):
    """Bytes to messages, one at a time: what the bytes mean may depend on the session's phase."""

    @property
    def limit(self) -> int:
        """The most unread bytes an incomplete message may hold; `parse` refuses anything longer itself."""
        ...

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[MessageT, int] | None:
        """The message that begins at `start` and where the next one begins; None when it is not complete yet.

        Raises ProtocolError whose `resume` is where to read on, always past `start`.
        """
        ...


class Door(msgspec.Struct, frozen=True):
    """A listening port's policy: what a session needs to know about the house it stands in."""

    name: str
    keys: Mapping[str, str]
    """Every door key of the wire, with its default where the host gave none."""
    waiting: Callable[[Seek], str | None] = lambda _: None
    """The name of the player who would sit opposite someone seeking this now, if one waits."""
    games: dict[str, Table] = {}
    """Games begun through this door, by the id of their table; kept by wires that limit them."""


class Visit(msgspec.Struct, frozen=True):
    """Where a client goes and as whom: the parts of a `parlour play` URL."""

    host: str
    port: int
    name: str
    path: str = ""
    query: Mapping[str, str] = {}
    password: str = ""
    """Of the account behind the name, for wires that have accounts; empty when the person gave none."""
    secure: bool = False
    """Whether the connection is encrypted (TLS)."""
    games: Mapping[str, Game] = {}
    """Every game there is here, for wires that play more than one."""


class DoorKey(msgspec.Struct, frozen=True):
    """One door key: its default, and a check that raises ValueError with half a sentence: "must be …"."""

    default: str
    check: Callable[[str], object]


class WireProtocol(msgspec.Struct, frozen=True):
    """Everything the rest of the program knows about one wire."""

    name: str
    title: str
    caps: Cap
    ports: tuple[tuple[int, Mapping[str, str]], ...]
    """Default ports, each with the door keys that differ from the defaults on that port."""
    keys: Mapping[str, "DoorKey"]
    """What a host may say about a door of this wire."""
    codec: Codec[Any]
    serve: Callable[[Door], Session[Any]]
    """A new server session for a connection through this door."""
    visit: Callable[[Visit], ClientSession[Any]]
    """A new client session for a server. Raises LocalError for a query it does not understand."""
    label: str = ""
    """What it is called beside a player's name, in a word or two; empty where its title is short enough."""
    row: Callable[[Table], str] = lambda _: ""
    """How it lists a table for those who are not there; empty where it does not."""
