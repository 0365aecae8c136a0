"""Clients: verdicts, STOP, ERROR, and servers that go."""

import asyncio
import re

from parlour.conform.c4n import clauses
from parlour.conform.c4n.host import Host
from parlour.conform.c4n.match import SHORT
from parlour.conform.c4n.suite import client
from parlour.conform.case import Clause, Severity, Violation, skip
from parlour.conform.conversation import End, told
from parlour.conform.exam import ClientExam
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.messages import (
    DRAWN,
    INVALID_MESSAGE,
    LOST,
    SERVER_FULL,
    UNKNOWN_ERROR,
    WON,
    Move,
    Stop,
)

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD
_WON = re.compile(r"\b(you (have )?w[io]n|won|winner|victory|you win)\b", re.IGNORECASE)
_LOST = re.compile(r"\b(you (have )?los[te]|lost|lose|defeat\w*|ai (has )?w[io]ns?|computer wins?)\b", re.IGNORECASE)


async def _over(host: Host, clause: Clause = clauses.RESULT_END) -> None:
    """Nothing but a farewell comes after RESULT, apart from a MOVE that crossed it."""
    heard = [came for came in await host.talk.listen(2 * SHORT) if not isinstance(came, Stop | End)]
    if len(heard) > 1 or (heard and not isinstance(heard[0], Move)):
        raise Violation("nothing after RESULT: the game is over", told(heard[-1]), clause)


async def _final(exam: ClientExam, winner: int, merged: bool) -> Host:
    """A game up to its verdict."""
    host = await Host.begin(exam)
    boards = await host.play_out(winner)
    await host.finish(host.verdict, *boards, merged=merged)
    return host


@client("c4n.client-result.merged", "with the last BOARD comes RESULT: no further MOVE", clauses.RESULT_END)
async def merged(exam: ClientExam) -> None:
    host = await _final(exam, LOST, merged=True)
    for came in await host.talk.listen(2 * SHORT):
        if isinstance(came, Move):
            raise host.talk.wrong(came, "no MOVE: RESULT came with the BOARD", clauses.RESULT_END)


@client("c4n.client-result.apart", "RESULT after the last BOARD ends the game", clauses.RESULT_END)
async def apart(exam: ClientExam) -> None:
    await _over(await _final(exam, LOST, merged=False))


