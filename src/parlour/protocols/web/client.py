"""Our side of a game on somebody else's server: a browser without a screen."""

from typing import Any

from parlour.core.errors import LocalError, ProtocolError
from parlour.core.session import (
    NOTHING,
    Again,
    Alarm,
    Close,
    Outputs,
    Over,
    Report,
    Visit,
    YourTurn,
)
from parlour.core.session import Board as Picture
from parlour.core.vocab import Command
from parlour.core.vocab import Leave as GoAway
from parlour.core.vocab import Play as Move
from parlour.core.vocab import Resign as GiveUp
from parlour.core.vocab import Say as Speak
from parlour.core.vocab import Vote as Choose
from parlour.protocols.web import codec
from parlour.protocols.web.answers import (
    Gone,
    Note,
    RecordMessage,
    RefusedMessage,
    Spoken,
    TableSnapshot,
    Waiting,
    Welcome,
    You,
)
from parlour.protocols.web.codec import Answered
from parlour.protocols.web.frames import (
    BINARY,
    CLOSE,
    CONTINUED,
    LONGEST_FRAME,
    PING,
    PONG,
    TEXT,
    Frame,
    Masks,
    accept_for,
    upgrade,
)
from parlour.protocols.web.messages import FromClient, Hello, Leave, Open, Play, Rematch, Resign, Say, Show, Sit
from parlour.protocols.web.phases import Listening
from parlour.protocols.web.sight import Sight

PATIENCE = 20.0
"""How long a server may take to let us in."""
RESHUFFLES = frozenset({"joined", "left", "resigned", "flagged"})
"""Events after which only the server knows whose turn it is."""


