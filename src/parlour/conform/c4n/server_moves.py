"""MOVE and the BOARDs that answer it."""

from parlour.conform.c4n import clauses
from parlour.conform.c4n.goals import FULL_COLUMN, composed
from parlour.conform.c4n.match import DOCUMENT, ORIGINAL, SHORT, TRIES, Match, play_moves
from parlour.conform.c4n.suite import server
from parlour.conform.case import Clause, Severity, Violation, skip
from parlour.conform.conversation import End, Silence
from parlour.conform.exam import ServerExam
from parlour.core.game import NOBODY
from parlour.games.connect4.rules import shape
from parlour.protocols.c4n.messages import INVALID_MESSAGE, INVALID_MOVE, UNKNOWN_ERROR, Board, Stop

EITHER = (INVALID_MESSAGE, INVALID_MOVE, UNKNOWN_ERROR)
"""Where the document does not say whether it is the message or the move that is invalid."""


@server("c4n.move.boards", "a move is answered with two BOARDs", clauses.MOVE_BOARDS, dialects=[DOCUMENT])
async def two_boards(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    for column in range(3):
        await match.play(column)
    if any(player.passed_over for player in match.players):
        raise Violation("two BOARDs: after the player's move, and after the other side's", "the second one alone")


@server(
    "c4n.move.board", "a move is answered with a BOARD after the AI's move", clauses.MOVE_BOARDS, dialects=[ORIGINAL]
)
async def one_board(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    for column in range(3):
        await match.play(column)


@server("c4n.move.turns", "after the answer it is the player's turn, and nothing more comes", clauses.MOVE_TURN)
async def turns(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    for column in (0, 1):
        await match.play(column)
        talk = match.mover.talk
        came = await talk.receive(SHORT)
        if isinstance(came, Board):
            raise talk.wrong(came, "nothing until the player moves: the AI has moved once", clauses.MOVE_TURN)


@server("c4n.move.columns", "every column takes a token, and it falls there", clauses.MOVE_INDEX)
async def columns(exam: ServerExam) -> None:
    missing = set(range(exam.habits.columns))
    for _ in range(TRIES):
        match = await Match.begin(exam)
        while missing and not match.over:
            column = min(missing)
            if column in match.full_columns():
                break
            missing.remove(column)
            await match.play(column)
        for player in match.players:
            await player.talk.leave()
        if not missing:
            return
    skip(f"the games were over before the columns {sorted(missing)} were tried")


@server("c4n.move.stack", "tokens in one column lie on top of each other", clauses.BOARD_CELLS)
async def stack(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    for _ in range(3):
        await match.play(next(int(move) for move in ("0", "1") if match.position.check(move) is None))


@server("c4n.move.corners", "the first and the last column are where they belong", clauses.BOARD_CELLS)
async def corners(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    for column in (exam.habits.columns - 1, 0, exam.habits.columns - 1):
        await match.play(column)


@server("c4n.move.full", "a token into a full column is answered with ERROR 2", clauses.MOVE_REFUSED)
async def full_column(exam: ServerExam) -> None:
    match = await _with_full_column(exam)
    column = match.full_columns()[0]
    await match.refused(str(column).encode())
    await match.play(int(match.position.legal()[0]))


@server("c4n.move.full-last", "a full last column is refused, too", clauses.MOVE_REFUSED)
async def last_full(exam: ServerExam) -> None:
    for _ in range(TRIES):
        match = await _with_full_column(exam)
        if exam.habits.columns - 1 in match.full_columns():
            await match.refused(str(exam.habits.columns - 1).encode())
            await match.play(int(match.position.legal()[0]))
            return
        for player in match.players:
            await player.talk.leave()
        if exam.clock.spent():
            break
    skip("the last column was never the full one")


async def _with_full_column(exam: ServerExam) -> Match:
    """A game in which a column is full and the game goes on."""
    habits = exam.habits
    if habits.pairs:
        moves = composed(FULL_COLUMN, shape(habits.columns, habits.rows), 0, exam.rng)
        if moves is None:
            skip("no column of this board can be filled")
        return await play_moves(exam, moves)
    for _ in range(TRIES):
        match = await Match.begin(exam)
        if await match.play_for(FULL_COLUMN) and match.position.turn != NOBODY:
            return match
        for player in match.players:
            await player.talk.leave()
    return skip("no column was filled before the games were over")


async def _ends(match: Match) -> bool:
    """Whether the server ends the game; it may not say anything else now."""
    talk = match.mover.talk
    came = await talk.receive(SHORT)
    if not isinstance(came, Silence | Stop | End):
        raise talk.wrong(came, "nothing more: the move was refused", clauses.MOVE_REFUSED)
    return not isinstance(came, Silence)


def _refusal(slug: str, title: str, text: str, codes: tuple[int, ...], clause: Clause = clauses.MOVE_REFUSED) -> None:
    @server(f"c4n.move.{slug}", f"{title} is refused, and the turn stays", clause)
    async def script(exam: ServerExam) -> None:
        match = await Match.begin(exam)
        data = text.format(columns=exam.habits.columns).encode()
        for column in (0, 1):
            code = await match.refused(data, codes)
            if code != INVALID_MOVE and await _ends(match):
                return  # the document does not say that a game goes on after an invalid message
            await match.play(column)


_refusal("beyond", "the first column that there is not", "{columns}", (INVALID_MOVE,))
_refusal("far", "column 1000", "1000", (INVALID_MOVE,))
_refusal("negative", "column -1", "-1", (INVALID_MOVE,), clauses.MOVE_INDEX)
_refusal("very-negative", "column -1000", "-1000", (INVALID_MOVE,))
_refusal("huge", "a column of more digits than a machine's number has", "18446744073709551616", EITHER)
_refusal("letter", "a letter for a column", "A\n", EITHER, clauses.LENGTH)


@server("c4n.move.refused-often", "a player may err as often as they like", clauses.MOVE_REFUSED)
async def refused_often(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    for number in range(8):
        await match.refused(str(exam.habits.columns + number).encode())
    await match.play(0)


@server("c4n.move.refused-once", "one wrong move is refused once, and no BOARD comes for it", clauses.MOVE_REFUSED)
async def refused_once(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    talk = match.mover.talk
    await match.refused(str(exam.habits.columns).encode())
    await talk.expect_silence(SHORT, "nothing more: the move was refused", clauses.MOVE_REFUSED)


@server("c4n.move.blanks", "a number may have blanks around it", clauses.LENGTH, Severity.SHOULD)
async def blanks(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send(b"C4N 1.0 MOVE\n 1 \n")
    await match.answered(1)
