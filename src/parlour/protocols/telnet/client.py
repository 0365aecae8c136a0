"""Our side of a conversation with a telnet door: a follower of lines that begin with `* ` and `? `."""

import msgspec

from parlour.core.errors import LocalError, ProtocolError, Refusal
from parlour.core.session import (
    NOTHING,
    Again,
    Alarm,
    Board,
    Close,
    Guide,
    Outputs,
    Over,
    Report,
    Sheet,
    Visit,
    YourTurn,
)
from parlour.core.words import Command, Leave, Play, Resign, Say, Vote
from parlour.languages import sentence
from parlour.protocols.telnet import sentences
from parlour.protocols.telnet.follower import SAYS, Follower
from parlour.protocols.telnet.messages import Complaint, Control, Drawn, FromServer, Happened, Plain, Prompt
from parlour.protocols.telnet.phases import Listening
from parlour.protocols.telnet.server import MOVES

RESULTS = {sentences.WON: "won", sentences.LOST: "lost", sentences.DREW: "draw", sentences.BROKEN_OFF: "aborted"}
_HARMLESS = (sentence(Refusal.BAD_NAME), sentence(Refusal.TOO_FAST))
"""We go without a name then; and what was too fast is carried out a little later."""
QUESTION_SECONDS = 3.0
"""How long the question for another game may take: where it does not come, there is none."""


def _line(text: str) -> bytes:
    return f"{text}\n".encode("utf-8", "replace")


class TelnetClient:
    """One visit: a name, a table, games as long as both want."""

    def __init__(self, visit: Visit) -> None:
        query = dict(visit.query)
        table, game, against = (query.pop(key, "") for key in ("table", "game", "against"))
        options = "".join(f" {key}={value}" for key, value in query.items())
        if table and (game or against or options):
            raise LocalError("a telnet address names a table, or a game to begin, not both")
        if not game and options:
            raise LocalError("a telnet address with options needs a game as well")
        self.phase = Listening.GREETING
        self.guide = Guide(game, chat=True, resign=True, rematch=True)
        self._name = visit.name
        self._behind = f"{options}{f' against {against}' if against else ''}"
        """What stands behind the game in the line that begins one."""
        self._first = f"sit {table}" if table else f"new {game}{self._behind}" if game else ""
        """How we come to a table; empty until the house has told its first game."""
        self._moves: list[str] = []
        """Those that we can make, as far as they are told."""
        self._asks = False
        """It is our turn, and our person has not been asked."""
        self._sent = False
        """A move of ours is not answered yet."""
        self._settled = False
        """We are at a table, or wait for one."""
        self._board: list[str] = []
        self._follower = Follower(visit.games)

    @property
    def sheet(self) -> Sheet | None:
        return self._follower.sheet

    def opened(self) -> Outputs:
        return NOTHING

    # --- what the server says -----------------------------------------------------------------------------------------

    def receive(self, message: FromServer) -> Outputs:
        """A board ends with the line that is no part of it."""
        if isinstance(message, Drawn):
            self._board.append(message.text)
            return NOTHING
        drawn: Outputs = (Board("\n".join(self._board)),) if self._board else NOTHING
        self._board = []
        return *drawn, *self._hear(message)

    def _hear(self, message: FromServer) -> Outputs:
        match message:
            case Happened(text=text):
                return self._happened(text)
            case Complaint(text=text):
                return self._refused(text)
            case Plain(text=text):
                return self._answered(text)
            case Prompt():
                return self._prompted()
            case Control() | Drawn():
                return NOTHING

    def _happened(self, text: str) -> Outputs:
        self._follower.hear(text)
        self._sent = self._sent and " plays " not in text
        self._settled = self._settled or text.startswith((sentences.AT_TABLE, sentences.WAITING))
        if text.startswith(sentences.YOUR_TURN) and self.phase is Listening.PLAYING:
            self._moves, self._asks = [], True
            return Report(text), b"moves\n"
        if text in RESULTS:
            return self._ended(RESULTS[text])
        if text == sentences.AGAIN and self.phase is Listening.ENDED:
            self.phase = Listening.ASKED
            return Alarm("question", None), Again()
        if text == sentences.CLOSED:
            return Report(text), *self._leave("aborted")
        return (Report(text, talk=SAYS in text),)

    def _ended(self, result: str) -> Outputs:
        if self.phase is not Listening.PLAYING:
            return NOTHING
        self.phase = Listening.ENDED
        self._asks = False
        return Over(result), Alarm("question", QUESTION_SECONDS)

    def _refused(self, text: str) -> Outputs:
        """Without a table there is nothing to stay for; a move is to be made once more."""
        if not self._settled and text not in _HARMLESS:
            return Report(text), *self._leave("aborted")
        if self._sent and text not in _HARMLESS:
            self._sent, self._asks = False, True
            return Report(text), *self._ask()
        return (Report(text),)

    def _answered(self, text: str) -> Outputs:
        if text.startswith(MOVES):
            self._moves += text.removeprefix(MOVES).split(", ")
            return NOTHING
        game, colon, _ = text.partition(":")
        if self.phase is Listening.CHOOSING and colon:
            self.phase = Listening.PLAYING
            self.guide = msgspec.structs.replace(self.guide, game=game)
            return (_line(f"new {game}{self._behind}"),)
        return (Report(text),) if text and self.phase is Listening.GREETING else NOTHING

    def _prompted(self) -> Outputs:
        if self.phase is Listening.GREETING:
            self.phase = Listening.PLAYING if self._first else Listening.CHOOSING
            return _line(f"name {self._name}"), _line(self._first or "games")
        return self._ask() if self._moves else NOTHING

    def _ask(self) -> Outputs:
        """Our person, once, with the moves that there are."""
        if not self._asks:
            return NOTHING
        self._asks = False
        return (YourTurn(tuple(self._moves)),)

    def malformed(self, error: ProtocolError) -> Outputs:
        return (Report(f"The server sent something odd: {error}"),)

    def timer(self, name: str) -> Outputs:  # noqa: ARG002 - there is but one alarm
        """No one asks for another game."""
        return self._leave("aborted")

    def closed(self) -> Outputs:
        """The server has gone."""
        return Report("The server has closed the connection."), *self._end("aborted")

    def _leave(self, result: str) -> Outputs:
        return NOTHING if self.phase is Listening.OVER else (b"quit\n", *self._end(result))

    def _end(self, result: str) -> Outputs:
        """The end; a game that was wanted or running has this result."""
        before, self.phase = self.phase, Listening.OVER
        if before is Listening.OVER:
            return NOTHING
        unfinished = before not in (Listening.ENDED, Listening.ASKED)
        return Alarm("question", None), *((Over(result),) if unfinished else ()), Close()

    # --- what our person wants ----------------------------------------------------------------------------------------

    def act(self, command: Command) -> Outputs:
        """Everything has a word here."""
        match command:
            case Play(move=move):
                self._sent = True
                return (_line(move),)
            case Say(text=text):
                return (_line(f"say {text}"),)
            case Resign():
                return (b"resign\n",)
            case Vote(yes=True) if self.phase is Listening.ASKED:
                self.phase = Listening.PLAYING
                self._moves = []
                return (b"yes\n",)
            case Vote() if self.phase is Listening.ASKED:
                return b"no\n", *self._leave("aborted")
            case Leave():
                return self._leave("aborted")
            case _:
                return (Report("This server has no word for that."),)
