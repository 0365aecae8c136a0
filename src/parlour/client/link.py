"""Drives a client session: bytes in, one write for every message out, pauses and alarms by the loop's clock."""

import asyncio
import contextlib
import socket
from collections import deque
from collections.abc import Callable
from typing import Any, cast

from parlour.core.errors import ProtocolError, behind
from parlour.core.session import (
    Again,
    Alarm,
    Board,
    Branch,
    ClientSession,
    Close,
    Codec,
    HalfClose,
    Outputs,
    Over,
    Pause,
    Reconnect,
    Report,
    Show,
    Via,
    YourTurn,
)
from parlour.core.words import Command

LINGER_SECONDS = 2.0
"""How long a server may take to notice that we are done."""
MORSEL = 4096
"""Bytes that are read at once without a thought about how many there are."""
KEEPALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
"""A pulled cable is noticed after a minute, where the system lets us say so."""


class Link(asyncio.Protocol):
    """One connection to a server. asyncio itself has set TCP_NODELAY on it."""

    def __init__(
        self,
        codec: Codec[Any],
        session: ClientSession[Any],
        show: Callable[[Show], None],
        settled: Callable[[], None],
        ended: Callable[[], None],
        beyond: Callable[[Branch | Via], None],
        pace: float = 0.0,
    ) -> None:
        self.closing = False
        """The session has said its last word, or the server has gone."""
        self.session = session
        self._codec = codec
        self._next: ClientSession[Any] | None = None
        """Who goes on, once the session has asked for another connection."""
        self._show = show
        self._settled = settled
        """Called when everything that has arrived is dealt with, so that the person answers the newest question."""
        self._ended = ended
        self._beyond = beyond
        """Takes what is not for this connection."""
        self._pace = pace
        """Bytes a second that are read at most, where others share the loop; 0 for as many as there are."""
        self._transport: asyncio.Transport | None = None
        self.tries = 1
        """How often the next connection is to be tried."""
        self._rest = self._skip = b""
        self._queue: deque[bytes | Pause | HalfClose | Close] = deque()
        self._pause: asyncio.TimerHandle | None = None
        self._linger: asyncio.TimerHandle | None = None
        self._alarms: dict[str, asyncio.TimerHandle] = {}

    @property
    def connected(self) -> bool:
        return self._transport is not None

    def act(self, command: Command) -> None:
        """The person wants this."""
        if not self.closing:
            self.perform(self.session.act(command))

    def close_soon(self) -> None:
        """The person has gone: close, and drop what the session still says."""
        if self._transport is not None and not self.closing:
            self.perform((Close(),))

    def renew(self) -> bool:
        """Be ready for another connection if the session has asked for one; True if it has."""
        if self._next is None:
            return False
        self.session, self._next = self._next, None
        self._rest = self._skip = b""
        self._queue.clear()
        self._pause = self._linger = None
        self.closing = False
        return True

    def fail(self) -> None:
        """This connection could not be made."""
        self._server_gone()
        self._settled()

    def abort(self) -> None:
        """Hang up without another word."""
        if self._transport is not None:
            self._transport.abort()

    # --- from the loop -----------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        _keep_alive(transport.get_extra_info("socket"))
        if self.closing:
            self._write()  # the visit was over before this connection was there
            return
        early, self._queue = self._queue, deque()
        self.perform(self.session.opened())
        self._queue.extend(early)
        self._write()
        self._settled()

    def data_received(self, data: bytes) -> None:
        if self._pace and len(data) > MORSEL:
            self._digest(len(data) / self._pace)
        if self._skip:
            tail = behind(self._skip, data)  # the rest of a line that was too long
            if tail is None:
                return
            data, self._skip = tail, b""
        data = self._rest + data
        start = 0
        while start < len(data) and not self.closing:
            try:
                found = self._codec.parse(data, start, self.session.phase)
                if found is None:
                    break
                message, start = found
                outputs = self.session.receive(message)
            except ProtocolError as error:
                start = max(error.resume, start + 1)
                self._skip = error.until
                outputs = self.session.malformed(error)
            self.perform(outputs)
        self._rest = data[start:]
        self._settled()

    def _digest(self, seconds: float) -> None:
        """Read nothing for a while."""
        if self._transport is not None:
            self._transport.pause_reading()
            asyncio.get_running_loop().call_later(seconds, self._read_on, self._transport)

    def _read_on(self, transport: asyncio.Transport) -> None:
        if transport is self._transport and not transport.is_closing():
            transport.resume_reading()

    def eof_received(self) -> bool:
        self._server_gone()
        return False

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - a reset is as good as an end of file
        self._server_gone()
        self._transport = None
        for handle in (self._pause, self._linger):
            if handle is not None:
                handle.cancel()
        self._ended()

    def _server_gone(self) -> None:
        if not self.closing:
            self.closing = True
            outputs = self.session.closed()
            if not any(isinstance(out, Report | Over | Via) for out in outputs):
                self._show(Report("The server has closed the connection."))
            self.perform(outputs)
        for handle in self._alarms.values():
            handle.cancel()
        self._alarms.clear()
        self._queue.clear()

    # --- what the session wants --------------------------------------------------------------------------------------

    def perform(self, outputs: Outputs) -> None:
        """Do what a session said for this connection."""
        for out in outputs:
            match out:
                case Report() | Board() | YourTurn() | Again() | Over():
                    self._show(out)
                case Alarm(name=name, seconds=seconds):
                    self._set_alarm(name, seconds)
                case bytes() | Pause():
                    if not self.closing:
                        self._queue.append(out)
                case HalfClose() | Close():
                    if not self.closing:
                        self._queue.append(out)
                        self.closing = True
                case Reconnect(session=session, tries=tries):
                    self._next, self.tries = session, tries
                    if not self.closing:
                        self._queue.append(Close())
                        self.closing = True
                case Branch() | Via():
                    self._write()  # what was said before goes out before
                    self._beyond(out)
                case _:
                    raise TypeError(f"a client session cannot say {out!r}")
        self._write()

    def _write(self) -> None:
        """Send what is queued up to the next pause. Original servers take one segment for one message: never join."""
        while self._queue and self._pause is None and self._transport is not None:
            match self._queue.popleft():
                case bytes(data):
                    self._transport.write(data)
                case Pause(seconds=seconds):
                    self._pause = asyncio.get_running_loop().call_later(seconds, self._pause_over)
                case HalfClose():
                    if self._transport.can_write_eof():
                        self._transport.write_eof()
                    self._linger = asyncio.get_running_loop().call_later(LINGER_SECONDS, self.abort)
                case Close():
                    self._transport.close()
                    self._linger = asyncio.get_running_loop().call_later(LINGER_SECONDS, self.abort)

    def _pause_over(self) -> None:
        self._pause = None
        self._write()

    def _set_alarm(self, name: str, seconds: float | None) -> None:
        if name in self._alarms:
            self._alarms.pop(name).cancel()
        if seconds is not None and not self.closing:
            self._alarms[name] = asyncio.get_running_loop().call_later(seconds, self._ring, name)

    def _ring(self, name: str) -> None:
        del self._alarms[name]
        if not self.closing:
            self.perform(self.session.timer(name))
            self._settled()


def _keep_alive(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in KEEPALIVE.items():
        if hasattr(socket, option):
            with contextlib.suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
