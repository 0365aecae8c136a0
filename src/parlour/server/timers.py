"""One wheel for all deadlines and pauses: a coarse tick costs less than a timer per connection."""

from collections.abc import Callable

from parlour.server.limits import LAG_WINDOW_SECONDS, TICK_SECONDS


class Lag:
    """How late the loop's ticks came lately."""

    def __init__(self) -> None:
        self._due: float | None
        self._worst: tuple[float, float]
        """How late, and when that was."""
        self.reset()

    def reset(self) -> None:
        """Nothing was late so far; the next tick is on time, whenever it comes."""
        self._due = None
        self._worst = (0.0, float("-inf"))

    def tick(self, now: float) -> None:
        """A tick comes; the next is due a tick later."""
        late = self._late(now)
        if late >= self.worst(now):
            self._worst = late, now
        self._due = now + TICK_SECONDS

    def worst(self, now: float) -> float:
        """Seconds, at most, of the last while; with the tick that is due."""
        late, at = self._worst
        return max(self._late(now), late if now - at <= LAG_WINDOW_SECONDS else 0.0)

    def _late(self, now: float) -> float:
        return 0.0 if self._due is None else max(0.0, now - self._due)


class Timer:
    """Something that will ring unless it is cancelled."""

    __slots__ = ("name", "ring")

    def __init__(self, ring: Callable[[str], None], name: str) -> None:
        self.ring: Callable[[str], None] | None = ring
        self.name = name

    def cancel(self) -> None:
        self.ring = None


class Wheel:
    """Timers in buckets of one tick. It does not know the time: the caller that turns it does."""

    def __init__(self) -> None:
        self._buckets: dict[int, list[Timer]] = {}
        self._turned_to = 0

    def set_time(self, now: float) -> None:
        """Where the wheel starts."""
        self._turned_to = int(now / TICK_SECONDS)

    def add(self, now: float, seconds: float, name: str, ring: Callable[[str], None]) -> Timer:
        """Ring after so many seconds: never earlier, at most one tick late."""
        timer = Timer(ring, name)
        tick = max(int((now + seconds) / TICK_SECONDS), self._turned_to) + 1
        self._buckets.setdefault(tick, []).append(timer)
        return timer

    def turn(self, now: float) -> None:
        """Ring everything that is due."""
        target = int(now / TICK_SECONDS)
        if target - self._turned_to > len(self._buckets) + 16:  # after a long sleep: jump, do not walk
            due = sorted(tick for tick in self._buckets if tick <= target)
        else:
            due = [tick for tick in range(self._turned_to + 1, target + 1) if tick in self._buckets]
        self._turned_to = max(self._turned_to, target)
        for tick in due:
            for timer in self._buckets.pop(tick):
                if timer.ring is not None:
                    timer.ring(timer.name)
