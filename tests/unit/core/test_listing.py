"""Which tables there are, for those who show them: opened first, closed last, and nothing about moves."""

from random import Random

from parlour.core.errors import Refusal
from parlour.core.house.hub import Hub
from parlour.core.house.listing import Change, Notice
from parlour.core.table.people import Participant
from parlour.core.words import (
    Entitle,
    Extension,
    Leave,
    Leaving,
    Open,
    Play,
    Policy,
    Rename,
    Say,
    Seek,
    SetBoard,
    Sit,
    TakeChair,
)
from tests.unit.core.people import Log, Person, enter, open_hub, open_pair, room

DOOR = room("door", 3, 3)


class Reader:
    """Somebody who shows tables."""

    def __init__(self, hub: Hub) -> None:
        self.notices: list[Notice] = []
        self.stop = hub.listing.subscribe(self.notices.append)

    def changes(self) -> list[tuple[str, str]]:
        """What was heard since the last time."""
        new = [(notice.change.value, notice.table.id) for notice in self.notices]
        self.notices.clear()
        return new


def two(hub: Hub) -> tuple[Person, Person, Reader]:
    reader = Reader(hub)
    ann = Person(hub, "ann").do(open_pair(most=25))
    bob = Person(hub, "bob").do(TakeChair(ann.here.id, most=25))
    return ann, bob, reader


def test_command_leads_to_one_notice_however_much_it_changes() -> None:
    hub, _ = open_hub()
    ann, bob, reader = two(hub)
    table = ann.here.id
    assert reader.changes() == [("opened", table), ("changed", table)]
    ann.do(SetBoard({"width": 2, "height": 2}))
    assert reader.changes() == [("changed", table)]
    bob.do(Rename("Bob"))
    assert reader.changes() == [("changed", table)]
    ann.do(Entitle("come in"))
    assert reader.changes() == [("changed", table)]


def test_moves_chat_and_refusals_are_no_changes() -> None:
    hub, _ = open_hub()
    ann, bob, reader = two(hub)
    ann.do(SetBoard({"width": 2, "height": 2}))
    reader.changes()
    ann.do(Play("h 0 0")).do(Play("h 0 1")).do(Say("hm"))
    bob.do(SetBoard({"width": 3, "height": 3})).do(Play("h 0 1"))
    ann.do(Play("v 0 0"))
    assert reader.changes() == []
    bob.do(Play("v 1 0"))
    assert [change for change, _ in reader.changes()] == ["changed"], "the game is over"


def test_table_is_closed_last_and_then_nothing_is_said_of_it() -> None:
    hub, _ = open_hub()
    ann, bob, reader = two(hub)
    table = ann.here.id
    reader.changes()
    ann.do(Leave())
    bob.do(Leave())
    assert reader.changes() == [("changed", table), ("closed", table)]
    bob.do(Leave())
    assert reader.changes() == []


def test_table_that_nobody_has_heard_of_is_not_closed_aloud() -> None:
    hub, _ = open_hub()
    reader = Reader(hub)

    def open_and_leave() -> None:
        person = Person(hub, "ann")
        hub.matchmaker.enter(person, enter(DOOR, "ann"))
        hub.shut(person.here)

    hub.at_once(open_and_leave)
    assert reader.changes() == []
    assert not hub.listing.pending


def test_tables_without_a_room_are_listed_too() -> None:
    hub, _ = open_hub()
    reader = Reader(hub)
    ann = Person(hub, "ann").do(Open("noughts", {}))
    assert ann.table is not None
    table = ann.table.id
    assert reader.changes() == [("opened", table)]
    bob = Person(hub, "bob").do(Sit(table))
    assert reader.changes() == [("changed", table)]
    bob.do(Leave())
    assert reader.changes() == [("closed", table)]


