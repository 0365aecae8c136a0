"""A game on the server under examination, with our own rules beside it: every line is held against them.

The document seats two people opposite each other: both are ours. A server that plays itself is met by one of us.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from parlour.conform.case import Clause, Violation, skip
from parlour.conform.conversation import Conversation, End, Silence, told
from parlour.conform.exam import ServerExam
from parlour.conform.glendy import clauses
from parlour.core.game import NOBODY
from parlour.games.glenda.board import CELLS, beside, bit, inside
from parlour.games.glenda.rules import GlendaPosition

FIRST, LATER = "first", "later"
TRAPPER, GLENDA = 0, 1
LONELY = 1.5
"""Seconds in which a server of the first revision has said CONN, and one that plays itself has begun."""
SHORT = 0.25
NICKS = ("anna", "bert")


class Line(msgspec.Struct, frozen=True):
    """A line without its end."""

    text: str


class Lines:
    """Lines that end in LF."""

    limit = 1024

    def parse(self, data: bytes, start: int, phase: Any) -> tuple[Line, int] | None:  # noqa: ARG002
        """The next line."""
        end = data.find(b"\n", start)
        return (Line(data[start:end].decode("ascii", "backslashreplace")), end + 1) if end >= 0 else None


class Habits(msgspec.Struct, frozen=True):
    """What the probe has found out about a server."""

    dialect: str = FIRST
    pairs: bool = True

    @property
    def words(self) -> str:
        """For the person who waits for the report."""
        return "It seats two people opposite each other." if self.pairs else "It plays itself."


class Player:
    """One of our connections."""

    def __init__(self, exam: ServerExam, talk: Conversation, side: int = TRAPPER) -> None:
        self.exam, self.talk, self.side = exam, talk, side
        self.waited = False

    async def line(self, expected: str, clause: Clause) -> str:
        """The next line, which must come; questions whether we are still there are answered."""
        while True:
            came = await self.talk.receive()
            if not isinstance(came, Line):
                raise self.talk.wrong(came, expected, clause)
            if came.text != "UGUD" or self.exam.dialect == FIRST:
                return came.text
            await self.say("y")

    async def expect(self, expected: str, clause: Clause) -> None:
        """This line and no other."""
        came = await self.line(expected, clause)
        if came != expected:
            raise Violation(expected, came, clauses.VERDICT if came in ("WON", "LOST") else clause)

    async def say(self, text: str) -> None:
        """A line."""
        await self.talk.send(text.encode() + b"\n")

    async def connected(self) -> str:
        """CONN and our side; in the later revision WAIT may come before."""
        came = await self.line("CONN", clauses.CONN)
        while came == "WAIT" and self.exam.dialect == LATER:
            came = await self.line("CONN", clauses.CONN)
        words = came.split()
        if len(words) < 2 or words[0] != "CONN" or not words[1].isdigit():
            raise Violation("CONN and a number", came, clauses.CONN)
        self.side = int(words[1]) % 2
        return came

    async def board(self) -> GlendaPosition:
        """INIT to SENT."""
        came = await self.line("INIT", clauses.INIT)
        while came == "WAIT":
            self.waited = True
            came = await self.line("INIT", clauses.INIT)
        if came != "INIT":
            raise Violation("INIT", came, clauses.INIT)
        seen: dict[str, list[tuple[int, int]]] = {"w": [], "g": []}
        while (came := await self.line("w x y, g x y or SENT", clauses.SENT)) != "SENT":
            match came.split(" "):
                case [("w" | "g") as kind, x, y] if x.isdigit() and y.isdigit() and inside(int(x), int(y)):
                    seen[kind].append((int(x), int(y)))
                case _:
                    raise Violation("w x y, g x y or SENT", came, clauses.BOARD)
        walls, at = set(seen["w"]), seen["g"]
        if len(at) != 1 or at[0] in walls or len(walls) != len(seen["w"]):
            raise Violation("one g, and every wall once", f"{at} and {seen['w']}", clauses.BOARD)
        return GlendaPosition(sum(bit(*cell) for cell in walls), at[0])

    async def quiet(self, expected: str, clause: Clause) -> None:
        """Nothing comes."""
        came = await self.talk.receive(SHORT)
        if not isinstance(came, Silence):
            raise Violation(expected, told(came), clause)


class Match:
    """One game."""

    def __init__(self, exam: ServerExam, players: list[Player], position: GlendaPosition) -> None:
        self.exam, self.position = exam, position
        self.players = {player.side: player for player in players}
        self.number = 0
        self.put: tuple[int, int] | None = None
        """Where we have put the last wall."""
        self.warned = False
        """Whether something has been said that the document has no answer for: one may still be on its way."""
        self.refusal: Clause | None = None
        """By which the last move was refused."""
        exam.picture = self.position.text

    @classmethod
    async def begin(cls, exam: ServerExam) -> "Match":
        """Up to where one of us is to move."""
        players = [await come(exam, TRAPPER)]
        if exam.habits.pairs:
            players.append(await come(exam, GLENDA))
        for player in players:
            await player.connected()
        boards = [await player.board() for player in players]
        if len({player.side for player in players}) != len(players):
            raise Violation("a trapper and a glenda", f"CONN {players[0].side} twice", clauses.CONN)
        if len({(position.glenda, tuple(position.walls())) for position in boards}) > 1:
            raise Violation("the same board for both", "two boards", clauses.BOARD)
        match = cls(exam, players, boards[0])
        await match.turns()
        await match.settle()
        return match

    @property
    def over(self) -> bool:
        """Whether the game has ended by the rules."""
        return self.position.turn == NOBODY

    @property
    def mover(self) -> Player:
        """Returns the player of ours who is to move."""
        return self.players[self.position.turn]

    def player(self, side: int) -> Player:
        """Who plays this side, if it is one of us; else the case is of no use."""
        if side not in self.players:
            skip("the server plays this side itself")
        return self.players[side]

    async def turns(self) -> None:
        """TURN to the one, WAIT to the other."""
        for side, player in self.players.items():
            await player.expect("TURN" if side == self.position.turn else "WAIT", clauses.TURN)

    async def play(self, move: str, *parts: bytes) -> None:
        """Makes a move for the side on turn, and checks all that follows."""
        mover = self.mover
        await mover.talk.send(*(parts or (move.encode() + b"\n",)))
        await self._told(move)
        await self.settle()

    async def _told(self, move: str) -> None:
        if self.position.turn == TRAPPER:
            self.put = int(move.split()[1]), int(move.split()[2])
        self.position.play(move)
        self.number += 1
        for player in self.players.values():
            came = await player.line(f"SYNC {self.number}{move[1:]}", clauses.SYNC)
            while player.side != self.position.turn and (came == "TURN" or (self.warned and complaint(came))):
                came = await player.line(f"SYNC {self.number}{move[1:]}", clauses.SYNC)
            if came != f"SYNC {self.number}{move[1:]}":
                raise Violation(f"SYNC {self.number}{move[1:]}", came, self._instead_of_sync(came))
            self.refusal = None
        if self.over:
            for side, player in self.players.items():
                await player.expect("WON" if side in self.position.winners() else "LOST", clauses.VERDICT)
        else:
            await self.turns()

    def _instead_of_sync(self, came: str) -> Clause:
        """What is broken by another line in the place of SYNC."""
        if self.refusal is not None and came in ("WAIT", "TURN"):
            return self.refusal  # the turn has passed, though the move was refused
        return clauses.ERR_WAIT if came == "ERR WAIT" else clauses.VERDICT if came in ("WON", "LOST") else clauses.SYNC

    async def settle(self) -> None:
        """The server's own moves, where it plays itself."""
        while not self.over and self.position.turn not in self.players:
            (player,) = self.players.values()
            words = (await player.line("SYNC", clauses.SYNC)).split()
            move = " ".join(("p" if len(words) == 4 else "m", *words[2:]))
            self.number += 1
            if words[:2] != ["SYNC", str(self.number)] or self.position.check(move) is not None:
                raise Violation(f"SYNC {self.number} and a legal move", " ".join(words), clauses.SYNC)
            self.position.play(move)
            if self.over:
                await player.expect("WON" if player.side in self.position.winners() else "LOST", clauses.VERDICT)
            else:
                await self.turns()

    async def refused(
        self, player: Player, text: str, wanted: Callable[[str], bool], words: str, clause: Clause
    ) -> None:
        """The line is refused, and nothing has changed."""
        await player.say(text)
        came = await player.line(words, clause)
        if not wanted(came):
            raise Violation(words, came, clause)
        self.refusal = clause

    async def passed_over(self, text: str, clause: Clause) -> None:
        """A line that the document has no answer for: whatever the server says, nothing has changed."""
        mover = self.mover
        await mover.say(text)
        self.warned = True
        for came in await mover.talk.listen(SHORT):
            if isinstance(came, End):
                skip("the server lets go of a client that says so")
            if came != Line("TURN") and not (isinstance(came, Line) and complaint(came.text)):
                raise mover.talk.wrong(came, "a complaint, or nothing: the turn stays", clause)
        try:
            await self.play(self.harmless())
        except Violation as violation:
            raise Violation(violation.expected, violation.came, clause) from violation

    def harmless(self) -> str:
        """A move that decides nothing."""
        return self.elsewhere() if self.position.turn == TRAPPER else self.position.legal()[0]

    def elsewhere(self) -> str:
        """Returns a put that hinders neither side: glenda stays free, and no cell beside her is taken."""
        x, y = self.position.glenda
        for move in sorted(self.position.legal(), key=lambda move: (_mirrored(move), -_far(move, x, y))):
            after = self.position.copy()
            after.play(move)
            if after.turn != NOBODY and len(after.legal()) == len(self._steps()):
                return move
        return self.position.legal()[0]

    def elsewhere_later(self) -> str:
        """Returns a put that hinders neither side and stays possible after any other move."""
        after = self.position.copy()
        after.turn = TRAPPER
        taken = {after.glenda, *beside(*after.glenda), *after.walls()}
        return next(f"p {x} {y}" for x, y in ((1, 1), (9, 9), (1, 9), (9, 1), *CELLS) if (x, y) not in taken)

    def _steps(self) -> list[str]:
        after = self.position.copy()
        after.turn = GLENDA
        return list(after.legal())

    def path(self, goal: Callable[[int, int], bool]) -> list[str]:
        """Steps of glenda to a cell like this; empty when there are none."""
        start = self.position.copy()
        start.turn = GLENDA
        queue: deque[tuple[GlendaPosition, list[str]]] = deque([(start, [])])
        seen = {start.glenda}
        while queue:
            position, steps = queue.popleft()
            if steps and goal(*position.glenda):
                return steps
            for move in position.legal() if position.turn == GLENDA else []:
                after = position.copy()
                after.play(move)
                if after.glenda not in seen:
                    seen.add(after.glenda)
                    if after.turn == NOBODY:
                        if goal(*after.glenda):
                            return [*steps, move]
                        continue
                    after.turn = GLENDA
                    queue.append((after, [*steps, move]))
        return []


