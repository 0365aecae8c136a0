"""ConnectI4n as a student writes it from the document: a server and a client of their own, with faults to plant.

Nothing of ours is used here, so that the examiner is not examined by itself.
"""

import asyncio
import contextlib
import random
import re

COLUMNS, ROWS = 7, 6
MESSAGE = re.compile(
    rb"\s*C4N[ \t]+1\.0[ \t]+(?:(START|STOP)|(MOVE|ERROR)[ \t]*\r?\n[ \t]*([+-]?\d+)|(BOARD|RESULT)\s[^C]*)"
)
WORDS = (b"START", b"STOP", b"MOVE", b"ERROR", b"BOARD", b"RESULT")
PREFIX = re.compile(rb"\s*(?:C(?:4(?:N(?:[ \t]+(?:1(?:\.(?:0(?:[ \t]+([A-Z]*)[ \t]*\r?\n?[ \t]*[+-]?)?)?)?)?)?)?)?)?$")


def unfinished(data: bytes) -> bool:
    """Whether more bytes may make this a message."""
    found = PREFIX.match(data)
    return found is not None and (not found[1] or any(word.startswith(found[1]) for word in WORDS))


class Game:
    """A board: rows from the top, 0 empty, 1 the player, 2 the AI."""

    def __init__(self) -> None:
        self.cells = [[0] * COLUMNS for _ in range(ROWS)]

    def drop(self, column: int, token: int) -> bool:
        for row in reversed(self.cells):
            if row[column] == 0:
                row[column] = token
                return True
        return False

    def room(self) -> list[int]:
        return [column for column in range(COLUMNS) if self.cells[0][column] == 0]

    def winner(self, faults: frozenset[str] = frozenset()) -> int:
        """1, 2, or 0."""
        ways = [(0, 1, "row"), (1, 0, "column"), (1, 1, "falling"), (1, -1, "rising")]
        last = COLUMNS - 1 if "right edge" in faults else COLUMNS
        top = 1 if "top row" in faults else 0
        length = 5 if "five" in faults else 3 if "three" in faults else 4
        for row in range(top, ROWS):
            for column in range(last):
                for down, right, name in ways:
                    if f"no {name}" in faults:
                        continue
                    line = [(row + n * down, column + n * right) for n in range(length)]
                    if not all(top <= y < ROWS and 0 <= x < last for y, x in line):
                        continue
                    tokens = {self.cells[y][x] for y, x in line}
                    if len(tokens) == 1 and 0 not in tokens:
                        return tokens.pop()
        flat = [cell for row in self.cells for cell in row]
        if "wrapped" in faults:
            for at in range(len(flat) - 3):
                if flat[at] and len(set(flat[at : at + 4])) == 1:
                    return flat[at]
        return 0


