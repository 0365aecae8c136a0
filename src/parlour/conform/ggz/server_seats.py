"""Requests of those who sit at a table: another seat, what is known of the players, and the rankings."""

from parlour.conform.case import Severity, Shortfall, Violation
from parlour.conform.exam import ServerExam
from parlour.conform.ggz import clauses
from parlour.conform.ggz.suite import server
from parlour.conform.ggz.user import User, seated, shown
from parlour.protocols.ggz import spell

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD
INFO, RANKINGS = spell.element("INFO"), spell.element("RANKINGS")
PLACE = ("POSITION", "PLAYER", "SCORE")


def _reseat(action: str, **more: str | int) -> bytes:
    return spell.element("RESEAT", {"ACTION": action, **more})


@server("ggz.reseat.answered", "RESEAT at a table is answered", clauses.RESEAT)
async def reseat_answered(exam: ServerExam) -> None:
    _, ada, _ = await seated(exam)
    for action in ("stand", "sit", "move"):
        await ada.talk.send(_reseat(action, SEAT=0))
        await ada.element("RESULT", "<RESULT ACTION='reseat' …>", clauses.RESEAT, ACTION="reseat")


def _stays(slug: str, action: str) -> None:
    @server(f"ggz.reseat.{slug}", f"RESEAT {action}: the game goes on in the same seats", clauses.RESEAT)
    async def script(exam: ServerExam) -> None:
        table, ada, bea = await seated(exam)
        await table.choose((3, 2))
        await table.start()
        for user in (ada, bea):
            await user.talk.send(_reseat(action, SEAT=1))
            await user.element("RESULT", "<RESULT ACTION='reseat' …>", clauses.RESEAT, ACTION="reseat")
        try:
            await table.out()
        except Violation as wrong:
            raise Violation(f"the game to go on: {wrong.expected}", wrong.came, clauses.RESEAT) from wrong


for _action in ("sit", "move"):
    _stays(_action, _action)


@server("ggz.reseat.nowhere", "RESEAT of one who sits at no table is not granted", clauses.RESEAT_TABLE)
async def reseat_nowhere(exam: ServerExam) -> None:
    user = await User.inside(exam)
    await user.talk.send(_reseat("sit", SEAT=0))
    await user.fence()
    results = [came for came in user.heard("RESULT") if came.get("ACTION").lower() in ("reseat", "protocol")]
    if not results:
        raise Shortfall("<RESULT ACTION='reseat' CODE='no table'/>", "nothing", clauses.RESEAT_TABLE)
    if results[0].get("CODE").lower() == "ok":
        raise Violation("a CODE that is not ok", shown(results[0]))


@server("ggz.reseat.unknown", "RESEAT with an unknown ACTION moves nobody", clauses.RESEAT, ROBUST)
async def reseat_unknown(exam: ServerExam) -> None:
    table, ada, _ = await seated(exam)
    await ada.talk.send(_reseat("somersault"))
    await table.choose((2, 2))
    await table.start()
    await table.out()


@server("ggz.info.table", "INFO at a table is answered with INFO", clauses.INFO, SHOULD)
async def info_table(exam: ServerExam) -> None:
    _, ada, _ = await seated(exam)
    await ada.talk.send(INFO)
    await ada.element("INFO", "<INFO>", clauses.INFO)


@server("ggz.info.nowhere", "INFO of one who sits at no table is not answered, and the next request is", clauses.INFO)
async def info_nowhere(exam: ServerExam) -> None:
    user = await User.inside(exam)
    await user.talk.send(INFO)
    await user.untold("INFO", "nothing: no table, no players to tell of", clauses.INFO)


@server("ggz.rankings.table", "RANKINGS at a table is answered with RANKINGS", clauses.RANKINGS, SHOULD)
async def rankings_table(exam: ServerExam) -> None:
    _, ada, _ = await seated(exam)
    await ada.talk.send(RANKINGS)
    await ada.element("RANKINGS", "<RANKINGS>", clauses.RANKINGS)


@server("ggz.rankings.form", "every RANKING has its POSITION, PLAYER and SCORE", clauses.RANKINGS)
async def rankings_form(exam: ServerExam) -> None:
    _, ada, _ = await seated(exam)
    await ada.talk.send(RANKINGS)
    await ada.fence()
    for came in ada.heard("RANKINGS"):
        for place in came.every("RANKING"):
            if any(name not in place.attrs for name in PLACE) or place.number("POSITION") is None:
                raise Violation("<RANKING POSITION='…' PLAYER='…' SCORE='…'/>", shown(place))


@server("ggz.rankings.nowhere", "RANKINGS of one who sits at no table is not answered", clauses.RANKINGS)
async def rankings_nowhere(exam: ServerExam) -> None:
    user = await User.inside(exam)
    await user.talk.send(RANKINGS)
    await user.untold("RANKINGS", "nothing: no table, no rankings of its game", clauses.RANKINGS)
