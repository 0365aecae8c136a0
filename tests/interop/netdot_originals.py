"""Stand-ins for the original NetDot servers, with the habits and faults that were seen on the wire.

The host is player 0 and moves at random. A server dies of what the real one dies of, which fails the test.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random

from parlour.games.dots.rules import Shape, shape
from tests.netdot_killers import Peer, Victim

NOBODY = -1
QUEUED, SPECTATOR = -1, -2


class Conn:
    """One connection: what the server has to say to it, and what it knows of it."""

    def __init__(self, victim: Victim | None) -> None:
        self.victim = victim
        self.out: list[str] = []
        self.id = QUEUED
        self.validated = False
        self.closed = False
        """The server has hung up."""
        self.left = False

    def say(self, *lines: str) -> None:
        if not self.closed and not self.left:
            self.out.extend(lines)


class Seat:
    """Somebody in the list, who may have gone."""

    def __init__(self, name: str, conn: Conn | None, color: str = "") -> None:
        self.name = name
        self.conn = conn
        self.color = color
        self.gone = False
        self.playing = False
        self.ready = False


class Original(ABC):
    """What all of them have in common: a list, a board, and a host at the keyboard."""

    peer: Peer | None = None

    def __init__(self, width: int, height: int, rng: Random, random_start: bool = False) -> None:
        self.rng = rng
        self.size = (width, height)
        self.shape: Shape = shape(width, height)
        self.random_start = random_start
        self.conns: list[Conn] = []
        self.seats: dict[int, Seat] = {0: Seat("Server", None)}
        self.running = False
        self.current = NOBODY
        self.lines: dict[str, int] = {}
        self.boxes: dict[tuple[int, int], int] = {}
        self.heard: list[str] = []
        self.after_move: Callable[[], None] = lambda: None
        self._next = 0

    # --- the network --------------------------------------------------------------------------------------------------

    def connect(self) -> Conn:
        conn = Conn(None if self.peer is None else Victim(self.peer))
        self.conns.append(conn)
        self.greet(conn)
        return conn

    def receive(self, conn: Conn, data: bytes) -> None:
        """One line of a client."""
        if conn.victim is not None:
            assert (why := conn.victim.dies_of(data)) is None, f"killed by {why}"
        assert data.index(b"\n") == len(data) - 1, "one line at a time"
        text = data.decode()[:-1]
        self.heard.append(text)
        word, _, args = text.partition(" ")
        if "-" not in word.rstrip("-"):
            conn.say("info-malformed No command.")
            return
        self.obey(conn, word, args)

    def everyone(self, *lines: str) -> None:
        for conn in self.conns:
            if conn.id != QUEUED:
                conn.say(*lines)

    @abstractmethod
    def greet(self, conn: Conn) -> None:
        """What the server says first."""

    @abstractmethod
    def obey(self, conn: Conn, word: str, args: str) -> None:
        """A line with a hyphen in its first word."""

    @abstractmethod
    def leave(self, conn: Conn) -> None:
        """The socket is closed, after a goodbye or without."""

    def hang_up(self, conn: Conn) -> None:
        conn.closed = True

    # --- the game -----------------------------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        return self.running and len(self.boxes) == self.shape.boxes

    def new_id(self) -> int:
        self._next += 1
        return self._next

    def turns(self) -> list[int]:
        return sorted(id for id, seat in self.seats.items() if not seat.gone)

    def after(self, id: int) -> int:
        turns = self.turns()
        return next((other for other in turns if other > id), turns[0])

    def clear(self) -> None:
        self.lines.clear()
        self.boxes.clear()
        self.seats = {id: seat for id, seat in self.seats.items() if not seat.gone}

    def legal(self) -> list[str]:
        return [move for move in self.shape.moves if move not in self.lines]

    def draw(self, id: int, move: str) -> list[tuple[int, int]]:
        """The boxes that this line closes; the turn moves on without one."""
        self.lines[move] = id
        closed = []
        for box in self.shape.touching[self.shape.index[move]]:
            if all(self.shape.moves[line] in self.lines for line in self.shape.sides[box]):
                closed.append(self.shape.where[box])
                self.boxes[self.shape.where[box]] = id
        if not closed:
            self.current = self.after(id)
        return closed

    def host_moves(self) -> bool:
        """The host plays if it is their turn."""
        if not self.running or self.finished or self.current != 0:
            return False
        self.move(0, self.rng.choice(self.legal()))
        return True

    @abstractmethod
    def start(self) -> None:
        """The host presses start, or restart."""

    @abstractmethod
    def stop(self) -> None:
        """The host goes back to the lobby."""

    @abstractmethod
    def move(self, id: int, move: str) -> None:
        """A legal move, told to everyone."""

    def score(self, id: int) -> int:
        return list(self.boxes.values()).count(id)


def _point(word: str) -> tuple[int, int] | None:
    found = re.fullmatch(r"(-?\d+),(-?\d+)", word)
    return None if found is None else (int(found[1]), int(found[2]))


class Java2(Original):
    """NetDot-Java, 2.0: queues, spectators, promotion at odd moments, and every `player-remove` twice."""

    peer = Peer.JAVA_SERVER
    tells_version = True

    def __init__(
        self, width: int, height: int, rng: Random, random_start: bool = False, limit: int = 0, race: bool = False
    ) -> None:
        super().__init__(width, height, rng, random_start)
        self.limit = limit
        self.race = race
        """The next request-join comes before the queue is ready."""

    def greet(self, conn: Conn) -> None:
        conn.say("network-assign -1", *(["info-version 2 0"] if self.tells_version else []))

    def obey(self, conn: Conn, word: str, args: str) -> None:
        match word:
            case "info-version" if not conn.validated:
                conn.validated = args.split()[0] == "2"
                if not conn.validated:
                    self.hang_up(conn)
            case "info-version":
                conn.say("info-warn Version already known.")
            case _ if not conn.validated:
                conn.say("request-deny Server has not validated you yet!", "request-info")
            case "request-join":
                self._join(conn)
            case "request-spectate":
                self._spectate(conn)
            case "request-start" | "request-restart" | "request-stop":
                self.everyone(f"network-chat -3 {self.seats[conn.id].name} wants to {word}.")
            case "network-chat":
                self.everyone(f"network-chat {conn.id} {args}")
            case "network-disconnect":
                conn.say("network-disconnect")
                self._removed(conn.id)
            case "player-rename" | "player-color" | "game-play" if conn.id < 0:
                conn.say("info-warn You aren't a player yet!")
            case "player-rename":
                self.seats[conn.id].name = args
                self.everyone(f"player-rename {conn.id} {args}")
            case "player-color":
                self.seats[conn.id].color = args
                self.everyone(f"player-color {conn.id} {args}")
            case "game-play":
                self._play(conn, args)
            case _:
                conn.say(f"unknown-{word.partition('-')[0]}")

    # --- coming and going ---------------------------------------------------------------------------------------------

    def _full(self) -> bool:
        return self.limit > 0 and len(self.turns()) >= self.limit

    def _join(self, conn: Conn) -> None:
        if self.race or conn.id != QUEUED:
            self.race = False
            conn.say("request-deny Already joined.")
        elif self.running:
            conn.say("request-deny Server is in the middle of a game, feel free to spectate.", "network-busy")
        elif self._full():
            conn.say("request-deny Server is full.", "network-full")
        else:
            self._list(conn)
            conn.say(f"grid-size {self.size[0]}x{self.size[1]}", "grid-reset")
            self._admit(conn)

    def _list(self, conn: Conn) -> None:
        for id, seat in sorted(self.seats.items()):
            conn.say(f"player-add {id} {'Disconnected' if seat.gone else seat.name}")
            if seat.color:
                conn.say(f"player-color {id} {seat.color}")

    def _admit(self, conn: Conn) -> None:
        conn.id = self.new_id()
        self.seats[conn.id] = Seat(f"Client {conn.id}", conn)
        conn.say(f"network-assign {conn.id}")
        self.everyone(f"player-add {conn.id} Client {conn.id}")

    def _spectate(self, conn: Conn) -> None:
        if conn.id != QUEUED or not (self.running or self._full()):
            conn.say("request-deny Already joined." if conn.id != QUEUED else "request-deny You can join.")
            return
        conn.id = SPECTATOR
        conn.say("network-assign -2")
        self._list(conn)
        conn.say(f"grid-size {self.size[0]}x{self.size[1]}", "grid-reset")
        conn.say(*(["game-start"] if self.running else []))
        conn.say(*(f"player-remove {id}" for id, seat in self.seats.items() if seat.gone))
        conn.say(f"game-current {NOBODY if self.finished else self.current}")
        drawn = [f"player-line {id} {self._spelled(move, first=True)}" for move, id in self.lines.items()]
        drawn += [f"player-box {id} {x},{y}" for (x, y), id in self.boxes.items()]
        self.rng.shuffle(drawn)
        conn.say(*drawn)

    def _promote(self) -> None:
        for conn in self.conns:
            if conn.id == SPECTATOR and not conn.left and not self._full():
                self._admit(conn)

    def leave(self, conn: Conn) -> None:
        conn.left = True
        if conn.id >= 0:
            self._removed(conn.id)

    def _removed(self, id: int) -> None:
        self.everyone(f"player-remove {id}")
        if id not in self.seats or self.seats[id].gone:
            return
        self.seats[id].gone = True
        if not self.running:
            del self.seats[id]
            return
        if self.current == id:
            self.current = self.after(id)
        if self.tells_version:
            self._promote()

    # --- the host -----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        self.everyone("game-restart" if self.running else "game-start")
        self.clear()
        self.running = True
        self._promote()
        self.current = self.rng.choice(self.turns()) if self.random_start else 0
        if self.random_start:
            self.everyone(f"game-current {self.current}")

    def stop(self) -> None:
        self.running = False
        self.current = NOBODY
        self.everyone("game-stop")
        self.clear()
        self._promote()

    def _play(self, conn: Conn, args: str) -> None:
        dot, _, rest = args.partition(" ")
        where, direction = _point(dot), rest.partition(" ")[0]
        if where is None or direction not in ("hor", "ver"):
            conn.say("info-malformed Could not parse GridPoint!")
            return
        move = f"{direction[0]} {where[0]} {where[1]}"
        if not self.running or self.current != conn.id:
            conn.say("info-warn Not your turn!")
        elif move not in self.legal():
            conn.say("info-warn Invalid move!")
        else:
            self.move(conn.id, move)

    def move(self, id: int, move: str) -> None:
        self.draw(id, move)
        self.everyone(f"game-play {id} {self._spelled(move)}")
        self.after_move()

    @staticmethod
    def _spelled(move: str, first: bool = False) -> str:
        letter, x, y = move.split()
        direction = {"h": "hor", "v": "ver"}[letter]
        return f"{direction} {x},{y}" if first else f"{x},{y} {direction}"


class Android2(Java2):
    """NetDot-Android, 2.0: never tells its version; can toss for the first move; closes after a goodbye."""

    peer = Peer.ANDROID_SERVER
    tells_version = False

    def obey(self, conn: Conn, word: str, args: str) -> None:
        super().obey(conn, word, args)
        if word == "network-disconnect":
            self.everyone(f"player-remove {conn.id}")
            self.hang_up(conn)
