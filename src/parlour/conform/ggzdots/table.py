"""A table on the server under examination: what it says to our players is held against the document and the rules.

The server seats two people opposite each other, or plays itself. The same table is on the channels of a zone, where
protocol 4 is spoken.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

import msgspec

from parlour.conform.case import Clause, Shortfall, Violation, skip
from parlour.conform.conversation import Conversation, End, Nonsense, Silence, told
from parlour.conform.exam import Exam
from parlour.conform.ggzdots import clauses
from parlour.core.game import NOBODY
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.board import cells, laid_out
from parlour.protocols.ggzdots.dialect import (
    DRAW,
    ERR_BOUND,
    ERR_FULL,
    ERR_STATE,
    ERR_TURN,
    FOUR,
    LARGEST,
    OPEN,
    SMALLEST,
    Dialect,
)
from parlour.protocols.ggzdots.messages import (
    Answer,
    Chair,
    GameOver,
    Line,
    Options,
    Players,
    Seat,
    Sync,
    WantMove,
    WantOptions,
)
from parlour.protocols.ggzdots.phases import Reading

PEEK = 0.02
"""Seconds for one look at a connection, while it is open which of several will speak."""
SHORT = 0.2
"""Seconds of silence that tell that nothing more comes."""
REFUSALS = {ERR_STATE: clauses.STATE, ERR_TURN: clauses.TURN, ERR_BOUND: clauses.BOUND, ERR_FULL: clauses.FULL}
STRAYS: dict[type, Clause] = {
    Line: clauses.TOLD,
    WantMove: clauses.REQUEST,
    GameOver: clauses.OVER,
    WantOptions: clauses.ASKED_OPTIONS,
}
"""What is broken by a message in the place of an answer."""
EITHER = 0, 1

M = TypeVar("M")
Size = tuple[int, int]
Goal = Callable[[DotsPosition], bool]


class Player:
    """One of our connections at a table."""

    def __init__(self, exam: Exam, talk: Conversation, dialect: Dialect) -> None:
        self.exam, self.talk, self.dialect = exam, talk, dialect
        talk.phase = Reading()
        self.seat = NOBODY
        self.chairs: tuple[Chair, ...] = ()
        self.size: Size | None = None
        """As the server has told it."""
        self.board: Size | None = None
        """As it was chosen, once that is settled."""
        self.choosing = False
        """DOTS_REQ_OPTIONS has come."""
        self.asked = 0
        """Times that DOTS_REQ_MOVE has come and was not looked for."""
        self.unread = b""
        """What has come and is not all of a message, at the last look."""
        self.spare = False
        """The server may repeat DOTS_REQ_MOVE, which the document leaves open."""

    @property
    def alone(self) -> bool:
        """Whether a chair is open, as far as this player was told."""
        return any(chair.kind in OPEN for chair in self.chairs)

    @property
    def together(self) -> bool:
        """Whether this player was told a seat, and that both are taken."""
        return self.seat in EITHER and len(self.chairs) == 2 and not self.alone

    # --- hearing ------------------------------------------------------------------------------------------------------

    def notes(self, came: Any) -> bool:
        """Whether this is about chairs and the board, which may be said at any time. Raises Violation."""
        match came:
            case Seat(number=number):
                if number not in EITHER or self.seat not in (NOBODY, number):
                    before = "0 or 1" if self.seat == NOBODY else f"seat {self.seat}, as before"
                    raise Violation(before, told(came), clauses.SEAT)
                self.seat = number
            case Players(chairs=chairs):
                self.chairs = chairs
                self.spare = True
            case Options(width=width, height=height):
                self._options((width, height))
            case _:
                return False
        return True

    def _options(self, size: Size) -> None:
        if not all(SMALLEST <= side <= LARGEST for side in size):
            raise Violation("a board of 2 to 25 dots each way", f"MSG_OPTIONS {size[0]} {size[1]}", clauses.SIZES)
        if self.board not in (None, size):
            expected = f"the board that was chosen, {self.board[0]} by {self.board[1]} dots" if self.board else ""
            raise Violation(expected, f"MSG_OPTIONS {size[0]} {size[1]}", clauses.OPTIONS)
        self.size = size
        self.talk.phase = Reading(*size)

    async def next(self, kind: type[M], expected: str, clause: Clause, within: float | None = None) -> M:
        """A message of this kind, with nothing before it but news of chairs and the board."""
        while True:
            came = await self.talk.receive(within)
            if isinstance(came, kind):
                return came
            if isinstance(came, WantMove) and self.spare:
                self.spare = False
            elif not self.notes(came):
                stray = kind in (Answer, Sync) or isinstance(came, Line)
                raise self.talk.wrong(came, expected, STRAYS.get(type(came), clause) if stray else clause)

    async def look(self, seconds: float = PEEK) -> bool:
        """Files the next message; returns whether one came. Raises Violation for one that answers nothing."""
        came = await self.talk.receive(seconds)
        match came:
            case Silence(unread=unread):
                self.unread = unread
                return False
            case WantOptions():
                self.choosing = True
            case WantMove():
                self.asked += not self.spare or not self.asked
            case End() | Nonsense():
                raise self.talk.wrong(came, "a player is told what happens at the table", clauses.TWO)
            case _ if not self.notes(came):
                clause = clauses.REMOVED if isinstance(came, Sync) else clauses.REQUEST
                raise self.talk.wrong(came, "nothing of a game that has not begun", clause)
        return True

    # --- one thing after the other ------------------------------------------------------------------------------------

    async def granted(self, boxes: Sequence[tuple[int, int]], clause: Clause = clauses.ACCEPTED) -> None:
        """The answer to a legal line that has closed these squares."""
        came = await self.next(Answer, f"RSP_MOVE: a legal line that completes {len(boxes)} squares", clause)
        self.spare = False
        status = 0 if self.dialect is FOUR else len(boxes)
        if came.status != status:
            wrong = REFUSALS.get(came.status, clauses.ACCEPTED) if came.status < 0 else clauses.COUNT
            raise Violation(f"RSP_MOVE {status}", told(came), clause if clause is clauses.AHEAD else wrong)
        self._listed(came.squares, boxes)

    async def shown(self, move: str, boxes: Sequence[tuple[int, int]]) -> None:
        """The other's line."""
        came = await self.next(Line, f"MSG_MOVE {move}: the other's line", clauses.TOLD)
        if came.move != move:
            raise Violation(f"MSG_MOVE {move}: the other's line", told(came), clauses.TOLD)
        self._listed(came.squares, boxes)

    def _listed(self, squares: Sequence[tuple[int, int]], boxes: Sequence[tuple[int, int]]) -> None:
        if self.dialect is FOUR and sorted(squares) != sorted(boxes):
            raise Violation(f"the squares {list(boxes)}", f"{list(squares)}", clauses.SQUARES)

    async def refused(self, move: str, *statuses: int, mine: bool = True) -> None:
        """A line that is refused with one of these; `mine`: it is this player's turn, and stays so."""
        await self.talk.send(spell.draw(move))
        await self.refused_already(*statuses, mine=mine)

    async def refused_already(self, *statuses: int, mine: bool = False) -> None:
        """The answer to such a line that was sent before."""
        clause = REFUSALS[statuses[0]]
        came = await self.next(Answer, f"RSP_MOVE {statuses[0]}", clause)
        if came.status not in statuses:
            raise Violation(f"RSP_MOVE {' or '.join(map(str, statuses))}", told(came), clause)
        self.spare = mine

    async def synced(self, position: DotsPosition | None, board: Size, clause: Clause | None = None) -> None:
        """The whole board, as it is by the rules."""
        await self.talk.send(spell.ASK_SYNC)
        came = await self.next(Sync, "SND_SYNC: the whole board", clause or clauses.SYNC)
        right = cells(board, position)
        for name in ("turn", "score0", "score1", "vertical", "horizontal", "owners"):
            theirs, ours = getattr(came, name), getattr(right, name)
            if theirs != ours:
                wrong = clauses.OWNERS if name == "owners" else clauses.SYNC
                spelled = [value.hex() if isinstance(value, bytes) else str(value) for value in (ours, theirs)]
                raise Violation(f"{name} {spelled[0]}", f"{name} {spelled[1]}", clause or wrong)

    async def verdict(self, winner: int) -> None:
        """The end of a game: a seat, or 2 for a draw."""
        what = "a draw" if winner == DRAW else f"seat {winner} has won"
        came = await self.next(GameOver, f"MSG_GAMEOVER {winner}: {what}", clauses.OVER)
        self.spare = False
        if came.winner != winner:
            clause = clauses.DRAW if winner == DRAW else clauses.OVER
            kind = Shortfall if winner == DRAW and came.winner not in EITHER else Violation
            raise kind(f"MSG_GAMEOVER {winner}: {what}", told(came), clause)

    async def quiet(self, expected: str, clause: Clause, seconds: float = SHORT) -> None:
        """Nothing comes but news of chairs and the board."""
        while not isinstance(came := await self.talk.receive(seconds), Silence | End):
            if not self.notes(came) and not (isinstance(came, WantMove) and self.spare):
                raise self.talk.wrong(came, expected, clause)
        if isinstance(came, Silence) and came.unread.strip():
            raise self.talk.wrong(came, expected, clause)


