"""A stand-in for a 1.x server, from the document's history: no program of that age is left."""

import re

from tests.interop.netdot_originals import QUEUED, Conn, Original, Seat


class First(Original):
    """1.x: a place in the list is an id, everybody counts turns and boxes, and nobody watches."""

    def greet(self, conn: Conn) -> None:
        conn.say("info-version 1 7")

    def obey(self, conn: Conn, word: str, args: str) -> None:
        match word:
            case "info-version" if args.split()[0] != "1":
                self.hang_up(conn)
            case "info-version" if self.running:
                conn.validated = True
                conn.say("network-busy")
            case "info-version":
                conn.validated = True
                self._admit(conn)
            case "request-join" if conn.id == QUEUED:
                self.everyone("network-chat 0 Somebody waits to get in.")
            case _ if conn.id == QUEUED:
                conn.say("info-warn You have no place yet.")
            case "player-rename":
                self.seats[conn.id].name = args
                self.everyone(f"player-rename {conn.id} {args}")
            case "player-color":
                self.everyone(f"player-color {conn.id} {args}")
            case "network-chat":
                self.everyone(f"network-chat {conn.id} {args}")
            case "request-start" | "request-restart" | "request-stop":
                self.everyone(f"network-chat 0 {self.seats[conn.id].name} wants to {word}.")
            case "network-disconnect":
                self.leave(conn)
            case "game-play":
                self._play(conn, args)
            case _:
                conn.say(f"unknown-{word.partition('-')[0]}")

    def _admit(self, conn: Conn) -> None:
        self.everyone("network-connect")
        conn.id = len(self.seats)
        self.seats[conn.id] = Seat(f"Client {conn.id}", conn)
        self.everyone(f"player-new {conn.id} 0 Client {conn.id}")
        conn.say(f"network-assign {conn.id}")
        self._list(conn)
        conn.say(f"grid-size {self.size[0]}x{self.size[1]}", "grid-reset")

    def _list(self, conn: Conn) -> None:
        conn.say(f"player-count {len(self.seats)}")
        conn.say(*(f"player-new {id} 0 {seat.name}" for id, seat in sorted(self.seats.items())))
        conn.say("player-color 0 -16711936")

    def leave(self, conn: Conn) -> None:
        """Whoever leaves ends the game, and the others get new places."""
        conn.left = True
        if conn.id == QUEUED:
            return
        self.everyone(f"network-disconnect {conn.id}")
        if self.running:
            self.stop(admit=False)
        del self.seats[conn.id]
        self.seats = dict(enumerate(seat for _, seat in sorted(self.seats.items())))
        for id, seat in self.seats.items():
            if seat.conn is not None:
                seat.conn.id = id
                self._list(seat.conn)
                seat.conn.say(f"network-assign {id}")

    def start(self) -> None:
        self.everyone("game-restart" if self.running else "game-start")
        self.lines.clear()
        self.boxes.clear()
        self.running = True
        self.current = 0

    def stop(self, admit: bool = True) -> None:
        self.running = False
        self.everyone("game-stop")
        for conn in self.conns if admit else ():
            if conn.validated and conn.id == QUEUED and not conn.left:
                self._admit(conn)

    def _play(self, conn: Conn, args: str) -> None:
        found = re.fullmatch(r"(true|false) (\d+), (\d+)", args)
        if found is None:
            conn.say("info-malformed game-play")
            return
        move = f"{'v' if found[1] == 'true' else 'h'} {found[2]} {found[3]}"
        if not self.running or self.current != conn.id or move not in self.legal():
            conn.say("info-warn Not now.")
        else:
            self.move(conn.id, move)

    def move(self, id: int, move: str) -> None:
        self.draw(id, move)
        letter, x, y = move.split()
        self.everyone(f"game-play {id} {'true' if letter == 'v' else 'false'} {x}, {y}")
        self.after_move()
