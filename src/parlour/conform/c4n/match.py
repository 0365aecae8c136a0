"""A game on the server under examination, with our own rules beside it: every BOARD and RESULT is held against them.

The server plays the other side itself, or it seats two people opposite each other: then both are ours, and any game
can be played to any end.
"""

import asyncio
import time
from collections.abc import Iterable
from typing import Any

import msgspec

from parlour.conform.c4n import clauses
from parlour.conform.c4n.goals import Goal, composed, reached, toward
from parlour.conform.case import Clause, Violation, skip
from parlour.conform.conversation import Conversation, End, Silence, told
from parlour.conform.exam import ServerExam
from parlour.core.game import NOBODY
from parlour.games.connect4.rules import Connect4Position, shape
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.messages import (
    INVALID_MESSAGE,
    INVALID_MOVE,
    LOST,
    SERVER_FULL,
    UNKNOWN_ERROR,
    WON,
    Board,
    Error,
    Result,
    Stop,
)

DOCUMENT, ORIGINAL = "document", "original"
LONELY = 1.0
"""Seconds after which a START without an answer is taken for one that waits for a second person."""
SHORT = 0.3
"""Seconds of silence that tell that nothing more comes."""
TRIES = 10
"""Games in which a goal is sought."""
HARD_TRIES = 3
"""The same against a server that loses hardly one game in ten."""
FULL_TRIES = 10
"""How often a full server is asked again: it may not have noticed that the last game is over."""
CODES = (INVALID_MESSAGE, INVALID_MOVE, SERVER_FULL, UNKNOWN_ERROR)
_AS_SECOND = bytes.maketrans(b"\0\1\2", b"021")
_AS_FIRST = bytes.maketrans(b"\0\1\2", b"012")
_SWAPPED = bytes.maketrans(b"12", b"21")


class Habits(msgspec.Struct, frozen=True):
    """What the probe has found out about a server."""

    dialect: str = DOCUMENT
    pairs: bool = False
    """Whether two people are seated opposite each other; else the server plays itself."""
    columns: int = 7
    rows: int = 6

    @property
    def words(self) -> str:
        """For the person who waits for the report."""
        opposite = "It seats two people opposite each other" if self.pairs else "It plays itself"
        return f"{opposite}, on {self.columns} columns and {self.rows} rows."


class Player:
    """One of our seats."""

    def __init__(self, talk: Conversation, seat: int) -> None:
        self.talk = talk
        self.seat = seat
        self.seen = -1
        """How many discs were on the last BOARD that was shown to it."""
        self.passed_over = False
        """Whether a BOARD that stood in between was never shown to it."""


