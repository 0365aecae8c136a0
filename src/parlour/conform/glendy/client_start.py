"""Clients: how they come, wait, and read the board."""

import asyncio
from collections.abc import Iterable

from parlour.conform.case import Clause, Severity, skip
from parlour.conform.exam import ClientExam
from parlour.conform.glendy import clauses
from parlour.conform.glendy.host import BREATH, HUSH, OPPONENT, Host, framed, thicket, walk
from parlour.conform.glendy.match import FIRST, GLENDA, LATER, SHORT, TRAPPER
from parlour.conform.glendy.suite import client
from parlour.games.glenda.board import DIRECTIONS, START, beside

ROBUST = Severity.ROBUST
SIDES = {"trapper": TRAPPER, "glenda": GLENDA}


@client("glendy.client-start.silent", "a client waits to be greeted", clauses.CONN, dialects=[FIRST])
async def silent(exam: ClientExam) -> None:
    host = await Host.joined(exam)
    await host.quiet("nothing: the server speaks first", clauses.CONN, HUSH)
    await host.open()
    await host.moved()


@client("glendy.client-start.hello", "a client says hello: nick, game, side, options", clauses.HELLO, dialects=[LATER])
async def hello(exam: ClientExam) -> None:
    await Host.joined(exam)


@client("glendy.client-start.hello-once", "it says hello once, and waits", clauses.HELLO, dialects=[LATER])
async def hello_once(exam: ClientExam) -> None:
    host = await Host.joined(exam)
    await host.quiet("nothing: the hello is said", clauses.HELLO, 1.5)


async def _asked(host: Host, times: int = 1) -> None:
    """UGUD is answered with y, each time."""
    for _ in range(times):
        await host.say(b"UGUD\n")
        came = await host.line("y", clauses.UGUD)
        if came != "y":
            raise host.talk.wrong(came, "y", clauses.UGUD)


async def _any(exam: ClientExam) -> Host:
    """A game in which the client plays what it likes best."""
    host = await Host.joined(exam)
    host.side = exam.rng.choice(list(SIDES.values())) if host.wants is None else host.wants
    return host


async def _goes_on(host: Host) -> None:
    """The board is told, and the client moves."""
    await host.open()
    await host.moved()


@client("glendy.client-start.ugud", "UGUD is answered with y", clauses.UGUD, dialects=[LATER])
async def ugud(exam: ClientExam) -> None:
    host = await _any(exam)
    await host.say(b"WAIT\n")
    await _asked(host)
    await host.quiet("nothing: y is said once", clauses.UGUD)


@client("glendy.client-start.ugud-merged", "WAIT and UGUD in one segment", clauses.UGUD, dialects=[LATER])
async def ugud_merged(exam: ClientExam) -> None:
    host = await _any(exam)
    await host.say(b"WAIT\nUGUD\n")
    if await host.line("y", clauses.UGUD) == "y":
        await _goes_on(host)


@client("glendy.client-start.ugud-again", "UGUD is answered every time", clauses.UGUD, dialects=[LATER])
async def ugud_again(exam: ClientExam) -> None:
    host = await _any(exam)
    await host.say(b"WAIT\n")
    await _asked(host, 3)
    await _goes_on(host)


@client("glendy.client-start.ugud-bytes", "UGUD that comes byte by byte", clauses.LINES, dialects=[LATER])
async def ugud_bytes(exam: ClientExam) -> None:
    host = await _any(exam)
    await host.say(b"WAIT\n")
    await host.talk.dribble(b"UGUD\n")
    if await host.line("y", clauses.LINES) == "y":
        await _goes_on(host)


@client("glendy.client-start.alone", "a client that is alone is silent until there is another", clauses.SILENT)
async def alone(exam: ClientExam) -> None:
    host = await _any(exam)
    if exam.dialect == FIRST:
        host.side = TRAPPER
        await host.say(host.greeting())
        await host.quiet("nothing: nobody is there to play with", clauses.SILENT, 4 * SHORT)
        await host.say(host.board(), host.turn(), pause=BREATH)
        await host.moved()
        return
    await host.say(b"WAIT\n")
    await host.quiet("nothing: nobody is there to play with", clauses.SILENT, 4 * SHORT)
    await _goes_on(host)


