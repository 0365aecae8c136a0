"""Limits that hold for the house: what counts at one node counts at the others, a moment later."""

from collections import deque

import pytest

from parlour.cluster.bus import Charged, Word
from parlour.cluster.limits import LAPSE, TELLING, HouseLimits
from parlour.core.errors import Limit, TooMuch
from parlour.core.house.gate import ACCOUNT, ADDRESS, CONNECTIONS, HOUSE, PASSWORDS, SESSIONS, Gate, Identity

LIMITS = (
    Limit(PASSWORDS, ADDRESS, 6, 10),
    Limit(PASSWORDS, HOUSE, 100, 1),
    Limit(SESSIONS, ACCOUNT, 4),
    Limit(CONNECTIONS, HOUSE, 3),
)
GUESSER = Identity(address="192.0.2.7")
ANN = Identity(account="ann")


class Brokers:
    """Nodes with a clock in common, and words that arrive when they are let."""

    def __init__(self, count: int) -> None:
        self.now = 1000.0
        self.said: deque[Word] = deque()
        self.gates = [Gate(lambda: self.now, LIMITS) for _ in range(count)]
        self.nodes = [
            HouseLimits(gate, f"life{number}", lambda: self.now, self.said.append)
            for number, gate in enumerate(self.gates)
        ]

    def pass_on(self, seconds: float = TELLING) -> None:
        self.now += seconds
        for node in self.nodes:
            node.look()
        while self.said:
            word = self.said.popleft()
            assert isinstance(word, Charged)
            for node in self.nodes:
                node.hear(word)


def room(gate: Gate, what: str, who: Identity) -> int:
    """How many more there may be."""
    for count in range(50):
        try:
            gate.charge(what, who)
        except TooMuch:
            for _ in range(count):
                gate.refund(what, who)
            return count
    raise AssertionError("there is no limit")


def test_guesses_at_one_node_count_at_the_others() -> None:
    house = Brokers(3)
    for gate in house.gates[:2]:
        for _ in range(2):
            gate.charge(PASSWORDS, GUESSER)
    assert room(house.gates[2], PASSWORDS, GUESSER) == 6
    house.pass_on()
    assert room(house.gates[2], PASSWORDS, GUESSER) == 2
    assert room(house.gates[0], PASSWORDS, GUESSER) == 2
    assert room(house.gates[2], PASSWORDS, Identity(address="192.0.2.8")) == 6


def test_what_is_over_at_one_node_makes_room_at_the_others() -> None:
    house = Brokers(2)
    for _ in range(4):
        house.gates[0].charge(SESSIONS, ANN)
    house.pass_on()
    with pytest.raises(TooMuch):
        house.gates[1].charge(SESSIONS, ANN)
    for _ in range(4):
        house.gates[0].refund(SESSIONS, ANN)
    house.pass_on()
    assert room(house.gates[1], SESSIONS, ANN) == 4


def test_connections_of_a_node_that_died_count_no_more() -> None:
    house = Brokers(2)
    for _ in range(4):
        house.gates[0].charge(SESSIONS, ANN)
    house.pass_on()
    del house.nodes[0]
    house.pass_on(LAPSE / 2)
    assert room(house.gates[1], SESSIONS, ANN) == 0
    house.pass_on(LAPSE)
    assert room(house.gates[1], SESSIONS, ANN) == 4


def test_what_a_machine_can_do_at_a_time_is_its_own() -> None:
    house = Brokers(2)
    for _ in range(3):
        house.gates[0].charge(CONNECTIONS)
    house.pass_on()
    assert room(house.gates[1], CONNECTIONS, Identity()) == 3


def test_nothing_is_said_where_nothing_counts() -> None:
    house = Brokers(2)
    house.now += TELLING
    for node in house.nodes:
        node.look()
    assert not house.said