@client("c4n.client-result.won", "RESULT 1 ends the game", clauses.RESULT_WINNER)
async def won(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.finish(WON, host.board())
    await _over(host)


@client("c4n.client-result.lost", "RESULT 2 ends the game", clauses.RESULT_WINNER)
async def lost(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.finish(LOST, *host.answer())
    await _over(host)


@client("c4n.client-result.alone", "RESULT without a last BOARD ends the game", clauses.RESULT_SENT)
async def alone(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.finish(WON)
    await _over(host)


@client("c4n.client-result.closes", "after RESULT the client closes its side", clauses.RESULT_END, SHOULD)
async def closes(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.finish(WON)
    await host.leaves(clauses.RESULT_END, (Stop, Move))


@client("c4n.client-result.draw", "a RESULT that names no winner breaks nothing", clauses.RESULT_WINNER, ROBUST)
async def draw(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.finish(DRAWN, *host.answer(), merged=True)
    await _over(host)


@client("c4n.client-result.unknown", "a RESULT that there is not breaks nothing", clauses.RESULT_WINNER, ROBUST)
async def unknown(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.finish(7)
    await host.talk.listen(SHORT)


@client("c4n.client-result.last-board", "a BOARD behind RESULT breaks nothing", clauses.RESULT_END, ROBUST)
async def late_board(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    boards = host.answer()
    await host.send(codec.result(LOST) + boards[-1])
    host.talk.finish()
    await _over(host)


def _told(slug: str, title: str, winner: int) -> None:
    @client(f"c4n.client-result.{slug}", title, clauses.RESULT_WINNER)
    async def script(exam: ClientExam) -> None:
        if exam.program is None:
            skip("nobody sees here what the client shows")
        host = await Host.begin(exam)
        await host.move()
        before = len(exam.program.output)
        await host.finish(winner)
        await exam.program.ended(exam.seconds / 2)
        shown = exam.program.output[before:]
        win, loss = bool(_WON.search(shown)), bool(_LOST.search(shown))
        if win == loss:
            skip("no words that we know for a verdict were printed")
        if win != (winner == WON):
            raise Violation("the verdict that RESULT tells", " ".join(shown.split())[-120:])


_told("says-won", "RESULT 1 is shown as a win", WON)
_told("says-lost", "RESULT 2 is shown as a loss", LOST)


# --- other ends ----------------------------------------------------------------------------------------------------


@client("c4n.client-stop.in-game", "STOP ends the game: no MOVE follows", clauses.STOP_ENDS)
async def stop(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.send(codec.STOP)
    await asyncio.sleep(SHORT)
    await host.send(b"".join(host.answer()))  # for one that has not understood that the game is over
    exam.type("0")
    for came in await host.talk.listen(2 * SHORT):
        if isinstance(came, Move):
            raise host.talk.wrong(came, "no MOVE: STOP has ended the game", clauses.STOP_ENDS)


@client("c4n.client-stop.early", "STOP instead of the first BOARD breaks nothing", clauses.STOP_ENDS, ROBUST)
async def stop_early(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.send(codec.STOP)
    host.talk.finish()
    await host.talk.listen(SHORT)


@client("c4n.client-stop.leaves", "after STOP the client ends the connection", clauses.STOP_ENDS, SHOULD)
async def stop_leaves(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.send(codec.STOP)
    await host.leaves(clauses.STOP_ENDS)


@client("c4n.client-error.full", "ERROR 3 instead of a BOARD: there is no game", clauses.START_FULL)
async def full(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.send(codec.error(SERVER_FULL))
    exam.type("0")
    for came in await host.talk.listen(2 * SHORT):
        if isinstance(came, Move):
            raise host.talk.wrong(came, "no MOVE: no game has begun", clauses.START_FULL)


@client("c4n.client-error.full-leaves", "after ERROR 3 the client goes", clauses.START_FULL, SHOULD)
async def full_leaves(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.send(codec.error(SERVER_FULL))
    await asyncio.sleep(SHORT)
    host.talk.finish()
    await host.leaves(clauses.START_FULL)


def _error(slug: str, title: str, code: int) -> None:
    @client(f"c4n.client-error.{slug}", f"in a game, {title} breaks nothing", clauses.ERROR_CODES, ROBUST)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam)
        await host.move()
        await host.send(codec.error(code) + b"\n")
        exam.type("0")
        await host.talk.listen(SHORT)
        host.talk.finish()
        await host.talk.listen(SHORT)


_error("unknown", "ERROR 99", UNKNOWN_ERROR)
_error("invalid", "ERROR 1", INVALID_MESSAGE)
_error("other", "a code that there is not", 42)


@client("c4n.client-end.before-board", "a server that goes before the first BOARD", clauses.START_BOARD, ROBUST)
async def gone_before(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    host.talk.finish()
    await host.talk.listen(SHORT)


@client("c4n.client-end.in-game", "a server that goes in a game", clauses.ERROR_ANY, ROBUST)
async def gone_in_game(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    host.talk.finish()
    await host.talk.listen(SHORT)


@client("c4n.client-end.within-board", "a server that goes within BOARD", clauses.BOARD_CELLS, ROBUST)
async def gone_within(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await host.send(host.board()[:50])
    host.talk.finish()
    await host.talk.listen(SHORT)


@client("c4n.client-end.reset", "a connection that is cut off in a game", clauses.ERROR_ANY, ROBUST)
async def cut_off(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.talk.reset()
    await asyncio.sleep(SHORT)
