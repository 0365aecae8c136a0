"""A chess clock: every seat has its own time, and only the seat to move uses it up."""

from collections.abc import Set
from math import inf
from typing import Protocol


class Dial(Protocol):
    """Whoever knows what time it is."""

    at: float


class Clock:
    """Seconds left by seat. Time is always an argument, so that a replay sees the same clock."""

    __slots__ = ("alarm", "dial", "excused", "increment", "left", "running", "since")

    def __init__(self, seats: int, seconds: float, increment: float = 0.0) -> None:
        self.left = [seconds] * seats
        self.increment = increment
        self.running: int | None = None
        """Whose time runs; None while the game waits for somebody."""
        self.since = 0.0
        self.excused: Set[int] = frozenset()
        """Seats whose time does not run before their players are back."""
        self.alarm = inf
        """When somebody will look next whether the time is up; no part of the game, nor is the next."""
        self.dial: Dial | None = None

    def switch(self, seat: int | None, at: float) -> None:
        """A move was made: who was running stops, earns the increment if another is next, and `seat` runs."""
        if self.running is not None and seat != self.running:
            self.left[self.running] += self.increment
        self.turn_to(seat, at)

    def turn_to(self, seat: int | None, at: float) -> None:
        """From now on the time of this seat runs, unless it is excused, or nobody's; nothing is earned by that."""
        if self.running is not None:
            self.left[self.running] = max(0.0, self.left[self.running] - (at - self.since))
        self.running = None if seat in self.excused else seat
        self.since = at

    def forgive(self, at: float, seats: Set[int]) -> None:
        """No time has run since something last happened to this clock, nor does that of these seats for now."""
        self.excused = seats
        self.running = None
        self.since = at

    def flag_at(self) -> float | None:
        """When the running seat's time is up."""
        return None if self.running is None else self.since + self.left[self.running]

    def now(self) -> float:
        """The time, for whoever shows this clock."""
        return self.since if self.dial is None else self.dial.at
