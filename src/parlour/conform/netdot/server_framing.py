"""Bytes to a server of any dialect: cut, joined, slow, strange; and what no server may fall over from."""

import asyncio

from parlour.conform.case import Severity, Violation, skip
from parlour.conform.conversation import DRIBBLE
from parlour.conform.exam import ServerExam
from parlour.conform.netdot import clauses
from parlour.conform.netdot.room import HELLO, SHORT, Room, connected, entered
from parlour.conform.netdot.server_people import heard_by_all
from parlour.conform.netdot.server_rules import spelled
from parlour.conform.netdot.suite import shared
from parlour.conform.netdot.tongues import BETA, THREE

ROBUST = Severity.ROBUST


async def _move(exam: ServerExam) -> tuple[Room, str, bytes]:
    """A game, a line that the user on turn may draw, and its bytes without the end."""
    room = await Room.playing(exam)
    if not await room.our_turn():
        skip("the game is over already")
    move = room.view.open_lines()[-1]
    return room, move, spelled(exam.habits.dialect, move, exam.habits.spaced).encode()


@shared("framing.bytewise", "a move that comes byte by byte is one move", clauses.STREAM)
async def bytewise(exam: ServerExam) -> None:
    room, move, data = await _move(exam)
    mover = room.mover
    await mover.talk.dribble(data + b"\n", pause=DRIBBLE / 2)
    await room.drawn(move, mover, clauses.STREAM)


@shared("framing.split", "a move in two pieces, half a second apart, is one move", clauses.STREAM)
async def split(exam: ServerExam) -> None:
    room, move, data = await _move(exam)
    mover = room.mover
    await mover.talk.send(data[:7], data[7:] + b"\n", pause=0.5)
    await room.drawn(move, mover, clauses.STREAM)


@shared("framing.late-end", "a line counts when its end has come, not before", clauses.STREAM)
async def late_end(exam: ServerExam) -> None:
    room, move, data = await _move(exam)
    mover = room.mover
    await mover.talk.send(data)
    await asyncio.sleep(SHORT)
    for seat in room.seats:
        if seat is not mover:
            await seat.sync()
        if move in seat.view.lines:
            raise Violation("nothing before the end of the line", f"the line {move}", clauses.STREAM)
    await mover.talk.send(b"\n")
    await room.drawn(move, mover, clauses.STREAM)


@shared("framing.crlf", "a line that ends with CR LF is the same line", clauses.LINE_END)
async def crlf(exam: ServerExam) -> None:
    room, move, data = await _move(exam)
    mover = room.mover
    await mover.talk.send(data + b"\r\n")
    await room.drawn(move, mover, clauses.LINE_END)


@shared("framing.merged", "a name, a colour and a move in one segment are three commands", clauses.STREAM)
async def merged(exam: ServerExam) -> None:
    room, move, data = await _move(exam)
    mover = room.mover
    three = exam.habits.dialect in (THREE, BETA)
    name, color = (b"user-name", b"user-color") if three else (b"player-rename", b"player-color")
    offset = len(mover.log)
    await mover.talk.send(name + b" Verena\n" + color + b" -65281\n" + data + b"\n")
    await mover.hear("name", "the new name, told to all", clauses.STREAM, offset, text="Verena")
    await mover.hear("color", "the new colour, told to all", clauses.STREAM, offset)
    await room.drawn(move, mover, clauses.STREAM)


@shared("framing.tail", "one command and the half of the next in a segment: both are understood", clauses.STREAM)
async def tail(exam: ServerExam) -> None:
    room, move, data = await _move(exam)
    mover = room.mover
    three = exam.habits.dialect in (THREE, BETA)
    await mover.talk.send(
        (b"user-color" if three else b"player-color") + b" -65281\n" + data[:6], data[6:] + b"\n", pause=0.1
    )
    await room.drawn(move, mover, clauses.STREAM)


@shared("framing.letter", "a letter of several bytes may be cut in the middle", clauses.STREAM)
async def letter(exam: ServerExam) -> None:
    if not exam.habits.chat:
        skip("chat is disabled")
    room = await Room.lobby(exam)
    speaker, data = room.seats[0], "network-chat Grüße\n".encode()
    at = data.index(b"\xbc")
    await speaker.talk.send(data[:at], data[at:], pause=0.05)
    for seat in room.seats:
        await seat.hear("chat", "“Grüße”", clauses.STREAM, who=speaker.me, text="Grüße")


@shared("framing.hello-merged", "the whole greeting in one segment lets a client in", clauses.STREAM)
async def hello_merged(exam: ServerExam) -> None:
    seat = await connected(exam)
    await seat.talk.send("".join(f"{line}\n" for line in (*HELLO[seat.dialect], *_join(seat.dialect))).encode())
    await seat.until(
        lambda _: seat.me >= 0 or bool(seat.since(0, "deny", "busy", "full")), "network-assign", clauses.STREAM
    )


