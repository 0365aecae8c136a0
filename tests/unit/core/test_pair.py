"""Tables for two: chairs, the board, and who may begin when."""

import pytest

from parlour.core.errors import LocalError, Refusal
from parlour.core.table.ballot import START, STOP
from parlour.core.table.people import Participant
from parlour.core.table.table import Table
from parlour.core.updates import Announced, ChairsChanged, Declined, Evicted, Seated, Update
from parlour.core.words import (
    Arranged,
    Asked,
    Cap,
    Chair,
    Chosen,
    Closed,
    EnterTable,
    Finished,
    Joined,
    Kind,
    Laid,
    Leave,
    Leaving,
    Left,
    Play,
    Propose,
    Readied,
    Ready,
    Reason,
    Record,
    SetBoard,
    SetChair,
    StandUp,
    Started,
    TakeChair,
    TakePart,
    Vote,
    Watch,
    Wish,
)
from tests.unit.core.people import enter, find_pair, open_pair, room, want_board, want_bots
from tests.world import World


class Sitter:
    """Somebody at the hub, without a wire."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.told: list[Update] = []
        self.who = Participant(self.told.append, name, "ggz", Cap.CHAT)

    def do(self, command: object) -> "Sitter":
        self.world.hub.submit(self.who, command)  # type: ignore[arg-type] # whatever the test gives
        self.world.run()
        return self

    def heard(self, kind: type) -> list[object]:
        """What was told of this kind, records by their event."""
        events = [told.event if isinstance(told, Record) else told for told in self.told]
        return [event for event in events if isinstance(event, kind)]

    @property
    def table(self) -> Table:
        assert isinstance(self.who.table, Table)
        return self.who.table

    @property
    def is_ready(self) -> bool:
        assert self.who.member is not None
        return self.who.member.ready

    def asked(self) -> int:
        """How often this one was asked for the board."""
        assert self.who.member is not None
        return self.heard(Asked).count(Asked(self.who.member.id))

    @property
    def refusal(self) -> Refusal | None:
        """Why the last command was not carried out."""
        last = self.told[-1] if self.told else None
        return last.why if isinstance(last, Declined) else None

    @property
    def turn(self) -> bool:
        table = self.who.table
        return table is not None and table.position is not None and table.position.turn == self.who.seat

    def play_on(self) -> None:
        table = self.who.table
        assert table is not None
        assert table.position is not None
        self.do(Play(table.position.legal()[0]))


def test_game_against_an_engine_begins_when_the_board_is_chosen() -> None:
    world = World()
    ann = Sitter(world, "ann").do(open_pair((Chair("reserved", "ann"), Chair("engine")), "come in", 25))
    assert ann.asked() == 1
    assert not ann.heard(Started)
    ann.do(SetBoard({"width": 2, "height": 2}))
    assert ann.heard(Chosen)
    assert ann.heard(Started)
    while not ann.heard(Finished):
        ann.play_on()
    assert ann.asked() == 1
    ann.do(Ready(True))
    assert ann.asked() == 2
    ann.do(SetBoard({"width": 3, "height": 2}))
    assert len(ann.heard(Started)) == 2


def test_second_player_takes_the_other_chair_and_a_leavers_seat_keeps_its_board() -> None:
    world = World()
    ann = Sitter(world, "ann").do(open_pair(most=25))
    table = ann.who.table
    assert table is not None
    bob = Sitter(world, "bob").do(TakeChair(table.id, most=25))
    ann.do(SetBoard({"width": 3, "height": 3}))
    assert bob.heard(Started)
    ann.do(Play("h 0 0"))
    ann.do(Leave())
    assert table.running
    bob.do(Play("h 0 1"))
    assert len(table.moves) == 1
    cid = Sitter(world, "cid").do(TakeChair(table.id, most=25))
    assert cid.who.seat == 0
    bob.do(Play("h 0 1"))
    cid.do(Play("v 0 0"))
    assert table.moves == ["h 0 0", "h 0 1", "v 0 0"]
    bob.do(Leave())
    cid.do(Leave())
    assert not world.hub.tables


def test_bare_players_meet_in_order_of_arrival() -> None:
    world = World()
    people = [Sitter(world, "Anon").do(find_pair("door", 25)) for _ in range(3)]
    tables = [person.who.table for person in people]
    assert tables[0] is tables[1]
    assert tables[2] is not tables[0]
    assert [person.who.name for person in people] == ["Player 1", "Player 2", "Player 1"]


def test_user_of_a_room_who_is_ready_takes_a_free_chair() -> None:
    world = World()
    ann = Sitter(world, "ann").do(open_pair(most=25))
    ann.do(SetBoard({"width": 4, "height": 4}))
    table = ann.who.table
    assert table is not None
    old = Sitter(world, "old").do(EnterTable(table.id))
    assert old.heard(Seated)
    assert old.heard(Started)
    assert old.who.seat == 1
    assert len(ann.heard(ChairsChanged)) == 2


DOOR = room("door", 3, 3)


def met(world: World) -> tuple[Sitter, Sitter]:
    """Somebody of a room with a lobby, and somebody who has sat down there; the game has begun."""
    old = Sitter(world, "old").do(enter(DOOR, "old"))
    ann = Sitter(world, "ann").do(TakeChair(old.table.id, most=25))
    assert ann.table.running
    return old, ann


def names(table: Table) -> list[str | None]:
    assert table.party.chairs
    return [None if member is None else member.name for member in table.seats]


# --- a room that gets chairs, and loses them --------------------------------------------------------------------------


def test_room_becomes_a_table_for_two_and_its_game_begins_at_once() -> None:
    old, ann = met(World())
    assert names(old.table) == ["old", "ann"]
    assert not old.heard(Arranged), "they sit already"
    assert old.table.leaving is Leaving.OPENS
    assert not old.heard(Announced)
    assert not ann.heard(Asked), "the room has a board"


def test_refused_seat_leaves_the_room_as_it_was() -> None:
    world = World()
    old = Sitter(world, "old").do(enter(DOOR, "old"))
    before = len(old.told)
    ann = Sitter(world, "ann").do(TakeChair(old.table.id, seat=0, most=25))
    assert ann.refusal is Refusal.SEAT_TAKEN
    assert Sitter(world, "bob").do(TakeChair(old.table.id, most=2)).refusal is Refusal.BAD_OPTIONS
    world.hub.refusing = Refusal.DRAINING
    assert Sitter(world, "cid").do(TakeChair(old.table.id, most=25)).refusal is Refusal.DRAINING
    assert (old.table.party.chairs, old.told[before:]) == ((), [])


def test_size_agreed_on_for_the_next_game_counts_when_somebody_sits_down() -> None:
    world = World()
    people = [Sitter(world, name).do(enter(DOOR, name)) for name in ("old", "two")]
    for person in people:
        person.do(Wish(START))
    for size in (want_board(30, 3), want_board(4, 5)):
        for person in people:
            person.do(size)
    while people[0].table.running:
        next(person for person in people if person.turn).play_on()
    people[1].do(Ready(False))
    assert people[0].table.party.board["width"] == 3
    ann = Sitter(world, "ann").do(TakeChair(people[0].table.id, most=25))
    assert [laid.options["height"] for laid in people[0].heard(Laid)] == [5]  # type: ignore[attr-defined]
    assert ann.table.settled["height"] == 5


def test_room_is_as_any_other_when_the_last_who_needs_a_chair_has_gone() -> None:
    old, ann = met(World())
    third = Sitter(old.world, "third").do(enter(DOOR, "third"))
    while ann.table.running:
        next(person for person in (old, ann) if person.turn).play_on()
    told = len(third.heard(ChairsChanged))
    ann.do(Leave())
    assert not old.table.party.chairs
    assert len(third.heard(ChairsChanged)) == told + 1
    old.world.advance(4)
    assert old.table.running
    assert old.table.leaving is Leaving.SKIPS
    assert [user.name for user in old.table.players()] == ["old", "third"]


def test_everybody_in_a_room_for_two_waits_for_a_chair() -> None:
    old, ann = met(World())
    third = Sitter(old.world, "third").do(enter(DOOR, "third"))
    watcher = Sitter(old.world, "watcher").do(Watch(old.table.id))
    moves = [None, third.who.seat, watcher.who.seat]
    assert moves == [None, None, None]
    ann.do(Play("h 0 0"))
    assert ann.refusal is Refusal.NOT_YOUR_TURN
    old.play_on()
    ann.do(Leave())
    assert third.who.seat == 1
    assert old.table.moves == ["h 0 0"]
    assert [type(event) for event in third.heard(Left | Joined)] == [Left, Joined]  # type: ignore[arg-type]
    assert not third.heard(Announced), "there was nothing to lament"


def test_room_with_two_chairs_is_full_for_a_door_that_opens_new_rooms() -> None:
    world = World()
    wish = room("door", 3, 3, full="room")
    old = Sitter(world, "old").do(enter(wish, "old"))
    Sitter(world, "ann").do(TakeChair(old.table.id, most=25))
    assert Sitter(world, "third").do(enter(wish, "third")).table is not old.table


# --- leaving ----------------------------------------------------------------------------------------------------------


def test_game_against_an_engine_is_taken_over_by_whoever_waits() -> None:
    world = World()
    ann = (
        Sitter(world, "ann").do(open_pair((Chair(), Chair("engine")), most=25)).do(SetBoard({"width": 3, "height": 3}))
    )
    old = Sitter(world, "old").do(EnterTable(ann.table.id))
    ann.play_on()
    table = ann.table
    ann.do(Leave())
    assert table.running
    assert old.who.seat == 0
    old.do(Leave())
    assert not world.hub.tables


def test_game_against_an_engine_ends_when_nobody_waits_for_the_seat() -> None:
    world = World()
    ann = (
        Sitter(world, "ann").do(open_pair((Chair(), Chair("engine")), most=25)).do(SetBoard({"width": 3, "height": 3}))
    )
    idle = Sitter(world, "idle").do(EnterTable(ann.table.id, ready=False))
    ann.do(StandUp())
    (end,) = idle.heard(Finished)
    assert isinstance(end, Finished)
    assert end.reason is Reason.ABANDONED
    assert names(ann.table) == [None, "Parlour (medium)"]
    ann.do(TakeChair(ann.table.id, most=25))
    assert ann.asked() == 2


def test_who_stands_up_from_a_game_may_come_back_to_it() -> None:
    old, ann = met(World())
    old.play_on()
    old.do(StandUp())
    assert (old.who.seat, old.is_ready, old.table.running) == (None, False, True)
    assert names(old.table) == [None, "ann"]
    ann.play_on()
    assert ann.refusal is Refusal.NOT_PLAYING
    old.do(TakePart())
    assert (old.who.seat, old.is_ready) == (0, True)
    ann.play_on()
    assert len(old.table.moves) == 2


def test_last_one_who_keeps_the_room_closes_it_over_spectators() -> None:
    world = World()
    ann = Sitter(world, "ann").do(open_pair(most=25)).do(SetBoard({"width": 3, "height": 3}))
    watcher = Sitter(world, "watcher").do(Watch(ann.table.id))
    ann.do(StandUp())
    assert world.hub.tables, "who stood up may sit down again"
    ann.do(Leave())
    assert watcher.heard(Closed)
    assert watcher.who.table is None
    assert not world.hub.tables


# --- engines and kept chairs ------------------------------------------------------------------------------------------


def test_engines_are_exchanged_under_the_eyes_of_somebody_who_waits() -> None:
    world = World()
    ann = (
        Sitter(world, "ann")
        .do(open_pair((Chair(), Chair("engine", "Robby")), most=25))
        .do(SetBoard({"width": 4, "height": 4}))
    )
    old = Sitter(world, "old").do(EnterTable(ann.table.id))
    ann.play_on()
    ann.do(SetChair(1, Chair("engine", "Hal", "easy")))
    assert names(ann.table) == ["ann", "Hal"]
    assert old.who.seat is None
    assert ann.table.running
    moves = len(ann.table.moves)
    ann.play_on()
    assert len(ann.table.moves) > moves + 1, "the new one plays on"
    ann.do(SetChair(1, Chair()))
    assert names(ann.table) == ["ann", "old"]
    assert not any(user.kind is Kind.ENGINE for user in ann.table.party.members.values())


def test_engine_takes_an_empty_seat_in_mid_game() -> None:
    world = World()
    ann = Sitter(world, "ann").do(open_pair(most=25))
    bob = Sitter(world, "bob").do(TakeChair(ann.table.id, most=25))
    ann.do(SetBoard({"width": 4, "height": 4})).play_on()
    bob.do(Leave())
    ann.do(SetChair(1, Chair("engine")))
    assert len(ann.table.moves) == 2, "it was its turn"
    ann.play_on()
    assert len(ann.table.moves) >= 4


@pytest.mark.parametrize(
    ("chair", "why"),
    [
        (SetChair(0, Chair()), Refusal.SEAT_TAKEN),
        (SetChair(2, Chair()), Refusal.BAD_OPTIONS),
        (SetChair(-1, Chair()), Refusal.BAD_OPTIONS),
        (SetChair(1, Chair("throne")), Refusal.BAD_OPTIONS),
        (SetChair(1, Chair("engine", level="godlike")), Refusal.BAD_OPTIONS),
    ],
)
def test_chair_that_cannot_be_had_so(chair: SetChair, why: Refusal) -> None:
    ann = Sitter(World(), "ann").do(open_pair(most=25)).do(chair)
    assert ann.refusal is why
    assert names(ann.table) == ["ann", None]


def test_engines_do_not_play_among_themselves() -> None:
    world = World()
    ann = Sitter(world, "ann").do(open_pair((Chair(), Chair("engine")), most=25)).do(StandUp())
    assert ann.do(SetChair(0, Chair("engine"))).refusal is Refusal.BAD_OPTIONS
    old = Sitter(world, "old").do(EnterTable(ann.table.id, ready=False))
    ann.do(want_bots(2))
    old.do(want_bots(2))
    assert names(ann.table) == [None, "Parlour (medium)"]
    assert not ann.table.running
    for kinds in (("engine", "engine"), ("engine", "reserved")):
        chairs = Chair(kinds[0]), Chair(kinds[1], "somebody")
        assert Sitter(world, "bob").do(open_pair(chairs)).refusal in (Refusal.BAD_OPTIONS, Refusal.TABLE_FULL)


def test_kept_chair_is_for_the_one_it_is_kept_for() -> None:
    world = World()
    ann = Sitter(world, "ann").do(open_pair((Chair("reserved", "bob"), Chair("reserved", "ann")), most=25))
    assert names(ann.table) == [None, "ann"]
    Sitter(world, "bob").do(EnterTable(ann.table.id))
    assert names(ann.table) == [None, "ann"], "a name is soon taken; it is kept for those who sit down by it"
    assert Sitter(world, "cid").do(TakeChair(ann.table.id, most=25)).refusal is Refusal.TABLE_FULL
    Sitter(world, "bob").do(TakeChair(ann.table.id, most=25))
    assert names(ann.table) == ["bob", "ann"]


# --- nobody ends or begins a game for somebody who is asked -----------------------------------------------------------


def test_votes_and_wishes_neither_end_nor_begin_a_game_of_who_is_asked_for_it() -> None:
    world = World()
    wish = room("door", 2, 2, features=frozenset({"vote"}))
    old = Sitter(world, "old").do(enter(wish, "old", votes=True))
    ann = Sitter(world, "ann").do(TakeChair(old.table.id, most=25))
    assert old.do(Propose("lobby")).refusal is Refusal.NO_SUCH_VOTE
    old.do(Propose("restart")).do(Vote(True)).do(Wish(STOP)).do(Wish(START))
    assert (old.table.number, old.table.running) == (1, True)
    while ann.table.running:
        next(person for person in (old, ann) if person.turn).play_on()
    old.do(Propose("restart")).do(Vote(True)).do(Wish(START)).do(want_board(4, 4))
    assert (old.table.number, old.table.running, old.table.party.board["width"]) == (1, False, 2)
    ann.do(Ready())
    assert (old.table.number, old.table.running) == (1, False), "the board is still to be chosen"
    ann.do(SetBoard({"width": 3, "height": 2}))
    assert (old.table.number, old.table.running) == (2, True)


def test_vote_to_stop_that_passes_when_somebody_has_sat_down_stops_nothing() -> None:
    world = World()
    wish = room("door", 3, 3, features=frozenset({"vote"}))
    people = [Sitter(world, name).do(enter(wish, name, votes=True)) for name in ("old", "two")]
    world.advance(4)
    people[0].do(Propose("lobby")).do(Vote(True))
    people[1].do(Leave())  # which ends the game, and the vote with it
    ann = Sitter(world, "ann").do(TakeChair(people[0].table.id, most=25))
    assert ann.table.running


def test_players_who_are_not_asked_are_counted_down_for_as_in_any_room() -> None:
    old, ann = met(World())
    third = Sitter(old.world, "third").do(enter(DOOR, "third"))
    ann.do(StandUp())
    assert names(old.table) == ["old", "third"]
    while old.table.running:
        next(person for person in (old, third) if person.turn).play_on()
    assert not old.table.running
    old.world.advance(4)
    assert old.table.running
    assert old.table.number == 2
    for person in (old, third):
        person.do(Wish(STOP))
    old.world.advance(10)
    assert not old.table.running, "they have stopped it"


# --- the house --------------------------------------------------------------------------------------------------------


def test_game_that_the_house_does_not_begin_begins_later() -> None:
    world = World()
    ann = Sitter(world, "ann").do(open_pair(most=25))
    bob = Sitter(world, "bob").do(TakeChair(ann.table.id, most=25))
    world.hub.refusing = Refusal.LOG_DOWN
    ann.do(SetBoard({"width": 3, "height": 3}))
    world.advance(5)
    assert not bob.heard(Started)
    world.house.enter(lambda: world.hub.at_once(world.hub.reopen))
    world.advance(1.1)
    assert bob.heard(Started)


def test_log_that_fails_ends_the_room_with_its_chairs_and_a_later_one_is_as_good() -> None:
    world = World()
    ann = Sitter(world, "ann").do(open_pair(most=25))
    bob = Sitter(world, "bob").do(TakeChair(ann.table.id, most=25))
    table = ann.table
    world.store.failure = LocalError("disk full")
    world.house.enter(lambda: None)
    ann.do(SetBoard({"width": 3, "height": 3}))
    world.advance(0.1)
    assert bob.heard(Evicted)
    assert (ann.who.table, bob.who.table, table.id in world.hub.tables) == (None, None, False)
    assert ann.do(find_pair("door")).refusal is Refusal.LOG_DOWN
    world.store.failure = None
    world.advance(60)
    assert ann.do(find_pair("door")).table.party.chairs
    assert list(world.hub.tables) == [ann.table.id]


def test_engine_comes_as_often_as_nobody_else_does() -> None:
    world = World()
    ann = (
        Sitter(world, "Anon").do(find_pair("door", 25, wait=5.0, level="easy")).do(SetBoard({"width": 5, "height": 5}))
    )
    world.advance(3)
    bob = Sitter(world, "Anon").do(find_pair("door", 25, wait=5.0, level="easy"))
    world.advance(4)
    assert names(ann.table) == ["Player 1", "Player 2"], "somebody came in time"
    bob.do(Leave())
    world.advance(4)
    assert names(ann.table) == ["Player 1", None]
    world.advance(2)
    assert names(ann.table) == ["Player 1", "Parlour (easy)"]
    assert ann.table.running


def test_bare_player_finds_a_table_that_has_lost_its_chairs() -> None:
    world = World()
    ann = Sitter(world, "Anon").do(find_pair("door", 25))
    old = Sitter(world, "old").do(EnterTable(ann.table.id, ready=False))
    ann.do(Leave())
    assert not old.table.party.chairs
    old.do(Ready())
    bob = Sitter(world, "Anon").do(find_pair("door", 25))
    assert bob.table is old.table
    assert names(old.table) == ["old", "Player 2"]
    assert old.heard(Readied)


def test_empty_chair_of_a_house_that_takes_no_games_gets_its_engine_when_it_does_again() -> None:
    world = World()
    ann = Sitter(world, "ann").do(find_pair("door", wait=5.0))
    world.hub.drain()
    world.hub.tick(world.hub.at + 60)
    assert ann.table.seats.count(None) == 1
    world.hub.reopen()
    assert None not in ann.table.seats
