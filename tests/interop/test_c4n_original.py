"""The original ConnectI4n programs, as stand-ins that keep their faults, against ours."""

from collections import Counter
from random import Random

import pytest

from tests.interop.c4n_original import OriginalClient, OriginalServer
from tests.visitor import Visitor
from tests.world import Wire, World

TICK = 0.05
SCREEN = {"won": "You Win!", "lost": "You Lose!", "draw": "Unknown Error"}


class Desk:
    """An original client at a connection, with a person who takes their time."""

    def __init__(self, world: World, wire: Wire, rng: Random, thinking: tuple[float, ...]) -> None:
        self.world = world
        self.wire = wire
        self.rng = rng
        self.thinking = thinking
        self.client = OriginalClient(rng.choice)
        self.think_until: float | None = None
        self.sent: list[bytes] = []

    def live(self) -> None:
        """One tick: everything the server wrote in it has run together before the program looks."""
        client = self.client
        client.inbox += self.wire.take()
        client.eof = self.wire.closed
        client.step()
        if client.at_prompt and self.think_until is None:
            self.think_until = self.world.now + self.rng.choice(self.thinking)
        if self.think_until is not None and self.world.now >= self.think_until:
            self.think_until = None
            client.answer()
        while client.sent:
            self.sent.append(client.sent.pop(0))
            if not self.wire.transport.closed:
                self.wire.send(self.sent[-1])
        if client.exit_code is not None and not self.wire.transport.closed:
            self.wire.reset()


def sit_out(world: World, desks: list[Desk]) -> None:
    """Until every program has ended."""
    for _ in range(40_000):
        if all(desk.client.exit_code is not None for desk in desks):
            return
        for desk in desks:
            desk.live()
        world.advance(TICK)
    raise AssertionError("an original client waits for ever")


def results(world: World) -> list[tuple[int, ...]]:
    """The winners of every finished game in the log."""
    from parlour.core.words import Finished

    return [record.event.winners for _, record in world.store.log if isinstance(record.event, Finished)]


def expected(seat: int, winners: tuple[int, ...]) -> str:
    return SCREEN["draw" if not winners else "won" if seat in winners else "lost"]


HASTY, SLOW = (0.0,), (0.0, 0.2, 1.0, 7.0)


@pytest.mark.parametrize("thinking", [HASTY, SLOW], ids=["hasty", "slow"])
@pytest.mark.parametrize(("mode", "seat"), [("document", 0), ("original", 1)])
def test_original_client_plays_an_engine_to_the_verdict(mode: str, seat: int, thinking: tuple[float, ...]) -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        world, rng = World(seed), Random(seed)
        desk = Desk(world, world.connect("c4n", mode=mode), rng, thinking)
        sit_out(world, [desk])
        assert desk.client.exit_code == 0
        assert desk.client.verdict == expected(seat, results(world)[0])
        seen[desk.client.verdict] += 1
    assert seen["You Win!"] > 3
    assert seen["You Lose!"] > 3


@pytest.mark.parametrize("thinking", [HASTY, SLOW], ids=["hasty", "slow"])
@pytest.mark.parametrize("mode", ["document", "original"])
def test_two_original_clients_play_each_other_to_the_verdict(mode: str, thinking: tuple[float, ...]) -> None:
    for seed in range(40):
        world, rng = World(seed), Random(seed)
        desks = [Desk(world, world.connect("c4n", mode=mode, opponent="human"), rng, thinking) for _ in range(2)]
        sit_out(world, desks)
        winners = results(world)[0]
        assert [desk.client.exit_code for desk in desks] == [0, 0]
        assert [desk.client.verdict for desk in desks] == [expected(0, winners), expected(1, winners)]


def a_draw(seed: int) -> list[int]:
    """The columns of a game on a full board without a four, found by playing at random."""
    from parlour.games.connect4 import GAME

    rng = Random(seed)
    while True:
        position = GAME.start(GAME.options({}))
        moves: list[str] = []
        while legal := position.legal():
            moves.append(rng.choice(legal))
            position.play(moves[-1])
        if not position.winners():
            return [int(move) for move in moves]


