"""How the original ggzd.dots behaves at one table, faults included. Bytes in, bytes out, no sockets.

It believes nearly everything it is told. What would confuse it, stop it or spoil its board is a complaint here, so
that a test fails when our client says such a thing.
"""

from collections.abc import Callable
from enum import Enum
from random import Random
from struct import pack

OPEN, BOT, PLAYER, RESERVED = 1, 2, 3, 4
SEAT, PLAYERS, MOVE_H, MOVE_V, GAMEOVER, REQ_MOVE, RSP_MOVE, SYNC, OPTIONS, REQ_OPTIONS = range(10)
SND_MOVE_H, SND_MOVE_V, REQ_SYNC, SND_OPTIONS, REQ_NEWGAME = range(5)
OPERANDS = {SND_MOVE_H: 2, SND_MOVE_V: 2, REQ_SYNC: 0, SND_OPTIONS: 2, REQ_NEWGAME: 0}
DRAW = 2
UNOWNED = 255


class State(Enum):
    """INIT hears nobody, OPTIONS waits for a board, WAIT for a second player."""

    INIT = "init"
    OPTIONS = "options"
    WAIT = "wait"
    PLAYING = "playing"


class Chair:
    """One seat: who may sit or sits there, and the channel of whoever does."""

    def __init__(self, kind: int, name: str = "", reserved: str = "") -> None:
        self.kind = kind
        self.name = name
        self.reserved = reserved
        self.send: Callable[[bytes], None] | None = None
        self.rest = b""


