"""People who lose their connection, for tests of what becomes of their places."""

from parlour.core.house.hub import Hub
from parlour.core.table.ballot import START
from parlour.core.table.table import Table
from parlour.core.updates import CaughtUp
from parlour.core.words import (
    AnyEvent,
    Cap,
    SetBoard,
    TakeChair,
    Wish,
)
from tests.unit.core.people import Log, Person, Room, after_a_crash, enter, open_hub, open_pair, room

HOLD = 60.0
GONE_FOR_GOOD = Cap.ALL & ~Cap.RESUME
DOOR = room("door", 4, 4, start="ask", features=frozenset({"chat", "vote"}))
COUNTED = room("door", 4, 4)


def playing(*names: str, wish: Room = DOOR) -> tuple[Hub, Log, list[Person]]:
    """These people, who have just begun to play; a name in small letters is of somebody who cannot come back."""
    hub, log = open_hub()
    people = [
        Person(hub, name, GONE_FOR_GOOD if name.islower() else Cap.ALL).do(enter(wish, name, votes=True))
        for name in names
    ]
    for person in people:
        person.do(Wish(START))
    assert people[0].here.running
    return hub, log, people


def opposite(guest: Cap = Cap.ALL) -> tuple[Hub, Log, Person, Person]:
    """Two who have just begun to play at a table for two, Ann in the first chair."""
    hub, log = open_hub()
    ann = Person(hub, "Ann").do(open_pair())
    ben = Person(hub, "Ben", guest).do(TakeChair(ann.here.id))
    ann.do(SetBoard({"width": 3, "height": 3}))
    assert ann.here.running
    return hub, log, ann, ben


def back(hub: Hub, person: Person, table: Table, since: int = 0) -> Person:
    """The same person on another connection."""
    assert person.where == table.id
    return person.elsewhere(hub).resume(since)


def after_the_crash(log: Log) -> tuple[Hub, Log, Table]:
    """Another house that has read the log of the first, and its only table."""
    hub, _ = open_hub()
    hub, later = after_a_crash(hub, log, seed=7)
    (table,) = hub.tables.values()
    return hub, later, table


def logged(log: Log) -> list[AnyEvent]:
    return [record.event for record in log.records[1]]


def caught_up(person: Person) -> CaughtUp:
    return next(told for told in person.heard if isinstance(told, CaughtUp))


def wait(hub: Hub, seconds: float) -> None:
    end = hub.at + seconds
    while hub.at < end:
        hub.tick(min(end, hub.at + 0.5))
