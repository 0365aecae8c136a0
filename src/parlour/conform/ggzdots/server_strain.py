"""Servers: how bytes are cut and joined, and what is no message."""

from parlour.conform.case import Severity
from parlour.conform.exam import ServerExam
from parlour.conform.ggzdots import clauses
from parlour.conform.ggzdots.match import begin, both, come, newcomer, seated
from parlour.conform.ggzdots.suite import server
from parlour.conform.ggzdots.table import SHORT
from parlour.protocols.ggzdots import spell
from parlour.protocols.ggzdots.messages import Sync

ROBUST = Severity.ROBUST


@server("ggz-dots.framing.bytes", "a game whose messages come byte by byte", clauses.BYTES)
async def by_bytes(exam: ServerExam) -> None:
    table = await seated(exam)
    chooser = await table.asked()
    await chooser.talk.dribble(spell.choose(3, 2))
    table.chosen(chooser, (3, 2))
    await table.start(clauses.BYTES)
    while not table.over:
        mover, move = table.mover, table.position.legal()[0]
        await mover.talk.dribble(spell.draw(move))
        await table.drawn(mover, move, clauses.BYTES)


@server(
    "ggz-dots.framing.opcode-apart", "opcode and coordinates come apart, as original clients send them", clauses.BYTES
)
async def opcode_apart(exam: ServerExam) -> None:
    table = await begin(exam, (3, 2))
    while not table.over:
        mover, move = table.mover, table.position.legal()[-1]
        data = spell.draw(move)
        await mover.talk.send(data[:4], data[4:], pause=0.02)
        await table.drawn(mover, move, clauses.BYTES)


@server("ggz-dots.framing.within", "a message is cut within its opcode and within its coordinates", clauses.BYTES)
async def within(exam: ServerExam) -> None:
    table = await begin(exam, (3, 3))
    for cut in (1, 2, 3, 5):
        if table.over:
            break
        mover, move = table.mover, table.position.legal()[0]
        data = spell.draw(move)
        await mover.talk.send(data[:cut], data[cut:], pause=0.02)
        await table.drawn(mover, move, clauses.BYTES)


@server("ggz-dots.framing.syncs", "three questions in one segment get three answers", clauses.BYTES)
async def syncs(exam: ServerExam) -> None:
    table = await begin(exam)
    mover = table.mover
    await mover.talk.send(3 * spell.ASK_SYNC)
    for _ in range(3):
        await mover.next(Sync, "three times SND_SYNC", clauses.BYTES)


@server(
    "ggz-dots.framing.merged", "a question and a line in one segment are both answered, in this order", clauses.BYTES
)
async def merged(exam: ServerExam) -> None:
    table = await begin(exam, (4, 3))
    for _ in range(3):
        if table.over:
            break
        mover, move = table.mover, table.position.legal()[0]
        await mover.talk.send(spell.ASK_SYNC + spell.draw(move))
        await mover.next(Sync, "SND_SYNC, then RSP_MOVE", clauses.BYTES)
        await table.drawn(mover, move, clauses.BYTES)


@server("ggz-dots.framing.one-and-a-half", "a message and the beginning of the next in one segment", clauses.BYTES)
async def one_and_a_half(exam: ServerExam) -> None:
    table = await begin(exam, (4, 3))
    mover, move = table.mover, table.position.legal()[0]
    data = spell.ASK_SYNC + spell.draw(move)
    await mover.talk.send(data[:7], data[7:], pause=0.02)
    await mover.next(Sync, "SND_SYNC, then RSP_MOVE", clauses.BYTES)
    await table.drawn(mover, move, clauses.BYTES)


@server("ggz-dots.framing.refusals", "three lines out of turn in one segment get three answers", clauses.BYTES)
async def refusals(exam: ServerExam) -> None:
    table = await both(exam)
    other = table.other
    await other.talk.send(3 * spell.draw("h 0 0"))
    for _ in range(3):
        await other.refused_already(-2)
    await table.play("h 0 0")


@server("ggz-dots.framing.half-a-message", "half a message of one player does not stop the other", clauses.BYTES)
async def half_a_message(exam: ServerExam) -> None:
    table = await both(exam)
    other = table.other
    await other.talk.send(spell.draw("h 1 1")[:5])
    await table.play("h 0 0")
    await other.talk.send(spell.draw("h 1 1")[5:])
    await table.drawn(other, "h 1 1", clauses.BYTES)


RUBBISH = {
    "opcode": ("an unknown opcode", spell.whole(99)),
    "negative": ("a negative opcode", spell.whole(-1)),
    "largest-opcode": ("the largest opcode there is", b"\x7f\xff\xff\xff"),
    "little-endian": ("a line with its opcode the wrong way round", b"\x01\0\0\0\0\0"),
    "text": ("a request of another protocol", b"GET / HTTP/1.0\r\n\r\n"),
    "zeros": ("a thousand zeros", bytes(1000)),
    "noise": ("all bytes there are", bytes(range(256)) * 16),
    "flood": ("a hundred thousand bytes", b"\xff" * 100_000),
    "nothing": ("nothing at all", b""),
    "half": ("half a message", b"\0\0"),
}


def _rubbish(name: str, title: str, data: bytes) -> None:
    @server(f"ggz-dots.robust.{name}", f"{title} at once: the next who come get a game", clauses.STANDING, ROBUST)
    async def script(exam: ServerExam) -> None:
        player = await come(exam)
        await player.talk.send(data)
        await player.talk.listen(SHORT)
        await newcomer(exam)

    @server(
        f"ggz-dots.robust.{name}-in-game", f"{title} in a game: the next who come get theirs", clauses.STANDING, ROBUST
    )
    async def in_game(exam: ServerExam) -> None:
        table = await begin(exam)
        await table.mover.talk.send(data)
        await table.mover.talk.listen(SHORT)
        await newcomer(exam)


for _name, (_title, _data) in RUBBISH.items():
    _rubbish(_name, _title, _data)


@server("ggz-dots.robust.early-sync", "DOTS_REQ_SYNC before there is a board", clauses.STANDING, ROBUST)
async def early_sync(exam: ServerExam) -> None:
    player = await come(exam)
    await player.talk.send(spell.ASK_SYNC)
    await player.talk.listen(SHORT)
    await newcomer(exam)


@server("ggz-dots.robust.early-newgame", "DOTS_REQ_NEWGAME before the first game", clauses.STANDING, ROBUST)
async def early_newgame(exam: ServerExam) -> None:
    player = await come(exam)
    await player.talk.send(spell.NEW_GAME)
    await player.talk.listen(SHORT)
    await newcomer(exam)


@server("ggz-dots.robust.comers", "twenty who come and go at once", clauses.STANDING, ROBUST)
async def comers(exam: ServerExam) -> None:
    for player in [await come(exam) for _ in range(20)]:
        await player.talk.reset()
    await newcomer(exam)


@server("ggz-dots.robust.impatient", "a thousand questions without reading the answers", clauses.STANDING, ROBUST)
async def impatient(exam: ServerExam) -> None:
    table = await begin(exam)
    await table.mover.talk.send(1000 * spell.ASK_SYNC)
    await newcomer(exam)
