"""NetDot in its four dialects: which one is spoken is found out as our server and client do, and the room followed."""

from collections.abc import Mapping
from typing import Any

from parlour.core.session import Board
from parlour.games.dots.description import DESCRIPTION
from parlour.languages import reason
from parlour.protocols.netdot import words
from parlour.protocols.netdot.client_v1 import Guest1
from parlour.protocols.netdot.client_v2 import Guest2
from parlour.protocols.netdot.client_v3 import Guest3
from parlour.protocols.netdot.codec import CODEC
from parlour.protocols.netdot.dialect import complains
from parlour.protocols.netdot.guest import NOBODY, Guest
from parlour.protocols.netdot.messages import Line
from parlour.protocols.netdot.phases import (
    ANYTHING_ELSE,
    CLIENT_LINES,
    FIRST_LINES,
    USAGE,
    Dialect,
    State,
    may,
    taken,
)
from parlour.protocols.netdot.v1 import Version1
from parlour.protocols.netdot.v2 import Version2
from parlour.trace.follower import Follower, Heard, Zone, either

V1, V2, BETA, V3 = Dialect.V1, Dialect.V2, Dialect.BETA, Dialect.V3
DIALECTS = {"1": V1, "2": V2, "beta": BETA, "3": V3}
EARLY = 64
"""Lines of a server that are kept until the dialect is known."""

_COMMON = {"info-version": "major minor"}
_FROM_CLIENT = {**_COMMON, "network-chat": "text*"}
_FROM_SERVER = {
    **_COMMON,
    "network-assign": "id",
    "network-chat": "id text*",
    "game-current": "id",
    "info-warn": "text*",
    "info-malformed": "text*",
    "bad-syntax": "text*",
    "request-deny": "reason*",
}
_OLD_CLIENT = {**_FROM_CLIENT, "player-rename": "name*", "player-color": "color", "game-play": "move"}
_OLD_SERVER = {
    **_FROM_SERVER,
    "player-rename": "id name*",
    "player-color": "id color",
    "grid-size": "size",
    "game-play": "id move",
}
_NEW_CLIENT = {
    **_FROM_CLIENT,
    "info-features": "features*",
    "request-join": "wish*",
    "vote-request": "vote*",
    "user-name": "name*",
    "user-color": "color",
    "game-line": "move",
    "game-box": "args*",
}
_NEW_SERVER = {
    **_FROM_SERVER,
    "info-motd": "text*",
    **dict.fromkeys(("info-features", "feature-enable", "feature-disable"), "features*"),
    **dict.fromkeys(("vote-start", "vote-enable", "vote-disable"), "vote*"),
    "network-announce": "text*",
    "network-add": "id color name*",
    **dict.fromkeys(("network-remove", "game-ready", "game-notready", "game-leave", "game-join"), "id"),
    "user-name": "id name*",
    "user-color": "id color",
    "game-size": "width height",
    "game-line": "id move",
    "game-box": "id x y",
}
_V1 = {"C": _OLD_CLIENT, "S": {**_OLD_SERVER, "player-count": "count", "player-new": "id score name*"}}
_V2 = {
    "C": _OLD_CLIENT,
    "S": {
        **_OLD_SERVER,
        "player-add": "id name*",
        "player-remove": "id",
        "player-line": "args*",
        "player-box": "args*",
    },
}
_V3 = {"C": _NEW_CLIENT, "S": _NEW_SERVER}
ARGUMENTS: Mapping[Dialect, Mapping[str, Mapping[str, str]]] = {V1: _V1, V2: _V2, BETA: _V3, V3: _V3}
"""What stands behind a word, by dialect and speaker: numbers, `move`, `size`, or with a star all the rest.

Words without a row have no arguments, or none that matter.
"""

MOVES = {V1: words.move1, V2: words.move2, BETA: words.move3, V3: words.move3}
DRAWS = frozenset(
    (
        *("game-play", "game-line", "game-box", "player-line", "player-box"),
        *("grid-size", "grid-reset", "game-size", "game-start", "game-restart"),
    )
)
"""Words of a server that change the board."""
NEXT_GAME = frozenset(("game-ready", "game-notready"))
"""Words for the lobby, and behind the last box of a game that is played out, where they can mean the next one alone."""
SAID_OF = {"C": "the client", "S": "the server"}


