"""A chess clock: every seat has its own time, and only the seat to move uses it up."""


class Clock:
    """Seconds left by seat. Time is always an argument, so that a replay sees the same clock."""

    __slots__ = ("increment", "left", "running", "since")

    def __init__(self, seats: int, seconds: float, increment: float = 0.0) -> None:
        self.left = [seconds] * seats
        self.increment = increment
        self.running: int | None = None
        self.since = 0.0

    def switch(self, seat: int | None, at: float) -> None:
        """Whoever was running stops (and earns the increment); `seat` runs from now on."""
        if self.running is not None:
            self.left[self.running] -= at - self.since
            if seat != self.running:
                self.left[self.running] += self.increment
        self.running = seat
        self.since = at

    def flag_at(self) -> float | None:
        """When the running seat's time is up."""
        return None if self.running is None else self.since + self.left[self.running]
