"""What a client session writes down of its game is the game that was played, and enough to ask a program about it."""

from random import Random

import pytest

from parlour.client.asking import asked
from parlour.core.session import Sheet
from parlour.core.words import Played, Started
from tests.visitor import Visitor, meet
from tests.world import World

VISITS: dict[str, tuple[str, dict[str, str], dict[str, str]]] = {
    "c4n": ("c4n", {}, {}),
    "c4n, original mode": ("c4n", {"mode": "original"}, {}),
    "c4n, another board": ("c4n", {"size": "5x4"}, {}),
    "nettoe": ("nettoe", {}, {}),
    "glendy, first revision": ("glendy", {"opponent": "engine"}, {}),
    "glendy, later revision": ("glendy", {"opponent": "engine", "hello": "required"}, {"side": "glenda"}),
    "ggz": ("ggz", {}, {"opponent": "bot", "size": "4x3"}),
    "ggz-dots": ("ggz-dots", {"opponent": "engine"}, {"size": "3x4"}),
    "telnet, dots": ("telnet", {}, {"game": "dots", "against": "easy", "width": "4", "height": "3"}),
    "telnet, glenda": ("telnet", {}, {"game": "glenda", "against": "easy"}),
    "telnet, noughts": ("telnet", {}, {"game": "noughts", "against": "easy"}),
    **{
        f"netdot {each}": ("netdot", {"size": "4x3", "bots": "1"}, {"version": each})
        for each in ("1", "2", "beta", "3")
    },
}


class Writer(Visitor):
    """Plays at random, and sees before each move that a program could be asked for it."""

    def __init__(self, wire: str, query: dict[str, str], games: int, seed: object) -> None:
        self.rng = Random(f"{wire} {query} {seed}")
        self.sheets: list[Sheet] = []
        self.asked = 0
        super().__init__(wire, self._choose, lambda: len(self.results) < games, query=query)

    def _choose(self, moves: tuple[str, ...]) -> str:
        sheet = self.session.sheet
        assert sheet is not None
        if not any(sheet is known for known in self.sheets):
            self.sheets.append(sheet)
        question = asked(sheet, moves, 1.0)
        assert question is not None
        assert sorted(question.legal) == sorted(moves)
        assert question.moves == sheet.moves
        self.asked += 1
        return self.rng.choice(moves)


@pytest.mark.parametrize("visit", VISITS)
@pytest.mark.parametrize("seed", range(3))
def test_sheet_is_the_game_that_was_played(visit: str, seed: int) -> None:
    wire, keys, query = VISITS[visit]
    world, vera = World(seed), Writer(wire, query, games=2, seed=seed)
    meet(world, [(vera, world.connect(wire, **keys))])
    assert vera.asked
    began: list[Started] = []
    played: list[list[Played]] = []
    for _, record in world.store.log:
        if isinstance(record.event, Started):
            began.append(record.event)
            played.append([])
        elif isinstance(record.event, Played):
            played[-1].append(record.event)
    for sheet, start, moves in zip(vera.sheets, began, played, strict=False):
        assert sheet.whole
        assert sheet.moves == [event.move for event in moves]
        assert sheet.first == start.first
        assert sheet.by == [event.seat for event in moves]
        assert {**start.options, **sheet.options} == start.options
        mine = next(player.seat for player in start.players if player.kind.value == "person")
        assert sheet.seat == mine
    assert len(vera.sheets) == len(vera.results)