def _seat(slug: str, side: int) -> None:
    @client(f"glendy.client-start.{slug}", f"CONN {side}: the client plays {slug}", clauses.CONN)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, side)
        await host.moved(clause=clauses.CONN)

    @client(f"glendy.client-start.{slug}-sent", f"{slug} does not move before TURN", clauses.TURN)
    async def waits(exam: ClientExam) -> None:
        host = await Host.seated(exam, side)
        await host.say(host.greeting() + host.board())
        await host.quiet("nothing: it is nobody's turn yet", clauses.TURN)
        await host.say(host.turn())
        if side == GLENDA:
            await host.quiet("nothing: the trapper begins", clauses.TURN)
            await host.reply()
        await host.moved()


for _name, _side in SIDES.items():
    _seat(_name, _side)


@client("glendy.client-start.nick", "a name behind CONN and the number does no harm", clauses.CONN, ROBUST)
async def nick(exam: ClientExam) -> None:
    host = await Host.seated(exam, TRAPPER)
    await host.say(f"CONN 0 {OPPONENT}\n".encode() + host.board(), host.turn(), pause=BREATH)
    await host.moved()


# --- the board -----------------------------------------------------------------------------------------------------

_WAYS = [["W"] * 5, ["NW", "NE"] * 2 + ["NW"]]


def _order(slug: str, title: str, first: str, clause: Clause = clauses.BOARD) -> None:
    @client(f"glendy.client-board.{slug}", title, clause)
    async def script(exam: ClientExam) -> None:
        """Few cells are free, so that who has not read the board puts a wall on a wall."""
        host = await Host.seated(exam, TRAPPER, thicket(*_WAYS))
        walls = [f"w {x} {y}" for x, y in host.position.walls()]
        rabbit = "g {} {}".format(*host.position.glenda)
        lines = {"w": [*walls, rabbit], "g": [rabbit, *walls], "b": [*walls[::-1], rabbit]}[first]
        await host.say(host.greeting() + framed(lines), host.turn(), pause=BREATH)
        await host.moved(clause=clause)


_order("walls-first", "the walls, then glenda", "w")
_order("glenda-first", "glenda, then the walls", "g")
_order("backwards", "the walls in another order", "b")


@client("glendy.client-board.interleaved", "glenda among the walls, as the first server has it", clauses.BOARD)
async def interleaved(exam: ClientExam) -> None:
    host = await Host.begin(exam, TRAPPER, thicket(*_WAYS))
    await host.moved(clause=clauses.BOARD)


def _edge(slug: str, ways: list[str]) -> None:
    @client(f"glendy.client-board.free-{slug}", f"the only free cells lead {slug}: a wall goes there", clauses.PUT)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, TRAPPER, thicket(ways))
        await host.moved(f"p {walk(ways)[-1][0]} {walk(ways)[-1][1]}")
        await host.done()


_edge("north", ["NE", "NW"] * 2 + ["NE"])
_edge("south", ["SW", "SE"] * 2 + ["SW"])
_edge("west", ["W"] * 5)
_edge("east", ["E"] * 5)
_edge("north-west", ["NW", "W", "NW", "W", "NW", "W", "NW", "NW"])
_edge("south-east", ["SE", "E", "SE", "E", "SE", "E", "SE", "SE"])


@client("glendy.client-board.no-walls", "a board without a wall", clauses.BOARD, ROBUST)
async def no_walls(exam: ClientExam) -> None:
    host = await Host.begin(exam, TRAPPER, ())
    await host.moved()


def _start(slug: str, at: tuple[int, int], walls: Iterable[tuple[int, int]], way: str) -> None:
    @client(f"glendy.client-board.{slug}", f"glenda on {at[0]} {at[1]}, with one way out", clauses.BOARD)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, GLENDA, walls, at)
        if host.position.legal() != [f"m {way}"]:
            skip("there are other ways")
        await host.moved(clause=clauses.BOARD)


def _around(at: tuple[int, int], way: str) -> list[tuple[int, int]]:
    return [cell for name, cell in zip(DIRECTIONS, beside(*at), strict=True) if name != way]


_start("elsewhere", (3, 6), _around((3, 6), "E"), "E")
_start("elsewhere-odd", (7, 3), _around((7, 3), "SW"), "SW")
_start("centre", START, _around(START, "NW"), "NW")


@client("glendy.client-board.late", "the board comes long after WAIT, and slowly", clauses.INIT)
async def late(exam: ClientExam) -> None:
    host = await Host.seated(exam, TRAPPER)
    await host.say(host.greeting())
    await asyncio.sleep(2 * SHORT)
    await host.say(*host.board().splitlines(keepends=True), pause=0.02)
    await host.say(host.turn())
    await host.moved(clause=clauses.INIT)
