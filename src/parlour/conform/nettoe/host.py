"""Our side of a game with the client under examination: we are its server, X, and our own rules say how it stands."""

import time

from parlour.conform.case import Clause, Violation, skip
from parlour.conform.conversation import Conversation, End, Silence, shown, told
from parlour.conform.exam import ClientExam
from parlour.conform.nettoe import clauses
from parlour.conform.nettoe.board import CELLS, EMPTY, Field, Goal, O, X, best, blanks, marked, over, picture
from parlour.conform.nettoe.match import (
    ANSWER,
    CLIENT_STOP,
    FRAME,
    HOOK,
    NAME,
    NO,
    SERVER_STOP,
    SHORT,
    YES,
    field,
    frame,
    missed,
)

SLEEPY = 10.0
"""Seconds that the original takes before its first move."""
QUICK = 1.0
OURS = field(b"Dorothea")


class Host:
    """One client."""

    def __init__(self, exam: ClientExam, talk: Conversation) -> None:
        self.exam, self.talk = exam, talk
        self.name = b""
        self.board = EMPTY
        self.first = False
        exam.picture = lambda: picture(self.board)

    @classmethod
    async def joined(cls, exam: ClientExam, ours: bytes = OURS) -> "Host":
        """The client has connected; the names are said."""
        host = cls(exam, await exam.join())
        await host.talk.send(ours)
        host.name = await host.named()
        return host

    @classmethod
    async def begin(cls, exam: ClientExam, first: bool = True) -> "Host":
        """The client has been told who begins."""
        host = await cls.joined(exam)
        await host.talk.send(host.coin(first))
        return host

    def coin(self, first: bool) -> bytes:
        """Who begins: by name and by number."""
        return (self.name if first else OURS) + self.number(first)

    def number(self, first: bool) -> bytes:
        """Who begins, by number; the board is empty."""
        self.first, self.board = first, EMPTY
        return b"2" if first else b"1"

    async def named(self) -> bytes:
        """The client's name."""
        name = await self.field(NAME, "the client's name in 32 bytes", clauses.NAMES)
        self.exam.memory["name"] = int.from_bytes(name, "big")
        return name

    async def field(self, size: int, expected: str, clause: Clause) -> bytes:
        """The next field, which must come."""
        self.talk.phase = size
        began = time.monotonic()
        seconds = self.exam.seconds
        sleepy = size != NAME and not self.exam.memory.get("quick")
        came = await self.talk.receive(max(seconds, SLEEPY) if sleepy else seconds)
        if not isinstance(came, Field):
            raise Violation(expected, told(came), missed(self.exam, clause))
        if size == FRAME and len(blanks(self.board)) >= 8 and time.monotonic() - began < QUICK:  # its first move
            self.exam.memory["quick"] = 1
        return came.data

    # --- moves ---------------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended by the rules."""
        return over(self.board)

    @property
    def theirs(self) -> bool:
        """Whether the client is on turn."""
        crosses, noughts = self.board.count(b"X"), self.board.count(b"O")
        return noughts < crosses or (noughts == crosses and self.first)

    def mark(self, cell: int | None = None) -> bytes:
        """Our move, as it goes over the wire."""
        self.board = marked(self.board, self.exam.rng.choice(blanks(self.board)) if cell is None else cell, X)
        return frame(self.board, SERVER_STOP)

    async def move(self, cell: int | None = None, clause: Clause = clauses.TURNS) -> int:
        """The client's move: one O more, and else nothing. Its person types a square; a machine does not mind."""
        self.exam.type(CELLS[self.exam.rng.choice(blanks(self.board)) if cell is None else cell])
        return self._check(await self.field(FRAME, f"the client's move, behind {shown(self.board)}", clause))

    def _check(self, data: bytes) -> int:
        if data[:2] != HOOK:
            raise Violation("y and a NUL in front of the board", shown(data), clauses.HOOK)
        if data[11:] != CLIENT_STOP:
            raise Violation("C and a NUL behind the board", shown(data), clauses.STOP)
        board, before = data[2:11], self.board
        if board.strip(b" XO"):
            raise Violation("nine squares, each X, O or a blank", shown(board), clauses.BOARD)
        changed = [cell for cell in range(9) if board[cell] != before[cell]]
        if len(changed) == 1 and before[changed[0]] == ord(" ") and board[changed[0]] == O:
            self.board = board
            return changed[0]
        kept = all(board[cell] == before[cell] for cell in range(9) if before[cell] != ord(" "))
        new = bytes(board[cell] for cell in changed) if kept else b""
        clause = clauses.MARKS if b"X" in new else clauses.TURNS if kept else clauses.BOARD
        raise Violation(f"one O more than on {shown(before)}, and else the same", shown(board), clause)

    async def toward(self, goal: Goal) -> bool:
        """Play for this end, which both sides may further: the client's person is told where to go."""
        while not self.over:
            cell = best(self.board, O if self.theirs else X, goal, self.exam.rng.choice)
            if cell is None:
                return False
            if self.theirs:
                await self.move(cell)
            else:
                await self.talk.send(self.mark(cell))
        return goal.met(self.board)

    async def out(self) -> None:
        """Any game to its end; the last board is said."""
        while not self.over:
            if self.theirs:
                await self.move()
            else:
                await self.talk.send(self.mark())

    async def quiet(self, expected: str, clause: Clause, seconds: float = 2 * SHORT) -> None:
        """Nothing comes, or the end."""
        self.talk.phase = 1
        came = await self.talk.receive(seconds)
        if not isinstance(came, Silence | End):
            raise Violation(expected, told(came), clause)

    # --- the question --------------------------------------------------------------------------------------------

    async def answer(self, wish: bool = True, clause: Clause = clauses.ANSWER) -> bool:
        """Whether the client wants another game, now that we have said so; its person types it."""
        self.exam.type("y" if wish else "n")
        came = await self.field(ANSWER, "y, NUL and the client's y or n", clause)
        if came[:2] == HOOK and came[2:3] in b" XO":
            raise Violation("the client's answer: the game is over", f"a board {shown(came)}…", clauses.OVER)
        if came not in (YES, NO):
            raise Violation("y, NUL, then y or n, NUL", shown(came), clauses.ANSWER)
        return came == YES

    async def agreed(self, clause: Clause = clauses.ANSWER) -> None:
        """The same, where the client wants another game."""
        if not await self.answer(clause=clause):
            skip("the client does not want another game")

    async def ask(self, clause: Clause = clauses.ANSWER) -> None:
        """We want another game, and so does the client."""
        await self.talk.send(YES)
        await self.agreed(clause)


async def reached(exam: ClientExam, goal: Goal) -> Host:
    """A game that has ended so: either may begin, and there are several games on a connection."""
    host = await Host.begin(exam, first=exam.rng.random() < 0.5 if goal.mark else True)
    for attempt in range(6):
        if await host.toward(goal):
            return host
        await host.out()
        await host.ask(clauses.OVER)
        await host.talk.send(host.number(bool(attempt % 2)))
    return skip("no game ended so, in several tries")
