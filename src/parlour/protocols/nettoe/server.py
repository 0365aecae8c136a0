"""Our server's side: every client takes it for the host, whether an engine or a person sits opposite.

The table calls its seats X and O. A netToe client always sees itself as O and the other as X, so a client in seat 0
is shown the board with the marks swapped.
"""

from collections.abc import Mapping
from functools import lru_cache

from parlour.core.errors import ProtocolError, Refusal
from parlour.core.session import NOTHING, Alarm, Close, Do, Door, Introduce, Outputs, no_shortcut
from parlour.core.table.ballot import REMATCH
from parlour.core.table.table import Table
from parlour.core.updates import Declined, Evicted, Seated, Update
from parlour.core.words import (
    AnyEvent,
    Closed,
    Finished,
    First,
    Left,
    Play,
    Played,
    Policy,
    Proposed,
    Reason,
    Record,
    Seek,
    Started,
    Vote,
)
from parlour.games.noughts.rules import NoughtsPosition
from parlour.protocols.nettoe.codec import CLIENT_BEGINS, HOST_BEGINS, NO, YES, host_frame, name_field
from parlour.protocols.nettoe.messages import Answer, Frame, Message, Name
from parlour.protocols.nettoe.phases import Phase
from parlour.protocols.nettoe.squares import NOUGHT, POSITIONS, move_between, squares

GREETING_SECONDS = 0.5
"""How long we wait for a client that speaks first, so that it can be told its opponent's real name."""
HANDSHAKE_SECONDS = 20.0
CLIENT_SEAT = 1
"""Against an engine a client sits where it believes to sit: in O's seat."""

# Members of an enum are slow to look up, and these are looked up with every move.
_CLIENT_TURN, _HOST_TURN = Phase.CLIENT_TURN, Phase.HOST_TURN

END: Outputs = (Close(),)

REFUSALS: Mapping[Refusal, Outputs] = {why: NOTHING if why is Refusal.TOO_FAST else END for why in Refusal}
"""The wire has no word for no. Closing is all there is, except towards a client that is merely too fast."""


@lru_cache(4 * POSITIONS)
def _play(crosses: int, noughts: int, after: bytes) -> Outputs | None:
    """The client's move on this board; None when what it sent is not one."""
    move = move_between(squares(crosses, noughts), after, NOUGHT)
    return None if move is None else (Do(Play(move)),)


@lru_cache(POSITIONS)
def _show(crosses: int, noughts: int) -> Outputs:
    return (host_frame(squares(crosses, noughts)),)


