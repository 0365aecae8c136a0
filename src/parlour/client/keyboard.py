"""Standard input without blocking the loop: watched where the system can, read by a thread where it cannot."""

import asyncio
import os
import threading
from collections.abc import Callable

LONGEST_LINE = 4096
"""Bytes; what is longer comes as several lines."""
CHUNK = 8192


class Keyboard:
    """Hands over what is typed, line by line, then says that it ended. Reads only while lines are wanted."""

    def __init__(self, fd: int, line: Callable[[str], None], end: Callable[[], None], encoding: str = "utf-8") -> None:
        self._fd = fd
        self._line = line
        self._end = end
        self._encoding = encoding
        self._loop = asyncio.get_running_loop()
        self._rest = b""
        self._wanted = threading.Event()
        self._taken = threading.Event()
        """These two hold the thread back, where there is one."""
        self._thread: threading.Thread | None = None
        self._open = True
        self.resume()

    def resume(self) -> None:
        """Read on."""
        if not self._open or self._wanted.is_set():
            return
        self._wanted.set()
        if self._thread is not None:
            return
        try:
            self._loop.add_reader(self._fd, self._readable)
        except (OSError, RuntimeError):
            # epoll takes no regular file and no /dev/null; some loops watch no descriptors at all.
            self._thread = threading.Thread(target=self._read_for_ever, name="keyboard", daemon=True)
            self._thread.start()

    def pause(self) -> None:
        """Enough for now: what is typed ahead has to wait."""
        if not self._wanted.is_set():
            return
        self._wanted.clear()
        if self._thread is None:
            self._loop.remove_reader(self._fd)

    def close(self) -> None:
        """Hear no more."""
        self.pause()
        self._open = False

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, CHUNK)
        except BlockingIOError:
            return  # another process that shares this terminal was faster
        except OSError:
            data = b""  # a terminal that has hung up
        self._heard(data)

    def _read_for_ever(self) -> None:
        data = b"?"
        while data:
            self._wanted.wait()
            try:
                data = os.read(self._fd, CHUNK)
            except OSError:
                data = b""
            self._taken.clear()
            try:
                self._loop.call_soon_threadsafe(self._heard, data)
            except RuntimeError:
                return  # the loop has closed
            self._taken.wait()

    def _heard(self, data: bytes) -> None:
        """Read this; nothing at all is the end."""
        self._taken.set()
        if not self._open:
            return
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        if self._rest and (not data or len(self._rest) > LONGEST_LINE):
            lines.append(self._rest)
            self._rest = b""
        for line in lines:
            self._line(line.decode(self._encoding, "replace"))
        if not data:
            self.close()
            self._end()
