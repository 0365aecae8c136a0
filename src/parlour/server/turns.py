"""Turns: a move is carried out when it arrives; everything else too, while there is little of it.

One line of chat is told to everyone in a room, and one list names everyone there, so a hundred people who talk at once
keep the server busy for seconds. In every wake-up there is a slice of time for what is no move. When it is used up,
connections that want more wait here, unread, and the loop looks at its sockets between one slice and the next:

- A connection waits with all that it has sent, so what one person says and does keeps its order. A person's own moves
  wait behind that person's own talk, and never behind that of others.
- What changes something (sitting down, a vote, giving up) goes before talk, which gets some of every slice.
- Rooms take turns, and in a room those who talk. No line is thrown away: what is not read yet stays in the talker's
  socket, and so does what would only pile up before readers who are slower than we are.
"""

from collections import deque
from collections.abc import Callable, Set
from typing import TYPE_CHECKING, NamedTuple

from parlour.core.updates import Announced
from parlour.server.limits import CALM_SECONDS, SLICE_SECONDS, SLICES_AHEAD, SLOWED_SECONDS, WAIT_FOR_READERS_SECONDS

if TYPE_CHECKING:
    from parlour.server.house import House
    from parlour.server.link import Link

Action = Callable[[], None]
SLOWED = Announced("talk-slowed")


class Turn(NamedTuple):
    """Something that waits."""

    link: "Link"
    action: Action
    since: float


class Storm:
    """One room while more is said there than there is time for."""

    def __init__(self) -> None:
        self.line: deque[Turn] = deque()
        self.waited: dict[Link, float] = {}
        """How long each talker has waited, all lines together."""
        self.last = 0.0
        """When something had to wait last."""


class Turns:
    """What waits in one house, and the time that is left for it in this wake-up."""

    def __init__(self, house: "House", stopwatch: Callable[[], float]) -> None:
        self._house = house
        self._stopwatch = stopwatch
        self.spent = 0.0
        """Seconds of this wake-up that went into something else than moves."""
        self._batch = -1
        self._ahead = 0
        """Slices during the writing of one batch, and which batch that was."""
        self.unread: dict[Link, float] = {}
        """Connections that do not read as fast as we write, and since when."""
        self._doing: deque[Turn] = deque()
        self._talking: dict[object, Storm] = {}
        """The rooms in which a line waits, the next one first."""
        self._storms: dict[object, Storm] = {}
        """The same, with those where none has waited for just a moment."""
        self._under_way = False

    @property
    def waiting(self) -> bool:
        return bool(self._doing or self._talking)

    @property
    def crowded(self) -> bool:
        """Whether nothing but moves can be carried out now."""
        return self.spent >= SLICE_SECONDS or self.waiting

    def carry_out(self, action: Action) -> None:
        """Do it now, and note how long it took, with all that was carried out in it."""
        before, began = self.spent, self._stopwatch()
        try:
            action()
        finally:
            self.spent = before + self._stopwatch() - began

    def put_off(self, link: "Link", action: Action, talk: bool) -> None:
        """Do it when there is time; until then the connection is not read."""
        turn = Turn(link, action, self._house.hub.at)
        if talk:
            self._put_off_talk(_room(link), turn)
        else:
            self._doing.append(turn)
        if not self._under_way:
            self._under_way = True
            self._house.call_soon(self._go_on)

    def _put_off_talk(self, room: object, turn: Turn) -> None:
        storm = self._storms.get(room)
        if storm is None:
            storm = self._storms[room] = Storm()
            self._look_again(room)
        storm.last = turn.since
        storm.line.append(turn)
        self._talking.setdefault(room, storm)

    # --- slices ------------------------------------------------------------------------------------------------------

    def _go_on(self, _: str = "") -> None:
        """The next slice, unless that of the last wake-up is still to be told; without progress, in a moment."""
        house = self._house
        house.wake()
        spent = self.spent
        try:
            if spent < SLICE_SECONDS and not self._far_ahead():
                self._slice()
        finally:
            if not self.waiting:
                self._under_way = False
            elif self.spent > spent or spent >= SLICE_SECONDS:
                house.call_soon(self._go_on)
            else:
                house.wheel.add(house.hub.at, 0.0, "turns", self._go_on)

    def _far_ahead(self) -> bool:
        """Whether enough has been said already that cannot go out before the log is written."""
        batch = self._house.counts["commits"]
        if batch != self._batch or not self._house.writing:
            self._batch, self._ahead = batch, 0
        self._ahead += 1
        return self._ahead > SLICES_AHEAD

    def _slice(self) -> None:
        while self._doing and self.spent < SLICE_SECONDS:
            self._let(self._doing.popleft())
        slow = self._slow_rooms()
        while (room := next((room for room in self._talking if room not in slow), None)) is not None:
            self._let(self._next_line(room))
            if self.spent >= SLICE_SECONDS:
                break

    def _let(self, turn: Turn) -> None:
        """Do what has waited. Our own mistakes cost the connection, as they do when it is read."""
        done = False
        try:
            self.carry_out(turn.action)
            done = True
        finally:
            if not done:
                turn.link.cut()

    def _next_line(self, room: object) -> Turn:
        storm = self._talking.pop(room)
        turn = storm.line.popleft()
        if storm.line:
            self._talking[room] = storm  # behind the others
        before = storm.waited.get(turn.link, 0.0)
        waited = storm.waited[turn.link] = before + self._house.hub.at - turn.since
        if before < SLOWED_SECONDS <= waited:
            turn.link.tell(SLOWED)
        return turn

    def _slow_rooms(self) -> Set[object]:
        """Rooms where a connection does not keep up with what it is told, and has not for long."""
        lately = self._house.hub.at - WAIT_FOR_READERS_SECONDS
        return {_room(link) for link, since in self.unread.items() if since > lately}

    def _look_again(self, room: object) -> None:
        """See after a while whether it is calm in this room."""
        self._house.wheel.add(self._house.hub.at, CALM_SECONDS, "calm", lambda _: self._forget(room))

    def _forget(self, room: object) -> None:
        if room in self._talking or self._house.hub.at < self._storms[room].last + CALM_SECONDS:
            self._look_again(room)
        else:
            del self._storms[room]


def _room(link: "Link") -> object:
    """Those who share it hear one another: a table, or what people of a wire who are at none have in common."""
    who = link.participant
    return link if who is None else who.table or who.owner or link
