"""Servers: how a game comes about."""

import asyncio

from parlour.conform.case import Violation, skip
from parlour.conform.conversation import told
from parlour.conform.exam import ServerExam
from parlour.conform.glendy import clauses
from parlour.conform.glendy.match import FIRST, GLENDA, LATER, SHORT, TRAPPER, Match, Player, arrive
from parlour.conform.glendy.suite import server


def _both(exam: ServerExam) -> None:
    if not exam.habits.pairs:
        skip("the server plays itself")


@server("glendy.start.conn", "who connects is greeted with CONN and a number", clauses.CONN, dialects=[FIRST])
async def conn(exam: ServerExam) -> None:
    await arrive(exam, TRAPPER)


@server("glendy.start.trapper-first", "the first is the trapper, the second is glenda", clauses.CONN, dialects=[FIRST])
async def trapper_first(exam: ServerExam) -> None:
    _both(exam)
    first, second = await arrive(exam, TRAPPER), await arrive(exam, GLENDA)
    if (first.side, second.side) != (TRAPPER, GLENDA):
        raise Violation("CONN 0 to the first, CONN 1 to the second", f"CONN {first.side}, CONN {second.side}")


@server("glendy.start.wait", "who is alone is sent WAIT, and nothing more", clauses.WAITING)
async def wait(exam: ServerExam) -> None:
    _both(exam)
    player = await arrive(exam, TRAPPER)
    await player.expect("WAIT", clauses.WAITING)
    if exam.dialect == FIRST:
        await player.quiet("nothing: nobody is there to play with", clauses.WAITING)


@server("glendy.start.side", "the side that is asked for is given", clauses.HELLO, dialects=[LATER])
async def side(exam: ServerExam) -> None:
    _both(exam)
    players = [await arrive(exam, GLENDA), await arrive(exam, TRAPPER)]
    for player, wanted in zip(players, (GLENDA, TRAPPER), strict=True):
        await player.connected()
        if player.side != wanted:
            raise Violation(f"CONN {wanted}", f"CONN {player.side}")


def _bad(slug: str, title: str, text: str) -> None:
    @server(f"glendy.start.{slug}", title, clauses.HELLO, dialects=[LATER])
    async def script(exam: ServerExam) -> None:
        player = Player(exam, await exam.connect())
        await player.say(text)
        heard = await player.talk.listen(exam.seconds / 4)
        if any(getattr(came, "text", "").split()[:1] in (["CONN"], ["WAIT"], ["INIT"]) for came in heard):
            raise Violation("DIE, or the end of the connection", str(heard))


_bad("bad-hello", "a hello with a wrong game is turned away", "anna 7 0 0")
_bad("bad-side", "a hello with a side that there is not is turned away", "anna 0 3 0")
_bad("bad-nick", "a nick with other signs than letters and digits is turned away", "an-na 0 0 0")
_bad("long-nick", "a nick of nine letters is turned away", "annabella 0 0 0")
_bad("one-word", "a hello of one word is turned away", "anna")


async def _hellos(exam: ServerExam, *texts: str) -> list[Player]:
    _both(exam)
    players = []
    for text in texts:
        players.append(Player(exam, await exam.connect()))
        await players[-1].say(text)
        await asyncio.sleep(SHORT / 5)  # so that it is clear who came first
    return players


@server("glendy.start.nick", "each is told the other's nick", clauses.HELLO, dialects=[LATER])
async def nick(exam: ServerExam) -> None:
    players = await _hellos(exam, "anna 0 0 0", "bert2 0 1 0")
    for player, other in zip(players, ("bert2", "anna"), strict=True):
        came = await player.connected()
        if other not in came.split():
            raise Violation(f"CONN {player.side} {other}", came)


@server("glendy.start.guest", "@ is a guest, and gets a game", clauses.HELLO, dialects=[LATER])
async def guest(exam: ServerExam) -> None:
    for player in await _hellos(exam, "@ 0 0 0", "anna 0 1 0"):
        await player.connected()
        await player.board()


@server("glendy.start.either", "who takes either side gets the one that is left", clauses.HELLO, dialects=[LATER])
async def either(exam: ServerExam) -> None:
    players = await _hellos(exam, "anna 0 1 0", "bert 0 2 0")
    for player, wanted in zip(players, (GLENDA, TRAPPER), strict=True):
        await player.connected()
        if player.side != wanted:
            raise Violation(f"CONN {wanted}", f"CONN {player.side}")


@server("glendy.start.same-side", "two who want the same side do not play each other", clauses.HELLO, dialects=[LATER])
async def same_side(exam: ServerExam) -> None:
    for player in await _hellos(exam, "anna 0 0 0", "bert 0 0 0"):
        for came in await player.talk.listen(SHORT):
            if getattr(came, "text", "").startswith(("CONN", "INIT")):
                raise Violation("WAIT: nobody plays the other side", told(came))


@server("glendy.start.third", "a third waits while two play, and gets a game with the fourth", clauses.WAITING)
async def third(exam: ServerExam) -> None:
    _both(exam)
    match = await Match.begin(exam)
    player = await arrive(exam, TRAPPER)
    await player.expect("WAIT", clauses.WAITING)
    if exam.dialect == FIRST:
        await player.quiet("nothing: two others play", clauses.WAITING)
    other = await arrive(exam, GLENDA)
    for each in (player, other):
        if exam.dialect == LATER:
            await each.connected()
        await each.board()
    await match.play(match.harmless())


@server("glendy.start.init", "INIT, the board, SENT", clauses.INIT)
async def init(exam: ServerExam) -> None:
    await Match.begin(exam)


@server("glendy.start.board", "both see the same board, with one glenda", clauses.BOARD)
async def board(exam: ServerExam) -> None:
    _both(exam)
    await Match.begin(exam)


@server("glendy.start.turn", "the trapper is sent TURN, glenda WAIT", clauses.TURN)
async def turn(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    for player in match.players.values():
        await player.quiet("nothing: it is the players' turn", clauses.TURN)


@server("glendy.start.tables", "two games at a time do not meet", clauses.INIT)
async def tables(exam: ServerExam) -> None:
    one, two = await Match.begin(exam), await Match.begin(exam)
    for match in (one, two, one, two):
        await match.play(match.elsewhere() if match.position.turn == TRAPPER else match.position.legal()[0])
