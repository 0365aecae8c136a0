"""The dialects, how they are told apart, and who may say what in which state of the 3.0 document."""

import enum
from collections.abc import Mapping


class Dialect(enum.Enum):
    """What a peer speaks. The beta calls itself 2.0, so a version alone does not tell."""

    V1 = "1.x"
    V2 = "2.0"
    BETA = "3.0 beta"
    V3 = "3.0"


class ClientPhase(enum.Enum):
    """Where our client stands."""

    LISTENING = "the server speaks first, and its first line tells the version"
    GREETING = "versions are exchanged and a place is asked for"
    INSIDE = "the server has given us an id"


FIRST_LINES: Mapping[tuple[str, int | None], Dialect] = {
    ("network-assign", None): Dialect.V2,
    ("info-version", 1): Dialect.V1,
    ("info-version", 2): Dialect.V2,
    ("info-version", 3): Dialect.V3,
    ("request-info", None): Dialect.V3,
}
"""What a server speaks, by its first line: the command, and the major version if that matters.

`request-info` is also how a beta begins; it hangs up on a 3.0, and is then visited as what it calls itself.
"""


class State(enum.Enum):
    """Where a connection stands by the 3.0 document."""

    TALK = "Talk"
    LOBBY = "Lobby"
    PLAYING = "Playing"


USAGE: Mapping[str, tuple[str, str, str]] = {
    "request-info": ("CS", "", ""),
    "request-motd": ("C", "", ""),
    "request-join": ("C", "", ""),
    "request-deny": ("S", "", ""),
    "info-version": ("CS", "", ""),
    "info-motd": ("S", "", ""),
    "info-features": ("CS", "", ""),
    "feature-enable": ("S", "S", "S"),
    "feature-disable": ("S", "S", "S"),
    "vote-start": ("", "S", "S"),
    "vote-end": ("", "S", "S"),
    "vote-request": ("", "C", "C"),
    "vote-yes": ("", "C", "C"),
    "vote-no": ("", "C", "C"),
    "vote-enable": ("S", "S", "S"),
    "vote-disable": ("S", "S", "S"),
    "network-assign": ("S", "", ""),
    "network-announce": ("", "S", "S"),
    "network-add": ("", "S", "S"),
    "network-remove": ("", "S", "S"),
    "network-chat": ("", "CS", "CS"),
    "network-ping": ("", "CS", "CS"),
    "network-pong": ("", "CS", "CS"),
    "user-name": ("", "CS", "CS"),
    "user-color": ("", "CS", "CS"),
    "game-ready": ("", "CS", ""),
    "game-notready": ("", "CS", ""),
    "game-start": ("", "S", "S"),
    "game-stop": ("", "", "S"),
    "game-leave": ("", "", "CS"),
    "game-join": ("", "", "CS"),
    "game-size": ("", "S", "S"),
    "game-line": ("", "", "CS"),
    "game-box": ("", "", "CS"),
    "game-current": ("", "", "S"),
}
"""Who may send a command of 3.0 in Talk, Lobby and Playing: the client, the server, both or nobody."""


def may(sender: str, word: str, state: State) -> bool:
    """Whether "C" or "S" may say this in that state."""
    allowed = USAGE.get(word)
    return allowed is not None and sender in allowed[list(State).index(state)]


TAKEN_AS_WELL: Mapping[str, tuple[State, ...]] = {
    "network-disconnect": tuple(State),
    "request-info": (State.LOBBY, State.PLAYING),
    "info-version": (State.LOBBY, State.PLAYING),
    "info-features": (State.LOBBY, State.PLAYING),
    "request-start": (State.LOBBY, State.PLAYING),
    "request-restart": (State.LOBBY, State.PLAYING),
    "request-stop": (State.LOBBY, State.PLAYING),
    "game-join": (State.LOBBY,),
    "game-ready": (State.PLAYING,),
    "game-notready": (State.PLAYING,),
}
"""What our server takes from clients beyond the document, because real programs say it and it does no harm."""


def taken(word: str, state: State) -> bool:
    """Whether our server deals with this command of a client in that state."""
    return may("C", word, state) or state in TAKEN_AS_WELL.get(word, ())


ANYTHING_ELSE = "…"
CLIENT_LINES: Mapping[tuple[int, str], Dialect] = {
    (1, ""): Dialect.V1,
    (2, "request-info"): Dialect.BETA,
    (2, ANYTHING_ELSE): Dialect.V2,
    (3, ""): Dialect.V3,
}
"""What a client speaks, by the major version it tells and, where that is not enough, the command that follows it."""


def client_lines_table() -> str:
    """CLIENT_LINES as it stands in the README."""
    rows = [
        f"| `info-version {major} x`{f' and then `{word}`' if word else ''} | {dialect.value} |"
        for (major, word), dialect in CLIENT_LINES.items()
    ]
    return "\n".join(["| The client's lines | It speaks |", "|---|---|", *rows])


def usage_table() -> str:
    """USAGE as it stands in the README."""
    rows = [f"| `{word}` | {' | '.join(who or '-' for who in allowed)} |" for word, allowed in USAGE.items()]
    return "\n".join(["| Command | Talk | Lobby | Playing |", "|---|---|---|---|", *rows])


def first_lines_table() -> str:
    """FIRST_LINES as it stands in the README."""
    rows = [
        f"| `{word}{'' if major is None else f' {major} …'}` | {dialect.value} |"
        for (word, major), dialect in FIRST_LINES.items()
    ]
    return "\n".join(["| The server's first line | It speaks |", "|---|---|", *rows])
