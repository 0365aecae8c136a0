"""Clients: names, who begins."""

import asyncio

from parlour.conform.case import Severity, Shortfall, Violation
from parlour.conform.conversation import shown
from parlour.conform.exam import ClientExam
from parlour.conform.nettoe import clauses
from parlour.conform.nettoe.host import OURS, Host
from parlour.conform.nettoe.match import NAME, SHORT, field
from parlour.conform.nettoe.suite import client

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD


@client("nettoe.client-start.name", "the client says its name, in 32 bytes", clauses.NAMES)
async def name(exam: ClientExam) -> None:
    host = await Host.joined(exam)
    await host.quiet("nothing behind the name of 32 bytes: it is not yet known who begins", clauses.NAMES)


@client("nettoe.client-start.name-ends", "the client's name ends with a NUL", clauses.NAMES, SHOULD)
async def name_ends(exam: ClientExam) -> None:
    host = await Host.joined(exam)
    if b"\0" not in host.name:
        raise Shortfall("a string: at most 31 characters and a NUL", shown(host.name))


@client("nettoe.client-start.two", "after 2 the client makes the first move", clauses.STARTER)
async def two(exam: ClientExam) -> None:
    host = await Host.begin(exam, first=True)
    await host.move(4, clauses.STARTER)


@client("nettoe.client-start.one", "after 1 the client waits for the server's move", clauses.STARTER)
async def one(exam: ClientExam) -> None:
    host = await Host.begin(exam, first=False)
    await host.quiet("nothing: the server begins", clauses.STARTER, 3 * SHORT)
    await host.talk.send(host.mark(4))
    await host.move(0)


@client("nettoe.client-start.starter-alone", "the name of who begins is no turn", clauses.STARTER_NAME)
async def starter_alone(exam: ClientExam) -> None:
    host = await Host.joined(exam)
    await host.talk.send(host.name)
    await host.quiet("nothing: the number is still to come", clauses.STARTER)
    await host.talk.send(host.number(True))
    await host.move()


@client("nettoe.client-start.late-name", "a server that takes its time is waited for", clauses.NAMES)
async def late_name(exam: ClientExam) -> None:
    host = Host(exam, await exam.join())
    await asyncio.sleep(4 * SHORT)
    await host.talk.send(OURS)
    host.name = await host.named()
    await asyncio.sleep(4 * SHORT)
    await host.talk.send(host.coin(True))
    await host.move()


def _named(slug: str, title: str, ours: bytes) -> None:
    @client(f"nettoe.client-start.{slug}", title, clauses.NAMES)
    async def script(exam: ClientExam) -> None:
        host = await Host.joined(exam, ours)
        await host.talk.send(ours + host.number(False), host.mark())
        await host.move()


_named("longest-name", "a server's name of 31 characters", field(b"Maximilian-the-Great-of-Bavaria"))
_named("leftovers", "what stands behind the NUL of a name means nothing", field(b"Al\0imilian_the_Great\0y\0"))
_named("blank-in-name", "a name with a blank in it", field(b"Anna Maria"))


@client("nettoe.client-start.namesake", "a server with the client's own name: the number decides", clauses.STARTER)
async def namesake(exam: ClientExam) -> None:
    known = exam.memory.get("name")
    name = field(b"examinee") if known is None else known.to_bytes(NAME, "big")
    host = Host(exam, await exam.join())
    await host.talk.send(name)
    await host.named()
    await host.talk.send(name + host.number(False))
    await host.quiet("nothing: the server begins", clauses.STARTER)
    await host.talk.send(host.mark())
    await host.move()


def _odd(slug: str, title: str, ours: bytes) -> None:
    @client(f"nettoe.client-start.{slug}", title, clauses.NAMES, ROBUST)
    async def script(exam: ClientExam) -> None:
        host = await Host.joined(exam, ours)
        await host.talk.send(ours + host.number(False), host.mark())
        await host.talk.listen(SHORT)


_odd("no-end", "a name without a NUL does no harm", b"Z" * NAME)
_odd("empty", "an empty name does no harm", bytes(NAME))
_odd("control", "a name of control characters does no harm", field(b"\x1b[2J\r\n\x07"))
_odd("binary", "a name that is no text does no harm", bytes(range(224, 256)))


@client("nettoe.client-framing.merged", "names and number in one segment", clauses.STREAM)
async def merged(exam: ClientExam) -> None:
    host = Host(exam, await exam.join())
    await host.talk.send(OURS + OURS + host.number(False) + host.mark())
    host.name = await host.named()
    await host.move()


@client("nettoe.client-framing.start-bytes", "names and number byte by byte", clauses.STREAM)
async def start_bytes(exam: ClientExam) -> None:
    host = Host(exam, await exam.join())
    await host.talk.dribble(OURS)
    host.name = await host.named()
    await host.talk.dribble(host.coin(True))
    await host.move()


@client("nettoe.client-framing.start-cut", "names cut anywhere", clauses.STREAM)
async def start_cut(exam: ClientExam) -> None:
    host = Host(exam, await exam.join())
    await host.talk.send(OURS[:20], OURS[20:] + OURS[:5], OURS[5:], host.number(False), pause=SHORT / 3)
    host.name = await host.named()
    await host.talk.send(host.mark())
    await host.move()


@client("nettoe.client-start.once", "the name is said once", clauses.NAMES)
async def once(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    said = b"".join(segment.data for segment in exam.segments if segment.sender == "C")
    if len(said) != NAME + 13:
        raise Violation("a name and a board, 45 bytes", f"{len(said)} bytes")
