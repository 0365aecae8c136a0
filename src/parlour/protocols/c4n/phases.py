"""Where a conversation stands, and what each message does there: the tables that both sessions go by."""

import enum
from collections.abc import Mapping

from parlour.core.errors import ProtocolError
from parlour.protocols.c4n.messages import Board, Error, Message, Move, Result, Start, Stop

Received = type[Message] | type[ProtocolError]
"""A message, or bytes that are none."""


class Phase(enum.Enum):
    """The server's side."""

    GREETING = "greeting"
    """Connected, no START yet."""
    WAITING = "waiting"
    """START came; the seat opposite is still empty."""
    PLAYING = "playing"
    OVER = "over"
    """Everything is said; what still comes is read and forgotten."""


class Step(enum.Enum):
    """What the server does with a message."""

    SEEK = "find a game"
    PLAY = "play it; ERROR 2 when refused"
    TOO_EARLY = "ERROR 2"
    COMPLAIN = "ERROR 1"
    TURN_AWAY = "ERROR 1, end"
    LEAVE = "close"
    IGNORE = "nothing"


SERVER: Mapping[Phase, Mapping[Received, Step]] = {
    Phase.GREETING: {
        Start: Step.SEEK,
        Move: Step.TURN_AWAY,
        Stop: Step.LEAVE,
        Error: Step.LEAVE,
        Board: Step.TURN_AWAY,
        Result: Step.TURN_AWAY,
        ProtocolError: Step.TURN_AWAY,
    },
    Phase.WAITING: {
        Start: Step.COMPLAIN,
        Move: Step.TOO_EARLY,
        Stop: Step.LEAVE,
        Error: Step.LEAVE,
        Board: Step.COMPLAIN,
        Result: Step.COMPLAIN,
        ProtocolError: Step.COMPLAIN,
    },
    Phase.PLAYING: {
        Start: Step.COMPLAIN,
        Move: Step.PLAY,
        Stop: Step.LEAVE,
        Error: Step.LEAVE,
        Board: Step.COMPLAIN,
        Result: Step.COMPLAIN,
        ProtocolError: Step.COMPLAIN,
    },
    Phase.OVER: dict.fromkeys((Start, Move, Stop, Error, Board, Result, ProtocolError), Step.IGNORE),
}


class ClientPhase(enum.Enum):
    """The client's side."""

    CALLING = "calling"
    """START is sent; no BOARD yet."""
    TO_MOVE = "to move"
    SENT = "sent"
    """MOVE is sent; no word yet."""
    SETTLING = "settling"
    """A BOARD came that shows no answer to our MOVE; another BOARD, or RESULT, is on its way."""
    ENDING = "ending"
    """RESULT came; the original server's last BOARD may still follow."""
    OVER = "over"


class ClientStep(enum.Enum):
    """What the client does with a message."""

    LOOK = "look whose turn it is"
    LAST_LOOK = "show it, end"
    BELIEVE = "believe it, wait 0.5 s for a last BOARD"
    HEED = "1, 2: ask for another move; else end, aborted"
    GIVE_UP = "end, aborted"
    GRUMBLE = "report it"
    IGNORE = "nothing"


_ODD = (Start, Move)
_PLAYING: Mapping[Received, ClientStep] = {
    Board: ClientStep.LOOK,
    Result: ClientStep.BELIEVE,
    Error: ClientStep.HEED,
    Stop: ClientStep.GIVE_UP,
    **dict.fromkeys((*_ODD, ProtocolError), ClientStep.GRUMBLE),
}

CLIENT: Mapping[ClientPhase, Mapping[Received, ClientStep]] = {
    ClientPhase.CALLING: {
        **_PLAYING,
        **dict.fromkeys((Error, *_ODD, ProtocolError), ClientStep.GIVE_UP),
    },
    ClientPhase.TO_MOVE: _PLAYING,
    ClientPhase.SENT: _PLAYING,
    ClientPhase.SETTLING: _PLAYING,
    ClientPhase.ENDING: {
        **dict.fromkeys((*_ODD, Error, Stop, Result, ProtocolError), ClientStep.IGNORE),
        Board: ClientStep.LAST_LOOK,
    },
    ClientPhase.OVER: dict.fromkeys((*_ODD, Error, Stop, Board, Result, ProtocolError), ClientStep.IGNORE),
}

_COLUMNS: tuple[tuple[str, Received], ...] = (
    ("START", Start),
    ("MOVE", Move),
    ("STOP", Stop),
    ("ERROR", Error),
    ("BOARD", Board),
    ("RESULT", Result),
    ("not a message", ProtocolError),
)


def render(table: Mapping[Phase, Mapping[Received, Step]] | Mapping[ClientPhase, Mapping[Received, ClientStep]]) -> str:
    """A table as Markdown, for the README."""
    lines = ["| phase | " + " | ".join(name for name, _ in _COLUMNS) + " |", "|---" * (len(_COLUMNS) + 1) + "|"]
    for phase, steps in table.items():
        lines.append(f"| {phase.value} | " + " | ".join(steps[kind].value for _, kind in _COLUMNS) + " |")
    return "\n".join(lines)
