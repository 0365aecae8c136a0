"""Servers: squares, scores, the whole board at once."""

from parlour.conform.case import skip
from parlour.conform.exam import ServerExam
from parlour.conform.games import search
from parlour.conform.ggzdots import clauses
from parlour.conform.ggzdots.match import begin, both
from parlour.conform.ggzdots.suite import server
from parlour.conform.ggzdots.table import Table, closes
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.messages import WantMove

GAMES = 6
"""Games in which something is waited for, or that hypothesis thinks of."""

SIDES = {"top": "h {x} {y}", "bottom": "h {x} {y1}", "left": "v {x} {y}", "right": "v {x1} {y}"}


def sides(x: int, y: int) -> dict[str, str]:
    """The lines round a square."""
    return {name: side.format(x=x, y=y, x1=x + 1, y1=y + 1) for name, side in SIDES.items()}


async def closing(exam: ServerExam, count: int) -> tuple[Table, str]:
    """A game against the server itself, in which we can close so many squares with a line."""
    for _ in range(GAMES):
        table = await begin(exam, (4, 3))
        while not table.over:
            moves = table.position.legal()
            found = [move for move in moves if closes(table.position, move) == count]
            if found:
                return table, found[0]
            careful = [move for move in moves if not closes(table.position, move)] or moves
            await table.play(exam.rng.choice(careful))
        await exam.close()
    return skip("no such square was left to us")


def _side(name: str) -> None:
    @server(f"ggz-dots.square.{name}", f"the {name} line of a square completes it: 1, and another move", clauses.COUNT)
    async def script(exam: ServerExam) -> None:
        if not exam.habits.pairs:
            table, move = await closing(exam, 1)
            await table.play(move)
            return
        for x, y in ((0, 0), (1, 1)):
            table = await both(exam, (3, 3))
            around = sides(x, y)
            last = around.pop(name)
            await table.play(*around.values(), last)
            free = [move for move in table.position.legal() if not closes(table.position, move)]
            await table.play(free[0], free[1])
            await exam.close()


for _name in SIDES:
    _side(_name)

TWICE = {
    "two-by-vertical": ("a vertical line", (3, 2), "v 1 0"),
    "two-by-horizontal": ("a horizontal line", (2, 3), "h 0 1"),
    "two-inner-vertical": ("a vertical line in the middle", (5, 4), "v 2 1"),
    "two-inner-horizontal": ("a horizontal line in the middle", (4, 5), "h 1 2"),
}


def _twice(name: str, title: str, size: tuple[int, int], last: str) -> None:
    @server(
        f"ggz-dots.square.{name}", f"{title} between two squares completes both: 2, and one more move", clauses.COUNT
    )
    async def script(exam: ServerExam) -> None:
        if not exam.habits.pairs:
            table, move = await closing(exam, 2)
            await table.play(move)
            return
        table = await both(exam, size)
        board = table.position.shape
        boxes = [board.where[box] for box in board.touching[board.index[last]]]
        around = list(dict.fromkeys(line for box in boxes for line in sides(*box).values() if line != last))
        await table.play(*around, last)
        if not table.over:
            free = [move for move in table.position.legal() if not closes(table.position, move)]
            await table.play(*free[:2])


for _name, (_title, _size, _last) in TWICE.items():
    _twice(_name, _title, _size, _last)


@server("ggz-dots.square.three-sides", "three sides are no square", clauses.ACCEPTED)
async def three_sides(exam: ServerExam) -> None:
    table = await both(exam)
    await table.play("h 0 0", "v 0 0", "v 1 0", "v 2 0", "h 1 0")
    await table.mover.synced(table.position, table.size, clauses.OWNERS)


@server("ggz-dots.square.chain", "a player who closes one square after the other stays on turn", clauses.AGAIN)
async def chain(exam: ServerExam) -> None:
    table = await both(exam, (6, 2))
    await table.play(*(f"h {x} {y}" for x in range(5) for y in (0, 1)))
    await table.play("v 0 0")
    for x in range(1, 6):
        await table.play(f"v {x} 0")


@server("ggz-dots.square.then-turn", "after a square and a line that closes nothing the other moves", clauses.PASSES)
async def then_turn(exam: ServerExam) -> None:
    table = await both(exam, (4, 4))
    await table.play("h 0 0", "v 0 0", "v 1 0", "h 0 1", "h 2 3", "v 3 2", "h 1 3")


@server("ggz-dots.square.by-both", "squares of both players are counted for their owners", clauses.OWNERS)
async def by_both(exam: ServerExam) -> None:
    table = await both(exam, (4, 3))
    while not all(table.position.points) and not table.over:
        moves = table.position.legal()
        await table.play(table.greedy(moves) if not table.position.points[table.position.turn] else moves[0])
    for player in table.players:
        await player.synced(table.position, table.size) if not table.over else None


