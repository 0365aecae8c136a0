"""Glendy as a student writes it from the document: a server and a client of their own, with faults to plant.

Nothing of ours is used here, so that the examiner is not examined by itself.
"""

import asyncio
import contextlib
import random

EVEN = {"NE": (0, -1), "E": (1, 0), "SE": (0, 1), "SW": (-1, 1), "W": (-1, 0), "NW": (-1, -1)}
ODD = {"NE": (1, -1), "E": (1, 0), "SE": (1, 1), "SW": (0, 1), "W": (-1, 0), "NW": (0, -1)}
SIZE = 11
Cell = tuple[int, int]


class Grid:
    """Walls, and where glenda is."""

    def __init__(self, faults: frozenset[str]) -> None:
        self.faults = faults
        self.walls: set[Cell] = set()
        self.glenda: Cell = (5, 5)

    def beside(self, cell: Cell, way: str) -> Cell:
        odd = cell[1] % 2 if "unshifted" not in self.faults else 0
        if "shifted wrongly" in self.faults:
            odd = 1 - odd
        dx, dy = (ODD if odd else EVEN)[way]
        return cell[0] + dx, cell[1] + dy

    def inside(self, cell: Cell) -> bool:
        return 0 <= cell[0] < SIZE and 0 <= cell[1] < SIZE

    def ways(self, cell: Cell) -> list[str]:
        return [way for way in EVEN if self.inside(self.beside(cell, way)) and self.beside(cell, way) not in self.walls]

    def edge(self, cell: Cell) -> bool:
        if "no east edge" in self.faults:
            return cell[0] == 0 or cell[1] in (0, SIZE - 1)
        if "no north edge" in self.faults:
            return cell[0] in (0, SIZE - 1) or cell[1] == SIZE - 1
        if "early edge" in self.faults:
            return not (1 < cell[0] < SIZE - 2 and 1 < cell[1] < SIZE - 2)
        return cell[0] in (0, SIZE - 1) or cell[1] in (0, SIZE - 1)

    def trapped(self) -> bool:
        if "six walls" in self.faults:
            return not self.ways(self.glenda)
        if "never trapped" in self.faults:
            return False
        seen, todo = {self.glenda}, [self.glenda]
        while todo:
            cell = todo.pop()
            if cell[0] in (0, SIZE - 1) or cell[1] in (0, SIZE - 1):
                return False
            for way in self.ways(cell):
                there = self.beside(cell, way)
                if there not in seen:
                    seen.add(there)
                    todo.append(there)
        return True


