"""Who leaves in the middle of a game leaves no result behind: nobody has won it, and it is never called a draw."""

import pytest

from parlour.core.words import Finished, Leave, Reason
from tests.browsers import Browser
from tests.visitor import Meeting, Visitor
from tests.world import World

WIRES = {"c4n": {"opponent": "human"}, "nettoe": {"opponent": "human"}, "glendy": {}}
GAMES = {"c4n": "connect4", "nettoe": "noughts", "glendy": "glenda"}

every_wire = pytest.mark.parametrize("wire", WIRES)


def ends(world: World) -> list[tuple[tuple[int, ...], Reason]]:
    events = [record.event for _, record in world.store.log]
    return [(event.winners, event.reason) for event in events if isinstance(event, Finished)]


class Leaver(Visitor):
    """Plays two moves and goes."""

    moves_left = 2

    def decide(self) -> bool:
        if self.todo and not self.moves_left:
            self.todo = [Leave()]
        self.moves_left -= bool(self.todo)
        return super().decide()


@every_wire
def test_whoever_is_left_has_neither_won_nor_drawn(wire: str) -> None:
    world = World()
    meeting = Meeting(world)
    stays = meeting.enter(Visitor(wire, lambda moves: moves[0], name="Stays"), world.connect(wire, **WIRES[wire]))
    goes = meeting.enter(Leaver(wire, lambda moves: moves[-1], name="Goes"), world.connect(wire, **WIRES[wire]))
    meeting.run(patience=3)
    assert ends(world) == [((), Reason.ABANDONED)]
    assert (stays.results, goes.results) == (["aborted"], ["aborted"])
    assert "draw" not in stays.texts()


@every_wire
def test_browser_hears_of_a_game_that_was_left_without_winners_and_why(wire: str) -> None:
    world = World()
    opponent = world.connect(wire, **WIRES[wire])
    if wire == "c4n":
        opponent.send(b"C4N 1.0 START\n")
    elif wire == "nettoe":
        opponent.send(b"Goes".ljust(32, b"\0"))
    world.advance(1)
    options = {"walls": ""} if wire == "glendy" else {}
    ann = Browser(world, "Ann").open(GAMES[wire], "human", options=options)
    assert world.tables[0].running
    opponent.end_of_file()
    ann.heard()
    [finished] = [m["event"] for m in ann.all("record") if m["event"]["type"] == "finished"]
    assert (finished.get("winners", []), finished["reason"]) == ([], "abandoned")
