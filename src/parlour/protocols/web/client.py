"""Our side of a game on another server: a browser without a screen."""

from collections.abc import Collection
from typing import Any
from urllib.parse import quote

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus
from websockets.frames import CloseCode
from websockets.headers import build_host
from websockets.protocol import State
from websockets.typing import Origin
from websockets.uri import WebSocketURI

from parlour.core.errors import LocalError, ProtocolError
from parlour.core.game import NOBODY
from parlour.core.session import (
    NOTHING,
    Again,
    Alarm,
    Close,
    Guide,
    Outputs,
    Over,
    Reconnect,
    Report,
    Sheet,
    Visit,
    YourTurn,
)
from parlour.core.session import Board as Picture
from parlour.core.table.ballot import DRAW, OFFERS, REMATCH
from parlour.core.words import Command
from parlour.core.words import Leave as GoAway
from parlour.core.words import Play as Move
from parlour.core.words import Resign as GiveUp
from parlour.core.words import Say as Speak
from parlour.core.words import Vote as Choose
from parlour.languages import reason, visiting
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
from parlour.protocols.web.frames import Frames
from parlour.protocols.web.messages import (
    FromClient,
    Hello,
    Leave,
    Offer,
    Open,
    Play,
    Rematch,
    Resign,
    Resume,
    Say,
    Show,
    Sit,
)
from parlour.protocols.web.phases import Listening
from parlour.protocols.web.sight import Sight

LONGEST_MESSAGE = 4 << 20
"""What we take from a server: a snapshot of the longest game is far shorter."""
PATIENCE = 20.0
"""How long a server may take to let us in."""
TRIES = 20
"""How often a lost connection is tried again, once a second: a server that starts anew needs a few."""
MOST_LOSSES = 5
RETURN = "return"
"""The id of our wish to come back."""
RESHUFFLES = frozenset({"joined", "left", "resigned", "flagged"})
"""Events after which only the server knows whose turn it is."""
FAREWELLS = {"left": "has left", "resigned": "has resigned", "flagged": "has run out of time"}
"""What is told of another player."""


