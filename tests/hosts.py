"""The host of a house and its people, as tests have them without pages."""

from collections.abc import Callable

from parlour.core.house.hosting import Hosting, Person
from parlour.server.desk import Desk
from tests.world import World


def act(world: World, action: Callable[[Desk, Hosting], object]) -> object:
    """Let the host do something."""
    desk, hosting = Desk(world.house), world.hub.service(Hosting)
    done = desk.act(lambda: action(desk, hosting))
    world.run()
    return done


def people(world: World) -> list[Person]:
    return world.hub.service(Hosting).people(Desk(world.house).present())


def kick(world: World, person: Person, reason: str = "") -> None:
    act(world, lambda _, hosting: hosting.send_away(person, reason))
    Desk(world.house).dismiss({person.who, *person.connections})
    world.run()
    world.advance(1)


def mute(world: World, name: str) -> None:
    person = next(person for person in people(world) if person.who.name == name)
    act(world, lambda _, hosting: hosting.mute(person))
