"""A chess clock: every seat has its own time, and only the seat to move uses it up."""

from collections.abc import Set


class Clock:
    """Seconds left by seat. Time is always an argument, so that a replay sees the same clock."""

    __slots__ = ("excused", "increment", "left", "running", "since")

    def __init__(self, seats: int, seconds: float, increment: float = 0.0) -> None:
        self.left = [seconds] * seats
        self.increment = increment
        self.running: int | None = None
        """Whose time runs; None while the game waits for a player."""
        self.since = 0.0
        self.excused: Set[int] = frozenset()
        """Seats whose time does not run before their players are back."""

    def switch(self, seat: int | None, at: float) -> None:
        """A move was made: the running seat stops, earns the increment if another is next, and `seat` runs."""
        if self.running is not None and seat != self.running:
            self.left[self.running] += self.increment
        self.turn_to(seat, at)

    def turn_to(self, seat: int | None, at: float) -> None:
        """From now on the time of this seat runs, unless it is excused, or no seat's; nothing is earned by that."""
        if self.running is not None:
            self.left[self.running] = max(0.0, self.left[self.running] - (at - self.since))
        self.running = None if seat in self.excused else seat
        self.since = at

    def forgive(self, at: float, seats: Set[int]) -> None:
        """No time has run since the last event of this clock, nor does that of these seats for now."""
        self.excused = seats
        self.running = None
        self.since = at

    def flag_at(self) -> float | None:
        """When the running seat's time is up."""
        return None if self.running is None else self.since + self.left[self.running]
