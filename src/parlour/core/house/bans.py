"""Who may not come in: by name or by address, for a time or for good."""

import ipaddress
import math
from collections.abc import Iterable

import msgspec

from parlour.core.errors import Banned
from parlour.core.house.gate import address
from parlour.core.names import alike, skeletons, visible
from parlour.core.table.people import Participant

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Ban(msgspec.Struct, frozen=True):
    whom: str
    """A name, an address or a network, as `subject` spells it."""
    until: float | None = None
    """None: for good."""

    def holds(self, at: float) -> bool:
        return self.until is None or at < self.until

    def seconds_left(self, at: float) -> int | None:
        """Until it ends; None for one that does not."""
        return None if self.until is None else max(1, math.ceil(self.until - at))


def network(text: str) -> Network | None:
    """The addresses that this names; None for a name."""
    try:
        found = ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        return None
    if isinstance(found, ipaddress.IPv6Network) and found.prefixlen >= 96 and found.network_address.ipv4_mapped:
        return ipaddress.ip_network((found.network_address.ipv4_mapped, found.prefixlen - 96))
    return found


def subject(text: str) -> str:
    """Whom a ban is for, always in one spelling: `192.0.2.7`, `2001:db8::/32`, or a name; empty for none of these."""
    found = network(text)
    if found is None:
        name = visible(text)
        return "" if "/" in name else name
    return str(found.network_address) if found.num_addresses == 1 else str(found)


class Bans:
    """All that are in force, and some that have ended. `at` is always the time of the house."""

    def __init__(self, bans: Iterable[Ban] = ()) -> None:
        self.all: tuple[Ban, ...] = ()
        self.ahead = 0.0
        """By how many seconds the time of day is ahead of the time of the house, which may stand still."""
        self._names: dict[str, Ban] = {}
        self._networks: list[tuple[Network, Ban]] = []
        self.replace(bans)

    def replace(self, bans: Iterable[Ban]) -> None:
        """Replaces all bans by these."""
        self.all = tuple(bans)
        self._names, self._networks = {}, []
        for ban in self.all:
            found = network(ban.whom)
            if found is None:
                self._names.update(dict.fromkeys(skeletons(ban.whom), ban))
            else:
                self._networks.append((found, ban))

    def of_name(self, name: str, at: float) -> Ban | None:
        """The ban that holds for this name, or one that looks like it."""
        bans = (self._names.get(look) for look in skeletons(name)) if self._names and name else ()
        return next((ban for ban in bans if ban is not None and ban.holds(at + self.ahead)), None)

    def of_address(self, text: str, at: float) -> Ban | None:
        """The ban that holds for this address."""
        found = address(text) if self._networks else None
        if found is None:
            return None
        return next((ban for where, ban in self._networks if found in where and ban.holds(at + self.ahead)), None)

    def of(self, who: Participant, at: float) -> Ban | None:
        """The ban that holds for a participant."""
        return self.of_address(who.address, at) or self.of_name(who.account, at) or self.of_name(who.name, at)

    def for_whom(self, text: str) -> list[Ban]:
        """Those that were laid on this name, or one that looks like it, or on exactly these addresses."""
        whom = subject(text) or visible(text)
        if network(whom) is not None:
            return [ban for ban in self.all if ban.whom == whom]
        return [ban for ban in self.all if network(ban.whom) is None and alike(ban.whom, whom)]

    def in_force(self, at: float) -> list[Ban]:
        return [ban for ban in self.all if ban.holds(at + self.ahead)]

    def seconds_left(self, ban: Ban, at: float) -> int | None:
        """Until it ends; None for one that does not."""
        return ban.seconds_left(at + self.ahead)

    def require_welcome(self, name: str, at: float) -> None:
        """Raises Banned."""
        self._require_none(self.of_name(name, at), at)

    def require_welcome_from(self, text: str, at: float) -> None:
        """The same for an address. Raises Banned."""
        self._require_none(self.of_address(text, at), at)

    def _require_none(self, ban: Ban | None, at: float) -> None:
        if ban is not None:
            raise Banned(self.seconds_left(ban, at))
