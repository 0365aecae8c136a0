"""How much a client may ask of us; one that asks more is told which limit it was, and for how long."""

import math
from collections.abc import Callable

from starlette.requests import Request

BURST = 60
PER_SECOND = 20.0
REMEMBERED = 10_000
"""Addresses, or names; beyond that those that were counted the longest time ago are forgotten."""
LOOPBACK = ("127.", "::1", "::ffff:127.")


class TooMuch(Exception):
    """A limit was reached. `limit` completes the sentence "No more than …"; `counted` is a word for what it is of."""

    def __init__(self, limit: str, seconds: int, counted: str = "") -> None:
        super().__init__(limit)
        self.limit = limit
        self.seconds = seconds
        self.counted = counted


class Allowance:
    """So many at once, then one more every so many seconds, for everything that is counted apart."""

    def __init__(
        self, clock: Callable[[], float], most: int, seconds: float, limit: str, counted: str = "address"
    ) -> None:
        self._clock = clock
        self._most = most
        self._seconds = seconds
        self._limit = limit
        self._counted = counted
        self._owed: dict[str, tuple[float, float]] = {}
        """What counts still, and when that was so; the longest idle first."""

    def charge(self, key: str) -> None:
        """One more, paid for in advance. Raises TooMuch; then it is not counted."""
        now = self._clock()
        owed = self._now_owed(key, now)
        if owed + 1 > self._most:
            wait = max(1, math.ceil((owed + 1 - self._most) * self._seconds))
            raise TooMuch(self._limit, wait, self._counted)
        self._owed.pop(key, None)
        self._owed[key] = owed + 1, now
        if len(self._owed) > REMEMBERED:
            del self._owed[next(iter(self._owed))]

    def refund(self, key: str) -> None:
        """It was none that counts."""
        now = self._clock()
        if key in self._owed:
            self._owed[key] = max(0.0, self._now_owed(key, now) - 1), now

    def _now_owed(self, key: str, now: float) -> float:
        owed, at = self._owed.get(key, (0.0, now))
        return max(0.0, owed - (now - at) / self._seconds)


class Tries(Allowance):
    """What may go wrong only so often: passwords are not to be found by trying."""

    def __init__(
        self, clock: Callable[[], float], most: int, seconds: float, what: str, counted: str = "address"
    ) -> None:
        super().__init__(clock, most, seconds, f"{most} {what}, then one every {seconds:.0f} s", counted)


class Buckets(Allowance):
    """Requests, by the address they come from; this machine may ask as often as it likes."""

    def __init__(self, clock: Callable[[], float]) -> None:
        limit = f"{PER_SECOND:.0f} requests a second from one address, or {BURST} at once"
        super().__init__(clock, BURST, 1 / PER_SECOND, limit)
        self.clock = clock

    def charge(self, key: str) -> None:
        if key:
            super().charge(key)


def address_of(request: Request) -> str:
    """Where a request comes from; empty for this machine."""
    return "" if request.client is None else remote(request.client.host)


def remote(address: str) -> str:
    """An address; empty for this machine, which no limit is for."""
    return "" if address.startswith(LOOPBACK) else address
