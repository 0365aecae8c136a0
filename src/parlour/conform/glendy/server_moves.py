"""Servers: moves, and lines that are none."""

from collections.abc import Callable

from parlour.conform.case import Clause, skip
from parlour.conform.exam import ServerExam
from parlour.conform.glendy import clauses
from parlour.conform.glendy.match import FIRST, GLENDA, TRAPPER, Match
from parlour.conform.glendy.suite import server
from parlour.games.glenda.board import DIRECTIONS


async def _glendas_turn(exam: ServerExam) -> Match:
    """A game in which glenda is to move, and one of us plays her."""
    match = await Match.begin(exam)
    match.player(GLENDA)
    if match.position.turn == TRAPPER:
        match.player(TRAPPER)
        await match.play(match.elsewhere())
    return match


async def _trappers_turn(exam: ServerExam) -> Match:
    match = await Match.begin(exam)
    match.player(TRAPPER)
    return match


@server("glendy.move.put", "a put is told to both with SYNC 1 x y", clauses.SYNC)
async def put(exam: ServerExam) -> None:
    match = await _trappers_turn(exam)
    await match.play(match.elsewhere())


@server("glendy.move.turns", "TURN and WAIT change with every move, SYNC counts", clauses.TURN)
async def turns(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    for _ in range(6):
        if match.over:
            return
        moves = match.position.legal()
        await match.play(match.elsewhere() if match.position.turn == TRAPPER else exam.rng.choice(moves))


def _way(way: str, row: str, odd: int) -> None:
    @server(f"glendy.move.{way.lower()}-{row}", f"m {way} on an {row} row", clauses.MOVE)
    async def script(exam: ServerExam) -> None:
        for _ in range(8):
            match = await _glendas_turn(exam)
            for _ in range(4):
                if match.over or match.position.glenda[1] % 2 == odd:
                    break
                steps = [move for move in match.position.legal() if move[-1] != way and len(move) == 4]
                if not steps:
                    break
                await match.play(exam.rng.choice(steps))
                if not match.over and match.position.turn == TRAPPER:
                    await match.play(match.elsewhere())
            if not match.over and match.position.glenda[1] % 2 == odd and f"m {way}" in match.position.legal():
                await match.play(f"m {way}")
                await _beside(match)
                return
            await exam.close()
        skip("the walls were always in the way")


async def _beside(match: Match) -> None:
    """Where glenda stands now is seen by a put upon her: it is refused."""
    if match.over or TRAPPER not in match.players:
        return
    x, y = match.position.glenda
    await match.refused(
        match.players[TRAPPER], f"p {x} {y}", lambda came: not came.startswith("SYNC"), f"GLND {x} {y}", clauses.MOVE
    )


for _one in DIRECTIONS:
    _way(_one, "odd", 1)
    _way(_one, "even", 0)


# --- refusals ------------------------------------------------------------------------------------------------------


def _complaint(came: str) -> bool:
    return came.split()[:1] not in (["SYNC"], ["TURN"], ["WAIT"], ["WON"], ["LOST"], [])


def _trapper(
    slug: str, title: str, line: Callable[[Match], str], clause: Clause = clauses.PUT, exact: str = ""
) -> None:
    @server(f"glendy.refused.{slug}", title, clause)
    async def script(exam: ServerExam) -> None:
        match = await _trappers_turn(exam)
        text = line(match)
        wanted = f"{exact}{text[1:]}" if exact and exam.dialect == FIRST else ""
        await match.refused(
            match.mover,
            text,
            lambda came: came == wanted or (not wanted and _complaint(came)),
            wanted or "a refusal",
            clause,
        )
        await match.play(match.elsewhere())


def _on_wall(match: Match) -> str:
    walls = match.position.walls() or skip("there is no wall")
    return f"p {walls[0][0]} {walls[0][1]}"


_trapper("wall", "a put on a wall, and the turn stays", _on_wall, clauses.WALL, "WALL")
_trapper(
    "on-glenda",
    "a put on glenda, and the turn stays",
    lambda m: "p {} {}".format(*m.position.glenda),
    clauses.GLND,
    "GLND",
)
_trapper("right", "a put beyond the right edge", lambda _: "p 11 5")
_trapper("below", "a put below the board", lambda _: "p 5 11")
_trapper("negative", "a put at -1", lambda _: "p -1 5")
_trapper("letters", "a put at letters", lambda _: "p a b")
_trapper("one-number", "a put with one number", lambda _: "p 3")
_trapper("trapper-moves", "the trapper cannot move glenda", lambda _: "m E")
_trapper("unknown", "a word that there is not", lambda _: "x 1 2")


def _glenda(slug: str, title: str, line: Callable[[Match], str]) -> None:
    @server(f"glendy.refused.{slug}", title, clauses.MOVE)
    async def script(exam: ServerExam) -> None:
        match = await _glendas_turn(exam)
        await match.refused(match.mover, line(match), _complaint, "a refusal", clauses.MOVE)
        await match.play(match.position.legal()[0])


_glenda("glenda-puts", "glenda cannot put walls", lambda _: "p 0 0")
_glenda("direction", "N is no direction", lambda _: "m N")
_glenda("no-direction", "m alone is no move", lambda _: "m")


@server("glendy.refused.into-wall", "glenda cannot move into a wall", clauses.MOVE)
async def into_wall(exam: ServerExam) -> None:
    match = await _trappers_turn(exam)
    match.player(GLENDA)
    x, y = match.position.glenda
    if f"p {x + 1} {y}" in match.position.legal():
        await match.play(f"p {x + 1} {y}")
    else:
        await match.play(match.elsewhere())
    await match.refused(match.mover, "m E", _complaint, "a refusal", clauses.MOVE)
    await match.play(match.position.legal()[0])


def _out_of_turn(slug: str, text: str, side: int) -> None:
    @server(f"glendy.turn.{slug}", f"{text!r} out of turn is answered with ERR WAIT", clauses.ERR_WAIT)
    async def script(exam: ServerExam) -> None:
        match = await (_trappers_turn(exam) if side == GLENDA else _glendas_turn(exam))
        speaker = match.player(side)
        await match.refused(speaker, text, lambda came: came == "ERR WAIT", "ERR WAIT", clauses.ERR_WAIT)
        await match.play(match.elsewhere() if match.position.turn == TRAPPER else match.position.legal()[0])


_out_of_turn("glenda-hasty", "m E", GLENDA)
_out_of_turn("trapper-hasty", "p 0 0", TRAPPER)
_out_of_turn("hello", "hello", GLENDA)


@server("glendy.framing.bytes", "a line that comes byte by byte", clauses.LINES)
async def by_bytes(exam: ServerExam) -> None:
    match = await _trappers_turn(exam)
    move = match.elsewhere()
    await match.play(move, *(bytes([byte]) for byte in f"{move}\n".encode()))


@server("glendy.framing.end-awaited", "a line without its newline is none", clauses.LINES)
async def end_awaited(exam: ServerExam) -> None:
    match = await _trappers_turn(exam)
    move = match.elsewhere()
    await match.mover.talk.send(move.encode())
    await match.mover.quiet("nothing: the line has not ended", clauses.LINES)
    await match.play(move, b"\n")
