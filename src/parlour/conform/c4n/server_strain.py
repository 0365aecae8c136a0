"""What nobody should send, and what a server must stand. Those that may end a server come last."""

from parlour.conform.c4n import clauses
from parlour.conform.c4n.match import SHORT, Match, called, still_served
from parlour.conform.c4n.suite import server
from parlour.conform.case import Severity
from parlour.conform.exam import ServerExam
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.messages import Board

ROBUST = Severity.ROBUST
NEXT = "a game for the next"
LONG = 100_000
MANY = 20

BYTES: tuple[tuple[str, str, bytes], ...] = (
    ("nul", "NUL bytes", bytes(200) + b"\n"),
    ("over-long", "a line without end", b"C4N 1.0 " + b"X" * LONG + b"\n"),
    ("long-number", "a number of thousands of digits", b"C4N 1.0 MOVE\n" + b"7" * 8000 + b"\n"),
    ("many-lines", "a thousand lines that say nothing", b"\n" * 1000),
    ("deep", "a BOARD of a million cells", b"C4N 1.0 BOARD\n1000 1000 " + b"0 " * 5000 + b"\n"),
    ("telnet", "a telnet client's first bytes", b"\xff\xfb\x1f\xff\xfb \xff\xfb\x18\xff\xfb'"),
    ("http", "a browser's question", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("binary", "bytes that are no text", bytes(range(128, 256)) + b"\n"),
)


def _in_a_game(slug: str, title: str, data: bytes) -> None:
    @server(f"c4n.strain.{slug}-in-game", f"in a game: {title}", clauses.ERROR_INVALID, ROBUST)
    async def script(exam: ServerExam) -> None:
        match = await Match.begin(exam)
        await match.mover.talk.send(data)
        await match.mover.talk.listen(SHORT / 2)
        for player in match.players:
            await player.talk.leave()
        await still_served(exam, NEXT, clauses.ERROR_INVALID)


def _before(slug: str, title: str, data: bytes) -> None:
    @server(f"c4n.strain.{slug}", f"before START: {title}", clauses.ERROR_INVALID, ROBUST)
    async def script(exam: ServerExam) -> None:
        talk = await exam.connect()
        await talk.send(data)
        await talk.listen(SHORT / 2)
        await talk.leave()
        await still_served(exam, NEXT, clauses.ERROR_INVALID)


@server(
    "c4n.strain.silent", "one who connects and says nothing keeps nobody waiting", clauses.START_NEW, Severity.SHOULD
)
async def silent(exam: ServerExam) -> None:
    await exam.connect()
    if exam.habits.pairs:
        await Match.begin(exam)
        return
    talk, came = await called(exam)
    if not isinstance(came, Board):
        raise talk.wrong(came, "BOARD, though another is connected and silent", clauses.START_BOARD)


@server("c4n.strain.crowd", "many come at once and leave again", clauses.START_NEW, ROBUST)
async def crowd(exam: ServerExam) -> None:
    talks = [await exam.connect() for _ in range(MANY)]
    for talk in talks:
        await talk.send(codec.START)
    for talk in talks:
        await talk.leave()
    await still_served(exam, NEXT, clauses.START_NEW)


@server("c4n.strain.haste", "a hundred wrong moves in one segment", clauses.MOVE_REFUSED, ROBUST)
async def haste(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send((codec.move(exam.habits.columns) + b"\n") * 100)
    await match.mover.talk.listen(SHORT)
    for player in match.players:
        await player.talk.leave()
    await still_served(exam, NEXT, clauses.MOVE_REFUSED)


for each in BYTES:
    _in_a_game(*each)
for each in BYTES:
    _before(*each)
