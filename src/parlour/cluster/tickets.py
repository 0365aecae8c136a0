"""One queue for all nodes, as rules without sockets: who waits where, who is offered to whom, and who is given away.

People of one node are paired there. Those who are left wait on *tickets*, which their node tells to all others. One
node, the keeper of the queue, offers the younger of two tickets that fit to the node of the older one. Only its own
node can give a ticket away: it takes the person out of its line, sends them there, and has them back in their old place
when the other one has gone meanwhile, or that node cannot be reached for `TAKEN` seconds. Once it knows of them, it is
waited for: its log may be slow, and it would seat one who sits elsewhere by then; and when it dies, so is the node that
adopts its tables, for a seat may be in its log. All else is soft: a keeper that dies, a word that is lost or comes
twice, costs time and nothing else.
"""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import msgspec

from parlour.core.house.matchmaking import Key, fit

TAKEN = 2.0
"""Seconds for which a ticket is given away to a node that cannot be reached, and so does not know of it."""
UNANSWERED = 20.0
"""Seconds for which it is given away without an answer: longer than a log may take before it counts as down."""
OFFERED = 0.5
"""Seconds after which a ticket that is still there is offered once more."""
REPEAT = 1.0
"""Seconds after which a node tells once more who waits there."""
LAPSE = 3.5
"""Seconds without a word after which no one waits at a node."""
MOST = 64
"""Tickets of one line that others are told of."""

Person = TypeVar("Person")


class Ticket(msgspec.Struct, frozen=True, array_like=True):
    """One person in the line of a node."""

    number: int
    """Of the person at that node."""
    seat: int | None
    since: float
    name: str


class Line(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """All that wait at a node for the same thing."""

    life: str
    """Of the node."""
    shelf: int
    """Where it opens tables."""
    key: Key
    tickets: tuple[Ticket, ...]


class Offer(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """To one node: a person of yours could meet one of another."""

    life: str
    number: int
    key: Key
    shelf: int
    meets: int


class Picture:
    """Who waits at which node, as far as we have heard."""

    def __init__(self) -> None:
        self._lines: dict[Key, dict[str, tuple[Line, float]]] = {}
        self._offered: dict[tuple[str, int], float] = {}

    def hear(self, line: Line, now: float) -> None:
        here = self._lines.setdefault(line.key, {})
        if line.tickets:
            here[line.life] = line, now
        else:
            here.pop(line.life, None)
        if not here:
            del self._lines[line.key]

    def forget(self, now: float) -> None:
        """Those of whom nothing was heard for long are dead."""
        for key, lines in tuple(self._lines.items()):
            for life, (_, heard) in tuple(lines.items()):
                if now - heard > LAPSE:
                    del lines[life]
            if not lines:
                del self._lines[key]
        self._offered = {who: at for who, at in self._offered.items() if now - at < OFFERED}

    def waiting(self, key: Key) -> list[tuple[Ticket, Line]]:
        """All who wait for this, the longest first."""
        lines = [line for line, _ in self._lines.get(key, {}).values()]
        found = [(ticket, line) for line in lines for ticket in line.tickets]
        return sorted(found, key=lambda each: (each[0].since, each[1].life, each[0].number))

    def opposite(self, key: Key, seat: int | None, life: str) -> tuple[Ticket, Line] | None:
        """Who waits longest, at any other node, and could play one who wants this seat."""
        others = (each for each in self.waiting(key) if each[1].life != life and fit(seat, each[0].seat))
        return next(others, None)

    def offers(self, now: float) -> list[Offer]:
        """What the keeper of the queue is to say now."""
        self.forget(now)
        return [offer for key in self._lines for offer in self._pairs(key, now)]

    def _pairs(self, key: Key, now: float) -> Iterable[Offer]:
        free = [(ticket, line) for ticket, line in self.waiting(key) if (line.life, ticket.number) not in self._offered]
        while free:
            older, at = free.pop(0)
            for place, (younger, of) in enumerate(free):
                if of.life != at.life and fit(older.seat, younger.seat):
                    del free[place]
                    self._offered[at.life, older.number] = self._offered[of.life, younger.number] = now
                    yield Offer(of.life, younger.number, key, at.shelf, older.number)
                    break


class Handovers(Generic[Person]):
    """What a node has given away and not heard of yet. `recall` ends the errand, `put_back` lets them wait again.

    `may_answer` says whether the other node has the errand or is about to, or had it when the connection broke.
    """

    def __init__(
        self,
        recall: Callable[[Person], None],
        put_back: Callable[[Person], None],
        may_answer: Callable[[Person], bool] = lambda _: False,
    ) -> None:
        self._recall = recall
        self._put_back = put_back
        self._may_answer = may_answer
        self.taken: dict[Person, tuple[float, float]] = {}
        """Since when, and until when an answer could be expected."""

    def give(self, person: Person, now: float) -> None:
        """The person is on their way to another node's table."""
        self.taken[person] = now, now

    def met(self, person: Person) -> None:
        """They sit there, or have left the house."""
        self.taken.pop(person, None)

    def refused(self, person: Person) -> None:
        """The other one was gone."""
        if self.taken.pop(person, None) is not None:
            self._put_back(person)

    def look(self, now: float) -> None:
        """No answer is an answer, after a while."""
        for person, (since, expected) in tuple(self.taken.items()):
            if self._may_answer(person):
                self.taken[person] = since, expected = since, now
            if now >= since + UNANSWERED or now >= expected + TAKEN:
                del self.taken[person]
                self._recall(person)
                self._put_back(person)
