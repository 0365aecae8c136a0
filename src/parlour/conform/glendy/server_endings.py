"""Servers: escapes, traps, and clients that leave."""

from collections.abc import Callable

from parlour.conform.case import ServerScript, Severity, skip
from parlour.conform.conversation import End
from parlour.conform.exam import ServerExam
from parlour.conform.glendy import clauses
from parlour.conform.glendy.match import GLENDA, SHORT, TRAPPER, Match, Player, arrive, newcomers
from parlour.conform.glendy.suite import server
from parlour.games.glenda.board import beside

ROBUST = Severity.ROBUST
LAST = 10


async def _closed(player: Player) -> None:
    await player.talk.expect_end(clauses.CLOSED)


def _escape(slug: str, title: str, goal: Callable[[int, int], bool]) -> ServerScript:
    @server(f"glendy.over.{slug}", f"glenda who stands on the {title} edge has won; both are let go", clauses.VERDICT)
    async def script(exam: ServerExam) -> None:
        for _ in range(6):
            match = await Match.begin(exam)
            match.player(GLENDA)
            while not match.over:
                if match.position.turn == TRAPPER:
                    await match.play(match.elsewhere())
                steps = match.path(goal)
                if not steps:
                    break
                await match.play(steps[0])
            if match.over and goal(*match.position.glenda):
                for player in match.players.values():
                    await _closed(player)
                return
            await exam.close()
        skip("the walls were always in the way")

    return script


NORTH = _escape("north", "upper", lambda _, y: y == 0)
_escape("south", "lower", lambda _, y: y == LAST)
_escape("west", "left", lambda x, _: x == 0)
_escape("east", "right", lambda x, _: x == LAST)


async def _trapped(exam: ServerExam, pocket: bool) -> Match:
    """Glenda goes to and fro between two cells while walls are put around one of them, or around both."""
    for _ in range(6):
        match = await Match.begin(exam)
        match.player(TRAPPER), match.player(GLENDA)
        home = match.position.glenda
        other = next((cell for cell in beside(*home) if cell not in match.position.walls()), home)
        rim = [cell for cell in beside(*home) if cell != other]
        rim += [cell for cell in beside(*other) if cell != home and cell not in rim] if pocket else []
        while not match.over:
            if match.position.turn == TRAPPER:
                wanted = [f"p {x} {y}" for x, y in rim if f"p {x} {y}" in match.position.legal()]
                if not wanted and match.position.glenda == home:
                    wanted = [f"p {other[0]} {other[1]}"]
                await match.play(wanted[0] if wanted else match.elsewhere())
            else:
                target = other if match.position.glenda == home else home
                await match.play(next(m for m in match.position.legal() if _after(match, m) == target))
        if TRAPPER in match.position.winners():
            return match
        await exam.close()
    return skip("the trap never closed")


def _after(match: Match, move: str) -> tuple[int, int]:
    after = match.position.copy()
    after.play(move)
    return after.glenda


@server("glendy.over.trapped", "glenda without a free cell beside her is trapped", clauses.VERDICT)
async def trapped(exam: ServerExam) -> None:
    for player in (await _trapped(exam, pocket=False)).players.values():
        await _closed(player)


@server("glendy.over.pocket", "glenda who can move, but never reach an edge, is trapped", clauses.VERDICT)
async def in_pocket(exam: ServerExam) -> None:
    for player in (await _trapped(exam, pocket=True)).players.values():
        await _closed(player)


def _next(slug: str, title: str, end: ServerScript) -> None:
    @server(f"glendy.over.next-{slug}", title, clauses.OVER)
    async def script(exam: ServerExam) -> None:
        await end(exam)
        match = await Match.begin(exam)
        await match.play(match.harmless())


_next("trapped", "after a trap there is another game, counted from the beginning", trapped)
_next("escaped", "after an escape there is another game, counted from the beginning", NORTH)


# --- leaving -------------------------------------------------------------------------------------------------------


async def _let_go(match: Match, side: int) -> None:
    """The other player's game is over: perhaps a word, then the end."""
    other = match.player(1 - side)
    heard = await other.talk.listen(match.exam.seconds)
    if not heard or not isinstance(heard[-1], End):
        raise other.talk.wrong(heard[-1] if heard else "nothing", "the end of the connection", clauses.QUIT)


def _leaves(slug: str, title: str, side: int, how: str, later: bool = False) -> None:
    @server(f"glendy.leaving.{slug}", title, clauses.QUIT)
    async def script(exam: ServerExam) -> None:
        match = await Match.begin(exam)
        player = match.player(side)
        if len(match.players) == 1:
            skip("the server plays itself")
        if later:
            await match.play(match.elsewhere())
        if how in ("q", "\0"):
            await player.say(how)
        elif how == "half":
            player.talk.finish()
        elif how == "reset":
            await player.talk.reset()
        else:
            await player.talk.leave()
        await _let_go(match, side)


_leaves("trapper-q", "q from the trapper ends the game for glenda", TRAPPER, "q")
_leaves("glenda-q", "q from glenda, out of turn, ends the game for the trapper", GLENDA, "q")
_leaves("trapper-gone", "a trapper who is gone ends the game for glenda", TRAPPER, "end")
_leaves("glenda-gone", "a glenda who is gone ends the game for the trapper", GLENDA, "end")
_leaves("nul", "a NUL, the wire's own end of file, ends the game for the other", TRAPPER, "\0")
_leaves("half", "a trapper who will say no more has left", TRAPPER, "half")
_leaves("half-glenda", "a glenda who will say no more has left, out of turn as well", GLENDA, "half")
_leaves("trapper-q-waiting", "q from the trapper, out of turn, ends the game for glenda", TRAPPER, "q", later=True)
_leaves("glenda-q-turn", "q from glenda on her turn ends the game for the trapper", GLENDA, "q", later=True)
_leaves("trapper-gone-waiting", "a trapper who is gone out of turn", TRAPPER, "end", later=True)
_leaves("glenda-gone-turn", "a glenda who is gone on her turn", GLENDA, "end", later=True)
_leaves("reset-glenda", "a glenda who is cut off ends the game for the trapper", GLENDA, "reset")
_leaves("reset", "a trapper who is cut off ends the game for glenda", TRAPPER, "reset")


@server("glendy.leaving.alone", "who leaves while waiting harms nobody", clauses.STANDING, ROBUST)
async def alone(exam: ServerExam) -> None:
    player = await arrive(exam, TRAPPER)
    if exam.habits.pairs:
        await player.expect("WAIT", clauses.STANDING)  # those of the cases before have left as well
    await player.talk.leave()
    await player.talk.listen(SHORT)
    await newcomers(exam)


def _rubbish(slug: str, title: str, data: bytes) -> None:
    @server(f"glendy.rubbish.{slug}", title, clauses.STANDING, ROBUST)
    async def script(exam: ServerExam) -> None:
        match = await Match.begin(exam)
        await match.mover.talk.send(data)
        await match.mover.talk.listen(SHORT)
        await newcomers(exam)


_rubbish("long", "a line of ten thousand bytes", b"p" * 10_000 + b"\n")
_rubbish("binary", "bytes of all kinds", bytes(range(1, 256)) * 16)
_rubbish("numbers", "numbers of a hundred digits", b"p " + b"9" * 100 + b" 1\n")
_rubbish("lines", "a thousand lines at once", b"p 99 99\n" * 1000)