def complaint(came: str) -> bool:
    """Whether a line is an answer to something that may not be said."""
    return came.split()[:1] not in (["SYNC"], ["TURN"], ["WAIT"], ["WON"], ["LOST"], []) and came != "ERR WAIT"


def _mirrored(move: str) -> bool:
    """Whether a put is the same with x and y exchanged, and so does not tell."""
    _, column, row = move.split()
    return column == row


def _far(move: str, x: int, y: int) -> int:
    _, column, row = move.split()
    return abs(int(column) - x) + abs(int(row) - y)


async def come(exam: ServerExam, side: int) -> Player:
    """One more of us, who says hello where that is asked for."""
    player = Player(exam, await exam.connect(), side)
    if exam.dialect == LATER:
        await player.say(f"{NICKS[side]} 0 {side} 0")
    await asyncio.sleep(SHORT / 10)  # so that it is clear who came first
    return player


async def arrive(exam: ServerExam, side: int) -> Player:
    """The same, and in the first revision we have been greeted."""
    player = await come(exam, side)
    if exam.dialect == FIRST:
        await player.connected()
    return player


async def newcomers(exam: ServerExam) -> None:
    """The next two get their game."""
    for talk in exam.conversations:
        await talk.leave()
    try:
        await Match.begin(exam)
    except Violation as violation:
        raise Violation("a game for the next who come", violation.came, clauses.STANDING) from violation


async def probe(exam: ServerExam) -> Habits:
    """Finds out the dialect, and who sits opposite."""
    talk = await exam.connect()
    heard = [await talk.receive(LONELY)] if exam.dialect != LATER else []
    dialect = exam.dialect or (FIRST if isinstance(heard[0], Line) else LATER)
    if dialect == LATER:
        await talk.send(b"anna 0 0 0\n")
    while not isinstance(came := await talk.receive(LONELY), Silence | End):
        heard.append(came)
        if came == Line("UGUD"):
            await talk.send(b"y\n")
        if came == Line("INIT"):
            return Habits(dialect, pairs=False)
    return Habits(dialect)
