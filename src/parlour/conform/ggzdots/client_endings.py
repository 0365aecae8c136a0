"""Clients: the end of a game, another one, framing, and a server that breaks off."""

from parlour.conform.case import Severity, Violation
from parlour.conform.conversation import DRIBBLE, End, Silence, told
from parlour.conform.exam import ClientExam
from parlour.conform.ggzdots import clauses
from parlour.conform.ggzdots.host import Host
from parlour.conform.ggzdots.suite import client
from parlour.conform.ggzdots.table import Goal
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.dialect import YEAR2000
from parlour.protocols.ggzdots.messages import Draw, NewGame

SHOULD, ROBUST = Severity.SHOULD, Severity.ROBUST


def _won(seat: int) -> Goal:
    return lambda position: position.winners() == (seat,)


VERDICTS: dict[str, tuple[str, Goal]] = {
    "won": ("the client has won", _won(1)),
    "lost": ("the client has lost", _won(0)),
    "draw": ("nobody has won", lambda position: not position.winners()),
}


def _verdict(name: str, title: str, goal: Goal) -> None:
    @client(f"ggz-dots.client-over.{name}", f"{title}: no line comes after MSG_GAMEOVER", clauses.OVER)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, (3, 3))
        await host.toward(goal)
        came = await host.hear(0.5)
        if not isinstance(came, NewGame | Silence | End):
            raise Violation("REQ_NEWGAME, the end, or nothing", told(came), clauses.OVER)


for _name, (_title, _goal) in VERDICTS.items():
    _verdict(_name, _title, _goal)


@client("ggz-dots.client-over.not-before", "no new game is asked for before the game has ended", clauses.NEW_GAME)
async def not_before(exam: ClientExam) -> None:
    host = await Host.begin(exam, (3, 2))
    while not host.over:
        await (host.turn() if host.theirs else host.ours())
    came = await host.hear(0.3)
    if isinstance(came, NewGame | Draw):
        raise Violation("nothing before MSG_GAMEOVER", told(came), clauses.NEW_GAME)
    await host.verdict()


@client("ggz-dots.client-again.chooses", "the first who asks for a new game chooses its board", clauses.CHOOSES)
async def chooses(exam: ClientExam) -> None:
    host = await Host.begin(exam, (2, 2))
    await host.out()
    await host.wants_another()
    await host.start(await host.asks())
    await host.ours()
    await host.turn()


@client("ggz-dots.client-again.second", "a client that asks second takes the other's board", clauses.NEW_GAME)
async def second(exam: ClientExam) -> None:
    host = await Host.begin(exam, (2, 2))
    await host.out()
    await host.say(spell.options(3, 2))
    await host.wants_another()
    await host.say(spell.options(3, 2))
    host.lay_out((3, 2))
    await host.out(clauses.NEW_GAME)


@client("ggz-dots.client-again.empty", "the lines of the game before are free again", clauses.NEW_GAME)
async def empty(exam: ClientExam) -> None:
    host = await Host.begin(exam, (3, 3))
    await host.out()
    await host.wants_another()
    await host.say(spell.WANT_OPTIONS)
    size = await host.chooses(clauses.CHOOSES)
    await host.start(size)
    while len(host.position.legal()) > max(host.position.shape.lines - 20, 0) and not host.over:
        await (host.turn(clause=clauses.NEW_GAME) if host.theirs else host.ours())


@client("ggz-dots.client-again.waits", "no line before the new game begins", clauses.NEW_GAME)
async def waits(exam: ClientExam) -> None:
    host = await Host.begin(exam, (2, 2))
    await host.out()
    await host.wants_another()
    await host.quiet("nothing before the new game begins", clauses.NEW_GAME)


@client("ggz-dots.client-again.smaller", "a new game on another board than before", clauses.OPTIONS)
async def smaller(exam: ClientExam) -> None:
    host = await Host.begin(exam, (4, 4))
    await host.out()
    await host.wants_another()
    await host.say(spell.options(2, 3))
    host.lay_out((2, 3))
    await host.out(clauses.OPTIONS)


@client("ggz-dots.client-again.other-leaves", "the other leaves instead of playing again", clauses.LEAVES)
async def other_leaves(exam: ClientExam) -> None:
    host = await Host.begin(exam, (2, 2))
    await host.out()
    await host.wants_another()
    await host.say(host.opened())
    came = await host.hear(0.3)
    if isinstance(came, Draw):
        raise Violation("nothing, or the end: the other has left", told(came), clauses.LEAVES)


# --- framing ----------------------------------------------------------------------------------------------------------


@client("ggz-dots.client-framing.bytes", "messages of the server come byte by byte", clauses.BYTES)
async def by_bytes(exam: ClientExam) -> None:
    host = Host(exam, await exam.join())
    await host.talk.dribble(spell.seat(1) + host.players() + spell.options(4, 3))
    host.lay_out((4, 3))
    await host.talk.dribble(host.line("v 0 0") + spell.WANT_MOVE)
    move = await host.draws(clause=clauses.BYTES)
    host.position.play(move)
    await host.talk.dribble(host.spelling.grant(host.position.last_boxes) + host.line(host.position.legal()[0]))
    while not host.theirs:
        await host.talk.dribble(host.line(host.position.legal()[0]))
    await host.turn(clause=clauses.BYTES)


