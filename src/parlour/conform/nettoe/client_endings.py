"""Clients: every way in which a game ends, the question whether to go on, and servers that leave."""

import asyncio
from collections.abc import Sequence

from parlour.conform.case import Severity, Shortfall, skip
from parlour.conform.conversation import End, told
from parlour.conform.exam import ClientExam
from parlour.conform.nettoe import clauses
from parlour.conform.nettoe.board import DRAW, LINES, Goal, O, X, best
from parlour.conform.nettoe.host import Host, reached
from parlour.conform.nettoe.match import HOOK, NO, SHORT, YES
from parlour.conform.nettoe.suite import client

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD


def _ending(slug: str, title: str, goal: Goal) -> None:
    @client(f"nettoe.client-over.{slug}", title, clauses.OVER)
    async def script(exam: ClientExam) -> None:
        host = await reached(exam, goal)
        await host.talk.send(YES)
        await host.answer(clause=clauses.OVER)


for _line in LINES:
    _ending(f"server-{_line}", f"three X in the line {_line} end the game", Goal(X, _line))
for _line in LINES:
    _ending(f"client-{_line}", f"three O in the line {_line} end the game", Goal(O, _line))
_ending("draw", "a full board without a line ends the game", DRAW)
_ending("last-square", "a line on the last square ends the game", Goal(O, full=True))


@client("nettoe.client-over.quiet", "after the last board the client waits for the question", clauses.QUESTION)
async def quiet(exam: ClientExam) -> None:
    host = await Host.begin(exam, first=False)
    await host.out()
    await host.quiet("nothing: the server decides first", clauses.QUESTION)
    await host.talk.send(YES)
    await host.answer()


async def _over(exam: ClientExam) -> Host:
    """A game that is over."""
    host = await Host.begin(exam, first=False)
    await host.out()
    return host


@client("nettoe.client-question.answer", "the server's y is answered with y, NUL and y or n, NUL", clauses.ANSWER)
async def answer(exam: ClientExam) -> None:
    host = await _over(exam)
    await host.talk.send(YES)
    await host.answer()


@client("nettoe.client-question.once", "the answer is given once", clauses.ANSWER)
async def once(exam: ClientExam) -> None:
    host = await _over(exam)
    await host.talk.send(YES)
    await host.agreed()
    await host.quiet("nothing: who begins is still to come", clauses.ANSWER)


def _declined(slug: str, title: str, parts: Sequence[bytes]) -> None:
    @client(f"nettoe.client-question.{slug}", title, clauses.DECLINED)
    async def script(exam: ClientExam) -> None:
        host = await _over(exam)
        await host.talk.send(*parts)
        exam.type("y")
        await host.quiet("nothing: the server does not want another game", clauses.DECLINED, 3 * SHORT)


_declined("declined", "the server's n is not answered", (NO,))
_declined("declined-bytes", "an n that comes byte by byte", (b"y", b"\0", b"n", b"\0"))


@client("nettoe.client-question.declined-closes", "after the server's n the client leaves", clauses.DECLINED, SHOULD)
async def declined_closes(exam: ClientExam) -> None:
    host = await _over(exam)
    await host.talk.send(NO)
    came = await host.talk.receive()
    if not isinstance(came, End):
        raise Shortfall("the end of the connection", told(came))


@client("nettoe.client-question.hook-only", "the first y alone is no question", clauses.QUESTION)
async def hook_only(exam: ClientExam) -> None:
    host = await _over(exam)
    await host.talk.send(HOOK)
    await host.quiet("nothing: the server has not decided", clauses.QUESTION)
    await host.talk.send(HOOK)
    await host.answer()


@client("nettoe.client-question.late", "a server that takes its time is waited for", clauses.QUESTION)
async def late(exam: ClientExam) -> None:
    host = await _over(exam)
    await asyncio.sleep(5 * SHORT)
    await host.talk.send(YES)
    await host.answer()


def _cut(slug: str, title: str, parts: Sequence[bytes], pause: float = 0.004) -> None:
    @client(f"nettoe.client-framing.{slug}", title, clauses.STREAM)
    async def script(exam: ClientExam) -> None:
        host = await _over(exam)
        await host.talk.send(*parts, pause=pause)
        await host.answer(clause=clauses.STREAM)


