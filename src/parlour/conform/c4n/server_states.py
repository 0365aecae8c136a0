"""Every message in every state of a conversation: before START, while waiting, in a game, after it."""

from collections.abc import Iterable
from typing import Any

from parlour.conform.c4n import clauses
from parlour.conform.c4n.goals import ANY_WIN, toward
from parlour.conform.c4n.match import CODES, SHORT, Match, still_served
from parlour.conform.c4n.suite import server
from parlour.conform.case import Clause, Severity, Shortfall, Violation, skip
from parlour.conform.conversation import Conversation, End, Silence, told
from parlour.conform.exam import ServerExam
from parlour.protocols.c4n import codec
from parlour.protocols.c4n.messages import INVALID_MESSAGE, INVALID_MOVE, UNKNOWN_ERROR, Board, Error, Result, Stop

BOARD = codec.empty_board(7, 6) + b"\n"
ROBUST = Severity.ROBUST

INVALID: tuple[tuple[str, str, bytes, Clause], ...] = (
    ("nonsense", "bytes that are no message", b"hello\n", clauses.HEADER),
    ("prefix", "START that begins with other letters than C4N", b"C5N 1.0 START\n", clauses.HEADER),
    ("version", "START of a version that there is not", b"C4N 9.9 START\n", clauses.VERSION),
    ("two-words", "a message without its version", b"C4N START\n", clauses.HEADER),
    ("type", "a type that there is not", b"C4N 1.0 HELLO\n", clauses.TYPES),
    ("board", "BOARD, which is for the server to say", BOARD, clauses.DIRECTION),
    ("result", "RESULT, which is for the server to say", codec.result(1) + b"\n", clauses.DIRECTION),
)
"""By a slug: what it is, its bytes, and the clause that makes it invalid."""
IN_A_GAME: tuple[tuple[str, str, bytes, Clause], ...] = (
    *((slug, title, data.replace(b"START", b"MOVE\n0"), clause) for slug, title, data, clause in INVALID[:4]),
    *INVALID[4:],
)
"""The same in a game, where START is another matter."""


async def complaints(
    exam: ServerExam, talk: Conversation, what: str, codes: Iterable[int] = (INVALID_MESSAGE,)
) -> list[Any]:
    """ERROR with one of these codes, once or oftener, or the end of the connection; nothing else. Returns what came."""
    first = await talk.receive(exam.seconds / 2)
    heard = [] if isinstance(first, Silence) else [first, *await talk.listen(SHORT / 3)]
    wanted = " or ".join(map(str, codes))
    for came in heard:
        if isinstance(came, Error) and came.code not in codes:
            known = clauses.ERROR_INVALID if came.code in CODES else clauses.ERROR_CODES
            raise Violation(f"ERROR {wanted} for {what}", told(came), known)
        if not isinstance(came, Error | End | Stop):
            raise talk.wrong(came, f"ERROR {wanted} for {what}")
    return heard


def _greeting(slug: str, title: str, data: bytes, clause: Clause) -> None:
    @server(f"c4n.greeting.{slug}", f"before START: {title}, is answered with ERROR 1", clause)
    async def script(exam: ServerExam) -> None:
        talk = await exam.connect()
        await talk.send(data)
        if not await complaints(exam, talk, title):
            await talk.leave()
            await still_served(exam, "a game for the next", clause)
            raise Shortfall(f"ERROR 1 for {title}", "nothing", clauses.ERROR_INVALID)


for each in INVALID:
    _greeting(*each)


@server("c4n.greeting.move", "MOVE without a game is not played", clauses.START_NEW)
async def early_move(exam: ServerExam) -> None:
    talk = await exam.connect()
    await talk.send(codec.move(3))
    if not await complaints(exam, talk, "MOVE before START", (INVALID_MESSAGE, INVALID_MOVE, UNKNOWN_ERROR)):
        raise Shortfall("ERROR for MOVE before START", "nothing", clauses.ERROR_INVALID)