class Match:
    """One game. `position` is how it stands by our own rules."""

    def __init__(self, exam: ServerExam, players: Iterable[Player]) -> None:
        self.exam = exam
        self.habits: Habits = exam.habits
        self.position = Connect4Position(shape(self.habits.columns, self.habits.rows))
        self._history = [self.position.cells()]
        self._because: Clause | None = None
        self._players = {player.seat: player for player in players}
        exam.picture = self.position.text

    # --- beginning --------------------------------------------------------------------------------------------------

    @classmethod
    async def begin(cls, exam: ServerExam, start: bytes = codec.START) -> "Match":
        """START, up to where one of us is to move. The first BOARD must be the initial one."""
        habits: Habits = exam.habits
        if habits.pairs:
            return await cls._pair(exam, start)
        talk, came = await called(exam, start)
        if not isinstance(came, Board):
            raise talk.wrong(came, "BOARD with the initial board, as the answer to START", clauses.START_BOARD)
        if habits.dialect == ORIGINAL:
            match = cls(exam, [Player(talk, 1)])
            match._their_move(came, match._players[1], clauses.START_BOARD)
        else:
            match = cls(exam, [Player(talk, 0)])
            match._compare(came, match._players[0], clauses.START_BOARD)
        return match

    @classmethod
    async def _pair(cls, exam: ServerExam, start: bytes) -> "Match":
        first, second = await exam.connect(), await exam.connect()
        await first.send(start)
        await asyncio.sleep(SHORT / 10)  # so that it is clear who came first
        await second.send(start)
        match = cls(exam, [Player(first, 0), Player(second, 1)])
        await match._see(0)
        return match

    @property
    def over(self) -> bool:
        """Whether the game has ended by the rules."""
        return self.position.turn == NOBODY

    @property
    def mover(self) -> Player:
        """Returns the player of ours who is to move."""
        return self._players[self.position.turn]

    @property
    def players(self) -> list[Player]:
        """All that are ours."""
        return list(self._players.values())

    @property
    def ours(self) -> Player:
        """The one that came first, or the only one."""
        return next(iter(self._players.values()))

    def full_columns(self) -> list[int]:
        """Columns without room."""
        return [column for column, height in enumerate(self.position.heights) if height == self.position.rows]

    # --- playing ----------------------------------------------------------------------------------------------------

    async def play(self, column: int) -> None:
        """One move of ours, up to where one of us is to move again, or to the end of the game."""
        await self.mover.talk.send(codec.move(column))
        await self.answered(column)

    async def answered(self, column: int, because: Clause | None = None) -> None:
        """What must follow a MOVE that was sent, however it was sent; `because` is broken where no answer comes."""
        player = self.mover
        self._because = because
        self._happens(column)
        if self.habits.pairs:
            await self._told(player)
        elif self.habits.dialect == ORIGINAL:
            await self._one_board(player)
        else:
            await self._two_boards(player)

    async def refused(self, text: bytes, codes: Iterable[int] = (INVALID_MOVE,)) -> int:
        """MOVE with these data is answered with ERROR and changes nothing. Returns the code."""
        player = self.mover
        await player.talk.send(codec.HEADER + b"MOVE\n" + text)
        came = await player.talk.receive()
        wanted = " or ".join(map(str, codes))
        if not isinstance(came, Error) or came.code not in codes:
            expected = f"ERROR {wanted}, because MOVE {text.decode()} cannot be made"
            raise Violation(expected, told(came), clauses.MOVE_REFUSED)
        return came.code

    async def play_for(self, goal: Goal, most: int = 99) -> bool:
        """Play until the goal is reached, the game is over, or so many moves are made; whether it is reached."""
        seat = self.ours.seat
        for _ in range(most):
            if reached(goal, self.position, seat) or self.over:
                break
            column = toward(goal, self.position, seat, self.exam.rng)
            if column is None:
                break  # hardly any game leads there from here
            await self.play(column)
        return reached(goal, self.position, seat)

    def _happens(self, column: int) -> None:
        self.position.play(str(column))
        self._history.append(self.position.cells())

    async def _two_boards(self, player: Player) -> None:
        """By the document: the board after our move, and the board after the other side's."""
        came = await self._board(player, "BOARD after the player's move", clauses.MOVE_BOARDS)
        self._compare(came, player, clauses.MOVE_BOARDS)
        if not self.over:
            came = await self._board(player, "a second BOARD, after the AI's move", clauses.MOVE_BOARDS)
            self._their_move(came, player, clauses.MOVE_BOARDS)
        if self.over:
            await self._verdict(player)

    async def _one_board(self, player: Player) -> None:
        """By the original: one BOARD for both moves; RESULT comes before the last one."""
        if self.over:
            await self._verdict(player)
            return
        came = await player.talk.receive()
        if isinstance(came, Result):
            last = await player.talk.receive()
            if isinstance(last, Board):
                self._their_move(last, player, clauses.BOARD_STATE)
            self._judge(came, player)
            await self._close(player)
            return
        self._no_refusal(came)
        if not isinstance(came, Board):
            raise player.talk.wrong(came, "BOARD after the AI's move", self._because or clauses.MOVE_BOARDS)
        self._their_move(came, player, clauses.MOVE_BOARDS)
        if self.over:
            await self._verdict(player)

    async def _told(self, player: Player) -> None:
        """With a person opposite: that one is shown the move; at the end both are told who has won."""
        if not self.over:
            await self._see(1 - player.seat, player)
            return
        for each in self.players:
            await self._verdict(each)

    async def _see(self, seat: int, mover: Player | None = None) -> None:
        """This player is shown the board as it stands, perhaps after older ones."""
        player = self._players[seat]
        while player.seen < len(self._history) - 1:
            came = await player.talk.receive()
            if isinstance(came, Silence) and mover is not None:
                self._no_refusal(await mover.talk.receive(SHORT / 10))
            if not isinstance(came, Board):
                if isinstance(came, Result):
                    raise self._too_early(came)
                clause = self._because or clauses.BOARD_STATE
                raise player.talk.wrong(came, "BOARD as it stands, for the player on turn", clause)
            self._follow(came, player)

    # --- boards -----------------------------------------------------------------------------------------------------

    async def _board(self, player: Player, expected: str, clause: Clause) -> Board:
        came = await player.talk.receive()
        self._no_refusal(came)
        if isinstance(came, Result) and not self.over:
            raise self._too_early(came)
        if not isinstance(came, Board):
            raise player.talk.wrong(came, expected, self._because or clause)
        return came

    def _no_refusal(self, came: Any) -> None:
        if isinstance(came, Error):
            clause = (self._because or clauses.MOVE_REFUSED) if came.code in CODES else clauses.ERROR_CODES
            raise Violation("the move to be taken, for there is room in that column", told(came), clause)

    def _too_early(self, came: Result) -> Violation:
        return Violation(
            "the game to go on: nobody has four in line, and there is room", told(came), clauses.RESULT_WINNER
        )

    def _shown(self, player: Player, cells: bytes) -> bytes:
        """Cells by our rules as this player must be shown them."""
        return cells.translate(_AS_SECOND if player.seat else _AS_FIRST)

    def _sizes(self, board: Board) -> None:
        sides = self.habits.columns, self.habits.rows
        wanted = sides[::-1] if self.habits.dialect == ORIGINAL else sides
        if (board.first, board.second) != wanted:
            expected = f"BOARD {wanted[0]} {wanted[1]}, for {sides[0]} columns and {sides[1]} rows"
            raise Violation(expected, f"BOARD {board.first} {board.second}", clauses.BOARD_SIZES)

    def _compare(self, board: Board, player: Player, clause: Clause) -> None:
        """The board must be the one that stands now."""
        self._sizes(board)
        wanted = self._shown(player, self._history[-1])
        if board.cells != wanted:
            raise self._differs(board, wanted, player, clause)
        player.seen = len(self._history) - 1

    def _follow(self, board: Board, player: Player) -> None:
        """The board must be one that stood since the last that was shown."""
        self._sizes(board)
        since = range(max(player.seen, 0), len(self._history))
        for number in since:
            if board.cells == self._shown(player, self._history[number]):
                player.passed_over |= 0 <= player.seen < number - 1
                player.seen = number
                return
        raise self._differs(board, self._shown(player, self._history[-1]), player, clauses.BOARD_STATE)

    def _their_move(self, board: Board, player: Player, clause: Clause) -> None:
        """The board must have one more disc of the other side, where one can fall."""
        self._sizes(board)
        for move in self.position.legal():
            after = self.position.copy()
            after.play(move)
            if self._shown(player, after.cells()) == board.cells:
                self._happens(int(move))
                player.seen = len(self._history) - 1
                return
        raise self._differs(board, self._shown(player, self._history[-1]), player, clause, one_more=True)

    def _differs(
        self, board: Board, wanted: bytes, player: Player, clause: Clause, one_more: bool = False
    ) -> Violation:
        """What is wrong with a board, and which clause that breaks."""
        columns = self.habits.columns
        expected = f"BOARD {rows(wanted, columns)}" + (
            " and one more 2 that has fallen to its place" if one_more else ""
        )
        clause, what = self._diagnosis(board.cells, wanted, player, clause, one_more)
        return Violation(expected, f"BOARD {rows(board.cells, columns)}{what}", clause)

    def _diagnosis(
        self, cells: bytes, wanted: bytes, player: Player, clause: Clause, one_more: bool
    ) -> tuple[Clause, str]:
        columns = self.habits.columns
        lines = [cells[at : at + columns] for at in range(0, len(cells), columns)]
        near = self._fits if one_more else lambda other, _: other == wanted
        if near(b"".join(line[::-1] for line in lines), player):
            return clauses.BOARD_CELLS, ": left and right are swapped"
        if near(b"".join(lines[::-1]), player):
            return clauses.BOARD_CELLS, ": top and bottom are swapped"
        if near(cells.translate(_SWAPPED), player):
            return clauses.BOARD_TOKENS, ": 1 and 2 are swapped"
        if near(_turned(cells, columns), player):
            return clauses.BOARD_CELLS, ": it runs column by column"
        before = self._shown(player, self._history[max(0, len(self._history) - 2)])
        if cells == wanted:
            return clauses.MOVE_BOARDS, ": the other side has not moved"
        if cells == before:
            return clauses.MOVE_BOARDS, ": the last move is not on it"
        own, new = cells.count(b"1"), wanted.count(b"1")
        if floats(cells, columns):
            return clauses.BOARD_CELLS, ": a token floats"
        if own == new and not one_more:
            return (clauses.MOVE_INDEX if cells.count(b"2") == wanted.count(b"2") else clause), ""
        if own != new:
            return clauses.BOARD_TOKENS if own + cells.count(b"2") == len(cells) - wanted.count(b"0") else clause, ""
        return clauses.BOARD_STATE if one_more else clause, ""

    def _fits(self, cells: bytes, player: Player) -> bool:
        """Whether these cells are the position with one more move."""
        for move in self.position.legal():
            after = self.position.copy()
            after.play(move)
            if self._shown(player, after.cells()) == cells:
                return True
        return False

    # --- the end ----------------------------------------------------------------------------------------------------

    async def _verdict(self, player: Player) -> None:
        """RESULT, then the end of the connection; boards before it must be those that stood."""
        drawn = not self.position.winners()
        while True:
            came = await player.talk.receive()
            if isinstance(came, Board):
                self._last_board(came, player)
            elif drawn and isinstance(came, Error | Stop | End):
                await self._close(player)
                return
            elif isinstance(came, Result):
                self._judge(came, player)
                await self._close(player)
                return
            else:
                raise player.talk.wrong(came, f"{self._due(player)}: the game is over", clauses.RESULT_SENT)

    def _last_board(self, board: Board, player: Player) -> None:
        """A BOARD when the game is over."""
        cells, final = board.cells, self._shown(player, self._history[-1])
        if cells.count(b"0") < final.count(b"0"):
            expected = f"{self._due(player)}: the game is over, and nobody moves any more"
            raise Violation(expected, f"BOARD {rows(cells, self.habits.columns)}", clauses.RESULT_SENT)
        self._follow(board, player)

    def _due(self, player: Player) -> str:
        winners = self.position.winners()
        return f"RESULT {WON if player.seat in winners else LOST}" if winners else "a RESULT that names no winner"

    def _judge(self, came: Result, player: Player) -> None:
        winners = self.position.winners()
        if not self.over:
            raise self._too_early(came)
        right = came.winner == (WON if player.seat in winners else LOST) if winners else came.winner not in (WON, LOST)
        if not right:
            why = "four of the winner are in line" if winners else "the board is full, and nobody has four in line"
            raise Violation(f"{self._due(player)}: {why}", told(came), clauses.RESULT_WINNER)

    async def _close(self, player: Player) -> None:
        """Nothing but the end may follow; the original's last BOARD comes now, and a draw has no word of its own."""
        drawn = not self.position.winners()
        while not isinstance(came := await player.talk.receive(), End):
            if isinstance(came, Board) and self.habits.dialect == ORIGINAL:
                self._last_board(came, player)
            elif not (drawn and isinstance(came, Error | Stop | Result)):
                raise player.talk.wrong(came, "the end of the connection, after RESULT", clauses.RESULT_END)


