"""Clients: lines, turns, squares, the whole board."""

from parlour.conform.case import Severity, Violation, skip
from parlour.conform.conversation import End, Silence, told
from parlour.conform.exam import ClientExam
from parlour.conform.ggzdots import clauses
from parlour.conform.ggzdots.host import Host, first_closing
from parlour.conform.ggzdots.suite import client
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.messages import Draw

SHOULD, ROBUST = Severity.SHOULD, Severity.ROBUST


@client("ggz-dots.client-move.answer", "a requested line is one that is on the board and free", clauses.LEGAL)
async def answer(exam: ClientExam) -> None:
    host = await Host.begin(exam, (4, 3))
    await host.ours("h 1 1")
    await host.turn()


@client("ggz-dots.client-move.one", "one line a request", clauses.REQUEST)
async def one(exam: ClientExam) -> None:
    host = await Host.begin(exam, (4, 3), seat=0)
    await host.turn()
    await host.quiet("nothing: it is the other's turn", clauses.REQUEST)
    await host.ours()
    await host.quiet("nothing before REQ_MOVE", clauses.REQUEST)
    await host.turn()


@client("ggz-dots.client-move.waits", "a line of the other is no request", clauses.REQUEST)
async def waits(exam: ClientExam) -> None:
    host = await Host.begin(exam, (4, 3))
    await host.ours("h 0 0")
    await host.quiet("nothing before REQ_MOVE", clauses.REQUEST)
    await host.turn()


@client("ggz-dots.client-move.typed", "the line that is typed is drawn", clauses.LINES)
async def typed(exam: ClientExam) -> None:
    if exam.program is None:
        skip("nobody knows here what the person types")
    host = await Host.begin(exam, (5, 4), seat=0)
    wishes, drawn = [], []
    for wish in ("h 3 0", "v 4 1", "h 0 3"):
        while not host.theirs:
            free = [move for move in host.position.legal() if move not in ("v 4 1", "h 0 3")]
            await host.ours(exam.rng.choice(free[:3]))
        wishes.append(wish)
        drawn.append(await host.turn(wish))
    if wishes != drawn:
        skip(f"the client plays by itself, or reads moves in another way: told {wishes}, it played {drawn}")


GAMES = {
    "seat-0": (0, (3, 3)),
    "seat-1": (1, (3, 3)),
    "wide-0": (0, (5, 2)),
    "wide-1": (1, (5, 2)),
    "high-0": (0, (2, 5)),
    "high-1": (1, (2, 5)),
    "smallest": (1, (2, 2)),
    "large": (0, (6, 5)),
}


def _game(name: str, seat: int, size: tuple[int, int]) -> None:
    @client(
        f"ggz-dots.client-game.{name}", f"a whole game in seat {seat} on {size[0]} by {size[1]} dots", clauses.LEGAL
    )
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, size, seat)
        await host.out()


for _name, (_seat, _size) in GAMES.items():
    _game(_name, _seat, _size)

LAST = {"horizontal": "h 2 1", "vertical": "v 1 1", "corner-h": "h 2 2", "corner-v": "v 3 1"}


def _last(name: str, move: str) -> None:
    @client(
        f"ggz-dots.client-move.last-{name}", f"when {move} is the last free line, the client draws it", clauses.TOLD
    )
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, (4, 3), first=0)
        for line in host.nearly_full(move):
            host.position.turn = 0
            await host.say(host.line(line))
        host.position.turn = host.seat
        await host.turn()

    @client(f"ggz-dots.client-sync.last-{name}", f"SND_SYNC leaves {move} free, and the client draws it", clauses.SYNC)
    async def synced(exam: ClientExam) -> None:
        host = await Host.begin(exam, (4, 3))
        host.filled(move)
        await host.say(host.sync())
        try:
            await host.turn()
        except Violation as violation:
            raise Violation(violation.expected, violation.came, clauses.SYNC) from violation


for _name, _move in LAST.items():
    _last(_name, _move)


@client("ggz-dots.client-sync.resumed", "a game that had begun before goes on from SND_SYNC to its end", clauses.SYNC)
async def resumed(exam: ClientExam) -> None:
    host = await Host.begin(exam, (4, 3))
    for _ in range(9):
        host.line(exam.rng.choice(host.position.legal()))
    await host.say(host.sync())
    await host.out(clauses.SYNC)


@client("ggz-dots.client-sync.empty", "SND_SYNC of an empty board", clauses.SYNC)
async def empty(exam: ClientExam) -> None:
    host = await Host.begin(exam, (3, 2), seat=0)
    await host.say(host.sync())
    await host.out(clauses.SYNC)


# --- squares ----------------------------------------------------------------------------------------------------------


@client("ggz-dots.client-square.ours", "while the other closes squares the client waits", clauses.AGAIN)
async def ours(exam: ClientExam) -> None:
    host = await Host.begin(exam, (6, 2))
    for x in range(5):
        for y in (0, 1):
            host.position.turn = 0
            await host.ours(f"h {x} {y}")
    for x in range(3):
        host.position.turn = 0
        await host.ours(f"v {x} 0")
    await host.quiet("nothing: the other is still on turn", clauses.AGAIN)
    host.position.turn = 0
    await host.ours("v 5 0")
    host.position.turn = 1
    await host.turn()


@client(
    "ggz-dots.client-square.theirs", "after a square of its own the client is asked, and draws again", clauses.AGAIN
)
async def theirs(exam: ClientExam) -> None:
    host = await Host.begin(exam, (3, 3), seat=0)
    while not host.over:
        if not host.theirs:
            await host.ours()
            continue
        await host.turn(first_closing(host), clauses.AGAIN)
    await host.verdict()
    if not host.position.points[0]:
        skip("the client closed no square")


@client("ggz-dots.client-square.two", "a line that closes two squares", clauses.COUNT)
async def two(exam: ClientExam) -> None:
    host = await Host.begin(exam, (3, 3))
    before = ("h 0 0", "h 1 0", "h 0 1", "h 1 1", "v 0 0", "v 2 0")
    for move in before:
        host.position.turn = 0
        await host.ours(move)
    host.position.turn = 1
    await host.turn("v 1 0")
    if host.theirs:
        await host.turn(clause=clauses.AGAIN)
    await host.out()


# --- refusals ---------------------------------------------------------------------------------------------------------


def _refused(status: int) -> None:
    @client(
        f"ggz-dots.client-refused.minus-{-status}",
        f"a line is refused with {status}: the client goes on",
        clauses.KEPT,
        ROBUST,
    )
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, (4, 3), seat=0)
        await host.say(spell.WANT_MOVE)
        await host.draws()
        await host.say(host.spelling.refusal(status))
        came = await host.hear(0.3)
        if isinstance(came, End):
            return
        if not isinstance(came, Silence | Draw):
            raise Violation("another line when it is asked for, or the end", told(came), clauses.KEPT)
        await host.say(spell.WANT_MOVE)
        if isinstance(came, Silence):
            exam.type(exam.rng.choice(host.position.legal()))
            await host.hear()


for _status in (-1, -2, -3, -4):
    _refused(_status)