async def until(players: Sequence[Player], done: Callable[[], bool], expected: str, clause: Clause) -> None:
    """Look at all of them until this is so. Raises Violation when it does not come."""
    ends = time.monotonic() + players[0].exam.seconds
    while not done():
        heard = [await player.look() for player in players if not done()]
        if not any(heard) and time.monotonic() > ends and not done():
            last = next((player for player in players if player.unread.strip()), players[0])
            raise last.talk.wrong(Silence(last.exam.seconds, last.unread), expected, clause)


class Table:
    """Our one player and the server's engine, or both players ours; our own rules beside them."""

    def __init__(self, exam: Exam, players: list[Player]) -> None:
        self.exam, self.players = exam, players
        self.size: Size = (0, 0)
        self.position: DotsPosition = laid_out(SMALLEST, SMALLEST)
        self.chooser: Player | None = None

    @property
    def ours(self) -> bool:
        """Whether both players are ours."""
        return len(self.players) == 2

    def at(self, seat: int) -> Player:
        """The player in a seat."""
        return next(player for player in self.players if player.seat == seat)

    @property
    def mover(self) -> Player:
        """The one of ours who is on turn."""
        return self.at(self.position.turn)

    @property
    def other(self) -> Player:
        """The one of ours who is not."""
        return self.at(1 - self.position.turn)

    @property
    def over(self) -> bool:
        """Whether all squares are closed."""
        return self.position.turn == NOBODY

    # --- the board ----------------------------------------------------------------------------------------------------

    async def together(self) -> None:
        """All of ours know their seats, which differ, and that both are taken."""
        players = self.players
        await until(players, lambda: all(player.seat in EITHER for player in players), "MSG_SEAT", clauses.SEAT)
        if self.ours and players[0].seat == players[1].seat:
            raise Violation("two seats for two players", f"seat {players[0].seat} for both", clauses.SEAT)
        expected = "MSG_PLAYERS: both seats are taken"
        await until(players, lambda: all(player.together for player in players), expected, clauses.PLAYERS)

    async def asked(self) -> Player:
        """The one who is asked for the board."""
        players = self.players
        expected = "REQ_OPTIONS to one of the players"
        await until(players, lambda: any(player.choosing for player in players), expected, clauses.ASKED_OPTIONS)
        if all(player.choosing for player in players) and self.ours:
            raise Violation("REQ_OPTIONS to one of the players", "REQ_OPTIONS to both", clauses.ASKED_OPTIONS)
        self.chooser = next(player for player in players if player.choosing)
        return self.chooser

    async def choose(self, size: Size, wait: bool = True) -> None:
        """Set the board; the other is told, at once or before the game. The chooser knows it anyway."""
        chooser = await self.asked()
        await chooser.talk.send(spell.choose(*size))
        self.chosen(chooser, size)
        others = [player for player in self.players if player is not chooser]
        if others and wait:
            expected = f"MSG_OPTIONS {size[0]} {size[1]}"
            await until(others, lambda: others[0].size == size, expected, clauses.OPTIONS)

    def chosen(self, chooser: Player, size: Size) -> None:
        """This is the board from now on."""
        self.size = size
        for player in self.players:
            player.board, player.size, player.choosing = size, None, False
        chooser.talk.phase = Reading(*size)

    async def start(self, clause: Clause = clauses.REQUEST) -> None:
        """A game begins: one player is asked for a move. Who that is is left open."""
        position = self.position = laid_out(*self.size)
        self.exam.picture = lambda: position.text()
        players = self.players
        if not self.ours:
            await self._begun(players[0], clause)
            return
        expected = "REQ_MOVE to one of the players: the game begins"
        await until(players, lambda: any(player.asked for player in players), expected, clause)
        if all(player.asked for player in players):
            raise Violation("REQ_MOVE to one player", "REQ_MOVE to both", clauses.REQUEST)
        for player in players:
            if player is not self.chooser:
                options = f"MSG_OPTIONS {self.size[0]} {self.size[1]} before the game"
                await until([player], lambda one=player: one.size == self.size, options, clauses.OPTIONS)  # type: ignore[misc]
        position.turn = next(player.seat for player in players if player.asked)
        self._forget_requests()

    async def _begun(self, player: Player, clause: Clause) -> None:
        """Against the server itself: we are asked, or its first line comes."""
        expected = "REQ_MOVE, or the first line of the opponent"
        if not player.asked:
            came = await player.next(WantMove | Line, expected, clause)  # type: ignore[arg-type]
            if isinstance(came, Line):
                self.position.turn = 1 - player.seat
                self._theirs(player, came)
                await self.follow()
                return
        self.position.turn = player.seat
        self._forget_requests()

    def _forget_requests(self) -> None:
        for player in self.players:
            player.asked, player.spare = 0, False

    # --- moves --------------------------------------------------------------------------------------------------------

    async def play(self, *moves: str) -> None:
        """Draws these lines, each by the player on turn, and checks all that is said about them."""
        for move in moves:
            mover = self.mover
            await mover.talk.send(spell.draw(move))
            await self.drawn(mover, move)

    async def drawn(self, mover: Player, move: str, clause: Clause = clauses.ACCEPTED) -> None:
        """A legal line was sent: the answer, what the other is told, and the next request."""
        self.position.play(move)
        boxes = self.position.last_boxes
        await mover.granted(boxes, clause)
        for player in self.players:
            if player is not mover:
                await player.shown(move, boxes)
        await self.follow()

    async def follow(self) -> None:
        """After a line: the server's own lines, then a request or the verdict."""
        position = self.position
        player = self.players[0]
        while not self.ours and position.turn == 1 - player.seat:
            self._theirs(player, await player.next(Line, "MSG_MOVE: the opponent's line", clauses.PASSES))
        if self.over:
            winners = position.winners()
            for each in self.players:
                await each.verdict(winners[0] if winners else DRAW)
                each.board = None
            return
        clause = clauses.AGAIN if position.last_boxes else clauses.PASSES
        await self.mover.next(WantMove, f"REQ_MOVE to seat {position.turn}", clause)
        self.mover.spare = False

    def _theirs(self, player: Player, line: Line) -> None:
        """The engine's line."""
        if self.position.check(line.move) is not None:
            raise Violation("a line that is on the board and free", told(line), clauses.LEGAL)
        self.position.play(line.move)
        player._listed(line.squares, self.position.last_boxes)

    async def out(self, choose: Callable[[Sequence[str]], str] | None = None) -> None:
        """Any game to its end."""
        while not self.over:
            await self.play((choose or self.exam.rng.choice)(self.position.legal()))

    async def toward(self, goal: Goal, tries: int = 4000) -> bool:
        """Play a game that ends so. With both players ours it is thought out before; else it is tried."""
        if self.ours:
            moves = thought_out(self.position, goal, self.exam.rng, tries)
            await self.play(*(moves or skip("no game that ends so was found")))
        else:
            await self.out(self.greedy)
        return goal(self.position)

    def greedy(self, moves: Sequence[str]) -> str:
        """A line that closes a square, if there is one."""
        return next((move for move in moves if closes(self.position, move)), self.exam.rng.choice(moves))

    # --- another game -------------------------------------------------------------------------------------------------

    async def again(self, size: Size, first: Player | None = None, options_last: bool = True) -> None:
        """Both want another game; the first of them chooses the board."""
        first = first or self.players[0]
        others = [player for player in self.players if player is not first]
        await self.wanted(first)
        for other in others if options_last else ():
            await other.talk.send(spell.NEW_GAME)
        first.choosing = True
        await self.choose(size, wait=False)
        for other in () if options_last else others:
            await other.talk.send(spell.NEW_GAME)
        await self.start(clauses.NEW_GAME)

    async def half_wanted(self) -> tuple[Player, Player]:
        """After a game one player wants another and has chosen its board, and the second has said nothing."""
        await self.out()
        first, second = self.players
        await self.wanted(first)
        first.choosing = True
        await self.choose((3, 3), wait=False)
        return first, second

    async def needs_both(self) -> None:
        """No other game begins before both want it."""
        _, second = await self.half_wanted()
        for player in self.players:
            await player.quiet("no game before both want it", clauses.NEW_GAME)
        await second.talk.send(spell.NEW_GAME)
        await self.start(clauses.NEW_GAME)

    async def wanted(self, first: Player) -> None:
        """The first who asks for a new game is asked for the board."""
        await first.talk.send(spell.NEW_GAME)
        await first.next(WantOptions, "REQ_OPTIONS to the first who asks for a new game", clauses.CHOOSES)


class Habits(msgspec.Struct, frozen=True):
    """What the probe has found out about a bare server."""

    dialect: str = "2000"
    pairs: bool = True
    """Whether two people are seated opposite each other; else the server plays itself."""
    early: bool = True
    """Whether one who is alone at a table is told so."""

    @property
    def words(self) -> str:
        """For the person who waits for the report."""
        return "It seats two people opposite each other." if self.pairs else "It plays itself."


def closes(position: DotsPosition, move: str) -> int:
    """How many squares a line would close."""
    return sum(position.drawn[box] == 3 for box in position.shape.touching[position.shape.index[move]])


def thought_out(position: DotsPosition, goal: Goal, rng: Random, tries: int) -> list[str]:
    """The rest of a game that ends so, by dice; empty if none is found."""
    for _ in range(tries):
        trial, moves = position.copy(), []
        while trial.turn != NOBODY:
            moves.append(rng.choice(trial.legal()))
            trial.play(moves[-1])
        if goal(trial):
            return moves
    return []


async def pause() -> None:
    """So long that it is clear who came first, or that a connection has gone."""
    await asyncio.sleep(PEEK)