@server("ggz-dots.square.ahead", "after a square the next line may come ahead of the request", clauses.AHEAD)
async def ahead(exam: ServerExam) -> None:
    if not exam.habits.pairs:
        table, move = await closing(exam, 1)
    else:
        table = await both(exam, (4, 3))
        await table.play("h 0 0", "v 0 0", "v 1 0")
        move = "h 0 1"
    mover = table.mover
    after = next(line for line in table.position.legal() if line != move and not closes(table.position, line))
    await mover.talk.send(spell.draw(move) + spell.draw(after))
    await table.drawn(mover, move, clauses.AHEAD)
    await table.drawn(mover, after, clauses.AHEAD)


@server("ggz-dots.square.ahead-too-far", "a second line ahead, where the first closes nothing, gets -2", clauses.TURN)
async def ahead_too_far(exam: ServerExam) -> None:
    table = await both(exam, (4, 3))
    mover = table.mover
    await mover.talk.send(spell.draw("h 0 0") + spell.draw("h 1 0"))
    table.position.play("h 0 0")
    await mover.granted(())
    await mover.refused_already(-2)
    await table.players[1 - table.players.index(mover)].shown("h 0 0", ())
    await table.mover.next(WantMove, "REQ_MOVE to the other", clauses.PASSES)
    await table.play("h 1 0")


# --- the whole board ------------------------------------------------------------------------------------------------


@server("ggz-dots.sync.start", "at the start the board is empty, both scores are 0, all squares are -1", clauses.SYNC)
async def sync_start(exam: ServerExam) -> None:
    table = await both(exam, (4, 3))
    for player in table.players:
        await player.synced(table.position, table.size)


SYNCED = {"3x3": (3, 3), "wide": (6, 3), "high": (2, 5)}


def _synced(name: str, width: int, height: int) -> None:
    @server(
        f"ggz-dots.sync.{name}",
        f"after every line on {width} by {height} dots it is the board by the rules",
        clauses.SYNC,
    )
    async def script(exam: ServerExam) -> None:
        table = await begin(exam, (width, height))
        while not table.over:
            for player in table.players:
                await player.synced(table.position, table.size)
            await table.play(exam.rng.choice(table.position.legal()))


for _name, _size in SYNCED.items():
    _synced(_name, *_size)


@server("ggz-dots.sync.vertical-first", "vertical lines come before horizontal ones", clauses.SYNC)
async def vertical_first(exam: ServerExam) -> None:
    table = await both(exam, (4, 3))
    await table.play("v 3 1", "v 0 1")
    await table.mover.synced(table.position, table.size)


@server("ggz-dots.sync.not-on-turn", "one who is not on turn gets it, too", clauses.SYNC)
async def not_on_turn(exam: ServerExam) -> None:
    table = await both(exam)
    await table.play("h 0 1")
    await table.other.synced(table.position, table.size)
    await table.play("h 1 1")


@server("ggz-dots.sync.undisturbed", "the other hears nothing of it, and the game goes on", clauses.SYNC)
async def undisturbed(exam: ServerExam) -> None:
    table = await both(exam)
    await table.mover.synced(table.position, table.size)
    await table.other.quiet("nothing", clauses.SYNC)
    await table.out()


@server("ggz-dots.sync.largest", "on the largest board it has 1,200 lines and 576 squares", clauses.SYNC)
async def largest(exam: ServerExam) -> None:
    table = await begin(exam, (25, 25))
    for move in ("v 24 23", "h 23 24", "v 24 0"):
        if move in table.position.legal():
            await table.play(move)
    await table.mover.synced(table.position, table.size)


@server("ggz-dots.sync.random", "games that hypothesis thinks of, by our own rules", clauses.COUNT)
async def random_games(exam: ServerExam) -> None:
    from hypothesis import strategies

    async def attempt(thought: tuple[int, int, list[int]]) -> None:
        width, height, numbers = thought
        table = await begin(exam, (width, height))
        for number in numbers:
            if table.over:
                return
            moves = table.position.legal()
            await table.play(moves[number % len(moves)])
        if not table.over:
            await table.mover.synced(table.position, table.size)

    side = strategies.integers(2, 5)
    numbers = strategies.lists(strategies.integers(0, 39), max_size=24)

    def spelled(thought: tuple[int, int, list[int]]) -> str:
        return f"{thought[0]}x{thought[1]} dots, free lines number {' '.join(map(str, thought[2]))}"

    await search(exam, strategies.tuples(side, side, numbers), attempt, spelled, GAMES)
