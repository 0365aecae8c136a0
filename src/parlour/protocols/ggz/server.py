"""The two sessions of a GGZ client: the one that speaks XML, and the channel that one of its connections turns into.

Everything that needs to know about others is an extension for the zone; here is what a connection knows by itself.
"""

from parlour import __version__
from parlour.core.errors import ProtocolError, Refusal
from parlour.core.session import (
    NOTHING,
    Alarm,
    Become,
    Close,
    Do,
    Door,
    Outputs,
    no_shortcut,
)
from parlour.core.updates import Announced, Evicted, Kicked, Proclaimed, Said, Seated, Update
from parlour.core.words import Finished, Played, Reason, Record
from parlour.languages import sentence
from parlour.protocols.ggz import spell
from parlour.protocols.ggz.extensions import (
    Ask,
    LoseTable,
    NoteResult,
    OpenChannel,
    Overhear,
    Proclaim,
    SetLag,
    SlowDown,
)
from parlour.protocols.ggz.login import LogIn
from parlour.protocols.ggz.messages import BAD_XML, Element, Ended, Hearing, Message, Opened, code_of
from parlour.protocols.ggz.phases import ACTIONS, ANSWERED, IGNORED, MISPLACED, State, fate
from parlour.protocols.ggz.requests import REFUSALS
from parlour.protocols.ggz.told import Admitted, Dismissed, TurnedDown, Words
from parlour.protocols.ggz.user import Manners
from parlour.protocols.ggzdots.dialect import FOUR
from parlour.protocols.ggzdots.messages import ClientMessage
from parlour.protocols.ggzdots.server import DotsSession

__all__ = ["REFUSALS", "Channel", "GgzSession"]

PROGRAM = f"Parlour-{__version__}"

HANDSHAKE_SECONDS = 60.0
"""From the greeting to a login that is granted, or to a channel."""
CHANNEL_SECONDS = 30.0
"""How long a channel waits for the request it is for."""
FIRST_PING_SECONDS = 5.0
PING_SECONDS = 10.0
"""After the last answer."""
LAG_STEPS = (0.5, 0.5, 1.0, 3.0)
"""Without an answer the lag grows by one class after half a second, after one, after two and after five."""

HANDSHAKE, CHANNEL, PING, LAG = "handshake", "channel", "ping", "lag"


