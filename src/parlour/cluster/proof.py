"""How one node of a house lets others in: both show that they know the house's secret before anything else is said.

Who listens says a challenge. Who comes answers with what it wants, of whom, a challenge of its own, and a proof over
all of that; the listener proves itself in turn. Between machines all of it is inside TLS with an anonymous key, and the
proofs cover that connection's finished handshake (RFC 5929, tls-unique): one in the middle has two handshakes, and no
proof for either. See docs/adr/0033.
"""

import asyncio
import hmac
import ipaddress
import os
import ssl
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from parlour.cluster.relay import parse
from parlour.core.errors import LocalError
from parlour.server.lifecycle import listening_socket

PATIENCE = 5.0
"""Seconds in which a stranger must show what it knows."""
REACHING = 1.0
"""Seconds for a node to answer; one that does not is tried again."""
LONGEST = 512
CHALLENGE_BYTES = 16
RELAY, PIPE, PAGES = "relay", "pipe", "web"
"""What one node may want of another."""
SUITE = "AECDH-AES256-SHA:@SECLEVEL=0"
"""Ephemeral keys without a certificate; the secret says who is there."""

Factory = Callable[[], asyncio.Protocol]


def is_near(host: str) -> bool:
    """Whether nothing said to this host leaves the machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@cache
def _context(server: bool) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    if not server:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(SUITE)
    return context


def place_of(address: str) -> tuple[str, int]:
    """Raises LocalError for what is no HOST:PORT."""
    place = parse(address)
    if isinstance(place, str):
        raise LocalError(f"nodes reach each other by HOST:PORT, not {address!r}")
    return place


class _Stranger(asyncio.Protocol):
    """One end of a connection until both have proven themselves; then another protocol has it."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._transport: Any = None
        self._heard = b""
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._timer = asyncio.get_running_loop().call_later(PATIENCE, self._transport.abort)

    def data_received(self, data: bytes) -> None:
        self._heard += data
        line, found, rest = self._heard.partition(b"\n")
        if found:
            self._heard = rest
            self.hear(line.decode("ascii", "replace").split(" "))
        elif len(self._heard) > LONGEST:
            self.refuse("a stranger")

    def hear(self, words: list[str]) -> None:
        """One line of the other end."""

    def refuse(self, why: str) -> None:  # noqa: ARG002
        self._transport.abort()

    def proof(self, *words: str) -> str:
        wrapped: Any = self._transport.get_extra_info("ssl_object")
        binding = b"" if wrapped is None else wrapped.get_channel_binding("tls-unique") or b""
        return hmac.new(self._secret, " ".join(words).encode() + b"\n" + binding, "sha256").hexdigest()

    def say(self, *words: str) -> None:
        self._transport.write(" ".join(words).encode() + b"\n")

    def hand_on(self, protocol: asyncio.Protocol) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._transport.set_protocol(protocol)
        protocol.connection_made(self._transport)
        if self._heard:
            protocol.data_received(self._heard)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        if self._timer is not None:
            self._timer.cancel()


class Doorkeeper(_Stranger):
    """The listener's end."""

    def __init__(self, secret: bytes, life: str, kinds: Mapping[str, Factory], complain: Callable[[str], None]) -> None:
        super().__init__(secret)
        self._life = life
        self._kinds = kinds
        self._complain = complain
        self._challenge = os.urandom(CHALLENGE_BYTES).hex()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.say("parlour", self._challenge)

    def hear(self, words: list[str]) -> None:
        if len(words) != 4:
            self.refuse("a stranger")
            return
        kind, life, challenge, proof = words
        if not hmac.compare_digest(proof, self.proof(kind, life, challenge, self._challenge)):
            self.refuse("a node with another secret")
        elif life != self._life or kind not in self._kinds:
            self._transport.abort()  # it looks for one that was here before
        else:
            self.say(self.proof("welcome", self._challenge, challenge))
            self.hand_on(self._kinds[kind]())

    def refuse(self, why: str) -> None:
        self._complain(f"{why} came to the relay and was not let in")
        super().refuse(why)


class Knock(_Stranger):
    """The end of the one who comes; `done` is settled when the other one has proven itself, or will not."""

    def __init__(self, secret: bytes, kind: str, life: str, inside: asyncio.Protocol) -> None:
        super().__init__(secret)
        self._kind = kind
        self._life = life
        self._inside = inside
        self._mine = os.urandom(CHALLENGE_BYTES).hex()
        self._theirs = ""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def hear(self, words: list[str]) -> None:
        if not self._theirs and len(words) == 2:
            self._theirs = words[1]
            proof = self.proof(self._kind, self._life, self._mine, self._theirs)
            self.say(self._kind, self._life, self._mine, proof)
        elif self._theirs and hmac.compare_digest(words[0], self.proof("welcome", self._theirs, self._mine)):
            self.hand_on(self._inside)
            if not self.done.done():
                self.done.set_result(None)
        else:
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if not self.done.done():
            self.done.set_exception(ConnectionAbortedError("it is another node, or does not know the secret"))


class Entry:
    """Where other nodes come to this one: bound at once, so that its address can be told, and opened later."""

    def __init__(self, address: str) -> None:
        self._host, port = place_of(address)
        self._socket = listening_socket(self._host, port)
        self._server: asyncio.Server | None = None

    @property
    def address(self) -> str:
        port = self._socket.getsockname()[1]
        return f"[{self._host}]:{port}" if ":" in self._host else f"{self._host}:{port}"

    async def open(
        self, secret: bytes, life: str, kinds: Mapping[str, Factory], complain: Callable[[str], None]
    ) -> None:
        keeper = lambda: Doorkeeper(secret, life, kinds, complain)  # noqa: E731
        wrapped = None if is_near(self._host) else _context(server=True)
        self._server = await asyncio.get_running_loop().create_server(keeper, sock=self._socket, ssl=wrapped)

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self._socket.close()


async def reach(address: str, secret: bytes, kind: str, life: str, inside: asyncio.Protocol) -> None:
    """Come to the node of this life, for something. Raises OSError when it cannot be had."""
    host, port = place_of(address)
    loop = asyncio.get_running_loop()
    wrapped = None if is_near(host) else _context(server=False)
    async with asyncio.timeout(REACHING):
        way, knock = await loop.create_connection(lambda: Knock(secret, kind, life, inside), host, port, ssl=wrapped)
        try:
            await knock.done
        except BaseException:
            way.abort()  # a late welcome would let us in a second time
            raise


async def is_dead(address: str) -> bool:
    """Whether nothing listens there any more. One that does not answer may be slow, or out of reach."""
    try:
        async with asyncio.timeout(REACHING):
            _, writer = await asyncio.open_connection(*place_of(address))
    except ConnectionRefusedError:
        return True
    except (OSError, LocalError):
        return False
    writer.close()
    return False
