"""The one queue of a house as a model: nodes, people, and a network that loses, repeats and delays what is said.

Each node has the rules of the product (`Picture`, `Handovers`), with its own lines and tables in lists. Words between
nodes may be lost, come twice or in any order. Errands and their answers go by relays, late perhaps and in order; of one
who was called back meanwhile no answer counts, as at the edges of the product.
"""

from collections import deque
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from parlour.cluster.tickets import LAPSE, TAKEN, UNANSWERED, Handovers, Line, Offer, Picture, Ticket
from parlour.core.house.matchmaking import fit

KEY = ("noughts", 0.0, 0.0, ())
NODES = 2
SEATS = st.sampled_from([None, 0, 1])


class Person:
    def __init__(self, number: int, node: int, seat: int | None, since: float) -> None:
        self.number = number
        self.node = node
        self.seat = seat
        self.since = since
        self.errand = 0
        """Which of their errands counts; an answer to an earlier one is not heard."""
        self.tables: set[int] = set()
        """Where they sit by the word of their own node."""
        self.left = False

    def fits(self, other: "Person") -> bool:
        return fit(self.seat, other.seat)


class Node:
    def __init__(self, house: "House", number: int) -> None:
        self.house = house
        self.number = number
        self.line: list[Person] = []
        self.picture = Picture()
        self.handovers: Handovers[Person] = Handovers(self.recall, self.put_back)
        self.asked: deque[tuple[int, Person, int, int]] = deque()
        """On their way here by relay: a word, who, the errand, and whom they are to meet."""

    @property
    def life(self) -> str:
        return f"n{self.number}"

    def arrive(self, person: Person) -> None:
        """Local first, as for one who comes back."""
        self.put_back(person)

    def put_back(self, person: Person) -> None:
        other = next((one for one in self.line if one.fits(person)), None)
        if other is not None and not person.left:  # who came while this one was away
            self.line.remove(other)
            self.tell()
            self.house.seat(self.house.next_table(), other, person)
        elif not person.left:
            self.line.append(person)
            self.line.sort(key=lambda one: one.number)
            self.tell()

    def recall(self, person: Person) -> None:
        person.errand += 1

    def tell(self) -> None:
        line = Line(self.life, self.number, KEY, tuple(Ticket(p.number, p.seat, p.since, "") for p in self.line))
        self.picture.hear(line, self.house.now)
        for node in self.house.nodes:
            if node is not self:
                self.house.words.append((node.number, line))

    def hear(self, word: Line | Offer) -> None:
        if isinstance(word, Line):
            self.picture.hear(word, self.house.now)
            return
        person = next((one for one in self.line if one.number == word.number), None)
        if person is not None:
            self.line.remove(person)
            self.tell()
            person.errand += 1
            self.handovers.give(person, self.house.now)
            self.house.nodes[word.shelf].asked.append((self.number, person, person.errand, word.meets))

    def offer(self) -> None:
        for offer in self.picture.offers(self.house.now):
            self.house.words.append((int(offer.life[1:]), offer))

    def meet(self) -> None:
        """The next errand that has come by relay."""
        _, person, errand, meets = self.asked.popleft()
        host = next((one for one in self.line if one.number == meets and one.fits(person)), None)
        if host is None:
            self.house.answers.append((person, errand, 0))
            return
        self.line.remove(host)
        self.tell()
        table = self.house.next_table()
        host.tables.add(table)
        self.house.answers.append((person, errand, table))


class House:
    def __init__(self) -> None:
        self.now = 0.0
        self.words: list[tuple[int, Line | Offer]] = []
        self.answers: deque[tuple[Person, int, int]] = deque()
        self.people: list[Person] = []
        self.nodes = [Node(self, number) for number in range(NODES)]
        self._tables = 0

    def next_table(self) -> int:
        self._tables += 1
        return self._tables

    def seat(self, table: int, *people: Person) -> None:
        for person in people:
            person.tables.add(table)

    def answer(self) -> None:
        """The next answer to an errand; one that was called back is not heard, and their seat there is given up."""
        person, errand, table = self.answers.popleft()
        handovers = self.nodes[person.node].handovers
        if errand != person.errand or person.left:
            self.desert(table)
        elif table:
            handovers.met(person)
            person.tables.add(table)
        else:
            handovers.refused(person)

    def desert(self, table: int) -> None:
        """The other one is told that their opponent has gone: the game is over, and they seek again."""
        for person in self.people:
            if table in person.tables:
                person.tables.discard(table)
                self.nodes[person.node].arrive(person)

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        for node in self.nodes:
            node.handovers.look(self.now)