class Host:
    """One netToe client at our server."""

    __slots__ = ("_client", "_door", "_greeted", "_position", "_seat", "_table", "phase")

    def __init__(self, door: Door) -> None:
        self.phase = Phase.NAME
        self._door = door
        self._client: Name | None = None
        """Who it is, until the starter's name has been said; that happens once per connection."""
        self._greeted = False
        """Whether the client has been told a host's name."""
        self._table: Table | None = None
        self._seat = CLIENT_SEAT
        self._position: NoughtsPosition | None = None

    # --- the handshake -----------------------------------------------------------------------------------------------

    def opened(self) -> Outputs:
        """Greet, for the original client reads before it writes; with a person opposite, wait for their name first."""
        if self._door.keys["opponent"] == "engine" or self._door.waiting(self._wish()) is not None:
            return self._greet()
        return (Alarm("greeting", GREETING_SECONDS),)

    def _greet(self) -> Outputs:
        self._greeted = True
        name = self._door.keys["name"]
        if self._door.keys["opponent"] == "human":
            name = self._door.waiting(self._wish()) or name
        return (name_field(name), Alarm("handshake", HANDSHAKE_SECONDS))

    def _wish(self) -> Seek:
        keys = self._door.keys
        engine = keys["opponent"] == "engine"
        return Seek(
            "noughts",
            {},
            opponent=keys["opponent"],
            level=keys["level"],
            wait=float(keys["wait"]),
            seat=CLIENT_SEAT if engine else None,
            policy=Policy(first=First.TOSS),
        )

    def timer(self, name: str) -> Outputs:
        """The client did not speak first, or does not speak at all."""
        return self._greet() if name == "greeting" else self._end()

    def _welcome(self, name: Name) -> Outputs:
        self._client = name
        self.phase = Phase.QUEUED
        over = Alarm("handshake" if self._greeted else "greeting", None)
        return (over, Introduce(name.text), Do(self._wish()))

    # --- from the client ---------------------------------------------------------------------------------------------

    shortcut = no_shortcut

    def receive(self, message: Message) -> Outputs:
        """A board, most of the time; only a legal move made in turn is taken."""
        if type(message) is Frame:
            if self.phase is _CLIENT_TURN:
                assert self._position is not None
                marks = self._position.marks
                play = _play(marks[1 - self._seat], marks[self._seat], message.squares)
                if play is not None:
                    return play
            return self._end()
        if type(message) is Answer:
            self.phase = Phase.ANSWERED
            return (Do(Vote(message.yes)),)
        assert type(message) is Name
        return self._welcome(message)

    def malformed(self, error: ProtocolError) -> Outputs:  # noqa: ARG002 - there is no word to pass it on
        """Too much junk."""
        return self._end()

    # --- from the table ----------------------------------------------------------------------------------------------

    def notify(self, told: Update) -> Outputs:
        """Moves first: they are what this is about."""
        if type(told) is not Record:
            return self._hear(told)
        event = told.event
        if type(event) is not Played:
            return self._follow(event)
        seat = self._seat
        if event.seat == seat:
            self.phase = _HOST_TURN
            return NOTHING
        self.phase = _CLIENT_TURN
        assert self._position is not None
        marks = self._position.marks
        return _show(marks[1 - seat], marks[seat])

    def _follow(self, event: AnyEvent) -> Outputs:
        match event:
            case Started(first=first):
                return self._begin(first == self._seat)
            case Finished(reason=Reason.PLAYED_OUT):
                self.phase = Phase.VERDICT
                return NOTHING
            case Proposed(what=what) if what == REMATCH:
                # "The player using the server gets to decide": the player opposite will be asked too, so we say yes.
                self.phase = Phase.ASKED
                return (YES,)
            case Finished() | Left() | Closed():
                return self._end()
            case _:
                return NOTHING

    def _begin(self, client_begins: bool) -> Outputs:
        """Say who begins: by name in the first game of a connection, then by number."""
        assert self._table is not None
        assert isinstance(self._table.position, NoughtsPosition)
        self._position = self._table.position
        self.phase = Phase.CLIENT_TURN if client_begins else Phase.HOST_TURN
        number = CLIENT_BEGINS if client_begins else HOST_BEGINS
        if self._client is None:
            return (number,)
        other = self._table.seats[1 - self._seat]
        assert other is not None
        host = name_field(other.name if other.is_person else self._door.keys["name"])
        starter = self._client.terminated if client_begins else host
        self._client = None
        return ((b"" if self._greeted else host) + starter + number,)

    def _hear(self, told: Update) -> Outputs:
        match told:
            case Seated(table=table, seat=seat):
                assert seat is not None
                self._table, self._seat = table, seat
                return NOTHING
            case Declined(why=why) | Evicted(why=why):
                return self._end() if REFUSALS[why] else NOTHING
            case _:
                return NOTHING

    # --- the end -----------------------------------------------------------------------------------------------------

    def _end(self) -> Outputs:
        """Close; after a game, say no to another one first."""
        last_words = self.farewell()
        self.phase = Phase.ENDED
        return (*last_words, *END)

    def closed(self) -> Outputs:
        """The client has gone: that is all there is to know."""
        return NOTHING

    def throttled(self) -> Outputs:
        """Nothing to say, and the client will not miss it."""
        return REFUSALS[Refusal.TOO_FAST]

    def full(self, why: Refusal, text: str) -> Outputs:  # noqa: ARG002 - there is no word for it
        """There is no word for it: the client finds the connection closed."""
        return NOTHING

    def farewell(self) -> Outputs:
        """A no to another game where the client waits for just that; nothing elsewhere."""
        return (NO,) if self.phase is Phase.VERDICT else NOTHING