class NetdotFollower(Follower):
    """One connection to a room."""

    codec = CODEC

    def __init__(self, zone: Zone, connection: int, dialect: str) -> None:
        super().__init__(zone, connection, dialect)
        self._speaks: Dialect | None = DIALECTS.get(dialect)
        self._guest: Guest | None = None if self._speaks is None else _guest(self._speaks)
        self._early: list[Line] = []
        self._first = True
        """The server has said nothing that tells."""
        self._two = False
        """The client has said 2: its next line tells whether it is a beta."""
        self._state = State.TALK
        self._drew: tuple[int, bool] | None = None
        """Who drew the last line, and whether it closed a box, until a turn is told."""

    @property
    def phase(self) -> str:
        return self._state.value if self._speaks is None else f"{self._speaks.value} {self._state.value}"

    def reads(self, sender: str) -> None:
        """The phase makes no difference on this wire."""

    def board(self) -> str:
        if self._guest is None:
            return ""
        return next((shown.text for shown in self._guest.board() if isinstance(shown, Board)), "")

    def hear(self, sender: str, line: Line, raw: bytes) -> Heard:  # noqa: ARG002 - spelling means nothing
        self._find_out(sender, line)
        if self._speaks is None:
            return line.word.rstrip("-"), {"args": line.args} if line.args else {}, ""
        fields, wrong = _fields(self._speaks, sender, line)
        note = self._misplaced(sender, line) or wrong
        if not note:
            move = str(fields.get("move", ""))
            note = self._asked(line, move) if sender == "C" else self._told(line, move)
        if sender == "S":
            self._follow(line)
        return line.word.rstrip("-"), fields, note

    # --- which one it is ----------------------------------------------------------------------------------------------

    def _find_out(self, sender: str, line: Line) -> None:
        if self._speaks is not None:
            return
        major, *_ = (*words.numbers(line.args), 0)
        found: Dialect | None = None
        if sender == "S":
            if self._first and line.word != "request-info":
                found = FIRST_LINES.get((line.word, major)) or FIRST_LINES.get((line.word, None))
                self._first = found is not None or complains(line)
            if found is None and len(self._early) < EARLY:
                self._early.append(line)
        elif line.word == "info-version":
            self._two = self._two or major == 2
            found = CLIENT_LINES.get((major, ""))
        elif self._two and not complains(line):
            found = CLIENT_LINES.get((2, line.word), CLIENT_LINES[2, ANYTHING_ELSE])
        if found is not None:
            self._settle(found)

    def _settle(self, dialect: Dialect) -> None:
        self._speaks, self._guest = dialect, _guest(dialect)
        early, self._early = self._early, []
        for line in early:
            self._follow(line)
        self.changed = False

    # --- what happens -------------------------------------------------------------------------------------------------

    def _follow(self, line: Line) -> None:
        assert self._guest is not None
        guest = self._guest
        guest.hear(line)
        match line.word:
            case "network-assign" if self._state is State.TALK and guest.me != words.QUEUED:
                self._state = State.LOBBY
            case "game-start" | "game-restart":
                self._state = State.PLAYING
            case "game-stop":
                self._state = State.LOBBY
        self.changed = line.word in DRAWS and guest.grid.shape is not None

    def _misplaced(self, sender: str, line: Line) -> str:
        """What this dialect has no word for, or not here."""
        word, speaks = line.word, self._speaks
        if complains(line):
            return ""
        if speaks is V3:
            if may(sender, word, self._state) or (word in NEXT_GAME and self._played_out()):
                return ""
            if word in USAGE:
                return f"not for {SAID_OF[sender]} to say in {self._state.value}"
            extra = ", though many say it" if sender == "C" and taken(word, self._state) else ""
            return f"3.0 has no such word{extra}"
        known = _known(speaks, sender)
        return "" if word in known else f"{speaks.value if speaks else ''} has no such word for {SAID_OF[sender]}"

    def _played_out(self) -> bool:
        """Whether all boxes are taken: the document has no word for that end, and leaves us in Playing."""
        return self._guest is not None and self._guest.grid.full

    def _asked(self, line: Line, move: str) -> str:
        """A move of the client."""
        guest = self._guest
        if not move or guest is None or line.word not in ("game-play", "game-line"):
            return ""
        if self._state is not State.PLAYING:
            return "no game is running"
        why = guest.grid.check(move)
        if why is not None:
            return reason(DESCRIPTION, why)
        turn = guest.current
        return "" if turn in (NOBODY, guest.me) else "not the turn of this client"

    def _told(self, line: Line, move: str) -> str:
        """A line, a box or a turn, as the server tells it."""
        guest = self._guest
        assert guest is not None
        who, _ = words.head(line.args)
        if who is None:
            return ""
        match line.word:
            case "game-play" | "game-line" if move:
                return self._drawn(guest, who, move, line.word)
            case "game-box" if self._speaks is V3:  # a beta tells the box before the line
                found = words.numbers(line.args)[1:3]
                return "" if len(found) == 2 and not _missing(guest, *found) else "a box that is not closed"
            case "game-current" if self._drew is not None and self._speaks is V3:
                (drew, again), self._drew = self._drew, None
                return (
                    f"{drew} has closed a box and draws again" if again and who != drew and not guest.grid.full else ""
                )
        return ""

    def _drawn(self, guest: Guest, who: int, move: str, word: str) -> str:
        why = guest.grid.check(move)
        late = "" if guest.running or self._speaks is V1 else "no game is running"
        self._drew = who, why is None and bool(_closes(guest, move))
        turn = guest.current
        known = word == "game-play" and guest.running and turn in guest.players()
        whose = f"it is the turn of {turn}" if known and turn != who else ""
        return either(late, "" if why is None else reason(DESCRIPTION, why), whose)


