"""Our own client on a line that breaks: it comes back to its seat, and no move is lost or played twice."""

from random import Random

import pytest

from parlour.core.session import Over, Reconnect
from parlour.protocols.web import PROTOCOL
from parlour.protocols.web.client import MOST_LOSSES, WebClient
from tests.browsers import Browser, gate
from tests.visitor import Visitor, _exchange
from tests.world import Wire, World

GAMES = {
    "dots": {"width": "3", "height": "3"},
    "noughts": {},
    "connect4": {"columns": "5", "rows": "4"},
    "glenda": {"walls": "0 0;3 4"},
}
every_game = pytest.mark.parametrize("game", sorted(GAMES))


class Shaky:
    """Visitors whose connections break, before or behind what they say, and who come back if they want to."""

    def __init__(self, world: World, rng: Random, visitors: list[Visitor]) -> None:
        self.world = world
        self.rng = rng
        self.lines: list[tuple[Visitor, Wire]] = []
        for visitor in visitors:
            self.lines.append((visitor, gate(world)))
            visitor.open()
        self.breaks = 0

    def step(self) -> bool:
        """True while anybody has something to say or to do."""
        busy = False
        for number, (visitor, wire) in enumerate(self.lines):
            if visitor.closed and visitor.again_to is not None:
                self.lines[number] = visitor, gate(self.world)
                visitor.reopen()
                busy = True
                continue
            busy |= _exchange(visitor, wire) or visitor.decide()
        return busy

    def snap(self) -> None:
        """A line breaks: what was said on it may have been heard, or not."""
        visitor, wire = self.rng.choice(self.lines)
        if visitor.closed or wire.closed:
            return
        self.breaks += 1
        if self.rng.random() < 0.5:
            while visitor.sent:
                wire.send(visitor.sent.pop(0))
        visitor.sent.clear()
        wire.reset()
        visitor.end_of_file()

    def run(self, breaks: int) -> None:
        for _ in range(3000):
            busy = self.step()
            if self.breaks < breaks and self.rng.random() < 0.2:
                self.snap()
                busy = True
            if not busy:
                self.world.advance(0.5)
                for visitor, _ in self.lines:
                    visitor.advance(0.5)
                if all(visitor.closed and visitor.again_to is None for visitor, _ in self.lines):
                    return


def guest(rng: Random, query: dict[str, str]) -> Visitor:
    return Visitor(PROTOCOL, rng.choice, query=query)


@every_game
@pytest.mark.parametrize("seed", range(8))
def test_game_of_two_clients_is_played_to_its_end_on_lines_that_break(game: str, seed: int) -> None:
    rng, world = Random(f"{game} {seed}"), World(seed)
    query = {"game": game, "opponent": "human", **GAMES[game]}
    guests = [guest(Random(f"{seed} {number}"), query) for number in range(2)]
    shaky = Shaky(world, rng, guests)
    for _ in range(40):  # both are at the table
        shaky.step()
        if world.tables and world.tables[0].running:
            break
    shaky.run(breaks=6)
    assert shaky.breaks
    results = sorted(result for visitor in guests for result in visitor.results)
    assert results in (["draw", "draw"], ["lost", "won"])
    marks = [record.event.id for _, record in world.store.log if hasattr(record.event, "id")]
    assert len(set(marks)) == len(marks), "no move is played twice"


def playing(world: World) -> tuple[Browser, Visitor, Wire]:
    host = Browser(world, "Ann").open("noughts", "invite")
    visitor = Visitor(PROTOCOL, lambda moves: moves[0], path=f"table/{host.table}")
    wire = gate(world)
    visitor.open()
    while _exchange(visitor, wire):
        pass
    return host, visitor, wire


def test_move_made_while_away_is_said_on_coming_back() -> None:
    world = World()
    host, visitor, wire = playing(world)
    host.play("a1")
    while _exchange(visitor, wire):
        pass
    wire.reset()
    visitor.end_of_file()
    assert "come back" in visitor.texts()
    visitor.sent.clear()
    assert visitor.again_to is not None
    visitor.reopen()
    assert visitor.decide(), "it was asked before the line broke"
    again = gate(world)
    while _exchange(visitor, again):
        pass
    assert len(host.moves) == 2
    assert "back in your seat" in visitor.texts()


def test_seat_that_is_gone_ends_the_visit_with_what_became_of_it() -> None:
    world = World()
    host, visitor, wire = playing(world)
    wire.reset()
    visitor.end_of_file()
    world.advance(21)
    host.say("claim", table=host.table)
    visitor.reopen()
    again = gate(world)
    while _exchange(visitor, again):
        pass
    assert "so you lost the game" in visitor.texts()
    assert visitor.results == ["aborted"]
    assert visitor.again_to is None


def test_client_gives_up_after_some_losses_in_a_row_or_when_nobody_answers() -> None:
    world = World()
    _, visitor, wire = playing(world)
    client = visitor.session
    assert isinstance(client, WebClient)
    wire.reset()
    for _ in range(MOST_LOSSES):
        outputs = client.closed()
        assert any(isinstance(out, Reconnect) for out in outputs)
        client.opened()
    assert Over("aborted") in client.closed()
    assert client.closed() == ()


def test_no_connection_at_all_is_the_end() -> None:
    world = World()
    _, visitor, wire = playing(world)
    wire.reset()
    visitor.end_of_file()
    assert visitor.again_to is not None
    assert Over("aborted") in visitor.session.closed()


def test_client_finds_its_seat_again_after_a_restart() -> None:
    world = World()
    host, visitor, wire = playing(world)
    host.play("a1")
    while _exchange(visitor, wire):
        pass
    later = World(seed=3)
    later.store.log = list(world.store.log)
    later.house.restore()
    later.run()
    wire.reset()
    visitor.end_of_file()
    visitor.reopen()
    again = gate(later)
    while _exchange(visitor, again) or visitor.decide():
        pass
    (table,) = later.tables
    assert table.moves == ["a1", "a2"]
