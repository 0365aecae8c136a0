"""Stand-ins for the server of the 3.0 beta, and for one that does what the 3.0 document says."""

import re

from tests.interop.netdot_originals import NOBODY, QUEUED, Conn, Original, Seat
from tests.netdot_killers import Peer

_SPELLED = {"h": "hor", "v": "ver"}


class Beta3(Original):
    """NetDot-Android "3.0 Beta 02": says 2.0, starts twice, tells the turn before the line, sends a blank line."""

    peer: Peer | None = Peer.BETA_SERVER
    major = "2"
    features = "chat random-start"

    def greet(self, conn: Conn) -> None:
        conn.say("request-info")

    def obey(self, conn: Conn, word: str, args: str) -> None:
        match word:
            case "info-version":
                conn.validated = args.split()[0] == self.major
                if not conn.validated:
                    self.hang_up(conn)
            case "request-info" if conn.validated:
                conn.say(f"info-version {self.major} 0", f"info-features {self.features}")
            case "request-info":
                conn.say("request-deny Server wants to know your version first!")
            case "request-join":
                self._join(conn, args)
            case _ if conn.id == QUEUED:
                conn.say("info-warn You are nobody yet.")
            case "network-chat":
                self.everyone(f"network-chat {conn.id} {args}")
            case "network-ping":
                conn.say("network-pong")
            case "user-name":
                self.seats[conn.id].name = args
                self.everyone(f"user-name {conn.id} {args}")
            case "user-color" if re.fullmatch(r"-?[0-9]{1,10}", args):
                self.seats[conn.id].color = args
                self.everyone(f"user-color {conn.id} {args}")
            case "user-color":
                conn.say("info-malformed Could not parse color!")
            case "game-line":
                self._line(conn, args)
            case _:
                self.obey_more(conn, word)

    def obey_more(self, conn: Conn, word: str) -> None:
        """What the beta does not know, or knows and leaves out."""
        known = ("game-", "vote-", "request-", "network-pong")
        if not word.startswith(known):
            conn.say(f"unknown-{word.partition('-')[0]}")

    # --- coming and going ---------------------------------------------------------------------------------------------

    def _join(self, conn: Conn, args: str) -> None:
        if conn.id != QUEUED:
            return
        found = re.fullmatch(r"(?:color (-?[0-9]+) ?)?(?:name (.+))?", args)
        assert found is not None, f"not a request-join: {args}"
        id = self.new_id()
        seat = Seat(found[2] or f"User {id}", conn, found[1] or "1861806580")
        self.seats[id] = seat
        self.everyone(f"network-add {id} {seat.color} {seat.name}")
        conn.id = id
        conn.say(f"network-assign {id}")
        for other, who in sorted(self.seats.items()):
            conn.say(f"network-add {other} {who.color or '-256'} {who.name}")
        self._tell_state(conn)

    def _tell_state(self, conn: Conn) -> None:
        conn.say(f"game-size {self.size[0]} {self.size[1]}")
        if self.running:
            conn.say("game-start", *(f"game-join {id}" for id in self.turns()))
            drawn = [f"game-line {id} {self._spelled(move)}" for move, id in self.lines.items()]
            drawn += [f"game-box {id} {x} {y}" for (x, y), id in self.boxes.items()]
            self.rng.shuffle(drawn)
            conn.say(*drawn)
            if not self.finished:
                conn.say(f"game-current {self.current}")
        gone = [f"network-remove {id}" for id, seat in self.seats.items() if seat.gone]
        conn.say(*(gone or [""]))

    def turns(self) -> list[int]:
        return sorted(id for id, seat in self.seats.items() if seat.playing and not seat.gone)

    def leave(self, conn: Conn) -> None:
        conn.left = True
        if conn.id == QUEUED:
            return
        self.seats[conn.id].gone = True
        if self.running and self.current == conn.id:
            self.current = self.after(conn.id)
            self.everyone(f"game-current {self.current}")
        self.everyone(f"network-remove {conn.id}")

    # --- the host -----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The very first random start throws after its first lines; `game-join` names only those who are new."""
        self.everyone("game-restart" if self.running else "game-start", "game-start")
        self.lines.clear()
        self.boxes.clear()
        broken = self.random_start and not self.turns()
        self.running = True
        if broken:
            self.current = NOBODY
            return
        self.current = self.rng.choice(self.turns()) if self.random_start else 0
        self._join_waiting()
        if self.random_start:
            self.everyone(f"game-current {self.current}")

    def stop(self) -> None:
        self.running = False
        self.current = NOBODY
        self.lines.clear()
        self.boxes.clear()
        self.everyone("game-stop", "game-stop")
        self._join_waiting()

    def _join_waiting(self) -> None:
        for id, seat in sorted(self.seats.items()):
            if not seat.playing and not seat.gone:
                seat.playing = True
                self.everyone(f"game-join {id}")

    def _line(self, conn: Conn, args: str) -> None:
        found = re.fullmatch(r"(-?[0-9]+) (-?[0-9]+) (hor|ver)", args)
        if found is None:
            self.everyone("info-malformed Could not parse GridPoint!")
            return
        move = f"{found[3][0]} {found[1]} {found[2]}"
        if not self.running or self.finished or self.current != conn.id:
            conn.say("info-warn Not your turn!")
        elif move not in self.legal():
            conn.say("info-warn Invalid move!")
        else:
            self.move(conn.id, move)

    def move(self, id: int, move: str) -> None:
        closed = self.draw(id, move)
        if closed:
            self.everyone(*(f"game-box {id} {x} {y}" for x, y in closed))
        else:
            self.everyone(f"game-current {self.current}")
        self.everyone(f"game-line {id} {self._spelled(move)}")
        self.after_move()

    @staticmethod
    def _spelled(move: str) -> str:
        letter, x, y = move.split()
        return f"{x} {y} {_SPELLED[letter]}"


