"""The names by which a browser may ask for this server.

A page from elsewhere whose own name is made to lead to this machine (DNS rebinding) is one of our pages, for all that a
browser knows; but it cannot hide its name. So doors that only this machine can reach answer to names of this machine,
and to those that their host has given them. What a proxy shows to the world is no secret that a name could guard.
"""

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache

HOST = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?", re.ASCII)
EVERYWHERE = (str(ipaddress.IPv4Address(0)), str(ipaddress.IPv6Address(0)))
"""What a door to all networks is bound to."""


class Names:
    """Of all doors for browsers together."""

    def __init__(self) -> None:
        self._any = False
        self._given: set[str] = set()

    def bind(self, address: str, given: Iterable[str] = (), known: bool = False) -> None:
        """A door is opened there, and shall be known by these names, too; by any if a proxy makes it known to all."""
        self._any = self._any or known or address in EVERYWHERE or not is_loopback(address)
        self._given.update(name.lower() for name in given if name)

    def __contains__(self, host: str) -> bool:
        """Whether we are meant by this Host header. A program need not send one."""
        if self._any or not host:
            return True
        name = without_port(host).lower()
        return is_loopback(name) or name in self._given


def without_port(host: str) -> str:
    """The name, or the address without its brackets, in a Host header; empty for nonsense."""
    found = HOST.fullmatch(host)
    return "" if found is None else found[1].strip("[]")


@lru_cache(64)
def is_loopback(host: str) -> bool:
    """Whether this names the machine that one is at."""
    try:
        address = ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
