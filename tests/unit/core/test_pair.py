"""Tables for two: chairs, the board, and who may begin when."""

from parlour.core.news import BoardChosen, BoardWanted, ChairsChanged, Entered
from parlour.core.roomwords import Chair, EnterTable, FindPair, OpenPair, SetBoard, TakeChair
from parlour.core.seating import Participant
from parlour.core.vocab import Cap, Finished, Leave, Play, Ready, Record, Started, Told
from tests.world import World


class Sitter:
    """Somebody at the hub, without a wire."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.told: list[Told] = []
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
    ann = Sitter(world, "ann").do(OpenPair((Chair("reserved", "ann"), Chair("engine")), "come in", 25))
    assert len(ann.heard(BoardWanted)) == 1
    assert not ann.heard(Started)
    ann.do(SetBoard(2, 2))
    assert ann.heard(BoardChosen)
    assert ann.heard(Started)
    while not ann.heard(Finished):
        ann.play_on()
    assert len(ann.heard(BoardWanted)) == 1
    ann.do(Ready(True))
    assert len(ann.heard(BoardWanted)) == 2
    ann.do(SetBoard(3, 2))
    assert len(ann.heard(Started)) == 2


def test_second_player_takes_the_other_chair_and_a_leavers_seat_keeps_its_board() -> None:
    world = World()
    ann = Sitter(world, "ann").do(OpenPair(most=25))
    table = ann.who.table
    assert table is not None
    bob = Sitter(world, "bob").do(TakeChair(table.id, most=25))
    ann.do(SetBoard(3, 3))
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
    people = [Sitter(world, "Anon").do(FindPair("door", 25)) for _ in range(3)]
    tables = [person.who.table for person in people]
    assert tables[0] is tables[1]
    assert tables[2] is not tables[0]
    assert [person.who.name for person in people] == ["Player 1", "Player 2", "Player 1"]


def test_user_of_a_room_who_is_ready_takes_a_free_chair() -> None:
    world = World()
    ann = Sitter(world, "ann").do(OpenPair(most=25))
    ann.do(SetBoard(4, 4))
    table = ann.who.table
    assert table is not None
    old = Sitter(world, "old").do(EnterTable(table.id))
    assert old.heard(Entered)
    assert old.heard(Started)
    assert old.who.seat == 1
    assert len(ann.heard(ChairsChanged)) == 2