class Tickets(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.house = House()

    @initialize(keeper=st.integers(0, NODES - 1))
    def begin(self, keeper: int) -> None:
        self.keeper = keeper

    @rule(node=st.integers(0, NODES - 1), seat=SEATS)
    def come(self, node: int, seat: int | None) -> None:
        house = self.house
        person = Person(len(house.people) + 1, node, seat, house.now)
        house.people.append(person)
        house.nodes[node].arrive(person)

    @precondition(lambda self: self.house.people)
    @rule(data=st.data())
    def leave(self, data: Any) -> None:
        person = data.draw(st.sampled_from(self.house.people))
        if not person.tables:
            person.left = True
            node = self.house.nodes[person.node]
            node.handovers.met(person)
            if person in node.line:
                node.line.remove(person)
                node.tell()

    @precondition(lambda self: self.house.words)
    @rule(data=st.data(), fate=st.sampled_from(["arrives", "arrives", "arrives", "arrives", "lost", "twice"]))
    def deliver(self, data: Any, fate: str) -> None:
        place = data.draw(st.integers(0, len(self.house.words) - 1))  # in any order
        to, word = self.house.words.pop(place)
        for _ in range({"lost": 0, "twice": 2}.get(fate, 1)):
            self.house.nodes[to].hear(word)

    @rule()
    def offer(self) -> None:
        self.house.nodes[self.keeper].offer()

    @rule(keeper=st.integers(0, NODES - 1))
    def change_keeper(self, keeper: int) -> None:
        """Two may believe for a while that they keep the queue."""
        self.house.nodes[self.keeper].offer()
        self.keeper = keeper
        self.house.nodes[keeper].offer()

    @precondition(lambda self: any(node.asked for node in self.house.nodes))
    @rule(data=st.data())
    def meet(self, data: Any) -> None:
        data.draw(st.sampled_from([node for node in self.house.nodes if node.asked])).meet()

    @precondition(lambda self: self.house.answers)
    @rule()
    def answer(self) -> None:
        self.house.answer()

    @rule(seconds=st.sampled_from([0.1, 0.6, TAKEN, TAKEN, LAPSE + 1]))
    def wait(self, seconds: float) -> None:
        self.house.pass_time(seconds)

    @invariant()
    def nobody_is_at_two_tables_or_in_two_places(self) -> None:
        for person in self.house.people:
            node = self.house.nodes[person.node]
            places = len(person.tables) + node.line.count(person) + (person in node.handovers.taken)
            assert places == (0 if person.left else 1), f"{person.number} is in {places} places"

    def teardown(self) -> None:
        """When the network is well again, no two are left who could play each other, at whatever node."""
        house = self.house
        for _ in range(60):
            for node in house.nodes:
                node.tell()
            words, house.words = house.words, []
            for to, word in words:
                house.nodes[to].hear(word)
            for node in house.nodes:
                for _ in range(len(node.asked)):
                    node.meet()
            for _ in range(len(house.answers)):
                house.answer()
            house.nodes[self.keeper].offer()
            house.pass_time(0.3)
        waiting = [person for node in house.nodes for person in node.line]
        for person in waiting:
            assert not any(person is not other and person.fits(other) for other in waiting), "two were forgotten"


Tickets.TestCase.settings = settings(max_examples=150, stateful_step_count=50, deadline=None)
TestTickets = Tickets.TestCase


def test_errand_to_a_node_whose_log_is_slow_is_waited_for_and_to_one_out_of_reach_is_not() -> None:
    reached = {"slow", "silent"}
    back: list[str] = []
    handovers: Handovers[str] = Handovers(lambda _: None, back.append, reached.__contains__)
    for person in ("slow", "silent", "cut"):
        handovers.give(person, 0.0)
    handovers.look(TAKEN / 2)
    assert not back
    handovers.look(TAKEN)
    assert back == ["cut"]
    handovers.look(UNANSWERED - 1)
    handovers.met("slow")
    handovers.look(UNANSWERED)
    assert back == ["cut", "silent"]


def test_connection_to_the_other_node_that_breaks_later_leaves_a_moment_for_another() -> None:
    reached = {"ann"}
    back: list[str] = []
    handovers: Handovers[str] = Handovers(lambda _: None, back.append, reached.__contains__)
    handovers.give("ann", 0.0)
    handovers.look(5.0)
    reached.clear()
    handovers.look(5.0 + TAKEN / 2)
    assert not back
    handovers.look(5.0 + TAKEN)
    assert back == ["ann"]