# --- helpers of scripts --------------------------------------------------------------------------------------------


async def called(exam: ServerExam, start: bytes = codec.START) -> tuple[Conversation, Any]:
    """START on a fresh connection, and the answer; asked again while the server says that it is full."""
    for _ in range(FULL_TRIES):
        talk = await exam.connect()
        await talk.send(start)
        came = await talk.receive()
        if not (isinstance(came, Error) and came.code == SERVER_FULL):
            break
        await talk.leave()
        await asyncio.sleep(SHORT)
    return talk, came


async def play_out(exam: ServerExam, goal: Goal) -> None:
    """Play games until one reaches the goal; where both sides are ours, one for each of them."""
    habits: Habits = exam.habits
    if habits.pairs:
        for seat in (0, 1):
            moves = composed(goal, shape(habits.columns, habits.rows), seat, exam.rng)
            if moves is None:
                skip(f"no game on this board has {goal.name}")
            await play_moves(exam, moves, goal.open)
        return
    memory = exam.memory
    for tried in range(1, TRIES + 1):
        to_win = goal.mine is not None and not goal.open and memory.get("games", 0) > 2 * TRIES
        if to_win and not memory.get("won"):
            skip(f"{memory['games']} games against this server have been lost")
        if to_win and tried > HARD_TRIES and TRIES * memory["won"] < memory["games"]:
            skip(f"{HARD_TRIES} games against this server, which loses few, have not led to {goal.name}")
        match = await Match.begin(exam)
        there = await match.play_for(goal)
        memory["games"] = memory.get("games", 0) + 1
        memory["won"] = memory.get("won", 0) + (match.ours.seat in match.position.winners())
        if there:
            if goal.open:
                await match.play(int(exam.rng.choice(match.position.legal())))
            return
        for player in match.players:
            await player.talk.leave()
        if exam.clock.spent():
            skip(f"{tried} games against this server have not led to {goal.name}")
    skip(f"{TRIES} games against this server have not led to {goal.name}")


