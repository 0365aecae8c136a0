"""A game on the server under examination: every field that it sends is held against the document and the rules.

The server plays itself, or it seats two people opposite each other and is host to both: each sees itself as O.
"""

import asyncio
import time

import msgspec

from parlour.conform.case import Clause, Violation, skip
from parlour.conform.conversation import Conversation, End, Nonsense, Silence, shown, told
from parlour.conform.exam import Exam, ServerExam, Unreachable
from parlour.conform.nettoe import clauses
from parlour.conform.nettoe.board import (
    EMPTY,
    Field,
    Goal,
    O,
    X,
    best,
    blanks,
    marked,
    over,
    picture,
    swapped,
)

NAME, STARTER, FRAME, ANSWER = 32, 1, 13, 4
"""Sizes of the fields."""
HOOK, SERVER_STOP, CLIENT_STOP = b"y\0", b"S\0", b"C\0"
YES, NO = b"y\0y\0", b"y\0n\0"
LONELY = 1.5
"""Seconds after which a name without an answer is taken for one that waits for a second person."""
SLEEPY = 12.0
"""Seconds that the original takes for its coin."""
SHORT = 0.25
"""Seconds of silence that tell that nothing more comes."""
TRIES = 20
"""Games in which a goal is sought."""


class Habits(msgspec.Struct, frozen=True):
    """What the probe has found out about a server."""

    dialect: str = "document"
    pairs: bool = False
    """Whether two people are seated opposite each other; else the server plays itself."""
    slow: bool = False
    """Whether it sleeps before its coin falls, as the original does."""
    single: bool = False
    """Whether it takes one connection and no other."""

    @property
    def words(self) -> str:
        """For the person who waits for the report."""
        words = ["It seats two people opposite each other" if self.pairs else "It plays itself"]
        words += ["it takes its time"] * self.slow + ["it takes one guest only"] * self.single
        return ", ".join(words) + "."


def field(name: bytes) -> bytes:
    """A name as 32 bytes."""
    return name.ljust(NAME, b"\0")


def text(name: bytes) -> bytes:
    """A name without what stands behind its end."""
    return name.partition(b"\0")[0]


def frame(board: bytes, stop: bytes = CLIENT_STOP) -> bytes:
    """A turn on the wire."""
    return HOOK + board + stop


def missed(exam: Exam, clause: Clause) -> Clause:
    """What is broken when a field does not come: where bytes were cut or joined, it is that."""
    return clauses.STREAM if exam.case is not None and exam.case.clause == clauses.STREAM else clause


