"""Stand-ins for the original Glendy programs: what they send, what they choke on, and what their servers get wrong.

Each has the habits that were measured on the real program, as far as the other end can see them.
"""

from collections.abc import Callable

from parlour.games.glenda.board import CELLS, DIRECTIONS, RIM, bit
from parlour.protocols.glendy.sight import Sight

Choose = Callable[[list[str]], str]


class Crashed(Exception):
    """The program is gone: abort() in C, an exception in Python."""


class Original:
    """What all clients have in common: a board kept from what the server says, and a move when it is their turn."""

    known: frozenset[str] = frozenset()

    def __init__(self, choose: Choose, hello: bytes = b"") -> None:
        self.choose = choose
        self.hello = hello
        self.sent: list[bytes] = []
        self.sight = Sight()
        self.side = 0
        self.over = ""
        self.opponent = ""
        self.lines: list[str] = []

    def heard(self, segment: bytes) -> None:
        """One recv() returned this."""
        raise AssertionError("each program reads in its own way")

    def line(self, line: str) -> None:
        """One line, as all of them understand it."""
        if self.over:
            return
        self.lines.append(line)
        match line.split(" "):
            case ["CONN", number, *rest]:
                self.side = int(number[0])
                self.opponent = " ".join(rest)
            case ["w", x, y]:
                self.sight.wall(int(x), int(y))
            case ["g", x, y]:
                self.placed(int(x), int(y))
            case ["SYNC", number, x, y] if int(number) % 2:
                self.sight.put(int(x), int(y))
            case ["SYNC", _, way]:
                self.sight.step(way)
            case ["TURN"]:
                self.move()
            case ["UGUD"]:
                self.sent.append(b"y\n")
            case ["WON" | "LOST" | "DIE" as word, *_]:
                self.over = word

    def placed(self, x: int, y: int) -> None:
        """Where glenda is said to be; the pygame clients know better: 5 5."""

    def move(self) -> None:
        moves = self.sight.steps() if self.side else self.sight.puts()
        self.sent.append(self.choose(moves).encode() + b"\n")


class LineReader(Original):
    """The C clients: they read line by line, however it was cut, and abort() on a word they do not know."""

    def __init__(self, choose: Choose, hello: bytes = b"") -> None:
        super().__init__(choose, hello)
        self._rest = b""

    def heard(self, segment: bytes) -> None:
        *lines, self._rest = (self._rest + segment).split(b"\n")
        for raw in lines:
            text = raw.decode("ascii")
            if text.split(" ")[0] not in self.known and not self.over:
                raise Crashed(f"abort() on {text!r}")
            self.line(text)

    def placed(self, x: int, y: int) -> None:
        self.sight.glenda = x, y


class FirstC(LineReader):
    """netclient.c of May: the first revision, with WALL and GLND."""

    known = frozenset(["CONN", "WAIT", "INIT", "w", "g", "SENT", "TURN", "WALL", "GLND", "SYNC", "WON", "LOST"])


class LaterC(LineReader):
    """netclient.c of June: hello first, answers UGUD, knows no refusal at all."""

    known = frozenset(["CONN", "WAIT", "UGUD", "INIT", "w", "g", "SENT", "TURN", "SYNC", "WON", "LOST"])


class PygameLines(Original):
    """The pygame client on the command line: what came in the same recv() as SENT is thrown away."""

    def heard(self, segment: bytes) -> None:
        for text in segment.decode("ascii").split("\n"):
            if text.startswith("CONN"):
                self.side = int(text.split()[1])
            else:
                self.line(text)
            if text == "SENT":
                return


class PygameWindow(Original):
    """The pygame client with a window: recv(1024), an incomplete last line is lost, CONN must have a name."""

    def heard(self, segment: bytes) -> None:
        for start in range(0, len(segment), 1024):
            *lines, _lost = segment[start : start + 1024].decode("ascii").split("\n")
            for text in lines:
                if text.startswith("CONN") and len(text.split(" ")) < 3:
                    raise Crashed(f"IndexError on {text!r}")
                self.line(text)


class Android(Original):
    """The Kotlin client: counts turns by itself from SYNC, and does not look at TURN."""

    known = LaterC.known | {"ERR", "DIE"}
    _due = False
    _rest = b""

    def heard(self, segment: bytes) -> None:
        *lines, self._rest = (self._rest + segment).split(b"\n")
        for text in (line.decode("ascii") for line in lines):
            word = text.split(" ")[0]
            if word not in self.known:
                raise Crashed(f"a message from the wrong thread on {text!r}")
            if word in ("SENT", "SYNC"):
                self.line(text)
                if self.sight.made % 2 == self.side and not self.sight.winner():
                    self._due = True
                continue
            if word != "TURN":
                self.line(text)

    def placed(self, x: int, y: int) -> None:
        self.sight.glenda = y, x  # so it reads them

    def play_if_due(self) -> None:
        """The person taps when the last segment has been dealt with."""
        if self._due and not self.over:
            self._due = False
            self.move()


# --- servers --------------------------------------------------------------------------------------------------------