@shared("framing.hello-bytewise", "the whole greeting byte by byte lets a client in", clauses.STREAM)
async def hello_bytewise(exam: ServerExam) -> None:
    seat = await connected(exam)
    data = "".join(f"{line}\n" for line in (*HELLO[seat.dialect], *_join(seat.dialect))).encode()
    await seat.talk.dribble(data, pause=DRIBBLE / 4)
    await seat.until(
        lambda _: seat.me >= 0 or bool(seat.since(0, "deny", "busy", "full")), "network-assign", clauses.STREAM
    )


def _join(dialect: str) -> tuple[str, ...]:
    return ("request-join name Uma",) if dialect in (THREE, BETA) else ()


@shared("framing.two-at-once", "half a line of one user is in nobody's way", clauses.THREADS)
async def two_at_once(exam: ServerExam) -> None:
    if not exam.habits.chat:
        skip("chat is disabled")
    room = await Room.lobby(exam)
    one, two = room.seats
    await one.talk.send(b"network-chat half of")
    await heard_by_all(Room(exam, [two]), two, "meanwhile")
    await one.talk.send(b" a line\n")
    await two.hear("chat", "the whole line", clauses.STREAM, who=one.me, text="half of a line")


@shared("framing.silent", "a connection that says nothing keeps nobody out", clauses.THREADS)
async def silent(exam: ServerExam) -> None:
    await exam.connect()
    await entered(exam)


# --- what nobody may fall over from ---------------------------------------------------------------------------------

STRANGE = {
    "blank": ("blank lines", b"\n\n\r\n\n"),
    "nul": ("NUL bytes", b"\0\0\0\n"),
    "binary": ("bytes that are no text", bytes(range(128, 256)) + b"\n"),
    "no-utf8": ("a message that is no UTF-8", b"network-chat \xff\xfe\xc3\n"),
    "long-line": ("a line of 100,000 bytes", b"network-chat " + b"x" * 100_000 + b"\n"),
    "long-word": ("a word of 20,000 bytes", b"x" * 20_000 + b"\n"),
    "no-hyphen": ("a word without a hyphen", b"hello\n"),
    "hyphens": ("hyphens only", b"-\n--\n-play\ngame-\n"),
    "unknown": ("a command that there is not", b"teapot-brew now\ngame-teapot 1\n"),
    "capitals": ("a command in capitals", b"GAME-START\n"),
    "blank-first": ("a line that begins with a blank", b" network-chat hello\n"),
    "numbers": ("numbers beyond 32 bits", b"user-color 99999999999999999999\nplayer-color 99999999999999999999\n"),
    "complaints": ("complaints", b"unknown-game\nunknown-\ninfo-malformed\ninfo-warn hm\n"),
    "http": ("a browser's request", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
}


def _strange(slug: str, title: str, data: bytes) -> None:
    @shared(f"robust.{slug}-talk", f"{title} before the greeting: the next one is served", clauses.STANDING, ROBUST)
    async def talk(exam: ServerExam) -> None:
        seat = await connected(exam)
        await seat.talk.send(data)
        await entered(exam)

    @shared(f"robust.{slug}-lobby", f"{title} from a user: the others are served on", clauses.STANDING, ROBUST)
    async def lobby(exam: ServerExam) -> None:
        room = await Room.lobby(exam)
        room.seats[1].lenient = True
        await room.seats[0].talk.send(data)
        await room.seats[1].sync()
        await entered(exam, lobby=False, lenient=True)


for _slug, (_title, _data) in STRANGE.items():
    _strange(_slug, _title, _data)


@shared("robust.vanish", "who connects and vanishes does no harm", clauses.STANDING, ROBUST)
async def vanish(exam: ServerExam) -> None:
    for _ in range(5):
        await (await exam.connect()).reset()
    await entered(exam)


@shared("robust.half-line", "who leaves in the middle of a line does no harm", clauses.STANDING, ROBUST)
async def half_line(exam: ServerExam) -> None:
    room = await Room.lobby(exam)
    await room.seats[0].talk.send(b"network-chat I am abou")
    await room.seats[0].talk.reset()
    await room.seats[1].sync()


@shared("robust.half-close", "who says nothing more, and listens on, does no harm", clauses.STANDING, ROBUST)
async def half_close(exam: ServerExam) -> None:
    room = await Room.lobby(exam)
    room.seats[0].talk.finish()
    await room.seats[1].sync()
    await entered(exam, lobby=False, lenient=True)


@shared("robust.crowd", "a dozen connections at once are served", clauses.THREADS, ROBUST)
async def crowd(exam: ServerExam) -> None:
    for _ in range(12):
        await exam.connect()
    await entered(exam)
