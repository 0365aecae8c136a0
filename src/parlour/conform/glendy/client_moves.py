"""Clients: puts and steps, turns, refusals, and lines in pieces."""

from parlour.conform.case import Clause, Severity, Shortfall, skip
from parlour.conform.conversation import Silence, told
from parlour.conform.exam import ClientExam
from parlour.conform.glendy import clauses
from parlour.conform.glendy.client_start import SIDES
from parlour.conform.glendy.host import BREATH, Host, corridor, thicket, walk
from parlour.conform.glendy.match import FIRST, GLENDA, SHORT, TRAPPER, Line
from parlour.conform.glendy.suite import client
from parlour.games.glenda.board import DIRECTIONS

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD
_BEFORE = {"NE": "NE", "E": "NE", "SE": "SE", "SW": "SW", "W": "NW", "NW": "NW"}
"""A step to an even row from which this way is the only one that does not lead back."""


async def forced(exam: ClientExam, ways: list[str]) -> Host:
    """Glenda goes down a corridor; behind her it is walled up. What follows from her last step is still to be said."""
    host = await Host.begin(exam, GLENDA, corridor(ways))
    for way, (x, y) in zip(ways[:-1], walk(ways), strict=False):
        await host.moved(f"m {way}", clauses.MOVE)
        await host.reply(f"p {x} {y}")
    await host.move(f"m {ways[-1]}", clauses.MOVE)
    return host


def _way(way: str) -> None:
    @client(f"glendy.client-move.{way.lower()}-odd", f"{way} is the only way out of an odd row", clauses.MOVE)
    async def odd(exam: ClientExam) -> None:
        await forced(exam, [way])

    @client(f"glendy.client-move.{way.lower()}-even", f"{way} is the only way out of an even row", clauses.MOVE)
    async def even(exam: ClientExam) -> None:
        await forced(exam, [_BEFORE[way], way])


for _one in DIRECTIONS:
    _way(_one)


def _walled(slug: str, shut: str, left: str) -> None:
    @client(f"glendy.client-move.walled-{slug}", f"{shut} is walled up by a put: {left} is left", clauses.SYNC)
    async def script(exam: ClientExam) -> None:
        around = [cell for way in DIRECTIONS if way not in (shut, left) for cell in walk([way])[1:]]
        host = await Host.seated(exam, GLENDA, around)
        await host.say(host.greeting() + host.board(), host.turn(), pause=BREATH)
        x, y = walk([shut])[-1]
        await host.reply(f"p {x} {y}")
        await host.moved(f"m {left}", clauses.SYNC)


_walled("east", "E", "W")
_walled("west", "W", "E")
_walled("north", "NE", "SW")
_walled("south", "SE", "NW")


@client("glendy.client-put.memory", "no cell gets a second wall, however long it goes on", clauses.PUT)
async def memory(exam: ClientExam) -> None:
    ways = [
        ["E"] * 5,
        ["W"] * 5,
        ["NE", "NW"] * 2 + ["NE"],
        ["NW"] * 5,
        ["SE"] * 5,
        ["SW", "SE"] * 2 + ["SW"],
    ]
    host = await Host.begin(exam, TRAPPER, thicket(*ways))
    await host.moved()
    while not host.over:
        await host.reply()
        if not host.over:
            await host.moved()
    await host.done()


@client("glendy.client-put.follows", "no wall is put on glenda, wherever she goes", clauses.PUT)
async def follows(exam: ClientExam) -> None:
    host = await Host.begin(exam, TRAPPER, thicket(["E"] * 5, ["W"] * 5))
    await host.out()
    await host.done()


# --- turns ---------------------------------------------------------------------------------------------------------


