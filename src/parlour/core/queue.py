"""People waiting for somebody to play with, across all doors."""

from collections.abc import Mapping

from parlour.core.game import Game, Options
from parlour.core.seating import Participant
from parlour.core.vocab import Seek

Key = tuple[str, float, float, tuple[tuple[str, int | str], ...]]
"""The game, the clock, and what else two people must agree on."""


class Waiter:
    """One person in the queue."""

    __slots__ = ("key", "number", "options", "seat", "seek", "who")

    def __init__(self, who: Participant, seek: Seek, options: Options, seat: int | None, key: Key, number: int) -> None:
        self.who = who
        self.seek = seek
        self.options = options
        self.seat = seat
        self.key = key
        self.number = number


class Queue:
    """Who waits for which game. Lines are kept apart by wanted seat, so that a match is found at once."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        self._games = games
        self._lines: dict[Key, dict[int | None, dict[Participant, Waiter]]] = {}
        self._arrivals = 0
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, who: Participant, seek: Seek, options: Options, seat: int | None) -> None:
        key = self._key(seek, options)
        self._arrivals += 1
        waiter = Waiter(who, seek, options, seat, key, self._arrivals)
        self._lines.setdefault(key, {}).setdefault(seat, {})[who] = waiter
        who.waiting_in = waiter
        self._length += 1

    def match(self, seek: Seek, options: Options) -> Waiter | None:
        """The person waiting longest whose wishes fit; a wanted seat fits anything but itself."""
        lines = self._lines.get(self._key(seek, options))
        if not lines:
            return None
        heads = [
            next(iter(line.values()))
            for seat, line in lines.items()
            if line and (seek.seat is None or seat is None or seat != seek.seat)
        ]
        return min(heads, key=lambda waiter: waiter.number, default=None)

    def waiter(self, who: Participant) -> Waiter | None:
        waiter = who.waiting_in
        return waiter if isinstance(waiter, Waiter) else None

    def remove(self, who: Participant) -> None:
        """Take somebody out of the queue, if they are in it."""
        waiter = self.waiter(who)
        if waiter is None:
            return
        who.waiting_in = None
        self._length -= 1
        lines = self._lines[waiter.key]
        del lines[waiter.seat][who]
        if not lines[waiter.seat]:
            del lines[waiter.seat]
        if not lines:
            del self._lines[waiter.key]

    def clear(self) -> list[Waiter]:
        """Send everyone away; returns who that was."""
        everyone = [waiter for lines in self._lines.values() for line in lines.values() for waiter in line.values()]
        for waiter in everyone:
            waiter.who.waiting_in = None
        self._lines.clear()
        self._length = 0
        return everyone

    def _key(self, seek: Seek, options: Options) -> Key:
        loose = self._games[seek.game].loose
        wishes = sorted((name, value) for name, value in options.items() if name not in loose)
        return seek.game, seek.policy.clock, seek.policy.increment, tuple(wishes)


def share_seats(mine: int | None, theirs: int | None) -> tuple[int, int]:
    """Seats for the newcomer and the one who waited, who has the first choice; seat 0 where neither cares."""
    if theirs is None:
        theirs = 0 if mine is None else 1 - mine
    return 1 - theirs, theirs
