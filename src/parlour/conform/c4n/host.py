"""Our side of a game with the client under examination: we are its server, and our own rules say how it stands."""

import asyncio
from random import Random
from typing import Any

from parlour.conform.c4n import clauses
from parlour.conform.c4n.match import ORIGINAL, SHORT, rows
from parlour.conform.case import Clause, Shortfall, Violation
from parlour.conform.conversation import Conversation, End, Silence, told
from parlour.conform.exam import ClientExam
from parlour.core.game import NOBODY
from parlour.games.connect4.rules import Connect4Position, shape
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.messages import LOST, WON, Board, Move, Start, Stop

OURS, THEIRS = 1, 0
"""Seats: the client begins, as the document has it."""
_CELLS = bytes.maketrans(b"\0\1\2", b"012")


class Host:
    """One client, after its START."""

    def __init__(self, exam: ClientExam, talk: Conversation, columns: int = 7, height: int = 6) -> None:
        self.exam = exam
        self.talk = talk
        self.position = Connect4Position(shape(columns, height))
        exam.picture = lambda: self.position.text()

    @classmethod
    async def greeted(cls, exam: ClientExam, columns: int = 7, height: int = 6) -> "Host":
        """The client has connected and said START, and nothing before."""
        host = cls(exam, await exam.join(), columns, height)
        await host.talk.expect(Start, "START, as the first message of a client", clauses.START_NEW)
        return host

    @classmethod
    async def begin(cls, exam: ClientExam, columns: int = 7, height: int = 6) -> "Host":
        """The same, and the client has been shown the board and is to move."""
        host = await cls.greeted(exam, columns, height)
        if exam.dialect == ORIGINAL:
            host.position.turn = OURS  # there the AI begins
            host.position.play(str(columns // 2))
        await host.send(host.board())
        return host

    @classmethod
    async def with_room_in(cls, exam: ClientExam, column: int, columns: int = 7, height: int = 6) -> "Host":
        """A game in which this column alone has room, and the client is to move."""
        host = await cls.greeted(exam, columns, height)
        host.position = nearly_full(columns, height, column, exam.rng)
        await host.send(host.board())
        return host

    # --- saying ------------------------------------------------------------------------------------------

    def board(self) -> bytes:
        """BOARD as it stands: the client's tokens are 1, ours are 2."""
        sides = self.position.columns, self.position.rows
        first, second = sides[::-1] if self.exam.dialect == ORIGINAL else sides
        return codec.board(Board(first, second, self.position.cells().translate(_CELLS)))

    async def send(self, *parts: bytes, pause: float = 0.004) -> None:
        """Bytes to the client."""
        await self.talk.send(*parts, pause=pause)

    def answer(self, column: int | None = None) -> list[bytes]:
        """The BOARDs after the client's move and after ours, which is made here."""
        boards = [] if self.exam.dialect == ORIGINAL else [self.board()]
        if self.position.turn == OURS:
            self.position.play(str(column) if column is not None else self.exam.rng.choice(self.position.legal()))
            boards.append(self.board())
        return boards

    # --- listening ------------------------------------------------------------------------------------------

    async def move(self, typed: int | str | None = None, clause: Clause = clauses.MOVE_TURN) -> int:
        """The client's MOVE, which is played. Its person types a column; one that plays by itself does not mind."""
        choice = typed if typed is not None else self.exam.rng.choice(self.position.legal())
        self.exam.type(str(choice))
        came = await self.talk.receive()
        if not isinstance(came, Move):
            raise self.talk.wrong(came, "MOVE: the client is on turn", clause)
        self.position.turn = THEIRS
        if self.position.check(str(came.column)) is not None:
            cells = rows(self.position.cells().translate(_CELLS), self.position.columns)
            raise Violation(f"MOVE with a column that has room on {cells}", told(came), clauses.MOVE_INDEX)
        self.position.play(str(came.column))
        return came.column

    async def quiet(self, seconds: float, expected: str, clause: Clause) -> None:
        """The client says nothing for a while."""
        await self.talk.expect_silence(seconds, expected, clause)

    async def leaves(self, clause: Clause, allowed: tuple[type, ...] = (Stop,)) -> None:
        """The client ends the connection, perhaps with a last word; it need not, but it should."""
        while not isinstance(came := await self.talk.receive(), End):
            if isinstance(came, Silence):
                raise Shortfall("the client ends the connection", told(came), clause)
            if not isinstance(came, allowed):
                raise self.talk.wrong(came, "the end of the connection", clause)

    # --- the end ------------------------------------------------------------------------------------------

    async def finish(self, winner: int, *before: bytes, merged: bool = False) -> None:
        """RESULT, behind these messages or in a segment of its own; then we are done, and read on."""
        verdict = codec.result(winner)
        if merged:
            await self.send(b"".join((*before, verdict)))
        else:
            if before:
                await self.send(b"".join(before))
                await asyncio.sleep(SHORT)
            await self.send(verdict)
        await asyncio.sleep(SHORT / 6)
        self.talk.finish()

    async def play_out(self, winner: int) -> list[bytes]:
        """Plays a game that this side wins, or that is drawn; returns the BOARDs that go with the verdict."""
        while True:
            await self.move()
            if self.position.turn == NOBODY:
                return [self.board()]
            boards = self.answer(self._reply(winner))
            if self.position.turn == NOBODY:
                return boards
            await self.send(b"".join(boards))

    def _reply(self, winner: int) -> int:
        """Our move: one that wins or not, as is wanted."""
        moves = [int(move) for move in self.position.legal()]
        self.exam.rng.shuffle(moves)
        for move in moves:
            after = self.position.copy()
            after.play(str(move))
            if (OURS in after.winners()) == (winner == LOST):
                return move
        return moves[0]

    @property
    def verdict(self) -> int:
        """What RESULT has to say to the client."""
        winners = self.position.winners()
        return -1 if not winners else WON if THEIRS in winners else LOST


def nearly_full(columns: int, height: int, room: int, rng: Random) -> Connect4Position:
    """A position without four in line in which one column alone has room, seat 0 to move."""
    while True:
        position = Connect4Position(shape(columns, height))
        while position.turn != NOBODY:
            moves = [move for move in position.legal() if int(move) != room] or position.legal()
            position.play(_quietly(position, moves, rng))
            left = [int(move) for move in position.legal()]
            if left == [room] and position.turn == THEIRS and position.empty > 1:
                return position


def _quietly(position: Connect4Position, moves: list[str], rng: Random) -> str:
    """A move that makes no four in line, if there is one."""
    shuffled = rng.sample(moves, len(moves))
    for move in shuffled:
        after = position.copy()
        after.play(move)
        if after.turn != NOBODY:
            return move
    return shuffled[0]


def said(heard: list[Any], kind: type) -> list[Any]:
    """Those of this kind."""
    return [came for came in heard if isinstance(came, kind)]
