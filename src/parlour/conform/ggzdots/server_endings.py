"""Servers: verdicts, other games, leaving."""

from parlour.conform.case import Severity, Shortfall, Violation, skip
from parlour.conform.conversation import End, Silence
from parlour.conform.exam import ServerExam
from parlour.conform.ggzdots import clauses
from parlour.conform.ggzdots.match import begin, both, come, newcomer
from parlour.conform.ggzdots.suite import server
from parlour.conform.ggzdots.table import SHORT, Goal, Player, Table, until
from parlour.games.dots.rules import DotsPosition
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.messages import GameOver, Sync
from parlour.protocols.ggzdots.phases import Reading

SHOULD, ROBUST = Severity.SHOULD, Severity.ROBUST
TRIES = 8
"""Games against the server itself in which a verdict is sought."""


def _won(seat: int) -> Goal:
    return lambda position: position.winners() == (seat,)


def _drawn(position: DotsPosition) -> bool:
    return not position.winners()


def _by_one(position: DotsPosition) -> bool:
    return abs(position.points[0] - position.points[1]) == 1


def _whitewash(position: DotsPosition) -> bool:
    return 0 in position.points


def _late_loser(seat: int) -> Goal:
    """This seat draws the last line, and has lost."""
    return lambda position: position.winners() == (1 - seat,) and _last(position) == seat


def _last(position: DotsPosition) -> int:
    """Who has drawn the last line: the owner of the last square."""
    x, y = position.last_boxes[0]
    return position.owner(x, y)


VERDICTS: dict[str, tuple[str, tuple[int, int], Goal]] = {
    "seat-0": ("seat 0 has more squares and wins", (3, 3), _won(0)),
    "seat-1": ("seat 1 has more squares and wins", (3, 3), _won(1)),
    "draw": ("as many squares for both are a draw", (3, 3), _drawn),
    "by-one": ("one square more is enough", (4, 2), _by_one),
    "all": ("all squares for one player", (3, 2), _whitewash),
    "loser-0-last": ("seat 0 draws the last line and has lost", (3, 3), _late_loser(0)),
    "loser-1-last": ("seat 1 draws the last line and has lost", (3, 3), _late_loser(1)),
    "high": ("a board higher than wide", (2, 5), lambda position: not _drawn(position)),
    "smallest": ("a game for one square", (2, 2), lambda position: not _drawn(position)),
}


async def ended(exam: ServerExam, size: tuple[int, int], goal: Goal) -> Table:
    """A game that has ended so."""
    for _ in range(1 if exam.habits.pairs else TRIES):
        table = await begin(exam, size)
        if await table.toward(goal):
            return table
        await exam.close()
    return skip("no game ended so, in several tries")


def _verdict(name: str, title: str, size: tuple[int, int], goal: Goal) -> None:
    clause = clauses.DRAW if name == "draw" else clauses.OVER

    @server(f"ggz-dots.over.{name}", f"{title}: both are told", clause)
    async def script(exam: ServerExam) -> None:
        await ended(exam, size, goal)


for _name, (_title, _size, _goal) in VERDICTS.items():
    _verdict(_name, _title, _size, _goal)


@server("ggz-dots.over.not-before", "a game that is decided goes on until all squares are filled in", clauses.OVER)
async def not_before(exam: ServerExam) -> None:
    table = await both(exam, (4, 2))
    await table.play(*(f"h {x} {y}" for x in range(3) for y in (0, 1)), "v 1 0", "v 3 0", "v 2 0", "v 0 0")


@server("ggz-dots.over.no-request", "no move is asked for after the last one", clauses.REQUEST)
async def no_request(exam: ServerExam) -> None:
    table = await begin(exam, (2, 2))
    await table.out()
    for player in table.players:
        await player.quiet("nothing after MSG_GAMEOVER", clauses.REQUEST)


@server("ggz-dots.over.long", "a game of 60 lines", clauses.OVER)
async def long_game(exam: ServerExam) -> None:
    table = await begin(exam, (6, 6))
    await table.out()


@server("ggz-dots.over.greedy", "a game in which every square is taken at once", clauses.OVER)
async def greedy(exam: ServerExam) -> None:
    table = await begin(exam, (5, 4))
    await table.out(table.greedy)


# --- another game ---------------------------------------------------------------------------------------------------


