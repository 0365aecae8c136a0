"""The gate: how much one account, one address, one name and the whole house may have, whatever the door.

A limit is so many at once and then one more every so many seconds; or, of what goes on for a while, so many at a time.
A legal move is not counted, and what comes from this machine is not counted by address.
"""

import ipaddress
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import attrgetter

import msgspec

from parlour.core.errors import Limit, TooMuch
from parlour.core.table.people import Participant

REMEMBERED = 10_000
"""Accounts, addresses or names of one limit; beyond that those that were counted the longest time ago are forgotten."""
PAUSE = 10
"""Seconds after which to try again where only the end of something makes room."""

ACCOUNT, ADDRESS, NAME, PLAYER, HOUSE = "account", "address", "name", "player", "house"


PASSWORDS, REGISTRATIONS, TOKENS = "passwords", "registrations", "tokens"
CONNECTIONS, SESSIONS, STREAMS = "connections", "sessions", "streams"
REQUESTS, WISHES = "requests", "wishes"
TABLES, SEEKS, EVALUATIONS, EVALUATING = "tables", "seeks", "evaluations", "evaluating"
FILMS, FILMING, DRAWING, READING = "films", "filming", "drawing", "reading"

LIMITS = (
    Limit(PASSWORDS, NAME, 10, 30),
    Limit(PASSWORDS, ADDRESS, 20, 15),
    Limit(PASSWORDS, HOUSE, 1000, 0.2),
    Limit(REGISTRATIONS, ADDRESS, 5, 60),
    Limit(REGISTRATIONS, HOUSE, 1000, 1),
    Limit(TOKENS, ADDRESS, 10, 10),
    Limit(TOKENS, HOUSE, 50, 1),
    Limit(CONNECTIONS, ADDRESS, 200),
    Limit(CONNECTIONS, HOUSE, 20_000),
    Limit(SESSIONS, ACCOUNT, 64),
    Limit(STREAMS, PLAYER, 32),
    Limit(STREAMS, ADDRESS, 64),
    Limit(REQUESTS, ADDRESS, 60, 0.05),
    Limit(WISHES, PLAYER, 200, 0.05),
    Limit(TABLES, ACCOUNT, 60, 2),
    Limit(TABLES, ADDRESS, 120, 1),
    Limit(TABLES, HOUSE, 50_000, 0.0005),
    Limit(SEEKS, ACCOUNT, 120, 1),
    Limit(SEEKS, ADDRESS, 240, 0.5),
    Limit(SEEKS, HOUSE, 50_000, 0.0005),
    Limit(EVALUATIONS, ACCOUNT, 30, 4),
    Limit(EVALUATIONS, ADDRESS, 60, 2),
    Limit(EVALUATIONS, HOUSE, 600, 0.25),
    Limit(EVALUATING, HOUSE, 4),
    Limit(FILMS, ACCOUNT, 10, 15),
    Limit(FILMS, ADDRESS, 20, 10),
    Limit(FILMS, HOUSE, 200, 1),
    Limit(FILMING, HOUSE, 8),
    Limit(DRAWING, HOUSE, 4),
    Limit(READING, HOUSE, 32),
)
"""All that is limited. `sessions` are the connections of one account, a `player` is one program of the API."""


class Identity(msgspec.Struct, frozen=True):
    """Who is counted: by each of these that is not empty."""

    account: str = ""
    address: str = ""
    name: str = ""
    player: str = ""

    @staticmethod
    def of(who: Participant) -> "Identity":
        return Identity(who.account, who.address)


Share = tuple[str, str, dict[str, float]]
"""Of one limit, what is limited, by what, and how much of it by account, address and so on."""