async def play_moves(exam: ServerExam, moves: Iterable[int], go_on: bool = False) -> Match:
    """A game whose moves of both sides are known; `go_on` plays one more."""
    match = await Match.begin(exam)
    for move in moves:
        await match.play(move)
    if go_on and not match.over:
        await match.play(int(match.position.legal()[0]))
    return match


async def still_served(exam: ServerExam, expected: str, clause: Clause) -> None:
    """A newcomer gets a game: whatever happened before, the server stands."""
    try:
        match = await Match.begin(exam)
        await match.play(int(exam.rng.choice(match.position.legal())))
    except Violation as wrong:
        raise Violation(f"{expected}: {wrong.expected}", wrong.came, clause) from wrong


def rows(cells: bytes, columns: int) -> str:
    """Cells with a stroke between rows."""
    return "/".join(cells[at : at + columns].decode() for at in range(0, len(cells), columns))


def floats(cells: bytes, columns: int) -> bool:
    """Whether a token is above an empty cell."""
    return any(cells[at] != ord("0") and cells[at + columns] == ord("0") for at in range(len(cells) - columns))


def _turned(cells: bytes, columns: int) -> bytes:
    """Cells that run column by column, read row by row."""
    height = len(cells) // columns
    return bytes(cells[column * height + row] for row in range(height) for column in range(columns))


