"""Where a conversation stands, as tables first: what each line leads to, and what we say to it.

The server's side of a connection goes GREETING -> QUEUED or POLLED -> PLAYING -> OVER, and may skip the queue. The two
revisions differ before the game (QUEUED is the first, POLLED the later one) and in how refusals are spelled.
"""

import enum

import msgspec

from parlour.core.errors import ProtocolError
from parlour.protocols.glendy.messages import Answer, Blank, FromClient, Hello, Move, Odd, Quit


class Phase(enum.Enum):
    """Where our server stands with a client."""

    GREETING = "greeting"
    QUEUED = "queued"
    POLLED = "polled"
    PLAYING = "playing"
    OVER = "over"


class Listening(enum.Enum):
    """Where our client stands with a server. Its lines mean the same in every phase."""

    CALLING = "calling"
    WAITING = "waiting"
    READING = "reading"
    PLAYING = "playing"
    OVER = "over"


class Act(enum.Enum):
    """What our server does about a line."""

    SEEK = "look for an opponent"
    SEEK_AGAIN = "leave the queue and look again, by name and side"
    PLAY = "ask the table"
    NOTED = "note that the peer lives"
    COMPLAIN = "refuse"
    DISMISS = "close"
    LEAVE = "leave and close"
    NOTHING = "nothing"


class Row(msgspec.Struct, frozen=True):
    """What follows from one kind of line in one phase; an empty `then` stays."""

    act: Act
    then: str
    says: str


_LEAVES = Row(Act.LEAVE, "over", "`DIE disconnected`")
_NOTHING = Row(Act.NOTHING, "", "")
_NOT_NOW = Row(Act.COMPLAIN, "", "`ERR WAIT`")
_RUDE = Row(Act.DISMISS, "over", "`DIE rude`")
_WRONG = Row(Act.COMPLAIN, "", "`ERR WAIT` out of turn, else what is wrong with it, and `TURN` again")

TABLE: dict[Phase, dict[type[FromClient] | type[ProtocolError], Row]] = {
    Phase.GREETING: {
        Hello: Row(Act.SEEK, "polled or playing", "`WAIT`, `UGUD`; or `CONN side nick` and the board"),
        Quit: _LEAVES,
        ProtocolError: Row(Act.DISMISS, "over", "`DIE` and what is wrong with the hello"),
    },
    Phase.QUEUED: {
        Hello: Row(Act.SEEK_AGAIN, "polled or playing", "nothing yet; `CONN side nick` when an opponent comes"),
        Move: _NOT_NOW,
        Answer: _NOT_NOW,
        Quit: _LEAVES,
        Blank: _NOTHING,
        Odd: _NOT_NOW,
        ProtocolError: _NOT_NOW,
    },
    Phase.POLLED: {
        Move: _RUDE,
        Answer: Row(Act.NOTED, "", ""),
        Quit: _LEAVES,
        Blank: _NOTHING,
        Odd: _RUDE,
        ProtocolError: _RUDE,
    },
    Phase.PLAYING: {
        Move: Row(
            Act.PLAY, "", "`SYNC` to both, then `TURN` and `WAIT`, or `WON` and `LOST`; or a refusal and `TURN` again"
        ),
        Answer: Row(Act.NOTED, "", "nothing to the later revision; to the first as to any odd line"),
        Quit: Row(Act.LEAVE, "over", "`DIE disconnected`, and to the other `DIE other client have been disconnected`"),
        Blank: _NOTHING,
        Odd: _WRONG,
        ProtocolError: _WRONG,
    },
}
"""What our server does with everything a phase can bring. ProtocolError is a bad hello, or a line too long."""


def rendered() -> str:
    """The table as the README shows it."""
    lines = ["| phase | line | what happens | we say | then |", "|---|---|---|---|---|"]
    for phase, rows in TABLE.items():
        for message, row in rows.items():
            line = "no message" if message is ProtocolError else message.__name__
            lines.append(
                f"| {phase.value} | {line} | {row.act.value} | {row.says or '-'} | {row.then or phase.value} |"
            )
    return "\n".join(lines)
