"""How often something may go wrong before one has to wait: passwords are not to be found by trying."""

import math
from collections.abc import Callable

from parlour.web.limiting import REMEMBERED, TooMuch


class Tries:
    """So many at once, then one more every so many seconds, for everything that is counted apart."""

    def __init__(self, clock: Callable[[], float], most: int, seconds: float, what: str) -> None:
        self._clock = clock
        self._most = most
        self._seconds = seconds
        self._limit = f"{most} {what}, then one every {seconds:.0f} s"
        self._owed: dict[str, tuple[float, float]] = {}
        """Tries that count, and when; those without any for the longest time first."""

    def charge(self, key: str) -> None:
        """One try more, paid for in advance. Raises TooMuch; then it is not counted."""
        now = self._clock()
        owed = self._now_owed(key, now)
        if owed + 1 > self._most:
            raise TooMuch(self._limit, max(1, math.ceil((owed + 1 - self._most) * self._seconds)))
        self._owed.pop(key, None)
        self._owed[key] = owed + 1, now
        if len(self._owed) > REMEMBERED:
            del self._owed[next(iter(self._owed))]

    def refund(self, key: str) -> None:
        """The try did not go wrong."""
        now = self._clock()
        if key in self._owed:
            self._owed[key] = max(0.0, self._now_owed(key, now) - 1), now

    def _now_owed(self, key: str, now: float) -> float:
        owed, at = self._owed.get(key, (0.0, now))
        return max(0.0, owed - (now - at) / self._seconds)
