"""From the proxy to the process that reads: a pipe, and a file for what the pipe does not take.

The proxy must not wait for the reader, and must not grow without end. So what does not go into the pipe at once is
written to a file that has no name, and goes into the pipe from there, in order; when even the file is full, the proxy
is told to stop listening until there is room.
"""

import asyncio
import fcntl
import tempfile
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, cast

HIGH = 4 << 20
"""Bytes on their way into the pipe, beyond which the file is used."""
CHUNK = 1 << 20
PIPE = 1 << 20
GATHERED = 256 << 10
"""Bytes that go into the pipe without waiting for more."""
GATHER_SECONDS = 0.01
"""How long a record waits for others to go with it: a write for each would cost more than passing the bytes on."""
MOST = 4 << 30
"""Bytes in the file, beyond which the proxy stops listening."""


class Feed(asyncio.Protocol):
    """The proxy's end of the pipe."""

    def __init__(self) -> None:
        self._pending: list[bytes] = []
        self._gathered = 0
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.WriteTransport | None = None
        self._file: BinaryIO | None = None
        self._written = self._read = 0
        """Positions in the file."""
        self._full = False
        self._finished: asyncio.Event = asyncio.Event()
        self._finishing = False
        self.dead = False
        self.on_full: Callable[[bool], object] = lambda _: None
        self.on_death: Callable[[], object] = lambda: None

    async def open(self, pipe: BinaryIO) -> None:
        """Begin to write to this pipe."""
        with suppress(OSError):
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, PIPE)
        await self._loop.connect_write_pipe(lambda: self, pipe)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)
        self._transport.set_write_buffer_limits(high=HIGH)

    def put(self, head: bytes, data: bytes) -> None:
        """One record, to be written soon with those that come meanwhile."""
        self._pending.append(head)
        if data:
            self._pending.append(data)
            self._gathered += len(data)
        if self._timer is None:
            self._timer = self._loop.call_later(GATHER_SECONDS, self._flush)
        elif self._gathered > GATHERED:
            self._flush()

    def _flush(self) -> None:
        data, self._pending, self._gathered = b"".join(self._pending), [], 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self.dead or self._transport is None:
            return
        if self._written > self._read or self._transport.get_write_buffer_size() > HIGH:
            self._spill(data)
        else:
            self._transport.write(data)

    def _spill(self, data: bytes) -> None:
        if self._file is None:
            self._file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - it lasts as long as we do
        self._file.seek(self._written)
        self._file.write(data)
        self._written += len(data)
        if not self._full and self._written - self._read > MOST:
            self._full = True
            self.on_full(True)

    def pause_writing(self) -> None:
        """The pipe is full; what comes now goes to the file."""

    def resume_writing(self) -> None:
        """There is room in the pipe: first for what is in the file."""
        transport, file = self._transport, self._file
        while transport is not None and file is not None and self._read < self._written:
            if transport.get_write_buffer_size() > HIGH:
                return
            file.seek(self._read)
            data = file.read(min(CHUNK, self._written - self._read))
            self._read += len(data)
            transport.write(data)
        if file is not None and self._read >= self._written:
            self._read = self._written = 0
            file.truncate(0)
            if self._full:
                self._full = False
                self.on_full(False)
        if self._finishing:
            self._loop.call_soon(self._end)  # asyncio forgets what is written here if it is closed here as well

    def _end(self) -> None:
        if self._transport is not None and self._written <= self._read:
            self._transport.close()  # after what is in its buffer

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - there is no reader in any case
        self.dead = True
        self._finished.set()
        if self._file is not None:
            self._file.close()
            self._file = None
        if not self._finishing:
            self.on_death()
        if self._full:
            self._full = False
            self.on_full(False)

    async def finish(self) -> None:
        """Everything is told: close the pipe once it has gone through."""
        await asyncio.sleep(0)
        self._flush()
        self._finishing = True
        self._end()
        await self._finished.wait()
