"""Moves that an engine knows are made on the spot, though all places to think are taken."""

import pytest

from parlour.bots.levels import is_known
from parlour.bots.seat import Bots
from parlour.core.game import Position
from parlour.core.words import Play
from parlour.registry import games
from tests.unit.bots.house import House, Person
from tests.unit.bots.rogues import Raises
from tests.unit.bots.test_seat import Desk, seek


def after(key: str, *moves: str) -> Position:
    game = games()[key]
    position = game.start(game.options({}))
    for move in moves:
        position.play(move)
    return position


@pytest.mark.parametrize(("key", "level", "move"), [("noughts", "hard", "b2"), ("connect4", "master", "3")])
def test_an_answer_that_is_known_waits_for_no_worker(key: str, level: str, move: str) -> None:
    bots = Bots(games(), seed=1, workers=0)
    bots.pool = desk = Desk()
    house = House(bots)
    person = Person(house, silent=True)
    house.hub.submit(person.participant, seek(key, level))
    house.hub.submit(person.participant, Play(move))
    table = person.participant.table
    assert table is not None
    assert table.position is not None
    assert table.position.turn == 0
    assert not desk.tasks


@pytest.mark.parametrize(
    ("position", "level", "known"),
    [
        (after("noughts"), "medium", True),
        (after("connect4"), "master", True),
        (after("connect4", *"3333332"), "master", True),
        (after("connect4"), "hard", True),
        (after("connect4", *"3333332"), "hard", True),
        (after("connect4", *"33333324"), "hard", False),
        (after("connect4", *"333333244"), "master", True),
        (after("connect4", *"3333332442"), "master", False),
        (after("dots"), "master", False),
    ],
)
def test_what_is_known(position: Position, level: str, known: bool) -> None:
    game = next(each for each in games().values() if type(each.start(each.options({}))) is type(position))
    assert is_known(game.engine, position, level) is known


def test_an_engine_that_fails_knows_nothing() -> None:
    class Confused(Raises):
        def knows(self, position: Position, level: str) -> bool:
            raise RuntimeError(position, level)

    assert not is_known(Confused, after("noughts"), "master")
