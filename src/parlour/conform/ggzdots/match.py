"""Coming to a bare Dots server, where a connection is a player, and finding out who sits opposite."""

import asyncio
import time

from parlour.conform.case import Violation, skip
from parlour.conform.exam import ServerExam
from parlour.conform.ggzdots import clauses
from parlour.conform.ggzdots.table import EITHER, PEEK, Habits, Player, Size, Table, until
from parlour.protocols.ggzdots.dialect import YEAR2000

LONELY = 1.0
"""Seconds after which a player who is told nothing is taken for one who must wait for a second."""
GHOSTS = 20
"""How often to try for a table that players of the case before have left."""
NEXT_SHARE = 1.5
"""Times the seconds of a case in which a server may still be busy with what was sent before."""
GHOST_SECONDS = 0.1
USUAL: Size = (3, 3)


async def come(exam: ServerExam) -> Player:
    """One more connection."""
    return Player(exam, await exam.connect(), YEAR2000)


async def first_at_a_table(exam: ServerExam) -> Player:
    """A player who is alone at a table, and knows it if the server tells."""
    for _ in range(GHOSTS):
        player = await come(exam)
        if not exam.habits.early:
            await asyncio.sleep(PEEK)
            return player
        expected = "MSG_SEAT and MSG_PLAYERS"
        clause = clauses.SEAT
        await until([player], lambda one=player: one.seat in EITHER and len(one.chairs) == 2, expected, clause)  # type: ignore[misc]
        if player.alone:
            return player
        await player.talk.leave()
        await asyncio.sleep(GHOST_SECONDS)
    raise Violation("a table of their own for those who come next", "one with players who have left", clauses.REMOVED)


async def seated(exam: ServerExam) -> Table:
    """A table with both chairs taken, one of them or both by us. Nothing is chosen yet."""
    if not exam.habits.pairs:
        table = Table(exam, [await come(exam)])
    else:
        first = await first_at_a_table(exam)
        table = Table(exam, [first, await come(exam)])
    await table.together()
    return table


async def begin(exam: ServerExam, size: Size = USUAL) -> Table:
    """A game on a board of this size, up to the first request."""
    table = await seated(exam)
    await table.choose(size)
    await table.start()
    return table


async def both(exam: ServerExam, size: Size = USUAL) -> Table:
    """A game in which both players are ours."""
    if not exam.habits.pairs:
        skip("the server plays itself: nobody of ours sits opposite")
    return await begin(exam, size)


async def newcomer(exam: ServerExam) -> None:
    """Those who come next get a game, once the server is done with those who came before."""
    ends = time.monotonic() + NEXT_SHARE * exam.seconds
    while True:
        await exam.close()
        try:
            await begin(exam)
            return
        except Violation as violation:
            if time.monotonic() > ends:
                raise Violation("a game for those who come next", violation.came, clauses.STANDING) from violation


async def probe(exam: ServerExam) -> Habits:
    """Finds out who sits opposite."""
    dialect = exam.suite.dialect(exam.dialect)
    player = await come(exam)
    ends = time.monotonic() + LONELY
    try:
        while len(player.chairs) < 2 and time.monotonic() < ends:
            await player.look()
    except Violation:
        return Habits(dialect)
    early = len(player.chairs) == 2 and player.seat in EITHER
    return Habits(dialect, pairs=not player.together, early=early)
