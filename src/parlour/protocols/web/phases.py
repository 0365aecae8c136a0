"""Where a conversation stands, as a table first: which messages a client may send when, and what comes of them."""

import enum
from collections.abc import Mapping

from parlour.protocols.web.messages import (
    Board,
    Bots,
    Claim,
    FromClient,
    Hello,
    Hint,
    Leave,
    Lobby,
    Offer,
    Open,
    Play,
    Ready,
    Rematch,
    Resign,
    Resume,
    Say,
    Show,
    Sit,
    Stand,
    Start,
    Substitute,
    TakeOver,
    Watch,
)


class Phase(enum.Enum):
    """Where our server stands with a browser."""

    GREETING = "greeting"
    FREE = "free"
    QUEUED = "queued"
    AT_TABLE = "at a table"
    OVER = "over"


class Listening(enum.Enum):
    """Where our client stands with a server."""

    CALLING = "calling"
    TALKING = "talking"
    OVER = "over"


class Act(enum.Enum):
    """What our server does about a message."""

    GREET = "greet, by name"
    LIST = "show the tables, and every change among them"
    SEEK = "open a table, or look for an opponent"
    ARRIVE = "bring to the table"
    RETURN = "bring back to the seat"
    PLAY = "ask the table"
    ASK = "ask the table, or the room around it"
    SHOW = "tell what the table looks like"
    LEAVE = "leave"
    REFUSE = "refuse"


_FREE: Mapping[type[FromClient], Act] = {
    Hello: Act.GREET,
    Lobby: Act.LIST,
    Open: Act.SEEK,
    Sit: Act.ARRIVE,
    Watch: Act.ARRIVE,
    Resume: Act.RETURN,
    TakeOver: Act.RETURN,
    Leave: Act.LEAVE,
}

TABLE: Mapping[Phase, Mapping[type[FromClient], Act]] = {
    Phase.GREETING: {Hello: Act.GREET},
    Phase.FREE: _FREE,
    Phase.QUEUED: {Lobby: Act.LIST, Leave: Act.LEAVE},
    Phase.AT_TABLE: {
        Lobby: Act.LIST,
        Sit: Act.ARRIVE,
        Play: Act.PLAY,
        Say: Act.ASK,
        Resign: Act.ASK,
        Rematch: Act.ASK,
        Ready: Act.ASK,
        Board: Act.ASK,
        Start: Act.ASK,
        Bots: Act.ASK,
        Stand: Act.ASK,
        Offer: Act.ASK,
        Claim: Act.ASK,
        Substitute: Act.ASK,
        Hint: Act.ASK,
        Show: Act.SHOW,
        Leave: Act.LEAVE,
    },
    Phase.OVER: {},
}
"""What is not here is refused."""


def rendered() -> str:
    """The table as the README shows it."""
    lines = ["| phase | message | what happens |", "|---|---|---|"]
    for phase, acts in TABLE.items():
        lines += [f"| {phase.value} | `{message.__name__.lower()}` | {act.value} |" for message, act in acts.items()]
        lines.append(f"| {phase.value} | {'anything else' if acts else 'anything'} | {Act.REFUSE.value} |")
    return "\n".join(lines)