class GgzSession:
    """A connection that speaks XML: a user of the zone, or a person who is about to be one."""

    __slots__ = ("_asking", "_channel", "_door", "_inside", "_lag", "phase")

    def __init__(self, door: Door) -> None:
        self._door = door
        self.phase = Hearing.STRANGER
        self._asking = False
        """A login is being looked at."""
        self._inside = False
        self._channel = ""
        """The name of the user for whom this connection is to play, once it was said."""
        self._lag = 0
        """The class of lag that the answer to our PING would have now; 0 while none is awaited."""

    # --- the connection's life ---------------------------------------------------------------------------------------

    def opened(self) -> Outputs:
        return (spell.greeting(self._door.keys["name"], PROGRAM), Alarm(HANDSHAKE, HANDSHAKE_SECONDS))

    def full(self, why: Refusal, text: str) -> Outputs:  # noqa: ARG002 - one word for all of it
        return (spell.turned_away(self._door.keys["name"], PROGRAM),)

    def malformed(self, error: ProtocolError) -> Outputs:
        """Nothing after it can be understood; clients hang up upon ACTION='protocol' (README, Bytes)."""
        return (spell.result("protocol", code_of(error)), Close())

    def closed(self) -> Outputs:
        return NOTHING

    def throttled(self) -> Outputs:
        return (Do(SlowDown()),) if self._inside else NOTHING

    def farewell(self) -> Outputs:
        """No `</SESSION>`: ggzcore takes that only as the answer to its own, and would stay where it is, deaf.

        A connection that is closed brings it back to its login, so that is all that any end of ours says.
        """
        return NOTHING

    def timer(self, name: str) -> Outputs:
        match name:
            case "ping":
                self._lag = 1
                return (spell.PING, Alarm(LAG, LAG_STEPS[0]))
            case "lag":
                return self._wait_longer()
        return (Close(),)

    # --- what the client says ----------------------------------------------------------------------------------------

    shortcut = no_shortcut

    def receive(self, message: Message) -> Outputs:
        match message:
            case Opened():  # README, Bytes: one document per direction
                self.phase = Hearing.CLIENT
                return NOTHING
            case Ended():
                return self._ended()
        if self.phase is Hearing.STRANGER:
            return (spell.result("protocol", BAD_XML), Close())
        if self._inside:
            return self._pong() if message.tag == "PONG" else self._in_the_zone(message)
        return self._outside(message)

    def _ended(self) -> Outputs:
        """Both documents end; on a channel the game's bytes begin where they did."""
        if not self._channel:  # ggzcore has said it on logging out, and waits for ours
            return (spell.END, Close())
        return (
            spell.END,
            Alarm(HANDSHAKE, None),
            Alarm(CHANNEL, CHANNEL_SECONDS),
            Become(Channel()),
            Do(OpenChannel(self._channel)),
        )

    def _in_the_zone(self, element: Element) -> Outputs:
        return (spell.pong(element.attrs.get("ID")),) if element.tag == "PING" else (Do(Ask(element)),)

    def _outside(self, element: Element) -> Outputs:
        tag = element.tag
        code = fate(tag, State.OUTSIDE)
        if code == IGNORED:  # README, States: the row of the request says which answer it gets
            return NOTHING
        if code == MISPLACED:
            return (spell.result("protocol", code),)
        if code != ANSWERED:
            return (spell.result(ACTIONS[tag], code),)
        match tag:
            case "PING":
                return (spell.pong(element.attrs.get("ID")),)
            # README, States: outside until `</SESSION>`, and a channel of this user afterwards.
            case "CHANNEL" if not self._asking and element.get("ID"):
                self._channel = element.get("ID")
                return NOTHING
            case "LOGIN":
                return self._log_in(element)
        return (spell.result("protocol", MISPLACED),)

    def _log_in(self, element: Element) -> Outputs:
        """One login at a time."""
        if self._asking or self._channel:
            return (spell.result("login", "already logged in"),)
        self._asking = True
        name, password, email = (element.child(tag) for tag in ("NAME", "PASSWORD", "EMAIL"))
        wish = LogIn(
            Manners.of(self._door.keys),
            element.get("TYPE", "guest").lower(),
            None if name is None else name.text,
            None if password is None else password.text,
            None if email is None else email.text,
        )
        return (Do(wish),)

    # --- lag ---------------------------------------------------------------------------------------------------------

    def _wait_longer(self) -> Outputs:
        """The answer does not come, and everyone may see it."""
        self._lag += 1
        if self._lag > len(LAG_STEPS):
            return (Do(SetLag(self._lag)),)
        return (Do(SetLag(self._lag)), Alarm(LAG, LAG_STEPS[self._lag - 1]))

    def _pong(self) -> Outputs:
        if not self._lag:
            return NOTHING  # it was not asked for
        lag, self._lag = self._lag, 0
        return (Alarm(LAG, None), Do(SetLag(lag)), Alarm(PING, PING_SECONDS))

    # --- what the zone says ------------------------------------------------------------------------------------------

    def notify(self, told: Update) -> Outputs:
        match told:
            case Words(data=data):
                return (data,)
            case Admitted(data=data):
                self._asking, self._inside = False, True
                return (data, Alarm(HANDSHAKE, None), Alarm(PING, FIRST_PING_SECONDS))
            case TurnedDown(data=data):
                self._asking = False
                return (data,)
            case Proclaimed() | Announced():
                return (Do(Proclaim(sentence(told))),)
            case Kicked(reason=reason) if reason:  # the server closes when that is said
                return (Do(Proclaim(reason)),)
            case Kicked() | Evicted():  # as in `farewell`
                return (Close(),)
        return NOTHING


class Channel(DotsSession):
    """The other connection of a user, with the game on it once the zone has brought it to a table."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(FOUR)

    def receive(self, message: ClientMessage) -> Outputs:
        """Not a byte of the game is said before the user sits: the client would take it for XML."""
        return NOTHING if self.table is None else super().receive(message)

    def notify(self, told: Update) -> Outputs:
        if type(told) is Record:
            event = told.event
            said = super().notify(told)
            if type(event) is Played or type(event) is not Finished:
                return said
            return (*said, Do(NoteResult())) if self._counts(event) else said
        match told:
            case Seated():
                return (Alarm(CHANNEL, None), *super().notify(told))
            case Said() | Announced(word="seat-code"):
                return (Do(Overhear(told)),)
            case Kicked():  # README, Gaps: LEAVE with the reason `boot`, by no one
                return (Do(LoseTable("boot")), Close())
            case Evicted():
                return (Do(LoseTable("gameerror")), Close())
            case Dismissed():
                return (Close(),)
        return super().notify(told)

    def _counts(self, end: Finished) -> bool:
        """Whether a game that ended so was one of this player's."""
        return end.reason is not Reason.ABANDONED and self.member is not None and self.member.seat is not None

    def timer(self, name: str) -> Outputs:  # noqa: ARG002 - there is one
        """No table was asked for in time."""
        return (Close(),)
