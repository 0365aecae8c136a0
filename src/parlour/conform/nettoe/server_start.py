"""Servers: names and the coin."""

import asyncio

from parlour.conform.case import Severity, Shortfall, Violation, skip
from parlour.conform.conversation import shown, told
from parlour.conform.exam import ServerExam
from parlour.conform.nettoe import clauses
from parlour.conform.nettoe.board import Field
from parlour.conform.nettoe.match import NAME, SHORT, Match, Side, field, newcomer, text
from parlour.conform.nettoe.suite import server

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD
GAMES = 24
"""Coins: that all fall alike happens once in eight million times."""


@server("nettoe.start.name", "the server says its name, in 32 bytes", clauses.NAMES)
async def name(exam: ServerExam) -> None:
    await Match.begin(exam)


@server("nettoe.start.speaks-first", "it does so before it has heard the client's", clauses.NAMES, SHOULD)
async def speaks_first(exam: ServerExam) -> None:
    exam.remark("The original client reads the server's name before it writes its own: both would wait for ever.")
    side = Side(exam, await exam.connect())
    await side.field(NAME, "the server's name in 32 bytes", clauses.NAMES)


@server("nettoe.start.name-ends", "the server's name ends with a NUL", clauses.NAMES, SHOULD)
async def name_ends(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    host = match.sides[0].host or b""
    if b"\0" not in host:
        raise Shortfall("a string: at most 31 characters and a NUL", shown(host))


@server("nettoe.start.reads-first", "a client that says its name last gets its game", clauses.NAMES)
async def reads_first(exam: ServerExam) -> None:
    if exam.habits.pairs:
        skip("names may come with the second player")
    side = Side(exam, await exam.connect())
    side.talk.phase = NAME
    came = await side.talk.receive()
    if not isinstance(came, Field):
        raise Shortfall("the server's name in 32 bytes", told(came))
    side.host = came.data
    await side.talk.send(side.name)
    await side.coin()


@server("nettoe.start.waits", "no one begins before the client has said its name", clauses.NAMES)
async def waits(exam: ServerExam) -> None:
    side = Side(exam, await exam.connect())
    side.talk.phase = NAME
    await side.talk.receive()
    await side.quiet("nothing behind the name of 32 bytes: the client's is still to come", clauses.NAMES)


@server("nettoe.start.starter-name", "the name of the player who begins is one of the two", clauses.STARTER_NAME)
async def starter_name(exam: ServerExam) -> None:
    await Match.begin(exam)


@server("nettoe.start.client-named", "when the client begins, its own name comes back", clauses.STARTER_NAME)
async def client_named(exam: ServerExam) -> None:
    match = await Match.where(exam, first=True)
    if text(match.sides[0].starter) != text(match.sides[0].name):
        raise Violation(shown(text(match.sides[0].name)), shown(match.sides[0].starter))


@server("nettoe.start.server-named", "when the server begins, its name comes", clauses.STARTER_NAME)
async def server_named(exam: ServerExam) -> None:
    match = await Match.where(exam, first=False)
    if text(match.sides[0].starter) == text(match.sides[0].name):
        raise Violation("another name than the client's", shown(match.sides[0].starter))


@server("nettoe.start.number", "then one character, 1 or 2", clauses.STARTER)
async def number(exam: ServerExam) -> None:
    await Match.begin(exam)


@server("nettoe.start.one", "after 1 the server makes the first move", clauses.STARTER)
async def one(exam: ServerExam) -> None:
    match = await Match.where(exam, first=False)
    if len(match.sides) == 2:
        await match.play(4)


@server("nettoe.start.two", "after 2 the server waits for the client's move", clauses.STARTER)
async def two(exam: ServerExam) -> None:
    match = await Match.where(exam, first=True)
    await match.sides[0].quiet("nothing: the client begins", clauses.STARTER, 2 * SHORT)
    await match.play(4)


@server("nettoe.start.toss", "either may begin: it is a coin", clauses.TOSS)
async def toss(exam: ServerExam) -> None:
    if exam.habits.slow or exam.habits.single:
        skip("too slow to see many coins")
    fallen = set()
    for _ in range(GAMES):
        match = await Match.begin(exam)
        fallen.add(match.sides[0].first)
        await exam.close()
        if len(fallen) == 2:
            return
    # It may also be one that was told who begins, for the sake of an examination.
    raise Shortfall("now the server, now the client", f"{'2' if fallen == {True} else '1'}, {GAMES} times")


@server("nettoe.start.longest-name", "a name of 31 characters is taken whole", clauses.NAMES)
async def longest_name(exam: ServerExam) -> None:
    match = await _named(exam, field(b"Maximilian-the-Great-of-Bavaria"))
    if match.sides[0].first and match.sides[0].starter != match.sides[0].name:
        raise Violation(shown(match.sides[0].name), shown(match.sides[0].starter), clauses.STARTER_NAME)
    await match.out()


async def _named(exam: ServerExam, name: bytes) -> Match:
    """A game under this name, begun by the client if the coin will."""
    match = await Match.begin(exam, name)
    for _ in range(0 if exam.habits.slow else 5):
        if match.sides[0].first:
            break
        await exam.close()
        match = await Match.begin(exam, name)
    return match


@server("nettoe.start.one-letter", "a name of one character", clauses.NAMES)
async def one_letter(exam: ServerExam) -> None:
    await (await _named(exam, field(b"Q"))).out()


@server("nettoe.start.blank-in-name", "a name with a blank in it", clauses.NAMES)
async def blank_in_name(exam: ServerExam) -> None:
    await (await _named(exam, field(b"Anna Maria"))).out()


@server("nettoe.start.leftovers", "what stands behind the NUL of a name means nothing", clauses.NAMES)
async def leftovers(exam: ServerExam) -> None:
    await (await _named(exam, field(b"Al\0imilian_the_Great"))).out()


@server("nettoe.start.namesake", "a client with the server's own name gets its game", clauses.STARTER)
async def namesake(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    host = match.sides[0].host or b""
    await exam.close()
    if not text(host).isalnum():
        skip("the server's name is no plain word")
    await (await Match.begin(exam, field(text(host)))).out()


def _odd(slug: str, title: str, name: bytes) -> None:
    @server(f"nettoe.start.{slug}", title, clauses.NAMES, ROBUST)
    async def script(exam: ServerExam) -> None:
        talk = await exam.connect()
        await talk.send(name)
        await talk.listen(SHORT)
        await newcomer(exam)


_odd("no-end", "a name without a NUL does no harm", b"Z" * NAME)
_odd("empty", "an empty name does no harm", bytes(NAME))
_odd("utf8", "a name in UTF-8 does no harm", field("Zoë Åse".encode()))
_odd("control", "a name of control characters does no harm", field(b"\x1b[2J\r\n\x07"))
_odd("binary", "a name that is no text does no harm", bytes(range(224, 256)))


@server("nettoe.framing.name-bytes", "a name that comes byte by byte", clauses.STREAM)
async def name_bytes(exam: ServerExam) -> None:
    if exam.habits.pairs:
        skip("names are examined with a server that plays itself")
    side = Side(exam, await exam.connect())
    await side.talk.dribble(side.name)
    side.host = await side.field(NAME, "the server's name in 32 bytes", clauses.NAMES)
    await side.coin()


@server("nettoe.framing.name-late", "a name of which the second half is late", clauses.STREAM)
async def name_late(exam: ServerExam) -> None:
    if exam.habits.pairs:
        skip("names are examined with a server that plays itself")
    side = Side(exam, await exam.connect())
    await side.talk.send(side.name[:7])
    await asyncio.sleep(4 * SHORT)
    await side.talk.send(side.name[7:])
    side.host = await side.field(NAME, "the server's name in 32 bytes", clauses.NAMES)
    await side.coin()
