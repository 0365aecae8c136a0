"""Servers: every way in which a game ends, and the question whether to go on."""

import asyncio
from collections.abc import Sequence

from parlour.conform.case import Severity, Shortfall, Violation, skip
from parlour.conform.conversation import End, shown, told
from parlour.conform.exam import ServerExam
from parlour.conform.nettoe import clauses
from parlour.conform.nettoe.board import DRAW, LINES, Field, Goal, O, X, blanks
from parlour.conform.nettoe.match import HOOK, NO, SHORT, STARTER, YES, Match, reached
from parlour.conform.nettoe.suite import server

SHOULD = Severity.SHOULD


def _ending(slug: str, title: str, goal: Goal) -> None:
    @server(f"nettoe.over.{slug}", title, clauses.OVER)
    async def script(exam: ServerExam) -> None:
        match = await reached(exam, goal)
        await match.questions()


for _line in LINES:
    _ending(f"client-{_line}", f"three O in the line {_line} end the game", Goal(O, _line))
for _line in LINES:
    _ending(f"server-{_line}", f"three X in the line {_line} end the game", Goal(X, _line))
_ending("draw", "a full board without a line ends the game", DRAW)
_ending("two-lines", "two lines at once end the game", Goal(O, lines=2))
_ending("last-square", "a line on the last square ends the game", Goal(O, full=True))


@server("nettoe.over.not-before", "three marks that are no line are no end", clauses.OVER)
async def not_before(exam: ServerExam) -> None:
    for _ in range(1 if exam.habits.slow else 6):
        match = await Match.begin(exam)
        await match.toward(DRAW)  # the most boards that a game can have
        await match.out()
        await match.questions()
        await exam.close()