class Side:
    """One of our connections: always the client, always O."""

    def __init__(self, exam: ServerExam, talk: Conversation, name: bytes = field(b"Clara")) -> None:
        self.exam, self.talk, self.name = exam, talk, name
        self.host: bytes | None = None
        self.starter = b""
        self.first = False
        self.board = EMPTY

    async def field(self, size: int, expected: str, clause: Clause, within: float | None = None) -> bytes:
        """The next field, which must come."""
        self.talk.phase = size
        came = await self.talk.receive(within or self.patience)
        if not isinstance(came, Field):
            raise Violation(expected, told(came), missed(self.exam, clause))
        return came.data

    @property
    def patience(self) -> float:
        habits = self.exam.habits
        return max(SLEEPY, self.exam.seconds) if habits is None or habits.slow else self.exam.seconds

    async def greet(self) -> None:
        """The names of both."""
        await self.talk.send(self.name)
        self.host = await self.field(NAME, "the server's name in 32 bytes", clauses.NAMES)

    async def coin(self, *others: bytes) -> None:
        """Who begins, by name and by number, which agree; `others` are more names that the other side may have."""
        if self.host is None:
            await self.greet()
        self.starter = await self.field(NAME, "the name of the player who begins", clauses.STARTER_NAME)
        await self.number(clauses.STARTER)
        ours, theirs = text(self.name)[:31], {text(self.host or b""), *others}
        right = {ours} if self.first else theirs
        if not self.starter.strip(b"\0") and right - {b""}:
            raise Violation("the name of the player who begins", "an empty one", clauses.STARTER_NAME)
        known = {ours, *theirs}
        if text(self.starter) not in right and text(self.starter) in known:
            who = f"{'2' if self.first else '1'} and the name {shown(min(right))}"
            raise Violation(who, f"the name {shown(text(self.starter))}", clauses.STARTER_NAME)
        if text(self.starter) not in known:
            names = " or ".join(shown(name) for name in sorted(known))
            raise Violation(f"the name of one of the two players, {names}", shown(self.starter), clauses.STARTER_NAME)

    async def number(self, clause: Clause) -> None:
        """The character who begins, and an empty board."""
        came = await self.field(STARTER, "1 or 2: who begins", clause)
        if came not in (b"1", b"2"):
            raise Violation("1 or 2: who begins", shown(came), clause)
        self.first, self.board = came == b"2", EMPTY
        self.exam.picture = lambda: picture(self.board)

    async def show(self, cell: int) -> None:
        """Our move."""
        self.board = marked(self.board, cell, O)
        await self.talk.send(frame(self.board))

    async def see(self, wanted: bytes | None = None) -> int:
        """The server's move: one X more, and else nothing. Returns its square."""
        self.talk.phase = FRAME
        came = await self.talk.receive(self.patience)
        if not isinstance(came, Field):
            rest = came.unread if isinstance(came, Silence) else came.data if isinstance(came, Nonsense) else b""
            early = rest[:4] in (YES, NO)
            clause = clauses.OVER if early else missed(self.exam, clauses.TURNS)
            raise Violation(f"the server's move, behind {self._shown()}", told(came), clause)
        cell = self._check(came.data)
        self.board = came.data[2:11]
        if wanted is not None and self.board != wanted:
            raise Violation(f"the other player's move: {shown(wanted)}", shown(self.board), clauses.BOARD)
        return cell

    def _shown(self) -> str:
        return shown(self.board)

    def _check(self, data: bytes) -> int:
        if data[:2] != HOOK:
            raise Violation("y and a NUL in front of the board", shown(data), clauses.HOOK)
        if data[11:] != SERVER_STOP:
            raise Violation("S and a NUL behind the board", shown(data), clauses.STOP)
        board = data[2:11]
        if board.strip(b" XO"):
            raise Violation("nine squares, each X, O or a blank", shown(board), clauses.BOARD)
        changed = [cell for cell in range(9) if board[cell] != self.board[cell]]
        if len(changed) == 1 and self.board[changed[0]] == ord(" ") and board[changed[0]] == X:
            return changed[0]
        kept = all(board[cell] == self.board[cell] for cell in range(9) if self.board[cell] != ord(" "))
        new = bytes(board[cell] for cell in changed) if kept else b""
        clause = clauses.MARKS if b"O" in new else clauses.TURNS if kept else clauses.BOARD
        raise Violation(f"one X more than on {self._shown()}, and else the same", shown(board), clause)

    async def question(self) -> bool:
        """Whether the server wants another game; it comes when the game is over, and nothing before it."""
        came = await self.field(ANSWER, "y, NUL and the server's y or n: the game is over", clauses.OVER)
        if came[:2] == HOOK and came[2:3] in b" XO":
            rest = await self.talk.receive(SHORT)
            more = rest.data if isinstance(rest, Field) else b""
            expected = "the question whether to go on: the game is over"
            raise Violation(expected, f"a board {shown(came + more)}", clauses.OVER)
        if came not in (YES, NO):
            raise Violation("y, NUL, then y or n, NUL", shown(came), clauses.QUESTION)
        return came == YES

    async def quiet(self, expected: str, clause: Clause, seconds: float = SHORT) -> None:
        """Nothing comes, or the end."""
        self.talk.phase = 1
        came = await self.talk.receive(seconds)
        if not isinstance(came, Silence | End):
            raise Violation(expected, told(came), clause)

    async def quiet_after(self, wanted: bytes) -> None:
        """The other player's move, and nothing behind it."""
        await self.see(wanted)
        await self.quiet("nothing: it is this player's turn", clauses.TURNS)