def _turns(name: str, side: int) -> None:
    @client(f"glendy.client-turn.{name}-once", f"{name} moves once, and waits for SYNC", clauses.TURN)
    async def once(exam: ClientExam) -> None:
        host = await Host.begin(exam, side)
        await host.move()
        await host.quiet("nothing: one move a turn", clauses.TURN)
        await host.say(host.last + host.turn())
        await host.quiet("nothing: the other is on turn", clauses.SILENT)
        await host.reply()
        await host.moved()

    @client(f"glendy.client-turn.{name}-waits", f"{name} does not move on WAIT", clauses.SILENT)
    async def waits(exam: ClientExam) -> None:
        host = await Host.begin(exam, side)
        for _ in range(2):
            await host.moved()
            if host.over:
                skip("the client was too quick")
            await host.quiet("nothing: WAIT was said", clauses.SILENT, 3 * SHORT)
            await host.reply()
        await host.moved()

    @client(f"glendy.client-turn.{name}-sync-only", f"{name} does not move on SYNC alone", clauses.TURN, SHOULD)
    async def sync_only(exam: ClientExam) -> None:
        host = await Host.begin(exam, side)
        await host.moved()
        if host.over:
            skip("the client was too quick")
        await host.say(host.played(host.quiet_move()))
        await host.quiet("nothing: TURN has not come", clauses.TURN)
        await host.say(host.turn())
        await host.moved()

    @client(f"glendy.client-turn.{name}-game", f"{name} plays a whole game by the rules", clauses.TURN)
    async def game(exam: ClientExam) -> None:
        host = await Host.begin(exam, side)
        await host.out()
        await host.done()


for _name, _side in SIDES.items():
    _turns(_name, _side)


# --- refusals ------------------------------------------------------------------------------------------------------


def _refused(slug: str, title: str, side: int, word: str, clause: Clause, nudged: bool, dialects: list[str]) -> None:
    @client(f"glendy.client-refused.{slug}", title, clause, Severity.MUST if nudged else SHOULD, dialects)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, side)
        before = host.position.copy()
        move = await host.move()
        x, y = before.glenda
        host.position, host.number = before, host.number - 1
        exam.type(next(each for each in before.legal() if each != move))
        text = word.format(args=move[2:], x=x, y=y)
        await host.say(text.encode() + (b"\nTURN\n" if nudged else b"\n"))
        came = await host.talk.receive()
        if isinstance(came, Silence) and not nudged:
            raise Shortfall("another move: the turn has not changed", told(came))
        if not isinstance(came, Line):
            raise host.talk.wrong(came, "another move: the turn has not changed", clause)
        if came.text not in before.legal():
            raise host.talk.wrong(came, "a legal move", clause)
        await host.say(host.played(came.text) + host.turn())
        if not host.over:
            await host.reply()
            await host.moved()


_FIRST, _LATER = [FIRST], ["later"]
for _nudged in (True, False):
    _more = "" if _nudged else "-silent"
    _tail = " and TURN" if _nudged else ""
    _refused(
        f"wall{_more}",
        f"after WALL{_tail} the trapper puts again",
        TRAPPER,
        "WALL {args}",
        clauses.WALL,
        _nudged,
        _FIRST,
    )
    _refused(
        f"glenda{_more}",
        f"after GLND{_tail} the trapper puts again",
        TRAPPER,
        "GLND {args}",
        clauses.GLND,
        _nudged,
        _FIRST,
    )
    _refused(
        f"err-put{_more}",
        f"after ERR{_tail} the trapper puts again",
        TRAPPER,
        "ERR wall in {args}",
        clauses.WARNED,
        _nudged,
        _LATER,
    )
    _refused(
        f"err-step{_more}",
        f"after ERR{_tail} glenda steps again",
        GLENDA,
        "ERR glenda {args} {x} {y}",
        clauses.WARNED,
        _nudged,
        _LATER,
    )


def _harmless(slug: str, title: str, line: bytes, dialects: list[str]) -> None:
    @client(f"glendy.client-robust.{slug}", title, clauses.STANDING, ROBUST, dialects)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, GLENDA if slug.endswith("glenda") else TRAPPER)
        await host.moved()
        if host.over:
            skip("the client was too quick")
        await host.say(line)
        await host.quiet("nothing: it is not the client's turn", clauses.SILENT)
        await host.reply()
        await host.moved(clause=clauses.STANDING)