_cut("question-bytes", "a question that comes byte by byte", (b"y", b"\0", b"y", b"\0"))
_cut("question-parts", "a question in two parts", (HOOK, HOOK), SHORT)


@client("nettoe.client-framing.question-merged", "the last board and the question in one segment", clauses.STREAM)
async def merged(exam: ClientExam) -> None:
    host = await Host.begin(exam, first=False)
    while not host.over:
        if host.theirs:
            await host.move()
            if host.over:
                await host.talk.send(YES)
        else:
            cell = best(host.board, X, Goal(X), exam.rng.choice)
            board = host.mark(cell)
            await host.talk.send(board + YES if host.over else board)
    await host.answer(clause=clauses.STREAM)


@client("nettoe.client-again.two", "in another game, after 2, the client begins on an empty board", clauses.AGAIN)
async def two(exam: ClientExam) -> None:
    host = await _over(exam)
    await host.ask()
    await host.talk.send(host.number(True))
    await host.move(clause=clauses.AGAIN)


@client("nettoe.client-again.one", "in another game, after 1, the client waits for the server", clauses.AGAIN)
async def one(exam: ClientExam) -> None:
    host = await _over(exam)
    await host.ask()
    await host.talk.send(host.number(False))
    await host.quiet("nothing: the server begins", clauses.STARTER)
    await host.talk.send(host.mark())
    await host.move(clause=clauses.AGAIN)


@client("nettoe.client-again.merged", "who begins, and the first board, in one segment", clauses.STREAM)
async def number_merged(exam: ClientExam) -> None:
    host = await _over(exam)
    await host.ask()
    await host.talk.send(host.number(False) + host.mark())
    await host.move(clause=clauses.STREAM)


@client("nettoe.client-again.same", "the same side may begin twice: the number decides", clauses.STARTER)
async def same(exam: ClientExam) -> None:
    host = await Host.begin(exam, first=True)
    await host.out()
    await host.ask()
    await host.talk.send(host.number(True))
    await host.move(clause=clauses.STARTER)


@client("nettoe.client-again.four", "four games on one connection", clauses.AGAIN)
async def four(exam: ClientExam) -> None:
    host = await _over(exam)
    for game in range(3):
        await host.ask()
        await host.talk.send(host.number(game % 2 == 0))
        await host.out()


@client("nettoe.client-again.no", "after its own n the client says nothing more", clauses.REFUSED)
async def no(exam: ClientExam) -> None:
    host = await _over(exam)
    await host.talk.send(YES)
    if await host.answer(wish=False):
        skip("the client wants another game")
    await host.quiet("nothing: the client has said n", clauses.REFUSED)


# --- servers that leave --------------------------------------------------------------------------------------------


def _left(slug: str, title: str, before: bytes) -> None:
    @client(f"nettoe.client-leaving.{slug}", title, clauses.STANDING, ROBUST)
    async def script(exam: ClientExam) -> None:
        talk = await exam.join()
        await talk.send(before)
        await talk.leave()


_left("silent", "a server that leaves without a word", b"")
_left("in-name", "a server that leaves within its name", b"Do")
_left("named", "a server that leaves after its name", b"Dorothea".ljust(32, b"\0"))


@client("nettoe.client-leaving.on-turn", "a server that leaves on the client's turn", clauses.STANDING, ROBUST)
async def on_turn(exam: ClientExam) -> None:
    await (await Host.begin(exam)).talk.leave()


@client("nettoe.client-leaving.own-turn", "a server that leaves on its own turn", clauses.STANDING, ROBUST)
async def own_turn(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.talk.leave()


@client("nettoe.client-leaving.in-board", "a server that leaves within a board", clauses.STANDING, ROBUST)
async def in_board(exam: ClientExam) -> None:
    host = await Host.begin(exam, first=False)
    await host.talk.send(host.mark()[:6])
    await host.talk.leave()


@client("nettoe.client-leaving.reset", "a server that is cut off", clauses.STANDING, ROBUST)
async def reset(exam: ClientExam) -> None:
    await (await Host.begin(exam, first=False)).talk.reset()


@client("nettoe.client-leaving.at-question", "a server that leaves in place of the question", clauses.STANDING, ROBUST)
async def at_question(exam: ClientExam) -> None:
    await (await _over(exam)).talk.leave()
