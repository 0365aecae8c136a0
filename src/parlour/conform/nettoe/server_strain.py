"""Servers: clients that leave, and rubbish. Nothing of it may harm the next who comes."""

import asyncio

from parlour.conform.case import Severity, Shortfall, skip
from parlour.conform.conversation import End, told
from parlour.conform.exam import ServerExam
from parlour.conform.nettoe import clauses
from parlour.conform.nettoe.board import blanks
from parlour.conform.nettoe.match import HOOK, SHORT, YES, Match, field, frame, newcomer
from parlour.conform.nettoe.suite import server

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD


@server("nettoe.leaving.silent", "a client that leaves without a word", clauses.STANDING, ROBUST)
async def silent(exam: ServerExam) -> None:
    await (await exam.connect()).leave()
    await newcomer(exam)


@server("nettoe.leaving.in-name", "a client that leaves within its name", clauses.STANDING, ROBUST)
async def in_name(exam: ServerExam) -> None:
    talk = await exam.connect()
    await talk.send(b"Cla")
    await talk.leave()
    await newcomer(exam)


@server("nettoe.leaving.named", "a client that leaves after its name", clauses.STANDING, ROBUST)
async def named(exam: ServerExam) -> None:
    talk = await exam.connect()
    await talk.send(field(b"Clara"))
    await talk.leave()
    await asyncio.sleep(SHORT)  # it may be found gone only when the game begins
    await newcomer(exam)


@server("nettoe.leaving.on-turn", "a client that leaves on its turn", clauses.STANDING, ROBUST)
async def on_turn(exam: ServerExam) -> None:
    await (await Match.begin(exam)).mover.talk.leave()
    await newcomer(exam)


@server("nettoe.leaving.reset", "a client that is cut off on its turn", clauses.STANDING, ROBUST)
async def reset(exam: ServerExam) -> None:
    await (await Match.begin(exam)).mover.talk.reset()
    await newcomer(exam)


@server("nettoe.leaving.in-board", "a client that leaves within a board", clauses.STANDING, ROBUST)
async def in_board(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send(HOOK + b"    ")
    await match.mover.talk.leave()
    await newcomer(exam)


@server("nettoe.leaving.after-move", "a client that leaves right behind its move", clauses.STANDING, ROBUST)
async def after_move(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    mover = match.mover
    await mover.show(exam.rng.choice(blanks(mover.board)))
    await mover.talk.leave()
    await newcomer(exam)


@server("nettoe.leaving.at-question", "a client that leaves without an answer", clauses.STANDING, ROBUST)
async def at_question(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.out()
    await match.questions()
    await match.sides[0].talk.leave()
    await newcomer(exam)


@server("nettoe.leaving.after-yes", "a client that says yes and leaves", clauses.STANDING, ROBUST)
async def after_yes(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.out()
    await match.asked()
    for side in match.sides:
        await side.talk.send(YES)
        await side.talk.leave()
    await newcomer(exam)


@server("nettoe.leaving.half-closed", "a client that says no more is let go", clauses.STANDING, SHOULD)
async def half_closed(exam: ServerExam) -> None:
    exam.remark("The original goes back to its menu and leaves the socket open.")
    match = await Match.begin(exam)
    match.mover.talk.finish()
    heard = await match.mover.talk.listen(exam.seconds)
    if not heard or not isinstance(heard[-1], End):
        raise Shortfall("the end of the connection", told(heard[-1]) if heard else "nothing")


@server("nettoe.leaving.other-told", "a player whose opponent has left is let go", clauses.STANDING, SHOULD)
async def other_told(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    if len(match.sides) == 1:
        skip("the server plays itself")
    await match.mover.talk.leave()
    left = next(side for side in match.sides if side is not match.mover)
    heard = await left.talk.listen(exam.seconds)
    if not heard or not isinstance(heard[-1], End):
        raise Shortfall("the end of the connection", told(heard[-1]) if heard else "nothing")


def _rubbish(slug: str, title: str, data: bytes) -> None:
    @server(f"nettoe.rubbish.{slug}", title, clauses.STANDING, ROBUST)
    async def script(exam: ServerExam) -> None:
        match = await Match.begin(exam)
        await match.mover.talk.send(data)
        await match.mover.talk.listen(SHORT)
        await newcomer(exam)


_rubbish("odd", "one byte too many in front of a board", b"?" + frame(b"O        "))
_rubbish("pairs", "pairs of bytes that mean nothing", b"n\0yy\0\0" + frame(b"O        "))
_rubbish("nuls", "nothing but NULs", bytes(4096))
_rubbish("binary", "bytes of all kinds", bytes(range(256)) * 64)
_rubbish("hooks", "hooks without end", HOOK * 4096)
_rubbish("answer", "an answer in the middle of a game", YES)
_rubbish("flood", "half a million bytes", b"O" * 500_000)
_rubbish("boards", "a thousand boards at once", frame(b"OOOOOOOOO") * 1000)
_rubbish("http", "a browser", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")


@server("nettoe.rubbish.instead-of-name", "lines of text in place of a name", clauses.STANDING, ROBUST)
async def instead_of_name(exam: ServerExam) -> None:
    talk = await exam.connect()
    await talk.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n" * 20)
    await talk.listen(SHORT)
    await newcomer(exam)


@server("nettoe.rubbish.crowd", "twenty who come and say nothing", clauses.STANDING, ROBUST)
async def crowd(exam: ServerExam) -> None:
    if exam.habits.single:
        skip("the server takes one guest only")
    for _ in range(20):
        await exam.connect()
    await newcomer(exam)
