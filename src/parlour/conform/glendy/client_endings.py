"""Clients: verdicts, the end that only the server decides, and servers that leave or talk rubbish."""

import asyncio

from parlour.conform.case import Severity, Shortfall, skip
from parlour.conform.conversation import End, Silence, told
from parlour.conform.exam import ClientExam
from parlour.conform.glendy import clauses
from parlour.conform.glendy.client_moves import forced
from parlour.conform.glendy.client_start import SIDES
from parlour.conform.glendy.host import Host, thicket, walk
from parlour.conform.glendy.match import GLENDA, SHORT, TRAPPER
from parlour.conform.glendy.suite import client
from parlour.games.glenda.board import CELLS

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD
EDGES = {
    "north": ["NE", "NW"] * 2 + ["NE"],
    "south": ["SW", "SE"] * 2 + ["SW"],
    "west": ["W"] * 5,
    "east": ["E"] * 5,
}


def _escapes(edge: str) -> None:
    @client(f"glendy.client-over.escape-{edge}", f"glenda goes {edge} to the edge, and is told WON", clauses.VERDICT)
    async def script(exam: ClientExam) -> None:
        host = await forced(exam, EDGES[edge])
        await host.say(host.last + host.turn())
        await host.done()


for _edge in EDGES:
    _escapes(_edge)


async def _enclosing(exam: ClientExam) -> Host:
    """A trapper whose every put encloses glenda has made it; the verdict is still to come."""
    host = await Host.begin(exam, TRAPPER, thicket(EDGES["west"]))
    await host.move()
    return host


async def _caught(exam: ClientExam) -> Host:
    """The other player has trapped the client's glenda; she has not been told."""
    free = {*walk(EDGES["west"]), *walk(["E"]), (10, 10)}
    host = await Host.begin(exam, GLENDA, [cell for cell in CELLS if cell not in free])
    await host.moved()
    host.last = host.played(next(move for move in host.position.legal() if host.decides(move)))
    return host


@client("glendy.client-over.trapped", "the trapper encloses glenda, and is told WON", clauses.VERDICT)
async def trapped(exam: ClientExam) -> None:
    host = await _enclosing(exam)
    await host.say(host.last + host.turn())
    await host.done()


@client("glendy.client-over.lost", "the trapper whose glenda gets away is told LOST", clauses.VERDICT)
async def lost(exam: ClientExam) -> None:
    host = await _lost(exam)
    await host.say(host.last + host.turn())
    await host.done()


async def _lost(exam: ClientExam) -> Host:
    """Glenda has run away over an open board; the trapper has not been told."""
    host = await Host.begin(exam, TRAPPER, ())
    while True:
        await host.moved()
        move = _nearest(host)
        if not move:
            skip("the client has trapped glenda")
        host.last = host.played(move)
        if host.over:
            return host
        await host.say(host.last + host.turn())


def _nearest(host: Host) -> str:
    """The step of a shortest way to the edge; nothing when there is none."""
    start = host.position
    paths = [(start, "")]
    seen = {start.glenda}
    for position, first in paths:
        for move in position.legal():
            after = position.copy()
            after.play(move)
            if GLENDA in after.winners():
                return first or move
            if after.glenda not in seen:
                seen.add(after.glenda)
                after.turn = GLENDA
                paths.append((after, first or move))
    return ""


@client("glendy.client-over.caught", "glenda who is trapped is told LOST", clauses.VERDICT)
async def caught(exam: ClientExam) -> None:
    host = await _caught(exam)
    await host.say(host.last + host.turn())
    await host.done()


@client("glendy.client-over.apart", "SYNC of the last move and the verdict in two segments", clauses.VERDICT)
async def apart(exam: ClientExam) -> None:
    host = await _enclosing(exam)
    await host.say(host.last, host.turn(), pause=SHORT)
    await host.done()


@client("glendy.client-over.bytes", "a verdict that comes byte by byte", clauses.LINES)
async def by_bytes(exam: ClientExam) -> None:
    host = await _enclosing(exam)
    await host.talk.dribble(host.last + host.turn())
    await host.done()


@client("glendy.client-over.decided", "glenda is enclosed, but the server has not said so", clauses.DECIDES, SHOULD)
async def decided(exam: ClientExam) -> None:
    host = await _enclosing(exam)
    await host.say(host.last)
    await host.stays("nothing, and no end: the server decides", clauses.DECIDES)
    await host.say(host.turn())
    await host.done()


