"""Where a conversation stands, and what each message does there."""

import enum
from collections.abc import Mapping

import msgspec

from parlour.core.errors import ProtocolError
from parlour.protocols.ggzdots.messages import AskSync, Choose, ClientMessage, Draw, NewGame

Received = type[ClientMessage] | type[ProtocolError]
"""A message, or an opcode that is none."""


class Reading(msgspec.Struct, frozen=True, gc=False):
    """A server's messages are read, on a board of this many dots: SND_SYNC is as long as the board needs."""

    width: int = 0
    height: int = 0


class Side(enum.Enum):
    """Whose messages are read where the board does not matter."""

    CLIENT = "a client's messages are read"


class Phase(enum.Enum):
    """The server's side."""

    OUTSIDE = "outside"
    """At no table."""
    WATCHING = "watching"
    BETWEEN = "between games"
    """Seated, and no game is running: a player is missing, or the board, or a player's yes."""
    PLAYING = "playing"
    INTERRUPTED = "interrupted"
    """The other chair is empty, and the game waits."""


class Step(enum.Enum):
    """What the server does with a message."""

    PLAY = "RSP_MOVE 0, 1 or 2; -2, -3 or -4 when refused"
    NOT_NOW = "RSP_MOVE -1"
    SYNC = "SND_SYNC"
    CHOOSE = "MSG_OPTIONS to all; REQ_OPTIONS again when it is no board"
    RENEW = "one yes to another game"
    IGNORE = "nothing"


def _phase(draw: Step, choose: Step, renew: Step) -> Mapping[Received, Step]:
    return {Draw: draw, AskSync: Step.SYNC, Choose: choose, NewGame: renew, ProtocolError: Step.IGNORE}


SERVER: Mapping[Phase, Mapping[Received, Step]] = {
    Phase.OUTSIDE: _phase(Step.NOT_NOW, Step.IGNORE, Step.IGNORE),
    Phase.WATCHING: _phase(Step.NOT_NOW, Step.IGNORE, Step.IGNORE),
    Phase.BETWEEN: _phase(Step.NOT_NOW, Step.CHOOSE, Step.RENEW),
    Phase.PLAYING: _phase(Step.PLAY, Step.IGNORE, Step.IGNORE),
    Phase.INTERRUPTED: _phase(Step.NOT_NOW, Step.IGNORE, Step.IGNORE),
}

_COLUMNS: tuple[tuple[str, Received], ...] = (
    ("SND_MOVE", Draw),
    ("REQ_SYNC", AskSync),
    ("SND_OPTIONS", Choose),
    ("REQ_NEWGAME", NewGame),
    ("unknown opcode", ProtocolError),
)


def render() -> str:
    """SERVER as Markdown, for the README."""
    lines = ["| phase | " + " | ".join(name for name, _ in _COLUMNS) + " |", "|---" * (len(_COLUMNS) + 1) + "|"]
    for phase, steps in SERVER.items():
        lines.append(f"| {phase.value} | " + " | ".join(steps[kind].value for _, kind in _COLUMNS) + " |")
    return "\n".join(lines)
