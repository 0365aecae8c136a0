"""START, and the board that answers it."""

import re

from parlour.conform.c4n import clauses
from parlour.conform.c4n.match import DOCUMENT, ORIGINAL, SHORT, Habits, Match, called, play_moves
from parlour.conform.c4n.suite import server
from parlour.conform.case import Severity, Violation, skip
from parlour.conform.conversation import Conversation, End, Silence, told
from parlour.conform.exam import ServerExam
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.messages import SERVER_FULL, Board, Error, Result

MOST_GAMES = 24
"""Games that are begun at once to see a server full."""
_HEADER = re.compile(rb"C4N[^\n]*\n?")
_STRICT = re.compile(rb"C4N 1\.0 (?:(?:BOARD|RESULT|ERROR)[ \t]*\r?\n|STOP.*\n?)")


@server("c4n.start.client-first", "the server waits for START before it speaks", clauses.START_NEW)
async def client_first(exam: ServerExam) -> None:
    talk = await exam.connect()
    came = await talk.receive(SHORT)
    if not isinstance(came, Silence | End | Error):
        raise talk.wrong(came, "nothing before START", clauses.START_NEW)


@server("c4n.start.board", "START is answered with the initial board", clauses.START_BOARD)
async def board(exam: ServerExam) -> None:
    await Match.begin(exam)


@server("c4n.start.empty", "the initial board is empty", clauses.START_BOARD, dialects=[DOCUMENT])
async def empty(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    assert match.position.empty == exam.habits.columns * exam.habits.rows


@server(
    "c4n.start.one-token", "the AI begins: one token is on the first board", clauses.START_BOARD, dialects=[ORIGINAL]
)
async def one_token(exam: ServerExam) -> None:
    if exam.habits.pairs:
        skip("two people play here, and nobody has moved before them")
    await Match.begin(exam)


@server("c4n.start.once", "one BOARD answers START, and then it is the player's turn", clauses.START_BOARD)
async def once(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.expect_silence(SHORT, "nothing more until the player moves", clauses.MOVE_TURN)


@server("c4n.start.sizes", "BOARD begins with columns, then rows", clauses.BOARD_SIZES, dialects=[DOCUMENT])
async def sizes(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.play(0)
    habits: Habits = exam.habits
    if min(habits.columns, habits.rows) < 4:
        raise Violation("a board on which four can be in line", f"BOARD {habits.columns} {habits.rows}")


@server("c4n.start.header", "a message begins with C4N, 1.0 and its type, a blank between them", clauses.HEADER)
async def header(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.play(0)
    said = b"".join(segment.data for segment in exam.segments if segment.sender == "S")
    for found in _HEADER.findall(said):
        if not _STRICT.match(found):
            raise Violation("a header such as “C4N 1.0 BOARD” and a line feed", repr(found[:30]))


@server("c4n.start.again", "a new connection begins a new game", clauses.START_NEW)
async def again(exam: ServerExam) -> None:
    for _ in range(2):
        match = await play_moves(exam, [] if exam.habits.dialect == ORIGINAL else [0])
        for player in match.players:
            await player.talk.leave()


@server("c4n.start.two-games", "two games at a time know nothing of each other", clauses.BOARD_STATE)
async def two_games(exam: ServerExam) -> None:
    one = await Match.begin(exam)
    if not exam.habits.pairs:
        talk = await exam.connect()
        await talk.send(codec.START)
        came = await talk.receive()
        await talk.leave()
        if not isinstance(came, Board):
            skip(f"the server plays one game at a time: {told(came)}")
    await one.play(0)
    two = await Match.begin(exam)
    await two.play(exam.habits.columns - 1)
    await one.play(1)
    await two.play(exam.habits.columns - 2)


@server("c4n.start.full", "a full server says ERROR 3, and begins no game", clauses.START_FULL)
async def full(exam: ServerExam) -> None:
    talks: list[Conversation] = []
    for _ in range(MOST_GAMES):
        talk = await exam.connect()
        await talk.send(codec.START)
        came = await talk.receive(SHORT if exam.habits.pairs else None)
        if isinstance(came, Silence) and not exam.habits.pairs:
            skip("the server keeps a newcomer waiting, and does not call itself full")
        if not isinstance(came, Silence | Board):
            await _turned_away(talk, came)
            return
        talks.append(talk)
    skip(f"{MOST_GAMES} games at a time did not fill the server")


async def _turned_away(talk: Conversation, came: object) -> None:
    """ERROR 3, and no game."""
    if not isinstance(came, Error) or came.code != SERVER_FULL:
        raise talk.wrong(came, "ERROR 3, or a BOARD", clauses.START_FULL)
    for more in await talk.listen(SHORT):
        if isinstance(more, Board | Result):
            raise talk.wrong(more, "no game after ERROR 3", clauses.START_FULL)


@server("c4n.start.bare", "START needs no line feed behind it: it has no data", clauses.LENGTH, Severity.SHOULD)
async def bare(exam: ServerExam) -> None:
    await Match.begin(exam, codec.HEADER + b"START")


@server("c4n.start.crlf", "CR LF is as good as LF", clauses.DATA, Severity.SHOULD)
async def crlf(exam: ServerExam) -> None:
    match = await Match.begin(exam, codec.HEADER + b"START\r\n")
    await match.mover.talk.send(codec.HEADER + b"MOVE\r\n0\r\n")
    await match.answered(0)


@server("c4n.start.full-then-room", "who leaves makes room for the next", clauses.START_NEW)
async def room_again(exam: ServerExam) -> None:
    for _ in range(3):
        talk, came = await called(exam) if not exam.habits.pairs else (await exam.connect(), None)
        if came is not None and not isinstance(came, Board):
            raise talk.wrong(came, "BOARD, for the last player has left", clauses.START_BOARD)
        await talk.leave()
    await Match.begin(exam)
