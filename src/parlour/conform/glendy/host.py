"""Our side of a game with the client under examination: we are its server and the other player, by our own rules."""

import re
from collections.abc import Iterable, Sequence

from parlour.conform.case import Clause, Shortfall, Violation, skip
from parlour.conform.conversation import Conversation, End, Silence, shown, told
from parlour.conform.exam import ClientExam
from parlour.conform.glendy import clauses
from parlour.conform.glendy.match import FIRST, GLENDA, SHORT, TRAPPER, Line
from parlour.core.game import NOBODY
from parlour.games.glenda.board import CELLS, DIRECTIONS, START, beside, bit, inside
from parlour.games.glenda.rules import GlendaPosition

OPPONENT = "bert"
HUSH = 0.4
"""Seconds for which a client must wait to be greeted: some take a server that is silent for long for a later one."""
BREATH = 0.15
"""Seconds between SENT and TURN: a known client loses what comes with SENT."""
_PUT = re.compile(r"p (0|[1-9][0-9]*) (0|[1-9][0-9]*)", re.ASCII)
_NICK = re.compile(r"@|[A-Za-z0-9]{1,8}", re.ASCII)
_SIDES = {"0": TRAPPER, "1": GLENDA}
Cell = tuple[int, int]
MEADOW: tuple[Cell, ...] = ((0, 0), (2, 3), (7, 7), (6, 2), (1, 9), (10, 4))
"""A board with room for everything."""