class StudentServer:
    """Pairs whoever comes, in the first or the later revision."""

    def __init__(self, faults: frozenset[str], later: bool = False, silent: bool = False) -> None:
        self.faults, self.later = faults, later
        self.silent = silent
        """Passes over what the document has no answer for."""
        self.queue: list[Seat] = []
        self.numbers = 0

    async def come(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seat = Seat(self, reader, writer)
        try:
            with contextlib.suppress(
                ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError
            ):
                await seat.run()
        finally:
            seat.gone()
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    def arrived(self, seat: "Seat") -> None:
        other = next((one for one in self.queue if self.fits(seat, one)), None)
        if other is None:
            self.queue.append(seat)
            seat.side = 0 if seat.wish == 2 else seat.wish
            if not self.later:
                seat.say(f"CONN {1 if 'from one' in self.faults else 0}")
            if "no wait" not in self.faults:
                seat.say("WAIT")
            if self.later:
                seat.say("UGUD")
            return
        self.queue.remove(other)
        seat.side = 1 - other.side if "same side" not in self.faults else other.side
        if not self.later:
            seat.say(f"CONN {seat.side}")
        if "late wait" in self.faults and not self.later:
            seat.say("WAIT")
        Game(self.faults, [other, seat] if other.side == 0 else [seat, other], self.silent).begin()

    def fits(self, one: "Seat", other: "Seat") -> bool:
        return not self.later or "any side" in self.faults or 2 in (one.wish, other.wish) or one.wish != other.wish


class Seat:
    """One connection."""

    def __init__(self, server: StudentServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.server, self.reader, self.writer = server, reader, writer
        self.faults = server.faults
        self.game: Game | None = None
        self.side, self.wish, self.nick = 0, 2, "Guest"
        self.left = False

    def say(self, line: str) -> None:
        if not self.writer.is_closing():
            end = "\r\n" if "crlf" in self.faults else "" if "no newline" in self.faults and line == "TURN" else "\n"
            self.writer.write(f"{line}{end}".encode())

    async def line(self) -> str:
        if "one recv" in self.faults:
            data = await self.reader.read(1024)
            text = data.decode("latin-1").split("\n")[0]
            if not data:
                raise asyncio.IncompleteReadError(b"", None)
            return text
        data = await self.reader.readuntil(b"\n")
        return data[:-1].decode("latin-1")

    async def run(self) -> None:
        if self.later_hello():
            words = (await self.line()).split()
            bad = len(words) != 4 or words[1] != "0" or words[2] not in "012" or not words[0].strip("@").isalnum()
            if len(words) == 4 and words[0] == "@":
                bad, words[0] = False, "Guest"
            if (bad or len(words[0]) > 8) and "any hello" not in self.faults:
                self.say("DIE bad hello")
                return
            self.nick, self.wish = words[0], int(words[2]) if words[2] in "012" else 2
        self.server.arrived(self)
        while not self.left:
            text = await self.line()
            if text in ("q", "\0"):
                if "deaf to q" not in self.faults:
                    return
            elif self.game is None:
                if text != "y":
                    self.say("ERR WAIT")
            else:
                self.game.heard(self, text)

    def later_hello(self) -> bool:
        return self.server.later

    def gone(self) -> None:
        if self in self.server.queue and "ghost" not in self.faults:
            self.server.queue.remove(self)
        if self.game is not None and "not told" not in self.faults:
            self.game.left(self)

    def close(self) -> None:
        self.left = True
        self.writer.close()


class Game:
    """One game."""

    def __init__(self, faults: frozenset[str], seats: list[Seat], silent: bool) -> None:
        self.faults, self.seats, self.silent = faults, seats, silent
        self.grid = Grid(faults)
        self.turn, self.count, self.over = 0, 0, False
        cells = [(x, y) for x in range(SIZE) for y in range(SIZE) if (x, y) != (5, 5)]
        self.grid.walls = set(random.sample(cells, 10))
        if "second board" in faults:
            self.second = {*self.grid.walls, (2, 2)}

    def begin(self) -> None:
        for number, seat in enumerate(self.seats):
            seat.game, seat.side = self, seat.side if "same side" in self.faults else number
            if seat.server.later:
                other = self.seats[1 - number].nick if "own nick" not in self.faults else seat.nick
                seat.say(f"CONN {number} {other}")
        for number, seat in enumerate(self.seats):
            walls = self.second if "second board" in self.faults and number else self.grid.walls
            seat.say("INIT") if "no init" not in self.faults else None
            for x, y in sorted(walls):
                seat.say(f"w {y} {x}" if "swapped" in self.faults and number else f"w {x} {y}")
            if "no glenda" not in self.faults:
                seat.say("g {} {}".format(*self.grid.glenda))
            if "two glendas" in self.faults:
                seat.say("g 5 5")
            if "no sent" not in self.faults:
                seat.say("SENT")
        if "glenda begins" in self.faults:
            self.turn = 1
        self.tell()

    def tell(self) -> None:
        for number, seat in enumerate(self.seats):
            if number == self.turn:
                seat.say("TURN")
            elif "no wait in play" not in self.faults:
                seat.say("WAIT")

    def heard(self, seat: Seat, text: str) -> None:
        side = self.seats.index(seat)
        if self.over or text == "y":
            return
        if side != self.turn:
            if "hasty" in self.faults and text[:1] in "pm":
                pass
            else:
                if "no err wait" not in self.faults:
                    seat.say("ERR TURN" if "err turn" in self.faults else "ERR WAIT")
                if "both warned" in self.faults:
                    self.seats[1 - side].say("ERR WAIT")
                return
        words = text.split(" ")
        if words[0] == "p" and (side == 0 or "glenda puts" in self.faults) and len(words) == 3:
            self.put(seat, words)
        elif words[0] == "m" and (side == 1 or "trapper steps" in self.faults) and len(words) == 2:
            self.step(seat, words[1])
        else:
            self.bad(seat)

    def bad(self, seat: Seat) -> None:
        if "bad closes" in self.faults:
            seat.close()
        elif "bad passes" in self.faults:
            self.turn = 1 - self.turn
            self.tell()
        elif not self.silent:
            seat.say("ERR what?")

    def put(self, seat: Seat, words: list[str]) -> None:
        if not words[1].isdigit() or not words[2].isdigit():
            self.bad(seat)
            return
        cell = int(words[1]), int(words[2])
        limit = SIZE + 1 if "bounds" in self.faults else SIZE - 1 if "narrow" in self.faults else SIZE
        if max(cell) >= limit:
            self.bad(seat)
            return
        later = seat.server.later
        if cell in self.grid.walls and "wall twice" not in self.faults:
            words = ["", *words[:0:-1]] if "echo swapped" in self.faults else words
            seat.say(f"ERR wall in {words[1]} {words[2]}" if later else f"WALL {words[1]} {words[2]}")
            if "wall costs" in self.faults:
                self.turn = 1
                self.tell()
            return
        if cell == self.grid.glenda and "on glenda" not in self.faults:
            word = "WALL" if "one word" in self.faults else "GLND"
            seat.say(f"ERR glenda in {words[1]} {words[2]}" if later else f"{word} {words[1]} {words[2]}")
            return
        if "forgets walls" not in self.faults:
            self.grid.walls.add(cell)
        self.played(f"{cell[1]} {cell[0]}" if "sync swapped" in self.faults else f"{cell[0]} {cell[1]}")

    def step(self, seat: Seat, way: str) -> None:
        if way not in EVEN:
            self.bad(seat)
            return
        if way not in self.grid.ways(self.grid.glenda) and "through walls" not in self.faults:
            if not self.silent:
                seat.say("ERR wall")
            return
        self.grid.glenda = self.grid.beside(self.grid.glenda, way)
        self.played(way)

    def played(self, text: str) -> None:
        self.count += 0 if "counts puts" in self.faults and self.turn else 1
        number = self.count - 1 if "from zero" in self.faults else self.count
        for side, seat in enumerate(self.seats):
            if "sync to mover" in self.faults and side != self.turn:
                continue
            if "sync to other" in self.faults and side == self.turn:
                continue
            seat.say(f"SYNC {number} {text}")
        if "turn first" in self.faults:
            self.tell()
        winner = 1 if self.grid.edge(self.grid.glenda) else 0 if self.grid.trapped() else None
        if "late verdict" in self.faults and winner == 1 and self.turn == 1:
            winner = None
        if winner is None:
            self.turn = 1 - self.turn if "same turn" not in self.faults or self.count != 3 else self.turn
            if "turn first" not in self.faults:
                self.tell()
            return
        self.over = True
        for side, seat in enumerate(self.seats):
            won = (side == winner) != ("verdict swapped" in self.faults)
            if "loser untold" in self.faults and not won:
                continue
            if "verdict turn" in self.faults:
                seat.say("TURN" if side != self.turn else "WAIT")
            seat.say("WON" if won or "all win" in self.faults else "LOST")
            if "stays open" not in self.faults and not ("one stays open" in self.faults and side):
                seat.close()

    def left(self, gone: Seat) -> None:
        if not self.over:
            self.over = True
            for seat in self.seats:
                if seat is not gone:
                    seat.say("DIE other client have been disconnected")
                    seat.close()


async def student_server(faults: frozenset[str], later: bool = False, silent: bool = False) -> asyncio.Server:
    """A server on any port."""
    return await asyncio.start_server(StudentServer(faults, later, silent).come, "127.0.0.1", 0)


class StudentClient:
    """Plays by itself, at random."""

    def __init__(self, faults: frozenset[str], later: bool = False) -> None:
        self.faults, self.later = faults, later
        self.grid = Grid(faults)
        self.side, self.over = 0, False
        self.tried: set[str] = set()
        self.rng = random.Random("the student")

    async def run(self, host: str, port: int) -> None:
        self.reader, self.writer = await asyncio.open_connection(host, port)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self.talk()
        finally:
            self.writer.close()
            with contextlib.suppress(ConnectionError):
                await self.writer.wait_closed()

    def say(self, text: str) -> None:
        end = "\r\n" if "crlf" in self.faults else "" if "no newline" in self.faults else "\n"
        self.writer.write(f"{text}{end}".encode())

    async def talk(self) -> None:
        if self.later and "no hello" not in self.faults:
            nick = "examinee9" if "long nick" in self.faults else "pupil"
            side = "3" if "side 3" in self.faults else "2"
            self.say(f"{nick} 0 {side}" if "three words" in self.faults else f"{nick} 0 {side} 0")
        if "speaks first" in self.faults:
            self.say("hello")
        while not self.over:
            if "one recv" in self.faults:
                data = await self.reader.read(1024)
                if not data:
                    return
                lines = data.decode().split("\n")[:-1]
                if "SENT" in lines and "drops behind sent" in self.faults:
                    lines = lines[: lines.index("SENT") + 1]
            else:
                lines = [(await self.reader.readuntil(b"\n"))[:-1].decode("latin-1")]
            for line in lines:
                self.heard(line)

    def heard(self, line: str) -> None:
        match line.split():
            case ["CONN", side, *_]:
                self.side = int(side) if "always trapper" not in self.faults else 0
            case ["UGUD"]:
                if "no y" not in self.faults:
                    self.say("Y" if "loud y" in self.faults else "y")
            case ["w", x, y]:
                cell = (int(y), int(x)) if "swapped" in self.faults else (int(x), int(y))
                if "no board" not in self.faults:
                    self.grid.walls.add(cell)
            case ["g", x, y] if "centre" not in self.faults:
                self.grid.glenda = (int(x), int(y))
            case ["SENT"] if "moves on sent" in self.faults:
                self.move()
            case ["SYNC", _, x, y] if x.isdigit() and y.isdigit():
                if "forgets walls" not in self.faults:
                    self.grid.walls.add((int(x), int(y)))
                self.synced(self.side == 1)
            case ["SYNC", _, way] if way in EVEN:
                if "forgets steps" not in self.faults:
                    self.grid.glenda = self.grid.beside(self.grid.glenda, way)
                self.synced(self.side == 0)
            case ["TURN"]:
                if "moves on sync" not in self.faults or not self.tried:
                    self.move()
                if "moves twice" in self.faults:
                    self.move()
            case ["WAIT"] if "moves on wait" in self.faults and self.grid.walls:
                self.move()
            case ["WALL" | "GLND", *_] if "hangs" not in self.faults:
                self.move()
            case ["ERR", "wall" | "glenda", *_] if "hangs" not in self.faults:
                self.move()
            case ["ERR", *_] if "aborts" in self.faults:
                self.over = True
            case ["WON" | "LOST" | "DIE", *_]:
                if "speaks after" in self.faults:
                    self.move()
                self.over = True

    def synced(self, theirs: bool) -> None:
        self.tried.clear()
        ended = self.grid.edge(self.grid.glenda) or self.grid.trapped()
        if "ends itself" in self.faults and ended:
            self.over = True
        if "moves on sync" in self.faults and theirs:
            self.move()

    def move(self) -> None:
        grid = self.grid
        if self.side:
            moves = [f"m {way}" for way in grid.ways(grid.glenda)]
            if "through walls" in self.faults:
                moves = [f"m {way}" for way in EVEN]
            if "small" in self.faults:
                moves = [move.lower() for move in moves]
        else:
            off = 1 if "from one" in self.faults else 0
            cells = [(x, y) for x in range(SIZE) for y in range(SIZE) if (x, y) not in grid.walls]
            cells = [cell for cell in cells if cell != grid.glenda or "on glenda" in self.faults]
            moves = [f"p {x + off} {y + off}" for x, y in cells]
            if "comma" in self.faults:
                moves = [move[:2] + move[2:].replace(" ", ",") for move in moves]
        fresh = [move for move in moves if move not in self.tried]
        if not fresh:
            self.say("q")
            self.over = True
            return
        move = self.rng.choice(fresh)
        if not grid.edge(grid.glenda) or not self.side:
            self.tried.add(move)
            self.say(move)