class OriginalServer:
    """Two connections and one game, one write per line. `late` is the server of May, which judges late and oddly."""

    def __init__(self, walls: list[tuple[int, int]], later: bool, late: bool = False, closes: bool = True) -> None:
        self.later = later
        self.late = late
        self.closes = closes
        self.walls = walls
        self.sight = Sight()
        self.out: list[list[bytes]] = [[], []]
        self.ended = [False, False]
        self.seats: dict[int, int] = {}
        self.nicks = ["", ""]
        self.turn = 0
        for wall in walls:
            self.sight.wall(*wall)

    def say(self, who: int, line: str) -> None:
        if not self.ended[who]:
            self.out[who].append(line.encode() + b"\n")

    def arrive(self, who: int) -> None:
        """A connection is accepted; the later server waits for its hello."""
        if not self.later:
            self.seats[who] = who
            self.say(who, f"CONN {who}")
            self.say(who, "WAIT") if who == 0 else self.begin()

    def hear(self, who: int, line: str) -> None:
        if self.later and who not in self.seats:
            self.greeted(who, line)
        elif line == "y":
            return
        elif line == "q":
            self.say(who, "DIE disconnected")
            self.say(1 - who, "DIE other client have been disconnected")
            self.ended = [True, True]
        elif self.seats[who] != self.turn % 2:
            self.say(who, "ERR WAIT")
        else:
            self.play(who, line)

    def greeted(self, who: int, line: str) -> None:
        nick, game, side, _opts = line.split(" ")
        assert nick == "@" or (nick.isalnum() and len(nick) <= 8)
        assert game == "0"
        taken = next(iter(self.seats.values()), None)
        self.nicks[who] = "Guest" if nick == "@" else nick
        if taken is None:
            self.seats[who] = 1 if side == "2" else int(side)
            self.say(who, "WAIT")
            self.say(who, "UGUD")
        else:
            self.seats[who] = 1 - taken
            for each in (0, 1):
                self.say(each, f"CONN {self.seats[each]} {self.nicks[1 - each]}")
            self.begin()

    def begin(self) -> None:
        for who in (0, 1):
            self.say(who, "INIT")
            for cell in CELLS:
                if cell in self.walls or cell == self.sight.glenda:
                    self.say(who, f"{'w' if cell in self.walls else 'g'} {cell[0]} {cell[1]}")
            self.say(who, "SENT")
        self.tell_turns()

    def tell_turns(self) -> None:
        for who, seat in self.seats.items():
            self.say(who, "TURN" if seat == self.turn % 2 else "WAIT")

    def play(self, who: int, line: str) -> None:
        moves = self.sight.steps() if self.turn % 2 else self.sight.puts()
        if line not in moves:
            self.refuse(who, line)
            return
        escaped = bool(bit(*self.sight.glenda) & RIM)
        word, *arguments = line.split(" ")
        if word == "p":
            self.sight.put(int(arguments[0]), int(arguments[1]))
        else:
            self.sight.step(arguments[0])
        self.turn += 1
        if self.late:
            self.judge_late(escaped, line)
        else:
            self.judge(line)

    def refuse(self, who: int, line: str) -> None:
        word, _, text = line.partition(" ")
        x, y = self.sight.glenda
        words = text.split()
        if word not in ("m", "p"):
            self.say(who, f"ERR proc() unkown command {line[:1]}")
        elif word == "m" and not self.seats[who]:
            self.say(who, "you can't move!" if self.later else "CANTM")
        elif word == "p" and self.seats[who]:
            self.say(who, "ERR you can't put walls" if self.later else "CANTP")
        elif word == "m" and text not in DIRECTIONS:
            self.say(who, f"ERR invalidinput proc_move(): {text}")
        elif word == "m":
            self.say(who, f"ERR glenda {text} {x} {y}" if self.later else f"WALL {text} {x} {y}")
        elif len(words) < 2:
            self.say(who, "ERR INVALIDINPUT proc_put():not enough arguments or malformed string")
        elif not all(each.isdigit() for each in words):
            self.say(who, f"ERR invalidinput proc_put():expected string in {words[0]} and {words[1]}")
        elif (int(words[0]), int(words[1])) not in CELLS:
            self.say(who, f"ERR invalidinput proc_put(): {text}")
        elif text == f"{x} {y}":
            self.say(who, f"ERR glenda in {text}" if self.later else f"GLND {text}")
        else:
            self.say(who, f"ERR wall in {text}" if self.later else f"WALL {text}")

    def sync(self, line: str) -> None:
        for who in (0, 1):
            self.say(who, f"SYNC {self.turn} {line[2:]}")

    def judge(self, line: str) -> None:
        """Since June: after every move, then the sockets are shut (one of them may stay open)."""
        self.sync(line)
        winner = self.sight.winner()
        if winner is None:
            self.tell_turns()
            return
        self.verdict(winner)
        self.ended = [True, self.closes]

    def judge_late(self, escaped: bool, line: str) -> None:
        """In May: an escape is seen one move later, a trap only where a free cell is left beside her, and no SYNC."""
        if escaped:
            self.verdict(1)
            self.ended = [True, True]
        elif self.sight.winner() == 0 and self.sight.steps():
            self.verdict(0)
            self.tell_turns()
        else:
            self.sync(line)
            self.tell_turns()

    def verdict(self, winner: int) -> None:
        for who, seat in self.seats.items():
            self.say(who, "WON" if seat == winner else "LOST")
