"""Clients: Dots of protocol 4 on the channel, and how a table ends."""

from parlour.conform.case import Severity, Violation
from parlour.conform.conversation import End, Silence, told
from parlour.conform.exam import ClientExam
from parlour.conform.ggz import clauses
from parlour.conform.ggz.lodge import Lodge, Manners, lodge
from parlour.conform.ggz.suite import client
from parlour.conform.ggzdots import clauses as dots
from parlour.conform.ggzdots.host import Host
from parlour.protocols.ggz import spell
from parlour.protocols.ggzdots import spell as lines
from parlour.protocols.ggzdots.messages import Draw, NewGame

ROBUST = Severity.ROBUST


def own_table() -> Manners:
    """A zone where the client has to launch a table."""
    manners = Manners()
    manners.offers = False
    return manners


@client("ggz.client-game.joined", "a whole game at a table that the client has joined", dots.LEGAL)
async def joined(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        await (await zone.playing((4, 3))).out()


@client(
    "ggz.client-game.launched", "a whole game at a table that the client has launched, on its own board", dots.LEGAL
)
async def launched(exam: ClientExam) -> None:
    async with lodge(exam, own_table()) as zone:
        await (await zone.playing()).out()


@client("ggz.client-game.waits", "no line before it is asked for", dots.REQUEST)
async def waits(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing((4, 3))
        await host.quiet("nothing before REQ_MOVE", dots.REQUEST)
        if not host.theirs:
            await host.ours("h 0 0")
        await host.quiet("nothing before REQ_MOVE", dots.REQUEST)
        await host.turn()


@client("ggz.client-game.squares", "lines that list one square and two", dots.SQUARES)
async def squares(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing((4, 3))
        for move in ("h 0 0", "v 0 0", "h 0 1", "h 1 0", "h 1 1", "v 2 0", "v 1 0", "h 0 2", "v 0 1", "v 1 1"):
            if not host.position.line(move) if move in host.position.shape.index else False:
                host.position.turn = 1 - host.seat
                await host.ours(move)
        host.position.turn = host.seat
        await host.turn(clause=dots.SQUARES)
        await host.out(dots.SQUARES)


@client("ggz.client-game.last-line", "the last free line is found", dots.TOLD)
async def last_line(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing((4, 3))
        for move in host.nearly_full(host.position.shape.moves[-3]):
            host.position.turn = 1 - host.seat
            await host.say(host.line(move))
        host.position.turn = host.seat
        await host.turn(clause=dots.TOLD)


@client("ggz.client-game.sync", "SND_SYNC leaves one line free, and the client draws it", dots.SYNC)
async def sync(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing((4, 3))
        host.filled(host.position.shape.moves[4])
        await host.say(host.sync())
        try:
            await host.turn()
        except Violation as violation:
            raise Violation(violation.expected, violation.came, dots.SYNC) from violation


@client("ggz.client-game.bytes", "the game's bytes come one by one", dots.BYTES)
async def by_bytes(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing((4, 3))
        said = b"" if host.theirs else host.line("h 1 1")
        await host.talk.dribble(said + lines.WANT_MOVE)
        await host.granted(await host.draws(clause=dots.BYTES))


@client("ggz.client-game.merged", "lines, answers and requests in one segment", dots.BYTES)
async def merged(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing((5, 4))
        said = b"" if host.theirs else host.line("h 1 1")
        for _ in range(3):
            await host.say(said, lines.WANT_MOVE)
            host.position.play(await host.draws(clause=dots.BYTES))
            said = host.spelling.grant(host.position.last_boxes)
            while not host.theirs:
                said += host.line(host.position.legal()[0])
        await host.say(said)


@client("ggz.client-game.over", "after MSG_GAMEOVER no line comes", dots.OVER)
async def over(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing((3, 2))
        await host.out()
        came = await host.hear(0.4)
        if not isinstance(came, NewGame | Silence | End):
            raise Violation("REQ_NEWGAME, the end, or nothing", told(came), dots.OVER)


@client("ggz.client-game.again", "another game, if the client wants one", dots.NEW_GAME)
async def again(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing((2, 2))
        await host.out()
        await host.wants_another()
        await host.start(await host.asks())
        for _ in range(8):
            if not host.over:
                await (host.turn() if host.theirs else host.ours())


@client(
    "ggz.client-game.left",
    "the other leaves, another one comes, and the game goes on when it is asked to",
    dots.PLAYERS,
)
async def left(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing((4, 3))
        await host.say(host.opened())
        came = await host.hear(0.3)
        if isinstance(came, Draw):
            raise Violation("nothing: the other seat is open", told(came), dots.REQUEST)
        if isinstance(came, End):
            return
        await host.say(host.players())
        if not host.theirs:
            await host.ours()
        await host.turn()


ORDERS = {
    "game-first": ("the game's first bytes come before the XML", True, False),
    "result-first": ("RESULT comes before the UPDATEs, and JOIN before the last", False, True),
    "both": ("both", True, True),
}


def _order(name: str, title: str, game_first: bool, result_first: bool) -> None:
    for way, offers in (("joined", True), ("launched", False)):

        @client(f"ggz.client-order.{name}-{way}", f"{title}, at a table that is {way}", clauses.CLIENT_ORDER)
        async def script(exam: ClientExam, offers: bool = offers) -> None:
            manners = Manners()
            manners.offers, manners.game_first, manners.result_first = offers, game_first, result_first
            async with lodge(exam, manners) as zone:
                host = await zone.playing()
                if not host.theirs:
                    await host.ours()
                await host.turn(clause=clauses.CLIENT_ORDER)


for _name, (_title, _game_first, _result_first) in ORDERS.items():
    _order(_name, _title, _game_first, _result_first)

REASONS = ("normal", "boot", "gameover", "gameerror")


def _reason(reason: str) -> None:
    @client(
        f"ggz.client-leave.{reason}",
        f"LEAVE with REASON {reason} in a game: no line comes after it",
        clauses.CLIENT_LEFT,
    )
    async def script(exam: ClientExam) -> None:
        async with lodge(exam) as zone:
            host = await zone.playing()
            await zone.say(spell.left(reason, "Emily" if reason == "boot" else None))
            await no_line(zone, host)


async def no_line(zone: Lodge, host: Host) -> None:
    """The client is at no table any more."""
    came = await host.hear(0.3)
    if isinstance(came, Draw):
        raise Violation("no line after LEAVE", told(came), clauses.CLIENT_LEFT)
    await zone.quiet(0.05)


for _each in REASONS:
    _reason(_each)


@client("ggz.client-robust.channel-ends", "the channel ends in a game", clauses.STANDING, ROBUST)
async def channel_ends(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing()
        await host.talk.leave()
        await zone.quiet(0.2)


@client("ggz.client-robust.session-ends", "the session ends in a game", clauses.STANDING, ROBUST)
async def session_ends(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        await zone.playing()
        await zone.talk.leave()
        await zone.quiet(0.2)


@client("ggz.client-robust.resets", "both are cut off in a game", clauses.STANDING, ROBUST)
async def resets(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing()
        await host.talk.reset()
        await zone.talk.reset()
        await zone.quiet(0.1)


@client("ggz.client-robust.opcode", "an unknown opcode on the channel", clauses.STANDING, ROBUST)
async def opcode(exam: ClientExam) -> None:
    async with lodge(exam) as zone:
        host = await zone.playing()
        await host.say(lines.whole(77))
        await zone.quiet(0.2)
