"""People in a room, for tests of what happens there."""

from parlour.core.house.hub import Hub
from parlour.core.table.ballot import START
from parlour.core.words import Cap, Command, Play, Wish
from tests.unit.core.people import Log, Person, Room, enter, open_hub, room

GONE_FOR_GOOD = Cap.ALL & ~Cap.RESUME
"""What a wire can say whose people do not come back when they vanish."""
DOOR = room("door", 3, 3)
ASK = room("door", 3, 3, start="ask")
VOTES = room("door", 3, 3, start="ask", features=frozenset({"chat", "vote"}))


def come(hub: Hub, *names: str, wish: Room = DOOR, ready: bool = True) -> list[Person]:
    """These people, who enter one after the other."""
    return [Person(hub, name, GONE_FOR_GOOD).do(enter(wish, name, ready=ready, votes=True)) for name in names]


def wait(hub: Hub, seconds: float) -> None:
    """Let time pass in steps smaller than a countdown's."""
    end = hub.at + seconds
    while hub.at < end:
        hub.tick(min(end, hub.at + 0.25))


def playing(*names: str, wish: Room = DOOR) -> tuple[Hub, Log, list[Person]]:
    """These people, who have just begun to play."""
    hub, log = open_hub()
    people = come(hub, *names, wish=wish)
    if wish.policy.start == "ask":
        for person in people:
            person.do(Wish(START))
    else:
        wait(hub, 3)
    assert people[0].here.running
    return hub, log, people


def play_out(people: list[Person]) -> None:
    """Play the first legal moves until the game is over."""
    table = people[0].here
    while table.running:
        assert table.position is not None
        people[table.position.turn].do(Play(table.position.legal()[0]))


def everybody_says(people: list[Person], command: Command) -> None:
    for person in people:
        person.do(command)