def _first(seat: int) -> None:
    @server(
        f"ggz-dots.again.first-{seat}",
        f"seat {seat} asks first for a new game, and is asked for its board",
        clauses.CHOOSES,
    )
    async def script(exam: ServerExam) -> None:
        table = await both(exam, (2, 2))
        await table.out()
        await table.again((3, 2), table.at(seat))
        await table.out()


for _seat in (0, 1):
    _first(_seat)


@server("ggz-dots.again.game", "a game, and another one on another board", clauses.NEW_GAME)
async def another(exam: ServerExam) -> None:
    table = await begin(exam, (2, 2))
    await table.out()
    await table.again((3, 4))
    await table.mover.synced(table.position, table.size)
    await table.out()


@server("ggz-dots.again.one-asked", "the second who asks is not asked for the board", clauses.CHOOSES)
async def one_asked(exam: ServerExam) -> None:
    table = await both(exam, (2, 2))
    await table.out()
    first, second = table.players
    await table.wanted(first)
    await second.talk.send(spell.NEW_GAME)
    await second.quiet("nothing before the board is chosen", clauses.CHOOSES)
    first.choosing = True
    await table.choose((2, 3), wait=False)
    await table.start(clauses.NEW_GAME)
    await table.out()


@server("ggz-dots.again.options-early", "the board may be chosen before the other wants the game", clauses.NEW_GAME)
async def options_early(exam: ServerExam) -> None:
    table = await both(exam, (2, 2))
    await table.out()
    await table.again((3, 3), options_last=False)
    await table.out()


@server("ggz-dots.again.needs-both", "no game begins while only one wants it", clauses.NEW_GAME)
async def needs_both(exam: ServerExam) -> None:
    table = await both(exam, (2, 2))
    await table.needs_both()


@server("ggz-dots.again.empty", "nothing is left of the game before: no line, no score", clauses.NEW_GAME)
async def empty(exam: ServerExam) -> None:
    table = await both(exam, (3, 3))
    await table.toward(_won(0))
    await table.again((3, 3))
    await table.mover.synced(table.position, table.size, clauses.NEW_GAME)
    await table.toward(_won(1))


@server("ggz-dots.again.thrice", "three games, by turns asked for by either", clauses.NEW_GAME)
async def thrice(exam: ServerExam) -> None:
    table = await begin(exam, (2, 2))
    for size in ((2, 3), (3, 2)):
        await table.out()
        await table.again(size, table.players[-1])
    await table.out()


@server("ggz-dots.again.unasked", "nothing happens after a game until someone asks", clauses.NEW_GAME)
async def unasked(exam: ServerExam) -> None:
    table = await begin(exam, (2, 2))
    await table.out()
    for player in table.players:
        await player.quiet("nothing until a new game is asked for", clauses.NEW_GAME, 2 * SHORT)


@server("ggz-dots.again.sync", "between two games DOTS_REQ_SYNC is answered", clauses.SYNC, SHOULD)
async def sync_between(exam: ServerExam) -> None:
    table = await begin(exam, (2, 2))
    await table.out()
    for player in table.players:
        player.talk.phase = Reading()  # whether there is a board then, and which, is left open
        await player.talk.send(spell.ASK_SYNC)
        await player.next(Sync, "SND_SYNC", clauses.SYNC)


# --- leaving --------------------------------------------------------------------------------------------------------


async def told_open(player: Player) -> None:
    """The player who is left hears that the other seat is open."""
    expected = "MSG_PLAYERS: the other seat is open"
    await until([player], lambda: player.alone, expected, clauses.LEAVES)


@server("ggz-dots.leave.after-asking", "one who wants a new game is told when the other leaves", clauses.LEAVES)
async def after_asking(exam: ServerExam) -> None:
    table = await both(exam, (2, 2))
    await table.out()
    first, second = table.players
    await table.wanted(first)
    await second.talk.leave()
    await told_open(first)


@server("ggz-dots.leave.after-options", "the same when the board is chosen already", clauses.LEAVES)
async def after_options(exam: ServerExam) -> None:
    table = await both(exam, (2, 2))
    first, second = await table.half_wanted()
    await second.talk.leave()
    await told_open(first)