class StudentServer:
    """One connection. `faults` are what is wrong with it; none, and it goes by the document."""

    def __init__(self, faults: frozenset[str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.faults = faults
        self.reader, self.writer = reader, writer
        self.game: Game | None = None
        self.rest = b""

    def say(self, kind: str, data: str | None = None) -> None:
        version = "1.1" if "version" in self.faults else "1.0"
        gap = " " if "no line feed" in self.faults else "\n"
        end = "\r\n" if "crlf" in self.faults else "\n" if "line feeds" in self.faults else ""
        self.writer.write((f"C4N {version} {kind}" + (gap + data if data is not None else "") + end).encode())

    def board(self) -> None:
        assert self.game is not None
        rows = self.game.cells
        if "mirrored" in self.faults:
            rows = [row[::-1] for row in rows]
        if "upside down" in self.faults:
            rows = rows[::-1]
        cells = [cell for row in rows for cell in row]
        if "by columns" in self.faults:
            cells = [rows[row][column] for column in range(COLUMNS) for row in range(ROWS)]
        if "tokens" in self.faults:
            cells = [(0, 2, 1)[cell] for cell in cells]
        if "short" in self.faults:
            cells.pop()
        sides = f"{ROWS} {COLUMNS}" if "rows first" in self.faults else f"{COLUMNS} {ROWS}"
        self.say("BOARD", f"{sides} " + " ".join(map(str, cells)))

    async def run(self) -> None:
        try:
            while await self.step():
                await self.writer.drain()
        except (ConnectionError, OSError):
            pass
        finally:
            self.writer.close()

    async def step(self) -> bool:
        """Read one message and answer it; False when it is over."""
        found = MESSAGE.match(self.rest)
        if found is None and self.rest.strip() and not unfinished(self.rest):
            self.rest = b""
            if "silent" not in self.faults:
                self.say("ERROR", "2" if "wrong code" in self.faults else "1")
            return True
        if found is None:
            data = await self.reader.read(4096)
            if "one recv" in self.faults:
                self.rest = b""
            self.rest += data
            return bool(data)
        self.rest = b"" if "drops the rest" in self.faults else self.rest[found.end() :]
        return self.take(found)

    def take(self, found: "re.Match[bytes]") -> bool:
        if found[1] == b"START" and self.game is None:
            self.game = Game()
            if "ai first" in self.faults:
                self.game.drop(3, 2)
            self.board()
            return True
        if found[1] == b"STOP":
            return "ignores stop" in self.faults
        if found[2] == b"MOVE" and self.game is not None:
            return self.move(int(found[3]))
        self.say("ERROR", "2" if "wrong code" in self.faults else "1")
        return True

    def move(self, column: int) -> bool:
        assert self.game is not None
        game = self.game
        if "from one" in self.faults:
            column -= 1
        if "negative" in self.faults and -COLUMNS <= column < 0:
            column += COLUMNS
        if not 0 <= column < COLUMNS - ("last column" in self.faults):
            self.say("ERROR", "1" if "bounds code" in self.faults else "2")
            return "closes on error" not in self.faults
        if not game.drop(column, 1):
            if "full code" in self.faults:
                self.say("ERROR", "99")
            elif "full skipped" in self.faults:
                self.board()
                self.board()
            else:
                self.say("ERROR", "2")
            return True
        if "one board" not in self.faults:
            self.board()
        over = self.over()
        if over is not None:
            return over
        for _ in range(2 if "moves twice" in self.faults else 1):
            if game.room():
                game.drop(random.choice(game.room()), 2)
        if "no second" not in self.faults:
            self.board()
        over = self.over()
        return True if over is None else over

    def over(self) -> bool | None:
        """None while the game goes on; else whether the connection stays open."""
        assert self.game is not None
        winner = self.game.winner(self.faults)
        if not winner and self.game.room():
            return None
        if winner:
            if "swapped" in self.faults:
                winner = 3 - winner
            if "always one" in self.faults:
                winner = 1
            if "no result" not in self.faults:
                self.say("RESULT", str(winner))
        elif "draw won" in self.faults:
            self.say("RESULT", "1")
        else:
            self.say("RESULT", "0")
        return "stays open" in self.faults


async def student_server(faults: frozenset[str] = frozenset()) -> asyncio.Server:
    """A server on a free port."""

    async def arrived(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await StudentServer(faults, reader, writer).run()

    return await asyncio.start_server(arrived, "127.0.0.1", 0)


class StudentClient:
    """A client that plays by itself, the first column with room first."""

    def __init__(self, faults: frozenset[str]) -> None:
        self.faults = faults
        self.rest = b""
        self.seen = -1
        self.refused: set[int] = set()
        self.cells: list[int] = []
        self.sides = (COLUMNS, ROWS)

    async def run(self, host: str, port: int) -> None:
        reader, writer = await asyncio.open_connection(host, port)
        self.writer = writer
        try:
            await self.play(reader)
        except (ConnectionError, OSError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def say(self, text: str) -> None:
        self.writer.write(text.replace("1.0", "2.0" if "version" in self.faults else "1.0").encode())

    async def play(self, reader: asyncio.StreamReader) -> None:
        self.say("C4N 1.0 start\n" if "small letters" in self.faults else "C4N 1.0 START\n")
        if "hasty" in self.faults:
            self.say("C4N 1.0 MOVE\n3")
        if "two starts" in self.faults:
            self.say("C4N 1.0 START\n")
        while data := await reader.read(1024):
            if "one recv" in self.faults:
                self.rest = b""
            self.rest += data
            while True:
                taken = self.take()
                if taken is None:
                    break
                if not taken:
                    return
            await self.writer.drain()

    def take(self) -> bool | None:
        """None: more bytes are needed; False: it is over."""
        text = self.rest.decode("latin-1")
        found = re.match(r"\s*C4N +1\.0 +(ERROR|RESULT|BOARD|STOP|START)\s*", text)
        if found is None:
            skipped = text.find("C4N 1.0", 1)
            if skipped > 0:
                self.rest = self.rest[skipped:]
                return True
            return None
        body = text[found.end() :]
        if found[1] == "BOARD":
            return self.board(body, found.end())
        if found[1] in ("STOP", "START"):
            self.rest = self.rest[found.end() :]
            return found[1] != "STOP" or "ignores stop" in self.faults
        number = re.match(r"-?\d+", body)
        if number is None or (found[1] == "ERROR" and number[0] == "9" and len(body) == 1):
            return None
        self.rest = self.rest[found.end() + number.end() :]
        if found[1] == "RESULT":
            return self.result()
        return self.error(int(number[0]))

    def result(self) -> bool:
        if "goes on" in self.faults:
            self.move()
            self.move()
        return "goes on" in self.faults

    def error(self, code: int) -> bool:
        if code != 2:
            if "ignores full" in self.faults:
                self.say("C4N 1.0 MOVE\n0")
            return "ignores full" in self.faults
        if "gives no second" not in self.faults:
            self.move()
            if "answers twice" in self.faults:
                self.move()
        return True

    def board(self, body: str, start: int) -> bool | None:
        numbers = [(found[0], found.end()) for found in re.finditer(r"\d+", body.split("C4N")[0])]
        if len(numbers) < 2:
            return None
        columns, rows = int(numbers[0][0]), int(numbers[1][0])
        if len(numbers) < 2 + columns * rows or columns * rows == 0:
            if "C4N" in body:
                self.rest = self.rest[start:]
                return True
            return None
        self.cells = [int(number) for number, _ in numbers[2 : 2 + columns * rows]]
        self.sides = (rows, columns) if "rows first" in self.faults else (columns, rows)
        self.rest = self.rest[start + numbers[1 + columns * rows][1] :]
        theirs, mine = self.cells.count(2), self.cells.count(1)
        turn = theirs > self.seen if self.seen >= 0 else True
        self.seen = theirs
        self.refused = set()
        if (mine <= theirs and (turn or "every board" in self.faults)) or "every board" in self.faults:
            self.move()
        return True

    def move(self) -> None:
        columns = self.sides[0]
        cells = self.cells[::-1] if "upside down" in self.faults else self.cells
        room = [column for column in range(columns) if cells[column] == 0 and column not in self.refused]
        if "blind" in self.faults:
            room = list(range(7))
        if "mirrored" in self.faults:
            room = [columns - 1 - column for column in room]
        column = room[0] if room else 0
        self.refused.add(column)
        self.say(f"C4N 1.0 MOVE\n{column + ('from one' in self.faults)}")
        if "twice" in self.faults:
            self.say(f"C4N 1.0 MOVE\n{column}")
