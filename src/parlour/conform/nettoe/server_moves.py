"""Servers: boards, turns, and boards that are no move."""

import asyncio
from collections.abc import Callable

from parlour.conform.case import Severity, Shortfall, Violation, skip
from parlour.conform.conversation import Silence, shown, told
from parlour.conform.exam import ServerExam
from parlour.conform.nettoe import clauses
from parlour.conform.nettoe.board import CELLS, DRAW, Field, O, X, blanks, marked, swapped
from parlour.conform.nettoe.match import CLIENT_STOP, FRAME, HOOK, SERVER_STOP, SHORT, Match, Side, frame
from parlour.conform.nettoe.suite import server

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD


def _square(cell: int) -> None:
    @server(f"nettoe.move.square-{CELLS[cell]}", f"an O on {CELLS[cell]} is byte {cell} of the board", clauses.BOARD)
    async def script(exam: ServerExam) -> None:
        for _ in range(2 if exam.habits.slow else 8):
            match = await Match.begin(exam)
            if match.mover.board[cell] == ord(" "):
                await match.play(cell)
                return
            await exam.close()
        skip(f"the server took {CELLS[cell]} first, every time")


for _cell in range(9):
    _square(_cell)


@server("nettoe.move.answer", "a move is answered with a move: one X more", clauses.TURNS)
async def answer(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.play(exam.rng.choice(blanks(match.mover.board)))


@server("nettoe.move.hook", "a board begins with y and a NUL", clauses.HOOK)
async def hook(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.play(exam.rng.choice(blanks(match.mover.board)))


@server("nettoe.move.stop", "a board ends with S and a NUL, whoever has moved", clauses.STOP)
async def stop(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.play(exam.rng.choice(blanks(match.mover.board)))


@server("nettoe.move.one-board", "one board a turn, and then the client's", clauses.TURNS)
async def one_board(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.play(exam.rng.choice(blanks(match.mover.board)))
    for side in match.sides:
        await side.quiet("nothing: it is the client's turn", clauses.TURNS)


@server("nettoe.move.long-game", "turn after turn up to a full board", clauses.TURNS)
async def long_game(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.toward(DRAW)


@server("nettoe.move.games", "whole games: every board is the one before with one mark more", clauses.BOARD)
async def games(exam: ServerExam) -> None:
    for _ in range(1 if exam.habits.slow else 8):
        match = await Match.begin(exam)
        await match.out()
        await match.questions()
        await exam.close()


# --- framing -------------------------------------------------------------------------------------------------------


def _cut(slug: str, title: str, cut: Callable[[bytes], list[bytes]], pause: float = 0.004) -> None:
    @server(f"nettoe.framing.{slug}", title, clauses.STREAM)
    async def script(exam: ServerExam) -> None:
        match = await Match.begin(exam)
        for _ in range(2):
            mover = match.mover
            mover.board = marked(mover.board, exam.rng.choice(blanks(mover.board)), O)
            await mover.talk.send(*cut(frame(mover.board)), pause=pause)
            for other in match.sides:
                if other is not mover:
                    await other.see(swapped(mover.board))
            await match.settle()
            if match.over:
                return


def _squares_apart(data: bytes) -> list[bytes]:
    return [data[:2], *(data[at : at + 1] for at in range(2, 11)), data[11:]]


_cut("bytes", "a board that comes byte by byte", lambda data: [data[at : at + 1] for at in range(FRAME)])
_cut("parts", "a board in three parts: hook, squares, stop", lambda data: [data[:2], data[2:11], data[11:]])
_cut("squares", "nine squares one by one, as the original writes them", _squares_apart)
_cut("hook-halved", "a hook in two halves", lambda data: [data[:1], data[1:]])
_cut("stop-halved", "a stop in two halves", lambda data: [data[:12], data[12:]])
_cut("late", "a board with long pauses within", lambda data: [data[:5], data[5:]], 3 * SHORT)


@server("nettoe.framing.stop-awaited", "without its stop signal a board is no move", clauses.STOP_AWAITED)
async def stop_awaited(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    mover = match.mover
    mover.board = marked(mover.board, exam.rng.choice(blanks(mover.board)), O)
    await mover.talk.send(HOOK + mover.board)
    for side in match.sides:
        await side.quiet("nothing: the stop signal is still to come", clauses.STOP_AWAITED, 2 * SHORT)
    await mover.talk.send(CLIENT_STOP)
    for other in match.sides:
        if other is not mover:
            await other.see(swapped(mover.board))
    await match.settle()


def _no_stop(slug: str, title: str, stop: bytes) -> None:
    @server(f"nettoe.framing.{slug}", title, clauses.STOP_AWAITED)
    async def script(exam: ServerExam) -> None:
        match = await Match.begin(exam)
        mover = match.mover
        board = marked(mover.board, exam.rng.choice(blanks(mover.board)), O)
        await mover.talk.send(frame(board, stop))
        for side in match.sides:
            await side.quiet("nothing: no stop signal of a client has come", clauses.STOP_AWAITED, 2 * SHORT)


_no_stop("server-stop", "the server's own stop signal is not the client's", SERVER_STOP)
_no_stop("no-stop", "two NULs are no stop signal", b"\0\0")


# --- boards that are no move ---------------------------------------------------------------------------------------


async def _refused(match: Match, side: Side, board: bytes) -> None:
    """The server does not go on from this board. How it says so is left open; most close the connection."""
    before = side.board
    await side.talk.send(frame(board))
    for one in match.sides:
        one.talk.phase = 11
        came = await one.talk.receive(2 * SHORT)
        if isinstance(came, Field) and came.data[2:11] != before:
            raise Shortfall(f"no answer to {shown(board)}, which is no move on {shown(before)}", told(came))
        if isinstance(came, Silence) and came.unread[:2] == HOOK:
            raise Shortfall(f"no answer to {shown(board)}, which is no move on {shown(before)}", told(came))


def _illegal(slug: str, title: str, change: Callable[[bytes], bytes]) -> None:
    @server(f"nettoe.illegal.{slug}", title, clauses.TURNS, SHOULD)
    async def script(exam: ServerExam) -> None:
        exam.remark("The document does not say what is done with such a board; the original takes any.")
        match = await Match.begin(exam)
        for _ in match.sides:  # so that both marks are there
            await match.play(exam.rng.choice(blanks(match.mover.board)))
        await _refused(match, match.mover, change(match.mover.board))


def _two(board: bytes) -> bytes:
    first, second = blanks(board)[:2]
    return marked(marked(board, first, O), second, O)


_illegal("two", "two marks at once", _two)
_illegal("none", "no mark at all", lambda board: board)
_illegal("over-x", "a mark upon the server's", lambda board: marked(board, board.index(b"X"), O))
_illegal("wiped", "a mark of the server wiped out", lambda b: marked(b, blanks(b)[0], O).replace(b"X", b" ", 1))
_illegal("moved", "a mark of one's own moved", lambda b: marked(marked(b, b.index(b"O"), ord(" ")), blanks(b)[0], O))
_illegal("other-mark", "the server's mark in place of the client's", lambda board: marked(board, blanks(board)[0], X))
_illegal("small", "a small o", lambda board: marked(board, blanks(board)[0], ord("o")))
_illegal("digit", "a mark that there is not", lambda board: marked(board, blanks(board)[0], ord("7")))


@server("nettoe.illegal.hurry", "a second move at once, without the server's between", clauses.TURNS, SHOULD)
async def hurry(exam: ServerExam) -> None:
    exam.remark("The original takes the second board for its answer, and loses its own move.")
    match = await Match.where(exam, first=True)
    side = match.sides[0]
    once = marked(side.board, 4, O)
    await side.talk.send(frame(once) + frame(marked(once, 0, O)))
    side.board = once
    if len(match.sides) == 2:
        await match.sides[1].quiet_after(swapped(once))
        return
    side.talk.phase = FRAME
    heard = [came for came in await side.talk.listen(2 * SHORT) if isinstance(came, Field)]
    if len(heard) > 1:
        raise Shortfall("one answer at most: the second move was made out of turn", told(heard[1]))


@server("nettoe.illegal.out-of-turn", "a move of the player whose turn it is not", clauses.TURNS, SHOULD)
async def out_of_turn(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    if len(match.sides) == 1:
        skip("a server that plays itself is never seen thinking")
    mover = match.mover
    other = next(side for side in match.sides if side is not mover)
    await other.talk.send(frame(marked(other.board, 4, O)))
    mover.talk.phase = FRAME
    came = await mover.talk.receive(2 * SHORT)
    if isinstance(came, Field):
        raise Shortfall("nothing: it is this player's own turn", told(came))


@server("nettoe.move.both-see", "both players see the same game, each as O", clauses.MARKS)
async def both_see(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    if len(match.sides) == 1:
        skip("the server plays itself")
    await match.out()
    if match.sides[0].board != swapped(match.sides[1].board):
        raise Violation(shown(swapped(match.sides[1].board)), shown(match.sides[0].board))


@server("nettoe.move.patient", "a client that thinks for a while is waited for", clauses.TURNS)
async def patient(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await asyncio.sleep(6 * SHORT)
    await match.play(exam.rng.choice(blanks(match.mover.board)))