class WebClient:
    """One visit: to the table in the URL, or to a new one."""

    def __init__(self, visit: Visit) -> None:
        root, self._wish = _wish(visit)
        self._name = visit.name
        self._games = visit.games
        self._address = WebSocketURI(visit.secure, visit.host, visit.port, f"{root}/ws", "")
        self._call()
        self._table = ""
        self._seat: int | None = None
        self._names: dict[int, str] = {}
        """Who sits in which seat."""
        self._sight: Sight | None = None
        self._mine = False
        """A game of ours is running."""
        self._seq = 0
        """The number of the last record."""
        self._pending: str | None = None
        """The id of our move, until something comes of it."""
        self._room = False
        self._again = False
        self._passport = ""
        """Of the last welcome: it brings our name back."""
        self._token = ""
        """Opens our seat again."""
        self._connected = self._returning = False
        self._losses = 0
        """Connections lost in a row, without a word from the table in between."""
        self._move = ""
        """What was last played, until something comes of it."""
        self._made = 0
        """Moves of the running or last game."""
        self._wanted = -1
        """After how many moves the person was last asked for one."""

    @property
    def guide(self) -> Guide:
        wished = self._wish.game if isinstance(self._wish, Open) else ""
        game = wished if self._sight is None else self._sight.game.key
        return Guide(game, chat=True, resign=True, rematch=True)

    @property
    def sheet(self) -> Sheet | None:
        """The game that is followed, with our seat and the names in it."""
        sheet = None if self._sight is None else self._sight.sheet
        if sheet is not None and self._seat is not None:
            sheet.seat = self._seat
            sheet.names = tuple(self._names.get(seat, "") for seat in range(len(sheet.names)))
        return sheet

    # --- from the server ----------------------------------------------------------------------------------------------

    def _call(self) -> None:
        """Begin a handshake. A server may want to know the page that asks: it is one of its own."""
        self.phase = Listening.CALLING
        secure, host, port = self._address.secure, self._address.host, self._address.port
        origin = Origin(f"{'https' if secure else 'http'}://{build_host(host, port, secure)}")
        self._protocol = ClientProtocol(self._address, origin=origin, max_size=LONGEST_MESSAGE)
        self._frames = Frames(self._protocol)

    def opened(self) -> Outputs:
        self._connected = True
        self._protocol.send_request(self._protocol.connect())
        return self._frames.take(), Alarm("patience", PATIENCE)

    def receive(self, data: bytes) -> Outputs:
        """Bytes of the answer to our handshake, then of frames."""
        frames = self._frames
        texts, _ = frames.feed(data)
        out = list(self._answered()) if self.phase is Listening.CALLING else []
        for text in texts:
            if self.phase is Listening.TALKING:
                out += self._hear(text)
        if self.phase is not Listening.TALKING:
            return out
        if answers := frames.take():  # to pings, or to the server's close
            out.append(answers)
        if frames.failed:
            out += self._end("The server sent what is no WebSocket message.")
        elif frames.closed_by_peer:
            out += self.closed()
        return out

    def _answered(self) -> Outputs:
        error = self._protocol.handshake_exc
        if isinstance(error, InvalidStatus):
            return self._end(f"The server would not talk to us (HTTP {error.response.status_code}).")
        if error is not None:
            return self._end(f"This is no server of ours: {error}.")
        if self._protocol.state is State.CONNECTING:
            return NOTHING
        self.phase = Listening.TALKING
        return (self._say(Hello(self._name, self._passport)),)

    def _say(self, message: FromClient) -> bytes:
        if self._protocol.state is State.OPEN:  # otherwise the server has closed behind what we answer
            self._protocol.send_text(codec.say(message))
        return self._frames.take()

    def malformed(self, error: ProtocolError) -> Outputs:
        return (Report(f"The server sent nonsense: {error}."),)

    def timer(self, name: str) -> Outputs:  # noqa: ARG002 - there is only one
        return self._end("The server does not answer.")

    def closed(self) -> Outputs:
        """Come back if there is a seat to come back to; the server keeps it for a while."""
        if self.phase is Listening.CALLING and self._connected:
            self._protocol.receive_eof()
            if isinstance(self._protocol.handshake_exc, InvalidStatus):  # its text ended with the connection
                return self._answered()
        missed = self._returning and not self._connected
        if not self._mine or not self._token or missed or self._losses >= MOST_LOSSES:
            return self._end(visiting.GONE.text)
        self._losses += 1
        self._connected, self._returning = False, True
        self._call()
        return Alarm("patience", None), Report("The connection is lost; trying to come back."), Reconnect(self, TRIES)

    def _end(self, why: str) -> Outputs:
        if self.phase is Listening.OVER:
            return NOTHING
        lost = self._mine or self._sight is None
        self.phase, self._mine, self._token = Listening.OVER, False, ""
        return Alarm("patience", None), Report(why), *((Over("aborted"),) if lost else ()), Close()

    def _hear(self, said: bytes) -> Outputs:
        try:
            message = codec.heard(said)
        except ProtocolError as error:
            return self.malformed(error)
        match message:
            case Welcome(token=passport):
                self._passport = passport
                return self._return() if self._returning else (self._say(self._wish),)
            case Waiting():
                return Alarm("patience", None), visiting.WAITS_FOR_PLAYER
            case TableSnapshot():
                return self._look(message)
            case You(seat=seat):
                self._seat = seat
                return NOTHING
            case RecordMessage(seq=seq, event=event, id=request_id):
                mine = bool(request_id) and request_id == self._pending
                self._pending = None if mine else self._pending
                if seq <= self._seq:  # the answer to what was said twice: we know that it happened
                    return self._show()[1:] if mine and self._wanted != self._made else NOTHING
                self._seq = seq
                return *self._are_back(), *self._happened(event)
            case Spoken(name=name, text=text):
                return (Report(f"{name}: {text}", talk=True),)
            case Note(text=text):
                return (Report(f"Server: {text}"),)
            case RefusedMessage(text=text, id=request_id):
                return self._refused(text, request_id)
            case Gone(text=text):
                return self._end(text or "The table is closed.")
        return NOTHING

    # --- coming back --------------------------------------------------------------------------------------------------

    def _return(self) -> Outputs:
        """Into our seat; a move of which we do not know what became is said again, and not played twice."""
        back = self._say(Resume(self._table, self._token, self._seq, RETURN))
        if self._pending is None:
            return (back,)
        return back, self._say(Play(self._table, self._move, self._pending))

    def _are_back(self) -> Outputs:
        """The table speaks to us."""
        self._losses = 0
        if not self._returning:
            return NOTHING
        self._returning = False
        return Alarm("patience", None), Report("You are back in your seat.")

    # --- the table ----------------------------------------------------------------------------------------------------

    def _look(self, table: TableSnapshot) -> Outputs:
        first, self._seq, back = not self._table, table.seq, self._returning
        self._table, self._seat, self._room = table.table, table.you, table.room is not None
        self._names = {number: seat.name for number, seat in enumerate(table.seats) if seat is not None}
        try:
            self._sight = Sight.of(table, self._games)
        except LocalError as error:
            return self._end(f"{error}.")
        running = table.state.status == "playing"
        self._made = len(table.state.moves)
        if isinstance(table.token, str):
            self._token = table.token
        self._mine = running and self._seat is not None
        news: Outputs = (Report(f"This is table {self._table}: {self._sight.game.name}."),) if first else ()
        if not running:
            waits = visiting.WAITS_FOR_PLAYER if None in table.seats else visiting.WAITS_FOR_START
            return Alarm("patience", None), *news, *((waits,) if first else ())
        asked = back and self._wanted == self._made
        return Alarm("patience", None), *news, *self._are_back(), *(self._show()[:1] if asked else self._show())

    def _happened(self, event: dict[str, Any]) -> Outputs:
        sight = self._sight
        if sight is None:
            return NOTHING
        kind = str(event.get("type"))
        try:
            sight.follow(event)
        except (KeyError, TypeError, ValueError, LocalError):
            return (self._say(Show(self._table)),)
        if kind == "joined":
            self._names[int(event["seat"])] = str(event["name"])
        if kind == "arranged":
            self._names = {number: str(seat["name"]) for number, seat in enumerate(event["seats"]) if seat}
        if kind == "renamed" and event.get("seat", NOBODY) in self._names:
            self._names[int(event["seat"])] = str(event["name"])
        if kind == "started":
            self._mine = self._seat is not None
            self._pending, self._again = None, False
            self._made, self._wanted = 0, -1
            self._names |= {int(player["seat"]): str(player["name"]) for player in event.get("players") or ()}
            return *self._begins(sight), *self._show()
        if kind == "played":
            self._made += 1
            seat = int(event["seat"])
            told = () if seat == self._seat else (visiting.plays(self._called(seat), str(event["move"])),)
            return *told, *self._show()
        if kind == "finished":
            return self._finished(event)
        if kind == "takenback":
            self._made -= int(event["moves"])
            self._pending, self._wanted = None, -1
            return Report("A move was taken back."), *self._show()
        if kind == "proposed":
            return self._asked(str(event.get("what")), event.get("voters") or ())
        changed = kind in RESHUFFLES and sight.running
        return *self._farewell(kind, event), *((self._say(Show(self._table)),) if changed else ())

    def _farewell(self, kind: str, event: dict[str, Any]) -> Outputs:
        """What another player does instead of a move."""
        if kind not in FAREWELLS or event.get("seat") in (None, self._seat):
            return NOTHING
        return (Report(f"{self._called(int(event['seat']))} {FAREWELLS[kind]}."),)

    def _called(self, seat: int) -> str:
        return self._names.get(seat, visiting.THE_OTHER)

    def _begins(self, sight: Sight) -> Outputs:
        if self._seat is None:
            return (Report("A game begins; you watch it."),)
        others = [name for seat, name in sorted(self._names.items()) if seat != self._seat]
        against = f" against {', '.join(others)}" if others else ""
        mark = sight.game.marks[self._seat : self._seat + 1]
        return (Report(f"A game begins{against}.{f' On the board you are {mark}.' if mark else ''}"),)

    def _show(self) -> Outputs:
        sight = self._sight
        if sight is None:
            return NOTHING
        board = Picture(sight.text())
        if self._seat is None or not sight.running or sight.turn == NOBODY or self._pending is not None:
            return (board,)
        if sight.turn != self._seat:
            return board, visiting.waits_for_move(self._called(sight.turn))
        self._wanted = self._made
        return board, YourTurn(sight.moves())

    def _finished(self, event: dict[str, Any]) -> Outputs:
        was_mine, self._mine = self._mine, False
        if not was_mine:
            return (Report("The game is over."),)
        winners = event.get("winners") or ()
        if event.get("reason") == "abandoned" and not winners:
            result = "aborted"
        else:
            result = "draw" if not winners else "won" if self._seat in winners else "lost"
        return Over(result), *(self._ask_again() if self._room else NOTHING)

    def _asked(self, what: str, voters: Collection[int]) -> Outputs:
        """Offers are declined: there is no way here to ask a person about them, and the other one shall not wait.

        What else is put to a vote is for the members of a room, and needs no answer.
        """
        if what == REMATCH:
            return self._ask_again()
        if what not in OFFERS or self._seat not in voters:
            return NOTHING
        said = self._say(Offer(self._table, what, yes=False))
        asks = "offers a draw" if what == DRAW else "asks to take a move back"
        return said, Report(f"The other player {asks}; this program answers no for you.")

    def _ask_again(self) -> Outputs:
        if self._seat is None or self._again:
            return NOTHING
        self._again = True
        return (Again(),)

    def _refused(self, text: str, request_id: str) -> Outputs:
        if self._sight is None or request_id == RETURN:
            self._token = ""  # there is no seat to come back to
            return self._end(text)
        if request_id and request_id == self._pending:
            self._pending = None
            return Report(text), *self._show()[1:]
        return (Report(text),)

    # --- from the person ----------------------------------------------------------------------------------------------

    def act(self, command: Command) -> Outputs:
        match command:
            case Move(move=move):
                return self._play(move)
            case _ if self._returning and not isinstance(command, GoAway):
                return (Report("The connection is lost. Please wait until it is back."),)
            case Speak(text=text) if self._table:
                return (self._say(Say(self._table, text[:1000])),)
            case GiveUp() if self._mine:
                return (self._say(Resign(self._table)),)
            case Choose(yes=yes) if self._again:
                return self._vote(yes)
            case GoAway():
                return self._leave()
            case GiveUp():
                return (visiting.NO_GAME,)
            case Choose():
                return (visiting.NO_QUESTION,)
        return (Report("You are at no table yet."),)

    def _play(self, move: str) -> Outputs:
        sight = self._sight
        if sight is None or not sight.running or sight.turn != self._seat or self._pending is not None:
            return (visiting.NOT_YOUR_TURN,)
        why = sight.check(move)
        if why is not None:
            return Report(reason(sight.game, why)), YourTurn(sight.moves())
        self._pending = f"after {self._seq}"  # no move before this one can have had the same
        self._move = move
        if self.phase is not Listening.TALKING or self._returning:
            return NOTHING  # said as soon as we are back
        return (self._say(Play(self._table, move, self._pending)),)

    def _vote(self, yes: bool) -> Outputs:
        self._again = False
        if not yes and self._room:
            return self._leave()
        others = [name for seat, name in self._names.items() if seat != self._seat]
        waits = (visiting.waits_for_answer(others[0] if len(others) == 1 else "the others"),) if yes else ()
        return self._say(Rematch(self._table, yes)), *waits

    def _leave(self) -> Outputs:
        if self.phase is not Listening.TALKING:
            return self._end("You have left before the game.")
        aborted = self._mine or self._sight is None
        self.phase, self._mine = Listening.OVER, False
        goodbye = self._say(Leave(self._table)), self._frames.close(CloseCode.NORMAL_CLOSURE)
        return *goodbye, *((Over("aborted"),) if aborted else ()), Close()


def _wish(visit: Visit) -> tuple[str, FromClient]:
    """What `/table/ID`, or `/?game=KEY` with what else `open` takes, asks for; and the path that stands before it."""
    query = dict(visit.query)
    parts = [f"/{part}" for part in visit.path.strip("/").split("/") if part]
    if parts[-2:-1] == ["/table"] and not query:
        return quote("".join(parts[:-2])), Sit(parts[-1].removeprefix("/"))
    if "/table" not in parts and "game" in query:
        game, opponent = query.pop("game"), query.pop("opponent", "engine")
        level = query.pop("level", "medium")
        options = {key: _option(value) for key, value in query.items()}
        return quote("".join(parts)), Open(game, options, opponent, level)
    raise LocalError("an http address must end in /table/ID, or in /?game=KEY for a new table")


def _option(value: str) -> int | str:
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 6 else value