def test_order_is_that_in_which_changes_began_and_numbers_count_on() -> None:
    hub, _ = open_hub()
    reader = Reader(hub)
    ann, bob = Person(hub, "ann").do(open_pair()), Person(hub, "bob").do(open_pair())
    first, second = ann.here, bob.here
    hub.listing.touch(second)
    hub.listing.touch(first)
    hub.listing.touch(second)
    hub.at_once(lambda: None)
    assert [notice.seq for notice in reader.notices] == [1, 2, 3, 4]
    assert reader.changes()[2:] == [("changed", second.id), ("changed", first.id)]


def test_what_a_notice_leads_to_is_done_before_anybody_else_speaks() -> None:
    hub, _ = open_hub()
    carol = Person(hub, "carol")

    def follow(notice: Notice) -> None:
        if notice.change is Change.OPENED:
            carol.do(TakeChair(notice.table.id, most=25))

    hub.listing.subscribe(follow)
    ann = Person(hub, "ann").do(open_pair(most=25))
    assert carol.table is ann.table, "without waiting for the next command"


def test_whoever_has_unsubscribed_hears_nothing() -> None:
    hub, _ = open_hub()
    reader = Reader(hub)
    reader.stop()
    Person(hub, "ann").do(open_pair())
    assert reader.changes() == []


class Subscribe(Extension, frozen=True):
    """Begin to listen in the middle of things."""

    readers: list[Reader]

    def run(self, hub: Hub, who: Participant) -> None:
        hub.matchmaker.open(who, open_pair())
        self.readers.append(Reader(hub))


def test_who_subscribes_within_a_command_hears_how_it_ends() -> None:
    hub, _ = open_hub()
    readers: list[Reader] = []
    ann = Person(hub, "ann").do(Subscribe(readers))
    assert readers[0].changes() == [("opened", ann.here.id)]


def test_failing_log_closes_tables_aloud_once_and_brings_back_those_it_can() -> None:
    hub, log = open_hub()
    policy = Policy(leaving=Leaving.OPENS)
    ann = Person(hub, "ann").do(Open("dots", {"width": 3, "height": 3}, policy=policy))
    room = Person(hub, "bob").do(open_pair()).here
    plain = ann.table
    assert plain is not None
    reader = Reader(hub)
    for table in (plain, room):
        hub.evict(table, Refusal.LOG_DOWN)
    assert reader.changes() == [("closed", plain.id), ("closed", room.id)]
    for table in (plain, room):
        hub.evict(table, Refusal.LOG_DOWN)
        hub.restore(table.no, log.records[table.no])
    assert set(hub.tables) == {plain.id, room.id}
    assert reader.changes() == [("opened", plain.id), ("opened", room.id)]


def test_people_at_another_table_stay_there_when_the_log_of_their_last_one_fails() -> None:
    hub, _ = open_hub()
    ann, bob = Person(hub, "ann"), Person(hub, "bob")
    for person in (ann, bob):
        person.do(Seek("noughts", {}))
    old = ann.table
    assert old is not None
    bob.do(Leave())
    assert ann.table is None
    ann.do(Seek("noughts", {}))
    bob.do(Seek("noughts", {}))
    new = ann.table
    hub.evict(old, Refusal.LOG_DOWN)
    assert ann.table is new
    assert new is not None


def test_list_is_right_under_any_crowd() -> None:
    rng = Random(5)
    hub, log = open_hub()
    listed: set[str] = set()

    def follow(notice: Notice) -> None:
        if notice.change is Change.OPENED:
            assert notice.table.id not in listed
            listed.add(notice.table.id)
        else:
            assert notice.table.id in listed
        if notice.change is Change.CLOSED:
            listed.remove(notice.table.id)

    hub.listing.subscribe(follow)
    people = [Person(hub, f"p{number}") for number in range(8)]
    for _ in range(600):
        person = rng.choice(people)
        tables = list(hub.tables) or [""]
        person.do(
            rng.choice(
                (
                    open_pair(most=25),
                    TakeChair(rng.choice(tables), most=25),
                    enter(DOOR, person.name),
                    Seek("noughts", {}),
                    Leave(),
                    SetBoard({"width": 2, "height": 2}),
                )
            )
        )
        assert listed == set(hub.tables)
    assert isinstance(log, Log)
    assert len(log.records) > 20
