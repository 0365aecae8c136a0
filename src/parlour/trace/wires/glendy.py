"""Glendy, both revisions: turns, moves and verdicts by the lines of the server and the rules of the game."""

from typing import Any

from parlour.core.errors import ProtocolError
from parlour.games.glenda.description import DESCRIPTION
from parlour.games.glenda.rules import GLENDA, TRAPPER
from parlour.languages import reason
from parlour.protocols.glendy.codec import GlendyCodec
from parlour.protocols.glendy.messages import (
    Answer,
    Blank,
    Complaint,
    Conn,
    Die,
    Hello,
    Message,
    Move,
    Odd,
    Put,
    Quit,
    Rabbit,
    Revision,
    Step,
    Wall,
    Word,
)
from parlour.protocols.glendy.phases import TABLE, Act, Listening, Phase
from parlour.protocols.glendy.sight import Sight
from parlour.trace.follower import Follower, Heard, Zone, either, fields_of

NAMES = {
    Hello: "hello", Answer: "y", Quit: "q", Blank: "blank", Odd: "line",
    Conn: "CONN", Wall: "w", Rabbit: "g", Put: "SYNC", Step: "SYNC", Die: "DIE",
}  # fmt: skip
REFUSALS = ("WALL", "GLND", "CANTP", "CANTM", "ERR")
"""What a refusal begins with: all but two are words of the document, and those are its own server's."""
_SIDES = ("the trapper", "the rabbit")


