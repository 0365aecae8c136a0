"""Servers: how a game comes about."""

from parlour.conform.case import Violation, skip
from parlour.conform.exam import ServerExam
from parlour.conform.glendy import clauses
from parlour.conform.glendy.match import FIRST, GLENDA, LATER, TRAPPER, Match, Player, arrive
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


@server("glendy.start.bad-hello", "a hello with a wrong game is turned away", clauses.HELLO, dialects=[LATER])
async def bad_hello(exam: ServerExam) -> None:
    player = Player(exam, await exam.connect())
    await player.say("anna 7 0 0")
    heard = await player.talk.listen(exam.seconds / 4)
    if any(getattr(came, "text", "").split()[:1] in (["CONN"], ["WAIT"]) for came in heard):
        raise Violation("DIE, or the end of the connection", str(heard))


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