# --- finding out ---------------------------------------------------------------------------------------------------


async def probe(exam: ServerExam) -> Habits:
    """Asks for a game, makes one move, and looks. A server that does not answer is taken to go by the document."""
    talk, came = await _first_board(exam)
    pairs = _silent(came)
    if pairs:
        second = await exam.connect()
        await second.send(codec.START)
        came = await talk.receive()
        if not isinstance(came, Board):  # a second player has made it speak, if not as it should
            return Habits(exam.dialect or DOCUMENT, pairs=not _silent(came))
    if not isinstance(came, Board):
        return Habits(exam.dialect or DOCUMENT)
    began = came.cells.count(b"2")
    await talk.send(codec.move(0))
    listener = second if pairs else talk
    boards = await _boards(listener, exam, came)
    if pairs and not boards and any(b"2" in board.cells for board in await _boards(talk, exam, came)):
        return Habits(exam.dialect or DOCUMENT, False, came.first, came.second)  # it plays itself, but not quickly
    columns = _columns(came, boards, b"2" if pairs else b"1")
    turned = came.first != came.second and columns == came.second
    single = len(boards) == 1 and boards[0].cells.count(b"2") > began
    original = turned if pairs else turned + bool(began) + single >= 2
    dialect = exam.dialect or (ORIGINAL if original else DOCUMENT)
    return Habits(dialect, pairs, columns, len(came.cells) // columns)


def _silent(came: Any) -> bool:
    """Whether nothing has come, not even half a message."""
    return isinstance(came, Silence) and not came.unread


async def _first_board(exam: ServerExam) -> tuple[Conversation, Any]:
    talk = await exam.connect()
    await talk.send(codec.START)
    began = time.monotonic()
    while isinstance(came := await talk.receive(LONELY), Error) and came.code == SERVER_FULL:
        await talk.leave()
        if time.monotonic() - began > exam.seconds:
            break
        await asyncio.sleep(SHORT)
        talk = await exam.connect()
        await talk.send(codec.START)
    return talk, came


async def _boards(talk: Conversation, exam: ServerExam, before: Board) -> list[Board]:
    """The BOARDs that answer a MOVE, of the size of the one before."""
    first = await talk.receive()
    heard = (first, *await talk.listen(min(exam.seconds, LONELY)))
    return [came for came in heard if isinstance(came, Board) and len(came.cells) == len(before.cells)]


def _columns(first: Board, boards: list[Board], token: bytes) -> int:
    """How many columns there are, by where a token of column 0 lies; else as the document has it."""
    for board in boards:
        at = board.cells.find(token)
        new = at if token not in first.cells else -1
        ways = [side for side in dict.fromkeys((board.first, board.second)) if new >= 0 and new % side == 0]
        if len(ways) == 1 and not floats(board.cells, ways[0]):
            return ways[0]
    return first.first