async def _begins_nothing(exam: ServerExam, data: bytes, clause: Clause) -> None:
    talk = await exam.connect()
    await talk.send(data)
    for came in await talk.listen(SHORT):
        if isinstance(came, Board | Result):
            raise talk.wrong(came, "no game: none was asked for", clauses.START_NEW)
    await talk.leave()
    await still_served(exam, "a game for the next", clause)


@server("c4n.greeting.stop", "STOP before START begins nothing and breaks nothing", clauses.STOP_ENDS)
async def early_stop(exam: ServerExam) -> None:
    await _begins_nothing(exam, codec.STOP + b"\n", clauses.STOP_ENDS)


@server("c4n.greeting.error", "ERROR before START begins nothing and breaks nothing", clauses.ERROR_ANY, ROBUST)
async def early_error(exam: ServerExam) -> None:
    await _begins_nothing(exam, codec.error(UNKNOWN_ERROR) + b"\n", clauses.ERROR_ANY)


# --- waiting for a second person -----------------------------------------------------------------------------------


@server("c4n.waiting.move", "MOVE while nobody sits opposite is not played", clauses.MOVE_TURN)
async def lonely_move(exam: ServerExam) -> None:
    if not exam.habits.pairs:
        skip("the server plays itself, so nobody waits")
    first = await exam.connect()
    await first.send(codec.START)
    await first.expect_silence(SHORT, "nothing, while nobody sits opposite", clauses.START_BOARD)
    await first.send(codec.move(0))
    heard = await complaints(exam, first, "MOVE before the game", CODES)
    if any(isinstance(came, End) for came in heard):
        return
    await (await exam.connect()).send(codec.START)
    board = await first.expect(Board, "BOARD, now that there are two", clauses.START_BOARD)
    if board.cells.strip(b"0"):
        talk_of = "the initial board: MOVE came before the game"
        raise first.wrong(board, talk_of, clauses.MOVE_TURN)


@server("c4n.waiting.leave", "who leaves while waiting is not seated", clauses.START_NEW)
async def lonely_leaver(exam: ServerExam) -> None:
    if not exam.habits.pairs:
        skip("the server plays itself, so nobody waits")
    for farewell in (b"", codec.STOP):
        talk = await exam.connect()
        await talk.send(codec.START)
        await talk.expect_silence(SHORT, "nothing, while nobody sits opposite", clauses.START_BOARD)
        await talk.send(farewell)
        await talk.leave()
    await still_served(exam, "a game for the next two", clauses.START_BOARD)


# --- in a game -----------------------------------------------------------------------------------------------------


def _in_a_game(slug: str, title: str, data: bytes, clause: Clause) -> None:
    @server(f"c4n.playing.{slug}", f"in a game: {title}, is answered with ERROR 1", clause)
    async def script(exam: ServerExam) -> None:
        match = await Match.begin(exam)
        await match.mover.talk.send(data)
        heard = await complaints(exam, match.mover.talk, title)
        if any(isinstance(came, End) for came in heard):
            return  # the document does not say that a game goes on after that
        await match.play(0)
        if not heard:
            raise Shortfall(f"ERROR 1 for {title}", "nothing; the game goes on", clauses.ERROR_INVALID)


for each in IN_A_GAME:
    _in_a_game(*each)