@client(
    "glendy.client-over.decided-edge", "glenda is on the edge, but the server has not said so", clauses.DECIDES, SHOULD
)
async def decided_edge(exam: ClientExam) -> None:
    host = await _lost(exam)
    await host.say(host.last)
    await host.stays("nothing, and no end: the server decides", clauses.DECIDES)
    await host.say(host.turn())
    await host.done()


@client("glendy.client-over.decided-glenda", "glenda who is on the edge waits to be told", clauses.DECIDES, SHOULD)
async def decided_glenda(exam: ClientExam) -> None:
    host = await forced(exam, EDGES["east"])
    await host.say(host.last)
    await host.stays("nothing, and no end: the server decides", clauses.DECIDES)
    await host.say(host.turn())
    await host.done()


@client("glendy.client-over.edge-turn", "TURN with glenda on the edge: the trapper puts", clauses.DECIDES, SHOULD)
async def edge_turn(exam: ClientExam) -> None:
    host = await _lost(exam)
    await host.say(host.last + b"TURN\n")
    exam.type(f"p {host.position.walls()[0][0]} 10")
    came = await host.talk.receive()
    if isinstance(came, Silence | End):
        raise Shortfall("a put: the server has not ended the game", told(came))
    await host.say(b"LOST\n")
    await host.done()


def _early(name: str, side: int, verdict: bytes) -> None:
    @client(f"glendy.client-over.early-{name}", f"{name} is told the verdict in the middle of a game", clauses.DECIDES)
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, side)
        await host.move()
        await host.say(host.last + verdict)
        await host.quiet("nothing: the server has ended the game", clauses.DECIDES)
        host.talk.finish()


_early("trapper", TRAPPER, b"WON\n")
_early("glenda", GLENDA, b"LOST\n")


def _leaves(name: str, side: int) -> None:
    @client(
        f"glendy.client-over.leaves-{name}",
        f"{name} leaves when the game is over and the server has gone",
        clauses.OVER,
        SHOULD,
    )
    async def script(exam: ClientExam) -> None:
        host = await Host.begin(exam, side)
        await host.move()
        await host.say(host.last + b"WON\n")
        host.talk.finish()
        came = await host.talk.receive()
        if not isinstance(came, End):
            raise Shortfall("the end of the connection", told(came))


for _name, _side in SIDES.items():
    _leaves(_name, _side)


# --- servers that leave, and talk rubbish --------------------------------------------------------------------------


def _gone(slug: str, title: str, stage: str, reset: bool = False) -> None:
    @client(f"glendy.client-leaving.{slug}", title, clauses.STANDING, ROBUST)
    async def script(exam: ClientExam) -> None:
        host = await Host.joined(exam)
        host.side = TRAPPER if host.wants is None else host.wants
        parts = {"": b"", "conn": host.greeting(), "board": host.greeting() + host.board()[:20]}
        if stage in parts:
            await host.say(parts[stage])
        else:
            await host.open()
        if stage == "wait":
            await host.moved()
        await asyncio.sleep(SHORT / 2)
        await (host.talk.reset() if reset else host.talk.leave())


_gone("at-once", "a server that goes at once", "")
_gone("queue", "a server that goes while the client waits", "conn")
_gone("board", "a server that goes in the middle of the board", "board")
_gone("turn", "a server that goes when the client is to move", "turn")
_gone("wait", "a server that goes when the other is to move", "wait")
_gone("reset", "a server that is cut off", "wait", reset=True)


def _rubbish(slug: str, title: str, data: bytes) -> None:
    @client(f"glendy.client-rubbish.{slug}", title, clauses.STANDING, ROBUST)
    async def script(exam: ClientExam) -> None:
        host = await Host.joined(exam)
        host.side = TRAPPER if host.wants is None else host.wants
        await host.open()
        await host.moved()
        await host.say(data)
        await host.talk.listen(SHORT)


_rubbish("die", "DIE, as the programs of 2024 end a game", b"DIE other client have been disconnected\n")
_rubbish("unknown", "a word that there is not", b"FNORD 1 2 3\n")
_rubbish("empty", "an empty line", b"\n")
_rubbish("binary", "bytes of all kinds", bytes(range(1, 256)) * 4 + b"\n")
_rubbish("long", "a line of ten thousand bytes", b"w" * 10_000 + b"\n")
_rubbish("sync", "SYNC without numbers", b"SYNC\nSYNC x\nSYNC 1 99 99\n")
