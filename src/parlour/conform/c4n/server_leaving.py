"""Players who go, in every state and in every way."""

from parlour.conform.c4n import clauses
from parlour.conform.c4n.match import SHORT, Match, still_served
from parlour.conform.c4n.suite import server
from parlour.conform.case import Severity, Violation, skip
from parlour.conform.conversation import Silence, told
from parlour.conform.exam import ServerExam
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.messages import UNKNOWN_ERROR, Board, Error, Result

ROBUST = Severity.ROBUST
NEXT = "a game for the next"


@server("c4n.leave.at-once", "who leaves without a word disturbs nobody", clauses.START_NEW, ROBUST)
async def at_once(exam: ServerExam) -> None:
    for _ in range(3):
        await (await exam.connect()).leave()
    await still_served(exam, NEXT, clauses.START_NEW)


@server("c4n.leave.within-start", "who leaves within START disturbs nobody", clauses.START_NEW, ROBUST)
async def within_start(exam: ServerExam) -> None:
    talk = await exam.connect()
    await talk.send(codec.START[:9])
    await talk.leave()
    await still_served(exam, NEXT, clauses.START_NEW)


@server("c4n.leave.after-start", "who leaves before the first BOARD disturbs nobody", clauses.START_NEW, ROBUST)
async def after_start(exam: ServerExam) -> None:
    talk = await exam.connect()
    await talk.send(codec.START)
    await talk.leave()
    await still_served(exam, NEXT, clauses.START_NEW)


@server("c4n.leave.in-game", "who leaves in the middle of a game disturbs nobody", clauses.START_NEW, ROBUST)
async def in_game(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.play(0)
    for player in match.players:
        await player.talk.leave()
    await still_served(exam, NEXT, clauses.START_NEW)


@server("c4n.leave.within-move", "who leaves within MOVE disturbs nobody", clauses.START_NEW, ROBUST)
async def within_move(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send(b"C4N 1.0 MOVE\n")
    for player in match.players:
        await player.talk.leave()
    await still_served(exam, NEXT, clauses.START_NEW)


@server("c4n.leave.unread", "who moves and leaves without reading disturbs nobody", clauses.START_NEW, ROBUST)
async def unread(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send(codec.move(0))
    for player in match.players:
        await player.talk.leave()
    await still_served(exam, NEXT, clauses.START_NEW)


@server("c4n.leave.reset", "who is cut off disturbs nobody", clauses.START_NEW, ROBUST)
async def reset(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send(codec.move(0))
    for player in match.players:
        await player.talk.reset()
    await still_served(exam, NEXT, clauses.START_NEW)


@server("c4n.leave.half-closed", "who half-closes is not flooded", clauses.ERROR_ANY, ROBUST)
async def half_closed(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    talk = match.mover.talk
    talk.finish()
    heard = await talk.listen(SHORT)
    if len(heard) > 20 or talk.flooded:
        raise Violation("a few messages at most, for nothing was said", f"{len(heard)} messages")
    for player in match.players:
        await player.talk.leave()
    await still_served(exam, NEXT, clauses.START_NEW)


@server(
    "c4n.leave.other-told",
    "who is left alone in a game is told, or the connection is closed",
    clauses.ERROR_ANY,
    ROBUST,
)
async def other_told(exam: ServerExam) -> None:
    await _one_leaves(exam, b"")


@server(
    "c4n.leave.stop-told", "who is left alone by STOP is told, or the connection is closed", clauses.STOP_ENDS, ROBUST
)
async def stop_told(exam: ServerExam) -> None:
    await _one_leaves(exam, codec.STOP)


async def _one_leaves(exam: ServerExam, farewell: bytes) -> None:
    if not exam.habits.pairs:
        skip("the server plays itself: nobody is left alone")
    for leaver in (0, 1):
        match = await Match.begin(exam)
        await match.play(0)
        going, staying = match.players if leaver == 0 else match.players[::-1]
        if farewell:
            await going.talk.send(farewell)
        await going.talk.leave()
        while isinstance(came := await staying.talk.receive(), Board):
            pass
        if isinstance(came, Silence):
            raise Violation("a word, or the end of the connection: the other player has gone", told(came))
        if isinstance(came, Result) and came.winner != 1:
            raise staying.talk.wrong(came, "no defeat: the other player has gone", clauses.RESULT_WINNER)


@server("c4n.leave.error", "who leaves with an ERROR disturbs nobody", clauses.ERROR_ANY, ROBUST)
async def with_error(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send(codec.error(UNKNOWN_ERROR))
    for player in match.players:
        await player.talk.leave()
    await still_served(exam, NEXT, clauses.ERROR_ANY)


@server("c4n.leave.codes", "whatever ERROR comes has a code that there is", clauses.ERROR_CODES)
async def codes(exam: ServerExam) -> None:
    talk = await exam.connect()
    await talk.send(b"C4N 1.0 NOTHING\n")
    for came in await talk.listen(2 * SHORT):
        if isinstance(came, Error) and came.code not in (1, 2, 3, 99):
            raise talk.wrong(came, "ERROR 1", clauses.ERROR_CODES)
