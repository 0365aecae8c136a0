"""Clients: bytes as TCP may deliver them, and bytes that nobody should send."""

import asyncio

from parlour.conform.c4n import clauses
from parlour.conform.c4n.host import Host
from parlour.conform.c4n.match import DOCUMENT, SHORT
from parlour.conform.c4n.suite import client
from parlour.conform.case import Clause, Severity
from parlour.conform.exam import ClientExam
from parlour.core.game import NOBODY
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.messages import INVALID_MOVE, LOST, WON, Move

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD
PAUSE = 0.15


@client("c4n.client-framing.split", "the first BOARD one byte at a time", clauses.STREAM, ROBUST)
async def split(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    exam.type("3")
    await host.talk.dribble(host.board(), pause=0.002)
    await host.move(3, clauses.STREAM)


@client("c4n.client-framing.halves", "BOARD cut in the middle of its cells", clauses.STREAM, ROBUST)
async def halves(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    board = host.board()
    await host.send(board[:51], board[51:], pause=PAUSE)
    await host.move(3, clauses.STREAM)
    await host.quiet(2 * SHORT, "one MOVE for one BOARD", clauses.STREAM)


@client("c4n.client-framing.header", "BOARD cut within its header", clauses.STREAM, ROBUST)
async def header(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    board = host.board()
    await host.send(board[:6], board[6:], pause=PAUSE)
    await host.move(3, clauses.STREAM)


@client("c4n.client-framing.answer", "both BOARDs of a turn one byte at a time", clauses.STREAM, ROBUST, [DOCUMENT])
async def answer(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move(3)
    await host.talk.dribble(b"".join(host.answer()), pause=0.002)
    await host.move(2, clauses.STREAM)


@client("c4n.client-framing.one-and-a-half", "one BOARD and a half, then the rest", clauses.STREAM, ROBUST, [DOCUMENT])
async def one_and_a_half(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move(3)
    data = b"".join(host.answer())
    await host.send(data[:130], data[130:], pause=PAUSE)
    await host.move(2, clauses.STREAM)
    await host.quiet(2 * SHORT, "one MOVE for the two BOARDs", clauses.STREAM)


@client("c4n.client-framing.result", "RESULT one byte at a time", clauses.STREAM, ROBUST)
async def result(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.talk.dribble(codec.result(WON))
    host.talk.finish()
    for came in await host.talk.listen(2 * SHORT):
        if isinstance(came, Move):
            raise host.talk.wrong(came, "no MOVE after RESULT", clauses.RESULT_END)


@client("c4n.client-framing.error", "ERROR 2 one byte at a time", clauses.STREAM, ROBUST)
async def error(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    exam.type("0")
    await host.talk.expect(Move, "MOVE", clauses.MOVE_TURN)
    await host.talk.dribble(codec.error(INVALID_MOVE))
    exam.type("1")
    await host.talk.expect(Move, "another MOVE", clauses.STREAM)


@client("c4n.client-framing.line-feeds", "line feeds behind every message", clauses.STREAM, SHOULD)
async def line_feeds(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.send(host.board() + b"\n")
    await host.move(3, clauses.STREAM)
    await host.send(b"\n".join(host.answer()) + b"\n")
    await host.move(2, clauses.STREAM)


@client("c4n.client-framing.crlf", "CR LF in the place of LF", clauses.DATA, SHOULD)
async def crlf(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.send(host.board().replace(b"\n", b"\r\n") + b"\r\n")
    await host.move(3, clauses.STREAM)


@client("c4n.client-framing.slow", "BOARD in parts, with pauses", clauses.STREAM, ROBUST)
async def slow(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    board = host.board()
    await host.send(*(board[at : at + 20] for at in range(0, len(board), 20)), pause=PAUSE)
    await host.move(3, clauses.STREAM)


# --- whole games ---------------------------------------------------------------------------------------------------


def _game(slug: str, title: str, winner: int) -> None:
    @client(f"c4n.client-game.{slug}", title, clauses.MOVE_TURN)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam)
        boards = await host.play_out(winner)
        await host.finish(host.verdict, *boards)
        await host.talk.listen(SHORT)


_game("short", "a game that we win as soon as we can", LOST)
_game("long", "a game that we do not win if we can help it", WON)


@client("c4n.client-game.cut", "a game whose boards come in any pieces", clauses.STREAM)
async def cut_game(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    for _ in range(5):
        await host.move()
        if host.position.turn == NOBODY:
            return
        data = b"".join(host.answer())
        if host.position.turn == NOBODY:
            return
        at = exam.rng.randrange(1, len(data))
        await host.send(data[:at], data[at:], pause=0.05)


# --- strain --------------------------------------------------------------------------------------------------------

STRAIN: tuple[tuple[str, str, bytes, Clause], ...] = (
    ("nonsense", "bytes that are no message", b"hello\n", clauses.HEADER),
    ("nul", "NUL bytes", bytes(100), clauses.HEADER),
    ("binary", "bytes that are no text", bytes(range(128, 256)), clauses.HEADER),
    ("over-long", "a line without end", b"C4N 1.0 " + b"X" * 50_000, clauses.HEADER),
    ("version", "a BOARD of another version", codec.empty_board(7, 6).replace(b"1.0", b"9.9"), clauses.VERSION),
    ("type", "a type that there is not", b"C4N 1.0 HELLO\n", clauses.TYPES),
    ("start", "START, which is for the client to say", codec.START, clauses.DIRECTION),
    ("cells", "a BOARD with too few cells", b"C4N 1.0 BOARD\n7 6 0 0 0\n", clauses.BOARD_CELLS),
    ("sizes", "a BOARD of no size", b"C4N 1.0 BOARD\n0 0 \n", clauses.BOARD_SIZES),
    ("letters", "a BOARD with letters for cells", codec.empty_board(7, 6).replace(b" 0", b" x"), clauses.BOARD_TOKENS),
)


def _strain(slug: str, title: str, data: bytes, clause: Clause) -> None:
    @client(f"c4n.client-strain.{slug}", f"{title}: the client stays on its feet", clause, ROBUST)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam)
        await host.move()
        await host.send(data)
        await host.talk.listen(SHORT)
        host.talk.finish()
        await host.talk.listen(SHORT)
        await asyncio.sleep(SHORT / 3)


for each in STRAIN:
    _strain(*each)