def _guest(dialect: Dialect) -> Guest:
    """The one who keeps a room in mind; nothing that it wants to say is said."""
    match dialect:
        case Dialect.V1:
            return Guest1("")
        case Dialect.V2:
            return Guest2("")
    return Guest3("", beta=dialect is BETA)


def _known(dialect: Dialect | None, sender: str) -> frozenset[str]:
    return _KNOWN[V2 if dialect is None else dialect, sender]


def _heard(*guests: type[Guest]) -> frozenset[str]:
    return frozenset(word for guest in guests for word in (*guest.HEARS, *guest.IGNORES))


_BETA_WORDS = frozenset(USAGE) | {
    "request-start",
    "request-restart",
    "request-stop",
    "network-disconnect",
    "game-restart",
    "info-warn",
}
_KNOWN = {
    (V1, "C"): frozenset({*Version1.HEARS, "game-play"}),
    (V1, "S"): _heard(Guest1) | {"request-info"},
    (V2, "C"): frozenset(Version2.HEARS),
    (V2, "S"): _heard(Guest2),
    (BETA, "C"): _BETA_WORDS,
    (BETA, "S"): _BETA_WORDS | _heard(Guest3),
}
"""The words of the dialects that have no table of usage. `request-info` to a 1.x is how a server of 3.0 begins."""


def _fields(dialect: Dialect, sender: str, line: Line) -> tuple[dict[str, Any], str]:
    """The arguments by name, and what is wrong with them."""
    shape = ARGUMENTS[dialect][sender].get(line.word)
    rest = line.args
    if shape is None:
        return ({"args": rest} if rest else {}), ""
    fields: dict[str, Any] = {}
    for name in shape.split():
        if name.endswith("*"):
            fields[name[:-1]] = rest
            return fields, "" if rest.strip() or name in ("features*", "wish*", "args*") else f"no {name[:-1]}"
        if name in ("move", "size"):
            found = MOVES[dialect](rest) if name == "move" else words.size(rest)
            fields[name] = rest if found is None else found if isinstance(found, str) else f"{found[0]}x{found[1]}"
            return fields, f"{rest!r} is no {name}" if found is None else ""
        word, _, rest = rest.partition(" ")
        value = words.number(word)
        fields[name] = word if value is None else value
        if value is None:
            return fields, f"{word!r} is no number" if word else f"no {name}"
    return fields, ""


def _closes(guest: Guest, move: str) -> list[tuple[int, int]]:
    """The boxes of which this is the only side that is missing."""
    letter, x, y = move.split()
    across, down = int(x), int(y)
    beside = [(across, down), (across, down - 1) if letter == "h" else (across - 1, down)]
    shape = guest.grid.shape
    boxes = [box for box in beside if shape is not None and box in shape.where]
    return [box for box in boxes if _missing(guest, *box) == [move]]


def _missing(guest: Guest, x: int, y: int) -> list[str]:
    sides = (f"h {x} {y}", f"h {x} {y + 1}", f"v {x} {y}", f"v {x + 1} {y}")
    return [side for side in sides if guest.grid.check(side) is None]
