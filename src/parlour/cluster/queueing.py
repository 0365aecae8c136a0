"""The queue of a node as a part of the one queue of the house: see `tickets` for the rules."""

from collections.abc import Callable
from typing import Protocol

from msgspec import structs

from parlour.cluster.bus import Present, Word
from parlour.cluster.frames import Meet
from parlour.cluster.roaming import NodeEdge, NodeHouse, Roaming
from parlour.cluster.tickets import LAPSE, MOST, REPEAT, Handovers, Line, Offer, Picture, Ticket
from parlour.core.house.matchmaking import Key, Waiter, suits
from parlour.core.table.people import Participant
from parlour.core.words import Enter, Seek

UNTOLD = 1.0
"""Seconds for which one whose wire must name a seat at once is not told to wait: others may be as new elsewhere."""
PAUSE = 0.01
"""Seconds from one time that others are told who has come to the next. Where many come, most meet one who has come at
the same time, and then there is nothing to tell."""
UNDECIDED = 5.0
"""Seconds after which one who looks for a table gets one here, when no one keeps the queue."""


class Roles(Protocol):
    """Who pairs people of different nodes."""

    def queue_keeper(self) -> str | None:
        """The life of that node."""
        ...


class HouseQueue:
    """What a node tells the others of its queue, and does with what they say."""

    def __init__(
        self,
        roaming: Roaming,
        house: NodeHouse,
        roles: Roles,
        me: Present,
        say: Callable[[Word], None],
        spare: Callable[[], int] = lambda: 0,
    ) -> None:
        self._roaming = roaming
        self._house = house
        self._line = house.hub.matchmaker
        self._roles = roles
        self._say = say
        self._me = me
        self._spare = spare
        self._picture = Picture()
        self._handovers: Handovers[Waiter] = Handovers(self._recall, self._put_back, self._may_answer)
        self._untold: set[Waiter] = set()
        """Those who have not been told to wait, at this node or on their way to another."""
        self._undecided: dict[Participant, tuple[Seek | Enter, float]] = {}
        """Those who look for a table while no one keeps the queue, and since when."""
        self._asked: dict[Participant, float] = {}
        """The same, while they look once more."""
        self._said: dict[Key, tuple[tuple[Ticket, ...], float]] = {}
        """What others were told, and when."""
        self._changed: set[Key] = set()
        """Lines of which others are about to be told."""
        self._pausing = False
        """Whether others were told of some just now."""
        self._present: dict[str, tuple[Present, float]] = {}
        self._told_at = float("-inf")
        self._line.others = self
        house.queue = roaming.hub.queue = self
        say(structs.replace(me, new=True))

    # --- what the house asks -----------------------------------------------------------------------------------------

    def meets(self, waiter: Waiter) -> bool:
        """One whose wire must name a seat at once is sent to another who waits already, while that can be chosen.

        If there is none, they wait for any seat for a moment, so that two who come to two nodes at once can meet.
        """
        if waiter.seek.seat is not None or waiter.seek.fallback is None or self._house.places.alone:
            return False
        self._untold.add(waiter)
        found = self._picture.opposite(waiter.key, None, self._me.life)
        if found is not None and self._roaming.send(waiter.who, found[1].shelf):
            self._send(waiter, None, found[0].number)
        else:
            waiter.seat = None
            self._line.put_back(waiter)
            self._house.hub.alarm(UNTOLD, lambda: self._tell_seat(waiter))
        return True

    def _tell_seat(self, waiter: Waiter) -> None:
        """Let one wait on in the seat that their wire must name, unless they have met another or are on their way."""
        if waiter in self._untold and waiter.who.waiting_in is waiter:
            self._line.remove(waiter.who)
            self._put_back(waiter)
        elif waiter not in self._handovers.taken:
            self._untold.discard(waiter)

    def _seat_to_name(self, waiter: Waiter) -> int | None:
        """The one that the wire names, or the other where someone waits in that one elsewhere, not yet on offer."""
        seat = waiter.seek.fallback
        found = self._picture.opposite(waiter.key, None, self._me.life)
        return 1 - seat if found is not None and seat is not None and found[0].seat == seat else seat

    def waiting_for(self, key: Key, seek: Seek) -> str | None:
        others = (each for each in self._picture.waiting(key) if each[1].life != self._me.life)
        return next((ticket.name for ticket, _ in others if suits(seek, ticket.seat)), None)

    def sent(self, who: Participant, command: Seek | Enter) -> bool:
        """Tables where people wait for others, and rooms for all, are with the keeper of the queue.

        While no one keeps it, as after a death, those who look for one wait a moment: of two who opened a table each,
        neither would find the other.
        """
        if not command.policy.open or type(who) is not Participant:
            return False
        now = self._house.clock()
        first = self._asked.get(who, now)
        keeper = self._roles.queue_keeper()
        if keeper == self._me.life or now - first > UNDECIDED:
            return False
        known = None if keeper is None else self._present.get(keeper)
        if known is None or not self._roaming.send(who, known[0].shelf):
            self._undecided[who] = command, first
        else:
            self._roaming.edge(known[0].shelf).submit(who, command)
        return True

    def shelf_for_engine(self) -> int | None:
        """Where an engine should play whose opponent is at this node; None for here, while there is room, or nowhere.

        What others said may be a second old, so each one who is sent there counts at once.
        """
        if self._spare() > 0:
            return None
        there, at = max(self._present.values(), key=lambda each: each[0].spare, default=(self._me, 0.0))
        if there.spare <= 0 or there is self._me:
            return None
        self._present[there.life] = structs.replace(there, spare=there.spare - 1), at
        return there.shelf

    def misled(self, who: Participant, command: Seek | Enter) -> None:
        """They were sent to one who keeps the queue no more."""
        self._undecided[who] = command, self._house.clock()

    def gone(self, who: Participant) -> None:
        """They do not look for a table any more."""
        self._undecided.pop(who, None)

    # --- what changes here -------------------------------------------------------------------------------------------

    def changed(self, keys: set[Key]) -> None:
        """These lines are not as they were. That one has gone of whom others were told, they are told at once."""
        self._changed |= keys
        if not self._pausing:
            self._pausing = True
            self._house.call_later(PAUSE, self._go_on)
            self._tell_changed()
        elif any(not set(self._told(key)) <= set(self._tickets(key)) for key in keys):
            self._tell_changed()

    def _go_on(self) -> None:
        self._pausing = False
        if self._changed:
            self.changed(set())

    def _tell_changed(self) -> None:
        changed, self._changed = self._changed, set()
        for key in changed:
            if (tickets := self._tickets(key)) != self._told(key):
                self._tell(key, tickets)
        self._offer()

    def _told(self, key: Key) -> tuple[Ticket, ...]:
        return self._said[key][0] if key in self._said else ()

    def _tickets(self, key: Key) -> tuple[Ticket, ...]:
        waiters = sorted(self._line.line(key), key=lambda waiter: waiter.number)[:MOST]
        return tuple(Ticket(each.number, each.seat, each.since, each.who.name) for each in waiters)

    def _tell_again(self, key: Key) -> None:
        self._tell(key, self._tickets(key))

    def _tell(self, key: Key, tickets: tuple[Ticket, ...]) -> None:
        """While there is no other node, no one need be told: one that comes asks."""
        now = self._house.clock()
        line = Line(self._me.life, self._me.shelf, key, tickets)
        self._picture.hear(line, now)
        if tickets:
            self._said[key] = tickets, now
        else:
            self._said.pop(key, None)
        if self._present:
            self._say(line)

    def look(self) -> None:
        """Called a few times a second."""
        self._house.enter(self._look)

    def _look(self) -> None:
        now = self._house.clock()
        self._handovers.look(now)
        undecided, self._undecided = self._undecided, {}
        self._asked = {who: since for who, (_, since) in undecided.items()}
        for who, (command, _) in undecided.items():
            self._house.submit(who, command)
        self._asked = {}
        for key, (_, at) in tuple(self._said.items()):
            if now - at >= REPEAT:
                self._tell_again(key)
        if now - self._told_at >= REPEAT:
            self._told_at = now
            self._me = structs.replace(self._me, spare=self._spare())
            self._say(self._me)
            self._present = {life: each for life, each in self._present.items() if now - each[1] < LAPSE}
        self._offer()

    def moved(self, shelf: int) -> None:
        """Tables are opened on another shelf from now on."""
        self._me = structs.replace(self._me, shelf=shelf)

    # --- what others say ---------------------------------------------------------------------------------------------

    def hear(self, word: Word) -> None:
        if isinstance(word, Offer):
            if word.life == self._me.life:
                self._house.enter(lambda: self._take(word))
        elif word.life == self._me.life:
            return
        elif isinstance(word, Line):
            self._picture.hear(word, self._house.clock())
            self._offer()
        elif isinstance(word, Present):
            known = word.life in self._present
            self._present[word.life] = word, self._house.clock()
            if word.new:
                self._say(self._me)
            if word.new or not known:
                for key in tuple(self._said):
                    self._tell_again(key)

    def _offer(self) -> None:
        """If the queue is ours to keep, bring those together who fit."""
        if self._roles.queue_keeper() == self._me.life:
            for offer in self._picture.offers(self._house.clock()):
                if offer.life == self._me.life:
                    self._house.enter(lambda offer=offer: self._take(offer))  # type: ignore[misc]
                else:
                    self._say(offer)

    # --- errands -----------------------------------------------------------------------------------------------------

    def _take(self, offer: Offer) -> None:
        """Send one of ours to another node, if they still wait."""
        waiter = next((each for each in self._line.line(offer.key) if each.number == offer.number), None)
        if waiter is None:
            self._tell_again(offer.key)
        elif self._roaming.send(waiter.who, offer.shelf):
            self._line.remove(waiter.who)
            self._send(waiter, waiter.seat, offer.meets)

    def _send(self, waiter: Waiter, seat: int | None, meets: int) -> None:
        edge = self._roaming.hub.abroad[waiter.who]
        assert isinstance(edge, NodeEdge)
        self._handovers.give(waiter, self._house.clock())
        edge.run_errand(waiter, Meet(meets, seat, waiter.key))

    def met(self, waiter: Waiter) -> None:
        """The person sits at another node's table, or has left."""
        self._untold.discard(waiter)
        self._handovers.met(waiter)

    def refused(self, waiter: Waiter) -> None:
        """The one they were sent to waits no more; they are home again."""
        self._handovers.refused(waiter)

    def _may_answer(self, waiter: Waiter) -> bool:
        """Whether it is to be waited for what became of them where they were sent."""
        edge = self._roaming.hub.abroad.get(waiter.who)
        return isinstance(edge, NodeEdge) and edge.may_answer(waiter.who)

    def _recall(self, waiter: Waiter) -> None:
        edge = self._roaming.hub.abroad.get(waiter.who)
        if isinstance(edge, NodeEdge):
            edge.call_back(waiter.who)

    def _put_back(self, waiter: Waiter) -> None:
        if waiter in self._untold:
            self._untold.discard(waiter)
            waiter.seat = self._seat_to_name(waiter)
            self._line.wait(waiter)
        else:
            self._line.put_back(waiter)
        self._house.hub.alarm(0.0, lambda: self._line.reunite(waiter))
