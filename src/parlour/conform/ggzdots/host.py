"""Our side of a game with the client under examination: we are its server, and the player opposite.

The same on the channel of a zone, where protocol 4 is spoken.
"""

import time
from collections.abc import Sequence
from typing import Any

from parlour.conform.case import Clause, Violation, skip
from parlour.conform.conversation import Conversation, End, Silence, told
from parlour.conform.exam import ClientExam
from parlour.conform.ggzdots import clauses
from parlour.conform.ggzdots.table import Goal, Size, closes, thought_out
from parlour.core.errors import Refusal
from parlour.core.game import NOBODY
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.board import cells, laid_out
from parlour.protocols.ggzdots.dialect import DRAW, LARGEST, SMALLEST, YEAR2000, Dialect
from parlour.protocols.ggzdots.messages import AskSync, Chair, Choose, Draw, NewGame
from parlour.protocols.ggzdots.phases import Side

SHORT = 0.3
"""Seconds of silence that tell that nothing more comes."""
WISH = "rematch yes"
"""What a client's person types to get another game."""
USUAL: Size = (3, 3)
STRAYS: dict[type, Clause] = {Choose: clauses.ASKED_OPTIONS, NewGame: clauses.NEW_GAME}
"""What is broken by a message in the place of a line."""


class Host:
    """One client, in one of the seats; the other is ours."""

    def __init__(self, exam: ClientExam, talk: Conversation, dialect: Dialect = YEAR2000) -> None:
        self.exam, self.talk = exam, talk
        self.spelling = spell.SPELLING[dialect]
        talk.phase = Side.CLIENT
        self.seat = 1
        self.name = "Examinee"
        self.size: Size = USUAL
        self.position: DotsPosition = laid_out(*USUAL)
        self.live = False
        """A game is running, so that there is something to see."""
        exam.picture = lambda: self.position.text()

    @classmethod
    async def seated(cls, exam: ClientExam, seat: int = 1) -> "Host":
        """The client sits, and so do we; nothing is chosen."""
        host = cls(exam, await exam.join())
        host.seat = seat
        await host.say(spell.seat(seat), host.players())
        return host

    @classmethod
    async def begin(cls, exam: ClientExam, size: Size = USUAL, seat: int = 1, first: int | None = None) -> "Host":
        """Begins a game on a board that we choose. Seat 0 moves first, unless `first` names another."""
        host = await cls.seated(exam, seat)
        await host.start(size, first)
        return host

    async def start(self, size: Size, first: int | None = None) -> None:
        """The board is told, and the game begins."""
        self.lay_out(size, first)
        await self.say(spell.options(*size))

    def lay_out(self, size: Size, first: int | None = None) -> None:
        self.size, self.position, self.live = size, laid_out(*size), True
        self.position.turn = 0 if first is None else first

    # --- saying -------------------------------------------------------------------------------------------------------

    async def say(self, *parts: bytes) -> None:
        """All of it in one segment."""
        await self.talk.send(b"".join(parts))

    def players(self, other: Chair | None = None) -> bytes:
        """Who sits where; `other` is opposite."""
        kinds = self.spelling.kinds
        mine = Chair(kinds.player, self.name)
        theirs = other or Chair(kinds.player, "Dorothea")
        return self.spelling.players((mine, theirs) if self.seat == 0 else (theirs, mine))

    def opened(self) -> bytes:
        """The other seat is open."""
        return self.players(Chair(self.spelling.kinds.open))

    def line(self, move: str) -> bytes:
        """A line of ours, drawn and spelled."""
        self.position.play(move)
        return self.spelling.line(move, self.position.last_boxes)

    @property
    def theirs(self) -> bool:
        """Whether the client is on turn."""
        return self.position.turn == self.seat

    @property
    def over(self) -> bool:
        return self.position.turn == NOBODY

    def sync(self) -> bytes:
        return spell.sync(cells(self.size, self.position if self.live else None))

    # --- hearing ------------------------------------------------------------------------------------------------------

    async def hear(self, seconds: float | None = None) -> Any:
        """What the client says; DOTS_REQ_SYNC, which it may say at any time, is answered on the way."""
        while isinstance(came := await self.talk.receive(seconds), AskSync):
            await self.say(self.sync())
        return came

    async def draws(self, move: str | None = None, clause: Clause = clauses.REQUEST) -> str:
        """The client draws a line that is on the board and free. Its person types one; a machine does not mind."""
        free = self.position.legal()
        self.exam.type(move if move in free else self.exam.rng.choice(free))
        came = await self.hear()
        if not isinstance(came, Draw):
            raise self.talk.wrong(came, "SND_MOVE: a line of the client", STRAYS.get(type(came), clause))
        why = self.position.check(came.move)
        if why is not None:
            rule = clauses.BOUND if why is Refusal.OUT_OF_BOUNDS else clauses.FULL
            raise Violation("a line that is on the board and free", told(came), rule)
        return came.move

    async def granted(self, move: str) -> None:
        """The client's line is drawn, and answered."""
        self.position.play(move)
        await self.say(self.spelling.grant(self.position.last_boxes))

    async def turn(self, move: str | None = None, clause: Clause = clauses.REQUEST) -> str:
        """One line of the client, asked for and answered."""
        await self.say(spell.WANT_MOVE)
        drawn = await self.draws(move, clause)
        await self.granted(drawn)
        return drawn

    async def ours(self, move: str | None = None) -> None:
        """One line of ours."""
        await self.say(self.line(move or self.exam.rng.choice(self.position.legal())))

    async def out(self, clause: Clause = clauses.REQUEST) -> None:
        """Any game to its end, with its verdict."""
        while not self.over:
            await (self.turn(clause=clause) if self.theirs else self.ours())
        await self.verdict()

    async def toward(self, goal: Goal) -> bool:
        """A game that ends so, if the client does what its person types."""
        plan: Sequence[str] = ()
        while not self.over:
            if not plan:
                plan = thought_out(self.position, goal, self.exam.rng, 500) or [
                    self.exam.rng.choice(self.position.legal())
                ]
            move = drawn = plan[0]
            if self.theirs:
                drawn = await self.turn(move)
            else:
                await self.ours(move)
            plan = plan[1:] if drawn == move else ()
        await self.verdict()
        return goal(self.position)

    async def verdict(self) -> None:
        winners = self.position.winners()
        self.live = False
        await self.say(spell.game_over(winners[0] if winners else DRAW))

    async def quiet(self, expected: str, clause: Clause, seconds: float = SHORT) -> None:
        """Nothing comes, or the end."""
        came = await self.hear(seconds)
        if not isinstance(came, Silence | End) or (isinstance(came, Silence) and came.unread.strip()):
            raise self.talk.wrong(came, expected, clause)

    async def chooses(self, clause: Clause = clauses.ASKED_OPTIONS) -> Size:
        """The client chooses a board, which is legal."""
        came = await self.hear()
        if not isinstance(came, Choose):
            raise self.talk.wrong(came, "SND_OPTIONS", clause)
        if not all(SMALLEST <= side <= LARGEST for side in (came.width, came.height)):
            raise Violation("a board of 2 to 25 dots each way", told(came), clauses.SIZES)
        return came.width, came.height

    async def asks(self) -> Size:
        """DOTS_REQ_OPTIONS, and the answer."""
        await self.say(spell.WANT_OPTIONS)
        return await self.chooses()

    async def wants_another(self) -> None:
        """After a game: the client asks for the next one, or the case is skipped."""
        self.exam.type(WISH)
        came = await self.hear(max(1.0, self.exam.seconds / 2))
        if isinstance(came, Silence | End):
            skip("the client does not want another game")
        if not isinstance(came, NewGame):
            raise self.talk.wrong(came, "REQ_NEWGAME, or the end: the game is over", clauses.NEW_GAME)

    def nearly_full(self, last: str) -> list[str]:
        """All lines but this one, by any player."""
        return [move for move in self.position.shape.moves if move != last]

    def filled(self, last: str) -> None:
        """The board with one line left, the client on turn; the squares are ours."""
        for move in self.nearly_full(last):
            self.position.turn = 1 - self.seat
            self.position.play(move)
        self.position.turn = self.seat

    async def alive(self, seconds: float) -> bool:
        """Whether the client is still there after so long."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            if isinstance(await self.hear(max(ends - time.monotonic(), 0.01)), End):
                return False
        return True


def first_closing(host: Host) -> str | None:
    """A line that closes a square, if there is one."""
    return next((move for move in host.position.legal() if closes(host.position, move)), None)
