"""Where a person stands in the zone, and what becomes of each request there."""

import enum
from collections.abc import Mapping


class State(enum.Enum):
    """How far a person has come. On a channel there is no state: it carries the game."""

    OUTSIDE = "outside"
    HALL = "logged in"
    ROOM = "in a room"
    TABLE = "at a table"


ANSWERED = "answered"
"""The request is dealt with, and may still be refused for reasons of its own."""
IGNORED = "ignored"
"""Nothing is said: the client programs have no use for an answer there, or fall over it."""
MISPLACED = "bad options"
"""Said as ACTION='protocol', upon which client programs hang up."""

OUT = "not logged in"
NOWHERE = "not in room"

REQUESTS: Mapping[str, tuple[str, str, str, str]] = {
    "PING": (ANSWERED, ANSWERED, ANSWERED, ANSWERED),
    "LANGUAGE": (IGNORED, IGNORED, IGNORED, IGNORED),
    "LOGIN": (ANSWERED, "already logged in", "already logged in", "already logged in"),
    "CHANNEL": (ANSWERED, MISPLACED, MISPLACED, MISPLACED),
    "PONG": (OUT, ANSWERED, ANSWERED, ANSWERED),
    "MOTD": (OUT, ANSWERED, ANSWERED, ANSWERED),
    "LIST": (OUT, ANSWERED, ANSWERED, ANSWERED),
    "ENTER": (OUT, ANSWERED, ANSWERED, "at table"),
    "CHAT": (OUT, NOWHERE, ANSWERED, ANSWERED),
    "LAUNCH": (OUT, NOWHERE, ANSWERED, "launch fail"),
    "JOIN": (OUT, NOWHERE, ANSWERED, "at table"),
    "SPECTATE": (OUT, NOWHERE, ANSWERED, "at table"),
    "LEAVE": (OUT, ANSWERED, ANSWERED, ANSWERED),
    "RESEAT": (OUT, NOWHERE, "no table", ANSWERED),
    "UPDATE": (OUT, NOWHERE, ANSWERED, ANSWERED),
    "INFO": (OUT, IGNORED, IGNORED, ANSWERED),
    "RANKINGS": (OUT, IGNORED, IGNORED, ANSWERED),
}
"""What becomes of a request in each state: it is answered, ignored, or refused with this CODE."""

ACTIONS: Mapping[str, str] = {tag: tag.lower() for tag in REQUESTS} | {"SPECTATE": "join"}
"""The ACTION by which a RESULT names a request."""

PARTS = frozenset({"NAME", "PASSWORD", "EMAIL", "TABLE", "SEAT", "SPECTATOR", "DESC", "PLAYER"})
"""Elements that mean something within others only; on their own they are MISPLACED."""


def fate(tag: str, state: State) -> str:
    """What becomes of an element of that name: ANSWERED, IGNORED, or the CODE of a refusal."""
    row = REQUESTS.get(tag)
    if row is None:
        return MISPLACED if tag in PARTS else IGNORED
    return row[_STATES.index(state)]


_STATES = tuple(State)


def state_table() -> str:
    """REQUESTS as it stands in the README."""
    states = " | ".join(state.value for state in State)
    rows = [f"| `{tag}` | {' | '.join(_cell(tag, cell) for cell in row)} |" for tag, row in REQUESTS.items()]
    return "\n".join([f"| Request | {states} |", "|---|---|---|---|---|", *rows])


def _cell(tag: str, cell: str) -> str:
    if cell in (ANSWERED, IGNORED):
        return cell
    action = "protocol" if cell == MISPLACED else ACTIONS[tag]
    return f"`{action}`: {cell}"
