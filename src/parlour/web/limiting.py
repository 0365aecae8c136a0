"""How much one address may ask of us; whoever asks more is told which limit it was, and for how long."""

import math
from collections.abc import Callable

from starlette.requests import Request

BURST = 60
PER_SECOND = 20.0
REMEMBERED = 10_000
"""Addresses; beyond that the longest idle are forgotten."""
LOOPBACK = ("127.", "::1", "::ffff:127.")


class TooMuch(Exception):
    """A limit was reached. `limit` completes the sentence "No more than …"."""

    def __init__(self, limit: str, seconds: int) -> None:
        super().__init__(limit)
        self.limit = limit
        self.seconds = seconds


class Buckets:
    """One bucket an address, refilled as time goes by."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self._debts: dict[str, tuple[float, float]] = {}
        """By address, what it owed and when; the longest idle first."""

    def charge(self, address: str) -> None:
        """One request more. Raises TooMuch; then it is not counted."""
        if not address or address.startswith(LOOPBACK):
            return
        now = self.clock()
        debt, at = self._debts.pop(address, (0.0, now))
        debt = max(0.0, debt - (now - at) * PER_SECOND)
        if debt + 1 > BURST:
            self._debts[address] = (debt, now)
            limit = f"{PER_SECOND:.0f} requests a second from one address, or {BURST} at once"
            raise TooMuch(limit, max(1, math.ceil((debt + 1 - BURST) / PER_SECOND)))
        self._debts[address] = (debt + 1, now)
        if len(self._debts) > REMEMBERED:
            del self._debts[next(iter(self._debts))]


def address_of(request: Request) -> str:
    return "" if request.client is None else request.client.host
