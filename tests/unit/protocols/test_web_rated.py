"""A page is told whether a game is rated wherever the seats do not show it."""

import msgspec

from parlour.core.table.table import Table
from parlour.core.words import Leave, Leaving, Open, Play, Policy, SetBoard, Sit, TakeChair
from parlour.protocols.web.views import snapshot
from tests.unit.core.people import Person, open_pair
from tests.world import World

THREE = Open("dots", {"width": 3, "height": 3, "players": 3}, policy=Policy(leaving=Leaving.SKIPS))


def member(world: World, name: str) -> Person:
    person = Person(world.hub, name)
    person.account = name
    return person


def at(person: Person) -> Table:
    return person.here


def test_the_seats_show_it_as_a_rule() -> None:
    world = World()
    ann = member(world, "Ann").do(THREE)
    for name in ("Ben", "Cid"):
        member(world, name).do(Sit(at(ann).id))
    assert at(ann).running
    assert snapshot(at(ann), 0.0).rated is msgspec.UNSET


def test_a_rated_game_that_one_of_three_has_left_is_said_to_be_one() -> None:
    world = World()
    ann = member(world, "Ann").do(THREE)
    ben, _ = (member(world, name).do(Sit(at(ann).id)) for name in ("Ben", "Cid"))
    ben.do(Leave())
    assert at(ann).running
    assert snapshot(at(ann), 0.0).rated is True


def test_a_game_that_another_member_goes_on_with_is_said_to_be_none() -> None:
    world = World()
    ann, ben, cid = (member(world, name) for name in ("Ann", "Ben", "Cid"))
    ann.do(open_pair(most=25))
    table = at(ann)
    ben.do(TakeChair(table.id, most=25))
    ann.do(SetBoard({"width": 3, "height": 3})).do(Play("h 0 0")).do(Leave())
    cid.do(TakeChair(table.id, most=25))
    assert table.running
    assert snapshot(table, 0.0).rated is False
