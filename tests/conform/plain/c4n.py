"""ConnectI4n with a thread for each client, which reads one byte at a time."""

import random
import socket
import time
from collections.abc import Collection

Grid = list[list[int]]
"""Columns, each from the bottom."""


class Gone(Exception):
    """The other side is not there any more."""


class Bytes:
    """One byte at a time."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        self.back = b""

    def next(self) -> str:
        if self.back:
            byte, self.back = self.back[:1], self.back[1:]
        else:
            byte = self.link.recv(1)
        if not byte:
            raise Gone
        return byte.decode("latin-1")

    def is_more_at_once(self) -> bool:
        """Whether another byte follows without a pause."""
        if self.back:
            return True
        self.link.settimeout(0.06)
        try:
            self.back = self.link.recv(1)
            return bool(self.back)
        except TimeoutError:
            return False
        finally:
            self.link.settimeout(None)

    def word(self, stops: str = " \n\r\t") -> tuple[str, str]:
        """A word and what ended it."""
        text = ""
        while True:
            byte = self.next()
            if byte in stops:
                if text:
                    return text, byte
                continue
            text += byte
            if len(text) > 200:
                return text, ""
            if text in ("START", "STOP"):
                return text, ""


def wins(grid: Grid, who: int, height: int, quirks: Collection[str]) -> bool:
    """Whether this side has four in line."""
    need = 4
    for x in range(len(grid)):
        for y in range(height):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                cells = [(x + n * dx, y + n * dy) for n in range(need)]
                if all(0 <= a < len(grid) and 0 <= b < len(grid[a]) and grid[a][b] == who for a, b in cells):
                    if "only from the bottom row" in quirks and dx and y:
                        continue
                    if "no line in the last columns" in quirks and x + 3 * dx == len(grid) - 1 and dx:
                        continue
                    if "no column at the top" in quirks and not dx and y + 3 == height - 1:
                        continue
                    return True
    return False


class Table:
    """One client's game."""

    def __init__(self, link: socket.socket, quirks: Collection[str]) -> None:
        self.link, self.quirks, self.bytes = link, quirks, Bytes(link)
        self.width, self.height = (9, 5) if "wide" in quirks else (4, 4) if "tiny" in quirks else (7, 6)
        self.grid: Grid | None = None
        self.errors = 0
        self.pieces: list[bytes] = []

    def tell(self, kind: str, data: str = "") -> None:
        text = f"C4N 1.0 {kind}" + (f"\n{data}" if data else "")
        if "lines" in self.quirks:
            text += "\n"
        if "one byte" in self.quirks:
            for letter in text:
                self.link.sendall(letter.encode())
                time.sleep(0.0005)
        elif "merged" in self.quirks:
            self.pieces.append(text.encode())
        else:
            if "slow" in self.quirks:
                time.sleep(0.03)
            self.link.sendall(text.encode())

    def flush(self) -> None:
        data, self.pieces = b"".join(self.pieces), []
        if data:
            self.link.sendall(data)

    def show(self) -> None:
        assert self.grid is not None
        cells = []
        for y in reversed(range(self.height)):
            cells += [str(column[y]) if y < len(column) else "0" for column in self.grid]
        if "loses a token when full" in self.quirks and cells[0] != "0":
            cells[0] = "0"
        if "letters" in self.quirks:
            cells = [{"0": "0", "1": "X", "2": "O"}[cell] for cell in cells]
        gap = "\n" if "board on lines" in self.quirks else " "
        self.tell("BOARD", f"{self.width} {self.height}{gap}" + " ".join(cells))

    def refuse(self, code: int) -> bool:
        self.errors += 1
        self.tell("ERROR", str(code))
        return not ("closes on nonsense" in self.quirks and code == 1)

    def run(self) -> None:
        try:
            self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while self.step():
                self.flush()
            self.flush()
        except (Gone, OSError):
            pass
        finally:
            self.link.close()

    def step(self) -> bool:
        mark, end = self.bytes.word()
        if mark != "C4N" or end == "\n":
            self.drop(end)
            return self.refuse(1)
        version, end = self.bytes.word()
        if version != "1.0" and "any version" not in self.quirks:
            self.drop(end)
            return self.refuse(1)
        kind, end = self.bytes.word()
        if kind == "STOP":
            if "stop is answered" in self.quirks:
                self.tell("STOP")
            if "stop means defeat" in self.quirks:
                self.tell("RESULT", "2")
            return False
        if kind == "START":
            if self.grid is not None and "restarts" not in self.quirks:
                return self.refuse(1)
            self.grid = [[] for _ in range(self.width)]
            self.show()
            return True
        if kind == "ERROR":
            self.number()
            return "error ends it" not in self.quirks
        if kind != "MOVE" or end != "\n":
            self.drop(end)
            return self.refuse(1)
        if self.grid is None:
            self.number()
            return self.refuse(99 if "unknown error" in self.quirks else 1)
        return self.move(self.number())

    def drop(self, end: str) -> None:
        """Skip what cannot be understood: the rest of the line, or what comes at once."""
        while end != "\n" and self.bytes.is_more_at_once():
            end = self.bytes.next()
        if "one board long" in self.quirks:
            return
        while self.bytes.is_more_at_once():
            letter = self.bytes.next()
            if letter == "C":
                self.bytes.back = b"C" + self.bytes.back
                return

    def number(self) -> str:
        text = self.bytes.next()
        while self.bytes.is_more_at_once():
            byte = self.bytes.next()
            if not byte.isalnum() and byte not in "+-.":
                if byte not in "\r\n ":
                    self.bytes.back = byte.encode("latin-1") + self.bytes.back
                break
            if byte == "C":
                self.bytes.back = b"C" + self.bytes.back
                break
            text += byte
            if len(text) > 100:
                break
        return text.strip()

    def move(self, text: str) -> bool:
        grid, quirks = self.grid, self.quirks
        assert grid is not None
        try:
            column = int(text)
        except ValueError:
            return self.refuse(1)
        if not 0 <= column < self.width:
            if "clamped" in quirks:
                column = min(max(column, 0), self.width - 1)
            else:
                return self.refuse(2)
        if len(grid[column]) >= self.height:
            if "full column wraps" in quirks:
                column = next((x for x in range(self.width) if len(grid[x]) < self.height), column)
            elif "full column is full server" in quirks:
                return self.refuse(3)
            elif "full column shown" in quirks:
                self.refuse(2)
                self.show()
                return True
            else:
                return self.refuse(2)
        grid[column].append(1)
        self.show()
        if wins(grid, 1, self.height, quirks):
            if "two boards always" in quirks:
                self.show()
            return self.over(1)
        if self.full():
            return self.over(0)
        if "no answer after an error" in quirks and self.errors:
            self.errors = 0
            return True
        free = [x for x in range(self.width) if len(grid[x]) < self.height]
        reply = free[0] if "leftmost" in quirks else free[-1] if "rightmost" in quirks else random.choice(free)
        grid[reply].append(2)
        self.show()
        if wins(grid, 2, self.height, quirks):
            return self.over(1 if "wrong verdict for the machine" in quirks else 2)
        if self.full():
            return self.over(0)
        return True

    def full(self) -> bool:
        assert self.grid is not None
        if "full too early" in self.quirks:
            return sum(map(len, self.grid)) >= self.width * self.height - 2
        return all(len(column) >= self.height for column in self.grid)

    def over(self, winner: int) -> bool:
        if winner:
            self.tell("RESULT", str(winner))
        elif "draw is zero" in self.quirks:
            self.tell("RESULT", "0")
        elif "draw is minus one" in self.quirks:
            self.tell("RESULT", "-1")
        elif "draw is stop" in self.quirks:
            self.tell("STOP")
        elif "draw is lost" in self.quirks:
            self.tell("RESULT", "2")
        if "new game on the same connection" in self.quirks:
            self.grid = None
            return True
        return False
