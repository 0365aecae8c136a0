"""Clients: seats, the board, the first line."""

from parlour.conform.case import Severity, Violation
from parlour.conform.conversation import End, Silence
from parlour.conform.exam import ClientExam
from parlour.conform.ggzdots import clauses
from parlour.conform.ggzdots.host import USUAL, Host
from parlour.conform.ggzdots.suite import client
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.dialect import KINDS, YEAR2000
from parlour.protocols.ggzdots.messages import Chair

SHOULD, ROBUST = Severity.SHOULD, Severity.ROBUST


@client("ggz-dots.client-start.options", "asked for the options, the client chooses a board", clauses.ASKED_OPTIONS)
async def options(exam: ClientExam) -> None:
    host = await Host.seated(exam, 0)
    await host.asks()


@client("ggz-dots.client-start.options-range", "the board has 2 to 25 dots each way", clauses.SIZES)
async def options_range(exam: ClientExam) -> None:
    host = await Host.seated(exam, 0)
    size = await host.asks()
    await host.start(size)
    await host.turn()


@client("ggz-dots.client-start.options-once", "options are sent once for each question", clauses.ASKED_OPTIONS)
async def options_once(exam: ClientExam) -> None:
    host = await Host.seated(exam, 0)
    size = await host.asks()
    await host.quiet("no more options, and no line before MSG_OPTIONS and REQ_MOVE", clauses.ASKED_OPTIONS)
    await host.start(size)
    await host.turn()


@client(
    "ggz-dots.client-start.options-again",
    "asked once more, the client chooses once more",
    clauses.ASKED_OPTIONS,
    SHOULD,
)
async def options_again(exam: ClientExam) -> None:
    host = await Host.seated(exam, 0)
    await host.asks()
    await host.asks()


@client("ggz-dots.client-start.says-nothing", "nothing is said before the server asks", clauses.ASKED_OPTIONS)
async def says_nothing(exam: ClientExam) -> None:
    host = await Host.seated(exam, 0)
    await host.quiet("nothing before the server asks", clauses.ASKED_OPTIONS)
    await host.asks()


@client(
    "ggz-dots.client-start.other-chooses", "a client that is not asked for the board takes the other's", clauses.OPTIONS
)
async def other_chooses(exam: ClientExam) -> None:
    host = await Host.begin(exam, (4, 3))
    await host.quiet("no line before REQ_MOVE", clauses.REQUEST)
    await host.ours("h 0 0")
    await host.turn()


@client(
    "ggz-dots.client-start.not-asked", "a client that sits in seat 0 does not move before it is asked", clauses.REQUEST
)
async def not_asked(exam: ClientExam) -> None:
    host = await Host.begin(exam, seat=0)
    await host.quiet("no line before REQ_MOVE", clauses.REQUEST)
    await host.turn()


@client("ggz-dots.client-start.first", "asked for the first line, the client draws one", clauses.REQUEST)
async def first(exam: ClientExam) -> None:
    host = await Host.begin(exam, seat=0)
    await host.turn()


@client("ggz-dots.client-start.begins-in-seat-1", "seat 1 may be asked for the first line", clauses.REQUEST)
async def begins_in_seat_1(exam: ClientExam) -> None:
    host = await Host.begin(exam, seat=1, first=1)
    await host.turn()
    while host.theirs:
        await host.turn()
    await host.ours()


SIZES = ((2, 2), (3, 2), (2, 3), (5, 4), (3, 7), (25, 2), (2, 25), (25, 25))


def _size(width: int, height: int) -> None:
    @client(f"ggz-dots.client-size.{width}x{height}", f"a board of {width} by {height} dots", clauses.SIZES)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, (width, height), seat=0)
        for _ in range(6):
            if host.over:
                break
            await (host.turn() if host.theirs else host.ours())


for _sides in SIZES:
    _size(*_sides)

_KINDS = KINDS[YEAR2000]
CHAIRS = {
    "bot": ("a bot opposite", Chair(_KINDS.bot, "AI")),
    "long-name": ("a name of 16 bytes opposite", Chair(_KINDS.player, "Bartholomew the ")),
    "short-name": ("a name of one letter opposite", Chair(_KINDS.player, "B")),
    "empty-name": ("an empty name opposite", Chair(_KINDS.player, "")),
    "utf-8": ("a name in other letters opposite", Chair(_KINDS.player, "Zoë Ωmega")),
}


def _chair(name: str, title: str, chair: Chair) -> None:
    @client(f"ggz-dots.client-players.{name}", title, clauses.PLAYERS)
    async def script(exam: ClientExam) -> None:
        host = Host(exam, await exam.join())
        await host.say(spell.seat(1), host.players(chair))
        await host.start(USUAL)
        await host.ours("v 0 0")
        await host.turn()


for _name, (_title, _chair_opposite) in CHAIRS.items():
    _chair(_name, _title, _chair_opposite)


@client("ggz-dots.client-players.alone", "alone at the table, the client waits for the second player", clauses.TWO)
async def alone(exam: ClientExam) -> None:
    host = Host(exam, await exam.join())
    host.seat = 0
    await host.say(spell.seat(0), host.opened(), spell.WANT_OPTIONS)
    size = await host.chooses()
    await host.say(spell.options(*size))
    await host.quiet("nothing: the other seat is open", clauses.TWO)
    await host.say(host.players())
    host.lay_out(size)
    await host.turn()


@client(
    "ggz-dots.client-players.second-before-options",
    "the second player comes before the board is chosen",
    clauses.PLAYERS,
)
async def second_before_options(exam: ClientExam) -> None:
    host = Host(exam, await exam.join())
    host.seat = 0
    await host.say(spell.seat(0), host.opened())
    await host.say(host.players())
    await host.start(await host.asks())
    await host.turn()


@client(
    "ggz-dots.client-players.left",
    "the other leaves in a game, another one comes: the game goes on when asked",
    clauses.PLAYERS,
)
async def left(exam: ClientExam) -> None:
    host = await Host.begin(exam, (4, 3))
    await host.ours("h 0 0")
    await host.say(host.opened())
    came = await host.hear(0.3)
    if isinstance(came, End):
        return
    if not isinstance(came, Silence):
        raise Violation("nothing: the other seat is open", str(came), clauses.REQUEST)
    await host.say(host.players(Chair(_KINDS.player, "Emily")))
    await host.turn()