@pytest.mark.parametrize("thinking", [HASTY, SLOW], ids=["hasty", "slow"])
@pytest.mark.parametrize("mode", ["document", "original"])
def test_original_clients_end_in_good_order_after_a_draw(mode: str, thinking: tuple[float, ...]) -> None:
    moves = a_draw(7)
    world, rng = World(), Random(1)
    desks = [Desk(world, world.connect("c4n", mode=mode, opponent="human"), rng, thinking) for _ in range(2)]
    for desk, columns in zip(desks, (moves[::2], moves[1::2]), strict=True):
        left = iter(columns)
        desk.client.choose = lambda room, left=left: next(left, 0)  # type: ignore[misc]
    sit_out(world, desks)
    assert results(world) == [()]
    assert [(desk.client.exit_code, desk.client.verdict) for desk in desks] == [(0, "Unknown Error")] * 2


@pytest.mark.parametrize("mode", ["document", "original"])
def test_original_client_ends_in_good_order_when_the_other_leaves(mode: str) -> None:
    for moves in range(6):
        world, rng = World(), Random(moves)
        desks = [Desk(world, world.connect("c4n", mode=mode, opponent="human"), rng, HASTY) for _ in range(2)]
        for desk in desks:
            desk.live()
        while len(world.tables[0].moves) < moves:
            for desk in desks:
                desk.live()
            world.advance(TICK)
        desks[0].wire.reset()
        sit_out(world, [desks[1]])
        assert (desks[1].client.exit_code, desks[1].client.verdict) == (0, "Unknown Error")


def test_original_client_is_turned_away_in_good_order_when_the_house_is_full() -> None:
    world = World(max_connections=0)
    desk = Desk(world, world.connect("c4n"), Random(0), HASTY)
    sit_out(world, [desk])
    assert (desk.client.exit_code, desk.client.verdict) == (0, "Unknown Error")


def visit(server: OriginalServer, visitor: Visitor, rng: Random) -> None:
    """Our client at the original server, whose sends run together as the network pleases."""
    visitor.open()
    for _ in range(10_000):
        while visitor.sent:
            server.inbox += visitor.sent.pop(0)
            server.step()
        while server.sends:
            together = len(server.sends) if rng.random() < 2 / 3 else 1
            visitor.feed(b"".join(server.sends[:together]))
            del server.sends[:together]
        if server.closed and not visitor.closed:
            visitor.end_of_file()
        if visitor.closed:
            return
        if not visitor.decide():
            visitor.advance(TICK)
    raise AssertionError("the client waits for ever")


def test_our_client_takes_the_original_server_at_its_word() -> None:
    seen: Counter[str] = Counter()
    for seed in range(300):
        rng = Random(seed)
        server, visitor = OriginalServer(Random(seed)), Visitor("c4n", rng.choice)
        visit(server, visitor, rng)
        assert not server.dead
        assert visitor.results == [{1: "won", 2: "lost", -1: "draw"}[server.verdict or 0]]
        assert "closed the connection" not in visitor.texts()
        seen[visitor.results[0]] += 1
    assert min(seen["won"], seen["lost"], seen["draw"]) > 5, seen


def test_our_client_gives_up_a_server_that_has_died_in_silence() -> None:
    server, visitor = OriginalServer(Random(0)), Visitor("c4n", lambda moves: moves[0])
    visitor.open()
    server.inbox += visitor.sent.pop(0)
    server.step()
    visitor.feed(server.sends.pop())
    assert visitor.decide()
    server.inbox += visitor.sent.pop(0).replace(b"MOVE\n0", b"MOVE\nA")
    server.step()
    assert server.dead
    for _ in range(15):
        visitor.advance(1)
    assert "Waiting for the other player to move." in visitor.texts()
    assert not visitor.results
    for _ in range(1800):
        visitor.advance(1)
    assert visitor.results == ["aborted"]
    assert "no longer answers" in visitor.texts()


@pytest.mark.parametrize(
    ("merged", "code"),
    [
        ((b"C4N 1.0 RESULT\n1",), 0),
        ((b"C4N 1.0 RESULT\n1C4N 1.0 BOARD\n7 6 0",), 1),
        ((b"C4N 1.0 RESULT\n-1",), 1),
        ((b"C4N 1.0 RESULT\n-1", b"C4N 1.0 ERROR\n99"), 0),
        ((b"C4N 1.0 STOP",), 1),
        ((b"C4N 1.0 ERROR\n3",), 0),
        ((b"C4N 1.0 BO",), 1),
        ((), 1),
    ],
)
def test_stand_in_ends_as_the_original_client_was_seen_to_end(merged: tuple[bytes, ...], code: int) -> None:
    client = OriginalClient(lambda room: room[0])
    for segment in merged:
        client.inbox = segment
        client.step()
    client.eof = True
    client.step()
    assert client.exit_code == code