class DotsTable:
    """The process of one table, for two."""

    def __init__(self, chairs: list[Chair], rng: Random, complain: Callable[[str], None]) -> None:
        self.chairs = chairs
        self.rng = rng
        self.complain = complain
        self.state = State.OPTIONS
        self.width = self.height = 0
        self.turn = -1
        self.finished: list[int] = []
        """The winners of all games so far."""
        self.tables: list[tuple[int, int]] = []
        """The boards that were played on."""
        self._first_join = True
        self._again = 0
        self._clear()

    def _clear(self) -> None:
        self.lines: set[tuple[str, int, int]] = set()
        self.owners: dict[tuple[int, int], int] = {}

    # --- people ------------------------------------------------------------------------------------------------------

    def join(self, seat: int, name: str, send: Callable[[bytes], None]) -> None:
        chair = self.chairs[seat]
        chair.kind, chair.name, chair.send, chair.rest = PLAYER, name, send, b""
        if self.state is State.INIT:
            return  # a newcomer after a game is told nothing at all
        self._tell(seat, pack(">ii", SEAT, seat))
        self._players()
        if self.state is State.OPTIONS and self._first_join:
            self._first_join = False
            self._tell(seat, pack(">i", REQ_OPTIONS))
        elif self.state is State.WAIT:
            self._tell(seat, pack(">iBB", OPTIONS, self.width, self.height))
            if self.turn >= 0:
                self._tell(seat, self._sync())
            self._again = 0
            self._start()

    def leave(self, seat: int) -> None:
        chair = self.chairs[seat]
        chair.kind, chair.name, chair.send, chair.rest = OPEN, "", None, b""
        if self.state is State.PLAYING:
            self.state = State.WAIT
        self._players()

    def _players(self) -> None:
        message = pack(">i", PLAYERS)
        for chair in self.chairs:
            message += pack(">i", chair.kind)
            if chair.kind != OPEN:
                name = chair.name.encode() + b"\0"
                message += pack(">i", len(name)) + name
        for seat in (0, 1):
            self._tell(seat, message)

    # --- the wire ----------------------------------------------------------------------------------------------------

    def hear(self, seat: int, data: bytes) -> None:
        """Some bytes of the player in this seat."""
        chair = self.chairs[seat]
        chair.rest += data
        while len(chair.rest) >= 4:
            op = int.from_bytes(chair.rest[:4], signed=True)
            if op not in OPERANDS:
                self.complain(f"unknown opcode {op}")
                chair.rest = chair.rest[4:]
                continue
            end = 4 + OPERANDS[op]
            if len(chair.rest) < end:
                return
            operands, chair.rest = chair.rest[4:end], chair.rest[end:]
            self._do(seat, op, operands)

    def _do(self, seat: int, op: int, operands: bytes) -> None:
        match op:
            case 0 | 1:
                self._move(seat, "hv"[op], operands[0], operands[1])
            case 2:
                self._tell(seat, self._sync())
            case 3:
                self._options(operands[0], operands[1])
            case 4:
                self._new_game(seat)

    def _tell(self, seat: int, message: bytes) -> None:
        send = self.chairs[seat].send
        if send is not None:
            send(message)

    # --- a game ------------------------------------------------------------------------------------------------------

    def _options(self, width: int, height: int) -> None:
        if not (2 <= width <= 25 and 2 <= height <= 25):
            self.complain(f"a board of {width}x{height} dots")
        if self.state is not State.OPTIONS:
            self.complain(f"options in {self.state}")  # the size changes under the game, and nobody is told
            self.width, self.height = width, height
            return
        self.width, self.height = width, height
        self.state = State.WAIT
        for seat in (0, 1):
            self._tell(seat, pack(">iBB", OPTIONS, width, height))
        self._start()

    def _start(self) -> None:
        if any(chair.kind in (OPEN, RESERVED) for chair in self.chairs) or self._again == 1:
            return
        self.state = State.PLAYING
        if self.turn < 0:
            self.turn = 0
            self.tables.append((self.width, self.height))
        self._next()

    def _next(self) -> None:
        if self.chairs[self.turn].kind == BOT:
            kind, x, y = self._think()
            self._move(self.turn, kind, x, y)
        else:
            self._tell(self.turn, pack(">i", REQ_MOVE))

    def _think(self) -> tuple[str, int, int]:
        lines = [("h", x, y) for x in range(self.width - 1) for y in range(self.height)]
        lines += [("v", x, y) for x in range(self.width) for y in range(self.height - 1)]
        free = [line for line in lines if line not in self.lines]
        return next((line for line in free if self._closes(*line)), self.rng.choice(free))

    def _closes(self, kind: str, x: int, y: int) -> list[tuple[int, int]]:
        """The squares that this line closes, left or upper one first."""
        boxes = ((x - 1, y), (x, y)) if kind == "v" else ((x, y - 1), (x, y))
        drawn = self.lines | {(kind, x, y)}
        return [
            (bx, by)
            for bx, by in boxes
            if {("h", bx, by), ("h", bx, by + 1), ("v", bx, by), ("v", bx + 1, by)} <= drawn
        ]

    def _move(self, seat: int, kind: str, x: int, y: int) -> None:
        if self.state is not State.PLAYING:
            self.complain(f"a move in {self.state}")  # it would be drawn, and the other not be told
        elif seat != self.turn:
            self.complain("a move out of turn")  # nobody checks it: the other's turn is lost
        right, bottom = (self.width - 1, self.height) if kind == "h" else (self.width, self.height - 1)
        if x >= self.width or y >= self.height:
            self.complain(f"{kind} {x} {y} is off the board")
            self._refuse(seat, -3)
            return
        if x >= right or y >= bottom:
            self.complain(f"{kind} {x} {y} is an invisible line")
        if (kind, x, y) in self.lines:
            self._refuse(seat, -4)
            return
        squares = self._closes(kind, x, y)
        self.lines.add((kind, x, y))
        self.owners.update(dict.fromkeys(squares, seat))
        closed = bytes([len(squares)]) + b"".join(bytes(square) for square in squares)
        if self.chairs[seat].kind != BOT:
            self._tell(seat, pack(">ib", RSP_MOVE, 0) + closed)
        if self.state is State.PLAYING:
            self._tell(1 - seat, pack(">iBB", MOVE_H if kind == "h" else MOVE_V, x, y) + closed)
        if not squares:
            self.turn = 1 - self.turn
        if len(self.owners) == (self.width - 1) * (self.height - 1):
            self._over()
        elif self.state is State.PLAYING:
            self._next()

    def _refuse(self, seat: int, status: int) -> None:
        self._tell(seat, pack(">ibB", RSP_MOVE, status, 0))
        self._tell(seat, pack(">i", REQ_MOVE))

    def scores(self) -> tuple[int, int]:
        owners = list(self.owners.values())
        return owners.count(0), owners.count(1)

    def _over(self) -> None:
        first, second = self.scores()
        winner = DRAW if first == second else 0 if first > second else 1
        self.finished.append(winner)
        for seat in (0, 1):
            self._tell(seat, pack(">iB", GAMEOVER, winner))
        self.state = State.INIT
        self.turn = -1
        self._again = 0
        self._clear()

    def _new_game(self, seat: int) -> None:
        if self.state is State.PLAYING or not self.finished:
            self.complain("a new game is asked for during one")
        self._again += 1
        if self.chairs[1 - seat].kind == BOT:
            self._again += 1
        if self.state is State.INIT:
            self.state = State.OPTIONS
            self._tell(seat, pack(">i", REQ_OPTIONS))
        elif self.state is State.WAIT:
            self._start()

    def _sync(self) -> bytes:
        upright = [("v", x, y) in self.lines for x in range(self.width) for y in range(max(self.height - 1, 0))]
        flat = [("h", x, y) in self.lines for x in range(max(self.width - 1, 0)) for y in range(self.height)]
        owners = [
            self.owners.get((x, y), UNOWNED)
            for x in range(max(self.width - 1, 0))
            for y in range(max(self.height - 1, 0))
        ]
        return pack(">ibii", SYNC, self.turn, *self.scores()) + bytes(upright) + bytes(flat) + bytes(owners)