@server("ggz-dots.leave.next-game", "the next who comes may take the seat, and the new game begins", clauses.LEAVES)
async def next_game(exam: ServerExam) -> None:
    table = await both(exam, (2, 2))
    first, second = await table.half_wanted()
    await second.talk.leave()
    await told_open(first)
    third = await come(exam)
    await until([third], lambda: len(third.chairs) == 2, "MSG_PLAYERS", clauses.PLAYERS)
    if third.alone:
        skip("the next who comes gets a table of their own")
    third.board = 3, 3
    table.players = [first, third]
    await table.together()
    await table.start(clauses.NEW_GAME)
    await table.out()


@server("ggz-dots.leave.in-game", "one whose opponent leaves in a game is told so", clauses.PLAYERS, SHOULD)
async def in_game(exam: ServerExam) -> None:
    for leaver in ("mover", "other"):
        table = await both(exam)
        await table.play("h 0 0", "h 1 0")
        left = table.other if leaver == "mover" else table.mover
        await (table.mover if leaver == "mover" else table.other).talk.leave()
        heard = await _heard(left)
        if not heard:
            raise Shortfall("MSG_PLAYERS: the other seat is open", "nothing", clauses.PLAYERS)
        await exam.close()


async def _heard(player: Player) -> bool:
    """Whether a player who is left hears of it: by MSG_PLAYERS, a verdict, or the end of the connection."""
    while not isinstance(came := await player.talk.receive(), Silence):
        if isinstance(came, End | GameOver) or (player.notes(came) and player.alone):
            return True
    return False


@server("ggz-dots.leave.resumed", "the next who comes to a game that was left gets its board", clauses.SYNC)
async def resumed(exam: ServerExam) -> None:
    table = await both(exam, (4, 3))
    await table.play("h 0 0", "v 0 0", "v 1 0", "h 0 1", "h 2 2", "v 3 1")
    staying, leaving = table.players
    await leaving.talk.leave()
    came = await staying.talk.receive()
    if isinstance(came, Silence | End) or not staying.notes(came) or not staying.alone:
        skip("the server does not keep the table for the next player")
    third = await come(exam)
    while not isinstance(came := await third.talk.receive(SHORT), Silence | End | Sync):
        third.notes(came)
    if third.alone or not isinstance(came, Sync):
        skip("the next who comes gets a table of their own, or a new game")
    await third.talk.listen(SHORT / 2)
    await staying.talk.listen(SHORT / 2)
    third.board, table.players = table.size, [staying, third]
    await third.synced(table.position, table.size)
    await table.play(*table.position.legal()[:2])


WAYS = ("close", "half-close", "reset")


def _way(way: str) -> None:
    @server(
        f"ggz-dots.leave.{way}",
        f"after a player has gone by a {way} in a game others get theirs",
        clauses.STANDING,
        ROBUST,
    )
    async def script(exam: ServerExam) -> None:
        table = await begin(exam)
        await table.play(table.position.legal()[0])
        for player in table.players:
            if way == "close":
                await player.talk.leave()
            elif way == "reset":
                await player.talk.reset()
            else:
                player.talk.finish()
        await newcomer(exam)


for _each in WAYS:
    _way(_each)


@server("ggz-dots.leave.removed", "when both have left the table is gone: the next two begin anew", clauses.REMOVED)
async def removed(exam: ServerExam) -> None:
    table = await begin(exam, (4, 3))
    await table.play(*table.position.legal()[:1])
    for player in table.players:
        await player.talk.leave()
    table = await begin(exam, (3, 3))
    await table.mover.synced(table.position, table.size, clauses.REMOVED)
    await table.out()


@server(
    "ggz-dots.leave.before-options", "one who leaves before choosing the board harms nobody", clauses.STANDING, ROBUST
)
async def before_options(exam: ServerExam) -> None:
    player = await come(exam)
    await player.look(SHORT)
    await player.talk.leave()
    await newcomer(exam)


@server("ggz-dots.leave.two-tables", "two tables know nothing of each other", clauses.TWO)
async def two_tables(exam: ServerExam) -> None:
    one = await begin(exam, (3, 3))
    two = await _another_table(exam)
    await one.play(one.position.legal()[0])
    await two.play(two.position.legal()[0])
    await one.out()
    await two.out()


async def _another_table(exam: ServerExam) -> Table:
    try:
        return await begin(exam, (2, 3))
    except Violation:
        return skip("the server has one table")
