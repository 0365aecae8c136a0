"""Every way in which a game ends: won, lost, drawn, at the edges and in the middle; and games that must go on."""

from parlour.conform.c4n import clauses
from parlour.conform.c4n.goals import (
    ANY_LOSS,
    ANY_WIN,
    DRAW,
    EDGES,
    FIVE,
    GAP,
    THREES,
    TWO_LINES,
    WAYS,
    WRAPPED,
    Goal,
    loss,
    win,
)
from parlour.conform.c4n.match import DOCUMENT, Match, play_out
from parlour.conform.c4n.suite import server
from parlour.conform.case import Clause
from parlour.conform.exam import ServerExam
from parlour.conform.games import search
from parlour.protocols.c4n import codec

SLUGS = {"across": "row", "up": "column", "rising": "rising", "falling": "falling"}


def _ending(slug: str, title: str, goal: Goal, clause: Clause = clauses.RESULT_WINNER) -> None:
    @server(f"c4n.result.{slug}", title, clause)
    async def script(exam: ServerExam) -> None:
        await play_out(exam, goal)


_ending("win", "who has four in line wins: RESULT 1", ANY_WIN)
_ending("loss", "when the other side has four in line, RESULT is 2", ANY_LOSS)
_ending("draw", "a full board without four in line has no winner", DRAW)
_ending("closed", "after RESULT the server closes the connection", ANY_LOSS, clauses.RESULT_END)
for way, slug in SLUGS.items():
    _ending(f"win-{slug}", f"four in {WAYS[way]} win", win(way))
    for edge in EDGES:
        _ending(f"win-{slug}-{edge}", f"four in {WAYS[way]} win at the {edge} edge", win(way, edge))
    _ending(f"loss-{slug}", f"four of the other side in {WAYS[way]} win", loss(way))
_ending("five", "five in line win as well", FIVE)
_ending("gap", "a row that is closed in its middle wins", GAP)
_ending("two-lines", "two lines with one token are one win", TWO_LINES)
_ending("three", "three in line win nothing", THREES)
_ending("wrapped", "four around the end of a row are no line", WRAPPED)


@server(
    "c4n.result.last-board",
    "the BOARD after the last move comes before RESULT",
    clauses.MOVE_BOARDS,
    dialects=[DOCUMENT],
)
async def last_board(exam: ServerExam) -> None:
    await play_out(exam, ANY_WIN)


# --- games that nobody has thought of ------------------------------------------------------------------------------


@server("c4n.games.random", "games with any moves, possible or not, go by the rules", clauses.BOARD_STATE)
async def random_games(exam: ServerExam) -> None:
    from hypothesis import strategies

    columns = strategies.integers(-1, exam.habits.columns)
    await search(exam, strategies.lists(columns, max_size=30), lambda moves: _played(exam, moves), _spelled)


@server("c4n.games.cut", "games whose bytes come in any pieces go by the rules", clauses.STREAM)
async def cut_games(exam: ServerExam) -> None:
    from hypothesis import strategies

    columns = strategies.integers(0, exam.habits.columns - 1)
    moves = strategies.lists(strategies.tuples(columns, strategies.integers(1, 13)), max_size=10)
    await search(exam, moves, lambda moves: _cut(exam, moves), _spelled, examples=6)


async def _played(exam: ServerExam, moves: list[int]) -> None:
    match = await Match.begin(exam)
    for column in moves:
        if match.over:
            return
        if match.position.check(str(column)) is None:
            await match.play(column)
        else:
            await match.refused(str(column).encode())


async def _cut(exam: ServerExam, moves: list[tuple[int, int]]) -> None:
    match = await Match.begin(exam)
    for column, at in moves:
        if match.over or match.position.check(str(column)) is not None:
            return
        data = codec.move(column)
        await match.mover.talk.send(data[:at], data[at:], pause=0.02)
        await match.answered(column, clauses.STREAM)


def _spelled(moves: object) -> str:
    return str(moves)
