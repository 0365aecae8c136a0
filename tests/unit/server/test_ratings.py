"""Ratings in a running server: what closed periods came to is kept, and what the log has lost never counted."""

from functools import partial

from parlour.core.errors import LocalError
from parlour.core.rated import Outcome
from parlour.core.words import Leave, Play, Resign, Seek
from parlour.ratings.book import DAY
from parlour.server.limits import LOG_RETRY_SECONDS
from tests.unit.core.people import Person
from tests.world import World

BEFORE = Outcome("noughts", 3 * DAY, ("Ann", "Ben"), (1, 2))


def begin(world: World) -> list[Person]:
    """Ann and Ben in a game of noughts where both have moved."""
    people = [Person(world.hub, name) for name in ("Ann", "Ben")]
    for person in people:
        person.account = person.name
        world.house.enter(partial(world.hub.submit, person, Seek("noughts", {})))
    table = people[0].table
    assert table is not None
    for move in ("a1", "b2"):
        assert table.position is not None
        world.house.enter(partial(world.hub.submit, people[table.position.turn], Play(move)))
    world.run()
    return people


def give_up(world: World, people: list[Person]) -> None:
    world.house.enter(partial(world.hub.submit, people[0], Resign()))
    for person in people:
        world.house.enter(partial(world.hub.submit, person, Leave()))
    world.run()


def test_a_closed_period_is_kept_when_the_first_game_of_the_next_one_is_in_the_log() -> None:
    world = World()
    world.store.rated = [BEFORE]
    world.house.count()
    assert world.store.ratings_kept == []
    people = begin(world)
    world.store.hold = True
    give_up(world, people)
    assert world.store.ratings_kept == []
    while world.store.waiting:
        world.store.let_through()
    assert [(row.account, row.period, row.upto) for row in world.store.ratings_kept] == [("Ann", 3, 1), ("Ben", 3, 1)]


def test_periods_that_were_over_before_the_start_are_kept_at_once() -> None:
    world = World()
    world.store.rated = [BEFORE, Outcome("noughts", 9 * DAY, ("Ann", "Ben"), (1, 2))]
    world.house.count()
    assert {row.period for row in world.store.ratings_kept} == {3}


def test_ratings_that_could_not_be_written_are_written_later() -> None:
    world = World()
    world.store.rated = [BEFORE, Outcome("noughts", 9 * DAY, ("Ann", "Ben"), (1, 2))]
    world.store.failure = LocalError("the disk is full")
    world.house.count()
    assert world.store.ratings_kept == []
    world.store.failure = None
    begin(world)
    assert {row.account for row in world.store.ratings_kept} == {"Ann", "Ben"}


def test_a_rated_game_whose_end_is_lost_changes_no_rating() -> None:
    world = World()
    world.store.rated = [BEFORE]
    world.house.count()
    before = world.house.book.ranking("noughts", 3 * DAY)
    people = begin(world)
    world.store.hold = True
    give_up(world, people)
    assert world.house.book.ranking("noughts", 3 * DAY) != before
    world.store.failure = LocalError("the disk is full")
    while world.store.waiting:
        world.store.let_through()
    world.store.failure, world.store.hold = None, False
    world.advance(LOG_RETRY_SECONDS + 1)
    assert world.hub.refusing is None
    assert world.house.book.ranking("noughts", 3 * DAY) == before
    assert world.store.ratings_kept == []