class Gate:
    """Counts what is limited. `clock` tells the time."""

    def __init__(
        self, clock: Callable[[], float], limits: Iterable[Limit] = LIMITS, connections: int | None = None
    ) -> None:
        self._clock = clock
        self._counts: dict[str, list[Count]] = {}
        for limit in limits:
            if connections is not None and (limit.what, limit.by) == (CONNECTIONS, HOUSE):
                limit = Limit(CONNECTIONS, HOUSE, connections)
            self._counts.setdefault(limit.what, []).append(Count(limit))

    def charge(self, what: str, who: Identity = Identity()) -> None:  # noqa: B008 - it cannot be changed
        """Counts one more, in advance. Raises TooMuch; then nothing is counted."""
        now = self._clock()
        counts = self._counts[what]
        charged = [(count, key, count.require_room(key, now)) for count in counts if (key := count.key(who))]
        for count, key, owed in charged:
            count.keep(key, now, owed + 1)

    def require(self, what: str, who: Identity = Identity()) -> None:  # noqa: B008
        """Raises TooMuch unless there is room for one more."""
        now = self._clock()
        for count in self._counts[what]:
            if key := count.key(who):
                count.require_room(key, now)

    def refund(self, what: str, who: Identity = Identity()) -> None:  # noqa: B008
        """Takes back one that was charged: it is over, or does not count after all."""
        now = self._clock()
        for count in self._counts[what]:
            if key := count.key(who):
                count.keep(key, now, count.now(key, now) - 1)

    def counted(self, what: str, by: str) -> dict[str, float]:
        """Returns what counts now, by account, address or name."""
        now = self._clock()
        (count,) = (count for count in self._counts[what] if count.limit.by == by)
        return {key: owed for key in count.owed if (owed := count.now(key, now)) > 0}

    def shares(self, least: float) -> list[Share]:
        """Returns what other nodes shall add to their counts; leaves out what is below this part of a limit."""
        now, found = self._clock(), list[Share]()
        for count in self._shared():
            enough = count.limit.most * least
            much = {key: owed for key in count.owed if (owed := count.now(key, now)) >= enough}
            if much:
                found.append((count.limit.what, count.limit.by, much))
        return found

    def add(self, shares: Iterable[Share]) -> None:
        """Sets what other nodes count, in place of what they counted before."""
        for count in self._shared():
            count.elsewhere = {}
        for what, by, owed in shares:
            for count in self._counts.get(what, ()):
                if count.limit.by == by:
                    for key, much in owed.items():
                        count.elsewhere[key] = count.elsewhere.get(key, 0.0) + much

    def _shared(self) -> list["Count"]:
        """Returns the counts that all nodes add up; what one machine does at a time is not among them."""
        counts = [count for counts in self._counts.values() for count in counts]
        return [count for count in counts if count.limit.every or count.limit.by != HOUSE]


_NOTHING = (0.0, 0.0)


class Count:
    """What one limit counts, by account, address or name."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._rate = 1 / limit.every if limit.every else 0.0
        """How much is forgotten in a second."""
        self.key = _KEYS[limit.by]
        """By what is counted; empty for what is not."""
        self.owed: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """What counts still, and when that was so; the longest idle first."""
        self.elsewhere: dict[str, float] = {}
        """What counts at other nodes of the house, as they last said."""

    def now(self, key: str, now: float) -> float:
        """Returns what still counts."""
        owed, at = self.owed.get(key, _NOTHING)
        left = owed - (now - at) * self._rate
        return left if left > 0.0 else 0.0

    def require_room(self, key: str, now: float) -> float:
        """Returns what counts already. Raises TooMuch."""
        owed = self.now(key, now)
        beyond = owed + self.elsewhere.get(key, 0.0) + 1 - self.limit.most
        if beyond > 0:
            seconds = max(1, math.ceil(beyond * self.limit.every)) if self.limit.every else PAUSE
            raise TooMuch(self.limit, seconds)
        return owed

    def keep(self, key: str, now: float, owed: float) -> None:
        """Sets what counts now."""
        if owed <= 0:
            self.owed.pop(key, None)
            return
        self.owed[key] = owed, now
        self.owed.move_to_end(key)
        if self._rate and len(self.owed) > REMEMBERED:
            self.owed.popitem(last=False)


# --- addresses ------------------------------------------------------------------------------------------------------

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def address(text: str) -> Address | None:
    """What a connection comes from: IPv4 in IPv6 is IPv4. None for a peer that has no address."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


@lru_cache(REMEMBERED)
def network_of(text: str) -> str:
    """What is counted as one address: of IPv6 the /64 that one customer has; empty for this machine.

    A proxy may have another word than an address for its client.
    """
    found = address(text)
    if found is None:
        return text
    if found.is_loopback:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((found, 64), strict=False))
    return str(found)


_KEYS: dict[str, Callable[[Identity], str]] = {
    HOUSE: lambda _: HOUSE,
    ADDRESS: lambda who: network_of(who.address),
    ACCOUNT: attrgetter("account"),
    NAME: attrgetter("name"),
    PLAYER: attrgetter("player"),
}
