"""netToe as a student writes it from the document: a server and a client of their own, with faults to plant.

Nothing of ours is used here, so that the examiner is not examined by itself.
"""

import asyncio
import contextlib
import random

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Hangup(Exception):
    """The other side has broken the protocol."""


class Student:
    """What both sides share: fields of fixed size, a board, and `faults`."""

    mark, other, stop, their_stop = "X", "O", b"S\0", b"C\0"

    def __init__(self, faults: frozenset[str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.faults = faults
        self.reader, self.writer = reader, writer
        self.cells = [" "] * 9

    async def read(self, size: int) -> bytes:
        if "one recv" not in self.faults:
            return await self.reader.readexactly(size)
        data = await self.reader.read(size)
        if len(data) < size:
            raise Hangup(data)
        return data

    def say(self, data: bytes) -> None:
        self.writer.write(data)

    def name(self, text: str) -> bytes:
        size = 31 if "short name" in self.faults else 32
        return text.encode().ljust(size, b"\0")

    def line(self) -> str:
        """The mark that has won, or nothing."""
        for number, line in enumerate(LINES):
            marks = {self.cells[cell] for cell in line}
            if f"no line {number}" not in self.faults and len(marks) == 1 and marks != {" "}:
                return marks.pop()
        row = "".join(self.cells)
        if "wrapped" in self.faults and ("XXX" in row or "OOO" in row):
            return "?"
        return ""

    def over(self) -> bool:
        if self.line() in ("?", "O") and "own line only" in self.faults and self.mark == "X":
            return False
        full = " " not in self.cells and "no draw" not in self.faults
        early = "eight" in self.faults and self.cells.count(" ") == 1
        return bool(self.line()) or full or early

    def move(self) -> None:
        free = [cell for cell in range(9) if self.cells[cell] == " "]
        if "overwrites" in self.faults and self.cells.count(self.other) == 2:
            free = [self.cells.index(self.other)]
        for cell in random.sample(free, 2 if "two marks" in self.faults and len(free) > 1 else 1):
            self.cells[cell] = self.other if "other mark" in self.faults else self.mark
        self.show()

    def show(self) -> None:
        cells = self.cells
        if "by columns" in self.faults:
            cells = [self.cells[row * 3 + column] for column in range(3) for row in range(3)]
        if "shifted" in self.faults:
            cells = [*cells[1:], cells[0]]
        board = "".join(cells)
        if "small" in self.faults:
            board = board.lower()
        if "dots" in self.faults:
            board = board.replace(" ", ".")
        hook = b"Y\0" if "hook" in self.faults else b"y\0"
        stop = self.their_stop if "stop" in self.faults else self.stop
        times = 2 if "says twice" in self.faults else 1
        self.say((hook + board.encode() + stop) * times)

    async def hear(self) -> None:
        """The other's move."""
        while await self.read(2) != b"y\0":
            pass
        board = list((await self.read(9)).decode("latin-1"))
        if "hasty" not in self.faults:
            while (stop := await self.read(2)) != self.their_stop:
                if "any stop" in self.faults and stop:
                    break
        changed = [cell for cell in range(9) if board[cell] != self.cells[cell]]
        right = len(changed) == 1 and self.cells[changed[0]] == " " and board[changed[0]] == self.other
        if not right and "trusting" not in self.faults:
            raise Hangup(board)
        self.cells = board
        if "hasty" in self.faults:
            if not self.over():
                self.move()
            await self.read(2)

    async def game(self, turn: bool) -> None:
        self.cells = [" "] * 9 if "old board" not in self.faults or self.over() is False else self.cells
        while not self.over():
            if turn:
                self.move()
                turn = "again" in self.faults and self.cells.count(" ") == 5
            else:
                await self.hear()
                turn = "hasty" not in self.faults

    async def run(self) -> None:
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, Hangup):
                await self.talk()
        finally:
            self.writer.close()

    async def talk(self) -> None:
        raise TypeError("a student is a server or a client")


class StudentServer(Student):
    """The host; both play when a coin says so."""

    async def talk(self) -> None:
        host = self.name("Teacher")
        if "waits" not in self.faults:
            self.say(host)
        guest = await self.read(32)
        if "waits" in self.faults:
            self.say(host)
        begins = random.random() < 0.5 or "never client" in self.faults
        starter = guest if begins == ("wrong starter" in self.faults) else host
        if "no starter" not in self.faults:
            self.say(self.name("Nobody") if "unknown starter" in self.faults else starter)
        while True:
            digit = b"1" if begins else b"2"
            if "digit swapped" in self.faults:
                digit = b"2" if begins else b"1"
            if "from zero" in self.faults:
                digit = b"0" if begins else b"1"
            self.say(digit)
            await self.game(begins)
            if not await self.again():
                return
            if "name again" in self.faults:
                self.say(starter)
            begins = not begins

    async def again(self) -> bool:
        if "no question" not in self.faults:
            self.say(b"yy" if "question form" in self.faults else b"y\0y\0")
        if "unanswered" in self.faults:
            return True
        await self.read(2)
        if "hook is yes" in self.faults:
            return True
        return await self.read(2) == b"y\0" or "no is yes" in self.faults


class StudentClient(Student):
    """The one who joins."""

    mark, other, stop, their_stop = "O", "X", b"C\0", b"S\0"

    async def talk(self) -> None:
        await self.read(32)
        self.say(self.name("Pupil"))
        if "no starter" not in self.faults:
            await self.read(32)
        if "name twice" in self.faults:
            self.say(self.name("Pupil"))
        begins = (await self.read(1) == b"2") != ("digit swapped" in self.faults)
        while True:
            await self.game(begins)
            if "answers first" in self.faults:
                self.say(b"y\0y\0")
            if (await self.read(4))[2:] != b"y\0" and "no is yes" not in self.faults:
                return
            if "answers first" not in self.faults:
                self.say(b"y\0" if "half answer" in self.faults else b"y\0y\0")
            digit = await self.read(1)
            begins = not begins if "alternates" in self.faults else digit == b"2"


async def student_server(faults: frozenset[str]) -> asyncio.Server:
    """A server on any port."""

    async def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await StudentServer(faults, reader, writer).run()

    return await asyncio.start_server(come, "127.0.0.1", 0)


async def student_client(faults: frozenset[str], host: str, port: int) -> None:
    """A client that plays by itself."""
    await StudentClient(faults, *await asyncio.open_connection(host, port)).run()
