"""Servers: moves, and lines that are none."""

import asyncio
from collections.abc import Callable

from parlour.conform.case import Clause, Violation, skip
from parlour.conform.exam import ServerExam
from parlour.conform.glendy import clauses
from parlour.conform.glendy.match import FIRST, GLENDA, SHORT, TRAPPER, Match, complaint
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


def _warned(slug: str, title: str, line: Callable[[Match], str], clause: Clause, word: str) -> None:
    @server(f"glendy.refused.{slug}", title, clause)
    async def script(exam: ServerExam) -> None:
        match = await _trappers_turn(exam)
        await warned(match, line(match), clause, word)
        await match.play(match.elsewhere())


async def warned(match: Match, text: str, clause: Clause, word: str) -> None:
    """The put is refused with this word and the same numbers; in the later revision with a line of its own."""
    wanted = f"{word}{text[1:]}" if match.exam.dialect == FIRST else ""
    right = wanted.__eq__ if wanted else complaint
    await match.refused(match.player(TRAPPER), text, right, wanted or "a refusal", clause)


def on_wall(match: Match) -> str:
    """A put on a wall, if there is one whose numbers differ on that."""
    x, y = max(match.position.walls() or skip("there is no wall"), key=lambda cell: cell[0] != cell[1])
    return f"p {x} {y}"


def on_glenda(match: Match) -> str:
    """A put on glenda."""
    return "p {} {}".format(*match.position.glenda)


_warned("wall", "a put on a wall, and the turn stays", on_wall, clauses.WALL, "WALL")
_warned("on-glenda", "a put on glenda, and the turn stays", on_glenda, clauses.GLND, "GLND")


@server("glendy.refused.wall-twice", "a put on a wall that was put in the game", clauses.WALL)
async def wall_twice(exam: ServerExam) -> None:
    match = await _glendas_turn(exam)
    x, y = max(match.position.walls(), key=lambda cell: cell == _last_put(match))
    await match.play(match.position.legal()[0])
    if match.over:
        skip("the game was over")
    await warned(match, f"p {x} {y}", clauses.WALL, "WALL")
    await match.play(match.elsewhere())


def _last_put(match: Match) -> tuple[int, int]:
    return match.put or skip("the server plays the trapper itself")


@server("glendy.refused.follows-glenda", "a put on glenda where she has gone", clauses.GLND)
async def follows_glenda(exam: ServerExam) -> None:
    match = await _glendas_turn(exam)
    match.player(TRAPPER)
    await match.play(match.position.legal()[0])
    if match.over:
        skip("the game was over")
    await warned(match, on_glenda(match), clauses.GLND, "GLND")
    await match.play(match.elsewhere())


@server("glendy.move.left-cell", "a put where glenda was before", clauses.PUT)
async def left_cell(exam: ServerExam) -> None:
    match = await _glendas_turn(exam)
    match.player(TRAPPER)
    x, y = match.position.glenda
    await match.play(match.position.legal()[0])
    if match.over:
        skip("the game was over")
    await match.play(f"p {x} {y}")


def _corner(slug: str, x: int, y: int) -> None:
    @server(f"glendy.move.corner-{slug}", f"a put on {x} {y}, a corner", clauses.PUT)
    async def script(exam: ServerExam) -> None:
        match = await _trappers_turn(exam)
        if f"p {x} {y}" not in match.position.legal():
            skip("a wall is there")
        await match.play(f"p {x} {y}")


_corner("north-west", 0, 0)
_corner("north-east", 10, 0)
_corner("south-west", 0, 10)
_corner("south-east", 10, 10)


def _open(slug: str, title: str, line: str, clause: Clause, side: int = TRAPPER) -> None:
    @server(f"glendy.refused.{slug}", title, clause)
    async def script(exam: ServerExam) -> None:
        match = await (_trappers_turn(exam) if side == TRAPPER else _glendas_turn(exam))
        await match.passed_over(line, clause)


_open("right", "a put beyond the right edge", "p 11 5", clauses.PUT)
_open("below", "a put below the board", "p 5 11", clauses.PUT)
_open("negative", "a put at -1", "p -1 5", clauses.PUT)
_open("above", "a put above the board", "p 5 -1", clauses.PUT)
_open("far", "a put far outside", "p 100 100", clauses.PUT)
_open("letters", "a put at letters", "p a b", clauses.PUT)
_open("one-number", "a put with one number", "p 3", clauses.PUT)
_open("trapper-moves", "the trapper cannot move glenda", "m E", clauses.PUT)
_open("unknown", "a word that there is not", "x 1 2", clauses.PUT)
_open("direction", "N is no direction", "m N", clauses.MOVE, GLENDA)
_open("south", "S is no direction", "m S", clauses.MOVE, GLENDA)
_open("no-direction", "m alone is no move", "m", clauses.MOVE, GLENDA)


