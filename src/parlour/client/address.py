"""Where to play: the URL of a `parlour play`, taken apart."""

from collections.abc import Mapping
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from parlour.core.errors import LocalError
from parlour.core.session import Visit, WireProtocol

SCHEMES = {"web": "http"}
"""Wires whose URLs do not begin with their name."""
SECURE = {"https": ("http", 443)}
"""Schemes that are others over TLS, and their port."""

ANONYMOUS = "Anon"
"""A player without a name gets this one: a login name is nothing to hand to a stranger's server unasked."""


def parse(url: str, protocols: Mapping[str, WireProtocol], name: str | None = None) -> tuple[WireProtocol, Visit]:
    """The wire and the visit that a URL means; `name` goes before the name in it. Raises LocalError."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise LocalError(f"{url!r} is not a URL: look at its host and port again") from error
    protocol = _protocol(url, parts, protocols)
    if not parts.hostname:
        raise LocalError(f"{url!r} names no host: write {parts.scheme}://HOST[:PORT]")
    if port == 0:
        raise LocalError(f"{url!r} names port 0, which no server can listen on")
    if parts.fragment or parts.password is not None:
        raise LocalError(f"{url!r} has a part that means nothing here: no password and no # belong in it")
    return protocol, Visit(
        host=unquote(parts.hostname),
        port=port or (SECURE[parts.scheme][1] if parts.scheme in SECURE else protocol.ports[0][0]),
        name=_name(name if name is not None else unquote(parts.username or "") or ANONYMOUS),
        path=unquote(parts.path.strip("/")),
        query=_query(url, parts.query),
        secure=parts.scheme in SECURE,
    )


def _protocol(url: str, parts: SplitResult, protocols: Mapping[str, WireProtocol]) -> WireProtocol:
    by_scheme = {SCHEMES.get(name, name): protocol for name, protocol in protocols.items()}
    known = " or ".join(f"{scheme}://" for scheme in by_scheme)
    if "://" not in url:
        raise LocalError(f"{url!r} names no wire: put {known} before it")
    scheme = SECURE[parts.scheme][0] if parts.scheme in SECURE else parts.scheme
    if scheme not in by_scheme:
        raise LocalError(f"{url!r} names no wire that parlour plays: use {known}")
    return by_scheme[scheme]


def _query(url: str, text: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text))
    except ValueError as error:
        raise LocalError(f"{url!r} has a query that is not key=value&key=value") from error
    query = dict(pairs)
    if len(query) < len(pairs):
        raise LocalError(f"{url!r} gives one key twice")
    return query


def _name(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise LocalError(f"{name!r} is no name: use one line of printable characters")
    return name.strip()