@server("nettoe.question.form", "the question is y, NUL and y or n, NUL", clauses.QUESTION)
async def form(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.out()
    await match.questions()


@server("nettoe.question.waits", "after its y the server waits for the client's answer", clauses.ANSWER)
async def waits(exam: ServerExam) -> None:
    match = await _asked(exam)
    for side in match.sides:
        await side.quiet("nothing: the client has not answered", clauses.ANSWER, 2 * SHORT)
    await match.again()


async def _asked(exam: ServerExam, goal: Goal | None = None) -> Match:
    """A game is over, and the server wants another."""
    if goal is not None:
        match = await reached(exam, goal)
    else:
        match = await Match.begin(exam)
        await match.out()
    await match.asked()
    return match


@server("nettoe.question.declined", "after its n the server says nothing more", clauses.DECLINED)
async def declined(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.out()
    if await match.questions():
        skip("the server wants another game")
    for side in match.sides:
        await side.quiet("nothing: the game is discontinued", clauses.DECLINED)


def _again(slug: str, title: str, goal: Goal | None) -> None:
    @server(f"nettoe.again.{slug}", title, clauses.AGAIN)
    async def script(exam: ServerExam) -> None:
        match = await _asked(exam, goal)
        await match.again()
        await match.out()
        await match.questions()


_again("game", "after two y another game is played", None)
_again("won", "after a game that the client has won, too", Goal(O))
_again("lost", "after a game that the client has lost, too", Goal(X))
_again("drawn", "after a draw, too", DRAW)


@server("nettoe.again.number", "another game begins with 1 or 2 alone: no name again", clauses.AGAIN)
async def number(exam: ServerExam) -> None:
    match = await _asked(exam)
    for side in match.sides:
        await side.talk.send(YES)
    for side in match.sides:
        came = await side.field(STARTER, "1 or 2: who begins", clauses.AGAIN)
        if came not in (b"1", b"2"):
            raise Violation("1 or 2: names are not repeated", shown(came), clauses.AGAIN)


@server("nettoe.again.empty", "another game begins on an empty board", clauses.AGAIN)
async def empty(exam: ServerExam) -> None:
    match = await _asked(exam)
    await match.again()
    marks = 9 - len(blanks(match.board))
    if marks > 1:
        raise Violation("one mark at most", shown(match.board))
    await match.play(exam.rng.choice(blanks(match.mover.board)))


@server("nettoe.again.begins", "in another game, too, begins who the character says", clauses.STARTER)
async def begins(exam: ServerExam) -> None:
    match = await _asked(exam)
    for _ in range(2):
        await match.again()
        for side in match.sides:
            if side is match.mover:
                await side.quiet("nothing: it is the client's turn", clauses.STARTER)
        await match.out()
        await match.asked()


@server("nettoe.again.five", "five games on one connection", clauses.AGAIN)
async def five(exam: ServerExam) -> None:
    match = await _asked(exam)
    for _ in range(1 if exam.habits.slow else 4):
        await match.again()
        await match.out()
        await match.asked()


def _cut(slug: str, title: str, parts: Sequence[bytes], pause: float = 0.004) -> None:
    @server(f"nettoe.again.{slug}", title, clauses.STREAM)
    async def script(exam: ServerExam) -> None:
        match = await _asked(exam)
        for side in match.sides:
            await side.talk.send(*parts, pause=pause)
        for side in match.sides:
            await side.number(clauses.AGAIN)
        await match.settle()
        await match.play(exam.rng.choice(blanks(match.mover.board)))


_cut("bytes", "a yes that comes byte by byte", (b"y", b"\0", b"y", b"\0"))
_cut("parts", "a yes in two parts", (HOOK, HOOK))
_cut("late", "a yes of which the second part is late", (HOOK, HOOK), 3 * SHORT)


@server("nettoe.again.hook-only", "the first y alone is no answer", clauses.ANSWER)
async def hook_only(exam: ServerExam) -> None:
    match = await _asked(exam)
    for side in match.sides:
        await side.talk.send(HOOK)
    for side in match.sides:
        await side.quiet("nothing: the answer is still to come", clauses.ANSWER, 2 * SHORT)


def _refused(slug: str, title: str, parts: Sequence[bytes]) -> None:
    @server(f"nettoe.again.{slug}", title, clauses.REFUSED)
    async def script(exam: ServerExam) -> None:
        match = await _asked(exam)
        for side in match.sides:
            await side.talk.send(*parts)
        for side in match.sides:
            await side.quiet("nothing: the client does not want another game", clauses.REFUSED, 2 * SHORT)


_refused("no", "after the client's n no game begins", (NO,))
_refused("no-bytes", "a no that comes byte by byte", (b"y", b"\0", b"n", b"\0"))


@server("nettoe.again.one-no", "the no of one player is enough", clauses.REFUSED)
async def one_no(exam: ServerExam) -> None:
    match = await _asked(exam)
    if len(match.sides) == 1:
        skip("the server plays itself")
    await match.sides[0].talk.send(YES)
    await match.sides[1].talk.send(NO)
    for side in match.sides:
        await side.quiet("nothing: one of the two does not want another game", clauses.REFUSED, 2 * SHORT)


@server("nettoe.again.closes", "after the client's n the server ends the connection", clauses.REFUSED, SHOULD)
async def closes(exam: ServerExam) -> None:
    exam.remark("The original keeps its end open until it exits: a client must close by itself.")
    match = await _asked(exam)
    for side in match.sides:
        await side.talk.send(NO)
    came = await match.sides[0].talk.receive()
    if not isinstance(came, End):
        raise Shortfall("the end of the connection", told(came))


@server("nettoe.again.patient", "a client that thinks about its answer is waited for", clauses.ANSWER)
async def patient(exam: ServerExam) -> None:
    match = await _asked(exam)
    await asyncio.sleep(5 * SHORT)
    await match.again()


@server("nettoe.again.frame", "a board is no answer", clauses.ANSWER)
async def board_for_answer(exam: ServerExam) -> None:
    match = await _asked(exam)
    side = match.sides[0]
    await side.talk.send(HOOK + b" " * 9 + b"C\0")
    side.talk.phase = STARTER
    came = await side.talk.receive(2 * SHORT)
    if isinstance(came, Field) and came.data in (b"1", b"2"):
        raise Violation("no other game: the client has not said y", told(came))
