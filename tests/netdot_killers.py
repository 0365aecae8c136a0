"""What ends the original programs, each found out by sending it. Nothing of this may ever leave us.

An exception ends the program's reader: it stays connected and deaf, and a server keeps a ghost whose turn never ends;
on a phone the whole program is gone. Some lines kill by themselves (LINES), some only after others (`Victim`).
"""

import enum
import re

import msgspec

from parlour.games.dots.rules import shape
from parlour.protocols.netdot import words
from parlour.protocols.netdot.codec import CODEC
from parlour.protocols.netdot.messages import Line


class Peer(enum.Enum):
    """The programs that exist."""

    JAVA_CLIENT = "Java 2.0 client"
    ANDROID_CLIENT = "Android 2.0 client"
    BETA_CLIENT = "Android 3.0 beta client"
    JAVA_SERVER = "Java 2.0 server"
    ANDROID_SERVER = "Android 2.0 server"
    BETA_SERVER = "Android 3.0 beta server"


class Killer(msgspec.Struct, frozen=True):
    """Any line that this pattern fits from end to end."""

    pattern: str
    peers: tuple[Peer, ...]
    why: str


_GROUPS = "request|info|network|player|grid|game|user|vote|feature|unknown"
_OLD_CLIENTS = (Peer.JAVA_CLIENT, Peer.ANDROID_CLIENT)

LINES = (
    Killer("unknown-?", (Peer.JAVA_CLIENT,), "split drops the empty tail, then its second part is read"),
    Killer(_GROUPS, (Peer.ANDROID_CLIENT, Peer.BETA_CLIENT), "a known group without a verb"),
    Killer("request-deny *", _OLD_CLIENTS, "the reason is cut out of the line unchecked"),
    Killer("request-deny.*", (Peer.BETA_CLIENT,), "every denial throws"),
    Killer("player-add( -?[0-9]+)? *", _OLD_CLIENTS, "the name is cut out of the line unchecked"),
    Killer("player-rename( -?[0-9]+)? *", (Peer.JAVA_CLIENT,), "an empty name cannot be painted"),
    Killer("network-chat( -?[0-9]+)? *", (*_OLD_CLIENTS, Peer.BETA_CLIENT), "the text is cut out unchecked"),
    Killer("grid-size (1x[0-9]+|[0-9]+x1)", (Peer.JAVA_CLIENT,), "the width of a box divides by zero"),
    Killer("network-add( -?[0-9]+){0,2} *", (Peer.BETA_CLIENT,), "the name is cut out of the line unchecked"),
    Killer("user-name( -?[0-9]+)? *", (Peer.BETA_CLIENT,), "the name is cut out of the line unchecked"),
    Killer("network-announce *", (Peer.BETA_CLIENT,), "the text is cut out of the line unchecked"),
    Killer("game-line( [^ ]+){0,3} *", (Peer.BETA_CLIENT,), "the direction is the fifth word"),
    Killer("player-rename *", (Peer.JAVA_SERVER, Peer.ANDROID_SERVER), "the name is cut out of the line unchecked"),
    Killer("game-play( [^ ]+)? *", (Peer.JAVA_SERVER,), "the direction is the third word"),
    Killer("player-color *", (Peer.ANDROID_SERVER,), "the colour is the second word"),
    Killer("info-features.*", (Peer.BETA_SERVER,), "not written yet, and throws"),
    Killer("(user-name|user-color|vote-request) *", (Peer.BETA_SERVER,), "the second word is read unchecked"),
    Killer("request-join( color -?[0-9]+)? name *", (Peer.BETA_SERVER,), "the name is cut out of the line unchecked"),
    Killer("request-join color( (?!-?[0-9]+( |$)).*)? *", (Peer.BETA_SERVER,), "the colour is read as a number"),
    Killer("game-line( [^ ]+){0,2} *", (Peer.BETA_SERVER,), "the direction is the fourth word"),
)
"""Lines that kill whenever they come."""

_COMPILED = tuple((re.compile(killer.pattern), killer) for killer in LINES)


class Victim:
    """One of these programs as it hears us: it remembers what some lines need to have been said before them."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._players: dict[int, bool] = {}
        """Everybody added, and whether they are still there."""
        self._size = (0, 0)
        self._running = False
        self._redrawing = False
        """The board was replaced within a game, and no line has followed."""
        self._current = -1
        self._boxes: set[str] = set()

    def dies_of(self, data: bytes) -> str | None:
        """Why it does not survive this line; None if it does."""
        text = data.decode().rstrip("\n")
        for pattern, killer in _COMPILED:
            if self.peer in killer.peers and pattern.fullmatch(text):
                return f"{text!r}: {killer.why}"
        parsed = CODEC.parse(data, 0, None)
        if parsed is None:
            return None
        line = parsed[0]
        why = self._java(line) if self.peer is Peer.JAVA_CLIENT else None
        why = self._beta(line) if self.peer is Peer.BETA_CLIENT else why
        return None if why is None else f"{text!r}: {why}"

    def _java(self, line: Line) -> str | None:
        who, rest = words.head(line.args)
        player = -1 if who is None else who
        match line.word:
            case "player-add":
                self._players[player] = True
            case "player-rename" | "player-color" if player not in self._players:
                return "nobody has this id"
            case "player-remove":
                return self._removed(player)
            case "game-start" | "game-restart":
                self._running = True
            case "game-stop":
                self._running, self._current = False, -1
            case "game-current":
                self._current = player
            case "game-play":
                return self._drawn(rest)
            case "grid-size":
                return self._resized(words.size(line.args) or (0, 0))
        return None

    def _removed(self, player: int) -> str | None:
        if self._running and player not in self._players:
            return "nobody has this id, in a game"
        others = [who for who, there in self._players.items() if there and who != player]
        if self._running and not others:
            return "the search for the next player never ends"
        self._players[player] = False
        return None

    def _drawn(self, rest: str) -> str | None:
        move = words.move2(rest)
        width, height = self._size
        if move is not None and width and move not in shape(width, height).index:
            return "a dot at the edge has no such line"
        return None

    def _resized(self, size: tuple[int, int]) -> str | None:
        larger = self._size != (0, 0) and (size[0] > self._size[0] or size[1] > self._size[1])
        self._size = size
        return "old dots at the edge have no line; 0x0 must come between" if larger else None

    def _beta(self, line: Line) -> str | None:
        match line.word:
            case "game-start" | "game-stop":
                self._running = line.verb == "start"
                self._boxes.clear()
                self._redrawing = False
            case "game-size":
                self._redrawing = self._running
            case "game-current" if self._redrawing:
                return "the board was replaced in a game, and its lines were not sent again"
            case "game-line":
                self._redrawing = False
            case "game-box":
                place = " ".join(line.args.split()[1:])
                if place in self._boxes:
                    return "this box has an owner already"
                self._boxes.add(place)
        return None