class Host:
    """One client."""

    def __init__(self, exam: ClientExam, talk: Conversation) -> None:
        self.exam, self.talk = exam, talk
        self.side = TRAPPER
        self.wants: int | None = None
        """The side that its hello asks for."""
        self.number = 0
        self.last = b""
        """SYNC of the last move, for those who have not said it yet."""
        self.position = GlendaPosition(0)
        exam.picture = lambda: self.position.text()

    @classmethod
    async def joined(cls, exam: ClientExam) -> "Host":
        """The client has connected, and has said hello where the revision has one."""
        host = cls(exam, await exam.join())
        if exam.dialect != FIRST:
            host.wants = _SIDES.get((await host.hello())[2])
        return host

    @classmethod
    async def seated(cls, exam: ClientExam, side: int, walls: Iterable[Cell] = MEADOW, at: Cell = START) -> "Host":
        """The same, and the side is given; nothing has been said yet."""
        host = await cls.joined(exam)
        if host.wants not in (None, side):
            skip("the client wants to play the other side")
        host.side = side
        host.position = GlendaPosition(sum(bit(*cell) for cell in set(walls)), at)
        return host

    @classmethod
    async def begin(cls, exam: ClientExam, side: int, walls: Iterable[Cell] = MEADOW, at: Cell = START) -> "Host":
        """The same, and the client knows the board and is to move."""
        host = await cls.seated(exam, side, walls, at)
        await host.open()
        return host

    async def open(self) -> None:
        """The board, and then whose turn it is: how they are cut into segments is for other cases."""
        await self.say(self.greeting() + self.board(), self.turn(), pause=BREATH)
        if self.side == GLENDA:
            await self.reply()

    # --- saying --------------------------------------------------------------------------------------------------

    async def say(self, *parts: bytes, pause: float = 0.004) -> None:
        """Bytes to the client."""
        await self.talk.send(*parts, pause=pause)

    def greeting(self) -> bytes:
        """CONN; to the first who comes in the first revision WAIT as well."""
        if self.exam.dialect != FIRST:
            return f"CONN {self.side} {OPPONENT}\n".encode()
        return b"CONN 0\nWAIT\n" if self.side == TRAPPER else b"CONN 1\n"

    def board(self) -> bytes:
        """INIT to SENT, in the order of the original servers."""
        marks = sorted([(self.position.glenda, "g"), *((wall, "w") for wall in self.position.walls())])
        return framed(f"{mark} {x} {y}" for (x, y), mark in marks)

    def turn(self) -> bytes:
        """TURN or WAIT, or the verdict."""
        if self.over:
            return b"WON\n" if self.side in self.position.winners() else b"LOST\n"
        return b"TURN\n" if self.position.turn == self.side else b"WAIT\n"

    def played(self, move: str) -> bytes:
        """A move is made: its SYNC."""
        self.position.play(move)
        self.number += 1
        return f"SYNC {self.number}{move[1:]}\n".encode()

    async def reply(self, move: str | None = None) -> None:
        """The other player's move, and what follows from it."""
        await self.say(self.answer(move))

    def answer(self, move: str | None = None) -> bytes:
        """The same, still to be said."""
        return self.played(move or self.quiet_move()) + self.turn()

    def quiet_move(self) -> str:
        """A move of the other player that decides nothing, where there is one."""
        moves = self.position.legal()
        if self.position.turn == TRAPPER:  # far from glenda, so that her ways stay as they are
            x, y = self.position.glenda
            moves.sort(key=lambda move: -sum(abs(int(a) - b) for a, b in zip(move.split()[1:], (x, y), strict=True)))
        return next((move for move in moves if not self.decides(move)), moves[0])

    def decides(self, move: str) -> bool:
        """Whether the game is over with this move."""
        after = self.position.copy()
        after.play(move)
        return after.turn == NOBODY

    # --- listening -----------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended by the rules."""
        return self.position.turn == NOBODY

    async def line(self, expected: str, clause: Clause, within: float | None = None) -> str:
        """The next line, which must come."""
        came = await self.talk.receive(within)
        if not isinstance(came, Line):
            raise self.talk.wrong(came, expected, clause)
        if came.text.endswith("\r"):
            raise Violation("a newline alone behind the line", shown(came.text.encode()), clauses.LINES)
        return came.text

    async def hello(self) -> list[str]:
        """The four words of a hello."""
        text = await self.line("nick game side options", clauses.HELLO)
        words = text.split(" ")
        right = len(words) == 4 and _NICK.fullmatch(words[0]) and words[1] == "0" and words[2] in ("0", "1", "2")
        if not right or not words[3].removeprefix("-").isdigit() or len(text) >= 32:
            raise Violation(
                "nick (1 to 8 letters and digits, or @), 0, side (0 to 2) and a number", text, clauses.HELLO
            )
        return words

    async def move(self, typed: str | None = None, clause: Clause = clauses.TURN) -> str:
        """The client's move, which is legal, and played. Its person types one; who plays alone does not mind."""
        legal = self.position.legal()
        self.exam.type(typed or self.exam.rng.choice(legal))
        expected = f"p x y: a wall on one of {len(legal)} empty cells" if self.side == TRAPPER else " or ".join(legal)
        came = await self.line(expected, clause)
        if came == "y" and self.exam.dialect != FIRST:  # a late answer
            came = await self.line(expected, clause)
        if came not in legal:
            raise Violation(expected, came, self._broken(came, clause))
        self.last = self.played(came)
        return came

    def _broken(self, came: str, clause: Clause) -> Clause:
        """Which sentence a line that is no legal move breaks."""
        if self.side == TRAPPER:
            return clauses.PUT if _PUT.fullmatch(came) else clause if came in ("", "q") else clauses.PUT_FORM
        blocked = came[2:] in DIRECTIONS and clause is not clauses.TURN
        return clause if blocked or came in ("", "q") else clauses.MOVE

    async def moved(self, typed: str | None = None, clause: Clause = clauses.TURN) -> str:
        """The same, and the client is told what follows."""
        move = await self.move(typed, clause)
        await self.say(self.last + self.turn())
        return move

    async def quiet(self, expected: str, clause: Clause, seconds: float = SHORT) -> None:
        """The client says nothing; a late y is none of our business."""
        came = await self.talk.receive(seconds)
        if came == Line("y") and self.exam.dialect != FIRST:
            came = await self.talk.receive(seconds)
        if not isinstance(came, Silence | End):
            raise self.talk.wrong(came, expected, clause)

    async def stays(self, expected: str, clause: Clause, seconds: float = 2 * SHORT) -> None:
        """The client says nothing and does not go."""
        came = await self.talk.receive(seconds)
        if isinstance(came, End):
            raise Shortfall(expected, told(came), clause)
        if not isinstance(came, Silence):
            raise self.talk.wrong(came, expected, clause)

    async def out(self) -> None:
        """The game goes on to its end, and the verdict is told."""
        while not self.over:
            if self.position.turn == self.side:
                await self.moved()
            else:
                await self.reply(self.exam.rng.choice(self.position.legal()))

    async def done(self) -> None:
        """The game is over: the client says nothing more, and we let it go as servers do."""
        await self.quiet("nothing: the game is over", clauses.OVER)
        self.talk.finish()


def framed(lines: Iterable[str]) -> bytes:
    """A board, from INIT to SENT."""
    return "".join(f"{line}\n" for line in ("INIT", *lines, "SENT")).encode()


def walk(ways: Sequence[str], start: Cell = START) -> list[Cell]:
    """The cells of a path, the first one included."""
    cells = [start]
    for way in ways:
        cells.append(beside(*cells[-1])[DIRECTIONS.index(way)])
    return cells


def corridor(ways: Sequence[str]) -> list[Cell]:
    """Walls on both sides of a path: glenda, who does not go back, has one way at each step."""
    path = walk(ways)
    return sorted({cell for at in path[:-1] for cell in beside(*at) if cell not in path and inside(*cell)})


def thicket(*paths: Sequence[str]) -> list[Cell]:
    """Walls on every cell that is not on one of these paths."""
    free = {cell for ways in paths for cell in walk(ways)}
    return [cell for cell in CELLS if cell not in free]
