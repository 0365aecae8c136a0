"""Clients: START, turns, moves."""

import asyncio
import re

from parlour.conform.c4n import clauses
from parlour.conform.c4n.host import Host
from parlour.conform.c4n.match import DOCUMENT, SHORT
from parlour.conform.c4n.suite import client
from parlour.conform.case import Severity, Shortfall, Violation, skip
from parlour.conform.conversation import Silence, told
from parlour.conform.exam import ClientExam
from parlour.core.game import NOBODY
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.messages import INVALID_MOVE, Move

SHOULD = Severity.SHOULD
_HEADER = re.compile(rb"C4N 1\.0 (?:START[ \t]*(?:\r?\n)?|STOP[ \t]*(?:\r?\n)?|(?:MOVE|ERROR)[ \t]*\r?\n[ \t]*\d+\s*)")


def _strictly(exam: ClientExam) -> None:
    """What the client has sent has one blank where one belongs, and a line feed before data."""
    sent = b"".join(segment.data for segment in exam.segments if segment.sender == "C")
    if not re.fullmatch(rb"\s*(?:" + _HEADER.pattern + rb")*", sent):
        raise Violation("“C4N 1.0 TYPE”, and data behind a line feed", repr(sent[:60]), clauses.HEADER)


@client("c4n.client-start.start", "START is the first word", clauses.START_NEW)
async def start(exam: ClientExam) -> None:
    await Host.greeted(exam)


@client("c4n.client-start.header", "START is spelled as the document has it", clauses.HEADER)
async def start_header(exam: ClientExam) -> None:
    await Host.greeted(exam)
    _strictly(exam)