_harmless("err-wait", "ERR WAIT does no harm to the trapper", b"ERR WAIT\n", [])
_harmless("err-wait-glenda", "ERR WAIT does no harm to glenda", b"ERR WAIT\n", [])
_harmless("wait-twice", "WAIT twice", b"WAIT\n", [])


# --- framing -------------------------------------------------------------------------------------------------------


def _cut(slug: str, title: str, size: int, pause: float = 0.004) -> None:
    @client(f"glendy.client-framing.{slug}", title, clauses.LINES)
    async def script(exam: ClientExam) -> None:
        host = await Host.seated(exam, TRAPPER, thicket(["E"] * 5, ["W"] * 5))
        data = host.greeting() + host.board() + host.turn()
        await host.say(*(data[at : at + size] for at in range(0, len(data), size)), pause=pause)
        await host.moved(clause=clauses.LINES)


_cut("bytes", "greeting and board byte by byte", 1, 0.001)
_cut("sevens", "greeting and board in pieces of seven bytes", 7)
_cut("hundreds", "greeting and board in pieces of a hundred bytes", 100, 0.01)
_cut("merged", "greeting, board and TURN in one segment", 1 << 16)


@client("glendy.client-framing.lines", "every line in a segment of its own", clauses.LINES)
async def lines(exam: ClientExam) -> None:
    host = await Host.seated(exam, TRAPPER)
    data = host.greeting() + host.board() + host.turn()
    await host.say(*data.splitlines(keepends=True), pause=0.01)
    await host.moved(clause=clauses.LINES)


@client("glendy.client-framing.sent-turn", "SENT and TURN in one segment", clauses.LINES)
async def sent_turn(exam: ClientExam) -> None:
    host = await Host.seated(exam, TRAPPER)
    await host.say(host.greeting(), host.board() + host.turn(), pause=SHORT)
    await host.moved(clause=clauses.LINES)


@client("glendy.client-framing.long-board", "a board of more than a hundred walls in one segment", clauses.LINES)
async def long_board(exam: ClientExam) -> None:
    host = await Host.seated(exam, TRAPPER, thicket(["E"] * 5))
    await host.say(host.greeting() + host.board() + host.turn())
    await host.moved(clause=clauses.LINES)


def _in_play(slug: str, title: str, side: int, cut: int, pause: float = SHORT / 2) -> None:
    @client(f"glendy.client-framing.{slug}", title, clauses.LINES)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, side)
        for _ in range(3):
            await host.moved(clause=clauses.LINES)
            if host.over:
                return
            data = host.answer()
            await host.say(data[:cut], data[cut:], pause=pause)
        await host.moved(clause=clauses.LINES)


_in_play("sync-cut", "SYNC that comes in two pieces", TRAPPER, 6)
_in_play("sync-cut-glenda", "SYNC of a put that comes in two pieces", GLENDA, 8)
_in_play("turn-cut", "SYNC and half of TURN, then the other half", TRAPPER, -3)
_in_play("newline-cut", "the newline of TURN comes alone", GLENDA, -1)


@client("glendy.client-framing.end-awaited", "TURN without its newline is no line", clauses.LINES)
async def end_awaited(exam: ClientExam) -> None:
    host = await Host.begin(exam, TRAPPER)
    await host.moved()
    if host.over:
        skip("the client was too quick")
    data = host.answer()
    await host.say(data[:-1])
    await host.quiet("nothing: the line has not ended", clauses.LINES)
    await host.say(data[-1:])
    await host.moved(clause=clauses.LINES)


@client("glendy.client-framing.all-at-once", "SYNC, WAIT, SYNC and TURN in one segment", clauses.LINES)
async def all_at_once(exam: ClientExam) -> None:
    host = await Host.begin(exam, TRAPPER)
    for _ in range(3):
        await host.move(clause=clauses.LINES)
        if host.over:
            return
        await host.say(host.last + host.turn() + host.answer())
    await host.moved(clause=clauses.LINES)