@client("ggz-dots.client-framing.merged", "everything up to the first request comes in one segment", clauses.BYTES)
async def merged(exam: ClientExam) -> None:
    host = Host(exam, await exam.join())
    host.lay_out((4, 3))
    start = spell.seat(1) + host.players() + spell.options(4, 3) + host.line("v 0 0")
    await host.say(start, spell.WANT_MOVE)
    await host.draws(clause=clauses.BYTES)


@client(
    "ggz-dots.client-framing.answers", "the answer, the other's line and the next request in one segment", clauses.BYTES
)
async def answers(exam: ClientExam) -> None:
    host = await Host.begin(exam, (5, 4), seat=0)
    await host.say(spell.WANT_MOVE)
    for _ in range(3):
        host.position.play(await host.draws(clause=clauses.BYTES))
        said = host.spelling.grant(host.position.last_boxes)
        while not host.theirs:
            said += host.line(host.position.legal()[0])
        await host.say(said, spell.WANT_MOVE)
    await host.draws(clause=clauses.BYTES)


@client("ggz-dots.client-framing.lines", "four lines of the other in one segment", clauses.BYTES)
async def lines(exam: ClientExam) -> None:
    host = await Host.begin(exam, (3, 2))
    said = b""
    for move in ("h 0 0", "h 1 0", "h 0 1", "v 0 0", "v 1 0"):
        host.position.turn = 0
        said += host.line(move)
    host.position.turn = 1
    await host.say(said, spell.WANT_MOVE)
    await host.draws(clause=clauses.BYTES)


@client("ggz-dots.client-framing.cut", "a line is cut within its coordinates", clauses.BYTES)
async def cut(exam: ClientExam) -> None:
    host = await Host.begin(exam, (3, 3))
    data = host.line("h 1 2") + spell.WANT_MOVE
    await host.talk.send(data[:5], data[5:], pause=5 * DRIBBLE)
    await host.draws(clause=clauses.BYTES)


@client("ggz-dots.client-framing.sync-cut", "SND_SYNC of the largest board comes in pieces", clauses.BYTES)
async def sync_cut(exam: ClientExam) -> None:
    host = await Host.begin(exam, (25, 25))
    host.line("h 3 3")
    data = host.sync()
    pieces = [data[at : at + 400] for at in range(0, len(data), 400)]
    await host.talk.send(*pieces)
    await host.turn(clause=clauses.BYTES)


# --- robustness -------------------------------------------------------------------------------------------------------

_SPELLING = spell.SPELLING[YEAR2000]
RUBBISH = {
    "opcode": ("an unknown opcode", spell.whole(77)),
    "text": ("a page of another protocol", b"HTTP/1.0 400 Bad Request\r\n\r\n"),
    "noise": ("all bytes there are", bytes(range(256))),
    "long-name": ("a name of two thousand million bytes", spell.whole(1) + spell.whole(-5) + b"\x7f\xff\xff\xff"),
    "off-board": ("a line of the other that is not on the board", _SPELLING.line("h 200 200", ())),
    "twice": ("a line of the other that is there already", 2 * _SPELLING.line("h 0 0", ())),
    "options": ("a board of 1 by 200 dots", spell.options(1, 200)),
    "answer": ("an answer to no line", _SPELLING.grant(())),
    "half": ("half a message", b"\0\0\0"),
}


def _rubbish(name: str, title: str, data: bytes) -> None:
    @client(f"ggz-dots.client-robust.{name}", f"{title}: the client does not fall over", clauses.STANDING, ROBUST)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, (3, 3))
        await host.say(data)
        await host.alive(0.2)


for _name, (_title, _data) in RUBBISH.items():
    _rubbish(_name, _title, _data)


@client(
    "ggz-dots.client-robust.end-in-game",
    "the server ends in a game, and the client does not fall over",
    clauses.STANDING,
    ROBUST,
)
async def end_in_game(exam: ClientExam) -> None:
    host = await Host.begin(exam, (3, 3), seat=0)
    await host.turn()
    await host.talk.leave()


@client("ggz-dots.client-robust.end-on-turn", "the server ends while a line is asked for", clauses.STANDING, ROBUST)
async def end_on_turn(exam: ClientExam) -> None:
    host = await Host.begin(exam, (3, 3), seat=0)
    await host.say(spell.WANT_MOVE)
    await host.talk.leave()


@client("ggz-dots.client-robust.reset", "the server is cut off in a game", clauses.STANDING, ROBUST)
async def reset(exam: ClientExam) -> None:
    host = await Host.begin(exam, (3, 3))
    await host.ours()
    await host.talk.reset()


@client("ggz-dots.client-robust.end-at-once", "the server ends before it has said anything", clauses.STANDING, ROBUST)
async def end_at_once(exam: ClientExam) -> None:
    host = Host(exam, await exam.join())
    await host.talk.leave()