@client("c4n.client-start.once", "the client waits for the board, and says nothing meanwhile", clauses.MOVE_TURN)
async def once(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    exam.type("3")
    await host.quiet(2 * SHORT, "nothing until the initial board comes", clauses.MOVE_TURN)
    await host.send(host.board())
    await host.move(3)


@client("c4n.client-start.late-board", "a board that takes its time is waited for", clauses.START_BOARD)
async def late_board(exam: ClientExam) -> None:
    host = await Host.greeted(exam)
    await asyncio.sleep(1.2)
    await host.send(host.board())
    await host.move()


@client("c4n.client-start.no-second", "START is said once", clauses.START_NEW)
async def no_second_start(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move()
    await host.send(b"".join(host.answer()))
    await host.move()
    if exam_said(exam).count(b"START") != 1:
        raise Violation("one START in a game", f"{exam_said(exam).count(b'START')} of them")


def exam_said(exam: ClientExam) -> bytes:
    """All that the client has sent."""
    return b"".join(segment.data for segment in exam.segments if segment.sender == "C")


# --- moves ---------------------------------------------------------------------------------------------------------


@client("c4n.client-move.first", "the initial board is answered with MOVE", clauses.MOVE_TURN)
async def first(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move(3)


@client("c4n.client-move.header", "MOVE is spelled as the document has it", clauses.DATA)
async def move_header(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move(3)
    _strictly(exam)


@client("c4n.client-move.one", "a turn is one MOVE", clauses.MOVE_TURN)
async def one(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move(2)
    await host.quiet(2 * SHORT, "nothing until the server has answered", clauses.MOVE_TURN)


@client("c4n.client-move.index", "what is typed is what is sent: columns count from 0", clauses.MOVE_INDEX)
async def index(exam: ClientExam) -> None:
    if exam.program is None:
        skip("nobody knows here what the person types")
    host = await Host.begin(exam)
    typed, sent = [], []
    for column in (5, 0, 3, 6):
        typed.append(column)
        sent.append(await host.move(column))
        if host.position.turn == NOBODY:
            break
        await host.send(b"".join(host.answer(_other(host))))
    if typed == sent:
        return
    if len({was - wish for was, wish in zip(sent, typed, strict=True)}) == 1:
        raise Violation(f"MOVE {typed}", f"MOVE {sent}: every column is as far off", clauses.MOVE_INDEX)
    skip(f"the client plays by itself: it was told {typed} and played {sent}")


def _other(host: Host) -> int:
    """Returns a column for our answer that is not in the way of the case."""
    return next(column for column in (1, 2, 4) if host.position.check(str(column)) is None)


@client("c4n.client-move.turns", "turn after turn, one MOVE each", clauses.MOVE_TURN)
async def turns(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    for _ in range(6):
        await host.move()
        if host.position.turn == NOBODY:
            return
        await host.send(b"".join(host.answer(_safe(host))))
        if host.position.turn == NOBODY:
            return


def _safe(host: Host) -> int:
    """Our answer that does not end the game, if there is one."""
    for move in host.position.legal():
        after = host.position.copy()
        after.play(move)
        if after.turn != NOBODY:
            return int(move)
    return int(host.position.legal()[0])


@client("c4n.client-move.boards-apart", "the player's own BOARD is no turn", clauses.MOVE_BOARDS, dialects=[DOCUMENT])
async def boards_apart(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move(0)
    own, both = host.answer()
    await host.send(own)
    exam.type("1")
    await host.quiet(1.0, "nothing: the AI has not moved yet", clauses.MOVE_BOARDS)
    await host.send(both)
    await host.move(1)


@client(
    "c4n.client-move.boards-merged", "two BOARDs in one segment are one turn", clauses.MOVE_BOARDS, dialects=[DOCUMENT]
)
async def boards_merged(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move(0)
    await host.send(b"".join(host.answer()))
    await host.move(1)
    await host.quiet(2 * SHORT, "one MOVE for the two BOARDs", clauses.MOVE_TURN)


@client("c4n.client-move.boards-spaced", "blanks between two BOARDs mean nothing", clauses.STREAM, dialects=[DOCUMENT])
async def boards_spaced(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await host.move(0)
    own, both = host.answer()
    await host.send(own + b" \n " + both)
    await host.move(1)


def _only(slug: str, title: str, column: int) -> None:
    @client(f"c4n.client-move.only-{slug}", f"when {title} alone has room, the token goes there", clauses.BOARD_CELLS)
    async def script(exam: ClientExam) -> None:
        host = await Host.with_room_in(exam, column)
        await host.move(column)


_only("left", "the leftmost column", 0)
_only("right", "the rightmost column", 6)
_only("second", "the second column", 1)
_only("fifth", "the fifth column", 4)


def _sized(slug: str, columns: int, height: int, column: int) -> None:
    @client(
        f"c4n.client-move.size-{slug}",
        f"on {columns} columns and {height} rows, column {column} alone has room",
        clauses.BOARD_SIZES,
        SHOULD,
        [DOCUMENT],
    )
    async def script(exam: ClientExam) -> None:
        host = await Host.with_room_in(exam, column, columns, height)
        await host.move(column)


_sized("small", 5, 4, 4)
_sized("wide", 9, 7, 8)
_sized("high", 4, 8, 2)


@client("c4n.client-move.checks-full", "a full column that is typed is not sent", clauses.MOVE_CHECKED, SHOULD)
async def checks_full(exam: ClientExam) -> None:
    if exam.program is None:
        skip("nobody knows here what the person types")
    host = await Host.with_room_in(exam, 2)
    exam.type("5")
    came = await host.talk.receive(1.0)
    if isinstance(came, Move) and came.column == 5:
        raise Shortfall("no MOVE into a full column", told(came), clauses.MOVE_CHECKED)
    if isinstance(came, Silence):
        await host.move(2)


@client("c4n.client-move.checks-bounds", "a column that there is not is not sent", clauses.MOVE_CHECKED, SHOULD)
async def checks_bounds(exam: ClientExam) -> None:
    if exam.program is None:
        skip("nobody knows here what the person types")
    host = await Host.begin(exam)
    exam.type("7")
    came = await host.talk.receive(1.0)
    if isinstance(came, Move) and not 0 <= came.column < 7:
        raise Shortfall("no MOVE beyond the board", told(came), clauses.MOVE_CHECKED)
    if isinstance(came, Silence):
        await host.move(2)


# --- refusals ------------------------------------------------------------------------------------------------------


async def _refused(host: Host, times: int) -> int:
    """The client's MOVE is refused so often; returns the column of the one that is taken."""
    exam, tried = host.exam, []
    for column in range(times + 1):
        exam.type(str(column))
        came = await host.talk.receive()
        if not isinstance(came, Move):
            raise host.talk.wrong(came, "another MOVE: it is still the player's turn", clauses.MOVE_REFUSED)
        tried.append(came.column)
        if len(tried) <= times:
            await host.send(codec.error(INVALID_MOVE))
    return tried[-1]


@client("c4n.client-refused.again", "ERROR 2 is answered with another MOVE", clauses.MOVE_REFUSED)
async def again(exam: ClientExam) -> None:
    await _refused(await Host.begin(exam), 1)


@client("c4n.client-refused.twice", "ERROR 2 a second time is, too", clauses.MOVE_REFUSED)
async def twice(exam: ClientExam) -> None:
    await _refused(await Host.begin(exam), 2)


@client("c4n.client-refused.one", "one ERROR 2 is answered with one MOVE", clauses.MOVE_TURN)
async def refused_once(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    await _refused(host, 1)
    await host.quiet(2 * SHORT, "nothing until the server has answered", clauses.MOVE_TURN)


@client("c4n.client-refused.goes-on", "after ERROR 2 the game goes on", clauses.MOVE_REFUSED)
async def goes_on(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    column = await _refused(host, 1)
    host.position.turn = 0
    if host.position.check(str(column)) is None:
        host.position.play(str(column))
    await host.send(b"".join(host.answer(_safe(host))))
    await host.move()


@client("c4n.client-refused.other", "another column is tried than the one refused", clauses.MOVE_CHECKED, SHOULD)
async def another_column(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    exam.type("3")
    refused = await host.talk.expect(Move, "MOVE", clauses.MOVE_TURN)
    await host.send(codec.error(INVALID_MOVE))
    exam.type("4")
    came = await host.talk.expect(Move, "another MOVE", clauses.MOVE_REFUSED)
    if came.column == refused.column:
        raise Shortfall("a column that was not refused", told(came))


@client("c4n.client-refused.merged", "ERROR 2 with a line feed, as one segment", clauses.STREAM)
async def refused_with_line_feed(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    exam.type("0")
    await host.talk.expect(Move, "MOVE", clauses.MOVE_TURN)
    await host.send(codec.error(INVALID_MOVE) + b"\n")
    exam.type("1")
    await host.talk.expect(Move, "another MOVE", clauses.MOVE_REFUSED)


@client("c4n.client-start.never-board", "a client never says BOARD or RESULT", clauses.DIRECTION)
async def never_board(exam: ClientExam) -> None:
    host = await Host.begin(exam)
    for _ in range(3):
        await host.move()
        if host.position.turn == NOBODY:
            break
        await host.send(b"".join(host.answer(_safe(host))))
        if host.position.turn == NOBODY:
            break
    words = exam_said(exam)
    if b"BOARD" in words or b"RESULT" in words:
        raise Violation("START, MOVE, STOP and ERROR alone", repr(words[:60]), clauses.DIRECTION)