class GlendyFollower(Follower):
    """One connection of the two that make a game."""

    codec = GlendyCodec()

    def __init__(self, zone: Zone, connection: int, dialect: str) -> None:
        super().__init__(zone, connection, dialect)
        self._phase = Phase.GREETING
        self._greeted = False
        """Whether one side has spoken, so that no hello can come any more."""
        self._revision = Revision.FIRST
        self._side: int | None = None
        self._sight = Sight()
        self._rabbits = 0
        self._reading = False
        """Between INIT and SENT."""
        self._turn: bool | None = None
        """Whether it is the client's turn, as far as the server has told."""
        self._numbered: int | None = None
        self._last: int | None = None
        """Who made the last move."""
        self._sent = ""

    @property
    def phase(self) -> str:
        return self._phase.value

    def reads(self, sender: str) -> Any:
        if sender == "S":
            return Listening.PLAYING
        return self._phase if self._phase is not Phase.OVER else Phase.PLAYING

    def board(self) -> str:
        return self._sight.text()

    def nonsense(self, sender: str, why: str) -> str:
        row = TABLE.get(self._phase, {}).get(ProtocolError)
        if sender == "C" and self._phase is Phase.GREETING:
            self._phase = Phase.OVER
        return f"{why} ({row.says} is due)" if sender == "C" and row is not None else why

    def hear(self, sender: str, message: Message, raw: bytes) -> Heard:
        end = "" if raw.endswith(b"\n") and not raw.endswith(b"\r\n") else "the line does not end in LF alone"
        if sender == "C":
            name, fields = _spoken(message)
            row = TABLE.get(self._phase, {}).get(type(message))  # type: ignore[arg-type] # None for a server's
            return name, fields, either(end, self._from_client(message, row))
        name, fields = _told(message)
        return name, fields, either(end, self._from_server(message))

    # --- the client ---------------------------------------------------------------------------------------------------

    def _from_client(self, message: Message, row: Any) -> str:
        if self._phase is Phase.OVER:
            return "the conversation is over"
        match message:
            case Hello():
                self._revision = Revision.LATER
                self._phase = Phase.POLLED if self._phase is Phase.GREETING else self._phase
            case Quit():
                self._phase = Phase.OVER
            case Move() if row is not None and row.act is Act.PLAY:
                return self._moved(message.notation)
            case Answer() if row is not None and row.act is Act.NOTED:
                return "" if self._revision is Revision.LATER else "the first revision has no such line"
            case Odd() if row is not None and row.act is Act.COMPLAIN:
                return "ERR WAIT is due" if self._turn is False else "not a line of this protocol"
        if row is None:
            return f"not in {self.phase}"
        return f"not in {self.phase}: {row.says} is due" if row.act in (Act.COMPLAIN, Act.DISMISS) else ""

    def _moved(self, notation: str) -> str:
        self._sent = notation
        if self._turn is False:
            return "out of turn: ERR WAIT is due"
        if self._side is None:
            return ""
        why = self._sight.check(self._side, notation)
        return "" if why is None else reason(DESCRIPTION, why)

    # --- the server ---------------------------------------------------------------------------------------------------

    def _from_server(self, message: Message) -> str:
        over = "the conversation is over" if self._phase is Phase.OVER and not isinstance(message, Blank) else ""
        match message:
            case Conn(side=side, nick=nick):
                return either(over, self._connected(side, nick))
            case Wall() | Rabbit():
                return either(over, self._placed(message))
            case Put() | Step():
                return either(over, self._synced(message))
            case Word():
                return either(over, self._said(message))
            case Die():
                self._phase = Phase.OVER
                return ""
            case Complaint(text=text):
                return either(over, self._complained(text))
        return over

    def _connected(self, side: int, nick: str) -> str:
        again = "a second CONN" if self._side is not None else ""
        self._side = side
        if self._phase is Phase.GREETING:
            self._phase = Phase.QUEUED
        if self._revision is Revision.LATER:
            return either(again, "" if nick else "CONN without a name")
        return again

    def _placed(self, message: Wall | Rabbit) -> str:
        note = "" if self._reading else "not between INIT and SENT"
        if isinstance(message, Wall):
            self._sight.wall(message.x, message.y)
            return note
        self._sight.glenda = message.x, message.y
        self._rabbits += 1
        return either(note, "a second g" if self._rabbits > 1 else "")

    def _synced(self, message: Put | Step) -> str:
        sight, mover = self._sight, TRAPPER if isinstance(message, Put) else GLENDA
        notation = f"p {message.x} {message.y}" if isinstance(message, Put) else f"m {message.way}"
        why = sight.check(mover, notation)
        notes = [
            "" if self._phase is Phase.PLAYING else "before the board",
            "" if sight.winner() is None else "the game was over before",
            "" if self._numbered in (None, message.number - 1) else f"move {message.number} after {self._numbered}",
            "" if self._last != mover else f"{_SIDES[mover]} moves twice",
            "" if why is None or sight.winner() is not None else reason(DESCRIPTION, why),
        ]
        if isinstance(message, Put):
            sight.put(message.x, message.y)
        else:
            sight.step(message.way)
        self._numbered, self._last = message.number, mover
        if mover == self._side:
            self._sent = ""
        self.changed = True
        return either(*notes)

    def _said(self, word: Word) -> str:
        match word:
            case Word.INIT:
                self._phase = Phase.PLAYING
                self._sight, self._rabbits, self._reading = Sight(), 0, True
                return "" if self._side is not None else "before CONN"
            case Word.SENT:
                was, self._reading = self._reading, False
                self.changed = True
                return either("" if was else "without INIT", "" if self._rabbits else "no g came before it")
            case Word.TURN | Word.WAIT:
                return self._passed(word is Word.TURN)
            case Word.UGUD:
                return "" if self._revision is Revision.LATER else "the first revision has no such line"
            case Word.WON | Word.LOST:
                return self._judged(word is Word.WON)

    def _passed(self, mine: bool) -> str:
        if self._phase is not Phase.PLAYING:
            return "no game has begun" if mine else ""
        self._turn = mine
        winner, due = self._sight.winner(), GLENDA if self._last == TRAPPER else TRAPPER
        if winner is not None:
            return f"{_SIDES[winner]} has won: a verdict is due"
        wrong = self._side is not None and (self._side == due) != mine
        return either("before SENT" if self._reading else "", f"it is the turn of {_SIDES[due]}" if wrong else "")

    def _complained(self, text: str) -> str:
        self._sent = ""
        return "" if text.split()[0] in REFUSALS else "not a line of this protocol"

    def _judged(self, won: bool) -> str:
        playing, self._phase = self._phase is Phase.PLAYING, Phase.OVER
        if not playing or self._side is None:
            return "no game was begun"
        told, winner = self._side if won else 1 - self._side, self._sight.winner()
        if winner == told:
            return ""
        if winner is None:
            tail = f", and no SYNC told {self._sent!r}" if self._sent else ""
            return f"nobody has won on the board as it was told{tail}"
        return f"by the rules {_SIDES[winner]} has won"


def _spoken(message: Message) -> tuple[str, dict[str, Any]]:
    """What a client says, by name, and its fields."""
    if isinstance(message, Move):
        letter, *words = message.notation.split()
        return letter, {"way": words[0]} if letter == "m" else {"x": int(words[0]), "y": int(words[1])}
    return _told(message)


def _told(message: Message) -> tuple[str, dict[str, Any]]:
    if isinstance(message, Word):
        return message.value, {}
    if isinstance(message, Complaint):
        word, _, text = message.text.strip().partition(" ")
        return word or "line", {"text": text} if text else {}
    return NAMES[type(message)], fields_of(message)