@server("glendy.refused.glenda-puts", "glenda cannot put walls", clauses.MOVE)
async def glenda_puts(exam: ServerExam) -> None:
    match = await _glendas_turn(exam)
    await match.passed_over(match.elsewhere_later(), clauses.MOVE)


@server("glendy.refused.into-wall", "glenda cannot move into a wall", clauses.MOVE)
async def into_wall(exam: ServerExam) -> None:
    match = await _trappers_turn(exam)
    match.player(GLENDA)
    x, y = match.position.glenda
    await match.play(f"p {x + 1} {y}" if f"p {x + 1} {y}" in match.position.legal() else match.elsewhere())
    if not match.over:
        await match.passed_over("m E", clauses.MOVE)


def _out_of_turn(slug: str, text: str, side: int) -> None:
    @server(f"glendy.turn.{slug}", f"{text!r} out of turn is answered with ERR WAIT", clauses.ERR_WAIT)
    async def script(exam: ServerExam) -> None:
        match = await (_trappers_turn(exam) if side == GLENDA else _glendas_turn(exam))
        speaker = match.player(side)
        await match.refused(speaker, text, "ERR WAIT".__eq__, "ERR WAIT", clauses.ERR_WAIT)
        await match.play(match.harmless())


_out_of_turn("glenda-hasty", "m E", GLENDA)
_out_of_turn("trapper-hasty", "p 0 0", TRAPPER)
_out_of_turn("hello", "hello", GLENDA)
_out_of_turn("glenda-puts", "p 0 0", GLENDA)
_out_of_turn("trapper-steps", "m E", TRAPPER)
_out_of_turn("trapper-talks", "TURN", TRAPPER)


@server("glendy.turn.alone", "the warning is for the one who spoke, not for the other", clauses.ERR_WAIT)
async def warned_alone(exam: ServerExam) -> None:
    match = await _trappers_turn(exam)
    speaker = match.player(GLENDA)
    await match.refused(speaker, "m E", "ERR WAIT".__eq__, "ERR WAIT", clauses.ERR_WAIT)
    await match.players[TRAPPER].quiet("nothing: it was the other who spoke", clauses.ERR_WAIT)
    await match.play(match.elsewhere())


@server("glendy.turn.not-kept", "a put out of turn is not made, neither then nor later", clauses.ERR_WAIT)
async def not_kept(exam: ServerExam) -> None:
    match = await _glendas_turn(exam)
    move = match.elsewhere_later()
    await match.refused(match.player(TRAPPER), move, "ERR WAIT".__eq__, "ERR WAIT", clauses.ERR_WAIT)
    await match.play(match.position.legal()[0])
    if not match.over:
        await match.play(move)


@server("glendy.framing.bytes", "a line that comes byte by byte", clauses.LINES)
async def by_bytes(exam: ServerExam) -> None:
    match = await _trappers_turn(exam)
    move = match.elsewhere()
    await _framed(match, move, *(bytes([byte]) for byte in f"{move}\n".encode()))


@server("glendy.framing.end-awaited", "a line without its newline is none", clauses.LINES)
async def end_awaited(exam: ServerExam) -> None:
    match = await _trappers_turn(exam)
    move = match.elsewhere()
    await match.mover.talk.send(move.encode())
    await match.mover.quiet("nothing: the line has not ended", clauses.LINES)
    await _framed(match, move, b"\n")


@server("glendy.framing.halves", "a line in two halves, with a pause between them", clauses.LINES)
async def halves(exam: ServerExam) -> None:
    match = await _trappers_turn(exam)
    move = match.elsewhere()
    await match.mover.talk.send(move[:3].encode())
    await asyncio.sleep(SHORT)
    await _framed(match, move, move[3:].encode() + b"\n")


@server("glendy.framing.merged", "a put that is refused and one that is not, in one segment", clauses.LINES)
async def merged(exam: ServerExam) -> None:
    match = await _trappers_turn(exam)
    move = match.elsewhere()
    match.warned = True
    await _framed(match, move, f"{on_glenda(match)}\n{move}\n".encode())


@server("glendy.framing.two-moves", "two puts in one segment: the second is out of turn", clauses.LINES)
async def two_moves(exam: ServerExam) -> None:
    match = await _trappers_turn(exam)
    match.player(GLENDA)
    move = match.elsewhere()
    mover = match.mover
    await _framed(match, move, f"{move}\n{match.elsewhere_later()}\n".encode())
    await mover.expect("ERR WAIT", clauses.LINES)
    await match.play(match.position.legal()[0])


async def _framed(match: Match, move: str, *parts: bytes) -> None:
    """What goes wrong here is the cutting of lines."""
    try:
        await match.play(move, *parts)
    except Violation as violation:
        raise Violation(violation.expected, violation.came, clauses.LINES) from violation
