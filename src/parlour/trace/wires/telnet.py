"""The plain lines of the telnet door: words by the table of the door, boards as it draws them."""

from typing import Any

from parlour.protocols.telnet.codec import TelnetCodec
from parlour.protocols.telnet.messages import Complaint, Control, Drawn, Happened, Line, Message, Plain, Prompt
from parlour.protocols.telnet.phases import WORDS, Listening, Phase
from parlour.trace.follower import Follower, Heard, Zone, plain

MOST_LINES = 64
"""Of one drawing."""


class TelnetFollower(Follower):
    """One person. What is no word is taken for a move once a board was seen."""

    codec = TelnetCodec()

    def __init__(self, zone: Zone, connection: int, dialect: str) -> None:
        super().__init__(zone, connection, dialect)
        self._phase = Phase.FREE
        self._drawing: list[str] = []
        self._board = ""

    @property
    def phase(self) -> str:
        return self._phase.value

    def reads(self, sender: str) -> Any:
        return self._phase if sender == "C" else Listening.PLAYING

    def board(self) -> str:
        return self._board

    def hear(self, sender: str, message: Message, raw: bytes) -> Heard:  # noqa: ARG002 - spelling means nothing
        if sender == "S":
            self._picture(message)
        match message:
            case Line(text=text):
                return "line", {"text": text}, self._written(text)
            case Control(command=command):
                return "IAC", {"command": plain(command)}, ""
            case Prompt():
                return "prompt", {}, ""
            case Happened(text=text):
                return "*", {"text": text}, ""
            case Complaint(text=text):
                return "?", {"text": text}, ""
            case Drawn(text=text):
                return "board", {"text": text}, ""
            case Plain(text=text):
                return "answer", {"text": text}, ""

    def _picture(self, message: Message) -> None:
        """Gather the lines of a board; the next other line shows that it is complete."""
        if isinstance(message, Drawn):
            if len(self._drawing) < MOST_LINES:
                self._drawing.append(message.text)
        elif self._drawing:
            self._board, self._drawing = "\n".join(self._drawing), []
            self._phase = Phase.TABLE
            self.changed = True

    def _written(self, text: str) -> str:
        word = text.split()[0].lower() if text.split() else ""
        known = WORDS.get(word)
        if word == "leave":
            self._phase = Phase.FREE
        elif word == "quit":
            self._phase = Phase.OVER
        if known is None and word and self._phase is Phase.FREE:
            return "there is no such word"
        return ""
