"""What a proxy tells of the client behind it: `Forwarded` (RFC 7239), or `X-Forwarded-For` and its kin.

Any client can send these headers, and a proxy only adds to what it was sent. So they count when the connection comes
from an address that the host trusts, and are read from the right: every trusted proxy has written the entry before it,
and the first address that is not one of theirs is the client's. What stands further left is the client's own invention.
"""

import ipaddress
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from parlour.web.names import HOST, is_loopback

UNKNOWN = "unknown"
"""Stands for a client whose proxy will not tell its address, or tells nonsense; all of them share their limits."""
SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
NODE = re.compile(r"(?:\[([^\[\]]+)\]|([0-9.]+)|(_[A-Za-z0-9._-]{1,64}))(?::[A-Za-z0-9._-]+)?", re.ASCII)
"""RFC 7239, 6: an address, or a word that hides one; each may have a port."""
PAIR = re.compile(r'\s*([A-Za-z-]+)=("[^"]*"|[^\s",;]*)\s*', re.ASCII)

Headers = Sequence[tuple[bytes, bytes]]


class Client(NamedTuple):
    """Who asks, by which scheme, and for which host; the last two are None where they were not told."""

    address: str
    scheme: str | None = None
    host: str | None = None


class Proxies:
    """The addresses and networks whose word counts."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks = [ipaddress.ip_network(network.strip().strip("[]"), strict=False) for network in networks]

    def __bool__(self) -> bool:
        return bool(self._networks)

    def __contains__(self, address: str) -> bool:
        if not self._networks:
            return False
        try:
            known = ipaddress.ip_address(plain(address))
        except ValueError:
            return False
        return any(known in network for network in self._networks)

    def client(self, peer: str, headers: Headers) -> Client:
        """The client that asks through this peer; an untrusted peer is the client itself, whatever it says."""
        if peer not in self:
            return Client(peer)
        addresses = _listed(headers, b"x-forwarded-for")
        scheme, host = _listed(headers, b"x-forwarded-proto"), _listed(headers, b"x-forwarded-host")
        if addresses or not (forwarded := _listed(headers, b"forwarded")):
            hop, address = self._nearest(peer, map(_node, _elements(addresses)))
            return _client(peer, address, _at(hop, scheme), _at(hop, host))
        elements = [dict(_pairs(element)) for element in _elements(forwarded)]
        hop, address = self._nearest(peer, (_node(element.get("for", "")) for element in elements))
        told = elements[hop] if elements else {}
        return _client(peer, address, told.get("proto") or _at(hop, scheme), told.get("host") or _at(hop, host))

    def _nearest(self, peer: str, addresses: Iterable[str]) -> tuple[int, str]:
        """The first address that is no proxy's, or else the farthest; and how many entries are to the right of it."""
        hop, address = 0, peer
        for hop, address in enumerate(addresses):  # noqa: B007 - both are wanted behind the loop
            if address not in self:
                break
        return hop, address


def plain(address: str) -> str:
    """An address in its usual spelling: without a zone, and IPv4 as such where it comes in a longer one's clothes."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


def _client(peer: str, address: str, scheme: str | None, host: str | None) -> Client:
    if is_loopback(address) and not is_loopback(plain(peer)):
        address = peer  # a client on the proxy's own machine is not on ours
    named = host if host and HOST.fullmatch(host) else None
    return Client(plain(address), SCHEMES.get((scheme or "").lower()), named)


def _listed(headers: Headers, wanted: bytes) -> str:
    """All headers of a name, in one list."""
    return ",".join(value.decode("latin-1") for name, value in headers if name == wanted)


def _elements(header: str) -> Iterator[str]:
    """Yields what stands between commas, the last first, so that an open quote on the left hides nothing."""
    end, quoted = len(header), False
    for at in range(end - 1, -1, -1):
        if header[at] == '"':
            quoted = not quoted
        elif header[at] == "," and not quoted:
            yield from _filled(header[at + 1 : end])
            end = at
    yield from _filled(header[:end])


def _filled(element: str) -> Iterator[str]:
    """Yields it unless it is empty, which stands for nothing in a list (RFC 9110, 5.6.1.2)."""
    if element.strip():
        yield element.strip()


def _at(hop: int, header: str) -> str | None:
    """The entry of the same proxy in another list; one that has fewer entries is taken to be the first proxy's."""
    entries = list(_elements(header))
    return entries[min(hop, len(entries) - 1)] if entries else None


def _pairs(element: str) -> Iterator[tuple[str, str]]:
    """Yields `name=value`; nothing of an element that has anything else in it."""
    found = [PAIR.fullmatch(pair) for pair in element.split(";")]
    if all(found):
        yield from ((pair[1].lower(), pair[2].strip('"')) for pair in found if pair is not None)


def _node(text: str) -> str:
    """The address, or the word in its place."""
    found = NODE.fullmatch(text.strip('"'))
    if found is not None and found[3]:
        return found[3]
    name = text.strip('"') if found is None else found[1] or found[2]
    try:
        return plain(str(ipaddress.ip_address(name)))
    except ValueError:
        return UNKNOWN