class WebClient:
    """One visit: to the table in the URL, or to a new one."""

    def __init__(self, visit: Visit) -> None:
        self.phase = Listening.CALLING
        self._wish = _wish(visit)
        self._name = visit.name
        self._host = f"[{visit.host}]:{visit.port}" if ":" in visit.host else f"{visit.host}:{visit.port}"
        self._masks = Masks(f"{self._host} {self._name} {self._wish}")
        self._key = self._masks.key()
        self._parts: list[bytes] | None = None
        """Of a message that comes in several frames."""
        self._table = ""
        self._seat: int | None = None
        self._sight: Sight | None = None
        self._mine = False
        """A game of ours is running."""
        self._seq = 0
        """The number of the last record."""
        self._pending: str | None = None
        """The id of our move, until something comes of it."""
        self._room = False
        self._again = False

    # --- from the server ----------------------------------------------------------------------------------------------

    def opened(self) -> Outputs:
        return upgrade(self._host, self._key), Alarm("patience", PATIENCE)

    def receive(self, message: Answered | Frame) -> Outputs:
        if isinstance(message, Answered):
            return self._answered(message)
        match message.opcode:
            case opcode if opcode in (TEXT, BINARY, CONTINUED):
                return self._gather(message)
            case opcode if opcode == PING:
                return (self._masks.masked(message.payload, PONG),)
            case opcode if opcode == CLOSE:
                return self._end("The server has closed the connection.")
        return NOTHING

    def _answered(self, answer: Answered) -> Outputs:
        accept = answer.headers.get("sec-websocket-accept")
        if answer.status != 101 or accept != accept_for(self._key):
            return self._end(f"The server would not talk to us (HTTP {answer.status}).")
        self.phase = Listening.TALKING
        return (self._say(Hello(self._name)),)

    def _gather(self, frame: Frame) -> Outputs:
        """Whole messages only; a long one may come in parts."""
        parts = [] if frame.opcode != CONTINUED else self._parts
        if parts is None:
            return self._end("The server sent the end of a message that had no beginning.")
        parts.append(frame.payload)
        if sum(map(len, parts)) > LONGEST_FRAME:
            return self._end("The server sent a message that is too long.")
        self._parts = None if frame.final else parts
        if not frame.final:
            return NOTHING
        try:
            return self._hear(codec.heard(b"".join(parts)))
        except ProtocolError as error:
            return self.malformed(error)

    def _say(self, message: FromClient) -> bytes:
        return self._masks.masked(codec.say(message))

    def malformed(self, error: ProtocolError) -> Outputs:
        if self.phase is Listening.CALLING:
            return self._end(f"This is no server of ours: {error}.")
        return (Report(f"The server sent nonsense: {error}."),)

    def timer(self, name: str) -> Outputs:  # noqa: ARG002 - there is only one
        return self._end("The server does not answer.")

    def closed(self) -> Outputs:
        return self._end("The server has closed the connection.")

    def _end(self, why: str) -> Outputs:
        if self.phase is Listening.OVER:
            return NOTHING
        lost = self._mine or self._sight is None
        self.phase, self._mine = Listening.OVER, False
        return Alarm("patience", None), Report(why), *((Over("aborted"),) if lost else ()), Close()

    def _hear(self, message: codec.Heard) -> Outputs:
        match message:
            case Welcome():
                return (self._say(self._wish),)
            case Waiting():
                return Alarm("patience", None), Report("Waiting for somebody to play with.")
            case TableSnapshot():
                return self._look(message)
            case You(seat=seat):
                self._seat = seat
                return NOTHING
            case RecordMessage(seq=seq, event=event, id=mark):
                self._seq = max(self._seq, seq)
                return self._happened(event, mark)
            case Spoken(name=name, text=text):
                return (Report(f"{name}: {text}"),)
            case Note(text=text):
                return (Report(f"Server: {text}"),)
            case RefusedMessage(text=text, id=mark):
                return self._refused(text, mark)
            case Gone(text=text):
                return self._end(text or "The table is closed.")
        return NOTHING

    # --- the table ----------------------------------------------------------------------------------------------------

    def _look(self, table: TableSnapshot) -> Outputs:
        first, self._seq = not self._table, table.seq
        self._table, self._seat, self._room = table.table, table.you, table.room is not None
        try:
            self._sight = Sight.of(table)
        except LocalError as error:
            return self._end(f"{error}.")
        running = table.state.status == "playing"
        self._mine = running and self._seat is not None
        news: Outputs = (Report(f"This is table {self._table}."),) if first else ()
        if not running:
            return Alarm("patience", None), *news, *((Report("Waiting for a game to begin."),) if first else ())
        return Alarm("patience", None), *news, *self._show()

    def _happened(self, event: dict[str, Any], mark: str) -> Outputs:
        sight = self._sight
        if sight is None:
            return NOTHING
        if mark and mark == self._pending:
            self._pending = None
        kind = str(event.get("type"))
        try:
            sight.follow(event)
        except (KeyError, TypeError, ValueError, LocalError):
            return (self._say(Show(self._table)),)
        if kind == "started":
            self._mine = self._seat is not None
            self._pending, self._again = None, False
            return Report("A game begins." if self._mine else "A game begins; you watch it."), *self._show()
        if kind == "played":
            return self._show()
        if kind == "finished":
            return self._finished(event)
        if kind == "proposed" and event.get("what") == "rematch":
            return self._ask_again()
        if kind in RESHUFFLES and sight.running:
            return (self._say(Show(self._table)),)
        return NOTHING

    def _show(self) -> Outputs:
        sight = self._sight
        if sight is None:
            return NOTHING
        board = Picture(sight.text())
        if self._seat is None or not sight.running or sight.turn != self._seat or self._pending is not None:
            return (board,)
        return board, YourTurn(sight.moves())

    def _finished(self, event: dict[str, Any]) -> Outputs:
        was_mine, self._mine = self._mine, False
        if not was_mine:
            return (Report("The game is over."),)
        winners = event.get("winners") or ()
        if event.get("reason") == "abandoned":
            result = "aborted"
        else:
            result = "draw" if not winners else "won" if self._seat in winners else "lost"
        return Over(result), *(self._ask_again() if self._room else NOTHING)

    def _ask_again(self) -> Outputs:
        if self._seat is None or self._again:
            return NOTHING
        self._again = True
        return (Again(),)

    def _refused(self, text: str, mark: str) -> Outputs:
        if self._sight is None:
            return self._end(text)
        if mark and mark == self._pending:
            self._pending = None
            return Report(text), *self._show()[1:]
        return (Report(text),)

    # --- from the person ----------------------------------------------------------------------------------------------

    def act(self, command: Command) -> Outputs:
        match command:
            case Move(move=move):
                return self._play(move)
            case Speak(text=text) if self._table:
                return (self._say(Say(self._table, text[:1000])),)
            case GiveUp() if self._mine:
                return (self._say(Resign(self._table)),)
            case Choose(yes=yes) if self._again:
                return self._vote(yes)
            case GoAway():
                return self._leave()
        return (Report("That makes no sense just now."),)

    def _play(self, move: str) -> Outputs:
        sight = self._sight
        if sight is None or not sight.running or sight.turn != self._seat or self._pending is not None:
            return (Report("It is not your turn."),)
        self._pending = f"after {self._seq}"  # no move before this one can have had the same
        return (self._say(Play(self._table, move, self._pending)),)

    def _vote(self, yes: bool) -> Outputs:
        self._again = False
        if not yes and self._room:
            return self._leave()
        return (self._say(Rematch(self._table, yes)),)

    def _leave(self) -> Outputs:
        if self.phase is not Listening.TALKING:
            return self._end("You have left before the game.")
        aborted = self._mine or self._sight is None
        self.phase, self._mine = Listening.OVER, False
        goodbye = self._say(Leave(self._table)), self._masks.masked(b"\x03\xe8", CLOSE)
        return *goodbye, *((Over("aborted"),) if aborted else ()), Close()


def _wish(visit: Visit) -> FromClient:
    """`/table/ID`, or `/?game=KEY` with what else `open` takes."""
    query = dict(visit.query)
    parts = visit.path.strip("/").split("/")
    if parts[0] == "table" and len(parts) == 2 and not query:
        return Sit(parts[1])
    if parts == [""] and "game" in query:
        game, opponent = query.pop("game"), query.pop("opponent", "engine")
        level = query.pop("level", "medium")
        return Open(game, {key: _option(value) for key, value in query.items()}, opponent, level)
    raise LocalError("an http:// address is /table/ID, or /?game=KEY for a new table")


def _option(value: str) -> int | str:
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 6 else value
