"""Bytes as TCP may deliver them: a message is its words, wherever the segments are cut."""

from parlour.conform.c4n import clauses
from parlour.conform.c4n.match import Match, called
from parlour.conform.c4n.suite import server
from parlour.conform.case import Severity, skip
from parlour.conform.exam import ServerExam
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.messages import INVALID_MOVE, Board, Error

ROBUST, SHOULD = Severity.ROBUST, Severity.SHOULD
PAUSE = 0.25
"""Seconds between the parts of a message that comes slowly."""


@server("c4n.framing.split-start", "START one byte at a time", clauses.STREAM, ROBUST)
async def split_start(exam: ServerExam) -> None:
    talk = await exam.connect()
    await talk.dribble(codec.START)
    if exam.habits.pairs:
        other = await exam.connect()
        await other.dribble(codec.START)
    await talk.expect(Board, "BOARD, as the answer to START", clauses.STREAM)


@server("c4n.framing.split-move", "MOVE one byte at a time", clauses.STREAM, ROBUST)
async def split_move(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    for column in (0, exam.habits.columns - 1):
        await match.mover.talk.dribble(codec.move(column))
        await match.answered(column, clauses.STREAM)


@server("c4n.framing.split-header", "MOVE cut within its header", clauses.STREAM, ROBUST)
async def split_header(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send(b"C4N 1.0 MO", b"VE\n2", pause=PAUSE)
    await match.answered(2, clauses.STREAM)


@server("c4n.framing.split-data", "the number of MOVE in a segment of its own", clauses.STREAM, ROBUST)
async def split_data(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send(b"C4N 1.0 MOVE\n", b"1", pause=PAUSE)
    await match.answered(1, clauses.STREAM)


@server("c4n.framing.split-line", "the line feed of MOVE in the second segment", clauses.STREAM, ROBUST)
async def split_line(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send(b"C4N 1.0 MOVE", b"\n1", pause=PAUSE)
    await match.answered(1, clauses.STREAM)


@server("c4n.framing.slow", "START in parts, with pauses", clauses.STREAM, ROBUST)
async def slow(exam: ServerExam) -> None:
    talk = await exam.connect()
    await talk.send(b"C4N", b" 1.0", b" START\n", pause=PAUSE)
    if exam.habits.pairs:
        await (await exam.connect()).send(codec.START)
    await talk.expect(Board, "BOARD, as the answer to START", clauses.STREAM)


@server("c4n.framing.merged-start", "START and MOVE in one segment", clauses.STREAM, ROBUST)
async def merged_start(exam: ServerExam) -> None:
    if exam.habits.pairs:
        skip("a player cannot move before the other has come")
    match = await Match.begin(exam, codec.START + codec.move(0))
    await match.answered(0, clauses.STREAM)


@server("c4n.framing.merged-moves", "two MOVEs in one segment are two moves", clauses.STREAM, ROBUST)
async def merged_moves(exam: ServerExam) -> None:
    if exam.habits.pairs:
        skip("a player cannot move twice before the other has moved")
    match = await Match.begin(exam)
    last = exam.habits.columns - 1
    await match.mover.talk.send(codec.move(0) + b"\n" + codec.move(last) + b"\n")
    await match.answered(0, clauses.STREAM)
    await match.answered(last, clauses.STREAM)


@server("c4n.framing.merged-refusal", "a MOVE behind one that is refused, in one segment", clauses.STREAM, ROBUST)
async def merged_refusal(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    talk = match.mover.talk
    await talk.send(codec.move(exam.habits.columns) + b"\n" + codec.move(0) + b"\n")
    came = await talk.expect(Error, "ERROR 2 for the first of the two", clauses.STREAM)
    if came.code != INVALID_MOVE:
        raise talk.wrong(came, "ERROR 2, because there is no such column", clauses.MOVE_REFUSED)
    await match.answered(0, clauses.STREAM)


@server("c4n.framing.cut-and-merged", "one and a half message, then the rest", clauses.STREAM, ROBUST)
async def cut_and_merged(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    talk = match.mover.talk
    bad, good = codec.move(exam.habits.columns) + b"\n", codec.move(0)
    await talk.send(bad + good[:6], good[6:], pause=PAUSE)
    await talk.expect(Error, "ERROR 2 for the first of the two", clauses.STREAM)
    await match.answered(0, clauses.STREAM)


@server("c4n.framing.unseparated", "two messages without anything between them", clauses.STREAM, SHOULD)
async def unseparated(exam: ServerExam) -> None:
    if exam.habits.pairs:
        skip("a player cannot move before the other has come")
    match = await Match.begin(exam, codec.HEADER + b"START" + codec.move(0))
    await match.answered(0, clauses.STREAM)


@server("c4n.framing.line-feed", "a line feed behind the number of MOVE", clauses.STREAM, SHOULD)
async def line_feed(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    for column in (0, 1):
        await match.mover.talk.send(codec.move(column) + b"\n")
        await match.answered(column, clauses.STREAM)


@server("c4n.framing.blank-lines", "empty lines before a message", clauses.STREAM, SHOULD)
async def blank_lines(exam: ServerExam) -> None:
    if exam.habits.pairs:
        skip("asked of servers that answer at once")
    talk, came = await called(exam, b"\n\n" + codec.START)
    if not isinstance(came, Board):
        raise talk.wrong(came, "BOARD: empty lines say nothing", clauses.STREAM)