@server("c4n.playing.start", "START in a running game breaks nothing", clauses.START_NEW, ROBUST)
async def second_start(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    talk = match.mover.talk
    await talk.send(codec.START)
    heard = await talk.listen(SHORT)
    if not any(isinstance(came, Board | End | Stop) for came in heard):
        await match.play(0)  # the document does not say that START ends a game
    await talk.leave()
    await still_served(exam, "a game for the next", clauses.START_NEW)


@server("c4n.playing.stop", "STOP ends the game", clauses.STOP_ENDS)
async def stop(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.play(0)
    await _stopped(match, match.mover.talk)


@server("c4n.playing.stop-first", "STOP ends a game in which nobody has moved", clauses.STOP_ENDS)
async def stop_first(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await _stopped(match, match.mover.talk)


async def _stopped(match: Match, talk: Conversation) -> None:
    """STOP is no invalid message, and no game goes on after it."""
    await talk.send(codec.STOP)
    heard = await talk.listen(2 * SHORT)
    for came in heard:
        if isinstance(came, Error) and came.code in (INVALID_MESSAGE, INVALID_MOVE):
            raise talk.wrong(came, "the end of the game: STOP is a valid message", clauses.STOP_ENDS)
        if isinstance(came, Board | Result):
            raise talk.wrong(came, "the end of the game: it was not ended by play", clauses.STOP_ENDS)
    if talk.ended is None:
        await talk.send(b"\n" + codec.move(int(match.position.legal()[0])))
        for each in (talk, *(player.talk for player in match.players if player.talk is not talk)):
            for came in await each.listen(2 * SHORT):
                if isinstance(came, Board | Result):
                    raise each.wrong(came, "no move any more: STOP has ended the game", clauses.STOP_ENDS)


@server("c4n.playing.stop-others", "STOP leaves the server standing", clauses.STOP_ENDS, ROBUST)
async def stop_others(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send(codec.STOP)
    await match.mover.talk.listen(SHORT)
    for player in match.players:
        await player.talk.leave()
    await still_served(exam, "a game for the next", clauses.STOP_ENDS)


@server("c4n.playing.error", "ERROR of a client breaks nothing", clauses.ERROR_ANY, ROBUST)
async def clients_error(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send(codec.error(UNKNOWN_ERROR) + b"\n")
    await match.mover.talk.listen(SHORT)
    for player in match.players:
        await player.talk.leave()
    await still_served(exam, "a game for the next", clauses.ERROR_ANY)


@server("c4n.playing.lower-case", "a type in small letters is no type", clauses.TYPES, Severity.SHOULD)
async def lower_case(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    await match.mover.talk.send(b"C4N 1.0 move\n0\n")
    await complaints(exam, match.mover.talk, "a type in small letters")


@server("c4n.turn.other", "a MOVE of the player who is not on turn is not played", clauses.MOVE_TURN)
async def out_of_turn(exam: ServerExam) -> None:
    if not exam.habits.pairs:
        skip("the server plays itself: it is always the player's turn")
    match = await Match.begin(exam)
    await match.play(0)
    waiting = next(player for player in match.players if player is not match.mover)
    await waiting.talk.send(codec.move(1))
    for came in await waiting.talk.listen(SHORT):
        if isinstance(came, Error) and came.code == INVALID_MESSAGE:
            raise Shortfall("ERROR 2 for a move out of turn", told(came), clauses.MOVE_REFUSED)
        if not isinstance(came, Error | Board):
            raise waiting.talk.wrong(came, "ERROR 2 for a move out of turn", clauses.MOVE_TURN)
    await match.play(2)


# --- after it ------------------------------------------------------------------------------------------------------


@server("c4n.over.move", "a MOVE behind the last one changes nothing", clauses.RESULT_END, ROBUST)
async def late_move(exam: ServerExam) -> None:
    match = await Match.begin(exam)
    if exam.habits.pairs:
        for column in (0, 1, 0, 1, 0, 1):
            await match.play(column)
        column = 0
    else:
        column = await _about_to_win(match)
    await match.mover.talk.send(codec.move(column) + b"\n" + codec.move(column) + b"\n")
    await match.answered(column)


async def _about_to_win(match: Match) -> int:
    """Play up to where a move wins; returns the move."""
    seat = match.ours.seat
    while not match.over:
        for move in match.position.legal():
            after = match.position.copy()
            after.play(move)
            if seat in after.winners():
                return int(move)
        column = toward(ANY_WIN, match.position, seat, match.exam.rng)
        await match.play(int(match.position.legal()[0]) if column is None else column)
    return skip("the server did not let itself be beaten")
