"""TLS for browsers: a certificate that can be renewed while the server runs, and a port that takes in connections.

The handshake is a stranger's to delay. So a connection is counted from its first moment, has a deadline, and becomes
one of a browser only when the handshake is done. Who forgets the `s` of `https` is heard, too, and can be told so.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn

import structlog

from parlour.core.errors import LocalError, Refused
from parlour.core.house.gate import CONNECTIONS, Identity
from parlour.server import limits
from parlour.server.house import House
from parlour.web.entrance import Entrance

log = structlog.get_logger()

HANDSHAKE = b"\x16"
"""The first byte of a record that begins a handshake (RFC 8446, 5.1)."""
BREATH_SECONDS = 1.0
"""How long no connection is taken in after the system had no room for one."""


class Certificate:
    """A certificate with its key, as it was when last read."""

    def __init__(self, files: str) -> None:
        certificate, _, key = files.partition(":")
        self._certificate, self._key = Path(certificate), Path(key)
        self.context = self._read()

    def reload(self) -> None:
        """Read the files again; what cannot be used changes nothing."""
        try:
            self.context = self._read()
        except LocalError as error:
            log.warning("the certificate stays as it was", reason=str(error))
        else:
            log.info("certificate read again", file=str(self._certificate))

    def _read(self) -> ssl.SSLContext:
        """Raises LocalError."""
        for path in (self._certificate, self._key):
            try:
                path.read_bytes()
            except OSError as error:
                raise LocalError(f"tls: cannot read {path}: {error.strerror}") from error
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.options |= ssl.OP_NO_RENEGOTIATION
        context.set_alpn_protocols(["http/1.1"])
        try:
            context.load_cert_chain(self._certificate, self._key, self._no_password)
        except ssl.SSLError as error:
            if error.reason == "KEY_VALUES_MISMATCH":
                raise LocalError(f"tls: {self._key} is not the key of {self._certificate}") from error
            raise LocalError(f"tls: {self._certificate} and {self._key} are no certificate and key in PEM") from error
        return context

    def _no_password(self) -> NoReturn:
        raise LocalError(f"tls: {self._key} is locked with a password, and no one is there to type it")


class TlsPort:
    """A listening port; closed and asked for its sockets like that of any other wire.

    `factory` makes the protocol of a connection, which sees by its transport whether there is TLS.
    """

    def __init__(
        self,
        sock: socket.socket,
        certificate: Certificate,
        house: House,
        entrance: Entrance,
        factory: Callable[[], asyncio.Protocol],
    ) -> None:
        self.sockets = (sock,)
        self._certificate = certificate
        self._house = house
        self._entrance = entrance
        self._factory = factory
        self._loop = asyncio.get_running_loop()
        self._greeting: set[asyncio.Task[None]] = set()
        self._accepting = self._loop.create_task(self._accept(sock))

    def close(self) -> None:
        """Take in no more connections, and let those go that have not come far."""
        for task in (self._accepting, *self._greeting):
            task.cancel()
        self._loop.remove_reader(self.sockets[0])
        self.sockets[0].close()

    async def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                sock, peer = await self._loop.sock_accept(listening)
            except OSError as error:  # descriptors have run out, most likely
                log.warning("a connection could not be taken in", reason=error.strerror)
                await asyncio.sleep(BREATH_SECONDS)
                continue
            task = self._loop.create_task(self._greet(sock, self._entrance.counted(peer[0])))
            self._greeting.add(task)
            task.add_done_callback(self._greeting.discard)

    async def _greet(self, sock: socket.socket, address: str) -> None:
        """Hand the connection over once its handshake is done. Nothing can be said to one that is not let in."""
        house = self._house
        try:
            house.admit(address)
        except Refused:
            sock.close()
            return
        done = False
        try:
            done = await self._shake_hands(sock)
        finally:
            if not done:
                house.counts["dropped"] += 1
                house.gate.refund(CONNECTIONS, Identity(address=address))

    async def _shake_hands(self, sock: socket.socket) -> bool:
        """Whether it has come so far; one that has not is closed."""
        connect = partial(self._loop.connect_accepted_socket, self._factory, sock)
        try:
            async with asyncio.timeout(limits.TLS_HANDSHAKE_SECONDS):
                if await self._first_byte(sock) == HANDSHAKE:
                    await connect(ssl=self._certificate.context, ssl_shutdown_timeout=limits.LINGER_SECONDS)
                else:
                    await connect()
        except OSError:  # a handshake that fails, a peer that goes, and a TimeoutError
            return False
        return True

    async def _first_byte(self, sock: socket.socket) -> bytes:
        """What comes first, which stays to be read; empty if the peer has gone."""
        readable = asyncio.Event()
        self._loop.add_reader(sock, readable.set)
        try:
            await readable.wait()
            self._loop.remove_reader(sock)
            return sock.recv(1, socket.MSG_PEEK)
        except BaseException:  # from here on a transport closes it
            self._loop.remove_reader(sock)
            sock.close()
            raise
