"""How the original ConnectI4n programs behave on the wire, faults included, so that ours can be held against them.

Both take whatever one recv(1024) returns for one message: the first line is the header, all other lines joined
together are the data. Neither does any I/O here: bytes that arrived are put into `inbox`, and `step` runs the program
until it waits for the network, for its person, or for ever.
"""

import re
from collections.abc import Callable, Generator
from random import Random

RECV = 1024
TYPES = ("ERROR", "STOP", "START", "MOVE", "BOARD", "RESULT")
COLUMNS, ROWS = 7, 6
_BOARD = re.compile(r"BOARD\n\d \d ([012](?: [012])*)")


class Crashed(Exception):
    """The program ended in a traceback."""


def _understood(data: bytes) -> tuple[str, str]:
    """Type and data of the one message that `data` is taken for."""
    header, *rest = data.decode().split("\n")
    words = header.split()
    if len(words) != 3 or words[:2] != ["C4N", "1.0"] or words[2] not in TYPES:
        raise ValueError(f"bad message {header!r}")
    return words[2], "".join(line.strip("\r") for line in rest)


class OriginalClient:
    """The original client with a person who answers `choose(open columns)` at every prompt.

    It ends with an exit code: 0, or 1 after a traceback. `verdict` is what it printed last.
    """

    def __init__(self, choose: Callable[[list[int]], int]) -> None:
        self.choose = choose
        self.inbox = b""
        self.eof = False
        self.sent: list[bytes] = []
        self.verdict = ""
        self.exit_code: int | None = None
        self.prompts = 0
        self.screen: list[str] = []
        """What it printed last: everything behind the first four characters, in rows of 14."""
        self.at_prompt = False
        self._open_columns = list(range(COLUMNS))
        self._program = self._run()
        self._advance(None)

    def step(self) -> None:
        """Go on as far as possible without the person."""
        while not self.at_prompt and self.exit_code is None and (self.inbox or self.eof):
            data, self.inbox = self.inbox[:RECV], self.inbox[RECV:]
            self._advance(data)

    def answer(self) -> None:
        """The person types a column."""
        if self.at_prompt:
            self.at_prompt = False
            self._advance(b"")

    def _advance(self, data: bytes | None) -> None:
        try:
            if data is None:
                next(self._program)
            else:
                self._program.send(data)
        except StopIteration:
            self.exit_code = 0
        except Crashed:
            self.exit_code = 1

    def _run(self) -> Generator[None, bytes, None]:
        self.sent.append(b"C4N 1.0 START\n")
        while True:
            data = yield
            try:
                kind, content = _understood(data)
            except ValueError as error:
                raise Crashed(str(error)) from error
            if kind == "BOARD" or (kind == "ERROR" and content == "2"):
                self._look(data)
                if kind == "BOARD":
                    cells = content[4:]
                    self.screen = [cells[at : at + 2 * COLUMNS] for at in range(0, len(cells), 2 * COLUMNS)]
                yield from self._prompt()
            elif kind == "ERROR":
                self.verdict = "Unknown Error"
                return
            elif kind == "RESULT" and content in ("1", "2"):
                self.verdict = "You Win!" if content == "1" else "You Lose!"
                return

    def _look(self, data: bytes) -> None:
        """The person sees the last board of all that was printed."""
        boards = _BOARD.findall(data.decode())
        if boards:
            top = boards[-1].split()[:COLUMNS]
            self._open_columns = [column for column, cell in enumerate(top) if cell == "0"]

    def _prompt(self) -> Generator[None, bytes, None]:
        self.prompts += 1
        self.at_prompt = True
        yield
        column = self.choose(self._open_columns or list(range(COLUMNS)))
        self.sent.append(f"C4N 1.0 MOVE\n{column}".encode())


class OriginalServer:
    """The original server with one client. `dead` is a game thread that has died: open, and silent for ever."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.inbox = b""
        self.half_closed = False
        self.sends: list[bytes] = []
        self.closed = False
        self.dead = False
        self.verdict: int | None = None
        self._cells = [[0] * COLUMNS for _ in range(ROWS)]
        self._started = False

    def step(self) -> None:
        """One recv() for everything that has arrived."""
        while (self.inbox or self.half_closed) and not (self.closed or self.dead):
            data, self.inbox = self.inbox[:RECV], self.inbox[RECV:]
            try:
                kind, content = _understood(data)
            except UnicodeDecodeError:
                self.dead = True
                return
            except ValueError:
                kind, content = "", ""
            if not self._started:
                self._greet(kind)
            elif kind == "MOVE":
                self._move(content)
            else:
                self.sends.append(b"C4N 1.0 ERROR\n1")
            assert len(self.sends) < 10_000, "flooded"

    def _greet(self, kind: str) -> None:
        if kind != "START":
            self.sends.append(b"C4N 1.0 ERROR\n1")
            self.closed = True
            return
        self._started = True
        self._drop(self.rng.randrange(COLUMNS), 2)
        self._send_board()

    def _move(self, content: str) -> None:
        try:
            column = int(content)
        except ValueError:  # a traceback in the thread; the socket stays open
            self.dead = True
            return
        if not -COLUMNS <= column < COLUMNS or not self._drop(column, 1):
            self.sends.append(b"C4N 1.0 ERROR\n2")
            return
        room = [column for column in range(COLUMNS) if self._cells[0][column] == 0]
        if room:  # also after the player's winning move
            self._drop(self.rng.choice(room), 2)
        verdict = next((token for token in (2, 1) if self._sees_four(token)), None)
        if verdict is None and not any(self._cells[0][column] == 0 for column in range(COLUMNS)):
            verdict = -1
        if verdict is None:
            self._send_board()
            return
        self.verdict = verdict
        self.sends.append(b"C4N 1.0 RESULT\n%d" % verdict)
        self._send_board()
        self.closed = True

    def _drop(self, column: int, token: int) -> bool:
        for row in reversed(self._cells):
            if row[column] == 0:
                row[column] = token
                return True
        return False

    def _sees_four(self, token: int) -> bool:
        """Only lines from the topmost, then leftmost token, and only to the right, down and down right."""
        places = [
            (row, column) for row in range(ROWS) for column in range(COLUMNS) if self._cells[row][column] == token
        ]
        if not places:
            return False
        row, column = places[0]
        return any(
            all((row + step * down, column + step * right) in places for step in range(4))
            for down, right in ((0, 1), (1, 1), (1, 0))
        )

    def _send_board(self) -> None:
        cells = " ".join(str(cell) for row in self._cells for cell in row)
        self.sends.append(f"C4N 1.0 BOARD\n{ROWS} {COLUMNS} {cells}".encode())
