"""Save games of GGZ's Dots say of a game all that they can, also those that the original server writes of its bots."""

import contextlib
import io
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.cli import main
from parlour.core.game import NOBODY
from parlour.core.table.table import Table
from parlour.core.words import First, Leave, Leaving, Open, Play, Policy, Resign, Sit
from parlour.games.dots import GAME, DotsPosition
from parlour.tools import ggz_save
from parlour.tools.ggz_save import Drew, Save
from parlour.tools.scoresheet import Unplayable
from tests.unit.core.people import Person
from tests.unit.store.club import Club, open_club

SIZES = st.tuples(st.integers(2, 6), st.integers(2, 6))
SEEDS = st.integers(0, 1_000_000)

LINES = [
    *(f"player{number} move {line}" for number in (1, 2) for line in ("0 0 vertical", "1 0 vertical")),
    *(f"player{number} move {line}" for number in (1, 2) for line in ("0 0 horizontal", "0 1 horizontal")),
    *(f"player{number} {what}" for number in (1, 2, 3) for what in ("join Ann", "leave Ann", "join", "winner", "move")),
    *("width 2", "width 3", "height", "tie game", "players tie", "player", "", "\t#\x00"),
]


def run(*words: str) -> str:
    """What a command that succeeds prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert main(words) == 0
    return out.getvalue()


def some_game(club: Club, dice: Random, width: int, height: int) -> str:
    """The id of a game with leavers and those who take their seats; it may end early."""
    ann = Person(club.hub, "Ann B").do(
        Open(
            "dots",
            {"width": width, "height": height},
            dice.randrange(2),
            Policy(leaving=Leaving.OPENS, first=First.TOSS),
        )
    )
    table = ann.here
    seats = [ann, Person(club.hub, "Ben").do(Sit(table.id))]
    stop = dice.choice((0, 3, 1000, 1000))
    while table.running and table.position is not None and len(table.moves) < stop:
        seat = table.seats[table.position.turn]
        assert seat is not None
        assert isinstance(seat.who, Person)
        if dice.random() < 0.05:
            leaver = dice.choice(seats)
            seats[seats.index(leaver)] = newcomer = Person(club.hub, dice.choice(("Cy", "\tDi\x1b", "")))
            leaver.do(Leave())
            newcomer.do(Sit(table.id))
        else:
            seat.who.do(Play(dice.choice(table.position.legal())))
    if table.running and dice.random() < 0.5:
        dice.choice(seats).do(dice.choice((Leave(), Resign())))
    assert club.settle() is None
    assert isinstance(table, Table)
    return table.game_id


@given(size=SIZES, seed=SEEDS)
@settings(max_examples=40, deadline=None)
def test_export_import_and_export_are_the_same(size: tuple[int, int], seed: int) -> None:
    with TemporaryDirectory() as folder:
        here, there, file = Path(folder, "here"), Path(folder, "there"), Path(folder, "savegame.a1b2c3")
        club = open_club(here, seed)
        game_id = some_game(club, Random(seed), *size)
        club.store.close()
        text = run("export", game_id, "--format", "ggz", "--data", str(here))
        file.write_text(text)
        again = run("import", str(file), "--data", str(there)).strip()
        assert run("export", again, "--format", "ggz", "--data", str(there)) == text


def played(dice: Random, width: int, height: int) -> tuple[list[Drew], DotsPosition]:
    """A whole game at random, but for boxes: those are taken more often than not, as bots do."""
    position = GAME.start({"width": width, "height": height, "players": 2})
    moves: list[Drew] = []
    while position.turn != NOBODY:
        legal = position.legal()
        closing = [move for move in legal if 3 in (position.drawn[box] for box in beside(position, move))]
        move = dice.choice(closing if closing and dice.random() < 0.8 else legal)
        moves.append(Drew(position.turn, move))
        position.play(move)
    return moves, position


def beside(position: DotsPosition, move: str) -> tuple[int, ...]:
    return position.shape.touching[position.shape.index[move]]


def as_the_original(moves: list[Drew], bot: int) -> list[Drew]:
    """The moves as a GGZ server writes them when one of the two is its own bot."""
    written: list[Drew] = []
    streak: list[Drew] = []
    for drew in moves:
        if drew.seat == bot:
            streak.insert(0, drew)
        else:
            written += [*streak, drew]
            streak = []
    return written


@given(size=SIZES, seed=SEEDS, bot=st.integers(0, 1))
@settings(max_examples=300, deadline=None)
def test_what_the_original_writes_of_a_bot_is_the_game_that_was_played(
    size: tuple[int, int], seed: int, bot: int
) -> None:
    moves, end = played(Random(seed), *size)
    written = as_the_original(moves, bot)
    save = ggz_save.parse(ggz_save.text(Save(*size, tuple(written), end.winners())).encode())
    mended = ggz_save.mend(save)
    assert mended.save.winners == end.winners()
    assert mended.position.scores() == end.scores()
    steps = [(step.seat, step.move) for step in mended.save.steps if isinstance(step, Drew)]
    whole = [(drew.seat, drew.move) for drew in moves]
    assert steps[: len(written)] == whole[: len(written)]
    assert sorted(steps) == sorted(whole)


@given(chosen=st.lists(st.sampled_from(LINES), max_size=25))
@settings(max_examples=300, deadline=None)
def test_any_lines_are_a_game_or_a_reason(chosen: list[str]) -> None:
    with contextlib.suppress(Unplayable):
        mended = ggz_save.mend(ggz_save.parse("\n".join(["width 2", "height 2", *chosen]).encode()))
        again = ggz_save.mend(ggz_save.parse(ggz_save.text(mended.save).encode()))
        assert again.save.winners == mended.save.winners
        assert again.notes == ()