class Draft3(Beta3):
    """A server by the 3.0 document: ready flags, votes, and line, box, turn in this order."""

    peer = None
    major = "3"
    features = "chat vote random-start random-order"

    def __init__(self, *args: object, votes: bool = False, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]
        self.votes = votes
        self.vote = ""
        self.said_yes: set[int] = set()
        self.seats[0].ready = True

    def obey(self, conn: Conn, word: str, args: str) -> None:
        if word == "info-features":
            return
        super().obey(conn, word, args)
        if word == "request-info" and self.votes:
            conn.say("feature-enable vote")
        if word == "vote-request" and self.votes and not self.vote:
            self.vote = args
            self.everyone(f"vote-start {args}")
        if word in ("vote-yes", "vote-no") and self.vote:
            self._count(conn.id, word == "vote-yes")

    def _count(self, id: int, yes: bool) -> None:
        if yes:
            self.said_yes.add(id)
        present = [id for id, seat in self.seats.items() if seat.conn is not None and not seat.gone]
        if 2 * len(self.said_yes) > len(present):
            self.everyone("vote-end", f"network-announce Vote passed: {self.vote}")
            self.vote = ""
            self.said_yes.clear()
            self.start()

    def obey_more(self, conn: Conn, word: str) -> None:
        seat = self.seats[conn.id]
        match word:
            case "game-ready" | "game-notready":
                seat.ready = word == "game-ready"
                self.everyone(f"{word} {conn.id}")
            case "game-leave" if seat.playing:
                seat.playing = False
                self.everyone(f"game-leave {conn.id}")
                if self.current == conn.id:
                    self.current = self.after(conn.id)
                    self.everyone(f"game-current {self.current}")

    def _tell_state(self, conn: Conn) -> None:
        conn.say(*(f"game-ready {id}" for id, seat in self.seats.items() if seat.ready))
        super()._tell_state(conn)
        conn.say("vote-disable kick", "network-ping")

    def start(self) -> None:
        self.lines.clear()
        self.boxes.clear()
        self.running = True
        for seat in self.seats.values():
            seat.playing = seat.ready
        turns = self.turns()
        self.current = self.rng.choice(turns) if self.random_start else turns[0]
        self.everyone("game-start", *(f"game-join {id}" for id in turns), f"game-current {self.current}")

    def stop(self) -> None:
        self.running = False
        self.everyone("game-stop")

    def move(self, id: int, move: str) -> None:
        closed = self.draw(id, move)
        self.everyone(f"game-line {id} {self._spelled(move)}", *(f"game-box {id} {x} {y}" for x, y in closed))
        if not self.finished:
            self.everyone(f"game-current {self.current}")
        self.after_move()