class Match:
    """One table: our one side, or both."""

    def __init__(self, exam: ServerExam, sides: list[Side]) -> None:
        self.exam, self.sides = exam, sides
        self.habits: Habits = exam.habits

    @classmethod
    async def begin(cls, exam: ServerExam, name: bytes = field(b"Clara")) -> "Match":
        """Names and coin, up to where one of us is to move."""
        side = Side(exam, await exam.connect(), name)
        match = cls(exam, [side])
        if not exam.habits.pairs:
            await side.coin()
        else:
            await side.talk.send(side.name)
            await asyncio.sleep(SHORT / 5)  # so that it is clear who came first
            match.sides.append(other := Side(exam, await exam.connect(), field(b"Dorothea")))
            await other.talk.send(other.name)
            for one, opposite in ((side, other), (other, side)):
                one.host = await one.field(NAME, "the server's name in 32 bytes", clauses.NAMES)
                await one.coin(text(opposite.name))
            if side.first == other.first:
                raise Violation("1 for one of the players, 2 for the other", "the same for both", clauses.STARTER)
        await match.settle()
        return match

    @classmethod
    async def where(cls, exam: ServerExam, first: bool) -> "Match":
        """A game in which the client begins, or the server; the side that sees it so is `sides[0]`."""
        for _ in range(2 if exam.habits.slow else 16):
            match = await cls.begin(exam)
            match.sides.sort(key=lambda side: side.first != first)
            if match.sides[0].first == first:
                return match
            await exam.close()
        return skip(f"the coin never let the {'client' if first else 'server'} begin")

    @property
    def board(self) -> bytes:
        """As the first side sees it."""
        return self.sides[0].board

    @property
    def over(self) -> bool:
        """Whether the game has ended by the rules."""
        return over(self.board)

    @property
    def mover(self) -> Side:
        """Returns the player of ours who is to move."""
        for side in self.sides:
            theirs, ours = side.board.count(b"X"), side.board.count(b"O")
            if ours < theirs or (ours == theirs and side.first):
                return side
        raise AssertionError("the server is on turn")

    async def settle(self) -> None:
        """The server's own move, if it plays itself and is on turn."""
        side = self.sides[0]
        theirs, ours = side.board.count(b"X"), side.board.count(b"O")
        if len(self.sides) == 1 and not self.over and (ours > theirs or (ours == theirs and not side.first)):
            await side.see()

    async def play(self, cell: int) -> None:
        """Makes a move for the side on turn, and checks what the other side says to it."""
        mover = self.mover
        await mover.show(cell)
        for other in self.sides:
            if other is not mover:
                await other.see(swapped(mover.board))
        await self.settle()

    async def toward(self, goal: Goal) -> bool:
        """Play for this end, as the first side sees it; False once it is out of reach."""
        while not self.over:
            mover = self.mover
            seen = self.sides[0].board
            cell = best(seen, O if mover is self.sides[0] else X, goal, self.exam.rng.choice)
            if cell is None:
                return False
            await self.play(cell)
        return goal.met(self.board)

    async def out(self) -> None:
        """Play any game to its end."""
        while not self.over:
            await self.play(self.exam.rng.choice(blanks(self.mover.board)))

    async def questions(self) -> bool:
        """The question to everyone; whether there may be another game."""
        return all([await side.question() for side in self.sides])

    async def asked(self) -> None:
        """The same, where another game is wanted."""
        if not await self.questions():
            skip("the server does not want another game")

    async def again(self) -> None:
        """Everyone says yes, and the next game begins."""
        for side in self.sides:
            await side.talk.send(YES)
        for side in self.sides:
            await side.number(clauses.AGAIN)
        if len(self.sides) == 2 and self.sides[0].first == self.sides[1].first:
            raise Violation("1 for one of the players, 2 for the other", "the same for both", clauses.AGAIN)
        await self.settle()

    async def served(self) -> None:
        """The next newcomer gets a game."""
        if not self.habits.single:
            await newcomer(self.exam)


async def newcomer(exam: ServerExam) -> None:
    """The next one who comes gets a game."""
    if exam.habits.single:
        return
    for side in exam.conversations:
        await side.leave()
    try:
        await Match.begin(exam)
    except Violation as violation:
        raise Violation("a game for the next who comes", violation.came, clauses.STANDING) from violation


async def reached(exam: ServerExam, goal: Goal) -> Match:
    """A game that has ended so, before the question."""
    for _ in range(2 if exam.habits.slow else TRIES):
        match = await Match.begin(exam)
        if await match.toward(goal):
            return match
        if match.over:  # another end than was wanted is an end as well
            await match.questions()
        await exam.close()
        if exam.clock.spent(1.0):
            break
    return skip("no game ended so, in several tries")


async def probe(exam: ServerExam) -> Habits:
    """Finds out who sits opposite."""
    began = time.monotonic()
    side = Side(exam, await exam.connect())
    await side.talk.send(side.name)
    side.talk.phase = NAME + 1  # more than a name: a game begins
    came = await side.talk.receive(LONELY)
    if not isinstance(came, Silence):
        return Habits()
    try:
        second = await exam.connect()
    except Unreachable:
        return Habits(slow=True, single=True)
    await second.send(field(b"Dorothea"))
    second.phase = side.talk.phase
    if isinstance(await second.receive(LONELY), Field):
        return Habits(pairs=True)
    slow = isinstance(await side.talk.receive(SLEEPY), Field)
    return Habits(slow=slow and time.monotonic() - began > 2 * LONELY)
