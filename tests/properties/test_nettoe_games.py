"""Whole netToe games in memory: our client against our server, with engines and with each other."""

from collections import Counter
from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.core.session import Door, Outputs
from parlour.core.updates import Update
from parlour.protocols.nettoe.messages import Message
from parlour.protocols.nettoe.phases import STEPS, Phase
from parlour.protocols.nettoe.server import Host
from tests.visitor import Visitor, meet
from tests.world import World

SEEDS = st.integers(0, 10**6)
STEPS_ALLOWED = {(step.phase, step.then) for step in STEPS} | {(step.phase, step.phase) for step in STEPS}
OPPOSITE = {"won": "lost", "lost": "won", "draw": "draw"}


def random_visitor(rng: Random, name: str, games: int) -> Visitor:
    """Plays any legal move, and wants so many games."""
    wanted = iter([True] * (games - 1))
    return Visitor("nettoe", rng.choice, lambda: next(wanted, False), name=name)


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 4))
def test_client_and_engine_play_as_many_games_as_the_client_wants(seed: int, games: int) -> None:
    world = World(seed)
    visitor = random_visitor(Random(seed), "Vera", games)
    meet(world, [(visitor, world.connect("nettoe"))])
    assert len(visitor.results) == games
    assert set(visitor.results) <= set(OPPOSITE)
    assert visitor.closed
    assert world.tables == []


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 3), st.integers(1, 3))
def test_two_clients_agree_on_every_result_and_stop_when_either_wants(seed: int, one: int, two: int) -> None:
    world = World(seed)
    bob, vera = random_visitor(Random(seed), "Bob", one), random_visitor(Random(seed + 1), "Vera", two)
    meet(world, [(each, world.connect("nettoe", opponent="human")) for each in (bob, vera)])
    assert len(bob.results) == min(one, two)
    assert [OPPOSITE[result] for result in bob.results] == vera.results
    assert world.tables == []
    assert "against Vera" in bob.texts()
    assert "against Bob" in vera.texts()


def test_every_result_happens_and_the_starters_alternate() -> None:
    results: Counter[str] = Counter()
    begun: Counter[bool] = Counter()
    for seed in range(60):
        world = World(seed)
        visitor = random_visitor(Random(seed), "Vera", 2)
        meet(world, [(visitor, world.connect("nettoe"))])
        results.update(visitor.results)
        first, second = [line == "You begin." for line in visitor.texts().splitlines() if "begin" in line]
        assert first is not second
        begun[first] += 1
    assert min(results[result] for result in OPPOSITE) > 0
    assert min(begun[True], begun[False]) > 10


class NotingVisitor(Visitor):
    """A client that notes where its session has been."""

    def _perform(self, outputs: Outputs) -> None:
        self.phases: list[Phase] = [*getattr(self, "phases", []), self.session.phase]
        super()._perform(outputs)


class NotingHost(Host):
    """A host that does the same."""

    def __init__(self, door: Door) -> None:
        super().__init__(door)
        self.phases: list[Phase] = [self.phase]

    def receive(self, message: Message) -> Outputs:
        outputs = super().receive(message)
        self.phases.append(self.phase)
        return outputs

    def notify(self, told: Update) -> Outputs:
        outputs = super().notify(told)
        self.phases.append(self.phase)
        return outputs


@settings(max_examples=30)
@given(SEEDS)
def test_sessions_walk_only_along_the_table_of_phases(seed: int) -> None:
    world = World(seed)
    wanted = iter([True, True])
    visitor = NotingVisitor("nettoe", Random(seed).choice, lambda: next(wanted, False), name="Vera")
    wire = world.connect("nettoe")
    host = NotingHost(wire.link.door)
    host.opened()  # what it says has been said already
    wire.link.session = host
    meet(world, [(visitor, wire)])
    for walk in (host.phases, visitor.phases):
        assert len(set(walk)) > 6
        assert set(pairwise(walk)) <= STEPS_ALLOWED
